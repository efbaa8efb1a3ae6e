"""Citation keys of BibTeX: "vaswani2017attention"."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator

from metasearch.bib import normalise
from metasearch.formats.reference import is_corporate
from metasearch.record import Hit, Record

# Names in other scripts -> Latin letters for citation keys, which one must be able to type.

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


def romanise(name: str, *, family: bool = False) -> str:
    """A person's family name, or a body's name, in the letters a to z; "" where nothing in it is a
    letter.

    Chinese characters are read as Pinyin, as surnames where they are one (单 is Shan); kana and
    Hangul by their sound; of other scripts each letter by its first sound. `name`: a family name, a
    body's name, or a Chinese name in one piece, of which the family name counts. `family`: it is
    known to be a family name.
    """
    from metasearch.bib.chinese_names import han_names, is_surname, surname_spellings
    from metasearch.bib.normalise import is_han

    name = "".join(name[:_LONGEST].split())
    if name and all(map(is_han, name)):
        found = () if family else han_names(name)
        surname = found[0].family if found else name
        if is_surname(surname) and (spellings := surname_spellings(surname)):
            return min(spellings)
    return "".join(map(_letter, name.lower()))


def _letter(char: str) -> str:
    from metasearch.bib.chinese_names import readings

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


_key_word = re.compile(r"[a-z]{2,}[a-z0-9]*")
_ignored_word = re.compile(
    r"the|an|on|of|in|for|and|to|with|from|by|at|de|la|le|les|der|die|das|ein|eine|el|los", re.ASCII
)
#: So many numbers are counted without numpy, whose import takes longer.
_FEW = 10_000
#: Letters that decomposition does not take to ASCII.
_LETTERS = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "Ae", "œ": "oe", "đ": "d"}
)


def citation_keys(hits: Iterable[Hit]) -> list[str]:
    """A key for each hit, in ASCII and unique among them: "vaswani2017attention".

    Hits that would share a key all get a hash of their id behind it, so that a key depends on which
    hits there are but not on their order, and the same search gives the same keys tomorrow.
    """
    chosen = list(hits)
    return list(CitationKeys(chosen).each(chosen))


class CitationKeys:
    """The keys of `citation_keys` for hits that are too many to be held: 16 bytes a hit, and
    some 70 for each key that several would share.

    `hits`: all of them; they are gone through once, and once more where six digits of a hash do not
    set them apart.
    """

    def __init__(self, hits: Iterable[Hit]) -> None:
        bases, suffixed = array("Q"), array("Q")
        for hit in hits:
            base = _base_key(hit.record)
            bases.append(_number(base))
            suffixed.append(_number(f"{base}-{_digest(hit.id)}"))
        self._shared = _repeats(bases)
        self._alike = _repeats(suffixed)
        # (id, key with its digest) -> the keys: several where hits that a caller made share an id.
        self._distinct: dict[tuple[str, str], list[str]] = {}
        for seat, key in self._keys_by_number(hits) if self._alike else ():
            self._distinct.setdefault(seat, []).append(key)

    def each(self, hits: Iterable[Hit]) -> Iterator[str]:
        """`hits`: those that were given, in any order."""
        given: Counter[tuple[str, str]] = Counter()
        for hit in hits:
            base = _base_key(hit.record)
            if _number(base) not in self._shared:
                yield base
                continue
            suffixed = f"{base}-{_digest(hit.id)}"
            seat = (hit.id, suffixed)
            keys = self._distinct.get(seat)
            yield keys[given[seat]] if keys else suffixed
            given[seat] += 1

    def _keys_by_number(self, hits: Iterable[Hit]) -> Iterator[tuple[tuple[str, str], str]]:
        """Of hits that share a base and a digest: (id, both), and the key, numbered by the ids."""
        few = [
            (hit.id, suffixed)
            for hit in hits
            if _number(suffixed := f"{_base_key(hit.record)}-{_digest(hit.id)}") in self._alike
        ]
        times: Counter[str] = Counter()
        for hit_id, suffixed in sorted(few):
            times[suffixed] += 1
            numbered = suffixed if times[suffixed] == 1 else f"{suffixed}-{times[suffixed]}"
            yield (hit_id, suffixed), numbered


def _digest(hit_id: str) -> str:
    """What sets a key apart; the hyphen before it occurs in no base."""
    return hashlib.sha256(hit_id.encode("utf-8", "replace")).hexdigest()[:6]


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def _repeats(numbers: array[int]) -> frozenset[int]:
    if len(numbers) < _FEW:
        return frozenset(number for number, times in Counter(numbers).items() if times > 1)
    import numpy as np

    found, times = np.unique(np.frombuffer(numbers, np.uint64), return_counts=True)
    return frozenset(found[times > 1].tolist())


def _base_key(record: Record) -> str:
    people = record.authors or record.editors
    author = people[0] if people else None
    family = ""
    if author is not None:
        family = author.family or (
            author.name if "," not in author.name else author.name.partition(",")[0]
        )
        family = (
            family if author.family or is_corporate(author, people) else family.rpartition(" ")[2]
        )
    name = re.sub(r"[^a-z0-9]", "", _ascii(family))[:24]
    if family and not name[:1].isalpha():
        name = romanise(family, family=bool(author and author.family))[:24]
    words = _key_word.findall(_ascii(record.title))
    word = next((w for w in words if not _ignored_word.fullmatch(w)), "")[:24]
    year = str(record.year) if record.year is not None and 0 < record.year < 10_000 else ""
    # A key that begins with a digit trips some tools.
    return f"{name if name[:1].isalpha() else 'anon' + name}{year}{word}"


def _ascii(text: str) -> str:
    decomposed = normalise.normalize("NFKD", text[:300].translate(_LETTERS))
    return "".join(c for c in decomposed if c.isascii()).lower()
