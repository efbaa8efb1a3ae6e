"""The configuration file: how its TOML is read, and what the checks of its tables share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli

from metasearch import regular_files
from metasearch.errors import SettingsError
from metasearch.late_pattern import late_pattern
from metasearch.toml_tables import Table, TableReader, TomlKey

#: The largest configuration file, in bytes.
MAX_BYTES = 4_000_000
#: The tables whose other keys are names that users choose.
ANY_KEYS = ("groups", "sources")
_VARIABLE = late_pattern(r"ENV:([A-Za-z_][A-Za-z0-9_]*)")


def read_file(file: Path) -> dict[str, Any]:
    """Returns the tables of a configuration file, not yet checked. Raises SettingsError: the file
    cannot be read, is too large, or is not TOML.
    """
    try:
        text = regular_files.read(file, MAX_BYTES).decode()
        return tomli.loads(text.replace("\r\n", "\n").replace("\r", "\n"))
    except OSError as exc:
        raise SettingsError(str(file), [f"cannot be read: {regular_files.why(exc)}"]) from exc
    except (tomli.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise SettingsError(str(file), [f"not TOML: {exc}"]) from exc


class SettingsTables(TableReader):
    """The tables of a configuration. `table`: the whole file, as `read_file` returns it. `keys`:
    table -> the keys that are known in it. `folder`: where relative paths begin.
    """

    def __init__(
        self,
        table: Table,
        keys: Mapping[str, Mapping[str, TomlKey]],
        folder: Path,
        env: Mapping[str, str],
    ) -> None:
        super().__init__()
        self.folder = folder
        self.env = env
        self._tables: dict[str, Table] = {}
        for name, value in table.items():
            if name not in keys:
                self.wrong(name, f"unknown table; allowed are {', '.join(sorted(keys))}")
            elif self.is_kind(value, dict, name):
                self._tables[name] = value
                if name not in ANY_KEYS:
                    self.check_keys(value, keys[name], name)

    def __getitem__(self, name: str) -> Table:
        """The table of this name; an empty one if the file has none."""
        return self._tables.get(name, {})


def positive(reader: SettingsTables, value: float | str, where: str) -> float:
    """Checks a positive number, which a variable holds as text."""
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e12:
        reader.wrong(where, "must be a positive number")
        return 1.0
    return number


def beside(reader: SettingsTables, value: str, _where: str) -> Path | None:
    """The path, which begins in the folder of the configuration; None for an empty text."""
    return reader.folder / Path(value).expanduser() if value else None


def variable_in(text: str) -> str | None:
    """The name in "ENV:NAME"; None if the text is something else."""
    match = _VARIABLE.fullmatch(text)
    return match[1] if match else None


def variable(what: str) -> Any:
    """A check of "ENV:NAME" that returns the name. `what`: what the variable holds; the entry may
    be that itself, so no message repeats it.
    """

    def check(reader: SettingsTables, text: str, where: str) -> str:
        name = variable_in(text)
        if text and name is None:
            reader.wrong(
                where,
                f'is not "ENV:NAME"; write the name of a variable, never the {what} itself',
            )
        return name or ""

    return check
