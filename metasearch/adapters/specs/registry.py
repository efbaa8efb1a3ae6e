"""The sources of one configuration: their names, their groups, the collections among them, and
their specs.
"""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from metasearch.adapters.spec import SOURCE_NAME, AdapterSpec, Limits
from metasearch.adapters.specs.specfile import (
    FAMILIES,
    GROUPS,
    base_table,
    build,
    is_path,
    is_shipped_shape,
    own_name,
    shipped_groups,
    shipped_table,
    spec_files,
    spec_folder,
    table_of,
    with_absolute_base,
    with_file_name,
)
from metasearch.errors import CollectionError, SpecError, UnknownSource, UsageError
from metasearch.late_pattern import late_pattern
from metasearch.message import message
from metasearch.settings import Settings

# Lists the collections: the files NAME.sqlite of one folder, and no file outside this folder. A
# collection is a source, so its name must be that of a source.

_ENDING = ".sqlite"
#: Nanoseconds within which two changes of a folder may have the same time; some file systems store
#: whole seconds.
_MOMENT = 3_000_000_000
#: Folder -> (time of reading, time of its last change, both in Unix nanoseconds; its collections).
_READ: dict[Path, tuple[int, int, tuple[str, ...]]] = {}
#: Entries of this table at most.
_FOLDERS = 64
_NOT_IN_NAMES = late_pattern(r"[^a-z0-9]+")


def collection_names(folder: Path | None) -> list[str]:
    """The names of the collections in a folder, sorted; [] where there is no folder.

    Every search calls this, so a folder is read again only after it has changed.
    """
    if folder is None:
        return []
    try:
        changed = folder.stat().st_mtime_ns
    except OSError:
        return []
    at, known, names = _READ.get(folder, (0, 0, ()))
    # A list that was read right after a change may lack a second change with the same time stamp.
    if changed != known or at - changed < _MOMENT:
        at, names = time.time_ns(), tuple(_names(folder))
        if len(_READ) >= _FOLDERS:
            _READ.clear()
        _READ[folder] = (at, changed, names)
    return list(names)


def _names(folder: Path) -> list[str]:
    try:
        files = [entry.name for entry in os.scandir(folder) if entry.name.endswith(_ENDING)]
    except OSError:
        return []
    names = (name.removesuffix(_ENDING) for name in files)
    return sorted(name for name in names if SOURCE_NAME.fullmatch(name))


def collection_file(folder: Path, name: str) -> Path:
    """The path of a collection's file, which need not exist. Raises CollectionError: the name is
    not allowed, or the file is a link out of the folder.
    """
    if not SOURCE_NAME.fullmatch(name):
        raise CollectionError(
            name[:60],
            "this cannot be the name of a collection",
            advice="Use lower-case letters, digits, '-' and '_', at most 40.",
        )
    path = folder / f"{name}{_ENDING}"
    # PTH: unlike those of `Path`, these functions do not raise where the folder may not be looked
    # into.
    if os.path.islink(path) and os.path.dirname(os.path.realpath(path)) != os.path.realpath(folder):  # noqa: PTH114, PTH120
        raise CollectionError(
            str(path),
            "the file is a link that leads out of the folder of collections",
            advice="Remove the link.",
        )
    return path


def name_for(text: str) -> str:
    """A collection's name from that of a folder or host: "My Refs" -> "my-refs"; "" where no
    character of it is allowed in a name.
    """
    return _NOT_IN_NAMES.sub("-", text.lower()).strip("-")[:40].rstrip("-")


