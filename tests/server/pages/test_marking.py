"""The words of a query in titles."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from metasearch.query import read
from metasearch.server.pages.hit import Marker
from tests.cases import each
from tests.examples import examples


def marked(query: str, text: str) -> list[str]:
    """The marked parts."""
    return [part for part, is_marked in Marker(read(query).query).parts(text) if is_marked]


@each(
    ("query", "title", "expected"),
    [
        ("gene drive", "Gene drives in island mice", ["Gene drives"]),
        ("mice gene", "Gene drives in island mice", ["Gene", "mice"]),
        ("drives", "The drive of a gene", ["drive"]),
        ("gen", "Gene drives", []),
        ("gen*", "Gene drives of generations", ["Gene", "generations"]),
        ("mice NOT island", "Mice on an island", ["Mice"]),
        ("title:mice OR author:gene", "Gene drives in mice", ["mice"]),
        ('"gene drive"', "Drives of a gene", ["Drives", "gene"]),
        ("cafe", "Café society", ["Café"]),
        ("ＧＥＮＥ", "Gene drives", ["Gene"]),
        ("breast-cancer", "Breast cancer; breast-cancer", ["Breast cancer", "breast", "cancer"]),
        ("乳腺癌", "乳腺癌的早期诊断", ["乳腺癌"]),
        ("早期诊断", "乳腺癌的早期诊断", ["早期诊断"]),
        ("腺瘤", "乳腺癌的早期诊断", []),
    ],
)
def test_what_is_marked(query, title, expected):
    """Words with their other forms, their beginnings where these are asked for, pairs of Chinese
    characters; neighbours are one part, and what is excluded is not marked.
    """
    shown = marked(query, title)

    assert shown == expected


@examples(1.0)
@given(st.text(max_size=60), st.sampled_from(["gene drive", "乳腺癌", "ge*", "ß ﬁ", "NOT x OR y"]))
def test_the_parts_are_the_text(text, query):
    """Nothing is lost or changed, and no two neighbours are of one kind."""
    parts = Marker(read(query).query).parts(text)

    assert "".join(part for part, _ in parts) == text
    assert all(part for part, _ in parts)
    assert all(left[1] != right[1] for left, right in itertools.pairwise(parts))


def test_without_a_query_nothing_is_marked():
    """A page whose query could not be read has its titles all the same."""
    assert Marker(None).parts("Gene drives") == [("Gene drives", False)]
    assert Marker(None).parts("") == []


@each("unit", ["gene ", "乳腺癌"])
def test_a_long_title_is_marked_at_its_beginning_only(unit):
    marker = Marker(read("gene* 乳腺癌 " + " ".join(f"w{n}*" for n in range(50))).query)
    long = unit * (200_000 // len(unit))
    parts = marker.parts(long)

    assert "".join(part for part, _ in parts) == long
    assert sum(len(part) for part, is_marked in parts if is_marked) <= 2_000
