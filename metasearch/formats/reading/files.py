"""The files that a user names, and their bytes, unpacked block by block."""

from __future__ import annotations

import os
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

from metasearch import regular_files
from metasearch.errors import FileFormatError, UsageError
from metasearch.formats import READABLE
from metasearch.formats.reading import foreign, zip_directory
from metasearch.formats.reading.result import FileProblem
from metasearch.formats.text import line

# The bytes of a file, unpacked block by block: no more than a block is ever held.

#: Bytes of a block, as they are after unpacking.
BLOCK = 1 << 18
#: Packed bytes that are unpacked at once: where damage is found in one step, what came before it
#: was given out.
STEP = 1 << 10
#: Bytes of standard input that are kept in memory; more of them wait in a temporary file.
IN_MEMORY = 8 << 20
#: Bytes at the beginning that show how a file is packed.
HEAD = 512

GZIP = b"\x1f\x8b\x08"


class Content:
    """What a file holds, unpacked where it is gzipped; read from its beginning whenever a reader
    asks.

    `file`: open, and able to go back to its beginning; its opener closes it. `name`: what it is
    called in errors. `most`: bytes that it may have, packed and unpacked. `size`: bytes, unpacked;
    known when they were read once. `problem`: what is wrong with its packing; None for nothing, or
    where that is not known yet.
    """

    def __init__(self, file: IO[bytes], name: str, most: int) -> None:
        self._file = file
        self.name = name
        self.most = most
        self.size = 0
        self.problem: FileProblem | None = None

    def blocks(self) -> Iterator[bytes]:
        """Its bytes, never more than `BLOCK` at once. Only one such reading goes on at a time.
        Raises FileFormatError: there are more than `most`, or it is damaged from its beginning on.
        """
        self._file.seek(0)
        size = 0
        plain = (
            self._inflate()
            if self._starts_with_gzip()
            else iter(lambda: self._file.read(BLOCK) or b"", b"")
        )
        for block in plain:
            size += len(block)
            if size > self.most:
                raise size_error(self.name, self.most)
            yield block
        self.size = size

    def head(self, size: int) -> bytes:
        found = b""
        for block in self.blocks():
            found += block
            if len(found) >= size:
                break
        return found[:size]

    @contextmanager
    def seekable(self) -> Iterator[IO[bytes]]:
        """Its bytes as a file that can be read from any place, as long as the block lasts; what is
        gzipped is unpacked into a temporary one.
        """
        if not self._starts_with_gzip():
            yield self._file
            return
        with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as plain:
            for block in self.blocks():
                plain.write(block)
            plain.seek(0)
            yield plain

    def _starts_with_gzip(self) -> bool:
        self._file.seek(0)
        start = self._file.read(len(GZIP)) == GZIP
        self._file.seek(0)
        return start

    def refuse_foreign(self) -> None:
        """Raise a FileFormatError that names the kind, where the first bytes are those of a kind
        that is not read.
        """
        start = self.head(HEAD)
        found = foreign.of_bytes(start)
        if start.startswith(GZIP):
            found = foreign.GZIPPED_TWICE
        if start.startswith(zip_directory.MAGIC):
            with self.seekable() as file, zip_directory.open_archive(file, self.name) as archive:
                names = archive.namelist()
            found = None if any(map(foreign.is_workbook, names)) else foreign.of_archive(names)
        if found is not None:
            raise foreign.error(self.name, found, certain=True)

    def _inflate(self) -> Iterator[bytes]:
        waiting, size, packed = bytearray(), 0, 0
        for part in _members(self._file):
            if isinstance(part, int):
                packed += part
                if packed > self.most:
                    raise size_error(self.name, self.most)
                continue
            if part is None:
                if not size:
                    advice = "Fetch it again."
                    raise FileFormatError(
                        self.name, "the file is damaged: it cannot be unpacked", advice=advice
                    )
                what = (
                    "the gzipped file is damaged or breaks off; the first {:,} bytes of its "
                    "content were read"
                )
                self.problem = FileProblem(0, what.format(size))
                break
            size += len(part)
            waiting += part
            if len(waiting) >= BLOCK:
                yield bytes(waiting[:BLOCK])
                del waiting[:BLOCK]
        if waiting:
            yield bytes(waiting)


def _members(file: IO[bytes]) -> Iterator[bytes | int | None]:
    """What the members of a gzipped file hold, at most `BLOCK` at once; how many packed bytes were
    taken; None at damage. What follows the last member and is none is passed over, as gzip does.
    """
    data = b""
    while True:
        inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
        while not inflate.eof:
            if not data:
                data = file.read(STEP) or b""
                if not data:
                    yield None  # breaks off
                    return
                yield len(data)
            try:
                part = inflate.decompress(data, BLOCK)
                yield part
                while len(part) == BLOCK and not inflate.eof:
                    part = inflate.decompress(inflate.unconsumed_tail, BLOCK)
                    yield part
            except zlib.error:
                yield None
                return
            data = inflate.unconsumed_tail
        data = inflate.unused_data
        if len(data) < len(GZIP):
            data += file.read(STEP) or b""
        if not data.startswith(GZIP):
            return


@contextmanager
def content_of(path: Path, name: str, most: int, *, pipes: bool = True) -> Iterator[Content]:
    """The content of a file, as long as the block lasts. Raises FileFormatError: it is no regular
    file, is too large, or cannot be opened; the message names a limit that is at fault.
    """
    try:
        file = regular_files.open_regular(path, pipes=pipes)
    except (OSError, ValueError) as exc:  # a ValueError for a path with a NUL in it
        raise open_error(name, exc) from exc
    with file:
        with _errors_of_file(name):
            if file.seekable():
                yield Content(file, name, most)
                return
        with content_of_pipe(file, name, most) as content:
            yield content


