"""SimHash: 64 bits of a text such that texts that nearly agree differ in few of them.

Charikar, "Similarity estimation techniques from rounding algorithms" (STOC 2002).
"""

from __future__ import annotations

import hashlib

from metasearch import normalise

LANES = 64
_LANE_BITS = 16
_ONES = sum(1 << (_LANE_BITS * i) for i in range(LANES))
_TOP = _ONES << (_LANE_BITS - 1)
_BITS = bytes(0x31 if byte & 0x80 else 0x30 for byte in range(256))
#: Fewer words say too little about a text for its signature to mean anything.
MIN_WORDS = 24


class _Spread(dict[str, int]):
    """Word -> the 64 bits of its hash, each in a lane of its own, so that one addition counts all 64 columns."""

    def __missing__(self, word: str) -> int:
        if len(self) > 100_000:
            self.clear()
        digest = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
        self[word] = lanes = sum(1 << (_LANE_BITS * i) for i in range(LANES) if digest >> i & 1)
        return lanes


_spread = _Spread()


def simhash(features: list[str]) -> int:
    """SimHash of features (Charikar 2002), 64 bits; a feature weighs as often as it occurs.

    Column sums are kept in lanes of one big integer; a bit is set where more than half of the weight has it set. Of
    very long texts the first 32,767 features count.
    """
    if len(features) >= 1 << (_LANE_BITS - 1):
        features = features[: (1 << (_LANE_BITS - 1)) - 1]
    columns = sum(map(_spread.__getitem__, features))
    # A lane's top bit becomes 1 exactly where its sum exceeds half of the number of features.
    shifted = columns + _ONES * ((1 << (_LANE_BITS - 1)) - len(features) // 2 - 1)
    raw = (shifted & _TOP).to_bytes(LANES * _LANE_BITS // 8, "big")
    return int(raw[::2].translate(_BITS), 2)


def signature(words: tuple[str, ...], abstract: str) -> int | None:
    """The SimHash of title words and abstract; None where there is too little text."""
    features = [*words, *normalise.words(abstract)]
    if not abstract.isascii() and normalise.has_cjk(abstract):
        joined = "".join(features)
        features = [joined[i : i + 2] for i in range(len(joined) - 1)]
    return simhash(features) if len(features) >= MIN_WORDS else None
