"""Which sources there are: the shipped specs, and what the user's configuration adds or changes.

A spec is read when it is first asked for, so that a search pays only for the sources in use.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any

from metasearch.adapters.spec import AdapterSpec, Limits
from metasearch.adapters.specfile import build, read_table
from metasearch.errors import SpecError, UnknownSource
from metasearch.settings import Settings
from metasearch.shelves.folder import shelf_names

#: The family of the shelves, whose names are those of their files.
SHELF = "shelf"
#: The folder of the families beside the shipped specs, and the name of the file of groups.
FAMILIES, GROUPS = "families", "groups"


def spec_folder() -> Path:
    """Where the shipped specs are: inside the installed package, or at the top of a checkout."""
    installed = Path(str(files("metasearch"))) / "adapter_specs"
    return installed if installed.is_dir() else Path(str(files("metasearch"))).parent / "adapter_specs"


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
        if not isinstance(members, list) or not all(isinstance(it, str) for it in members)
    ]
    if wrong:
        raise SpecError(f"{GROUPS}.toml", wrong)
    return {name: tuple(members) for name, members in table.items()}


class Registry:
    """The sources of one configuration.

    Args:
        settings: The configuration.
        late: Whether the selectors of shipped specs, which are known to be right, are compiled when an answer comes.
    """

    def __init__(self, settings: Settings, *, late: bool = True) -> None:
        self._settings = settings
        self._late = late
        self._specs: dict[str, AdapterSpec] = {}
        self._limits: dict[str, Limits] = {}

    @cached_property
    def shipped(self) -> tuple[str, ...]:
        """Names of all shipped spec files, families included."""
        return tuple(sorted({*self._own, *self.families}))

    @cached_property
    def families(self) -> tuple[str, ...]:
        """Names of the shipped specs that are only there to be extended."""
        return tuple(sorted(path.stem for path in (spec_folder() / FAMILIES).glob("*.toml")))

    @cached_property
    def _own(self) -> tuple[str, ...]:
        """Names of the shipped specs that are sources, by their files' names: no file is read."""
        return tuple(sorted(path.stem for path in spec_folder().glob("*.toml") if path.stem != GROUPS))

    def names(self) -> list[str]:
        """Every source that can be asked, sorted; families alone are no sources."""
        return sorted({*(self._own if self._settings.shipped else ()), *self._settings.sources, *self.shelves})

    @property
    def shelves(self) -> list[str]:
        """The shelves that are sources, sorted; a shipped source of the same name hides one, and none is seen where
        only the sources of the configuration are.
        """
        if not self._settings.shipped:
            return []
        return [name for name in shelf_names(self._settings.shelf_dir) if name not in self.shipped]

    @property
    def groups(self) -> list[str]:
        """Names of all groups, sorted: the shipped ones, those of the configuration, and "all" and "default"."""
        return sorted({*self._written, "all", "default"})

    @cached_property
    def _written(self) -> Mapping[str, tuple[str, ...]]:
        """Group -> the names that stand in it: the shipped groups, under those of the configuration."""
        return {**(shipped_groups() if self._settings.shipped else {}), **self._settings.groups}

    def group(self, name: str) -> list[str]:
        """The sources of a group that can be asked and are enabled, in the order in which they are written down.

        Raises:
            KeyError: There is no such group.
        """
        if name == "default":
            return self.default()
        if name == "all":
            return [it for it in self.names() if self._enabled(it)]
        known = set(self.names())
        return [it for it in self._written[name] if it in known and self._enabled(it)]

    def groups_of(self, name: str) -> list[str]:
        """The groups that name a source, be it enabled or not; without "all"."""
        asked = name in self.default() or (name in self._written.get("default", ()) and not self._enabled(name))
        named = {group for group, members in self._written.items() if group != "default" and name in members}
        return sorted(named | {"default"} if asked else named)

    def default(self) -> list[str]:
        """The sources that a search asks when it names none."""
        named = self._settings.default_sources
        if named is None:
            return self._usual()
        return list(
            dict.fromkeys(chain.from_iterable(self._usual() if it == "default" else self.expand([it]) for it in named))
        )

    def _usual(self) -> list[str]:
        """The default set, with what the configuration adds and takes away source by source."""
        chosen = dict.fromkeys(self._written.get("default", ()))
        if self._settings.shelves_by_default:
            chosen |= dict.fromkeys(self.shelves)
        for name, table in self._settings.sources.items():
            if table.get("default", name in chosen or name not in self._own):
                chosen[name] = None
            else:
                chosen.pop(name, None)
        return [name for name in chosen if self._enabled(name)]

    def expand(self, names: Iterable[str]) -> list[str]:
        """The names with its sources in the place of each group, every source once; of one name, the source is meant.

        What is neither stays as it is.
        """
        sources, groups = set(self.names()), set(self.groups)
        found: dict[str, None] = {}
        for name in names:
            found |= dict.fromkeys(self.group(name) if name in groups and name not in sources else (name,))
        return list(found)

    def disabled(self, names: Iterable[str] | None = None) -> list[str]:
        """Sources of the groups that are named, or of those that are asked by default, which are not enabled."""
        chosen = names if names is not None else self._settings.default_sources or ("default",)
        known = self.names()
        groups = {**self._written, "all": tuple(known)}
        if names is None:
            groups["default"] = (
                *groups.get("default", ()),
                *(n for n, t in self._settings.sources.items() if t.get("default")),
            )
        members = dict.fromkeys(it for name in chosen if name not in known for it in groups.get(name, ()))
        return [it for it in members if it in known and not self._enabled(it)]

    def _enabled(self, name: str) -> bool:
        override = self._settings.sources.get(name, {})
        if "enabled" in override:
            return bool(override["enabled"])
        return bool(shipped_table(name).get("enabled", True)) if name in self._own else True

    def spec(self, name: str) -> AdapterSpec:
        """The spec of a source, ready for use; its limits are this process's part of them.

        Raises:
            UnknownSource: With near misses.
            SpecError: With every problem of its file or table.
        """
        if name not in self._specs:
            spec = self._build(name)
            self._limits[name] = spec.limits
            self._specs[name] = replace(spec, limits=_divided(spec.limits, self._settings.workers))
        return self._specs[name]

    def lacks(self, names: Iterable[str]) -> list[str]:
        """Those of the names whose specs have not been built yet: each takes milliseconds."""
        return [name for name in names if name not in self._specs]

    def build(self, names: Iterable[str]) -> None:
        """Build specs ahead of their use, in whatever thread; what is wrong with one is told when it is asked for."""
        for name in names:
            with suppress(SpecError, UnknownSource):
                self.spec(name)

    def limits(self, name: str) -> Limits:
        """The limits of a source, undivided.

        Raises:
            UnknownSource, SpecError: As `spec`.
        """
        self.spec(name)
        return self._limits[name]

    def _is_shipped_source(self, name: str) -> bool:
        return self._settings.shipped and name in self._own

    def _build(self, name: str) -> AdapterSpec:
        override = self._settings.sources.get(name)
        shelf = {"extends": SHELF, "url": f"shelf:{name}"} if name in self.shelves else {}
        if override is None and shelf:
            return build(shelf | {"name": name, "label": f"Shelf {name}"}, f"shelf {name}", shipped_table)
        if override is None and not self._is_shipped_source(name):
            near = difflib.get_close_matches(name, [*self.names(), *self.groups], n=3, cutoff=0.5)
            # The list of sources, which the error names otherwise, is that of the shipped ones.
            raise UnknownSource(name, near if near or self._settings.shipped else self.names())
        if override is None:
            return build(shipped_table(name), f"{name}.toml", shipped_table, late=self._late)
        table = dict(override) if "extends" in override else shelf | dict(override)
        if "extends" not in table and name in self.shipped:
            table["extends"] = name
        table["name"] = name
        # A source that borrows another's spec is not that source: it needs a label of its own.
        if table.get("extends") != name:
            table.setdefault("label", name)
        where = f"{self._settings.file or 'configuration'}, [sources.{name}]"
        return build(table, where, shipped_table)


def _divided(limits: Limits, workers: int) -> Limits:
    """One process's part of what a source allows; one request at once stays, however small the part."""
    if workers == 1:
        return limits
    return replace(limits, requests=limits.requests / workers, concurrency=max(1, limits.concurrency // workers))
