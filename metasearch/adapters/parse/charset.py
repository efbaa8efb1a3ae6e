"""Characters that a parser does not take: in a wrong encoding, illegal, or named as in HTML.

Only bodies that a parser has refused come here, and XML with a DOCTYPE.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.entities import html5

from metasearch.late_pattern import late_pattern
from metasearch.message import message

# Python knows more codecs than the web does, and some, such as Punycode, take quadratic time.
_KNOWN = late_pattern(
    r"utf-?(?:8|16|32)|(?:us-)?ascii|iso-?8859|latin|windows-|cp\d|gb|big5|euc-|shift_jis|koi8|mac"
)
_HIGH = late_pattern(rb"[\x80-\xff]+")


_ILLEGAL = late_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_XML_ENCODING = late_pattern(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)""")
_NAMED = late_pattern(rb"&([A-Za-z][A-Za-z0-9]{1,31});")
_XML_NAMES = frozenset((b"lt", b"gt", b"amp", b"quot", b"apos"))


def declared(content_type: str) -> str:
    """The charset that a `Content-Type` names; "" where it names none."""
    return content_type.lower().partition("charset=")[2].partition(";")[0].strip("\"' ")


def decoded(body: bytes, names: Iterable[str]) -> tuple[str, str | None]:
    """The text of a body, and what had to be done for it; None where UTF-8 or a declared encoding
    simply fits.

    Bytes that fit none are read as UTF-8 with replacements where most sequences are right, as GB
    18030 where bytes above ASCII come in pairs, as Chinese has them, and as Windows-1252 (ISO
    8859-1 and more) otherwise.
    """
    for name in dict.fromkeys(
        (*(name.lower() for name in names if _KNOWN.match(name.lower())), "utf-8")
    ):
        try:
            return body.decode(name), None
        except (UnicodeDecodeError, LookupError):
            continue
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if 2 * broken <= len(re.findall(r"[^\x00-\x7f\ufffd]", text)):
        note = message(
            "{number} character(s) of the answer are not legal UTF-8; they were replaced",
            number=broken,
        )
        return text, note
    runs = [len(run) for run in _HIGH.findall(body)]
    if 2 * sum(length for length in runs if length > 1) > sum(runs):
        try:
            return body.decode("gb18030"), _guessed("GB 18030")
        except UnicodeDecodeError:
            pass
    return body.decode("cp1252", "replace"), _guessed("Windows-1252")


def _guessed(name: str) -> str:
    return message(
        "the answer is not in the encoding that it declares; it was read as {name}, "
        "which is a guess",
        name=name,
    )


def named_characters(body: bytes) -> bytes:
    """HTML's `&ouml;` as `&#246;`: no DTD is ever loaded. Entities of the body's own stay."""
    if b"<!ENTITY" in body:
        return body

    def number(match: re.Match[bytes]) -> bytes:
        character = html5.get(f"{match[1].decode()};") if match[1] not in _XML_NAMES else None
        return b"".join(b"&#%d;" % ord(c) for c in character) if character else match[0]

    return _NAMED.sub(number, body)


def legal_xml(body: bytes, content_type: str) -> tuple[bytes, str]:
    """The body without what XML forbids, itself where that changes nothing; and what was done."""
    named = named_characters(body)
    named_encoding = _XML_ENCODING.match(named[:200])
    text, note = decoded(
        named, [named_encoding[1].decode() if named_encoding else "", declared(content_type)]
    )
    legal = _ILLEGAL.sub("", text)
    if legal.startswith("<?xml"):
        legal = legal.partition("?>")[2]
    encoded = legal.encode("utf-8", "replace")
    return encoded, note or message(
        "the answer held characters that are not legal; they were replaced"
    )
