"""`/settings`: what a reader prefers, kept in a signed cookie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from aiohttp import web
from multidict import MultiMapping

from metasearch.formats.citations import STYLES
from metasearch.language import TAGS, language
from metasearch.message import message
from metasearch.server.forms import choice_of, only, read_form_fields
from metasearch.server.pages.environment import N_
from metasearch.server.pages.page import page, page_response, see_other
from metasearch.server.pages.sources import SourceGroup, group_sources
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED
from metasearch.server.sources import SourceView, view
from metasearch.server.visit import (
    MOST_CHARACTERS,
    MOST_SOURCES,
    SIZES,
    THEMES,
    Visit,
    source_names,
    visit_of,
)

#: Theme -> its name, to be translated.
_THEME_WORDS: Mapping[str, str] = {
    "auto": N_("as the system"),
    "light": N_("light"),
    "dark": N_("dark"),
}
#: What has just been done -> the message, to be translated.
_DONE: Mapping[str, str] = {
    "saved": N_("The settings are saved."),
    "forgotten": N_("All cookies of this server are deleted, and the basket with them."),
}


def tickable(source: SourceView) -> bool:
    """Whether a search can ask a source, now or after a pause."""
    return source.status not in ("misconfigured", "key missing", "disabled")


def settings_page(visit: Visit, groups: Sequence[SourceGroup], done: str, group: str) -> str:
    site, has = visit.site, visit.preferences
    known = {source.name: source for each in groups for source in each.sources}
    ticked = [name for name in has.sources if name in known]
    shared = {"lang": has.language, "theme": has.theme}
    search: dict[str, str | int] = {"q": "WORDS", **shared}
    search |= {"count": has.page_size, "format": "html"}
    if ticked:
        search["sources"] = ",".join(ticked)
    return page(
        "settings.html",
        visit,
        visit.language.gettext("Settings"),
        current="/settings",
        message=_DONE.get(done, ""),
        languages=[language(tag) for tag in TAGS],
        themes={name: _THEME_WORDS[name] for name in THEMES},
        sizes=SIZES,
        styles={name: style.about for name, style in STYLES.items()},
        usual_style=STYLES[visit.usual_style].about,
        groups=[each for each in _choosable(groups, ticked) if each.sources],
        ticked=frozenset(ticked),
        gone=[name for name in has.sources if name not in known],
        usual=[visit.language.phrase(source.label) for source in known.values() if source.default],
        unfolded=group,
        here=site.url("/", **shared),
        search=site.url("/search", **search).replace("%2C", ","),
    )


def _choosable(groups: Sequence[SourceGroup], ticked: Sequence[str]) -> Iterator[SourceGroup]:
    """The groups, without the sources that no search can ask and that are not ticked."""
    for group in groups:
        sources = [each for each in group.sources if tickable(each) or each.name in ticked]
        yield replace(group, sources=sources)


#: What a form does.
_SAVE, _USUAL, _FORGET = "save", "usual", "forget"


async def answer_settings(request: web.Request) -> web.StreamResponse:
    """`/settings`: shows what the reader prefers, or saves it from a form."""
    shared, visit = request.app[SHARED], visit_of(request)
    await shared.engine.ready()
    if request.method == "POST":
        return await _save(request, visit)
    async with shared.admission.brief():
        groups = group_sources(shared.engine.registry, view(shared.engine))
    done = only(request.query, "done")
    body = await shared.admission.written(
        lambda: settings_page(visit, groups, done, only(request.query, "group")), large=False
    )
    return page_response(request, body)


async def _save(request: web.Request, visit: Visit) -> web.Response:
    fields = await read_form_fields(request)
    done = choice_of(fields, "do", (_SAVE, _USUAL, _FORGET), _SAVE)
    if done == _FORGET:
        visit.forget()
        return see_other(request, visit.site.path("/settings", done="forgotten"))
    has = visit.preferences
    size = choice_of(fields, "count", tuple(map(str, SIZES)), str(has.page_size))
    group = only(fields, "all") or only(fields, "none")
    visit.prefer(
        language=choice_of(fields, "language", TAGS, has.language),
        theme=choice_of(fields, "theme", THEMES, has.theme),
        page_size=int(size),
        style=choice_of(fields, "style", ("", *STYLES), has.style),
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
    groups = {group.name: group.sources for group in group_sources(engine.registry, sources)}
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
    return Problem.bad_parameter("sources", reason)
