"""The specs, families and groups that are a part of the program: data files, read when needed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from metasearch.adapters.specs.ownspecs import bases
from metasearch.adapters.specs.specfile import read_table
from metasearch.errors import SpecError

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
