"""What a part of a text asks for, between two bounds, where a tree cannot say it exactly.

A clause that cannot be asked may hold for any work, or for none. One that is read more widely than
it is meant finds what is meant and more. Which of the two bounds counts depends on what stands
round the clause: what is looked for is taken at its widest, what is excluded at its narrowest. So
an ignored clause never makes a search find less: under AND it is left out, among alternatives all
of them become unknown, and under NOT the whole NOT is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from metasearch.query.tree import (
    And,
    Near,
    Not,
    Or,
    Query,
    Term,
    conjunction,
    disjunction,
    negation,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """Every work that is meant satisfies `widest`, and every work that satisfies `narrowest` is
    meant.

    Attributes:
        widest: None for everything.
        narrowest: None for nothing.
    """

    widest: Query | None
    narrowest: Query | None

    @property
    def is_exact(self) -> bool:
        return self.widest is not None and self.widest is self.narrowest


def exact(query: Query) -> Clause:
    """What a tree says as it is meant."""
    return Clause(query, query)


def wider(query: Query | None) -> Clause:
    """What a tree says more widely than it is meant; None for everything."""
    return Clause(query, None)


#: What cannot be asked.
IGNORED = wider(None)


def every(clauses: Sequence[Clause]) -> Clause:
    """All of them, at least one."""
    return _combine(clauses, lambda parts: conjunction(*parts), every=True)


def either(clauses: Sequence[Clause]) -> Clause:
    """At least one of them, of at least one."""
    return _combine(clauses, disjunction, every=False)


def without(clause: Clause) -> Clause:
    """What it does not hold for."""
    if clause.is_exact and clause.widest is not None:
        return exact(negation(clause.widest))
    return Clause(
        None if clause.narrowest is None else negation(clause.narrowest),
        None if clause.widest is None else negation(clause.widest),
    )


def left_to_right(
    first: Clause, rest: Sequence[tuple[str, Clause]], check: Callable[[Clause], None]
) -> Clause:
    """Operands that AND, OR and NOT join from left to right, without precedence. `check`: called
    with what stands so far wherever AND and OR alternate, and with the whole, so that no tree
    becomes too deep.
    """
    parts, among = [first], ""
    for operator, right in rest:
        join = "OR" if operator == "OR" else "AND"
        if join != among:
            parts, among = [_join(among, parts)], join
            check(parts[0])
        parts.append(without(right) if operator == "NOT" else right)
    clause = _join(among, parts)
    check(clause)
    return clause


def _join(operator: str, parts: Sequence[Clause]) -> Clause:
    return either(parts) if operator == "OR" else every(parts)


def near(clauses: Sequence[Clause], within: int, *, ordered: bool = False) -> Clause:
    """Two or more of them near one another; where not each is a term or alternatives of terms, all
    of them, wherever they stand.
    """
    parts = [clause.widest for clause in clauses]
    if not all(_is_place(part) for part in parts):
        return wider(every(clauses).widest)
    query = Near(tuple(part for part in parts if part is not None), within, ordered)
    return exact(query) if all(clause.is_exact for clause in clauses) else wider(query)


def _is_place(query: Query | None) -> bool:
    """Whether it stands somewhere in a text, near other words."""
    match query:
        case Or(parts):
            return all(_is_place(part) for part in parts)
        case None | And() | Not():
            return False
    return True


def _combine(
    clauses: Sequence[Clause], join: Callable[[Sequence[Query]], Query], *, every: bool
) -> Clause:
    """All or either of them. A clause without a widest tree is left out of all, and leaves nothing
    of alternatives; the narrowest trees are the other way round.
    """
    if len(clauses) == 1:
        return clauses[0]
    widest = _bound([clause.widest for clause in clauses], join, leave_out=every)
    if widest is not None and all(clause.is_exact for clause in clauses):
        return exact(widest)
    narrowest = _bound([clause.narrowest for clause in clauses], join, leave_out=not every)
    return Clause(widest, narrowest)


def _bound(
    parts: Sequence[Query | None], join: Callable[[Sequence[Query]], Query], *, leave_out: bool
) -> Query | None:
    there = [part for part in parts if part is not None]
    return join(there) if there and (leave_out or len(there) == len(parts)) else None


def for_sources(query: Query) -> Query | None:
    """A tree as sources can be asked: near words need only occur, and headings are words. What is
    excluded only where words are near one another is not excluded, since no source could do so.
    None: nothing is left to look for.
    """
    return _for_sources(query).widest


def excludes_near(query: Query, *, excluded: bool = False) -> bool:
    """Whether something is excluded only where words are near one another."""
    match query:
        case Near():
            return excluded
        case And(parts) | Or(parts):
            return any(excludes_near(part, excluded=excluded) for part in parts)
        case Not(part):
            return excludes_near(part, excluded=not excluded)
    return False


def _for_sources(query: Query) -> Clause:
    match query:
        case Term():
            return exact(replace(query, heading="") if query.heading else query)
        case And(parts):
            return every(list(map(_for_sources, parts)))
        case Or(parts):
            return either(list(map(_for_sources, parts)))
        case Not(part):
            return without(_for_sources(part))
        case Near(parts):
            return wider(every(list(map(_for_sources, parts))).widest)
    return exact(query)
