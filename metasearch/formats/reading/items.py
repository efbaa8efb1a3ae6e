"""The records of an XML file as slices of its text, which comes in pieces: no more of it is kept
than the record that is open.

A record that is broken costs only itself so, which no parser of whole documents offers: `iterparse`
ends at the first character that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

#: Characters of one record.
LARGEST = 4_000_000
#: Characters that a tag may have to be seen as one: so much is looked at again when more of the
#: text comes.
LONGEST_TAG = 20_000
#: Characters at the end that show whether the file is whole.
_TAIL = 1_000
#: What SRU puts around every record.
_ENVELOPE = r"(?:[\w.-]{1,40}:)?recordData[\s>]"
_SKIPPED = {"<!--": "-->", "<![CDATA[": "]]>"}

_NOT_ENDED = "the record does not end before the next one begins; it was left out"
_NOT_BEGUN = "a record ends here that does not begin; it was left out"
_BREAKS_OFF = "the file breaks off inside this record; it was left out"
_TOO_LARGE = f"the record has more than {LARGEST:,} characters; it was left out"


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a file.

    Attributes:
        line: Of its first character, from 1.
        text: From the tag that begins a record to the one that ends it.
        flaw: Why it is no whole record; "" where it is one.
    """

    line: int
    text: str
    flaw: str = ""


class Slices:
    """Iterates over the records of a text, once. `begin`: pattern of the tag that begins a record,
    whose name is "record".

    Attributes:
        line: The last one so far, from 1.
        envelopes: Records that SRU says are there, so far.
        tail: The last characters so far.
    """

    def __init__(self, pieces: Iterable[str], begin: str) -> None:
        self._pieces = iter(pieces)
        # One "<" for all: what has none is passed over fast.
        self._token = re.compile(
            rf"<(?:(?P<begin>{begin.removeprefix('<')})|(?P<end>/(?:[\w.-]{{1,40}}:)?record\s{{0,20}}>)"
            rf"|(?P<envelope>{_ENVELOPE})|!--|!\[CDATA\[)"
        )
        self.line = 1
        self.envelopes = 0
        self.tail = ""
        # A window on the text; what is before `_at` was looked at, and what is before `_start` is
        # not needed.
        self._text, self._at, self._ended = "", 0, False
        self._start: int | None = None
        self._start_line = 1
        self._too_large = False
        self._counted = 0  # up to here, ends of lines are in `line`

    def __iter__(self) -> Iterator[Slice]:
        while (hit := self._next()) is not None:
            if hit.group() in _SKIPPED:
                if not self._skip(_SKIPPED[hit.group()]):
                    break
            elif hit["envelope"]:
                self.envelopes += 1
            elif hit["begin"]:
                if self._start is not None:
                    yield Slice(self._start_line, "", _NOT_ENDED)
                self._start, self._start_line, self._too_large = (
                    hit.start(),
                    self._line_at(hit.start()),
                    False,
                )
                if hit.group().rstrip().endswith("/>"):
                    yield Slice(self._start_line, hit.group())
                    self._start = None
            elif self._start is not None:
                flaw = _TOO_LARGE if self._too_large or hit.end() - self._start > LARGEST else ""
                yield Slice(
                    self._start_line, "" if flaw else self._text[self._start : hit.end()], flaw
                )
                self._start = None
            elif not self.envelopes:  # in SRU records stand inside of records
                yield Slice(self._line_at(hit.start()), "", _NOT_BEGUN)
        if self._start is not None:
            yield Slice(self._start_line, "", _TOO_LARGE if self._too_large else _BREAKS_OFF)
        self._line_at(len(self._text))

    def _next(self) -> re.Match[str] | None:
        """The next tag that matters, at whose end the looking goes on."""
        while True:
            hit = self._token.search(self._text, self._at)
            if hit is not None and (self._ended or hit.end() + LONGEST_TAG <= len(self._text)):
                self._at = hit.end()
                return hit
            if self._ended:
                return None
            self._at = (
                hit.start() if hit is not None else max(self._at, len(self._text) - LONGEST_TAG)
            )
            self._read_on()

    def _skip(self, closing: str) -> bool:
        """Go on behind what is no markup; whether that has an end."""
        while (end := self._text.find(closing, self._at)) < 0:
            self._at = max(self._at, len(self._text) - len(closing) + 1)
            if self._ended:
                return False
            self._read_on()
        self._at = end
        return True

    def _read_on(self) -> None:
        """Move the window: what is not needed any more goes, and the next piece comes."""
        if self._start is not None and self._at - self._start > LARGEST:
            self._too_large = True
        keep = self._at if self._start is None or self._too_large else self._start
        self._line_at(keep)
        if self._start is not None:
            self._start = 0 if self._too_large else self._start - keep
        self._counted -= keep
        self._at -= keep
        # Twice as much as is kept, so that nothing is copied more often than a few times.
        parts, size = [self._text[keep:]], 0
        while size <= len(parts[0]):
            piece = next(self._pieces, None)
            if piece is None:
                self._ended = True
                break
            parts.append(piece)
            size += len(piece)
            self.tail = (self.tail + piece[-_TAIL:])[-_TAIL:]
        self._text = "".join(parts)

    def _line_at(self, offset: int) -> int:
        """The number of a line; offsets only grow."""
        if offset > self._counted:
            self.line += self._text.count("\n", self._counted, offset)
            self._counted = offset
        return self.line
