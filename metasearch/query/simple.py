"""Our own query syntax: `gene drive author:burt NOT "gene therapy" year:2015-` -> `Query`.

A recursive descent over the tokens of `simple_tokens.py`:

    query        = disjunction
    disjunction  = conjunction { "OR" conjunction }
    conjunction  = negation { [ "AND" ] negation }
    negation     = { "NOT" | "-" } proximity
    proximity    = operand { ( "NEAR/" | "PRE/" ) number operand }
    operand      = [ field ":" ] ( word [ "*" ] | phrase | "(" disjunction ")" )

Bare words of one field with nothing between them become one `Term`; everything else that stands
side by side is joined with AND. A truncated word is a `Term` of its own, and so is each type or
language, in its canonical form. Trees come out normalised: `And` and `Or` flat and with two parts
at least, no `Not` directly in a `Not`. docs/query.md describes the same for users.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from metasearch.errors import QuerySyntaxError
from metasearch.late_pattern import late_pattern
from metasearch.message import message
from metasearch.query.characters import plain_characters
from metasearch.query.clauses import Clause
from metasearch.query.places import JoinOperator, Places
from metasearch.query.reader import QueryText, correction
from metasearch.query.simple_fields import FIELD_NAMES, LIMIT, fields_of, in_round_brackets
from metasearch.query.simple_tokens import (
    QueryToken,
    ends_open,
    near_sign,
    rows_of,
    tokens,
    with_operators,
)
from metasearch.query.tree import (
    CODED_FIELDS,
    FIELD_WORDS,
    IDENTIFIERS,
    MAX_LENGTH,
    MAX_TERMS,
    And,
    Near,
    Not,
    Or,
    Query,
    Term,
    Years,
    conjunction,
    negation,
    searches,
    without_words,
)
from metasearch.query.values import (
    CODED_WORDS,
    BadYears,
    bare_doi,
    bare_number,
    code_of_word,
    codes_near,
    number_and_field,
    read_span,
    read_years,
    years_text,
)

#: What to do about an empty query.
ADVICE = message("Type one or more words, such as: gene drive")
_SPREAD_RANGE = late_pattern(r"\s+[-\u2010-\u2015]\s*([0-9]{4})(?![^\s)）])")


@dataclass(slots=True)
class Operand:
    """A part of a conjunction.

    Attributes:
        query: None for a limit that no source can be asked for.
        bare: It may take the words after it into its `Term`.
        wider: It finds more than was written, because of such a limit in it; so its NOT would
            exclude too much.
    """

    query: Query | None
    bare: bool = False
    wider: bool = False


class OperandReader(QueryText):
    """The tokens of a query, and a place among them. Raises QuerySyntaxError: the text holds
    something that is no token, is too long, or no text.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text, "simple")
        self.check()
        self.text = text = in_round_brackets(text)
        self.tokens = with_operators(tokens(text))
        self.rows = rows_of(text, self.tokens)
        self.at = 0
        self.open: list[QueryToken] = []
        self.in_rest = False
        #: Where it says what stands where; None where nobody asks.
        self.places: Places | None = None

    def term(self, token: QueryToken, field: str | None) -> Operand:
        if field == LIMIT:
            return Operand(None)
        if field is not None and " " in field:
            return self.in_each(token, field.split())
        if field == "year":
            return Operand(self.years(token, f"{token.text}*" if token.truncated else token.text))
        if field in CODED_FIELDS:
            return Operand(self.code_term(token, field))
        if token.kind == "phrase" and token.within and field not in IDENTIFIERS:
            words = [Term(word, field or "any") for word in token.text.split()]
            words[-1] = replace(words[-1], truncated=token.truncated)
            return Operand(Near(tuple(words), token.within))
        if token.kind == "phrase":
            if not token.truncated:
                return Operand(Term(token.text, field or "any", phrase=True))
            if field not in IDENTIFIERS:
                # The beginning of a single word is the same with quotes and without.
                return Operand(Term(token.text, field or "any", " " in token.text, truncated=True))
        if token.truncated:
            if field in IDENTIFIERS:
                fix = f"{self.text[: token.end - 1]}{self.text[token.end :]}"
                reason = message("{field}: takes whole numbers, without a star", field=field)
                raise self.error(reason, token.value, token.end, fix=fix)
            return Operand(Term(token.text, field or "any", truncated=True))
        if token.number is not None and field in (None, token.number[0]):
            # Two identifiers are two terms: no database knows them as one.
            return Operand(Term(token.number[1], token.number[0]))
        if field in IDENTIFIERS and token.end - token.value == len(token.text):
            return Operand(Term(bare_number(field, token.text) or token.text, field), bare=True)
        return Operand(Term(token.text, field or "any"), bare=True)

    def in_each(self, token: QueryToken, fields: list[str]) -> Operand:
        for _ in fields[1:]:
            self.count(token.start, token.end)
        terms = [self.term(token, field).query for field in fields]
        return Operand(Or(tuple(term for term in terms if term is not None)))

    def code_term(self, token: QueryToken, field: str) -> Term:
        word = None if token.truncated else code_of_word(field, token.text)
        if word is not None:
            return Term(word, field)
        near = codes_near(field, token.text)
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
            raise self.error(reason, token.value, token.end, fix=fix)
        advice = message("Write one of {names}.", names=CODED_WORDS[field])
        raise self.error(reason, token.value, token.end, advice=advice)

    def years(self, token: QueryToken, value: str) -> Years:
        end = token.end - 1 if token.kind == "phrase" else token.end
        try:
            years = read_span(value)[0] if value[:1] in ("[", "{", "(") else read_years(value)
        except BadYears as bad:
            if bad.corrected:
                fix = f"{self.text[: token.start]}year:{bad.corrected}{self.text[token.end :]}"
            else:
                fix = self.without(token.start, token.end)
            raise self.error(bad.reason, token.value, end, fix=fix) from None
        spread = _SPREAD_RANGE.match(self.text, token.end)
        if spread and years.first is not None and years.first == years.last:
            before, after = self.text[: token.start], self.text[spread.end() :]
            fix = f"{before}year:{years_text(years)}-{spread[1]}{after}"
            reason = message("A range of years is written without blanks")
            raise self.error(reason, token.end, spread.end(), fix=fix)
        return years

    def peek(self) -> QueryToken:
        return self.tokens[self.at]

    def take(self) -> QueryToken:
        token = self.tokens[self.at]
        self.at += 1
        return token


