"""How parsers put trees together: operators from left to right, words of a field, alternatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from metasearch.query.ast import Not, Or, Query, Term, conjunction
from metasearch.query.blanks import is_blank
from metasearch.query.identifiers import bare_doi
from metasearch.query.reading import QueryReader


class LeftToRight:
    """Operands that operators join left to right, without precedence; in linear time."""

    def __init__(self, reader: QueryReader, first: Query) -> None:
        self._reader = reader
        self._parts = [first]
        self._either = False
        #: Whether an AND or NOT came after an OR.
        self.mixed = False

    def add(self, operator: str, right: Query) -> None:
        """Join another operand: "AND", "OR" or "NOT"."""
        either = operator == "OR"
        if either is not self._either:
            self.mixed = self.mixed or (self._either and len(self._parts) > 1)
            self._parts = [self.query()]
            self._either = either
        self._parts.append(negation(right) if operator == "NOT" else right)

    def query(self) -> Query:
        """All of them so far."""
        if len(self._parts) == 1:
            return self._parts[0]
        query = disjunction(self._parts) if self._either else conjunction(*self._parts)
        self._reader.check_alternation(query)
        return query


def disjunction(parts: Sequence[Query]) -> Query:
    """OR of the parts, flattened, each once; a single part stands for itself."""
    flat = dict.fromkeys(
        inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,))
    )
    return next(iter(flat)) if len(flat) == 1 else Or(tuple(flat))


def negation(query: Query) -> Query:
    """NOT of it; two of them are none."""
    return query.part if isinstance(query, Not) else Not(query)


def in_fields(fields: Sequence[str], make: Callable[[str], Query]) -> Query:
    """What is looked for in one of several fields."""
    return disjunction([make(field) for field in fields])


def words(text: str, field: str, *, phrase: bool = False) -> Query:
    """A term for words without any signs; a DOI is known as one."""
    if (
        field in ("any", "doi")
        and (doi := bare_doi(text)) is not None
        and not any(map(is_blank, text))
    ):
        return Term(doi, "doi")
    return Term(text, field, phrase=phrase)


def truncatable(texts: Sequence[tuple[str, bool]], field: str) -> Query:
    """All of (word, whether it is a beginning): plain ones side by side are one term."""
    parts: list[Query] = []
    run: list[str] = []
    for word, truncated in [*texts, ("", True)]:
        if not truncated:
            run.append(word)
            continue
        if run:
            parts.append(words(" ".join(run), field))
            run = []
        if word:
            parts.append(Term(word, field, truncated=True))
    return conjunction(*parts)
