"""Words for what stands for many words: for the beginning of a word, and for a word with signs for
letters. Both come from a list of some eight thousand English words of titles, and where the list
has none, from the endings and letters that are usual.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import prod

from metasearch.bib.word_list import word_list
from metasearch.query.match import CJK

#: The most words that one beginning, or one word with signs, becomes.
MOST = 12
#: Where the list has fewer words, usual endings are tried too.
_FEW = 3
_LAST_WORD = re.compile(r"[^\W\d_]+\Z")


@lru_cache(maxsize=2_000)
def forms(stem: str, most: int = MOST) -> tuple[str, ...]:
    """The usual words that begin so, the most usual first.

    None where nothing is known of such words: for those of other alphabets, with figures, and of
    fewer than two letters. Chinese has no blanks, so what begins so holds the stem itself.
    """
    if CJK.search(stem):
        return (stem,)
    found = _LAST_WORD.search(stem)
    if found is None or not found[0].isascii() or len(found[0]) < 2:
        return ()
    return tuple(stem[: found.start()] + word for word in _words_from(found[0].lower(), most))


def _words_from(stem: str, most: int) -> list[str]:
    words, places, endings = word_list(MOST)
    listed = list(words[bisect_left(words, stem) : bisect_left(words, f"{stem}~")])

    def rank(word: str) -> tuple[int, int, str]:
        # Usual endings and short words; a word and its plural are never left out.
        place = places[word] + (len(word) - len(stem)) // 4
        return (min(place, 1) if word in (stem, f"{stem}s") else place, len(word), word)

    listed.sort(key=rank)
    if len(listed) < _FEW:
        listed += [*map(_plural, listed), *_compounds(stem, words)]
    if len(listed) < _FEW and len(stem) > 2 and stem not in places:
        tails = (stem[-length:] for length in (3, 2, 1))
        listed += [stem, *(stem + ending for tail in tails for ending in endings.get(tail, ()))]
    return list(dict.fromkeys(listed))[:most]


def _plural(word: str) -> str:
    if word.endswith(("s", "sh", "ch", "x", "z")):
        return word if word.endswith("s") else f"{word}es"
    return f"{word[:-1]}ies" if word.endswith("y") and word[-2:-1] not in _VOWELS else f"{word}s"


def _compounds(stem: str, words: Sequence[str]) -> list[str]:
    """The words that begin with "partic", behind "nano", for "nanopartic": by the longest
    end of it that words begin with. A first part in o is usual, and an end of five letters is
    hardly there by chance.
    """
    usual = [at for at in range(3, len(stem) - 3) if stem[at - 1] == "o"]
    for at in (*usual, *range(2, len(stem) - 4)):
        end = stem[at:]
        if found := words[bisect_left(words, end) : bisect_left(words, f"{end}~")]:
            return sorted((stem[:at] + word for word in found), key=len)
    return []


# Words with signs for letters.

_VOWELS = "aeiouy"
#: Letters and signs of a word that is hardly in the list with all that are spelled like it.
_SHORT = 6
#: Letters and signs of a word that is looked up, and signs among them: the work grows with them.
_LONGEST, _MOST_SIGNS = 40, 3


def spellings(word: str, letters: Mapping[str, tuple[int, int]], endless: str) -> tuple[str, ...]:
    """What a word with signs for letters may be, `MOST` at most; none where that is not known.

    `letters`: sign -> the fewest and most letters that it stands for. `endless`: signs for any
    letters; those that end the word are kept.
    """
    # `$2`: two letters at most.
    cut = re.search(f"[{re.escape(endless)}][0-9]?\\Z", word)
    bare, ending = (word[: cut.start()], cut[0]) if cut else (word, "")
    signs = {**dict.fromkeys(endless, (0, 4)), **letters}
    first = next((at for at, char in enumerate(bare) if char in signs), len(bare))
    if not bare[:first].isalpha() or not all(char.isalpha() or char in signs for char in bare):
        return ()
    if len(bare) > _LONGEST or sum(char in signs for char in bare) > _MOST_SIGNS:
        return ()
    listed = _words_like(bare.lower(), first, signs, open_end=bool(ending))
    # With the letter and without; of short words the list lacks some.
    usual = 2 if any(letters.get(char, (1, 1))[0] == 0 for char in bare) else 1
    if len(listed) < usual or len(bare) < _SHORT:
        listed = list(dict.fromkeys([*listed, *_guesses(bare.lower(), signs)]))
    return tuple(f"{spelled}{ending}" for spelled in listed[:MOST])


def _words_like(
    bare: str, first: int, signs: Mapping[str, tuple[int, int]], *, open_end: bool
) -> list[str]:
    """The words of the list that a word with signs may be, or their beginnings."""
    words = word_list(MOST).words
    pieces = (_piece(char, signs) for char in bare)
    pattern = re.compile("".join(pieces) + ("" if open_end else r"\Z"))
    near = words[bisect_left(words, bare[:first]) : bisect_left(words, f"{bare[:first]}~")]
    return list(dict.fromkeys(found[0] for word in near if (found := pattern.match(word))))


def _piece(char: str, signs: Mapping[str, tuple[int, int]]) -> str:
    if char not in signs:
        return re.escape(char)
    least, most = signs[char]
    return f"[a-z]{{{least},{most}}}"


def _guesses(bare: str, signs: Mapping[str, tuple[int, int]]) -> list[str]:
    """The word with the letters in which spellings usually differ. None where that is too much."""
    choices: list[Sequence[str]] = []
    for at, char in enumerate(bare):
        if char not in signs:
            choices.append([char])
            continue
        least, most = signs[char]
        if most != 1:
            return []
        letters = _usual_letters(bare[at - 1], bare[at + 1 : at + 2], short=len(bare) < _SHORT)
        choices.append([*letters, ""] if least == 0 else letters)
    if prod(map(len, choices)) > MOST:
        return []
    return list(map("".join, product(*choices)))


def _usual_letters(before: str, after: str, *, short: bool) -> str:
    """Letters that may stand between two: "ae" and "oe" are also written "e"."""
    if before in _VOWELS and after and after in _VOWELS:
        return "sz"
    if not short and after == "e":
        return "ao"
    return "e" if not short and before in "ao" else _VOWELS
