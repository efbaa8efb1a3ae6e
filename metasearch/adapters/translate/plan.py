"""Query + spec -> the first request, and what could not be expressed.

No clause is lost without a note: if the database cannot express a clause, the records are filtered
by the clause if possible, and `Plan.notes` has a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module

from metasearch.adapters.request import Pairs, Request, public
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.translate.links import followed
from metasearch.adapters.translate.logins import secret
from metasearch.adapters.translate.templates import (
    PAGING,
    all_names,
    fill,
    fill_content,
    fill_url,
    names,
    paging_values,
    refill,
)
from metasearch.adapters.translate.translate import Translator
from metasearch.errors import CannotAsk, KeyMissing, SwitchedOff
from metasearch.message import message
from metasearch.query.ast import CODED_FIELDS, FIELDS, Query, conjunction, terms


@dataclass(frozen=True, slots=True)
class Plan:
    """What is sent to one source.

    Attributes:
        request: The first request; `parse` returns the later ones.
        sent: The query in the syntax of the database, for users.
        notes: One sentence for each thing that could not be expressed.
        residual: The query by which the records have to be filtered; None if there is none.
    """

    request: Request
    sent: str
    notes: tuple[str, ...] = ()
    residual: Query | None = None


def plan(
    query: Query,
    spec: AdapterSpec,
    wanted: int = 20,
    env: Mapping[str, str] | None = None,
    depth: int | None = None,
) -> Plan:
    """Translates a query for one source.

    `depth`: how many records the search wants at a time; None for all of them. This sets the size
    of the pages, so that a later search for more records sends the same requests.

    Raises:
        CannotAsk: The source cannot express the query, or the spec refuses a part of it.
        KeyMissing: A required secret is not in `env`.
        SwitchedOff: The source is switched off for all searches.
    """
    _check_switch(spec)
    if spec.hook is not None:
        hook = getattr(import_module(f"metasearch.adapters.hooks.{spec.hook}"), "plan", None)
        if hook is not None:
            return hook(query, spec, wanted, env or {}, depth)  # type: ignore[no-any-return]
    return plan_request(query, spec, wanted, env or {}, depth)


def _check_switch(spec: AdapterSpec) -> None:
    """Raises SwitchedOff for a source that no search may ask."""
    if spec.barred:
        raise SwitchedOff(spec.name)


#: The note of a source that is asked by relevance where the newest records are wanted.
NOT_BY_DATE = message("cannot sort by date: its records are the most relevant ones, sorted here")
#: The same of a source whose newest records would fit hardly more than one of the words.
ANY_WORD = message("finds any of the words: its records are the most relevant ones, sorted here")


def why_not_by_date(spec: AdapterSpec, query: Query) -> str:
    """Returns why a source is not asked for its newest records, for its notes; "" if it is."""
    if spec.newest is None:
        return NOT_BY_DATE
    if spec.query.style != "params" or not spec.query.scored:
        return ""
    words = [
        word
        for term in terms(query)
        if term.field not in CODED_FIELDS
        for word in term.text.split()
    ]
    return ANY_WORD if len(words) > 1 else ""


def newest_first(spec: AdapterSpec) -> AdapterSpec:
    """Returns the source as it is asked for its newest records; `spec` if it cannot sort by date.

    The database does not rank by how many of the plain words it finds then, so all must occur.
    """
    if spec.newest is None:
        return spec
    return replace(spec, request=spec.newest, query=replace(spec.query, plain=""))


def plan_request(
    query: Query,
    spec: AdapterSpec,
    wanted: int,
    env: Mapping[str, str],
    depth: int | None = None,
    *,
    translator: type[Translator] = Translator,
) -> Plan:
    """As `plan`, without the spec's hook: for use by hooks. `translator` writes the query."""
    writer = translator(spec.name, spec.query, all_names(spec.request).intersection(FIELDS))
    values = writer.write(query)
    wanted = max(1, min(wanted, spec.paging.window))
    size = min(depth or wanted, wanted, spec.paging.size)
    asked = tuple(values.items())
    values |= paging_values(0, size, spec.paging.first if spec.paging.kind == "cursor" else "")
    template = spec.request
    params, headers, body = (
        fill(t, values) for t in (template.params, template.headers, template.body)
    )
    params, headers = _with_keys(spec, params, headers, env)
    request = Request(
        source=spec.name,
        url=fill_url(template.url, values),
        method=template.method,
        params=params,
        headers=headers,
        body=body,
        content=fill_content(template, values),
        content_type=template.content_type,
        values=asked,
        total_header=spec.total_header,
        redirects=template.redirects,
        start=0,
        size=size,
        cursor=spec.paging.first if spec.paging.kind == "cursor" else None,
        wanted=wanted,
    )
    length = _length(request, template.longest) if template.method == "GET" else 0
    if length > template.longest:
        raise CannotAsk(
            spec.name,
            message("all of this query"),
            message(
                "it is too long for this source: {length} of {longest} characters",
                length=f"{length:,}",
                longest=f"{template.longest:,}",
            ),
        )
    losses = writer.losses
    return Plan(
        request,
        _sent(values),
        tuple(dict.fromkeys(losses.notes)),
        conjunction(*losses.clauses) if losses.clauses else None,
    )


