"""What a strategy looks for where one of its steps is removed, or one alternative of a step is
removed or added: the queries of all steps that change by it.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from metasearch.query.clauses import Clause, exact
from metasearch.query.simple import to_text
from metasearch.query.tree import (
    CODED_FIELDS,
    And,
    Near,
    Not,
    Or,
    Query,
    Term,
    conjunction,
    disjunction,
)
from metasearch.query.values import years_of
from metasearch.review.strategies.references import as_numbers, number_of, size, substitute
from metasearch.review.strategies.resolve import StepResolver, without_steps
from metasearch.review.strategies.step_text import StepText
from metasearch.review.strategies.strategies import Step

#: From the root of a tree, which part to take at each node.
_Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Alternative:
    """One part of an OR of a step, or a place for a new one.

    Attributes:
        query: The part; one word in several fields is one alternative.
        path: Where the OR, or the place, stands in the tree of the step.
        parts: Which parts of the OR it is.
    """

    step: int
    query: Query
    path: _Path
    parts: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """In metasearch's syntax, a word in several fields without them; steps as `#1`."""
        query = self.query
        if len(self.parts) > 1 and isinstance(query, Or) and isinstance(query.parts[0], Term):
            query = replace(query.parts[0], field="any")
        return as_numbers(to_text(query))


class StrategyQueries:
    """The queries of a strategy as sources are asked them, its years included.

    Attributes:
        queries: Number of each step that can be searched for or joined -> its query.
        users: Number -> the steps that name it, also by way of others, each after those that it
            names.
    """

    def __init__(self, steps: Sequence[Step], years: str) -> None:
        self._years = years_of(years) if years else None
        resolving = StepResolver({step.number: step for step in steps})
        self._clauses: dict[int, Clause] = {}
        self._texts: dict[int, StepText] = {}
        for step in steps:
            clause, text = resolving.of(step.number), resolving.text(step.number)
            if isinstance(clause, Clause) and isinstance(text, StepText):
                self._clauses[step.number], self._texts[step.number] = clause, text
        named = {number: resolving.named[number] for number in self._clauses}
        order = sorted(named, key=lambda number: len(named[number]))
        self.users = {
            number: [other for other in order if number in named[other]] for number in named
        }
        self.queries: Mapping[int, Query] = {
            number: query
            for number, clause in self._clauses.items()
            if (query := self._question(clause)) is not None
        }

    def every_query(self) -> Iterator[Query]:
        """The queries of all steps, and what becomes of their parts where an alternative of words
        that stand near one another is removed: all that a removal can ask.
        """
        yield from self.queries.values()
        near = any(_has_near(query) for query in self.queries.values())
        for number in self._texts:
            for one in self.alternatives(number):
                if (meant := self.meaning(one)) is not None:
                    yield meant
                if near:
                    yield from (new for new in self.without(one).values() if new is not None)

    def meaning(self, alternative: Alternative) -> Query | None:
        """An alternative with the steps that it names put in; None for everything."""
        return substitute(exact(alternative.query), self._clauses).widest

    def alternatives(self, number: int) -> list[Alternative]:
        """The alternatives of a step from left to right, without those that are only a step, and
        without what is excluded.
        """
        text = self._texts.get(number)
        if text is None or text.clause.widest is None:
            return []
        return [
            Alternative(number, query, path, parts)
            for path, parts, query in _alternatives(text.clause.widest, ())
            if number_of(query) is None
        ]

    def cost(self, number: int) -> int:
        """Words and phrases of the queries that change with each alternative of a step."""
        changed = (self.queries.get(other) for other in (number, *self.users.get(number, ())))
        return sum(size(query, lambda _: 0) for query in changed)

    def without_step(self, number: int) -> Mapping[int, Query | None]:
        """Each step that changes where a step is removed -> its query then; None where nothing is
        left of it.
        """
        return self._changed({number: None})

    def without(self, removed: Alternative) -> Mapping[int, Query | None]:
        """The same where an alternative is removed from its step."""
        own = self._texts[removed.step].clause
        assert own.widest is not None  # the alternative is a part of it
        widest = _remove(own.widest, removed.path, removed.parts)
        narrowest = own.narrowest
        if narrowest is not None:
            narrowest = widest if own.is_exact else _remove_equal(narrowest, removed.query)
        return self._changed({removed.step: Clause(widest, narrowest)})

    def places(self, number: int) -> list[Alternative]:
        """Where an alternative can be added to a step: to each OR, and to each word that stands
        alone, from left to right; each as the part that it would stand beside. None in a step that
        only joins others.
        """
        text = self._texts.get(number)
        if text is None or text.clause.widest is None:
            return []
        found = _places(text.clause.widest, ())
        return [Alternative(number, query, path) for path, query in found]

    def with_beside(self, place: Alternative, added: Query) -> Mapping[int, Query | None]:
        """The same where an alternative is added at a place."""
        own = self._texts[place.step].clause
        assert own.widest is not None
        widest = _put_beside(own.widest, place.path, added)
        return self._changed({place.step: Clause(widest, own.narrowest)})

    def _changed(self, own: Mapping[int, Clause | None]) -> Mapping[int, Query | None]:
        """`own`: number of a step -> what its own text means now; None: it is gone."""
        made = {
            number: None if clause is None else substitute(clause, self._clauses)
            for number, clause in own.items()
        }
        left: dict[int, Clause] = {number: new for number, new in made.items() if new is not None}
        known = ChainMap(left, self._clauses)
        for number in self.users.get(next(iter(own)), ()):
            text = self._texts[number]
            gone = [parent for parent in text.numbers if parent in made and parent not in left]
            clause = without_steps(text.clause, gone) if gone else text.clause
            made[number] = new = None if clause.widest is None else substitute(clause, known)
            if new is not None:
                left[number] = new
        return {
            number: None if new is None else self._question(new) for number, new in made.items()
        }

    def _question(self, clause: Clause) -> Query | None:
        """What is asked for a step, as `runs.plan.SourceQuestion` has it."""
        if clause.widest is None:
            return None
        return clause.widest if self._years is None else conjunction(clause.widest, self._years)


