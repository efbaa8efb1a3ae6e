"""The news of a saved search as a feed: Atom, and JSON Feed 1.1.

Late arrivals are not in it: a source that was away would push everything else out.
Feed readers cannot log in, so the address of a feed is a secret by itself; a new one revokes it.
"""

from __future__ import annotations

import datetime as dt
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import format_datetime
from typing import Any
from urllib.parse import urlsplit

import orjson
from aiohttp import web

from metasearch.formats import feeds, hits
from metasearch.formats.text import line
from metasearch.record import Hit
from metasearch.review.alerts.news import OWNER_MAY, language_of_owner, news_title
from metasearch.review.service import WORKSPACE
from metasearch.review.store.database import Database
from metasearch.server.middleware import count
from metasearch.server.problem import Problem
from metasearch.server.search_answers import cacheable_response
from metasearch.server.site import SHARED, site_of

log = logging.getLogger(__name__)

#: Entries of a feed, the newest ones.
MOST_ENTRIES = 100
#: From when the ids of entries are good (RFC 4151).
_SINCE = "2026"
_SECRET = re.compile(r"[A-Za-z0-9_-]{20,100}", re.ASCII)
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?", re.ASCII)
#: Of ids, on a server without a name.
_NO_HOST = "localhost"


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """A piece of news. `kind`: what has happened to the work, one of `told.KINDS` but late. `at`:
    when it was first seen, UTC.
    """

    uid: str
    kind: str
    hit: Hit
    at: dt.datetime


@dataclass(frozen=True, slots=True)
class Feed:
    """The news of a saved search.

    Attributes:
        language: Tag of that of the words that are not those of records.
        created: When the saved search was made, UTC.
        entries: The newest first, at most `MOST_ENTRIES`.
    """

    uid: str
    name: str
    query: str
    language: str
    created: dt.datetime
    entries: tuple[FeedEntry, ...]

    @property
    def updated(self) -> dt.datetime:
        """When the newest entry was added; when the saved search was made, where there is none."""
        return max((entry.at for entry in self.entries), default=self.created)


def feed_of_secret(db: Database, secret: str) -> Feed | None:
    """The feed at an address; None where it never was, was revoked, or is of a user who is switched
    off or may save no searches any more.
    """
    if not _SECRET.fullmatch(secret):
        return None
    with db.snapshot():
        row = db.one(
            f"SELECT id FROM saved_search WHERE feed = ? AND {OWNER_MAY}",  # noqa: S608, own words
            secret,
        )
        return None if row is None else read_feed(db, row["id"])


def read_feed(db: Database, saved: int) -> Feed:
    with db.snapshot():
        search = db.all("SELECT * FROM saved_search WHERE id = ?", saved)[0]
        language = language_of_owner(db, search["owner"])
        rows = db.all(
            "SELECT uid, kind, hit, at FROM saved_news WHERE saved = ? AND kind <> 'late'"
            " ORDER BY id DESC LIMIT ?",
            saved,
            MOST_ENTRIES,
        )
    entries = []
    for row in rows:
        try:
            hit = hits.read(row["hit"])
        except ValueError:
            log.warning("news %s was written by another release: left out of feeds", row["uid"])
            continue
        entries.append(FeedEntry(row["uid"], row["kind"], hit, moment(row["at"])))
    return Feed(
        search["uid"],
        search["name"],
        search["query"],
        language,
        moment(search["created"]),
        tuple(entries),
    )


def moment(text: str) -> dt.datetime:
    """A moment as the workspace writes it."""
    return dt.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=dt.UTC)


def write_atom(feed: Feed, base: str, links: Mapping[str, str] | None = None) -> bytes:
    """The feed as Atom in UTF-8. `base`: absolute address of the server, whose host stands in the
    ids; "" where there is none. `links`: absolute addresses by relation: "self", "alternate".
    """
    root = feeds.head(_title(feed), _name(feed, base), feed.updated, links or {})
    for entry in feed.entries:
        feeds.add_entry(
            root,
            entry.hit,
            title=news_title(entry.kind, entry.hit.record, feed.language),
            name=_name(feed, base, entry),
            updated=entry.at,
        )
    return feeds.atom_bytes(root)


def write_json(feed: Feed, base: str, links: Mapping[str, str] | None = None) -> bytes:
    """The feed as JSON Feed 1.1; the arguments are those of `write_atom`."""
    known = links or {}
    addresses = {"home_page_url": known.get("alternate"), "feed_url": known.get("self")}
    whole = {
        "version": feeds.VERSION,
        "title": _title(feed),
        "description": line(feed.query),
        "language": feed.language,
        **{name: url for name, url in addresses.items() if url},
        "items": [_item(feed, base, entry) for entry in feed.entries],
    }
    return orjson.dumps(whole, option=orjson.OPT_APPEND_NEWLINE)


def _item(feed: Feed, base: str, entry: FeedEntry) -> dict[str, Any]:
    made = feeds.item(entry.hit)
    made |= {
        "id": _name(feed, base, entry),
        "title": news_title(entry.kind, entry.hit.record, feed.language),
        "date_modified": feeds.timestamp(entry.at),
    }
    made["_metasearch"] = {
        "kind": entry.kind,
        **{name: made["_metasearch"][name] for name in ("doi", "venue", "type", "sources")},
    }
    return made


def _title(feed: Feed) -> str:
    return f"metasearch: {line(feed.name)}"


def _name(feed: Feed, base: str, entry: FeedEntry | None = None) -> str:
    """The id of the feed, or of an entry: a tag URI."""
    host = (urlsplit(base).hostname or "").lower()
    host = host if _HOST.fullmatch(host) else _NO_HOST
    name = f"tag:{host},{_SINCE}:saved/{feed.uid}"
    return name if entry is None else f"{name}/{entry.uid}"


# `/feeds/SECRET.atom` and `.json`: the news of a saved search, for programs that cannot log in.
# Whoever knows the address may read it, so it is written nowhere: the log of requests has the route
# alone, answers have no referrer, and an address that is wrong or revoked is a 404 like any other.

#: Seconds after which a reader asks again.
_MAX_AGE = 900
#: The quota of requests, beside that of searches: guesses are bounded by it.
QUOTA = "feeds"

_Write = Callable[[Feed, str, Mapping[str, str]], bytes]


async def answer_atom(request: web.Request) -> web.Response:
    return await _answer(request, "atom", write_atom, "application/atom+xml")


async def answer_json(request: web.Request) -> web.Response:
    return await _answer(request, "json", write_json, "application/feed+json")


async def _answer(
    request: web.Request, ending: str, write: _Write, media_type: str
) -> web.Response:
    await count(request, QUOTA)
    shared, site = request.app[SHARED], site_of(request)
    secret = request.match_info["secret"]
    service = request.app.get(WORKSPACE)
    if service is None:
        raise Problem(404)
    async with shared.admission.brief():
        feed = await service.workspace.read(feed_of_secret, secret)
    if feed is None:
        raise Problem(404)
    headers = {
        "Cache-Control": f"private, max-age={_MAX_AGE}",
        "Last-Modified": format_datetime(feed.updated, usegmt=True),
    }
    since = request.if_modified_since
    if since is not None and "If-None-Match" not in request.headers and feed.updated <= since:
        return web.Response(status=304, headers=headers)
    links = {
        "self": site.url(f"/feeds/{secret}.{ending}"),
        "alternate": site.url(f"/saved/{feed.uid}"),
    }
    body = await shared.admission.written(lambda: write(feed, site.base, links), large=True)
    return cacheable_response(request, body, media_type, headers=headers)
