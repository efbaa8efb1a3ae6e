"""The list that /search has, to compare those of the clients with."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

#: Query, and further parameters -> the hits of its first page, as /search has them.
Listed = Callable[..., list[dict[str, Any]]]


def list_of(server: str) -> Listed:
    """The lists of a server; each is asked for once."""

    @cache
    def listed(query: str, **parameters: object) -> list[dict[str, Any]]:
        body = fetched(f"{server}/search", q=query, format="json", **parameters)
        hits = json.loads(body)["hits"]
        assert len(hits) >= 20
        return hits

    return listed


def fetched(url: str, headers: dict[str, str] | None = None, **parameters: object) -> bytes:
    """The body of an answer; an error of HTTP is an error."""
    address = f"{url}?{urlencode(parameters)}" if parameters else url
    with urlopen(Request(address, headers=headers or {}), timeout=60) as answer:
        return answer.read()


def full_title(hit: dict[str, Any]) -> str:
    """Title and subtitle, as formats with one field for both have them."""
    return f"{hit['title']}: {hit['subtitle']}" if hit["subtitle"] else hit["title"]
