"""The page on which administrators switch databases on and off for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metasearch.server.pages.accounts.tabs import tabs
from metasearch.server.pages.page import page
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.source_choice import standing
from metasearch.server.pages.terms import N_
from metasearch.server.sources import SourceKey, SourceView
from metasearch.server.visit import Visit
from metasearch.workspace.source_switches import SourceSwitch

#: Status of a source -> (its name, icon and class of the text).
_STATES: Mapping[str, tuple[str, tuple[str, str]]] = {
    "ok": (N_("ready"), ("done", "ok")),
    "half-open": (N_("ready"), ("done", "ok")),
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
    words, look = _STATES[standing(view)]
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
    said: Said,
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
        done=DONE_WORDS.get(done, ""),
        confirm=confirm,
    )
