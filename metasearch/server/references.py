"""`/lookup` and `/check`: lists of works and of references against the databases, as one document,
as a stream, and as a page.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Sequence
from functools import partial
from typing import Any

import orjson
from aiohttp import web
from markupsafe import Markup

from metasearch.engine.lookup import Lookup, LookupOptions, WantedWork
from metasearch.engine.options import SearchOptions
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.record import Hit
from metasearch.references.check import CheckedReference, ReferenceCheck
from metasearch.references.reader import ReferenceList, read_references
from metasearch.references.reference import Reference
from metasearch.references.report import (
    check_object,
    counts_object,
    lookup_object,
    missing_object,
    name_of_missing,
    reference_object,
    severity,
    with_labels,
    work_object,
)
from metasearch.server.forms import FORM, WITH_FILE, read_form_with_file, whole_body
from metasearch.server.limits.client_limits import USER
from metasearch.server.pages.environment import render
from metasearch.server.pages.hit import hit_view
from metasearch.server.pages.page import page, page_response
from metasearch.server.parameters import names
from metasearch.server.problem import Problem
from metasearch.server.search import choose_form
from metasearch.server.search_answers import send
from metasearch.server.site import SHARED, work_path
from metasearch.server.sources import labels
from metasearch.server.visit import visit_of, with_sources

#: Bytes of a list, and works or references of it, in one request.
MOST_BYTES, MOST_REFERENCES = 4 * 1024 * 1024, 1_000
OFFERED = {
    "json": "application/json",
    "ndjson": "application/x-ndjson",
    "html": "text/html",
}
#: Where the rows stand in the page that is rendered around them.
_ROWS = Markup("<!--rows-->")


async def answer_lookup(request: web.Request) -> web.StreamResponse:
    """`/lookup`: the form, and for a POST the works that a list names, each merged from all
    databases that know it.
    """
    form = _form_of(request)
    if request.method != "POST":
        return await _empty_page(request, form)
    listed = await read_list(request)
    shared = request.app[SHARED]
    options = _options(request)
    await shared.engine.ready(options.sources or ())
    works = [WantedWork(each.key, each.record) for each in listed.references]
    looking = shared.engine.lookup(works, options)
    await count_list(request, listed.references, looking.sources)
    with await shared.admission.enter(request[USER]):
        if form == "ndjson":
            return await send(request, _works(looking), OFFERED[form])
        if form == "html":
            rows = _work_rows(request, looking, listed)
            whole = _in_page(request, listed, looking.sources, rows)
            return await send(request, whole, OFFERED[form])
        async for _ in looking:
            pass
    document = lookup_object(looking.result(), requests=looking.requests)
    return json_response(document | {"problems": problem_objects(listed)})


async def _works(looking: Lookup) -> AsyncGenerator[bytes]:
    """A line for each work, as soon as nothing more is asked for it, and a last one."""
    yield event_line("started", works=len(looking.states), sources=looking.sources)
    async for state in looking:
        yield event_line("work", **work_object(state, looking.hit(state)))
    found = looking.result()
    yield event_line(
        "done", found=len(found.hits), missing=len(found.missing), requests=looking.requests
    )


async def answer_check(request: web.Request) -> web.StreamResponse:
    """`/check`: the form, and for a POST each reference with its verdict and the evidence."""
    form = _form_of(request)
    if request.method != "POST":
        return await _empty_page(request, form)
    listed = await read_list(request)
    shared = request.app[SHARED]
    options = _options(request)
    await shared.engine.ready(options.sources or ())
    checking = ReferenceCheck(shared.engine, listed.references, options)
    await count_list(request, listed.references, checking.sources)
    with await shared.admission.enter(request[USER]):
        if form == "ndjson":
            return await send(request, _references(checking), OFFERED[form])
        if form == "html":
            rows = _rows(request, checking)
            whole = _in_page(request, listed, checking.sources, rows)
            return await send(request, whole, OFFERED[form])
        checked = {each.reference.key: each async for each in checking}
    in_order = [checked[each.key] for each in listed.references]
    document = check_object(in_order, requests=checking.requests)
    return json_response(document | {"problems": problem_objects(listed)})


async def _references(checking: ReferenceCheck) -> AsyncGenerator[bytes]:
    """A line for each reference, as soon as all is known of it, and a last one."""
    yield event_line("started", references=len(checking.references), sources=checking.sources)
    checked: list[CheckedReference] = []
    async for each in checking:
        checked.append(each)
        yield event_line("reference", **reference_object(each))
    yield event_line("done", counts=counts_object(checked), requests=checking.requests)


async def _rows(request: web.Request, checking: ReferenceCheck) -> AsyncGenerator[str]:
    """A row for each reference as it comes, and how many there are."""
    visit = visit_of(request)
    named = labels(request.app[SHARED].engine, checking.sources, visit.language)
    checked: list[CheckedReference] = []
    async for each in checking:
        checked.append(each)
        yield render(
            "_reference.html",
            visit.language,
            site=visit.site,
            checked=each,
            severity=severity(each),
            address=await _address(request, each.hit),
            people_read=partial(with_labels, labels=named),
        )
    yield render("_reference_counts.html", visit.language, counts=counts_object(checked))


async def _work_rows(
    request: web.Request, looking: Lookup, listed: ReferenceList
) -> AsyncGenerator[str]:
    """A row for each work as it comes, and how many there are."""
    visit = visit_of(request)
    named = labels(request.app[SHARED].engine, looking.sources, visit.language)
    texts = {each.key: each.text for each in listed.references}
    counts: Counter[str] = Counter()
    async for state in looking:
        hit, missing = looking.hit(state), missing_object(state)
        status = "found" if hit is not None else missing["status"]
        counts[status] += 1
        address = await _address(request, hit)
        yield render(
            "_found.html",
            visit.language,
            hit=hit_view(hit, named, visit.site.base, page=address) if hit is not None else None,
            status=status,
            key=state.work.key,
            name=name_of_missing(missing) or line(texts[state.work.key]),
            asked=bool(state.asked),
            failed=[named[each.source] for each in state.asked.values() if each.error],
        )
    yield render("_found_counts.html", visit.language, counts=counts)


async def _address(request: web.Request, hit: Hit | None) -> str:
    """The page of a hit, which is kept for it; "" where there is none, or it is too large."""
    if hit is None or await request.app[SHARED].engine.works.keep([hit]):
        return ""
    return visit_of(request).site.path(work_path(hit.id))


async def _in_page(
    request: web.Request,
    listed: ReferenceList,
    sources: Sequence[str],
    rows: AsyncGenerator[str],
) -> AsyncGenerator[bytes]:
    """The page, of which rows are sent as they come: the style sheet puts the worst first."""
    named = labels(request.app[SHARED].engine, sources, visit_of(request).language)
    before, _, behind = _page(
        request,
        count=len(listed.references),
        sources=list(named.values()),
        problems=listed.problems,
    ).partition(_ROWS)
    yield before.encode()
    async for row in rows:
        yield row.encode()
    yield behind.encode()


def _form_of(request: web.Request) -> str:
    """The form of an answer: a page where a form asks, or nothing is posted."""
    is_asked = request.method == "POST"
    form = choose_form(request, OFFERED, starting=not is_asked)
    return "html" if is_asked and request.content_type in (FORM, WITH_FILE) else form


async def _empty_page(request: web.Request, form: str) -> web.StreamResponse:
    """The page with the form alone. Raises Problem: something else is wanted, for which there must
    be a list.
    """
    if form != "html":
        raise Problem.bad_parameter("list", message("missing; post a list of references"))
    async with request.app[SHARED].admission.brief():
        return page_response(request, _page(request))


def _page(request: web.Request, **found: Any) -> str:
    visit = visit_of(request)
    checks = request.path.endswith("/check")
    gettext = visit.language.gettext
    return page(
        "check.html" if checks else "lookup.html",
        visit,
        gettext("Check references") if checks else gettext("Look up works"),
        current="/check?format=html" if checks else "/lookup?format=html",
        path="/check" if checks else "/lookup",
        most=MOST_REFERENCES,
        rows=_ROWS if found else "",
        **found,
    )


async def read_list(request: web.Request) -> ReferenceList:
    """The list of a request: its body as it stands, or the file or the text of a form. Raises
    Problem: 413 where it is too large; FileFormatError: it cannot be read.
    """
    options = request.app[SHARED].options
    if request.content_type in (FORM, WITH_FILE):
        fields, upload = await read_form_with_file(request, MOST_BYTES)
        data, name = upload.content, upload.name
        if not data:
            data, name = fields.get("list", "").encode(), "list.txt"
    else:
        data = await whole_body(request, options, MOST_BYTES)
        name = request.query.get("name", "")[:255] or "list"
    if not data.strip():
        raise Problem.bad_parameter("list", message("missing; give a list of references"))
    listed = await asyncio.to_thread(
        read_references, data, name, format=request.query.get("from") or None
    )
    if len(listed.references) > MOST_REFERENCES:
        raise Problem(
            413,
            None,
            message(
                "The list has {count} references; one request takes {most}.",
                count=f"{len(listed.references):,}",
                most=f"{MOST_REFERENCES:,}",
            ),
        )
    return listed


def _options(request: web.Request) -> LookupOptions:
    options = LookupOptions(sources=named_sources(request), user=request[USER])
    return with_sources(request, options)


def named_sources(request: web.Request) -> tuple[str, ...] | None:
    """The sources that a request names. Raises Problem: 400 where they are too many."""
    named, most = names(request.query, "sources"), request.app[SHARED].options.max_sources
    if named and len(named) > most:
        raise Problem.bad_parameter("sources", message("at most {most}", most=most))
    return named


async def count_list(
    request: web.Request, works: Iterable[Reference | WantedWork], sources: Sequence[str]
) -> None:
    """Count a list as one search against the quotas of its user. Raises Problem: as
    `ServerWing.count_search`.
    """
    written = hashlib.sha256()
    for each in works:
        record = each.record
        named = f"{record.doi} {record.ids} {record.title}\n"
        written.update(named.encode(errors="replace"))
    options = SearchOptions(query=written.hexdigest(), sources=tuple(sources))
    await request.app[SHARED].wing.count_search(request, options)


def problem_objects(listed: ReferenceList) -> list[dict[str, Any]]:
    return [{"line": each.line, "message": str(each.message)} for each in listed.problems]


def event_line(event: str, **values: Any) -> bytes:
    return orjson.dumps({"event": event, **values}, option=orjson.OPT_APPEND_NEWLINE)


def json_response(document: Any) -> web.Response:
    body = orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)
    return web.Response(body=body, content_type=OFFERED["json"])
