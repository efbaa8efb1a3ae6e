"""What this wing adds to a server. The parent of workers reads it, too, so it loads nothing that
answers requests.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from metasearch.errors import MetasearchError, SettingsError
from metasearch.extras import how_to_install, is_installed
from metasearch.server.wing import ServerWing, SiteLink
from metasearch.settings import Settings

if TYPE_CHECKING:
    from aiohttp import web

    from metasearch.engine.engine import Engine
    from metasearch.engine.options import SearchOptions
    from metasearch.review.alerts.runs import SavedSearchRunner
    from metasearch.review.service import WorkspaceService
    from metasearch.review.users.identification import UsersService
    from metasearch.review.users.permissions_and_quotas import Action
    from metasearch.review.users.source_switches import Switches
    from metasearch.server.parameters import Parameters
    from metasearch.server.protocols.openapi.operation import Chapter
    from metasearch.server.route import Route

logger = logging.getLogger("metasearch.server")

#: Mode -> the package that it needs, and the extra that brings it.
_PACKAGES = {"local": ("argon2", "users"), "oidc": ("joserfc", "oidc")}
_TAG = "Projects with their strategies, runs, works and reports; saved searches."
_TAGS_OF_USERS = {
    "Users": "Who works on a project, on a server with users.",
    "Account": "Of the user who asks, on a server with users.",
    "Administration": "Users, sources and the audit log, for administrators.",
}


def check_users(settings: Settings) -> None:
    """Check [users] against the rest of the configuration. Raises SettingsError: it cannot be used;
    with every problem.
    """
    mode, server = settings.users.mode, settings.server
    if mode == "none":
        return
    problems = []
    if not settings.serve_workspace or settings.workspace is None:
        problems.append(
            f"users.mode: {mode} needs a workspace, in which the users are: "
            "`metasearch serve --workspace`, or serve = true under [workspace]"
        )
    if server.keys or server.keys_file:
        problems.append(
            "server.keys: a server with users has no keys of its own; give each program an API "
            "token of a user (`metasearch user token`)"
        )
    if mode == "header" and not server.trusted_proxies:
        problems.append(
            "server.trusted_proxies: missing; in mode header only these proxies may name users"
        )
    package, extra = _PACKAGES.get(mode, ("", ""))
    if package and not is_installed(package):
        problems.append(f"users.mode: {mode} needs a package. {how_to_install(extra)}")
    if problems:
        raise SettingsError(settings.file or "environment", problems)


def warn_of_plain_http(settings: Settings, host: str) -> None:
    """Warn where passwords and sessions would cross a network unencrypted."""
    if settings.users.mode != "none" and not (settings.public_url or "").startswith("https:"):
        logger.warning(
            "users log in on %s, and [server] public_url is no https address: passwords and "
            "sessions can be read on the way; put a proxy with HTTPS in front, and set public_url",
            host,
        )


class WorkspaceWing(ServerWing):
    """The workspace of one server, where the settings have it served."""

    def __init__(self) -> None:
        self._workspace: WorkspaceService | None = None
        self._users: UsersService | None = None
        self._switches: Switches | None = None
        self._runner: SavedSearchRunner | None = None

    # ---------------------------------------------------------------- before the server starts

    def check(self, settings: Settings) -> None:
        check_users(settings)

    def warn(self, settings: Settings, host: str) -> None:
        if settings.users.mode != "none":
            warn_of_plain_http(settings, host)
        elif settings.serve_workspace and not (settings.server.keys or settings.server.keys_file):
            logger.warning(
                "the workspace is served on %s without API keys: whoever reaches this server may "
                "read and change all projects; set [users] mode, or [server] keys or keys_file, or "
                "listen on 127.0.0.1",
                host,
            )

    def routes(self, *, users: bool) -> Sequence[Route]:
        from metasearch.review import routes

        of_users = (*routes.TEAM_ROUTES, *routes.USERS_ROUTES) if users else ()
        return (*routes.PROJECT_ROUTES, *routes.SAVED_ROUTES, *of_users)

    # ---------------------------------------------------------------- while it runs

    async def open(self, app: web.Application, engine: Engine) -> None:
        """Open the workspace, and begin what goes on beside requests.

        Raises:
            WorkspaceError: It cannot be used.
            UsageError: E-mails are to be sent, and their package or password is missing.
            SettingsError: A mode of users is configured that cannot be used with the rest.
        """
        settings = engine.settings
        self._workspace = await _workspace(engine)
        check_users(settings)
        if self._workspace is None:
            return
        from metasearch.review.service import WORKSPACE

        app[WORKSPACE] = self._workspace
        if settings.users.mode != "none":
            from metasearch.review.users.identification import USERS, UsersService
            from metasearch.review.users.source_switches import SWITCHES, Switches

            app[USERS] = self._users = UsersService(settings.users, self._workspace.workspace)
            app[SWITCHES] = self._switches = Switches(
                self._workspace.workspace, lambda found: engine.registry.switch(found)
            )
            self.users = settings.users.mode
            await self._switches.begin()
        if settings.alerts.run:
            from metasearch.review.alerts.runs import SavedSearchRunner

            self._runner = SavedSearchRunner(self._workspace.workspace, engine)
            self._runner.start()

    async def close(self) -> None:
        """The file is closed last, as all else uses it."""
        for each in (self._runner, self._switches, self._users, self._workspace):
            if each is not None:
                await each.close()

    # ---------------------------------------------------------------- around a request

    async def identify(self, request: web.Request, asked: Route | None) -> None:
        from metasearch.review.users.identification import identify

        assert self._users is not None
        await identify(request, self._users, asked)

    def permit(self, request: web.Request, asked: Route | None) -> None:
        from metasearch.review.users.identification import permit

        assert self._users is not None
        permit(request, self._users, asked)

    def prepare(self, request: web.Request) -> None:
        """Have what takes long in the workspace be in the share of who asks, also in runs that are
        begun; a connection carries requests of several users.
        """
        if self._workspace is not None:
            from metasearch.review.background import OWNER
            from metasearch.review.service import user_of
            from metasearch.review.store.workspace import LONG_OF
            from metasearch.server.limits.client_limits import USER

            LONG_OF.set(user_of(request) if USER in request else OWNER)

    async def finish(self, request: web.Request) -> None:
        from metasearch.review.users.identification import keep_preferences

        await keep_preferences(request)

    def may(self, request: web.Request, action: str) -> bool:
        from metasearch.review.users.identification import may

        return may(request, cast("Action", action))

    async def count_search(self, request: web.Request, options: SearchOptions) -> None:
        if self._users is not None:
            from metasearch.review.quota_checks import count_search

            await count_search(request, options)

    # ---------------------------------------------------------------- what pages and documents say

    def session_mark(self, request: web.Request) -> str:
        if self._users is None:
            return ""
        from metasearch.review.users.identification import session_mark

        return session_mark(request)

    def links(self) -> Sequence[SiteLink]:
        return _links() if self._workspace is not None else ()

    def save_address(self, request: web.Request, asked: Parameters) -> str:
        from metasearch.server.identity import is_allowed
        from metasearch.server.site import site_of

        if self._workspace is None or not is_allowed(request, "save search"):
            return ""
        given = asked.pairs()
        kept: dict[str, Any] = {
            name: given[name] for name in ("q", "syntax", "sources", "year") if name in given
        }
        return f"{site_of(request).path('/saved', **kept)}#new"

    def chapter(self) -> Chapter:
        if self._workspace is None:
            return super().chapter()
        return chapter(users=self._users is not None)


@cache
def chapter(*, users: bool) -> Chapter:
    """What the OpenAPI document says of a server with a workspace.

    Args:
        users: Whether the server has users; the modules about them are not loaded otherwise.
    """
    from importlib.resources import files

    import orjson

    from metasearch.review import openapi as shared
    from metasearch.review.alerts import api as alerts
    from metasearch.review.projects import openapi as projects
    from metasearch.review.works import openapi as works
    from metasearch.server.protocols.openapi.operation import Chapter

    operations = [*projects.operations(), *works.operations(), *projects.more_operations()]
    schemas = {**shared.SCHEMAS, **alerts.SCHEMAS}
    if users:
        from metasearch.review.screening import openapi as team
        from metasearch.review.users import openapi as accounts

        for module in (team, accounts):
            operations.extend(module.operations())
            schemas |= module.SCHEMAS
    operations.extend(alerts.operations())
    # `tools/openapi_examples.py` has a demo server answer them.
    examples = (files("metasearch.review") / "openapi_examples.json").read_bytes()
    return Chapter(
        tags={shared.TAG: _TAG, **(_TAGS_OF_USERS if users else {})},
        operations=operations,
        schemas=schemas,
        examples=orjson.loads(examples),
    )


@cache
def _links() -> tuple[SiteLink, ...]:
    from metasearch.server.pages.environment import N_

    return (
        SiteLink(
            "/projects",
            N_("Projects"),
            "make project",
            at_head=True,
            for_basket=N_("Add the works to a project"),
        ),
        SiteLink("/saved", N_("Saved searches"), "save search"),
    )


async def _workspace(engine: Engine) -> WorkspaceService | None:
    """The workspace of the settings, opened; None where none is served.

    Raises:
        WorkspaceError: It cannot be used.
        UsageError: E-mails are to be sent, and their package or password is missing.
    """
    settings = engine.settings
    if not settings.serve_workspace or settings.workspace is None:
        return None
    if settings.mail.host:
        from metasearch.review.alerts.email_sender import MailServer

        MailServer(settings.mail, settings.env)  # nobody should find out by e-mails that lack
    from metasearch.review.service import WorkspaceService

    service = WorkspaceService(settings.workspace, engine)
    try:
        await service.open()
    except MetasearchError:
        await service.close()
        raise
    return service
