"""Answers of the last minute."""

from __future__ import annotations

from dataclasses import replace

from metasearch.engine.results import FOR_REPEATS, FRESH, MOST_ANSWERS, MOST_HITS, AnswerCache
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


def test_an_answer_that_lacks_a_source_is_kept_for_repeats() -> None:
    """For a shorter time, and never for a search that is no repeat: its sources may do better."""
    clock = Clock()
    answer_cache = AnswerCache(clock)
    answer_cache.keep("q", answer(complete=False), repeat=True)

    clock.now = FOR_REPEATS - 1
    again = answer_cache.get("q", repeat=True)
    assert again is not None
    assert not again.complete
    assert answer_cache.get("q") is None

    clock.now = FOR_REPEATS
    assert answer_cache.get("q", repeat=True) is None


def test_an_old_page_of_a_source_is_for_repeats_too() -> None:
    """A newer one is being fetched for all others."""
    answer_cache = AnswerCache(Clock())
    answer_cache.keep("q", answer(), fresh=False, repeat=True)

    assert answer_cache.get("q") is None
    assert answer_cache.get("q", repeat=True) is not None


def test_a_failure_without_hits_is_not_kept() -> None:
    """There is nothing to go on with, so the next request asks again."""
    answer_cache = AnswerCache(Clock())
    answer_cache.keep("q", answer(0, complete=False), repeat=True)

    assert answer_cache.get("q", repeat=True) is None


def test_what_is_kept_for_repeats_is_bounded_with_the_rest() -> None:
    """Both count in the same bounds."""
    answer_cache = AnswerCache(Clock())
    answer_cache.keep("whole", answer(MOST_HITS // 2))
    answer_cache.keep("lacks", answer(MOST_HITS // 2, complete=False), repeat=True)
    answer_cache.keep("lacks too", answer(1, complete=False), repeat=True)

    assert answer_cache.get("whole") is None
    assert answer_cache.get("lacks", repeat=True) is not None


def test_without_a_cache_folder_only_repeats_are_answered_again() -> None:
    """Every other search asks its sources, whatever a repeat has left."""
    answer_cache = AnswerCache(Clock(), repeats_only=True)
    answer_cache.keep("q", answer(), repeat=True)
    answer_cache.keep("other", answer())

    assert answer_cache.get("q") is None
    assert answer_cache.get("q", repeat=True) is not None
    assert answer_cache.get("other", repeat=True) is None
