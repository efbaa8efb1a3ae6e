"""Primo packs several values into one string, each behind "$$" and a capital letter; what a reader
wants is taken out.

"Byron, Ada$$QByron, A." is a heading as it is shown and as it is searched for;
"$$Uhttps://a.example$$EView full text" is an address and its label (PNX subfields,
https://developers.exlibrisgroup.com/primo/apis/).
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import replace

from metasearch.adapters.parse.parse import PageContent, body_steps
from metasearch.adapters.request import Page
from metasearch.adapters.spec import AdapterSpec
from metasearch.record import Record

#: Up to the next value, subfield, or end of the string, in JSON and in XML.
_REST = rb'[^"<;$\\]*'
_ADDRESS = re.compile(
    rb"\$\$U(" + _REST + rb"(?:(?:;|\\/)" + _REST + rb')*)(?:\$\$(?:[^"<\\]|\\.)*)?'
)
_SEARCHED_FOR = re.compile(rb"\$\$Q" + _REST)


def steps(page: Page, spec: AdapterSpec) -> Generator[tuple[Record, ...], None, PageContent | None]:
    """As without a hook, from a body whose subfields are plain; None where it has none."""
    if b"$$U" not in page.body and b"$$Q" not in page.body:
        return None
    body = _SEARCHED_FOR.sub(b"", _ADDRESS.sub(rb"\1", page.body))
    return (yield from body_steps(replace(page, body=body), spec))
