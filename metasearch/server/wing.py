"""What a wing adds to a server, and what the server asks of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metasearch.settings.users import UsersMode
from metasearch.wing import load, wings

if TYPE_CHECKING:
    from aiohttp import web

    from metasearch.engine.engine import Engine
    from metasearch.engine.options import SearchOptions
    from metasearch.server.parameters import Parameters
    from metasearch.server.protocols.openapi.operation import Chapter
    from metasearch.server.route import Route
    from metasearch.settings import Settings


@dataclass(frozen=True, slots=True)
class SiteLink:
    """A link on every page.

    Attributes:
        path: Its address.
        words: In English, marked by `N_`.
        action: What a reader must be allowed to do to get it.
        at_head: Whether it stands at the head of the page, too, and not only at the foot.
        for_basket: What it is called below a basket, whose works its page takes; "" for nothing.
    """

    path: str
    words: str
    action: str
    at_head: bool = False
    for_basket: str = ""


class ServerWing:
    """What a wing adds to one server: this one adds nothing, and a server without wings has it.

    Attributes:
        users: How users are known once it is open; with "none" everybody may do everything.
    """

    users: UsersMode = "none"

    # ---------------------------------------------------------------- before the server starts

    def check(self, settings: Settings) -> None:
        """Check the configuration; the parent of workers does so, too, and loads nothing for it
        that answers requests. Raises SettingsError: it cannot be used; with every problem.
        """

    def warn(self, settings: Settings, host: str) -> None:
        """Log what is unwise on a server that others than this machine reach at this address."""

    def routes(self, *, users: bool) -> Sequence[Route]:
        """Its addresses. `users`: whether those of a server with users are among them."""
        return ()

    # ---------------------------------------------------------------- while it runs

    async def open(self, app: web.Application, engine: Engine) -> None:
        """Begin.

        Args:
            app: Where it keeps what its handlers share; the server's own things are not there yet.
            engine: Asks the sources.

        Raises:
            MetasearchError: The server cannot start.
        """

    async def close(self) -> None:
        """End all that it has begun."""

    # ---------------------------------------------------------------- around a request

    async def identify(self, request: web.Request, asked: Route | None) -> None:
        """Find out who a request is from, and set `IDENTITY`; called where there are users. Raises
        Problem: 400, 401, 403: the request shows something that is not good.
        """

    def permit(self, request: web.Request, asked: Route | None) -> None:
        """Let a request through to its handler, or not; called where there are users. Raises
        HTTPSeeOther: the browser is sent to the login; Problem: 401, 403, 404.
        """

    def prepare(self, request: web.Request) -> None:
        """Note what the work of the request needs to know of it, before its handler runs."""

    async def finish(self, request: web.Request) -> None:
        """Keep what its user has chosen, after its handler; called where there are users."""

    def may(self, request: web.Request, action: str) -> bool:
        """Whether who asks may do something, in the project of the address if there is one."""
        return False

    async def count_search(self, request: web.Request, options: SearchOptions) -> None:
        """Count a search that asks sources against the quotas of its user. Raises Problem: 429
        where they are used up.
        """

    # ---------------------------------------------------------------- what pages and documents say

    def session_mark(self, request: web.Request) -> str:
        """What the tokens of forms contain of a session; "" where the request has none."""
        return ""

    def links(self) -> Sequence[SiteLink]:
        """Links that every page has."""
        return ()

    def save_address(self, request: web.Request, asked: Parameters) -> str:
        """The address of the form that saves a search; "" where it cannot be saved."""
        return ""

    def chapter(self) -> Chapter:
        """What the OpenAPI document says of it."""
        from metasearch.server.protocols.openapi.operation import NO_CHAPTER

        return NO_CHAPTER


def server_wing() -> ServerWing:
    """What the wing that is installed adds to a server, for one server."""
    for wing in wings():
        if wing.server:
            made: ServerWing = load(wing.server)()
            return made
    return ServerWing()
