"""Searches with `rerank`: in a thread, before hits get their places, and never late for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from metasearch.adapters.request import Request
from metasearch.engine import rank
from metasearch.errors import UsageError
from metasearch.events import Answer
from metasearch.formats.answer import answer_object
from metasearch.formats.events import event_object, fold
from tests.answers import untimed
from tests.engine.test_engine import SOIL, engine, events_of, item, works


class Model:
    """A model for tests: what is about birds is near, whatever was asked."""

    def __init__(self) -> None:
        self.threads: list[str] = []
        self.seconds = 0.0
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def __call__(self, texts: Sequence[str]) -> Any:
        self.threads.append(threading.current_thread().name)
        time.sleep(self.seconds)
        self.may_go_on.wait(60)
        birds = [0.0, *(float("bird" in text.lower()) for text in texts[1:])]
        return np.array([[1.0 + bird, bird] for bird in birds], np.float32)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    made = Model()
    monkeypatch.setattr(rank, "check", lambda: None)
    monkeypatch.setattr(rank, "_wordllama", lambda: made)
    return made


def titles(answer: Answer) -> list[str]:
    return [hit.record.title for hit in answer.hits]


async def test_the_nearest_meaning_comes_first(model: Model) -> None:
    """Computed in a thread, once, and explained; without the option nothing is compared."""
    plain = await engine(SOIL)[0].search("soil carbon")
    assert model.threads == []
    answer = await engine(SOIL)[0].search("soil carbon", rerank=True)

    assert titles(plain)[0] != "Salt marsh birds"
    assert titles(answer)[0] == "Salt marsh birds"
    assert sorted(titles(answer)) == sorted(titles(plain))
    assert answer.hits[0].reasons[-1].text == "its meaning is near the query, nearest of all"
    assert len(model.threads) == 1
    assert threading.main_thread().name not in model.threads
    assert answer.notes == ()


@pytest.mark.parametrize("turns", [{}, {"alpha": 5}, {"beta": 3, "gamma": 1}])
async def test_the_stream_folds_to_the_answer(model: Model, turns: dict[str, int]) -> None:
    """Whichever source answers first: the last order of the stream is that of the answer."""
    answer = answer_object(await engine(SOIL)[0].search("soil carbon", rerank=True))
    events = await events_of(engine(SOIL, turns)[0], rerank=True)

    assert untimed(fold(event_object(event) for event in events)) == untimed(answer)


def rounds(request: Request) -> bytes:
    """Forty works of a source, twenty at once; every fifth is about birds."""
    begin, count = (int(dict(request.params)[name]) for name in ("offset", "rows"))
    rows = range(begin, min(begin + count, 40))
    return works(*(item(f"{'Bird' if n % 5 == 4 else 'Soil'} number {n}") for n in rows), total=40)


async def test_pages_follow_one_another(model: Model) -> None:
    """Each round is compared before its hits get places, so a later page moves no hit."""
    made, _ = engine({"alpha": rounds})
    pages = [
        titles(await made.search("number", rerank=True, start=start, limit=10))
        for start in (0, 10, 20, 30)
    ]

    assert len({title for page in pages for title in page}) == 40
    assert [title[:4] for title in pages[0]] == ["Bird"] * 4 + ["Soil"] * 6
    assert [title[:4] for title in pages[2]] == ["Bird"] * 4 + ["Soil"] * 6


async def test_other_orders_need_no_meaning(model: Model) -> None:
    """Where the list is not sorted by relevance, nothing is compared."""
    await engine(SOIL)[0].search("soil carbon", rerank=True, sort="date")

    assert model.threads == []


@pytest.mark.slow
async def test_a_slow_model_is_not_waited_for(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the deadline the list is as it is without it, and the answer has a note of that."""
    model.seconds = 5.0
    plain = await engine(SOIL)[0].search("soil carbon")
    answer = await engine(SOIL)[0].search("soil carbon", rerank=True, timeout=1.0)

    assert answer.complete
    assert titles(answer) == titles(plain)
    assert answer.notes == ("rerank: not done, because the time of the search was over",)
    assert answer.seconds < 4.9


@pytest.mark.slow
async def test_the_end_of_a_wait_needs_no_model(model: Model) -> None:
    """A caller whose wait is over gets the list as it is, which is not whole yet."""
    model.seconds = 4.0
    made, _ = engine(SOIL)
    answer = await made.search("soil carbon", rerank=True, wait=1.0)

    assert len(answer.hits) == 3
    assert (answer.complete, answer.paging.next) == (False, None)


async def test_a_model_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not an answer that looks as if it had been compared."""

    def broken() -> Callable[..., Any]:
        raise UsageError("the vectors cannot be read")

    monkeypatch.setattr(rank, "check", lambda: None)
    monkeypatch.setattr(rank, "_wordllama", broken)

    with pytest.raises(UsageError, match="the vectors cannot be read"):
        await engine(SOIL)[0].search("soil carbon", rerank=True)


async def test_without_the_extra_no_source_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that installs it is in the error."""
    monkeypatch.setattr(rank, "is_installed", lambda _: False)
    made, upstreams = engine(SOIL)

    with pytest.raises(UsageError, match="not installed: wordllama"):
        await made.search("soil carbon", rerank=True)
    assert upstreams.asked == []


async def test_a_growing_page_is_shown_while_meanings_are_compared(model: Model) -> None:
    """It is not finished although all sources are done, and it settles nothing: the filtered list
    is numbered at the end."""
    model.may_go_on.clear()
    made, _ = engine({"alpha": rounds})
    options: dict[str, Any] = {"rerank": True, "filter": "year:2020", "limit": 10, "start": 10}
    kept = []
    async with made:
        search = made.search("number", **options)
        answers = []
        async for answer in search.follow(0.01):
            answers.append(answer)
            kept.append(len(made._position_store))
            if not answer.running:
                model.may_go_on.set()
    whole = await engine({"alpha": rounds})[0].search("number", **options)

    compared = [answer for answer in answers if not answer.running]
    assert not compared[0].complete
    assert kept[answers.index(compared[0])] == 0
    assert compared[-1].complete
    assert search.answer is answers[-1]
    assert titles(answers[-1]) == titles(whole)
