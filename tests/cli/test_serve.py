"""`metasearch serve`: what the server is started with."""

from __future__ import annotations

import json
import logging
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metasearch.errors import UsageError
from tests.cli.conftest import Run

Calls = list[dict[str, Any]]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """How the server was called, instead of one that runs."""
    calls: Calls = []

    def serve(settings: object, **options: object) -> None:
        calls.append({"settings": settings, **options})

    monkeypatch.setattr("metasearch.server.supervisor.serve", serve)
    return calls


def test_defaults(run: Run, served: Calls) -> None:
    """Without options the server is for this machine only."""
    assert run("serve").code == 0

    assert {name: served[0][name] for name in ("host", "port", "demo")} == {
        "host": "127.0.0.1",
        "port": 8080,
        "demo": False,
    }


def test_options(run: Run, served: Calls) -> None:
    """Address, demo and public address are handed on."""
    run(
        "serve",
        "--host",
        "::1",
        "--port",
        "0",
        "--demo",
        "--public-url",
        "https://search.example.org/",
    )

    assert (served[0]["host"], served[0]["port"], served[0]["demo"]) == ("::1", 0, True)
    assert served[0]["settings"].public_url == "https://search.example.org/"


def test_pins_versions_and_strategy(run: Run, served: Calls, tmp_path: Path) -> None:
    """They are the server's for all searches."""
    run("serve", "--pins", str(tmp_path / "pins.txt"), "--versions", "merge", "--dedup", "url")

    assert served[0]["settings"].pins == tmp_path / "pins.txt"
    assert served[0]["settings"].versions == "merge"
    assert served[0]["settings"].strategy == "url"


@pytest.mark.slow
def test_pins_that_cannot_be_used(run: Run, tmp_path: Path) -> None:
    """The server does not start: exit code 2, with the problems."""
    pins = tmp_path / "pins.txt"
    pins.write_text("same a:1")

    outcome = run("serve", "--port", "0", "--demo", "--pins", str(pins))

    assert outcome.code == 2
    assert "line 1: same needs two names or more" in outcome.err


@pytest.mark.slow
def test_a_strategy_that_is_not_there(run: Run) -> None:
    """The server does not start: exit code 2, with the names of those that are."""
    outcome = run("serve", "--port", "0", "--demo", "--dedup", "magic")

    assert outcome.code == 2
    assert "there is no strategy called 'magic'" in outcome.err
    assert "default" in outcome.err


