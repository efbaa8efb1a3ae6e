"""What a run asks: its steps, each as one query, and the sources that can be asked."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from metasearch.adapters.specs.specfile import is_path
from metasearch.engine.engine import Engine
from metasearch.engine.inquiry import Inquiry, SourceAnswer
from metasearch.engine.lookup import WantedWork
from metasearch.engine.options import SearchOptions
from metasearch.engine.resolve import sources_of
from metasearch.errors import SpecError, UsageError
from metasearch.message import message
from metasearch.query import Query, conjunction, to_text, years_of
from metasearch.record import Record
from metasearch.review.projects.projects import ProjectRow
from metasearch.review.runs.runs import Mode, Place
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies import steps as step_rows
from metasearch.review.strategies.resolve import ResolvedStep, resolve_all, resolve_step
from metasearch.review.strategies.strategies import Strategy

#: The group of the sources that are registers of trials and studies.
REGISTERS = "registries"
#: Records of each source and step, where a run names no number.
PER_SOURCE = 500
#: Seconds for one step at one source: thousands of records are dozens of pages, and some databases
#: permit one page in three seconds; the turn of a count may come only after those of other steps.
TIMEOUTS: Mapping[str, float] = {"records": 300.0, "counts": 60.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceQuestion:
    """One step as it is put to the sources.

    Attributes:
        step: The step, with those that it names put in.
        query: What is searched for, the years of the strategy included.
        text: That in metasearch's syntax.
    """

    step: ResolvedStep
    query: Query
    text: str
    digest: str

    @classmethod
    def of(cls, step: ResolvedStep, years: str) -> SourceQuestion:
        """The question that a step is, in a strategy with these years ("" for any)."""
        if not years:
            return cls(step=step, query=step.query, text=step.text, digest=step.digest)
        query = conjunction(step.query, years_of(years))
        text = to_text(query)
        digest = hashlib.sha256(text.encode()).hexdigest()
        return cls(step=step, query=query, text=text, digest=digest)


def questions(
    db: Database, strategy: Strategy, numbers: Sequence[int] | None, *, every: bool
) -> list[SourceQuestion]:
    """The questions of a run.

    `numbers`: of the steps; None takes all that can be searched for where `every` is set, else the
    last one of them that no other names. `every`: see `numbers`. Raises UsageError: there is no
    such step, or it cannot be searched for.
    """
    rows = step_rows.of(db, strategy)
    if numbers is not None:
        chosen = [resolve_step(rows, number) for number in dict.fromkeys(numbers)]
        narrow = next((step for step in chosen if not step.searchable), None)
        if narrow is not None:
            raise UsageError(
                message("Step {number} only narrows other steps", number=narrow.step.number),
                advice=message("Combine it with another one: #1 AND #{n}.", n=narrow.step.number),
            )
        if not chosen:
            raise UsageError(message("No step is named"))
        return [SourceQuestion.of(step, strategy.years) for step in chosen]
    known = resolve_all(rows)
    able = [step for step in known.values() if isinstance(step, ResolvedStep) and step.searchable]
    if not every:
        named = {parent for row in rows for parent in row.parents}
        last = next((row for row in rows[::-1] if row.number not in named and row.has_query), None)
        if last is not None:  # where it cannot be searched for, that is told
            return questions(db, strategy, [last.number], every=False)
    if not able:
        reason = next((error for error in known.values() if isinstance(error, UsageError)), None)
        if reason is not None:
            raise reason
        raise UsageError(
            message("The strategy {name} has no step to search for", name=repr(strategy.name)),
            advice=message("`metasearch strategy add` adds one."),
        )
    return [SourceQuestion.of(step, strategy.years) for step in able]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What is wanted of a run.

    Attributes:
        mode: Records, or numbers of hits alone.
        steps: Numbers; None takes the last step that no other names, of counts all that can be
            searched for.
        sources: Names of sources and groups; None takes those of the strategy, else the default
            ones.
        per_source: Records of each source and step, up to `MOST_RECORDS`; None takes `PER_SOURCE`.
        timeout: Seconds for one step at one source; None takes that of `TIMEOUTS`.
        cache: Whether pages may come from the cache.
        record: Folder to keep every page of records in, for `replay_run`.
        again: Of a citation search: whether it asks also for works of which it has the citations,
            for those that have appeared since.
        seeds: Of a citation search: the works that it begins with, in place of those of its step.
    """

    mode: Literal["records", "counts"] = "records"
    steps: Sequence[int] | None = None
    sources: Sequence[str] | None = None
    per_source: int | None = None
    timeout: float | None = None
    cache: bool = True
    record: Path | None = None
    again: bool = False
    seeds: Sequence[WantedWork] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSources:
    """The sources of a run. `sources`: name of each that can be asked, groups expanded -> that, or
    the path of its spec. `broken`: name -> what is wrong with its spec.
    """

    sources: Mapping[str, str]
    broken: Mapping[str, SpecError]
    labels: Mapping[str, str]
    places: Mapping[str, Place]


