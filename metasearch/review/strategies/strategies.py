"""Search strategies of a project: a name, the sources and years that it is for, and its steps."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import orjson

from metasearch.errors import UsageError
from metasearch.message import Message, message
from metasearch.query import parse_years
from metasearch.query.values import BadYears
from metasearch.review.projects import log
from metasearch.review.projects.projects import LONGEST_NAME, Project, check_name
from metasearch.review.store.database import Database
from metasearch.review.store.table import EditedTable, merge_entries
from metasearch.review.store.values import now, storable

#: Bounds: strategies of a project, characters, names of sources.
MOST_STRATEGIES, LONGEST_NOTE, LONGEST_DETAILS, MOST_SOURCES = 200, 10_000, 200_000, 200
LONGEST_SOURCE = 100


#: The name of the strategy that a first step makes.
FIRST = "main"


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """A search strategy.

    Attributes:
        id: Of its row.
        project: Id of its project.
        number: Within the project, from 1; never used again. The log names it so.
        name: Unique in the project.
        note: For people.
        sources: Names of sources and groups as typed; none means the default set.
        years: As typed: "2015-2020", or "".
        details: `derived_from` (of a copy: {"strategy", "at"}), `numbers` (of a reordered
            copy: old -> new), filters, limits, peer review.
        created: When it was made.
        version: Larger after each change of it; steps have their own.
    """

    id: int
    project: int
    number: int
    name: str
    note: str
    sources: tuple[str, ...]
    years: str
    details: Mapping[str, Any]
    created: str
    version: int

    @property
    def heading(self) -> Message:
        """What people read above it. The name that nobody has chosen is no word of theirs."""
        if self.name == FIRST:
            return message("Main strategy")
        return message("Strategy {name}", name=self.name)


STRATEGIES = EditedTable(
    "strategy", Strategy, ("name", "sources", "years", "note", "details"), open="details"
)


def create(
    project: Project,
    name: str,
    *,
    sources: Sequence[str] = (),
    years: str = "",
    note: str = "",
    details: Mapping[str, Any] | None = None,
) -> Strategy:
    """Make a strategy without steps. Raises UsageError: another one has the name, or a value cannot
    be used.
    """
    check_name(name)
    named = check_sources(sources)
    check_years(years)
    note, written = check_note(note), check_details(details or {})
    with project.db.transaction():
        count = project.db.value("SELECT count(*) FROM strategy WHERE project = ?", project.id)
        if count >= MOST_STRATEGIES:
            raise UsageError(
                message("A project holds at most {most} search strategies", most=MOST_STRATEGIES),
                advice=message("Make another project, or use one of these."),
            )
        _check_free(project.db, project.id, name)
        number = project.db.insert(
            "strategy",
            project=project.id,
            name=name,
            note=note,
            sources=named,
            years=years,
            details=written,
            created=now(),
        )
        strategy = by_id(project.db, project.id, number)
        project.log(
            "new strategy",
            f"strategy:{number}",
            None,
            {"name": name, "sources": list(named), "years": years, "note": note},
        )
    return strategy


def find(project: Project, name: str | None) -> Strategy:
    """The strategy of a name; for None the only or newest one. Raises UsageError: there is none."""
    strategies = of(project)
    if not strategies:
        raise UsageError(
            message("The project {name} has no search strategy", name=repr(project.name)),
            advice=message("`metasearch strategy add` makes its first step."),
        )
    if name is None:
        return strategies[-1]
    for strategy in strategies:
        if strategy.name == name:
            return strategy
    names = [strategy.name for strategy in strategies]
    near = difflib.get_close_matches(name[:LONGEST_NAME], names, n=3) or names[-3:]
    raise UsageError(
        message("There is no search strategy {name}", name=repr(name[:LONGEST_NAME])),
        advice=message("Did you mean {names}?", names=", ".join(near)),
    )


def of(project: Project) -> list[Strategy]:
    """All strategies of a project, the oldest first."""
    return STRATEGIES.all(project.db, "project = ? ORDER BY id", project.id)


def by_id(db: Database, project: int, row: int) -> Strategy:
    """The strategy of a row, if that is one of the project. Raises UsageError: it is not."""
    return _there(STRATEGIES.one(db, "id = ? AND project = ?", row, project), row)


def by_number(project: Project, number: int) -> Strategy:
    """The strategy that has a number in the project. Raises UsageError: there is none."""
    return _there(
        STRATEGIES.one(project.db, "project = ? AND number = ?", project.id, number), number
    )


def _there(strategy: Strategy | None, number: int) -> Strategy:
    if strategy is None:
        raise UsageError(
            message("There is no search strategy {name}", name=number),
            advice=message("It was removed with its project."),
        )
    return strategy


def update(
    db: Database,
    strategy: Strategy,
    *,
    name: str | None = None,
    sources: Sequence[str] | None = None,
    years: str | None = None,
    note: str | None = None,
    details: Mapping[str, Any] | None = None,
    version: int | None = None,
    by: str = "",
) -> Strategy:
    """Change what is given; of `details` the keys that are given, None removes one. `version` is
    that of the strategy that the change was made with. Raises Conflict: it was changed since that
    version; UsageError: a value cannot be used, or another strategy has the name.
    """
    with db.transaction():
        old = by_id(db, strategy.project, strategy.id)
        new = replace(
            old,
            name=old.name if name is None else name,
            sources=old.sources if sources is None else check_sources(sources),
            years=old.years if years is None else years,
            note=old.note if note is None else check_note(note),
            details=merge_entries(old.details, details),
        )
        if new.name != old.name:
            check_name(new.name)
            _check_free(db, old.project, new.name)
        check_years(new.years)
        check_details(new.details)
        text = message("The strategy was changed since you opened it")
        before, after = STRATEGIES.changes(old, new, version, text)
        if not after:
            return old
        log.write(db, old.project, "edit strategy", f"strategy:{old.id}", before, after, by=by)
        return STRATEGIES.save(db, old, new)


def check_sources(sources: Sequence[str]) -> tuple[str, ...]:
    """Names of sources, each once; whether there are such sources is known when they are asked.
    Raises UsageError: they cannot be names.
    """
    names = tuple(dict.fromkeys(stripped for name in sources if (stripped := name.strip())))
    if len(names) > MOST_SOURCES:
        raise UsageError(
            message("A search strategy names at most {most} sources", most=MOST_SOURCES),
            advice=message("Name a group of sources instead."),
        )
    for name in names:
        if len(name) > LONGEST_SOURCE or not name.isprintable():
            raise UsageError(
                message("{name} cannot be the name of a source", name=repr(name[:40])),
                advice=message("`metasearch sources list` names all."),
            )
    return names


def check_years(years: str) -> None:
    """Check that a text names years, or nothing. Raises UsageError: it does not."""
    if not years:
        return
    try:
        parse_years(years)
    except BadYears as bad:
        raise UsageError(
            bad.reason, advice=message("Write years as 2020, 2015-2020, 2015- or -2020.")
        ) from None


def check_note(note: str) -> str:
    """A note as it is kept. Raises UsageError: it is too long."""
    if len(note) > LONGEST_NOTE:
        raise UsageError(
            message("A note has at most {most} characters", most=f"{LONGEST_NOTE:,}"),
            advice=message("Shorten it."),
        )
    return storable(note)


def check_details(details: Mapping[str, Any]) -> str:
    """Details as JSON. Raises UsageError: they are too large, or hold what JSON cannot."""
    try:
        written = orjson.dumps(dict(details)).decode()
    except (orjson.JSONEncodeError, UnicodeError, RecursionError) as exc:
        raise UsageError(
            message("The details cannot be kept: {reason}", reason=str(exc)),
            advice=message("Only texts, numbers, lists and objects can be kept."),
        ) from None
    if len(written) > LONGEST_DETAILS:
        raise UsageError(
            message("The details have more than {most} characters", most=f"{LONGEST_DETAILS:,}"),
            advice=message("Shorten them."),
        )
    return written


def _check_free(db: Database, project: int, name: str) -> None:
    if db.one("SELECT 1 FROM strategy WHERE project = ? AND name = ?", project, name) is not None:
        raise UsageError(
            message("There is a search strategy {name} already", name=repr(name)),
            advice=message("Choose another name."),
        )


#: A query of its own (which may name others), a mere combination of others, an imported file, or a
#: search along citations.
StepKind = Literal["query", "combine", "import", "citations"]
STEP_KINDS: tuple[StepKind, ...] = get_args(StepKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step.

    Attributes:
        id: Of its row.
        strategy: Id of its strategy.
        number: By which others name it; it never changes and is never used again.
        kind: One of `STEP_KINDS`.
        text: As typed; of an import what was searched for by hand; of citations what they are of.
        syntax: One of `metasearch.query.CHOICES`.
        note: For people.
        details: Of an import where, when and by whom; of citations see `runs/citations.py`; `hits`
            where a copied line said them, until the query is another one.
        parents: Numbers of the steps that it names.
        edited: When its text was last changed.
        version: Larger after each change of it.
    """

    id: int
    strategy: int
    number: int
    kind: StepKind
    text: str
    syntax: str = "auto"
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    parents: tuple[int, ...] = ()
    edited: str = ""
    version: int = 1

    @property
    def has_query(self) -> bool:
        """Whether it is searched for by a query, so that others may name it."""
        return self.kind in ("query", "combine")