# Which sources and groups there are, and which of them a search asks: names only. A source is
# shipped with the program, or is added by the configuration, by a spec file of the user, or by a
# collection.

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
    def additions(self) -> list[str]:
        """Sources that the configuration or the folder of specs adds or changes, sorted."""
        return sorted({*self._settings.sources, *self._folder})

    @cached_property
    def shipped_names(self) -> tuple[str, ...]:
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
        hidden = {*self.shipped_names, *self._folder}
        return [
            name for name in collection_names(self._settings.collections_dir) if name not in hidden
        ]

    def is_enabled_in_settings(self, name: str) -> bool:
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
            self._tables[name] = with_file_name(table_of(path), path)
        return self._tables[name]

    def _is_enabled(self, name: str) -> bool:
        return self._switches[name] if name in self._switches else self.is_enabled_in_settings(name)

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
        return sorted({*self._groups, "all", "default"})

    @cached_property
    def _groups(self) -> Mapping[str, tuple[str, ...]]:
        """Group -> its members. A group of the configuration replaces a shipped one."""
        return {**(shipped_groups() if self._settings.shipped else {}), **self._settings.groups}

    def group(self, name: str) -> list[str]:
        """The members of a group that can be asked and are enabled, in the order of the group.
        Raises KeyError: there is no such group.
        """
        if name == "default":
            return self.default()
        if name == "all":
            return [source for source in self.names() if self._is_enabled(source)]
        known = set(self.names())
        return [
            source for source in self._groups[name] if source in known and self._is_enabled(source)
        ]

    def groups_of(self, name: str) -> list[str]:
        """The groups that name a source, enabled or not; without "all"."""
        groups = {
            group
            for group, members in self._groups.items()
            if group != "default" and name in members
        }
        is_disabled_default = name in self._groups.get("default", ()) and not self._is_enabled(name)
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
        chosen = dict.fromkeys(self._groups.get("default", ()))
        if self._settings.collections_by_default:
            chosen |= dict.fromkeys(self.collections)
        for name in dict.fromkeys((*self._folder, *self._settings.sources)):
            if self._flag(name, "default", name in chosen or name not in self._own):
                chosen[name] = None
            else:
                chosen.pop(name, None)
        return [name for name in chosen if self._is_enabled(name)]

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

    def disabled_members(self, names: Iterable[str] | None = None) -> list[str]:
        """Members of groups that are not enabled, and asked where they are named one by one.
        `names`: the groups; None for those that are asked by default.
        """
        chosen = names if names is not None else self._settings.default_sources or ("default",)
        known = self.names()
        groups = {**self._groups, "all": tuple(known)}
        if names is None:
            added = (name for name in self.additions if self._flag(name, "default", False))
            groups["default"] = (*groups.get("default", ()), *added)
        members = dict.fromkeys(
            chain.from_iterable(groups.get(name, ()) for name in chosen if name not in known)
        )
        return [
            member
            for member in members
            if member in known and member not in self._switches and not self._is_enabled(member)
        ]


# The specs of the sources of one configuration. A spec is read when it is first needed, so that a
# search reads only the specs of its own sources.


