"""Text -> tree by the table of one database: what the readers of all of them share.

    query   = operand { [ operator ] operand }    operators of one kind first, as
                                                  `DatabaseGrammar.order` says
    operand = [ prefix ] ( "(" query ")" | phrase | word { word } | reference ) [ suffix ]

A field named at a bracket holds for all that stands in it, unless another is named there. What
cannot be asked is an ignored clause (see clauses.py), and a note names it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import cast

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.clauses import Clause, either, every, near, without
from metasearch.query.field_values import TermReader
from metasearch.query.grammar import PRINTED_ANYWHERE, FieldTarget
from metasearch.query.places import JoinOperator, Reference
from metasearch.query.reader import Span
from metasearch.query.scanner import Sign
from metasearch.query.syntaxes import NAMES
from metasearch.query.tree import MAX_LINES, is_blank, plain

_STOP = re.compile(r"[,;.]{1,3}(?=[\s)]|\Z)")


class DatabaseReader(TermReader):
    #: In how many NOTs the place is.
    negations = 0

    # ---------------------------------------------------------------- the whole

    def tree(self) -> Clause:
        return self.all_of(self.query)

    # ---------------------------------------------------------------- the grammar

    def query(self) -> Clause:
        """Up to the end, or to the bracket that closes."""
        first = self.operator()
        if first and first.name != "NOT":
            raise self.lacks(first.span, "before")
        limits: list[Clause] = []
        while not first and self.take_platform_text(limits):
            pass
        self.here()
        start = self.at
        spans: list[Span] = []
        operands = [self.operand_with_span(first, spans)]
        if first:
            self.place_joins([first], spans, start)
            self.note_exclusions(operands, [first], [first])
            operands = [without(operands[0])]
        operators: list[Sign] = []
        rows: list[Clause] = []
        while self.here() not in ("", ")"):
            if self.take_platform_text(limits):
                continue
            if stop := _STOP.match(self.text, self.at):
                self.at = stop.end()  # of the sentence that the query stands in
                continue
            sign = self.operator()
            if sign is None and (row := self.row_here()):
                self.losses.add("joined lines", row)
                # Each row holds as a whole, whatever operators stand in it.
                rows.append(self.combine(operands, operators))
                beside = Sign("BESIDE", self.at, self.at)
                self.place_joins([*operators, beside], spans, start)
                spans = []
                operands, operators = [self.operand_with_span(None, spans)], []
                continue
            operators.append(sign or Sign("BESIDE", self.at, self.at))
            self.negations += bool(sign and sign.name == "NOT")
            operands.append(self.operand_with_span(sign, spans))
            self.negations -= bool(sign and sign.name == "NOT")
        self.place_joins(operators, spans, start)
        clause = every([*rows, self.combine(operands, operators)])
        if (
            clause.widest is None
            and operators
            and self.negations % 2 == 0
            and any(operand.widest is not None for operand in operands)
        ):
            self.losses.add("alternatives", plain(self.text[start : self.at]))
        clause = every([clause, *limits])
        self.check_clause(clause)
        return clause

    def operand_with_span(self, after: Sign | None, spans: list[Span]) -> Clause:
        """The operand that is next; where it stands is added to `spans`."""
        self.here()
        start = self.at
        clause = self.operand(after)
        end = self.at
        while end > start and is_blank(self.text[end - 1]):
            end -= 1
        spans.append((start, end))
        return clause

    def place_joins(self, operators: Sequence[Sign], spans: Sequence[Span], start: int) -> None:
        """Tell whoever looks at places of the operators between the operands at `spans`."""
        if self.places is None:
            return
        for at, sign in enumerate(operators):
            name: JoinOperator = "AND"
            if sign.name in ("OR", "NOT", "NEAR"):
                name = cast("JoinOperator", sign.name)
            self.places.join(name, sign.span, spans[at : at + 2], len(self.open), start)

    def note_exclusions(
        self, operands: Sequence[Clause], signs: Sequence[Sign], operators: Sequence[Sign]
    ) -> None:
        """Say what cannot be excluded as it is meant, of operands behind `signs`, which are some of
        the `operators`.
        """
        ends = [sign.start for sign in operators if sign.name not in ("BESIDE", "NEAR")]
        for clause, sign in zip(operands, signs, strict=True):
            if sign.name == "NOT" and not clause.is_exact:
                end = ends[bisect_right(ends, sign.start)] if ends[-1] > sign.start else self.at
                self.losses.add("negated", plain(self.text[sign.start : end]))

    def combine(self, operands: Sequence[Clause], operators: Sequence[Sign]) -> Clause:
        """Operands with the operators between them, those that bind closely first."""
        if self.order_matters([sign.name for sign in operators]):
            self.losses.add("order", f"AND, OR and NOT|{NAMES[self.grammar.name].in_sentence}")
        order: list[str] = list(self.grammar.order)
        order.insert(1 if order[0] == "OR" else 0, "NEAR")
        written = operators
        for level in ("BESIDE", *order):
            groups, signs, rest = [[operands[0]]], [list[Sign]()], list[Sign]()
            for operator, operand in zip(operators, operands[1:], strict=True):
                if operator.name == level:
                    groups[-1].append(operand)
                    signs[-1].append(operator)
                else:
                    rest.append(operator)
                    groups.append([operand])
                    signs.append([])
            if level == "NOT":
                for group, between in zip(groups, signs, strict=True):
                    if between:
                        self.note_exclusions(group[1:], between, written)
            operands = list(map(clause_of_group, groups, signs))
            operators = rest
        return operands[0]

    def order_matters(self, operators: Sequence[str]) -> bool:
        """Whether another order of reading would change what the operators mean."""
        if "OR" in operators and ("AND" in operators or "NOT" in operators):
            return True
        order = self.grammar.order
        late_not = "NOT" in operators and order.index("NOT") > order.index("AND")
        return late_not and "AND" in operators[operators.index("NOT") :]

    def operand(self, after: Sign | None) -> Clause:
        char = self.here()
        if char in ("", ")"):
            if after:
                raise self.lacks(after.span, "after")
            raise self.no_opening(self.at) if char else self.nothing()
        start = self.at
        begin, self.begin = self.begin, None
        begin = start if begin is None else begin
        known = 0 if self.places is None else len(self.places)
        clause = self.special()
        if clause is not None:
            if self.at <= start:
                raise self.needless(message("This cannot be read"), start, start + 1)
            if self.places is not None and len(self.places) == known:
                self.place_term(self.text[start : self.at].strip(), self.shown, begin, clause)
            return clause
        if prefix := self.prefix():
            self.begin = begin
            return self.operand_of_field(*prefix)
        if char == "(":
            return self.bracket()
        if self.opens_quote(self.at):
            text = self.take_quote(self.quotes[self.text[self.at]])
            end = self.at
            tag, shown = self.suffix_here() or (self.target, self.shown)
            clause = self.value(text, tag, shown, (start, end), quoted=True)
            self.place_term(text, shown, begin, clause, quoted=True)
            return clause
        return self.run(after, begin)

    #: Where an operand begins whose field was read already.
    begin: int | None = None

    def place_term(
        self, text: str, shown: str, start: int, clause: Clause, *, quoted: bool = False
    ) -> None:
        """Tell whoever looks at places of a term from `start` up to here."""
        if self.places is not None:
            self.places.term(
                self.text,
                text,
                (start, self.at),
                shown,
                clause,
                quoted=quoted,
                endless=self.grammar.endless,
            )

    def special(self) -> Clause | None:
        """What a construct of this database alone that is next means; None where there is none."""
        if reference := self.line_reference():
            return self.reference(int(reference[1]), *reference.span())
        return None

    def platform_text(self) -> re.Match[str] | None:
        """What the platform prints round a query, if that is next."""
        own = self.grammar.printed and self.grammar.printed.match(self.text, self.at)
        return own or PRINTED_ANYWHERE.match(self.text, self.at)

    def ends_at(self, at: int) -> bool:
        before, self.at = self.at, at
        self.here()
        printed = self.platform_text() is not None
        self.at = before
        return printed or super().ends_at(at)

    def take_platform_text(self, limits: list[Clause]) -> bool:
        """Take what the platform prints round a query, if that is next: limits of all that stands
        beside it, which are added to `limits`, or what has no part in the search.
        """
        self.here()
        match = self.platform_text()
        if match is None:
            return False
        self.at = match.end()
        if listed := match.groupdict().get("limits"):
            self.losses.add("limits", plain(match[0]))
            limits.append(self.limits(listed, match.start("limits")))
            self.place_term(plain(listed), "limit", match.start(), limits[-1])
        else:
            self.losses.add("settings", plain(match[0]))
        return True

    def bracket(self) -> Clause:
        """What stands in the bracket that is next, in the field that is named after it."""
        opening = self.at
        self.check_depth(len(self.open), opening)
        close = self.closing.get(opening)
        if close is None:
            count = len(self.text) and self.text.count("(", opening) + len(self.open)
            raise self.no_closing(opening, min(count, 1 + len(self.open)))
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
        clause = self.query()
        self.open.pop()
        self.target, self.shown = outer
        self.at = after
        return clause

    def operand_of_field(self, tag: FieldTarget, shown: str) -> Clause:
        outer = self.target, self.shown
        self.target, self.shown = tag, shown
        at = self.at
        start = max(at - len(shown) - 1, 0)
        if self.here() in ("", ")") or ((sign := self.peek()) is not None and sign.name != "NOT"):
            raise self.needless(
                message("{sign} needs something to look for after it", sign=shown), start, at
            )
        before = self.at
        if self.prefix() is not None and self.text[before] != "(":
            raise self.needless(
                message("{shown} stands before another field", shown=shown), start, at
            )
        self.at = before
        opens = self.here() == "("
        clause = self.operand(None)
        self.target, self.shown = outer
        sign = None if opens else self.peek()
        if (
            sign
            and sign.name == "OR"
            and self.target is self.grammar.default
            and not self.field_after(sign.end)
        ):
            self.losses.add("bare", shown)
        return clause

    def field_after(self, at: int) -> bool:
        """Whether a field or bracket is named after an operator."""
        before, self.at = self.at, at
        named = (
            self.here() in ("", "(")
            or self.prefix() is not None
            or self.line_reference() is not None
        )
        self.at = before
        return named

    def run(self, after: Sign | None, begin: int) -> Clause:
        """Words up to the next operator, bracket, quote or field. `begin`: where their field, or
        the first of them, begins.
        """
        words: list[str] = []
        start = end = self.at
        named: tuple[FieldTarget, str] | None = None
        while (char := self.here()) and char not in "()" and not self.opens_quote(self.at):
            if words and (
                self.peek()
                or self.line_reference(after_word=True)
                or self.starts_special()
                or self.platform_text()
            ):
                break
            if not words and self.peek():
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
            raise self.needless(
                message("There is nothing to look for here"), start, max(self.at, start + 1)
            )
        tag, shown = named or (self.target, self.shown)
        clause = self.value(text, tag, shown, (start, max(end, start + 1)), quoted=False)
        self.place_term(text, shown, begin, clause)
        return clause

    def starts_special(self) -> bool:
        """Whether a construct of this database alone begins inside a run of words."""
        return False

    # ---------------------------------------------------------------- earlier lines

    def reference(self, number: int, start: int, end: int) -> Clause:
        self.at = max(self.at, end)
        line = self.line(number, start, end)
        if self.places is not None:
            self.places.references.append(Reference(number, start, end))
        if self.target is not self.grammar.default:
            named = self.text[start:end]
            self.losses.add("field of a line", f"{self.shown.strip(' (=:.,')} {named}")
        return line.clause

    def numbers(self, text: str, where: tuple[int, int]) -> list[int]:
        """The lines that `1-4,7` names, each once."""
        numbers: dict[int, None] = {}
        for part in filter(str.strip, text.replace("#", " ").split(",")):
            first, _, last = ("".join(piece.split()) for piece in part.partition("-"))
            if not first.isdigit() or not (last or first).isdigit():
                raise self.error(
                    message('"{part}" names no lines', part=part.strip()),
                    *where,
                    advice=message("Write 1-4 or 1,3."),
                )
            if int(last or first) < int(first):
                raise self.error(
                    message("The range {part} ends before it begins", part=part.strip()),
                    *where,
                    advice=message("Write 1-4."),
                )
            if int(last or first) - int(first) > MAX_LINES:
                raise self.error(
                    message("The range {part} names too many lines", part=part.strip()),
                    *where,
                    advice=message("Write 1-4."),
                )
            numbers |= dict.fromkeys(range(int(first), int(last or first) + 1))
        return list(numbers)

    def combination(self, match: re.Match[str]) -> Clause:
        """`or/1-4,7`: what joins, and the numbers of lines."""
        self.at = match.end()
        numbers = self.numbers(match[2], match.span())
        join = either if match[1].upper() == "OR" else every
        if self.places is not None:
            name: JoinOperator = "OR" if join is either else "AND"
            spans = [match.span()] * len(numbers)
            self.places.join(name, match.span(1), spans, len(self.open) + 1, match.start())
        return join([self.reference(number, *match.span()) for number in numbers])

    def nothing(self) -> QuerySyntaxError:
        return self.error(
            message("There is nothing to look for here"),
            0,
            max(1, len(self.text)),
            advice=message("Write a word."),
        )


def clause_of_group(group: Sequence[Clause], signs: Sequence[Sign]) -> Clause:
    """Operands with operators of one kind between them."""
    if len(group) == 1:
        return group[0]
    match signs[0].name:
        case "OR":
            return either(group)
        case "NOT":
            return every([group[0], *map(without, group[1:])])
        case "NEAR":
            return close_together(group, signs)
    return every(group)


def close_together(group: Sequence[Clause], signs: Sequence[Sign]) -> Clause:
    """Operands with operators of proximity between them, from left to right; those of one distance
    together.
    """
    parts, last = [group[0]], signs[0]
    for sign, part in zip(signs, group[1:], strict=True):
        if (sign.within, sign.ordered) != (last.within, last.ordered):
            parts, last = [_near(parts, last)], sign
        parts.append(part)
    return _near(parts, last)


def _near(parts: Sequence[Clause], sign: Sign) -> Clause:
    if sign.within is None:  # in one sentence or paragraph
        return Clause(every(parts).widest, None)
    return near(parts, sign.within, ordered=sign.ordered)
