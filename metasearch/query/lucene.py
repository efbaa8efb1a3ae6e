"""What databases that are searched with Lucene or Solr share: `name:value`, `[2015 TO 2020]`,
`"two words"~5`, `-word`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from metasearch.message import message
from metasearch.query.clauses import Clause
from metasearch.query.database_reader import DatabaseReader
from metasearch.query.grammar import FieldTarget
from metasearch.query.scanner import Sign
from metasearch.query.tree import is_blank, plain

_DAY = r"\"?([0-9]{1,8}(?:[-/.][0-9]{1,4}){0,2}(?:T[0-9:.]{1,12}Z)?|\*)\"?"
_RANGE = re.compile(rf"[\[(]\s{{0,3}}{_DAY}\s{{1,3}}TO\s{{1,3}}{_DAY}\s{{0,3}}[\])]", re.IGNORECASE)
#: A day as Americans write it, and others where the first number is no month.
_MONTH_FIRST = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})")
_CLOSE = re.compile(r'"([^"]{1,300})"~([0-9]{1,3})(?!\w)')
#: How much a word weighs, and how near a spelling may be.
_TAIL = re.compile(r"[~^][0-9.]{0,5}\Z")
_ESCAPED = re.compile(r"\\(.)")
_SIGNS = {"&&": "AND", "||": "OR"}


class LuceneReader(DatabaseReader):
    #: Whether a field holds for one word only where no bracket or quote stands behind it.
    for_one_word: ClassVar[bool] = True
    #: Whether the word that is next is the one that a field before it holds for.
    _alone = False

    def peek(self) -> Sign | None:
        sign = super().peek()
        if sign is not None:
            return sign
        text, at = self.text, self.at
        if text[at : at + 2] in _SIGNS:
            return Sign(_SIGNS[text[at : at + 2]], at, at + 2)
        begins = not at or is_blank(text[at - 1]) or text[at - 1] == "("
        if begins and text[at : at + 1] == "-" and not is_blank(text[at + 1 : at + 2] or " "):
            return Sign("NOT", at, at + 1)
        return None

    def combine(self, operands: Sequence[Clause], operators: Sequence[Sign]) -> Clause:
        # What stands side by side has to hold, and binds no closer than an AND: `x NOT y z`.
        signs = [replace(sign, name="AND") if sign.name == "BESIDE" else sign for sign in operators]
        return super().combine(operands, signs)

    def prefix(self) -> tuple[FieldTarget, str] | None:
        found = super().prefix()
        pattern, at = self.grammar.prefix, self.at
        if found is None and pattern and not (at and self.text[at - 1].isalnum()):
            match = pattern.match(self.text, at)
            if (
                match
                and not is_blank(self.text[match.end() - 1])
                and self.target_of(match[1]) is None
            ):
                raise self.unknown_field(match[1], *match.span())
        return found

    def operand_of_field(self, tag: FieldTarget, shown: str) -> Clause:
        self._alone = self.for_one_word
        clause = super().operand_of_field(tag, shown)
        self._alone = False
        return clause

    def bracket(self) -> Clause:
        self._alone = False
        return super().bracket()

    def starts_special(self) -> bool:
        return self._alone or bool(_RANGE.match(self.text, self.at)) or super().starts_special()

    def special(self) -> Clause | None:
        if match := _RANGE.match(self.text, self.at):
            return self.range_clause(match)
        if match := _CLOSE.match(self.text, self.at):
            self.at = match.end()
            text, where = plain(match[1]), match.span()
            self.count(*where)
            return self.close(text, self.target, match[0], where, int(match[2]))
        return super().special()

    def range_clause(self, match: re.Match[str]) -> Clause:
        """`[2015 TO 2020]`, in a field of dates or of what no field here holds."""
        self.at = match.end()
        if self.target.fields not in ((), ("year",)):
            reason = message(
                "[{shown}] cannot be a range of years", shown=self.shown.strip(" (:") or match[0]
            )
            raise self.needless(reason, *match.span())
        days = " to ".join(map(day, match.groups()))
        return self.value(days, self.target, self.shown, match.span(), quoted=True)

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        return super().value(_ESCAPED.sub(r"\1", text), tag, shown, where, quoted=quoted)

    def stem_of(self, word: str, where: tuple[int, int]) -> tuple[str, bool]:
        if tail := _TAIL.search(word):
            self.losses.add("settings", word)
            word = word[: tail.start()]
        return super().stem_of(word.lstrip("+"), where)


def near_words(fields: Mapping[str, str]) -> dict[str, str]:
    """`Style.near_words` out of `Style.fields`."""
    return {names: code.replace("{x}", '"{x}"~{n}') for names, code in fields.items()}


def day(text: str) -> str:
    """A day as `values.years_in` reads it; "" for an open end."""
    if text == "*":
        return ""
    if match := _MONTH_FIRST.fullmatch(text):
        month, of_month = sorted(match.groups()[:2], key=lambda number: int(number) > 12)
        return f"{match[3]}-{month:0>2}-{of_month:0>2}"
    return text.partition("T")[0]
