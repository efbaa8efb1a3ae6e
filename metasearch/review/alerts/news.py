"""What is new in a run of a saved search; its runs, and what each source answered in them."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from metasearch.bib.work_ids import identifiers
from metasearch.dedup import Fingerprint, fingerprint
from metasearch.events import Status
from metasearch.formats import hits
from metasearch.formats.reference import full_title
from metasearch.language import DEFAULT, language_of, tag_of
from metasearch.message import N_, message, message_from_json
from metasearch.record import Hit, Record
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.store import values as sentences
from metasearch.review.store.database import Database
from metasearch.review.store.table import from_row
from metasearch.review.store.values import now, uid
from metasearch.review.works.records import in_marks, with_key

#: "stopped": before its end, by a shutdown or a crash; nothing of it was seen or told.
RunStatus = Literal["running", "done", "failed", "stopped"]
#: Runs of a saved search that are kept: the oldest ones without news are forgotten.
MOST_RUNS = 400
#: What a source says that has answered in full.
_ANSWERED = ("ok", "empty")


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSearchRun:
    """One run of a saved search.

    Attributes:
        id: Of its row.
        saved: Id of its saved search.
        number: Within the saved search, from 1.
        status: "failed" where no source answered: nothing of it was seen or told.
        baseline: Whether it begins a baseline: of it only retractions are told.
        started, ended: Moments; `ended` is None while it runs.
        works: That it found; None before its end.
        told: News that it told.
        waiting: Works that are left for the next run to tell, because one tells no more.
        passed_over: Works that are never told for the same reason: late ones, and those behind the
            places that are looked at.
        error: Why it failed, as a `Message` where it can be translated; "" where it did not.
        sources: Name -> status, one of `metasearch.events.Status`.
    """

    id: int
    saved: int
    number: int
    status: RunStatus
    baseline: bool
    started: str
    ended: str | None
    works: int | None
    told: int
    waiting: int
    passed_over: int
    error: str
    sources: Mapping[str, Status]

    @property
    def failed_sources(self) -> tuple[str, ...]:
        """Names of the sources that have not answered in full."""
        return tuple(
            name
            for name, status in self.sources.items()
            if status not in (*_ANSWERED, "running", "skipped")
        )


def runs_of(db: Database, saved: SavedSearch, *, most: int = 50) -> list[SavedSearchRun]:
    """The newest runs, the last one first."""
    return _runs(
        db,
        "SELECT * FROM saved_run WHERE saved = ? ORDER BY number DESC LIMIT ?",
        saved.id,
        most,
    )


def last(db: Database, saved: SavedSearch) -> SavedSearchRun | None:
    """The last run; None where there is none."""
    return next(iter(runs_of(db, saved, most=1)), None)


def by_id(db: Database, number: int) -> SavedSearchRun:
    """The run of a row, which must be there."""
    return _runs(db, "SELECT * FROM saved_run WHERE id = ?", number)[0]


def begin(db: Database, saved: SavedSearch) -> SavedSearchRun:
    """Begin a run, inside a transaction; one that was killed is marked as stopped."""
    _stop(db, "saved = ? AND status = 'running'", saved.id)
    number = db.run(
        "INSERT INTO saved_run (saved, number, status, baseline, started)"
        " SELECT ?, 1 + coalesce(max(number), 0), 'running', ?, ? FROM saved_run WHERE saved = ?",
        saved.id,
        int(saved.baseline != saved.digest),
        now(),
        saved.id,
    )
    db.run(
        "DELETE FROM saved_run WHERE saved = ?1 AND number <="
        " (SELECT max(number) FROM saved_run WHERE saved = ?1) - ?2"
        " AND NOT EXISTS (SELECT 1 FROM saved_news WHERE saved_news.run = saved_run.id)",
        saved.id,
        MOST_RUNS,
    )
    return by_id(db, number)


def end_done(
    db: Database,
    run: SavedSearchRun,
    *,
    works: int,
    waiting: int,
    passed_over: int,
    statuses: Mapping[str, str],
) -> None:
    """End a run in which a source answered, inside a transaction."""
    _answers(db, run, statuses)
    db.run(
        "UPDATE saved_run SET status = 'done', ended = ?, works = ?, waiting = ?, passed_over = ?"
        " WHERE id = ?",
        now(),
        works,
        waiting,
        passed_over,
        run.id,
    )


def end_failed(db: Database, run: SavedSearchRun, error: str, statuses: Mapping[str, str]) -> int:
    """End a run in which none did, inside a transaction; returns how many in a row have failed."""
    _answers(db, run, statuses)
    db.run(
        "UPDATE saved_run SET status = 'failed', ended = ?, error = ?, sentences = ? WHERE id = ?",
        now(),
        error,
        sentences.pack_sentences(error=error),
        run.id,
    )
    return int(
        db.value(
            "SELECT count(*) FROM saved_run WHERE saved = ?1 AND status = 'failed' AND number >"
            " (SELECT coalesce(max(number), 0) FROM saved_run WHERE saved = ?1"
            "  AND status = 'done')",
            run.saved,
        )
    )


def end_stopped(db: Database, run: SavedSearchRun) -> None:
    """End a run before its end."""
    _stop(db, "id = ? AND status = 'running'", run.id)


def sources_before(db: Database, run: SavedSearchRun) -> frozenset[str]:
    """The sources that answered in full in the last run before this one that was done."""
    rows = db.all(
        "SELECT source FROM saved_answer WHERE status IN ('ok', 'empty') AND run ="
        " (SELECT id FROM saved_run WHERE saved = ? AND status = 'done' AND number < ?"
        "  ORDER BY number DESC LIMIT 1)",
        run.saved,
        run.number,
    )
    return frozenset(row["source"] for row in rows)


def _stop(db: Database, where: str, value: int) -> None:
    error = message("the run was stopped before its end")
    db.run(
        "UPDATE saved_run SET status = 'stopped', ended = ?, error = ?, sentences = ?"  # noqa: S608, own words
        f" WHERE {where}",
        now(),
        error,
        sentences.pack_sentences(error=error),
        value,
    )


def _answers(db: Database, run: SavedSearchRun, statuses: Mapping[str, str]) -> None:
    db.run_many(
        "INSERT INTO saved_answer (run, source, status) VALUES (?, ?, ?)",
        [(run.id, source, status) for source, status in statuses.items()],
    )


def _runs(db: Database, sql: str, *values: object) -> list[SavedSearchRun]:
    return [_run(db, row) for row in db.all(sql, *values)]


def _run(db: Database, row: sqlite3.Row) -> SavedSearchRun:
    answers = db.all("SELECT source, status FROM saved_answer WHERE run = ? ORDER BY 1", row["id"])
    return from_row(
        SavedSearchRun,
        row,
        told=int(db.value("SELECT count(*) FROM saved_news WHERE run = ?", row["id"])),
        error=message_from_json(
            row["error"], sentences.unpack_sentences(row["sentences"]).get("error")
        ),
        sources={answer["source"]: answer["status"] for answer in answers},
    )


# What is new in a run of a saved search, what was told of it, and in which words. What saved
# searches have told: the entries of their feeds and e-mails.

#: new: a work that no run has found before. version: the article of a preprint that was known.
#: retracted: a known work that was retracted or corrected. late: an older work of a source that had
#: not answered in the run before.
Kind = Literal["new", "version", "retracted", "late"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: News of a saved search that are kept; the oldest are forgotten.
MOST_OF_A_SEARCH = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """One thing that a saved search has told.

    Attributes:
        id: Of its row; later ones are larger.
        uid: Of its entry in feeds; it never changes.
        saved: Id of the saved search.
        run: Number of the run within it.
        kind: One of `KINDS`.
        hit: The work as it was then.
        at: When it was told.
    """

    id: int
    uid: str
    saved: int
    run: int
    kind: Kind
    hit: Hit
    at: str


def news_of(
    db: Database,
    saved: SavedSearch,
    *,
    most: int = 50,
    before: int | None = None,
    run: int | None = None,
    kinds: Collection[str] = (),
) -> list[News]:
    """The news of a saved search, the last run first, and of a run the first ones of its list.

    Args:
        most: At most so many.
        before: Only those whose id is smaller.
        run: Only those of the run of this number.
        kinds: Only those of these kinds; none means all.
    """
    wanted = [kind for kind in KINDS if not kinds or kind in kinds]
    return _news(
        db,
        "news.saved = ? AND (? IS NULL OR news.id < ?) AND (? IS NULL OR saved_run.number = ?)"
        f" AND news.kind IN ({in_marks(wanted)}) ORDER BY news.id DESC LIMIT ?",
        saved.id,
        before,
        before,
        run,
        run,
        *wanted,
        most,
    )


def count_news(db: Database, saved: SavedSearch) -> int:
    return int(db.value("SELECT count(*) FROM saved_news WHERE saved = ?", saved.id))


def add_news(db: Database, run: SavedSearchRun, news: Sequence[tuple[Kind, bytes]]) -> None:
    """Keep what a run tells, inside a transaction. `news`: kinds, and hits as `formats/hits.py`
    writes them, in the order of the list.
    """
    at = now()
    db.run_many(
        "INSERT INTO saved_news (uid, run, saved, kind, hit, at) VALUES (?, ?, ?, ?, ?, ?)",
        [(uid(), run.id, run.saved, kind, hit, at) for kind, hit in reversed(news)],
    )
    db.run(
        "DELETE FROM saved_news WHERE saved = ?1 AND id <="
        " (SELECT id FROM saved_news WHERE saved = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
        run.saved,
        MOST_OF_A_SEARCH,
    )


def _news(db: Database, where: str, *values: object) -> list[News]:
    rows = db.all(
        "SELECT news.*, saved_run.number AS number FROM saved_news AS news"  # noqa: S608, own words
        f" JOIN saved_run ON saved_run.id = news.run WHERE {where}",
        *values,
    )
    return [one for row in rows if (one := _one(row)) is not None]


def _one(row: sqlite3.Row) -> News | None:
    try:
        hit = hits.read(row["hit"])
    except ValueError:  # of another release
        return None
    return from_row(News, row, run=row["number"], hit=hit)


# What is new in a run of a saved search, by what its works are called and never by their dates.
# Databases index works weeks after they appear, correct them, and are added to a set of sources: a
# date says little of whether a person has seen a work. So a work is new where none of its names was
# found in an earlier run. Nothing here knows of files or sources.

#: Names of a hit that are compared; a hit that has more is a merge that has gone wrong.
MOST_NAMES = 500
#: Characters of a name; a longer one is cut, and told from others by its hash.
LONGEST_NAME = 200
#: News of one run; what is more waits for the next one.
MOST_NEWS = 1_000
#: What is told first, where not all can be.
_FIRST: Sequence[Kind] = ("retracted", "version", "new", "late")
#: What sources say of a work, the gravest last.
_SAID = ("", "corrected", "retracted")
_NOTICES = frozenset({"erratum", "retraction"})


class WorkState(NamedTuple):
    """What was known of a work when it was last found. `said`: of it: 0 nothing, 1 that it was
    corrected, 2 that it was retracted.
    """

    preprint: bool = False
    said: int = 0

    def __str__(self) -> str:
        return " ".join(filter(None, ("preprint" if self.preprint else "", _SAID[self.said])))

    @classmethod
    def of(cls, text: str) -> WorkState:
        """The state of a text that `str` wrote."""
        words = text.split()
        return cls(
            "preprint" in words,
            max((_SAID.index(word) for word in words if word in _SAID), default=0),
        )


@dataclass(frozen=True, slots=True)
class WorkOfRun:
    """A work that a run has found. `names`: of all its records, sorted: keys, DOIs and other
    identifiers. `published`: sources that gave it in a form that is no preprint.
    """

    hit: Hit
    names: tuple[str, ...]
    state: WorkState
    sources: frozenset[str]
    published: frozenset[str]

    @classmethod
    def of(cls, hit: Hit) -> WorkOfRun:
        """What of a hit is compared."""
        prints = [fingerprint(record) for record in hit.records]
        published = {each.record.source for each in prints if each.form != "preprint"}
        names = sorted({name for record in hit.records for name in names_of(record)})
        return cls(
            hit,
            tuple(names[:MOST_NAMES]),
            WorkState(not published, _gravest_notice(prints)),
            frozenset(hit.sources),
            frozenset(published),
        )


@dataclass(frozen=True, slots=True)
class Judgement:
    """A work, and whether it is told. `kind`: what it is told as; None where it is not. `state`: to
    be kept under all its names.
    """

    found: WorkOfRun
    kind: Kind | None
    state: WorkState


class RunNews(NamedTuple):
    """What a run tells, and what it keeps.

    Attributes:
        seen: All works whose names are kept.
        told: Those of them that are told, in the order of the list.
        waiting: New works that are left for the next run, because one tells no more; their names
            are not kept.
        passed_over: Late works that are not told for the same reason; their names are kept.
    """

    seen: tuple[Judgement, ...]
    told: tuple[Judgement, ...]
    waiting: int
    passed_over: int


def names_of(record: Record) -> list[str]:
    """What a record, and with it its work, is called."""
    # The ISBN of a book is that of each of its chapters, too.
    own = [
        name
        for name in identifiers(record)
        if record.type == "book" or not name.startswith("isbn:")
    ]
    return [_bound_name(name) for name in (with_key(record).key, *own)]


def judge(
    found: Iterable[WorkOfRun],
    known: Mapping[str, WorkState],
    *,
    answered: Collection[str],
    year: int,
    baseline: bool = False,
) -> RunNews:
    """Decide what is told of the works of a run.

    Args:
        found: In the order of the list.
        known: Name -> state, of the names that earlier runs have found.
        answered: The sources that answered in full in the run before.
        year: The year in which the run is made.
        baseline: Whether only retractions are told.
    """
    judged = [_judge_work(one, known, answered, year, baseline) for one in found]
    left: set[int] = set()
    waiting = passed_over = 0
    places = [at for at, one in enumerate(judged) if one.kind is not None]
    if len(places) > MOST_NEWS:
        # Stable: within a kind the first ones of the list are told.
        places.sort(key=lambda at: _FIRST.index(judged[at].kind or "late"))
        for at in places[MOST_NEWS:]:
            if judged[at].kind == "late":
                # Its source has answered by the next run, which would tell all of them as new.
                judged[at] = Judgement(judged[at].found, None, judged[at].state)
                passed_over += 1
            else:
                left.add(at)
                waiting += 1
    seen = tuple(one for at, one in enumerate(judged) if at not in left)
    return RunNews(seen, tuple(one for one in seen if one.kind is not None), waiting, passed_over)


def _judge_work(
    found: WorkOfRun,
    known: Mapping[str, WorkState],
    answered: Collection[str],
    year: int,
    baseline: bool,
) -> Judgement:
    states = [known[name] for name in found.names if name in known]
    if not states:
        fresh = _is_fresh(found, found.sources, answered, year)
        return Judgement(found, None if baseline else "new" if fresh else "late", found.state)
    was = WorkState(all(state.preprint for state in states), max(state.said for state in states))
    # A source that fails does not take back what it has said.
    state = WorkState(was.preprint and found.state.preprint, max(was.said, found.state.said))
    kind: Kind | None = None
    if state.said > was.said:
        kind = "retracted"
    elif was.preprint and not state.preprint and not baseline:
        kind = "version" if _is_fresh(found, found.published, answered, year) else "late"
    return Judgement(found, kind, state)


def _is_fresh(
    found: WorkOfRun, sources: Collection[str], answered: Collection[str], year: int
) -> bool:
    """Whether these sources give a work that they would have given in the run before, if it had
    been there: one of them answered then. A work of this or last year is fresh in any case.
    """
    if any(source in answered for source in sources):
        return True
    return any(
        record.year is not None and record.year >= year - 1
        for record in found.hit.records
        if record.source in sources
    )


def _gravest_notice(prints: Sequence[Fingerprint]) -> int:
    """The gravest thing that the records of a work say of it."""
    if any(each.record.retracted for each in prints):
        return _SAID.index("retracted")
    notices = {
        kind for each in prints for kind in (each.record.type, each.notice) if kind in _NOTICES
    }
    # A notice alone is a work of its own: it says nothing of itself.
    if all(each.record.type in _NOTICES or each.notice in _NOTICES for each in prints):
        return 0
    return _SAID.index("retracted") if "retraction" in notices else 1 if notices else 0


def _bound_name(name: str) -> str:
    name = name.encode("utf-8", "replace").decode()
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()
    return f"{name[: LONGEST_NAME - len(digest) - 1]}~{digest}"


# What feeds and e-mails say of news, in the language of their reader.

#: The roles that may have saved searches, as `users.permissions` says, which a server without users
#: does not load; and, of a saved search, in SQL: whether its owner still may.
OWNER_ROLES = ("administrator", "user")
OWNER_MAY = (
    "(owner = '' OR EXISTS (SELECT 1 FROM user WHERE user.uid = saved_search.owner"  # noqa: S608, own words
    f" AND NOT user.disabled AND user.role IN {OWNER_ROLES}))"
)
#: What has happened to a work -> its title in feeds and e-mails; that of a new one says no more.
TITLES: Mapping[str, str] = {
    "version": N_("New version: {title}"),
    "retracted": N_("Retracted: {title}"),
    "corrected": N_("Corrected: {title}"),
    "late": N_("Late arrival: {title}"),
}
#: Characters of a title.
_LONGEST = 1_000


def news_title(kind: str, record: Record, language: str) -> str:
    """The title of a work with what has happened to it, on one line."""
    happened = "corrected" if kind == "retracted" and not record.retracted else kind
    phrase = language_of(language).phrase
    title = full_title(record)[:_LONGEST] or phrase("Without a title")
    return phrase(TITLES[happened], title=title) if happened in TITLES else title


def language_of_owner(db: Database, owner: str) -> str:
    """The tag of the language that a user has chosen for the pages; English where none was."""
    kept = db.value("SELECT preferences FROM user WHERE uid = ?", owner) if owner else None
    return language_in(kept or "{}")


def language_in(preferences: str) -> str:
    """The language of the preferences of a user, as the table keeps them."""
    try:
        chosen = json.loads(preferences)
    except ValueError:
        chosen = None
    tag = chosen.get("language") if isinstance(chosen, dict) else None
    return (tag_of(tag) if isinstance(tag, str) else None) or DEFAULT
