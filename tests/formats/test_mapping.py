"""`record_of`: records of what a program has at hand; what is none is told with the name of the
field."""

from __future__ import annotations

import dataclasses
import datetime as dt
import inspect
import math
from collections.abc import Callable
from typing import Any

import pytest

from metasearch import Author, Record, record_of
from metasearch.bib.field_limits import LIMITS
from metasearch.dedup import DEFAULT, OnlineDedup
from metasearch.errors import UsageError
from tests.cases import each
from tests.growth import MOST, growth


class NaTType:
    """As pandas has it for a date that is not there."""


class Int64:
    """A number of numpy's, as far as it matters here."""

    __module__ = "numpy"
    ndim = 0

    def __init__(self, value: int) -> None:
        self.value = value

    def item(self) -> int:
        """As Python's."""
        return self.value


def test_it_takes_every_field_of_a_record() -> None:
    """No field of `Record` is missing, and none is there that it does not have."""
    assert list(inspect.signature(record_of).parameters) == [
        it.name for it in dataclasses.fields(Record)
    ]


def test_its_docstring_explains_every_field() -> None:
    """With its forms and units, so that an editor shows them."""
    text = inspect.getdoc(record_of) or ""

    assert [it.name for it in dataclasses.fields(Record) if f"\n    {it.name}: " not in text] == []


@each(
    ("field", "given", "kept"),
    [
        ("doi", "https://doi.org/10.1000/ABC", "10.1000/abc"),
        ("doi", "doi:10.1000/abc.", "10.1000/abc"),
        ("doi", " 10.1000/abc ", "10.1000/abc"),
        ("year", "2019", 2019),
        ("year", 2019.0, 2019),
        ("year", "c2019.", 2019),
        ("year", Int64(2019), 2019),
        ("date", dt.date(2020, 3, 5), "2020-03-05"),
        ("date", dt.datetime(2020, 3, 5, 12, tzinfo=dt.UTC), "2020-03-05"),
        ("date", "2020/3/5", "2020-03-05"),
        ("pages", "123\u2013128", "123-128"),
        ("pages", 17, "17"),
        ("volume", "Vol. 12", "12"),
        ("volume", 12.0, "12"),
        ("title", "Salt <i>marshes</i> &amp; tides", "Salt marshes & tides"),
        ("type", "journalArticle", "article"),
        ("type", "preprint", "preprint"),
        ("language", "eng", "en"),
        ("open_access", True, "open"),
        ("open_access", "Gold", "gold"),
        ("retracted", "yes", True),
        ("retracted", False, None),
        ("citations", "12", 12),
        ("isbn", "978-3-16-148410-0", ("9783161484100",)),
        ("isbn", ["3-16-148410-X", None], ("9783161484100",)),
        ("issn", "1234-5679; 2049-3630", ("1234-5679", "2049-3630")),
        ("keywords", "salt; marsh;;", ("salt", "marsh")),
        ("keywords", ["salt; marsh", math.nan], ("salt; marsh",)),
        (
            "ids",
            {"PMID": 31295471.0, "pmcid": None, "local": "x1"},
            {"pmid": "31295471", "local": "x1"},
        ),
        ("url", "https://example.org/a b", "https://example.org/a%20b"),
        ("source_id", 7, "7"),
    ],
)
def test_forms(field: str, given: Any, kept: Any) -> None:
    """Whatever form a value has, the record has the one that records have."""
    assert getattr(record_of(**{field: given}), field) == kept


ADA, KEN = Author("Ada Byron", "Byron", "Ada"), Author("Ken Tanaka", "Tanaka", "Ken")


