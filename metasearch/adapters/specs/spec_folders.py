"""Where spec files lie: those of the user, and those that are a part of the program."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from metasearch import opening
from metasearch.adapters.spec import SOURCE_NAME
from metasearch.adapters.specs.specfile import WRONG_NAME, BaseTable, read_table
from metasearch.adapters.specs.tables import Table
from metasearch.errors import SpecError, UsageError

# Spec files of the user: how they are named, found and read. A user names a source by its name or
# by the path of its spec. A text with a slash or with the ending `.toml` is a path. No name is
# looked up among the files of the current folder.

#: How a program may name sources: names, groups, and paths of spec files; one text may hold
#: several, with commas.
SourcesLike = str | Path | Sequence[str | Path]

#: The most spec files in a folder.
MOST_FILES = 1_000


def is_path(name: str | Path) -> bool:
    """Whether this is the path of a spec file, and not the name of a source."""
    return isinstance(name, Path) or "/" in name or "\\" in name or name.endswith(".toml")


def names_of(given: SourcesLike | None) -> tuple[str | Path, ...] | None:
    """Returns each name or path once; None for None.

    A single text is split at its commas, as `-s` is. A text in a list and a `Path` are not split.
    Raises UsageError: something is neither a text nor a path.
    """
    if given is None:
        return None
    if isinstance(given, str):
        return tuple(dict.fromkeys(filter(None, (name.strip() for name in given.split(",")))))
    names: tuple[Any, ...] = (given,)
    if isinstance(given, Iterable) and not isinstance(given, Path):
        names = tuple(given)
    for name in names:
        if not isinstance(name, (str, Path)):
            raise UsageError(f"sources: {repr(name)[:80]} is neither a name nor a path")
    return tuple(dict.fromkeys(names))


def table_of(path: Path) -> dict[str, Any]:
    """Returns the table of a spec file; if it extends another file, by an absolute path. Raises
    UsageError: there is no such file; SpecError: the file cannot be read, or is not TOML.
    """
    try:
        table = read_table(path, str(path))
    except FileNotFoundError as exc:
        advice = (
            "A relative path begins in the current folder; `metasearch sources new NAME` writes a "
            "spec to complete."
        )
        raise UsageError(f"there is no spec file {path}", advice=advice) from exc
    except (OSError, ValueError) as exc:
        raise SpecError(str(path), [f"cannot be read: {opening.why(exc)}"]) from exc
    return anchored(table, path.parent)


def anchored(table: Table, folder: Path) -> dict[str, Any]:
    """Returns the table with an absolute path in `extends`."""
    anchored = dict(table)
    base = anchored.get("extends")
    if isinstance(base, str) and is_path(base):
        # Resolved, so that one file with two paths is recognised as one.
        anchored["extends"] = str((folder.absolute() / Path(base).expanduser()).resolve())
    return anchored


def bases(shipped: BaseTable) -> BaseTable:
    """Returns the `base` of `specfile.build`: shipped specs by name, files by path.

    It raises KeyError if there is no shipped spec of this name, and SpecError if there is no such
    file or if the file cannot be read.
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
    """Returns source -> file for every `NAME.toml` in a folder; {} if there is no folder. Raises
    SpecError: there are too many files, or the name of a file cannot be that of a source.
    """
    if folder is None or not folder.is_dir():
        return {}
    files: dict[str, Path] = {}
    for path in sorted(folder.glob("*.toml")):
        if not SOURCE_NAME.fullmatch(path.stem):
            problem = f"the file has the name of its source, which {WRONG_NAME}"
            raise SpecError(str(path), [problem])
        files[path.stem] = path
        if len(files) > MOST_FILES:
            raise SpecError(str(folder), [f"the folder holds more than {MOST_FILES:,} specs"])
    return files


def named_as_file(table: Table, path: Path) -> dict[str, Any]:
    """Returns the table of a file in the folder of specs, with the name of the file. Raises
    SpecError: the table has another name.
    """
    if table.get("name", path.stem) != path.stem:
        raise SpecError(str(path), [f"name: must be {path.stem!r}, the name of the file"])
    return {**table, "name": path.stem}


def own_name(table: Table, path: Path) -> str:
    """Returns the name of the source that a file describes: its `name`, or that of the file. Raises
    SpecError: this cannot be the name of a source.
    """
    name = table.get("name", path.stem)
    if not isinstance(name, str) or not SOURCE_NAME.fullmatch(name):
        raise SpecError(str(path), [f"name: {WRONG_NAME}"])
    return name


#: In the folder of the shipped specs: the folder of the families, and the file of the groups.
FAMILIES, GROUPS = "families", "groups"
#: The file beside this module that says what is tested; `python3 tasks.py sources` writes it.
TESTED = "tested.json"


def spec_folder() -> Path:
    """Returns the folder of the shipped specs: in the installed package, or in a checkout."""
    # Not by importlib.resources, which takes longer to load than what is read here.
    package = Path(__file__).parents[2]
    installed = package / "adapter_specs"
    return installed if installed.is_dir() else package.parent / "adapter_specs"


@cache
def shipped_table(name: str) -> Mapping[str, Any]:
    """Returns the table of a shipped spec or of a family. Raises KeyError: there is no spec or
    family of this name; SpecError: the file is not TOML.
    """
    folder = spec_folder()
    for path in (folder / f"{name}.toml", folder / FAMILIES / f"{name}.toml"):
        if "/" not in name and name != GROUPS and path.is_file():
            table = read_table(path)
            _SHAPES.update({id(shape): shape for shape in table.get("also", ())})
            return table
    raise KeyError(name)


#: The tables of [[also]] in the specs and families that were read, by identity.
_SHAPES: dict[int, Mapping[str, Any]] = {}


def is_shipped_shape(table: Mapping[str, Any]) -> bool:
    """Whether a table is an unchanged one of [[also]] in a shipped spec or family."""
    return _SHAPES.get(id(table)) is table


#: Returns the table of a shipped spec or family by its name, and that of a file by its path.
base_table = bases(shipped_table)


@cache
def shipped_groups() -> Mapping[str, tuple[str, ...]]:
    """Returns the groups of `adapter_specs/groups.toml`, with "default". Raises SpecError: the file
    is not TOML, or a group is no array of names.
    """
    table = read_table(spec_folder() / f"{GROUPS}.toml")
    wrong = [
        f"{name}: must be an array of names"
        for name, members in table.items()
        if not _is_names(members)
    ]
    if wrong:
        raise SpecError(f"{GROUPS}.toml", wrong)
    return {name: tuple(members) for name, members in table.items()}


@cache
def real_answers() -> Mapping[str, tuple[int, int]]:
    """Returns what the tests of this release read, for each shipped source that has real answers:
    how many answers, and how many records in them.
    """
    text = Path(__file__).with_name(TESTED).read_text(encoding="utf-8")
    return {name: (answers, records) for name, (answers, records) in json.loads(text).items()}


def _is_names(members: object) -> bool:
    return isinstance(members, list) and all(isinstance(name, str) for name in members)
