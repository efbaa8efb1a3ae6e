"""Options that the commands of the workspace share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from metasearch.cli.common_options import common
from metasearch.cli.terminal.console import Console
from metasearch.cli.workspace.call import Call
from metasearch.errors import MetasearchError, UsageError
from metasearch.message import message

#: Numbers that a list such as "1,3-5" may name, and digits of one.
_MOST_NUMBERS, _MOST_DIGITS = 500, 6


def in_workspace(command: Callable[..., int]) -> Any:
    """Add the options of every command; the function gets a `Call` first."""
    return _decorated(command, project=False)


def in_project(command: Callable[..., int]) -> Any:
    """The same, and `--project`."""
    return _decorated(command, project=True)


def _decorated(command: Callable[..., int], *, project: bool) -> Any:
    @wraps(command)
    def called(
        console: Console,
        /,
        *,
        workspace: Path | None,
        config: Path | None,
        as_json: bool,
        project: str | None = None,
        **rest: Any,
    ) -> int:
        return int(command(Call(console, as_json, config, workspace, project), **rest))

    decorated: Any = click.pass_obj(called)
    decorators: tuple[Any, ...] = (
        click.option("--json", "as_json", is_flag=True, help="Write one JSON document."),
        click.option(
            "--workspace",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="The workspace, instead of $METASEARCH_WORKSPACE or the one of the configuration.",
        ),
    )
    if project:
        decorators = (
            click.option(
                "--project",
                metavar="NAME",
                shell_complete=complete_project,
                help="The project; without it the one that was used last.",
            ),
            *decorators,
        )
    decorated = common(decorated)
    for decorate in reversed(decorators):
        decorated = decorate(decorated)
    return decorated


def complete_project(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of projects that begin so, each with its title."""
    call = Call(
        Console(quiet=True), False, ctx.params.get("config"), ctx.params.get("workspace"), None
    )
    try:
        from metasearch.workspace import projects

        with call.open() as db:
            return [
                CompletionItem(project.name, help=project.title)
                for project in projects.every(db)
                if project.name.startswith(incomplete)
            ]
    except MetasearchError:
        return []


def numbers(
    _ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[int, ...] | None:
    """The numbers of "1,3-5", each once and in this order; None without the option."""
    if value is None:
        return None
    found: dict[int, None] = {}
    for part in value.split(","):
        first, dash, last = (piece.strip().removeprefix("#") for piece in part.partition("-"))
        ends = [first, last] if dash else [first, first]
        if not all(
            end.isascii() and end.isdigit() and len(end) <= _MOST_DIGITS for end in ends
        ) or int(ends[0]) > int(ends[1]):
            raise UsageError(
                message(
                    "{option}: {part} is no number", option=param.opts[0], part=repr(part[:40])
                ),
                advice=message("Write numbers and ranges: 1,3-5."),
            )
        if len(found) + int(ends[1]) - int(ends[0]) >= _MOST_NUMBERS:
            raise UsageError(
                message(
                    "{option} names more than {most} numbers",
                    option=param.opts[0],
                    most=_MOST_NUMBERS,
                )
            )
        found |= dict.fromkeys(range(int(ends[0]), int(ends[1]) + 1))
    return tuple(found)
