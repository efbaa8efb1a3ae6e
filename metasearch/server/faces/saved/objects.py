"""Saved searches as objects for JSON. Members may be added; those that are here keep their names
and their meaning.
"""

from __future__ import annotations

from metasearch.formats.answer import hit_object
from metasearch.server.faces.saved.mine import Shown
from metasearch.server.site import Site
from metasearch.workspace.objects import Object
from metasearch.workspace.saved.history import SavedRun
from metasearch.workspace.saved.saved import SavedSearch
from metasearch.workspace.saved.told import News


def saved(shown: SavedSearch, site: Site) -> Object:
    """A saved search, with the addresses of its feed."""
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
        "feed": {
            ending: site.url(f"/feeds/{shown.feed}.{ending}") for ending in ("atom", "json")
        },
        "created": shown.created,
        "version": shown.version,
    }


def with_runs(shown: Shown, site: Site) -> Object:
    """A saved search, its newest runs, and how much it has told."""
    runs = [run(each) for each in shown.runs]
    return saved(shown.saved, site) | {"news": shown.count, "runs": runs}


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
