"""Saved searches: what is asked, how often, and for whom."""

from __future__ import annotations

import datetime as dt
import difflib
import hashlib
import secrets
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from metasearch.adapters.specs.ownspecs import is_path
from metasearch.engine.options import MAX_PER_SOURCE, check
from metasearch.errors import Conflict, UsageError
from metasearch.message import message
from metasearch.query import parse_years, read
from metasearch.workspace.runs import sentences
from metasearch.workspace.saved import schedule as schedules
from metasearch.workspace.saved.schedule import QUIET_HOURS, Hours
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import now, written
from metasearch.workspace.store.uids import uid
from metasearch.workspace.strategies.strategies import check_sources
from metasearch.workspace.texts import checked_text

if TYPE_CHECKING:
    from metasearch.adapters.specs.registry import Registry

#: Bounds: saved searches of a workspace; characters of a name.
MOST, LONGEST_NAME = 10_000, 100
#: Records of each source in a run, where a saved search names no number.
PER_SOURCE = 100
#: Random bytes in the address of a feed.
_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSearch:
    """A saved search.

    Attributes:
        id: Of its row.
        uid: Its name in addresses; it never changes.
        owner: The uid of the user whose it is; "" on a server without users.
        name: For people; unique among those of the owner.
        query: As typed.
        syntax: One of `metasearch.query.CHOICES`.
        sources: Names of sources and groups; none means the default set.
        years: As typed: "2015-2020", or "".
        per_source: Records of each source in a run; None takes `PER_SOURCE`.
        schedule: "", "daily", "weekly mon", "monthly 1".
        next_run: The moment of the next run; None where none is planned.
        paused: Why none is planned any more, as a `Message` where it can be translated; "" where it
            is not paused.
        email: Whether its news are sent by e-mail.
        feed: The secret part of the address of its feed.
        baseline: The `digest` of what the last run asked; "" before the first one.
        created: When it was made.
        version: Grows with each change.
    """

    id: int
    uid: str
    owner: str
    name: str
    query: str
    syntax: str
    sources: tuple[str, ...]
    years: str
    per_source: int | None
    schedule: str
    next_run: str | None
    paused: str
    email: bool
    feed: str
    baseline: str
    created: str
    version: int

    @property
    def digest(self) -> str:
        """SHA-256 of what it asks. Where it is not `baseline`, the next run is a baseline."""
        asked = [self.query, self.syntax, sorted(self.sources), self.years, self.per_source]
        return hashlib.sha256(orjson.dumps(asked)).hexdigest()


def check_known(registry: Registry, sources: Sequence[str]) -> None:
    """Check that there are such sources and groups now. Later they may be gone; the runs say so.
    Raises UnknownSource: there is none of this name.
    """
    known = set(registry.names())
    for name in registry.expand(sources):
        if name not in known:
            registry.spec(name)


def create(
    db: Database,
    name: str,
    query: str,
    *,
    owner: str = "",
    syntax: str = "auto",
    sources: Sequence[str] = (),
    years: str = "",
    per_source: int | None = None,
    schedule: str = "",
    email: bool = False,
    check_owner: Callable[[Database, str], object] | None = None,
) -> SavedSearch:
    """Save a search. With a schedule its first run, the baseline, is due at once.

    `sources`: names of sources and groups; whether there are such is known when they are asked.
    `schedule`: see `schedule.checked`. `check_owner`: raises where the owner may not have one more;
    see `quotas.check_new`. Raises QuerySyntaxError: the query or the years cannot be read, with the
    place; UsageError: another one has the name, a value cannot be used, or there are too many.
    """
    name = _name(name)
    asked = _asked(query, syntax, sources, years, per_source)
    planned = schedules.checked(schedule)
    with db.transaction():
        _check_number(db)
        if check_owner is not None:
            check_owner(db, owner)
        _check_free(db, owner, name)
        number = db.run(
            "INSERT INTO saved_search (uid, owner, name, query, syntax, sources, years, options,"
            " schedule, next_run, email, feed, created)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            uid(),
            owner,
            name,
            *asked,
            planned,
            now() if planned else None,
            int(email),
            _secret(),
            now(),
        )
    return by_id(db, number)