_FIELD = late_pattern(rf"\b(?:{'|'.join(FIELD_NAMES)})[:：]", re.IGNORECASE)
_WORDS = late_pattern(r"\w+(?:[-.']\w+)*")


def parse(text: str) -> Query:
    """Read a query. Takes time linear in its length.

    Raises:
        QuerySyntaxError: The text is no query. Nothing else is raised, whatever the text. Its
            `suggestion`, where there is one, is a query that can be parsed.
    """
    text = plain_characters(text)
    try:
        return _read(text)
    except QuerySyntaxError as error:
        raise error.with_changes(
            text=text,
            suggestion=_correction_or_words(text, error.suggestion),
            advice=ADVICE if error.suggestion else error.advice,
            kind="syntax",
        ) from None


def _read(text: str) -> Query:
    """As `parse`, but a suggestion corrects only one mistake."""
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


def read_places(text: str, places: Places) -> Query:
    """As `parse`; what stands where is added to `places`. Raises QuerySyntaxError."""
    parser = _SimpleParser(text)
    parser.places = places
    return parser.query()


def _correction_or_words(text: str, fix: str | None) -> str | None:
    """A query that can be parsed, found by correcting one mistake after the other; where none is
    found, the words of the text.
    """
    if fix is None:
        return None
    if found := correction(_read, fix):
        return found
    words = [
        word for word in _WORDS.findall(_FIELD.sub(" ", text)) if word not in ("AND", "OR", "NOT")
    ]
    shortened = " ".join(words)
    short_enough = len(words) <= MAX_TERMS and len(shortened) <= MAX_LENGTH
    return shortened if words and short_enough else None


