"""The steps of a search strategy: their rows, what may be changed of them, copies.

Steps as rows of the workspace: read, inserted, logged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from metasearch.errors import Conflict, QuerySyntaxError, UsageError
from metasearch.message import message
from metasearch.review.projects import log, projects
from metasearch.review.store import values as versions
from metasearch.review.store.database import Database
from metasearch.review.store.table import EditedTable, merge_entries
from metasearch.review.store.values import now
from metasearch.review.strategies import strategies
from metasearch.review.strategies.references import LARGEST
from metasearch.review.strategies.resolve import (
    NothingToAsk,
    cycle_error,
    no_step,
    resolve_all,
    resolve_step,
    text_of,
)
from metasearch.review.strategies.step_text import renumber
from metasearch.review.strategies.strategies import (
    Step,
    StepKind,
    Strategy,
    check_details,
    check_note,
)

#: The steps of strategies; what each of them names stands in a table of its own.
STEPS = EditedTable(
    "step",
    Step,
    ("text", "syntax", "note", "details"),
    computed={"parents": lambda *_: ()},
)


def of(db: Database, strategy: Strategy) -> list[Step]:
    """All steps that are not removed, in the order of their numbers."""
    named: dict[int, list[int]] = {}
    for row in db.all(
        "SELECT step_parent.step AS step, parent.number AS number FROM step_parent"
        " JOIN step ON step.id = step_parent.step JOIN step AS parent"
        " ON parent.id = step_parent.parent WHERE step.strategy = ? ORDER BY parent.number",
        strategy.id,
    ):
        named.setdefault(row["step"], []).append(row["number"])
    steps = STEPS.all(db, "strategy = ? AND removed = 0 ORDER BY number", strategy.id)
    return [replace(step, parents=tuple(named.get(step.id, ()))) for step in steps]


def insert_all(db: Database, strategy: Strategy, steps: Sequence[Step]) -> None:
    """Insert checked steps into a strategy without any, inside a transaction."""
    new = [replace(step, id=insert(db, strategy, step)) for step in steps]
    for step in new:
        name_parents(db, step, new)


def insert(db: Database, strategy: Strategy, step: Step) -> int:
    """Insert a step; returns the id of its row."""
    said = {**as_log(step), "details": check_details(step.details)}
    return db.insert("step", strategy=strategy.id, number=step.number, **said, edited=step.edited)


def name_parents(db: Database, step: Step, steps: Sequence[Step]) -> None:
    ids = {other.number: other.id for other in steps}
    db.run("DELETE FROM step_parent WHERE step = ?", step.id)
    db.run_many(
        "INSERT INTO step_parent (step, parent) VALUES (?, ?)",
        [(step.id, ids[number]) for number in step.parents],
    )


def write_log(
    db: Database, strategy: Strategy, action: str, number: int, before: Any, after: Any, by: str
) -> None:
    log.write(db, strategy.project, action, f"step:{strategy.id}/{number}", before, after, by=by)


def as_log(step: Step) -> dict[str, Any]:
    return {
        "kind": step.kind,
        "text": step.text,
        "syntax": step.syntax,
        "note": step.note,
        "details": dict(step.details),
    }


# The steps of a search strategy: added, edited, removed. Numbers never change, and that of a
# removed step is never used again.

#: Steps of a strategy that are not removed.
MOST_STEPS = 500
_LONGEST_IMPORT = 20_000


def one(db: Database, strategy: Strategy, number: int) -> Step:
    """The step of a number. Raises UsageError: there is none, or it was removed."""
    steps = of(db, strategy)
    for step in steps:
        if step.number == number:
            return step
    raise no_step(number, steps)


def users(steps: Sequence[Step], number: int) -> tuple[int, ...]:
    """The steps that name one."""
    return tuple(step.number for step in steps if number in step.parents)


def add(
    db: Database,
    strategy: Strategy,
    text: str,
    *,
    syntax: str = "auto",
    note: str = "",
    details: Mapping[str, Any] | None = None,
    number: int | None = None,
    by: str = "",
) -> Step:
    """Add a step: `text` is a query in a `syntax` of `metasearch.query.CHOICES`, or a combination
    of other steps. A `number` must be larger than all before; by default it is the next one. Raises
    QuerySyntaxError: the text cannot be read, or names a step that there is not; UsageError: the
    strategy has too many steps, or this one is too large with those that it names.
    """
    with db.transaction():
        steps = of(db, strategy)
        draft = Step(
            id=0,
            strategy=strategy.id,
            number=_next(db, strategy, steps, number),
            kind="query",
            text=text,
            syntax=syntax,
            note=check_note(note),
            details=dict(details or {}),
        )
        return _add(db, strategy, _check(draft, steps), steps, by)


def add_without_query(
    db: Database,
    strategy: Strategy,
    kind: StepKind,
    text: str,
    *,
    note: str = "",
    details: Mapping[str, Any] | None = None,
    number: int | None = None,
    by: str = "",
) -> Step:
    """Add a step that no other may name: an imported file, or a search along citations; see `Step`.
    `number`: as of `add`. Raises UsageError: there are too many steps, or the text is too long.
    """
    if len(text) > _LONGEST_IMPORT:
        raise UsageError(
            message(
                "The query of an import has at most {most} characters", most=f"{_LONGEST_IMPORT:,}"
            ),
            advice=message("Shorten it."),
        )
    with db.transaction():
        steps = of(db, strategy)
        draft = Step(
            id=0,
            strategy=strategy.id,
            number=_next(db, strategy, steps, number),
            kind=kind,
            text=text,
            note=check_note(note),
            details=dict(details or {}),
        )
        return _add(db, strategy, draft, steps, by)


def edit(
    db: Database,
    strategy: Strategy,
    number: int,
    *,
    text: str | None = None,
    syntax: str | None = None,
    note: str | None = None,
    details: Mapping[str, Any] | None = None,
    version: int | None = None,
    by: str = "",
) -> Step:
    """Change what is given; of `details` the keys that are given, None removes one. `version` is
    that of the step that the change was made with.

    A new text or syntax makes the answers of this step and of those that name it stale, and drops
    the hits of the line that the step was pasted from.

    Raises:
        Conflict: It was changed or removed since that version.
        QuerySyntaxError: The text cannot be read, or names a step that there is not.
        UsageError: There is no such step, or it would name itself.
    """
    with db.transaction():
        steps = of(db, strategy)
        old = next((step for step in steps if step.number == number), None)
        if old is None:
            sent = {"text": text, "syntax": syntax, "note": note}
            yours = {name: value for name, value in sent.items() if value is not None}
            raise _removed_conflict(db, strategy, number, version, yours) or no_step(number, steps)
        new = replace(
            old,
            text=old.text if text is None else text,
            syntax=old.syntax if syntax is None else syntax,
            note=old.note if note is None else check_note(note),
            details=merge_entries(old.details, details),
        )
        clash = message("Step {number} was changed since you opened it", number=number)
        STEPS.changes(old, new, version, clash)
        if (new.text, new.syntax) != (old.text, old.syntax):
            if old.kind == "import":
                raise UsageError(
                    message("Step {number} is an imported file", number=number),
                    advice=message("Its note can be changed; import the new file as a new step."),
                )
            if old.kind == "citations":
                raise UsageError(
                    message("Step {number} follows citations", number=number),
                    advice=message("Its note can be changed; make a new step of what is wanted."),
                )
            new = replace(_check(new, steps), edited=now())
            if not details or "hits" not in details:  # those of the line were of the old query
                new = replace(new, details=merge_entries(new.details, {"hits": None}))
        if new == old:
            return old
        check_details(new.details)
        new = replace(STEPS.save(db, old, new), parents=new.parents)
        name_parents(db, new, steps)
        write_log(db, strategy, "edit step", number, as_log(old), as_log(new), by)
        return new


def _removed_conflict(
    db: Database, strategy: Strategy, number: int, version: int | None, yours: Mapping[str, Any]
) -> Conflict | None:
    """The error for a change of a step that was removed since it was read; None where there was
    none, or nothing says that it was read.
    """
    if version is None or not db.value(
        "SELECT removed FROM step WHERE strategy = ? AND number = ?", strategy.id, number
    ):
        return None
    text = message("Step {number} was removed since you opened it", number=number)
    return Conflict(text, yours=yours, theirs=None, version=None)


def remove(
    db: Database, strategy: Strategy, number: int, *, version: int | None = None, by: str = ""
) -> None:
    """Remove a step that no other names; what was found by it stays. `version` is that of the step
    that is to be removed. Raises Conflict: it was changed since that version; UsageError: there is
    no such step, or others name it.
    """
    with db.transaction():
        steps = of(db, strategy)
        old = next((step for step in steps if step.number == number), None)
        if old is None:
            raise no_step(number, steps)
        if using := users(steps, number):
            raise UsageError(
                message(
                    "Step {number} is named by {users}",
                    number=number,
                    users=", ".join(f"#{user}" for user in using),
                ),
                advice=message("Edit or remove those first."),
            )
        versions.check_version(
            version,
            old.version,
            message("Step {number} was changed since you opened it", number=number),
            {"removed": True},
            {"removed": False, "text": old.text, "syntax": old.syntax, "note": old.note},
        )
        db.run("UPDATE step SET removed = 1, version = version + 1 WHERE id = ?", old.id)
        db.run("DELETE FROM step_parent WHERE step = ?", old.id)
        write_log(db, strategy, "remove step", number, as_log(old), None, by)


def _next(db: Database, strategy: Strategy, steps: Sequence[Step], number: int | None) -> int:
    if len(steps) >= MOST_STEPS:
        raise _too_many()
    strategies.by_id(db, strategy.project, strategy.id)
    last = db.value("SELECT max(number) FROM step WHERE strategy = ?", strategy.id) or 0
    if number is not None and number <= last:
        raise UsageError(
            message("A new step has a number above {last}", last=last),
            advice=message("Numbers are never used again."),
        )
    chosen = int(number or last + 1)
    if chosen > LARGEST:
        raise UsageError(
            message("The numbers of steps end at {last}", last=LARGEST),
            advice=message("Copy the strategy: the copy begins at 1."),
        )
    return chosen


def _too_many() -> UsageError:
    return UsageError(
        message("A search strategy has at most {most} steps", most=MOST_STEPS),
        advice=message("Remove those that are not used, or make another strategy."),
    )


def _check(step: Step, steps: Sequence[Step]) -> Step:
    """A new text with its kind and what it names, if it can be searched for."""
    others = [other for other in steps if other.number != step.number]
    own = text_of(step, {other.number: other for other in (*others, step)})
    kind: StepKind = "query" if own.syntax else "combine"
    new = replace(step, kind=kind, parents=tuple(sorted(own.numbers)))
    if path := _way_to(new, others):
        raise cycle_error(step.number, path)
    resolve_step([*others, new], step.number)
    return new


def _way_to(step: Step, others: Sequence[Step]) -> list[int]:
    """Numbers from a step over those that it names back to it; [] where there is no such way."""
    parents = {other.number: other.parents for other in others}
    came: dict[int, int] = dict.fromkeys(step.parents, step.number)
    waiting = list(step.parents)
    while waiting:
        last = waiting.pop()
        for parent in parents.get(last, ()):
            if parent == step.number:
                path = [step.number, last]
                while path[-1] != step.number:
                    path.append(came[path[-1]])
                return path[::-1]
            if parent not in came:
                came[parent] = last
                waiting.append(parent)
    return []


def _add(db: Database, strategy: Strategy, step: Step, steps: Sequence[Step], by: str) -> Step:
    new = replace(step, edited=now())
    new = replace(new, id=insert(db, strategy, new))
    name_parents(db, new, steps)
    write_log(db, strategy, "new step", step.number, None, as_log(new), by)
    return new


def add_all(
    db: Database, strategy: Strategy, drafts: Sequence[Step], *, by: str = ""
) -> list[Step]:
    """Add several steps, all or none; each may name those before it. Numbers, texts, syntaxes,
    notes and details are those of the `drafts`. Raises QuerySyntaxError: a text cannot be read; its
    reason begins with the number. Raises UsageError: there are too many steps, or one is too large;
    here, too, the number is told.
    """
    with db.transaction():
        steps = of(db, strategy)
        if len(steps) + len(drafts) > MOST_STEPS:
            raise _too_many()
        if drafts:
            _next(db, strategy, steps, drafts[0].number)
        known = {step.number: step for step in steps}
        new: list[Step] = []
        for draft in drafts:
            known[draft.number] = draft
            try:
                own = text_of(draft, known)
            except QuerySyntaxError as error:
                raise of_line(error, draft.number) from None
            kind: StepKind = "query" if own.syntax else "combine"
            step = replace(draft, kind=kind, parents=tuple(sorted(own.numbers)), edited=now())
            known[draft.number] = step
            new.append(step)
        found = resolve_all(list(known.values()))
        for step in new:
            outcome = found[step.number]
            if isinstance(outcome, UsageError) and not isinstance(outcome, NothingToAsk):
                raise outcome
        ids = list(steps)
        for at, step in enumerate(new):
            new[at] = replace(step, id=insert(db, strategy, step))
            ids.append(new[at])
        for step in new:
            name_parents(db, step, ids)
            write_log(db, strategy, "new step", step.number, None, as_log(step), by)
        return new


def of_line(error: QuerySyntaxError, number: int) -> QuerySyntaxError:
    """The same error, with the number of its line in front."""
    return error.with_changes(
        message("Line {number}: {reason}", number=number, reason=error.reason),
        advice=error.advice or message("Correct this line."),
    )


def copy_strategy(db: Database, strategy: Strategy, name: str, *, by: str = "") -> Strategy:
    """A copy with the same numbers. Imported files belong to the original and are not copied.
    Raises UsageError: the name cannot be used or is taken.
    """
    with db.transaction():
        steps = [step for step in of(db, strategy) if step.kind != "import"]
        return _copy(db, strategy, name, steps, {step.number: step.number for step in steps}, by)


def reorder(
    db: Database, strategy: Strategy, order: Sequence[int], name: str, *, by: str = ""
) -> Strategy:
    """A copy whose steps are numbered anew, in the order asked; what names them is rewritten. The
    `order` has the numbers of all steps but imported files. Raises UsageError: the order lacks
    steps or names others, or the name cannot be used.
    """
    with db.transaction():
        steps = {step.number: step for step in of(db, strategy) if step.kind != "import"}
        if sorted(order) != sorted(steps):
            raise UsageError(
                message("The order has to name each step once"),
                advice=message(
                    "The steps are {numbers}.",
                    numbers=", ".join(map(str, steps)) or message("none"),
                ),
            )
        numbers = {old: new for new, old in enumerate(order, 1)}
        chosen = [steps[old] for old in order]
        return _copy(db, strategy, name, chosen, numbers, by)


def _copy(
    db: Database,
    strategy: Strategy,
    name: str,
    steps: Sequence[Step],
    numbers: Mapping[int, int],
    by: str,
) -> Strategy:
    project = projects.by_id(db, strategy.project).as_user(by)
    left_out = [step.number for step in of(db, strategy) if step.kind == "import"]
    origin = {"strategy": strategy.name, "at": now()}
    own = ("imports_left_out", "numbers")
    details = {key: value for key, value in strategy.details.items() if key not in own}
    details["derived_from"] = origin
    if left_out:
        details["imports_left_out"] = left_out
    if any(old != new for old, new in numbers.items()):
        details["numbers"] = {str(old): new for old, new in numbers.items()}
    new = strategies.create(
        project,
        name,
        sources=strategy.sources,
        years=strategy.years,
        note=strategy.note,
        details=details,
    )
    made = [
        replace(
            step,
            strategy=new.id,
            number=numbers[step.number],
            text=renumber(step.text, step.syntax, numbers) if step.parents else step.text,
            parents=tuple(sorted(numbers[parent] for parent in step.parents)),
            edited=now(),
        )
        for step in steps
    ]
    insert_all(db, new, made)
    what = {"from": origin, "steps": orjson.loads(orjson.dumps([*map(as_log, made)]))}
    project.log("copy strategy", f"strategy:{new.id}", None, what)
    return new
