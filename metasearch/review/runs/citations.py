"""A search along citations as a step of a strategy: its seeds, and what each index brings.

A run of such a step asks the indexes for the works that the seeds cite, and for those that cite
them (`engine/citations.py`). What each of them names is an answer like that of a database, so that
works, screening, reports and undo know nothing of its own kind. Beside each record stands which
seeds lead to it: `finding.links`.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import orjson

from metasearch.adapters.spec import DIRECTIONS, Direction
from metasearch.engine.citation_result import CitationResult, RelatedWork
from metasearch.engine.citations import (
    GROUP,
    MOST_ROUNDS,
    MOST_SEEDS,
    CitationOptions,
    CitationSearch,
)
from metasearch.engine.engine import Engine
from metasearch.engine.inquiry import SourceAnswer
from metasearch.engine.lookup import WantedWork
from metasearch.engine.relations import RelationReport
from metasearch.errors import UsageError
from metasearch.events import SourceReport, Status
from metasearch.message import N_, message
from metasearch.query import Term
from metasearch.record import Record
from metasearch.review.projects.projects import Project, ProjectRow
from metasearch.review.runs import runs
from metasearch.review.runs.plan import (
    RunOptions,
    RunPlan,
    RunSources,
    SourceQuestion,
)
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies import steps as step_rows
from metasearch.review.strategies.resolve import ResolvedStep
from metasearch.review.strategies.strategies import Step, Strategy, check_sources
from metasearch.review.works import works
from metasearch.review.works.records import AT_ONCE, batches, in_marks, with_key

#: Seconds for one answer of an index.
TIMEOUT = 60.0
#: Works that a step may name, and that a note names.
MOST_NAMED, SHOWN = 1_000, 20
#: The works of a project that are included, as reports count them.
_INCLUDED = (
    "SELECT work.id FROM work JOIN decision AS text ON text.work = work.id AND text.by = ''"
    " AND text.stage = 'fulltext' AND text.verdict IN ('relevant', 'close')"
    " LEFT JOIN decision AS title ON title.work = work.id AND title.by = ''"
    " AND title.stage = 'title'"
    " WHERE work.project = ? AND title.verdict IS NOT 'excluded' ORDER BY work.id"
)


# ---------------------------------------------------------------- the step


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationStep:
    """What a step of kind "citations" asks for; its `details`.

    Attributes:
        seeds: Names of works of the project; () takes those that are included when it is run.
        indexes: Names of sources and groups; () takes the group "citations".
    """

    seeds: tuple[str, ...] = ()
    directions: tuple[Direction, ...] = DIRECTIONS
    rounds: int = 1
    indexes: tuple[str, ...] = ()

    @classmethod
    def of(cls, details: Mapping[str, Any]) -> CitationStep:
        """That of the details of a step, or of an archive. Raises UsageError: they are none."""
        seeds = details.get("seeds") or ()
        indexes = details.get("indexes") or ()
        directions = details.get("directions") or DIRECTIONS
        rounds = details.get("rounds", 1)
        lists: tuple[object, ...] = (seeds, indexes, directions)
        if not all(
            isinstance(some, (list, tuple)) and all(isinstance(one, str) for one in some)
            for some in lists
        ):
            raise UsageError(message("The details of the citation search cannot be read"))
        if len(seeds) > MOST_NAMED:
            raise UsageError(
                message("A citation search names at most {most} works", most=f"{MOST_NAMED:,}"),
                advice=message("Name none, and it follows all included works."),
            )
        if not set(directions) <= set(DIRECTIONS):
            raise UsageError(
                message("There is no such direction of citations"),
                advice=message("There are {names}.", names=", ".join(DIRECTIONS)),
            )
        if type(rounds) is not int or not 1 <= rounds <= MOST_ROUNDS:
            raise UsageError(message("rounds must be from 1 to {most}", most=MOST_ROUNDS))
        named = (one.strip()[: works.LONGEST] for one in seeds)
        return cls(
            seeds=tuple(dict.fromkeys(one for one in named if one)),
            directions=tuple(way for way in DIRECTIONS if way in directions),
            rounds=rounds,
            indexes=check_sources(indexes),
        )

    @property
    def text(self) -> str:
        """What the step is, as tables and reports print it."""
        seeds = ", ".join(self.seeds[:3]) or "included"
        more = f", +{len(self.seeds) - 3:,}" if len(self.seeds) > 3 else ""
        parts = [f"{seeds}{more}", ", ".join(self.directions)]
        parts += [f"rounds {self.rounds}"] if self.rounds > 1 else []
        parts += [f"in {', '.join(self.indexes)}"] if self.indexes else []
        return f"citations({'; '.join(parts)})"

    @property
    def details(self) -> dict[str, Any]:
        return {
            "seeds": list(self.seeds),
            "directions": list(self.directions),
            "rounds": self.rounds,
            "indexes": list(self.indexes),
        }


def add_step(project: Project, strategy: Strategy, wanted: CitationStep, *, note: str = "") -> Step:
    """The step of a strategy that asks for this; a new one where there is none. Raises UsageError:
    a seed is no work of the project, or the strategy has too many steps.
    """
    wanted = CitationStep.of(wanted.details)
    works.rows_of(project, wanted.seeds)
    with project.db.transaction():
        for step in step_rows.of(project.db, strategy):
            if step.kind == "citations" and CitationStep.of(step.details) == wanted:
                return step
        return step_rows.add_without_query(
            project.db,
            strategy,
            "citations",
            wanted.text,
            note=note,
            details=wanted.details,
            by=project.by,
        )


def step_to_run(project: Project, strategy: Strategy, wanted: CitationStep) -> Step:
    """As `add_step`, of a step that is run at once: where there is nothing to begin with, the
    strategy stays as it is. Raises UsageError: as `add_step`; or there is no seed.
    """
    _rows(project, CitationStep.of(wanted.details))
    return add_step(project, strategy, wanted)


def wanted_step(db: Database, strategy: Strategy, numbers: Sequence[int] | None) -> Step | None:
    """The citation search that a run is to make; None for a run of queries. A strategy that has
    nothing else runs the last one. Raises UsageError: citation searches are named together with
    other steps, or several of them.
    """
    steps = step_rows.of(db, strategy)
    searches = {step.number: step for step in steps if step.kind == "citations"}
    if numbers is None:
        alone = not any(step.has_query for step in steps)
        return next(reversed(searches.values()), None) if alone else None
    chosen = [searches[number] for number in dict.fromkeys(numbers) if number in searches]
    if chosen and len(dict.fromkeys(numbers)) > 1:
        raise UsageError(
            message("Step {number} follows citations: it is run by itself", number=chosen[0].number)
        )
    return chosen[0] if chosen else None


# ---------------------------------------------------------------- seeds


def seeds_of(project: Project, strategy: Strategy, step: Step, *, again: bool) -> list[WantedWork]:
    """The works that a run of a step begins with, named after their oldest records.

    `again`: whether also those of which an earlier run of the step has had the citations. An index
    that failed then is asked for them only so; reports name it. Raises UsageError: there are none.
    """
    rows = _rows(project, CitationStep.of(step.details))
    if not again:
        asked = _asked(project, strategy, step)
        rows = [row for row in rows if row not in asked]
        if not rows:
            raise UsageError(
                message("The citations of all these works were asked for already"),
                advice=message(
                    "Include more works; or ask again for what has appeared since (--again)."
                ),
            )
    if len(rows) > MOST_SEEDS:
        raise UsageError(
            message("there are more than {most} works", most=f"{MOST_SEEDS:,}"),
            advice=message("Search from some of them."),
        )
    return _wanted(project.db, rows)


def _rows(project: Project, wanted: CitationStep) -> list[int]:
    """The works that a step names, or that are included. Raises UsageError: there are none."""
    if wanted.seeds:
        return works.rows_of(project, wanted.seeds)
    rows = [row["id"] for row in project.db.all(_INCLUDED, project.id)]
    if not rows:
        raise UsageError(
            message("No work is included yet"),
            advice=message("Decide on full texts first, or name the works."),
        )
    return rows


def included_seeds(project: Project) -> list[WantedWork]:
    """The works of a project that are included, the oldest first."""
    rows = [row["id"] for row in project.db.all(_INCLUDED, project.id)]
    return _wanted(project.db, rows[:MOST_SEEDS])


def named_seeds(project: Project, names: Iterable[str]) -> list[WantedWork]:
    """The seeds of an earlier run, by the names that it has noted; works that are gone are not
    among them.
    """
    found = works.works_by_name(project.db, project.id, names)
    made = _wanted(project.db, list(dict.fromkeys(some[0].id for some in found.values())))
    key_of = {some[0].id: name for name, some in reversed(found.items())}
    ids = dict.fromkeys(some[0].id for some in found.values())
    return [replace(one, key=key_of[row]) for row, one in zip(ids, made, strict=True)]


def _asked(project: Project, strategy: Strategy, step: Step) -> set[int]:
    names: set[str] = set()
    for run in runs.of(project):
        if run.mode != "citations" or run.strategy != strategy.id or run.status != "done":
            continue
        if any(one.step == step.number and one.answered for one in runs.answers(project.db, run)):
            names.update(run.options.get("seeds") or ())
    found = works.works_by_name(project.db, project.id, names)
    return {some[0].id for some in found.values()}


def _wanted(db: Database, rows: Sequence[int]) -> list[WantedWork]:
    keys: dict[int, str] = {}
    for some in batches(rows, AT_ONCE):
        for row in db.all(
            "SELECT work, key, min(record.id) FROM work_record JOIN record"  # noqa: S608, marks
            f" ON record.id = work_record.record WHERE work IN ({in_marks(some)}) GROUP BY work",
            *some,
        ):
            keys[row["work"]] = row["key"]
    # The record of a source stands for itself; this one is merged of several.
    return [
        WantedWork(keys[work.id], replace(work.hit.record, source="", source_id=""))
        for work in works.read(db, rows)
    ]


# ---------------------------------------------------------------- a run


async def plan_citations(
    workspace: Workspace,
    engine: Engine,
    project: ProjectRow,
    strategy: Strategy,
    step: Step,
    wanted: RunOptions,
) -> RunPlan:
    """What a run of a citation search asks. Raises UsageError: there is no seed, or no index."""
    asked = CitationStep.of(step.details)
    seeds = wanted.seeds
    if seeds is None:
        seeds = await workspace.read(project.bind(seeds_of), strategy, step, again=wanted.again)
    sources = list(wanted.sources or asked.indexes) or None
    await engine.ready(sources or [GROUP])
    timeout = wanted.timeout or TIMEOUT
    options = CitationOptions(
        sources=sources,
        directions=asked.directions,
        rounds=asked.rounds,
        timeout=timeout,
        cache=wanted.cache,
        user=project.uid,
    )
    search = await asyncio.to_thread(engine.cite, seeds, options, record=wanted.record)
    text = step.text
    digest = hashlib.sha256(orjson.dumps(asked.details)).hexdigest()
    query = Term("citations")
    resolved = ResolvedStep(step, query, text, digest, (), "", searchable=True)
    labels = {name: engine.registry.spec(name).label for name in search.sources}
    return RunPlan(
        mode="citations",
        questions=[SourceQuestion(step=resolved, query=query, text=text, digest=digest)],
        asked=RunSources(
            sources={name: name for name in search.sources},
            broken={},
            labels=labels,
            places=dict.fromkeys(search.sources, "other"),
        ),
        asking={digest: CitationInquiry(search, seeds, labels)},
        options={
            "steps": [step.number],
            "sources": search.sources,
            "seeds": [seed.key for seed in seeds],
            "again": wanted.again,
            "timeout": timeout,
            "cache": wanted.cache,
            "directions": list(asked.directions),
            "rounds": asked.rounds,
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationAnswer(SourceAnswer):
    """What an index named. `links`: key of a record -> what `finding.links` says of it."""

    links: Mapping[str, str] = field(default_factory=dict)


class CitationInquiry:
    """A citation search, for a run that asks source by source: all are answered at once."""

    def __init__(
        self, search: CitationSearch, seeds: Sequence[WantedWork], labels: Mapping[str, str]
    ) -> None:
        self._search = search
        self._seeds = seeds
        self._labels = labels
        self._searching: asyncio.Task[dict[str, CitationAnswer]] | None = None

    async def records(self, source: str, most: int) -> CitationAnswer:
        """What a source named, when all have answered."""
        if self._searching is None:
            self._searching = asyncio.create_task(self._search_all(), name="citations")
        return (await self._searching)[source]

    async def _search_all(self) -> dict[str, CitationAnswer]:
        async for _ in self._search:
            pass
        return await asyncio.to_thread(self._answers)

    def _answers(self) -> dict[str, CitationAnswer]:
        result = self._search.result()
        # A work that a later round began with is named as the first ones are: by a record.
        key_of = {
            work.hit.id: _records(work, work.sources[0])[0].key
            for work in result.works
            if any(report.round > 1 for report in result.reports)
        }
        return {name: self._answer(name, result, key_of) for name in self._search.sources}

    def _answer(
        self, source: str, result: CitationResult, key_of: Mapping[str, str]
    ) -> CitationAnswer:
        reports = [report for report in result.reports if report.source == source]
        records: list[Record] = []
        links: dict[str, str] = {}
        kept = works_kept = 0
        for work in result.works:
            ours = sorted(
                {
                    (one.direction, key_of.get(one.seed, one.seed))
                    for one in work.links
                    if one.source == source
                }
            )
            if not ours:
                continue
            kept += len(ours)
            works_kept += 1
            for record in _records(work, source):
                records.append(replace(record, references=(), position=len(records) + 1))
                links[record.key] = orjson.dumps(ours).decode()
        named = _Named(
            kept=kept,
            works=works_kept,
            among=sum(one.source == source for one in result.among),
            unknown=[one.name for one in result.unknown if _is_of(one.links, source)],
            texts=[one.name for one in result.texts if _is_of(one.links, source)],
            lost=sum(
                len({one for one in some.links if one.source == source})
                for some in (*result.unknown, *result.texts)
            ),
        )
        error = next((report.error for report in reports if report.error), None)
        status: Status = error.outcome if error else "ok" if records else "empty"  # type: ignore[assignment]
        moments = [sent.fetched_at for report in reports for sent in report.sent if sent.fetched_at]
        sent = tuple(request for report in reports for request in report.sent)
        return CitationAnswer(
            source=source,
            label=self._labels[source],
            report=SourceReport(
                source,
                status,
                len(records),
                total=None if error and not named.total else named.total,
                notes=(*self._notes(reports, named), *_limits(result)),
                error=error,
                cached=bool(sent) and all(request.cached for request in sent),
                unread=len(named.unknown) + len(named.texts),
            ),
            records=tuple(records),
            requests=sent,
            asked_at=min(moments, default=None),
            spec=next((report.spec for report in reports if report.spec), ""),
            links=links,
        )

    def _notes(self, reports: Iterable[RelationReport], named: _Named) -> Iterable[str]:
        for report in reports:
            yield _note_of(report, len(self._seeds))
            if report.failed:
                yield message(
                    "no whole answer for {count} works: {names}",
                    count=f"{len(report.failed):,}",
                    names=_first_names(report.failed),
                )
            if report.unplaced:
                yield message(
                    "{count} works left out, of which it was not said which work they cite",
                    count=f"{report.unplaced:,}",
                )
            if report.cut:
                yield message(
                    "more citations than are read, of {count} works: {names}",
                    count=f"{len(report.cut):,}",
                    names=_first_names(report.cut),
                )
        yield message(
            "{total} citations named: {kept} lead to {works} works, {among} from one of the works "
            "asked for to another, {lost} to works without a record",
            total=f"{named.total:,}",
            kept=f"{named.kept:,}",
            works=f"{named.works:,}",
            among=f"{named.among:,}",
            lost=f"{named.lost:,}",
        )
        if named.unknown:
            yield message(
                "{count} works that no source has a record of: {names}",
                count=f"{len(named.unknown):,}",
                names=_first_names(named.unknown),
            )
        if named.texts:
            yield message(
                "{count} references that are text alone: {names}",
                count=f"{len(named.texts):,}",
                names=_first_names(named.texts),
            )


def _limits(result: CitationResult) -> Iterable[str]:
    """What of the whole search is lacking."""
    if result.lookup_errors:
        yield message(
            "some were not looked up, because these sources failed: {names}",
            names=_first_names(list(result.lookup_errors)),
        )
    if result.unlisted:
        yield message(
            "{count} more works and references without a record are not counted",
            count=f"{result.unlisted:,}",
        )
    if result.counts.unfollowed:
        yield message(
            "{count} works were found that a further round did not follow, because they are too "
            "many",
            count=f"{result.counts.unfollowed:,}",
        )


class _Named(NamedTuple):
    """What an index named: citations, by what they lead to, and names without a record."""

    kept: int
    works: int
    among: int
    unknown: list[str]
    texts: list[str]
    lost: int

    @property
    def total(self) -> int:
        return self.kept + self.among + self.lost


def _note_of(report: RelationReport, seeds: int) -> str:
    asked = f"{report.seeds:,}"
    if report.round == 1:
        template = (
            N_("backward: asked for {asked} of {seeds} works")
            if report.direction == "references"
            else N_("forward: asked for {asked} of {seeds} works")
        )
        return message(template, asked=asked, seeds=f"{seeds:,}")
    template = (
        N_("backward, round {round}: asked for {asked} works")
        if report.direction == "references"
        else N_("forward, round {round}: asked for {asked} works")
    )
    return message(template, round=report.round, asked=asked)


def _first_names(names: Sequence[str]) -> str:
    more = [f"+{len(names) - SHOWN:,}"] if len(names) > SHOWN else []
    return ", ".join([*(name[:200] for name in names[:SHOWN]), *more])


def _records(work: RelatedWork, source: str) -> list[Record]:
    """The records of a work that a source has. An index that names works by identifiers alone has
    none: another one has.
    """
    own = [record for record in work.hit.records if record.source == source]
    return [with_key(one) for one in own or work.hit.records[:1]]


def _is_of(links: Iterable[Any], source: str) -> bool:
    return any(link.source == source for link in links)
