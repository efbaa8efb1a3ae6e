"""What a work is called: an id from what it is, which other sources, files and days give it too.

Each record has a key: the words of its title up to the subtitle, and its first author's family
name. A work is named after the key that most of its records have (docs/decisions/0025 has the
measurements). Where two works of one answer share a key, one keeps the plain id and what is known
of the other one (year, identifier, place) tells it apart.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import TypeVar

from metasearch.bib import normalise
from metasearch.bib import work_ids as names
from metasearch.bib.name_words import GENERATIONS
from metasearch.dedup.fingerprints import Fingerprint, PrintsByNumber
from metasearch.dedup.imprint import is_preprint
from metasearch.dedup.titles import GENERIC_TITLES
from metasearch.record import Record

#: Words of a title that count: databases cut long ones off, and a typo is likelier in them.
MOST_WORDS = 8
#: Names that are remembered with their family names.
KEPT = 1_000
_LAST_YEAR = 9_999

#: (whether the author is missing, the key itself).
WorkKey = tuple[bool, str]
#: A work: (the root of its component, its place among the works of that component).
Seat = tuple[int, int]


def key_of(fingerprint: Fingerprint) -> WorkKey:
    """The key of a record: what it says of its work, but for one that says nothing."""
    title = _title(fingerprint)
    if not title or fingerprint.generic:
        return False, _said(fingerprint, title)
    author = _first_author(fingerprint)
    return not author, f"{title}\x1f{author or fingerprint.year or ''}"


def own_id(fingerprint: Fingerprint) -> str:
    """The id of the work of which only this record is known."""
    return names.hit_id(key_of(fingerprint)[1])


def own_number(fingerprint: Fingerprint) -> int:
    """The same as a number."""
    return names.key_number(key_of(fingerprint)[1])


def record_ids(fingerprint: Fingerprint) -> set[str]:
    """All ids that the work of which only this record is known may have, or has had."""
    return {*names.other_ids((own_id(fingerprint),), (fingerprint.record,))}


def of_one(prints: Sequence[Fingerprint]) -> tuple[str, tuple[str, ...]]:
    """(`Hit.id`, `Hit.also`) of the work of these records, where no other work is there."""
    name = names.hit_id(most_common(map(key_of, prints))[1])
    return name, tuple(sorted({own_id(fingerprint) for fingerprint in prints} - {name}))


def most_common(keys: Iterable[WorkKey]) -> WorkKey:
    """The key most records have; of equals one that knows the author, then the smallest."""
    counts: dict[WorkKey, int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    return min(counts, key=lambda key: (-counts[key], key))


def _title(fingerprint: Fingerprint) -> str:
    """The words up to the subtitle; with it where the first part says nothing."""
    words, breaks = fingerprint.words, fingerprint.breaks
    if len(breaks) < 2:
        if len(words) <= MOST_WORDS:
            return fingerprint.compact
        title = "".join(words[:MOST_WORDS])
    else:
        title = "".join(words[: min(min(breaks), MOST_WORDS)])
        if title in GENERIC_TITLES:
            title = "".join(words[: min(sorted(breaks)[1], MOST_WORDS)])
    numbers = fingerprint.parts
    return title + "".join([f" {number}" for number in sorted(numbers)]) if numbers else title


def _first_author(fingerprint: Fingerprint) -> str:
    """The last word of the family name: sources give both family names, one, or mix them."""
    if not fingerprint.authors:
        return ""
    author = fingerprint.authors[0]
    return _family(author.family or author.name) or min(fingerprint.first, default="")


@lru_cache(maxsize=KEPT)
def _family(name: str) -> str:
    """The last word of a name that is one; "" where its spelling counts."""
    if normalise.has_cjk(name):
        return ""
    # "Browne M" and "BROWNE MA": initials are no family name.
    parts = [
        part for part in name.replace(".", ". ").split() if not (part.isupper() and len(part) <= 3)
    ]
    found = normalise.words(" ".join(parts)) or normalise.words(name)
    for word in reversed(found):
        if len(word) > 1 and word not in GENERATIONS:
            return word
    return ""


def _said(fingerprint: Fingerprint, title: str) -> str:
    """What a record says of a work without title: an identifier, else its place."""
    record = fingerprint.record
    found = names.identifiers(record)
    if found:
        return f"{title}\x1f{min(found)}"
    place = (fingerprint.volume, fingerprint.issue, fingerprint.pages[0])
    # A venue is written in too many ways to say anything where volume and page are known, and so is
    # an address.
    said = (
        (*place, fingerprint.year)
        if any(place)
        else (*fingerprint.venue, fingerprint.year, *sorted(fingerprint.first), fingerprint.url)
    )
    return (
        "\x1f".join([title, *(str(value) for value in said if value)])
        if any(said)
        else f"{title}\x1f{record.key}"
    )


def base_of(prints: Sequence[Fingerprint], *, separate: bool = False) -> int:
    """The id, as a number, that the work of these records has where no other work has it.
    `separate`: whether the versions of a work are works of their own.
    """
    return _base(
        {own_number(fingerprint) for fingerprint in prints},
        lambda: map(key_of, prints),
        preprints=separate and all(fingerprint.form == "preprint" for fingerprint in prints),
    )


def _base(own: set[int], keys: Callable[[], Iterable[WorkKey]], *, preprints: bool) -> int:
    """The same of a work of which the ids of its records alone are known; the keys of all are
    asked for where these differ.
    """
    base = own.pop() if len(own) == 1 else names.key_number(most_common(keys())[1])
    if preprints:
        return names.id_number(names.told_apart(names.numbered_id(base), names.PREPRINT))
    return base


# --------------------------------------------------------------------------- ids within one answer

#: (year, what tells the work from others, its smallest record key), of which the whole is no other
#: work's.
Known = tuple[int, tuple[str, ...], str]
Work = TypeVar("Work")


def known_of(records: Iterable[tuple[str, Record]]) -> Known:
    """What is known of a work, by which it is told from others of the same id."""
    keys, said = zip(*records, strict=True)
    years = [record.year for record in said if record.year]
    columns = zip(*map(names.distinctions, said), strict=True)
    distinctions = tuple(_most_said(filter(None, column)) for column in columns)
    return (
        min(years, key=lambda year: (-years.count(year), year), default=_LAST_YEAR),
        distinctions,
        min(keys),
    )


def told_apart(base: str, works: Mapping[Work, Known]) -> Iterator[tuple[Work, str]]:
    """An id for each of the works that share one: the earliest keeps it."""
    taken: set[str] = set()
    for work in sorted(works, key=works.__getitem__):
        _, distinctions, record_key = works[work]
        candidates = chain((base,), (names.told_apart(base, said) for said in distinctions if said))
        name = next(
            (candidate for candidate in candidates if candidate not in taken), ""
        ) or names.told_apart(base, record_key)
        taken.add(name)
        yield work, name


class Names:
    """The ids of all works of an answer: each one's own, and a function of the works alone.

    `prints`: the fingerprints by number; the list grows while records arrive. `separate`: whether
    the versions of a work are works of their own.
    """

    def __init__(self, prints: PrintsByNumber, *, separate: bool = False) -> None:
        self._prints = prints
        self._separate = separate
        # Ids are kept as numbers. Of each record: the id of the work of which it alone is known;
        # whether it is a preprint, where that matters; whether it is the root of a component of one
        # work that has this id, as nearly all components are.
        self._own = array("Q")
        self._preprints = bytearray()
        self._plain = bytearray()
        # Of the other components: the ids of their works.
        self._bases: dict[int, tuple[int, ...]] = {}
        # Id -> the work that alone has it: its component where it is the first work there.
        self._holders: dict[int, int | Seat] = {}
        # Ids that several works would have, and those that these have instead.
        self._shared: dict[int, dict[Seat, None]] = {}
        self._given: dict[Seat, str] = {}
        self._known: dict[Seat, Known] = {}
        self._touched: set[int] = set()

    def add(self, fingerprint: Fingerprint) -> None:
        """Take in what the next record is called; without this it is asked for later, when its
        fingerprint may have to be made again.
        """
        self._own.append(own_number(fingerprint))
        if self._separate:
            self._preprints.append(is_preprint(fingerprint.record, fingerprint.venue))

    def claim(self, root: int, works: Sequence[Sequence[int]]) -> None:
        """Set the works of a component, each as the numbers of its records."""
        self.forget(root)
        bases = list(map(self._base, works))
        if len(bases) == 1 and bases[0] == self._own_of(root):
            self._make_plain(root)
        else:
            self._bases[root] = tuple(bases)
        for place, base in enumerate(bases):
            seat = (root, place)
            if base in self._shared:
                self._shared[base][seat] = None
                self._touched.add(base)
                continue
            holder = self._holders.setdefault(base, seat if place else root)
            if (other := holder if isinstance(holder, tuple) else (holder, 0)) != seat:
                del self._holders[base]
                self._shared[base] = {other: None, seat: None}
                self._touched.add(base)

    def claim_new(self, number: int) -> None:
        """The same as `claim` for a record that is alone and was never claimed: as most are."""
        base = self._base((number,))
        if base in self._shared or self._holders.setdefault(base, number) != number:
            self.claim(number, ((number,),))
        elif base == self._own_of(number):
            self._make_plain(number)
        else:
            self._bases[number] = (base,)

    def _make_plain(self, root: int) -> None:
        if root >= len(self._plain):
            self._plain += bytes(root + 1 - len(self._plain))
        self._plain[root] = True

    def forget(self, root: int) -> None:
        """Remove a component, if it is there."""
        bases = self._bases_of(root)
        if not bases:
            return
        if root in self._bases:
            del self._bases[root]
        else:
            self._plain[root] = False
        for place, base in enumerate(bases):
            seat = (root, place)
            self._given.pop(seat, None)
            self._known.pop(seat, None)
            if base in self._shared:
                del self._shared[base][seat]
                self._touched.add(base)
            else:
                del self._holders[base]

    def settle(self, works: Callable[[int], Sequence[Sequence[int]]]) -> set[int]:
        """Give ids that several works would have to one of them, and others to the others.

        `works`: gives the works of a component. Returns the roots of components in which a work has
        another id than before.
        """
        renamed = set()
        for base in self._touched:
            seats = self._shared.get(base)
            if seats is None:
                continue
            plain = names.numbered_id(base)
            if len(seats) < 2:
                del self._shared[base]
                for seat in seats:
                    self._holders[base] = seat if seat[1] else seat[0]
                    if self._given.pop(seat, plain) != plain:
                        renamed.add(seat[0])
                continue
            for seat, name in self._told_apart(
                plain, {seat: works(seat[0])[seat[1]] for seat in seats}
            ):
                if self._given.get(seat, plain) != name:
                    renamed.add(seat[0])
                self._given[seat] = name
        self._touched.clear()
        return renamed

    def of(self, root: int, place: int, numbers: Sequence[int]) -> tuple[str, tuple[str, ...]]:
        """(the id of a work, the ids that its records would have alone)."""
        bases = self._bases_of(root)
        base = names.numbered_id(bases[place] if place < len(bases) else self._base(numbers))
        name = self._given.get((root, place), base)
        if len(numbers) == 1 and name == base:
            return name, ()
        own = {names.numbered_id(self._own_of(number)) for number in numbers}
        return name, tuple(sorted({base, *own} - {name}))

    def _bases_of(self, root: int) -> Sequence[int]:
        """The ids of the works of a component; none of one that was not claimed."""
        if root < len(self._plain) and self._plain[root]:
            return (self._own_of(root),)
        return self._bases.get(root, ())

    def _own_of(self, number: int) -> int:
        if number < len(self._own):
            return self._own[number]
        return own_number(self._prints[number])

    def _is_preprint(self, number: int) -> bool:
        if number < len(self._preprints):
            return bool(self._preprints[number])
        return self._prints[number].form == "preprint"

    def _base(self, numbers: Sequence[int]) -> int:
        if len(numbers) == 1 and not self._separate:
            return self._own_of(numbers[0])
        prints = self._prints
        return _base(
            {self._own_of(number) for number in numbers},
            lambda: [key_of(prints[number]) for number in numbers],
            preprints=self._separate and all(map(self._is_preprint, numbers)),
        )

    def _told_apart(
        self, base: str, works: dict[Seat, Sequence[int]]
    ) -> Iterator[tuple[Seat, str]]:
        """An id for each of the works that share one."""
        known = self._known
        for seat, numbers in works.items():
            if seat not in known:
                prints = (self._prints[number] for number in numbers)
                known[seat] = known_of((one.record_key, one.record) for one in prints)
        return told_apart(base, {seat: known[seat] for seat in works})


def _most_said(said: Iterable[str]) -> str:
    values = list(said)
    return min(values, key=lambda value: (-values.count(value), value), default="")
