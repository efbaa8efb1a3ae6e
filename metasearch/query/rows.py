"""A query as rows, as the form of an advanced search has them: a field, words, and how these are
taken; and the way back, where the query is flat enough.

Rows are read from the first to the last, as the forms of CNKI and of PubMed's builder are read:
each operator joins its row to all rows before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.characters import plain_characters
from metasearch.query.clauses import exact, left_to_right, without
from metasearch.query.reader import QueryReader
from metasearch.query.simple import parse, to_text
from metasearch.query.tree import (
    CODED_FIELDS,
    FIELDS,
    IDENTIFIERS,
    And,
    Not,
    Or,
    Query,
    Term,
    Years,
    conjunction,
    disjunction,
    plain,
)
from metasearch.query.values import identifier_field

#: Rows of one form.
MOST_ROWS = 20
#: Fields that a row can have.
ROW_FIELDS = tuple(field for field in FIELDS if field not in CODED_FIELDS)
#: How a row is joined to all rows before it.
Operator = Literal["AND", "OR", "NOT"]
#: How the words of a row are taken.
Taken = Literal["all", "phrase", "any"]
OPERATORS: tuple[Operator, ...] = get_args(Operator)
TAKEN: tuple[Taken, ...] = get_args(Taken)
#: Why a query cannot be written as rows: brackets that rows do not have; years or types that are no
#: single one for the whole query; a NOT among alternatives; too many rows.
Obstacle = Literal["brackets", "years", "narrowing", "exclusion", "many"]


@dataclass(frozen=True, slots=True)
class FormRow:
    """One row.

    Attributes:
        text: As typed; words, or with "all" any query of our own syntax. A row without text means
            nothing.
        taken: Whether all words must occur, in any order, or follow one another, or any of them
            will do.
        operator: Joins it to the rows before it. That of the first row is AND or NOT.
    """

    text: str = ""
    field: str = "any"
    taken: Taken = "all"
    operator: Operator = "AND"


@dataclass(frozen=True, slots=True)
class FormRows:
    """A query as rows, and what narrows all of it. `type`: one of `metasearch.record.TYPES`, or "".
    `language`: ISO 639-1, or "".
    """

    rows: tuple[FormRow, ...]
    years: Years | None = None
    type: str = ""
    language: str = ""


class NotFlat(ValueError):
    """A query that rows cannot say: why, and the part that stands in the way."""

    def __init__(self, obstacle: Obstacle, part: Query) -> None:
        super().__init__(f"{obstacle}: {to_text(part)}")
        self.obstacle: Obstacle = obstacle
        self.part = part


def row_query(row: FormRow) -> Query:
    """What one row with text asks for. Takes time linear in its length. Raises QuerySyntaxError:
    its text cannot be read; places are those in the text of the row.
    """
    if row.field in IDENTIFIERS:
        values = list(_identifiers(row))
        return disjunction(values) if row.taken == "any" else conjunction(*values)
    if row.taken == "phrase":
        text = plain(plain_characters(row.text).strip().strip('"'))
        if not text:
            raise QuerySyntaxError(
                message("There is nothing between the quotes"),
                text=row.text,
                position=0,
                length=len(row.text),
            )
        return Term(text, row.field, phrase=True)
    query = _in_field(parse(row.text), row.field)
    return query if row.taken == "all" else disjunction(list(_alternatives(query, row)))


def query_of_rows(rows: FormRows) -> Query:
    """What all rows together ask for. Raises QuerySyntaxError: a row cannot be read, no row has
    text, or the whole is no query: it only excludes, is too long, or has too many words.
    """
    filled = [row for row in rows.rows if plain(row.text)]
    first, *others = filled or [FormRow()]
    reader = QueryReader(" ".join(row.text for row in filled), "simple")
    begin = exact(row_query(first))
    rest = [(row.operator, exact(row_query(row))) for row in others]
    whole = conjunction(
        left_to_right(
            without(begin) if first.operator == "NOT" else begin, rest, reader.check_clause
        ).widest,
        rows.years,
        Term(rows.type, "type") if rows.type else None,
        Term(rows.language, "language") if rows.language else None,
    )
    parse(to_text(whole))  # the limits of a query hold for all rows together
    return whole


def _identifiers(row: FormRow) -> Iterator[Query]:
    """The DOIs, ISBNs or ISSNs of a row, with blanks between them."""
    if row.field == "isbn" and identifier_field(plain(row.text)) == "isbn":  # it may have blanks
        values = [(0, plain(row.text))]
    else:
        values = [(match.start(), match[0]) for match in re.finditer(r"\S+", row.text)]
    prefix = f"{row.field}:"
    for start, value in values:
        try:
            yield parse(f'{prefix}"{value}"' if " " in value else f"{prefix}{value}")
        except QuerySyntaxError as error:
            raise QuerySyntaxError(
                error.reason,
                text=row.text,
                position=start + max(0, error.position - len(prefix)),
                length=min(error.length, len(value)),
                advice=error.advice if error.suggestion is None else "",
            ) from None


def _in_field(query: Query, field: str) -> Query:
    """The query with its words looked for in a field, where they name none of their own."""
    match query:
        case Term():
            return replace(query, field=field) if query.field == "any" else query
        case And(parts):
            return And(tuple(_in_field(part, field) for part in parts))
        case Or(parts):
            return Or(tuple(_in_field(part, field) for part in parts))
        case Not(part):
            return Not(_in_field(part, field))
    return query


def _alternatives(query: Query, row: FormRow) -> Iterator[Query]:
    for part in query.parts if isinstance(query, And) else (query,):
        if not isinstance(part, Term):
            raise QuerySyntaxError(
                message(
                    "A line that looks for any of its words takes words and phrases, no operators"
                ),
                text=row.text,
                position=0,
                length=len(row.text),
                advice=message("Choose all words: there, operators and brackets are read."),
            )
        yield from _words(part)


def _words(term: Term) -> Iterator[Term]:
    if term.phrase or term.truncated or term.field in IDENTIFIERS:
        yield term
    else:
        for word in term.text.split(" "):
            yield Term(word, term.field)


def rows_of_query(query: Query) -> FormRows:
    """The query as rows. Raises NotFlat: rows cannot say it."""
    years: Years | None = None
    codes = {"type": "", "language": ""}
    rest: list[Query] = []
    for part in query.parts if isinstance(query, And) else (query,):
        if isinstance(part, Years):
            if years is not None:
                raise NotFlat("years", part)
            years = part
        elif isinstance(part, Term) and part.field in CODED_FIELDS:
            if codes[part.field]:
                raise NotFlat("narrowing", part)
            codes[part.field] = part.text
        else:
            rest.append(part)
    rows = _rows_of(conjunction(*rest))
    if len(rows) > MOST_ROWS:
        raise NotFlat("many", query)
    return FormRows(tuple(rows), years, codes["type"], codes["language"])


def _rows_of(query: Query) -> list[FormRow]:
    """The rows of a query; the one part that needs several rows comes first."""
    if not isinstance(query, And) and (row := _row(query)) is not None:
        return [row]
    if not isinstance(query, And | Or):
        raise _obstacle(query)
    operator: Operator = "AND" if isinstance(query, And) else "OR"
    rows = [_row_beside(part, operator) for part in query.parts]
    several = [at for at, row in enumerate(rows) if row is None]
    if len(several) > 1:
        raise _obstacle(query.parts[several[1]])
    # A list of rows begins with a row that is looked for.
    positive = (at for at, row in enumerate(rows) if row is not None and row.operator != "NOT")
    first = several[0] if several else next(positive)
    beginning = rows[first]
    head = [replace(beginning, operator="AND")] if beginning else _rows_of(query.parts[first])
    return [*head, *(row for row in (*rows[:first], *rows[first + 1 :]) if row is not None)]


def _row_beside(part: Query, operator: Operator) -> FormRow | None:
    """A part of an AND or OR as one row; None for several. Raises NotFlat: no row can."""
    if not isinstance(part, Not):
        row = _row(part)
        if row is None and not isinstance(part, And | Or):
            raise _obstacle(part)
        return replace(row, operator=operator) if row else None
    if operator == "OR":
        raise NotFlat("exclusion", part)
    row = _row(part.part)
    if row is None:
        raise _obstacle(part.part)
    return replace(row, operator="NOT")


def _row(query: Query) -> FormRow | None:
    """The words of one field as one row; None for everything else."""
    match query:
        case Term() if query.field not in CODED_FIELDS:
            if query.phrase and _means(row := FormRow(query.text, query.field, "phrase"), query):
                return row
            return _row_of_words((query,), "all", query)
        case And(parts):
            return _row_of_words(parts, "all", query)
        case Or(parts):
            return _row_of_words(parts, "any", query)
    return None


def _row_of_words(parts: Sequence[Query], taken: Taken, query: Query) -> FormRow | None:
    terms = [part for part in parts if isinstance(part, Term)]
    fields = {term.field for term in terms}
    if len(terms) < len(parts) or len(fields) > 1 or fields & CODED_FIELDS:
        return None
    field = terms[0].field
    bare = "any" if field not in IDENTIFIERS else field
    texts = [to_text(replace(term, field=bare)).removeprefix(f"{bare}:") for term in terms]
    row = FormRow(" ".join(texts), field, taken)
    return row if _means(row, query) else None


def _means(row: FormRow, query: Query) -> bool:
    """Whether a row asks for what a part of a query asks for."""
    try:
        return _units(row_query(row)) == _units(query)
    except QuerySyntaxError:
        return False


def _units(query: Query) -> object:
    """Equal for queries that differ only in how words of a field stand together."""
    match query:
        case Term():
            return frozenset(_words(query))
        case And(parts):
            units = [_units(part) for part in parts]
            return frozenset().union(
                *(each if isinstance(each, frozenset) else (each,) for each in units)
            )
        case Or(parts):
            return tuple(_units(part) for part in parts)
    return query


def _obstacle(part: Query) -> NotFlat:
    if isinstance(part, Years):
        return NotFlat("years", part)
    coded = isinstance(part, Term) and part.field in CODED_FIELDS
    return NotFlat("narrowing" if coded else "brackets", part)
