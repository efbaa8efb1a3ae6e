"""What a user has just chosen for all searches and pages, kept in the account."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from metasearch.server.identity import identity_of
from metasearch.server.preferences import Preferences, of_user
from metasearch.server.visit import VISIT


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