class _SimpleParser(OperandReader):
    def query(self) -> Query:
        if self.peek().kind == "end":
            raise self.error(message("The query is empty"), 0, 1, advice=ADVICE)
        rows = [self.disjunction(None).query]
        while self.at in self.rows:
            rows.append(self.disjunction(None).query)
        if self.peek().kind == ")":
            raise self.no_opening(self.peek().start)
        if not any(rows):
            raise self.error(
                message("The query has no word to look for, only limits of another program"),
                0,
                len(self.text),
                advice=ADVICE,
            )
        return conjunction(*rows)

    def disjunction(self, field: str | None) -> Operand:
        start = left = self.peek().start
        parts = [self.conjunction(field)]
        while self.peek().kind == "or":
            sign = self.take()
            parts.append(self.conjunction(field, after=sign))
            left = self.place_join("OR", sign, left, start)
        flat: list[Query] = []
        for part in parts:
            if part.query is None:  # what else would do is not known
                return Operand(None)
            flat += part.query.parts if isinstance(part.query, Or) else (part.query,)
        whole = flat[0] if len(flat) == 1 else Or(tuple(flat))
        return Operand(whole, wider=any(part.wider for part in parts))

    def conjunction(self, field: str | None, after: QueryToken | None = None) -> Operand:
        start = left = self.peek().start
        parts = [self.negation(field, after)]
        while (kind := self.peek().kind) not in ("or", ")", "end") and self.at not in self.rows:
            sign = self.take() if kind == "and" else None
            following = self.peek()
            part = self.negation(field, after=sign)
            joined = kind == "word" and self.join(parts[-1], part)
            if not joined:
                parts.append(part)
            if joined and self.places is not None:
                self.places.join_words(self.text, parts[-1].query)
            elif sign or following.kind in ("not", "-"):
                negates = following.kind in ("not", "-")
                name: JoinOperator = "NOT" if negates else "AND"
                left = self.place_join(name, sign or following, left, start)
        there = [part.query for part in parts if part.query is not None]
        wider = len(there) < len(parts) or any(part.wider for part in parts)
        return Operand(conjunction(*there) if there else None, wider=wider)

    def place_join(self, operator: JoinOperator, sign: QueryToken, left: int, group: int) -> int:
        """Tell whoever looks at places of an operator whose right operand has been read, and whose
        left one begins at `left`. Returns where the right one begins.
        """
        if self.places is not None:
            sides = (left, sign.start), (sign.end, self.tokens[self.at - 1].end)
            place = sign.start, sign.end
            self.places.join(operator, place, sides, len(self.open), group)
        return sign.end

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

    def negation(self, field: str | None, after: QueryToken | None) -> Operand:
        negated = False
        last = self.peek()
        while last.kind in ("not", "-"):
            if last.kind == "-" and field == "year" and self.tokens[self.at + 1].kind == "word":
                break
            negated = not negated
            after, last = self.take(), self.peek()
        part = self.proximity(field, after)
        if negated:
            known = part.query is not None and not part.wider
            return Operand(negation(part.query) if known and part.query else None)
        beside = after is None or after.kind in ("and", "or")
        return part if beside else Operand(part.query, wider=part.wider)

    def proximity(self, field: str | None, after: QueryToken | None) -> Operand:
        part = self.operand(field, after)
        if self.peek().kind != "near":
            return part
        last, wider = self.peek(), part.wider
        parts = [self.place(part, last)]
        while (sign := self.peek()).kind == "near":
            if (sign.within, sign.ordered) != (last.within, last.ordered):
                parts, last = [Near(tuple(parts), last.within, last.ordered)], sign
            following = self.operand(field, self.take())
            parts.append(self.place(following, sign))
            wider = wider or following.wider
        return Operand(Near(tuple(parts), last.within, last.ordered), wider=wider)

    def place(self, part: Operand, sign: QueryToken) -> Query:
        """What stands beside an operator of proximity."""
        if part.query is None or not _is_place(part.query):
            raise self.error(
                message(
                    "{sign} needs a word, a phrase or alternatives with OR on either side",
                    sign=sign.text,
                ),
                sign.start,
                sign.end,
                fix=self.with_replacement(sign.start, sign.end, "AND"),
            )
        return part.query

    def operand(self, field: str | None, after: QueryToken | None) -> Operand:
        token = self.peek()
        if token.kind == "-":  # in a group of years: the open range "-2024"
            self.take()
            word = self.take()
            self.count(word.start, word.end)
            return Operand(self.years(word, f"-{word.text}"))
        if token.kind == "(":
            return self.group(field)
        if token.kind == "rest":
            return self.rest(field)
        if token.kind in ("word", "phrase"):
            self.take()
            self.count(token.start, token.end)
            operand = self.term(token, token.field or field)
            if self.places is not None:
                self.places.term(
                    self.text,
                    f"{token.text}{'*' * token.truncated}",
                    (token.start, token.end),
                    token.field or field or "",
                    Clause(operand.query, operand.query),
                    quoted=token.kind == "phrase",
                    endless="*",
                )
            return operand
        if after is not None:
            raise self.lacks((after.start, after.end), "after")
        if token.kind == ")":
            raise self.no_opening(token.start)
        raise self.lacks((token.start, token.end), "before")

    def rest(self, field: str | None) -> Operand:
        """All that follows in the field of `allintitle:`; one within another adds nothing."""
        while (token := self.peek()).kind == "rest":
            first = self.take()
        if token.kind in (")", "end"):
            raise self.lacks((first.start, first.end), "after")
        if self.in_rest:
            return self.operand(field, first)
        self.in_rest = True
        all_of_it = self.disjunction(first.field)
        self.in_rest = False
        return all_of_it

    def group(self, field: str | None) -> Operand:
        opening = self.take()
        bracket = opening.end - 1
        self.check_depth(len(self.open), bracket)
        if self.peek().kind == ")":
            closing = self.peek()
            raise self.error(
                message("There is nothing between the brackets"),
                bracket,
                closing.end,
                fix=self.without(opening.start, closing.end),
            )
        if self.peek().kind == "end":
            raise self.error(
                message("There is nothing after this bracket"),
                bracket,
                bracket + 1,
                fix=self.without(opening.start, opening.end),
            )
        self.open.append(opening)
        inner = self.disjunction(opening.field or field)
        if self.peek().kind != ")":
            raise self.no_closing(bracket, len(self.open))
        self.take()
        self.open.pop()
        return inner


