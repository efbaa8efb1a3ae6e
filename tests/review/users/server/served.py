"""A server with users on a real socket, in front of an engine that answers from a script; and
browsers that look at it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer
from lxml import html

from metasearch.review.projects import members, projects
from metasearch.review.projects.projects import Project
from metasearch.review.store.database import Database
from metasearch.review.users import accounts, tokens
from metasearch.review.users.accounts import User
from metasearch.review.users.identification import USERS, UsersService
from metasearch.review.users.passwords import Passwords, PasswordThreads
from metasearch.review.users.permissions_and_quotas import ProjectRole
from metasearch.server.app import make_app
from metasearch.server.limits import Options
from metasearch.settings import ServerSettings, Settings
from metasearch.settings.users import SystemRole, UsersSettings
from tests.server.fake import FakeEngine

HTML = {"Accept": "text/html"}
PASSWORD = "correct horse battery"
#: So cheap that a hundred of them take no time.
CHEAP = Passwords(time_cost=1, memory_kib=8, parallelism=1)


class Browser:
    """A browser with cookies of its own, which follows no redirect."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.session = session

    async def ask(self, path: str, **options: Any) -> aiohttp.ClientResponse:
        """The answer to a GET of a program; options are those of aiohttp."""
        return await self._read(self.session.get(path, allow_redirects=False, **options))

    async def tell(self, path: str, **options: Any) -> aiohttp.ClientResponse:
        """The answer to a POST of a program; options are those of aiohttp."""
        return await self._read(self.session.post(path, allow_redirects=False, **options))

    async def get(self, path: str, **headers: str) -> aiohttp.ClientResponse:
        """The answer to a GET for a page."""
        return await self.ask(path, headers=HTML | headers)

    async def page(self, path: str, status: int = 200) -> html.HtmlElement:
        """A page as a tree."""
        response = await self.get(path)
        assert response.status == status, await response.text()
        return html.document_fromstring(await response.text())

    async def token(self, path: str = "/login") -> str:
        """That of the first form of a page."""
        tree = await self.page(path)
        return str(tree.xpath("//main//input[@name='token']/@value")[0])

    async def post(
        self, path: str, fields: Mapping[str, str], *, form: str | None = None, **headers: str
    ) -> aiohttp.ClientResponse:
        """The answer to a form; its token is that of the page at `form`, or at the same path."""
        sent = dict(fields)
        if "token" not in sent:
            sent["token"] = await self.token(form or path)
        return await self.tell(path, data=sent, headers=HTML | headers)

    async def _read(self, asked: Any) -> aiohttp.ClientResponse:
        async with asked as response:
            await response.read()
        return response  # type: ignore[no-any-return]

    async def log_in(
        self, name: str, password: str = PASSWORD, following: str = ""
    ) -> aiohttp.ClientResponse:
        """The answer to the form of the login."""
        fields = {"name": name, "password": password, "next": following}
        return await self.post("/login", fields)

    def cookies(self) -> dict[str, str]:
        """Name -> value."""
        return {cookie.key: cookie.value for cookie in self.session.cookie_jar}


@dataclass
class Served:
    """The server, and what a test does behind its back."""

    base: str
    path: Path
    app: web.Application
    _stack: AsyncExitStack = field(repr=False)

    @property
    def users(self) -> UsersService:
        """How it knows users."""
        found = self.app.get(USERS)
        assert found is not None
        return found

    def database(self) -> Database:
        """The workspace, to be closed by the caller."""
        return Database(self.path)

    def user(
        self, name: str, role: SystemRole = "user", *, password: str = PASSWORD, **more: Any
    ) -> User:
        """A new user."""
        with self.database() as db:
            kept = CHEAP.hash(password) if password else ""
            return accounts.create(db, name, role=role, password=kept, **more)

    def project(self, name: str, **roles: ProjectRole) -> Project:
        """A new project, with members: name of a user -> role."""
        with self.database() as db:
            project = projects.create(db, name, "review")
            for user, role in roles.items():
                members.add(project, accounts.find(db, user), role)
            return project

    def token(self, name: str, *scopes: str) -> dict[str, str]:
        """The header with a new API token of a user."""
        with self.database() as db:
            text, _ = tokens.create(db, accounts.find(db, name), "test", scopes, 30)
        return {"Authorization": f"Bearer {text}"}

    def value(self, sql: str, *values: object) -> Any:
        """The first column of the first row."""
        with self.database() as db:
            return db.value(sql, *values)

    async def browser(self, name: str = "") -> Browser:
        """A browser; where a user is named, they are logged in."""
        session = aiohttp.ClientSession(self.base, cookie_jar=aiohttp.CookieJar(unsafe=True))
        await self._stack.enter_async_context(session)
        made = Browser(session)
        if name:
            assert (await made.log_in(name)).status == 303
        return made


@asynccontextmanager
async def serving(
    folder: Path,
    *,
    users: UsersSettings | None = None,
    server: ServerSettings | None = None,
    public_url: str | None = None,
    **options: Any,
) -> AsyncIterator[Served]:
    """A server; its options are those of `Options`."""
    settings = Settings(
        workspace=folder / "workspace.sqlite3",
        serve_workspace=True,
        users=users or UsersSettings(mode="local"),
        server=server or ServerSettings(),
        public_url=public_url,
    )
    limits = Options(trusted_proxies=settings.server.trusted_proxies, **options)
    app = make_app(
        lambda: FakeEngine(settings=settings),  # type: ignore[arg-type,return-value]
        options=limits,
        users=settings.users.mode != "none",
    )
    async with AsyncExitStack() as stack:
        listening = TestServer(app)
        await listening.start_server()
        stack.push_async_callback(listening.close)
        found = app.get(USERS)
        if found is not None:
            found.passwords.close()
            found.passwords = PasswordThreads(CHEAP)
        assert settings.workspace is not None
        yield Served(str(listening.make_url("/")), settings.workspace, app, stack)
