"""Log messages of the library, told as every other thing on stderr is told."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from metasearch.cli.terminal.console import Console
from metasearch.cli.terminal.progress_block import Progress


class _Handler(logging.Handler):
    def __init__(self, console: Console, progress: Progress | None) -> None:
        super().__init__(logging.DEBUG if console.verbose else logging.WARNING)
        self._console = console
        self._progress = progress

    def emit(self, record: logging.LogRecord) -> None:
        if self._console.quiet:
            return
        if self._progress is not None:
            self._progress.clear()
        # `format` appends a traceback where there is one: only for those who want to know.
        self._console.say(self.format(record) if self._console.verbose else record.getMessage())


@contextmanager
def logs_to(console: Console, progress: Progress | None) -> Iterator[None]:
    """Send log messages to stderr while a block runs: warnings and errors, and everything else for
    `--verbose`.
    """
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
