"""SimHash: 64 bits of a text such that texts that nearly agree differ in few of them.

Charikar, "Similarity estimation techniques from rounding algorithms" (STOC 2002). Every feature is
hashed to 64 bits; a feature's weight is added to a column where its hash has a 1 and subtracted
where it has a 0; a bit of the signature is 1 where the column's sum is positive, and 0 where it is
negative or zero.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from itertools import islice

BITS = 64
#: Names the hash of features; whoever compares signatures compares this, too.
HASH = "blake2b-8"
#: Of a text with more features the first ones count.
MOST_FEATURES = (1 << 15) - 1
#: Weights are rounded to multiples of this, so that sums are whole numbers and no order of adding
#: can matter.
UNIT = 2.0**-20
#: Of larger weights the signature would not be exact.
MOST_WEIGHT = (1 << 62) - 1
#: Features whose spread hashes are kept.
MOST_KEPT = 50_000

_TOP_BITS = bytes(0x31 if byte & 0x80 else 0x30 for byte in range(256))


def hash64(feature: str) -> int:
    """64 bits of a feature."""
    return int.from_bytes(
        hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest(), "big"
    )


class LaneSums(dict[str, int]):
    """Feature -> its 64 bits, each in a lane of its own of one big integer: one addition counts all
    columns.

    `width`: bits of a lane, a multiple of 8; sums below half of what fits are counted. `hashed`:
    the 64 bits of a feature.
    """

    def __init__(self, width: int, hashed: Callable[[str], int] = hash64) -> None:
        super().__init__()
        self._width = width
        self._hashed = hashed
        self._zeros = "0" * (width // 4 - 1)
        self.ones = sum(1 << (width * bit) for bit in range(BITS))

    def __missing__(self, feature: str) -> int:
        if len(self) >= MOST_KEPT:
            self.clear()
        # Each bit becomes a hexadecimal digit, and the lane is filled up with zeros.
        self[feature] = lanes = int(self._zeros.join(f"{self._hashed(feature):064b}"), 16)
        return lanes

    def signature(self, sums: int, total: int) -> int:
        """The bits whose lane has more than half of the total: where plus outweighs minus."""
        half = 1 << (self._width - 1)
        # A lane's top bit becomes 1 exactly where its sum exceeds half of the total.
        shifted = (sums + self.ones * (half - total // 2 - 1)) & (self.ones << (self._width - 1))
        step = self._width // 8
        return int(shifted.to_bytes(BITS * step, "big")[::step].translate(_TOP_BITS), 2)


_counted = LaneSums(16)
_weighed = LaneSums(64)


def simhash(features: Iterable[str]) -> int:
    """The signature of features; one weighs as often as it occurs."""
    listed = list(islice(features, MOST_FEATURES))
    return _counted.signature(sum(map(_counted.__getitem__, listed)), len(listed))


def weighted(weights: Mapping[str, float], columns: LaneSums = _weighed) -> int:
    """The signature of features with weights.

    `weights`: feature -> weight. `columns`: how features are hashed; lanes of 64 bits. Raises
    ValueError: a weight is negative or not finite, or all together are too large.
    """
    sums = total = 0
    for feature, weight in weights.items():
        if not 0 <= weight < MOST_WEIGHT:
            raise ValueError(
                f"the weight of {feature!r} is {weight}; expected a number of at least 0"
            )
        units = round(weight / UNIT)
        total += units
        sums += columns[feature] * units
    if total > MOST_WEIGHT:
        raise ValueError(f"the weights sum up to {total * UNIT:g}, which is too much")
    return columns.signature(sums, total)
