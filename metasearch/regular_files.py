"""Files as they are opened and read, within bounds; and bytes that are kept compressed."""

from __future__ import annotations

import errno
import io
import os
import stat
import zlib
from functools import cached_property
from pathlib import Path

from metasearch.late_pattern import late_pattern


class Compressible(bytes):
    """Bytes whose compressed form is made when somebody first asks for it, and then kept."""

    @cached_property
    def zlib_form(self) -> bytes:
        """In the format of zlib (RFC 1950)."""
        return _compress(self)


def deflate(value: bytes) -> bytes:
    """The value in the format of zlib (RFC 1950)."""
    return value.zlib_form if isinstance(value, Compressible) else _compress(value)


def inflate(row: bytes, most: int) -> bytes:
    """What `deflate` was given. `row`: any bytes. `most`: bytes that are decompressed at most.
    Raises ValueError: it is no value in the format of zlib, or a larger one.
    """
    inflater = zlib.decompressobj()
    try:
        value = inflater.decompress(row, most)
    except zlib.error as exc:
        raise ValueError(str(exc)) from exc
    if not inflater.eof or inflater.unused_data:
        raise ValueError("it is cut short, too large, or more than one value")
    return value


def _compress(value: bytes) -> bytes:
    # Other levels take two to ten times as long for a tenth of the size.
    return zlib.compress(value, 1)


# The one place where a file is opened that a person or somebody else has put there. A name says
# nothing of what stands there: a FIFO lets whoever opens it wait for a writer, a device never ends,
# a file of /proc has no size and may have no end. So only regular files are opened, without
# waiting, and read up to a bound.

#: How the shell names what it has opened for a command: standard input, and `<(...)`.
_HANDED = late_pattern(r"/dev/stdin|/dev/fd/\d{1,6}|/proc/self/fd/\d{1,6}")
_KINDS = (
    (stat.S_ISDIR, "it is a folder"),
    (stat.S_ISFIFO, "it is a named pipe (FIFO)"),
    (stat.S_ISSOCK, "it is a socket"),
    (stat.S_ISCHR, "it is a device"),
    (stat.S_ISBLK, "it is a device"),
)
#: Error of the system -> limit of `resource`, what it limits, how it is asked for and raised in a
#: shell.
_LIMITS = {
    errno.EMFILE: ("RLIMIT_NOFILE", "this process may have only {} files open at once (ulimit -n)"),
    errno.ENOMEM: ("RLIMIT_AS", "this process may use only {} bytes of memory (ulimit -v)"),
    errno.EFBIG: ("RLIMIT_FSIZE", "this process may write only {} bytes to a file (ulimit -f)"),
}
_PLAIN = {
    errno.EMFILE: "too many files are open in this process",
    errno.ENFILE: "too many files are open on this machine",
    errno.ENOMEM: "there is not enough memory",
    errno.EFBIG: "it would be larger than a file may be here",
    errno.ENOSPC: "no space is left on the disk",
    errno.EDQUOT: "the disk quota is used up",
}


#: Errors of the system that mean that no more fits on the disk, or into a file of this process.
NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
#: Errors of the system that mean that a file or a drive cannot be written.
NO_RIGHT = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class NoRegularFile(OSError):
    """What stands at a path is not to be read: a folder, a device, a FIFO, a socket."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(errno.EINVAL, f"{what}, and only regular files are read", str(path))


class TooLargeToRead(OSError):
    """A file holds more than whoever reads it takes. `most`: bytes that are taken."""

    def __init__(self, path: Path, most: int) -> None:
        super().__init__(errno.EFBIG, f"is larger than {most:,} bytes", str(path))
        self.most = most


def open_regular(path: Path, *, pipes: bool = False) -> io.BufferedReader:
    """A regular file, open for reading; the null device is an empty one.

    `path`: where it lies; links are followed. `pipes`: whether the pipes that a shell hands over
    (`/dev/stdin`, `/dev/fd/63`) are read, too.

    Raises:
        NoRegularFile: Something else stands there. It was not waited for.
        OSError: There is nothing, or it cannot be opened.
        ValueError: There is a NUL in the path.
    """
    handed = pipes and _HANDED.fullmatch(str(path)) is not None
    _refuse(path.stat(), path, handed=handed)  # devices do things when they are opened
    flags = os.O_RDONLY
    for name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    number = os.open(path, flags)
    try:
        found = os.fstat(number)
        _refuse(found, path, handed=handed)  # it may be another one by now
        if handed:
            os.set_blocking(number, True)
        file = os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise
    if found.st_size == 0 and stat.S_ISREG(found.st_mode):
        try:
            if file.peek(1):
                raise NoRegularFile(path, "it has content but no size, as files of /proc have")
        except BaseException:
            file.close()
            raise
    return file


def read(path: Path, most: int, *, pipes: bool = False) -> bytes:
    """The bytes of a regular file. Raises TooLargeToRead: there are more than `most`; OSError: as
    `opened` does, or it cannot be read.
    """
    with open_regular(path, pipes=pipes) as file:
        data = file.read(most + 1) or b""  # None where it would have to be waited for
    if len(data) > most:
        raise TooLargeToRead(path, most)
    return data


def why(exc: BaseException) -> str:
    """What is wrong, in words; where a limit is, the limit, perhaps of this process."""
    number = errno.ENOMEM if isinstance(exc, MemoryError) else getattr(exc, "errno", None)
    if isinstance(exc, NoRegularFile | TooLargeToRead) or number not in _PLAIN:
        return getattr(exc, "strerror", None) or str(exc) or type(exc).__name__
    name, words = _LIMITS.get(number, ("", ""))
    limit = _limit(name) if name else None
    return (
        f"{_PLAIN[number]}: {words.format(f'{limit:,}')}" if limit is not None else _PLAIN[number]
    )


def sqlite_kind(cause: BaseException | None) -> int:
    """The kind of SQLite's code, its lowest byte; 0 where there is none.

    See https://www.sqlite.org/rescode.html
    """
    return (getattr(cause, "sqlite_errorcode", None) or 0) & 0xFF


def is_limit(exc: BaseException) -> bool:
    """Whether the machine or a limit of this process is at fault, and not the file."""
    if isinstance(exc, NoRegularFile | TooLargeToRead):
        return False
    return isinstance(exc, MemoryError) or getattr(exc, "errno", None) in _PLAIN


def _refuse(found: os.stat_result, path: Path, *, handed: bool) -> None:
    if stat.S_ISREG(found.st_mode) or (handed and stat.S_ISFIFO(found.st_mode)):
        return
    if stat.S_ISCHR(found.st_mode) and os.path.realpath(path) == os.devnull:
        return
    what = next((words for is_one, words in _KINDS if is_one(found.st_mode)), "it is no file")
    raise NoRegularFile(path, what)


def _limit(name: str) -> int | None:
    """The limit that this process runs under; None where there is none, or none is told."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    soft, _ = resource.getrlimit(getattr(resource, name))
    return None if soft == resource.RLIM_INFINITY else soft
