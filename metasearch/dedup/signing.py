"""What a chain needs to know of all records of a job before any two are compared: keys, and
signatures that may be near.

A job that is larger than memory is cut along them: records that share no key, directly or by way of
others, and have no near signatures are never one work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.hamming import Nothing
from metasearch.dedup.matcher import Blocked, Chain, Matcher, Signed


@dataclass(frozen=True, slots=True)
class Signing:
    """The signatures of one matcher. `distance`: bits of 64 in which near ones differ at most.
    `signatures`: those of a record: 64 bits each, the same in every process.
    """

    name: str
    distance: int
    signatures: Callable[[Fingerprint], Iterable[int]]


def keyed(chain: Chain) -> tuple[Matcher, ...]:
    """Pins and matchers whose keys tell which records may be one work; those of a `Blocked` one do
    not, because many records share them by chance.
    """
    return tuple(matcher for matcher in chain.finders if not isinstance(matcher, Blocked))


def signing(chain: Chain) -> tuple[Signing, ...]:
    """The matchers of which near signatures tell it."""
    found = []
    for matcher in chain.matchers:
        if isinstance(matcher, Blocked):
            found.append(Signing(matcher.name, matcher.radius, matcher.signatures))
        elif isinstance(matcher, Signed):
            found.append(Signing(matcher.name, matcher.distance, _one(matcher)))
    return tuple(found)


def searching_otherwise(chain: Chain) -> tuple[str, ...]:
    """Matchers that also find records which share neither: their chain needs one index."""
    return tuple(
        matcher.name
        for matcher in chain.searching
        if not isinstance(matcher, Blocked | Signed)
        and not isinstance(matcher.neighbours(), Nothing)
    )


def _one(matcher: Signed) -> Callable[[Fingerprint], Iterable[int]]:
    def signatures(fingerprint: Fingerprint) -> Iterable[int]:
        found = matcher.signature(fingerprint)
        return () if found is None else (found,)

    return signatures
