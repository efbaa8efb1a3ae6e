"""What a strategy of de-duplication is, and the one that searches use. Wings
have others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from metasearch.dedup.matchers import (
    Chain,
    DoiHash,
    FourTuple,
    Identifiers,
    Matcher,
    Standards,
    Text,
    Url,
)
from metasearch.dedup.weights_and_vetoes import Fields, Vetoes

#: URL, DOI hash, other identifiers, numbers of standards, SHA-1 of the four-tuple, fields, text;
#: over all, the vetoes.
DEFAULT = Chain(
    (Url(), DoiHash(), Identifiers(), Standards(), FourTuple(), Fields(), Text()), (Vetoes(),)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupStrategy:
    """A way of finding duplicates.

    Attributes:
        needs: What a record must have; of a record without it, it says nothing.
        cost: What a record costs, in words.
        order: Whether the order of arrival matters, in words.
        chain: With the parameters of the source.
        threshold: The parameter of its matchers that makes it stricter or laxer; None where there
            is none.
        sweep: Values of that parameter worth trying, the strictest first.
        loads: What takes long the first time and can be done before the first record comes.
    """

    name: str
    does: str
    source: str
    needs: str
    cost: str
    order: str
    when: str
    chain: Chain
    threshold: str | None = None
    sweep: tuple[float, ...] = ()
    loads: tuple[Callable[[], object], ...] = ()

    def at(self, threshold: float) -> Chain:
        """The chain with another threshold. Raises ValueError: the strategy has none."""
        name = self.threshold
        if name is None:
            raise ValueError(f"{self.name} has no threshold")
        return replace(
            self.chain,
            matchers=tuple(_with(matcher, name, threshold) for matcher in self.chain.matchers),
        )

    def load(self) -> None:
        """Load now what the first record would load: dictionaries, tables, libraries."""
        for load in self.loads:
            load()


def _with(matcher: Matcher, name: str, value: float) -> Matcher:
    if not hasattr(matcher, name):
        return matcher
    changed: Any = replace(matcher, **{name: type(getattr(matcher, name))(value)})  # type: ignore[type-var]
    return changed  # type: ignore[no-any-return]


DEFAULT_STRATEGY = DedupStrategy(
    name="default",
    does="URL, DOI, other identifiers, four-tuple, fields and text, under vetoes",
    source="this project; docs/dedup.md",
    needs="a title, or an identifier",
    cost="a look-up of a dozen keys, and comparisons with what shares one",
    order="does not matter",
    when="always, unless a publication is to be followed to the letter",
    chain=DEFAULT,
)
