"""Summon marks what it found with signs that the request chooses; they are taken off again."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import replace

from metasearch.adapters.parse.parse import PageContent, body_steps
from metasearch.adapters.request import Page
from metasearch.adapters.spec import AdapterSpec
from metasearch.record import Record

#: Words, tags and signs such as "$$"; nothing that JSON is made of, and no white space.
_SIGN = re.compile(rb'"highlight(?:Start|End)Delimiter"\s*:\s*"([A-Za-z0-9_<>/$#@*|~=+-]{3,60})"')


def steps(page: Page, spec: AdapterSpec) -> Generator[tuple[Record, ...], None, PageContent | None]:
    """As without a hook, from a body without the signs; None where there are none."""
    signs = {sign for sign in _SIGN.findall(page.body) if not sign.isalnum()}
    if not signs:
        return None
    body = page.body
    for sign in signs:
        body = body.replace(sign, b"")
    return (yield from body_steps(replace(page, body=body), spec))
