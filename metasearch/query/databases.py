"""Text -> tree by the table of one database: what the readers of all of them share.

    query   = operand { [ operator ] operand }    operators of one kind first, as
                                                  `DatabaseGrammar.order` says
    operand = [ prefix ] ( "(" query ")" | phrase | word { word } | reference ) [ suffix ]

A field named at a bracket holds for all that stands in it, unless another is named there. None
stands throughout for what cannot be asked: it is ignored, and a note names it.
"""

from __future__ import annotations

from collections.abc import Sequence

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.ast import Query, conjunction
from metasearch.query.blanks import plain
from metasearch.query.databases.references import ReferenceReader
from metasearch.query.databases.scanner import Sign
from metasearch.query.field_targets import FieldTarget
from metasearch.query.reading import ReadQuery
from metasearch.query.trees import disjunction, negation


class DatabaseReader(ReferenceReader):
    """One text, or one line of a strategy, with the arguments of `TextScanner`."""

    # ---------------------------------------------------------------- the whole

    def tree(self) -> Query | None:
        """All of the text; None where nothing of it can be asked."""
        return self.all_of(self.query_or_none)

    def whole(self) -> ReadQuery:
        """All of the text, if it can be searched for."""
        return self.ended(self.tree())

    def ended(self, query: Query | None) -> ReadQuery:
        """The query with its notes. Raises QuerySyntaxError: nothing of it can be searched for."""
        if query is None:
            raise self.not_searchable or self.error(
                message("No part of the query can be searched for"),
                0,
                len(self.text),
                advice=message("Add a word to look for."),
            )
        for sentence in self.losses.sentences():
            self.note(sentence)
        return self.finished(query)

    # ---------------------------------------------------------------- the grammar

    def query_or_none(self) -> Query | None:
        """Up to the end, or to the bracket that closes."""
        first = self.operator()
        if first and first.name != "NOT":
            raise self.lacks(first.span, "before")
        operands, operators = [self.excluded(first) if first else self.operand(None)], []
        if first and operands[0] is not None:
            operands[0] = negation(operands[0])
        while self.here() not in ("", ")"):
            sign = self.operator()
            operators.append(sign.name if sign else "BESIDE")
            operands.append(
                self.excluded(sign) if sign and sign.name == "NOT" else self.operand(sign)
            )
        query = self.combined(operands, operators)
        if query is not None:
            self.check_alternation(query)
        return query

    def excluded(self, sign: Sign) -> Query | None:
        """The operand of a NOT; where it is read more widely, a note says more is excluded."""
        before, start = self.losses.widened, self.at
        query = self.operand(sign)
        if self.losses.widened > before:
            self.losses.add("negated", f"NOT {plain(self.text[start : self.at])}")
        return query

    def combined(self, operands: Sequence[Query | None], operators: Sequence[str]) -> Query | None:
        """Operands with the operators between them, those that bind closely first."""
        if self.order_matters(operators):
            self.losses.add("order", f"AND, OR and NOT|{self.grammar.title}")
        order: list[str] = list(self.grammar.order)
        order.insert(1 if order[0] == "OR" else 0, "NEAR")
        for level in ("BESIDE", *order):
            groups, rest = [[operands[0]]], []
            for operator, operand in zip(operators, operands[1:], strict=True):
                if operator == level:
                    groups[-1].append(operand)
                else:
                    rest.append(operator)
                    groups.append([operand])
            operands, operators = [joined(level, group) for group in groups], rest
        return operands[0]

    def order_matters(self, operators: Sequence[str]) -> bool:
        """Whether another order of reading would change what the operators mean."""
        if "OR" in operators and ("AND" in operators or "NOT" in operators):
            return True
        order = self.grammar.order
        late_not = "NOT" in operators and order.index("NOT") > order.index("AND")
        return late_not and "AND" in operators[operators.index("NOT") :]

    def operand(self, after: Sign | None) -> Query | None:
        """One operand, whatever it is."""
        char = self.here()
        if char in ("", ")"):
            if after:
                raise self.lacks(after.span, "after")
            raise self.stray() if char else self.nothing()
        start = self.at
        handled, query = self.special()
        if handled:
            if self.at <= start:
                raise self.error(
                    message("This cannot be read"),
                    start,
                    start + 1,
                    fix=self.without(start, start + 1),
                )
            return query
        if prefix := self.prefix():
            return self.prefixed(*prefix)
        if char == "(":
            return self.bracketed()
        if self.opens_quote(self.at):
            text = self.quoted_to(self.quotes[self.text[self.at]])
            end = self.at
            tag, shown = self.suffix_here() or (self.target, self.shown)
            return self.value(text, tag, shown, (start, end), quoted=True)
        return self.run(after)

    def special(self) -> tuple[bool, Query | None]:
        """Whether a construct of this database alone is next, and what it means."""
        if reference := self.referred():
            return True, self.reference(int(reference[1]), *reference.span())
        return False, None

    def bracketed(self) -> Query | None:
        """What stands in the bracket that is next, in the field that is named after it."""
        opening = self.at
        self.check_depth(len(self.open), opening)
        close = self.closing.get(opening)
        if close is None:
            count = len(self.text) and self.text.count("(", opening) + len(self.open)
            fix = self.text + ")" * min(count, 1 + len(self.open))
            raise self.error(message("This bracket is never closed"), opening, opening + 1, fix=fix)
        outer = self.target, self.shown
        self.at = close + 1
        named = self.suffix_here()
        after = self.at
        if named:
            self.target, self.shown = named
        self.at = opening + 1
        if self.here() == ")":
            raise self.error(
                message("There is nothing between the brackets"),
                opening,
                close + 1,
                fix=self.without(opening, after),
            )
        self.open.append(opening)
        query = self.query_or_none()
        self.open.pop()
        self.target, self.shown = outer
        self.at = after
        return query

    def prefixed(self, tag: FieldTarget, shown: str) -> Query | None:
        """The operand that a field before it holds for."""
        outer = self.target, self.shown
        self.target, self.shown = tag, shown
        at = self.at
        start = max(at - len(shown) - 1, 0)
        if self.here() in ("", ")") or ((sign := self.peeked()) is not None and sign.name != "NOT"):
            raise self.error(
                message("{sign} needs something to look for after it", sign=shown),
                start,
                at,
                fix=self.without(start, at),
            )
        before = self.at
        if self.prefix() is not None and self.text[before] != "(":
            raise self.error(
                message("{shown} stands before another field", shown=shown),
                start,
                at,
                fix=self.without(start, at),
            )
        self.at = before
        opens = self.here() == "("
        query = self.operand(None)
        self.target, self.shown = outer
        sign = None if opens else self.peeked()
        if (
            sign
            and sign.name == "OR"
            and self.target is self.grammar.default
            and not self.field_after(sign.end)
        ):
            self.losses.add("bare", shown)
        return query

    def field_after(self, at: int) -> bool:
        """Whether a field or bracket is named after an operator."""
        before, self.at = self.at, at
        named = self.here() in ("", "(") or self.prefix() is not None or self.referred() is not None
        self.at = before
        return named

    def run(self, after: Sign | None) -> Query | None:
        """Words up to the next operator, bracket, quote or field."""
        words: list[str] = []
        start = end = self.at
        named: tuple[FieldTarget, str] | None = None
        while (char := self.here()) and char not in "()" and not self.opens_quote(self.at):
            if words and (self.peeked() or self.referred(after_word=True) or self.starts_special()):
                break
            if not words and self.peeked():
                sign = self.operator()
                raise self.lacks((sign or after or Sign("", start, start + 1)).span, "before")
            before = self.at
            if words and self.prefix():
                self.at = before
                break
            raw_end = self.word_end(before)
            named = self.suffix_in(before, raw_end)
            end = self.at if named else raw_end
            word = self.text[before : self.cut_at] if named else self.text[before:raw_end]
            self.at = max(end, before + 1)
            if word:
                words.append(word)
            if named:
                break
        text = plain(" ".join(words))
        if not text:
            raise self.error(
                message("There is nothing to look for here"),
                start,
                max(self.at, start + 1),
                fix=self.without(start, max(self.at, start + 1)),
            )
        tag, shown = named or (self.target, self.shown)
        return self.value(text, tag, shown, (start, max(end, start + 1)), quoted=False)

    def starts_special(self) -> bool:
        """Whether a construct of this database alone begins inside a run of words."""
        return False

    # ---------------------------------------------------------------- earlier lines

    def nothing(self) -> QuerySyntaxError:
        return self.error(
            message("There is nothing to look for here"),
            0,
            max(1, len(self.text)),
            advice=message("Write a word."),
        )


def joined(level: str, group: Sequence[Query | None]) -> Query | None:
    """Operands with one operator between them; what cannot be asked is left out."""
    if len(group) == 1:
        return group[0]
    asked = [operand for operand in group if operand is not None]
    if not asked:
        return None
    if level == "OR":
        return disjunction(asked)
    if level == "NOT":
        first, *others = group
        excluded = [negation(operand) for operand in others if operand is not None]
        asked = excluded if first is None else [first, *excluded]
    return conjunction(*asked)
