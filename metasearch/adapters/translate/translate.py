"""Translates a query into the language of one database, or into words in its parameters, as its
`Dialect` describes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metasearch.adapters.spec import Dialect
from metasearch.adapters.translate.capability import (
    WIDER,
    Capability,
    Losses,
    TermWriter,
    as_words,
    cannot_search,
    clause_text,
    coded_part,
    first_word,
    has_word,
    not_alone,
    years_text,
)
from metasearch.errors import CannotAsk
from metasearch.message import message
from metasearch.query.simple import to_text
from metasearch.query.tree import (
    CODED_FIELDS,
    IDENTIFIERS,
    IN_TEXTS,
    And,
    Not,
    Or,
    Query,
    Term,
    Years,
    terms,
)


class ParameterWords:
    """Puts the words of a query into parameters.

    If the database ranks by the words that it finds (`Dialect.scored`), one more word does no harm:
    alternatives and beginnings of words are sent as words. If all words must occur, clauses that
    cannot be expressed are left out, unless nothing else is left to send. `param_fields`: the
    fields that have a parameter of their own. `losses`: takes what cannot be expressed.
    """

    def __init__(
        self, dialect: Dialect, terms: TermWriter, param_fields: frozenset[str], losses: Losses
    ) -> None:
        self.dialect = dialect
        self.terms = terms
        self.param_fields = param_fields
        self.losses = losses
        self.sent_texts: dict[str, list[str]] = {}
        #: Whether only a part of the alternative is sent that is sent for a whole OR.
        self.cut = False

    def values(self, parts: tuple[Query, ...]) -> dict[str, str]:
        """Field -> words for these parts, all of which must hold."""
        left = [part for part in parts if not self.send(part)]
        stand_in = None if self.sent_texts else next(filter(self.stands_in, left), None)
        for part in left:
            if part is stand_in:
                self.note_narrowing(part)
            else:
                self.losses.add(part, self.why(part))
        return {field: " ".join(texts) for field, texts in self.sent_texts.items()}

    def send(self, part: Query) -> bool:
        """Sends a part that must hold. Returns False if a part of it has to be left out."""
        match part:
            case Term() if part.field in CODED_FIELDS:
                return False
            case Term():
                return self.term(part)
            case And(parts):
                # Each part is sent, also after one that has to be left out.
                left_out = [part for part in parts if not self.send(part)]
                return not left_out
            case Or():
                return self.alternatives(part)
        return False

    def term(self, term: Term) -> bool:
        """Sends a term. Returns False if it has to be left out."""
        field = term.field
        if not has_word(term):
            return True
        if field in IN_TEXTS and field not in self.param_fields:
            self.losses.add(term, not_alone(field))
            term, field = as_words(term), "any"
        if field in IDENTIFIERS and (field not in self.param_fields or field in self.sent_texts):
            return False
        if self.terms.is_stem(term):
            if not self.dialect.scored:
                return False
            self.losses.only(term, cannot_search(term))
            if self.dialect.unsupported == "filter":
                self.losses.filter_by(term)
            term = first_word(term)
        if field not in self.param_fields:
            if "any" not in self.param_fields:
                return False
            if field != "any":
                self.losses.add(term, not_alone(field))
            field = "any"
        changed = self.terms.changed_words(term)
        if changed is not None:
            self.losses.add(changed, message("cannot search for all signs of a word"))
        self.put(field, term)
        return True

    def put(self, field: str, term: Term) -> None:
        self.terms.note_lost_characters(term)
        text = self.terms.text(term)
        if text:
            self.sent_texts.setdefault(field, []).append(text)

    def alternatives(self, query: Or) -> bool:
        """Sends the words of an OR. Returns False if it has to be left out."""
        if (
            not self.dialect.scored
            or coded_part(query) is not None
            or "any" not in self.param_fields
        ):
            return False
        fields = {term.field for term in terms(query)}
        # All parameters must hold, so alternatives in several parameters would all have to hold.
        scattered = len(fields) > 1 or not fields <= self.param_fields - IDENTIFIERS
        plain = _only_terms(query) and not any(self.is_changed(term) for term in terms(query))
        if scattered or not plain:
            self.losses.add(
                query, message("cannot express OR, so its words are searched in all fields")
            )
        else:
            self.losses.check_policy(query, message("cannot express OR"))
            self.losses.notes.append(
                message(
                    "cannot express OR: the words of {clause} are sent and the best matches "
                    "come first",
                    clause=clause_text(query),
                )
            )
        for term in terms(query):
            if term.field not in CODED_FIELDS and has_word(term):
                word = term
                if self.terms.is_stem(term):
                    self.losses.only(term, cannot_search(term))
                    word = first_word(term)
                self.put("any" if scattered else term.field, word)
        return True

    def is_changed(self, term: Term) -> bool:
        """Whether a term cannot be sent as it stands."""
        if self.terms.is_stem(term) or term.field in CODED_FIELDS:
            return True
        return self.terms.changed_words(term) is not None

    # ---------------------------------------------------------------- what is left out

    def stands_in(self, part: Query) -> bool:
        """Sends words of a part that find less than was meant, because nothing else is left;
        returns False if it has none.
        """
        match part:
            case Term() if part.field not in CODED_FIELDS and has_word(part):
                text = part.text.replace("-", "") if part.field == "isbn" else part.text
                field = part.field if part.field in self.param_fields - IDENTIFIERS else "any"
                word = first_word(part) if self.terms.is_stem(part) else Term(text)
                return field in self.param_fields and self.send(replace(word, field=field))
            case Or(parts):
                self.cut = not self.send(parts[0])
                return bool(self.sent_texts)
        return False

    def note_narrowing(self, part: Query) -> None:
        """Records that only a part of what was meant is sent."""
        if isinstance(part, Or):
            self.losses.check_policy(part, message("cannot express OR"))
            self.losses.notes.append(
                message(
                    "{why}: only the first alternative of {clause} is asked",
                    why=message("cannot express OR"),
                    clause=clause_text(part),
                )
            )
            if self.cut:
                self.losses.add(part, message("cannot express all of the first one"))
        elif isinstance(part, Term) and part.truncated:
            self.losses.only(part, cannot_search(part))
            if part.field not in self.param_fields:
                self.losses.add(part, message("searches all fields"))
        elif isinstance(part, Term):
            self.losses.add(
                part, message("{why}, so it is looked for as a word", why=cannot_search(part))
            )

    def why(self, part: Query) -> str:
        """Why a part is left out, for a note."""
        match part:
            case Term() if part.field in CODED_FIELDS | IDENTIFIERS or part.truncated:
                return cannot_search(part)
            case Not():
                return message("cannot express NOT")
            case Years():
                return message("cannot search by year in this place")
            case Or() if coded_part(part) is None:
                return message("cannot express OR")
            case Or():
                return message("cannot express one of its alternatives")
        return message("can only search by field")


def _only_terms(query: Query) -> bool:
    if isinstance(query, And | Or):
        return all(_only_terms(part) for part in query.parts)
    return isinstance(query, Term)


# Translates a query into the language of one database, as its `Dialect` describes it. If possible,
# the query that is sent finds no less than was meant. If it finds more, the records are filtered
# afterwards by `Losses.clauses`. `Losses.notes` has a sentence for each clause that is not sent as
# it stands.
#
# An expression is made in two steps: `expressible` returns the narrowest query that finds no less
# and that the dialect can express, and `expression` writes this query.


class Translator(Capability):
    """Writes one query in the dialect of one source.

    What the dialect cannot express is in `losses`.
    """

    def write(self, query: Query) -> dict[str, str]:
        """Placeholder -> value. Raises CannotAsk: no part of the query can be expressed, or the
        spec refuses a part that cannot.
        """
        parts = query.parts if isinstance(query, And) else (query,)
        values: dict[str, str] = {}
        if self.dialect.years_in == "params":
            ranges = [part for part in parts if isinstance(part, Years)]
            parts = tuple(part for part in parts if not isinstance(part, Years))
            values["years"] = self.years_param(ranges)
            values |= _bounds(ranges)
        parts = self.without_coded(parts, values)
        parts = self.without_identifiers(parts, values)
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
        """The parts without the types and languages that need no expression: such that all works
        have, and such that have a parameter, whose value is set.
        """
        kept: list[Query] = []
        for part in parts:
            coded = coded_part(part)
            words = self.terms.coded_words(*coded) if coded is not None else None
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

    def without_identifiers(
        self, parts: tuple[Query, ...], values: dict[str, str]
    ) -> tuple[Query, ...]:
        """Returns the parts without an OR of identifiers of one kind whose parameter takes several,
        and whose value is set.
        """
        kept: list[Query] = []
        for part in parts:
            fields = {term.field for term in terms(part)} if isinstance(part, Or) else set()
            field = fields.pop() if len(fields) == 1 and _only_terms(part) else ""
            between = self.dialect.either.get(field) if field in IDENTIFIERS else None
            if between is None or field not in self.param_fields or field in values:
                kept.append(part)
                continue
            for term in terms(part):
                self.note_cleaning(term)
            values[field] = between.join(filter(None, map(self.terms.text, terms(part))))
        return tuple(kept)

    def without_params(self, parts: tuple[Query, ...], values: dict[str, str]) -> tuple[Query, ...]:
        """The parts without the terms that have a parameter, whose values are set."""
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
        """The text of the years in which all ranges hold, because a parameter takes one range; ""
        if there are none.
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
        """The text of a term in its own parameter; "" if the parameter cannot take it."""
        if term.field not in self.param_fields - CODED_FIELDS:
            return ""
        # A parameter takes only one DOI. A second one is not expressed, and has a note.
        if term.field in IDENTIFIERS and term.field in values:
            return ""
        if self.terms.is_stem(term):
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
        positive = self.side_by_side([part for part in query.parts if not isinstance(part, Not)])
        if len(positive) == 1 and not any(isinstance(part, Not) for part in query.parts):
            return self.expression(positive[0])
        written = self.all_of([text for text in map(self.as_operand, positive) if text])
        for part in query.parts:
            if isinstance(part, Not):
                written = self.without(written, self.as_operand(part.part))
        return written

    def side_by_side(self, parts: Sequence[Query]) -> Sequence[Query]:
        """The parts with all plain words in one term, where they need no operator: a database may
        find nothing by a long chain of operators.
        """
        plain = [part for part in parts if isinstance(part, Term) and self.is_plain(part)]
        if not self.dialect.plain or self.dialect.scored or len(plain) < 2:
            return parts
        joined = Term(" ".join(term.text for term in plain))
        return [joined if part is plain[0] else part for part in parts if part not in plain[1:]]

    @staticmethod
    def is_plain(term: Term) -> bool:
        """Whether a term is whole words that are looked for in all fields."""
        return term.field == "any" and not term.phrase and not term.truncated

    def all_of(self, written: list[str]) -> str:
        return (self.dialect.conjunction or " ").join(written)

    def one_of(self, written: list[str]) -> str:
        return self.dialect.disjunction.join(written)

    def without(self, written: str, inner: str) -> str:
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
            written += self.coded_texts(*coded) if coded is not None else [self.as_operand(part)]
        unique = dict.fromkeys(written) if coded_parts else written
        return self.one_of([text for text in unique if text])

    def as_operand(self, query: Query) -> str:
        """Writes a query, in brackets if it has several words or clauses."""
        written = self.expression(query)
        bracket = self.dialect.group and written and self.several(query)
        return self.dialect.group.format(x=written) if bracket else written

    def term(self, term: Term) -> str:
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
                x=self.terms.quote(word, truncated=term.truncated and number == last)
            )
            for number, word in enumerate(words)
        ]
        if not self.dialect.plain or not self.is_plain(term) or len(written) < 2:
            return self.all_of(written)
        if self.dialect.scored:
            self.losses.notes.append(
                message(
                    "ranks by how many of the plain words it finds: write AND between them "
                    "to require all"
                )
            )
        return self.dialect.plain.join(written)

    def coded_texts(self, field: str, names: tuple[str, ...]) -> list[str]:
        words = self.terms.coded_words(field, names) or ()
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
