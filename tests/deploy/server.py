"""What the files of deploy/ must agree with: the server's commands, addresses and bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metasearch.cli.root import root
from metasearch.server.app import make_app
from metasearch.server.limits import Options
from metasearch.server.supervisor import PATIENCE

__all__ = ["OPTIONS", "PATIENCE", "PORT", "SILENT_STREAM", "options_of", "paths"]

OPTIONS = Options()
PORT = 8080
#: Seconds after which a silent event stream sends a ping (docs/server.md).
SILENT_STREAM = 15


def options_of(arguments: Sequence[str]) -> dict[str, Any]:
    """The options of `metasearch serve`, as our own command line reads them.

    Raises:
        click.UsageError: It does not know them.
    """
    command, *rest = arguments
    assert command == "serve", arguments
    with root.commands["serve"].make_context("serve", list(rest)) as context:
        return dict(context.params)


def paths() -> set[str]:
    """The addresses of a server with users."""
    app = make_app(lambda: None, users=True)  # type: ignore[arg-type,return-value]
    return {resource.canonical for resource in app.router.resources()}
