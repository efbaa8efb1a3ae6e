"""Bytes to text, piece by piece, where no header names their encoding."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

from metasearch.errors import FileFormatError
from metasearch.formats.reading.result import FileProblem

# Bytes to text, where no header names their encoding. A byte order mark decides; then UTF-8, if the
# bytes are that or nearly that; then GB 18030, if that gives Chinese as people write it; then
# Windows-1252, which reads anything and is a guess. What fits no character becomes U+FFFD and is
# told with its line.

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


# The text of a file, piece by piece: what a reader does not keep is forgotten.

#: Characters of a text that is held as a whole, where its format permits nothing else: for a moment
#: it is there twice.
MOST_WHOLE = 200_000_000


#: Lines that are empty, many of them in a row, which all begin at the beginning of a line.
_MANY = "\n" * 4
_EMPTY = re.compile(r"((?:(?<=\n)|\A)\n{4,})")


class Bytes(Protocol):
    """Reads the bytes of a file (`files.py`)."""

    name: str

    def blocks(self) -> Iterator[bytes]:
        """From the beginning, whenever it is called."""
        ...


class DecodedText:
    """The text of a file, without byte order mark; it is read from its beginning whenever a reader
    asks.

    `name`: what the file is called in errors. `problems`: that the encoding is a guess, and what is
    not legal in it.
    """

    def __init__(self, blocks: Blocks, name: str, found: Found) -> None:
        self._blocks = blocks
        self.name = name
        self.encoding = found.encoding
        self.problems: list[FileProblem] = [
            *found.notes,
            *([] if found.legal else unread(self.pieces(), self.encoding)),
        ]

    @classmethod
    def of(cls, content: Bytes, encoding: str | None = None) -> DecodedText:
        """The text of a file.

        `content`: its bytes. `encoding`: what the user says it is in; it is guessed if None. Raises
        FileFormatError: there is no encoding of that name, or the bytes cannot be read.
        """
        return cls(content.blocks, content.name, find(content.blocks, content.name, encoding))

    @classmethod
    def plain(cls, text: str, name: str = "") -> DecodedText:
        """A text that is at hand."""
        return cls(
            lambda: (text.encode(errors="surrogatepass"),),
            name,
            Found("utf-8", legal=True, notes=[]),
        )

    def pieces(self) -> Iterator[str]:
        """The text in pieces, as they come."""
        return decoded(self._blocks, self.encoding)

    def lines(self, longest: int) -> Iterator[str]:
        r"""The lines without their ends, which may be "\n", "\r\n" or "\r"; at least one, which may
        be empty.

        `longest`: of a longer line so many characters are given, and one more, by which it can be
        told.
        """
        return cut(self._unified(), longest)

    def numbered(self, longest: int) -> Iterator[tuple[int, str]]:
        """The lines of `lines`, numbered from 1; of many empty ones in a row only the first."""
        number = 1
        for stretch in self.stretches(longest + 1):
            for part in _EMPTY.split(stretch) if _MANY in stretch else (stretch,):
                if part.startswith(_MANY):
                    yield number, ""
                    number += len(part)
                    continue
                lines = part.split("\n")
                last = lines.pop()  # it has no end: empty, or the last line of the text
                for line in lines:
                    yield number, line if len(line) <= longest else line[: longest + 1]
                    number += 1
                if last:
                    yield number, last[: longest + 1]

    def stretches(self, longest: int) -> Iterator[str]:
        r"""The text in pieces that end where lines do, which is always "\n" here, for patterns that
        look for lines.

        `longest`: of a line that goes over several pieces, about so many characters are given.
        """
        rest = ""
        for piece in self._unified():
            end = piece.rfind("\n") + 1
            if end:
                yield rest + piece[:end]
                rest = ""
            rest += piece[end : end + max(0, longest - len(rest))]
        yield rest

    def head(self, size: int) -> str:
        """Its first characters."""
        found = ""
        for piece in self.pieces():
            found += piece
            if len(found) >= size:
                break
        return found[:size]

    def whole(self) -> str:
        """All of it. Raises FileFormatError: it has more than `MOST_WHOLE` characters."""
        size = 0
        for piece in self.pieces():  # once to count: what is refused costs no memory
            size += len(piece)
            if size > MOST_WHOLE:
                message = (
                    f"it holds more than {MOST_WHOLE:,} characters, and a file of this "
                    f"format is held as a whole"
                )
                raise FileFormatError(self.name, message, advice="Divide it into several files.")
        return "".join(self.pieces())

    def _unified(self) -> Iterator[str]:
        """Pieces in which every line ends in one way."""
        decoder = io.IncrementalNewlineDecoder(None, translate=True)
        for piece in self.pieces():
            yield decoder.decode(piece)
        yield decoder.decode("", final=True)


def cut(pieces: Iterable[str], longest: int) -> Iterator[str]:
    r"""The lines, ending in "\n", of a text in pieces; `longest` + 1 characters each at most."""
    parts: list[str] = []
    size = 0
    for piece in pieces:
        head, *rest = piece.split("\n")
        if size <= longest:
            parts.append(head[: longest + 1 - size])
        size += len(head)
        if not rest:
            continue
        yield "".join(parts)
        last = rest.pop()
        for line in rest:
            yield line if len(line) <= longest else line[: longest + 1]
        parts, size = [last[: longest + 1]], len(last)
    yield "".join(parts)
