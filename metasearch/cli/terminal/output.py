"""Where results are written: standard output, or a file that appears when it is complete."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from metasearch.cli.terminal import watchdog_messages as watchdog

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
        with watchdog.writing():
            while rest:  # under PYTHONUNBUFFERED standard output is raw and may take only a part
                rest = rest[self._stream.write(rest) :]
            self._stream.flush()

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
