"""English words: which there are, which are frequent, which begin alike, which are spelt in two
ways.

The list is made from SCOWL by `tools/english_words.py`, which has its licence, as the list does.
"""

from __future__ import annotations

import gzip
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from string import ascii_lowercase
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

    def families(self, stem: str) -> Sequence[str]:
        """One frequent word of each family that begins so: "cat", "catch", "category" and others of
        "cat"; words put together with the stem ("catfish") are of no other family.
        """
        found: dict[str, str] = {}
        alone = self.has(stem)
        last = ""
        for word in self.beginning(stem):
            rest = word[len(stem) :]
            if word not in self.frequent or (alone and len(rest) > 3 and rest in self.frequent):
                continue
            root = _root(word, max(len(stem), _LEAST_ROOT))
            # "categor" and "categori", but "cat" is of another one than "category".
            if last and root.startswith(last) and len(last) > len(stem):
                continue
            found.setdefault(root, word)
            last = root
        return list(found.values())


#: What begins words of science, before another word: "neurosurgery".
COMBINING = re.compile(
    r"(?:adeno|angio|arthro|auto|bio|broncho?|cardio|cerebro|chemo|chondro|cyber|cyto|dermato|"
    r"electro|endo|entero|fibro|gastro|geo|glyco|haem[ao]?t?o?|hem[ao]?t?o?|hepato|histo|hydro|"
    r"hypno|immuno|kilo|laparo|leu[ck]o|lipo|lympho|magneto|mega|meta|micro|milli|myo|nano|"
    r"nephro|neuro|oculo|onco|ophthalmo|osteo|oto|paed|para|patho|peri|pharmaco|phono|photo|"
    r"physio|phyto|pneumo|proto|psycho|pulmo|pyro|radio|retro|rhino|sero|socio|sono|spiro|tele|"
    r"thermo|thoraco|thrombo|thyro|toxico|trans|turbo|uro|vaso|veno|video|xeno)"
)
#: Letters of a root.
_LEAST_ROOT = 3
_ENDINGS = tuple(
    sorted(
        "s es d ed er ers ing ings ion ions al ally ic ical ics y i ies ier iest ily ity ities ly "
        "ment ments ive ively ance ence ant ent or ors ar ary ous ation ations ist ists ism isms "
        "ful ness ise ize ised ized ising izing isation ization en able ability ible ably less "
        "like man men woman women boy boys girl girls hood ish age ages ship ling let ry ery est "
        "out outs day days".split(),
        key=len,
        reverse=True,
    )
)


@lru_cache(maxsize=20_000)
def _root(word: str, least: int) -> str:
    """A word without its endings, of which `least` letters stay."""
    while ending := next(
        (one for one in _ENDINGS if word.endswith(one) and len(word) - len(one) >= least), ""
    ):
        word = word.removesuffix(ending)
    if len(word) > least:
        word = word.removesuffix("e")
    if len(word) > least and word[-1] == word[-2]:
        word = word[:-1]
    return word


def one_edit_away(word: str) -> set[str]:
    """What a slip makes of a word: a letter left out, added, exchanged, or in the place of its
    neighbour.
    """
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    return {
        *(left + right[1:] for left, right in cuts if right),
        *(left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1),
        *(left + char + right[1:] for left, right in cuts if right for char in ascii_lowercase),
        *(left + char + right for left, right in cuts for char in ascii_lowercase),
    } - {word}


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