def test_cannot_listen(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A port that is taken exits 2 with advice."""

    def serve(*_: object, **__: object) -> None:
        raise UsageError(
            "cannot listen on 127.0.0.1:80: permission denied", advice="Choose another --port."
        )

    monkeypatch.setattr("metasearch.server.supervisor.serve", serve)

    outcome = run("serve", "--port", "80")

    assert outcome.code == 2
    assert (
        outcome.err
        == "error: cannot listen on 127.0.0.1:80: permission denied\n  Choose another --port.\n"
    )


def test_bad_port(run: Run, served: Calls) -> None:
    """A number that is no port is a usage error."""
    assert run("serve", "--port", "70000").code == 2
    assert served == []


def test_a_key_that_is_not_set(run: Run, tmp_path: Path) -> None:
    """The server does not start: it would let nobody in, or everybody."""
    config = tmp_path / "config.toml"
    config.write_text('server.keys = ["ENV:NOBODY_HAS_SET_THIS"]')

    outcome = run("serve", "--port", "0", "--demo", "--config", str(config))

    assert outcome.code == 2
    assert "server.keys: the variable NOBODY_HAS_SET_THIS is not set" in outcome.err


def _talk(*_: object, announce: Callable[[str], None] = lambda _: None, **__: object) -> None:
    """A server that starts, warns, and answers one request."""
    announce("http://127.0.0.1:9/")
    logging.getLogger("metasearch.server").warning("beware\nof it")
    logging.getLogger("metasearch.access").info(
        "GET /search", extra={"request": {"path": "/search", "status": 200}}
    )


def test_json_log(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything on standard error is a line of JSON, the address too; afterwards nothing is left
    of it."""
    monkeypatch.setattr("metasearch.server.supervisor.serve", _talk)

    told = [json.loads(line) for line in run("serve", "--log", "json").err.splitlines()]

    assert [it.get("message") for it in told] == [
        "listening on http://127.0.0.1:9/",
        "beware\nof it",
        None,
    ]
    assert (told[2]["path"], told[2]["status"], told[2]["level"]) == ("/search", 200, "info")
    assert run("serve").err == "beware\nof it\n"


def test_text_log(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line a request, once; warnings as ever."""
    monkeypatch.setattr("metasearch.server.supervisor.serve", _talk)

    for options in ([], ["--verbose"]):
        err = run("serve", "--log", "text", *options).err
        assert err.count("GET /search") == 1
        assert "beware" in err


def test_no_log(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `--log` only warnings are told."""
    monkeypatch.setattr("metasearch.server.supervisor.serve", _talk)

    assert "GET /search" not in run("serve").err


def test_workers_and_loop(run: Run, served: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    """One process on whatever loop is there, if nothing is said; `auto` counts cores; a worker can
    be sent its log."""
    monkeypatch.setattr("metasearch.cli.serve._cores", lambda: 3)
    for options in (
        [],
        ["--workers", "2", "--loop", "asyncio"],
        ["--workers", "auto", "--log", "json"],
    ):
        assert run("serve", *options).code == 0

    assert [(it["workers"], it["loop"]) for it in served] == [
        (1, "auto"),
        (2, "asyncio"),
        (3, "auto"),
    ]
    assert pickle.loads(pickle.dumps(served[2]["prepare"])) == served[2]["prepare"]


@pytest.mark.parametrize("number", ["-1", "1000", "many"])
def test_bad_workers(run: Run, served: Calls, number: str) -> None:
    """A number that makes no sense is a usage error."""
    assert run("serve", "--workers", number).code == 2
    assert served == []


# --------------------------------------------------------------------------- the workspace


def test_the_workspace_is_served_on_demand(run: Run, served: Calls, tmp_path: Path) -> None:
    """Not by itself; with `--workspace` the usual one, or the file that is named."""
    file = tmp_path / "mine.sqlite3"
    run("serve")
    run("serve", "--workspace")
    run("serve", "--workspace", str(file), "--demo")
    without, usual, named = (call["settings"] for call in served)

    assert (without.serve_workspace, usual.serve_workspace) == (False, True)
    assert usual.workspace == without.workspace
    assert (named.serve_workspace, named.workspace) == (True, file)


def test_a_workspace_that_cannot_be_used(run: Run, tmp_path: Path) -> None:
    """The server does not start: exit code 2, with the reason."""
    file = tmp_path / "notes.txt"
    file.write_text("my notes")

    outcome = run("serve", "--port", "0", "--workers", "0", "--workspace", str(file))

    assert outcome.code == 2
    assert "notes.txt" in outcome.err
    assert file.read_text() == "my notes"


@pytest.mark.parametrize(
    ("host", "keyed", "workspace", "warned"),
    [
        ("0.0.0.0", False, True, True),
        ("search.example.org", False, True, True),
        ("0.0.0.0", True, True, False),
        ("0.0.0.0", False, False, False),
        ("127.0.0.1", False, True, False),
        ("::1", False, True, False),
        ("localhost", False, True, False),
    ],
)
def test_an_open_workspace_is_warned_of(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    host: str,
    keyed: bool,
    workspace: bool,
    warned: bool,
) -> None:
    """Where others reach it and no key is asked for."""
    from metasearch.server import supervisor
    from metasearch.settings import ServerSettings, Settings

    async def serve(*_: object) -> None:
        """Ends at once."""

    monkeypatch.setattr(supervisor, "_serve", serve)
    keys = ("METASEARCH_KEY_ALICE",) if keyed else ()
    settings = Settings(serve_workspace=workspace, server=ServerSettings(keys=keys))

    with caplog.at_level(logging.WARNING, "metasearch.server"):
        supervisor.serve(settings, host=host)

    assert ("without API keys" in caplog.text) is warned
