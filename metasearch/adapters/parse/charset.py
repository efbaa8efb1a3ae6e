"""Bytes to text where the declared encoding is wrong or missing: UTF-8 as long as it is mostly
that, else a guess.

Only bodies that begin with a byte order mark, or that their own parser has refused, come here.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable

# Python knows more codecs than the web does, and some, such as Punycode, take quadratic time.
_KNOWN = re.compile(
    r"utf-?(?:8|16|32)|(?:us-)?ascii|iso-?8859|latin|windows-|cp\d|gb|big5|euc-|shift_jis|koi8|mac"
)
_UTF_8_MARKS = re.compile(rb"(?:\xef\xbb\xbf)++")
_HIGH = re.compile(rb"[\x80-\xff]+")

UTF_8_MARK = codecs.BOM_UTF8
# The longer first: UTF-32's mark begins as UTF-16's does.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARATION = re.compile(r"\s*<\?xml[^<>]*\?>")


def unmarked(body: bytes) -> bytes:
    """The body without byte order marks; UTF-16 and UTF-32 become UTF-8. The same object where
    there is no mark.

    An XML declaration of such a body goes too, for the encoding that it names is no longer true.
    """
    if (marked := _UTF_8_MARKS.match(body)) is not None:
        body = body[marked.end() :]
    for mark, name in _MARKS:
        if body.startswith(mark):
            text = body.decode(name, "replace").lstrip("\ufeff")
            return (
                _DECLARATION.sub("", text, count=1).encode()
                if _DECLARATION.match(text)
                else text.encode()
            )
    return body


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
        return text, f"{broken} character(s) of the answer are not legal UTF-8; they were replaced"
    runs = [len(run) for run in _HIGH.findall(body)]
    if 2 * sum(length for length in runs if length > 1) > sum(runs):
        try:
            return body.decode("gb18030"), _guessed("GB 18030")
        except UnicodeDecodeError:
            pass
    return body.decode("cp1252", "replace"), _guessed("Windows-1252")


def _guessed(name: str) -> str:
    return (
        f"the answer is not in the encoding that it declares; it was read as {name}, which is "
        f"a guess"
    )
