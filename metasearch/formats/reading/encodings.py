"""The encoding of a file whose bytes alone can tell it."""

from __future__ import annotations

import codecs
import io
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, Protocol

from metasearch.errors import FileFormatError
from metasearch.formats.reading.result import FileProblem

# A byte order mark decides; then UTF-16 and UTF-32 without one, by their zeros; then UTF-8, if the
# bytes are that or nearly that, or the escapes of ISO-2022-JP; then a guess. The guess is made of
# the words that hold foreign bytes: tags, numbers and addresses say nothing, and are most of a
# file. Files of bytes of Windows-1252 among UTF-8 come about where exports are put together.

#: Bytes at the beginning by which UTF-16 and UTF-32 without a mark are detected.
_HEAD = 4_000
#: Zeros that are no damage, if all of them are the first or all the second of two bytes.
_SURE = 16
#: Bytes of foreign words by which an encoding is guessed.
SAMPLE = 32_000
#: Parts of them that are guessed each by itself, so that a damaged character costs one of them.
_PARTS = 8
#: Bytes that a part has at least: fewer say too little.
_LEAST = 40
#: Bytes in a row that the letters of Cyrillic and Greek words have at least, on the average; where
#: they stand alone among the letters of ASCII, the script is Latin.
_SCRIPT = 2
#: So many times likelier than Windows-1252 must be what differs from it in few letters.
_LIKELIER = 1.5

# The longer marks first: that of UTF-32 begins as that of UTF-16 does.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DEFAULT = "cp1252"
#: Python's names of the encodings that are guessed -> the common ones; each holds the smaller sets
#: of its family, too.
_NAMES = {
    "gb18030": "GB 18030",
    "big5hkscs": "Big5",
    "cp932": "Shift_JIS",
    "euc_jis_2004": "EUC-JP",
    "cp949": "EUC-KR",
    "cp1250": "Windows-1250",
    _DEFAULT: "Windows-1252",
    "cp1254": "Windows-1254",
}
_OF_SCRIPTS = {
    "cp1251": "Windows-1251",
    "cp1253": "Windows-1253",
    "koi8-r": "KOI8-R",
    "koi8-u": "KOI8-U",
    "iso8859-5": "ISO 8859-5",
    "cp866": "IBM 866",
    "mac-cyrillic": "Mac Cyrillic",
}
#: What differs from one of those in few letters, where the other one has marks: the older standard.
_ELDER = {"cp1250": "iso8859-2", "cp1253": "iso8859-7"}
_SHOWN = _NAMES | _OF_SCRIPTS | {"iso8859-2": "ISO 8859-2", "iso8859-7": "ISO 8859-7"}
_BLANKS = re.compile(rb"[\x00-\x20]+")
_FOREIGN = re.compile(rb"[\x80-\xff]+")
_JAPANESE = ("\x1b$B", "\x1b$@")


class FileEncoding(NamedTuple):
    """The encoding of a file. `legal`: whether every byte is legal in it."""

    encoding: str
    legal: bool
    notes: list[FileProblem]


#: Gives the bytes of a file in blocks, from the beginning, as often as it is called.
Blocks = Callable[[], Iterable[bytes]]


def find(blocks: Blocks, name: str, encoding: str | None = None) -> FileEncoding:
    """The encoding of a file, which is read up to five times for that. `blocks`: its bytes. Raises
    FileFormatError: there is no encoding of that name.
    """
    if encoding is not None:
        known = _python_name(encoding, name)
        return FileEncoding(known, _is_legal(blocks, known), [])
    head = b""
    for block in blocks():
        head += block
        if len(head) >= _HEAD:
            break
    marked = next(
        (encoding for mark, encoding in _MARKS if head.startswith(mark)), None
    ) or _without_mark(head[:_HEAD])
    if marked:
        return FileEncoding(marked, _is_legal(blocks, marked), [])
    try:
        return _utf_8(blocks)
    except UnicodeError:
        if _is_nearly_utf_8(blocks):
            return FileEncoding("utf-8", False, [])
    guess = _guess(_foreign_words(blocks))
    shown = _SHOWN[guess]
    note = (
        f"the encoding is a guess: the text is not in UTF-8 and was read as {shown}; --encoding "
        "overrules it"
    )
    return FileEncoding(guess, _is_legal(blocks, guess), [FileProblem(0, note)])


