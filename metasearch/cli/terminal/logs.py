"""Writes log messages of the library to stderr, like all other messages."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from metasearch.cli.terminal.console import Console
from metasearch.cli.terminal.progress_block import ProgressBlock


class _Handler(logging.Handler):
    def __init__(self, console: Console, progress: ProgressBlock | None) -> None:
        super().__init__(logging.DEBUG if console.verbose else logging.WARNING)
        self._console = console
        self._progress = progress

    def emit(self, record: logging.LogRecord) -> None:
        if self._console.quiet:
            return
        if self._progress is not None:
            self._progress.clear()
        # `format` appends the traceback, if there is one: only with `--verbose`.
        self._console.say(self.format(record) if self._console.verbose else record.getMessage())


@contextmanager
def logs_to(console: Console, progress: ProgressBlock | None) -> Iterator[None]:
    """Write warnings and errors to stderr while the block runs; all messages with `--verbose`."""
    root, own = logging.getLogger(), logging.getLogger("metasearch")
    handler = _Handler(console, progress)
    level = own.level
    root.addHandler(handler)
    if console.verbose:
        own.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        root.removeHandler(handler)
        own.setLevel(level)
