"""What ProQuest alone has: `MESH.EXACT.EXPLODE("X")`, `X -- Y`, `[*3]`, `pd(>20091231)`."""

from __future__ import annotations

import re

from metasearch.message import message
from metasearch.query.ast import Query
from metasearch.query.databases.proquest import PROQUEST
from metasearch.query.databases.reader import DatabaseReader
from metasearch.query.field_targets import FieldTarget

_LIMITED = re.compile(r"(?:\[\*[0-9]{1,2}\]|\$[0-9]{1,2})")
_UNKNOWN = re.compile(r"([A-Za-z]{2,20}(?:\.[A-Za-z]{2,20}){1,3})\(")


class ProquestReader(DatabaseReader):
    """One text in the syntax of ProQuest."""

    grammar = PROQUEST

    def prefix(self) -> tuple[FieldTarget, str] | None:
        match = super().prefix()
        if match and "EXPLODE" in match[1].upper():
            self.losses.add("explosion", match[1])
        if match and match[1].upper().startswith(("MJ", "MAJ")):
            self.losses.add("focus", match[1])
        if match is None and (unknown := _UNKNOWN.match(self.text, self.at)):
            reason = message("There is no field {field} in ProQuest", field=unknown[1])
            raise self.error(reason, *unknown.span(1), fix=self.without(*unknown.span(1)))
        return match

    def is_near(self, word: str) -> bool:
        return word.isupper()

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Query | None:
        if tag.heading and " -- " in text:
            text, _, narrowed = text.partition(" -- ")
            self.losses.add("subheading", f"-- {narrowed}")
        return super().value(text, tag, shown, where, quoted=quoted)

    def widened(self, word: str, where: tuple[int, int]) -> tuple[str, bool]:
        if limited := _LIMITED.search(word):
            self.losses.add("wildcard", word)
            word = f"{word[: limited.start()]}*"
        return super().widened(word, where)
