"""A run of a strategy: the records of its steps are fetched from the sources and kept as works.

What a source has answered is kept from then on, whatever happens to the others.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import orjson

from metasearch.engine.asking import MOST_RECORDS
from metasearch.engine.asking import SourceAnswer as Said
from metasearch.engine.engine import Engine
from metasearch.engine.options import MAX_TIMEOUT, MIN_SECONDS, check
from metasearch.workspace.projects import Project
from metasearch.workspace.runs import runs
from metasearch.workspace.runs.carrying_out import CarryingOut
from metasearch.workspace.runs.limits import RunLimits
from metasearch.workspace.runs.prepared import Prepared, Question, prepared
from metasearch.workspace.runs.runs import Run, SourceAnswer
from metasearch.workspace.store.database import Database
from metasearch.workspace.strategies.strategies import Strategy
from metasearch.workspace.works.rules import rules
from metasearch.workspace.workspace import Workspace

#: Records of each source and step, where a run names no number.
PER_SOURCE = 500
#: Seconds for one step at one source: thousands of records are dozens of pages, and some databases
#: permit one page in three seconds.
TIMEOUT = 300.0


async def run_strategy(
    workspace: Workspace,
    engine: Engine,
    project: Project,
    strategy: Strategy,
    *,
    steps: Sequence[int] | None = None,
    sources: Sequence[str] | None = None,
    per_source: int | None = None,
    timeout: float | None = None,  # noqa: ASYNC109, of each source
    cache: bool = True,
    by: str = "",
    record: Path | None = None,
    begun: Callable[[Run], None] | None = None,
    progress: Callable[[SourceAnswer], None] | None = None,
    limits: RunLimits | None = None,
) -> Run:
    """Fetch the records of steps from sources, and add them to the works of the project.

    Args:
        steps: Numbers; None takes the last step that no other names.
        sources: Names of sources and groups; None takes those of the strategy, else the default
            ones.
        per_source: Records of each source and step, up to `MOST_RECORDS`; None takes `PER_SOURCE`.
        timeout: Seconds for one step at one source; None takes `TIMEOUT`.
        record: Folder to keep every page in, for `replay.replay_run`.
        begun: Is called with the run, before a source is asked.
        progress: Is called with the answer of each source to each step, as soon as it is kept.
        limits: What holds of it for whom it is made; None for nothing.

    Raises:
        UsageError: A step or source cannot be used, or a number is outside its limits; nothing was
            asked.
        QuotaExceeded: The limits refuse it; what was kept before is there.
        RunClash: Another run of the project is under way, or this one was stopped by somebody else.
    """
    check("per_source", per_source, 1, MOST_RECORDS)
    check("timeout", timeout, MIN_SECONDS, MAX_TIMEOUT)
    asking = await prepared(
        workspace,
        engine,
        project,
        strategy,
        steps=steps,
        every=False,
        sources=sources,
        timeout=timeout or TIMEOUT,
        cache=cache,
        record=record,
    )

    if limits is not None:
        await limits.begins(len(asking.questions), len(asking.asked.sources))
    folder = "" if record is None else os.path.abspath(record)  # noqa: ASYNC240, PTH100
    made_by = await workspace.read(_made_by, project)
    options = {**asking.options, "per_source": per_source or PER_SOURCE, **made_by}
    run = await workspace.write(
        runs.begin, project, strategy, "records", by=by, options=options, recorded=folder
    )
    if begun is not None:
        begun(run)
    return await carrier(workspace, project, run, asking, progress=progress, limits=limits).done()


def carrier(
    workspace: Workspace,
    project: Project,
    run: Run,
    asking: Prepared,
    *,
    there: Collection[tuple[int, str]] = (),
    progress: Callable[[SourceAnswer], None] | None = None,
    limits: RunLimits | None = None,
) -> CarryingOut:
    """What carries out a run that fetches records; see `CarryingOut`."""
    most = int(run.options["per_source"])

    async def ask(question: Question, source: str) -> Said:
        return await asking.asking[question.digest].records(source, most)

    return CarryingOut(
        workspace,
        project,
        run,
        asking,
        ask,
        again=True,
        there=there,
        progress=progress,
        limits=limits,
    )


def _made_by(db: Database, project: Project) -> dict[str, str]:
    """By which rules the works of the project are made, and the SHA-256 of its pins."""
    rows = db.all("SELECT verdict, a, b FROM pin WHERE project = ? ORDER BY id", project.id)
    pins = orjson.dumps([tuple(row) for row in rows])
    return {
        "works": rules(db, project.id).name,
        "pins": hashlib.sha256(pins).hexdigest() if rows else "",
    }