def pieces(blocks: Blocks, encoding: str, errors: str = "replace") -> Iterator[str]:
    """The text of the blocks. `errors`: as `bytes.decode` has it."""
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    for block in blocks():
        yield decoder.decode(block)
    yield decoder.decode(b"", final=True)


def _is_legal(blocks: Blocks, encoding: str) -> bool:
    try:
        for _ in pieces(blocks, encoding, "strict"):
            pass
    except UnicodeError:
        return False
    return True


def _python_name(encoding: str, name: str) -> str:
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
    """UTF-16 or UTF-32 without a mark: of tags, digits and line ends every other byte is a zero; of
    any text in UTF-32, one of four. Other encodings have none.
    """
    if not head.count(0):
        return None
    fourths = [head[place::4].count(0) * 4 for place in range(4)]
    whole = len(head) - 3
    if whole > 4:
        if min(fourths[2], fourths[3]) >= whole and fourths[0] < whole:
            return "utf-32-le"
        if min(fourths[0], fourths[1]) >= whole and fourths[3] < whole:
            return "utf-32-be"
    odd, even = head[1::2].count(0), head[::2].count(0)
    most, least = max(odd, even), min(odd, even)
    is_full = 10 * most >= len(head) and 20 * least <= most
    # Lines of nothing but characters have few.
    is_sure = most >= _SURE and 200 * most >= len(head) and not least
    if not is_full and not is_sure:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


# What was UTF-8 and was taken for Windows-1252 when it was written again: "FranÃ§ois". It is told
# and stays: a letter of a name in capitals and a mark behind it look the same.
_TWICE = re.compile(
    "(?:[\u00c2\u00c3][\u0080-\u00bf]|\u00c3[\u2018-\u2026\u0152-\u0192]|"
    "\u00e2\u20ac[\u0080-\u00bf\u2018-\u2122\u0152-\u0192])"
)
#: What one of them begins with.
_OF_TWICE = ("\u00c3", "\u00c2", "\u00e2\u20ac")


def _utf_8(blocks: Blocks) -> FileEncoding:
    """Raises UnicodeError: it is not UTF-8."""
    hits = lines = first = 0
    is_japanese = False
    for piece in pieces(blocks, "utf-8", "strict"):
        if piece.isascii():
            is_japanese = is_japanese or any(escape in piece for escape in _JAPANESE)
        elif any(mark in piece for mark in _OF_TWICE) and (found := _TWICE.findall(piece)):
            if not hits:
                before = piece[: piece.index(found[0])]
                first = lines + 1 + (before.count("\n") or before.count("\r"))
            hits += len(found)
        lines += piece.count("\n") or piece.count("\r")
    if is_japanese and _is_legal(blocks, "iso2022_jp_ext"):
        return FileEncoding("iso2022_jp_ext", True, [])
    if not hits:
        return FileEncoding("utf-8", True, [])
    note = (
        f"{hits} character(s), first here, look as if UTF-8 had been encoded twice "
        '("\u00c3\u00a9" for "\u00e9"); they were kept as they are'
    )
    return FileEncoding("utf-8", True, [FileProblem(first, note)])


# Bytes of Windows-1252 among UTF-8: quotes of Word, or a name that was pasted. In the text of
# `marked` they are lone surrogates, as Python's "surrogateescape" has them.

