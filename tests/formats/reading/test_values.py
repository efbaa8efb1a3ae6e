"""Values of fields, with the remains of many programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.formats.reading import values
from tests.cases import each

NAMES = {
    "Byron, Ada": [("Byron", "Ada")],
    "Smith, John, Jr.": [("Smith", "John")],
    "Taylor, Purcell Jr.": [("Taylor", "Purcell")],
    "Takada, Mitsuo eds": [("Takada", "Mitsuo")],
    "Sajise, Asa U. and": [("Sajise", "Asa U.")],
    "Nielson, G [Ed]": [("Nielson", "G")],
    "van der Berg, P. J.": [("van der Berg", "P. J.")],
    "Calvey T.": [("Calvey", "T.")],
    "Smith JA": [("Smith", "JA")],
    "Smith J, Jones KB, Lee M": [("Smith", "J"), ("Jones", "KB"), ("Lee", "M")],
    "Smith, J; Doe, K": [("Smith", "J"), ("Doe", "K")],
    "Smith, John and Doe, Jane": [("Smith", "John"), ("Doe", "Jane")],
    "BUOSO, G M": [("BUOSO", "G M")],
    "K C, Anup": [("K C", "Anup")],
    "S, Kumar": [("S", "Kumar")],
    "World Health Organization": [(None, "World Health Organization")],
    "Ada Byron": [(None, "Ada Byron")],
    "A, Arriagada Rodrigo": [(None, "Arriagada Rodrigo A")],
    "柯洪琴;陈璿英;王启斌;": [(None, "柯洪琴"), (None, "陈璿英"), (None, "王启斌")],
    "欧阳锋，黄药师、洪七公": [(None, "欧阳锋"), (None, "黄药师"), (None, "洪七公")],
    "张三 李四 王五": [(None, "张三"), (None, "李四"), (None, "王五")],
    "张三　李四": [(None, "张三"), (None, "李四")],
    "张 三": [(None, "张 三")],
    "王伟, 等": [(None, "王伟")],
    "Anonymous": [],
    "et al.": [],
    "佚名": [],
    "NA": [],
    " ;, ": [],
}


@each("value", NAMES)
def test_authors(value: str) -> None:
    """One name or many, in the styles that exports have."""
    found = values.authors([value])

    assert [(a.family, a.given if a.family else a.name) for a in found] == NAMES[value]


def test_titles_come_first_and_beside() -> None:
    """Another spelling of the same title is no other title."""
    assert values.titles(["", "NA", "湖泊中的铁", "Iron in lakes", "IRON in Lakes."]) == (
        "湖泊中的铁",
        ("Iron in lakes",),
    )
    assert values.titles([]) == ("", ())
    assert values.titles(["?", "!"]) == ("?", ("!",))


def test_chinese_abstracts_begin_without_a_mark() -> None:
    """CNKI's <正> marks that the text was taken from the body."""
    assert values.abstract(["<正>湖泊。"]) == "湖泊。"
    assert values.abstract(["NA", ""]) is None


@pytest.mark.parametrize(
    ("value", "isbn", "issn"),
    [
        (r"0-521-46674-1\\0-521-46128-6", ("9780521466745", "9780521461283"), ()),
        ("978-3-642-00492-6 1863-5520", ("9783642004926",), ("1863-5520",)),
        (r"1537-744X (Electronic)\r1537-744X (Linking)", (), ("1537-744X",)),
        ("ISBN 0 19 852663 6", ("9780198526636",), ()),
        ("1573316296, 9781573316293", ("9781573316293",), ()),
        ("0921-8009, 0921-8009", (), ("0921-8009",)),
        ("12345-67", (), ()),
        ("", (), ()),
    ],
)
def test_standard_numbers(value: str, isbn: tuple[str, ...], issn: tuple[str, ...]) -> None:
    assert values.standard_numbers([value]) == (isbn, issn)


@pytest.mark.parametrize(
    ("value", "known", "date"),
    [
        ("2019/03/12/", 2019, "2019-03-12"),
        ("2019-3-2", 2019, "2019-03-02"),
        ("20191213", 2019, "2019-12-13"),
        ("2021 Jan 19", 2021, "2021-01-19"),
        ("2021-01-15 16:54", 2021, "2021-01-15"),
        ("2007/08//2014 Sep", 2007, "2007-08"),
        ("May", 2016, "2016-05"),
        ("DEC 15", 2020, "2020-12-15"),
        ("May", None, None),
        ("WIN", 2020, None),
        ("2019/13/45", 2019, None),
        ("2019", 2019, None),
        ("", 2019, None),
    ],
)
def test_dates(value: str, known: int | None, date: str | None) -> None:
    """As precise as the field is; a year alone is the year, and no date."""
    assert values.date([value], known) == date


def test_full_width_dois() -> None:
    assert (
        values.doi(["10.3969／j.issn.1672－187X.2020.01.017"])
        == "10.3969/j.issn.1672-187x.2020.01.017"
    )


def test_links_apart_by_what_programs_write_between_them() -> None:
    found = values.links(
        ["file:///C:/a.pdf%5Cnhttp://example.org/1;https://example.org/2 javascript:alert(1)"]
    )

    assert found == ["http://example.org/1", "https://example.org/2"]


@pytest.mark.parametrize(
    ("value", "language"),
    [
        ("English", "en"),
        ("eng", "en"),
        ("中文;", "zh"),
        ("chi", "zh"),
        ("und", None),
        ("x" * 50, None),
        ("NA", None),
    ],
)
def test_languages(value: str, language: str | None) -> None:
    assert values.language([value]) == language


def test_venues_of_theses() -> None:
    """Institution and 学位论文, once, and only where nothing else is the container."""
    assert values.thesis_venue("某某大学") == "某某大学学位论文"
    assert values.thesis_venue("某某大学学位论文") == "某某大学学位论文"
    assert values.thesis_venue("某某大学", "数据库") == "数据库"
    assert values.thesis_venue("University of Mud") is None
    assert values.thesis_venue(None) is None


@given(st.lists(st.text(max_size=60), max_size=4))
def test_no_value_raises(found: list[str]) -> None:
    """Every function takes any text."""
    for function in (values.titles, values.abstract, values.keywords, values.authors,
    values.standard_numbers,
                     values.doi, values.doi_alone, values.doi_of_links, values.year,
                     values.language, values.links,
                     values.first_text, values.texts):  # fmt: skip
        function(found)
    values.date(found, 2019)
    for value in found:
        values.pages(value, value)
        values.volume(value)
        values.thesis_venue(value)
        values.one_author(value)


def test_a_chinese_name_in_two_parts_is_one_person() -> None:
    """One character is nobody's whole name; two names of two characters stay two people."""
    assert [it.name for it in values.authors(["王, 伟", "李,小明", "王伟,李明"])] == [
        "王伟",
        "李小明",
        "王伟",
        "李明",
    ]
