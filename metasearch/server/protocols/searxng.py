"""The routes of SearXNG's interface: search, configuration, completions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from aiohttp import web

from metasearch import __version__
from metasearch.errors import UsageError
from metasearch.events import Answer
from metasearch.formats import rss
from metasearch.formats.text import clean, line
from metasearch.server.answering import answered
from metasearch.server.faces.searxng.parameters import (
    EVERYTHING,
    NO_CATEGORIES,
    Wanted,
    form_of,
    wanted,
)
from metasearch.server.faces.searxng.results import csv_body, json_body
from metasearch.server.opensearch import SUGGESTIONS_TYPE
from metasearch.server.outcome import file_name, server_timing
from metasearch.server.problem import Problem
from metasearch.server.received import given, given_so_far
from metasearch.server.routes import completions_of
from metasearch.server.site import NAME, SHARED, Site, site_of
from metasearch.server.sources import SourceView, view

_MEDIA_TYPES = {"json": "application/json", "csv": "application/csv", "rss": "text/xml"}
_NOT_ASKED = ("misconfigured", "key missing", "disabled")


async def search(request: web.Request) -> web.StreamResponse:
    """`/searxng/` and `/searxng/search`: the works as SearXNG's results.

    A failure of all sources is a 200 whose `unresponsive_engines` has the reasons, as in SearXNG.
    Other formats than JSON, CSV and RSS lead to our own page.
    """
    try:
        return await _search(request)
    except UsageError as exc:
        return _error(request, Problem.of(exc))
    except Problem as problem:
        return _error(request, problem)


async def _search(request: web.Request) -> web.StreamResponse:
    shared, site = request.app[SHARED], site_of(request)
    sent = await given(request, shared.options)
    form = form_of(sent)
    if form == "html" and not sent.get("q", "").strip():
        raise web.HTTPSeeOther(site.path("/"))
    asked = wanted(sent, shared.options, shared.engine.registry)
    if form == "html":
        raise web.HTTPSeeOther(site.path("/search", **asked.search.pairs(), format="html"))
    answer = await answered(request, asked.search)
    body = await shared.admission.written(lambda: _body(form, answer, asked, site), large=False)
    headers = {"Cache-Control": "no-store"}
    if shared.options.server_timing:
        headers["Server-Timing"] = server_timing(answer)
    if form == "csv":
        headers["Content-Disposition"] = _attachment(asked.search.query)
    return web.Response(body=body, headers=headers, content_type=_MEDIA_TYPES[form])


def _body(form: str, answer: Answer, asked: Wanted, site: Site) -> bytes:
    match form:
        case "csv":
            return csv_body(answer, site)
        case "rss":
            page = asked.search.pairs()
            links = {"search": site.url("/opensearch.xml")}
            links["alternate"] = site.url("/search", **page, format="html")
            return rss.write(answer, links=links)
        case _:
            return json_body(
                answer,
                site,
                query=asked.search.query,
                unknown_engines=asked.unknown_engines,
                notes=asked.notes,
            )


def _attachment(query: str) -> str:
    return f'attachment; filename="{file_name(query)}.csv"'


def _error(request: web.Request, problem: Problem) -> web.Response:
    """An error as SearXNG writes it in the format that was asked for."""
    form = form_of(given_so_far(request))
    reason = problem.detail or problem.title
    headers = {"Cache-Control": "no-store", **problem.headers}
    match form:
        case "html":
            raise problem
        case "csv":
            body, headers["Content-Disposition"] = b"", _attachment("")
        case "rss":
            site = site_of(request)
            root, channel = rss.document(NAME, site.url("/"), reason)
            rss.message(channel, "Error", reason)
            body = rss.written(root)
        case _:
            body = _json({"error": reason})
    return web.Response(
        body=body, status=problem.status, headers=headers, content_type=_MEDIA_TYPES[form]
    )


async def autocompleter(request: web.Request) -> web.Response:
    """`/searxng/autocompleter?q=`: completions, none where `[server] suggest` is off.

    A script that says it is one (`X-Requested-With: XMLHttpRequest`) gets the list alone.
    """
    shared = request.app[SHARED]
    try:
        prefix = (await given(request, shared.options)).get("q", "")
    except Problem as problem:
        body = _json({"error": problem.detail or problem.title})
        return web.Response(body=body, status=problem.status, content_type="application/json")
    completions = await completions_of(request, prefix) if shared.options.suggest else []
    texts = [completion.text for completion in completions]
    by_script = request.headers.get("X-Requested-With") == "XMLHttpRequest"
    return web.Response(
        body=_json(texts if by_script else [clean(prefix), texts]),
        content_type="application/json" if by_script else SUGGESTIONS_TYPE,
        headers={"Cache-Control": "no-store"},
    )


async def config(request: web.Request) -> web.Response:
    """`/searxng/config`: the sources as engines, the groups as categories."""
    shared = request.app[SHARED]
    await shared.engine.ready()
    registry = shared.engine.registry
    async with shared.admission.brief():
        engines = [
            _engine(source, registry.groups_of(source.name)) for source in view(shared.engine)
        ]
    document = {
        "categories": [*EVERYTHING, *_categories(registry.groups)],
        "engines": engines,
        "plugins": [],
        "instance_name": NAME,
        "locales": {"en": "English"},
        "default_locale": "en",
        "autocomplete": NAME if shared.options.suggest else "",
        "safe_search": 0,
        "default_theme": "simple",
        "version": __version__,
        "brand": {},
        "limiter": {
            "enabled": shared.limiter is not None,
            "botdetection.ip_limit.link_token": False,
            "botdetection.ip_lists.pass_searxng_org": False,
        },
        "doi_resolvers": ["doi.org"],
        "default_doi_resolver": "doi.org",
        "public_instance": False,
    }
    return web.Response(
        body=_json(document),
        content_type="application/json",
        headers={"Cache-Control": "no-store"},
    )


def _engine(source: SourceView, groups: list[str]) -> dict[str, Any]:
    usual = EVERYTHING if source.default else ()
    languages = source.spec.languages if source.spec else ()
    return {
        "name": source.name,
        "categories": [*usual, *_categories(groups)],
        "shortcut": source.name,
        "enabled": source.default and source.status not in _NOT_ASKED,
        "paging": True,
        "language_support": False,
        "languages": [line(code) for code in languages if code != "*"],
        "regions": [],
        "safesearch": False,
        "time_range_support": True,
        "timeout": source.limits.timeout if source.limits else None,
    }


def _categories(groups: list[str]) -> list[str]:
    return [group for group in groups if group not in NO_CATEGORIES]


def _json(content: Mapping[str, Any] | list[Any]) -> bytes:
    return orjson.dumps(content, option=orjson.OPT_APPEND_NEWLINE)
