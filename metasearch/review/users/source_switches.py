"""Sources that an administrator has switched on or off for all searches of a server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aiohttp import web
from multidict import MultiMapping

from metasearch.adapters.spec import CONTACT
from metasearch.errors import MetasearchError
from metasearch.formats.text import clean, web_url
from metasearch.message import message
from metasearch.review.page import FormState, tabs, unknown_form
from metasearch.review.service import client_of
from metasearch.review.store.database import Database
from metasearch.review.store.values import now
from metasearch.review.store.workspace import Workspace
from metasearch.review.users import accounts, audit
from metasearch.review.users.account_pages import AccountRequest, account_request
from metasearch.server.forms import only, read_form_fields
from metasearch.server.pages.environment import N_
from metasearch.server.pages.page import page, page_response, see_other
from metasearch.server.pages.sources import status_of_source
from metasearch.server.problem import Problem
from metasearch.server.short_answers import all_workers
from metasearch.server.sources import SourceKey, SourceView, join_states, view
from metasearch.server.visit import Visit


@dataclass(frozen=True, slots=True)
class SourceSwitch:
    """What an administrator has decided about a source. `at`: when, UTC."""

    source: str
    enabled: bool
    by: str
    at: str


def all_switches(db: Database) -> dict[str, SourceSwitch]:
    """Name of a source -> its switch, of those that are not as configured."""
    rows = db.all("SELECT source, enabled, by, at FROM source_switch ORDER BY source")
    return {
        row["source"]: SourceSwitch(row["source"], bool(row["enabled"]), row["by"], row["at"])
        for row in rows
    }


def set_switch(db: Database, source: str, enabled: bool | None, *, by: str = "") -> None:
    """Switch a source. `source`: its name; the caller knows that there is one. `enabled`: None for
    what the configuration says.
    """
    with db.transaction():
        db.run("DELETE FROM source_switch WHERE source = ?", source)
        if enabled is not None:
            db.run("INSERT INTO source_switch VALUES (?, ?, ?, ?)", source, enabled, by, now())


logger = logging.getLogger("metasearch.server")

#: Seconds after which every worker knows of a switch.
EVERY = 2.0


class Switches:
    """Reads the switches of sources now and then, because another worker may have set them. `tell`:
    called with all of them whenever they have changed: `Registry.switch`.
    """

    def __init__(self, workspace: Workspace, tell: Callable[[Mapping[str, bool]], None]) -> None:
        self._workspace = workspace
        self._tell = tell
        self._known: Mapping[str, bool] = {}
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        await self.read()
        self._task = asyncio.create_task(self._repeat(), name="switches of sources")

    async def read(self) -> None:
        found = await self._workspace.read(all_switches)
        switches = {name: each.enabled for name, each in found.items()}
        if switches != self._known:
            self._known = switches
            self._tell(switches)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _repeat(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            try:
                await self.read()
            except MetasearchError as exc:  # it is tried again; what is known stays
                logger.warning("the switches of sources cannot be read: %s", exc)


#: Those of a server with users.
SWITCHES = web.AppKey("switches", Switches)


#: Status of a source -> (its name, icon and class of the text).
_STATES: Mapping[str, tuple[str, tuple[str, str]]] = {
    "ok": (N_("ready"), ("done", "ok")),
    "half-open": (N_("ready"), ("done", "ok")),
    "failing": (N_("its last request failed"), ("warn", "slow")),
    "paused": (N_("paused"), ("clock", "waiting")),
    "open": (N_("failing"), ("warn", "failed")),
    "misconfigured": (N_("wrongly configured"), ("warn", "failed")),
    "key missing": (N_("in need of a key"), ("no", "off")),
    "disabled": (N_("off"), ("no", "off")),
}
#: Which part of the list is shown -> its name.
PARTS: Mapping[str, str] = {
    "": N_("All"),
    "switched": N_("Switched here"),
    "on": N_("On"),
    "off": N_("Off"),
    "key": N_("With a key"),
}
DONE_WORDS: Mapping[str, str] = {
    "on": N_("The database is switched on."),
    "off": N_("The database is switched off."),
    "configured": N_("The database is as configured again."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """A source of the list.

    Attributes:
        state, look: What it is called, and how it looks.
        keys: Those that it takes; never a value.
        default: Whether it is asked where a search names none.
        off_by_itself: Whether it is off where nobody switches it on.
        switch: What an administrator has said; None for nothing.
        switched: When; "" for never.
    """

    name: str
    label: str
    state: str
    look: tuple[str, str]
    keys: Sequence[SourceKey]
    default: bool
    off_by_itself: bool
    switch: bool | None
    switched: str
    by: str
    is_on: bool

    def is_in(self, part: str) -> bool:
        """Whether it is in a part of the list."""
        match part:
            case "switched":
                return self.switch is not None
            case "on":
                return self.is_on
            case "off":
                return not self.is_on
            case "key":
                return bool(self.keys)
        return True


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A source that is off by itself, and is to be switched on. `terms`: what the source's
    description says of its terms; "" for nothing. `link`: their address; "" where they are no
    address.
    """

    name: str
    label: str
    terms: str
    link: str


