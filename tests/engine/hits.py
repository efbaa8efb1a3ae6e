"""Hits for tests of lists: short to write, and drawn by hypothesis."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from metasearch.dedup.fingerprints import fingerprint
from metasearch.dedup.hits import merge
from metasearch.record import OPEN_ACCESS, Author, Hit, Record
from tests.dedup.records import record


def hit(*rows: Record) -> Hit:
    """The hit of these records."""
    return merge([(row.key, row, fingerprint(row)) for row in rows])


def single(number: int, source: str = "a", **values: Any) -> Hit:
    """The hit of one record."""
    return hit(record(source, number, **values))


@st.composite
def hits(draw: st.DrawFn) -> list[Hit]:
    """Up to twelve works, each in one to five of seven sources, with the fields that facets and
    sorts read.
    """
    works = []
    for number in range(draw(st.integers(0, 12))):
        sources = draw(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=5, unique=True))
        values: dict[str, Any] = {
            "title": draw(
                st.sampled_from(["Lakes", "The lakes of iron", "Iron", "湖泊 水质", "A"])
            ),
            "abstract": draw(st.sampled_from([None, "Iron lakes and rivers.", "水质"])),
            "year": draw(st.sampled_from([None, 1999, 2020, 2021])),
            "type": draw(st.sampled_from([None, "article", "book"])),
            "language": draw(st.sampled_from([None, "en", "eng", "zh"])),
            "venue": draw(st.sampled_from([None, "Nature", "NATURE", "The Lancet"])),
            "open_access": draw(st.sampled_from([None, *OPEN_ACCESS])),
            "citations": draw(st.sampled_from([None, 0, 3, 40])),
            "keywords": tuple(
                draw(st.lists(st.sampled_from(["Iron", "iron", "Lakes"]), max_size=2))
            ),
            "retracted": draw(st.sampled_from([None, True])),
        }
        authors = draw(
            st.lists(
                st.sampled_from(
                    [
                        Author("Ann Berg", "Berg", "Ann"),
                        Author("A. Berg", "Berg", "A."),
                        Author("WHO"),
                    ]
                ),
                max_size=2,
            )
        )
        merged = hit(
            *(
                Record(
                    source=source,
                    source_id=str(number),
                    position=draw(st.integers(1, 120)),
                    authors=tuple(authors),
                    **values,
                )
                for source in sources
            )
        )
        # No two hits of a list have one id.
        works.append(replace(merged, id=f"work{number}"))
    return works
