"""The people of two records: how they are read, and how many are the same."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from rapidfuzz import fuzz

from metasearch.bib import normalise
from metasearch.bib.name_words import (
    ADDRESSES,
    BODIES,
    BODIES_OR_NAMES,
    DEGREES,
    GENERATIONS,
    HAN_BODY_ENDINGS,
    HONORIFICS,
    NOT_IN_NAMES,
)
from metasearch.bib.texts import words_for_nothing
from metasearch.late_pattern import late_pattern
from metasearch.record import Author

#: Those of `name_words.NOT_IN_NAMES`, and names of one word that stand where no author is known.
_NO_PEOPLE = NOT_IN_NAMES.union(word for word in words_for_nothing("authors") if " " not in word)


def people_relation(
    a: tuple[Author, ...], b: tuple[Author, ...]
) -> Literal["team", "all", "first"] | None:
    """How a list of names in characters and one in Latin letters relate; None where they do not
    agree.

    Nothing contradicts here: a name that is not read may be romanised in another way.
    """
    from metasearch.bib.chinese_names import authors_agree, common_people

    chinese, other = (a, b) if normalise.has_cjk(a[0].name) else (b, a)
    han, latin = [author.name for author in chinese], [_full_name(author) for author in other]
    if not authors_agree(han, latin):
        return None
    found = common_people(han, latin)
    return "team" if found > 2 else "all" if found > 1 else "first"


def _full_name(author: Author) -> str:
    return f"{author.family}, {author.given}" if author.family and author.given else author.name


# Authors of two records: whether they are the same people, however their names are written.

#: "team": everybody of the shorter list, of at least three, is in the longer one; "all": the same
#: of two; "first": the first authors are one; "half": at least half of the shorter list is in the
#: longer one; "some": fewer, but somebody; "namesake": the first authors' family names agree, their
#: initials do not; "none": nobody is in both; None: one side names nobody.
AuthorRelation = Literal["team", "all", "first", "half", "namesake", "some", "none"]

#: Authors that are compared; a collaboration of thousands is told apart by its first ones.
MOST_AUTHORS = 30
#: Family names this alike differ by a typo or a lost accent.
ALIKE = 80
#: In lists of up to so many, misspelt names are looked for.
MOST_ALIKE = 6
#: Shorter names are not looked for in parts of longer ones ("Villegas" in "Villegas-Carlos").
SHORTEST_PART = 4
#: Names that are remembered, with what was made of them: those of a search, and the frequent ones
#: of a file.
KEPT = 1_000
_NOBODY: frozenset[str] = frozenset()
# Over bytes, which is several times faster than over characters; the bytes of UTF-8 that are no
# ASCII stay.
_NO_MARKS = bytes.maketrans(b"[](){}<>.,;:*", b" " * 13)
_DIGIT = re.compile(r"\d")
_SMALL = frozenset("the of and for on in de la le les des du der die das und et y".split())


def spellings(family: str | None, name: str) -> frozenset[str]:
    """Spellings the family name may have: one where it is known, else the likely ones."""
    if family and (family.isascii() or not normalise.has_cjk(family)):
        return _one_spelling(family)
    return _of_one_piece(name)


@lru_cache(maxsize=KEPT)
def _one_spelling(family: str) -> frozenset[str]:
    return frozenset((normalise.family_key(family),))


@lru_cache(maxsize=KEPT)
def _of_one_piece(name: str) -> frozenset[str]:
    # A Chinese family name is shared by millions, so the whole name counts.
    if not name.isascii() and normalise.has_cjk(name):
        return frozenset({normalise.compact(normalise.simplify(name))})
    folded = {w: form for w in name.replace(".", ". ").split() if (form := _fold(w))}
    if not folded:
        return _NOBODY
    words = [w for w, form in folded.items() if form not in GENERATIONS] or [*folded]
    long = [w for w in words if len(folded[w]) > 1 and not (w.isupper() and len(w) <= 3)]
    if len(words) > 4 or not long:  # a body, not a person: its whole name counts
        return frozenset({normalise.compact(name)})
    # What has no marks is one word.
    return frozenset(
        folded[w] if w.isalpha() else normalise.family_key(w) for w in {long[0], long[-1]}
    )


def _fold(word: str) -> str:
    """`normalise.compact`, told without a call of nearly all words of names."""
    return word.lower() if word.isascii() and word.isalpha() else normalise.compact(word)


def persons(authors: tuple[Author, ...]) -> tuple[Author, ...]:
    """The first authors, without what stands in for none: "Anonymous", "Print edition"."""
    first = authors if len(authors) <= MOST_AUTHORS else authors[:MOST_AUTHORS]
    # All names at once: nearly always everybody is somebody.
    said = "\n".join([author.name for author in first])
    if _NO_PEOPLE.isdisjoint(_name_words(said)) and not _DIGIT.search(said):
        return first
    return tuple(author for author in first if not _is_nobody(author.name))


def _is_nobody(name: str) -> bool:
    words = _name_words(name)
    return not _NO_PEOPLE.isdisjoint(words) or (
        name[:1].isdecimal() and all(map(str.isdecimal, words))
    )


def _name_words(text: str) -> list[str]:
    plain = text.lower().encode("utf-8", "surrogatepass").translate(_NO_MARKS)
    return plain.decode("utf-8", "surrogatepass").split()


def read_people(
    byline: tuple[Author, ...],
) -> tuple[tuple[Author, ...], tuple[frozenset[str], ...], bool]:
    """(`persons`, their `families`, whether they are `in_characters`)."""
    authors = persons(byline)
    return authors, families(authors), in_characters(authors)


def in_characters(authors: tuple[Author, ...]) -> bool:
    """Whether the names are Chinese, Japanese or Korean, and so written."""
    return bool(authors) and not authors[0].name.isascii() and normalise.has_cjk(authors[0].name)


def families(authors: tuple[Author, ...]) -> tuple[frozenset[str], ...]:
    """The spellings of each author's family name, in order."""
    return tuple([spellings(a.family, a.name) for a in authors])


