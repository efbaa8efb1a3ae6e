"""A shelf's records are our own, and come back as they were: a selector and a converter could only
change them.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import orjson

from metasearch.adapters.parse.parse import Parsed, in_stretches
from metasearch.adapters.request import Page
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.translate.plan import next_request
from metasearch.bib.stored import unpacked
from metasearch.record import Record


def steps(page: Page, spec: AdapterSpec) -> Generator[tuple[Record, ...], None, Parsed | None]:
    """The records of a page; None for a body that no shelf has written."""
    try:
        found = orjson.loads(page.body)
    except orjson.JSONDecodeError:
        return None
    if (
        not isinstance(found, dict)
        or type(found.get("total")) is not int
        or not isinstance(found.get("records"), list)
    ):
        return None
    nodes, total, request = found["records"], found["total"], page.request

    def made(node: Any, position: int) -> Record | str:
        try:
            return unpacked(node, spec.name, position)
        except ValueError as exc:
            return str(exc)

    records, unread = yield from in_stretches(nodes, request.start, made)
    following = next_request(spec, request, got=len(nodes), total=total, cursor=None)
    return Parsed(records=records, total=total, next=following, unread=unread)
