"""Several workers of one server know the same users: all that they know is in the workspace."""

from __future__ import annotations

import sys
from pathlib import Path

import aiohttp
import pytest

from metasearch.review.users import accounts, sessions
from metasearch.server.limits.client_limits import Clients
from metasearch.server.site import SHARED
from tests.review.users.server.served import Browser, Served, serving

SECRET, KEY = bytes(32), bytes(range(32))


def as_workers(*served: Served) -> None:
    """Give both what the parent of workers gives them."""
    for each in served:
        object.__setattr__(each.app[SHARED], "clients", Clients((), SECRET))
        each.app[SHARED].cookies._key = KEY


async def test_a_session_is_good_at_every_worker_and_ends_at_all(tmp_path: Path):
    """Begun at one, used at the other with its forms, ended there."""
    async with serving(tmp_path) as one, serving(tmp_path) as other:
        as_workers(one, other)
        one.user("ann")
        here = await one.browser("ann")
        there = await other.browser()
        there.session.cookie_jar.update_cookies(here.cookies())

        assert (await there.get("/help")).status == 200
        token = await here.token("/settings")
        assert (await there.post("/logout", {"token": token})).status == 303
        assert (await here.get("/help")).status == 303


async def test_failures_are_counted_at_all_workers_together(tmp_path: Path):
    """Whoever guesses gets no more tries from more workers."""
    async with serving(tmp_path) as one, serving(tmp_path) as other:
        as_workers(one, other)
        one.user("ann")
        browsers = [await one.browser(), await other.browser()]
        tries = []
        for number in range(12):
            answer = await browsers[number % 2].log_in("ann", "wrong horse battery")
            tries.append("Too many logins have failed." in await answer.text())
        assert not any(tries[:9])
        assert all(tries[10:])


@pytest.mark.skipif(sys.platform == "win32", reason="there are no workers")
@pytest.mark.slow
async def test_a_real_server_of_two_workers_with_users(tmp_path: Path):
    """Started as the command line does it; a session is made in the file beside it."""
    import asyncio
    import os

    from metasearch.review.store.database import Database

    file = tmp_path / "w.sqlite3"
    with Database(file) as db:
        secret = sessions.begin(db, accounts.create(db, "ann"))
    config = tmp_path / "c.toml"
    config.write_text('[users]\nmode = "local"\n', encoding="utf-8")
    command = (
        *("-m", "metasearch", "serve", "--demo", "--config", str(config), "--port", "0"),
        *("--workers", "2", "--workspace", str(file)),
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, stderr=asyncio.subprocess.PIPE, env={**os.environ}
    )
    assert process.stderr is not None
    try:
        line = ""
        while "listening on" not in line:
            line = (await process.stderr.readline()).decode()
            assert line
        base = line.split("listening on ")[1].split(" ")[0]
        for _ in range(6):  # each a connection of its own, at any of the workers
            async with aiohttp.ClientSession(base) as session:
                browser = Browser(session)
                cookie = {"Cookie": f"metasearch-session={secret}"}
                assert (await browser.get("/help", **cookie)).status == 200
                assert (await browser.get("/help")).status == 303
    finally:
        process.terminate()
        await process.wait()
