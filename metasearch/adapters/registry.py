"""Which sources there are: the shipped specs, and what the user's configuration adds or changes.

A spec is read when it is first asked for, so that a search pays only for the sources in use.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from metasearch.adapters.spec import AdapterSpec, Limits
from metasearch.adapters.specfile import build, read_table
from metasearch.errors import UnknownSource
from metasearch.settings import Settings


def spec_folder() -> Path:
    """Where the shipped specs are: inside the installed package, or at the top of a checkout."""
    installed = Path(str(files("metasearch"))) / "adapter_specs"
    return installed if installed.is_dir() else Path(str(files("metasearch"))).parent / "adapter_specs"


@cache
def shipped_table(name: str) -> Mapping[str, Any]:
    """The table of a shipped spec.

    Raises:
        KeyError: There is none of that name.
        SpecError: The file is not TOML.
    """
    path = spec_folder() / f"{name}.toml"
    if "/" in name or not path.is_file():
        raise KeyError(name)
    return read_table(path)


class Registry:
    """The sources of one configuration."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._specs: dict[str, AdapterSpec] = {}
        self._limits: dict[str, Limits] = {}

    @cached_property
    def shipped(self) -> tuple[str, ...]:
        """Names of all shipped spec files, families included."""
        return tuple(sorted(path.stem for path in spec_folder().glob("*.toml")))

    def names(self) -> list[str]:
        """Every source that can be asked, sorted; families alone are no sources."""
        if not self._settings.shipped:
            return sorted(self._settings.sources)
        own = [name for name in self.shipped if not shipped_table(name).get("family")]
        return sorted({*own, *self._settings.sources})

    def default(self) -> list[str]:
        """The sources that a search asks when it names none."""
        if self._settings.default_sources is not None:
            return list(self._settings.default_sources)
        chosen = []
        for name in self.names():
            override = self._settings.sources.get(name, {})
            shipped = shipped_table(name) if name in self.shipped else {}
            by_default = override.get("default", shipped.get("default", name not in self.shipped))
            if by_default and override.get("enabled", shipped.get("enabled", True)):
                chosen.append(name)
        return chosen

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

    def limits(self, name: str) -> Limits:
        """The limits of a source, undivided.

        Raises:
            UnknownSource, SpecError: As `spec`.
        """
        self.spec(name)
        return self._limits[name]

    def _is_shipped_source(self, name: str) -> bool:
        return self._settings.shipped and name in self.shipped and not shipped_table(name).get("family")

    def _build(self, name: str) -> AdapterSpec:
        override = self._settings.sources.get(name)
        if override is None and not self._is_shipped_source(name):
            near = difflib.get_close_matches(name, self.names(), n=3, cutoff=0.5)
            # The list of sources, which the error names otherwise, is that of the shipped ones.
            raise UnknownSource(name, near if near or self._settings.shipped else self.names())
        if override is None:
            return build(shipped_table(name), f"{name}.toml", shipped_table)
        table = dict(override)
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
