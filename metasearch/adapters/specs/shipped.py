"""The specs, families and groups that come with the program: data beside the package, read when
they are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from metasearch.adapters.specs.ownspecs import bases
from metasearch.adapters.specs.specfile import read_table
from metasearch.errors import SpecError

#: The folder of the families beside the shipped specs, and the name of the file of groups.
FAMILIES, GROUPS = "families", "groups"


def spec_folder() -> Path:
    """Where the shipped specs are: inside the installed package, or at the top of a checkout."""
    installed = Path(str(files("metasearch"))) / "adapter_specs"
    return (
        installed if installed.is_dir() else Path(str(files("metasearch"))).parent / "adapter_specs"
    )


@cache
def shipped_table(name: str) -> Mapping[str, Any]:
    """The table of a shipped spec, or of a family that others extend.

    Raises:
        KeyError: There is none of that name.
        SpecError: The file is not TOML.
    """
    folder = spec_folder()
    for path in (folder / f"{name}.toml", folder / FAMILIES / f"{name}.toml"):
        if "/" not in name and name != GROUPS and path.is_file():
            return read_table(path)
    raise KeyError(name)


#: Returns the table of a shipped spec or family by its name, of a file by its path.
base_table = bases(shipped_table)


@cache
def shipped_groups() -> Mapping[str, tuple[str, ...]]:
    """The groups of `adapter_specs/groups.toml`, among them "default".

    Raises:
        SpecError: The file is not TOML, or not of the form that its head describes.
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


def _is_names(members: object) -> bool:
    return isinstance(members, list) and all(isinstance(name, str) for name in members)