def _is_place(query: Query) -> bool:
    """Whether it stands somewhere in a text, near other words."""
    match query:
        case Term():
            return query.field not in CODED_FIELDS | IDENTIFIERS
        case Or(parts):
            return all(map(_is_place, parts))
    return isinstance(query, Near)


# `Query` -> text of our own syntax: `parse(to_text(query)) == query` for every normalised tree
# within the caps. A word that the parser would take for something else gets a backslash, which
# makes it a mere word: `\AND`, `\year:2020`, `\10.1000/x`, `\-omics`. Brackets, quotes and stars in
# a word get one each, so do quotes and backslashes in a phrase.

_SMALL = "and or not"
_SMALL_WORD = re.compile(r"(?<!\S)(?:and|or|not)(?!\S)|[(:](?:and|or|not)\b|\b(?:and|or|not)\)")
#: With the next words it may be a clause of ACM: [Publication Title: x].
_BRACKET = re.compile(r"\[[A-Za-z\[]")
_IN_WORD = str.maketrans({char: f"\\{char}" for char in '\\"＂“”„()（）['})
_IN_PHRASE = str.maketrans({char: f"\\{char}" for char in '\\"'})


def to_text(query: Query) -> str:
    """The query in our own syntax, with no more brackets than it needs."""
    text = _text(query, "")
    # Beside brackets and fields, `and` in small letters would be an operator.
    return (
        _text(query, _SMALL)
        if _SMALL_WORD.search(text) and any(sign in text for sign in "(:")
        else text
    )


