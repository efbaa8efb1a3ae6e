"""Translates a query into the language of one database, as its `Dialect` describes it.

If possible, the query that is sent finds no less than was meant. If it finds more, the records are
filtered afterwards by `Losses.clauses`. `Losses.notes` has a sentence for each clause that is not
sent as it stands.

An expression is made in two steps: `expressible` returns the narrowest query that finds no less and
that the dialect can express, and `expression` writes this query.
"""

from __future__ import annotations

from metasearch.adapters.translate.capability import WIDER, Capability
from metasearch.adapters.translate.parameters import ParameterWords
from metasearch.adapters.translate.terms import coded_part, years_text
from metasearch.errors import CannotAsk
from metasearch.message import message
from metasearch.query.ast import CODED_FIELDS, IDENTIFIERS, And, Not, Or, Query, Term, Years, terms
from metasearch.query.simple.printer import to_text


class Translator(Capability):
    """Writes one query in the dialect of one source.

    What the dialect cannot express is in `losses`.
    """

    def write(self, query: Query) -> dict[str, str]:
        """Returns placeholder -> value. Raises CannotAsk: no part of the query can be expressed, or
        the spec refuses a part that cannot.
        """
        parts = query.parts if isinstance(query, And) else (query,)
        values: dict[str, str] = {}
        if self.dialect.years_in == "params":
            ranges = [part for part in parts if isinstance(part, Years)]
            parts = tuple(part for part in parts if not isinstance(part, Years))
            values["years"] = self.years_param(ranges)
            values |= _bounds(ranges)
        parts = self.without_coded(parts, values)
        if self.dialect.style == "expression":
            parts = self.without_params(parts, values)
            asked = self.expressible(parts)
            values["query"] = self.expression(asked) if asked is not None else ""
        else:
            words = ParameterWords(self.dialect, self.terms, self.param_fields, self.losses)
            values |= words.values(parts)
        if not any(values.values()):
            raise CannotAsk(self.source, to_text(query), message("no part of it can be expressed"))
        return values

    def without_coded(self, parts: tuple[Query, ...], values: dict[str, str]) -> tuple[Query, ...]:
        """Returns the parts without the types and languages that need no expression.

        These are such that all works have, and such that have a parameter, whose value is set.
        """
        kept: list[Query] = []
        for part in parts:
            coded = coded_part(part)
            words = self.terms.coded(*coded) if coded is not None else None
            if coded is None or words is None:
                kept.append(part)
            elif words:
                field = coded[0]
                between = self.dialect.either.get(field)
                free = field in self.param_fields and field not in values
                if not free or (len(words) > 1 and between is None):
                    kept.append(part)
                else:
                    values[field] = (between or "").join(words)
                    if field in self.dialect.wider:
                        self.losses.add(part, WIDER)
        return tuple(kept)

    def without_params(self, parts: tuple[Query, ...], values: dict[str, str]) -> tuple[Query, ...]:
        """Returns the parts without the terms that have a parameter, whose values are set."""
        kept: list[Query] = []
        for part in parts:
            text = self.param_text(part, values) if isinstance(part, Term) else ""
            if text and isinstance(part, Term):
                self.note_cleaning(part)
                values[part.field] = (
                    f"{values[part.field]} {text}" if part.field in values else text
                )
            else:
                kept.append(part)
        return tuple(kept)

    def years_param(self, ranges: list[Years]) -> str:
        """Returns the text of the years in which all ranges hold; "" if there are no ranges.

        A parameter takes only one range.
        """
        if not ranges:
            return ""
        common = _common(ranges)
        if common is not None:
            return self.years(common)
        for years in ranges[1:]:
            self.losses.add(years, message("cannot search for years that exclude one another"))
        return self.years(ranges[0])

    def param_text(self, term: Term, values: dict[str, str]) -> str:
        """Returns the text of a term in its own parameter; "" if the parameter cannot take it."""
        if term.field not in self.param_fields - CODED_FIELDS:
            return ""
        # A parameter takes only one DOI. A second one is not expressed, and has a note.
        if term.field in IDENTIFIERS and term.field in values:
            return ""
        if term.truncated and not self.terms.truncates(term):
            return ""
        return self.terms.text(term)

    # ---------------------------------------------------------------- one expression

    def expression(self, query: Query) -> str:
        """Writes a query that `expressible` has returned, or a part of one."""
        match query:
            case Term():
                return self.term(query)
            case Years():
                return years_text(self.dialect.years, query)
            case Not():  # written after a positive part, see below
                return ""
            case Or():
                return self.alternatives(query)
        positive = [part for part in query.parts if not isinstance(part, Not)]
        written = self.all_of([text for text in map(self.grouped, positive) if text])
        for part in query.parts:
            if isinstance(part, Not):
                written = self.without(written, self.grouped(part.part))
        return written

    def all_of(self, written: list[str]) -> str:
        """Joins texts, all of which must hold."""
        return (self.dialect.conjunction or " ").join(written)

    def one_of(self, written: list[str]) -> str:
        """Joins texts, any of which must hold."""
        return self.dialect.disjunction.join(written)

    def without(self, written: str, inner: str) -> str:
        """Excludes `inner` from what is written."""
        return written + self.dialect.negation.format(x=inner)

    def alternatives(self, query: Or) -> str:
        """Writes an OR."""
        if not self.dialect.group and any(self.several(part) for part in query.parts):
            spread = self.spread(query)
            if spread is not None:
                for term in terms(query):
                    if term.phrase and not self.terms.in_one_piece(term):
                        self.terms.note_no_phrase(term)
                return self.expression(spread)
        # The database may have one word for two types; this word is written once.
        coded_parts = [part for part in query.parts if coded_part(part) is not None]
        written: list[str] = []
        for part in query.parts:
            coded = coded_part(part)
            written += self.coded_texts(*coded) if coded is not None else [self.grouped(part)]
        unique = dict.fromkeys(written) if coded_parts else written
        return self.one_of([text for text in unique if text])

    def grouped(self, query: Query) -> str:
        """Writes a query, in brackets if it has several words or clauses."""
        written = self.expression(query)
        bracket = self.dialect.group and written and self.several(query)
        return self.dialect.group.format(x=written) if bracket else written

    def term(self, term: Term) -> str:
        """Writes one term in its field."""
        fields, field = self.dialect.fields, term.field
        if field in CODED_FIELDS:
            return self.one_of(self.coded_texts(field, (term.text,)))
        self.terms.note_lost_characters(term)
        if term.phrase or field in IDENTIFIERS:
            text = self.terms.text(term)
            template = self.dialect.phrases.get(field) if term.phrase else None
            return (template or fields[field]).format(x=text) if text else ""
        words = self.terms.words(term, field)
        last = len(words) - 1
        written = [
            fields[field].format(
                x=self.terms.quoted(word, truncated=term.truncated and number == last)
            )
            for number, word in enumerate(words)
        ]
        ranked = self.dialect.plain and field == "any" and not term.truncated
        if not ranked or len(written) < 2:
            return self.all_of(written)
        self.losses.notes.append(
            message(
                "ranks by how many of the plain words it finds: write AND between them "
                "to require all"
            )
        )
        return self.dialect.plain.join(written)

    def coded_texts(self, field: str, names: tuple[str, ...]) -> list[str]:
        """Writes the database's words for types or languages in their field."""
        words = self.terms.coded(field, names) or ()
        return [self.dialect.fields[field].format(x=word) for word in words]


def _common(ranges: list[Years]) -> Years | None:
    """The years that are in all ranges; None if there are none."""
    first = max((years.first for years in ranges if years.first is not None), default=None)
    last = min((years.last for years in ranges if years.last is not None), default=None)
    if first is not None and last is not None and first > last:
        return None
    return Years(first, last)


def _bounds(ranges: list[Years]) -> dict[str, str]:
    """`{since}` and `{until}`: the first and last year in which all ranges hold, if any."""
    first = [years.first for years in ranges if years.first is not None]
    last = [years.last for years in ranges if years.last is not None]
    return ({"since": str(max(first))} if first else {}) | (
        {"until": str(min(last))} if last else {}
    )
