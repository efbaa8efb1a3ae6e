"""The words of a query, counted in a record."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from metasearch.engine.scores import MOST_PAIRS, QueryWords
from metasearch.query.tree import Term
from metasearch.record import Record

_ASKED = ["alpha", "beta", "delta", "gamma", "omega"]
_texts = st.lists(st.sampled_from([*_ASKED, "alphas", "betas", "other"]), max_size=12)


def pairs(asked: list[str], *texts: list[str]) -> int:
    """Neighbours of the query that stand together in one of the texts, found word by word."""
    wanted = set(pairwise(asked))
    found = {
        (before.removesuffix("s"), after.removesuffix("s"))
        for text in texts
        for before, after in pairwise(text)
    }
    return min(len(wanted & found), MOST_PAIRS)


@given(st.permutations(_ASKED), _texts, _texts)
def test_neighbours_are_counted_once(
    asked: list[str], title: list[str], abstract: list[str]
) -> None:
    """A pair that stands in the title and in the abstract is one; there are at most MOST_PAIRS."""
    record = Record(source="a", title=" ".join(title), abstract=" ".join(abstract) or None)

    counts = QueryWords(Term(" ".join(asked))).count(record)

    assert counts.pairs == pairs(asked, title, abstract)
