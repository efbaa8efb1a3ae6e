"""Spec files of the user's own: how they are named, found and read.

A source is named by its name or by the path of its spec. What has a slash in it or ends in `.toml`
is a path, so no name is ever looked for among the files of the folder in which a command runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from metasearch import opening
from metasearch.adapters.specs.specfile import NAME, read_table
from metasearch.adapters.specs.tables import Table
from metasearch.errors import SpecError, UsageError

#: How a program may name sources: names, groups, and paths of spec files; one text may hold
#: several, with commas.
SourcesLike = str | Path | Sequence[str | Path]

#: Spec files of a folder.
MOST_FILES = 1_000


def is_path(name: str | Path) -> bool:
    """Whether a spec file is meant, and not the name of a source."""
    return isinstance(name, Path) or "/" in name or "\\" in name or name.endswith(".toml")


def names_of(given: SourcesLike | None) -> tuple[str | Path, ...] | None:
    """Each source that is named, once; None for None.

    A text alone is parted at its commas, as `-s` is; one in a list, and a `Path`, are taken as they
    are.

    Raises:
        UsageError: Something else than a text or a path is among them.
    """
    if given is None:
        return None
    if isinstance(given, str):
        return tuple(dict.fromkeys(filter(None, (name.strip() for name in given.split(",")))))
    found = (
        (given,)
        if isinstance(given, Path)
        else tuple(given)
        if isinstance(given, Iterable)
        else (given,)
    )
    for name in found:
        if not isinstance(name, (str, Path)):
            raise UsageError(f"sources: {repr(name)[:80]} is neither a name nor a path")
    return tuple(dict.fromkeys(found))


def table_of(path: Path) -> dict[str, Any]:
    """The table of a spec file; where it extends another file, `extends` is an absolute path.

    Raises:
        UsageError: There is no such file.
        SpecError: It cannot be read, or is not TOML.
    """
    try:
        table = read_table(path, str(path))
    except FileNotFoundError as exc:
        advice = (
            "The path begins in the folder where you are; `metasearch sources new NAME` "
            "writes a spec to fill in."
        )
        raise UsageError(f"there is no spec file {path}", advice=advice) from exc
    except (OSError, ValueError) as exc:
        raise SpecError(str(path), [f"cannot be read: {opening.why(exc)}"]) from exc
    return anchored(table, path.parent)


def anchored(table: Table, folder: Path) -> dict[str, Any]:
    """The table, in which the path that it extends begins at the root and no longer in its
    folder.
    """
    found = dict(table)
    base = found.get("extends")
    if isinstance(base, str) and is_path(base):
        # Made whole, so that the same file under another name is known again.
        found["extends"] = str((folder.absolute() / Path(base).expanduser()).resolve())
    return found


def bases(shipped: Callable[[str], Table]) -> Callable[[str], Table]:
    """What gives `specfile.build` the table of a shipped spec by its name, and of a file by its
    path.

    Raises:
        KeyError: There is no shipped spec of that name.
        SpecError: There is no such file, or it cannot be read.
    """

    def base(name: str) -> Table:
        if not is_path(name):
            return shipped(name)
        try:
            return table_of(Path(name))
        except UsageError as exc:
            raise SpecError(name, ["there is no such file, and another spec extends it"]) from exc

    return base


def spec_files(folder: Path | None) -> dict[str, Path]:
    """Name of the source -> its file, of every `NAME.toml` in a folder; nothing where there is no
    folder.

    Raises:
        SpecError: There are too many, or one is called as no source can be.
    """
    if folder is None or not folder.is_dir():
        return {}
    found: dict[str, Path] = {}
    for path in sorted(folder.glob("*.toml")):
        if not NAME.fullmatch(path.stem):
            what = (
                "a spec is called as its source: lower-case letters, digits, '-' or '_', at most 40"
            )
            raise SpecError(str(path), [f"the file's name: {what}"])
        found[path.stem] = path
        if len(found) > MOST_FILES:
            raise SpecError(str(folder), [f"the folder holds more than {MOST_FILES:,} specs"])
    return found


def named_as_file(table: Table, path: Path) -> dict[str, Any]:
    """The table of a file in the folder of specs, under the name of the file.

    Raises:
        SpecError: It names itself otherwise.
    """
    if table.get("name", path.stem) != path.stem:
        raise SpecError(str(path), [f"name: must be {path.stem!r}, as the file is called"])
    return {**table, "name": path.stem}


def own_name(table: Table, path: Path) -> str:
    """The name of the source that a file describes: its own, or that of the file.

    Raises:
        SpecError: Neither is one.
    """
    name = table.get("name", path.stem)
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise SpecError(
            str(path), ["name: must be lower-case letters, digits, '-' or '_', at most 40"]
        )
    return name
