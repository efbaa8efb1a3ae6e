"""All that a novelty report is made of: its searches, and the related works (密切相关文献,
一般相关文献) with their points of novelty.

The verdict "close" of a work says that it is closely related, "relevant" generally. The tags of a
work name the points of novelty that it is about: 查新点1, or 查新点 1.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from metasearch.bib.normalise import is_han
from metasearch.formats import hits
from metasearch.record import Record
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.reports.document import Paragraph, speaker
from metasearch.review.reports.questions import NOVELTY, Value
from metasearch.review.reports.searches import (
    SearchAnswer,
    TypedStrategy,
    newest,
    search_answers,
    stale_steps,
    strategies,
)
from metasearch.review.store.database import Database

_POINT = re.compile(r"查新点\s*([0-9]{1,3})")

#: Works with what the project has decided on them.
_RELATED = """
SELECT work.id, work.uid, work.title, work.year,
    title.verdict AS title_verdict, text.verdict AS text_verdict
FROM work
LEFT JOIN decision AS title
    ON title.work = work.id AND title.stage = 'title' AND title.by = ''
LEFT JOIN decision AS text
    ON text.work = work.id AND text.stage = 'fulltext' AND text.by = ''
WHERE work.project = ?
    AND (title.verdict IN ('close', 'relevant') OR text.verdict IN ('close', 'relevant'))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedWork:
    """A related work.

    Attributes:
        number: In the list of the report, from 1.
        work: Id of its row; `uid` its lasting name.
        close: Whether it is closely related (密切相关).
        points: Numbers of the points of novelty that its tags name, in order.
        domestic: Whether it is literature of China: in Chinese.
        seen: The last day on which a database gave it; None where that is not known.
    """

    number: int
    work: int
    uid: str
    record: Record
    close: bool
    points: tuple[int, ...]
    domestic: bool
    seen: dt.date | None


def related_works(project: Project) -> tuple[RelatedWork, ...]:
    """Those of a project: Chinese literature first, closely related works before the others, and
    newer ones before older ones.
    """
    found = []
    # Bodies are read of related works alone: a project may have decided on 100,000.
    for row in project.db.all(_RELATED, project.id):
        relation = _relation(row["title_verdict"], row["text_verdict"])
        if relation:
            body = project.db.value("SELECT hit FROM work_body WHERE work = ?", row["id"])
            record = hits.read(body).record
            domestic = _is_domestic(record)
            place = (not domestic, relation != "close", -(row["year"] or 0), row["title"])
            found.append((place, row["uid"], row["id"], record, relation == "close", domestic))
    found.sort(key=lambda one: one[:2])
    return tuple(
        RelatedWork(
            number=number,
            work=work,
            uid=uid,
            record=record,
            close=close,
            points=points_of(_tags(project.db, work)),
            domestic=domestic,
            seen=_day_found(project.db, work),
        )
        for number, (_, uid, work, record, close, domestic) in enumerate(found, 1)
    )


def points_of(tags: Iterable[str]) -> tuple[int, ...]:
    """The numbers of points of novelty that tags name, in order."""
    named = {int(match[1]) for tag in tags if (match := _POINT.fullmatch(tag.strip()))}
    return tuple(sorted(named))


def point_tag(number: int) -> str:
    """The tag of works that are about a point of novelty."""
    return f"查新点{number}"


def _relation(title: str | None, text: str | None) -> str:
    """ "close", "relevant" or "": what was decided on the whole text goes before."""
    if text == "excluded":
        return ""
    if title in ("close", "relevant"):
        return title
    return "relevant" if text == "relevant" else ""


def _tags(db: Database, work: int) -> list[str]:
    return [row["text"] for row in db.all("SELECT text FROM tag WHERE work = ?", work)]


def _is_domestic(record: Record) -> bool:
    """By the language that the record names, else by its title."""
    language = (record.language or "").partition("-")[0]
    if language:
        return language in ("zh", "chi", "zho", "chinese")
    return any(map(is_han, record.title))


