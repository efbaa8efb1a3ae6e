"""Syllables: how Chinese characters are read, and how a syllable is written in Latin letters."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from metasearch.bib.chinese.characters import simplified, table_lines

#: Hanyu Pinyin, as in China, or Wade-Giles, as in Taiwan and in old catalogues; both without tones,
#: marks and hyphens.
Scheme = Literal["pinyin", "wade-giles"]
SCHEMES: tuple[Scheme, ...] = ("pinyin", "wade-giles")

#: Syllables in a word at most; names have one or two, rarely three.
_MOST_SYLLABLES = 4
# ü is typed as v, u or yu; the table holds v.
_UMLAUTS = {
    "lv": ("lv", "lu", "lyu"),
    "nv": ("nv", "nu", "nyu"),
    "lve": ("lve", "lue", "lyue"),
    "nve": ("nve", "nue", "nyue"),
}
_WHOLE = {
    "zhi": "chih", "chi": "chih", "shi": "shih", "ri": "jih", "zi": "tzu", "ci": "tzu", "si": "ssu",
    "er": "erh", "e": "o", "ge": "ko", "ke": "ko", "he": "ho", "gui": "kuei", "kui": "kuei",
    "you": "yu", "yi": "i",
    "lv": "lu", "nv": "nu", "lve": "lueh", "nve": "nueh", "luo": "lo", "yan": "yen", "ye": "yeh",
    "yue": "yueh",
}  # fmt: skip
_INITIALS = (
    ("zh", "ch"), ("ch", "ch"), ("sh", "sh"), ("b", "p"), ("d", "t"), ("g", "k"), ("j", "ch"), ("q",
    "ch"), ("x", "hs"),
    ("z", "ts"), ("c", "ts"), ("r", "j"),
)  # fmt: skip
_BEFORE_O = frozenset(("t", "n", "l", "ts", "s", "j", "ch"))


def readings(char: str, scheme: Scheme = "pinyin") -> frozenset[str]:
    """How a character may be written in Latin letters; empty for what is not in the table.

    A traditional character is looked up as it is first, because some stand for several (乾 is qian
    or gan).
    """
    table = _readings()
    syllables = table.get(char) or table.get(simplified(char)) or ()
    return frozenset(
        [spelling for syllable in syllables for spelling in spellings(syllable, scheme)]
    )


def spellings(syllable: str, scheme: Scheme) -> tuple[str, ...]:
    """The ways to write a syllable of the table: "lv" -> "lv", "lu", "lyu"; in Wade-Giles "lu"."""
    return _UMLAUTS.get(syllable, (syllable,)) if scheme == "pinyin" else (wade_giles(syllable),)


@lru_cache(maxsize=512)
def wade_giles(syllable: str) -> str:
    """A Pinyin syllable in Wade-Giles, without its marks: "zhang" -> "chang", "xu" -> "hsu"."""
    if syllable in _WHOLE:
        return _WHOLE[syllable]
    old, new = next(((old, new) for old, new in _INITIALS if syllable.startswith(old)), ("", ""))
    rest = syllable[len(old) :]
    if not old:
        new, rest = (syllable[0], syllable[1:]) if syllable[0] not in "aeiou" else ("", syllable)
    if rest.endswith("ong"):
        rest = rest.removesuffix("ong") + "ung"
    elif rest in ("ian", "uo", "ie", "ue"):
        rest = {
            "ian": "ien",
            "uo": "o" if new in _BEFORE_O and old != "sh" else "uo",
            "ie": "ieh",
            "ue": "ueh",
        }[rest]
    return new + rest


def is_spelled(word: str) -> bool:
    """Whether a word in lower case is one to four syllables of either scheme: "kuoching"."""
    return len(word) <= 6 * _MOST_SYLLABLES and _spelled().fullmatch(word) is not None


@lru_cache(maxsize=1)
def _readings() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for line in table_lines("pinyin.txt"):
        syllable, _, chars = line.partition(" ")
        for char in chars:
            table[char] = (*table.get(char, ()), syllable)
    return table


@lru_cache(maxsize=1)
def _spelled() -> re.Pattern[str]:
    syllables = {syllable for several in _readings().values() for syllable in several}
    written = {
        spelling
        for syllable in syllables
        for scheme in SCHEMES
        for spelling in spellings(syllable, scheme)
    }
    return re.compile(
        f"(?:{'|'.join(sorted(written, key=lambda s: (-len(s), s)))}){{1,{_MOST_SYLLABLES}}}"
    )
