"""The signatures of window_simhash.py for few texts: without numpy, whose import takes
longer than a small search.

A text is one long number with a lane of 128 bits for each of its letters; one multiplication then
hashes all windows, and one addition or exclusive or works on all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from metasearch.bib import normalise
from metasearch.bib.chinese.characters import plain

#: Bits of a lane: a hash of 64 bits times a factor of 64 bits.
LANE = 128
_BYTES = LANE // 8
#: The lower half of a lane.
_HASH = b"\xff" * 8 + bytes(8)
_ASCII = range(128)


def folded(code: int) -> int:
    """The code point of the letter or digit that a character stands for, folded, Chinese
    simplified; 0 for what is none.
    """
    letters = normalise.compact(plain(chr(code)))
    return ord(letters[0]) if letters else 0


class _Letters(dict[int, int | None]):
    """For `str.translate`: code point -> that of its letter, or None; filled as they occur."""

    def __init__(self, codes: int) -> None:
        super().__init__()
        self._codes = codes

    def __missing__(self, code: int) -> int | None:
        found = self[code] = (folded(code) or None) if code < self._codes else None
        return found


class Letters:
    """Reads the letters of texts."""

    def __init__(self, codes: int) -> None:
        self._table = _Letters(codes)
        self._ascii = bytes(map(folded, _ASCII)) + bytes(128)
        self._no_letters = bytes(code for code in _ASCII if not self._ascii[code])

    def of(self, text: str) -> str:
        """The letters and digits of a text, folded."""
        if text.isascii():
            return text.encode().translate(self._ascii, self._no_letters).decode()
        return text.translate(self._table)


def hashes(
    letters: str, factors: Sequence[int], mix: Sequence[tuple[int, int]], last: int
) -> list[bytes]:
    """A hash of each window of a text, mixed, as eight columns: the lowest byte of each, the next
    one of each, and so on.

    `factors`: 64 bits for each place of a window: the hash before it is mixed is the sum of the
    code points times these. `last`: bits of the last shift.
    """
    count = len(letters) - len(factors) + 1
    lanes = int.from_bytes(_HASH * count, "little")
    product = 0
    for factor in factors:
        product = product << LANE | factor
    # Lane n of the product is the sum of the letters n, n - 1, ... times the factors; the first
    # whole window ends at the last of them.
    found = (_number(letters) * product >> LANE * (len(factors) - 1)) & lanes
    for shift, factor in mix:
        found = ((found ^ found >> shift) & lanes) * factor & lanes
    wide = (found ^ found >> last).to_bytes(_BYTES * count, "little")
    return [wide[place::_BYTES] for place in range(8)]


def _number(letters: str) -> int:
    """The code points of a text, each in a lane."""
    lanes = bytearray(_BYTES * len(letters))
    if letters.isascii():
        lanes[::_BYTES] = letters.encode()
    else:
        codes = letters.encode("utf-32-le", "surrogatepass")
        for place in range(4):
            lanes[place::_BYTES] = codes[place::4]
    return int.from_bytes(lanes, "little")


def majority(columns: Sequence[bytes]) -> int:
    """64 bits: each is set where more than half of the hashes have that bit."""
    count = len(columns[0])
    each = int.from_bytes(b"\x01" * count, "little")
    bits = [each << bit for bit in range(8)]
    signature = 0
    for place, column in enumerate(columns):
        number = int.from_bytes(column, "little")
        for bit, mask in enumerate(bits):
            if 2 * (number & mask).bit_count() > count:
                signature |= 1 << 8 * place + bit
    return signature
