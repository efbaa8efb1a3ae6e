"""What decides in a staged job, as worker processes take it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from metasearch.dedup import Chain, strategy
from metasearch.dedup.matcher import Matcher
from metasearch.dedup.pins import Pins
from metasearch.dedup.signing import Signing, keyed, searching_otherwise, signing
from metasearch.errors import UsageError
from metasearch.record import VersionsMode


@dataclass(frozen=True)
class Rules:
    """The matchers of a job; can be pickled. `strategy`: its name; see `metasearch strategies`.
    `versions`: what becomes of preprint and article.
    """

    strategy: str = "default"
    pins: Pins = field(default_factory=Pins)
    versions: VersionsMode = "separate"

    @cached_property
    def chain(self) -> Chain:
        """The matchers, with pins."""
        return strategy(self.strategy).chain.pinned(self.pins)

    @property
    def separate(self) -> bool:
        """Whether versions are works of their own."""
        return self.versions == "separate"

    @cached_property
    def keyed(self) -> tuple[Matcher, ...]:
        """Pins and matchers whose keys tell which records may be one work."""
        return keyed(self.chain)

    @cached_property
    def signed(self) -> tuple[Signing, ...]:
        """The matchers of which near signatures tell it. Raises UsageError: a matcher finds records
        in a way that cannot be kept on disk.
        """
        if searching_otherwise(self.chain):
            raise UsageError(
                f"--dedup {self.strategy} finds duplicates by more than keys and signatures, "
                f"for which all records must be in memory",
                advice="Use --engine memory, or another strategy.",
            )
        return signing(self.chain)

    @property
    def alone(self) -> bool:
        """Whether each component is judged alone: components share no key but blocks of
        signatures, by chance.
        """
        return len(self.keyed) < len(self.chain.finders)

    def __getstate__(self) -> dict[str, object]:
        # The chain is made anew where it is needed: some matchers hold what cannot be pickled.
        return {"strategy": self.strategy, "pins": self.pins, "versions": self.versions}
