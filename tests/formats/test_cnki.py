"""CNKI's own formats, of E-Study and of the fields that users choose."""

from __future__ import annotations

from metasearch.formats.cnki import looks_like
from metasearch.record import Author, Record
from tests.cases import each
from tests.formats.reading.samples import CNKI, read, told

CHOSEN = """\
SrcDatabase-来源库: 期刊
Title-题名: 湖泊中的铁
Author-作者: 张三;李四;
Organ-单位: 某某大学
Source-文献来源: 泥土学报
Keyword-关键词: 湖泊;;铁
Summary-摘要: 本文研究
湖泊。
PubTime-发表时间: 2019-03-12
Year-年: 2019
Volume-卷: 12
Period-期: 03
PageCount-页码: 101-109
ISSN-国际标准刊号: 1234-5679
URL-网址: https://kns.cnki.net/kcms/detail/NTXB.html
DOI-DOI: 10.1000/mud.1

SrcDatabase-来源库: 中国博士学位论文全文数据库
Title-题名: 河流中的铁
Author-作者: 王五
Source-文献来源: 某某大学
Year-年: 2018
"""


def test_e_study() -> None:
    """Every field, hand-checked; the number of pages is not the pages."""
    record, thesis = read(CNKI).records

    assert record == Record(
        source="a.txt",
        source_id="NTXB201903001",
        position=1,
        url="https://kns.cnki.net/kcms/detail/detail.aspx?FileName=NTXB201903001&DbName=CJFD2019",
        title="湖泊中的铁——以某湖为例",
        authors=(Author("张三"), Author("李四")),
        year=2019,
        date="2019-03-12",
        venue="泥土学报",
        volume="12",
        issue="03",
        pages="101-109",
        ids={"cnki": "NTXB201903001"},
        type="article",
        abstract="本文研究湖泊。",
        keywords=("湖泊", "铁"),
    )
    assert (thesis.type, thesis.venue, thesis.publisher, thesis.year) == (
        "thesis",
        "某某大学学位论文",
        "某某大学",
        2018,
    )


def test_chosen_fields() -> None:
    """Other Chinese names for the same fields, records apart by blank lines."""
    reading = read(CHOSEN)
    record, thesis = reading.records

    assert (reading.format, reading.problems) == ("cnki", [])
    assert (record.pages, record.volume, record.doi, record.issn) == (
        "101-109",
        "12",
        "10.1000/mud.1",
        ("1234-5679",),
    )
    assert (record.abstract, record.keywords) == ("本文研究湖泊。", ("湖泊", "铁"))
    assert (thesis.type, thesis.venue) == ("thesis", "某某大学学位论文")
    assert {entry.database for entry in reading.entries} == {"CNKI"}


def test_a_damaged_first_line_costs_no_record() -> None:
    """A second title begins a record: all of it but that line is read."""
    reading = read(CNKI.replace("DataType: 1\nTitle-题名: 河", "Data?ype: 1\nTitle-题名: 河"))

    assert [record.title for record in reading.records] == ["湖泊中的铁——以某湖为例", "河流中的铁"]
    assert told(reading) == []


@each(
    ("head", "yes"),
    [
        ("DataType: 1\nTitle-题名: a", True),
        ("SrcDatabase-来源库: 期刊", True),
        ("DataType: 1\n", False),
        ("Title: a", False),
    ],
)
def test_looks_like(head: str, *, yes: bool) -> None:
    assert looks_like(head) is yes


def test_what_a_record_holds_less_of_stays_beside() -> None:
    text = (
        "DataType: 1\nTitle-题名: 湖泊\nYear-年: 2019\nYear-年: 2020\nPeriod-期: 3\nPeriod-期: 4\n"
    )
    (entry,) = read(text, "cnki").entries

    assert (entry.record.year, entry.record.issue) == (2019, "3")
    assert list(entry.given) == [("Year", "2020"), ("Period", "4")]
