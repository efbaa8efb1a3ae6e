"""RefWorks' tagged format, its own and CNKI's."""

from __future__ import annotations

from metasearch.formats.refworks import looks_like
from metasearch.record import Author, Record
from tests.cases import each
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


@each(
    ("kind", "found"),
    [("Book, Whole", "book"), ("Book, Section", "chapter"), (("Dissertation/Thesis, "
                                                             "Unpublished"), "thesis"),
     (("Conference "
      "Proceedings"), "conference-paper"), ("Generic", None), ("Journal, Electronic", "article")],
)  # fmt: skip
def test_types(kind: str, found: str | None) -> None:
    assert one(f"RT {kind}\nT1 a\nA1 Byron,A\n").type == found


@each(
    ("head", "yes"),
    [
        ("RT Journal Article\nSR 1\nA1 a\n", True),
        ("<Source>\n\nRT Book, Whole\nT1 a\n", True),
        ("RT Dissertation/Thesis\nSR 1\nA1张三\n", True),
        ("T1 a\nA1 b\nRT Book, Whole\n", True),
        ("RT @someone said\n", False),
        ("ART Journal\nA1 x\n", False),
    ],
)
def test_looks_like(head: str, *, yes: bool) -> None:
    assert looks_like(head) is yes


def test_tags_of_cnki_without_a_blank() -> None:
    """In theses and papers; "T1加权" in an abstract is a word."""
    record = one(
        "RT Conference Proceedings\nSR 1\nA1张三;李四\nAD某某大学\nT1湖泊中的铁\nT2泥土会议论文集\n"
        "YR2019\nSP12\nOP15\nK1湖泊;铁\nAB本文研究\nT1加权成像\nSN1234-5679\nLA中文;\n"
    )
    assert [author.name for author in record.authors] == ["张三", "李四"]
    assert (record.title, record.venue, record.year, record.pages) == (
        "湖泊中的铁", "泥土会议论文集", 2019, "12-15",
    )  # fmt: skip
    assert (record.keywords, record.abstract, record.issn, record.language) == (
        ("湖泊", "铁"), "本文研究 T1加权成像", ("1234-5679",), "zh",
    )  # fmt: skip


def test_people_and_the_place() -> None:
    """Editors are no authors, whatever the work; A1 and AU are in the order of the file."""
    book = one("RT Book, Whole\nA2 Byron,Ada\nA4 Stone,Ben\nT1 a\nPP Oslo\n")
    assert (book.authors, [a.family for a in book.editors]) == ((), ["Byron"])
    assert ([a.family for a in book.translators], book.place) == (["Stone"], "Oslo")
    mixed = one("RT Journal Article\nA1 Reed,T\nAU Byron,A\nA1 Hill,S\nT1 a\nKW b\nK1 c\n")
    assert [a.family for a in mixed.authors] == ["Reed", "Byron", "Hill"]
    assert mixed.keywords == ("b", "c")


def test_running_text_at_the_edge() -> None:
    """Of an abstract that goes on over several lines, as RefWorks itself writes it."""
    record = one(
        "RT Journal Article\nA1 Byron,Ada\nT1 a\nAB Lakes of\nlong ago\nUV light\nIS a burden\n"
        "YR 2019\nPB de Gruyter\n"
    )
    assert record.abstract == "Lakes of long ago UV light IS a burden"
    assert (record.year, record.issue, record.publisher) == (2019, None, "de Gruyter")


def test_what_refworks_says_before_the_records_is_no_news() -> None:
    """A list of its tags, and of marks for letters."""
    one(
        "Refworks Export Tagged Format\n\nCharacter Set=utf-8\n\nTag legend\n*****\n"
        "RT=Reference Type\nA1=Primary Authors\nU10=User 10\nPMCID=PMCID\n\n*****\n"
        "Font Attribute Legend\nStart Bold = \nEnd Bold = \n\n*****\n"
        "BEGIN EXPORTED REFERENCES\n\n\nRT Journal Article\nSR Electronic(1)\nT1 a\n"
    )
