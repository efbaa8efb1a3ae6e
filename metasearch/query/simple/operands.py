"""What an operand of our own syntax means: words, phrases, types, languages, years."""

from __future__ import annotations

from dataclasses import dataclass

from metasearch.errors import QuerySyntaxError
from metasearch.late_pattern import late_pattern
from metasearch.message import message
from metasearch.query.ast import CODED_FIELDS, FIELD_WORDS, IDENTIFIERS, Query, Term, Years
from metasearch.query.limits import MAX_TERMS
from metasearch.query.simple.coded_fields import CODED_WORDS, coded_word, near_coded_words
from metasearch.query.simple.lexer import Token, tokens
from metasearch.query.simple.lowercase import with_operators
from metasearch.query.years import BadYears, read_years, years_text

#: What to do about an empty query.
ADVICE = message("Type one or more words, such as: gene drive")
_SPREAD_RANGE = late_pattern(r"\s+[-\u2010-\u2015]\s*([0-9]{4})(?![^\s)）])")


@dataclass(slots=True)
class Operand:
    """A part of a conjunction; a `bare` one may take the words after it into its `Term`."""

    query: Query
    bare: bool = False


class OperandReader:
    """The tokens of a query, and a place among them. Raises QuerySyntaxError: the text holds
    something that is no token.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = with_operators(tokens(text))
        self.at = 0
        self.open: list[Token] = []
        self.read = 0

    def term(self, token: Token, field: str | None) -> Operand:
        if field == "year":
            return Operand(self.years(token, f"{token.text}*" if token.truncated else token.text))
        if field in CODED_FIELDS:
            return Operand(self.coded(token, field))
        if token.kind == "phrase":
            return Operand(Term(token.text, field or "any", phrase=True))
        if token.truncated:
            if field in IDENTIFIERS:
                fix = f"{self.text[: token.end - 1]}{self.text[token.end :]}"
                raise self.error(
                    message("{field}: takes whole numbers, without a star", field=field),
                    token.value,
                    token.end,
                    fix,
                )
            return Operand(Term(token.text, field or "any", truncated=True))
        if token.doi is not None and field in (None, "doi"):
            # Two identifiers are two terms: no database knows them as one.
            return Operand(Term(token.doi, "doi"))
        return Operand(Term(token.text, field or "any"), bare=True)

    def coded(self, token: Token, field: str) -> Term:
        word = None if token.truncated else coded_word(field, token.text)
        if word is not None:
            return Term(word, field)
        near = near_coded_words(field, token.text)
        shown = token.text if len(token.text) <= 30 else f"{token.text[:29]}…"
        named = FIELD_WORDS[field]
        reason = message('There is no {field} "{word}"', field=named, word=shown)
        if near:
            reason = message(
                'There is no {field} "{word}"; near it are {near}',
                field=named,
                word=shown,
                near=", ".join(near),
            )
            fix = f"{self.text[: token.start]}{field}:{near[0]}{self.text[token.end :]}"
            raise self.error(reason, token.value, token.end, fix)
        raise QuerySyntaxError(
            reason,
            text=self.text,
            position=token.value,
            length=token.end - token.value,
            advice=message("Write one of {names}.", names=CODED_WORDS[field]),
        )

    def years(self, token: Token, value: str) -> Years:
        end = token.end - 1 if token.kind == "phrase" else token.end
        try:
            years = read_years(value)
        except BadYears as bad:
            if bad.corrected:
                fix = f"{self.text[: token.start]}year:{bad.corrected}{self.text[token.end :]}"
            else:
                fix = self.without(token.start, token.end)
            raise self.error(bad.reason, token.value, end, fix) from None
        spread = _SPREAD_RANGE.match(self.text, token.end)
        if spread and years.first is not None and years.first == years.last:
            before, after = self.text[: token.start], self.text[spread.end() :]
            fix = f"{before}year:{years_text(years)}-{spread[1]}{after}"
            raise self.error(
                message("A range of years is written without blanks"), token.end, spread.end(), fix
            )
        return years

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
                message(
                    "The query has more than {max_terms} words and phrases", max_terms=MAX_TERMS
                ),
                text=self.text,
                position=token.start,
                length=token.end - token.start,
                advice=message("Split it into several searches."),
            )

    def without(self, start: int, end: int) -> str:
        return f"{self.text[:start]} {self.text[end:]}"

    def error(self, reason: str, start: int, end: int, fix: str) -> QuerySyntaxError:
        return QuerySyntaxError(
            reason, text=self.text, position=start, length=end - start, suggestion=fix
        )

    def stray(self, token: Token) -> QuerySyntaxError:
        return self.error(
            message("This bracket has no opening bracket"),
            token.start,
            token.end,
            self.without(token.start, token.end),
        )

    def lacks(self, token: Token, side: str) -> QuerySyntaxError:
        sign = self.text[token.start : token.end]
        fix = self.without(token.start, token.end)
        reason = (
            message("{sign} needs something to look for before it", sign=sign)
            if side == "before"
            else message("{sign} needs something to look for after it", sign=sign)
        )
        return self.error(
            reason,
            token.start,
            token.end,
            fix,
        )
