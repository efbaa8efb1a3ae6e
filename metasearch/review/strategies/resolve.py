"""One query of a step: the queries of the steps that it names are put in the place of their
numbers.

Sources see a single boolean query, whatever syntax each step is in. Steps may share others, so
that a query could double with each step; sizes are counted before anything is built.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.message import message
from metasearch.query.clauses import Clause
from metasearch.query.reader import nesting
from metasearch.query.simple import to_text
from metasearch.query.tree import (
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_TERMS,
    Query,
    leaves,
    searches,
    with_leaves,
    without_words,
)
from metasearch.review.strategies.references import FLAT, number_of, size, substitute
from metasearch.review.strategies.step_text import StepText, read_step
from metasearch.review.strategies.strategies import Step


@dataclass(frozen=True, slots=True)
class ResolvedStep:
    """A step with the steps that it names put in.

    Attributes:
        text: That in metasearch's own syntax; it reads back as `query`.
        digest: SHA-256 of `text`, in hexadecimal: an answer to another digest is stale.
        notes: What `query` does not say as the texts do, of this step and of those that it names.
        syntax: That the step's own text was read in, a key of `metasearch.query.SYNTAXES`; "" of a
            combination.
        searchable: Whether it can be sent to a source. A step such as `year:2020-` cannot: it only
            narrows others.
    """

    step: Step
    query: Query
    text: str
    digest: str
    notes: tuple[str, ...]
    syntax: str
    searchable: bool


class NothingToAsk(UsageError):
    """A step of which no source can be asked anything; others may name it all the same."""


def resolve_step(steps: Sequence[Step], number: int) -> ResolvedStep:
    """The query of one step. Raises QuerySyntaxError: the text of the step cannot be read;
    UsageError: there is no such step, it is an import, or it cannot be made one query.
    """
    known = {step.number: step for step in steps}
    if number not in known:
        raise no_step(number, steps)
    found = StepResolver(known).finish(number)
    if isinstance(found, UsageError):
        raise found
    return found


def resolve_all(steps: Sequence[Step]) -> dict[int, ResolvedStep | UsageError]:
    """Number -> the query of the step, or why it has none; in the order of `steps`."""
    resolving = StepResolver({step.number: step for step in steps})
    return {step.number: resolving.finish(step.number) for step in steps}


class StepResolver:
    """The steps of one strategy, each read once."""

    def __init__(self, steps: Mapping[int, Step]) -> None:
        self.steps = steps
        self.texts: dict[int, StepText | UsageError] = {}
        self.done: dict[int, Clause | UsageError] = {}
        self.sizes: dict[int, int] = {}
        #: Number -> all steps that it names, also by way of others.
        self.named: dict[int, dict[int, None]] = {}

    def finish(self, number: int) -> ResolvedStep | UsageError:
        """A step with its text and notes, which those that it names need not have."""
        clause, own = self.of(number), self.texts[number]
        if isinstance(clause, UsageError):
            return clause
        assert isinstance(own, StepText)  # what could not be read has no clause
        query = clause.widest
        if query is None:
            return NothingToAsk(
                message("Step {number}: no part of it can be searched for", number=number),
                advice=" ".join(own.notes) or None,
            )
        text = to_text(query)
        if len(text) > MAX_LENGTH:
            return _too_much(
                number,
                message(
                    "it would be longer than {max_length} characters", max_length=f"{MAX_LENGTH:,}"
                ),
            )
        return ResolvedStep(
            self.steps[number],
            query,
            text,
            hashlib.sha256(text.encode()).hexdigest(),
            self.notes(number, own, query),
            own.syntax,
            searches(query),
        )

    def of(self, number: int) -> Clause | UsageError:
        """What a step means, after those that it names. A chain may be long: no recursion."""
        waiting, path = [number], set[int]()
        while waiting:
            last = waiting[-1]
            if last in self.done:
                path.discard(waiting.pop())
                continue
            own = self.text(last)
            if isinstance(own, UsageError):
                self.done[last] = own
                continue
            missing = [parent for parent in own.numbers if parent not in self.done]
            if last in path or not missing:
                self.done[last] = self.put_together(last, own)
                continue
            path.add(last)
            around = [parent for parent in missing if parent in path]
            if around:
                circle = [one for one in waiting[waiting.index(around[0]) :] if one in path]
                self.done[last] = cycle_error(last, [last, *circle])
                continue
            waiting += missing[::-1]
        return self.done[number]

    def text(self, number: int) -> StepText | UsageError:
        if number not in self.texts:
            try:
                self.texts[number] = text_of(self.steps[number], self.steps)
            except UsageError as error:
                self.texts[number] = error
        return self.texts[number]

    def put_together(self, number: int, own: StepText) -> Clause | UsageError:
        """What a step means whose parents are done."""
        parents: dict[int, Clause] = {}
        for parent in own.numbers:
            clause = self.done.get(parent)
            if clause is None or isinstance(clause, UsageError):
                return _without_parent(number, parent, clause)
            parents[parent] = clause
        bounds = (own.clause.widest, own.clause.narrowest)
        total = max(size(bound, lambda parent: self.sizes[parent]) for bound in bounds)
        if total > MAX_TERMS:
            return _too_much(
                number,
                message(
                    "it would have {count} words and phrases, and a query has at most {most}",
                    count=f"{total:,}" if total < 10**9 else message("more than a billion"),
                    most=f"{MAX_TERMS:,}",
                ),
            )
        clause = substitute(own.clause, parents)
        bounds = (clause.widest, clause.narrowest)
        if any(bound is not None and nesting(bound) > MAX_DEPTH for bound in bounds):
            return _too_much(
                number,
                message(
                    "AND, OR and NOT alternate more than {max_depth} deep", max_depth=MAX_DEPTH
                ),
            )
        self.sizes[number] = max(size(bound, lambda _: 0) for bound in bounds)
        self.named[number] = dict.fromkeys(
            one for parent in own.numbers for one in (parent, *self.named[parent])
        )
        return clause

    def notes(self, number: int, own: StepText, query: Query) -> tuple[str, ...]:
        """The notes of a step and of all that it names, each with its number."""
        notes = dict.fromkeys(own.notes)
        places = leaves(own.clause.widest) if own.clause.widest else ()
        excluded = {number_of(leaf) for leaf, is_out in places if is_out}
        for parent in self.named[number]:
            text, clause = self.texts[parent], self.done[parent]
            if not isinstance(text, StepText):
                continue
            if parent in excluded and isinstance(clause, Clause) and not clause.is_exact:
                note = message(
                    "what #{number} finds cannot be excluded as it is written, so less is excluded "
                    "and more is found",
                    number=parent,
                )
                notes[note] = None
            for sentence in text.notes:
                notes[message("#{number}: {note}", number=parent, note=sentence)] = None
        if not searches(query):
            note = message(
                "it names {without_words} alone: it narrows other steps, and is not searched for "
                "by itself",
                without_words=without_words(query),
            )
            notes[note] = None
        return tuple(notes)


def text_of(step: Step, steps: Mapping[int, Step]) -> StepText:
    """What a step says, if all that it names is there. Raises QuerySyntaxError: it cannot be read,
    or names a step that there is not, or one that has no query; UsageError: it is an import, which
    has no query.
    """
    if step.kind == "import":
        raise UsageError(
            message("Step {number} is an imported file: it has no query", number=step.number),
            advice=message("Search its database by hand again, and import the new file."),
        )
    if step.kind == "citations":
        raise UsageError(
            message("Step {number} follows citations: it has no query", number=step.number),
            advice=message("Run it by itself; it has no counts."),
        )
    own = read_step(step.text, step.syntax)
    gone: list[int] = []
    for number in own.numbers:
        where = place_of(step.text, number)
        other = steps.get(number)
        if number == step.number:
            raise _wrong(
                step.text, where, message("Step {number} names itself", number=number), own.syntax
            )
        if other is None and where is None:  # inside a range whose ends are there
            gone.append(number)
        elif other is None:
            raise _wrong(
                step.text, where, message("There is no step {number}", number=number), own.syntax
            )
        elif not other.has_query:
            raise _wrong(
                step.text,
                where,
                message("Step {number} is an imported file: it has no query", number=number)
                if other.kind == "import"
                else message("Step {number} follows citations: it has no query", number=number),
                own.syntax,
            )
    if not gone:
        return own
    clause = without_steps(own.clause, gone)
    note = message(
        "removed steps are left out of the range: {numbers}",
        numbers=", ".join(f"#{number}" for number in gone),
    )
    left = tuple(number for number in own.numbers if number not in gone)
    return StepText(clause, left, own.syntax, (*own.notes, note))


def without_steps(clause: Clause, gone: Collection[int]) -> Clause:
    """What a text means when some of the steps that it names are gone."""

    def left(query: Query | None) -> Query | None:
        if query is None:
            return None
        return with_leaves(query, lambda leaf: None if number_of(leaf) in gone else leaf)

    widest = left(clause.widest)
    return Clause(widest, widest if clause.is_exact else left(clause.narrowest))


def place_of(text: str, number: int) -> tuple[int, int] | None:
    """Where a number stands in a text; None where it does not."""
    match = re.search(rf"(?<![0-9])0*{number}(?![0-9])", text.translate(FLAT))
    return match.span() if match else None


def cycle_error(number: int, path: Sequence[int]) -> UsageError:
    shown = " → ".join(f"#{step}" for step in path)
    return UsageError(
        message("Step {number} would name itself: {cycle}", number=number, cycle=shown),
        advice=message("A step may name those that do not depend on it."),
    )


def _without_parent(number: int, parent: int, error: UsageError | None) -> UsageError:
    reason = getattr(error, "reason", "") or (str(error) if error else message("it names itself"))
    return UsageError(
        message(
            "Step {number} cannot be searched for, because step {parent} cannot: {reason}",
            number=number,
            parent=parent,
            reason=reason,
        ),
        advice=message("Correct step {parent} first.", parent=parent),
    )


def no_step(number: int, steps: Sequence[Step]) -> UsageError:
    there = ", ".join(f"#{step.number}" for step in steps[:20])
    return UsageError(
        message("There is no step {number}", number=number),
        advice=message("There are {numbers}.", numbers=there)
        if there
        else message("The strategy has no steps yet."),
    )


def _too_much(number: int, reason: str) -> UsageError:
    return UsageError(
        message(
            "Step {number} is too large with the steps that it names: {reason}",
            number=number,
            reason=reason,
        ),
        advice=message("Search for its parts one by one."),
    )


def _wrong(text: str, where: tuple[int, int] | None, reason: str, syntax: str) -> QuerySyntaxError:
    start, end = where or (0, len(text))
    return QuerySyntaxError(
        reason,
        text=text,
        position=start,
        length=end - start,
        advice=message("Name a step of this strategy; put a number in quotes to look for it."),
        syntax=syntax or "simple",
    )
