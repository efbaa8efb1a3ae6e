"""HathiTrust looks books up by number, does not search, and answers JSON with MARC inside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from lxml import etree

from metasearch.adapters.parse.bodies import check_weight, kind_of, load
from metasearch.adapters.parse.parse import PageContent, Steps, body_steps
from metasearch.adapters.request import Page
from metasearch.adapters.select.xml import parse_xml
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.translate.plan import Plan, plan_request
from metasearch.errors import CannotAsk
from metasearch.message import message
from metasearch.query.simple import to_text
from metasearch.query.tree import And, Query, Term, conjunction

_NUMBERS = frozenset({"isbn", "issn"})


def plan(
    query: Query, spec: AdapterSpec, wanted: int, env: Mapping[str, str], depth: int | None = None
) -> Plan:
    """The look-up of the query's ISBN or ISSN; what else it says is for the records to be filtered
    by. Raises CannotAsk: there is no number that must hold.
    """
    parts = query.parts if isinstance(query, And) else (query,)
    number = next(
        (part for part in parts if isinstance(part, Term) and part.field in _NUMBERS), None
    )
    if number is None:
        raise CannotAsk(spec.name, to_text(query), message("it only looks up isbn: and issn:"))
    planned = plan_request(number, spec, wanted, env, depth)
    rest = [part for part in parts if part is not number]
    if not rest:
        return planned
    others = conjunction(*rest)
    note = message(
        "only looks up numbers: {clause} is applied here to the records", clause=to_text(others)
    )
    return replace(planned, residual=others, notes=(*planned.notes, note))


def steps(page: Page, spec: AdapterSpec) -> Steps:
    """The MARC records of a full answer, none of an empty one, else as without a hook."""
    found = _records(page, spec)
    if found is not None and not found:
        return PageContent(total=0)
    whole = [record for record in found or () if isinstance(record.get("marc-xml"), str)]
    if whole and found is not None and len(whole) == len(found):
        texts = [record["marc-xml"].encode("utf-8", "replace") for record in whole]
        check_weight("xml", b"".join(texts), page, spec)
        page = replace(page, body=_collection(texts))
    return (yield from body_steps(page, spec))


def _records(page: Page, spec: AdapterSpec) -> list[dict[str, Any]] | None:
    """The records of all numbers that were looked up; None where the body is something else."""
    body = page.body.strip()
    root = load("json", body, page, spec)[0] if body and kind_of(body) == "json" else None
    if not isinstance(root, dict):
        return None
    among = [root] if "records" in root else root.values()
    answers = [answer for answer in among if isinstance(answer, dict) and "records" in answer]
    if not answers:
        return None
    tables = [
        answer["records"] for answer in answers if isinstance(answer["records"], dict)
    ]  # an empty one is an array
    return [record for table in tables for record in table.values() if isinstance(record, dict)]


def _collection(texts: Iterable[bytes]) -> bytes:
    """One MARCXML collection of many; what is not XML becomes an empty, unreadable record."""
    collection = etree.Element("collection")
    for text in texts:
        try:
            root = parse_xml(text)
        except ValueError:
            root = etree.Element("record")
        collection.extend(
            [root] if root.tag.rpartition("}")[2] == "record" else list(root.iter("{*}record"))
        )
    found: bytes = etree.tostring(collection, encoding="utf-8")
    return found
