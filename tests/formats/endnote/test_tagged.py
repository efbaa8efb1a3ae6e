"""EndNote's tagged format, of which there are dialects."""

from __future__ import annotations

import pytest

from metasearch.formats.endnote_tagged import looks_like
from metasearch.record import Author, Record
from tests.formats.reading.samples import REFER, one, read, told


def article(*lines: str, kind: str = "Journal Article") -> Record:
    return one("\n".join([f"%0 {kind}", "%T Iron in lakes", *lines]), "endnote-tagged")


def test_whole_records() -> None:
    """An article, and a thesis of CNKI, hand-checked."""
    record, thesis = read(REFER).records

    assert record == Record(
        source="a.txt",
        position=1,
        title="Iron in lakes",
        authors=(
            Author("Erika Musterfrau", "Musterfrau", "Erika"),
            Author("Ada A. Byron", "Byron", "Ada A."),
        ),
        year=2019,
        venue="Journal of Mud",
        volume="12",
        issue="3",
        pages="101-109",
        doi="10.1000/mud.1",
        type="article",
    )
    assert (thesis.type, thesis.venue, thesis.publisher) == (
        "thesis",
        "某某大学学位论文",
        "某某大学",
    )
    assert thesis.authors == (Author("张三"),)
    assert [entry.database for entry in read(REFER).entries] == [None, "CNKI"]


def test_old_files_part_records_by_blank_lines_alone() -> None:
    """refer, before EndNote: no %0."""
    reading = read(
        "%A Ada Byron\n%T Iron in\nlakes\n%J Mud\n%D 1843\n\n\n%T Rust\n%A Ada Byron\n%B A book "
        "of mud\n"
    )

    assert (reading.format, reading.problems) == ("endnote-tagged", [])
    assert [record.title for record in reading.records] == ["Iron in lakes", "Rust"]
    assert [record.venue for record in reading.records] == ["Mud", "A book of mud"]


def test_cnki_may_put_all_authors_on_one_line() -> None:
    assert [a.name for a in article("%A 张三%A 李四 %A 王五").authors] == ["张三", "李四", "王五"]


@pytest.mark.parametrize(
    ("kind", "line", "found"),
    [
        ("Journal Article", "%9 Review", "review"),
        ("Book", "%9 Review", "book"),
        ("Book Section", "%B A book", "chapter"),
        ("Conference Proceedings", "%A Ada Byron", "conference-paper"),
        ("Conference Proceedings", "%I Shore Press", "proceedings"),
        ("Generic", "%9 x", None),
        ("期刊", "%9 x", "article"),
    ],
)
def test_types(kind: str, line: str, found: str | None) -> None:
    assert article(line, kind=kind).type == found


def test_other_fields() -> None:
    found = article(
        "%Q 湖泊中的铁", "%8 2019-03-12", "%D 2019", "%@ 1234-5679", "%K iron", "rust; mud",
        "%X Lakes rust.", "%G eng",
        "%U https://example.org/a", "%M 2-s2.0-85", "%] 101", "%7 2nd",
        "%> https://example.org/a.pdf",
    )  # fmt: skip
    assert (found.titles, found.date, found.issn, found.keywords) == (
        ("湖泊中的铁",), "2019-03-12", ("1234-5679",), ("iron", "rust", "mud"),
    )  # fmt: skip
    assert (found.abstract, found.language, found.url, found.ids, found.pages, found.edition,
    found.pdf_url) == (
        "Lakes rust.", "en", "https://example.org/a", {"scopus": "2-s2.0-85"}, "101", "2nd",
        "https://example.org/a.pdf",
    )  # fmt: skip


def test_percent_signs_in_text_are_no_tags() -> None:
    assert (
        article("%X Half of it is", "% iron, and", "%100 mud").abstract
        == "Half of it is % iron, and %100 mud"
    )


def test_what_cannot_be_read_is_told() -> None:
    assert told(read("%0 Book\n%T a\n%D in press\n%R none\n", "endnote-tagged")) == [
        (1, '%D holds no year: "in press"'),
        (1, '%R holds no DOI: "none"'),
    ]


@pytest.mark.parametrize(
    ("head", "yes"),
    [
        ("\ufeff%0 Book\n", True),
        ("%A a\n%T b\n%J c\n", True),
        ("%A a\n", False),
        ("100 %0 Book", False),
    ],
)
def test_looks_like(head: str, *, yes: bool) -> None:
    assert looks_like(head) is yes
