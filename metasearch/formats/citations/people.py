"""Names of people and bodies, as the parts of which Western styles make them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from metasearch.bib.chinese.characters import is_cjk
from metasearch.formats.text import line
from metasearch.record import Author

#: A given name or an initial, with the hyphen before it.
_GIVEN = re.compile(r"([-\u2010]?)([^\s.,\-\u2010]+)")
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})
#: More letters without a blank are a name in capitals: "JA" is two initials, "JANE" is not.
_MOST_INITIALS = 3


@dataclass(frozen=True, slots=True)
class Initials:
    """How a style prints initials: "J. A.", "J.A." or "JA"; `hyphen` is of double names."""

    stop: str
    blank: str
    hyphen: str

    def of(self, given: str, family: str) -> str:
        """The initials of given names; words without a capital ("van") stay as they are. `family`:
        the family name; capitals in it say that "JA" may be a name in capitals.
        """
        words = _GIVEN.findall(given)
        text = ""
        for number, (hyphen, word) in enumerate(words):
            is_particle = number > 0 and not hyphen and word[0].islower()
            if is_particle:
                text += f" {word}"
                continue
            are_initials = word.isupper() and len(word) <= _MOST_INITIALS and not family.isupper()
            letters = list(word) if are_initials else [word[0].upper()]
            between = self.hyphen if hyphen else self.blank
            text += between if number else ""
            text += self.blank.join(f"{letter}{self.stop}" for letter in letters)
        return text


@dataclass(frozen=True, slots=True)
class Name:
    """A name in its parts; `initials` and `suffix` may be "".

    Attributes:
        family: The family name, or the whole name of a body or of a person whose name no source
            has divided.
        initials: Of the given names, as the style prints them.
        suffix: "Jr.", "III".
    """

    family: str
    initials: str = ""
    suffix: str = ""

    @property
    def inverted(self) -> str:
        """ "Smith, J. A., Jr." """
        return ", ".join(filter(None, (self.family, self.initials, self.suffix)))

    @property
    def in_order(self) -> str:
        """ "J. A. Smith Jr." """
        return " ".join(filter(None, (self.initials, self.family, self.suffix)))


def name_of(author: Author, how: Initials) -> Name:
    """The parts of a name; one in CJK characters is closed up, family name first."""
    family, given, whole = line(author.family), line(author.given), line(author.name)
    if any(map(is_cjk, family or whole)):
        return Name(f"{family}{given}" if family else "".join(whole.split()))
    if not family:
        return Name(whole)
    before, _, last = given.rpartition(" ")
    if before and last.rstrip(".").lower() in _SUFFIXES:
        return Name(family, how.of(before, family), last)
    return Name(family, how.of(given, family))
