"""What a command of the workspace is called with: the file, the project, and how it answers."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.terminal.columns import columns
from metasearch.cli.terminal.console import Console
from metasearch.cli.terminal.output import Sink
from metasearch.cli.workspace.remembered import forget, remember, remembered
from metasearch.errors import UsageError
from metasearch.message import message

if TYPE_CHECKING:
    from metasearch.settings import Settings
    from metasearch.workspace.projects import Project
    from metasearch.workspace.store.database import Database


@dataclass(frozen=True)
class Call:
    """The options that all commands have, and what they need of them.

    Attributes:
        json: Whether the answer is one JSON document.
        config: The configuration file, or None.
        workspace: The value of `--workspace`, or None.
        named: The value of `--project`, or None.
    """

    console: Console
    json: bool
    config: Path | None
    workspace: Path | None
    named: str | None = None

    @cached_property
    def settings(self) -> Settings:
        """The configuration. Raises SettingsError: it cannot be used."""
        from metasearch.settings import Settings

        return Settings.load(self.config, os.environ)

    @cached_property
    def file(self) -> Path:
        """The workspace's file: as named, of the variable, of the configuration, or usual."""
        file = self.workspace or self.settings.workspace
        assert file is not None
        return file

    @contextmanager
    def open(self, *, make: bool = False) -> Iterator[Database]:
        """The file, open while the block runs; runs whose processes are gone are marked so. `make`:
        whether it is made where it does not exist. Raises UsageError: it does not exist.
        """
        from metasearch.workspace.runs import runs
        from metasearch.workspace.store.database import Database

        self.exists(make=make)
        with Database(self.file) as db:
            runs.look(db)
            yield db

    def exists(self, *, make: bool = False) -> None:
        """Check that the file is there. Raises UsageError: it is not, and `make` is false."""
        if not make and not self.file.exists():
            raise UsageError(
                message("there is no workspace at {file}", file=self.file),
                advice=message("`metasearch project new NAME` makes one."),
            )

    def project(self, db: Database) -> Project:
        """The project that is named, else the one that was used last, else the only one. Raises
        UsageError: there is no such project, or none is named of several.
        """
        from metasearch.workspace import projects

        if self.named is not None:
            found = projects.find(db, self.named)
            remember(self.file, found.uid)
            return found
        every = projects.every(db)
        last = remembered(self.file)
        chosen = next((project for project in every if project.uid == last), None)
        if chosen is None and len(every) == 1:
            chosen = every[0]
        if chosen is None:
            raise UsageError(
                message("which project?"),
                advice=message(
                    "Name one with --project NAME, or once with `metasearch project use NAME`: "
                    "{names}.",
                    names=", ".join(project.name for project in every[:5]),
                )
                if every
                else message("There is none yet: `metasearch project new NAME` makes one."),
            )
        self.tell(f"project {chosen.name}")
        return chosen

    def use(self, project: Project) -> None:
        """Remember a project for the next commands."""
        remember(self.file, project.uid)

    def gone(self, project: Project) -> None:
        """Forget a project that was deleted."""
        forget(self.file, project.uid)

    # ---------------------------------------------------------------- what is written

    def tell(self, text: str, style: str = "") -> None:
        """Write a line to stderr, unless `--quiet` is given."""
        if not self.console.quiet:
            self.console.say(text, style)

    def answer(self, value: Any, lines: Iterable[str]) -> None:
        """Write the answer to stdout: with `--json` the value, else the lines."""
        if self.json:
            import orjson

            layout = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
            content = orjson.dumps(value, option=layout)
        else:
            from metasearch.formats.text import clean

            content = "".join(f"{clean(line)}\n" for line in lines).encode("utf-8", "replace")
        with Sink() as sink:
            sink.write(content)

    def table(self, value: Any, heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        """Write a table, or with `--json` the value; nothing where there are no rows."""
        self.answer(value, columns([heads, *rows]) if rows else ())

    def confirmed(self, question: str, *, yes: bool) -> None:
        """Ask, unless `yes`. Raises UsageError: no terminal; click.Abort: the answer is no."""
        if yes:
            return
        if not sys.stdin.isatty():
            raise UsageError(
                message("there is no terminal to confirm this"), advice=message("Add --yes.")
            )
        click.confirm(question, abort=True, err=True)
