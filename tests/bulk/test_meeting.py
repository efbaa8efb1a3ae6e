"""Every matcher speaks only of pairs that it brings together: of others it would be asked by
chance."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metasearch.dedup import DEFAULT, STRATEGIES, Fingerprint
from metasearch.dedup.matchers import Matcher, NeighbourMatcher
from metasearch.record import Record
from tests.bulk.near_twins import near_twins, prints_of
from tests.dedup.records import ABSTRACTS, ARTICLE, record, records

MATCHERS = tuple(
    {
        it.name: it
        for chain in (DEFAULT, *(one.chain for one in STRATEGIES.values()))
        for it in chain.matchers
    }.values()
)


#: The year is in the keys of a text, and was not asked of it.
OF_TWO_YEARS = [
    record(
        "a",
        1,
        title="Sorption of phosphate: a column study",
        authors=["Berg, A"],
        year=2010,
        abstract=ABSTRACTS[0],
    ),
    record(
        "a", 2, title="Sorption of phosphate", authors=["Berg, A"], year=2011, abstract=ABSTRACTS[0]
    ),
]
#: Two that stand in one place, of which no venue is known.
IN_ONE_PLACE = [
    record(
        "a", n, title="Editorial", year=2011, volume="12", issue="3", pages="101-115", authors=names
    )
    for n, names in ((1, ["Berg, A", "Okafor, C"]), (2, ["Okafor, C", "Berg, A"]))
]


@st.composite
def damaged(draw: st.DrawFn) -> list[Record]:
    """An article or an editorial, of which each record lacks something or has it misspelt."""
    title = draw(
        st.sampled_from([str(ARTICLE["title"]), "Editorial", "Mud", "Peat bogs in spring"])
    )
    whole = {
        **ARTICLE,
        "isbn": ("9780198526636",),
        "title": title,
        "abstract": ABSTRACTS[0],
        "publisher": "Shore",
    }
    rows = []
    for number in range(draw(st.integers(2, 4))):
        values = {
            name: value
            for name, value in whole.items()
            if name == "title" or draw(st.integers(0, 3))
        }
        if draw(st.booleans()):
            place = draw(st.integers(0, len(title) - 1))
            values["title"] = (
                title[:place]
                + draw(st.sampled_from(["", "x", " ", ": ", title[place] * 2]))
                + title[place:]
            )
        if "year" in values:
            values["year"] += draw(st.sampled_from([0, 0, 1, 2]))
        if "authors" in values and draw(st.booleans()):
            values["authors"] = values["authors"][::-1]
        rows.append(record("ab"[number % 2], number, **values))
    return rows


def met(matcher: Matcher, a: Fingerprint, b: Fingerprint) -> bool:
    """Whether a key brings the two together, or one of them finds the other in the matcher's own
    index."""
    if not set(matcher.keys(a)).isdisjoint(matcher.keys(b)):
        return True
    return isinstance(matcher, NeighbourMatcher) and (
        _finds(matcher, a, b) or _finds(matcher, b, a)
    )


def _finds(matcher: NeighbourMatcher, there: Fingerprint, coming: Fingerprint) -> bool:
    neighbours = matcher.neighbours()
    neighbours.add(0, there)
    return 0 in set(neighbours.near(coming))


def check(matcher: Matcher, prints: list[Fingerprint]) -> None:
    for a, b in combinations(prints, 2):
        match = matcher.compare(a, b)
        if match is not None and match.verdict != "different":
            assert met(matcher, a, b), (match, a.record, b.record)


@pytest.mark.parametrize("matcher", MATCHERS, ids=lambda it: it.name)
@example(rows=OF_TWO_YEARS)
@example(rows=IN_ONE_PLACE)
@given(rows=records(most=6) | damaged())
def test_every_verdict_has_a_key_or_a_neighbour(matcher: Matcher, rows: list[Record]) -> None:
    """What joins two records of which one finds the other."""
    check(matcher, prints_of(rows))


@pytest.mark.parametrize("matcher", MATCHERS, ids=lambda it: it.name)
@given(seed=st.integers(0, 10_000))
def test_edited_copies_too(matcher: Matcher, seed: int) -> None:
    """The same of texts that were cut, swapped and lengthened."""
    check(matcher, prints_of(near_twins(seed, works=2, copies=3, size=3)))
