"""Which sources and groups there are, and which of them a search asks: names only.

A source is shipped with the program, or is added by the configuration, by a spec file of the user,
or by a collection.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from metasearch.adapters.specs.collections import collection_names
from metasearch.adapters.specs.ownspecs import named_as_file, spec_files, table_of
from metasearch.adapters.specs.shipped import (
    FAMILIES,
    GROUPS,
    shipped_groups,
    shipped_table,
    spec_folder,
)
from metasearch.settings import Settings

#: The family that every collection extends.
COLLECTION = "collection"


class SourceNames:
    """The names of the sources and groups of one configuration."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._tables: dict[str, Mapping[str, Any]] = {}
        #: Spec files that one search names by their paths: name of the source -> path and table.
        self._files: dict[str, tuple[Path, Mapping[str, Any]]] = {}
        #: What the administrator of a server has switched on or off while it runs.
        self._switches: Mapping[str, bool] = {}

    # ---------------------------------------------------------------- sources

    def names(self) -> list[str]:
        """Every source that can be asked, sorted. A family is no source."""
        shipped = self._own if self._settings.shipped else ()
        return sorted(
            {*shipped, *self._folder, *self._settings.sources, *self.collections, *self._files}
        )

    @property
    def added(self) -> list[str]:
        """Sources that the configuration or the folder of specs adds or changes, sorted."""
        return sorted({*self._settings.sources, *self._folder})

    @cached_property
    def shipped(self) -> tuple[str, ...]:
        """The names of all shipped spec files, with families."""
        return tuple(sorted({*self._own, *self.families}))

    @cached_property
    def families(self) -> tuple[str, ...]:
        """The names of the shipped specs that exist only to be extended."""
        return tuple(sorted(path.stem for path in (spec_folder() / FAMILIES).glob("*.toml")))

    @property
    def collections(self) -> list[str]:
        """The collections that are sources, sorted.

        A shipped source or a spec file of the same name hides a collection. There are none if only
        the sources of the configuration can be asked.
        """
        if not self._settings.shipped:
            return []
        hidden = {*self.shipped, *self._folder}
        return [
            name for name in collection_names(self._settings.collections_dir) if name not in hidden
        ]

    def configured(self, name: str) -> bool:
        """Whether a source belongs to its groups where nobody has switched it on or off."""
        is_shipped = name in self._own and name not in self._folder and name not in self._files
        usual = bool(shipped_table(name).get("enabled", True)) if is_shipped else True
        return self._flag(name, "enabled", usual)

    @cached_property
    def _own(self) -> tuple[str, ...]:
        """The names of the shipped sources, from the names of the files: no file is read."""
        paths = spec_folder().glob("*.toml")
        return tuple(sorted(path.stem for path in paths if path.stem != GROUPS))

    @cached_property
    def _folder(self) -> Mapping[str, Path]:
        """The user's folder of specs; {} if only the sources of the configuration can be asked."""
        return spec_files(self._settings.spec_dir) if self._settings.shipped else {}

    def _own_table(self, name: str) -> Mapping[str, Any]:
        """The table of a spec in the user's folder; read once."""
        if name not in self._tables:
            path = self._folder[name]
            self._tables[name] = named_as_file(table_of(path), path)
        return self._tables[name]

    def _enabled(self, name: str) -> bool:
        return self._switches[name] if name in self._switches else self.configured(name)

    def _flag(self, name: str, key: str, usual: bool) -> bool:
        """The value of a key in the configuration or, if it is not there, in the user's own file.
        `usual`: the value if neither has the key.
        """
        tables = [self._settings.sources.get(name, {})]
        if name in self._files:
            tables = [self._files[name][1]]
        elif name in self._folder:
            tables.append(self._own_table(name))
        return bool(next((table[key] for table in tables if key in table), usual))

    # ---------------------------------------------------------------- groups

    @property
    def groups(self) -> list[str]:
        """All groups, sorted: shipped ones, those of the configuration, "all" and "default"."""
        return sorted({*self._written, "all", "default"})

    @cached_property
    def _written(self) -> Mapping[str, tuple[str, ...]]:
        """Group -> its members. A group of the configuration replaces a shipped one."""
        return {**(shipped_groups() if self._settings.shipped else {}), **self._settings.groups}

    def group(self, name: str) -> list[str]:
        """The members of a group that can be asked and are enabled, in the order of the group.
        Raises KeyError: there is no such group.
        """
        if name == "default":
            return self.default()
        if name == "all":
            return [source for source in self.names() if self._enabled(source)]
        known = set(self.names())
        return [
            source for source in self._written[name] if source in known and self._enabled(source)
        ]

    def groups_of(self, name: str) -> list[str]:
        """The groups that name a source, enabled or not; without "all"."""
        groups = {
            group
            for group, members in self._written.items()
            if group != "default" and name in members
        }
        is_disabled_default = name in self._written.get("default", ()) and not self._enabled(name)
        if is_disabled_default or name in self.default():
            groups.add("default")
        return sorted(groups)

    def default(self) -> list[str]:
        """The sources that a search asks if it names none."""
        entries = self._settings.default_sources
        if entries is None:
            return self._usual()
        sources = (
            self._usual() if entry == "default" else self.expand([entry]) for entry in entries
        )
        # What the configuration names is asked although it is off there, but not against a switch.
        return [
            name
            for name in dict.fromkeys(chain.from_iterable(sources))
            if self._switches.get(name) is not False
        ]

    def _usual(self) -> list[str]:
        """The default group, with the sources that the configuration adds and removes."""
        chosen = dict.fromkeys(self._written.get("default", ()))
        if self._settings.collections_by_default:
            chosen |= dict.fromkeys(self.collections)
        for name in dict.fromkeys((*self._folder, *self._settings.sources)):
            if self._flag(name, "default", name in chosen or name not in self._own):
                chosen[name] = None
            else:
                chosen.pop(name, None)
        return [name for name in chosen if self._enabled(name)]

    def expand(self, names: Iterable[str]) -> list[str]:
        """Returns the names with each group replaced by its sources; every source once.

        A name of both a source and a group is the source. A name of neither is kept.
        """
        sources, groups = set(self.names()), set(self.groups)
        expanded: dict[str, None] = {}
        for name in names:
            is_group = name in groups and name not in sources
            expanded |= dict.fromkeys(self.group(name) if is_group else (name,))
        return list(expanded)

    def disabled(self, names: Iterable[str] | None = None) -> list[str]:
        """Members of groups that are not enabled, and asked where they are named one by one.
        `names`: the groups; None for those that are asked by default.
        """
        chosen = names if names is not None else self._settings.default_sources or ("default",)
        known = self.names()
        groups = {**self._written, "all": tuple(known)}
        if names is None:
            added = (name for name in self.added if self._flag(name, "default", False))
            groups["default"] = (*groups.get("default", ()), *added)
        members = dict.fromkeys(
            chain.from_iterable(groups.get(name, ()) for name in chosen if name not in known)
        )
        return [
            member
            for member in members
            if member in known and member not in self._switches and not self._enabled(member)
        ]
