"""Rabin's fingerprint: a text as a polynomial over GF(2), and what remains of it modulo an
irreducible one.

Rabin, "Fingerprinting by random polynomials" (Harvard TR-15-81, 1981); the table is that of Broder,
"Some applications of Rabin's fingerprinting method" (1993).
"""

from __future__ import annotations

from functools import cache

#: Degree of the polynomial, and bits of a fingerprint.
DEGREE = 64
#: Irreducible and dense: a bit of a text turns about half of the fingerprint's. Its top bit is
#: x^64.
POLYNOMIAL = 0x1E110715B33BFA08F
#: Names the fingerprint; whoever compares signatures made of it compares this, too.
RABIN = "rabin-1e110715b33bfa08f"

_MASK = (1 << DEGREE) - 1


def rabin64(data: bytes) -> int:
    """The remainder of 1, then the bytes, then eight zero bytes, most significant bit first; 64
    bits.

    The 1 in front lets leading zeros count. Without the zero bytes behind (a multiplication by
    x^64) a text of less than eight bytes, which most Chinese words are, would be its own
    fingerprint, bits of UTF-8 and all.
    """
    table = _table()
    # Each byte is added where the zero bytes would have carried it, so that they need not be
    # divided one by one.
    remainder = POLYNOMIAL & _MASK
    for byte in data:
        remainder = (remainder << 8 & _MASK) ^ table[remainder >> (DEGREE - 8) ^ byte]
    return remainder


@cache
def _table() -> tuple[int, ...]:
    """Of each byte that is shifted out at the top, its remainder."""
    return tuple(_shifted(byte) for byte in range(256))


def _shifted(byte: int) -> int:
    """byte * x^64 modulo the polynomial."""
    remainder = byte << (DEGREE - 8)
    for _ in range(8):
        remainder <<= 1
        if remainder >> DEGREE:
            remainder ^= POLYNOMIAL
    return remainder
