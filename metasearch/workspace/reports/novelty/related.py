"""The related works of a novelty search (密切相关文献, 一般相关文献), with their points of novelty.

The verdict "close" of a work says that it is closely related, "relevant" generally. The tags of a
work name the points of novelty that it is about: 查新点1, or 查新点 1.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import dataclass

from metasearch.bib.chinese.characters import is_han
from metasearch.formats import hits
from metasearch.record import Record
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database

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
class Related:
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


def related_works(db: Database, project: Project) -> tuple[Related, ...]:
    """Those of a project: Chinese literature first, closely related works before the others, and
    newer ones before older ones.
    """
    found = []
    # Bodies are read of related works alone: a project may have decided on 100,000.
    for row in db.all(_RELATED, project.id):
        relation = _relation(row["title_verdict"], row["text_verdict"])
        if relation:
            record = _record(db, row["id"])
            domestic = _is_domestic(record)
            place = (not domestic, relation != "close", -(row["year"] or 0), row["title"])
            found.append((place, row["uid"], row["id"], record, relation == "close", domestic))
    found.sort(key=lambda one: one[:2])
    return tuple(
        Related(
            number=number,
            work=work,
            uid=uid,
            record=record,
            close=close,
            points=points_of(_tags(db, work)),
            domestic=domestic,
            seen=_seen(db, work),
        )
        for number, (_, uid, work, record, close, domestic) in enumerate(found, 1)
    )


def _record(db: Database, work: int) -> Record:
    return hits.read(db.value("SELECT hit FROM work_body WHERE work = ?", work)).record


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


def _seen(db: Database, work: int) -> dt.date | None:
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
