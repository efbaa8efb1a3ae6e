"""What embase.com alone has: `[english]/lim`, `[2010-2020]/py`, `'x'/exp/mj`."""

from __future__ import annotations

import re

from metasearch.query.ast import Query
from metasearch.query.databases.embase import EMBASE
from metasearch.query.databases.reader import DatabaseReader
from metasearch.query.databases.values import language_named, type_named
from metasearch.query.field_targets import FieldTarget

_LIMIT = re.compile(r"\[([^\[\]]{1,80})\](?:\s{0,3}/\s?([a-z]{2,3}))?(?!\w)", re.IGNORECASE)
_SLASHED = frozenset("exp de mj syn br lnk dm dd dt cl".split())


class EmbaseReader(DatabaseReader):
    """One text in the syntax of embase.com."""

    grammar = EMBASE

    def special(self) -> tuple[bool, Query | None]:
        match = _LIMIT.match(self.text, self.at)
        if match is None:
            return super().special()
        self.at = match.end()
        self.count(*match.span())
        value = " ".join(match[1].split())
        if (match[2] or "").lower() == "py":
            return True, self.years(value, match.span(1))
        if (match[2] or "").lower() == "sd":
            return True, self.years(value, match.span(1), "sd")
        if language_named(value):
            return True, self.language(value)
        if type_named(value)[0]:
            return True, self.type(value)
        self.losses.add("limit", match[0])
        return True, None

    def starts_special(self) -> bool:
        return self.text[self.at] == "["

    def is_suffix(self, match: re.Match[str]) -> bool:
        names = re.split(r"[,/]", match[1].lower())
        return match[0].startswith(":") or names[0].strip() in _SLASHED

    def known(self, names: str) -> FieldTarget | None:
        parts = [part.strip() for part in re.split(r"[,/]", names.lower())]
        if parts[0] == "exp":
            self.losses.add("explosion", "/exp")
        if "mj" in parts:
            self.losses.add("focus", "/mj")
            parts = [part for part in parts if part != "mj"] or ["de"]
        return super().known(",".join(parts))
