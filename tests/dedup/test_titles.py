"""Where a title is taken apart into words and parts."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib import normalise
from metasearch.dedup.titles import title_words

#: The marks that end a part, one kind after the other.
MARKS = re.compile(
    r"[:：;；()（）\[\]【】\u2014\u2500\u2501。？！]|[.?!] | [-\u2010-\u2013\u2015/=] "
    r"|--|<ORIGINAL>"
)
TITLES = st.lists(
    st.sampled_from(
        [*"aB1 .?!-=/:;(]<>", " - ", ". ", "--", "—", "–", "‐", "。", "<ORIGINAL>", "ü", "文"]
    )
    | st.characters(),
    max_size=30,
).map("".join)


def by_hand(title: str) -> tuple[tuple[str, ...], frozenset[int]]:
    parts = [found for part in MARKS.split(title) if (found := normalise.words(part))]
    counts = list(map(len, parts))
    ends = frozenset(sum(counts[: number + 1]) for number in range(len(counts)))
    return tuple(word for part in parts for word in part), ends


@given(TITLES)
def test_a_title_has_a_break_at_each_mark(title: str) -> None:
    """Whatever marks stand beside one another."""
    assert title_words(title, None) == by_hand(title)
