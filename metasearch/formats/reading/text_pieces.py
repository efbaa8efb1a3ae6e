"""The text of a file, piece by piece: what a reader does not keep is forgotten."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import Protocol

from metasearch.errors import FileFormatError
from metasearch.formats.reading.encodings import Blocks, Found, decoded, find, unread
from metasearch.formats.reading.result import FileProblem

#: Characters of a text that is held as a whole, where its format permits nothing else: for a moment
#: it is there twice.
MOST_WHOLE = 200_000_000


#: Lines that are empty, many of them in a row, which all begin at the beginning of a line.
_MANY = "\n" * 4
_EMPTY = re.compile(r"((?:(?<=\n)|\A)\n{4,})")


class Bytes(Protocol):
    """Reads the bytes of a file (`content.py`)."""

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
