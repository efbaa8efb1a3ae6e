"""A record that says all that a record can say, written and read in each format: what is lost is
what the table has, no more and no less."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from metasearch.events import Added
from metasearch.formats import READABLE, WRITABLE, write
from metasearch.formats.events import ndjson
from metasearch.formats.reading import read_bytes
from metasearch.record import Author, Record
from tests.cases import each
from tests.formats import losses
from tests.formats.exported import hits_of
from tests.formats.samples import answer

#: Of a thesis, `institution` is the university.
THESIS = Record(
    source="crossref",
    source_id="1",
    position=1,
    url="https://example.org/w?a=1&b=2",
    title="Toward unique identifiers",
    subtitle="a survey",
    original_title="统一标识",
    translated_title="Vers des identifiants",
    titles=("A third one",),
    authors=(
        Author("Norman Paskin", "Paskin", "Norman", "0000-0002-1825-0097", "DOI Foundation"),
        Author("World Health Organization", collective=True),
        Author("王小明"),
        Author("Ann Roe Jr.", "Roe", "Ann", suffix="Jr."),
    ),
    editors=(Author("Ann Müller", "Müller", "Ann"),),
    year=1999,
    date="1999-07-15",
    venue="Studies of X",
    publisher="University Press",
    place="Cambridge, Mass.",
    translators=(Author("Jo Falk", "Falk", "Jo"),),
    institution="MIT",
    edition="2nd",
    volume="87",
    issue="7",
    pages="1208-1227",
    doi="10.1109/5.771073",
    ids={"openalex": "W2147152072", "arxiv": "9907.00001", "pmid": "12345", "pmcid": "PMC7654"},
    version="v2",
    isbn=("9783161484100",),
    issn=("0018-9219", "2049-3630"),
    type="thesis",
    language="en",
    abstract="Names for things.",
    keywords=("identifiers", "DOI"),
    subjects=("Computer science",),
    citations=40,
    open_access="gold",
    licence="https://creativecommons.org/licenses/by/4.0/",
    retracted=True,
    pdf_url="https://example.org/w.pdf",
    funders=("National Science Foundation", "Research & Council"),
    notices=("retraction 2020-06-04 10.1002/(sici)1097-0258(1998)17:3<1::aid-1>3.0.co;2-2",),
)
#: What every format keeps, as the record has it.
KEPT = (
    "editors translators place year date venue edition volume issue pages doi ids isbn issn type "
    "language abstract url".split()
)


def back(name: str, record: Record) -> Record:
    """What our reader makes of what our writer wrote of it."""
    hits = hits_of([record])
    if name == "ndjson":
        data = b"".join(ndjson(Added(hit)) for hit in hits)
    else:
        data = write(name, answer(*hits))
    (read,) = read_bytes(data, f"a.{WRITABLE[name].extension}").records
    return read


def said(record: Record) -> dict[str, Any]:
    """What may be lost, by the names of the table."""
    others = (record.original_title, record.translated_title, *record.titles)
    titles = [title for title in others if title]
    whole = {
        "subtitle": record.subtitle,
        "title_languages": (record.original_title, record.translated_title),
        "titles": "A third one" in titles,
        "orcid": [author.orcid for author in record.authors],
        "collective": [author.collective for author in record.authors],
        "affiliation": [author.affiliation for author in record.authors],
        "institution": (record.institution, record.publisher),
        "subjects": (record.keywords, record.subjects),
    }
    return whole | {
        name: getattr(record, name)
        for name in (
            "version licence retracted citations open_access pdf_url funders notices".split()
        )
    }


ROUND = [name for name in WRITABLE if name in READABLE or name == "json"]


def test_the_table_has_every_format_that_is_written_and_read() -> None:
    assert sorted(losses.LOST) == sorted(ROUND)


@each("name", ROUND)
def test_only_that_is_lost_which_the_table_has(name: str) -> None:
    """Where less is lost than the table has, the table is to be corrected, and then the page."""
    read = back(name, THESIS)
    want, got = said(THESIS), said(read)

    assert {field for field in want if got[field] != want[field]} == losses.LOST[name]
    assert [(a.family, a.given, a.suffix, a.name) for a in read.authors] == [
        (a.family, a.given, a.suffix, a.name) for a in THESIS.authors
    ]
    for field in KEPT:
        assert getattr(read, field) == getattr(THESIS, field), field


@each("name", ROUND)
def test_no_word_is_lost(name: str) -> None:
    """A subtitle and a subject heading are there, if in another field."""
    read = back(name, THESIS)

    assert f"{read.title}: {read.subtitle or ''}".rstrip(": ").endswith("a survey")
    assert {*read.keywords, *read.subjects} == {"identifiers", "DOI", "Computer science"}
    assert "MIT" in (read.publisher, read.institution)


@each("name", ROUND)
def test_a_work_that_was_not_retracted(name: str) -> None:
    assert not back(name, replace(THESIS, retracted=None)).retracted


def test_the_page_has_the_table() -> None:
    """After a change of the table, run `python -m tests.formats.losses`."""
    assert losses.page() == losses.PAGE.read_text(encoding="utf-8")
