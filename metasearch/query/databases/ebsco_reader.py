"""What EBSCOhost alone has: `(MH "X+/TH")`, and the settings that its histories print."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.query.ast import Query
from metasearch.query.databases.ebsco import EBSCO
from metasearch.query.databases.losses import Losses
from metasearch.query.databases.reader import DatabaseReader
from metasearch.query.databases.scanner import StrategyLine
from metasearch.query.pubmed_tags import Tag

_MAIN = frozenset({"MM", "MJ"})


class EbscoReader(DatabaseReader):
    """One text in the syntax of EBSCOhost."""

    def __init__(
        self,
        text: str,
        lines: Mapping[int, StrategyLine] | None = None,
        losses: Losses | None = None,
    ) -> None:
        super().__init__(text, EBSCO, lines, losses)

    def value(
        self, text: str, tag: Tag, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Query | None:
        if tag.heading:
            name, slash, narrowed = text.partition("/")
            if slash:
                self.losses.add("subheading", f"/{narrowed}")
            if "+" in text[-4:] or name.endswith("+"):
                self.losses.add("explosion", text)
            if shown.upper() in _MAIN:
                self.losses.add("focus", f'{shown} "{name}"')
            text = name.rstrip("+ ") or text
        return super().value(text, tag, shown, where, quoted=quoted)
