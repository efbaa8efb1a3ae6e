"""The specs of the sources of one configuration.

A spec is read when it is first needed, so that a search reads only the specs of its own sources.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from metasearch.adapters.spec import AdapterSpec, Limits
from metasearch.adapters.specs.names import COLLECTION, SourceNames
from metasearch.adapters.specs.ownspecs import anchored, is_path, own_name, table_of
from metasearch.adapters.specs.shipped import base_table, is_shipped_shape, shipped_table
from metasearch.adapters.specs.specfile import build
from metasearch.errors import SpecError, UnknownSource, UsageError
from metasearch.message import message
from metasearch.settings import Settings


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
        table = anchored(override, self._beside)
        if "extends" not in table and name in self._folder:
            table["extends"] = str(self._folder[name].resolve())
        elif "extends" not in table and name in self.shipped:
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
