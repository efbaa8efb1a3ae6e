"""MARCXML: collections, saved answers of SRU servers, MARC 21 and UNIMARC, by the field rules of
the catalogues."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from metasearch.adapters.parse.parse import parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.formats.marc import looks_like
from metasearch.formats.reading import read_bytes
from metasearch.record import Author, Record
from metasearch.settings import Settings
from tests.formats.reading.samples import read, told
from tests.formats.reading.structured import ENDNOTE_XML, MARCXML


def field(tag: str, *subfields: str) -> str:
    inner = "".join(f'<subfield code="{it[0]}">{it[1:]}</subfield>' for it in subfields)
    return f'<datafield tag="{tag}" ind1="1" ind2=" ">{inner}</datafield>'


def marc(*fields: str) -> str:
    return f"<record><leader>00000nam a2200000 i 4500</leader>{''.join(fields)}</record>\n"


def test_a_whole_file() -> None:
    """Prefixed elements, lines, and a record with what SRU catalogues give."""
    reading = read(MARCXML)

    assert not reading.problems
    assert [it.line for it in reading.entries] == [3, 9]
    assert reading.records[0] == Record(
        source="a.txt",
        source_id="1",
        position=1,
        title="Eisen in Seen",
        subtitle="ein Überblick",
        authors=(Author("Erika Musterfrau", "Musterfrau", "Erika"),),
        year=2019,
        publisher="Ufer",
        type="book",
    )


def test_unimarc_among_marc_21() -> None:
    """Each record is read by the family in which it has a title."""
    text = (
        "<collection>"
        + marc(field("245", "aA title."))
        + marc(
            field("200", "aUn titre", "esous-titre"),
            field("700", "aDupont", "bJeanne"),
            field("210", "d1999"),
        )
        + marc(field("245", "aAnother"))
        + "</collection>"
    )
    reading = read(text)

    assert [record.title for record in reading.records] == ["A title", "Un titre", "Another"]
    assert reading.records[1].authors == (Author("Jeanne Dupont", "Dupont", "Jeanne"),)


def test_a_saved_answer_of_an_sru_server() -> None:
    """Records lie in records there; a damaged one is counted by its envelope."""
    wrapped = "<record><recordData>{}</recordData><recordPosition>1</recordPosition></record>"
    bodies = (
        marc(field("245", "aA")),
        marc(field("245", "aB")).replace("<leader>", "<leeder>"),
        marc(field("245", "aC")),
    )
    records = "".join(map(wrapped.format, bodies))
    text = f"<searchRetrieveResponse><records>{records}</records></searchRetrieveResponse>"
    reading = read(text, "marcxml")

    assert [record.title for record in reading.records] == ["A", "C"]
    assert reading.lost == 1


def test_what_cannot_be_read_is_told_with_its_line() -> None:
    """Broken XML, and a record that says nothing; identifiers are the records' own."""
    text = (
        "<collection>\n" + marc('<controlfield tag="001">x</controlfield>', field("245", "aA"))
        + marc(field("245", "aB</b>")) + marc(field("500",
        "anote")) + marc('<controlfield tag="001">x</controlfield>',
        field("245", "aC &amp; D & E")) + "</collection>"
    )  # fmt: skip
    reading = read(text)

    assert [(record.title, record.source_id) for record in reading.records] == [
        ("A", "x"),
        ("C & D & E", ""),
    ]
    assert [(problem.line, problem.lost) for problem in reading.problems] == [
        (3, 1),
        (4, 1),
        (5, 0),
    ]
    assert told(reading)[2] == (5, "it held characters that are not legal in XML; it was mended")


def test_detection() -> None:
    """Fields by tag give it away."""
    assert looks_like(MARCXML)
    assert not looks_like(ENDNOTE_XML)
    assert not looks_like("TY  - JOUR\n")


@pytest.mark.shared
def test_real_records_are_read_as_sru_catalogues_give_them(shared: Path) -> None:
    """All of 1,894, each exactly as the adapter reads it."""
    data = gzip.decompress((shared / "data/marc/union.marcxml.gz").read_bytes())
    reading = read_bytes(data, "union")
    settings = Settings(
        sources={
            "union": {
                "extends": "sru",
                "url": "http://127.0.0.1:210/x",
                "limits": {"max_bytes": 64_000_000},
            }
        }
    )
    request = Request(source="union", url="http://127.0.0.1:210/x", size=10_000, wanted=10_000)
    parsed = parse(Page(request=request, body=data), Registry(settings).spec("union"))

    assert (len(reading.entries), reading.problems, parsed.unread) == (1894, [], ())
    assert [entry.line for entry in reading.entries] == list(range(2, 1896))
    own = [record.source_id for record in reading.records]
    assert [(r.title, r.authors, r.year, r.ids) for r in reading.records] == [
        (r.title, r.authors, r.year, r.ids) for r in parsed.records
    ]
    assert len({it for it in own if it}) == len([it for it in own if it])


@pytest.mark.shared
@pytest.mark.parametrize(
    "name", ["zebra-marcxml-1.1", "zebra-marcxml-2.0", "zebra-gamma-nonlatin", "zebra-by-id"]
)
def test_saved_answers_of_real_servers(shared: Path, name: str) -> None:
    """As many records as the answer has envelopes."""
    data = (shared / f"data/payloads/sru/{name}.xml").read_bytes()
    reading = read_bytes(data, "answer")

    assert reading.format == "marcxml"
    assert len(reading.entries) == data.count(b"recordData>") // 2 > 0
    assert not reading.lost
