"""How citations were searched, as reports say it: the items of TARCiS, written from the runs.

Hirt, J. et al. (2024). Guidance on terminology, application, and reporting of citation searching:
the TARCiS statement. BMJ 385, e078384.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from metasearch.message import message_in
from metasearch.review.projects.projects import Project
from metasearch.review.reports.document import (
    Block,
    FieldRows,
    Phrase,
    Remark,
    Table,
    Text,
    name_list,
)
from metasearch.review.reports.numbers import CitationNumbers
from metasearch.review.reports.searches import SearchAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationRun:
    """A run along citations.

    Attributes:
        seeds: Names of the works that it began with.
        named: Citations that indexes named; `lost` works of them without a record.
        works: Works that it has found first.
    """

    number: int
    options: Mapping[str, Any]
    answers: Sequence[SearchAnswer]
    works: int

    @property
    def seeds(self) -> list[str]:
        return list(self.options.get("seeds") or ())

    @property
    def date(self) -> str:
        return max((one.date[:10] for one in self.answers), default="")

    @property
    def named(self) -> int:
        return sum(one.claimed or 0 for one in self.answers)

    @property
    def lost(self) -> int:
        return sum(one.unread or 0 for one in self.answers)

    @property
    def records(self) -> int:
        return sum(one.fetched or 0 for one in self.answers)


def citation_runs(project: Project, answers: Sequence[SearchAnswer]) -> list[CitationRun]:
    """The runs along citations among some answers, the oldest first."""
    of_run: dict[int, list[SearchAnswer]] = {}
    for one in answers:
        if one.mode == "citations":
            of_run.setdefault(one.run_id, []).append(one)
    made = []
    for run, own in of_run.items():
        works = project.db.value("SELECT count(*) FROM work WHERE first_run = ?", run)
        options = orjson.loads(project.db.value("SELECT options FROM run WHERE id = ?", run))
        options = options if isinstance(options, dict) else {}
        made.append(CitationRun(number=own[0].run, options=options, answers=own, works=works))
    return made


def section(
    runs: Sequence[CitationRun], numbers: CitationNumbers | None, phrase: Phrase
) -> Iterator[Block]:
    """What TARCiS asks to be reported; nothing where no run followed citations."""
    if not runs or numbers is None:
        return
    yield FieldRows(rows=tuple(_items(runs, numbers, phrase)))
    yield _table(runs, phrase)
    for run in runs:
        if failed := [one.label for one in run.answers if one.failed]:
            text = phrase(
                "In run {run} these indexes failed, or answered in part: {names}. Citations that "
                "they alone know are missing.",
                run=run.number,
                names=name_list(failed, phrase),
            )
            yield Remark(text=text, warning=True)


def _items(
    runs: Sequence[CitationRun], numbers: CitationNumbers, phrase: Phrase
) -> Iterator[tuple[str, Text]]:
    seeds = {seed for run in runs for seed in run.seeds}
    ways = {way for run in runs for way in run.options.get("directions") or ()}
    yield phrase("Seed references"), phrase("{count} works", count=f"{len(seeds):,}")
    words = []
    if "references" in ways:
        words.append(phrase("backward: works that they cite"))
    if "cited_by" in ways:
        words.append(phrase("forward: works that cite them"))
    yield phrase("Directions"), name_list(words, phrase)
    labels = dict.fromkeys(one.label for run in runs for one in run.answers)
    tools = dict.fromkeys(one.tool for run in runs for one in run.answers)
    yield phrase("Citation indexes"), name_list(labels, phrase)
    yield phrase(message_in("report", "Tool")), name_list(tools, phrase)
    rounds = sum(int(run.options.get("rounds") or 1) for run in runs)
    last = runs[-1]
    stopped = (
        phrase("the last run brought no new work")
        if not last.works
        else phrase("the last run brought {works} new works", works=f"{last.works:,}")
    )
    # A run of several rounds ends earlier where nothing new comes.
    made = (
        phrase("{rounds}; {stopped}", rounds=rounds, stopped=stopped)
        if rounds == len(runs)
        else phrase("at most {rounds}; {stopped}", rounds=rounds, stopped=stopped)
    )
    yield phrase("Iterations"), made
    yield (
        phrase("Deduplication"),
        phrase(
            "by metasearch, before screening, among the records of all indexes and against all "
            "works of the project: {identified} records, {duplicates} duplicates, {works} works "
            "that were new",
            identified=f"{numbers.identified or 0:,}",
            duplicates=f"{numbers.duplicates + numbers.known:,}",
            works=f"{numbers.works:,}",
        ),
    )


def _table(runs: Sequence[CitationRun], phrase: Phrase) -> Table:
    rows: list[tuple[Text, ...]] = [
        (
            str(run.number),
            run.date,
            f"{len(run.seeds):,}",
            f"{run.named:,}",
            f"{run.lost:,}",
            f"{run.records:,}",
            f"{run.works:,}",
        )
        for run in runs
    ]
    return Table(
        caption=phrase("Each time that citations were followed"),
        head=(
            phrase(message_in("report", "Run")),
            phrase("Date"),
            phrase("Seeds"),
            phrase("Citations named"),
            phrase("Works without a record"),
            phrase("Records"),
            phrase("New works"),
        ),
        rows=tuple(rows),
        numbers=(2, 3, 4, 5, 6),
        widths=(8, 16, 12, 17, 17, 17, 13),
    )
