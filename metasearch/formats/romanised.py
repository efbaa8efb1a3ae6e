"""Names in other scripts -> Latin letters for citation keys, which one must be able to type."""

from __future__ import annotations

import unicodedata

_CYRILLIC = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґўћђјљњџ",
        "a b v g d e yo zh z i y k l m n o p r s t u f kh ts ch sh shch - y - e yu ya "
        "i yi ye g u c dj j lj nj dz".split(),
        strict=True,
    )
)
#: Characters of a name that are looked at.
_LONGEST = 60
#: A longer word of Unicode's name for a character is that of a letter ("OMEGA"), and not its sound.
_LONGEST_SOUND = 4


def romanised(name: str, *, family: bool = False) -> str:
    """A person's family name, or a body's name, in the letters a to z; "" where nothing in it is a
    letter.

    Chinese characters are read as Pinyin, as surnames where they are one (单 is Shan); kana and
    Hangul by their sound; of other scripts each letter by its first sound. `name`: a family name, a
    body's name, or a Chinese name in one piece, of which the family name counts. `family`: it is
    known to be a family name.
    """
    from metasearch.bib.chinese.characters import is_han
    from metasearch.bib.chinese.names import han_names
    from metasearch.bib.chinese.surnames import is_surname, surname_spellings

    name = "".join(name[:_LONGEST].split())
    if name and all(map(is_han, name)):
        found = () if family else han_names(name)
        surname = found[0].family if found else name
        if is_surname(surname) and (spellings := surname_spellings(surname)):
            return min(spellings)
    return "".join(map(_letter, name.lower()))


def _letter(char: str) -> str:
    from metasearch.bib.chinese.syllables import readings

    if char.isascii():
        return char if char.isalnum() else ""
    if char in _CYRILLIC:
        return _CYRILLIC[char].strip("-")
    if not char.isalpha():
        return ""
    if spelled := readings(char):
        return min(spelled)
    plain = "".join(c for c in unicodedata.normalize("NFKD", char) if c.isascii() and c.isalnum())
    if plain:
        return plain.lower()
    word = unicodedata.name(char, "").rpartition(" ")[2].lower()
    sound = "".join(c for c in word if c.isascii() and c.isalpha())
    return (
        sound
        if len(sound) <= _LONGEST_SOUND or "HANGUL SYLLABLE" in unicodedata.name(char, "")
        else sound[:1]
    )