def _text(query: Query, escaped: str) -> str:
    """As `to_text`; the words in `escaped` get a backslash."""
    match query:
        case Term():
            return _term(query, escaped)
        case Years():
            return f"year:{years_text(query)}"
        case And(parts):
            return " AND ".join(
                _in_brackets(part, escaped) if isinstance(part, Or) else _text(part, escaped)
                for part in parts
            )
        case Or(parts):
            texts = [_text(part, escaped) for part in parts]
            if any(isinstance(part, Term) and part.heading for part in parts):
                texts = list(dict.fromkeys(texts))  # the same words beside a heading
            return " OR ".join(texts)
        case Near(parts, within, ordered):
            sign = f" {'PRE' if ordered else 'NEAR'}/{within} "
            return sign.join(_near_part(part, escaped) for part in parts)
        case Not(part):
            several = isinstance(part, And | Or | Near) or (
                isinstance(part, Term) and part.field == "any" and _several(part)
            )
            return f"NOT {_in_brackets(part, escaped) if several else _text(part, escaped)}"


def _near_part(query: Query, escaped: str) -> str:
    """A part of a `Near`: several words are one only in brackets."""
    several = not isinstance(query, Term) or (query.field == "any" and _several(query))
    return _in_brackets(query, escaped) if several else _text(query, escaped)


def _in_brackets(query: Query, escaped: str) -> str:
    return f"({_text(query, escaped)})"


def _several(term: Term) -> bool:
    return not term.phrase and " " in term.text


def _term(term: Term, escaped: str) -> str:
    prefix = "" if term.field == "any" else f"{term.field}:"
    if term.phrase:
        text = term.text.translate(_IN_PHRASE)
        if term.truncated:
            text = f"{text}*"
        elif ends_open(term.text):
            text = f"{text[:-1]}\\*"
        return f'{prefix}"{text}"'
    if term.truncated:
        return _stem(prefix, term)
    words = term.text.split()
    grouped = bool(prefix) and len(words) > 1
    frame = f"{prefix}({{}})" if grouped else f"{prefix}{{}}"
    return frame.format(
        " ".join(
            f"\\{word}"
            if word in escaped.split()
            else _word(word, term.field, frame, several=len(words) > 1)
            for word in words
        )
    )


def _stem(prefix: str, term: Term) -> str:
    escaped = term.text.translate(_IN_WORD).replace("*", r"\*")
    for written in (f"{prefix}{term.text}*", f"{prefix}{escaped}*"):
        if _reads_as(written, term):
            return written
    return f"{prefix}{escaped}*" if escaped.startswith("\\") else f"{prefix}\\{escaped}*"


def _word(word: str, field: str, frame: str, *, several: bool) -> str:
    escaped = word.translate(_IN_WORD).replace("*", r"\*")
    meant = Term(word, field)
    for written in (word, escaped):
        # Two bare DOIs side by side are two terms, so none of the words of one term may be one; and
        # whether "type:" is a word depends on the next one.
        apart = (
            several
            and "\\" not in written
            and (
                bare_doi(written) is not None
                or number_and_field(written) is not None
                or near_sign(written) is not None
                or _BRACKET.search(written) is not None
                or _may_name_the_next(written)
            )
        )
        if not apart and _reads_as(frame.format(written), meant):
            return written
    return escaped if escaped.startswith("\\") else f"\\{escaped}"


def _may_name_the_next(word: str) -> bool:
    """Whether it is a field where a blank follows, and then a type or number: "type:", "PMID"."""
    if word in ("PMID", "PMCID", "DOI", "ISBN", "ISSN", "arXiv"):
        return True
    return word[-1:] in (":", "：") and fields_of(word[:-1]) in CODED_FIELDS | IDENTIFIERS


def _is_word(text: str) -> bool:
    """Whether a text is a word in every place; in capitals it may be an operator."""
    return text.isalnum() and not text.isupper()


def _reads_as(text: str, term: Term) -> bool:
    coded = term.field in CODED_FIELDS | IDENTIFIERS
    if not coded and not term.truncated and _is_word(term.text):
        return True
    try:
        # A type or language is a query only beside a word.
        return (
            parse(f"{text} x") == conjunction(term, Term("x"))
            if term.field in CODED_FIELDS
            else parse(text) == term
        )
    except QuerySyntaxError:
        return False