ILLEGAL = re.compile("[\udc80-\udcff]+")
#: Surrogate -> its character in Windows-1252, where there is one.
WESTERN = {
    0xDC00 + byte: char
    for byte in range(0x80, 0x100)
    if (char := bytes([byte]).decode(_DEFAULT, "ignore"))
}
#: The bytes that are quotes, dashes, dots: they say nothing of the encoding of the rest.
_TYPOGRAPHY = frozenset(0xDC00 + byte for byte in b"\x80\x82\x84\x85\x91\x92\x93\x94\x95\x96\x97")
#: Characters that two bytes of other encodings become, where a capital stands before a mark or
#: another capital: who writes UTF-8 seldom has them.
_BY_CHANCE = re.compile("[\u0180-\u036f\u0460-\u058f\u0700-\u07ff]").match
#: Bytes of Windows-1252 for each character of UTF-8: files of both may be put together.
_WESTERN_EACH = 10
#: Bytes of Windows-1252 that may stand in a row.
_LONGEST_RUN = 2
#: Characters before and behind a run that are looked at.
_SIGHT = 4


def with_illegal(blocks: Blocks) -> Iterator[str]:
    """The text of UTF-8 that is not all legal: U+FFFD for what cannot be read, a lone surrogate for
    a byte that is a character of Windows-1252 among others that fit.
    """
    before, rest = "\n", ""
    for piece in pieces(blocks, "utf-8", "surrogateescape"):
        text = rest + piece
        # What follows a run decides on it, so the last characters wait for the next piece.
        if len(text) <= _SIGHT:
            rest = text
            continue
        text, rest = text[:-_SIGHT], text[-_SIGHT:]
        yield _resolve_illegal(before, text, rest)
        before = (before + text)[-_SIGHT:]
    yield _resolve_illegal(before, rest, "\n")


