"""Bytes to text, where no header says which encoding they are in.

A byte order mark decides; then UTF-8, if the bytes are that or nearly that; then GB 18030, if that gives Chinese as
people write it; then Windows-1252, which reads anything and is a guess. What fits no character becomes U+FFFD and is
told with its line.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from metasearch.errors import FileFormatError
from metasearch.files.reading import Problem

#: Lines with characters that could not be read that are named one by one; the others are counted.
MOST_LINES = 100
#: Characters beyond ASCII that are looked at to tell Chinese from what only decodes like it.
SAMPLE = 100_000

# The longer marks first: that of UTF-32 begins as that of UTF-16 does.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: Characters of which running Chinese and lists of titles are full.
_FREQUENT = frozenset(
    "的一是在不了有和人这中大为上个国以要时来用生到作地于出分对成会可主发年动同工能下过产种面方后多定行学法所民得经之进等部度"
    "家电力水化高自理起小物现实加量体制机当使从业本性应开合因其然前外天政日社事平形相全表间与关各重新线内数反明原利比质气系"
    "情者最立代通并提题程展果位文总式设及管特长基资流路级图统接较组见计期根论运农指区决处研究析刊报标作者论文摘要关键词来源"
)
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\ue000-\uf8ff\ufffd]")
_ASCII = re.compile(r"[\x00-\x7f]+")
_NEW_LINE = re.compile("\r\n|\r|\n")


class Decoded(NamedTuple):
    """A file's text without byte order mark, the encoding it was in, and what could not be read."""

    text: str
    encoding: str
    problems: list[Problem]


def decode(data: bytes, name: str, encoding: str | None = None) -> Decoded:
    """The text of a file.

    Args:
        data: All of it.
        name: Of the file, for messages.
        encoding: What the user says it is in; nothing is guessed then.

    Raises:
        FileFormatError: There is no encoding of that name.
    """
    if encoding is not None:
        return _decoded(data, _known(encoding, name))
    for mark, marked in _MARKS:
        if data.startswith(mark):
            return _decoded(data, marked)
    guess = _without_mark(data)
    if guess:
        return _decoded(data, guess)
    try:
        return Decoded(_trimmed(data.decode()), "utf-8", [])
    except UnicodeDecodeError:
        pass
    if _nearly_utf_8(data.decode(errors="replace")):
        return _decoded(data, "utf-8")
    chinese = _is_chinese(data.decode("gb18030", "replace"))
    found = _decoded(data, "gb18030" if chinese else "cp1252")
    shown = "GB 18030" if chinese else "Windows-1252"
    note = f"the text is not in UTF-8; it was read as {shown}, which is a guess: --encoding names another"
    return Decoded(found.text, found.encoding, [Problem(0, note), *found.problems])


def _known(encoding: str, name: str) -> str:
    advice = "Use a name such as utf-8, gb18030, big5, utf-16 or cp1252."
    try:
        b"\xe9a\x00\x00".decode(encoding, "replace")  # names such as "zip" and "idna" are no encodings of files
        found = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise FileFormatError(name, f"there is no encoding {encoding[:40]!r}", advice=advice) from None
    return "utf-8" if found == "utf-8-sig" else found


def _without_mark(data: bytes) -> str | None:
    """UTF-16 without a mark: in every other byte of tags, digits and line ends stands a zero, in the others none."""
    head = data[:4000]
    odd, even = head[1::2].count(0), head[::2].count(0)
    if not head.count(0) or 5 * max(odd, even) < len(head) // 2 or 20 * min(odd, even) > max(odd, even):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _nearly_utf_8(text: str) -> bool:
    """Whether most characters beyond ASCII are right: a damaged file, rather than one in another encoding."""
    beyond = _ASCII.sub("", text)
    broken = beyond.count("\ufffd")
    return 2 * broken <= len(beyond) - broken


def _is_chinese(text: str) -> bool:
    """Whether the characters beyond ASCII are Chinese as people write it.

    Other text decodes as GB 18030 too: Latin text into characters that nobody uses, Cyrillic, Japanese and Korean text
    into any characters, among which the most frequent ones of Chinese are rare.
    """
    han = _HAN.findall(_ASCII.sub("", text)[:SAMPLE])
    rows = "".join(han).encode("gb2312", "ignore")[::2]
    common = sum(row <= 0xD7 for row in rows)  # level 1 of GB 2312; the rare characters stand in the rows behind
    frequent = sum(char in _FREQUENT for char in han)
    return bool(han) and 2 * common >= len(han) and 8 * frequent >= len(han)


def _decoded(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(_trimmed(data.decode(encoding)), encoding, [])
    except UnicodeError:
        text = _trimmed(data.decode(encoding, "replace"))
    return Decoded(text, encoding, _unread(text, encoding))


def _trimmed(text: str) -> str:
    """Without byte order mark and the end-of-file mark of old systems."""
    return text.removeprefix("\ufeff").rstrip("\x1a")


def _unread(text: str, encoding: str) -> list[Problem]:
    problems: list[Problem] = []
    more = 0
    for number, line in enumerate(_NEW_LINE.split(text), 1):
        broken = line.count("\ufffd")
        if broken and len(problems) < MOST_LINES:
            what = f"{broken} character(s) that are not legal {encoding}; each was replaced by \ufffd"
            problems.append(Problem(number, what))
        elif broken:
            more += 1
    if more:
        problems.append(Problem(0, f"{more} more line(s) hold characters that are not legal {encoding}"))
    return problems
