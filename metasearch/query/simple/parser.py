"""Our own query syntax: `gene drive author:burt NOT "gene therapy" year:2015-` -> `Query`.

A recursive descent over the tokens of `lexer`:

    query        = disjunction
    disjunction  = conjunction { "OR" conjunction }
    conjunction  = negation { [ "AND" ] negation }
    negation     = { "NOT" | "-" } operand
    operand      = [ field ":" ] ( word [ "*" ] | phrase | "(" disjunction ")" )

Bare words of one field with nothing between them become one `Term`; everything else that stands
side by side is joined with AND. A truncated word is a `Term` of its own, and so is each type or
language, in its canonical form. Trees come out normalised: `And` and `Or` flat and with two parts
at least, no `Not` directly in a `Not`. docs/query.md describes the same for users.
"""

from __future__ import annotations

import re

from metasearch.errors import QuerySyntaxError
from metasearch.late_pattern import late_pattern
from metasearch.message import message
from metasearch.query.ast import Not, Or, Query, Term, conjunction, searches, without_words
from metasearch.query.blanks import plain
from metasearch.query.limits import MAX_DEPTH, MAX_LENGTH, MAX_TERMS, corrections
from metasearch.query.simple.field_names import FIELD_NAMES
from metasearch.query.simple.lexer import Token
from metasearch.query.simple.operands import ADVICE, Operand, OperandReader

_FIELD = late_pattern(rf"\b(?:{'|'.join(FIELD_NAMES)})[:：]", re.IGNORECASE)
_WORDS = late_pattern(r"\w+(?:[-.']\w+)*")


def parse(text: str) -> Query:
    """Read a query. Takes time linear in its length.

    Raises:
        QuerySyntaxError: The text is no query. Nothing else is raised, whatever the text. Its
            `suggestion`, where there is one, is a query that can be parsed.
    """
    try:
        return _read(text)
    except QuerySyntaxError as error:
        raise QuerySyntaxError(
            error.reason,
            text=text,
            position=error.position,
            length=error.length,
            suggestion=_corrected(text, error.suggestion),
            advice=ADVICE if error.suggestion else error.advice,
        ) from None


def _read(text: str) -> Query:
    """As `parse`, but a suggestion corrects only one mistake."""
    if len(text) > MAX_LENGTH:
        raise QuerySyntaxError(
            message(
                "The query is longer than {max_length} characters", max_length=f"{MAX_LENGTH:,}"
            ),
            text=text,
            position=MAX_LENGTH,
            advice=message("Split it into several searches."),
        )
    query = _SimpleParser(text).query()
    if not searches(query):
        only = without_words(query)
        example = "climate NOT warming" if only == "what is excluded" else "climate year:2020"
        raise QuerySyntaxError(
            message("The query has no word to look for, only {without_words}", without_words=only),
            text=text,
            position=len(text) - len(text.lstrip()),
            length=len(text.strip()),
            advice=message("Add a word to look for, as in: {example}", example=example),
        )
    return query


def _corrected(text: str, fix: str | None) -> str | None:
    """A query that can be parsed, found by correcting one mistake after the other; where none is
    found, the words of the text.
    """
    if fix is None:
        return None
    candidate: str | None = fix
    for _ in range(corrections(fix)):
        if candidate is None:
            break
        candidate = plain(candidate)
        try:
            _read(candidate)
        except QuerySyntaxError as error:
            candidate = error.suggestion
        else:
            return candidate
    words = [
        word for word in _WORDS.findall(_FIELD.sub(" ", text)) if word not in ("AND", "OR", "NOT")
    ]
    shortened = " ".join(words)
    short_enough = len(words) <= MAX_TERMS and len(shortened) <= MAX_LENGTH
    return shortened if words and short_enough else None


class _SimpleParser(OperandReader):
    def query(self) -> Query:
        if self.peek().kind == "end":
            raise QuerySyntaxError(
                message("The query is empty"), text=self.text, position=0, advice=ADVICE
            )
        query = self.disjunction(None)
        if self.peek().kind == ")":
            raise self.stray(self.peek())
        return query

    def disjunction(self, field: str | None) -> Query:
        parts = [self.conjunction(field)]
        while self.peek().kind == "or":
            parts.append(self.conjunction(field, after=self.take()))
        flat = [
            inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,))
        ]
        return flat[0] if len(flat) == 1 else Or(tuple(flat))

    def conjunction(self, field: str | None, after: Token | None = None) -> Query:
        parts = [self.negation(field, after)]
        while (kind := self.peek().kind) not in ("or", ")", "end"):
            part = self.negation(field, after=self.take() if kind == "and" else None)
            joined = kind == "word" and self.join(parts[-1], part)
            if not joined:
                parts.append(part)
        return conjunction(*(part.query for part in parts))

    @staticmethod
    def join(last: Operand, part: Operand) -> bool:
        """Put the word of `part` into the term of `last`, if both are bare, of one field."""
        left, right = last.query, part.query
        if not (last.bare and part.bare and isinstance(left, Term) and isinstance(right, Term)):
            return False
        if left.field != right.field:
            return False
        last.query = Term(f"{left.text} {right.text}", left.field)
        return True

    def negation(self, field: str | None, after: Token | None) -> Operand:
        negated = False
        last = self.peek()
        while last.kind in ("not", "-"):
            if last.kind == "-" and field == "year" and self.tokens[self.at + 1].kind == "word":
                break
            negated = not negated
            after, last = self.take(), self.peek()
        part = self.operand(field, after)
        if negated:
            return Operand(part.query.part if isinstance(part.query, Not) else Not(part.query))
        beside = after is None or after.kind in ("and", "or")
        return part if beside else Operand(part.query)

    def operand(self, field: str | None, after: Token | None) -> Operand:
        token = self.peek()
        if token.kind == "-":  # in a group of years: the open range "-2024"
            self.take()
            word = self.take()
            self.count(word)
            return Operand(self.years(word, f"-{word.text}"))
        if token.kind == "(":
            return Operand(self.group(field))
        if token.kind in ("word", "phrase"):
            self.count(self.take())
            return self.term(token, token.field or field)
        if after is not None:
            raise self.lacks(after, "after")
        if token.kind == ")":
            raise self.stray(token)
        raise self.lacks(token, "before")

    def group(self, field: str | None) -> Query:
        opening = self.take()
        bracket = opening.end - 1
        if len(self.open) == MAX_DEPTH:
            raise QuerySyntaxError(
                message("Brackets are nested more than {max_depth} deep", max_depth=MAX_DEPTH),
                text=self.text,
                position=bracket,
                advice=message("Write the query with fewer brackets."),
            )
        if self.peek().kind == ")":
            closing = self.peek()
            raise self.error(
                message("There is nothing between the brackets"),
                bracket,
                closing.end,
                self.without(opening.start, closing.end),
            )
        if self.peek().kind == "end":
            raise self.error(
                message("There is nothing after this bracket"),
                bracket,
                bracket + 1,
                self.without(opening.start, opening.end),
            )
        self.open.append(opening)
        query = self.disjunction(opening.field or field)
        if self.peek().kind != ")":
            closed = self.text + ")" * len(self.open)
            raise self.error(message("This bracket is never closed"), bracket, bracket + 1, closed)
        self.take()
        self.open.pop()
        return query

    # ---------------------------------------------------------------- tokens and errors
