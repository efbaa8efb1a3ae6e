"""The configurations of deploy/ can be used as they are."""

from __future__ import annotations

import re

import pytest

from metasearch.adapters.specs.registry import Registry
from metasearch.errors import SettingsError
from metasearch.review.server import check_users
from tests.cases import each
from tests.deploy.configuration import COMPOSE_ENV, KUBERNETES_ENV, loaded
from tests.deploy.files import DEPLOY

FOLDERS = {"compose": COMPOSE_ENV, "kubernetes": KUBERNETES_ENV, "systemd": {}}


@each("folder", FOLDERS)
def test_a_server_can_start_with_it(folder: str) -> None:
    """No key is unknown, no value wrong; users fit the rest; the default sources are there."""
    settings = loaded(folder, FOLDERS[folder])

    check_users(settings)
    assert Registry(settings).default()
    assert settings.contact == "library@example.org"
    assert settings.public_url is not None
    assert settings.public_url.startswith("https://")


def test_every_configuration_is_tested() -> None:
    """No folder of deploy/ has another one."""
    assert {path.parent.name for path in DEPLOY.rglob("*.toml")} == set(FOLDERS)


@each("folder", ["compose", "kubernetes"])
def test_replicas_share_and_say_so_where_they_cannot(folder: str) -> None:
    """Without the variable of the address the server does not start, instead of sharing nothing."""
    settings = loaded(folder, FOLDERS[folder])
    with pytest.raises(SettingsError, match="METASEARCH_SHARED_URL"):
        loaded(folder, {"METASEARCH_SHARED_SECRET": "x" * 16})

    assert settings.shared.url.startswith("redis://")
    assert settings.shared.secret


def test_a_workspace_is_served_only_where_one_machine_has_its_file() -> None:
    """Pods may be on several machines, and the file must not lie on a network drive."""
    assert [loaded(folder, env).serve_workspace for folder, env in FOLDERS.items()] == [
        True,
        False,
        True,
    ]


def test_no_file_has_a_key() -> None:
    """Secrets stand in the environment, in examples as words that say that they must be changed."""
    for path in (it for it in DEPLOY.rglob("*") if it.is_file()):
        for value in re.findall(
            r"(?im)^[ #]*(?:[A-Z_]+_)?(?:password|secret|key)[ ]*[=:][ ]*([^\s{]+)",
            path.read_text("utf-8"),
        ):
            assert value.strip('"').startswith(("ENV:", "change-this-")), (
                path,
                value,
            )
