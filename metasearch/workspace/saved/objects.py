"""Saved searches as objects for JSON, by `--json` and by the JSON interface. Members may be added;
those that are here keep their names and their meaning.
"""

from __future__ import annotations

from typing import Any

from metasearch.formats.answer import hit_object
from metasearch.workspace.saved.history import SavedRun
from metasearch.workspace.saved.saved import SavedSearch
from metasearch.workspace.saved.told import News

#: An object for JSON.
Object = dict[str, Any]


def saved(shown: SavedSearch, base: str = "") -> Object:
    """A saved search, with the addresses of its feed. `base`: absolute address of the server,
    without a slash at its end; "" where it is not known.
    """
    return {
        "uid": shown.uid,
        "name": shown.name,
        "query": shown.query,
        "syntax": shown.syntax,
        "sources": list(shown.sources),
        "years": shown.years,
        "per_source": shown.per_source,
        "schedule": shown.schedule,
        "next_run": shown.next_run,
        "paused": shown.paused,
        "email": shown.email,
        "feed": {ending: f"{base}/feeds/{shown.feed}.{ending}" for ending in ("atom", "json")},
        "created": shown.created,
        "version": shown.version,
    }


def run(shown: SavedRun) -> Object:
    """A run of a saved search."""
    return {
        "number": shown.number,
        "status": shown.status,
        "baseline": shown.baseline,
        "started": shown.started,
        "ended": shown.ended,
        "works": shown.works,
        "told": shown.told,
        "waiting": shown.waiting,
        "passed_over": shown.passed_over,
        "error": shown.error,
        "sources": dict(shown.sources),
    }


def news(shown: News) -> Object:
    """A piece of news, with its work."""
    return {
        "id": shown.id,
        "uid": shown.uid,
        "kind": shown.kind,
        "run": shown.run,
        "at": shown.at,
        "work": hit_object(shown.hit),
    }
