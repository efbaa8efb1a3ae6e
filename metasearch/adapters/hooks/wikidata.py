"""Wikidata answers in two steps: items by relevance, then what is known of each of them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import orjson

from metasearch.adapters.parse.parse import PageContent, Steps, body_steps
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.translate.plan import next_request


def steps(page: Page, spec: AdapterSpec) -> Steps:
    """The request for the items that a search found; or their records, and the next search."""
    query = _query(page.body)
    if query is not None:
        return _after_search(query, page, spec)
    parsed = yield from body_steps(page, spec)
    return replace(parsed, next=page.request.after)


def _query(body: bytes) -> dict[str, Any] | None:
    """The answer of the search, or None where the body is something else."""
    with suppress(orjson.JSONDecodeError):
        whole = orjson.loads(body)
        query = whole.get("query") if isinstance(whole, dict) else None
        if isinstance(query, dict) and isinstance(query.get("search"), list):
            return query
    return None


def _after_search(query: dict[str, Any], page: Page, spec: AdapterSpec) -> PageContent:
    hits = query["search"][: page.request.size]  # of their names the next address is made
    ids = [
        hit["title"] for hit in hits if isinstance(hit, dict) and isinstance(hit.get("title"), str)
    ]
    info = query.get("searchinfo")
    total = info.get("totalhits") if isinstance(info, dict) else None
    total = total if isinstance(total, int) and total >= 0 else None
    if not ids:
        return PageContent(total=total or 0)
    after = next_request(spec, page.request, got=len(ids), total=total, cursor=None)
    return PageContent(total=total, next=_items(replace(page.request, after=after), ids))


def _items(request: Request, ids: list[str]) -> Request:
    params = (
        ("action", "wbgetentities"),
        ("ids", "|".join(ids)),
        ("props", "labels|aliases|claims"),
        ("languages", "en|mul|de|fr|es|zh|ja"),
        ("format", "json"),
        ("formatversion", "2"),
    )
    return replace(request, params=params, step="items")
