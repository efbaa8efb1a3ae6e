"""What Web of Science alone has: the settings that a history prints."""

from __future__ import annotations

import re

from metasearch.query.ast import Query
from metasearch.query.databases.reader import DatabaseReader
from metasearch.query.databases.wos import WOS

_SETTING = re.compile(
    r"(?:Indexes|Timespan|Editions|Databases?|DocType|Language)\s{0,3}=\s{0,3}[^\n()\"]{1,200}",
    re.IGNORECASE,
)


class WosReader(DatabaseReader):
    """One text in the syntax of Web of Science."""

    grammar = WOS

    def special(self) -> tuple[bool, Query | None]:
        if setting := _SETTING.match(self.text, self.at):
            self.at = setting.end()
            self.losses.add("settings", setting[0])
            return True, None
        return super().special()

    def starts_special(self) -> bool:
        return bool(_SETTING.match(self.text, self.at))
