"""A page is read in turns: few records in the first, then as many as a turn takes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from metasearch.adapters.parse.parse import PageContent
from metasearch.engine.scheduler import MOST, SECONDS, FairScheduler
from metasearch.engine.source import _in_turns
from metasearch.errors import BadAnswer
from metasearch.record import Record
from tests.adapters.fetch.timeless import TimelessLoop, timeless
from tests.cases import each

STEP = 4


class Reading:
    """A page whose steps take so many seconds each, and that may break at its end."""

    def __init__(self, records: int, seconds: float = 0.0, *, breaks: bool = False) -> None:
        self.parsed = PageContent()
        self._records = records
        self._seconds = seconds
        self._breaks = breaks

    def __iter__(self) -> Iterator[tuple[Record, ...]]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, TimelessLoop)
        for _ in range(self._records // STEP):
            loop.pass_by(self._seconds)
            yield tuple(Record(title="t", source="s", position=1) for _ in range(STEP))
        if self._breaks:
            raise BadAnswer("s", "broken")


async def taken(reading: Reading, *, first: bool = False) -> list[int]:
    """How many records each turn gave, of the first page of a search or of a later one."""
    turns, found = FairScheduler().turns(), []

    async def take(records: tuple[Record, ...]) -> None:
        found.append(len(records))

    await turns.next()
    if not first:
        turns.over(1)
    try:
        await _in_turns(reading, turns, take)  # type: ignore[arg-type]
    except BadAnswer:
        found.append(-1)
    return found


@timeless
async def test_a_turn_takes_many_records() -> None:
    """What is left at the end is the caller's."""
    assert await taken(Reading(2 * MOST + STEP)) == [MOST, MOST]


@timeless
async def test_the_first_records_of_a_search_come_at_once() -> None:
    """Somebody waits for them."""
    assert await taken(Reading(2 * MOST), first=True) == [STEP, MOST]


@each("steps", [1, 2])
def test_slow_records_make_a_turn_shorter(steps: int) -> None:
    """However many there are: the loop waits for no more than one step too long."""

    @timeless
    async def run() -> None:
        assert await taken(Reading(8 * STEP, 1.2 * SECONDS / steps)) == [steps * STEP] * (
            8 // steps
        )

    run()


@timeless
async def test_what_was_read_before_a_page_broke_counts() -> None:
    """Though its turn was not over."""
    assert await taken(Reading(MOST + STEP, breaks=True)) == [MOST, STEP, -1]
