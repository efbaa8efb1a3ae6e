"""What every address about users begins with: the workspace, and who asks."""

from __future__ import annotations

from dataclasses import dataclass

from aiohttp import web

from metasearch.server.hosts import check_addressed, check_host
from metasearch.server.identity import Identity, check, identity_of
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED, ServerContext
from metasearch.server.visit import Visit, visit_of
from metasearch.server.workspace_service import WORKSPACE
from metasearch.workspace.users import accounts
from metasearch.workspace.users.accounts import User
from metasearch.workspace.users.permissions import SystemAction
from metasearch.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Here:
    """A request of a user."""

    request: web.Request
    identity: Identity
    workspace: Workspace

    @property
    def shared(self) -> ServerContext:
        """What every handler of the server uses."""
        return self.request.app[SHARED]

    @property
    def visit(self) -> Visit:
        """Who looks, and in which language."""
        return visit_of(self.request)

    @property
    def client(self) -> str:
        """A pseudonym of the address, for the audit log."""
        clients = self.shared.clients
        return clients.pseudonym(clients.of(self.request))

    async def user(self) -> User:
        """The user who asks, as they are now."""
        return await self.account(self.identity.uid)

    async def account(self, uid: str) -> User:
        """A user by the name in an address."""
        return found(await self.workspace.read(accounts.by_uid, uid[:40]))


def found(user: User | None) -> User:
    """A user who is there."""
    if user is None:
        raise Problem(404)
    return user


def opened(request: web.Request, action: SystemAction, *, interface: bool = False) -> Here:
    """A request that is about users. `interface`: whether it is one of the JSON interface, whose
    changes have no token of a form.
    """
    identity = identity_of(request)
    service = request.app.get(WORKSPACE)
    if identity is None or service is None or not identity.uid:
        raise Problem(404)
    if interface:
        check_addressed(request)
    else:
        check_host(request)
    check(request, action)
    return Here(request, identity, service.workspace)
