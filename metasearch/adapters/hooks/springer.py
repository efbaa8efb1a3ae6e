"""The answers that biomedcentral.com gave until 2015 have journal, volume and number in one
citation, marked up.

"<em>Genome Biology</em> 2014, <strong>15</strong>:R66" is read into members of its own, and `<it>`,
which is BioMed Central's own word for italics, is taken out of titles.
"""

from __future__ import annotations

import re
from typing import Any

from metasearch.adapters.parse.parse import Steps, body_steps, json_steps
from metasearch.adapters.request import Page
from metasearch.adapters.spec import AdapterSpec

_SIGN = b'"longCitation"'
_CITATION = re.compile(
    r"<em>([^<>]*)</em> ?(?:\d{4})?,? ?(?:<strong>([^<>]*)</strong>)?(?:\([^()]*\))?:?([\w-]*)"
)
_ITALICS = re.compile(r"</?it>")


def steps(page: Page, spec: AdapterSpec) -> Steps:
    """The reading of a page, whose entries are opened up first where it is such an answer."""
    if _SIGN not in page.body:
        return (yield from body_steps(page, spec))
    return (yield from json_steps(page, spec, _open_entries))


def _open_entries(answer: Any) -> None:
    entries = answer.get("entries") if isinstance(answer, dict) else None
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict):
            _open(entry)


def _open(entry: dict[str, Any]) -> None:
    for name, value in entry.items():
        if isinstance(value, str) and "<" in value:
            entry[name] = _ITALICS.sub("", value)
    citation = entry.get("longCitation")
    found = _CITATION.search(" ".join(citation.split())) if isinstance(citation, str) else None
    if found:
        entry["journal"], entry["volume"], entry["number"] = found.groups()