class Registry(SourceNames):
    """The sources of one configuration, with their specs.

    `late`: whether the selectors of shipped specs, which are known to be right, are compiled only
    when a response arrives. `files`: whether a source may be named by the path of its spec; False
    if others than the user name sources.
    """

    def __init__(self, settings: Settings, *, late: bool = True, files: bool = True) -> None:
        super().__init__(settings)
        self._takes_files = files and settings.shipped
        self._late = late
        self._checked = is_shipped_shape if late else None
        self._specs: dict[str, AdapterSpec] = {}
        self._limits: dict[str, Limits] = {}
        self._paths: dict[str, str] = {}

    def with_files(self, named: Iterable[str | Path]) -> Registry:
        """Returns a registry that also knows the spec files among `named`.

        This registry does not change: another search may name another file. A file replaces a
        source that has the same name. Raises UsageError: there is no such file, no path is allowed
        here, or two sources of one name are named; SpecError: a file cannot be read.
        """
        named = tuple(named)
        files: dict[str, tuple[Path, Mapping[str, Any]]] = {}
        paths: dict[str, str] = {}
        for given in filter(is_path, named):
            path = Path(given).expanduser()
            if not self._takes_files:
                raise UsageError(
                    message(
                        "{given} is a path, and only names of sources and groups are allowed here",
                        given=repr(str(given)[:80]),
                    )
                )
            table = table_of(path)
            name = own_name(table, path)
            same = name in files and not path.samefile(files[name][0])
            if same or name in named:
                other = files[name][0] if same else name
                advice = message("Name only one of them, or change the `name` in a file.")
                raise UsageError(
                    message(
                        "{other} and {path} are both called {name}",
                        other=str(other),
                        path=str(path),
                        name=repr(name),
                    ),
                    advice=advice,
                )
            files[name] = path, {**table, "name": name}
            paths[str(given)] = name
        if not files:
            return self
        registry = copy.copy(self)
        specs = {name: spec for name, spec in self._specs.items() if name not in files}
        vars(registry).update(_files=files, _paths=paths, _specs=specs, _limits=dict(self._limits))
        return registry

    def name_of(self, named: str | Path) -> str:
        """Returns the name of the source or group that a user names. `named`: a name, or a path
        that `with_files` was called with. Raises KeyError: it is another path.
        """
        return self._paths[str(named)] if is_path(named) else str(named)

    def origin(self, name: str) -> tuple[str, float] | None:
        """Returns the path of a spec file that a search names, and its time of change (Unix time in
        seconds); None for every other source.
        """
        if name not in self._files:
            return None
        path = self._files[name][0].absolute()
        with suppress(OSError):
            return str(path), path.stat().st_mtime
        return str(path), 0.0

    def stands_for(self, name: str) -> str | None:
        """Returns a note if a file of the user replaces a source of the same name; None if not."""
        if not self._settings.shipped:
            return None
        path, others = self._folder.get(name), {*self._own}
        if name in self._files:
            path = self._files[name][0]
            others |= {*self._folder, *self._settings.sources}
        if path is None or name not in others:
            return None
        return message("{path} replaces another source of the same name", path=str(path))

    def spec(self, name: str) -> AdapterSpec:
        """Returns the spec of a source, ready for use, with the limits of one process. Raises
        UnknownSource: with similar names; SpecError: with every problem of the file or table.
        """
        if name not in self._specs:
            spec = self._build(name)
            if (on := self._switches.get(name)) is not None:
                spec = replace(spec, enabled=on, barred=not on)
            spec = replace(spec, limits=spec.limits_with(self._settings.env))
            self._limits[name] = spec.limits
            # Workers that share limits with other replicas share them with one another, too.
            workers = 1 if self._settings.shared.url else self._settings.workers
            limits = spec.limits if workers == 1 else spec.limits.part(workers)
            self._specs[name] = replace(spec, limits=limits)
        return self._specs[name]

    def switch(self, switches: Mapping[str, bool]) -> None:
        """Switches sources on or off for all searches from now on, whatever the configuration says.

        `switches`: name of a source -> whether it is on; the others are as configured. One that is
        on belongs to its groups; one that is off is asked by no search.
        """
        before = self._switches
        for name in {*before, *switches}:
            if before.get(name) is not switches.get(name):
                self._specs.pop(name, None)  # its next search builds it anew
        self._switches = dict(switches)

    def lacks(self, names: Iterable[str]) -> list[str]:
        """Returns the names whose specs are not yet built; to build one takes milliseconds."""
        return [name for name in names if name not in self._specs]

    def build(self, names: Iterable[str]) -> None:
        """Builds specs before they are needed, in any thread.

        A problem of a spec is not raised here, but by `spec`.
        """
        for name in names:
            with suppress(SpecError, UnknownSource):
                self.spec(name)

    def limits(self, name: str) -> Limits:
        """The limits of a source for all processes together; raises as `spec`."""
        self.spec(name)
        return self._limits[name]

    def _build(self, name: str) -> AdapterSpec:
        if name in self._files:
            path, table = self._files[name]
            return build(table, str(path), base_table, checked=self._checked)
        if name in self._settings.sources:
            return self._build_override(name, self._settings.sources[name])
        if name in self._folder:
            path = self._folder[name]
            return build(self._own_table(name), str(path), base_table, checked=self._checked)
        if name in self.collections:
            table = {**_collection_table(name), "name": name, "label": f"Collection {name}"}
            return build(table, f"collection {name}", shipped_table, checked=self._checked)
        if self._settings.shipped and name in self._own:
            return build(shipped_table(name), f"{name}.toml", shipped_table, late=self._late)
        from difflib import get_close_matches

        similar = get_close_matches(name, [*self.names(), *self.groups], n=3, cutoff=0.5)
        # Without names, the error refers to the list of the shipped sources.
        raise UnknownSource(name, similar if similar or self._settings.shipped else self.names())

    def _build_override(self, name: str, override: Mapping[str, Any]) -> AdapterSpec:
        """Builds the spec of a [sources.NAME] table of the configuration."""
        extends = "extends" in override
        if not extends and name in self.collections:
            override = {**_collection_table(name), **override}
        table = with_absolute_base(override, self._beside)
        if "extends" not in table and name in self._folder:
            table["extends"] = str(self._folder[name].resolve())
        elif "extends" not in table and name in self.shipped_names:
            table["extends"] = name
        # A source that extends the spec of another source needs a label of its own.
        if table.get("extends") != name and (extends or name not in self._folder):
            table.setdefault("label", name)
        table["name"] = name
        where = f"{self._settings.file or 'configuration'}, [sources.{name}]"
        return build(table, where, base_table, checked=self._checked)

    @property
    def _beside(self) -> Path:
        """The folder of the configuration, in which relative paths begin."""
        return Path(self._settings.file).parent if self._settings.file else Path()


def _collection_table(name: str) -> dict[str, Any]:
    return {"extends": COLLECTION, "url": f"collection:{name}"}
