"""How near meanings are: a scale over the hits, whatever their order; the model where it is
installed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.engine import rank
from metasearch.engine.rank import MEANING_PART, Ranking
from metasearch.errors import UsageError
from metasearch.extras import how_to_install
from metasearch.query import parse
from metasearch.query.tree import Query, Term
from metasearch.record import Hit
from tests.cases import each
from tests.engine.hits import hits, single

installed = pytest.mark.skipif(
    any(find_spec(name) is None for name in rank.PACKAGES),
    reason="needs the extra rerank",
)


class Vowels:
    """A model for tests: the meaning of a text is how often it has each vowel."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, texts: Sequence[str]) -> Any:
        self.texts += texts
        rows = np.array([[text.count(vowel) for vowel in "aeiou"] for text in texts], np.float32)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def test_from_the_farthest_to_the_nearest() -> None:
    """The nearest hit is at 1, the farthest at 0, the others between them."""
    same, near, far = single(1, title="aaa"), single(2, title="aae"), single(3, title="uuu")

    assert rank.nearness(Term("a"), [far, same, near], Vowels()) == {
        same.id: 1.0,
        near.id: pytest.approx(2 / 5**0.5, abs=1e-5),
        far.id: 0.0,
    }


@given(drawn=hits(), chance=st.randoms(use_true_random=False))
def test_the_order_of_hits_has_no_effect(drawn: list[Hit], chance: Any) -> None:
    """And everything is from 0 to 1."""
    shuffled = chance.sample(drawn, len(drawn))
    near = rank.nearness(Term("iron lakes"), drawn, Vowels())

    assert near == rank.nearness(Term("iron lakes"), shuffled, Vowels())
    assert all(0 <= value <= 1 for value in near.values())


@each(
    ("query", "read"),
    [
        (parse("author:berg"), []),
        (parse("isbn:1"), []),
        (parse("NOT iron lakes author:berg title:bird"), ["lakes bird"]),
    ],
)
def test_only_words_have_a_meaning(query: Query, read: list[str]) -> None:
    """Names and numbers have none; what stands under a NOT is not read."""
    model = Vowels()
    rank.nearness(query, [single(1, title="A")], model)

    assert model.texts[:1] == read


def test_equally_near() -> None:
    """Where all hits are equally near, no hit scores for it."""
    assert rank.nearness(Term("a"), [single(1, title="A"), single(2, title="A")], Vowels()) == {}


def test_what_is_read_is_bounded() -> None:
    """A hostile record costs no more than another."""
    model = Vowels()
    rank.nearness(Term("a" * 10**6), [single(1, title="a" * 10**6, abstract="e" * 10**6)], model)

    most = rank.MOST_TITLE + rank.MOST_ABSTRACT + 1
    assert [len(text) for text in model.texts] == [rank.MOST_QUERY, most]


def test_it_is_a_reason() -> None:
    """The share of a meaning is explained, and adds up to the score with the others."""
    near, middle, far = (single(n, title=f"Iron {n}") for n in (3, 2, 1))
    ranking = Ranking(Term("iron"))
    plain = {hit.id: hit.score for hit in ranking.rank([near, middle, far])}
    ranking.add_nearness({near.id: 1.0, middle.id: 0.25, far.id: 0.0})

    first, second, third = ranking.rank([near, middle, far])

    assert [first.id, second.id, third.id] == [near.id, middle.id, far.id]
    assert first.reasons[-1].text == "its meaning is near the query, nearest of all"
    assert second.reasons[-1].text == "its meaning is near the query (25% of the nearest)"
    assert first.reasons[-1].points == pytest.approx(MEANING_PART * (1 / 8) ** 0.5 / 6, abs=1e-8)
    assert first.score == pytest.approx(sum(reason.points for reason in first.reasons))
    assert third.score == plain[far.id]


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs the extra."""
    monkeypatch.setattr(rank, "is_installed", lambda _: False)

    with pytest.raises(UsageError, match="not installed: wordllama, safetensors, tok") as caught:
        rank.check()
    assert caught.value.advice == how_to_install("rerank")


def test_another_package_of_that_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A release whose files have moved is refused before a source is asked."""
    (tmp_path / "wordllama").mkdir()
    (tmp_path / "wordllama" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "wordllama", raising=False)
    monkeypatch.setattr(rank, "PACKAGES", ("wordllama",))

    with pytest.raises(UsageError, match="rerank needs another release of wordllama"):
        rank.check()


@installed
def test_the_model() -> None:
    """Two texts that share no word are near where they mean the same; odd texts are no error, and
    the code of the package is not imported.
    """
    rank.check()
    meant = single(1, title="Myocardial infarction and its prevention")
    other = single(2, title="Soil erosion on slopes")
    odd = single(3, title="\ud800 \x00")

    near = rank.nearness(Term("heart attack"), [other, odd, meant])

    assert near[meant.id] == 1
    assert near[other.id] < 0.5
    assert "wordllama" not in sys.modules
