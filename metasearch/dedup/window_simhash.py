"""SimHash over windows of characters, many texts at once: the signature of the default chain's
fallback on text.

Every run of four letters or digits (two where the text is Chinese, Japanese or Korean) is a
feature, as Charikar's SimHash wants them; no segmenter, no dictionary, the same on every
installation. A window is hashed by arithmetic on the code points, so that numpy hashes, spreads and
counts those of all texts in one go; few texts are signed without numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from metasearch.bib import normalise
from metasearch.bib.normalise import plain

# The signatures of window_simhash.py for few texts: without numpy, whose import takes longer than a
# small search. A text is one long number with a lane of 128 bits for each of its letters; one
# multiplication then hashes all windows, and one addition or exclusive or works on all of them.

#: Bits of a lane: a hash of 64 bits times a factor of 64 bits.
LANE = 128
_BYTES = LANE // 8
#: The lower half of a lane.
_HASH = b"\xff" * 8 + bytes(8)
_ASCII = range(128)


def letter_of(code: int) -> int:
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
        found = self[code] = (letter_of(code) or None) if code < self._codes else None
        return found


class Letters:
    """Reads the letters of texts."""

    def __init__(self, codes: int) -> None:
        self._table = _Letters(codes)
        self._ascii = bytes(map(letter_of, _ASCII)) + bytes(128)
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


if TYPE_CHECKING:
    import numpy as np

    Words = np.ndarray[Any, np.dtype[np.uint64]]
    Codes = np.ndarray[Any, np.dtype[np.uint32]]
    Places = np.ndarray[Any, np.dtype[np.int64]]
    Flags = np.ndarray[Any, np.dtype[np.bool_]]

#: Names everything that shapes a signature.
ID = "char-4/2, splitmix64, 1"
WINDOW, WINDOW_CJK = 4, 2
#: Windows in which texts are compared that are known to be near: so long that unrelated texts share
#: hardly any.
SHINGLE, SHINGLE_CJK = 8, 4
#: Letters of a text that count: abstracts are shorter, and what is not is cut where it does no
#: harm.
LONGEST = 20_000
#: Fewer windows say too little about a text for its signature to mean anything; a Chinese character
#: says as much as a short word.
FEWEST, FEWEST_CJK = 40, 20
#: Windows that are counted in one go.
AT_ONCE = 1 << 14
#: Characters up to which texts are signed without numpy, in a millisecond: numpy would need half of
#: that, and to be imported.
FEW = 1 << 13

# Odd multipliers that make one number of a window: any will do, if they are far apart. Then the
# finalizer of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
# OOPSLA 2014).
_PLACES = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
_MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
_LAST_SHIFT = 31
_PLACES_CJK = _PLACES[:WINDOW_CJK]
#: Code points beyond are passed over: no letters of a language that is written today stand there.
_CODES = 0x30000
_UNKNOWN = 0xFFFFFFFF
_FIRST_CJK = 0x3041


def are_few(texts: Sequence[str]) -> bool:
    """Whether texts are signed without numpy, at once."""
    return sum(map(len, texts)) <= FEW


def signatures(texts: Sequence[str]) -> list[int | None]:
    """The signature of each text; None where there is too little of it."""
    return list(map(_signature, texts)) if are_few(texts) else signatures_of_many(texts)


def _signature(text: str) -> int | None:
    letters, in_cjk = _read(text)
    places, fewest = (_PLACES_CJK, FEWEST_CJK) if in_cjk else (_PLACES, FEWEST)
    if len(letters) - len(places) + 1 < fewest:
        return None
    return majority(hashes(letters, places, _MIX, _LAST_SHIFT))


def _read(text: str) -> tuple[str, bool]:
    """(the letters that are looked at, whether they are Chinese, Japanese or Korean)."""
    letters = _alphabet().of(text[:LONGEST])
    if letters.isascii():
        return letters, not letters
    first = chr(_FIRST_CJK)
    return letters, 4 * len([1 for letter in letters if letter >= first]) >= len(letters)


@cache
def _alphabet() -> Letters:
    return Letters(_CODES)


def signatures_of_many(texts: Sequence[str]) -> list[int | None]:
    """The same, by numpy."""
    out: list[int | None] = []
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text[:LONGEST])
        size += len(batch[-1])
        if size >= AT_ONCE:
            out += _signatures(batch)
            batch, size = [], 0
    return out + (_signatures(batch) if batch else [])


def _signatures(texts: list[str]) -> list[int | None]:
    import numpy as np

    codes, ends = _letters(texts)
    sizes = np.diff(ends, prepend=0)
    cjk = np.concatenate(([0], np.cumsum(codes >= _FIRST_CJK)))
    in_cjk = 4 * (cjk[ends] - cjk[ends - sizes]) >= sizes
    hashes, counts = _hashes(codes, ends, sizes, in_cjk)
    enough = counts >= np.where(in_cjk, FEWEST_CJK, FEWEST)
    if not enough.any():
        return [None] * len(texts)
    # Each byte of a hash becomes eight lanes of eight bits, so that one addition counts eight
    # columns; up to 255 windows are counted before lanes are widened.
    lanes = _spread()[hashes.view(np.uint8)].reshape(-1, 8)
    starts: list[int] = []
    owners = []
    at = 0
    for count in counts.tolist():
        if count:
            owners.append(len(starts))
            starts += range(at, at + count, 255)
            at += count
    columns = np.add.reduceat(lanes, starts, axis=0).view(np.uint8).reshape(-1, 64)
    sums = np.add.reduceat(columns, owners, axis=0, dtype=np.int64)
    bits = np.packbits(2 * sums > counts[counts > 0][:, None], axis=1, bitorder="little").view(
        "<u8"
    )[:, 0]
    found = np.zeros(len(texts), dtype=np.uint64)
    found[counts > 0] = bits
    return [
        bits if there else None for bits, there in zip(found.tolist(), enough.tolist(), strict=True)
    ]


def _letters(texts: list[str]) -> tuple[Codes, Places]:
    """Code points of letters and digits, folded, simplified; and where each text ends."""
    import numpy as np

    table = _letter_table()
    codes = np.frombuffer("\0".join([*texts, ""]).encode("utf-32-le", "surrogatepass"), dtype="<u4")
    codes = np.minimum(codes, _CODES - 1)
    found = table[codes]
    if (unknown := codes[found == _UNKNOWN]).size:
        for code in set(unknown.tolist()):
            table[code] = letter_of(code)
        found = table[codes]
    kept = np.flatnonzero(found)
    ends = np.searchsorted(kept, np.cumsum([len(text) + 1 for text in texts]))
    return found[kept], ends


def _hashes(codes: Codes, ends: Places, sizes: Places, in_cjk: Flags) -> tuple[Words, Places]:
    """(a hash of each window of each text, how many each text has)."""
    import numpy as np

    wide = np.concatenate((codes, np.zeros(WINDOW - 1, dtype=np.uint32))).astype(np.uint64)
    here = len(codes)
    hashes = wide[:here] * np.uint64(_PLACES[0]) + wide[1 : here + 1] * np.uint64(_PLACES[1])
    if not in_cjk.all():
        longer = wide[2 : here + 2] * np.uint64(_PLACES[2]) + wide[3 : here + 3] * np.uint64(
            _PLACES[3]
        )
        hashes += (
            longer if not in_cjk.any() else np.where(np.repeat(in_cjk, sizes), np.uint64(0), longer)
        )
    widths = np.where(in_cjk, WINDOW_CJK, WINDOW)
    counts = np.maximum(sizes - widths + 1, 0)
    return _mix(hashes[np.arange(here) < np.repeat(ends - widths + 1, sizes)]), counts


def _mix(hashes: Words) -> Words:
    import numpy as np

    for shift, factor in _MIX:
        hashes ^= hashes >> np.uint64(shift)
        hashes *= np.uint64(factor)
    return hashes ^ (hashes >> np.uint64(_LAST_SHIFT))


class Shingles(NamedTuple):
    """The longer windows of a text. `letters`: of the text; "" where there is too little of it."""

    letters: str
    width: int


def shingles(text: str) -> Shingles:
    """The longer windows of a text."""
    letters, in_cjk = _read(text)
    width, fewest = (SHINGLE_CJK, FEWEST_CJK) if in_cjk else (SHINGLE, FEWEST)
    return Shingles(letters if len(letters) - width + 1 >= fewest else "", width)


def overlap(a: Shingles, b: Shingles) -> tuple[float, float]:
    """What share of the windows of the text that has fewer, and of the other one, stand in both,
    each counted once; 0.0 where there are none.
    """
    one, other = _windows(a), _windows(b)
    short, long = sorted((len(one), len(other)))
    if not short:
        return 0.0, 0.0
    both = len(one & other)
    return both / short, both / long


# One text is compared with several; to keep the windows of more would take megabytes.
@lru_cache(maxsize=2)
def _windows(text: Shingles) -> frozenset[str]:
    letters, width = text
    ends = range(width, len(letters) + 1)
    return frozenset([letters[end - width : end] for end in ends])


@cache
def _spread() -> Words:
    """Byte -> its bits, each in a byte of its own."""
    import numpy as np

    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return bits.view(np.uint64)[:, 0].copy()


@cache
def _letter_table() -> Codes:
    """Code point -> that of its letter or digit, folded, or 0; filled as they occur."""
    import numpy as np

    return np.full(_CODES, _UNKNOWN, dtype=np.uint32)
