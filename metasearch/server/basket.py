"""The works in a basket: its cookie holds their ids, the cache the works."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from metasearch.record import Hit
from metasearch.server.site import ServerContext


@dataclass(frozen=True, slots=True)
class BasketWork:
    """One work. `ids`: those in the basket; several where two searches named it differently."""

    hit: Hit
    ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class Basket:
    """The contents of a basket. `works`: in the order in which they were added; each work once.
    `unknown`: ids of works that are not kept any more.
    """

    works: Sequence[BasketWork]
    unknown: Sequence[str]

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The works, numbered by their place in the basket."""
        return tuple(replace(work.hit, rank=at) for at, work in enumerate(self.works, 1))


async def contents_of(ids: Sequence[str], shared: ServerContext) -> Basket:
    """The works of these ids."""
    kept: list[Hit] = []
    unknown: list[str] = []
    turns = shared.engine.scheduler.turns()  # to read a work takes a millisecond
    async with shared.admission.brief():
        for name in ids:
            await turns.next()
            hit = await shared.engine.works.find(name)
            if hit is None:
                unknown.append(name)
            else:
                kept.append(hit)
    return Basket(distinct(kept), unknown)


def distinct(hits: Iterable[Hit]) -> list[BasketWork]:
    """Each work once: hits that share an id or a record are one, as two searches have shown it.

    Of such hits the one with the most records stays, at the place of the first.
    """
    works: list[BasketWork | None] = []
    merged_into: dict[int, int] = {}
    place_of: dict[str, int] = {}

    def place(name: str) -> int:
        at = place_of[name]
        while at in merged_into:
            at = merged_into[at]
        return at

    for hit in hits:
        names = [hit.id, *(record.key for record in hit.records)]
        at, *others = sorted({place(name) for name in names if name in place_of}) or [len(works)]
        if at == len(works):
            works.append(None)
        same = [*filter(None, (works[each] for each in (at, *others))), BasketWork(hit, (hit.id,))]
        works[at] = reduce(_together, same)
        for other in others:
            works[other] = None
        merged_into |= dict.fromkeys(others, at)
        place_of |= dict.fromkeys(names, at)
    return [work for work in works if work is not None]


def _together(left: BasketWork, right: BasketWork) -> BasketWork:
    richer = max(left.hit, right.hit, key=lambda hit: len(hit.records))
    return BasketWork(richer, tuple(dict.fromkeys((*left.ids, *right.ids))))
