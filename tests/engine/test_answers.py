"""Answers of the last minute."""

from __future__ import annotations

from dataclasses import replace

from metasearch.engine.answers import FRESH, MOST_ANSWERS, MOST_HITS, Recent
from metasearch.events import Answer, Counts, SourceReport
from metasearch.record import Hit, Record


def answer(hits: int = 1, *, complete: bool = True) -> Answer:
    hit = Hit(id="h", record=Record(source="a"), records=(), provenance={})
    report = SourceReport(source="a", status="ok", count=hits, total=None, seconds=1.0, query="q")
    return Answer(
        query="q",
        complete=complete,
        counts=Counts(hits, hits, 0),
        hits=(hit,) * hits,
        sources=(report,),
        seconds=2.5,
    )


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_an_answer_is_given_again_for_a_minute() -> None:
    """Marked as cached, and at once."""
    clock = Clock()
    recent = Recent(clock)
    recent.keep("q", answer())

    clock.now = FRESH - 1
    again = recent.get("q")
    assert again is not None
    assert again.sources[0].cached
    assert again.seconds == 0.0
    assert replace(again, sources=answer().sources, seconds=2.5) == answer()
    assert recent.get("other") is None

    clock.now = FRESH
    assert recent.get("q") is None


def test_an_answer_that_lacks_a_source_is_not_kept() -> None:
    """The source may do better the next time; and what was kept before is older than what is known
    now."""
    recent = Recent(Clock())
    recent.keep("q", answer())
    recent.keep("q", answer(complete=False))

    assert recent.get("q") is None


def test_what_is_kept_is_bounded() -> None:
    """By answers and by hits, the oldest going first."""
    recent = Recent(Clock())
    for number in range(MOST_ANSWERS + 1):
        recent.keep(number, answer())
    assert recent.get(0) is None
    assert recent.get(1) is not None

    recent.keep("large", answer(MOST_HITS))
    assert recent.get("large") is not None
    assert recent.get(MOST_ANSWERS) is None
    recent.keep("too large", answer(MOST_HITS + 1))
    assert recent.get("too large") is None
