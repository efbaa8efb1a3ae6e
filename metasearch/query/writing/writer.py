"""A query tree -> text in one syntax, by its `Style`. Brackets stand only where an operator
changes.

Two steps: `reduced` (reducer.py) turns the tree into what the syntax can express, and notes what it
cannot; `text` writes that, with one field around all that is looked for in it.
"""

from __future__ import annotations

from metasearch.message import message
from metasearch.query.ast import Query
from metasearch.query.writing.groups import Group, Leaf, Part, is_framed
from metasearch.query.writing.reducer import QueryReducer
from metasearch.query.writing.style import Booleans


class QueryWriter(QueryReducer):
    """Writes one query."""

    def write(self, query: Query) -> str:
        """Returns the text; "" where nothing of the query can be written, which a note says."""
        part = self.reduced(query)
        if part is None:
            self.note(
                message("nothing of the query can be written for {label}", label=self.style.label)
            )
            return ""
        return self.text(part)

    def text(self, part: Part) -> str:
        """Returns the text of a part, each field around all that is looked for in it."""
        if isinstance(part, Leaf):
            return part.frame.format(x=part.text)
        if part.frame:
            inner = self.inside(part)
            return part.frame.format(x=inner if self.style.bracketed else f"({inner})")
        parts, without = self.by_frame(part)
        return self.joined(part.every, parts, without, self.style.booleans)

    def by_frame(self, group: Group) -> tuple[list[str], list[str]]:
        """Returns the texts of the parts and of what must not hold.

        Parts of one field are put together, and each text is in brackets where it needs them.
        """
        framed: dict[str, tuple[list[Part], list[Part]]] = {}
        order: list[str | Part] = []
        for part in group.parts:
            if not self.style.framed or not is_framed(part):
                order.append(part)
                continue
            if part.frame not in framed:
                framed[part.frame] = ([], [])
                order.append(part.frame)
            framed[part.frame][0].append(part)
        outside: list[Part] = []
        for part in group.without:
            (framed[part.frame][1] if part.frame in framed else outside).append(part)
        together: list[Part] = []
        for entry in order:
            if not isinstance(entry, str):
                together.append(entry)
                continue
            parts, without = framed[entry]
            together.append(
                self.grouped(parts, without) if group.every else self.alternatives(parts)
            )
        return (
            [self.operand(part, group.every) for part in together],
            [self.operand(part, None) for part in outside],
        )

    def operand(self, part: Part, every: bool | None) -> str:
        """Returns the text of a part of a group of that kind; None for what follows a NOT."""
        text = self.text(part)
        loose = isinstance(part, Group) and not part.frame and part.every is not every
        return f"({text})" if loose else text

    def inside(self, part: Part) -> str:
        """Returns the text of what stands in a frame, without fields."""
        if isinstance(part, Leaf):
            return part.text
        parts = [self.operand_inside(inner, part.every) for inner in part.parts]
        without = [self.operand_inside(inner, None) for inner in part.without]
        return self.joined(part.every, parts, without, self.style.within)

    def operand_inside(self, part: Part, every: bool | None) -> str:
        """As `operand`, in a frame."""
        loose = isinstance(part, Group) and part.every is not every
        return f"({self.inside(part)})" if loose else self.inside(part)

    @staticmethod
    def joined(every: bool, parts: list[str], without: list[str], booleans: Booleans) -> str:
        """Returns the texts with the operators of the syntax between them."""
        positive = (booleans.all if every else booleans.either).join(parts)
        return "".join([positive, *(f"{booleans.without}{text}" for text in without)])
