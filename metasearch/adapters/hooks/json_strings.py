"""Hooks of JSON databases that write several values into one string, which is opened up first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson

from metasearch.adapters.parse.bodies import kind_of, load
from metasearch.adapters.parse.parse import Steps, body_steps
from metasearch.adapters.request import Page
from metasearch.adapters.spec import AdapterSpec


def opened_steps(page: Page, spec: AdapterSpec, change: Callable[[Any], None]) -> Steps:
    """The reading of a page whose JSON `change` has edited in place; of other pages as they are."""
    body = page.body.strip()
    if not body or kind_of(body) != "json":
        return (yield from body_steps(page, spec))
    answer, notes = load("json", body, page, spec)
    change(answer)
    try:
        page = replace(page, body=orjson.dumps(answer))
    except TypeError:  # nested deeper than what is written may be: it is read as it is
        notes = []
    parsed = yield from body_steps(page, spec)
    return replace(parsed, notes=(*parsed.notes, *notes)) if notes else parsed