def find(db: Database, owner: str, name: str) -> SavedSearch:
    """The saved search of an owner with this name or uid. Raises UsageError: the owner has none."""
    row = db.one(
        "SELECT * FROM saved_search WHERE owner = ?1 AND (name = ?2 OR uid = ?2)"
        " ORDER BY name = ?2 DESC LIMIT 1",
        owner,
        name,
    )
    if row is not None:
        return _saved(row)
    names = [row["name"] for row in db.all("SELECT name FROM saved_search WHERE owner = ?", owner)]
    near = difflib.get_close_matches(name[:LONGEST_NAME], names[:1_000], n=3)
    raise UsageError(
        message("There is no saved search {name}", name=repr(name[:LONGEST_NAME])),
        advice=message("Did you mean {names}?", names=", ".join(near))
        if near
        else message("`metasearch saved list` shows all; `metasearch saved add` makes one."),
    )


def by_id(db: Database, number: int) -> SavedSearch:
    """The saved search of a row. Raises UsageError: there is none any more."""
    row = db.one("SELECT * FROM saved_search WHERE id = ?", number)
    if row is None:
        raise UsageError(message("This saved search has been removed"))
    return _saved(row)


def of(db: Database, owner: str) -> list[SavedSearch]:
    """All of an owner, by name."""
    rows = db.all("SELECT * FROM saved_search WHERE owner = ? ORDER BY name, id", owner)
    return [_saved(row) for row in rows]


def update(
    db: Database,
    saved: SavedSearch,
    *,
    name: str | None = None,
    query: str | None = None,
    syntax: str | None = None,
    sources: Sequence[str] | None = None,
    years: str | None = None,
    per_source: int | None = None,
    schedule: str | None = None,
    email: bool | None = None,
    resume: bool = False,
    baseline: bool = False,
    version: int | None = None,
    hours: Hours = QUIET_HOURS,
) -> SavedSearch:
    """Change a saved search; what is None stays.

    `schedule`: see `schedule.checked`. `baseline`: whether the change may begin a new baseline,
    where it asks something else. `version`: that on which the change is based; None for the one
    that stands. Raises Conflict: another version stands. Raises UsageError: a value cannot be used;
    or something else is asked, and `baseline` is false.
    """
    with db.transaction():
        old = by_id(db, saved.id)
        new: dict[str, Any] = {
            "name": old.name if name is None else _name(name),
            "query": old.query if query is None else query,
            "syntax": old.syntax if syntax is None else syntax,
            "sources": old.sources if sources is None else tuple(sources),
            "years": old.years if years is None else years,
            "per_source": old.per_source if per_source is None else per_source,
            "schedule": old.schedule if schedule is None else schedules.checked(schedule),
            "email": old.email if email is None else email,
        }
        if version is not None and version != old.version:
            raise Conflict(
                message("The saved search {name} has been changed meanwhile", name=old.name),
                yours={key: value for key, value in new.items() if value != getattr(saved, key)},
                theirs={key: getattr(old, key) for key in new},
                version=old.version,
            )
        if new["name"] != old.name:
            _check_free(db, old.owner, new["name"])
        packed = _asked(
            new["query"], new["syntax"], new["sources"], new["years"], new["per_source"]
        )
        db.run(
            "UPDATE saved_search SET name = ?, query = ?, syntax = ?, sources = ?, years = ?,"
            " options = ?, schedule = ?, email = ?, version = version + 1 WHERE id = ?",
            new["name"],
            *packed,
            new["schedule"],
            int(new["email"]),
            old.id,
        )
        changed = by_id(db, old.id)
        anew = changed.digest != old.digest
        if anew and old.baseline and not baseline:
            raise UsageError(
                message(
                    "Another query, other sources or years begin a new baseline: the next run "
                    "tells nothing, and the runs after it tell what is new since then"
                ),
                advice=message(
                    "Confirm this (on the command line with --baseline), or save another search."
                ),
            )
        if resume:
            go_on(db, old)
        if anew or resume or changed.schedule != old.schedule:
            at = schedules.next_run(changed.schedule, changed.uid, dt.datetime.now(dt.UTC), hours)
            paused = bool(old.paused) and not resume
            soon = anew or resume or not old.baseline
            plan(db, changed, None if paused or at is None else now() if soon else _written(at))
    return by_id(db, saved.id)


