"""Which attempts at the fields of a record may find something, by the tags that a MARC record has.

A spec makes some eighty attempts, and a catalogue record has the tags of some twenty of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metasearch.adapters.shapes import Attempt


class ByTag:
    """The attempts of a shape of MARC: at `fields`, in their order, and at ids."""

    __slots__ = ("_bits", "_fields", "_ids")

    def __init__(self, fields: Sequence[Attempt], ids: Sequence[Attempt]) -> None:
        self._bits: dict[str, int] = {}  # each tag that an attempt needs is one bit
        self._fields = [(self._needed(attempt), attempt._replace(needs=None)) for attempt in fields]
        self._ids = [(self._needed(attempt), attempt._replace(needs=None)) for attempt in ids]

    def _needed(self, attempt: Attempt) -> int:
        if attempt.needs is None:
            return 1  # a bit that every record has
        needed = 0
        for tag in attempt.needs:
            needed |= self._bits.setdefault(tag, 2 << len(self._bits))
        return needed

    def of(self, tags: Iterable[str]) -> tuple[list[Attempt], list[Attempt]]:
        """The attempts, at fields and at identifiers, that need none of the tags, or at least one
        that is there; in order.
        """
        there, bits = 1, self._bits
        for tag in tags:
            if tag in bits:
                there |= bits[tag]
        return (
            [attempt for needed, attempt in self._fields if needed & there],
            [attempt for needed, attempt in self._ids if needed & there],
        )
