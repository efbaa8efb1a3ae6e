"""Keeps what a user has chosen in the account."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiohttp import web

from metasearch.server.site import SHARED
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import accounts


async def save_preferences(request: web.Request, uid: str, changed: Mapping[str, Any]) -> None:
    """Keep what a user has chosen; that of a user who is gone is passed over."""
    service = request.app[SHARED].workspace
    if service is not None:
        await service.workspace.write(_saved, uid, changed)


def _saved(db: Database, uid: str, changed: Mapping[str, Any]) -> None:
    user = accounts.by_uid(db, uid)
    if user is not None:
        accounts.update(db, user, preferences=changed, by=uid)
