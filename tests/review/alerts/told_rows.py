"""Saved searches that have told something, and users, for tests of feeds and e-mails."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from metasearch.formats import hits
from metasearch.record import Author, Hit, Record
from metasearch.review.alerts import news, saved_searches
from metasearch.review.alerts import news as history
from metasearch.review.alerts.news import Kind
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.store.database import Database

AT = "2026-11-20T10:00:00Z"


def work(title: str = "Gene drives in island mice", **fields: Any) -> Hit:
    """A work of one record."""
    known: dict[str, Any] = {
        "title": title,
        "authors": (Author("Ada Byron", "Byron", "Ada"),),
        "year": 2026,
        "venue": "Journal of Islands",
        "url": "https://example.org/works/1",
    }
    record = Record(source="alpha", source_id=title[:20], position=1, **(known | fields))
    return Hit(id=f"alpha:{title[:20]}", record=record, records=(record,), provenance={})


def search(db: Database, name: str = "drives", owner: str = "", **fields: Any) -> SavedSearch:
    """A saved search whose news are sent by e-mail."""
    return saved_searches.create(db, name, "gene drive", owner=owner, **({"email": True} | fields))


def tell(db: Database, of: SavedSearch, works: Iterable[Hit], kind: Kind = "new") -> None:
    """Have a saved search tell of works; the first of them is the newest."""
    with db.transaction():
        run = history.begin(db, of)
        news.add_news(db, run, [(kind, hits.write(each)) for each in works])
        history.end_done(db, run, works=1, waiting=0, passed_over=0, statuses={"alpha": "ok"})


def user(db: Database, uid: str = "u1", email: str = "ada@example.org", **fields: Any) -> str:
    """A user with an address that is proved; returns its uid."""
    preferences = orjson.dumps(fields.pop("preferences", {})).decode()
    db.run(
        "INSERT INTO user (uid, name, email, proved, role, disabled, preferences, created)"
        " VALUES (?, ?, ?, ?, 'user', ?, ?, ?)",
        uid,
        uid,
        email,
        email,
        fields.get("disabled", 0),
        preferences,
        AT,
    )
    return uid
