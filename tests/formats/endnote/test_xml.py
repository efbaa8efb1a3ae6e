"""EndNote's XML: styles, standard numbers, databases; files that are damaged."""

from __future__ import annotations

import pytest

from metasearch.formats.endnote_xml import looks_like
from metasearch.formats.reading import read_bytes
from metasearch.record import Author, Record
from tests.formats.reading.samples import one, read, told
from tests.formats.reading.structured import ENDNOTE_XML, MARCXML


def record(inner: str) -> Record:
    """The record of a file that holds this one."""
    return one(
        f"<xml><records><record><titles><title>T</title></titles>{inner}</record></records></xml>",
        "endnote-xml",
    )


def test_a_whole_file() -> None:
    """Every field of an article; the runs of <style> are one text, a name that ends in a comma is a
    body's."""
    reading = read(ENDNOTE_XML)
    first, second = reading.records

    assert not reading.problems
    assert [(it.line, it.database) for it in reading.entries] == [(2, "PubMed"), (13, None)]
    assert first == Record(
        source="a.txt",
        source_id="10000001",
        position=1,
        url="https://example.org/1",
        title="Iron in lakes",
        authors=(
            Author("E. Musterfrau", "Musterfrau", "E."),
            Author("Ada Byron", "Byron", "Ada"),
            Author("Lake Group"),
        ),
        year=2019,
        date="2019-03-12",
        venue="Journal of Mud",
        volume="12",
        issue="3",
        pages="101-9",
        doi="10.1000/mud.1",
        ids={"pmid": "10000001"},
        issn=("1234-5679",),
        type="article",
        keywords=("Lakes", "rust"),
    )
    assert (second.type, second.publisher, second.isbn, second.year) == (
        "book",
        "Shore Press",
        ("9780198526636",),
        2001,
    )


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("<volume>6(2)</volume>", {"volume": "6", "issue": "2"}),
        ("<volume>6(2)</volume><number>9</number>", {"volume": "6(2)", "issue": "9"}),
        ("<periodical><full-title>Journal</full-title><abbr-1>J</abbr-1></periodical>",
        {"venue": "Journal"}),
        ("<accession-num>WOS:000300000000001</accession-num>", {"ids": {"wos": "000300000000001"}}),
        ("<accession-num>123</accession-num>", {"ids": {}, "source_id": "123"}),
        ("<custom2>PMC1234567</custom2>", {"ids": {"pmcid": "PMC1234567"}}),
        ("<custom7>e12</custom7>", {"pages": "e12"}),
        ("<urls><related-urls><url>https://doi.org/10.1000/ab</url></related-urls></urls>",
        {"doi": "10.1000/ab"}),
        (('<ref-type name="Conference '
         'Proceedings">10</ref-type><pages>1</pages>'), {"type": "conference-paper"}),
        ('<ref-type name="Conference Proceedings">10</ref-type>', {"type": "proceedings"}),
        (('<ref-type '
         'name="Thesis">32</ref-type><publisher>北京大学</publisher>'),
         {"venue": "北京大学学位论文"}),
        (("<keywords><keyword>a&#xD;b</keyword><keyword>c; "
         "d</keyword></keywords>"), {"keywords": ("a", "b", "c", "d")}),
        (("<contributors><secondary-authors><author>Doe, "
         "J.</author></secondary-authors></contributors>"),
         {"authors": (Author("J. Doe", "Doe", "J."),)}),
    ],
)  # fmt: skip
def test_fields(inner: str, expected: dict[str, object]) -> None:
    """What databases write where EndNote has no field for it."""
    found = record(inner)

    assert {name: getattr(found, name) for name in expected} == expected


def test_a_broken_record_is_told_and_costs_no_other() -> None:
    """Tags that do not match, a record without end, an end without beginning; with the line of
    each."""
    good = "<record><titles><title>{}</title></titles></record>\n"
    text = (
        "<xml><records>\n"
        + good.format("A") + "<record><titles><title>x</titel></titles></record>\n"
        + good.format("B") + "<record><titles>\n"
        + good.format("C") + "</record>\n"
        + good.format("D")
        + "</records></xml>\n"
    )  # fmt: skip
    reading = read(text, "endnote-xml")

    assert [(it.record.title, it.line, it.record.position) for it in reading.entries] == [
        ("A", 2, 1),
        ("B", 4, 3),
        ("C", 6, 5),
        ("D", 8, 7),
    ]
    assert [(problem.line, problem.lost) for problem in reading.problems] == [
        (3, 1),
        (5, 1),
        (7, 1),
    ]


def test_what_people_get_wrong_is_mended() -> None:
    """Bare ampersands, HTML's names for characters and control characters; other entities stay as
    they are written."""
    title = "R&D\x0b caf&eacute; &#1;&lt;b&gt; &unknown; 1&#60;2"
    text = f"<xml><records><record><titles><title>{title}</title></titles></record></records></xml>"
    reading = read(text, "endnote-xml")

    assert [record.title for record in reading.records] == ["R&D café &unknown; 1<2"]
    assert told(reading) == [(1, "it held characters that are not legal in XML; it was mended")]


def test_a_file_that_breaks_off() -> None:
    """Inside of a record, one is lost; between two, nobody knows, and that is told."""
    inside, between = (
        ENDNOTE_XML.partition("A book of mud")[0],
        ENDNOTE_XML.partition("<record><rec-number>2")[0],
    )

    reading = read(inside)
    assert (len(reading.entries), reading.lost) == (1, 1)
    assert "breaks off inside this record" in reading.problems[0].message
    reading = read(between)
    assert (len(reading.entries), reading.lost) == (1, 0)
    assert "breaks off" in reading.problems[0].message


def test_no_entity_is_expanded_and_no_file_read() -> None:
    """A document type definition is not read at all."""
    bomb = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    text = (
        f'<!DOCTYPE xml [<!ENTITY e0 "ha"><!ENTITY file SYSTEM '
        f'"file:///etc/passwd">{bomb}]>\n<xml><records>'
        "<record><titles><title>A &e11; &file; b</title></titles></record></records></xml>"
    )

    assert read(text, "endnote-xml").records[0].title == "A &e11; &file; b"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "gb18030"])
def test_encodings(encoding: str) -> None:
    """By the mark, or as declared."""
    declared = encoding.removesuffix("-sig")
    text = ENDNOTE_XML.replace('encoding="UTF-8"', f'encoding="{declared}"').replace(
        "Journal of Mud", "Größe"
    )
    reading = read_bytes(text.encode(encoding), "a.xml", format="endnote-xml")

    assert not reading.lost
    assert reading.records[0].venue == "Größe"


def test_a_wrong_declaration_does_not_matter() -> None:
    """UTF-8 is known by its bytes, whatever a program has left in the first line."""
    text = ENDNOTE_XML.replace('encoding="UTF-8"', 'encoding="iso-8859-1"').replace(
        "Journal of Mud", "Größe"
    )

    assert read(text).records[0].venue == "Größe"


def test_detection() -> None:
    """EndNote's own elements give it away; MARCXML has records too."""
    assert looks_like(ENDNOTE_XML)
    assert not looks_like(MARCXML)
    assert not looks_like("<xml><record><x>1</x></record></xml>")
