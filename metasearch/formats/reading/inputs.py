"""What the user has named -> the files that are read, each under a name that no other one has."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from metasearch.errors import UsageError
from metasearch.formats import READABLE
from metasearch.formats.text import line

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
    return Inputs(tuple(_named(list(taken.values()))), tuple(notes))


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
            f"{_endings()}."
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


def _endings() -> str:
    return ", ".join(f".{ending}" for ending in sorted(_ENDINGS))


def _named(paths: Sequence[Path]) -> Iterator[Input]:
    shown = [_STDIN_SHOWN if path == STDIN else path for path in paths]
    times = Counter(path.name for path in shown)
    for path, name_shown in zip(paths, shown, strict=True):
        name = name_shown.name if times[name_shown.name] == 1 else str(name_shown)
        # The name of a file may be any bytes, and it stands in whatever is written.
        yield Input(path, line(os.fsencode(name).decode(errors="replace")) or "unnamed")
