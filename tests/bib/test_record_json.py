"""A record as a collection keeps it is the same record when it comes back."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib.record_json import record_from_json, record_to_json
from metasearch.record import Author, Record
from tests.cases import each

FULL = Record(
    source="x",
    source_id="k",
    position=3,
    url="https://a.example/1",
    pdf_url="https://a.example/1.pdf",
    title="T < U & V",
    subtitle="s",
    original_title="o",
    translated_title="t",
    titles=("a", "b"),
    authors=(
        Author("Jane Doe", "Doe", "Jane", "0000-0002-1825-0097", "A University"),
        Author("WHO", collective=True),
    ),
    editors=(Author("Ed Itor"),),
    year=2020,
    date="2020-03",
    venue="v",
    publisher="p",
    institution="i",
    edition="e",
    volume="1",
    issue="2",
    pages="3-4",
    doi="10.1000/x",
    ids={"pmid": "1"},
    version="v2",
    isbn=("9780306406157",),
    issn=("1234-5678",),
    type="article",
    language="en",
    abstract="a",
    keywords=("k",),
    subjects=("s",),
    citations=0,
    open_access="gold",
    licence="CC BY",
    retracted=True,
)


def test_every_field_comes_back() -> None:
    """Nothing of a record is lost or changed, and what looks like markup is none."""
    assert record_from_json(orjson.loads(record_to_json(FULL)), "x", 3) == FULL


def test_what_is_empty_is_not_kept() -> None:
    assert orjson.loads(record_to_json(Record(source="x", title="T", position=9))) == {"title": "T"}


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    st.builds(
        Record,
        source=st.just("x"),
        title=TEXTS,
        authors=st.lists(st.builds(Author, TEXTS.filter(bool), TEXTS.filter(bool) | st.none())).map(
            tuple
        ),
        doi=TEXTS.filter(bool) | st.none(),
        year=st.integers(1000, 3000) | st.none(),
        ids=st.dictionaries(TEXTS, TEXTS),
        keywords=st.lists(TEXTS).map(tuple),
    )
)
def test_any_record_comes_back(record: Record) -> None:
    if record.title or record.authors or record.doi or record.ids:
        assert (
            record_from_json(orjson.loads(record_to_json(record)), record.source, record.position)
            == record
        )


def test_what_utf8_cannot_say_is_replaced() -> None:
    assert (
        record_from_json(
            orjson.loads(record_to_json(Record(source="x", title="a\ud800b"))), "x", 1
        ).title
        == "a?b"
    )


def test_what_json_cannot_say_is_an_error() -> None:
    with pytest.raises(ValueError):
        record_to_json(Record(source="x", title="t", citations=10**30))


@each(
    "found",
    [
        None,
        [],
        "text",
        {},
        {"title": 1},
        {"title": "T", "year": "2020"},
        {"title": "T", "year": True},
        {"title": "T", "authors": "Jane"},
        {"title": "T", "authors": [{"family": "Doe"}]},
        {"title": "T", "authors": [{"name": "Doe", "x": "y"}]},
        {"title": "T", "authors": [{"name": "Doe", "collective": "yes"}]},
        {"title": "T", "isbn": "978"},
        {"title": "T", "ids": ["pmid"]},
        {"title": "T", "ids": {"pmid": 1}},
        {"title": "T", "type": "poem"},
        {"title": "T", "open_access": "black"},
        {"title": "T", "retracted": 1},
        {"title": {"a": "b"}},
    ],
)
def test_what_is_no_record_is_an_error(found: Any) -> None:
    """A collection may come from anywhere."""
    with pytest.raises(ValueError):
        record_from_json(found, "x", 1)


def test_no_link_but_a_web_address() -> None:
    """What could run in a browser does not become a link."""
    assert record_from_json({"title": "T", "url": "javascript:alert(1)"}, "x", 1).url is None
