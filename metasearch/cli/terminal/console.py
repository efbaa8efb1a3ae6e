"""What the terminal can do, and the one way by which anything reaches stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TextIO

import click

from metasearch import opening
from metasearch.errors import MetasearchError, QuerySyntaxError
from metasearch.formats.text import clean, wrapped


@dataclass(slots=True)
class Console:
    """The two output streams, and what the user wants to see on them.

    Attributes:
        quiet: Only errors that end the command are told.
        verbose: Everything is told.
        no_color: `--no-color` was given.
        env: Where NO_COLOR, TERM and COLUMNS are looked up.
        program: Whether this process is the command and nothing else, so that it may be arranged as
            a whole.
    """

    quiet: bool = False
    verbose: bool = False
    no_color: bool = False
    env: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    program: bool = False

    def capable(self, stream: TextIO) -> bool:
        """Whether escape sequences do what they should there: a terminal that is not "dumb"."""
        return stream.isatty() and self.env.get("TERM") != "dumb"

    def colors(self, stream: TextIO) -> bool:
        """Whether colours are wanted there; see no-color.org."""
        return self.capable(stream) and not self.no_color and not self.env.get("NO_COLOR")

    @property
    def live(self) -> bool:
        """Whether somebody watches stderr."""
        return not self.quiet and self.capable(sys.stderr)

    def size(self, stream: TextIO) -> tuple[int, int]:
        """Columns and lines of the terminal that is there; 80 by 24, or as COLUMNS says, where none
        is.
        """
        try:
            columns, lines = os.get_terminal_size(stream.fileno())
        except (OSError, ValueError):
            columns, lines = 0, 0
        wanted = self.env.get("COLUMNS", "")
        if wanted.isdecimal() and len(wanted) < 5:
            columns = int(wanted)
        return columns or 80, lines or 24

    def say(self, text: str, style: str = "", *, wrap: bool = True) -> None:
        """Write lines to stderr.

        Args:
            text: Whatever is in it; control characters are taken out here.
            style: A colour of `click.style`, or "" for none.
            wrap: Whether a terminal's width breaks the lines, between words.
        """
        shown = clean(text)
        if wrap and self.capable(sys.stderr):
            shown = "\n".join(self._fitted(shown, self.size(sys.stderr)[0]))
        # click drops the colour again on whatever is no terminal, unless it is told otherwise.
        click.echo(
            click.style(shown, fg=style) if style and self.colors(sys.stderr) else shown, err=True
        )

    def _fitted(self, text: str, columns: int) -> Iterator[str]:
        for long in text.split("\n"):
            bare = long.lstrip(" ")
            indent = long[: len(long) - len(bare)]
            yield "\n".join(wrapped(long, max(columns, 20), indent + "  ")) if bare else ""

    def error(self, error: MetasearchError | OSError) -> None:
        """Say what went wrong and what to do next; `--quiet` does not silence this."""
        if isinstance(error, QuerySyntaxError):
            from metasearch.query import explain

            self.say(explain(error, self.size(sys.stderr)[0]), "red", wrap=False)
            return
        message = str(error)
        if isinstance(error, OSError) and error.strerror:
            message = (
                f"{error.filename}: {opening.why(error)}" if error.filename else opening.why(error)
            )
        self.say(f"error: {message}", "red")
        if isinstance(error, MetasearchError) and error.advice:
            self.say(f"  {error.advice}")


def counted(number: int, noun: str) -> str:
    """As in "1 record" and "1,204 records"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