def source_line(
    view: SourceView, switch: SourceSwitch | None, configured: bool, by: str
) -> SourceLine:
    """A source as the page shows it. `configured`: whether it is on where nobody switches it."""
    words, look = _STATES[status_of_source(view)]
    return SourceLine(
        name=view.name,
        label=view.label,
        state=words,
        look=look,
        keys=view.keys,
        default=view.default,
        off_by_itself=not configured,
        switch=None if switch is None else switch.enabled,
        switched="" if switch is None else switch.at,
        by=by,
        is_on=configured if switch is None else switch.enabled,
    )


def admin_sources_page(
    visit: Visit,
    lines: Sequence[SourceLine],
    said: FormState,
    *,
    text: str = "",
    show: str = "",
    done: str = "",
    confirm: Confirmation | None = None,
) -> str:
    """The whole page. `show`: a key of `PARTS`. `confirm`: what to confirm; None: nothing."""
    return page(
        "users/admin_sources.html",
        visit,
        visit.language.gettext("Databases of this server"),
        current="/admin",
        tabs=tabs(visit, "/admin/sources"),
        lines=lines,
        said=said,
        text=text,
        show=show,
        parts=PARTS,
        contact=CONTACT,
        done=DONE_WORDS.get(done, ""),
        confirm=confirm,
    )


# `/admin/sources`: databases switched on and off for all, with whose keys.

#: Characters of a text that is searched for.
_LONGEST = 100
#: Name of a button -> what it does to a source; None for "as configured".
_BUTTONS = {"on": True, "off": False, "configured": None}


async def answer_sources(request: web.Request) -> web.StreamResponse:
    here = account_request(request, "administer")
    if request.method != "POST":
        return page_response(request, await _page(here))
    fields = await read_form_fields(request)
    what, name = _button(fields)
    if needs_confirmation(here, name, _BUTTONS[what]) and only(fields, "confirmed") != "yes":
        return page_response(request, await _page(here, confirm=_confirmation(here, name)))
    await switch(here, name, _BUTTONS[what])
    return see_other(request, f"{here.visit.site.path('/admin/sources', done=what)}#s-{name}")


async def lines_of(here: AccountRequest) -> list[SourceLine]:
    """All sources, those first that are asked by default."""
    shared = here.shared
    await shared.engine.ready()
    snapshots = await all_workers(shared)
    states = join_states(snapshot.states for snapshot in snapshots)
    switches, makers = await here.workspace.read(_switches)
    registry = shared.engine.registry
    lines = []
    for each in view(shared.engine, states):
        found = switches.get(each.name)
        by = "" if found is None else makers.get(found.by, "")
        lines.append(source_line(each, found, registry.is_enabled_in_settings(each.name), by))
    return lines


def needs_confirmation(here: AccountRequest, name: str, enabled: bool | None) -> bool:
    """Whether a source is to be switched on that is off by itself."""
    registry = here.shared.engine.registry
    if name not in registry.names():
        raise Problem(404, None, message("There is no database {name}", name=repr(name[:60])))
    return enabled is True and not registry.is_enabled_in_settings(name)


async def switch(here: AccountRequest, name: str, enabled: bool | None) -> None:
    """Switch a source for all; this worker knows of it at once, the others within seconds."""

    def save_switch(db: Database) -> None:
        with db.transaction():
            set_switch(db, name, enabled, by=here.identity.uid)
            facts = {"switched": {True: "on", False: "off", None: "as configured"}[enabled]}
            client = client_of(here.request)
            audit.write(db, here.identity.uid, "sources", f"source:{name}", facts, client)

    await here.workspace.write(save_switch)
    if (switches := here.request.app.get(SWITCHES)) is not None:
        await switches.read()


async def _page(here: AccountRequest, confirm: Confirmation | None = None) -> str:
    query = here.request.query
    text, show = only(query, "q")[:_LONGEST], only(query, "show")
    show = show if show in PARTS else ""
    async with here.shared.admission.brief():
        lines = await lines_of(here)
    return await here.shared.admission.written(
        lambda: admin_sources_page(
            here.visit,
            _filter_lines(lines, text, show),
            FormState(),
            text=text,
            show=show,
            done=only(query, "done"),
            confirm=confirm,
        ),
        large=len(lines) > 20,
    )


def _filter_lines(lines: Sequence[SourceLine], text: str, show: str) -> list[SourceLine]:
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


def _confirmation(here: AccountRequest, name: str) -> Confirmation:
    spec = here.shared.engine.registry.spec(name)
    terms = clean(spec.terms)
    return Confirmation(name, spec.label, terms, web_url(terms) or "")


def _switches(db: Database) -> tuple[dict[str, SourceSwitch], dict[str, str]]:
    found = all_switches(db)
    return found, accounts.names_for_people(db, {each.by for each in found.values()})