def relation(
    a: tuple[frozenset[str], ...],
    b: tuple[frozenset[str], ...],
    authors_a: tuple[Author, ...],
    authors_b: tuple[Author, ...],
) -> AuthorRelation | None:
    """How two lists of people relate; symmetric."""
    if not a or not b:
        return None
    one, other = authors_a[0].name, authors_b[0].name
    if not (one.isascii() and other.isascii()) and (
        in_characters(authors_a) != in_characters(authors_b)
    ):
        return people_relation(authors_a, authors_b)
    if a == b and len(a) > 1 and all(a):
        return "team" if len(a) > 2 else "all"
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    missing = _names_without_match(short, long)
    both = len(short) - len(missing)
    if len(short) == len(long):  # two brothers of one name may both match one man of the other list
        both = min(both, len(long) - len(_names_without_match(long, short)))
    if both < len(short) <= MOST_ALIKE:
        others = long[: 2 * MOST_ALIKE]
        both += len([None for names in missing if any(_alike(names, other) for other in others)])
    if both == len(short) > 1:
        return "team" if both > 2 else "all"
    if _are_swapped(authors_a[0], authors_b[0]):
        return "first"
    if not a[0].isdisjoint(b[0]) or _alike(a[0], b[0]):
        if both > 1 or (len(short) > 1 and 2 * both >= len(short)):
            return "first"
        return "namesake" if _other_initials(authors_a[0], authors_b[0]) else "first"
    if 2 * both >= len(short):
        return "half"
    if both:
        return "some"
    if len(a) == len(b) == 1 and _is_acronym(authors_a[0].name, authors_b[0].name):
        return "first"
    return _by_initials(authors_a, authors_b)


def _by_initials(a: tuple[Author, ...], b: tuple[Author, ...]) -> AuthorRelation:
    """For lists without a name in common: perhaps one has all names turned round and then
    shortened.

    "W. Yan, P. Larson" becomes "Y. Weipeng, L. Per-Ake" where a family name is taken for a given
    one; then the initials stand crosswise.
    """
    one, other = [_parts_of(x) for x in a[:5]], [_parts_of(x) for x in b[:5]]
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    crossed = sum(any(_crosswise(x, y) for y in long) for x in short)
    if 2 * crossed < len(short):
        return "none"
    return "half" if crossed > 1 else "some"


def _crosswise(a: tuple[str, frozenset[str]], b: tuple[str, frozenset[str]]) -> bool:
    return a[0][:1] in b[1] and b[0][:1] in a[1]


