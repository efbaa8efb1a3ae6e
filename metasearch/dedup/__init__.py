"""Online de-duplication: which records are one work.

`fingerprint` -> `Fingerprint`; `online.OnlineDedup` takes records as they arrive; `STRATEGIES` is
what can be chosen; it is loaded when it is first used, for the published strategies need much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metasearch.dedup.default import DEFAULT
from metasearch.dedup.fingerprint import Fingerprint, fingerprint
from metasearch.dedup.matcher import Chain, Key, Matcher
from metasearch.dedup.online import OnlineDedup
from metasearch.dedup.strategies import DEFAULT_STRATEGY, Strategy
from metasearch.errors import UsageError

if TYPE_CHECKING:
    from metasearch.dedup.published.strategies import STRATEGIES as STRATEGIES

__all__ = [
    "DEFAULT",
    "STRATEGIES",
    "Chain",
    "Fingerprint",
    "Key",
    "Matcher",
    "OnlineDedup",
    "Strategy",
    "fingerprint",
    "strategy",
]


def strategy(name: str) -> Strategy:
    """The strategy of that name.

    Raises:
        UsageError: There is none.
    """
    if name == DEFAULT_STRATEGY.name:
        return DEFAULT_STRATEGY
    from metasearch.dedup.published.strategies import STRATEGIES

    if name not in STRATEGIES:
        raise UsageError(
            f"there is no strategy called {name!r}", advice=f"There are: {', '.join(STRATEGIES)}."
        )
    return STRATEGIES[name]


def __getattr__(name: str) -> Any:
    if name == "STRATEGIES":
        from metasearch.dedup.published.strategies import STRATEGIES

        return STRATEGIES
    raise AttributeError(f"module 'metasearch.dedup' has no attribute {name!r}")
