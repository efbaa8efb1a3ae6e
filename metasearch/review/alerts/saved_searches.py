"""Saved searches: what is asked, when, and for whom.

All times are UTC. Within the hours each saved search has a second of its own, by a hash of its uid:
a thousand of them are not run in one minute.
"""

from __future__ import annotations

import calendar
import datetime as dt
import difflib
import hashlib
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import orjson

from metasearch.adapters.specs.specfile import is_path
from metasearch.engine.options import MAX_PER_SOURCE, check
from metasearch.errors import UsageError
from metasearch.message import message, message_from_json
from metasearch.query import parse_years, read
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.store import values
from metasearch.review.store.database import Database
from metasearch.review.store.table import EditedTable
from metasearch.review.store.values import (
    clean_text,
    moment_text,
    now,
    uid,
)
from metasearch.review.strategies.strategies import check_sources
from metasearch.settings.alerts import AlertsSettings

if TYPE_CHECKING:
    from metasearch.adapters.specs.registry import Registry


#: The days of "weekly ...", Monday first.
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
#: First hour, and the hour at whose beginning the last run is over: see `[alerts] hours`.
Hours = tuple[int, int]
#: Where nothing is configured.
QUIET_HOURS: Hours = AlertsSettings().hours
#: Seconds after a run that failed until the next one, doubled with each further failure.
BACK_OFF = 3_600.0
#: Failures in a row after which none is planned.
MOST_FAILURES = 7
_LONGEST = 40
_LAST_DAY = 31
_WEEKLY = re.compile(rf"weekly ({'|'.join(DAYS)})[a-z]*")
_MONTHLY = re.compile(r"monthly ([0-9]{1,2})")


def parse_schedule(text: str) -> str:
    """A schedule as it is kept: "", "daily", "weekly mon", "monthly 1".

    "weekly" alone is on Mondays, "monthly" alone on the first day. Raises UsageError: it is none.
    """
    plain = " ".join(text[: _LONGEST + 1].lower().split())
    if plain in ("", "none", "never"):
        return ""
    if plain == "daily":
        return plain
    if plain in ("weekly", "monthly"):
        return "weekly mon" if plain == "weekly" else "monthly 1"
    if (weekly := _WEEKLY.fullmatch(plain)) and _is_day(plain.split()[1]):
        return f"weekly {weekly[1]}"
    if (monthly := _MONTHLY.fullmatch(plain)) and 1 <= int(monthly[1]) <= _LAST_DAY:
        return f"monthly {int(monthly[1])}"
    raise UsageError(
        message("{schedule} is no schedule", schedule=repr(text[:_LONGEST])),
        advice=message("Write daily, weekly mon (tue, wed ...), monthly 1 (to 31), or none."),
    )


def _is_day(word: str) -> bool:
    """Whether a word is a day, short or whole: "mon", "thurs", "monday"."""
    names = [name.lower() for name in calendar.day_name]
    return len(word) >= len(DAYS[0]) and any(name.startswith(word) for name in names)


def next_run(
    schedule: str, uid: str, after: dt.datetime, hours: Hours = QUIET_HOURS
) -> dt.datetime | None:
    """The first run that a schedule has after a moment; None where it has none.

    `schedule`: as `checked` returns it. `after`: with a time zone. `hours`: in which runs begin;
    the end may lie on the next day (22, 4).
    """
    if not schedule:
        return None
    after = after.astimezone(dt.UTC)
    begin = dt.timedelta(hours=hours[0], seconds=_second(uid, hours))
    # Hours that reach into the next day: the run of yesterday may still come.
    day = after.date() - dt.timedelta(days=1)
    while True:
        at = dt.datetime.combine(day, dt.time(), dt.UTC) + begin
        if at > after and _is_on(schedule, day):
            return at
        day += dt.timedelta(days=1)


def after_failure(failures: int, uid: str, at: dt.datetime) -> dt.datetime | None:
    """When to try again after that many failures in a row; None after too many. `failures`: from 1.
    `at`: the moment of the last one.
    """
    if failures >= MOST_FAILURES:
        return None
    wait = BACK_OFF * 2 ** (failures - 1)
    return at + dt.timedelta(seconds=round(wait * (1 + _share(uid) / 4)))


def _is_on(schedule: str, day: dt.date) -> bool:
    kind, _, which = schedule.partition(" ")
    if kind == "weekly":
        return day.weekday() == DAYS.index(which)
    if kind == "monthly":
        last = calendar.monthrange(day.year, day.month)[1]
        return day.day == min(int(which), last)
    return True


def _second(uid: str, hours: Hours) -> int:
    """Seconds after the first hour."""
    length = (hours[1] - hours[0]) % 24 or 24
    return int(_share(uid) * length * 3600)


def _share(uid: str) -> float:
    """A number from 0 to 1 that a uid always has, and that all are spread over."""
    digest = hashlib.blake2b(uid.encode(), digest_size=6).digest()
    return int.from_bytes(digest) / 2**48