def _alike(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether two family names are one with a typo, or one is in the other ("Il Cheong")."""
    for x in a:
        for y in b:
            if _one_name(x, y):
                return True
    return False


def _names_without_match(
    people: tuple[frozenset[str], ...], among: tuple[frozenset[str], ...]
) -> list[frozenset[str]]:
    """The family names of a list that are not in another one."""
    have_nobody = _NOBODY.union(*among).isdisjoint
    return [names for names in people if have_nobody(names)]


def _is_acronym(a: str, b: str) -> bool:
    """Whether one is the acronym of the other: "FAO" of "Food and Agriculture Organization ..."."""
    short, long = sorted((a.strip(), b.strip()), key=len)
    if not (2 < len(short) < 9 and short.isupper() and short.isalpha()):
        return False
    initials = "".join(word[0] for word in normalise.words(long) if word not in _SMALL)
    return initials.startswith(short.lower())


@lru_cache(maxsize=KEPT)
def _one_name(x: str, y: str) -> bool:
    short, long = (x, y) if len(x) <= len(y) else (y, x)
    if len(short) < SHORTEST_PART:
        return False
    return long.startswith(short) or long.endswith(short) or fuzz.ratio(x, y) >= ALIKE


def _are_swapped(a: Author, b: Author) -> bool:
    """Whether one has as family name what the other has as given name: "Li Mei" and "Mei Li"."""
    if not (a.family and a.given and b.family and b.given):
        return False
    return (
        normalise.compact(a.family) == normalise.compact(b.given)
        or normalise.compact(b.family) == normalise.compact(a.given)
    ) and len(a.family) > 1


def _other_initials(a: Author, b: Author) -> bool:
    """Whether given names are known on both sides and no initial is in both."""
    one, other = _parts_of(a)[1], _parts_of(b)[1]
    return bool(one and other and one.isdisjoint(other))


def _parts_of(author: Author) -> tuple[str, frozenset[str]]:
    """Family name and initials of given names; the last word is family where none is said."""
    return _parts(author.name, author.family, author.given)


@lru_cache(maxsize=KEPT)
def _parts(name: str, family: str | None, given: str | None) -> tuple[str, frozenset[str]]:
    no_family = not family
    if not family:
        words = normalise.words(name)
        words = [word for word in words if word not in GENERATIONS] or words
        family, given = (words[-1], " ".join(words[:-1])) if words else ("", "")
    initials: set[str] = set()
    for word in (given or "").replace(".", " ").replace("-", " ").split():
        # "JA" and "ja" stand for two given names, "Jo" for one.
        several = len(word) <= 3 and (word.isupper() or no_family)
        initials.update(normalise.fold(word if several else word[0]))
    return normalise.fold(family), frozenset(initials)


#: Words that stand beside names: no name consists of these alone.
_BESIDE_NAMES = DEGREES | HONORIFICS | GENERATIONS | {"student"}
# A digit, a mark of no name, what UTF-8 becomes when it is read as Latin-1, or a character that
# nobody could read.
_NOT_IN_NAMES = late_pattern("[0-9@#?<>|\\\\/=\ufffd]|\u00c3[\u0080-\u00bf]|\u00c2[\u0080-\u00bf]")


def is_garbled(authors: tuple[Author, ...]) -> bool:
    """Whether at least half of the names cannot be names, or one name stands in every place.

    No name consists of initials or degrees alone, holds digits or lost characters, or is a part of
    an address beside other authors.
    """
    names = [author.name for author in authors]
    if len(names) > 1 and len({normalise.compact(name) for name in names}) == 1:
        return True
    return bool(names) and 2 * sum(
        _is_no_name(name, alone=len(names) == 1) for name in names
    ) >= len(names)


def _is_no_name(name: str, *, alone: bool) -> bool:
    if _NOT_IN_NAMES.search(name):
        return True
    words = normalise.words(name)
    if normalise.has_cjk(name):
        return False
    if all(len(word) == 1 or word in _BESIDE_NAMES for word in words):
        return True
    return not alone and not ADDRESSES.isdisjoint(words)


#: Words that the name of a body holds, folded as names are compared. Words that may be family names
#: count too: an author whose source gives no family name apart is more likely a body.
_BODY_WORDS = frozenset(map(normalise.compact, BODIES | BODIES_OR_NAMES))


def is_body(author: Author) -> bool:
    """Whether an author is a body: by its source, or by a word in an undivided name."""
    if author.collective:
        return True
    if author.family and author.given:
        return False
    return author.name.endswith(HAN_BODY_ENDINGS) or not _BODY_WORDS.isdisjoint(
        normalise.words(author.name)
    )
