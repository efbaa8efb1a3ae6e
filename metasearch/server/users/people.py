"""What people of a server with users are called, and who has signed what, for pages and programs.

On a server without users nobody has a name: everything here then finds nothing, and imports nothing
of the users.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from aiohttp import web

from metasearch.server.identity import identity_of
from metasearch.server.site import SHARED
from metasearch.workspace.workspace import Workspace


async def names(
    request: web.Request, workspace: Workspace, uids: Iterable[str]
) -> Mapping[str, str] | None:
    """Uid -> name for people; None on a server without users."""
    if identity_of(request) is None:
        return None
    from metasearch.workspace.users.names import shown

    wanted = {uid for uid in uids if uid}
    return await workspace.read(shown, wanted) if wanted else {}


def client_of(request: web.Request) -> str:
    """A pseudonym of the address of a request, for the audit log."""
    clients = request.app[SHARED].clients
    return clients.pseudonym(clients.of(request))
