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
from dataclasses import dataclass

from metasearch.errors import QuerySyntaxError
from metasearch.query.ast import (
    FACETS,
    IDENTIFIERS,
    Not,
    Or,
    Query,
    Term,
    Years,
    conjunction,
    searches,
    terms,
)
from metasearch.query.blanks import is_blank
from metasearch.query.facets import FACET_WORDS, facet_word, near_facet_words
from metasearch.query.field_names import FIELD_NAMES
from metasearch.query.lexer import Token, tokens
from metasearch.query.lowercase import with_operators
from metasearch.query.years import BadYears, read_years, years_text

#: Characters of a query.
MAX_LENGTH = 20_000
#: Brackets inside brackets.
MAX_DEPTH = 20
#: Words, phrases and year ranges of a query, each counted as one.
MAX_TERMS = 1_000

_ROUNDS = 8
#: Characters of a text that is mended more than once: each round reads all of it.
_MENDED = 2_000
_NOT_WANTED = "what is not wanted"
_ADVICE = "Type one or more words, such as: gene drive"
_FIELD = re.compile(rf"\b(?:{'|'.join(FIELD_NAMES)})[:：]", re.IGNORECASE)
_WORDS = re.compile(r"\w+(?:[-.']\w+)*")
_SPREAD_RANGE = re.compile(r"\s+[-\u2010-\u2015]\s*([0-9]{4})(?![^\s)）])")


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
            advice=_ADVICE if error.suggestion else error.advice,
        ) from None


def _read(text: str) -> Query:
    """As `parse`, but a suggestion mends only the mistake at hand."""
    if len(text) > MAX_LENGTH:
        raise QuerySyntaxError(
            f"The query is longer than {MAX_LENGTH:,} characters",
            text=text,
            position=MAX_LENGTH,
            advice="Split it into several searches.",
        )
    query = _SimpleParser(text).query()
    if not searches(query):
        said = said_only(query)
        raise QuerySyntaxError(
            f"The query says only {said}",
            text=text,
            position=len(text) - len(text.lstrip()),
            length=len(text.strip()),
            advice=f"Add a word to look for, as in: climate "
            f"{'NOT warming' if said == _NOT_WANTED else 'year:2020'}",
        )
    return query


def said_only(query: Query) -> str:
    """What a query says that names nothing to look for: "which types and languages are wanted"."""
    if any(term.field not in FACETS for term in terms(query, negated=True)):
        return _NOT_WANTED
    facets = sorted({f"{term.field}s" for term in terms(query, negated=True)}, reverse=True)
    return f"which {' and '.join(facets) or 'years'} are wanted"


def _corrected(text: str, fix: str | None) -> str | None:
    """A query that parses, found by mending one mistake after the other; failing that, the mere
    words of the text.
    """
    if fix is None:
        return None
    candidate: str | None = fix
    for _ in range(_ROUNDS if len(candidate or "") <= _MENDED else 1):
        if candidate is None:
            break
        candidate = " ".join("".join(" " if is_blank(char) else char for char in candidate).split())
        try:
            _read(candidate)
        except QuerySyntaxError as error:
            candidate = error.suggestion
        else:
            return candidate
    found = [
        word for word in _WORDS.findall(_FIELD.sub(" ", text)) if word not in ("AND", "OR", "NOT")
    ]
    plain = " ".join(found)
    return plain if found and len(found) <= MAX_TERMS and len(plain) <= MAX_LENGTH else None


@dataclass(slots=True)
class _Operand:
    """A part of a conjunction; a `bare` one may take the words after it into its `Term`."""

    query: Query
    bare: bool = False


