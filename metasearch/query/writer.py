"""Any query in the syntax of a database that people search by hand: the way back from
`metasearch.query.any_syntax`.

    translate('"salt marsh" carbon year:2018-', to="ovid").text
    # ("salt marsh" and carbon).mp. and 2018:3000.yr.

Each syntax has a file with a table (see `grammar.py`); our own syntax and CQL have
printers of their own. The notes name what a syntax cannot express; where there are none, the text
is read back as the query that it was written from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.query.grammar import Booleans, SyntaxStyle
from metasearch.query.reduction import (
    Leaf,
    Part,
    PartGroup,
    QueryReducer,
    heading_note,
    is_framed,
)
from metasearch.query.simple import to_text
from metasearch.query.syntaxes import TARGETS
from metasearch.query.tree import (
    Query,
    Term,
    disjunction,
    terms,
    with_joint_negations,
    with_leaves,
)

# A query tree -> text in one syntax, by its `Style`. Brackets stand only where an operator changes.
# Two steps: `reduced` turns the tree into what the syntax can express, and notes what it cannot;
# `text` writes that, with one field around all that is looked for in it.


class QueryWriter(QueryReducer):
    def write(self, query: Query) -> str:
        """Returns the text; "" where nothing of the query can be written, which a note says."""
        query = with_joint_negations(query)
        part = self.reduce(query if self.style.truncation else self.with_usual_words(query))
        if part is None:
            self.note(message("nothing of the query can be written for {label}", label=self.label))
            return ""
        return self.text(part)

    def with_usual_words(self, query: Query) -> Query:
        """The query with usual words in the place of beginnings of words."""
        return with_leaves(query, self.usual_words) or query

    def usual_words(self, leaf: Query) -> Query:
        if not isinstance(leaf, Term) or not leaf.truncated:
            return leaf
        from metasearch.query.word_forms import forms

        words = forms(leaf.text)
        if words in ((), (leaf.text,)):
            return leaf
        self.note(
            message(
                "{label} cannot be asked for the beginnings of words: {bare}* is written "
                "as {words}, and other words that begin so are not found",
                label=self.label,
                bare=leaf.text[:30],
                words=", ".join(words),
            )
        )
        return disjunction([replace(leaf, text=one, truncated=False) for one in words])

    def text(self, part: Part) -> str:
        if isinstance(part, Leaf):
            return part.frame.format(x=part.text)
        if part.frame:
            inner = self.inside(part)
            return part.frame.format(x=inner if self.style.bracketed else f"({inner})")
        if part.sign:
            return part.sign.join(self.operand(inner, None) for inner in part.parts)
        parts, without = self.by_frame(part)
        return self.join(part.every, parts, without, self.style.booleans)

    def by_frame(self, group: PartGroup) -> tuple[list[str], list[str]]:
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
                self.requirements(parts, without) if group.every else self.alternatives(parts)
            )
        return (
            [self.operand(part, group.every) for part in together],
            [self.operand(part, None) for part in outside],
        )

    def operand(self, part: Part, every: bool | None) -> str:
        """Returns the text of a part of a group of that kind; None for what follows a NOT."""
        text = self.text(part)
        loose = isinstance(part, PartGroup) and not part.frame and _is_loose(part, every)
        return f"({text})" if loose else text

    def inside(self, part: Part) -> str:
        """Returns the text of what stands in a frame, without fields."""
        if isinstance(part, Leaf):
            return part.text
        if part.sign:
            return part.sign.join(self.operand_inside(inner, None) for inner in part.parts)
        parts = [self.operand_inside(inner, part.every) for inner in part.parts]
        without = [self.operand_inside(inner, None) for inner in part.without]
        return self.join(part.every, parts, without, self.style.within)

    def operand_inside(self, part: Part, every: bool | None) -> str:
        loose = isinstance(part, PartGroup) and _is_loose(part, every)
        return f"({self.inside(part)})" if loose else self.inside(part)

    @staticmethod
    def join(every: bool, parts: list[str], without: list[str], booleans: Booleans) -> str:
        positive = (booleans.all if every else booleans.either).join(parts)
        return "".join([positive, *(f"{booleans.without}{text}" for text in without)])


def _is_loose(group: PartGroup, every: bool | None) -> bool:
    """Whether a group needs brackets in one of that kind."""
    return group.every is not every or bool(group.sign)


@dataclass(frozen=True, slots=True)
class Translation:
    """A query in one syntax.

    Attributes:
        text: To be pasted into the database's own search; "" where nothing of the query can be said
            in it.
        syntax: A key of `TARGETS`.
        notes: One sentence for each thing that the text does not say as the query does.
    """

    text: str
    syntax: str
    notes: tuple[str, ...] = ()


def translate(query: str | Query, *, to: str, syntax: str = "auto") -> Translation:
    """Write a query in the syntax of a database. Nothing is asked.

    `to`: a key of `TARGETS`. `syntax`: that a text is in, one of `metasearch.query.CHOICES`. Raises
    QuerySyntaxError: the text cannot be read; UsageError: there is no such syntax.
    """
    if to not in TARGETS:
        raise UsageError(
            message("there is no syntax called {syntax}", syntax=repr(to[:40])),
            advice=message("Choose one of {names}.", names=", ".join(TARGETS)),
        )
    if not isinstance(query, str):
        return write_query(query, to)
    from metasearch.query.any_syntax import read

    source = read(query, syntax)
    translation = write_query(source.query, to)
    notes = dict.fromkeys((*source.losses, *translation.notes))
    return Translation(translation.text, to, tuple(notes))


def write_query(query: Query, to: str) -> Translation:
    """A tree in the syntax `to`, a key of `TARGETS`."""
    if to in ("simple", "cql"):
        label = "CQL" if to == "cql" else message("our own syntax")
        headings = [term for term in terms(query, negated=True) if term.heading]
        notes = dict.fromkeys(heading_note(term, label) for term in headings)
        if to == "simple":
            return Translation(to_text(query), to, tuple(notes))
        from metasearch.query.cql import to_cql

        return Translation(to_cql(query), to, tuple(notes))
    writer = QueryWriter(style_of(to))
    text = writer.write(query)
    return Translation(text, to, writer.notes)


def style_of(syntax: str) -> SyntaxStyle:
    """How a syntax of `TARGETS` is written; "simple" and "cql" have printers and no style."""
    if syntax == "wanfang":
        from metasearch.query.cnki import WANFANG_STYLE

        return WANFANG_STYLE
    style: SyntaxStyle = import_module(f"metasearch.query.{syntax}").STYLE
    return style
