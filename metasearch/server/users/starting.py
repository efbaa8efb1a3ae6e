"""Whether a server can be started with its users; read by the parent of workers, too, which loads
nothing that answers requests.
"""

from __future__ import annotations

import logging

from metasearch.errors import SettingsError
from metasearch.extras import how_to_install, is_installed
from metasearch.settings import Settings

logger = logging.getLogger("metasearch.server")

#: Mode -> the package that it needs, and the extra that brings it.
_PACKAGES = {"local": ("argon2", "users"), "oidc": ("joserfc", "oidc")}


def check_users(settings: Settings) -> None:
    """Check [users] against the rest of the configuration. Raises SettingsError: it cannot be used;
    with every problem.
    """
    mode, server = settings.users.mode, settings.server
    if mode == "none":
        return
    problems = []
    if not settings.serve_workspace or settings.workspace is None:
        problems.append(
            f"users.mode: {mode} needs a workspace, in which the users are: "
            "`metasearch serve --workspace`, or serve = true under [workspace]"
        )
    if server.keys or server.keys_file:
        problems.append(
            "server.keys: a server with users has no keys of its own; give each program an API "
            "token of a user (`metasearch user token`)"
        )
    if mode == "header" and not server.trusted_proxies:
        problems.append(
            "server.trusted_proxies: missing; in mode header only these proxies may name users"
        )
    package, extra = _PACKAGES.get(mode, ("", ""))
    if package and not is_installed(package):
        problems.append(f"users.mode: {mode} needs a package. {how_to_install(extra)}")
    if problems:
        raise SettingsError(settings.file or "environment", problems)


def warn_of_plain_http(settings: Settings, host: str) -> None:
    """Warn where passwords and sessions would cross a network unencrypted."""
    if settings.users.mode != "none" and not (settings.public_url or "").startswith("https:"):
        logger.warning(
            "users log in on %s, and [server] public_url is no https address: passwords and "
            "sessions can be read on the way; put a proxy with HTTPS in front, and set public_url",
            host,
        )
