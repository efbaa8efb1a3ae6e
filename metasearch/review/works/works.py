"""One work of a project: what is known of it, what people said of it, and who found it when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, NamedTuple, get_args

from metasearch.errors import UsageError
from metasearch.formats import hits
from metasearch.message import message
from metasearch.record import Hit
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.works.names import rows_named, works_named
from metasearch.workspace.works.records import AT_ONCE, batches, in_marks

#: "title": by title and abstract; "fulltext": by the whole text, of what the first stage let
#: through.
Stage = Literal["title", "fulltext"]
STAGES: tuple[Stage, ...] = get_args(Stage)
Verdict = Literal["relevant", "close", "excluded", "unavailable"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
#: Text and version of a note that is not there.
_NO_NOTE = ("", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What somebody decided on a work in one stage.

    Attributes:
        verdict: One of `VERDICTS`.
        reason: Why; "" where none is given.
        by: Uid of the screener whose vote it is; "" for what the project has decided.
        at: When.
    """

    verdict: Verdict
    reason: str
    by: str
    at: str

    @property
    def version(self) -> int:
        """As `decision_version`."""
        return decision_version((self.verdict, self.reason, self.at))


def decision_version(kept: Sequence[str] | None) -> int:
    """What names just this decision (verdict, reason, time), so that a later one overwrites nothing
    that was not seen; 0 for none. It is made of nothing else: it tells of no other vote.
    """
    if kept is None:
        return 0
    return int.from_bytes(sha256("\0".join(kept).encode()).digest()[:6]) or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A work of a project.

    Attributes:
        id: Of its row.
        uid: Its name; it never changes, and stays a name of the work that it becomes part of.
        hit: The merged record, and all records with what joins them.
        title, author, year, type, venue, language, doi, citations, open_access, retracted: Of the
            merged record, as a list shows them; `author` is the first one.
        sources: Names of the sources that gave it, sorted.
        decisions: Stage -> what the project has decided; without stages that are undecided.
        votes: Stage -> what the reader, if there is one, has voted.
        tags: Sorted.
        note: That of the reader where they keep one for themselves, else that of the project; ""
            for none.
        note_version: Of the note, larger after each change of it; 0 where there is none.
        first_run: Number of the run that found it first.
        added: When it was added.
    """

    id: int
    uid: str
    hit: Hit
    title: str
    author: str
    year: int | None
    type: str
    venue: str
    language: str
    doi: str
    citations: int | None
    open_access: str
    retracted: bool
    sources: tuple[str, ...]
    decisions: Mapping[Stage, Decision]
    tags: tuple[str, ...]
    note: str
    note_version: int
    first_run: int
    added: str
    votes: Mapping[Stage, Decision] = field(default_factory=dict)


class Finding(NamedTuple):
    """Who found a work: the number of the run, of the step, the source, the position of the record
    in its answer (from 1; 0 where it is unknown), and when the source was asked.
    """

    run: int
    step: int
    source: str
    position: int
    asked_at: str | None


def find(db: Database, project: Project, name: str, reader: str = "") -> Work:
    """The work of a name: its uid, an earlier one, the key of a record ("source:id"), an identifier
    in any spelling (DOI, "pmid:1", "isbn:..."), the id of a hit; with the votes of `reader`. Raises
    UsageError: there is none, or the name is that of several works; the advice names them.
    """
    found = works_named(db, project.id, [name]).get(name, [])
    if not found:
        raise UsageError(
            message("There is no work {name} in the project", name=repr(name[:80])),
            advice=message(
                'A work is named by its id, a DOI, the id that a source gives ("pmid:1"), or '
                '"source:id".'
            ),
        )
    if len(found) > 1:
        raise UsageError(
            message("{name} is a name of {count} works", name=repr(name[:80]), count=len(found)),
            advice=message("Use one of {names}.", names=", ".join(one.uid for one in found[:10])),
        )
    return read(db, [found[0].id], reader)[0]


def read(db: Database, ids: Sequence[int], reader: str = "") -> list[Work]:
    """Works by their rows, in this order; those that are not there are left out.

    `reader`: uid of a user, whose own votes and notes the works have, too; "" for none. Votes and
    notes of others are never read.
    """
    found: dict[int, Work] = {}
    for some in batches(ids, AT_ONCE):
        found |= {work.id: work for work in _read(db, some, reader)}
    return [found[one] for one in ids if one in found]


def _read(db: Database, ids: Sequence[int], reader: str) -> list[Work]:
    marks = in_marks(ids)
    sources: dict[int, list[str]] = {}
    tags: dict[int, list[str]] = {}
    for table, column, into in (("work_source", "source", sources), ("tag", "text", tags)):
        for work, text in db.all(
            f"SELECT work, {column} FROM {table} WHERE work IN ({marks}) ORDER BY {column}",
            *ids,
        ):
            into.setdefault(work, []).append(text)
    decisions: dict[int, dict[Stage, Decision]] = {}
    votes: dict[int, dict[Stage, Decision]] = {}
    for row in db.all(
        f"SELECT * FROM decision WHERE work IN ({marks}) AND by IN ('', ?)", *ids, reader
    ):
        into_ = votes if row["by"] else decisions
        into_.setdefault(row["work"], {})[row["stage"]] = Decision(
            verdict=row["verdict"], reason=row["reason"], by=row["by"], at=row["at"]
        )
    notes = {
        row["work"]: (row["text"], row["version"])
        for row in db.all(
            f"SELECT work, text, version FROM note WHERE work IN ({marks}) AND by IN ('', ?)"
            " ORDER BY by",
            *ids,
            reader,
        )
    }
    rows = db.all(
        "SELECT work.*, work_body.hit, run.number AS run_number FROM work"
        " JOIN work_body ON work_body.work = work.id JOIN run ON run.id = work.first_run"
        f" WHERE work.id IN ({marks})",
        *ids,
    )
    return [
        Work(
            id=row["id"],
            uid=row["uid"],
            hit=hits.read(row["hit"]),
            title=row["title"],
            author=row["author"],
            year=row["year"],
            type=row["type"],
            venue=row["venue"],
            language=row["language"],
            doi=row["doi"],
            citations=row["citations"],
            open_access=row["open_access"],
            retracted=bool(row["retracted"]),
            sources=tuple(sources.get(row["id"], ())),
            decisions=decisions.get(row["id"], {}),
            votes=votes.get(row["id"], {}),
            tags=tuple(tags.get(row["id"], ())),
            note=notes.get(row["id"], _NO_NOTE)[0],
            note_version=notes.get(row["id"], _NO_NOTE)[1],
            first_run=row["run_number"],
            added=row["added"],
        )
        for row in rows
    ]


def found_by(db: Database, work: Work) -> list[Finding]:
    """Which run, step and source found a work, the oldest first."""
    rows = db.all(
        "SELECT run.number, step.number, answer.source, finding.position, answer.asked_at"
        " FROM work_record JOIN finding ON finding.record = work_record.record"
        " JOIN answer ON answer.id = finding.answer JOIN run ON run.id = answer.run"
        " JOIN step ON step.id = answer.step WHERE work_record.work = ?"
        " ORDER BY run.number, step.number, answer.source, finding.position",
        work.id,
    )
    return [Finding(*row) for row in rows]


def rows_of(db: Database, project: Project, uids: Sequence[str]) -> list[int]:
    """Rows of works by names, each once. Raises UsageError: a name is of none, or several."""
    found = rows_named(db, project.id, uids)
    unknown = [uid for uid in uids if uid not in found]
    if unknown:
        raise UsageError(
            message(
                "These are not names of one work of the project: {names}",
                names=", ".join(repr(name[:60]) for name in unknown[:5]),
            ),
            advice=message("`metasearch works list` shows the id of each work."),
        )
    return list(dict.fromkeys(found[uid] for uid in uids))
