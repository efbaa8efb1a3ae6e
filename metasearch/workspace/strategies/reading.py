"""What the text of one step says: a tree in which references stand for the steps that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query import CHOICES, read
from metasearch.query.ast import And, Query, Term
from metasearch.query.databases import line_reader
from metasearch.query.databases.lines import numbered_lines
from metasearch.query.databases.losses import Losses
from metasearch.query.databases.scanner import StrategyLine
from metasearch.query.detect import detect
from metasearch.query.reading import ReadQuery, read_or_suggest
from metasearch.query.syntaxes import DATABASES
from metasearch.workspace.strategies import placeholders
from metasearch.workspace.strategies.combine import combination
from metasearch.workspace.strategies.references import numbers, reference

if TYPE_CHECKING:
    from metasearch.query.databases.lines import LineReader

#: Syntaxes whose readers know numbers of lines.
_LINED = frozenset({*DATABASES, "pubmed"})
#: What is put beside a text that only narrows, to read it; as no step has this word in its text.
_BESIDE = {"simple": "({text}\n) {word}", "cnki": "({text}\n) AND {word}"}
_BESIDE_ELSE = "({text}\n) and {word}"


@dataclass(frozen=True, slots=True)
class StepText:
    """What a step says.

    Attributes:
        query: A tree; some of its leaves may be references.
        numbers: The steps that it names, each once.
        syntax: A key of `metasearch.query.SYNTAXES`; "" of a combination.
    """

    query: Query
    numbers: tuple[int, ...]
    syntax: str
    notes: tuple[str, ...]


class _AnyLine(Mapping[int, StrategyLine]):
    """A line for every number: whether there is such a step is asked when all are known."""

    def __getitem__(self, number: int) -> StrategyLine:
        return StrategyLine(reference(number), 1)

    def __iter__(self) -> Iterator[int]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def get(self, number: int, default: object = None) -> StrategyLine:
        return self[number]


@lru_cache(maxsize=256)
def read_step(text: str, syntax: str = "auto") -> StepText:
    """Read the text of a step.

    `syntax`: one of `metasearch.query.CHOICES`. Raises QuerySyntaxError: it cannot be read; the
    place is that in the text as typed. Raises UsageError: there is no such syntax.
    """
    try:
        return _read_step(text, syntax)
    except QuerySyntaxError as error:
        raise _of_text(error, text, syntax) from None


def _of_text(error: QuerySyntaxError, text: str, syntax: str) -> QuerySyntaxError:
    """The error, of the text as typed, with its suggestion only where a step can say it."""
    suggestion = error.suggestion
    if suggestion is not None:
        try:
            _read_step(suggestion, syntax)
        except QuerySyntaxError:
            suggestion = None
    if suggestion == error.suggestion and error.text == text:
        return error
    return QuerySyntaxError(
        error.reason,
        text=text,
        position=error.position,
        length=error.length,
        suggestion=suggestion,
        advice=message("Correct this place.") if error.suggestion else error.advice,
        syntax=error.syntax,
        kind=error.kind,
    )


def _read_step(text: str, syntax: str) -> StepText:
    if syntax not in CHOICES:
        read(text, syntax)
    syntax = "cnki" if syntax == "expert" else syntax
    if numbered_lines(text) is not None:  # a strategy of its own, with numbers of its own
        whole = read(text, syntax)
        return StepText(whole.query, (), whole.syntax, whole.notes)
    combined = combination(text, syntax)
    if combined is not None:
        return StepText(combined.query, numbers(combined.query), "", combined.notes)
    chosen = _chosen(text) if syntax == "auto" else syntax
    one = _in_lines(text, chosen) if chosen in _LINED else _with_words(text, chosen)
    if syntax == "auto" and chosen in DATABASES:
        note = message("recognised as the syntax {syntax}", syntax=chosen)
        one = replace(one, notes=(note, *one.notes))
    return StepText(one.query, numbers(one.query), one.syntax, one.notes)


def _chosen(text: str) -> str:
    """The syntax by the text's marks, such as the signs of Chinese databases at a step."""
    syntax = detect(text)
    return "cnki" if syntax == "simple" and placeholders.expert_signs(text) else syntax


def _line_reader(syntax: str) -> Callable[..., LineReader]:
    if syntax != "pubmed":
        return line_reader(syntax)
    from metasearch.query.pubmed.parser import PubmedReader

    return PubmedReader


def _in_lines(text: str, syntax: str) -> ReadQuery:
    """Read a text in a syntax that has numbers of lines."""
    make = _line_reader(syntax)
    placeholders.check_fields(text, syntax)
    # The sign of EBSCO is S.
    written = placeholders.with_sign(text, "S") if syntax == "ebsco" else text

    def one(candidate: str) -> ReadQuery:
        losses = Losses()
        reader = make(candidate, _AnyLine(), losses)
        query = reader.tree()
        if query is None:
            return reader.ended(query)
        return ReadQuery(query, syntax, losses.sentences())

    whole = read_or_suggest(one, written)
    if syntax != "cochrane":
        placeholders.check_taken(text, numbers(whole.query), syntax)
    return whole


def _with_words(text: str, syntax: str) -> ReadQuery:
    """Read a text in a syntax without numbers of lines."""
    put = placeholders.with_words(text, syntax)
    try:
        one = read(put.text, syntax)
    except QuerySyntaxError as error:
        narrowing = _narrowing(put.text, syntax)
        if narrowing is None:
            raise put.error(error) from None
        one = narrowing
    notes = tuple(map(put.back, one.notes))
    said = tuple(note for place in put.places.values() for note in place.notes)
    return ReadQuery(put.put_back(one.query, syntax), syntax, (*notes, *said))


def _narrowing(text: str, syntax: str) -> ReadQuery | None:
    """A text that names years, types or languages only, which a query of its own may not: it may
    narrow another step.
    """
    word = "metasearchsteps"
    if word in text:
        return None
    frame = _BESIDE.get(syntax, _BESIDE_ELSE)
    try:
        one = read(frame.format(text=text, word=word), syntax)
    except QuerySyntaxError:
        return None
    match one.query:
        case And((*rest, Term(text=last, field="any"))) if last == word and rest:
            query = rest[0] if len(rest) == 1 else And(tuple(rest))
            return replace(one, query=query)
    return None
