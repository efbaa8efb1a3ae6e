"""Online de-duplication: which records are one work.

`fingerprint` -> `Fingerprint`; `online.OnlineDedup` takes records as they arrive; `CHAINS` names what can be chosen.
"""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.dedup.fingerprint import Fingerprint, fingerprint
from metasearch.dedup.matcher import Chain, Key, Matcher
from metasearch.dedup.matchers.doi import DoiHash
from metasearch.dedup.matchers.fields import Fields
from metasearch.dedup.matchers.four_tuple import FourTuple
from metasearch.dedup.matchers.identifiers import Identifiers
from metasearch.dedup.matchers.simhash import SimHash
from metasearch.dedup.matchers.url import Url
from metasearch.dedup.matchers.vetoes import Vetoes
from metasearch.dedup.online import OnlineDedup

#: URL, DOI hash, other identifiers, SHA-1 of the four-tuple, fields, SimHash; and over them all, the vetoes.
DEFAULT = Chain((Url(), DoiHash(), Identifiers(), FourTuple(), Fields(), SimHash()), (Vetoes(),))

CHAINS: Mapping[str, Chain] = {"default": DEFAULT}

__all__ = ["CHAINS", "DEFAULT", "Chain", "Fingerprint", "Key", "Matcher", "OnlineDedup", "fingerprint"]
