"""Online de-duplication: which records are one work.

`fingerprint` -> `Fingerprint`; `online.OnlineDedup` takes records as they arrive; `STRATEGIES` is
what can be chosen; it is loaded when it is first used, for those of wings need much.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from metasearch.dedup.fingerprints import Fingerprint, fingerprint
from metasearch.dedup.matchers import Chain, Key, Matcher
from metasearch.dedup.online import OnlineDedup
from metasearch.dedup.strategies import DEFAULT, DEFAULT_STRATEGY, DedupStrategy
from metasearch.errors import UsageError
from metasearch.wing import load, wings

#: What can be chosen, by name; made when it is first used.
STRATEGIES: Mapping[str, DedupStrategy]

__all__ = [
    "DEFAULT",
    "STRATEGIES",
    "Chain",
    "DedupStrategy",
    "Fingerprint",
    "Key",
    "Matcher",
    "OnlineDedup",
    "fingerprint",
    "strategy",
]


def strategy(name: str) -> DedupStrategy:
    """The strategy of that name.

    Raises:
        UsageError: There is none.
    """
    if name == DEFAULT_STRATEGY.name:
        return DEFAULT_STRATEGY
    known = every_strategy()
    if name not in known:
        raise UsageError(
            f"there is no strategy called {name!r}", advice=f"There are: {', '.join(known)}."
        )
    return known[name]


@cache
def every_strategy() -> Mapping[str, DedupStrategy]:
    """All of them by name, the default one first."""
    every = {DEFAULT_STRATEGY.name: DEFAULT_STRATEGY}
    for wing in wings():
        every |= load(wing.strategies) if wing.strategies else {}
    return every


def __getattr__(name: str) -> Any:
    if name == "STRATEGIES":
        return every_strategy()
    raise AttributeError(f"module 'metasearch.dedup' has no attribute {name!r}")
