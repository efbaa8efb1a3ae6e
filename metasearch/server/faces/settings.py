"""`/settings`: what a reader prefers, kept in a signed cookie."""

from __future__ import annotations

from aiohttp import web
from multidict import MultiMapping

from metasearch.formats.citations.styles import STYLES
from metasearch.message import message
from metasearch.server.forms import chosen, posted
from metasearch.server.page_response import page_response, see_other
from metasearch.server.pages.language import TAGS
from metasearch.server.pages.settings import settings_page, tickable
from metasearch.server.pages.source_groups import grouped
from metasearch.server.preferences import (
    MOST_CHARACTERS,
    MOST_SOURCES,
    SIZES,
    THEMES,
    source_names,
)
from metasearch.server.problem import Problem
from metasearch.server.received import only
from metasearch.server.site import SHARED
from metasearch.server.sources import view
from metasearch.server.visit import Visit, visit_of

#: What a form does.
_SAVE, _USUAL, _FORGET = "save", "usual", "forget"


async def settings(request: web.Request) -> web.StreamResponse:
    """`/settings`: shows what the reader prefers, or saves it from a form."""
    shared, visit = request.app[SHARED], visit_of(request)
    await shared.engine.ready()
    if request.method == "POST":
        return await _save(request, visit)
    async with shared.admission.brief():
        groups = grouped(shared.engine.registry, view(shared.engine))
    done = only(request.query, "done")
    body = await shared.admission.written(
        lambda: settings_page(visit, groups, done, only(request.query, "group")), large=False
    )
    return page_response(request, body)


async def _save(request: web.Request, visit: Visit) -> web.Response:
    """Does what a form says, and sends the browser back to the page."""
    fields = await posted(request)
    done = chosen(fields, "do", (_SAVE, _USUAL, _FORGET), _SAVE)
    if done == _FORGET:
        visit.forget()
        return see_other(request, visit.site.path("/settings", done="forgotten"))
    has = visit.preferences
    size = chosen(fields, "count", tuple(map(str, SIZES)), str(has.page_size))
    group = only(fields, "all") or only(fields, "none")
    visit.prefer(
        language=chosen(fields, "language", TAGS, has.language),
        theme=chosen(fields, "theme", THEMES, has.theme),
        page_size=int(size),
        style=chosen(fields, "style", ("", *STYLES), has.style),
        sources=() if done == _USUAL else _sources(request, fields),
    )
    if group:
        address = visit.site.path("/settings", done="saved", group=group[:100])
        return see_other(request, f"{address}#groups")
    return see_other(request, visit.site.path("/settings", done="saved"))


def _sources(request: web.Request, fields: MultiMapping[str]) -> tuple[str, ...]:
    """The ticked sources; with all, or without any, of the group whose button was pressed."""
    engine = request.app[SHARED].engine
    sources = view(engine)
    ticked = dict.fromkeys(fields.getall("sources", []))
    known = {source.name for source in sources}
    if unknown := [name for name in ticked if name not in known]:
        raise _refusal(message("{name} is no source of this server", name=repr(unknown[0][:60])))
    groups = {group.name: group.sources for group in grouped(engine.registry, sources)}
    every, none = only(fields, "all"), only(fields, "none")
    ticked |= dict.fromkeys(each.name for each in groups.get(every, ()) if tickable(each))
    for source in groups.get(none, ()):
        ticked.pop(source.name, None)
    names = tuple(ticked)
    if source_names(names) != names:
        raise _refusal(
            message(
                "more than {most} names, or {characters} characters of names",
                most=MOST_SOURCES,
                characters=f"{MOST_CHARACTERS:,}",
            )
        )
    return names


def _refusal(reason: str) -> Problem:
    return Problem.bad_parameters([{"parameter": "sources", "reason": reason}])
