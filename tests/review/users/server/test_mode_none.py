"""A server without users is as it was before there were any."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ASKED = """
import asyncio, sys
from pathlib import Path
from aiohttp.test_utils import TestClient, TestServer
from metasearch.server.app import make_app
from metasearch.settings import Settings
from tests.server.fake import FakeEngine
from tests.review.pages.filled import addresses, filled

async def main():
    made = filled(Path(sys.argv[1]))
    review = f"/api/projects/{made.review.uid}"
    app = make_app(lambda: FakeEngine(settings=Settings(workspace=made.path, serve_workspace=True)))
    paths = [*addresses(made).values(), "/", "/docs", "/openapi.json", "/settings", "/api/projects",
             f"{review}/log", f"{review}/runs", f"{review}/pins", f"{review}/works",
             f"{review}/archive", f"/projects/{made.review.uid}/archive"]
    gone = [f"/projects/{made.review.uid}/members", f"{review}/members",
            f"{review}/reports/chaxin/signatures", "/admin/projects", "/api/admin/projects"]
    async with TestClient(TestServer(app)) as client:
        for path in paths:
            response = await client.get(path, headers={"Accept": "text/html"})
            text = (await response.read()).decode(errors="replace")
            assert response.status < 500, path
            for word in ("/members", "by_name", "/admin", "/login", "Signatures"):
                assert word not in text, (path, word)
        for path in gone:
            assert (await client.get(path)).status == 404, path
        robots = await (await client.get("/robots.txt")).text()
        assert "admin" not in robots

asyncio.run(main())
print(*(name for name in sys.modules if name.startswith("metasearch.review.users.")))
print(*({"argon2", "joserfc", "aiosmtplib"} & set(sys.modules)))
"""


@pytest.fixture
def loaded(tmp_path: Path) -> list[str]:
    """The modules of users that a server without users has loaded after all of its pages."""
    done = subprocess.run(
        [sys.executable, "-c", ASKED, str(tmp_path / "workspace.sqlite3")],
        check=False,
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[4],
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.slow
def test_it_names_nothing_of_users_and_loads_nothing_of_them(loaded: list[str]) -> None:
    """No link, no address and no module; nor a package that is an extra."""
    assert loaded == []