class _SimpleParser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = with_operators(tokens(text))
        self.at = 0
        self.open: list[Token] = []
        self.read = 0

    def query(self) -> Query:
        if self.peek().kind == "end":
            raise QuerySyntaxError("The query is empty", text=self.text, position=0, advice=_ADVICE)
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
    def join(last: _Operand, part: _Operand) -> bool:
        """Put the word of `part` into the term of `last`, if the two are bare words of one
        field.
        """
        left, right = last.query, part.query
        if not (last.bare and part.bare and isinstance(left, Term) and isinstance(right, Term)):
            return False
        if left.field != right.field:
            return False
        last.query = Term(f"{left.text} {right.text}", left.field)
        return True

    def negation(self, field: str | None, after: Token | None) -> _Operand:
        negated = False
        last = self.peek()
        while last.kind in ("not", "-"):
            if last.kind == "-" and field == "year" and self.tokens[self.at + 1].kind == "word":
                break
            negated = not negated
            after, last = self.take(), self.peek()
        part = self.operand(field, after)
        if negated:
            return _Operand(part.query.part if isinstance(part.query, Not) else Not(part.query))
        return (
            part
            if after is None or after.kind == "and" or after.kind == "or"
            else _Operand(part.query)
        )

    def operand(self, field: str | None, after: Token | None) -> _Operand:
        token = self.peek()
        if token.kind == "-":  # in a group of years: the open range "-2024"
            self.take()
            word = self.take()
            self.count(word)
            return _Operand(self.years(word, f"-{word.text}"))
        if token.kind == "(":
            return _Operand(self.group(field))
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
                f"Brackets are nested more than {MAX_DEPTH} deep",
                text=self.text,
                position=bracket,
                advice="Write the query with fewer brackets.",
            )
        if self.peek().kind == ")":
            closing = self.peek()
            raise self.error(
                "There is nothing between the brackets",
                bracket,
                closing.end,
                self.cut(opening.start, closing.end),
            )
        if self.peek().kind == "end":
            raise self.error(
                "There is nothing after this bracket",
                bracket,
                bracket + 1,
                self.cut(opening.start, opening.end),
            )
        self.open.append(opening)
        query = self.disjunction(opening.field or field)
        if self.peek().kind != ")":
            closed = self.text + ")" * len(self.open)
            raise self.error("This bracket is never closed", bracket, bracket + 1, closed)
        self.take()
        self.open.pop()
        return query

    def term(self, token: Token, field: str | None) -> _Operand:
        if field == "year":
            return _Operand(self.years(token, f"{token.text}*" if token.truncated else token.text))
        if field in FACETS:
            return _Operand(self.facet(token, field))
        if token.kind == "phrase":
            return _Operand(Term(token.text, field or "any", phrase=True))
        if token.truncated:
            if field in IDENTIFIERS:
                fix = f"{self.text[: token.end - 1]}{self.text[token.end :]}"
                raise self.error(
                    f"{field}: takes whole numbers, without a star", token.value, token.end, fix
                )
            return _Operand(Term(token.text, field or "any", truncated=True))
        if token.doi is not None and field in (None, "doi"):
            # Two identifiers are two terms: no database knows them as one.
            return _Operand(Term(token.doi, "doi"))
        return _Operand(Term(token.text, field or "any"), bare=True)

    def facet(self, token: Token, field: str) -> Term:
        word = None if token.truncated else facet_word(field, token.text)
        if word is not None:
            return Term(word, field)
        near = near_facet_words(field, token.text)
        shown = token.text if len(token.text) <= 30 else f"{token.text[:29]}…"
        reason = f'There is no {field} "{shown}"' + (
            f"; near it are {', '.join(near)}" if near else ""
        )
        if near:
            fix = f"{self.text[: token.start]}{field}:{near[0]}{self.text[token.end :]}"
            raise self.error(reason, token.value, token.end, fix)
        raise QuerySyntaxError(
            reason,
            text=self.text,
            position=token.value,
            length=token.end - token.value,
            advice=f"Write one of {FACET_WORDS[field]}.",
        )

    def years(self, token: Token, value: str) -> Years:
        end = token.end - 1 if token.kind == "phrase" else token.end
        try:
            years = read_years(value)
        except BadYears as bad:
            if bad.corrected:
                fix = f"{self.text[: token.start]}year:{bad.corrected}{self.text[token.end :]}"
            else:
                fix = self.cut(token.start, token.end)
            raise self.error(bad.reason, token.value, end, fix) from None
        spread = _SPREAD_RANGE.match(self.text, token.end)
        if spread and years.first is not None and years.first == years.last:
            before, after = self.text[: token.start], self.text[spread.end() :]
            fix = f"{before}year:{years_text(years)}-{spread[1]}{after}"
            raise self.error(
                "A range of years is written without blanks", token.end, spread.end(), fix
            )
        return years

    # ---------------------------------------------------------------- tokens and errors

    def peek(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def count(self, token: Token) -> None:
        self.read += 1
        if self.read > MAX_TERMS:
            raise QuerySyntaxError(
                f"The query has more than {MAX_TERMS} words and phrases",
                text=self.text,
                position=token.start,
                length=token.end - token.start,
                advice="Split it into several searches.",
            )

    def cut(self, start: int, end: int) -> str:
        return f"{self.text[:start]} {self.text[end:]}"

    def error(self, reason: str, start: int, end: int, fix: str) -> QuerySyntaxError:
        return QuerySyntaxError(
            reason, text=self.text, position=start, length=end - start, suggestion=fix
        )

    def stray(self, token: Token) -> QuerySyntaxError:
        return self.error(
            "This bracket closes nothing", token.start, token.end, self.cut(token.start, token.end)
        )

    def lacks(self, token: Token, side: str) -> QuerySyntaxError:
        sign = self.text[token.start : token.end]
        fix = self.cut(token.start, token.end)
        return self.error(
            f"{sign} needs something to look for {side} it", token.start, token.end, fix
        )
