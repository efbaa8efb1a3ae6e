"""What the terminal can do, the one function that writes messages to stderr, tables, and exit
codes.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self, TextIO

import click

from metasearch import regular_files
from metasearch.cli import watchdog_messages as watchdog
from metasearch.errors import MetasearchError, QuerySyntaxError
from metasearch.formats.text import clean, line, wrap_text

if TYPE_CHECKING:
    from metasearch.events import Answer, SourceReport


@dataclass(slots=True)
class Console:
    """The two output streams, and the options for what is written to them.

    Attributes:
        quiet: Only errors that end the command are written.
        no_color: `--no-color` was given.
        env: The variables, of which NO_COLOR, TERM and COLUMNS are used.
        program: Whether the command is the whole process, so it may fork and change global
            settings.
    """

    quiet: bool = False
    verbose: bool = False
    no_color: bool = False
    env: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    program: bool = False

    def capable(self, stream: TextIO) -> bool:
        """Whether the stream understands escape sequences: a terminal that is not "dumb"."""
        return stream.isatty() and self.env.get("TERM") != "dumb"

    def colors(self, stream: TextIO) -> bool:
        """Whether to write colours to the stream; see no-color.org."""
        return self.capable(stream) and not self.no_color and not self.env.get("NO_COLOR")

    @property
    def live(self) -> bool:
        """Whether progress is shown: stderr is a terminal, and `--quiet` is not given."""
        return not self.quiet and self.capable(sys.stderr)

    def size(self, stream: TextIO) -> tuple[int, int]:
        """(columns, lines) of the terminal; without one (80, 24). COLUMNS replaces the columns."""
        try:
            columns, lines = os.get_terminal_size(stream.fileno())
        except (OSError, ValueError):
            columns, lines = 0, 0
        wanted = self.env.get("COLUMNS", "")
        if wanted.isdecimal() and len(wanted) < 5:
            columns = int(wanted)
        return columns or 80, lines or 24

    def say(self, text: str, style: str = "", *, wrap: bool = True) -> None:
        """Write lines to stderr. `text`: any text; control characters are removed here. `style`: a
        colour of `click.style`, or "" for none.
        """
        shown = clean(text)
        if wrap and self.capable(sys.stderr):
            shown = "\n".join(self._fit(shown, self.size(sys.stderr)[0]))
        # click removes the colour again if stderr is not a terminal.
        click.echo(
            click.style(shown, fg=style) if style and self.colors(sys.stderr) else shown, err=True
        )

    def _fit(self, text: str, columns: int) -> Iterator[str]:
        for long in text.split("\n"):
            bare = long.lstrip(" ")
            indent = long[: len(long) - len(bare)]
            yield "\n".join(wrap_text(long, max(columns, 20), indent + "  ")) if bare else ""

    def error(self, error: MetasearchError | OSError) -> None:
        """Write an error and its advice, also with `--quiet`."""
        if isinstance(error, QuerySyntaxError):
            from metasearch.query import explain

            self.say(explain(error, self.size(sys.stderr)[0]), "red", wrap=False)
            return
        message = str(error)
        if isinstance(error, OSError) and error.strerror:
            message = (
                f"{error.filename}: {regular_files.why(error)}"
                if error.filename
                else regular_files.why(error)
            )
        self.say(f"error: {message}", "red")
        if isinstance(error, MetasearchError) and error.advice:
            self.say(f"  {error.advice}")


def quantity(number: int, noun: str) -> str:
    """A number with its noun: "1 record", "1,204 records"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def columns(rows: list[tuple[str, ...]]) -> Iterator[str]:
    """The rows with their columns aligned; wide East Asian characters take two places."""
    from wcwidth import wcswidth

    cells = [[line(cell) for cell in row] for row in rows]
    widths = [max(wcswidth(cell) for cell in column) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (
            cell + " " * (width - wcswidth(cell)) for cell, width in zip(row, widths, strict=True)
        )
        yield "  ".join(padded).rstrip()


class Exit(IntEnum):
    """All exit codes. Scripts depend on them, so they do not change."""

    OK = 0
    NO_HITS = 1
    USAGE = 2
    PARTIAL = 3
    NO_ANSWER = 4
    INTERNAL = 70
    INTERRUPTED = 130
    #: The code that a shell reports for a program ended by SIGPIPE.
    READER_GONE = 141


def has_answered(report: SourceReport) -> bool:
    """Whether the source has answered the query; one of its later pages may have failed."""
    return report.status in ("ok", "empty") or report.count > 0


def exit_for(answer: Answer, *, allow_partial: bool = False, excused: Collection[str] = ()) -> Exit:
    """The code for a search that has finished, or whose `--wait` is over."""
    if not any(has_answered(report) for report in answer.sources):
        return Exit.NO_ANSWER
    missing = (report for report in answer.sources if report.failed or report.status == "running")
    if any(report.source not in excused for report in missing) and not allow_partial:
        # Without a hit this is not `NO_HITS` either: the source that failed may have had some.
        return Exit.PARTIAL
    return Exit.OK if answer.passing else Exit.NO_HITS


# Where results are written: standard output, or a file that appears when it is complete.

#: Bytes of small parts that are written to a file at once.
AT_ONCE = 1 << 18


class Sink:
    """Writes the bytes of a result.

    A regular file is written as a draft in the same folder, and renamed when the block ends without
    an error. So no program reads half a file, and a failed search does not delete the file of an
    earlier one. Other files (/dev/null, a pipe) are written directly. `path`: the file; None or "-"
    for standard output.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._final: Path | None = None
        self._draft: Path | None = None
        self._stream: BinaryIO
        #: Whether this is standard output.
        self.to_stdout = path is None or str(path) == "-"
        if path is None or self.to_stdout:
            self._stream = sys.stdout.buffer
            return
        final = Path(os.path.realpath(path))  # a link stays, its target is replaced
        if final.exists() and not final.is_file():
            self._stream = final.open("wb")
            return
        draft = final.with_name(f".{final.name[:200]}.{os.getpid()}.part")
        try:
            self._stream = draft.open("xb")
        except OSError as exc:
            # The message names the file of the user, not the draft.
            raise OSError(exc.errno, exc.strerror, str(path)) from exc
        watchdog.draft(draft)
        self._final, self._draft = final, draft

    def write(self, data: bytes) -> None:
        """Write and flush. Raises BrokenPipeError: the reader has closed the pipe."""
        rest = memoryview(data)
        with watchdog.pause_clock():
            while rest:  # under PYTHONUNBUFFERED standard output is raw and may take only a part
                rest = rest[self._stream.write(rest) :]
            self._stream.flush()

    def write_json(self, value: Any) -> None:
        import orjson

        self.write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))

    def write_all(self, parts: Iterable[bytes]) -> None:
        """Write many small parts, those to a file many at once. Raises as `write`."""
        if self._draft is None:
            for part in parts:
                self.write(part)
            return
        waiting, size = [], 0
        for part in parts:
            waiting.append(part)
            size += len(part)
            if size >= AT_ONCE:
                self.write(b"".join(waiting))
                waiting, size = [], 0
        self.write(b"".join(waiting))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        if kind is None:
            self.finish()
        elif not self.to_stdout and not self._stream.closed:
            self._stream.close()
            if self._draft is not None:
                self._draft.unlink(missing_ok=True)

    def finish(self) -> None:
        """Rename the draft to the file. Nothing can be written after that."""
        if self.to_stdout or self._stream.closed:
            return
        self._stream.close()
        if self._draft is None or self._final is None:
            return
        with suppress(FileNotFoundError):
            shutil.copymode(self._final, self._draft)
        self._draft.replace(self._final)


def forget_stdout() -> None:
    """Redirect standard output to the null device, which the interpreter can flush at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
