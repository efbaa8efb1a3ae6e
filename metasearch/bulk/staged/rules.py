"""What decides in a staged job, as worker processes take it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from metasearch.dedup import Chain, Fingerprint, strategy
from metasearch.dedup.hamming import Nothing, Scan
from metasearch.dedup.pins import Pins
from metasearch.errors import UsageError
from metasearch.record import VersionsMode


@dataclass(frozen=True)
class Rules:
    """The matchers of a job; can be pickled.

    Attributes:
        strategy: Its name; see `metasearch strategies`.
        pins: What somebody decided.
        versions: What becomes of preprint and article.
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
    def signed(self) -> tuple[tuple[str, Callable[[Fingerprint], int | None], int], ...]:
        """(name, signature of a record, bits in which near ones differ at most) of each matcher
        that finds neighbours by more than keys.

        Raises:
            UsageError: A matcher finds them in a way that cannot be kept on disk.
        """
        found = []
        for matcher in self.chain.searching:
            neighbours = matcher.neighbours()
            if isinstance(neighbours, Nothing):
                continue
            if not isinstance(neighbours, Scan):
                raise UsageError(
                    f"--dedup {self.strategy} finds duplicates by more than keys and signatures, "
                    f"for which all records must be in memory",
                    advice="Use --engine memory, or another strategy.",
                )
            found.append((matcher.name, neighbours.signature_of, neighbours.distance))
        return tuple(found)

    def __getstate__(self) -> dict[str, object]:
        # The chain is made anew where it is needed: some matchers hold what cannot be pickled.
        return {"strategy": self.strategy, "pins": self.pins, "versions": self.versions}
