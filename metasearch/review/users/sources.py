"""`/admin/sources`: databases switched on and off for all, with whose keys."""

from __future__ import annotations

from collections.abc import Sequence

from aiohttp import web
from multidict import MultiMapping

from metasearch.formats.text import clean, web_url
from metasearch.message import message
from metasearch.server.faces.projects.opened import unknown_form
from metasearch.server.faces.users.opened import Here, opened
from metasearch.server.forms import posted
from metasearch.server.page_response import page_response, see_other
from metasearch.server.pages.accounts.admin_sources import (
    PARTS,
    Confirmation,
    SourceLine,
    admin_sources_page,
    source_line,
)
from metasearch.server.pages.projects.said import Said
from metasearch.server.problem import Problem
from metasearch.server.received import only
from metasearch.server.sources import together, view
from metasearch.server.users.switches import SWITCHES
from metasearch.server.workers.peer_app import all_workers
from metasearch.workspace import source_switches
from metasearch.workspace.source_switches import SourceSwitch
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import audit, names

#: Characters of a text that is searched for.
_LONGEST = 100
#: Name of a button -> what it does to a source; None for "as configured".
_BUTTONS = {"on": True, "off": False, "configured": None}


async def answer(request: web.Request) -> web.StreamResponse:
    """The list, or a source switched."""
    here = opened(request, "administer")
    if request.method != "POST":
        return page_response(request, await _page(here))
    fields = await posted(request)
    what, name = _button(fields)
    if needs_confirmation(here, name, _BUTTONS[what]) and only(fields, "confirmed") != "yes":
        return page_response(request, await _page(here, confirm=_confirmation(here, name)))
    await switch(here, name, _BUTTONS[what])
    return see_other(request, f"{here.visit.site.path('/admin/sources', done=what)}#s-{name}")


async def lines_of(here: Here) -> list[SourceLine]:
    """All sources, those first that are asked by default."""
    shared = here.shared
    await shared.engine.ready()
    snapshots = await all_workers(shared)
    states = together(snapshot.states for snapshot in snapshots)
    switches, makers = await here.workspace.read(_switches)
    registry = shared.engine.registry
    lines = []
    for each in view(shared.engine, states):
        found = switches.get(each.name)
        by = "" if found is None else makers.get(found.by, "")
        lines.append(source_line(each, found, registry.configured(each.name), by))
    return lines


def needs_confirmation(here: Here, name: str, enabled: bool | None) -> bool:
    """Whether a source is to be switched on that is off by itself."""
    registry = here.shared.engine.registry
    if name not in registry.names():
        raise Problem(404, None, message("There is no database {name}", name=repr(name[:60])))
    return enabled is True and not registry.configured(name)


async def switch(here: Here, name: str, enabled: bool | None) -> None:
    """Switch a source for all; this worker knows of it at once, the others within seconds."""

    def switched(db: Database) -> None:
        with db.transaction():
            source_switches.switch(db, name, enabled, by=here.identity.uid)
            word = {True: "on", False: "off", None: "as configured"}[enabled]
            facts = {"switched": word}
            audit.write(db, here.identity.uid, "sources", f"source:{name}", facts, here.client)

    await here.workspace.write(switched)
    if (switches := here.request.app.get(SWITCHES)) is not None:
        await switches.read()


async def _page(here: Here, confirm: Confirmation | None = None) -> str:
    query = here.request.query
    text, show = only(query, "q")[:_LONGEST], only(query, "show")
    show = show if show in PARTS else ""
    async with here.shared.admission.brief():
        lines = await lines_of(here)
    return await here.shared.admission.written(
        lambda: admin_sources_page(
            here.visit,
            _chosen(lines, text, show),
            Said(),
            text=text,
            show=show,
            done=only(query, "done"),
            confirm=confirm,
        ),
        large=len(lines) > 20,
    )


def _chosen(lines: Sequence[SourceLine], text: str, show: str) -> list[SourceLine]:
    part = text.casefold()
    return [
        line
        for line in lines
        if line.is_in(show) and part in f"{line.name}\n{line.label}".casefold()
    ]


def _button(fields: MultiMapping[str]) -> tuple[str, str]:
    """Which button was pressed, and of which source."""
    for what in _BUTTONS:
        if name := only(fields, what):
            return what, name
    raise unknown_form()


def _confirmation(here: Here, name: str) -> Confirmation:
    spec = here.shared.engine.registry.spec(name)
    terms = clean(spec.terms)
    return Confirmation(name, spec.label, terms, web_url(terms) or "")


def _switches(db: Database) -> tuple[dict[str, SourceSwitch], dict[str, str]]:
    found = source_switches.every(db)
    return found, names.shown(db, {each.by for each in found.values()})
