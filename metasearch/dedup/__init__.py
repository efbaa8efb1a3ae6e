"""Online de-duplication: which records are one work.

`fingerprint` -> `Fingerprint`; `online.OnlineDedup` takes records as they arrive; `STRATEGIES` is
what can be chosen.
"""

from __future__ import annotations

from metasearch.dedup.default import DEFAULT
from metasearch.dedup.fingerprint import Fingerprint, fingerprint
from metasearch.dedup.matcher import Chain, Key, Matcher
from metasearch.dedup.online import OnlineDedup
from metasearch.dedup.published.strategies import STRATEGIES, Strategy, strategy

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
