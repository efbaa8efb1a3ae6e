"""What the commands about one search strategy share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.workspace.call import Call
from metasearch.engine.options import OPTIONS

if TYPE_CHECKING:
    from metasearch.workspace.projects import Project
    from metasearch.workspace.store.database import Database
    from metasearch.workspace.strategies.strategies import Strategy


def strategy_option(command: Any) -> Any:
    """Add `--strategy`."""
    return click.option(
        "--strategy",
        "name",
        metavar="NAME",
        help="The search strategy; without it the newest one of the project.",
    )(command)


def syntax_option(command: Any) -> Any:
    """Add `--syntax`."""
    return click.option(
        "--syntax",
        type=click.Choice(OPTIONS["syntax"].choices),
        help="What the step is written in; auto, the default, recognises it.",
    )(command)


def names_of(sources: tuple[str, ...]) -> tuple[str, ...] | None:
    """The names in `--sources`; None without the option."""
    named = [name.strip() for value in sources for name in value.split(",")]
    return tuple(dict.fromkeys(filter(None, named))) or None


def found(call: Call, db: Database, name: str | None) -> tuple[Project, Strategy]:
    """The project and the strategy that a command is about. Raises UsageError: there is none."""
    from metasearch.workspace.strategies import strategies

    project = call.project(db)
    return project, strategies.find(db, project, name)
