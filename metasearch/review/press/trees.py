"""The operands of a line as they are typed: which operators join which terms and lines, bracket by
bracket. `ReviewLine.clause` says what they mean; this says where they stand.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from metasearch.query.places import PlacedJoin, PlacedTerm, Reference
from metasearch.review.press.reading import ReviewLine

Leaf = PlacedTerm | Reference


@dataclass(slots=True)
class Level:
    """What stands in one bracket, or in a whole line.

    Attributes:
        joins: The operators between its operands, from left to right.
        operands: What they join: leaves and other levels; None where nothing can be told of one.
        places: Where each operand begins and ends, with its brackets and field.
    """

    joins: list[PlacedJoin]
    operands: list[Leaf | Level | None] = field(default_factory=list)
    places: list[tuple[int, int]] = field(default_factory=list)

    @property
    def start(self) -> int:
        return self.joins[0].operands[0][0]

    @property
    def end(self) -> int:
        return self.joins[-1].operands[-1][1]

    @property
    def operators(self) -> frozenset[str]:
        return frozenset(join.operator for join in self.joins)

    @property
    def operator(self) -> str:
        """That of all its joins; "" where there are several kinds."""
        return self.joins[0].operator if len(self.operators) == 1 else ""

    def leaves(self) -> Iterator[Leaf]:
        for operand in self.operands:
            if isinstance(operand, Level):
                yield from operand.leaves()
            elif operand is not None:
                yield operand


def levels(line: ReviewLine) -> list[Level]:
    """The levels of a line, each before those in it."""
    if "levels" not in line.cache:
        line.cache["levels"] = _levels(line)
    return cast("list[Level]", line.cache["levels"])


def _levels(line: ReviewLine) -> list[Level]:
    groups: dict[tuple[int, int], list[PlacedJoin]] = {}
    for join in line.joins:
        groups.setdefault((join.brackets, join.group), []).append(join)
    found = [Level(sorted(joins, key=lambda join: join.start)) for joins in groups.values()]
    found.sort(key=lambda level: (level.start, -level.end))
    leaves: list[Leaf | Level] = [*line.terms, *line.references, *found]
    items = sorted(leaves, key=_order)
    keys = list(map(_order, items))
    places = {id(item): at for at, item in enumerate(items)}
    for level in found:
        level.places = [level.joins[0].operands[0]]
        level.places += [join.operands[-1] for join in level.joins if len(join.operands) > 1]
        if len(set(level.places)) < len(level.places):  # or/1-4
            start, end = level.places[0]
            names = [one for one in line.references if (one.start, one.end) == (start, end)]
            level.operands = list(names)
            continue
        for start, end in level.places:
            # Behind the level itself, so that none is in itself.
            at = max(bisect_left(keys, (start, -end, 0)), places[id(level)] + 1)
            item = items[at] if at < len(items) else None
            level.operands.append(item if item is not None and item.end <= end else None)
    return found


def _order(item: Leaf | Level) -> tuple[int, int, int]:
    """Levels before leaves where both begin and end at one place."""
    return item.start, -item.end, not isinstance(item, Level)


def root(line: ReviewLine) -> Level | Leaf | None:
    """All of a line, but for limits of another line that it names; None where nothing in it can be
    told.
    """
    found = levels(line)
    if found:
        return min(found, key=lambda level: (level.joins[0].brackets, level.start))
    leaves: tuple[Leaf, ...] = line.references or line.terms
    return leaves[0] if len(leaves) == 1 else None
