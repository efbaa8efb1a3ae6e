"""The configurations that deploy/ ships, loaded as the server loads them."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.settings import Settings
from tests.deploy.files import DEPLOY


def variables(name: str) -> dict[str, str]:
    """The variables of an env file of deploy/."""
    lines = (DEPLOY / name).read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


#: The variables of the replicas, as in the example.
COMPOSE_ENV = {
    **variables("compose/metasearch.env.example"),
    "METASEARCH_PUBLIC_URL": "https://localhost",
}
#: Those of the secret `metasearch-keys`, which is made of such a file.
KUBERNETES_ENV = variables("compose/metasearch.env.example")


def loaded(folder: str, env: Mapping[str, str]) -> Settings:
    """The settings of deploy/FOLDER/config.toml.

    Raises:
        SettingsError: It has a problem.
    """
    return Settings.load(DEPLOY / folder / "config.toml", env)
