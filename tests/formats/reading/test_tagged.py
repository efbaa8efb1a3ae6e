"""The engine for tagged lines: where fields and records begin and end, and what is told."""

from __future__ import annotations

import pytest

from metasearch.formats.reading import FileReading
from metasearch.formats.reading.encodings import FileText
from metasearch.formats.reading.tagged import Block, blocks, join_lines
from metasearch.formats.ris import grammar
from tests.cases import each
from tests.formats.reading.samples import read, told
from tests.growth import MOST, growth


def ris(text: str) -> tuple[list[Block], FileReading]:
    reading = FileReading("a.ris", "ris", "utf-8")
    return list(blocks(FileText.plain(text), grammar(FileText.plain(text)), reading)), reading


@each("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_three_ways(end: str) -> None:
    """Numbers of lines are those that an editor shows."""
    found, _ = ris(
        end.join(["TY  - JOUR", "", "TI  - a", "b", "ER  - ", "TY  - BOOK", "TI  - c", "ER  - "])
    )

    assert [block.line for block in found] == [1, 6]
    assert found[0].fields[1].line == 3
    assert found[0].value("TI") == "a b"


def test_a_form_feed_a_mark_or_a_blank_before_a_tag_is_no_part_of_it() -> None:
    """Files that were put together, printed or pasted."""
    found, reading = ris(
        "\ufeffTY  - JOUR\n  TI  - a\nER  - \n\x0c\ufeffTY  - JOUR\n\u200bTI  - b\nER  - \n\x1a"
    )

    assert [block.value("TI") for block in found] == ["a", "b"]
    assert reading.problems == []


def test_lines_are_joined_as_their_script_is_written() -> None:
    """A blank between Latin words, none between Chinese characters."""
    assert join_lines(["one", "two"]) == "one two"
    assert join_lines(["湖泊中", "的铁"]) == "湖泊中的铁"
    assert join_lines(["湖泊 Fe", "中", "", "iron"]) == "湖泊 Fe 中 iron"
    assert join_lines([]) == ""


def test_values_lines_and_the_first_value() -> None:
    """Tags are asked in the order of the call; empty fields do not count."""
    found, _ = ris("TY  - JOUR\nJO  - \nKW  - a\nb\nJF  - c\nKW  - d\nER  - ")
    (block,) = found

    assert block.value("JO", "JF") == "c"
    assert block.values("KW") == ["a b", "d"]
    assert block.lines("KW") == ["a", "b", "d"]
    assert block.value("XX") == ""


def test_a_missing_end_is_told_and_the_record_kept() -> None:
    """Before the next record, and at the end of a file that was cut."""
    found, reading = ris("TY  - JOUR\nTI  - a\n\nTY  - JOUR\nTI  - b\n")

    assert len(found) == 2
    assert told(reading) == [
        (1, "ER is missing before the next record begins in line 4; the record was kept"),
        (4, "the file ends inside this record: ER is missing; it was kept as far as it goes"),
    ]


def test_a_missing_beginning_is_told_and_the_record_kept() -> None:
    found, reading = ris("TI  - a\nER  - \nAU  - b\nTI  - c\n\nTI  - d\nER  - ")

    assert [block.value("TI") for block in found] == ["a", "c", "d"]
    assert [line for line, message in told(reading) if "does not begin as records" in message] == [
        1,
        3,
        6,
    ]


def test_fields_behind_the_end_belong_to_the_record() -> None:
    """Ovid writes NL there; it is nobody else's."""
    found, reading = ris("TY  - JOUR\nTI  - a\nER  - \nNL  - J Mud\n\nTY  - JOUR\nTI  - b\nER  - ")

    assert found[0].value("NL") == "J Mud"
    assert len(found) == 2
    assert reading.problems == []


def test_text_between_records_is_counted() -> None:
    """One problem for a file, not one a line."""
    _, reading = ris("hello\nworld\nTY  - JOUR\nTI  - a\nER  - \n\nbye\n")

    assert told(reading) == [
        (1, "3 line(s) outside of any record were ignored, of which this is the first")
    ]


def test_two_titles_are_told() -> None:
    """Where both the end of one record and the beginning of the next are damaged."""
    _, reading = ris("TY  - JOUR\nTI  - a\nE?  - \nT?  - JOUR\nTI  - b\nER  - ")

    assert told(reading) == [
        (5, "TI stands more than once in the record of line 1: two may have run together")
    ]


def test_a_blank_line_and_a_field_that_comes_again_part_records() -> None:
    """In formats whose records have no end, where the tag that begins one is damaged."""
    reading = read("PMID- 1\nOWN - NLM\nTI  - a\nSO  - x\n\nPM?D- 2\nOWN - NLM\nTI  - b\n", "nbib")

    assert [record.title for record in reading.records] == ["a", "b"]
    assert told(reading) == [(7, "the record has no PMID")]
    reading = read("%0 Book\n%T a\n%A b\n\n%A c\n%T d\n", "endnote-tagged")

    assert [record.title for record in reading.records] == ["a", "d"]
    assert [line for line, message in told(reading) if "does not begin" in message] == [5]


def test_a_field_of_too_many_lines_is_told_once() -> None:
    """However its characters are spread over lines."""
    for lines in (
        ("a" * 999 + "\n") * 1_001,
        ("a" * 99_999 + "\n") * 11,
        "a" * 1_000_001 + "\nb\nc\n",
    ):
        _, reading = ris("TY  - JOUR\nTI  - a\nAB  - \n" + lines + "ER  - ")

        assert told(reading) == [
            (3, "AB holds more than 1,000,000 characters; the rest of it was left out")
        ]
    assert ris("TY  - JOUR\nTI  - a\nAB  - " + "a" * 999_999 + "\nER  - ")[1].problems == []


def test_lines_of_an_empty_text() -> None:
    assert list(FileText.plain("").lines(10)) == [""]
    assert ris("")[0] == []


# --------------------------------------------------------------------------- where a type stands

#: A record without its type, and the line for the type.
_RECORDS = {
    "ris": (("TI  - One", "AU  - Byron, Ada", "PY  - 2001"), "TY  - JOUR"),
    "endnote-tagged": (("%T One", "%A Byron, Ada", "%D 2001"), "%0 Journal Article"),
    "refworks": (("T1 One", "A1 Byron, Ada", "YR 2001"), "RT Journal Article"),
    "noteexpress": (
        ("{Title}: One", "{Author}: Byron, Ada", "{Year}: 2001"),
        "{Reference Type}: Journal Article",
    ),
}
_ENDS = {"ris": "ER  - "}


def _file(form: str, place: int, *, between: str, end: bool) -> str:
    """Three records whose type stands in this place."""
    records = []
    for title, name, year in (
        ("One", "Byron", "2001"),
        ("Two", "Stone", "2002"),
        ("Three", "Reed", "2003"),
    ):
        fields, kind = _RECORDS[form]
        lines = [
            line.replace("One", title).replace("Byron", name).replace("2001", year)
            for line in fields
        ]
        lines.insert(place, kind)
        records.append("\n".join([*lines, *([_ENDS[form]] if end and form in _ENDS else [])]))
    return f"\n{between}".join(records) + "\n"


@each("form", _RECORDS)
@each("place", [0, 1, 2, 3])
@each("between", ["", "\n", "\n\n"])
@each("end", [True, False])
def test_a_record_is_one_wherever_its_type_stands(
    form: str, place: int, between: str, *, end: bool
) -> None:
    """Apart by ends, by blank lines, or by nothing but tags that come again."""
    reading = read(_file(form, place, between=between, end=end), form)

    assert [
        (one.title, [author.family for author in one.authors], one.year, one.type)
        for one in reading.records
    ] == [
        ("One", ["Byron"], 2001, "article"),
        ("Two", ["Stone"], 2002, "article"),
        ("Three", ["Reed"], 2003, "article"),
    ]


@each("place", [0, 1, 3])
def test_a_blank_line_between_any_two_lines_parts_nothing(place: int) -> None:
    text = _file("ris", place, between="", end=True).replace("\n", "\n\n")

    assert [one.title for one in read(text, "ris").records] == ["One", "Two", "Three"]


def test_a_record_without_type_is_no_part_of_its_neighbours() -> None:
    """Whichever of its fields comes first."""
    for lines in (("%T Two", "%B Mud"), ("%B Mud", "%T Two"), ("%D 1999", "%B Mud", "%T Two")):
        text = "\n\n".join(
            ("%T One\n%0 Book\n%A Byron, Ada", "\n".join(lines), "%T Three\n%0 Book\n%D 2003")
        )
        records = read(text, "endnote-tagged").records

        assert [one.title for one in records] == ["One", "Two", "Three"]
        assert [len(one.authors) for one in records] == [1, 0, 0]
        assert records[1].venue == "Mud"


@each("between", ["", "\n"])
def test_each_record_may_begin_with_another_tag(between: str) -> None:
    """In a file whose first record does not begin with its type, or where blank lines stand."""
    records = ("PY  - 2001\nTY  - JOUR\nTI  - One", "KW  - mud\nTY  - JOUR\nTI  - Two")
    found = read(between.join(f"{one}\nER  - \n" for one in records), "ris").records

    assert [(one.title, one.year, one.keywords) for one in found] == [
        ("One", 2001, ()),
        ("Two", None, ("mud",)),
    ]


def test_a_blank_line_within_a_record_parts_nothing() -> None:
    """Neither before a field nor within an abstract."""
    text = (
        "TY  - JOUR\nTI  - One\n\nAU  - Byron, Ada\nAB  - Lakes.\n\nRivers.\n\nPY  - 2001\nER  - \n"
    )
    (one,) = read(text, "ris").records

    assert (one.title, len(one.authors), one.abstract, one.year) == (
        "One", 1, "Lakes. Rivers.", 2001,
    )  # fmt: skip


def test_lines_of_several_tags_are_in_the_order_of_the_file() -> None:
    """What two programs said twice counts once; two namesakes are two."""
    (block,), _ = ris("TY  - JOUR\nA1  - c\nAU  - a\nA1  - b\nAU  - a\nAU  - c\nER  - ")

    assert block.lines("AU", "A1") == ["c", "a", "b", "a"]
    assert block.values("AU", "A1") == ["a", "a", "c", "c", "b"]


@each(
    ("form", "text", "tag"),
    [
        ("ris", "TY  - JOUR\nTI  - One\nXQ  - own\nER  - ", "XQ"),
        ("ris", "TY - JOUR\nTI - One\nXQ - own\nER - ", "XQ"),
        ("endnote-tagged", "%0 Book\n%T One\n%5 own", "%5"),
        ("refworks", "RT Book, Whole\nT1 One\nPB Shore\nXQ Own", "XQ"),
        ("noteexpress", "{Reference Type}: Book\n{Title}: One\n{Shelf}: own", "Shelf"),
        ("cnki", "DataType: 1\nTitle-题名: One\nShelf-书架: own", "Shelf"),
        ("wos", "FN x\nPT J\nTI One\nIS 2\nXQ Own\nPU Shore\nER\nEF", "XQ"),
    ],
)
def test_an_unknown_tag_is_told_and_stands_beside_the_record(
    form: str, text: str, tag: str
) -> None:
    """It is no continuation of the field before."""
    reading = read(text, form)

    (entry,) = reading.entries
    assert [value.lower() for _, value in entry.given] == ["own"]
    assert (entry.record.title, entry.record.issue) == ("One", "2" if form == "wos" else None)
    (message,) = (message for _, message in told(reading) if "the tag" in message)
    assert message.startswith(f"this line holds the tag {tag}, which ")


def test_unknown_tags_are_counted() -> None:
    text = "TY  - JOUR\nTI  - a\nXQ  - b\nER  - \n" * 3

    what = "3 lines, first this one, hold the tag XQ, which RIS is not known to have; kept beside"

    assert told(read(text, "ris")) == [(3, f"{what} the record")]


def test_a_second_value_stands_beside_the_record() -> None:
    """Of what a record has once."""
    (entry,) = read(
        "TY  - BOOK\nTI  - a\nPB  - Shore\nPB  - England\nLA  - en\nLA  - fr\nER  - "
    ).entries

    assert entry.record.publisher == "Shore"
    assert entry.given == (("PB", "England"), ("LA", "fr"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "lines",
    [
        "TI  - a\n\n",
        "KW  - a\n\nAU  - b\n\n",
        "AU  - a\nTY  - JOUR\n",
        "AU  - a\nKW  - b\n",
        "TY  - JOUR\n\nKW  - b\n",
        "XQ  - a\n\n",
    ],
)
def test_no_order_of_lines_takes_more_than_linear_time(lines: str) -> None:
    """Neither fields that may be of the next record, nor those that are moved into it."""
    head = "AU  - a\nKW  - b\nTY  - JOUR\nTI  - c\n"

    assert growth(lambda size: lambda: ris(head + lines * size), 2_000) <= MOST
