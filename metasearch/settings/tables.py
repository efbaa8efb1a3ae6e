"""The configuration file: how its TOML is read, and how its tables and keys are checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli

from metasearch import opening
from metasearch.errors import SettingsError
from metasearch.late_pattern import late_pattern
from metasearch.toml_kinds import is_of, mismatch

Table = Mapping[str, Any]

#: The largest configuration file, in bytes.
MAX_BYTES = 4_000_000
#: The key of [sources] that names the folder of spec files. Every other key there is the name of a
#: source, and its value is a table.
FOLDER = "folder"
_GROUP_NAME = late_pattern(r"[a-z0-9][a-z0-9_-]{0,39}")

#: The keys of each table with the kinds of their values. [sources] and [groups] have any keys.
KEYS: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "search": {
        "sources": list,
        "timeout": (int, float),
        "wait": (int, float),
        "per_source": int,
        "enrich": list,
    },
    "network": {"allow": list, "contact": str},
    "cache": {"dir": str, "enabled": bool, "max_bytes": int},
    "collections": {"dir": str, "default": bool},
    "workspace": {"file": str, "serve": bool},
    "users": {
        "mode": str,
        "guests": bool,
        "header": str,
        "default_role": str,
        "oidc": dict,
        "quotas": dict,
    },
    "alerts": {"run": bool, "hours": str},
    "mail": {
        "host": str,
        "port": int,
        "tls": str,
        "user": str,
        "password": str,
        "sender": str,
        "to": str,
    },
    "dedup": {"pins": str, "versions": str, "strategy": str},
    "server": {
        "public_url": str,
        "keys": list,
        "keys_file": str,
        "rate_limit": int,
        "trusted_proxies": list,
        "cors": list,
        "openurl": str,
        "openurl_name": str,
        "server_timing": bool,
        "suggest": bool,
        "suggestions": list,
        "silence": (int, float),
        "max_query": int,
    },
    "shared": {"url": str, "replicas": int, "secret": str, "pages": str},
    "sources": {},
    "groups": {},
}


def read_file(file: Path) -> dict[str, Any]:
    """Returns the tables of a configuration file, not yet checked. Raises SettingsError: the file
    cannot be read, is too large, or is not TOML.
    """
    try:
        text = opening.read(file, MAX_BYTES).decode()
        return tomli.loads(text.replace("\r\n", "\n").replace("\r", "\n"))
    except OSError as exc:
        raise SettingsError(str(file), [f"cannot be read: {opening.why(exc)}"]) from exc
    except (tomli.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise SettingsError(str(file), [f"not TOML: {exc}"]) from exc


class SettingsTables:
    """The checked tables of a configuration.

    A value of a wrong kind is left out, and `problems` has a line for each: "table.key: what is
    wrong; what is allowed". `table`: the whole file, as `read_file` returns it. `problems`:
    everything that is wrong, in the order in which it was noticed.
    """

    def __init__(self, table: Table, folder: Path, env: Mapping[str, str]) -> None:
        self.problems: list[str] = []
        self.folder = folder
        self.env = env
        self._tables: dict[str, Table] = {}
        for name, value in table.items():
            if name not in KEYS:
                self.wrong(name, f"unknown table; allowed are {', '.join(sorted(KEYS))}")
            elif not isinstance(value, Mapping):
                self.wrong(name, "must be a table")
            else:
                self._tables[name] = self._checked(name, value)

    def __getitem__(self, name: str) -> Table:
        """The table of this name; an empty one if the file has none."""
        return self._tables.get(name, {})

    def wrong(self, where: str, what: str) -> None:
        """Adds a problem. `where`: the place: "table.key", or the name of a variable."""
        self.problems.append(f"{where}: {what}")

    def _checked(self, name: str, table: Table) -> Table:
        """The table without the values of a wrong kind."""
        if name == "groups":
            self._check_groups(table)
            return table
        if name == "sources":
            self._check_sources(table)
            return table
        right: dict[str, Any] = {}
        kinds = KEYS[name]
        for key, value in table.items():
            if key not in kinds:
                self.wrong(f"{name}.{key}", f"unknown key; allowed are {', '.join(sorted(kinds))}")
            elif is_of(value, kinds[key]):
                right[key] = value
            else:
                self.wrong(f"{name}.{key}", mismatch(value, kinds[key]))
        return right

    def _check_groups(self, table: Table) -> None:
        for group in table:
            if not _GROUP_NAME.fullmatch(group) or group in ("all", "default"):
                self.wrong(
                    f"groups.{group}",
                    "must be lower-case letters, digits, '-' or '_', and neither all nor default",
                )

    def _check_sources(self, table: Table) -> None:
        for source, value in table.items():
            is_folder = source == FOLDER and isinstance(value, str)
            if not is_folder and not isinstance(value, Mapping):
                self.wrong(f"sources.{source}", "must be a table")

    def strings(self, value: Any, where: str) -> tuple[str, ...]:
        """The strings of an array; () and a problem if the value is something else."""
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self.wrong(where, "must be a list of strings")
        return ()

    def positive(self, value: Any, where: str) -> float:
        """A positive number; 1.0 and a problem if the value is something else."""
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = 0.0
        if not 0 < number < 1e12:
            self.wrong(where, "must be a positive number")
            return 1.0
        return number
