"""English words: which there are, which are frequent, which begin alike, which are spelt in two
ways.

The list is made from SCOWL by `tools/english_words.py`, which has its licence, as the list does.
"""

from __future__ import annotations

import gzip
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

PATH = Path(__file__).with_name("english_words.txt.gz")
#: The most frequent words, those that a spelling checker knows, and others.
SECTIONS = ("frequent", "usual", "known")


class EnglishWords(NamedTuple):
    """All in small letters.

    Attributes:
        frequent, usual, known: As `SECTIONS`; no word is in two of them.
        ordered: The frequent and the usual, from a to z.
        spellings: Word -> its other spellings, British or American.
        spelt: The keys of `spellings`, from a to z.
    """

    frequent: frozenset[str]
    usual: frozenset[str]
    known: frozenset[str]
    ordered: Sequence[str]
    spellings: Mapping[str, tuple[str, ...]]
    spelt: Sequence[str]

    def has(self, word: str) -> bool:
        return word in self.frequent or word in self.usual or word in self.known

    def beginning(self, stem: str) -> Sequence[str]:
        """The frequent and usual words that begin so."""
        return _beginning(self.ordered, stem)

    def spelt_from(self, stem: str) -> Sequence[str]:
        """Those spelt in two ways that begin so."""
        return _beginning(self.spelt, stem)


def _beginning(words: Sequence[str], stem: str) -> Sequence[str]:
    return words[bisect_left(words, stem) : bisect_left(words, f"{stem}~")]


@cache
def english_words() -> EnglishWords:
    """The list, which is read when it is first asked for."""
    sections: dict[str, list[str]] = {name: [] for name in (*SECTIONS, "spellings")}
    lines: list[str] = []
    for line in gzip.decompress(PATH.read_bytes()).decode("ascii").splitlines():
        if line[0] == "[":
            lines = sections[line.strip("[]")]
        elif line[0] != "#":
            lines.append(line)
    frequent, usual, known = (_words(sections[name]) for name in SECTIONS)
    spellings: dict[str, tuple[str, ...]] = {}
    for line in sections["spellings"]:
        american, *british = line.split(" ")
        for word in (american, *british):
            others = (american,) if word != american else tuple(british)
            spellings[word] = (*spellings.get(word, ()), *others)
    return EnglishWords(
        frozenset(frequent),
        frozenset(usual),
        frozenset(known),
        sorted((*frequent, *usual)),
        spellings,
        sorted(spellings),
    )


def _words(rows: Sequence[str]) -> list[str]:
    words, word = [], ""
    for row in rows:
        word = word[: int(row[0], 36)] + row[1:]
        words.append(word)
    return words
