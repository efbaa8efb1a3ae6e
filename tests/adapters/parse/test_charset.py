"""Bytes that are not what they are said to be become text all the same, and it is told."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters.parse.bodies import charset_of, decode
from tests.cases import each
from tests.growth import MOST, growth


@each(
    ("content_type", "name"),
    [
        ("text/xml; charset=GBK", "gbk"),
        ('text/xml;charset="iso-8859-1"; x=y', "iso-8859-1"),
        ("application/json", ""),
        ("", ""),
    ],
)
def test_declared(content_type: str, name: str) -> None:
    """The charset is what the header names, without quotes and case."""
    assert name == charset_of(content_type)


@given(st.text(), st.sampled_from(["utf-8", "utf-16"]))
def test_what_is_declared_rightly_is_decoded_silently(text: str, name: str) -> None:
    """A declared encoding that fits is used, and nothing is said."""
    body = text.encode(name, "replace")

    assert (body.decode(name), None) == decode(body, [name])


def test_utf8_with_a_broken_character_stays_utf8() -> None:
    """One bad sequence among good ones is replaced; the good ones are not lost."""
    text, note = decode("Łódź, São Paulo, 東京".encode() + b"\xe6\x9d", [])

    assert "Łódź, São Paulo, 東京\ufffd" == text
    assert "1 character" in str(note)


@each(
    ("text", "charset"),
    [
        ("信息检索的研究进展", "gb18030"),
        ("Müller, Élodie: São Paulo – café", "cp1252"),
        ("Übergrößenträger", "latin-1"),
        ("A study of 信息 in Łódź", "gb18030"),
    ],
)
def test_guesses(text: str, charset: str) -> None:
    """Chinese and western European text are told apart, whatever was declared."""
    found, note = decode(text.encode(charset, "ignore"), ["utf-8", "no-such-charset"])

    assert text.encode(charset, "ignore").decode(charset) == found
    assert "guess" in str(note)


@given(st.binary(max_size=200), st.text(max_size=12))
def test_any_bytes_become_text(body: bytes, name: str) -> None:
    """Nothing raises, whatever is declared."""
    assert isinstance(decode(body, [name, "punycode", "idna", "zlib"])[0], str)


@pytest.mark.slow
def test_slow_codecs_are_not_used() -> None:
    """A header cannot choose a codec that takes quadratic time."""

    def decoding(size: int) -> Callable[[], object]:
        return partial(decode, b"\xff" + b"a" * size + b"-" + b"b" * size, ["punycode"])

    assert growth(decoding, 10_000) <= MOST
