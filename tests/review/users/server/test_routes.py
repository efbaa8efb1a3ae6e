"""The addresses of a server with users, and what each asks of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from metasearch.review.routes import TEAM_ROUTES
from metasearch.review.users.permissions_and_quotas import PROJECT_ACTIONS, SYSTEM_ACTIONS
from metasearch.server.app import ROUTES
from metasearch.server.wing import server_wing
from tests.cases import each
from tests.review.users.server.served import HTML, Served

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "users-server.md").read_text("utf-8")
TEAMS = (Path(__file__).resolve().parents[4] / "docs" / "teams.md").read_text("utf-8")
EVERY = (*ROUTES, *server_wing().routes(users=True))


def test_every_route_of_a_project_asks_for_a_role_in_it():
    """And no other one does: there is no project that it could be in."""
    for route in EVERY:
        allowed = PROJECT_ACTIONS if "{project}" in route.path else SYSTEM_ACTIONS
        assert route.action in allowed, route.path
        assert route.posts_action in (*allowed, None), route.path


@each("path", [route.path for route in TEAM_ROUTES])
def test_routes_of_teams(path):
    """Each has a row on the page about teams."""
    assert f"| `{path}` |" in TEAMS


def test_what_needs_no_user_is_known():
    """Health, files, descriptions, the login, and what a secret in the address opens."""
    open_ = {re.sub(r"^/([^/{.]*).*", r"\1", route.path) for route in EVERY if route.keyless}

    assert open_ == {
        *("healthz", "readyz", "robots", "favicon", "static", "openapi", "docs", ""),
        *("login", "logout", "password", "join", "address"),
        *("feeds", "unsubscribe"),
    }


def test_what_needs_no_user_is_on_the_page():
    """The operator is told what is open."""
    for name in ("/healthz", "/readyz", "/static", "/openapi.json", "/docs", "/metrics"):
        assert f"`{name}`" in PAGE


async def test_metrics_are_for_administrators_and_this_machine(local: Served):
    """Not for those whom a proxy lets through."""
    local.user("ann")
    local.user("root", "administrator")
    elsewhere = {"X-Forwarded-For": "203.0.113.5"}

    assert (await (await local.browser()).ask("/metrics")).status == 200
    for name, status in (("ann", 403), ("root", 200)):
        browser = await local.browser(name)
        assert (await browser.ask("/metrics", headers=elsewhere)).status == status
    stranger = await local.browser()
    assert (await stranger.ask("/metrics", headers=elsewhere)).status == 401


async def test_the_description_says_that_tokens_are_needed(local: Served):
    """What needs no user is described without."""
    browser = await local.browser()
    document = await (await browser.ask("/openapi.json")).json()
    schemes = document["components"]["securitySchemes"]

    ((name, scheme),) = schemes.items()
    assert "API token" in scheme["description"]
    assert document["paths"]["/search"]["get"]["security"] == [{name: []}]
    assert "security" not in document["paths"]["/healthz"]["get"]


async def test_no_cache_shows_one_user_what_another_has_read(open_: Served):
    """Answers are private, those that were public without users too."""
    browser = await open_.browser()
    for path in ("/opensearch.xml", "/help", "/search?q=gene"):
        response = await browser.ask(path, headers=HTML)
        assert response.status == 200
        assert "public" not in response.headers["Cache-Control"], path
    assert "public" in (await browser.ask("/static/style.css")).headers["Cache-Control"]


@pytest.mark.slow
def test_a_server_without_users_loads_nothing_of_them(tmp_path: Path):
    """Neither the tables of users nor the packages for passwords, logins and e-mails."""
    script = f"""
import asyncio, sys
from pathlib import Path
import aiohttp
from metasearch.server.app import open_server as listening
from metasearch.settings import Settings

async def main():
    settings = Settings(workspace=Path({str(tmp_path / "w.sqlite3")!r}), serve_workspace=True)
    async with listening(settings, demo=True) as url, aiohttp.ClientSession() as session:
        for path in ("", "search?q=gene&format=html", "help", "settings", "projects"):
            async with session.get(url.rstrip("/") + "/" + path) as response:
                assert response.status == 200, path
        for path in ("login", "password", "password/x", "join/x", "account"):
            async with session.get(url.rstrip("/") + "/" + path) as response:
                assert response.status == 404, path
        async with session.get(url.rstrip("/") + "/robots.txt") as response:
            assert "login" not in await response.text()

asyncio.run(main())
loaded = ("metasearch.review.users", "argon2", "joserfc", "aiosmtplib")
print([name for name in sys.modules if name.startswith(loaded)])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
