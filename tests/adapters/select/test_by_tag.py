"""The attempts that a MARC record needs, by its tags."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from metasearch.adapters.parse.parse import read_fields
from metasearch.adapters.select.marc import ByTag
from metasearch.adapters.spec import Attempt
from metasearch.adapters.specs.registry import Registry
from metasearch.bib.field_limits import Cuts
from metasearch.bib.marc import MarcRecord
from metasearch.settings import Settings

SOURCES = {"library": {"extends": "sru", "url": "http://127.0.0.1/sru"}}
MARC = [
    late.shape()
    for late in Registry(Settings(sources=SOURCES)).spec("library").shapes
    if late.body == "marcxml"
]
#: Tags that both formats know, and others.
TAGS = sorted(
    {tag for shape in MARC for attempt in shape.attempts for tag in attempt.needs or ()}
    | {"999", "035", "010", "LDR"}
)


def attempt(name: str, *needs: str) -> Attempt:
    return Attempt(name, None, needs or None, lambda _: None, None, lambda _: None)


def names(attempts: list[Attempt]) -> list[str]:
    return [each.field for each in attempts]


def test_attempts_are_those_of_the_tags_that_are_there_in_order() -> None:
    """One that needs no tag is always made, and one that needs several where any is there."""
    table = ByTag(
        [attempt("title", "245"), attempt("type"), attempt("authors", "100", "700")],
        [attempt("lccn", "010"), attempt("doi", "024")],
    )

    assert [names(found) for found in table.of(["700", "999", "010", "245"])] == [
        ["title", "type", "authors"],
        ["lccn"],
    ]
    assert [names(found) for found in table.of([])] == [["type"], []]


@given(
    tags=st.lists(st.sampled_from(TAGS), max_size=25),
    texts=st.lists(st.sampled_from(["Jazz /", "2004", "doi", "10.1000/x", "Doe, J."]), min_size=1),
    codes=st.text("abcgtux2", min_size=1, max_size=3),
)
def test_what_the_others_would_find_is_nothing(
    tags: list[str], texts: list[str], codes: str
) -> None:
    """All attempts together give the same values as those that the tags call for."""
    root = etree.Element("record")
    for number, tag in enumerate(tags):
        kind = "controlfield" if tag < "010" else "datafield"
        field = etree.SubElement(root, kind, tag=tag)
        field.text = texts[number % len(texts)]
        for code in codes if tag >= "010" else "":
            etree.SubElement(field, "subfield", code=code).text = texts[number % len(texts)]
    record = MarcRecord(root)
    for shape in MARC:
        assert shape.by_tag is not None
        for fewer, every in zip(
            shape.by_tag(record.there), (shape.attempts, shape.id_attempts), strict=True
        ):
            assert read_fields(fewer, record, record.there, Cuts()) == read_fields(
                every, record, record.there, Cuts()
            )
