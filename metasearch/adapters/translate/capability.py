"""What of a query a dialect can express: the narrowest query that finds no less.

What this query lacks is recorded in `Losses`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from metasearch.adapters.spec import Dialect
from metasearch.adapters.translate.terms import (
    Losses,
    TermWriter,
    cannot_search,
    coded_part,
    has_word,
    not_alone,
    shown,
    years_text,
)
from metasearch.message import message
from metasearch.query.tree import (
    CODED_FIELDS,
    IDENTIFIERS,
    And,
    Not,
    Or,
    Query,
    Term,
    Years,
    conjunction,
    terms,
)

#: The most clauses that one OR becomes.
_MOST_CLAUSES = 16
#: What is wrong with a template that finds more than was meant.
WIDER = message("finds more than was asked for")


class Capability:
    """What one dialect can express, and what it cannot. `param_fields`: the fields that have a
    parameter of their own. `losses`: what could not be expressed.
    """

    def __init__(self, source: str, dialect: Dialect, param_fields: frozenset[str]) -> None:
        self.source = source
        self.dialect = dialect
        self.param_fields = param_fields
        self.losses = Losses(source, dialect)
        self.terms = TermWriter(dialect, self.losses.notes)
        # `widened` and `exact` call each other for each part of a query. Without these caches, each
        # NOT within a NOT would double the work.
        self._widened: dict[Query, Query | None] = {}
        self._exact: dict[Query, bool] = {}

    def note_cleaning(self, term: Term) -> None:
        """Records what is lost if characters of a term are not sent."""
        self.note_changed_words(term)
        self.terms.note_lost_characters(term)

    def note_changed_words(self, clause: Query) -> None:
        """Records a clause, which must hold, if words of it lose characters and become others."""
        changed: Query | None = None
        if isinstance(clause, Term):
            changed = self.terms.changed(clause)
        # One alternative may hold while another does not, so only all together are a filter.
        elif any(map(self.terms.changed, terms(clause, negated=True))):
            changed = clause
        if changed is not None:
            self.losses.add(changed, message("cannot search for all signs of a word"))

    def years(self, years: Years) -> str:
        """Returns the text of a range of years; "" with a note if it cannot be written."""
        written = years_text(self.dialect.years, years)
        if not written:
            self.losses.add(years, message("cannot search by year"))
        return written

    # ---------------------------------------------------------------- what can be expressed

    def expressible(self, parts: tuple[Query, ...]) -> Query | None:
        """Returns what is sent for these parts, all of which must hold; None if nothing is left.

        Every difference is recorded in `losses`.
        """
        parts = tuple(part for part in parts if not _is_void(part))
        wide = [self.widened(part) for part in parts]
        stand_in: int | None = None
        with_words = [query for query, part in zip(wide, parts, strict=True) if _holds_words(part)]
        if all(query is None for query in with_words):
            # Without a word that must occur, the search would find nothing, or all works of a year
            # or of a type.
            stand_in = next(
                (n for n, part in enumerate(parts) if self.narrowed(part) is not None), None
            )
        kept: list[Query] = []
        alone = stand_in is None and not any(wide[n] for n in self.positive(parts))
        for number, (part, asked) in enumerate(zip(parts, wide, strict=True)):
            if number == stand_in:
                asked = self.narrowed(part)
                self.note_narrowed(part, asked)
            elif alone and isinstance(part, Not):
                asked = None
                self.losses.add(part, message("cannot express NOT on its own"))
            elif asked != part:
                self.losses.add(part, self.why(part))
            elif any(term.field in self.dialect.wider for term in terms(part, negated=True)):
                self.losses.add(part, WIDER)
            if asked is not None:
                self.note_changed_words(asked)
                kept.append(asked)
        return conjunction(*kept) if kept else None

    @staticmethod
    def positive(parts: tuple[Query, ...]) -> list[int]:
        """The positions of the parts that are no NOT."""
        return [number for number, part in enumerate(parts) if not isinstance(part, Not)]

    def widened(self, query: Query) -> Query | None:
        """The narrowest query that finds no less and can be expressed; None if there is none.

        None means that the source would have to find everything.
        """
        if query not in self._widened:
            self._widened[query] = self._widen(query)
        return self._widened[query]

    def _widen(self, query: Query) -> Query | None:
        match query:
            case Term():
                return self.widened_term(query)
            case Years():
                if self.dialect.years_in != "expression":
                    return None
                return query if years_text(self.dialect.years, query) else None
            case Not(part):
                return query if self.dialect.negation and self.exact(part) else None
            case And(parts):
                kept = [wide for wide in map(self.widened, parts) if wide is not None]
                positive = any(not isinstance(part, Not) for part in kept)
                return conjunction(*kept) if positive else None
        return self._widen_or(query)

    def _widen_or(self, query: Or) -> Query | None:
        sides: list[Query] = []
        for part in query.parts:
            wide = self.widened(part)
            if wide is None or isinstance(wide, Not):
                return None
            sides.append(wide)
        # Without brackets, an alternative cannot exclude a word. Without the NOT it can be sent.
        for attempt in (_either(sides), _either([_positive(side) for side in sides])):
            if isinstance(attempt, Or) and not self.why_no_or(attempt):
                return attempt
        return None

    def widened_term(self, term: Term) -> Query | None:
        """`widened` for one term."""
        fields = self.dialect.fields
        if term.field in CODED_FIELDS:
            words = self.terms.coded(term.field, (term.text,))
            if term.field not in fields or not words:
                return None
            return term if len(words) == 1 or self.dialect.disjunction else None
        if not has_word(term) or (term.truncated and not self.terms.truncates(term)):
            return None
        if term.field in fields:
            return term
        # It is not known whether a search in all fields finds identifiers.
        if term.field in IDENTIFIERS:
            return None
        return Term(term.text, "any", term.phrase, term.truncated)

    def exact(self, query: Query) -> bool:
        """Whether the dialect can express exactly this query, so that NOT excludes no more."""
        if query not in self._exact:
            self._exact[query] = self._is_exact(query)
        return self._exact[query]

    def _is_exact(self, query: Query) -> bool:
        if not self.dialect.group and self.several(query):
            return False  # "-a b" excludes the first word and searches for the second
        if isinstance(query, And | Or):
            return self.widened(query) == query and all(map(self.exact, query.parts))
        if not isinstance(query, Term):
            return self.widened(query) == query
        if self.widened(query) != query or query.field in self.dialect.wider:
            return False
        unchanged = self.terms.changed(query) is None and self.terms.in_one_piece(query)
        return unchanged and not self.ranked(query)

    def ranked(self, term: Term) -> bool:
        """Whether the source also finds records with only some of the words."""
        if not self.dialect.plain or term.field != "any":
            return False
        return not term.phrase and " " in term.text

    def why(self, part: Query) -> str:
        """Returns why a part cannot be sent as it stands, for a note."""
        match part:
            case Term():
                return cannot_search(part) if self.widened(part) is None else not_alone(part.field)
            case Years():
                return message("cannot search by year")
            case Not():
                return message("cannot express NOT")
            case Or() if not self.dialect.disjunction:
                return message("cannot express OR")
        return message("cannot express one of its alternatives")

    def why_no_or(self, query: Or) -> str:
        """Returns why alternatives cannot be sent; "" if they can."""
        if not self.dialect.disjunction:
            return message("cannot express OR")
        if self.dialect.group or not any(map(self.several, query.parts)):
            return ""
        return (
            message("cannot put several words into brackets") if self.spread(query) is None else ""
        )

    def narrowed(self, part: Query) -> Query | None:
        """A query that can be expressed and finds a part of what was meant, or None."""
        match part:
            case Term() if part.field not in CODED_FIELDS and has_word(part):
                text = part.text.replace("-", "") if part.field == "isbn" else part.text
                return Term(text, part.field if part.field in self.dialect.fields else "any")
            case And(parts):
                sides = [self.widened(each) or self.narrowed(each) for each in parts]
                positive = any(side is not None and not isinstance(side, Not) for side in sides)
                return conjunction(*sides) if positive else None
            case Or(parts):
                sides = [
                    self.widened(each) or self.narrowed(each)
                    for each in parts
                    if not isinstance(each, Not)
                ]
                usable = [side for side in sides if side is not None]
                if not usable:
                    return None
                every = _either(usable) if len(usable) == len(parts) else usable[0]
                return usable[0] if isinstance(every, Or) and self.why_no_or(every) else every
        return None

    def note_narrowed(self, part: Query, asked: Query | None) -> None:
        """Records that only a part of what was meant is sent."""
        if isinstance(part, Term) and not part.truncated:
            self.losses.add(
                part,
                message(
                    "{why}, so it is looked for as a word",
                    why=cannot_search(part),
                ),
            )
            return
        why = cannot_search(part) if isinstance(part, Term) else self.why(part)
        if isinstance(part, Or) and self.why_no_or(part):
            why = self.why_no_or(part)
        self.losses.check_policy(part, why)
        if isinstance(part, Or) and asked in (part.parts[0], self.widened(part.parts[0])):
            self.losses.notes.append(
                message(
                    "{why}: only the first alternative of {clause} is asked",
                    why=why,
                    clause=shown(part),
                )
            )
        else:
            self.losses.notes.append(
                message(
                    "{why}: of {clause} only {part} is looked for",
                    why=why,
                    clause=shown(part),
                    part=shown(asked or part),
                )
            )
        if any(term.field not in self.dialect.fields for term in terms(part)):
            self.losses.add(part, message("searches all fields"))
        # The source may also find more than this part of what was meant.
        elif self.dialect.unsupported == "filter":
            self.losses.filter_by(part)

    def spread(self, query: Or) -> Query | None:
        """(a b) | c as (a | c) (b | c), for databases whose OR takes single words.

        None if this becomes too long.
        """
        sides: list[list[Query]] = []
        for part in query.parts:
            words: list[Query] = []
            for piece in part.parts if isinstance(part, And) else (part,):
                if not isinstance(piece, Term):
                    return None
                if piece.field in CODED_FIELDS | IDENTIFIERS:
                    words.append(piece)
                    continue
                texts = self.terms.blanked(piece.text, self.dialect.strip).split()
                last = len(texts) - 1
                words += [
                    Term(text, piece.field, truncated=piece.truncated and number == last)
                    for number, text in enumerate(texts)
                    if has_word(Term(text))
                ]
            sides.append(words)
        if not 0 < prod(len(side) for side in sides) <= _MOST_CLAUSES:
            return None
        choices = [tuple(dict.fromkeys(choice)) for choice in product(*sides)]
        return conjunction(*(Or(choice) if len(choice) > 1 else choice[0] for choice in choices))

    def several(self, query: Query) -> bool:
        """Whether a query is written as more than one word or clause."""
        if not isinstance(query, Term):
            return isinstance(query, And | Or)
        if query.field in IDENTIFIERS:
            return False
        if query.field in CODED_FIELDS:
            return len(self.terms.coded(query.field, (query.text,)) or ()) > 1
        if query.phrase and not self.dialect.phrase:
            return not self.terms.in_one_piece(query)
        return len(self.terms.words(query, query.field)) > 1


def _is_void(part: Query) -> bool:
    """Whether this is a term without any letter or digit, which no index contains."""
    return isinstance(part, Term) and part.field not in CODED_FIELDS and not has_word(part)


def _holds_words(part: Query) -> bool:
    """Whether a part has words to search for: a year, a type, a language or a NOT has none."""
    return not isinstance(part, Not | Years) and coded_part(part) is None


def _positive(query: Query) -> Query:
    """A conjunction without its NOTs; at least one part is left."""
    if not isinstance(query, And):
        return query
    return conjunction(*(part for part in query.parts if not isinstance(part, Not)))


def _either(sides: Sequence[Query]) -> Query:
    """The alternatives as one OR, each once; alternatives that are an OR are taken apart."""
    flat: list[Query] = []
    for side in sides:
        flat += side.parts if isinstance(side, Or) else (side,)
    unique = tuple(dict.fromkeys(flat))
    return Or(unique) if len(unique) > 1 else unique[0]
