"""The syntax of the Cochrane Library: `[mh Gambling] AND (harm* NEAR/3 reduc*):ti,ab,kw`."""

from __future__ import annotations

import re

from metasearch.query.clauses import Clause, either, every
from metasearch.query.databases import DatabaseReader
from metasearch.query.grammar import (
    ABSTRACT,
    ANY,
    AUTHOR,
    DOI,
    HEADING,
    LANGUAGE,
    NOWHERE,
    NUMBER,
    SUBJECT,
    TITLE,
    TYPE,
    VENUE,
    YEAR,
    DatabaseGrammar,
    codes,
    near,
)
from metasearch.query.tree import plain

COCHRANE = DatabaseGrammar(
    "cochrane",
    "the Cochrane Library",
    codes(
        ("so-all", ANY),
        ("ti", TITLE),
        ("ab", ABSTRACT),
        ("au", AUTHOR),
        ("kw", SUBJECT),
        ("mh", HEADING),
        ("so", VENUE),
        ("py yr", YEAR),
        ("la", LANGUAGE),
        ("pt", TYPE),
        ("doi", DOI),
        ("an", NUMBER),
        ("crg tb og", NOWHERE),
    ),
    suffix=re.compile(r":([a-z]{2,3}(?:\s?,\s?[a-z]{2}){0,20})(?![\w])", re.IGNORECASE),
    near=near("near", "next"),
    distances={"near": 6},
)


# What Cochrane alone has: `MeSH descriptor: [X] explode all trees`, `[mh "X"]`, `{OR #1-#3}`.

_DESCRIPTOR = re.compile(
    r"MeSH\s{1,3}descriptor:?\s{0,3}\[([^\[\]]{1,150})\]"
    r"(\s{1,3}explode\s{1,3}(?:all\s{1,3}trees|tree\s[0-9, ]{1,20}))?"
    r"(?:\s{1,3}this\s{1,3}term\s{1,3}only)?(\s{1,3}and\s{1,3}with\s{1,3}qualifiers?\(?s?\)?:\s{0,3}\[[^\[\]]{1,300}\])?",
    re.IGNORECASE,
)
_MH = re.compile(
    r'\[mh\s{1,3}(\^?)\s?"?([^\[\]"/]{1,150})"?(/[A-Z, ]{2,60})?(\[mj\])?\s?\]', re.IGNORECASE
)
_COMBINED = re.compile(r"\{\s?(OR|AND)\s{1,3}((?:#?[0-9]{1,4}\s?[-,]?\s?){1,100})\}", re.IGNORECASE)


class CochraneReader(DatabaseReader):
    """One text in the syntax of the Cochrane Library."""

    grammar = COCHRANE

    def special(self) -> Clause | None:
        if match := _DESCRIPTOR.match(self.text, self.at):
            self.at = match.end()
            return self.descriptor(
                match[1], match.span(), explode=bool(match[2]), qualifier=match[3] or ""
            )
        if match := _MH.match(self.text, self.at):
            self.at = match.end()
            if match[4]:
                self.losses.add("focus", match[0])
            return self.descriptor(
                match[2],
                match.span(),
                explode=not match[1],
                qualifier=match[3] or "",
                main=bool(match[4]),
            )
        if match := _COMBINED.match(self.text, self.at):
            self.at = match.end()
            numbers = self.numbers(match[2], match.span())
            join = either if match[1].upper() == "OR" else every
            return join([self.reference(number, *match.span()) for number in numbers])
        return super().special()

    def descriptor(
        self,
        name: str,
        where: tuple[int, int],
        *,
        explode: bool,
        qualifier: str,
        main: bool = False,
    ) -> Clause:
        if qualifier:
            self.losses.add("subheading", qualifier.strip())
        return self.heading(plain(name), where, explode=explode, narrowed=main or bool(qualifier))
