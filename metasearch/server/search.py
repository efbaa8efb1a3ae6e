"""`/search`: one query in, the answer out, in whatever form the client asked for."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import orjson
from aiohttp import web

from metasearch.events import Answer
from metasearch.formats import WRITABLE, write
from metasearch.formats.answer import answer_json
from metasearch.message import message
from metasearch.server import negotiate, stream
from metasearch.server.access import FACE
from metasearch.server.answering import finished, prepare
from metasearch.server.limits.clients import USER
from metasearch.server.opensearch import MEDIA_TYPE as OPENSEARCH_TYPE
from metasearch.server.outcome import file_name, lasting, nothing_answered, server_timing, status_of
from metasearch.server.page_links import Linked, linked
from metasearch.server.page_response import VARY, page_response
from metasearch.server.pages.page import Form, start_page
from metasearch.server.pages.results import results_page
from metasearch.server.pages.work_links import names_search
from metasearch.server.parameters import Parameters, read
from metasearch.server.preferences import with_sources, with_style
from metasearch.server.problem import Problem
from metasearch.server.received import given, given_so_far, only
from metasearch.server.result_page import for_page, results_of
from metasearch.server.site import SHARED, Site, site_of
from metasearch.server.sources import view
from metasearch.server.visit import visit_of

if TYPE_CHECKING:
    from metasearch.engine.search import Search

#: Name in `format=` -> media type. A client that does not say what it likes gets the first.
OFFERED: Mapping[str, str] = {
    "json": "application/json",
    "html": "text/html",
    **{name: format_.media_type for name, format_ in WRITABLE.items() if name != "table"},
}
#: Those that have links to the page, to the feed itself and to its next part.
FEEDS = frozenset({"atom", "rss", "jsonfeed"})
#: Hits that are written on the loop; a page of them takes some milliseconds, a thousand up to a
#: second.
WRITTEN_AT_ONCE = 50
#: Bytes of a body that is not copied once more.
LARGE_BODY = 1 << 18
_WITH_CHARSET = frozenset({"html", "csv", "citations"})


async def search(request: web.Request) -> web.StreamResponse:
    """Answers `/` and `/search`."""
    shared = request.app[SHARED]
    sent = await given(request, shared.options)
    form = request[FACE] = chosen_format(request)
    asked = parameters = read(sent, shared.options)
    if form == "html":
        parameters = for_page(asked, visit_of(request))
    else:
        parameters = with_style(request, with_sources(request, asked), sent)
    if not parameters.query:
        if form == "html":
            await shared.engine.ready()  # the page counts those that are asked
            async with shared.admission.brief():
                page = start_page(
                    visit_of(request), view(shared.engine), shared.examples, shared.notice
                )
            return page_response(request, page, headers={"Link": descriptions(site_of(request))})
        raise Problem.bad_parameters(
            [{"parameter": "q", "reason": message("missing; give a query")}]
        )
    if form == "sse" and request.headers.get("Last-Event-ID"):
        return await stream.resume(request, request.headers["Last-Event-ID"])
    # People who look at a page are not kept waiting.
    page_wait = shared.options.page_wait if form == "html" else None
    prepared = await prepare(request, parameters, page_wait)
    if form in stream.FORMS and request.method == "HEAD":
        return stream.head(form)
    if form not in stream.FORMS and prepared.joins:  # nothing is asked of any source
        async with shared.admission.brief():
            pass
        return await _whole(request, prepared, parameters, asked, form)
    with await shared.admission.enter(request[USER]) as permit:
        if form in stream.FORMS:
            told = Linked(prepared, parameters, site_of(request))
            return await stream.events(request, told, parameters.query, form, permit)
        return await _whole(request, prepared, parameters, asked, form)


def chosen_format(request: web.Request) -> str:
    """What `format=` says, else what the client likes best of what we have. Raises Problem: 406,
    with everything that there is; 400 where `format` is repeated. Raises UsageError: what writes
    the format is not installed.
    """
    starting = request.path == "/" and not request.query.get("q")
    offered = sorted(OFFERED.items(), key=lambda media_type: starting and media_type[0] != "html")
    return chosen_of(request, dict(offered))


def chosen_of(request: web.Request, offered: Mapping[str, str]) -> str:
    """As `chosen_format`, of the forms that are offered.

    `request`: its `format` and its Accept header decide. `offered`: name -> media type, the first
    for a client that does not say what it likes.
    """
    if form := only(given_so_far(request), "format"):
        if form not in offered:
            raise Problem.unacceptable(
                message("There is no format {name}.", name=repr(form[:40])), _usable(offered)
            )
        chosen: str | None = form
    else:
        accept = request.headers.get("Accept", "")
        chosen = negotiate.choose(accept, offered.items())
        if chosen and not is_usable(chosen):
            chosen = negotiate.choose(accept, _usable(offered)) or chosen
    if chosen is None:
        raise Problem.unacceptable(
            message("The server has none of the media types in Accept."), _usable(offered)
        )
    if chosen in WRITABLE:
        WRITABLE[chosen].require()
    return chosen


def _usable(offered: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(name, media_type) for name, media_type in offered.items() if is_usable(name)]


def is_usable(name: str) -> bool:
    """Whether what writes a form is installed; where nothing need be, it is."""
    return name not in WRITABLE or WRITABLE[name].usable


async def _whole(
    request: web.Request, prepared: Search, parameters: Parameters, asked: Parameters, form: str
) -> web.Response:
    """The answer as one document: the finished one, or what is there at the soft deadline."""
    shared, visit = request.app[SHARED], visit_of(request)
    site = visit.site
    answer = await finished(request, prepared, parameters)
    status = status_of(answer)
    headers = {"Vary": "Accept", "Cache-Control": "no-store"}
    if shared.options.server_timing:
        headers["Server-Timing"] = server_timing(answer)
    if status != 200 and form != "html":
        raise nothing_answered(answer, status, headers)
    began = time.perf_counter()
    answer = linked(answer, parameters, site)
    if form == "html" and not names_search(site, parameters.pairs()):
        await shared.engine.works.keep(answer.hits)  # else no link to their pages would work
    if (following := _following(answer, parameters, form, site)) is not None:
        headers["Link"] = f'<{following}>; rel="next"'
    large = len(answer.hits) > WRITTEN_AT_ONCE
    body: bytes | bytearray
    if form == "html":
        results = await results_of(request, answer, parameters, asked)
        body = await shared.admission.written(lambda: results_page(results).encode(), large=large)
        content: Sequence[bytes | memoryview] = (
            body if answer.running else _stable(answer),
            visit.state.encode(),
        )
    else:
        content, body = await shared.admission.written(
            lambda: _body(answer, parameters, form, site), large=large
        )
    if "Server-Timing" in headers:
        headers["Server-Timing"] += f", render;dur={(time.perf_counter() - began) * 1000:.1f}"
    if form == "html":
        headers |= {"Vary": VARY, "Cache-Control": "private, no-cache"}
    if answer.complete and status == 200:
        if form != "html":
            headers["Cache-Control"] = f"private, max-age={shared.options.max_age}"
        etag = _tag(form, content)
        headers["ETag"] = f'W/"{etag}"'
        if any(known.value in (etag, "*") for known in request.if_none_match or ()):
            unchanged = web.Response(status=304, headers=headers)
            if form == "html":  # the address may say what the reader prefers
                visit.remember(unchanged)
            return unchanged
    if form in WRITABLE and WRITABLE[form].download:
        headers["Content-Disposition"] = (
            f'attachment; filename="{file_name(parameters.query)}.{WRITABLE[form].extension}"'
        )
    if form == "html":
        return page_response(request, body, status, headers)
    kind = _LargeResponse if len(body) >= LARGE_BODY else web.Response
    return kind(
        body=body,
        status=status,
        headers=headers,
        content_type=OFFERED[form],
        charset="utf-8" if form in _WITH_CHARSET else None,
    )


class _LargeResponse(web.Response):
    """An answer whose head is sent before its body, which aiohttp would copy otherwise to send both
    at once.
    """

    _send_headers_immediately = True


def _body(
    answer: Answer, parameters: Parameters, form: str, site: Site
) -> tuple[Sequence[bytes | memoryview], bytes | bytearray]:
    """(what the entity tag is made from, the body); the first contains no times."""
    if form == "json":
        document, hits = answer_json(answer)
        return (hits, orjson.dumps(lasting(answer))), document
    if form in FEEDS:
        here = parameters.pairs()
        links = {
            "self": site.url("/search", **here, format=form),
            "alternate": site.url("/search", **here, format="html"),
            "search": site.url("/opensearch.xml"),
        }
        if answer.paging.start:
            links["first"] = site.url("/search", **parameters.pairs(0), format=form)
        if (following := _following(answer, parameters, form, site)) is not None:
            links["next"] = following
        body = WRITABLE[form].write(answer, links=links)
    else:
        body = write(
            form,
            answer,
            bom=parameters.bom,
            provenance=parameters.provenance,
            style=parameters.style,
        )
    return (body,), body


def _tag(form: str, content: Iterable[bytes | memoryview]) -> str:
    """The entity tag of an answer in this form."""
    digest = hashlib.sha256(form.encode())
    for part in content:
        digest.update(part)
    return digest.hexdigest()[:32]


def _following(answer: Answer, parameters: Parameters, form: str, site: Site) -> str | None:
    """The absolute address of the next page in the same format, or None where the list ends."""
    following = answer.paging.next
    return (
        site.url("/search", **parameters.pairs(following.start), format=form)
        if following is not None
        else None
    )


def _stable(answer: Answer) -> bytes:
    """What a page shows, without the times."""
    return orjson.dumps([orjson.Fragment(bytes(answer_json(answer)[1])), *lasting(answer)])


def descriptions(site: Site) -> str:
    """The `Link` header of the start page: where a program reads what this server can do."""
    links = (
        ("/openapi.json", "service-desc", "application/json"),
        ("/docs", "service-doc", "text/html"),
        ("/opensearch.xml", "search", OPENSEARCH_TYPE),
        ("/.well-known/api-catalog", "api-catalog", "application/linkset+json"),
    )
    return ", ".join(
        f'<{site.path(path)}>; rel="{relation}"; type="{media_type}"'
        for path, relation, media_type in links
    )


def form_again(request: web.Request) -> Form:
    """The search form with what was typed, for pages about an error in it."""
    query = given_so_far(request)
    return Form(query.get("q", ""))
