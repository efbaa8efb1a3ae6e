"""PubMed's syntax -> `ReadQuery`, as its help describes it (https://pubmed.ncbi.nlm.nih.gov/help/).

    query   = operand { [ "AND" | "OR" | "NOT" ] operand }    left to right, no precedence; capitals
    operand = "(" query ")" | ( words | phrase ) [ tag ]
            | date [ tag ] ":" date tag

A tag applies to the words, or the phrase, directly before it. If only a wider field exists here,
that field is searched and a note says so. Without any field, the words are ignored (None) beside
others that can be searched for, and a note names them.
"""

from __future__ import annotations

import re

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.ast import Query
from metasearch.query.blanks import plain
from metasearch.query.databases.lines import numbered_lines, read_lines
from metasearch.query.pubmed.scanner import CLOSERS, LINE, TAG
from metasearch.query.pubmed.tags import TAGS
from metasearch.query.pubmed.values import DATE, PubmedValueReader
from metasearch.query.reading import ReadQuery, read_or_suggest
from metasearch.query.trees import LeftToRight, negation

_AND_THEN = re.compile(rf'\s{{0,5}}:\s{{0,5}}("?)({DATE})("?)')
_EVERYWHERE = TAGS["all"]


def parse_pubmed(text: str) -> ReadQuery:
    """Read a query as one types it into PubMed. Raises QuerySyntaxError: it is none, or has a tag
    that cannot be searched here.
    """
    return read_or_suggest(_read, text)


def _read(text: str) -> ReadQuery:
    reader = PubmedReader(text)
    lines = numbered_lines(text)
    return (
        reader.ended(reader.tree())
        if lines is None
        else read_lines(text, lines, PubmedReader, "pubmed")
    )


class PubmedReader(PubmedValueReader):
    """One text, or one line of a strategy."""

    def tree(self) -> Query | None:
        """All of the text; None where nothing of it can be asked."""
        return self.all_of(self.query_or_none)

    def ended(self, query: Query | None) -> ReadQuery:
        """The query with its notes."""
        if query is None:
            end = len(self.text)
            raise self.not_searchable or self.error(
                message("No part of the query can be searched for"),
                0,
                end,
                advice=message("Add a word to look for."),
            )
        for sentence in self.losses.sentences():
            self.note(sentence)
        return self.finished(query)

    # ---------------------------------------------------------------- the grammar

    def query_or_none(self) -> Query | None:
        operator = self.operator()
        if operator and operator[0] != "NOT":
            raise self.lacks(operator[1:], "before")
        first = self.operand(operator)
        joined = (
            None if first is None else LeftToRight(self, negation(first) if operator else first)
        )
        while self.here() not in ("", ")"):
            operator = self.operator()
            if operator and operator[0] == "AND" and (also := self.operator()):
                if also[0] != "NOT":
                    raise self.lacks(operator[1:], "after")
                operator = also
            before, start = self.losses.widened, self.at
            name, right = operator[0] if operator else "AND", self.operand(operator)
            if name == "NOT" and self.losses.widened > before:
                self.losses.add("negated", f"NOT {plain(self.text[start : self.at])}")
            if joined is None and right is not None:
                joined = LeftToRight(self, negation(right) if name == "NOT" else right)
            elif joined is not None and right is not None:
                joined.add(name, right)
        return joined.query() if joined else None

    def operand(self, after: tuple[str, int, int] | None) -> Query | None:
        char = self.here()
        if char == "(":
            return self.bracketed()
        if match := LINE.match(self.text, self.at):
            return self.reference(match)
        if char == "[":
            raise self.loose_tag()
        if char in ("", ")"):
            raise self.lacks(after[1:], "after") if after else self.stray()
        start = self.at
        if char in CLOSERS:
            text, phrase = self.quoted_to(CLOSERS[char]), True
        else:
            text, phrase = self.words(), False
            if not text:
                raise self.lacks((self.operator() or ("", start, start + 1))[1:], "before")
        if date := self.spread(text, start):
            return date
        self.count(start, self.at)
        end = self.at
        match = TAG.match(self.text, self.at)
        if match is None:
            return self.term(text, _EVERYWHERE, phrase, (start, end), "")
        self.at = match.end()
        return self.term(text, self.tag(match), phrase, (start, end), plain(match[1]))

    def bracketed(self) -> Query | None:
        opening = self.enter()
        query = self.query_or_none()
        self.leave(opening)
        if match := TAG.match(self.text, self.at):
            reason = message("A tag applies to a word or phrase, not to a group")
            raise self.error(
                reason, match.start(1) - 1, match.end(), fix=self.without(*match.span())
            )
        return query

    def reference(self, match: re.Match[str]) -> Query | None:
        """What an earlier line means."""
        where = match.span()
        if self.lines is None:
            reason = message(
                "{shown} names an earlier search; earlier searches are not kept", shown=match[0]
            )
            raise self.error(reason, *where, fix=self.without(*where))
        line = self.lines.get(int(match[1]))
        if line is None:
            reason = message("There is no line {number} before this one", number=match[1])
            raise self.error(reason, *where, advice=message("A line may name those before it."))
        self.at = match.end()
        self.used.add(int(match[1]))
        self.losses.widened += line.widened
        self.read += line.size - 1
        self.count(*where)
        return line.query

    # ---------------------------------------------------------------- pieces

    def spread(self, text: str, start: int) -> Query | None:
        """The rest of a range that begins with the date `text`; None where it is no range."""
        if not re.fullmatch(DATE, text):
            return None
        at = self.at
        first = TAG.match(self.text, at)
        then = _AND_THEN.match(self.text, first.end() if first else at)
        if then is None or then[1] != then[3]:
            return None
        last = TAG.match(self.text, then.end())
        named = last or first
        if named is None:
            return None
        self.at = last.end() if last else then.end()
        self.count(start, self.at)
        return self.years(
            f"{text}:{then[2]}", self.tag(named), (start, then.end()), plain(named[1])
        )

    # ---------------------------------------------------------------- tags

    # ---------------------------------------------------------------- errors

    def loose_tag(self) -> QuerySyntaxError:
        match = TAG.match(self.text, self.at)
        end = match.end() if match else self.at + 1
        return self.error(
            message("A tag stands directly after a word or phrase"),
            self.at,
            end,
            fix=self.without(self.at, end),
        )
