"""One work of a project: its names, what is known of it, and what people said of it.

Any spelling of a name of a work -> the work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal, NamedTuple, get_args

import orjson

from metasearch.adapters.spec import Direction
from metasearch.bib.work_ids import read_name
from metasearch.errors import UsageError
from metasearch.formats import hits
from metasearch.message import message
from metasearch.record import Hit
from metasearch.review.projects.projects import Project
from metasearch.review.store.database import Database
from metasearch.review.store.table import from_row
from metasearch.review.works.records import AT_ONCE, batches, in_marks

#: Characters of a name; a longer one is that of no work.
LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class WorkName:
    """A work that a name means: its row, its uid, its component."""

    id: int
    uid: str
    component: int


def spellings(name: str) -> list[str]:
    """The forms in which a name may be kept, the likeliest first."""
    name = name.strip()[:LONGEST]
    found = [name]
    with suppress(ValueError):
        found.append(read_name(name))
    found += [one.lower() for one in found]
    return list(dict.fromkeys(found))


def works_by_name(db: Database, project: int, names: Iterable[str]) -> dict[str, list[WorkName]]:
    """Each name -> the works that it means, the oldest first; without names of no work.

    The id of a work, or of one that has joined it, means that work alone; so does the key of a
    record. An identifier such as a DOI may be that of several works.
    """
    forms = {name: spellings(name) for name in dict.fromkeys(names)}
    wanted = {form for some in forms.values() for form in some}
    kept: dict[str, list[WorkName]] = {}
    for some in batches(sorted(wanted), AT_ONCE):
        for row in db.all(
            "SELECT alias.name, work.id, work.uid, work.component FROM alias"
            " JOIN work ON work.id = alias.work"
            f" WHERE alias.project = ? AND alias.name IN ({in_marks(some)})"
            " ORDER BY work.id",
            project,
            *some,
        ):
            kept.setdefault(row[0], []).append(WorkName(row[1], row[2], row[3]))
    found = {}
    for name, some in forms.items():
        works = next((kept[form] for form in some if form in kept), None)
        if works:
            found[name] = works
    return found


def rows_by_name(db: Database, project: int, names: Iterable[str]) -> dict[str, int]:
    """Each name -> the row of the one work that it means; without names of none, or of several.

    Names that are ids of works, as a list has them, cost least.
    """
    wanted = list(dict.fromkeys(names))
    found: dict[str, int] = {}
    for some in batches(wanted, AT_ONCE):
        rows = db.all(
            f"SELECT uid, id FROM work WHERE uid IN ({in_marks(some)}) AND +project = ?",
            *some,
            project,
        )
        found |= {row["uid"]: row["id"] for row in rows}
    others = works_by_name(db, project, (name for name in wanted if name not in found))
    return found | {name: works[0].id for name, works in others.items() if len(works) == 1}


#: "title": by title and abstract; "fulltext": by the whole text, of what the first stage let
#: through.
Stage = Literal["title", "fulltext"]
STAGES: tuple[Stage, ...] = get_args(Stage)
#: "relevant" and "maybe" let a work through to the whole text; "maybe" is for who is not sure by
#: title and abstract. "close" and "relevant" tell how a work is related in a novelty search; in
#: others both let it through.
Verdict = Literal["relevant", "maybe", "close", "excluded", "unavailable"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
#: Those of titles that let a work through to the whole text, as SQL has them.
PASSED = "('relevant', 'maybe', 'close')"


def verdicts_of(kind: str, stage: Stage) -> tuple[Verdict, ...]:
    """The verdicts that people are offered in a stage of a project of a kind, in the order of their
    buttons.
    """
    if stage == "fulltext":
        return "relevant", "excluded", "unavailable"
    return "relevant", "close" if kind == "novelty" else "maybe", "excluded"


def allowed_verdicts(kind: str, stage: Stage) -> tuple[Verdict, ...]:
    """Those that a stage takes: "close" is taken everywhere, as programs have always sent it."""
    offered = (*verdicts_of(kind, stage), "close")
    return tuple(verdict for verdict in VERDICTS if verdict in offered)


#: Text and version of a note that is not there.
_NO_NOTE = ("", 0)


def is_relevant(work: str) -> str:
    """The condition that the work of a column is relevant as far as it is decided: neither left out
    nor undecided.
    """
    decided = f"SELECT 1 FROM decision WHERE decision.work = {work} AND decision.by = ''"
    return (
        f"EXISTS ({decided} AND decision.verdict IN ('relevant', 'close'))"
        f" AND NOT EXISTS ({decided} AND decision.verdict = 'excluded')"
    )


def relevant_works(project: Project) -> frozenset[int]:
    """The rows of the works of a project that are relevant as far as it is decided."""
    sql = f"SELECT id FROM work WHERE project = ? AND {is_relevant('work.id')}"
    return frozenset(row[0] for row in project.db.all(sql, project.id))


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


def find(project: Project, name: str, reader: str = "") -> Work:
    """The work of a name: its uid, an earlier one, the key of a record ("source:id"), an identifier
    in any spelling (DOI, "pmid:1", "isbn:..."), the id of a hit; with the votes of `reader`. Raises
    UsageError: there is none, or the name is that of several works; the advice names them.
    """
    found = works_by_name(project.db, project.id, [name]).get(name, [])
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
    return read(project.db, [found[0].id], reader)[0]


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
        into_.setdefault(row["work"], {})[row["stage"]] = from_row(Decision, row)
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
        from_row(
            Work,
            row,
            hit=hits.read(row["hit"]),
            sources=tuple(sources.get(row["id"], ())),
            decisions=decisions.get(row["id"], {}),
            votes=votes.get(row["id"], {}),
            tags=tuple(tags.get(row["id"], ())),
            note=notes.get(row["id"], _NO_NOTE)[0],
            note_version=notes.get(row["id"], _NO_NOTE)[1],
            first_run=row["run_number"],
        )
        for row in rows
    ]


def findings_of(db: Database, work: Work) -> list[Finding]:
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


class CitationLink(NamedTuple):
    """That a work cites a seed of a citation search, or is cited by it.

    Attributes:
        direction: "cited_by" where the work cites the seed, "references" where the seed cites it.
        seed: The key of a record of the seed.
        work, title: Uid and title of the seed; "" where it is no work of the project any more.
        indexes: Names of the sources that say so.
    """

    direction: Direction
    seed: str
    work: str
    title: str
    indexes: tuple[str, ...]


def links_of(project: Project, work: Work) -> list[CitationLink]:
    """What has led citation searches to a work; first what most indexes know."""
    found: dict[tuple[Direction, str], dict[str, None]] = {}
    for row in project.db.all(
        "SELECT DISTINCT answer.source, finding.links FROM work_record"
        " JOIN finding ON finding.record = work_record.record AND finding.links <> '[]'"
        " JOIN answer ON answer.id = finding.answer"
        " WHERE work_record.work = ? ORDER BY answer.source",
        work.id,
    ):
        for direction, seed in orjson.loads(row["links"]):
            found.setdefault((direction, seed), {})[row["source"]] = None
    named = works_by_name(project.db, project.id, (seed for _, seed in found))
    seeds = {one.id: one for one in read(project.db, sorted({v[0].id for v in named.values()}))}
    # Two keys may be names of one work by now.
    links: dict[tuple[Direction, str], CitationLink] = {}
    for (direction, seed), sources in found.items():
        one = seeds[named[seed][0].id] if seed in named else None
        place = direction, one.uid if one else seed
        indexes = {*sources, *(links[place].indexes if place in links else ())}
        uid, title = (one.uid, one.title) if one else ("", "")
        links[place] = CitationLink(direction, seed, uid, title, tuple(sorted(indexes)))
    return sorted(links.values(), key=lambda link: (-len(link.indexes), link.direction, link.seed))


def rows_of(project: Project, uids: Sequence[str]) -> list[int]:
    """Rows of works by names, each once. Raises UsageError: a name is of none, or several."""
    found = rows_by_name(project.db, project.id, uids)
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


# What people have said of a work: decisions, tags and notes, copied to another work.

#: The tag of a work whose parts were decided on differently.
CONFLICT_TAG = "conflicting decisions"
#: Characters of a note, and of the reason of a decision.
LONGEST_NOTE, LONGEST_REASON = 20_000, 500
_DECISION = (
    "INSERT OR REPLACE INTO decision (work, stage, by, verdict, reason, at)"
    " VALUES (?, ?, ?, ?, ?, ?)"
)
_TAG = "INSERT OR IGNORE INTO tag (work, text) VALUES (?, ?)"
_RESOLUTION = (
    "INSERT INTO resolution (work, stage, votes, verdict, reason, by, at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
#: Of a version that no note has had.
_NOTE = (
    "INSERT OR REPLACE INTO note (work, by, text, at, version)"
    " VALUES (?, ?, ?, ?, (SELECT coalesce(max(id), 0) + 1 FROM change))"
)


def opinions(db: Database, work: int) -> dict[str, Any]:
    """What people have said of a work, as JSON can hold it: `decisions` of [stage, by, verdict,
    reason, at], `tags`, `notes` of [by, text, at]; and where conflicts were resolved
    `resolutions` of [stage, votes, verdict, reason, by, at].
    """
    decisions = db.all("SELECT stage, by, verdict, reason, at FROM decision WHERE work = ?", work)
    notes = db.all("SELECT by, text, at FROM note WHERE work = ?", work)
    resolutions = db.all(
        "SELECT stage, votes, verdict, reason, by, at FROM resolution WHERE work = ?", work
    )
    further = {"resolutions": [list(row) for row in resolutions]} if resolutions else {}
    return {
        "decisions": [list(row) for row in decisions],
        "tags": [row[0] for row in db.all("SELECT text FROM tag WHERE work = ?", work)],
        "notes": [list(row) for row in notes],
        **further,
    }


def restore_opinions(db: Database, work: int, said: Mapping[str, Any]) -> None:
    """Say all that of a work of which nothing is said."""
    db.run_many(_DECISION, [(work, *row) for row in said["decisions"]])
    db.run_many(_TAG, [(work, text) for text in said["tags"]])
    db.run_many(_NOTE, [(work, *row) for row in said["notes"]])
    db.run_many(_RESOLUTION, [(work, *row) for row in said.get("resolutions", ())])


def add_opinions(
    db: Database, work: int, ours: Mapping[str, Any], theirs: Mapping[str, Any]
) -> bool:
    """Say of a work, beside what is said of it, what is said of another one.

    Of two votes of one screener the newer one stands; resolutions of conflicts are for votes that
    are others now, and none comes along. Returns whether a decision of the project contradicts one
    of the other: the work's own stands, and the work has the tag `CONFLICT`.
    """
    own_rows = {(row[0], row[1]): row for row in ours["decisions"]}
    further, conflict = [], False
    for row in theirs["decisions"]:
        stands = own_rows.get((row[0], row[1]))
        if stands is None or (row[1] and row[4] > stands[4]):
            further.append(row)
        elif not row[1]:
            conflict |= stands[2] != row[2]
    db.run_many(_DECISION, [(work, *row) for row in further])
    tags = [*theirs["tags"], *([CONFLICT_TAG] if conflict else [])]
    db.run_many(_TAG, [(work, text) for text in tags])
    own = {by: text for by, text, _ in ours["notes"]}
    for by, text, at in theirs["notes"]:
        both = f"{own[by]}\n{text}"[:LONGEST_NOTE] if own.get(by, text) != text else text
        db.run(_NOTE, work, by, both, at)
    return conflict


def votes_twice(
    ours: Mapping[str, Any], theirs: Mapping[str, Any]
) -> list[tuple[str, str, Any, Any]]:
    """(stage, screener, own row, row of the other) of each vote that one screener has given both of
    a work and of one that joins it, where the votes differ.
    """
    votes = {(row[0], row[1]): row for row in ours["decisions"] if row[1]}
    return [
        (row[0], row[1], votes[row[0], row[1]], row)
        for row in theirs["decisions"]
        if (row[0], row[1]) in votes and votes[row[0], row[1]][2:4] != row[2:4]
    ]


def copy_tags(db: Database, work: int, others: Iterable[int]) -> None:
    db.run_many(
        "INSERT OR IGNORE INTO tag (work, text) SELECT ?, text FROM tag WHERE work = ?",
        [(work, other) for other in others],
    )
