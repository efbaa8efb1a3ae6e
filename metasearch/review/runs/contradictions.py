"""Why a database's number for a line contradicts its number for a part of the line, and what to
write for this database: an OR that finds less than one of its parts, or more than all of them; an
AND or a NOT that finds more than what it narrows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from metasearch.message import message
from metasearch.query.simple import to_text
from metasearch.query.tree import CODED_FIELDS, And, Not, Or, Query, Term, terms
from metasearch.review.runs.runs import StoredAnswer

#: Characters of a query as sent, from which databases are known to read only a part.
_LONG = 2_000
#: Characters of a text that a sentence shows.
_SHOWN = 120
_AND, _NOT = re.compile(r"(?i)\band\b|&|[+*]"), re.compile(r"(?i)\b(?:and)?not\b|!|(?:^|\s)-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two numbers of one database that cannot both be right.

    Attributes:
        source: Its name.
        steps: Numbers of the parts.
        reason: What is wrong with the numbers.
        cause: What explains it, as far as the answers tell.
        advice: What to write for this database, or to do.
    """

    source: str
    steps: tuple[int, ...]
    reason: str
    cause: str
    advice: str

    @property
    def sentence(self) -> str:
        return message(
            "{reason}. {cause}. {advice}", reason=self.reason, cause=self.cause, advice=self.advice
        )


@dataclass(frozen=True, slots=True)
class Counted:
    """A line with its query, and what a database said to it. `hits`: None where that is unknown."""

    number: int
    query: Query
    answer: StoredAnswer
    hits: int | None


def contradiction(line: Counted, parts: list[Counted], label: str) -> Contradiction | None:
    """What contradicts the number of a line. `parts`: the lines that it names, as far as the
    database was asked for them as they are. `label`: the name of the database for people.
    """
    if line.hits is None:
        return None
    known = [part for part in parts if part.hits is not None]
    for part in known:
        assert part.hits is not None
        if _parts(part.query, Or) < _parts(line.query, Or) and line.hits < part.hits:
            reason = message(
                "{source}: fewer hits than for step {number}, all of whose hits must be among "
                "them; it was not searched as written",
                source=label,
                number=part.number,
            )
            return _explained(line, [part], reason, _why_less)
        if _parts(part.query, And) < _parts(line.query, And) and line.hits > part.hits:
            reason = message(
                "{source}: more hits than for step {number}, which this step narrows; it was "
                "not searched as written",
                source=label,
                number=part.number,
            )
            return _explained(line, [part], reason, _why_more)
    together = sum(part.hits or 0 for part in known)
    covered = frozenset[Query]().union(*(_parts(part.query, Or) for part in known))
    if isinstance(line.query, Or) and _parts(line.query, Or) <= covered and line.hits > together:
        reason = message(
            "{source}: more hits than for all steps together that this step joins by OR; it was "
            "not searched as written",
            source=label,
        )
        return _explained(line, known, reason, _why_more)
    return None


def _parts(query: Query, kind: type[And | Or]) -> frozenset[Query]:
    return frozenset(query.parts if isinstance(query, kind) else (query,))


#: Cause and advice.
_Explanation = tuple[str, str]


def _explained(
    line: Counted,
    parts: list[Counted],
    reason: str,
    why: Callable[[Counted, list[Counted]], Iterator[_Explanation]],
) -> Contradiction:
    """A contradiction with the first explanation that there is."""
    cause, advice = next(chain(_of_answers(line, parts), why(line, parts)))
    numbers = tuple(part.number for part in parts)
    return Contradiction(
        source=line.answer.source, steps=numbers, reason=reason, cause=cause, advice=advice
    )


def _of_answers(line: Counted, parts: list[Counted]) -> Iterator[_Explanation]:
    """What the answers themselves say: a number of another query, or of another day."""
    for one in (line, *parts):
        if not one.answer.exact:
            note = one.answer.notes[0] if one.answer.notes else message("a part of it was lost")
            yield (
                message(
                    "Its number for step {number} is not that of the whole query: {note}",
                    number=one.number,
                    note=note,
                ),
                message(
                    "Write step {number} with what this database can search for, and count again.",
                    number=one.number,
                ),
            )
    day = (line.answer.asked_at or "")[:10]
    for part in parts:
        other = (part.answer.asked_at or "")[:10]
        if day and other and day != other:
            yield (
                message(
                    "The two were counted on {first} and on {second}, and the database has "
                    "changed between",
                    first=min(day, other),
                    second=max(day, other),
                ),
                message("Count both steps again on one day."),
            )


def _why_less(line: Counted, parts: list[Counted]) -> Iterator[_Explanation]:
    if len(line.answer.sent) > _LONG:
        yield (
            message(
                "What was sent has {count} characters, and databases read only the beginning of "
                "a long query",
                count=f"{len(line.answer.sent):,}",
            ),
            message("Divide the step in two, and join them in a third one by OR."),
        )
    words = [term for term in terms(line.query) if term.field not in CODED_FIELDS]
    cut = next((term for term in words if term.truncated), None)
    if cut is not None:
        yield (
            message(
                "The database looks for only some of the words that begin with {stem}",
                stem=cut.text[:_SHOWN],
            ),
            message(
                "Write for this database the words themselves in place of {stem}*.",
                stem=cut.text[:_SHOWN],
            ),
        )
    bare = next((term for term in words if term.field == "any" and not term.phrase), None)
    if bare is not None:
        yield (
            message(
                "A word without a field, as {word}, is looked for in other forms and as a heading, "
                "too, when it stands alone, and not in a longer query",
                word=bare.text[:_SHOWN],
            ),
            message(
                "Write the fields of each word for this database: {example}.",
                example=_with_fields(bare),
            ),
        )
    yield _in_brackets(parts, "OR")


def _why_more(line: Counted, parts: list[Counted]) -> Iterator[_Explanation]:
    sent = line.answer.sent
    excluded = isinstance(line.query, And) and any(isinstance(p, Not) for p in line.query.parts)
    if isinstance(line.query, And) and sent and not (_NOT if excluded else _AND).search(sent):
        yield (
            message(
                "The database was sent words without operators, and counts works with some of "
                "them: {sent}",
                sent=sent[:_SHOWN],
            ),
            message(
                "Search this database for the narrowest part alone, and leave the rest to "
                "screening: {part}.",
                part=min(parts, key=lambda part: part.hits or 0).answer.sent[:_SHOWN],
            ),
        )
    yield _in_brackets(parts, "OR" if isinstance(line.query, Or) else "NOT" if excluded else "AND")


def _in_brackets(parts: list[Counted], operator: str) -> _Explanation:
    """What is left to explain it: the order in which the database reads operators."""
    shown = [f"({part.answer.sent[:_SHOWN]})" for part in parts if part.answer.sent]
    shown = shown if len(shown) > 1 else [*shown, "(…)"]
    return (
        message("The database reads the operators of the whole in another order"),
        message(
            "Write for this database each part in brackets: {example}.",
            example=f" {operator} ".join(shown),
        ),
    )


def _with_fields(term: Term) -> str:
    """The words of a term in the fields in which they are usually meant, in our syntax."""
    fields = ("title", "abstract", "subject")
    return to_text(Or(tuple(Term(term.text, field, term.phrase) for field in fields)))[:_SHOWN]
