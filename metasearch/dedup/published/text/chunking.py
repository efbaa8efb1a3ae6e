"""Content-defined chunking: bytes cut where they themselves say so, so that an insertion moves one
cut and not all.

A window slides over the bytes; where its fingerprint modulo D is D - 1, a chunk ends. TTTD, "two
thresholds, two divisors", keeps chunks within bounds: none ends before the lower one, and one that
reaches the upper one ends at the last place that a second, smaller divisor allowed, if there is
one. Eshghi and Tang, "A framework for analyzing and improving content-based chunking algorithms"
(HPL-2005-30); Forman, Eshghi and Chiocchetti (KDD 2005).
"""

from __future__ import annotations

from collections.abc import Iterator

_PRIME = (1 << 61) - 1
_BASE = 0x1F3D5B79A8C6E42D


def content_chunks(
    data: bytes, *, window: int, divisor: int, second_divisor: int, shortest: int, longest: int
) -> Iterator[bytes]:
    """The chunks, in order; together they are the data.

    Args:
        data: What is cut.
        window: Bytes that decide about a cut.
        divisor: Chunks are about so long beyond the shortest.
        second_divisor: Smaller; for where `divisor` finds no end.
        shortest: Bytes of the shortest chunk, the last one apart.
        longest: Bytes of the longest.
    """
    start = spare = 0
    for end, fingerprint in enumerate(fingerprints(data, window), 1):
        if end - start < shortest:
            continue
        if fingerprint % second_divisor == second_divisor - 1:
            spare = end
        if fingerprint % divisor == divisor - 1:
            cut = end
        elif end - start >= longest:
            cut = spare or end
        else:
            continue
        yield data[start:cut]
        start, spare = cut, 0
    if start < len(data):
        yield data[start:]


def fingerprints(data: bytes, window: int) -> Iterator[int]:
    """A rolling fingerprint of the last `window` bytes at each byte: a polynomial mod a prime."""
    leaving = pow(_BASE, window, _PRIME)
    rolled = 0
    for place, byte in enumerate(data):
        gone = data[place - window] + 1 if place >= window else 0
        rolled = (rolled * _BASE + byte + 1 - gone * leaving) % _PRIME
        yield rolled
