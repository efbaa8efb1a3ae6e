"""Copies of a search strategy: as it is, or with its steps in another order and new numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import orjson

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.workspace import log, projects
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import now
from metasearch.workspace.strategies import step_rows as stored
from metasearch.workspace.strategies import strategies
from metasearch.workspace.strategies.renumbering import renumbered
from metasearch.workspace.strategies.step import Step
from metasearch.workspace.strategies.strategies import Strategy


def copied(db: Database, strategy: Strategy, name: str, *, by: str = "") -> Strategy:
    """A copy with the same numbers. Imported files belong to the original and are not copied.
    Raises UsageError: the name cannot be used or is taken.
    """
    with db.transaction():
        steps = [step for step in stored.of(db, strategy) if step.kind != "import"]
        return _copy(db, strategy, name, steps, {step.number: step.number for step in steps}, by)


def reorder(
    db: Database, strategy: Strategy, order: Sequence[int], name: str, *, by: str = ""
) -> Strategy:
    """A copy whose steps are numbered anew, in the order asked; what names them is rewritten. The
    `order` has the numbers of all steps but imported files. Raises UsageError: the order lacks
    steps or names others, or the name cannot be used.
    """
    with db.transaction():
        steps = {step.number: step for step in stored.of(db, strategy) if step.kind != "import"}
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
    uid = db.value("SELECT uid FROM project WHERE id = ?", strategy.project)
    project = projects.find(db, uid)
    left_out = [step.number for step in stored.of(db, strategy) if step.kind == "import"]
    origin = {"strategy": strategy.name, "at": now()}
    own = ("imports_left_out", "numbers")
    details = {key: value for key, value in strategy.details.items() if key not in own}
    details["derived_from"] = origin
    if left_out:
        details["imports_left_out"] = left_out
    if any(old != new for old, new in numbers.items()):
        details["numbers"] = {str(old): new for old, new in numbers.items()}
    new = strategies.create(
        db,
        project,
        name,
        sources=strategy.sources,
        years=strategy.years,
        note=strategy.note,
        details=details,
        by=by,
    )
    made = [
        replace(
            step,
            strategy=new.id,
            number=numbers[step.number],
            text=renumbered(step.text, step.syntax, numbers) if step.parents else step.text,
            parents=tuple(sorted(numbers[parent] for parent in step.parents)),
            edited=now(),
        )
        for step in steps
    ]
    stored.insert_all(db, new, made)
    log.write(
        db,
        project.id,
        "copy strategy",
        f"strategy:{new.id}",
        None,
        {
            "from": origin,
            "steps": orjson.loads(orjson.dumps([stored.as_logged(it) for it in made])),
        },
        by=by,
    )
    return new
