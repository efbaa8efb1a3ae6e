"""Runs say who has begun them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest

from metasearch import demo
from metasearch.demo import DemoDatabases
from metasearch.server.app import open_server
from metasearch.settings import ServerSettings, Settings
from metasearch.settings.users import HEADER, UsersSettings


async def test_a_run_is_of_the_user_who_began_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In its object, in the list, and on the page of the project, with the name for people."""
    monkeypatch.setattr(demo, "DemoDatabases", lambda **more: DemoDatabases(0.0, **more))
    settings = replace(
        Settings(workspace=tmp_path / "w.sqlite3", serve_workspace=True),
        users=UsersSettings(mode="header"),
        server=ServerSettings(trusted_proxies=("127.0.0.1",)),
    )
    headers = {HEADER: "Ann Lee"}
    async with (
        open_server(settings, demo=True) as url,
        aiohttp.ClientSession(url, headers=headers) as session,
    ):
        for path, members in (
            ("/api/projects", {"name": "lakes"}),
            ("/api/projects/lakes/strategies", {"name": "main", "sources": ["demo-crossref"]}),
            ("/api/projects/lakes/strategies/main/steps", {"text": "lakes"}),
        ):
            async with session.post(path, json=members) as response:
                assert response.status == 201, await response.text()
        begin = {"mode": "counts"}
        async with session.post("/api/projects/lakes/runs", json=begin) as response:
            assert response.status == 202, await response.text()
            begun = await response.json()
        run = f"/api/projects/lakes/runs/{begun['number']}"
        while (shown := await (await session.get(run)).json())["status"] == "running":
            await asyncio.sleep(0.02)
        listed = (await (await session.get("/api/projects/lakes/runs")).json())["runs"]
        page = await (await session.get("/projects/lakes", headers={"Accept": "text/html"})).text()

    assert shown["by_name"] == listed[0]["by_name"] == "ann lee"
    assert shown["by"] == listed[0]["by"] != ""
    assert "<td>ann lee</td>" in page
