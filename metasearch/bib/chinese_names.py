"""Names of people: in characters, in Latin letters, and whether the two may be one person."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from metasearch.bib import unicode_forms
from metasearch.bib.chinese.characters import is_cjk, is_han
from metasearch.bib.chinese.surnames import (
    is_surname,
    latin_surnames,
    spelled_elsewhere,
    surname_spellings,
)
from metasearch.bib.chinese.syllables import SCHEMES, Scheme, is_spelled, readings

#: Authors that are compared; of a longer list the rest is not looked at.
MOST_AUTHORS = 30
#: Lists are cut after so many names by databases and styles ("et al."); other lengths must be
#: equal.
_CUT_AFTER = (1, 3, 6, 10)
#: A longer text in Latin letters names no Chinese person.
_LONGEST_NAME = 60

_DROPPED = str.maketrans("", "", "'’‘ʼʻ`´ʹ")
_PARTS = re.compile(r"[-\u2010-\u2015.]+")


@dataclass(frozen=True, slots=True)
class HanName:
    """A name in characters: family name and given name."""

    family: str
    given: str


@dataclass(frozen=True, slots=True)
class Romanised:
    """A name in Latin letters, lower case.

    `family`: as one word: "zhang", "ouyang". `given`: words and initials in order: ("san", "feng"),
    ("sanfeng",), ("s", "f"); empty where there are none.
    """

    family: str
    given: tuple[str, ...]


def han_names(name: str) -> tuple[HanName, ...]:
    """The ways to divide a Chinese name of two to four characters: one, or two where 欧阳修 may be
    Mr Ou or Mr Ouyang.

    Empty for what is no Chinese name: kana or Hangul in it, a foreign name in characters, a body.
    """
    name = "".join(name.split())
    if not 2 <= len(name) <= 4 or not all(map(is_han, name)):
        return ()
    found = []
    if len(name) > 2 and is_surname(name[:2]):
        found.append(HanName(name[:2], name[2:]))
    if is_surname(name[:1]):
        if len(name) < 4:
            found.append(HanName(name[:1], name[1:]))
        elif not found and is_surname(name[1]):  # father's and mother's: 朱张士昌
            found += (HanName(name[:2], name[2:]), HanName(name[:1], name[1:]))
    return tuple(found)


@lru_cache(maxsize=1_000)
def romanised_name(name: str) -> tuple[Romanised, ...]:
    """The ways to read a name in Latin letters as a Chinese one; empty where there is none.

    "Zhang SF", "Zhang, San-Feng", "Sanfeng Zhang", "ZHANG San-feng", "Chang San-feng" (Wade-Giles);
    "Wang Li" is read in both orders. Foreign names beside Chinese ones are left out ("Peter S. F.
    Zhang"); a name without any other given name ("John Zhang") is not read.
    """
    if len(name) > _LONGEST_NAME:
        return ()
    if not name.isascii():
        name = "".join(
            c for c in unicode_forms.normalize("NFKD", name) if not unicodedata.combining(c)
        )
        if any(map(is_cjk, name)):
            return ()
    before, comma, after = name.translate(_DROPPED).partition(",")
    first, last = _words(before), _words(after)
    if not first or (comma and not last) or len(first) + len(last) > 4:
        return ()
    if comma:
        return _named(first, last) or _named(last, first)
    found: list[Romanised] = []
    for size in (1, 2):
        if size < len(first) or size == 1:
            found += (*_named(first[:size], first[size:]), *_named(first[-size:], first[:-size]))
    return tuple(dict.fromkeys(found))


def _words(text: str) -> list[list[str]]:
    """Words, each as its parts between hyphens: "San-Feng Z." -> [["San", "Feng"], ["Z"]]."""
    words = [
        [part for part in _PARTS.split(word) if part] for word in text.replace(".", ". ").split()
    ]
    words = [word for word in words if word]
    return words if all(part.isalpha() for word in words for part in word) else []


def _named(family: list[list[str]], given: list[list[str]]) -> tuple[Romanised, ...]:
    """The name with that family name and each reading of the given one that can be Chinese."""
    surname = "".join(part for word in family for part in word).lower()
    if surname not in latin_surnames():
        return ()
    if not given:
        return (Romanised(surname, ()),)
    shouted = all(part.isupper() for word in (*family, *given) for part in word)
    found = []
    for ways in itertools.product(*[_ways(word, shouted) for word in given]):
        tokens = tuple(itertools.chain.from_iterable(ways))
        if tokens:
            found.append(Romanised(surname, tokens))
    return tuple(dict.fromkeys(found))


def _ways(word: list[str], shouted: bool) -> list[tuple[str, ...]]:
    """How to read a word of a given name: initials, syllables, either, or not (a foreign name)."""
    if len(word) > 1:
        parts = tuple(part.lower() for part in word)
        return [parts] if all(len(part) == 1 or is_spelled(part) for part in parts) else [()]
    text = word[0].lower()
    if len(text) == 1:
        return [(text,)]
    ways: list[tuple[str, ...]] = []
    if is_spelled(text):
        ways.append((text,))
    # No syllable begins with i, u or v; in "ZHANG SAN" the second word is no initials, in "Zhang
    # HE" it may be.
    short = len(text) == 2 or (len(text) == 3 and not (shouted and ways))
    if word[0].isupper() and short and not any(letter in "iuv" for letter in text):
        ways.append(tuple(text))
    return ways or [()]


@lru_cache(maxsize=1_000)
def same_person(han: str, latin: str) -> bool | None:
    """Whether a name in characters and one in Latin letters may be one person's.

    True where the family names agree and so do the given names as far as both are written; False
    where they do not under Pinyin or Wade-Giles; None where that is unknown: no Chinese name on one
    side, a foreign given name, a family name alone, a Cantonese or Korean spelling.
    """
    theirs = romanised_name(latin)
    if not theirs:
        return None
    undecided = not (ours := han_names(han))
    for mine, other in itertools.product(ours, theirs):
        for scheme in SCHEMES:
            if other.family in surname_spellings(mine.family, scheme):
                if _given_agrees(mine.given, other.given, scheme):
                    return True
                undecided |= not other.given
        undecided |= other.family in spelled_elsewhere(mine.family)
        undecided |= not all(map(readings, mine.given))
    return None if undecided else False


def _given_agrees(han: str, latin: tuple[str, ...], scheme: Scheme) -> bool:
    """Whether words and initials read the characters from the first to the last.

    A single initial may stand for all of them, because "Sanfeng" is often one word: "Zhang S".
    """
    sounds = [readings(char, scheme) for char in han]
    read = {0}
    for token in latin:
        ends: set[int] = set()
        for at in read:
            if at < len(sounds) and len(token) == 1:
                if any(sound.startswith(token) for sound in sounds[at]):
                    ends |= {at + 1, len(sounds)} if len(latin) == 1 else {at + 1}
                continue
            for end in range(at + 1, len(sounds) + 1):
                if token in map("".join, itertools.product(*sounds[at:end])):
                    ends.add(end)
        read = ends
    return bool(latin) and len(sounds) in read


def authors_agree(han: Sequence[str], latin: Sequence[str]) -> bool | None:
    """Whether a list of names in characters and one in Latin letters name the same people.

    True where the first authors and at least half of the others are one person each, in order or
    not, and no record contradicts; False where most contradict; None where it is unknown.
    One list may be cut off after 1, 3, 6 or 10 names, as databases do.
    """
    short, long = sorted((len(han), len(latin)))
    if not short or (short != long and short not in _CUT_AFTER):
        return None
    count = min(short, MOST_AUTHORS)
    said = [same_person(han[i], latin[i]) for i in range(count)]
    if said[0] and False not in said and 2 * said.count(True) >= count:
        return True
    found = common_people(han, latin)
    if found == count > 1 and short == long:
        return True
    if False not in said:
        return None
    return False if 2 * found < count else None


def common_people(han: Sequence[str], latin: Sequence[str]) -> int:
    """How many names in characters have one of their own in Latin letters, in any order."""
    free = list(latin[:MOST_AUTHORS])
    most = len(free)
    for name in han[:MOST_AUTHORS]:
        partner = next((other for other in free if same_person(name, other)), None)
        if partner is not None:
            free.remove(partner)
    return most - len(free)