def _has_near(query: Query) -> bool:
    match query:
        case And(parts) | Or(parts):
            return any(map(_has_near, parts))
        case Not(part):
            return _has_near(part)
    return isinstance(query, Near)


def _alternatives(query: Query, path: _Path) -> Iterator[tuple[_Path, tuple[int, ...], Query]]:
    """Path of an OR, which of its parts, and what they are together."""
    if not isinstance(query, And | Or | Near):
        return
    groups = [list(group) for _, group in groupby(enumerate(query.parts), _word)]
    for group in groups:
        places = tuple(place for place, _ in group)
        # A word that stands alone, in several fields, is no alternative to anything.
        if isinstance(query, Or) and len(groups) > 1:
            yield path, places, disjunction(part for _, part in group)
        for place, part in group:
            yield from _alternatives(part, (*path, place))


def _word(part: tuple[int, Query]) -> tuple[object, ...]:
    """What neighbours have in common that are one word in several fields: `word.ti,ab.`"""
    place, query = part
    if isinstance(query, Term) and number_of(query) is None:
        return query.text, query.phrase, query.truncated, query.heading
    return (place,)


def _places(query: Query, path: _Path) -> Iterator[tuple[_Path, Query]]:
    match query:
        case And(parts):
            for place, part in enumerate(parts):
                yield from _places(part, (*path, place))
        case Or(parts):
            if not all(number_of(part) is not None for part in parts):
                yield path, query
        case Term() if number_of(query) is None and query.field not in CODED_FIELDS:
            yield path, query


def _put_beside(query: Query, path: _Path, added: Query) -> Query:
    """The tree with an alternative beside the part of a path."""
    if not path:
        return disjunction((query, added))
    assert isinstance(query, And)
    place, *rest = path
    parts = list(query.parts)
    parts[place] = _put_beside(parts[place], tuple(rest), added)
    return conjunction(*parts)


def _remove(query: Query, path: _Path, removed: tuple[int, ...]) -> Query:
    """The tree without some parts of the OR of a path."""
    assert isinstance(query, And | Or | Near)
    parts = list(query.parts)
    if not path:
        return disjunction(part for place, part in enumerate(parts) if place not in removed)
    parts[path[0]] = _remove(parts[path[0]], path[1:], removed)
    match query:
        case And():
            return conjunction(*parts)
        case Or():
            return disjunction(parts)
    return Near(tuple(parts), query.within, query.ordered)


def _remove_equal(query: Query, removed: Query) -> Query:
    """The tree without the first alternative that is equal to one; the same where none is."""
    for path, parts, one in _alternatives(query, ()):
        if one == removed:
            return _remove(query, path, parts)
    return query
