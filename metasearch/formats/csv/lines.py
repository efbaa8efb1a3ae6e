"""The lines of a table, of which no more are kept than may be looked at again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from metasearch.formats.reading.entries import EntryCollector
from metasearch.formats.reading.text_pieces import DecodedText


class Lines:
    """The lines of a table by their numbers, from 0, with their ends; those that were forgotten are
    gone.

    `longest`: characters of a line; a longer one is told as lost, and empty. `collector`: where
    that is told. `size`: characters that were read so far.
    """

    def __init__(self, text: DecodedText, longest: int, collector: EntryCollector) -> None:
        self._lines = text.lines(longest)
        self._longest = longest
        self._collector = collector
        self._kept: deque[str] = deque()
        self._forgotten = 0
        self.size = 0

    def has(self, number: int) -> bool:
        """Whether the file has a line of that number."""
        while number >= self._forgotten + len(self._kept):
            line = next(self._lines, None)
            if line is None:
                return False
            if len(line) > self._longest:
                place = self._forgotten + len(self._kept) + 1
                self._collector.lose(
                    place, f"the line has more than {self._longest:,} characters; it was left out"
                )
                line = ""
            self.size += len(line) + 1
            self._kept.append(line.replace("\x00", "") + "\n")
        return True

    def __getitem__(self, number: int) -> str:
        return self._kept[number - self._forgotten]

    def first(self, count: int, longest: int) -> list[str]:
        """The beginnings of the first lines, as many of them as there are."""
        self.has(count - 1)
        return [self._kept[number][:longest] for number in range(min(count, len(self._kept)))]

    def since(self, number: int) -> Iterator[str]:
        """The lines from one that is not forgotten to the end of the file."""
        while self.has(number):
            yield self[number]
            number += 1

    def forget(self, number: int) -> None:
        """Let go of the lines before one."""
        while self._forgotten < number and self._kept:
            self._kept.popleft()
            self._forgotten += 1
