"""A line of a file of pins: what a name may look like, where words end, and what is a reason."""

from __future__ import annotations

import pytest

from metasearch.bib.work_ids import read_name
from metasearch.dedup.pins import Pin, name_to_type, read_line
from tests.cases import each


@each(
    ("text", "name"),
    [
        ("10.1000/ABC", "doi:10.1000/abc"),
        ("doi:10.1000/abc", "doi:10.1000/abc"),
        ("DOI: 10.1000/abc", "doi:10.1000/abc"),
        ("https://doi.org/10.1000/abc", "doi:10.1000/abc"),
        ("http://dx.doi.org/10.1000%2Fabc", "doi:10.1000/abc"),
        (
            "10.1002/(SICI)1097(1998)4:4<3::AID-J2>3.0.CO;2-#",
            "doi:10.1002/(sici)1097(1998)4:4<3::aid-j2>3.0.co;2-#",
        ),
        ("PMID:123", "pmid:123"),
        ("pmcid:PMC12", "pmcid:pmc12"),
        ("arXiv:2104.12255v2", "arxiv:2104.12255"),
        ("isbn:0-306-40615-2", "isbn:9780306406157"),
        ("openalex:W12", "openalex:W12"),
        ("crossref:10.1000/Abc", "crossref:10.1000/Abc"),
        ("my export.ris:@3", "my export.ris:@3"),
    ],
)
def test_names(text: str, name: str) -> None:
    """DOIs and well-known identifiers have one form; keys of records are kept to the letter."""
    assert read_name(text) == name


@each("text", ["", "abc", ":1", "pmid:", "10.x/abc", "doi:abc", "https://example.org/1", "a:\x00b"])
def test_what_is_no_name(text: str) -> None:
    """The message shows what was given."""
    with pytest.raises(ValueError) as raised:
        read_name(text)
    assert repr(text) in str(raised.value)


def test_a_doi_is_shown_as_it_is_typed() -> None:
    """The prefix is ours."""
    assert name_to_type(read_name("https://doi.org/10.1000/ABC")) == "10.1000/abc"


@each(
    ("line", "names", "reason"),
    [
        ("same a:1 b:2", ("a:1", "b:2"), ""),
        ("  SAME\ta:1   b:2  ", ("a:1", "b:2"), ""),
        ("same a:1 b:2 # it's one", ("a:1", "b:2"), "it's one"),
        ("same a:1 b:2 #one\t work", ("a:1", "b:2"), "one work"),
        ("same a:1#x b:2#", ("a:1#x", "b:2#"), ""),
        ('same "my file.ris:1" b:2', ("my file.ris:1", "b:2"), ""),
        ("same 'a # b.ris:1' b:2 # so", ("a # b.ris:1", "b:2"), "so"),
        ("""same 'a"b:1' b:2""", ('a"b:1', "b:2"), ""),
        ('same "C\\x.ris:1" b:\\2', ("C\\x.ris:1", "b:\\2"), ""),
        ('same my" "file:1 b:2', ("my file:1", "b:2"), ""),
    ],
)
def test_lines(line: str, names: tuple[str, ...], reason: str) -> None:
    """Blanks part names, quotation marks hold them together, and # begins a comment only where a
    word could begin."""
    assert read_line(line, 3, "pins.txt") == Pin("same", names, 3, "pins.txt", reason)


@each("line", ["", "  \t ", "\r", "# nothing", "  #"])
def test_lines_that_say_nothing(line: str) -> None:
    """Blank ones and comments."""
    assert read_line(line, 1, "pins.txt") is None


@each(
    ("line", "reason"),
    [
        ("smae a:1 b:1", "begins with 'smae'"),
        ("same a:1", "two names or more"),
        ("different", "two names or more"),
        ("same a:1 nobody", "'nobody' is neither"),
        ("same 'a:1 b:1", "never closed"),
        ("same doi:10.1000/X 10.1000/x", "names 10.1000/x twice"),
    ],
)
def test_lines_that_cannot_be_read(line: str, reason: str) -> None:
    """What is wrong, in words."""
    with pytest.raises(ValueError, match=reason):
        read_line(line, 1, "pins.txt")
