"""Specs by name for commands that look at them and do not search: families count, too."""

from __future__ import annotations

from metasearch.adapters.registry import Registry, shipped_table
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specfile import build


def is_family(name: str, registry: Registry) -> bool:
    """Whether the name is that of a shipped spec which is only there to be extended."""
    return name not in registry.names() and name in registry.families


def spec_of(name: str, registry: Registry) -> AdapterSpec:
    """The spec of a source, or of a family as it is before anything extends it.

    Raises:
        UnknownSource: With near misses.
        SpecError: With every problem.
    """
    if is_family(name, registry):
        return build(shipped_table(name), f"{name}.toml", shipped_table)
    return registry.spec(name)
