"""Fields have limits: what is longer is cut or left out, and told, wherever a record comes from."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest

from metasearch.adapters.parse.parse import PageContent, parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.specfile import build
from metasearch.bib.converters import PLURAL_FIELDS
from metasearch.bib.field_limits import (
    LARGEST_NUMBER,
    LIMITS,
    MOST_FOUND,
    Cuts,
    cut_fields,
    cut_value,
)
from metasearch.formats.reading import read_bytes
from metasearch.record import PEOPLE, Record
from metasearch.settings import Settings
from tests.cases import each

TITLE = LIMITS["title"].text
SPEC = build(
    {
        "name": "made",
        "request": {"url": "https://api.example.org/", "params": {"q": "{any}"}},
        "paging": {"kind": "none", "size": 10},
        "parse": {"body": "json", "records": "items"},
        "fields": {
            "title": "title",
            "authors": {
                "each": "authors",
                "family": "family",
                "given": "given",
                "affiliation": "at",
            },
            "doi": "doi",
            "keywords": "keywords",
            "abstract": {"at": "words", "as": "inverted-index"},
            "url": "url",
        },
        "ids": {"own": "id"},
    },
    "made.toml",
)


def page(items: list[dict[str, Any]]) -> PageContent:
    request = Request(source="made", url="https://api.example.org/", size=10, wanted=10)
    return parse(Page(request=request, body=json.dumps({"items": items}).encode()), SPEC)


def test_every_text_of_a_record_has_a_limit() -> None:
    """A field that is added to records, or to specs, cannot be without one."""
    unbounded = {"position", *PEOPLE, "ids"} | {"year", "citations", "retracted"}
    assert {it.name for it in fields(Record)} - unbounded <= LIMITS.keys()
    assert {name for name, limit in LIMITS.items() if limit.items > 1} == PLURAL_FIELDS | {
        "ids",
        "given",
    }


def test_a_page_tells_what_was_cut() -> None:
    """Its records are kept, with as much of each field as fits; the notes say what and how
    often."""
    long = {
        "title": "a" * (TITLE + 1),
        "doi": f"10.1000/{'x' * 3000}",
        "keywords": ["k"] * 2 + ["k" * 1001],
        "id": "1",
    }
    fine = {"title": "b" * TITLE, "doi": "10.1000/1", "keywords": ["k"], "id": "2"}

    parsed = page([long, fine, long])

    assert [len(record.title) for record in parsed.records] == [TITLE, TITLE, TITLE]
    assert [record.doi for record in parsed.records] == [None, "10.1000/1", None]
    assert [tuple(map(len, record.keywords)) for record in parsed.records] == [
        (1, 1000),
        (1,),
        (1, 1000),
    ]
    assert set(parsed.notes) == {
        "2 titles were cut at 4,000 characters",
        "2 DOIs of more than 2,048 characters were left out",
        "2 keywords were cut at 1,000 characters",
    }
    assert not page([fine]).notes


def test_lists_are_cut_and_told() -> None:
    """Authors, keywords and the words of an abstract, each at its own limit."""
    most = LIMITS["authors"].items
    crowd = [{"family": f"Byron{number}", "given": "Ada"} for number in range(most + 5)]
    parsed = page(
        [{"title": "a", "authors": crowd, "keywords": [f"k{number}" for number in range(5_000)]}]
    )

    (record,) = parsed.records
    assert (len(record.authors), len(record.keywords)) == (most, LIMITS["keywords"].items)
    assert record.authors[-1].family == f"Byron{most - 1}"
    assert set(parsed.notes) == {
        "1 list of authors was cut at 20,000 entries",
        "1 list of keywords was cut at 2,000 entries",
    }
    abstract = page([{"title": "a", "words": {"word": list(range(100_000))}}])
    assert len(abstract.records[0].abstract or "") <= LIMITS["abstract"].text
    assert abstract.notes == ("1 abstract was cut at 50,000 characters",)


def test_a_large_collaboration_loses_nobody() -> None:
    """The two largest experiments together have 5,154 authors."""
    crowd = [
        {"family": f"Byron{number}", "given": "Ada", "at": "CERN " * 40} for number in range(5_154)
    ]
    parsed = page([{"title": "a", "authors": crowd}])

    assert len(parsed.records[0].authors) == 5_154
    assert parsed.notes == ()


def test_names_and_affiliations_are_cut() -> None:
    """Whichever way a name goes: in parts, in one, or as an object that is none."""
    authors = [
        {"family": "B" * 2_000, "given": "Ada"},
        {"family": "Byron", "given": "Ada", "at": "x" * 2_001},
        "C" * 9_000,
    ]
    parsed = page([{"title": "a", "authors": authors}])

    first, second, third = parsed.records[0].authors
    assert [len(it) for it in (first.name, first.family or "", third.name)] == [1_000, 1_000, 1_000]
    assert len(second.affiliation or "") == 2_000
    assert "2 authors were cut at 1,000 characters" in parsed.notes
    assert "1 affiliation was cut at 2,000 characters" in parsed.notes
    assert "1 value for authors was cut at 4,000 characters before it was read" in parsed.notes


@each(
    "found",
    [
        "a" * 20_000,
        ["a" * 20_000],
        [["a"] * 30_000],
        [{"text": "a" * 20_000}],
        {"text": "a" * 20_000},
    ],
)
def test_no_converter_sees_more(found: Any) -> None:
    """Of whatever form a value is, it is cut before it is converted, and that is told."""
    cuts = Cuts()
    less = cut_value("title", found, cuts)

    assert len(json.dumps(less)) < max(LIMITS["title"].before_conversion, 5 * MOST_FOUND) + 100
    assert cuts.notes() == ("1 value for titles was cut at 16,000 characters before it was read",)


@each("found", ["a" * 16_000, ["a"] * 9_000, [{"text": "a"}], 12, None, True, {"a": [1] * 20_000}])
def test_what_fits_is_not_touched(found: Any) -> None:
    """It is the same object."""
    cuts = Cuts()
    assert cut_value("title", found, cuts) is found
    assert cuts.notes() == ()


def test_numbers_have_a_limit() -> None:
    """A number of thousands of digits is no year; it could not even be written down."""
    cuts = Cuts()
    values = cut_fields({"year": 10**5_000, "citations": LARGEST_NUMBER - 1, "title": "a"}, cuts)

    assert values == {"year": None, "citations": LARGEST_NUMBER - 1, "title": "a"}
    assert cuts.notes() == ("1 number for year was too large and left out",)


def test_the_title_that_took_half_a_minute(slow_marc: bytes) -> None:
    """The MARC record by which a source was stopped for 30 s: it is cut, and its page tells."""
    registry = Registry(
        Settings(sources={"library": {"extends": "sru", "url": "http://127.0.0.1/sru"}})
    )
    request = Request(source="library", url="http://127.0.0.1/sru", size=10, wanted=10)

    parsed = parse(Page(request=request, body=slow_marc), registry.spec("library"))

    assert len(parsed.records[0].title) <= TITLE
    assert any("cut" in note for note in parsed.notes)


@pytest.fixture
def slow_marc() -> bytes:
    title = "/" * 60_000 + "a/"
    return (
        "<searchRetrieveResponse "
        'xmlns="http://www.loc.gov/zing/srw/"><numberOfRecords>1</numberOfRecords><records><record>'
        '<recordData><record xmlns="http://www.loc.gov/MARC21/slim"><leader>00000nam a2200000 i '
        "4500</leader>"
        '<controlfield tag="001">1</controlfield><datafield tag="245" ind1="1" ind2="0">'
        f'<subfield code="a">Title '
        f"{title}</subfield></datafield></record></recordData></record></records>"
        "</searchRetrieveResponse>"
    ).encode()


LONG = "word " * 2_000
FILES = {
    "ris": f"TY  - JOUR\nTI  - {LONG}\nER  - \n",
    "bibtex": f"@article{{a, title = {{{LONG}}}}}\n",
    "csv": f'Title,DOI\n"{LONG}",10.1000/1\n',
    "csl-json": json.dumps([{"id": "1", "type": "book", "title": LONG}]),
    "ndjson": json.dumps({"source": "a", "source_id": "1", "position": 1, "title": LONG}),
    "endnote-xml": f"<xml><records><record><rec-number>1</rec-number>"
    f"<titles><title>{LONG}</title></titles></record>"
    "</records></xml>",
    "marcxml": '<collection><record><leader>00000nam a2200000 i 4500</leader><datafield tag="245" '
    'ind1="1" ind2="0">'
    f'<subfield code="a">{LONG}</subfield></datafield></record></collection>',
}


@each("form", FILES)
def test_files_tell_what_was_cut(form: str) -> None:
    """Every reader of files has the same limits, and tells the line."""
    reading = read_bytes(FILES[form].encode(), "a.txt", format=form)

    assert [len(record.title) for record in reading.records] == [TITLE - 1]
    told = [
        problem
        for problem in reading.problems
        if problem.message == "1 title was cut at 4,000 characters"
    ]
    assert len(told) == 1
    assert reading.lost == 0