#: Bounds: saved searches of a workspace; characters of a name.
MOST, LONGEST_NAME = 10_000, 100
#: The "syntax" of a saved search for works that cite the included ones of a project: its query is
#: the uid of the project.
CITATIONS = "citations"
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
        syntax: One of `metasearch.query.CHOICES`, or `CITATIONS`.
        sources: Names of sources and groups; none means the default set.
        years: As typed: "2015-2020", or "".
        options: `per_source`, where one is named.
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
    options: Mapping[str, int]
    schedule: str
    next_run: str | None
    paused: str
    email: bool
    feed: str
    baseline: str
    created: str
    version: int

    @property
    def per_source(self) -> int | None:
        return self.options.get("per_source")

    @property
    def digest(self) -> str:
        """SHA-256 of what it asks. Where it is not `baseline`, the next run is a baseline."""
        asked = [self.query, self.syntax, sorted(self.sources), self.years, self.per_source]
        return hashlib.sha256(orjson.dumps(asked)).hexdigest()


SAVED_SEARCHES = EditedTable(
    "saved_search",
    SavedSearch,
    ("name", "query", "syntax", "sources", "years", "options", "schedule", "email"),
    open="options",
    computed={
        "paused": lambda _, row: message_from_json(
            row["paused"], values.unpack_sentences(row["sentences"]).get("paused")
        )
    },
)


def check_sources_exist(registry: Registry, sources: Sequence[str]) -> None:
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
    `schedule`: see `checked`. `check_owner`: raises where the owner may not have one more;
    see `quotas.check_new`. Raises QuerySyntaxError: the query or the years cannot be read, with the
    place; UsageError: another one has the name, a value cannot be used, or there are too many.
    """
    name = _name(name)
    named = _check_search(query, syntax, sources, years, per_source)
    planned = parse_schedule(schedule)
    with db.transaction():
        if syntax == CITATIONS:
            query = cited_project(db, owner, query).uid
        _check_number(db)
        if check_owner is not None:
            check_owner(db, owner)
        _check_free(db, owner, name)
        number = db.insert(
            "saved_search",
            uid=uid(),
            owner=owner,
            name=name,
            query=query,
            syntax=syntax,
            sources=named,
            years=years,
            options={} if per_source is None else {"per_source": per_source},
            schedule=planned,
            next_run=now() if planned else None,
            email=email,
            feed=_secret(),
            created=now(),
        )
    return by_id(db, number)


def find(db: Database, owner: str, name: str) -> SavedSearch:
    """The saved search of an owner with this name or uid. Raises UsageError: the owner has none."""
    where = "owner = ?1 AND (name = ?2 OR uid = ?2) ORDER BY name = ?2 DESC"
    if (found := SAVED_SEARCHES.one(db, where, owner, name)) is not None:
        return found
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
    found = SAVED_SEARCHES.one(db, "id = ?", number)
    if found is None:
        raise UsageError(message("This saved search has been removed"))
    return found


def of(db: Database, owner: str) -> list[SavedSearch]:
    """All of an owner, by name."""
    return SAVED_SEARCHES.all(db, "owner = ? ORDER BY name, id", owner)


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

    `schedule`: see `checked`. `baseline`: whether the change may begin a new baseline,
    where it asks something else. `version`: that on which the change is based; None for the one
    that stands. Raises Conflict: another version stands. Raises UsageError: a value cannot be used;
    or something else is asked, and `baseline` is false.
    """
    with db.transaction():
        old = by_id(db, saved.id)
        new = replace(
            old,
            name=old.name if name is None else _name(name),
            query=old.query if query is None else query,
            syntax=old.syntax if syntax is None else syntax,
            sources=old.sources if sources is None else check_sources(sources),
            years=old.years if years is None else years,
            options=old.options if per_source is None else {"per_source": per_source},
            schedule=old.schedule if schedule is None else parse_schedule(schedule),
            email=old.email if email is None else email,
        )
        clash = message("The saved search {name} has been changed meanwhile", name=old.name)
        SAVED_SEARCHES.changes(old, new, version, clash)
        if new.name != old.name:
            _check_free(db, old.owner, new.name)
        _check_search(new.query, new.syntax, new.sources, new.years, new.per_source)
        if new.syntax == CITATIONS:
            new = replace(new, query=cited_project(db, old.owner, new.query).uid)
        changed = SAVED_SEARCHES.save(db, old, new)
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
            at = next_run(changed.schedule, changed.uid, dt.datetime.now(dt.UTC), hours)
            paused = bool(old.paused) and not resume
            soon = anew or resume or not old.baseline
            plan(db, changed, None if paused or at is None else now() if soon else _as_text(at))
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
        values.pack_sentences(paused=reason),
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


def _name(name: str) -> str:
    try:
        text = clean_text(name, LONGEST_NAME)
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


def _check_search(
    query: str, syntax: str, sources: Sequence[str], years: str, per_source: int | None
) -> tuple[str, ...]:
    """The names of the sources, each once. Raises UsageError: this cannot be asked."""
    if syntax != CITATIONS:
        read(query, syntax)
    elif years:
        raise UsageError(message("A search for citations has no years"))
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
    return named


def cited_project(db: Database, owner: str, name: str) -> Project:
    """The project whose included works a saved search follows. Raises UsageError: there is none of
    this name or uid, or the owner is no member of it.
    """
    name = name.strip()[:LONGEST_NAME]
    if not owner:
        return projects.find(db, name)
    from metasearch.review.projects import members

    found = members.project_of(db, name, owner)
    if found is None:
        raise UsageError(message("There is no project {name}", name=repr(name)))
    return found[0]


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


def _as_text(at: dt.datetime) -> str:
    return moment_text(at.timestamp())
