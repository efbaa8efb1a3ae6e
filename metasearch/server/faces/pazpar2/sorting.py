"""Orders of a list: `sort=relevance`, `sort=title:1`, `sort=date:0,title:1`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metasearch.listing.sort import Sort, arranged
from metasearch.record import Hit
from metasearch.server.faces.pazpar2.errors import MALFORMED, CommandRefused

_MOST_KEYS = 5
#: Name and direction ("1" is ascending) -> our order, and whether it is turned round.
_ORDERS: Mapping[tuple[str, str], tuple[Sort, bool]] = {
    ("title", "1"): ("title", False),
    ("title", "0"): ("title", True),
    ("date", "0"): ("date", False),
    ("date", "1"): ("-date", False),
}
#: Names that have one direction.
_UNDIRECTED: Mapping[str, Sort] = {
    "relevance": "relevance",
    "position": "first-seen",
    "retrieval": "first-seen",
}


@dataclass(frozen=True, slots=True)
class SortKey:
    """One key of an order; the first of several decides, the next one where works are equal."""

    sort: Sort
    reverse: bool = False


#: What holds where a request has no `sort`.
BY_RELEVANCE = (SortKey("relevance"),)


def sort_keys(text: str) -> tuple[SortKey, ...]:
    """Read the parameter `sort`; "" is relevance. Raises CommandRefused: there is no such order."""
    if not text:
        return BY_RELEVANCE
    parts = text.split(",")
    if len(parts) > _MOST_KEYS:
        raise CommandRefused(MALFORMED, f"sort: more than {_MOST_KEYS} keys")
    keys = []
    for part in parts:
        name, _, direction = part.partition(":")
        known = _ORDERS.get((name, direction or "0"))
        if name in _UNDIRECTED and direction in ("", "0", "1"):
            keys.append(SortKey(_UNDIRECTED[name]))
        elif known is not None:
            keys.append(SortKey(*known))
        else:
            raise CommandRefused(
                MALFORMED,
                f"sort: {part[:40]!r} is none of relevance, title:1, title:0, date:0 (newest "
                "first), date:1, position, retrieval",
            )
    return tuple(keys)


def in_order(
    hits: Sequence[Hit], own: Sort, keys: Sequence[SortKey], arrival: Mapping[str, int]
) -> list[Hit]:
    """The hits of a list in another order. `arrival`: id of a hit -> number of its arrival."""
    if list(keys) == [SortKey(own)]:
        return list(hits)
    ordered = list(hits)
    if own != "relevance":
        ordered.sort(key=lambda hit: -hit.score)
    for key in reversed(keys):
        if key.sort == "first-seen":
            ordered.sort(key=lambda hit: arrival.get(hit.id, len(arrival)))
        elif key.reverse:  # equal ones keep their order
            ordered = arranged(reversed(ordered), key.sort, {})[::-1]
        elif key.sort != "relevance":
            ordered = arranged(ordered, key.sort, {})
    return ordered
