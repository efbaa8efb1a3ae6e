"""Where results go: standard output, or a file that is whole or not there at all."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from metasearch.cli.terminal import watchdog


class Sink:
    """Takes the bytes of a result.

    A regular file is written beside its place and put there when the block ends without an error,
    so that nobody ever reads half a file and a failed search does not cost the file of an earlier
    one. What is no regular file (/dev/null, a pipe) is written to at once.

    Args:
        path: None or "-" is standard output.
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
        final = Path(os.path.realpath(path))  # a link stays, what it points to is replaced
        if final.exists() and not final.is_file():
            self._stream = final.open("wb")
            return
        draft = final.with_name(f".{final.name[:200]}.{os.getpid()}.part")
        try:
            self._stream = draft.open("xb")
        except OSError as exc:
            # The user knows the name that was given, not the draft's.
            raise OSError(exc.errno, exc.strerror, str(path)) from exc
        watchdog.draft(draft)
        self._final, self._draft = final, draft

    def write(self, data: bytes) -> None:
        """Write, and let the reader have it at once.

        Raises:
            BrokenPipeError: The reader has gone.
        """
        rest = memoryview(data)
        with watchdog.writing():
            while rest:  # under PYTHONUNBUFFERED standard output is raw and may take only a part
                rest = rest[self._stream.write(rest) :]
            self._stream.flush()

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
        """Put the file in its place; nothing can be written any more."""
        if self.to_stdout or self._stream.closed:
            return
        self._stream.close()
        if self._draft is None or self._final is None:
            return
        with suppress(FileNotFoundError):
            shutil.copymode(self._final, self._draft)
        self._draft.replace(self._final)


def forget_stdout() -> None:
    """Point standard output nowhere, so that the interpreter does not complain of a closed pipe
    when it flushes it.
    """
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
