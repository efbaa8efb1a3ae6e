"""Whether a reference names the people of a work, in time that grows with the lists.

`metasearch.dedup.people` tells how the beginnings of two lists relate; here everybody counts: who
is named that did not take part, who is missing, and whose given name is another one.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz import fuzz

from metasearch.bib import normalise, texts
from metasearch.bib.name_words import GENERATIONS, PARTICLES
from metasearch.bib.names import names_nobody
from metasearch.dedup import people
from metasearch.record import Author

#: Names left over on each side among which misspelt ones are looked for, in pairs.
MOST_LEFT = 40
#: Bearers of one family name who are looked at for each of them.
MOST_NAMESAKES = 100
#: Databases stop behind some number of authors, three at least; catalogues name the first of so
#: many.
LEAST_CUT, LEAST_OF_ONE = 3, 4
#: Letters of an undivided name.
LEAST_NAME = 3
KEPT = 2_000


class PeopleRelation(NamedTuple):
    """How a written list of authors relates to that of a record.

    Attributes:
        both: How many persons are in both.
        added: Names in the written list that the record does not have.
        missing: Names in the record that the written list does not have.
        given: Names of persons in one place whose given names are others.
        turned: Whether the same people stand in another order.
        cut: Whether the record has the first of the written people and no others, as databases
            that stop behind a number of authors.
    """

    both: int
    added: tuple[str, ...]
    missing: tuple[str, ...]
    given: tuple[str, ...]
    turned: bool
    cut: bool

    @property
    def agrees(self) -> bool:
        """Whether the lists may well be those of one work."""
        return self.both >= max(1, min(len(self.added), len(self.missing)))


def compare(
    written: Sequence[Author], named: Sequence[Author], beside: Sequence[Author] = ()
) -> PeopleRelation | None:
    """How two lists relate; None where one names nobody, or that cannot be told: of names in
    characters and in Latin letters.

    Args:
        written: Of the reference.
        named: Of the record.
        beside: Editors and translators of the record, whom a reference may name as well.
    """
    ours, theirs = ([*_somebody(authors)] for authors in (written, named))
    if not ours or not theirs:
        return None
    if people.in_characters((ours[0],)) != people.in_characters((theirs[0],)):
        return _in_two_scripts(ours, theirs)
    everybody = [*theirs, *_somebody(beside)]
    places = _match(ours, everybody)
    used = {*places.values()}
    bare = [author for at, author in enumerate(ours) if at not in places]
    missing = [author for at, author in enumerate(theirs) if at not in used]
    order = [place for place in places.values() if place < len(theirs)]
    return PeopleRelation(
        len(places),
        tuple(author.name for author in bare if _is_person(author)),
        tuple(author.name for author in missing if _is_person(author)),
        tuple(
            ours[at].name
            for at, place in places.items()
            if not _given_agree(ours[at], everybody[place])
        ),
        order != sorted(order),
        not missing
        and [*places.items()] == [(at, at) for at in range(len(theirs))]
        and (len(theirs) >= LEAST_CUT or (len(theirs) == 1 and len(ours) >= LEAST_OF_ONE)),
    )


def _is_person(author: Author) -> bool:
    """Whether this is neither a body nor a piece of a name: "Ch"."""
    return not people.is_body(author) and (bool(author.given) or len(author.name) >= LEAST_NAME)


def _in_two_scripts(ours: Sequence[Author], theirs: Sequence[Author]) -> PeopleRelation | None:
    """How a list of names in characters and one in Latin letters relate; None where the letters may
    or may not be those of the characters.
    """
    from metasearch.bib.chinese_names import authors_agree

    few = [tuple(names[: people.MOST_AUTHORS]) for names in (ours, theirs)]
    if people.people_relation(few[0], few[1]) is not None:
        return PeopleRelation(min(map(len, few)), (), (), (), False, False)
    han, latin = few if people.in_characters(few[0]) else few[::-1]
    if authors_agree([each.name for each in han], [each.name for each in latin]) is not False:
        return None
    names = [tuple(author.name for author in each) for each in few]
    return PeopleRelation(0, names[0], names[1], (), False, False)


def _somebody(authors: Sequence[Author]) -> Iterator[Author]:
    """Those who are somebody, without entities in their names."""
    for author in authors:
        if "&" in author.name:
            name, family, given = (
                texts.plain_text(part) if part else part
                for part in (author.name, author.family, author.given)
            )
            author = dataclasses.replace(author, name=name or "", family=family, given=given)
        if not names_nobody(author.name):
            yield author


def _match(ours: Sequence[Author], theirs: Sequence[Author]) -> dict[int, int]:
    """Places in the one list -> places of the same persons in the other."""
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for at, author in enumerate(theirs):
        for key in _keys(author.name, author.family):
            holders[key].append(at)
    found: dict[int, int] = {}
    used: set[int] = set()
    expected = 0
    for at, author in enumerate(ours):
        best = max(
            (
                (_given_agree(author, theirs[place]), place == expected, -place)
                for place in {*_holders(author, holders, used)}
            ),
            default=None,
        )
        if best and (best[0] or best[1] or -best[2] == at):
            found[at] = -best[2]
            used.add(-best[2])
            expected = 1 - best[2]
        else:
            expected += 1
    rest = [at for at in range(len(theirs)) if at not in used]
    if len(ours) - len(found) <= MOST_LEFT and len(rest) <= MOST_LEFT:
        for at in range(len(ours)):
            if at in found:
                continue
            place = next((i for i in rest if _are_alike(ours[at], theirs[i], at == i)), None)
            if place is not None:
                rest.remove(place)
                found[at] = place
    return dict(sorted(found.items()))


def _holders(author: Author, holders: dict[str, list[int]], used: set[int]) -> Iterator[int]:
    for key in _keys(author.name, author.family):
        if (places := holders.get(key)) is None:
            continue
        while places and places[0] in used:  # nearly always the first one is taken
            places.pop(0)
        yield from (place for place in places[:MOST_NAMESAKES] if place not in used)


@lru_cache(maxsize=KEPT)
def _keys(name: str, family: str | None) -> tuple[str, ...]:
    """Under what a person may be found: family name, its parts, and all words of the name."""
    found = {*people.spellings(family, name)}
    if not normalise.has_cjk(name):
        found.add(_whole(name))
        parts = [word for word in normalise.words(family or "") if word not in PARTICLES]
        found.update(part for part in (parts[:1] + parts[-1:]) if len(part) > 2)
    return tuple(found)


@lru_cache(maxsize=KEPT)
def _whole(name: str) -> str:
    """All words of a name in one order: "Li Mei", "Mei Li"."""
    return " ".join(sorted(word for word in normalise.words(name) if word not in GENERATIONS))


def _given_agree(a: Author, b: Author) -> int:
    """2 where given names may be one person's, 1 where their initials alone agree, 0 where they
    are others.
    """
    return _given_relation(a.given or "", b.given or "") or 2 * (_whole(a.name) == _whole(b.name))


@lru_cache(maxsize=KEPT)
def _given_relation(a: str, b: str) -> int:
    one, other = _given_words(a), _given_words(b)
    if not one or not other or normalise.has_cjk(one[0]) or normalise.has_cjk(other[0]):
        return 2
    x, y = "".join(one), "".join(other)
    if x.startswith(y) or y.startswith(x) or not {*one}.isdisjoint(other):
        return 2
    initials = {word[0] for word in one} & {word[0] for word in other}
    if all(len(word) == 1 for word in one) or all(len(word) == 1 for word in other):
        return 2 if initials else 0
    return 2 if fuzz.ratio(x, y) >= people.ALIKE else 1 if initials else 0


def _given_words(given: str) -> tuple[str, ...]:
    """Folded; "JA" stands for two names."""
    words: list[str] = []
    for word in given.replace(".", " ").replace("-", " ").split():
        folded = normalise.words(word)
        words += "".join(folded) if len(word) <= 3 and word.isupper() else folded
    return tuple(words)


def _are_alike(a: Author, b: Author, one_place: bool) -> bool:
    """Whether a name is another one with a typo, or with an accent written as letters."""
    if _is_initialled(a.name, b.name) or _is_initialled(b.name, a.name):
        return True
    one, other = (people.spellings(author.family, author.name) for author in (a, b))
    if _given_agree(a, b) and any(_is_one_family(x, y) for x in one for y in other):
        return True
    if not one_place:
        return False
    # "Lü" and "Lyu": short names, but a given name in common.
    x, y = (normalise.compact(author.given or "") for author in (a, b))
    if len(x) > 3 and x == y and any(p[:1] == q[:1] for p in one for q in other):
        return True
    # "Rubio M. Lopez" for "M. L. Rubio": a family name taken for another one.
    for names, author in ((one, b), (other, a)):
        if any(
            len(name) >= people.SHORTEST_PART for name in names & {*_whole(author.name).split()}
        ):
            return True
    # "M. B. R."
    wholes = [_whole(author.name) for author in (a, b)]
    initials = [" ".join(word[0] for word in whole.split()) for whole in wholes]
    return initials[0] == initials[1] and initials[0] in wholes


def _is_initialled(short: str, whole: str) -> bool:
    """Whether a name in characters is another one with an initial, as machines write it: "德. 王"
    for 王德刚.
    """
    given, dot, family = short.partition(".")
    return bool(dot and given and family and normalise.has_cjk(short)) and whole.startswith(
        f"{family.strip()}{given.strip()}"
    )


@lru_cache(maxsize=KEPT)
def _is_one_family(x: str, y: str) -> bool:
    short, long = sorted((x, y), key=len)
    if len(short) < people.SHORTEST_PART:
        return False
    return long.startswith(short) or long.endswith(short) or fuzz.ratio(x, y) >= people.ALIKE
