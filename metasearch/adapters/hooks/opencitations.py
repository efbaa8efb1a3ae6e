"""OpenCitations Meta writes several values, and what it knows of each, into one string.

"doi:10.1007/x isbn:9783 omid:br/1", "Peroni, Silvio [orcid:0000-0003-0530-4305 omid:ra/1]; Shotton,
David", "Journal [issn:2041-1480 omid:br/2]" (https://api.opencitations.net/meta/v1) are opened up
into members of their own.
"""

from __future__ import annotations

from typing import Any

from metasearch.adapters.parse.parse import Steps, json_steps
from metasearch.adapters.request import Page
from metasearch.adapters.spec import AdapterSpec

_PEOPLE = ("author", "editor")
_NAMED = ("venue", "publisher")


def steps(page: Page, spec: AdapterSpec) -> Steps:
    return (yield from json_steps(page, spec, _open_records))


def _open_records(answer: Any) -> None:
    for record in answer if isinstance(answer, list) else []:
        if isinstance(record, dict):
            _open(record)


def _open(record: dict[str, Any]) -> None:
    if isinstance(record.get("id"), str):
        record["ids"] = _identifiers(record["id"])
    for end in ("citing", "cited"):
        if isinstance(record.get(end), str):
            record[f"{end}_ids"] = _identifiers(record[end])
    for name in _PEOPLE:
        if isinstance(record.get(name), str):
            record[name] = [
                _name_and_ids(person) for person in record[name].split("; ") if person.strip()
            ]
    for name in _NAMED:
        if isinstance(record.get(name), str):
            record[name] = _name_and_ids(record[name])


def _name_and_ids(text: str) -> dict[str, Any]:
    """A name and the identifiers in the brackets behind it."""
    text = text.strip()
    name, bracket, note = text[:-1].rpartition("[") if text.endswith("]") else (text, "", "")
    return {"name": name.strip() if bracket else text, "ids": _identifiers(note)}


def _identifiers(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in text.split():
        scheme, colon, value = word.partition(":")
        if colon and value:
            found.setdefault(scheme, []).append(value)
    return found
