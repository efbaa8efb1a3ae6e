"""A server with users, named by a trusted header, and a workspace with one of each role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aiohttp import ClientResponse
from aiohttp.test_utils import TestClient
from lxml import html

from metasearch.review.projects import members
from metasearch.review.projects.projects import Project
from metasearch.review.store.database import Database
from metasearch.review.users import accounts
from metasearch.review.users.permissions_and_quotas import ProjectRole
from metasearch.settings import Settings
from metasearch.settings.server import ServerSettings
from metasearch.settings.users import SystemRole, UsersSettings
from tests.review.pages.filled import FilledWorkspace, filled

HEADER = "X-Remote-User"
#: Name of a user -> role in the workspace, and in the project "review".
PEOPLE: Mapping[str, tuple[SystemRole, ProjectRole | None]] = {
    "owner": ("user", "owner"),
    "editor": ("user", "editor"),
    "screener": ("user", "screener"),
    "reader": ("user", "reader"),
    "stranger": ("user", None),
    "administrator": ("administrator", None),
    "guest": ("guest", None),
    # A table may say what it likes: a guest is a member of nothing.
    "guest in the table": ("guest", "owner"),
}


@dataclass(frozen=True)
class Team:
    """What was made.

    Attributes:
        filled: The workspace; "review" is the project of `PEOPLE`.
        uids: Name of a user -> uid.
    """

    filled: FilledWorkspace
    uids: Mapping[str, str]

    @property
    def review(self) -> Project:
        """The project of the team."""
        return self.filled.review

    def settings(self, *, guests: bool = False) -> Settings:
        """Of a server with these users."""
        return replace(
            self.filled.settings,
            users=UsersSettings(mode="header", header=HEADER, guests=guests),
            server=ServerSettings(trusted_proxies=("127.0.0.1",)),
        )


def team(path: Path) -> Team:
    """Make a workspace with users in a file."""
    made = filled(path)
    uids = {}
    with Database(path) as db:
        for name, (system, role) in PEOPLE.items():
            user = accounts.create(db, name, role=system, origin="header", subject=name)
            uids[name] = user.uid
            if role is not None and system == "guest":
                db.run(
                    "INSERT INTO member (project, user, role, added) VALUES (?, ?, ?, '')",
                    made.review.id,
                    user.id,
                    role,
                )
            elif role is not None:
                members.add(made.review.at(db), user, role)
    return Team(made, uids)


@dataclass(frozen=True)
class Person:
    """Somebody who asks; `name` is that of the header, "" for nobody; or a program with a token."""

    client: TestClient
    name: str
    token: str = ""
    _form_tokens: list[str] = field(default_factory=list)

    @property
    def headers(self) -> dict[str, str]:
        """Of every request."""
        if self.token:
            return {"Authorization": f"Bearer {self.token}"}
        return {HEADER: self.name} if self.name else {}

    async def get(self, path: str, accept: str = "application/json") -> ClientResponse:
        """The answer to a GET."""
        headers = self.headers | {"Accept": accept}
        return await self.client.get(path, headers=headers, allow_redirects=False)

    async def post(self, path: str, **members_: Any) -> ClientResponse:
        """The answer to a POST of JSON."""
        return await self.client.post(
            path, json=members_, headers=self.headers, allow_redirects=False
        )

    async def json(self, path: str, status: int = 200, /, **members_: Any) -> Any:
        """The object that a POST of members, or a GET without any, is answered with."""
        response = await (self.post(path, **members_) if members_ else self.get(path))
        assert response.status == status, await response.text()
        return await response.json(content_type=None)

    async def page(self, path: str, status: int = 200) -> html.HtmlElement:
        """A page as a tree."""
        response = await self.get(path, "text/html")
        text = await response.text()
        assert response.status == status, text
        return html.document_fromstring(text)

    async def form(
        self, path: str, fields: Mapping[str, str] | Sequence[tuple[str, str]]
    ) -> ClientResponse:
        """The answer to a form, sent with the token of a page of this person."""
        if not self._form_tokens:
            settings = await self.page("/settings")
            self._form_tokens.append(settings.xpath("//input[@name='token']/@value")[0])
        pairs = fields.items() if isinstance(fields, Mapping) else fields
        return await self.client.post(
            path,
            data=[("token", *self._form_tokens), *pairs],
            headers=self.headers | {"Accept": "application/json"},
            allow_redirects=False,
        )
