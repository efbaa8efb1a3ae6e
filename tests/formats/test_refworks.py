"""RefWorks' tagged format, its own and CNKI's."""

from __future__ import annotations

import pytest

from metasearch.formats.refworks import looks_like
from metasearch.record import Author, Record
from tests.formats.reading.samples import REFWORKS, one, read


def test_whole_records() -> None:
    """CNKI's article and thesis, hand-checked."""
    record, thesis = read(REFWORKS).records

    assert record == Record(
        source="a.txt",
        position=1,
        title="湖泊中的铁",
        authors=(Author("张三"), Author("李四")),
        year=2019,
        venue="泥土学报",
        volume="12",
        issue="03",
        pages="101-109",
        issn=("1234-5679",),
        type="article",
        language="zh",
        abstract="本文研究湖泊。",
        keywords=("湖泊", "铁"),
    )
    assert (thesis.type, thesis.venue, thesis.publisher) == (
        "thesis",
        "某某大学学位论文",
        "某某大学",
    )
    assert thesis.authors == (Author("王五"),)
    assert {entry.database for entry in read(REFWORKS).entries} == {"CNKI"}


def test_refworks_own_files() -> None:
    """A header, one name a line, first and last page apart."""
    record = one(
        "<Source: Some Database>\n\nRT Journal Article\nSR Electronic(1)\nID 7\nA1 Byron,Ada\nA1 "
        "Musterfrau,Erika\n"
        "T1 Iron in\nlakes\nJF Journal of Mud\nYR 2019\nFD Mar 12\nVO 12\nIS 3\nSP 101\nOP 109\n"
        "AB Lakes rust.\nIn vitro too.\nK1 iron\nK1 mud\nLK https://example.org/a\nDO "
        "10.1000/mud.1\nOT 湖泊中的铁\n"
    )
    assert (record.title, record.titles, record.pages, record.date) == (
        "Iron in lakes", ("湖泊中的铁",), "101-109", "2019-03-12",
    )  # fmt: skip
    assert (record.source_id, record.url, record.doi) == (
        "7",
        "https://example.org/a",
        "10.1000/mud.1",
    )
    assert (record.abstract, record.keywords) == ("Lakes rust. In vitro too.", ("iron", "mud"))
    assert [author.family for author in record.authors] == ["Byron", "Musterfrau"]


@pytest.mark.parametrize(
    ("kind", "found"),
    [("Book, Whole", "book"), ("Book, Section", "chapter"), (("Dissertation/Thesis, "
                                                             "Unpublished"), "thesis"),
     (("Conference "
      "Proceedings"), "conference-paper"), ("Generic", None), ("Journal, Electronic", "article")],
)  # fmt: skip
def test_types(kind: str, found: str | None) -> None:
    assert one(f"RT {kind}\nT1 a\nA1 Byron,A\n").type == found


@pytest.mark.parametrize(
    ("head", "yes"),
    [
        ("RT Journal Article\nSR 1\nA1 a\n", True),
        ("<Source>\n\nRT Book, Whole\nT1 a\n", True),
        ("RT @someone said\n", False),
        ("ART Journal\nA1 x\n", False),
    ],
)
def test_looks_like(head: str, *, yes: bool) -> None:
    assert looks_like(head) is yes
