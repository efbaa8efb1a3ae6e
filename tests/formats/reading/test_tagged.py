"""The engine for tagged lines: where fields and records begin and end, and what is told."""

from __future__ import annotations

import pytest

from metasearch.formats.reading import FileReading
from metasearch.formats.reading.tagged import Block, blocks, joined
from metasearch.formats.reading.text import DecodedText
from metasearch.formats.ris import grammar
from tests.formats.reading.samples import read, told


def ris(text: str) -> tuple[list[Block], FileReading]:
    reading = FileReading("a.ris", "ris", "utf-8")
    return list(blocks(DecodedText.plain(text), grammar(DecodedText.plain(text)), reading)), reading


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
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
    assert joined(["one", "two"]) == "one two"
    assert joined(["湖泊中", "的铁"]) == "湖泊中的铁"
    assert joined(["湖泊 Fe", "中", "", "iron"]) == "湖泊 Fe 中 iron"
    assert joined([]) == ""


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
    assert list(DecodedText.plain("").lines(10)) == [""]
    assert ris("")[0] == []
