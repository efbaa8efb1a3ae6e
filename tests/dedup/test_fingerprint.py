"""Fingerprints: what of a record is compared."""

from __future__ import annotations

from metasearch.dedup.fingerprints import fingerprint
from metasearch.record import Author, Record
from tests.cases import each
from tests.dedup.records import ARTICLE, record


def test_the_four_tuple_ignores_symbols_width_and_case() -> None:
    """Full-width, capitals and dashes hash alike."""
    one = record("a", 1, **{**ARTICLE, "title": "Iron-oxides（in lakes）"})
    two = record("b", 1, **{**ARTICLE, "title": "IRON OXIDES (in lakes)"})

    assert fingerprint(one).four_tuple == fingerprint(two).four_tuple is not None


def test_the_four_tuple_needs_two_of_three() -> None:
    """A title with nothing but a year is no tuple: an empty member must never match an empty
    one."""
    bare = record("a", 1, title="Iron oxides in lakes", year=2011)

    assert fingerprint(bare).four_tuple is None


def test_a_family_name_is_found_in_every_form() -> None:
    """Inverted, initialled and undivided names share a spelling."""
    forms = [["Berg, Anna van der"], ["van der Berg, A."], ["Anna van der Berg"], ["Berg A"]]
    firsts = [fingerprint(record("a", 1, title="T", authors=form)).first for form in forms]

    assert frozenset.intersection(*firsts) == {"berg"}


def test_a_chinese_name_is_one_name_however_it_is_given() -> None:
    """Family and given name apart, or in one piece: the whole name is compared."""
    apart = Record(source="a", source_id="1", title="T", authors=(Author("张玲", "张", "玲"),))
    whole = Record(source="b", source_id="1", title="T", authors=(Author("张玲"),))
    other = Record(source="c", source_id="1", title="T", authors=(Author("张伟", "张", "伟"),))

    assert fingerprint(apart).first == fingerprint(whole).first
    assert fingerprint(apart).first.isdisjoint(fingerprint(other).first)


def test_editors_of_a_work_without_authors_are_its_people() -> None:
    """Catalogues call them authors. Those of what contains a chapter are other people."""
    roe = (Author("Ada Roe", "Roe", "Ada"),)
    book = {"source": "a", "title": "Clays of the lakes", "year": 1990, "venue": "Mud"}
    as_authors = fingerprint(Record(**book, authors=roe, type="book"))
    edited = fingerprint(Record(**book, editors=roe, type="book"))
    chapter = fingerprint(Record(**book, editors=roe, type="chapter"))
    of_both = fingerprint(Record(**book, authors=(Author("Max Os", "Os", "Max"),), editors=roe))

    assert edited.first == as_authors.first == {"roe"}
    assert edited.four_tuple == as_authors.four_tuple is not None
    assert chapter.authors == ()
    assert of_both.first == {"os"}


def test_subtitles_begin_at_breaks() -> None:
    """Marks and the subtitle field both say where a title may end."""
    marked = fingerprint(record("a", 1, title="Iron in lakes: a study"))
    apart = fingerprint(record("a", 1, title="Iron in lakes", subtitle="A study"))

    assert marked.words == apart.words == ("iron", "in", "lakes", "a", "study")
    assert 3 in marked.breaks & apart.breaks


def test_numbers_of_parts_are_numbers() -> None:
    """Part II, part 2, （二） and a final II are the same part."""
    titles = ["Soils. Part II", "Soils part 2", "土壤研究（二）", "Soils II"]

    assert {fingerprint(record("a", 1, title=t)).parts for t in titles} == {frozenset({"2"})}


@each(
    "mark",
    [
        *":：;；()（）[]【】—─━。？！",
        ". ",
        "? ",
        "! ",
        " - ",
        " – ",
        " / ",
        " = ",
        "--",
        "<ORIGINAL>",
    ],
)
def test_a_mark_ends_a_part_of_the_title(mark: str) -> None:
    """A subtitle may begin behind each of them, whatever else the title holds."""
    it = fingerprint(record("a", 1, title=f"Iron oxides{mark}lakes of Finland"))

    assert (it.words, it.breaks) == (
        ("iron", "oxides", "lakes", "of", "finland"),
        frozenset({2, 5}),
    )


@each("nobody", ["Anonymous", "[Anonymous]", "Print Edition", "ANON.", "2011", "佚名"])
def test_who_is_nobody_is_left_out_wherever_he_stands(nobody: str) -> None:
    """What stands in an author's place is no author; the others stay, in order."""
    it = fingerprint(record("a", 1, title="T", authors=["Müller, Anna", nobody, "Smith, J. 3rd"]))

    assert [author.name for author in it.authors] == [
        a.name for a in it.record.authors if a.name != nobody
    ]
    assert len(it.authors) == 2
