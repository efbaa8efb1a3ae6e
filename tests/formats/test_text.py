"""The edge: nothing that could harm a terminal, a parser or a reader leaves it."""

from __future__ import annotations

import doctest
import unicodedata

from hypothesis import given

from metasearch.formats import text
from metasearch.formats.text import ascii_url, clean, clean_or_none, line, web_url
from tests.cases import each
from tests.formats.samples import hostile, properties


@properties
@given(hostile)
def test_cleaned_text_can_be_shown_and_encoded(dirty: str) -> None:
    """Only tab and newline remain of the control characters, no bidi control remains, and UTF-8 can
    carry the rest."""
    shown = clean(dirty)

    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n"]
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert shown.encode().decode() == shown
    assert clean(shown) == shown


@properties
@given(hostile)
def test_a_line_is_one_line(dirty: str) -> None:
    """No reader's idea of a line break splits it, and it neither begins nor ends with white
    space."""
    shown = line(dirty)

    assert len(shown.splitlines()) <= 1
    assert shown == shown.strip()


def test_ordinary_text_is_returned_as_it_is() -> None:
    """What is clean is not copied, whatever its script."""
    for kept in ("Deep learning", "深度学习", "שלום", "naïve — “quoted”", "two\nlines\tand a tab"):
        assert clean(kept) is kept


def test_line_breaks_of_any_kind_still_part_words() -> None:
    """Control characters that break lines become a newline instead of gluing words together."""
    assert clean("a\r\nb\rc\x0bd\x85e") == "a\nb\nc\nd\ne"


def test_nothing_is_none() -> None:
    """Absent, empty and wholly unwanted text are all None."""
    assert [clean_or_none(it) for it in (None, "", "\x00\u202e")] == [None, None, None]
    assert line(None) == ""


@each(
    "refused",
    [
        None,
        "",
        "javascript:alert(1)",
        "JaVaScRiPt://example.org/%0aalert(1)",
        "data:text/html,x",
        "ftp://example.org/x",
        "//example.org/x",
        "/relative",
        "http://",
        "http:///path",
        "https://exa\u202emple.org/",
        "https://example.org/\x1b[31m",
        "https://example.org/\nx",
    ],
)
def test_only_web_addresses_become_links(refused: str | None) -> None:
    """Other schemes, addresses without a host and addresses with control characters are no
    addresses."""
    assert web_url(refused) is None


@each(
    ("given_url", "expected"),
    [
        ("https://example.org/a?b=c&d=%20#e", "https://example.org/a?b=c&d=%20#e"),
        ("HTTP://Example.org", "HTTP://Example.org"),
        ("http://[2001:db8::1]/x", "http://[2001:db8::1]/x"),
        (' https://example.org/a b"<{', "https://example.org/a%20b%22%3C%7B"),
        ("https://example.org/论文", "https://example.org/论文"),
    ],
)
def test_web_addresses_pass(given_url: str, expected: str) -> None:
    """Addresses keep their form; characters that no address may hold are encoded."""
    assert web_url(given_url) == expected


def test_ascii_addresses() -> None:
    """Letters outside ASCII are percent-encoded, escapes that are there already stay."""
    assert ascii_url("https://example.org/论%20") == "https://example.org/%E8%AE%BA%20"


def test_examples_hold() -> None:
    """The examples in the docstrings are true."""
    assert doctest.testmod(text).failed == 0
