"""The numbers of reports: the one place where they are computed from the store.

The words are those of PRISMA 2020. A record is what one source gave under one identifier: several
steps and runs that return it count it once. What a report covers are the runs that bring records
(searches and imported files); of an update, those after the last run of an earlier report.

    identified - found earlier - duplicates = works
    works = screened + not screened yet
    screened = excluded + sought
    sought = not retrieved + not assessed yet + assessed
    assessed = excluded with a reason + included

What runs along citations have found first stands in a column of its own, with the same sums; a work
belongs to the column of the run that found it first. Each number is counted by itself, and not as a
difference of others; tests hold the sums together.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from metasearch.review.projects.projects import Project
from metasearch.review.runs import other_sources
from metasearch.review.runs.other_sources import OtherSource

#: Of the runs of the first column, and of those along citations.
_SEARCHES, _CITATIONS = "run.mode IN ('records', 'import')", "run.mode = 'citations'"
#: The tag that says of which study a work reports: "study:Helsinki cohort".
STUDY = "study:"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceNumbers:
    """What one source gave.

    Attributes:
        source: Its name; `label` that for people.
        place: "database", "register" or "other".
        by_hand: Whether all of it came in files that a person brought.
        failed: Whether it never answered, so that `records` is no number of hits.
        known: Records whose work an earlier report has covered already.
    """

    source: str
    label: str
    place: str
    by_hand: bool
    failed: bool
    records: int
    known: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationNumbers(OtherSource):
    """What runs along citations gave, in the column of other ways of searching.

    Attributes:
        sources: The indexes.
        works: Works that these runs have found first.
        known: Records whose work an earlier report has covered.
        screened, not_screened, left_out, not_assessed: As `ReportNumbers` has them; `left_out` is
            its `excluded`, which is another thing here.
    """

    sources: tuple[SourceNumbers, ...]
    works: int
    known: int
    screened: int
    not_screened: int
    left_out: int
    not_assessed: int
    contradictory: int

    @property
    def duplicates(self) -> int:
        """Records of works that were in the project before, or that have another record."""
        return (self.identified or 0) - self.known - self.works

    @property
    def assessed(self) -> int:
        return (self.sought or 0) - (self.not_retrieved or 0) - self.not_assessed

    @property
    def included(self) -> int:
        return self.assessed - sum(self.excluded.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Previous:
    """The report that is continued.

    Attributes:
        number: Of the report; `frozen` when it was finished.
        run: Id of the last run that it covers.
        works: Works of the project among the reports that it included.
        other_sources: Ids of the other ways of searching that it covers.
    """

    number: str
    frozen: str
    run: int
    studies: int
    reports: int
    works: int
    other_sources: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportNumbers:
    """All numbers of a project, or of an update of it.

    Attributes:
        sources: Where records come from: databases, registers, other files; by their labels.
        first_run, last_run: Numbers of the runs that are covered; None where there are none.
        last_run_id: Id of the newest run of the project; None where there is none.
        works: Works that the searches and imported files among these runs have brought.
        excluded: Left out by title and abstract.
        sought: Reports whose full text was wanted.
        not_retrieved: Those that could not be had.
        not_assessed: Those on which nobody has decided yet.
        reasons: Reason -> reports that were read and left out; "" where none was given. The most
            frequent first.
        studies: Studies that the included reports are of, those found along citations too: works
            with the same tag "study:NAME" are one.
        contradictory: Works left out by title, with a decision on their full text all the same.
        changed: Works of the earlier report that are included now, less those that were; None where
            no report is continued.
        citations: What runs along citations have brought; None without such runs.
        previous: The report that is continued; None for a first one.
    """

    sources: tuple[SourceNumbers, ...]
    first_run: int | None
    last_run: int | None
    last_run_id: int | None
    works: int
    screened: int
    not_screened: int
    excluded: int
    sought: int
    not_retrieved: int
    not_assessed: int
    assessed: int
    reasons: Mapping[str, int]
    included: int
    studies: int
    contradictory: int
    changed: int | None
    other: tuple[OtherSource, ...]
    citations: CitationNumbers | None
    previous: Previous | None

    @property
    def identified(self) -> int:
        """Records of all sources."""
        return sum(source.records for source in self.sources)

    @property
    def known(self) -> int:
        """Those of them whose works an earlier report has covered."""
        return sum(source.known for source in self.sources)

    @property
    def duplicates(self) -> int:
        """Records that are of a work with another record."""
        return self.identified - self.known - self.works

    def of_place(self, place: str) -> tuple[SourceNumbers, ...]:
        return tuple(source for source in self.sources if source.place == place)

    @property
    def excluded_reports(self) -> int:
        """Reports that were read and left out."""
        return sum(self.reasons.values())

    @property
    def others(self) -> tuple[OtherSource, ...]:
        """The other ways of searching: along citations, and those that a person states."""
        return (self.citations, *self.other) if self.citations else self.other

    @property
    def other_included(self) -> int:
        """Reports that are included by other ways of searching, as far as it is said."""
        return sum(one.included or 0 for one in self.others)

    @property
    def other_studies(self) -> int:
        """Studies of those that a person states: one for each report."""
        return sum(one.included or 0 for one in self.other)

    @property
    def total_reports(self) -> int:
        """Reports that are included, with those of the earlier report."""
        before = self.previous.reports if self.previous else 0
        return before + self.included + self.other_included

    @property
    def total_studies(self) -> int:
        """Studies, with those of the earlier report, and those of other ways."""
        before = self.previous.studies if self.previous else 0
        return before + self.studies + self.other_studies


def numbers(project: Project, previous: Previous | None = None) -> ReportNumbers:
    """Count what a project holds now. `previous`: the report that is continued: only what came
    after it is counted.
    """
    since = previous.run if previous else 0
    with project.db.snapshot():
        runs = project.db.one(
            "SELECT min(number) AS first, max(number) AS last, max(id) AS id FROM run"
            " WHERE project = ? AND id > ? AND mode <> 'counts'",
            project.id,
            since,
        )
        assert runs is not None
        counts = _Counts(_decisions(project, _SEARCHES, since, None))
        changed = None
        if previous is not None:
            before = _Counts(_decisions(project, _SEARCHES, 0, since))
            changed = before.included - previous.works
        known = previous.other_sources if previous else ()
        return ReportNumbers(
            sources=_sources(project, _SEARCHES, since),
            first_run=runs["first"],
            last_run=runs["last"],
            last_run_id=project.db.value("SELECT max(id) FROM run WHERE project = ?", project.id),
            works=_works(project, _SEARCHES, since),
            screened=counts.screened,
            not_screened=counts.not_screened,
            excluded=counts.excluded,
            sought=counts.sought,
            not_retrieved=counts.not_retrieved,
            not_assessed=counts.not_assessed,
            assessed=counts.assessed,
            reasons=_by_number(counts.reasons),
            included=counts.included,
            studies=_studies(project, since),
            contradictory=counts.contradictory,
            changed=changed,
            other=tuple(one for one in other_sources.of(project) if one.id not in known),
            citations=_along_citations(project, since),
            previous=previous,
        )


def _along_citations(project: Project, since: int) -> CitationNumbers | None:
    sources = _sources(project, _CITATIONS, since)
    if not sources:
        return None
    counts = _Counts(_decisions(project, _CITATIONS, since, None))
    last = project.db.value(
        "SELECT max(answer.asked_at) FROM run JOIN answer ON answer.run = run.id"  # noqa: S608
        f" WHERE run.project = ? AND run.id > ? AND {_CITATIONS}",
        project.id,
        since,
    )
    return CitationNumbers(
        id=0,
        kind="citation",
        name=", ".join(source.label for source in sources),
        date=(last or "")[:10],
        identified=sum(source.records for source in sources),
        sought=counts.sought,
        not_retrieved=counts.not_retrieved,
        excluded=_by_number(counts.reasons),
        sources=sources,
        works=_works(project, _CITATIONS, since),
        known=sum(source.known for source in sources),
        screened=counts.screened,
        not_screened=counts.not_screened,
        left_out=counts.excluded,
        not_assessed=counts.not_assessed,
        contradictory=counts.contradictory,
    )


def _by_number(reasons: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(reasons.items(), key=lambda each: (-each[1], each[0])))


def _works(project: Project, runs: str, since: int) -> int:
    return int(
        project.db.value(
            "SELECT count(*) FROM work JOIN run ON run.id = work.first_run"  # noqa: S608, own words
            f" WHERE work.project = ? AND work.first_run > ? AND {runs}",
            project.id,
            since,
        )
    )


def _sources(project: Project, runs: str, since: int) -> tuple[SourceNumbers, ...]:
    # A source may have changed its label or its group: those of its newest answer count.
    shown = project.db.all(
        "SELECT source, label, place, min(run.mode = 'import') AS by_hand,"  # noqa: S608, own words
        " min(answer.fetched IS NULL) AS failed, max(answer.id)"
        " FROM run JOIN answer ON answer.run = run.id"
        f" WHERE run.project = ? AND run.id > ? AND {runs} GROUP BY source",
        project.id,
        since,
    )
    records = _records(project, runs, since)
    known = _records(project, runs, since, known=True) if since else {}
    sources = (
        SourceNumbers(
            source=row["source"],
            label=row["label"],
            place=row["place"],
            by_hand=bool(row["by_hand"]),
            failed=bool(row["failed"]),
            records=records.get(row["source"], 0),
            known=known.get(row["source"], 0),
        )
        for row in shown
    )
    return tuple(sorted(sources, key=lambda one: (one.label.casefold(), one.source)))


def _records(project: Project, runs: str, since: int, *, known: bool = False) -> dict[str, int]:
    """Name of a source -> its records, each key once; `known`: of works found earlier."""
    works = (
        " JOIN work_record ON work_record.record = finding.record"
        " JOIN work ON work.id = work_record.work AND work.first_run <= run_after.since"
        if known
        else ""
    )
    rows = project.db.all(
        "WITH run_after (since) AS (VALUES (?))"  # noqa: S608, no value is in it; also below
        " SELECT answer.source, count(DISTINCT record.key) AS records"
        " FROM run_after JOIN run ON run.id > run_after.since JOIN answer ON answer.run = run.id"
        " JOIN finding ON finding.answer = answer.id JOIN record ON record.id = finding.record"
        f"{works} WHERE run.project = ? AND {runs} GROUP BY answer.source",
        since,
        project.id,
    )
    return {row["source"]: row["records"] for row in rows}


#: What the project has decided in a stage; votes of screeners are none of its decisions.
_OF_STAGE = "(SELECT work, verdict, reason FROM decision WHERE stage = '{stage}' AND by = '')"
_TITLE, _FULLTEXT = _OF_STAGE.format(stage="title"), _OF_STAGE.format(stage="fulltext")


def _decisions(project: Project, runs: str, since: int, until: int | None) -> list[sqlite3.Row]:
    """How many works have which verdicts: title, text, reason, count."""
    return project.db.all(
        "SELECT title.verdict AS title, text.verdict AS text, text.reason AS reason,"  # noqa: S608
        " count(*) AS count FROM work JOIN run ON run.id = work.first_run"
        f" LEFT JOIN {_TITLE} AS title ON title.work = work.id"
        f" LEFT JOIN {_FULLTEXT} AS text ON text.work = work.id"
        f" WHERE work.project = ? AND {runs}"
        " AND work.first_run > ? AND (? IS NULL OR work.first_run <= ?) GROUP BY 1, 2, 3",
        project.id,
        since,
        until,
        until,
    )


class _Counts:
    """Adds up the rows of `_decisions`."""

    def __init__(self, rows: list[sqlite3.Row]) -> None:
        self.screened = self.not_screened = self.excluded = self.sought = 0
        self.not_retrieved = self.not_assessed = self.assessed = self.included = 0
        self.contradictory = 0
        self.reasons: dict[str, int] = {}
        for row in rows:
            self._add(row["title"], row["text"], row["reason"] or "", row["count"])

    def _add(self, title: str | None, text: str | None, reason: str, count: int) -> None:
        # A decision on the full text says that the title has passed, unless it was left out.
        if title is None and text is None:
            self.not_screened += count
            return
        self.screened += count
        if title == "excluded":
            self.excluded += count
            self.contradictory += count if text is not None else 0
            return
        self.sought += count
        if text is None:
            self.not_assessed += count
        elif text == "unavailable":
            self.not_retrieved += count
        else:
            self.assessed += count
            if text == "excluded":
                self.reasons[reason] = self.reasons.get(reason, 0) + count
            else:
                self.included += count


def _studies(project: Project, since: int) -> int:
    """Studies that the included works are of; works with a common tag are of one. A study of which
    an earlier work is included is not new.
    """
    works: dict[int, list[str]] = {}
    earlier: set[int] = set()
    for row in project.db.all(
        "SELECT work.id, tag.text AS tag, work.first_run <= ? AS earlier"  # noqa: S608
        f" FROM work JOIN {_FULLTEXT} AS text ON text.work = work.id"
        f" LEFT JOIN {_TITLE} AS title ON title.work = work.id"
        " LEFT JOIN tag ON tag.work = work.id AND substr(tag.text, 1, ?) = ?"
        " WHERE work.project = ?"
        " AND text.verdict IN ('relevant', 'close') AND title.verdict IS NOT 'excluded'",
        since,
        len(STUDY),
        STUDY,
        project.id,
    ):
        works.setdefault(row["id"], []).extend([row["tag"]] if row["tag"] else [])
        if row["earlier"]:
            earlier.add(row["id"])
    # A work with several such tags makes one study of all that have any of them.
    of: dict[str, str] = {}

    def root(tag: str) -> str:
        while of.setdefault(tag, tag) != tag:
            of[tag] = of[of[tag]]
            tag = of[tag]
        return tag

    for tags in works.values():
        for tag in tags:
            of[root(tag)] = root(tags[0])
    known = {root(tag) for work in earlier for tag in works[work]}
    alone = sum(not tags for work, tags in works.items() if work not in earlier)
    return len({root(tag) for tag in of} - known) + alone
