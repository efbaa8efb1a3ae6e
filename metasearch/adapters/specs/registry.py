"""Which sources there are: the shipped specs, and what the user's configuration adds or changes.

A spec is read when it is first asked for, so that a search pays only for the sources in use.
"""

from __future__ import annotations

import copy
import difflib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from metasearch.adapters.spec import AdapterSpec, Limits
from metasearch.adapters.specs.collections import collection_names
from metasearch.adapters.specs.ownspecs import (
    anchored,
    is_path,
    named_as_file,
    own_name,
    spec_files,
    table_of,
)
from metasearch.adapters.specs.shipped import FAMILIES, GROUPS
from metasearch.adapters.specs.shipped import base_table as base_table
from metasearch.adapters.specs.shipped import shipped_groups as shipped_groups
from metasearch.adapters.specs.shipped import shipped_table as shipped_table
from metasearch.adapters.specs.shipped import spec_folder as spec_folder
from metasearch.adapters.specs.specfile import build
from metasearch.errors import SpecError, UnknownSource, UsageError
from metasearch.settings import Settings

#: The family that every collection extends.
COLLECTION = "collection"


class Registry:
    """The sources of one configuration.

    Args:
        settings: The configuration.
        late: Whether the selectors of shipped specs, which are known to be right, are compiled when
            an answer comes.
        files: Whether a source may be named by the path of its spec; False where others than the
            user name sources.
    """

    def __init__(self, settings: Settings, *, late: bool = True, files: bool = True) -> None:
        self._settings = settings
        self._takes_files = files and settings.shipped
        self._late = late
        self._specs: dict[str, AdapterSpec] = {}
        self._limits: dict[str, Limits] = {}
        self._tables: dict[str, Mapping[str, Any]] = {}
        #: Spec files that one search names by their paths: name of the source -> path and table.
        self._files: dict[str, tuple[Path, Mapping[str, Any]]] = {}
        self._paths: dict[str, str] = {}

    def with_files(self, named: Iterable[str | Path]) -> Registry:
        """Returns a registry that also knows the spec files among `named`; its `name_of` returns
        their names.

        This registry does not change: another search may name another file. A file whose source
        has the name of another source takes that one's place.

        Args:
            named: Names of sources and groups, and paths.

        Raises:
            UsageError: There is no such file, no file may be named here, or two of the names mean
                sources of one name.
            SpecError: A file cannot be read.
        """
        named = tuple(named)
        files: dict[str, tuple[Path, Mapping[str, Any]]] = {}
        paths: dict[str, str] = {}
        for given in filter(is_path, named):
            path = Path(given).expanduser()
            if not self._takes_files:
                raise UsageError(
                    f"{str(given)[:80]!r} is a path, and only names of sources and groups are "
                    f"taken here"
                )
            table = table_of(path)
            name = own_name(table, path)
            same = name in files and not path.samefile(files[name][0])
            if same or name in named:
                other = files[name][0] if same else name
                advice = "Name the one that you mean, or change the `name` in a file."
                raise UsageError(f"{other} and {path} are both called {name!r}", advice=advice)
            files[name] = path, {**table, "name": name}
            paths[str(given)] = name
        if not files:
            return self
        registry = copy.copy(self)
        specs = {name: spec for name, spec in self._specs.items() if name not in files}
        vars(registry).update(_files=files, _paths=paths, _specs=specs, _limits=dict(self._limits))
        return registry

    def name_of(self, named: str | Path) -> str:
        """The name of the source, or group, that somebody names: of a path, what the spec there is
        called.

        Raises:
            KeyError: It is a path, and `with_files` was not told.
        """
        return self._paths[str(named)] if is_path(named) else str(named)

    def origin(self, name: str) -> tuple[str, float] | None:
        """Of a source whose spec file was named: its path, and the time at which the file was last
        changed.
        """
        if name not in self._files:
            return None
        path = self._files[name][0].absolute()
        with suppress(OSError):
            return str(path), path.stat().st_mtime
        return str(path), 0.0

    def stands_for(self, name: str) -> str | None:
        """Returns the note that a file of the user's own has taken the place of a source;
        None where none has.
        """
        path = self._files[name][0] if name in self._files else self._folder.get(name)
        hidden = name in self._own or (
            name in self._files and name in {*self._folder, *self._settings.sources}
        )
        if path is None or not hidden or not self._settings.shipped:
            return None
        return f"{path} stands for the source of this name that is there already"

    @cached_property
    def _folder(self) -> Mapping[str, Path]:
        """The specs in the user's folder; none where only the sources of the configuration are."""
        return spec_files(self._settings.spec_dir) if self._settings.shipped else {}

    @property
    def added(self) -> list[str]:
        """Names of the sources that the configuration and its folder of specs add or change,
        sorted.
        """
        return sorted({*self._settings.sources, *self._folder})

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
        return tuple(
            sorted(path.stem for path in spec_folder().glob("*.toml") if path.stem != GROUPS)
        )

    def names(self) -> list[str]:
        """Every source that can be asked, sorted; families alone are no sources."""
        shipped = self._own if self._settings.shipped else ()
        return sorted(
            {*shipped, *self._folder, *self._settings.sources, *self.collections, *self._files}
        )

    @property
    def collections(self) -> list[str]:
        """The collections that are sources, sorted.

        A shipped source or a spec file of the same name hides a collection. Where only the sources
        of the configuration can be asked, there are none.
        """
        if not self._settings.shipped:
            return []
        # The last version had another name for the family, so a file may bear this one.
        hidden = {*self.shipped, *self._folder} - {COLLECTION}
        return [
            name for name in collection_names(self._settings.collections_dir) if name not in hidden
        ]

    @property
    def groups(self) -> list[str]:
        """Names of all groups, sorted: the shipped ones, those of the configuration, and "all" and
        "default".
        """
        return sorted({*self._written, "all", "default"})

    @cached_property
    def _written(self) -> Mapping[str, tuple[str, ...]]:
        """Group -> the names that stand in it: the shipped groups, under those of the
        configuration.
        """
        return {**(shipped_groups() if self._settings.shipped else {}), **self._settings.groups}

    def group(self, name: str) -> list[str]:
        """The sources of a group that can be asked and are enabled, in the order in which they are
        written down.

        Raises:
            KeyError: There is no such group.
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
        """The groups that name a source, be it enabled or not; without "all"."""
        asked = name in self.default() or (
            name in self._written.get("default", ()) and not self._enabled(name)
        )
        named = {
            group
            for group, members in self._written.items()
            if group != "default" and name in members
        }
        return sorted(named | {"default"} if asked else named)

    def default(self) -> list[str]:
        """The sources that a search asks when it names none."""
        named = self._settings.default_sources
        if named is None:
            return self._usual()
        return list(
            dict.fromkeys(
                chain.from_iterable(
                    self._usual() if entry == "default" else self.expand([entry]) for entry in named
                )
            )
        )

    def _usual(self) -> list[str]:
        """The default set, with what the configuration adds and takes away source by source."""
        chosen = dict.fromkeys(self._written.get("default", ()))
        if self._settings.collections_by_default:
            chosen |= dict.fromkeys(self.collections)
        for name in dict.fromkeys((*self._folder, *self._settings.sources)):
            if self._said(name, "default", name in chosen or name not in self._own):
                chosen[name] = None
            else:
                chosen.pop(name, None)
        return [name for name in chosen if self._enabled(name)]

    def expand(self, names: Iterable[str]) -> list[str]:
        """The names with its sources in the place of each group, every source once; of one name,
        the source is meant.

        What is neither stays as it is.
        """
        sources, groups = set(self.names()), set(self.groups)
        found: dict[str, None] = {}
        for name in names:
            found |= dict.fromkeys(
                self.group(name) if name in groups and name not in sources else (name,)
            )
        return list(found)

    def disabled(self, names: Iterable[str] | None = None) -> list[str]:
        """Sources of the groups that are named, or of those that are asked by default, which are
        not enabled.
        """
        chosen = names if names is not None else self._settings.default_sources or ("default",)
        known = self.names()
        groups = {**self._written, "all": tuple(known)}
        if names is None:
            groups["default"] = (
                *groups.get("default", ()),
                *(name for name in self.added if self._said(name, "default", False)),
            )
        members = dict.fromkeys(
            member for name in chosen if name not in known for member in groups.get(name, ())
        )
        return [member for member in members if member in known and not self._enabled(member)]

    def _enabled(self, name: str) -> bool:
        shipped = name in self._own and name not in self._folder and name not in self._files
        return self._said(
            name, "enabled", bool(shipped_table(name).get("enabled", True)) if shipped else True
        )

    def _said(self, name: str, key: str, otherwise: bool) -> bool:
        """What the configuration or, where it says nothing, the user's own file has under a key of
        the top.
        """
        tables = [self._settings.sources.get(name, {})]
        if name in self._files:
            tables = [self._files[name][1]]
        elif name in self._folder:
            tables.append(self._own_table(name))
        return bool(next((table[key] for table in tables if key in table), otherwise))

    def _own_table(self, name: str) -> Mapping[str, Any]:
        """The table of a spec in the user's folder; read once."""
        if name not in self._tables:
            path = self._folder[name]
            self._tables[name] = named_as_file(table_of(path), path)
        return self._tables[name]

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
        """Build specs ahead of their use, in any thread; what is wrong with one is reported when
        it is asked for.
        """
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
        if name in self._files:
            path, table = self._files[name]
            return build(table, str(path), base_table)
        override = self._settings.sources.get(name)
        if override is None and name in self._folder:
            return build(self._own_table(name), str(self._folder[name]), base_table)
        collection = (
            {"extends": COLLECTION, "url": f"collection:{name}"} if name in self.collections else {}
        )
        if override is None and collection:
            return build(
                collection | {"name": name, "label": f"Collection {name}"},
                f"collection {name}",
                shipped_table,
            )
        if override is None and not self._is_shipped_source(name):
            near = difflib.get_close_matches(name, [*self.names(), *self.groups], n=3, cutoff=0.5)
            # The list of sources, which the error names otherwise, is that of the shipped ones.
            raise UnknownSource(name, near if near or self._settings.shipped else self.names())
        if override is None:
            return build(shipped_table(name), f"{name}.toml", shipped_table, late=self._late)
        table = anchored(
            override if "extends" in override else collection | dict(override), self._beside
        )
        if "extends" not in table and name in self._folder:
            table["extends"] = str(self._folder[name].resolve())
        elif "extends" not in table and name in self.shipped:
            table["extends"] = name
        # A source that borrows another's spec is not that source: it needs a label of its own.
        if table.get("extends") != name and ("extends" in override or name not in self._folder):
            table.setdefault("label", name)
        table["name"] = name
        where = f"{self._settings.file or 'configuration'}, [sources.{name}]"
        return build(table, where, base_table)

    @property
    def _beside(self) -> Path:
        """The folder in which relative paths of the configuration begin."""
        return Path(self._settings.file).parent if self._settings.file else Path()


def _divided(limits: Limits, workers: int) -> Limits:
    """One process's part of what a source allows; one request at once stays, however small the
    part.
    """
    if workers == 1:
        return limits
    return replace(
        limits,
        requests=limits.requests / workers,
        concurrency=max(1, limits.concurrency // workers),
    )
