"""Where a word of our own syntax ends, and what its stars and backslashes mean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.blanks import is_blank
from metasearch.query.identifiers import DOI

CLOSERS = {'"': '"', "＂": "＂", "“": "”", "”": "”", "„": "“”"}
OPEN, CLOSE = "(（", ")）"
WORD_ENDS = frozenset([*CLOSERS, *OPEN, *CLOSE])


@dataclass(frozen=True, slots=True)
class ScannedWord:
    """A word as it was scanned: without backslashes, its end, whether it held one, and its bare
    stars.

    Each star is its index in `value` and its index in the query.
    """

    value: str
    end: int
    escaped: bool
    stars: tuple[tuple[int, int], ...]


class WordScanner:
    """A text whose words are scanned."""

    def __init__(self, text: str) -> None:
        self.text = text

    def truncates(self, word: ScannedWord) -> bool:
        """Whether the word ends in a star that means any ending."""
        value = word.value
        for star, place in word.stars:
            if value[star + 1 : star + 2].isalnum() and _cuts(value, star):
                raise self.star_inside(word, star, place)
        enough = len(value) > 1 if word.escaped else sum(map(str.isalnum, value)) > 1
        return word.stars[-1][0] == len(value) - 1 and enough

    def star_inside(self, word: ScannedWord, star: int, place: int) -> QuerySyntaxError:
        text, stem = self.text, word.value[:star]
        if sum(map(str.isalnum, stem)) >= 2 and word.value[star + 1].isascii():
            fix = f"{text[: place + 1]} {text[word.end :]}"
        else:
            fix = f"{text[:place]} {text[place + 1 :]}"
        return error_at(
            message("A star can stand only at the end of a word: gene*"),
            text,
            place,
            place + 1,
            fix,
        )

    def scan(self, at: int) -> ScannedWord:
        """The word at `at`."""
        text, end = self.text, at
        out: list[str] = []
        stars: list[tuple[int, int]] = []
        escaped = False
        while end < len(text):
            char = text[end]
            if char == "\\":
                if end + 1 == len(text) or is_blank(text[end + 1]):
                    fix = text_without(text, end, end + 1)
                    raise error_at(
                        message("This backslash has no character after it"), text, end, end + 1, fix
                    )
                end += 1
                char, escaped = text[end], True
            elif is_blank(char) or char in WORD_ENDS:
                break
            elif char == "*":
                stars.append((len(out), end))
            out.append(char)
            end += 1
        return ScannedWord("".join(out), end, escaped, tuple(stars))

    def doi_end(self, at: int) -> int:
        """Where the DOI at `at` ends; `at` itself for none, or one with a backslash."""
        match = DOI.match(self.text, at)
        if match is None:
            return at
        text, end = self.text, match.end()
        while end < len(text):
            char = text[end]
            if char == "\\":
                return at
            if char == "(" and end in self.pairs:
                end = self.pairs[end]
            elif is_blank(char) or char in WORD_ENDS:
                break
            end += 1
        return end

    @cached_property
    def pairs(self) -> dict[int, int]:
        """Opening -> closing round bracket, where no blank or quote lies between."""
        pairs: dict[int, int] = {}
        opened: list[int] = []
        for at, char in enumerate(self.text):
            if char == "(":
                opened.append(at)
            elif char == ")" and opened:
                pairs[opened.pop()] = at
            elif is_blank(char) or char in WORD_ENDS or char == "\\":
                opened.clear()
        return pairs


def _cuts(value: str, star: int) -> bool:
    """Whether a star within stands for others: in `wom*n`, not in `2*3` and `M*A*S*H`."""
    before, after = value[max(0, star - 2) : star], value[star + 1 : star + 3]
    if before[-1:].isalnum():
        return len(before) > 1 and before.isalnum()
    return len(after) > 1 and after.isalnum()


def text_without(text: str, start: int, end: int) -> str:
    return f"{text[:start]} {text[end:]}"


def error_at(reason: str, text: str, start: int, end: int, fix: str) -> QuerySyntaxError:
    return QuerySyntaxError(reason, text=text, position=start, length=end - start, suggestion=fix)