def _day_found(db: Database, work: int) -> dt.date | None:
    moment = db.value(
        "SELECT max(answer.asked_at) FROM work_record"
        " JOIN finding ON finding.record = work_record.record"
        " JOIN answer ON answer.id = finding.answer WHERE work_record.work = ?",
        work,
    )
    try:
        return dt.date.fromisoformat(str(moment)[:10]) if moment else None
    except ValueError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseSearch:
    """One database, searched for one step.

    `said`: what it said: its newest whole answer, else one in part, else the failure. `related`:
    works found by it that are closely or generally related; of them `close` closely.
    """

    said: SearchAnswer
    related: int
    close: int

    @property
    def hits(self) -> int | None:
        """命中篇数: what the database says, else what was obtained; None where it failed."""
        if self.failed:
            return None
        return self.said.fetched if self.said.claimed is None else self.said.claimed

    @property
    def failed(self) -> bool:
        """Whether no record of it was obtained because something went wrong."""
        return self.said.fetched is None

    @property
    def sent(self) -> str:
        """检索式, as the database received it, or as it was typed there."""
        said = self.said
        return said.typed if said.by_hand else said.sent or said.query

    @property
    def day(self) -> str:
        """When it was searched, "2026-11-23"; "" where that is not known."""
        return self.said.date[:10]

    @property
    def notes(self) -> tuple[str, ...]:
        """How it was searched by hand, and what of the query the database could not express."""
        return tuple(filter(None, (self.said.note, *self.said.notes)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Searches:
    """All that was searched.

    Attributes:
        rows: In the order of strategies, steps and databases.
        stale: Steps that ask for something else now than when they were run: "main #3".
        works: Works that the rows found, each once.
        undecided: Those of them on which nobody has decided.
        found: Id of a related work -> the rows that found it.
    """

    strategies: tuple[TypedStrategy, ...]
    rows: tuple[DatabaseSearch, ...]
    stale: tuple[str, ...]
    works: int
    undecided: int
    found: Mapping[int, tuple[DatabaseSearch, ...]]

    @property
    def records(self) -> int:
        """Records that were obtained, before duplicates were joined."""
        return sum(row.said.fetched or 0 for row in self.rows)

    @property
    def tools(self) -> tuple[str, ...]:
        """Programs that ran the searches."""
        return tuple(sorted({row.said.tool for row in self.rows}))


def searches(project: Project, related: Iterable[RelatedWork]) -> Searches:
    """Collect them. Numbers of hits alone, and steps that were removed, are left out."""
    kept = {
        (row["strategy"], row["number"])
        for row in project.db.all(
            "SELECT step.strategy, step.number FROM step JOIN strategy"
            " ON strategy.id = step.strategy WHERE strategy.project = ? AND NOT step.removed",
            project.id,
        )
    }
    said = newest(
        one
        for one in search_answers(project, speaker("zh"))
        if one.mode != "counts" and one.status != "running" and (one.strategy, one.step) in kept
    )
    works = {one.id: _works(project.db, one.id) for one in said}
    rows = tuple(
        DatabaseSearch(
            said=one,
            related=sum(each.work in works[one.id] for each in related),
            close=sum(each.work in works[one.id] for each in related if each.close),
        )
        for one in said
    )
    every = set().union(*works.values())
    return Searches(
        strategies=tuple(strategies(project)),
        rows=rows,
        stale=tuple(stale_steps(project, said)),
        works=len(every),
        undecided=len(every - _works_with_verdict(project)),
        found={
            each.work: tuple(row for row in rows if each.work in works[row.said.id])
            for each in related
        },
    )


def _works(db: Database, answer: int) -> Collection[int]:
    """Ids of the works that an answer found."""
    rows = db.rows(
        "SELECT DISTINCT work_record.work FROM finding"
        " JOIN work_record ON work_record.record = finding.record WHERE finding.answer = ?",
        answer,
    )
    return {row[0] for row in rows}


def _works_with_verdict(project: Project) -> set[int]:
    rows = project.db.rows(
        "SELECT DISTINCT decision.work FROM decision JOIN work ON work.id = decision.work"
        " WHERE work.project = ? AND decision.by = ''",
        project.id,
    )
    return {row[0] for row in rows}


#: What stands where a field does not apply; no field of a report is empty.
NOTHING = "略"
#: What stands in a draft where an answer is required and missing.
UNFILLED = "（待填）"


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What a person said, what was searched, and what was found.

    Attributes:
        answers: Key of a question -> its answer.
        missing: Keys of the questions that the report requires and that have no answer.
        related: The related works in the order of the list.
    """

    project: Project
    answers: Mapping[str, Value]
    missing: frozenset[str]
    searches: Searches
    related: tuple[RelatedWork, ...]

    @property
    def points(self) -> tuple[str, ...]:
        """The points of novelty; the first one has number 1."""
        return self.items("points")

    def text(self, name: str) -> str:
        """The answer to a question; without one "略", or "（待填）" where one is required."""
        answer = self.answers.get(f"novelty.{name}")
        if not answer:
            return UNFILLED if f"novelty.{name}" in self.missing else NOTHING
        return "、".join(answer) if isinstance(answer, tuple) else str(answer)

    def lines(self, name: str) -> tuple[str, ...]:
        """The lines of a long answer, or "略"; empty ones are left out."""
        return tuple(line for line in self.text(name).split("\n") if line.strip())

    def items(self, name: str) -> tuple[str, ...]:
        """The answer to a question that has a list."""
        answer = self.answers.get(f"novelty.{name}")
        return answer if isinstance(answer, tuple) else ()

    def has_answer(self, name: str) -> bool:
        """Whether a question has an answer."""
        return f"novelty.{name}" in self.answers

    def about(self, point: int) -> tuple[RelatedWork, ...]:
        """The related works of a point of novelty. Where there is only one, all are about it."""
        if len(self.points) == 1:
            return self.related
        return tuple(one for one in self.related if point in one.points)


def paragraph(text: str) -> Paragraph:
    """A paragraph of plain text."""
    return Paragraph(text=text)


def findings(project: Project) -> Findings:
    """Read them, all of one moment."""
    with project.db.snapshot():
        project = project.fresh()
        related = related_works(project)
        return Findings(
            project=project,
            answers=projects.answers(project),
            missing=frozenset(one.key for one in projects.open_questions(project, NOVELTY)),
            searches=searches(project, related),
            related=related,
        )
