"""NoteExpress, as CNKI, Wanfang and VIP export it."""

from __future__ import annotations

from metasearch.formats.noteexpress import looks_like
from metasearch.record import Author, Record
from tests.cases import each
from tests.formats.reading.samples import NOTEEXPRESS, one, read


def test_whole_records() -> None:
    """Wanfang's article and CNKI's thesis, hand-checked; a DOI in full width is one."""
    record, thesis = read(NOTEEXPRESS).records

    assert record == Record(
        source="a.txt",
        position=1,
        title="湖泊中的铁",
        titles=("Iron in lakes",),
        authors=(Author("张三"), Author("李四")),
        year=2019,
        venue="泥土学报（电子版）",
        volume="12",
        issue="3",
        pages="101-109",
        doi="10.1000/mud.1",
        issn=("1234-5679",),
        type="article",
        language="zh",
        keywords=("湖泊", "铁"),
    )
    assert (thesis.type, thesis.venue, thesis.publisher, thesis.authors) == (
        "thesis", "某某大学学位论文", "某某大学", (Author("王五"),),
    )  # fmt: skip
    assert [entry.database for entry in read(NOTEEXPRESS).entries] == [
        "北京万方数据股份有限公司",
        "CNKI",
    ]


@each(
    "names",
    [
        "张三;李四",
        "张三；李四；",
        "张三，李四",
        "张三、李四",
        "张三 李四",
        "[张三, 李四]",
        "张三[1,2];李四[1]",
        "张三,李四,等",
        "张三\n李四",
    ],
)
def test_authors_in_one_field(names: str) -> None:
    """Apart by any mark that Chinese writers use; numbers of footnotes and "and others" are
    nobody."""
    record = one(
        f"{{Reference Type}}: Journal Article\n{{Title}}: 湖泊中的铁\n{{Author}}: {names}\n"
    )

    assert record.authors == (Author("张三"), Author("李四"))


def test_names_of_one_author() -> None:
    """A blank inside of a name parts nobody; foreign names are read as such."""
    text = (
        "{Reference Type}: Journal Article\n{Title}: a\n{Author}: 张 三\n{Author}: SMITH "
        "John\n{Author}: Byron, Ada\n"
    )

    assert [(a.name, a.family) for a in one(text).authors] == [
        ("张 三", None),
        ("SMITH John", None),
        ("Ada Byron", "Byron"),
    ]


def test_marks_and_sections_stay_as_they_are_printed() -> None:
    """【】 and full-width forms are for people; what is compared is normalised elsewhere."""
    record = one(
        "{Reference Type}: Journal Article\n{Title}: 【综述】湖泊（Ⅱ）：铁——以某湖为例\n{Author}: "
        "张三\n"
        "{Abstract}: 【目的】研究。\n"
    )

    assert record.title == "【综述】湖泊（Ⅱ）：铁——以某湖为例"
    assert record.abstract == "【目的】研究。"


def test_links_give_identifiers() -> None:
    record = one(
        "{Reference Type}: Journal Article\n{Title}: a\n{Author}: b\n"
        "{URL}: http://www.wanfangdata.com.cn/details/detail.do?_type=perio&id=ntxb201903001\n"
    )
    assert (record.ids, record.source_id) == ({"wanfang": "ntxb201903001"}, "ntxb201903001")


def test_papers_in_proceedings() -> None:
    record = one(
        "{Reference Type}: Conference Proceedings\n{Title}: a\n{Author}: b\n{Tertiary Title}: "
        "泥土会议论文集\n"
    )

    assert (record.type, record.venue) == ("conference-paper", "泥土会议论文集")


@each(
    ("head", "yes"),
    [
        ("\ufeff{Reference Type}: Thesis", True),
        ("{Reference Type}：Thesis", True),
        ("{Title}: a", False),
        ("", False),
    ],
)
def test_looks_like(head: str, *, yes: bool) -> None:
    assert looks_like(head) is yes


def test_people_and_the_place() -> None:
    """Editors are no authors."""
    book = one(
        "{Reference Type}: Book\n{Title}: 泥土\n{Secondary Author}: 张三\n"
        "{Subsidiary Author}: 李四\n{Place Published}: 北京\n"
        "{Publisher}: 泥土出版社\n{Pages}: 第37-64页\n"
    )
    assert (book.authors, [a.name for a in book.editors]) == ((), ["张三"])
    assert ([a.name for a in book.translators], book.place) == (["李四"], "北京")
    assert book.pages == "37-64"