@each(
    ("given", "kept"),
    [
        ("Byron, Ada", (ADA,)),
        ("Byron, Ada; Tanaka, Ken", (ADA, KEN)),
        (["Byron, Ada", "Tanaka, Ken"], (ADA, KEN)),
        (["Byron, Ada; Tanaka, Ken", None, math.nan], (ADA, KEN)),
        ("Ada Byron", (Author("Ada Byron"),)),
        ("Ada Byron and Ken Tanaka", (Author("Ada Byron"), Author("Ken Tanaka"))),
        ("Byron A, Tanaka K", (Author("A Byron", "Byron", "A"), Author("K Tanaka", "Tanaka", "K"))),
        (ADA, (ADA,)),
        ([ADA, {"family": "Tanaka", "given": "Ken", "orcid": math.nan}], (ADA, KEN)),
        (["World Health Organization"], (Author("World Health Organization"),)),
        ("王伟；李娜", (Author("王伟"), Author("李娜"))),
        (None, ()),
        (math.nan, ()),
    ],
)
def test_names(given: Any, kept: tuple[Author, ...]) -> None:
    """One text or a list, family name first or last, texts, tables or `Author`s."""
    assert record_of(authors=given).authors == record_of(editors=given).editors == kept


@each("nothing", [None, "", "  ", math.nan, "NA", "N/A", NaTType()])
def test_nothing_is_nothing(nothing: Any) -> None:
    """In every field None, NaN and "" leave the record as if the field had not been named."""
    for field in (it.name for it in dataclasses.fields(Record)):
        given: Any = {"pmid": nothing} if field == "ids" else nothing

        assert record_of(**{field: given}) == Record(source="mine"), field


@each(
    ("field", "wrong"),
    [
        ("doi", "foo"),
        ("doi", "10.1000/" + "x" * 2_000),
        ("year", "soon"),
        ("year", 20190),
        ("year", math.inf),
        ("date", "soon"),
        ("title", ["a", "list"]),
        ("title", b"bytes"),
        ("title", "x" * (LIMITS["title"].text + 1)),
        ("title", "x" * 100_000),
        ("volume", True),
        ("type", "blob"),
        ("open_access", "perhaps"),
        ("retracted", 7),
        ("citations", -1),
        ("position", "first"),
        ("authors", 5),
        ("authors", [{"first": "Ada"}]),
        ("authors", [{"orcid": "0000-0002-1825-0097"}]),
        ("authors", "x" * 500_000),
        ("editors", ["x" * 2_000]),
        ("ids", "31295471"),
        ("ids", {"pmid": "none"}),
        ("keywords", ["x"] * 20_000),
        ("isbn", [["9783161484100"]]),
        ("url", "javascript:alert(1)"),
    ],
)
def test_what_cannot_be_is_told(field: str, wrong: Any) -> None:
    """As a usage error that names the field; nothing is cut or left out in silence."""
    with pytest.raises(UsageError) as caught:
        record_of(**{field: wrong})

    assert str(caught.value).startswith(field)
    assert len(str(caught.value)) < 600


def test_the_year_of_a_date() -> None:
    """As in specs: a date says the year, too."""
    assert record_of(date="2020-03").year == 2020


def test_rows_of_a_table_are_deduplicated() -> None:
    """What a newcomer does: rows with gaps, each a record, and the same work is one hit."""
    rows = [
        {
            "title": "On the origin of species",
            "year": "1859",
            "doi": "https://doi.org/10.5962/BHL.TITLE.68064",
        },
        {
            "title": "On the Origin of Species.",
            "year": 1859.0,
            "doi": "10.5962/bhl.title.68064",
            "volume": math.nan,
        },
        {"title": "Something else", "year": None, "doi": None, "authors": "Byron, Ada"},
    ]
    dedup = OnlineDedup(DEFAULT)

    for number, row in enumerate(rows, 1):
        dedup.add(record_of(position=number, **row))  # type: ignore[arg-type]

    assert [len(hit.records) for hit in dedup.hits()] == [2, 1]


@pytest.mark.slow
def test_time_is_linear() -> None:
    """Four times as many names, keywords and characters take about four times as long."""

    def mapping(size: int) -> Callable[[], object]:
        names, text = ["Byron, Ada"] * (size // 10), "x; " * size
        return lambda: record_of(
            authors=names, keywords=names, abstract=text[:40_000], editors=";".join(names[:1_000])
        )

    assert growth(mapping, 3_000) <= MOST
