"""What a user has chosen for all searches and pages: used where a request says nothing, and kept in
the account.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from aiohttp import web
from multidict import MultiMapping

from metasearch.engine.options import SearchOptions
from metasearch.formats.citations.styles import STYLES
from metasearch.server.parameters import Parameters
from metasearch.server.preferences import Preferences, source_names
from metasearch.server.site import SHARED
from metasearch.server.users.identity import identity_of
from metasearch.server.visit import VISIT

O = TypeVar("O", bound=SearchOptions)  # noqa: E741


def kept(preferences: Preferences) -> dict[str, Any]:
    """What an account keeps of them, each value whole; colours belong to a device, and stay in its
    cookie.
    """
    return {
        "language": preferences.language,
        "page_size": preferences.page_size,
        "style": preferences.style,
        "sources": list(preferences.sources),
    }


def of_user(request: web.Request) -> dict[str, Any]:
    """What the account of the user keeps; {} for guests and on a server without users."""
    identity = identity_of(request)
    return dict(identity.preferences) if identity is not None and identity.uid else {}


def with_sources(request: web.Request, options: O) -> O:
    """The options of a search; where they name no source, with those that the user has chosen."""
    if options.sources:
        return options
    names = source_names(of_user(request).get("sources"))
    if not names:
        return options
    known = frozenset(request.app[SHARED].engine.registry.names())
    return replace(options, sources=tuple(name for name in names if name in known) or None)


def with_style(
    request: web.Request, parameters: Parameters, given: MultiMapping[str]
) -> Parameters:
    """The parameters of a search; where the request names no style of citations, with the one that
    the user has chosen.
    """
    style = str(of_user(request).get("style"))
    if style not in STYLES or given.get("style", "").strip():
        return parameters
    return replace(parameters, style=style)


async def keep_chosen(request: web.Request) -> None:
    """Keep in the account of a user what they have just chosen, by a form or a link."""
    identity = identity_of(request)
    if identity is None or not identity.uid or VISIT not in request:
        return
    chosen = request[VISIT].chosen
    if chosen is not None:
        # A language is kept also where it is the usual one: a browser may like another.
        usual = {name: value for name, value in kept(Preferences()).items() if name != "language"}
        new, before = kept(chosen), usual | of_user(request)
        changed = {name: value for name, value in new.items() if before.get(name) != value}
        if changed:
            from metasearch.server.users.saving import save_preferences

            await save_preferences(request, identity.uid, changed)