def _resolve_illegal(before: str, text: str, after: str) -> str:
    if ILLEGAL.search(text) is None:
        return text
    start, end = len(before), len(before) + len(text)
    whole = f"{before}{text}{after}"
    parts, at = [], start
    for hit in ILLEGAL.finditer(whole):
        first, last = max(hit.start(), start), min(hit.end(), end)
        if first >= last:
            continue
        parts.append(whole[at:first])
        run = whole[first:last]
        left, right = whole[max(0, hit.start() - 1) : hit.start()], whole[hit.end() : hit.end() + 1]
        if hit.end() - hit.start() <= _LONGEST_RUN and _is_western(hit[0], left, right):
            parts.append(run)
        else:
            parts.append(run.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
        at = last
    return "".join([*parts, whole[at:end]])


@lru_cache(maxsize=10_000)
def _is_western(run: str, left: str, right: str) -> bool:
    """Whether bytes that are not UTF-8 are one or two characters of Windows-1252: what stands
    beside them is Latin, and they are no part of a longer character that was cut.
    """
    if not all(ord(char) in WESTERN for char in run):
        return False
    if not all(char < "\u0250" or "\u2010" <= char <= "\u204a" for char in left + right):
        return False
    is_last = right in ("", "\n", "\r")
    is_in_word = left.isascii() and left.isalpha()
    byte = ord(run[0]) & 0xFF
    if byte < 0xC0:
        return True
    # The first byte of a longer character, too: where a program counts bytes, it cuts the end of a
    # line.
    if len(run) == 2:
        is_before_word = right.isascii() and right.isalpha()
        return not is_last and (is_in_word or (is_before_word and ord(run[1]) & 0xFF >= 0xC0))
    return not is_last or (is_in_word and byte > 0xC5)


def _is_nearly_utf_8(blocks: Blocks) -> bool:
    """Whether the characters beyond ASCII are UTF-8 that is damaged, or has bytes of Windows-1252
    in it, and no other encoding.
    """
    right = western = lost = 0
    for piece in with_illegal(blocks):
        if piece.isascii():
            continue
        for char, times in Counter(piece).items():
            code = ord(char)
            if char == "\ufffd":
                lost += times
            elif code in WESTERN:
                western += 0 if code in _TYPOGRAPHY else times
            elif char > "\x7f" and not _BY_CHANCE(char):
                right += times
    return right > 0 and 2 * lost <= right and western <= _WESTERN_EACH * right


def _foreign_words(blocks: Blocks) -> list[bytes]:
    """The first words that hold bytes beyond ASCII, each once; about `SAMPLE` bytes of them."""
    found: dict[bytes, None] = {}
    size, rest = 0, b""
    for block in chain(blocks(), (b"\n",)):
        *lines, rest = (rest + block).split(b"\n")
        if len(rest) > SAMPLE:
            lines, rest = [*lines, rest], b""
        for line in lines:
            for word in () if line.isascii() else _BLANKS.split(line):
                if not word.isascii() and word not in found and size < SAMPLE:
                    found[word[:SAMPLE]] = None
                    size += len(word)
        if size >= SAMPLE:
            break
    return list(found)


def _guess(words: list[bytes]) -> str:
    """The encoding that is likeliest for most of the words."""
    from chardet import detect_all

    runs = [run for word in words for run in _FOREIGN.findall(word)]
    names = list(_NAMES)
    if sum(map(len, runs)) >= _SCRIPT * len(runs):
        names += _OF_SCRIPTS
    parts = max(1, min(_PARTS, sum(map(len, words)) // _LEAST))
    likely: defaultdict[str, float] = defaultdict(float)
    for part in range(parts):
        start, end = (len(words) * place // parts for place in (part, part + 1))
        joined = b" ".join(words[start:end])
        for one in (
            ()
            if not joined
            else detect_all(
                joined,
                ignore_threshold=True,
                include_encodings=names,
                prefer_superset=False,
                compat_names=False,
            )
        ):
            if one["encoding"] in names:
                likely[one["encoding"]] += one["confidence"] * len(joined)
    best = max(likely, key=likely.__getitem__, default=_DEFAULT)
    is_near = best in ("cp1250", "cp1254") and (
        likely[best] < _LIKELIER * likely[_DEFAULT]
        or all(word.decode(best, "replace") == word.decode(_DEFAULT, "replace") for word in words)
    )
    if is_near:
        return _DEFAULT
    elder = _ELDER.get(best)
    return elder if elder and _letters(words, elder) > _letters(words, best) else best


def _letters(words: list[bytes], encoding: str) -> int:
    return sum(map(str.isalpha, b" ".join(words).decode(encoding, "replace")))


# Bytes to text, piece by piece, where no header names their encoding.

#: Lines with characters that could not be read that are named one by one; the others are counted.
MOST_LINES = 100
#: Characters that a problem shows.
_SHOWN_BYTES = 10
_PIECE = 1 << 16
_NEW_LINE = re.compile("\r\n|\r|\n")


class WholeText(NamedTuple):
    """A file's text without byte order mark, the encoding it was in, and what could not be read."""

    text: str
    encoding: str
    problems: list[FileProblem]


def decode(data: bytes, name: str, encoding: str | None = None) -> WholeText:
    """The text of bytes at hand. Raises FileFormatError: there is no encoding of the name."""

    def blocks() -> Iterable[bytes]:
        return (data,)

    found = find(blocks, name, encoding)
    return WholeText(
        "".join(decode_blocks(blocks, found)),
        found.encoding,
        [*found.notes, *([] if found.legal else illegal_lines(blocks, found.encoding))],
    )


def decode_blocks(blocks: Blocks, found: FileEncoding) -> Iterator[str]:
    """The text piece by piece, without byte order mark and the end-of-file marks of old systems;
    what is not legal is U+FFFD, or a character of Windows-1252 among UTF-8.
    """
    first, marks = True, 0
    for piece in (
        pieces(blocks, found.encoding) if found.legal else _pieces_of(blocks, found.encoding)
    ):
        if first and piece:
            piece, first = piece.removeprefix("\ufeff"), False
        bare = piece.rstrip("\x1a")
        if marks and bare:
            yield from ("\x1a" * min(_PIECE, marks - start) for start in range(0, marks, _PIECE))
            marks = 0
        marks += len(piece) - len(bare)
        if bare:
            yield bare if found.legal or ILLEGAL.search(bare) is None else bare.translate(WESTERN)


def _pieces_of(blocks: Blocks, encoding: str) -> Iterator[str]:
    return with_illegal(blocks) if encoding == "utf-8" else pieces(blocks, encoding)


def illegal_lines(blocks: Blocks, encoding: str) -> list[FileProblem]:
    """A problem for each line that holds what is not legal; many are counted."""
    problems: list[FileProblem] = []
    number, more, broken, western, ended = 1, 0, 0, "", ""

    def tell() -> None:
        nonlocal more
        if not broken and not western:
            return
        if len(problems) >= MOST_LINES:
            more += 1
            return
        if broken:
            what = (
                f"{broken} character(s) that are not legal {encoding}; each was replaced by \ufffd"
            )
            problems.append(FileProblem(number, what))
        if western:
            shown = " ".join(western[:_SHOWN_BYTES]) + (" …" if len(western) > _SHOWN_BYTES else "")
            what = f"{len(western)} byte(s) that are not UTF-8 were read as Windows-1252: {shown}"
            problems.append(FileProblem(number, what))

    for piece in _pieces_of(blocks, encoding):
        if ended == "\r" and piece[:1] == "\n":
            number -= 1  # one end of a line, of which the piece before had the first half
        if "\ufffd" not in piece and not broken and not western and not ILLEGAL.search(piece):
            number += len(_NEW_LINE.findall(piece))
        else:
            for index, line in enumerate(_NEW_LINE.split(piece)):
                if index:
                    tell()
                    number, broken, western = number + 1, 0, ""
                broken += line.count("\ufffd")
                western += "".join(ILLEGAL.findall(line)).translate(WESTERN)
        ended = piece[-1:] or ended
    tell()
    if more:
        problems.append(
            FileProblem(0, f"{more} more line(s) hold characters that are not legal {encoding}")
        )
    return problems


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


class FileText:
    """The text of a file, without byte order mark; it is read from its beginning whenever a reader
    asks.

    `name`: what the file is called in errors. `problems`: that the encoding is a guess, and what is
    not legal in it.
    """

    def __init__(self, blocks: Blocks, name: str, found: FileEncoding) -> None:
        self._blocks = blocks
        self._found = found
        self.name = name
        self.encoding = found.encoding
        self.problems: list[FileProblem] = [
            *found.notes,
            *([] if found.legal else illegal_lines(blocks, found.encoding)),
        ]

    @classmethod
    def of(cls, content: Bytes, encoding: str | None = None) -> FileText:
        """The text of a file.

        `content`: its bytes. `encoding`: what the user says it is in; it is guessed if None. Raises
        FileFormatError: there is no encoding of that name, or the bytes cannot be read.
        """
        return cls(content.blocks, content.name, find(content.blocks, content.name, encoding))

    @classmethod
    def plain(cls, text: str, name: str = "") -> FileText:
        return cls(
            lambda: (text.encode(errors="surrogatepass"),),
            name,
            FileEncoding("utf-8", legal=True, notes=[]),
        )

    def pieces(self) -> Iterator[str]:
        return decode_blocks(self._blocks, self._found)

    def lines(self, longest: int) -> Iterator[str]:
        r"""The lines without their ends, which may be "\n", "\r\n" or "\r"; at least one, which may
        be empty.

        `longest`: of a longer line so many characters are given, and one more, by which it can be
        told.
        """
        return cut(self._with_line_feeds(), longest)

    def lines_with_numbers(self, longest: int) -> Iterator[tuple[int, str]]:
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
        for piece in self._with_line_feeds():
            end = piece.rfind("\n") + 1
            if end:
                yield rest + piece[:end]
                rest = ""
            rest += piece[end : end + max(0, longest - len(rest))]
        yield rest

    def head(self, size: int) -> str:
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

    def _with_line_feeds(self) -> Iterator[str]:
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