@contextmanager
def content_of_pipe(pipe: BinaryIO, name: str, most: int) -> Iterator[Content]:
    """The content of what can be read only once, such as standard input. Raises FileFormatError:
    there are more than `most` bytes, or they cannot be kept.
    """
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as kept:
        with _errors_of_file(name):
            size = 0
            while block := pipe.read(BLOCK):
                size += len(block)
                if size > most:
                    raise size_error(name, most)
                kept.write(block)
        with _errors_of_file(name):
            yield Content(kept, name, most)


@contextmanager
def _errors_of_file(name: str) -> Iterator[None]:
    """Errors of system and memory as errors of this file that say which limit was met."""
    try:
        yield
    except (OSError, MemoryError) as exc:
        raise read_error(name, exc) from exc


#: What to do about a limit of the machine or the process.
LIMIT_ADVICE = (
    "The file is not at fault: raise the limit, free what is used up, or divide the file."
)


def open_error(name: str, exc: OSError | ValueError) -> FileFormatError:
    if isinstance(exc, regular_files.NoRegularFile):
        advice = "Give what another program writes as standard input: COMMAND | metasearch dedup -"
    else:
        advice = LIMIT_ADVICE if regular_files.is_limit(exc) else "Look at its path."
    return FileFormatError(
        name, f"the file cannot be opened: {regular_files.why(exc)}", advice=advice
    )


def read_error(name: str, exc: OSError | MemoryError) -> FileFormatError:
    advice = LIMIT_ADVICE if regular_files.is_limit(exc) else "Look whether it can be copied."
    return FileFormatError(
        name, f"the file cannot be read: {regular_files.why(exc)}", advice=advice
    )


def size_error(name: str, most: int) -> FileFormatError:
    return FileFormatError(
        name, f"the file is larger than {most:,} bytes", advice="Divide it into several files."
    )


# What the user has named -> the files that are read, each under a name that no other one has.

#: Standard input, as it is named on a command line, and what it is called in its stead.
STDIN = Path("-")
_STDIN_SHOWN = Path("/dev/stdin")
#: Names of files that a note lists; longer lists are cut.
NAMES_SHOWN = 5
_ENDINGS = frozenset(ending for one in READABLE.values() for ending in one.endings)


@dataclass(frozen=True, slots=True)
class Input:
    """A file that is to be read. `path`: where it lies; `STDIN` for standard input. `name`: its
    last part or, where two share that, all of it; fit to be printed.
    """

    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class Inputs:
    """All files, in the order in which they were named. `notes`: what was named and is not read, or
    not twice, in words.
    """

    files: tuple[Input, ...]
    notes: tuple[str, ...] = ()


def gather(named: Sequence[Path]) -> Inputs:
    """The files that are meant; a folder stands for all files in and below it that have a known
    ending. Raises UsageError: something is not there, or a folder holds nothing that can be read;
    OSError: a folder cannot be listed.
    """
    missing = [str(path) for path in named if path != STDIN and not path.exists()]
    if missing:
        those = line(", ".join(missing))
        raise UsageError(
            f"there is no such file: {those}", advice="Nothing was read. Check the path."
        )
    notes: list[str] = []
    taken: dict[str, Path] = {}
    for path in named:
        for file in _inside(path, notes) if path.is_dir() else (path,):
            place = str(STDIN) if file == STDIN else os.path.realpath(file)
            if place in taken:
                notes.append(f"{line(str(file))} is named more than once, and was read once")
            else:
                taken[place] = file
    return Inputs(tuple(_with_names(list(taken.values()))), tuple(notes))


def _inside(folder: Path, notes: list[str]) -> Iterator[Path]:
    passed_over: list[str] = []
    some = False
    for place, folders, files in os.walk(folder, onerror=_refuse):
        folders.sort()
        for name in sorted(files):
            if _is_known(name):
                some = True
                yield Path(place, name)
            else:
                passed_over.append(name)
    shown = line(str(folder))
    if not some:
        advice = (
            f"Name files one by one to have them read whatever they are called. Endings are "
            f"{', '.join(f'.{ending}' for ending in sorted(_ENDINGS))}."
        )
        raise UsageError(f"{shown}: the folder holds no file with a known ending", advice=advice)
    if passed_over:
        more = len(passed_over) - NAMES_SHOWN
        those = line(", ".join(passed_over[:NAMES_SHOWN])) + (
            f" and {more} more" if more > 0 else ""
        )
        notes.append(f"{shown}: not read, because hidden or without a known ending: {those}")


def _refuse(error: OSError) -> None:
    raise error


def _is_known(name: str) -> bool:
    ending = Path(name.lower().removesuffix(".gz")).suffix.removeprefix(".")
    return not name.startswith(".") and ending in _ENDINGS


def _with_names(paths: Sequence[Path]) -> Iterator[Input]:
    shown = [_STDIN_SHOWN if path == STDIN else path for path in paths]
    times = Counter(path.name for path in shown)
    for path, name_shown in zip(paths, shown, strict=True):
        name = name_shown.name if times[name_shown.name] == 1 else str(name_shown)
        # The name of a file may be any bytes, and it stands in whatever is written.
        yield Input(path, line(os.fsencode(name).decode(errors="replace")) or "unnamed")
