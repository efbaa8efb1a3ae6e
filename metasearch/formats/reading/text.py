"""Bytes to text, where no header names their encoding.

A byte order mark decides; then UTF-8, if the bytes are that or nearly that; then GB 18030, if that
gives Chinese as people write it; then Windows-1252, which reads anything and is a guess. What fits
no character becomes U+FFFD and is told with its line.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from metasearch.errors import FileFormatError
from metasearch.formats.reading.result import FileProblem

#: Lines with characters that could not be read that are named one by one; the others are counted.
MOST_LINES = 100
#: Characters beyond ASCII that are looked at to tell Chinese from what only decodes like it.
SAMPLE = 100_000
#: Bytes at the beginning by which UTF-16 without a mark is detected.
_HEAD = 4_000
_PIECE = 1 << 16

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


class Found(NamedTuple):
    """The encoding of a file. `legal`: whether every byte is legal in it."""

    encoding: str
    legal: bool
    notes: list[FileProblem]


class Decoded(NamedTuple):
    """A file's text without byte order mark, the encoding it was in, and what could not be read."""

    text: str
    encoding: str
    problems: list[FileProblem]


#: Gives the bytes of a file in blocks, from the beginning, as often as it is called.
Blocks = Callable[[], Iterable[bytes]]


def decode(data: bytes, name: str, encoding: str | None = None) -> Decoded:
    """The text of bytes at hand. Raises FileFormatError: there is no encoding of the name."""

    def blocks() -> Iterable[bytes]:
        return (data,)

    found = find(blocks, name, encoding)
    text = "".join(decoded(blocks, found.encoding))
    return Decoded(
        text,
        found.encoding,
        [*found.notes, *([] if found.legal else unread([text], found.encoding))],
    )


def find(blocks: Blocks, name: str, encoding: str | None = None) -> Found:
    """The encoding of a file, which is read up to five times for that. `blocks`: its bytes. Raises
    FileFormatError: there is no encoding of that name.
    """
    if encoding is not None:
        known = _known(encoding, name)
        return Found(known, _is_legal(blocks, known), [])
    head = b""
    for block in blocks():
        head += block
        if len(head) >= _HEAD:
            break
    marked = next(
        (encoding for mark, encoding in _MARKS if head.startswith(mark)), None
    ) or _without_mark(head[:_HEAD])
    if marked:
        return Found(marked, _is_legal(blocks, marked), [])
    if _is_legal(blocks, "utf-8"):
        return Found("utf-8", True, [])
    if _nearly_utf_8(_pieces(blocks, "utf-8")):
        return Found("utf-8", False, [])
    guess = "gb18030" if _is_chinese(_pieces(blocks, "gb18030")) else "cp1252"
    shown = "GB 18030" if guess == "gb18030" else "Windows-1252"
    note = (
        f"the text is not in UTF-8; it was read as {shown}, which is a guess: --encoding names "
        f"another"
    )
    return Found(guess, _is_legal(blocks, guess), [FileProblem(0, note)])


def decoded(blocks: Blocks, encoding: str) -> Iterator[str]:
    """The text piece by piece, without byte order mark and the end-of-file marks of old systems;
    what is not legal is U+FFFD.
    """
    first, marks = True, 0
    for piece in _pieces(blocks, encoding):
        if first and piece:
            piece, first = piece.removeprefix("\ufeff"), False
        bare = piece.rstrip("\x1a")
        if marks and bare:
            yield from ("\x1a" * min(_PIECE, marks - start) for start in range(0, marks, _PIECE))
            marks = 0
        marks += len(piece) - len(bare)
        if bare:
            yield bare


def unread(pieces: Iterable[str], encoding: str) -> list[FileProblem]:
    """A problem for each line that holds what is not legal; many are counted."""
    problems: list[FileProblem] = []
    number, more, broken, ended = 1, 0, 0, ""

    def tell() -> None:
        nonlocal more
        if broken and len(problems) < MOST_LINES:
            what = (
                f"{broken} character(s) that are not legal {encoding}; each was replaced by \ufffd"
            )
            problems.append(FileProblem(number, what))
        elif broken:
            more += 1

    for piece in pieces:
        if ended == "\r" and piece[:1] == "\n":
            number -= 1  # one end of a line, of which the piece before had the first half
        if "\ufffd" not in piece and not broken:
            number += len(_NEW_LINE.findall(piece))
        else:
            for index, line in enumerate(_NEW_LINE.split(piece)):
                if index:
                    tell()
                    number, broken = number + 1, 0
                broken += line.count("\ufffd")
        ended = piece[-1:]
    tell()
    if more:
        problems.append(
            FileProblem(0, f"{more} more line(s) hold characters that are not legal {encoding}")
        )
    return problems


def _pieces(blocks: Blocks, encoding: str, errors: str = "replace") -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    for block in blocks():
        yield decoder.decode(block)
    yield decoder.decode(b"", final=True)


def _is_legal(blocks: Blocks, encoding: str) -> bool:
    try:
        for _ in _pieces(blocks, encoding, "strict"):
            pass
    except UnicodeError:
        return False
    return True


def _known(encoding: str, name: str) -> str:
    advice = "Use a name such as utf-8, gb18030, big5, utf-16 or cp1252."
    try:
        b"\xe9a\x00\x00".decode(
            encoding, "replace"
        )  # names such as "zip" and "idna" are no encodings of files
        codecs.getincrementaldecoder(encoding)
        found = codecs.lookup(encoding).name
        # From Python 3.13 on, Punycode reads what is none; it takes quadratic time.
        if found == "punycode":
            raise LookupError
    except (LookupError, ValueError):
        raise FileFormatError(
            name, f"there is no encoding {encoding[:40]!r}", advice=advice
        ) from None
    return "utf-8" if found == "utf-8-sig" else found


def _without_mark(head: bytes) -> str | None:
    """UTF-16 without a mark: of tags, digits and line ends every other byte is a zero."""
    odd, even = head[1::2].count(0), head[::2].count(0)
    if (
        not head.count(0)
        or 5 * max(odd, even) < len(head) // 2
        or 20 * min(odd, even) > max(odd, even)
    ):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _nearly_utf_8(pieces: Iterable[str]) -> bool:
    """Whether most characters beyond ASCII are right: damaged, not in another encoding."""
    beyond = broken = 0
    for piece in pieces:
        beyond += len(_ASCII.sub("", piece))
        broken += piece.count("\ufffd")
    return 2 * broken <= beyond - broken


def _is_chinese(pieces: Iterable[str]) -> bool:
    """Whether the characters beyond ASCII are Chinese as people write it.

    Other text decodes as GB 18030 too: Latin text into characters that are not in use, Cyrillic,
    Japanese and Korean text into any characters, among which the most frequent ones of Chinese are
    rare.
    """
    sample = ""
    for piece in pieces:
        sample += _ASCII.sub("", piece)
        if len(sample) >= SAMPLE:
            break
    han = _HAN.findall(sample[:SAMPLE])
    rows = "".join(han).encode("gb2312", "ignore")[::2]
    common = sum(
        row <= 0xD7 for row in rows
    )  # level 1 of GB 2312; the rare characters stand in the rows behind
    frequent = sum(char in _FREQUENT for char in han)
    return bool(han) and 2 * common >= len(han) and 8 * frequent >= len(han)
