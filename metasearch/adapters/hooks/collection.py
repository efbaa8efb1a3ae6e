"""Reads the answer of a collection: its records are our own and need no converter."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import orjson

from metasearch.adapters.parse.parse import PageContent, in_stretches
from metasearch.adapters.request import Page
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.translate.plan import next_request
from metasearch.bib.record_json import record_from_json
from metasearch.record import Record


def steps(page: Page, spec: AdapterSpec) -> Generator[tuple[Record, ...], None, PageContent | None]:
    """The records of a page; None for a body that no collection wrote."""
    try:
        answer = orjson.loads(page.body)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(answer, dict):
        return None
    nodes, total, request = answer.get("records"), answer.get("total"), page.request
    if type(total) is not int or not isinstance(nodes, list):
        return None

    def make(node: Any, position: int) -> Record | str:
        try:
            return record_from_json(node, spec.name, position)
        except ValueError as exc:
            return str(exc)

    records, unread = yield from in_stretches(nodes, request.start, make)
    following = next_request(spec, request, got=len(nodes), total=total, cursor=None)
    return PageContent(records=records, total=total, next=following, unread=unread)
