"""What the Cochrane Library alone has: `MeSH descriptor: [X] explode all trees`, `[mh "X"]`, `{OR
#1-#3}`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from metasearch.query.ast import Query
from metasearch.query.databases.cochrane import COCHRANE
from metasearch.query.databases.grammar import HEADING
from metasearch.query.databases.reader import DatabaseReader, Line, joined
from metasearch.query.databases.telling import Telling

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

    def __init__(
        self, text: str, lines: Mapping[int, Line] | None = None, telling: Telling | None = None
    ) -> None:
        super().__init__(text, COCHRANE, lines, telling)

    def special(self) -> tuple[bool, Query | None]:
        if found := _DESCRIPTOR.match(self.text, self.at):
            self.at = found.end()
            return True, self.heading(
                found[1], found.span(), exploded=bool(found[2]), narrowed=found[3] or ""
            )
        if found := _MH.match(self.text, self.at):
            self.at = found.end()
            if found[4]:
                self.telling.tell("focus", found[0])
            return True, self.heading(
                found[2], found.span(), exploded=not found[1], narrowed=found[3] or ""
            )
        if found := _COMBINED.match(self.text, self.at):
            self.at = found.end()
            numbers = self.numbers(found[2], found.span())
            return True, joined(
                found[1].upper(), [self.reference(it, *found.span()) for it in numbers]
            )
        return super().special()

    def heading(
        self, name: str, where: tuple[int, int], *, exploded: bool, narrowed: str
    ) -> Query | None:
        if exploded:
            self.telling.tell("explosion", f"[{name}]")
        if narrowed:
            self.telling.tell("subheading", narrowed.strip())
        return self.value(" ".join(name.split()), HEADING, "mh", where, quoted=True)
