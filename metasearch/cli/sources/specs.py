"""Specs by name or path, for commands that look at one and do not search; families count."""

from __future__ import annotations

from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.ownspecs import is_path
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.shipped import base_table, shipped_table
from metasearch.adapters.specs.specfile import build


def is_family(name: str, registry: Registry) -> bool:
    """Whether the name is that of a shipped spec which is only there to be extended."""
    return name not in registry.names() and name in registry.families


def spec_of(name: str, registry: Registry) -> AdapterSpec:
    """The spec of a source, in a file, or of a family as it is before anything extends it.

    Raises:
        UnknownSource: With near misses.
        UsageError: There is no such file.
        SpecError: With every problem.
    """
    if is_path(name):
        named = registry.with_files((name,))
        return named.spec(named.name_of(name))
    if is_family(name, registry):
        return build(shipped_table(name), f"{name}.toml", base_table)
    return registry.spec(name)
