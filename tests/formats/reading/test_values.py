"""Values of fields, with the remains of many programs."""

from __future__ import annotations

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
    "[1]王伟": [(None, "王伟")],
    "[Byron, Ada]": [("Byron", "Ada")],
    "NA": [],
    " ;, ": [],
}


@each("value", NAMES)
def test_authors(value: str) -> None:
    """One name or many, in the styles that exports have."""
    found = values.authors([value])

    assert [(a.family, a.given if a.family else a.name) for a in found] == NAMES[value]


@each(
    ("field", "part", "names"),
    [
        ("Falk, Greta, editor", "editors", ["Greta Falk"]),
        ("Osei, K. (Translator)", "translators", ["K. Osei"]),
        ("Falk, Greta (Hrsg.)", "editors", ["Greta Falk"]),
        ("G. Falk, ed.", "editors", ["G. Falk"]),
        ("Falk, Greta, ed. and trans.", "editors", ["Greta Falk"]),
        ("Falk, Greta and Kofi Osei (eds.)", "editors", ["Greta Falk", "Kofi Osei"]),
        ("Falk, Greta; Osei, Kofi (eds.)", "editors", ["Greta Falk", "Kofi Osei"]),
        ("王伟, 李明 主编", "editors", ["王伟", "李明"]),
        ("王伟主编", "editors", ["王伟"]),
        ("李明（译）", "translators", ["李明"]),
        # what the record is by, whatever else is said
        ("李明译", "authors", ["李明译"]),
        ("Falk, Greta, author", "authors", ["Greta Falk"]),
        ("Falk, Greta (editor and author)", "authors", ["Greta Falk"]),
        ("Falk, Ed", "authors", ["Ed Falk"]),
        ("Falk Osei, Ed", "authors", ["Ed Falk Osei"]),
    ],
)
def test_people_by_the_word_behind_the_name(field: str, part: str, names: list[str]) -> None:
    """Who stands among the authors, and is none, is no author."""
    found = values.people([field, "Marin, Lia"])

    assert [author.name for author in found[part] if author.family != "Marin"] == names
    assert [author.name for author in found["authors"]][-1] == "Lia Marin"


def test_one_field_may_hold_people_with_roles_of_their_own() -> None:
    found = values.people(["Falk, Greta (ed.); Osei, Kofi (trans.)"], ["Marin, Lia"])

    assert [author.family for author in found["editors"]] == ["Falk", "Marin"]
    assert [author.family for author in found["translators"]] == ["Osei"]


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


@each(
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


@each(
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


@each(
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
    assert [it.name for it in values.authors(["王, 伟", "李,小明"])] == ["王伟", "李小明"]
    assert [it.name for it in values.authors(["王伟,李明"])] == ["王伟", "李明"]


@each(
    ("printed", "pages"),
    [
        ("pp. 37-64", "37-64"), ("Pp.37–64", "37-64"), ("pp37-64", "37-64"), ("p. 12", "12"),
        ("p 12", "12"), ("p12-p15", "12-15"), ("pp. 12–pp. 15", "12-15"), ("Pages 3 to 9", "3-9"),
        ("p.p. 3-9", "3-9"), ("pp. S3-S5", "S3-S5"), ("p. e12", "e12"), ("pp. xii-xx", "xii-xx"),
        ("pp. 12-15, 18", "12-15, 18"), ("37-64 pp.", "37-64"),
        ("S. 12-15", "12-15"), ("Seiten 3 bis 9", "3-9"), ("s. 12", "12"), ("s 12-15", "12-15"),
        ("págs. 12-15", "12-15"), ("стр. 12-15", "12-15"), ("с. 12–15", "12-15"),
        ("第37-64页", "37-64"), ("第12頁", "12"), ("37-64页", "37-64"), ("页码：3～9", "3-9"),
        ("37-64页，共28页", "37-64"), ("37至64", "37-64"),
        ("pii: E12", "E12"), ("Article e123", "e123"), ("ARTN 17", "17"), ("Art. No. 17", "17"),
        ("pp.", None), ("pages", None), ("N.PAG", None),
    ],
)  # fmt: skip
def test_words_for_a_page_are_no_part_of_its_number(printed: str, pages: str | None) -> None:
    """In the languages of databases."""
    assert values.pages(printed) == pages


@each(
    "printed",
    [
        "S12-S18", "S12", "P12", "p123", "e1001", "PH-101742", "1123-8", "A-1", "241 p",
        "xii, 24 p", "共12页", "12页", "12-15, 18", "sp12",
    ],
)  # fmt: skip
def test_letters_that_are_of_the_number_stay(printed: str) -> None:
    """So does how many pages there are."""
    assert values.pages(printed) == printed


def test_the_last_page_may_have_its_word() -> None:
    assert values.pages("p. 12", "p. 15") == "12-15"
    assert values.pages("第12页", "第15页") == "12-15"
    assert values.pages_of_fields(["4", "12-15"]) == "12-15"
    assert values.pages_of_fields(["4", "5"]) == "4"
    assert values.pages_of_fields([]) is None


@each(
    ("printed", "place"),
    [
        ("Oslo", "Oslo"), ("[Oslo]", "Oslo"), ("Oslo :", "Oslo"), ("Oslo [N.]", "Oslo [N.]"),
        ("[Oslo] [Lima]", "[Oslo] [Lima]"), ("", None), ("NA", None),
    ],
)  # fmt: skip
def test_places_have_no_brackets(printed: str, place: str | None) -> None:
    assert values.place([printed]) == place


@each("printed", ["2014/03/01", "2014-03-01"])
def test_a_day_is_no_edition(printed: str) -> None:
    """EndNote puts that of electronic publication there."""
    assert values.edition([printed]) is None
    assert values.edition([printed, "2nd"]) == "2nd"


@each("printed", ["2nd", "2014", "1"])
def test_editions(printed: str) -> None:
    """Yearbooks have years."""
    assert values.edition([printed]) == printed
