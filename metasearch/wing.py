"""The extra wings: what each adds to the search, and where they are found.

The search works without them, and imports nothing of them; this is the one file of it that names
them. They are looked up when a command or a strategy is unknown, when all of these are listed, and
when a server starts: a plain search looks up none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

#: Modules with a `WING`; those that are not installed are passed over.
HOMES = ("metasearch.review.wing", "metasearch.bulk.wing")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wing:
    """What a wing adds. A place is "module:attribute"; `load` imports it when it is needed.

    Attributes:
        commands: Name of a command -> its place.
        strategies: Place of its strategies of dedup, by name; "" where it has none.
        rows: Place of what reads the rows of labelled sets, `read(Input) -> FileReading | None`; ""
            where it reads none.
        server: Place of its `ServerWing`; "" where it adds nothing to a server.
        pages: The package whose folders `templates` and `static` have what its pages need; "" where
            it has no pages.
    """

    commands: Mapping[str, str] = field(default_factory=dict)
    strategies: str = ""
    rows: str = ""
    server: str = ""
    pages: str = ""


@cache
def wings() -> tuple[Wing, ...]:
    """Those that are installed."""
    return tuple(import_module(home).WING for home in HOMES if _is_there(home))


def load(place: str) -> Any:
    """What stands at a place."""
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def _is_there(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module.rpartition(".")[0]) is not None and find_spec(module) is not None