def plan(db: Database, saved: SavedSearch, at: str | None) -> None:
    """Set the moment of the next run; None plans none."""
    db.run("UPDATE saved_search SET next_run = ? WHERE id = ?", at, saved.id)


def has_run(db: Database, saved: SavedSearch) -> None:
    """Note what a run has asked: the runs after it tell what is new since then."""
    db.run("UPDATE saved_search SET baseline = ? WHERE id = ?", saved.digest, saved.id)


def pause(db: Database, saved: SavedSearch, reason: str) -> None:
    """Plan no more runs, because of `reason`, a `Message` where it can be translated."""
    db.run(
        "UPDATE saved_search SET next_run = NULL, paused = ?, sentences = ? WHERE id = ?",
        reason,
        sentences.packed(paused=reason),
        saved.id,
    )


def go_on(db: Database, saved: SavedSearch) -> None:
    """Take the pause away; when the next run is, `plan` sets."""
    db.run("UPDATE saved_search SET paused = '', sentences = '' WHERE id = ?", saved.id)


def remove(db: Database, saved: SavedSearch) -> None:
    """Remove a saved search with its runs, its news and its feed."""
    with db.transaction():
        db.run("DELETE FROM saved_search WHERE id = ?", saved.id)


def new_feed(db: Database, saved: SavedSearch) -> SavedSearch:
    """Give the feed another address; the one that it had is not answered any more."""
    with db.transaction():
        db.run(
            "UPDATE saved_search SET feed = ?, version = version + 1 WHERE id = ?",
            _secret(),
            saved.id,
        )
    return by_id(db, saved.id)


# ------------------------------------------------------------------------- checks


def _name(name: str) -> str:
    try:
        text = checked_text(name, LONGEST_NAME)
    except UsageError as exc:
        raise UsageError(
            message("This cannot be a name: {reason}", reason=exc.message),
            advice=message("A name has 1 to {most} characters.", most=LONGEST_NAME),
        ) from None
    if not text:
        raise UsageError(
            message("A saved search needs a name"),
            advice=message("A name has 1 to {most} characters.", most=LONGEST_NAME),
        )
    return text


def _asked(
    query: str, syntax: str, sources: Sequence[str], years: str, per_source: int | None
) -> tuple[str, str, str, str, str]:
    """The columns of what is asked. Raises UsageError: it cannot be asked."""
    read(query, syntax)
    if years:
        parse_years(years)
    named = check_sources(sources)
    for name in named:
        if is_path(name):
            raise UsageError(
                message("{name} is a file; a saved search names sources", name=repr(name)),
                advice=message("Put the file into the folder of [sources] in the configuration."),
            )
    check("per_source", per_source, 1, MAX_PER_SOURCE)
    options: Mapping[str, int] = {} if per_source is None else {"per_source": per_source}
    return query, syntax, orjson.dumps(named).decode(), years, orjson.dumps(options).decode()


def _check_number(db: Database) -> None:
    if db.value("SELECT count(*) FROM saved_search") >= MOST:
        raise UsageError(
            message("A workspace holds at most {most} saved searches", most=f"{MOST:,}"),
            advice=message("Remove one first."),
        )


def _check_free(db: Database, owner: str, name: str) -> None:
    if db.one("SELECT 1 FROM saved_search WHERE owner = ? AND name = ?", owner, name) is not None:
        raise UsageError(
            message("There is a saved search {name} already", name=repr(name)),
            advice=message("Choose another name."),
        )


def _secret() -> str:
    return secrets.token_urlsafe(_SECRET_BYTES)


def _written(at: dt.datetime) -> str:
    return written(at.timestamp())


def _saved(row: sqlite3.Row) -> SavedSearch:
    return SavedSearch(
        id=row["id"],
        uid=row["uid"],
        owner=row["owner"],
        name=row["name"],
        query=row["query"],
        syntax=row["syntax"],
        sources=tuple(orjson.loads(row["sources"])),
        years=row["years"],
        per_source=orjson.loads(row["options"]).get("per_source"),
        schedule=row["schedule"],
        next_run=row["next_run"],
        paused=sentences.sentence(
            row["paused"], sentences.unpacked(row["sentences"]).get("paused")
        ),
        email=bool(row["email"]),
        feed=row["feed"],
        baseline=row["baseline"],
        created=row["created"],
        version=row["version"],
    )