async def choose_sources(
    engine: Engine, strategy: Strategy, sources: Sequence[str] | None
) -> RunSources:
    """The sources of a run: those that are named here, else by the strategy, else the default ones.
    Raises UsageError: there is no such source, or none to ask.
    """
    named = list(sources if sources is not None else strategy.sources) or None
    await engine.ready([name for name in named or ["default"] if not is_path(name)])
    registry = engine.registry.with_files(named or ())
    given = {registry.name_of(name): name for name in named or ()}
    able: dict[str, str] = {}
    broken: dict[str, SpecError] = {}
    labels: dict[str, str] = {}
    places: dict[str, Place] = {}
    for name in sources_of(registry, list(given) or None):
        places[name] = "register" if REGISTERS in registry.groups_of(name) else "database"
        try:
            labels[name] = registry.spec(name).label
            able[name] = given.get(name, name)
        except SpecError as error:
            labels[name], broken[name] = name, error
    return RunSources(sources=able, broken=broken, labels=labels, places=places)


class RunInquiry(Protocol):
    """What asks the sources one question; an `Inquiry`, and a citation search."""

    async def records(self, source: str, most: int) -> SourceAnswer:
        """Its records: see `Inquiry.records`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What a run asks, checked before anything is sent.

    `asking`: digest of a question -> what asks the sources; empty where none can be asked.
    `options`: what was asked for, for the row of the run.
    """

    mode: Mode
    questions: Sequence[SourceQuestion]
    asked: RunSources
    asking: Mapping[str, RunInquiry]
    options: Mapping[str, Any]


async def plan_run(
    workspace: Workspace,
    engine: Engine,
    project: ProjectRow,
    strategy: Strategy,
    wanted: RunOptions,
) -> RunPlan:
    """Look up the steps and sources of a run; see `questions` and `choose_sources`.
    Raises UsageError: a step or source cannot be used.
    """
    asked = await choose_sources(engine, strategy, wanted.sources)
    chosen = await workspace.read(questions, strategy, wanted.steps, every=wanted.mode == "counts")
    timeout = wanted.timeout or TIMEOUTS[wanted.mode]

    def inquiries() -> dict[str, Inquiry]:
        made = {}
        for question in chosen if asked.sources else ():
            options = SearchOptions(
                query=question.query,
                sources=tuple(asked.sources.values()),
                timeout=timeout,
                cache=wanted.cache,
                user=project.uid,
                enrich="none",
            )
            made[question.digest] = engine.inquiry(options, record=wanted.record)
        return made

    return RunPlan(
        mode=wanted.mode,
        questions=chosen,
        asked=asked,
        asking=await asyncio.to_thread(inquiries),  # to print long queries takes milliseconds each
        options={
            "steps": [question.step.step.number for question in chosen],
            "sources": [*asked.sources, *asked.broken],
            "years": strategy.years,
            "timeout": timeout,
            "cache": wanted.cache,
        },
    )


# What holds of a run for whom it is made: asked before the sources are, and before each answer is
# stored. The command line has no such limits.


class RunLimits(Protocol):
    """What a user may take by a run; each method refuses by an error with advice."""

    async def begins(self, searches: int, sources: int) -> None:
        """Count a run: each of its steps is a search of so many sources. Raises QuotaExceeded: it
        may not be made; nothing is counted.
        """

    async def brings(self, records: Sequence[Record]) -> None:
        """Check that records may be stored. Raises QuotaExceeded: they would be too many."""
