"""Answers of the last minute."""

from __future__ import annotations

from dataclasses import replace

from metasearch.engine.answers import FRESH, MOST_ANSWERS, MOST_HITS, AnswerCache
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
    answer_cache = AnswerCache(clock)
    answer_cache.keep("q", answer())

    clock.now = FRESH - 1
    again = answer_cache.get("q")
    assert again is not None
    assert again.sources[0].cached
    assert again.seconds == 0.0
    assert replace(again, sources=answer().sources, seconds=2.5) == answer()
    assert answer_cache.get("other") is None

    clock.now = FRESH
    assert answer_cache.get("q") is None


def test_an_answer_that_lacks_a_source_is_not_kept() -> None:
    """The source may do better the next time; and what was kept before is older than what is known
    now."""
    answer_cache = AnswerCache(Clock())
    answer_cache.keep("q", answer())
    answer_cache.keep("q", answer(complete=False))

    assert answer_cache.get("q") is None


def test_what_is_kept_is_bounded() -> None:
    """By answers and by hits, the oldest going first."""
    answer_cache = AnswerCache(Clock())
    for number in range(MOST_ANSWERS + 1):
        answer_cache.keep(number, answer())
    assert answer_cache.get(0) is None
    assert answer_cache.get(1) is not None

    answer_cache.keep("large", answer(MOST_HITS))
    assert answer_cache.get("large") is not None
    assert answer_cache.get(MOST_ANSWERS) is None
    answer_cache.keep("too large", answer(MOST_HITS + 1))
    assert answer_cache.get("too large") is None
