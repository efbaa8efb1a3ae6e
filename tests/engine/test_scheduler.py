"""Turns at the scheduler: one in each cycle of the loop, searches that have had none first."""

from __future__ import annotations

import asyncio

from metasearch.engine.scheduler import MOST, SECONDS, FairScheduler, Turns
from tests.adapters.fetch.timeless import TimelessLoop, timeless


async def page(turns: Turns, name: str, stretches: int, told: list[str]) -> None:
    for _ in range(stretches):
        await turns.next()
        told.append(name)


async def test_a_search_that_has_had_no_turn_goes_first() -> None:
    """However many pages the others have waiting, and however long they have waited."""
    scheduler, told = FairScheduler(), []
    early, late = scheduler.turns(), scheduler.turns()
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(page(early, "early", 2, told))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        group.create_task(page(late, "late", 2, told))

    assert told.index("late") <= 2
    assert sorted(told) == ["early"] * 10 + ["late"] * 2


async def test_one_first_turn_a_search() -> None:
    """Ten pages of one search that come together are not all before the first page of another
    one."""
    scheduler, told = FairScheduler(), []
    one, other = scheduler.turns(), scheduler.turns()
    async with asyncio.TaskGroup() as group:
        for _ in range(10):
            group.create_task(page(one, "one", 1, told))
        group.create_task(page(other, "other", 1, told))

    assert told[:2] == ["one", "other"]


async def test_readers_get_every_second_turn() -> None:
    """However many they are; where no search wants a turn they get all, and where none of them does
    the searches."""
    scheduler, told = FairScheduler(), []
    async with asyncio.TaskGroup() as group:
        for _ in range(20):
            group.create_task(page(scheduler.readers_turns(), "reader", 2, told))
        group.create_task(page(scheduler.turns(), "search", 5, told))

    assert told[:10] == ["reader", "search"] * 5
    assert told[10:] == ["reader"] * 35
    await page(scheduler.turns(), "search", 2, told)
    assert told[-2:] == ["search", "search"]


async def test_a_search_that_nobody_waits_for_comes_after_all_others() -> None:
    """Also where it waits for longer, and its wait does not make the process look busy; at its
    deadline it goes first."""
    scheduler, told = FairScheduler(), []
    behind = scheduler.turns(behind=True)
    async with asyncio.TaskGroup() as group:
        for _ in range(2):
            group.create_task(page(behind, "behind", 1, told))
        await asyncio.sleep(0)
        assert scheduler.wait == 0
        group.create_task(page(scheduler.turns(), "search", 3, told))
        group.create_task(page(scheduler.turns(), "other", 3, told))

    assert told.index("behind") <= 1  # the first one had its turn before the others came
    assert told[-1] == "behind"

    told.clear()
    async with asyncio.TaskGroup() as group:
        group.create_task(page(behind, "behind", 1, told))
        group.create_task(page(scheduler.turns(), "search", 3, told))
        await asyncio.sleep(0)
        scheduler.hurry(behind)
    assert told[0] == "behind"


async def test_a_reader_that_hurries_goes_first() -> None:
    """With the turn that it waits for already."""
    scheduler, told = FairScheduler(), []
    hurried = scheduler.readers_turns()
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(page(scheduler.readers_turns(), "reader", 1, told))
        group.create_task(page(hurried, "hurried", 1, told))
        group.create_task(page(scheduler.turns(), "search", 1, told))
        for _ in range(2):
            await asyncio.sleep(0)
        assert scheduler.wait >= 0
        scheduler.hurry(hurried)

    assert told.index("hurried") <= 2


async def test_the_loop_is_served_between_two_turns() -> None:
    """Callbacks that are ready run in between, whoever else wants a turn."""
    scheduler, told = FairScheduler(), []
    turns = scheduler.turns()

    async def ticker() -> None:
        for _ in range(6):
            told.append("tick")
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(page(turns, "turn", 1, told))
        group.create_task(ticker())

    assert "turn turn" not in " ".join(told)


async def test_who_no_longer_waits_costs_no_turn() -> None:
    """A cancelled page is passed over, and the next one is served."""
    scheduler, told = FairScheduler(), []
    turns = scheduler.turns()
    gone = asyncio.create_task(page(turns, "gone", 1, told))
    stays = asyncio.create_task(page(turns, "stays", 1, told))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.gather(gone, stays, return_exceptions=True)

    assert told == ["stays"]


async def test_a_scheduler_rests_and_begins_again() -> None:
    """Turns are given however much later they are wanted."""
    scheduler, told = FairScheduler(), []
    await page(scheduler.turns(), "a", 1, told)
    await asyncio.sleep(0.01)
    await page(scheduler.turns(), "b", 2, told)

    assert told == ["a", "b", "b"]


@timeless
async def test_a_turn_is_over_by_the_clock_or_by_its_records() -> None:
    """Whichever comes first; the next turn begins anew."""
    turns, loop = FairScheduler().turns(), asyncio.get_running_loop()
    assert isinstance(loop, TimelessLoop)
    assert turns.over(), "there was none yet"
    await turns.next()
    assert turns.over(1), "the first records of a search are shown at once"

    await turns.next()
    assert not turns.over(MOST - 1)
    assert turns.over(MOST)

    await turns.next()
    loop.pass_by(SECONDS / 2)
    assert not turns.over(1)
    loop.pass_by(SECONDS / 2)
    assert turns.over(1)
    assert turns.over()

    await turns.next()
    assert not turns.over(1)


async def test_a_page_that_is_begun_is_read_before_another_page_of_its_search() -> None:
    """The turns of two searches alternate as before: nobody waits longer for a turn."""
    scheduler, told = FairScheduler(), []
    one, other = scheduler.turns(), scheduler.turns()

    async def stretches(turns: Turns, name: str) -> None:
        await turns.next()
        for number in range(3):
            told.append(f"{name}{number}")
            if number < 2:
                await turns.next(under_way=True)

    async with asyncio.TaskGroup() as group:
        for number in range(3):
            for turns, search in ((one, "a"), (other, "b")):
                group.create_task(stretches(turns, f"{search}{number} "))

    of_one = [name for name in told if name.startswith("a")]
    assert of_one == sorted(of_one)
    searches = "".join(name[0] for name in told)
    assert all(abs(2 * searches[:end].count("a") - end) <= 2 for end in range(len(told) + 1))


async def test_who_was_cancelled_takes_no_turn() -> None:
    """Neither its own nor that of another page."""
    scheduler, told = FairScheduler(), []
    turns = scheduler.turns()
    pages = [asyncio.create_task(page(turns, name, 1, told)) for name in "abc"]
    await asyncio.sleep(0)
    pages[1].cancel()
    await asyncio.gather(*pages, return_exceptions=True)

    assert told == ["a", "c"]
