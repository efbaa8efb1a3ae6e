"""The signs and words of PubMed's syntax; `parser.py` and `values.py` know what they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping

from metasearch.errors import QuerySyntaxError
from metasearch.query.blanks import is_blank, plain
from metasearch.query.databases.losses import Losses
from metasearch.query.databases.scanner import StrategyLine
from metasearch.query.nested import NestedReader

OPERATORS = ("AND", "OR", "NOT")
CLOSERS = {'"': '"', "“": "”", "”": "”", "＂": "＂"}
TAG = re.compile(r"\s{0,5}\[([^\[\]]{1,50})\]")
LINE = re.compile(r"#([0-9]{1,4})(?![^\s()（）])")


class PubmedScanner(NestedReader):
    """A text with a place in it."""

    def __init__(
        self,
        text: str,
        lines: Mapping[int, StrategyLine] | None = None,
        losses: Losses | None = None,
    ) -> None:
        super().__init__(text, "pubmed")
        self.lines = lines
        self.losses = losses or Losses()
        self.used: set[int] = set()
        self.not_searchable: QuerySyntaxError | None = None

    def here(self) -> str:
        """The next character that is no blank, brackets as ASCII; "" at the end."""
        while self.at < len(self.text) and is_blank(self.text[self.at]):
            self.at += 1
        return self.text[self.at : self.at + 1].translate({0xFF08: "(", 0xFF09: ")"})

    def operator(self) -> tuple[str, int, int] | None:
        """Take an operator, if it is next: (which, where it stood)."""
        self.here()
        end = self.word_end(self.at)
        name = self.text[self.at : end]
        if name not in OPERATORS or TAG.match(self.text, end):
            if not self.lower_operator(self.at, end):
                return None
            self.losses.add("lower case", name)
        start, self.at = self.at, end
        return name.upper(), start, end

    def lower_operator(self, at: int, end: int) -> bool:
        """Whether what stands there is an operator in small letters: between brackets, quotes or
        tags it is no word.
        """
        if self.text[at:end] not in ("and", "or", "not"):
            return False
        before, after = at - 1, end
        while before >= 0 and is_blank(self.text[before]):
            before -= 1
        while after < len(self.text) and is_blank(self.text[after]):
            after += 1
        if before < 0 or after == len(self.text) or self.text[after] in ")）[":
            return False
        shown = self.text[before] in ')）]"”＂' or self.text[after] in '(（"“＂'
        if not shown:
            self.losses.add("word", self.text[at:end])
        return shown

    def word_end(self, at: int) -> int:
        end = at
        while (
            end < len(self.text)
            and not is_blank(self.text[end])
            and self.text[end] not in '()（）[]"“”＂'
        ):
            end += 1
        return max(end, at + 1) if self.text[at : at + 1] == "]" else end

    def words(self) -> str:
        """Take words up to the next operator, bracket, quote or tag."""
        taken: list[str] = []
        while (char := self.here()) and char not in "()[" and char not in CLOSERS:
            end = self.word_end(self.at)
            word = self.text[self.at : end]
            if word in OPERATORS and not TAG.match(self.text, end):
                break
            if LINE.match(self.text, self.at) or self.lower_operator(self.at, end):
                break
            taken.append(word)
            self.at = end
        return plain(" ".join(taken))
