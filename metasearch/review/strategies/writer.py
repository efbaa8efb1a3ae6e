"""A whole search strategy in the syntax of a database that is searched by hand.

Where the database numbers its lines, each step becomes one, and names others by the numbers that
they get there: lines are counted from 1 in the order in which they are typed, whatever the numbers
of the steps. Elsewhere each step that no other names becomes one expression, with all others put
in. A step that is typed in the syntax of the database stays as it was typed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from metasearch.errors import UsageError
from metasearch.message import map_values, message
from metasearch.query import parse_years
from metasearch.query.clauses import exact
from metasearch.query.grammar import SyntaxStyle
from metasearch.query.reduction import Leaf, Part
from metasearch.query.strategy_lines import has_numbers
from metasearch.query.syntaxes import NAMES, TARGETS
from metasearch.query.tree import And, Not, Query, Term, Years, conjunction, plain, with_leaves
from metasearch.query.writer import QueryWriter, Translation, style_of
from metasearch.query.writer import write_query as expression
from metasearch.review.strategies.references import (
    as_numbers,
    number_of,
    numbers,
    reference,
    substitute,
)
from metasearch.review.strategies.resolve import ResolvedStep, resolve_all, text_of
from metasearch.review.strategies.step_text import StepText, renumber, with_sign
from metasearch.review.strategies.strategies import Step, check_years


@dataclass(frozen=True, slots=True)
class WrittenLine:
    """A line.

    Attributes:
        label: Its number there, as other lines name it; "" where lines have none.
        step: The number of the step.
        text: To be typed there.
    """

    label: str
    step: int
    text: str


@dataclass(frozen=True, slots=True)
class StrategyInSyntax:
    """A search strategy in one syntax.

    Attributes:
        syntax: A key of `metasearch.query.syntaxes.TARGETS`.
        lines: In the order in which they are typed.
        notes: What is not said there as the steps say it.
    """

    syntax: str
    lines: tuple[WrittenLine, ...]
    notes: tuple[str, ...]

    @property
    def text(self) -> str:
        """All lines with their numbers."""
        return "".join(f"{line.label} {line.text}".strip() + "\n" for line in self.lines)


def write_strategy(
    steps: Sequence[Step], syntax: str, *, years: str = "", as_lines: bool = True
) -> StrategyInSyntax:
    """Write a search strategy.

    `syntax`: a key of `TARGETS`. `as_lines`: whether steps are lines where the syntax has them;
    else each step that no other names is one expression. Raises UsageError: there is no such
    syntax, or the years are none.
    """
    check_target(syntax)
    check_years(years)
    known = {step.number: step for step in steps if step.has_query}
    found = resolve_all(list(known.values()))
    ready = {number: it for number, it in found.items() if isinstance(it, ResolvedStep)}
    notes: dict[str, None] = {}
    for number, error in found.items():
        if isinstance(error, UsageError):
            note = message(
                "step {number} is left out: {reason}", number=number, reason=error.message
            )
            notes[note] = None
    named = {parent for number in ready for parent in known[number].parents}
    last = [number for number in ready if number not in named]
    sign = NAMES[syntax].sign
    if not as_lines or sign is None:
        return _expressions(syntax, [ready[number] for number in last], years, notes)
    texts = {number: text_of(known[number], known) for number in ready}
    lines = _Lines(style_of(syntax), sign, notes)
    inside: dict[int, Query] = {}
    for number in _parents_first(texts):
        query = _with_inside(texts[number].clause.widest, inside)
        if query is None:
            continue
        if _only_excludes(query) and number in named:
            inside[number] = query
            continue
        if texts[number].syntax != syntax or not lines.keep(known[number], texts[number]):
            lines.add(number, query)
    if years and (range_of := parse_years(years)) is not None:
        for number in last:
            if number in lines.numbers:
                lines.add(number, conjunction(reference(number), range_of))
    return StrategyInSyntax(syntax, tuple(lines.made), tuple(notes))


def check_target(syntax: str) -> None:
    """Check that queries can be written in a syntax. Raises UsageError: they cannot."""
    if syntax not in TARGETS:
        raise UsageError(
            message("there is no syntax called {syntax}", syntax=repr(syntax[:40])),
            advice=message("Choose one of {names}.", names=", ".join(TARGETS)),
        )


def one_expression(step: ResolvedStep, years: Years | None, syntax: str) -> Translation:
    """A step with all that it names in one text; as it was typed where it is typed in the syntax,
    names no other and has no years beside it.
    """
    typed = step.syntax == syntax and not step.step.parents and years is None
    if typed and not has_numbers(step.step.text):
        return Translation(step.step.text.strip(), syntax)
    return expression(conjunction(step.query, years), syntax)


def _expressions(
    syntax: str, steps: Sequence[ResolvedStep], years: str, notes: dict[str, None]
) -> StrategyInSyntax:
    range_of = parse_years(years) if years else None
    made = []
    for step in steps:
        one = one_expression(step, range_of, syntax)
        number = step.step.number
        for note in one.notes:
            notes[message("#{number}: {note}", number=number, note=note)] = None
        if one.text:
            made.append(WrittenLine("", number, one.text))
    return StrategyInSyntax(syntax, tuple(made), tuple(notes))


class _Lines:
    """Lines while they are written; `numbers` says which line a step became, and `wider` are the
    steps whose lines find more than is meant.
    """

    def __init__(self, style: SyntaxStyle, sign: str, notes: dict[str, None]) -> None:
        self.style, self.sign, self.notes = style, sign, notes
        self.numbers: dict[int, int] = {}
        self.wider: set[int] = set()
        self.made: list[WrittenLine] = []

    def keep(self, step: Step, own: StepText) -> bool:
        """Take a step as it was typed, if all that it names is a line; returns whether it is."""
        if has_numbers(step.text) or any(one not in self.numbers for one in own.numbers):
            return False
        try:
            text = renumber(step.text, step.syntax, self.numbers)
        except UsageError:
            return False
        self._make(step.number, plain(with_sign(text, self.sign) if self.sign else text))
        return True

    def add(self, step: int, query: Query) -> None:
        lost = [number for number in numbers(query) if number not in self.numbers]
        if lost:
            note = message(
                "#{number}: {lost} cannot be written and is left out",
                number=step,
                lost=", ".join(f"#{number}" for number in lost),
            )
            self.notes[note] = None
        kept = with_leaves(query, lambda leaf: None if number_of(leaf) in lost else leaf)
        writer = _LineWriter(self)
        text = writer.write(kept) if kept is not None else ""
        if writer.more:
            self.wider.add(step)
        for said in writer.notes:
            self.notes[message("#{number}: {note}", number=step, note=said)] = None
        if text:
            self._make(step, text)

    def _make(self, step: int, text: str) -> None:
        self.made.append(WrittenLine(f"{self.sign}{len(self.made) + 1}", step, text))
        self.numbers[step] = len(self.made)


class _LineWriter(QueryWriter):
    """Writes a tree in which leaves may stand for lines."""

    def __init__(self, lines: _Lines) -> None:
        super().__init__(lines.style)
        self._lines = lines

    def note(self, sentence: str) -> None:
        super().note(map_values(sentence, as_numbers))

    def term(self, term: Term) -> Part | None:
        number = number_of(term)
        if number is None:
            return super().term(term)
        self.more += number in self._lines.wider
        return Leaf(f"{self._lines.sign}{self._lines.numbers[number]}")


def _with_inside(query: Query | None, inside: Mapping[int, Query]) -> Query | None:
    """The tree with the steps put in that cannot be lines of their own."""
    steps = {number: exact(inside.get(number, reference(number))) for number in numbers(query)}
    return None if query is None else substitute(exact(query), steps).widest


def _only_excludes(query: Query) -> bool:
    """Whether it names nothing but what must not hold, which is no line of its own."""
    match query:
        case Not():
            return True
        case And(parts):
            return all(isinstance(part, Not) for part in parts)
    return False


def _parents_first(texts: Mapping[int, StepText]) -> Iterator[int]:
    """Numbers in their order, but none before those that it names."""
    done: set[int] = set()
    for number in texts:
        waiting = [number]
        while waiting:
            last = waiting[-1]
            before = [one for one in texts[last].numbers if one not in done]
            if last in done or not before:
                waiting.pop()
                if last not in done:
                    done.add(last)
                    yield last
            else:
                waiting += before[::-1]
