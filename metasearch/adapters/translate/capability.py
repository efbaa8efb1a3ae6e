"""What of a query a dialect can express: the narrowest query that finds no less, and what is lost
on the way to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from metasearch.adapters.spec import Dialect
from metasearch.adapters.translate.terms import (
    TermWriter,
    cannot_search,
    facet_of,
    has_word,
    not_alone,
    shown,
    years_text,
)
from metasearch.errors import CannotAsk
from metasearch.query.ast import (
    FACETS,
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
from metasearch.query.simple.printer import to_text

#: More clauses than this are not made out of one OR.
_MOST_CLAUSES = 16
#: What is wrong where a template finds more than was meant.
WIDER = "finds more than was asked for"


class Capability:
    """What one dialect can express, and what it cannot.

    Args:
        source: Name of the source, for errors.
        dialect: Its dialect.
        param_fields: The fields that have a parameter of their own.

    Attributes:
        notes: One sentence for each thing that could not be expressed.
        lost: The clauses that the records have to be filtered by afterwards.
    """

    def __init__(self, source: str, dialect: Dialect, param_fields: frozenset[str]) -> None:
        self.source = source
        self.dialect = dialect
        self.param_fields = param_fields
        self.notes: list[str] = []
        self.lost: list[Query] = []
        self.terms = TermWriter(dialect, self.notes)
        # `widened` and `exact` call each other for each part of a query: without these caches, each
        # NOT in a NOT would double the work.
        self._widened: dict[Query, Query | None] = {}
        self._exact: dict[Query, bool] = {}

    def must_not_refuse(self, clause: Query, what: str) -> None:
        """Refuses the query where the spec says so (`unsupported = "refuse"`).

        Raises:
            CannotAsk: With the clause, and what is wrong with it.
        """
        if self.dialect.unsupported == "refuse":
            raise CannotAsk(self.source, to_text(clause), what)

    def cannot(self, clause: Query, what: str) -> None:
        """Records that a clause is not sent as it stands, by the spec's policy.

        Raises:
            CannotAsk: The policy is to refuse.
        """
        self.must_not_refuse(clause, what)
        # What type and language a record has is plain, whatever else a source's records lack.
        plain = facet_of(clause.part if isinstance(clause, Not) else clause) is not None
        if self.dialect.unsupported == "filter" or plain:
            if clause not in self.lost:
                self.lost.append(clause)
            self.notes.append(f"{what}: {shown(clause)} is applied here to what its records say")
        else:
            self.notes.append(f"{what}: {shown(clause)} is not applied")

    def tell_lost(self, term: Term) -> None:
        self.tell_signs(term)
        self.terms.tell_lost(term)

    def tell_signs(self, clause: Query) -> None:
        """Records a clause, which must hold as a whole, where signs of its words are not sent."""
        if isinstance(clause, Term):
            changed: Query | None = self.terms.changed(clause)
        # an alternative may be true where another one is not, so none of them is a filter by itself
        else:
            changed = clause if any(map(self.terms.changed, terms(clause, negated=True))) else None
        if changed is not None:
            self.cannot(changed, "cannot search for all signs of a word")

    def years(self, years: Years) -> str:
        written = years_text(self.dialect.years, years)
        if not written:
            self.cannot(years, "cannot search by year")
        return written

    # ---------------------------------------------------------------- what can be expressed

    def expressible(self, parts: tuple[Query, ...]) -> Query | None:
        """What is asked for these parts, all of which must hold; None where nothing is left. Every
        difference is recorded.
        """
        parts = tuple(part for part in parts if not _is_void(part))
        wide = [self.widened(part) for part in parts]
        stand_in: int | None = None
        with_words = [query for query, part in zip(wide, parts, strict=True) if _holds_words(part)]
        if all(query is None for query in with_words):
            # Without a word that must occur, nothing could be asked, or everything of a year or of
            # a type.
            stand_in = next(
                (n for n, part in enumerate(parts) if self.narrowed(part) is not None), None
            )
        kept: list[Query] = []
        alone = stand_in is None and not any(wide[n] for n in self.positive(parts))
        for number, (part, asked) in enumerate(zip(parts, wide, strict=True)):
            if number == stand_in:
                asked = self.narrowed(part)
                self.tell_narrowed(part, asked)
            elif alone and isinstance(part, Not):
                asked = None
                self.cannot(part, "cannot say NOT on its own")
            elif asked != part:
                self.cannot(part, self.why(part))
            elif any(term.field in self.dialect.wider for term in terms(part, negated=True)):
                self.cannot(part, WIDER)
            if asked is not None:
                self.tell_signs(asked)
                kept.append(asked)
        return conjunction(*kept) if kept else None

    @staticmethod
    def positive(parts: tuple[Query, ...]) -> list[int]:
        return [number for number, part in enumerate(parts) if not isinstance(part, Not)]

    def widened(self, query: Query) -> Query | None:
        """The narrowest query that finds no less and can be expressed; None where everything would
        have to be found.
        """
        if query not in self._widened:
            self._widened[query] = self._widen(query)
        return self._widened[query]

    def _widen(self, query: Query) -> Query | None:
        match query:
            case Term():
                return self.widened_term(query)
            case Years():
                there = self.dialect.years_in == "expression" and years_text(
                    self.dialect.years, query
                )
                return query if there else None
            case Not(part):
                return query if self.dialect.negation and self.exact(part) else None
            case And(parts):
                kept = [wide for part in parts if (wide := self.widened(part)) is not None]
                return (
                    conjunction(*kept) if any(not isinstance(part, Not) for part in kept) else None
                )
        sides = [
            wide
            for part in query.parts
            if (wide := self.widened(part)) is not None and not isinstance(wide, Not)
        ]
        if len(sides) < len(query.parts):
            return None
        # Where there are no brackets, an alternative cannot be without a word, but with it the
        # others can be asked.
        tries = (_either(sides), _either([_positive(side) for side in sides]))
        return next(
            (wide for wide in tries if isinstance(wide, Or) and not self.why_no_or(wide)), None
        )

    def widened_term(self, term: Term) -> Query | None:
        fields = self.dialect.fields
        if term.field in FACETS:
            words = self.terms.facet(term.field, (term.text,))
            there = term.field in fields and words and (len(words) == 1 or self.dialect.disjunction)
            return term if there else None
        if not has_word(term) or (term.truncated and not self.terms.truncates(term)):
            return None
        if term.field in fields:
            return term
        # It is not known whether a search in all fields finds identifiers.
        return (
            None
            if term.field in IDENTIFIERS
            else Term(term.text, "any", term.phrase, term.truncated)
        )

    def exact(self, query: Query) -> bool:
        """Whether it is written so that it finds neither less nor more: what NOT leaves out must
        not be too much.
        """
        if query not in self._exact:
            self._exact[query] = self._is_exact(query)
        return self._exact[query]

    def _is_exact(self, query: Query) -> bool:
        if not self.dialect.group and self.several(query):
            return False  # "-a b" excludes the one word and asks for the other
        if isinstance(query, And | Or):
            return self.widened(query) == query and all(map(self.exact, query.parts))
        if not isinstance(query, Term):
            return self.widened(query) == query
        whole = self.terms.changed(query) is None and self.terms.in_one_piece(query)
        there = self.widened(query) == query and query.field not in self.dialect.wider
        return whole and there and not self.ranked(query)

    def ranked(self, term: Term) -> bool:
        """Whether a record need not hold all of the words."""
        return bool(
            self.dialect.plain and term.field == "any" and not term.phrase and " " in term.text
        )

    def why(self, part: Query) -> str:
        """What the dialect cannot express of a part that it cannot express as it stands."""
        match part:
            case Term():
                return cannot_search(part) if self.widened(part) is None else not_alone(part.field)
            case Years():
                return "cannot search by year"
            case Not():
                return "cannot say NOT"
            case Or() if not self.dialect.disjunction:
                return "cannot say OR"
        return "cannot ask for one of its alternatives as it stands"

    def why_no_or(self, query: Or) -> str:
        if not self.dialect.disjunction:
            return "cannot say OR"
        if (
            not self.dialect.group
            and any(self.several(part) for part in query.parts)
            and self.spread(query) is None
        ):
            return "cannot put several words into brackets"
        return ""

    def narrowed(self, part: Query) -> Query | None:
        """A query that can be expressed and finds a part of what was meant; None where there is
        none.
        """
        match part:
            case Term() if part.field not in FACETS and has_word(part):
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
                found = [side for side in sides if side is not None]
                if not found:
                    return None
                every = _either(found) if len(found) == len(parts) else found[0]
                return found[0] if isinstance(every, Or) and self.why_no_or(every) else every
        return None

    def tell_narrowed(self, part: Query, asked: Query | None) -> None:
        """Notes that only a part of what was meant is asked."""
        if isinstance(part, Term) and not part.truncated:
            self.cannot(part, f"{cannot_search(part)}, so it is looked for as a word")
            return
        why = cannot_search(part) if isinstance(part, Term) else self.why(part)
        if isinstance(part, Or) and self.why_no_or(part):
            why = self.why_no_or(part)
        self.must_not_refuse(part, why)
        if isinstance(part, Or) and asked in (part.parts[0], self.widened(part.parts[0])):
            self.notes.append(f"{why}: only the first alternative of {shown(part)} is asked")
        else:
            self.notes.append(f"{why}: of {shown(part)} only {shown(asked or part)} is looked for")
        if any(term.field not in self.dialect.fields for term in terms(part)):
            self.cannot(part, "searches everywhere")
        # What is looked for may be a part of what was meant, and more than that part.
        elif self.dialect.unsupported == "filter" and part not in self.lost:
            self.lost.append(part)

    def spread(self, query: Or) -> Query | None:
        """(a b) | c as (a | c) (b | c), for databases whose OR takes single words; None where that
        grows too long.
        """
        sides: list[list[Query]] = []
        for part in query.parts:
            words: list[Query] = []
            for piece in part.parts if isinstance(part, And) else (part,):
                if not isinstance(piece, Term):
                    return None
                if piece.field in FACETS | IDENTIFIERS:
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
        """Whether it is written as more than one word or clause."""
        if not isinstance(query, Term):
            return isinstance(query, And | Or)
        if query.field in IDENTIFIERS:
            return False
        if query.field in FACETS:
            return len(self.terms.facet(query.field, (query.text,)) or ()) > 1
        if query.phrase and not self.dialect.phrase:
            return not self.terms.in_one_piece(query)
        return len(self.terms.words(query, query.field)) > 1


def _is_void(part: Query) -> bool:
    """Whether it is a term of which no index could hold anything."""
    return isinstance(part, Term) and part.field not in FACETS and not has_word(part)


def _holds_words(part: Query) -> bool:
    """Whether a part says what is looked for, and not only a year, a type or what is excluded."""
    return not isinstance(part, Not | Years) and facet_of(part) is None


def _positive(query: Query) -> Query:
    """A conjunction without what must not hold; it has something that must."""
    if not isinstance(query, And):
        return query
    return conjunction(*(part for part in query.parts if not isinstance(part, Not)))


def _either(sides: Sequence[Query]) -> Query:
    flat = [inner for side in sides for inner in (side.parts if isinstance(side, Or) else (side,))]
    unique = tuple(dict.fromkeys(flat))
    return Or(unique) if len(unique) > 1 else unique[0]
