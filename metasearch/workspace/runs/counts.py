"""Counts: how many hits each source has for each step, by one request each, and no records."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from metasearch.engine.asking import SourceAnswer as Said
from metasearch.engine.engine import Engine
from metasearch.engine.options import MAX_TIMEOUT, MIN_SECONDS, check
from metasearch.workspace.projects import Project
from metasearch.workspace.runs import runs
from metasearch.workspace.runs.carrying_out import CarryingOut
from metasearch.workspace.runs.limits import RunLimits
from metasearch.workspace.runs.prepared import Prepared, Question, prepared
from metasearch.workspace.runs.runs import Run, SourceAnswer
from metasearch.workspace.strategies.strategies import Strategy
from metasearch.workspace.workspace import Workspace

#: Seconds for one step at one source: its turn may come only after those of other steps.
TIMEOUT = 60.0
#: Steps that one source is asked about at once; its own limits hold beside this.
STEPS_AT_ONCE = 2


async def count_strategy(
    workspace: Workspace,
    engine: Engine,
    project: Project,
    strategy: Strategy,
    *,
    steps: Sequence[int] | None = None,
    sources: Sequence[str] | None = None,
    timeout: float | None = None,  # noqa: ASYNC109, of each source
    cache: bool = True,
    by: str = "",
    begun: Callable[[Run], None] | None = None,
    progress: Callable[[SourceAnswer], None] | None = None,
    limits: RunLimits | None = None,
) -> Run:
    """Ask sources how many hits they have for steps: at most one request a step and source, which
    is not sent again where it fails. What the page cache has is not asked for.

    Args:
        steps: Numbers; None takes all that can be searched for.
        sources: Names of sources and groups; None takes those of the strategy, else the default
            ones.
        timeout: Seconds for one step at one source; None takes `TIMEOUT`.
        begun: Is called with the run, before a source is asked.
        progress: Is called with the answer of each source to each step, as soon as it is kept.
        limits: What holds of it for whom it is made; None for nothing.

    Raises:
        UsageError: A step or source cannot be used, or a number is outside its limits; nothing was
            asked.
        QuotaExceeded: The limits refuse it; what was kept before is there.
        RunClash: Another run of the project is under way, or this one was stopped by somebody else.
    """
    check("timeout", timeout, MIN_SECONDS, MAX_TIMEOUT)
    asking = await prepared(
        workspace,
        engine,
        project,
        strategy,
        steps=steps,
        every=True,
        sources=sources,
        timeout=timeout or TIMEOUT,
        cache=cache,
    )

    if limits is not None:
        await limits.begins(len(asking.questions), len(asking.asked.sources))
    run = await workspace.write(
        runs.begin, project, strategy, "counts", by=by, options=asking.options
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
    """What carries out a run of counts; see `CarryingOut`."""

    async def ask(question: Question, source: str) -> Said:
        return await asking.asking[question.digest].count(source)

    return CarryingOut(
        workspace,
        project,
        run,
        asking,
        ask,
        at_once=STEPS_AT_ONCE,
        there=there,
        progress=progress,
        limits=limits,
    )
