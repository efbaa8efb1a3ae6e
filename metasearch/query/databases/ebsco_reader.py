"""What EBSCOhost alone has: `(MH "X+/TH")`, and the settings that its histories print."""

from __future__ import annotations

from metasearch.query.ast import Query
from metasearch.query.databases.ebsco import EBSCO
from metasearch.query.databases.reader import DatabaseReader
from metasearch.query.field_targets import FieldTarget

_MAIN = frozenset({"MM", "MJ"})


class EbscoReader(DatabaseReader):
    """One text in the syntax of EBSCOhost."""

    grammar = EBSCO

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
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
