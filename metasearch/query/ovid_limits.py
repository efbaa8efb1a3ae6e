"""What stands behind `limit 3 to`: `(english language and yr="2010 -Current")`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metasearch.message import message
from metasearch.query.clauses import Clause, either, every
from metasearch.query.tree import Term, Years, plain

if TYPE_CHECKING:
    from metasearch.query.databases import DatabaseReader

_NAMES = r"yr|dp|up|ed|dt|dd|dc|rd|ez|da|ep|em|ew"
#: Years or dates; a quote; what Ovid prints of itself; a sign; or a word.
_TOKEN = re.compile(
    rf'\b({_NAMES})\s?=\s?(?:"([^"\n]{{4,40}})"|([0-9<>][\w/.-]{{0,20}}(?:\s?-\s?(?:\w{{4,10}}|(?=[\s)])))?))'
    r'|"([^"\n]{1,200})"|\[[^\[\]\n]{0,300}\]|[(),]|<[^<>\n]{0,80}>|[^\s()",<\[]{1,200}|\S',
    re.IGNORECASE,
)
#: `lg=en`.
_FIELD = re.compile(r"\A(?:lg|la|pt)\s?=\s?", re.IGNORECASE)
#: A limit that stands where words do: `and yr=2010-2020`.
SET = re.compile(
    rf'(?:{_NAMES}|lg|la)\s?=\s?(?:"[^"\n]{{2,40}}"|[\w<>][\w/.]{{0,20}}(?:\s?-\s?\w{{4,10}})?)(?!\w)',
    re.IGNORECASE,
)
_PUBLISHED = frozenset(("yr", "dp"))


class LimitReader:
    """The limits in text[start:end] of a reader, which reads the years, types and languages."""

    def __init__(self, reader: DatabaseReader, start: int, end: int) -> None:
        self.reader = reader
        found = _TOKEN.finditer(reader.text, start, end)
        self.tokens = [token for token in found if not token[0].startswith("[")]
        self.at = 0
        self.start, self.end = start, end

    def all(self) -> Clause:
        """All of them."""
        clause = self.alternatives(0)
        if self.at < len(self.tokens):
            raise self.reader.error(message("This bracket has no opening bracket"), *self.here())
        return clause

    def alternatives(self, depth: int) -> Clause:
        """Up to the end, or to the bracket that closes."""
        parts = [self.together(depth)]
        while self.next_is("or"):
            parts.append(self.together(depth))
        return either(parts)

    def together(self, depth: int) -> Clause:
        """Limits of different kinds. Types and languages are alternatives whatever stands between
        them: a work has one of each.
        """
        parts: dict[str, list[Clause]] = {}
        while True:
            clause = self.one(depth)
            parts.setdefault(_kind(clause) or str(len(parts)), []).append(clause)
            if not (self.next_is("and") or self.next_is(",")):
                break
        # Years are written first, whatever their place.
        first = sorted(parts.values(), key=lambda part: not isinstance(part[0].widest, Years))
        return every([either(part) for part in first])

    def one(self, depth: int) -> Clause:
        """One limit, or several in a bracket."""
        if self.next_is("("):
            opening = self.tokens[self.at - 1].span()
            self.reader.check_depth(depth, opening[0])
            clause = self.alternatives(depth + 1)
            if not self.next_is(")"):
                raise self.reader.error(message("This bracket is never closed"), *opening)
            return clause
        start = self.at
        while self.at < len(self.tokens) and self.word() not in ("and", "or", ",", ")"):
            if self.word() == "(":  # the bracket of a name: all adult (19 plus years)
                while self.at < len(self.tokens) - 1 and self.word() != ")":
                    self.at += 1
            self.at += 1
        return self.named(start)

    def named(self, first: int) -> Clause:
        """The limit that the tokens from one on name."""
        found = self.tokens[first : self.at]
        if not found:
            raise self.reader.error(
                message("There is no limit here"), *self.here(), advice=message("Name a limit.")
            )
        where = found[0].start(), found[-1].end()
        if len(found) == 1 and found[0][1]:
            code, dates = found[0][1].lower(), plain(found[0][2] or found[0][3])
            return self.reader.years(dates, where, "" if code in _PUBLISHED else code)
        words = [token[4] or token[0] for token in found]
        name = plain(" ".join(words)).replace("( ", "(").replace(" )", ")")
        return self.reader.limit(_FIELD.sub("", name), where[0], f"limit to {name}")

    def word(self) -> str:
        return self.tokens[self.at][0].lower()

    def next_is(self, word: str) -> bool:
        """Whether this word or sign is next; then it is taken."""
        there = self.at < len(self.tokens) and self.word() == word
        self.at += there
        return there

    def here(self) -> tuple[int, int]:
        if self.at < len(self.tokens):
            return self.tokens[self.at].span()
        return max(self.start, self.end - 1), self.end


def _kind(clause: Clause) -> str:
    """What a limit is about of which a work has one value: "type" or "language"; "" for others."""
    match clause.widest:
        case Term(field="type" | "language" as field):
            return field
    return ""
