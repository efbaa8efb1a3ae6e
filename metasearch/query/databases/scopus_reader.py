"""What Scopus alone has: `PUBYEAR > 2009`, `LIMIT-TO(DOCTYPE, "ar")`, `EXCLUDE(…)`."""

from __future__ import annotations

import re

from metasearch.query.ast import Query, Term
from metasearch.query.databases.reader import DatabaseReader
from metasearch.query.databases.scopus import DOCTYPES, SCOPUS
from metasearch.query.trees import negation

_YEAR = re.compile(r"PUBYEAR\s{0,5}(>=|<=|>|<|=|AFT|BEF|IS)\s{0,5}([0-9]{4})(?!\w)", re.IGNORECASE)
_LIMIT = re.compile(
    r"(LIMIT-TO|EXCLUDE)\s{0,5}\(\s{0,5}([A-Z-]{2,20})\s{0,5},\s{0,5}[\"“]?([^\"“”()]{1,80}?)[\"”]?\s{0,5}\)",
    re.IGNORECASE,
)


class ScopusReader(DatabaseReader):
    """One text in the syntax of Scopus."""

    grammar = SCOPUS

    def special(self) -> tuple[bool, Query | None]:
        if match := _YEAR.match(self.text, self.at):
            self.at = match.end()
            self.count(*match.span())
            return True, self.years(f"{match[1].lower()} {match[2]}", match.span())
        if match := _LIMIT.match(self.text, self.at):
            return True, self.limit(match)
        return super().special()

    def starts_special(self) -> bool:
        return bool(_YEAR.match(self.text, self.at) or _LIMIT.match(self.text, self.at))

    def limit(self, match: re.Match[str]) -> Query | None:
        self.at = match.end()
        tag = self.grammar.codes.get(match[2].lower())
        if tag is None or tag.fields not in (("year",), ("type",), ("language",)):
            self.losses.add("limit", match[0])
            self.count(*match.span())
            return None
        query = self.value(" ".join(match[3].split()), tag, match[2], match.span(3), quoted=True)
        return negation(query) if query is not None and match[1].upper() == "EXCLUDE" else query

    def type(self, text: str) -> Query:
        known = DOCTYPES.get(text.lower())
        return Term(known, "type") if known else super().type(text)
