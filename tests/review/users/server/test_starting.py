"""A server is started with users, or says why it cannot be."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from metasearch.errors import SettingsError
from metasearch.review.server import check_users, warn_of_plain_http
from metasearch.server import supervisor
from metasearch.server.app import make_app
from metasearch.settings import ServerSettings, Settings
from metasearch.settings.users import UsersSettings
from tests.server.fake import FakeEngine


def settings(mode: str, **changes: object) -> Settings:
    """Those of a server with users in this mode."""
    given = {"workspace": Path("w.sqlite3"), "serve_workspace": True, **changes}
    return Settings(users=UsersSettings(mode=mode), **given)  # type: ignore[arg-type]


def test_users_need_a_workspace():
    """The command line is told before it listens."""
    with pytest.raises(SettingsError, match="local needs a workspace"):
        supervisor.serve(settings("local", serve_workspace=False), port=0)


def test_keys_of_the_server_and_users_exclude_each_other():
    """Nobody would know which of them counts."""
    keyed = ServerSettings(keys=("KEY",))
    with pytest.raises(SettingsError, match=r"server\.keys"):
        check_users(settings("local", server=keyed))


def test_a_header_needs_proxies_that_are_trusted():
    """Without one nobody could log in."""
    with pytest.raises(SettingsError, match="trusted_proxies: missing"):
        check_users(settings("header"))


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch):
    """With the extra that brings it."""
    monkeypatch.setattr("metasearch.review.server.is_installed", lambda _: False)
    with pytest.raises(SettingsError, match=r'pip install "\.\[users\]"'):
        check_users(settings("local"))
    check_users(settings("none"))


async def test_a_server_that_others_start_checks_it_too(tmp_path: Path):
    """Programs make the application themselves."""
    wrong = settings("local", serve_workspace=False)
    app = make_app(lambda: FakeEngine(settings=wrong), users=True)  # type: ignore[arg-type,return-value]
    with pytest.raises(SettingsError):
        await app.cleanup_ctx._on_startup(app)


def test_passwords_over_plain_http_are_warned_of(caplog: pytest.LogCaptureFixture):
    """Unless the public address is one with HTTPS."""
    with caplog.at_level(logging.WARNING, "metasearch.server"):
        warn_of_plain_http(settings("local", public_url="https://search.example.org"), "0.0.0.0")
        warn_of_plain_http(settings("none"), "0.0.0.0")
        assert not caplog.records
        warn_of_plain_http(settings("local"), "0.0.0.0")
    assert "can be read on the way" in caplog.text