#: Characters of an address that one character takes at most: three for each byte of UTF-8.
_ENCODED = 12


def _length(request: Request, longest: int) -> int:
    """Characters of the address; 0 where it is surely not longer than the longest."""
    written = sum([len(name) + len(value) + 2 for name, value in public(request.params)])
    return len(request.shown) if len(request.url) + _ENCODED * written > longest else 0


def _sent(values: Mapping[str, str]) -> str:
    """The query in the syntax of the database, for users."""
    fielded = (f"{field}: {values[field]}" for field in FIELDS if values.get(field))
    sent = "; ".join(filter(None, (values.get("query"), *fielded)))
    if not values.get("years"):
        return sent
    return f"{sent} [{values['years']}]" if sent else values["years"]


def plan_enrichment(doi: str, spec: AdapterSpec, env: Mapping[str, str]) -> Request:
    """Returns the request for what a source knows about one work.

    `spec`: the source; its `enrich` is not None. Raises KeyMissing: a required secret is not in
    `env`; SwitchedOff: the source is switched off for all searches.
    """
    assert spec.enrich is not None
    _check_switch(spec)
    template, values = spec.enrich.request, {str(spec.enrich.by): doi}
    params, headers = _with_keys(
        spec, fill(template.params, values), fill(template.headers, values), env
    )
    url = fill_url(template.url, values)
    return Request(source=spec.name, url=url, params=params, headers=headers, size=1, wanted=1)


def _with_keys(
    spec: AdapterSpec, params: Pairs, headers: Pairs, env: Mapping[str, str]
) -> tuple[Pairs, Pairs]:
    """Returns parameters and headers, with the secrets whose variables are set."""
    for auth in spec.auth:
        missing = [name for name in auth.variables if not env.get(name, "").strip()]
        if missing and auth.required:
            raise KeyMissing(spec.name, missing[0], auth.get)
        if not missing:
            pair = (auth.name, secret(spec.name, auth, env))
            if auth.where == "headers":
                headers = (*headers, pair)
            else:
                params = (*params, pair)
    return params, headers


def next_request(
    spec: AdapterSpec, request: Request, *, got: int, total: int | None, cursor: str | None
) -> Request | None:
    """Returns the request for the next page; None if there is none, or no more is wanted.

    `got`: how many record nodes this page had, readable or not. `total`: the number of hits of the
    source; None if it is not known. `cursor`: the cursor or link in this page; None if there is
    none.
    """
    kind = spec.paging.kind
    start = request.start + got
    limit = min(request.wanted, spec.paging.window, total if total is not None else request.wanted)
    if got == 0 or start >= limit or kind == "none":
        return None
    if kind in ("cursor", "link") and (not cursor or cursor == request.cursor):
        return None
    if kind == "page" and (got < request.size or start + request.size > spec.paging.window):
        return None
    # A database refuses a page that ends outside the window, so the last page is shorter.
    size = min(request.size, spec.paging.window - start) if kind == "offset" else request.size
    cursor = cursor if kind in ("cursor", "link") else None
    values = dict(request.values) | paging_values(start, size, cursor or "")
    template = spec.request
    if kind == "link":
        headers = refill(request.headers, template.headers, values)
        turned = replace(request, start=start, size=size, cursor=cursor, headers=headers)
        return followed(turned, cursor or "")
    return replace(
        request,
        start=start,
        size=size,
        cursor=cursor,
        url=request.url
        if PAGING.isdisjoint(names(template.url))
        else fill_url(template.url, values),
        params=refill(request.params, template.params, values),
        headers=refill(request.headers, template.headers, values),
        body=refill(request.body, template.body, values),
        content=fill_content(template, values) if request.content else "",
    )
