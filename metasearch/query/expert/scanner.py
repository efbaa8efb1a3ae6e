"""The signs, words and quotes of the Chinese expert syntax; `expert.py` says what they mean."""

from __future__ import annotations

import re

from metasearch.message import message
from metasearch.query.blanks import is_blank
from metasearch.query.nested import NestedReader

#: Full-width signs and digits -> the ASCII ones, one for one; quotes of each kind -> one of them.
FLAT = str.maketrans(
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | {"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "【": "(", "】": ")"}
)
_WORD_OPERATORS = {"and": "AND", "or": "OR", "not": "NOT", "与": "AND", "或": "OR", "非": "NOT"}
PREFIX = re.compile(r"([A-Za-z]{1,12}|[\u4e00-\u9fff]{1,8})\s{0,5}(%=|==|>=|<=|[=%:<>])\s{0,5}")
NEAR = re.compile(r"/(?:SEN|NEAR|PREV|AFT|PRG|PEG|SUB)\b\s{0,5}[0-9]{0,3}|#(?=\s)", re.IGNORECASE)
_OPENING_SIGNS = frozenset("'\"(")
NEAR_NOTE = (
    "sources cannot be asked how near words stand to one another; the words are joined with AND"
)


class ExpertScanner(NestedReader):
    """A text and its form in ASCII signs."""

    def __init__(self, text: str) -> None:
        super().__init__(text, "cnki")
        self.flat = text.translate(FLAT)

    def here(self) -> str:
        """The next character that is no blank, as ASCII; "" at the end."""
        return self.flat[self.skip() : self.at + 1]

    def skip(self) -> int:
        while self.at < len(self.text) and is_blank(self.text[self.at]):
            self.at += 1
        return self.at

    def sign(self, signs: str) -> tuple[int, int] | None:
        """Take one of the signs, if it is next; where it stood."""
        at = self.skip()
        if "*" in signs and (near := NEAR.match(self.flat, at)):
            self.note(NEAR_NOTE)
            self.at = near.end()
            return near.span()
        char = self.flat[at : at + 1]
        if not char or char not in signs or (char in "-^" and not self.is_not(at)):
            return None
        self.at = at + 1
        return at, at + 1

    def is_not(self, at: int) -> bool:
        """Whether - or ^ is NOT: after a blank, bracket or quote, and before something."""
        before = self.flat[at - 1] if at else " "
        rest = at + 1
        return (
            (is_blank(before) or before in "()'\"")
            and rest < len(self.text)
            and self.flat[rest] not in "-^"
        )

    def word_operator(self) -> tuple[str, int, int] | None:
        """Take AND, OR or NOT, if it is next: (which, where it stood)."""
        start = self.skip()
        found = self.operator_at(start)
        if found is None:
            return None
        name, self.at = found
        return name, start, self.at

    def operator_at(self, at: int) -> tuple[str, int] | None:
        """The word there, if it is AND, OR or NOT and no field: (which, where it ends)."""
        for word, name in _WORD_OPERATORS.items():
            end = at + len(word)
            if self.flat[at:end].casefold() == word:
                ends = self.ends_word(end) and PREFIX.match(self.flat, at) is None
                return (name, end) if ends else None
        return None

    def ends_word(self, at: int) -> bool:
        """Whether what stands at `at` ends a word; `++` belongs to the word before it."""
        after = self.flat[at : at + 2]
        if not after or is_blank(after[0]):
            return True
        return after[0] in '*()"' or (after[0] == "+" and after != "++")

    def starts_operand(self) -> bool:
        """Whether a word, a value, a field or a bracket is next."""
        at = self.skip()
        char = self.flat[at : at + 1]
        if not char or char in ")*+":
            return False
        if char in "-^" and self.is_not(at):
            return False
        return NEAR.match(self.flat, at) is None and self.operator_at(at) is None

    def word_end(self, at: int) -> int:
        flat, end = self.flat, at
        while end < len(flat) and not is_blank(flat[end]) and flat[end] not in '*()"':
            if flat[end] == "+":
                pluses = end
                while flat[pluses : pluses + 1] == "+":
                    pluses += 1
                if pluses - end == 1 or end == at:
                    break
                # C+++Java: the last one joins what follows.
                follows = pluses < len(flat) and (
                    flat[pluses].isalnum() or flat[pluses] in _OPENING_SIGNS
                )
                return self.word_end_after(pluses - 1 if follows and pluses - end > 2 else pluses)
            end += 1
        return end

    def word_end_after(self, at: int) -> int:
        """As `word_end`, in a word that has its pluses already."""
        end = at
        while (
            end < len(self.flat) and not is_blank(self.flat[end]) and self.flat[end] not in '*()"+'
        ):
            end += 1
        return end

    def quoted(self) -> str:
        """What stands between these quotes; apostrophes in it: see the head of this file."""
        opening, sign = self.at, self.flat[self.at]
        end = opening + 1
        while end < len(self.flat):
            if self.flat[end] == sign and not (sign == "'" and self.apostrophe(end)):
                break
            end += 1
        if end >= len(self.flat):
            rest = self.text[opening + 1 :].rstrip(")） ")
            fix = self.replaced(
                opening + 1 + len(rest), len(self.text), sign + self.text[opening + 1 + len(rest) :]
            )
            raise self.error(
                message("This quote is never closed"),
                opening,
                opening + 1,
                fix=fix if rest else self.text[:opening],
            )
        text = self.between_quotes(end)
        self.count(opening, end + 1)
        return text

    def apostrophe(self, at: int) -> bool:
        before, after = self.flat[at - 1], self.flat[at + 1 : at + 2]
        return before.isascii() and before.isalpha() and after.isascii() and after.isalpha()
