"""What computes long from texts: in one thread, the users in turns, with bounds for one and all."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest

from metasearch.server.limits.admission import (
    MOST_OF_USER,
    MOST_WAITING,
    SHORT,
    TextQueue,
)
from metasearch.server.problem import Problem

LONG = "a" * (SHORT + 1)


@pytest.fixture
async def computing() -> AsyncIterator[TextQueue]:
    """Nothing is computed yet."""
    made = TextQueue()
    yield made
    made.close()


class Held:
    """Something that computes until it is let go."""

    def __init__(self) -> None:
        self.begun, self.gone = threading.Event(), threading.Event()

    def __call__(self) -> str:
        self.begun.set()
        self.gone.wait(30)
        return "held"


async def test_a_long_text_is_computed_beside_the_loop_and_a_short_one_on_it(
    computing: TextQueue,
) -> None:
    """The loop goes on meanwhile; errors come through."""
    held = Held()
    going = asyncio.ensure_future(computing.read("u", LONG, held))
    await asyncio.to_thread(held.begun.wait)
    turns = 0
    for _ in range(100):
        await asyncio.sleep(0)
        turns += 1
    assert (turns, going.done()) == (100, False)
    held.gone.set()

    assert await going == "held"
    assert await computing.read("u", "short", threading.get_ident) == threading.get_ident()
    assert await computing.read("u", LONG, threading.get_ident) != threading.get_ident()
    with pytest.raises(ZeroDivisionError):
        await computing.done("u", lambda: 1 // 0)
    assert await computing.done("u", lambda: 2) == 2


async def test_a_user_with_many_texts_does_not_hold_up_one_with_a_single_one(
    computing: TextQueue,
) -> None:
    """Users take turns; who has too many waiting is told when to come again, with 429."""
    held, order = Held(), []
    first = asyncio.ensure_future(computing.done("many", held))
    await asyncio.to_thread(held.begun.wait)
    many = [
        asyncio.ensure_future(computing.done("many", lambda: order.append("many")))
        for _ in range(MOST_OF_USER)
    ]
    await asyncio.sleep(0)
    with pytest.raises(Problem) as refused:
        await computing.done("many", lambda: order.append("too many"))
    single = asyncio.ensure_future(computing.done("single", lambda: order.append("single")))
    await asyncio.sleep(0)
    held.gone.set()
    await asyncio.gather(first, single, *many)

    assert refused.value.status == 429
    assert int(refused.value.headers["Retry-After"]) >= 1
    assert order.index("single") <= 1
    assert order.count("many") == MOST_OF_USER


async def test_all_users_together_have_a_bound(computing: TextQueue) -> None:
    """The newest text of who has most gives way to one of who has none; then 503."""
    held = Held()
    first = asyncio.ensure_future(computing.done("first", held))
    await asyncio.to_thread(held.begun.wait)
    waiting = [
        asyncio.ensure_future(computing.done(user, lambda: None))
        for user in range(MOST_WAITING // MOST_OF_USER)
        for _ in range(MOST_OF_USER)
    ]
    await asyncio.sleep(0)
    new = asyncio.ensure_future(computing.done("new", lambda: "new"))
    await asyncio.sleep(0)
    held.gone.set()
    done = await asyncio.gather(first, new, *waiting, return_exceptions=True)

    refused = [each for each in done if isinstance(each, Problem)]
    assert done[:2] == ["held", "new"]
    assert [problem.status for problem in refused] == [503]
    assert "Retry-After" in refused[0].headers


async def test_a_request_that_has_gone_keeps_its_turn_for_nobody(computing: TextQueue) -> None:
    """Neither one that waited nor one whose text is being computed: the next one is computed."""
    held = Held()
    gone = asyncio.ensure_future(computing.done("a", held))
    await asyncio.to_thread(held.begun.wait)
    waits = asyncio.ensure_future(computing.done("b", lambda: "b"))
    last = asyncio.ensure_future(computing.done("c", lambda: "c"))
    await asyncio.sleep(0)
    gone.cancel()
    waits.cancel()
    await asyncio.wait([gone, waits])
    assert not last.done()
    held.gone.set()

    assert await last == "c"
