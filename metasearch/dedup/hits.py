"""The hit of a work: its id, and one record of all its records.

An id is made from what the work is, so that other sources, files and days give it too. Each record
has a key: the words of its title up to the subtitle, and its first author's family name. A work is
named after the key that most of its records have (docs/decisions/0025 has the measurements). Where
two works of one answer share a key, one keeps the plain id and what is known of the other one
(year, identifier, place) tells it apart.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, compress
from operator import attrgetter
from typing import Any, TypeVar

from metasearch.bib import normalise, trials
from metasearch.bib import work_ids as names
from metasearch.bib.name_words import GENERATIONS
from metasearch.dedup import evidence, people
from metasearch.dedup.fingerprints import Fingerprint, PrintsByNumber, version_number
from metasearch.dedup.imprint import Form, is_preprint
from metasearch.dedup.titles import GENERIC_TITLES
from metasearch.message import message
from metasearch.record import (
    OF_THE_WORK,
    PEOPLE,
    TEXTS,
    Author,
    Hit,
    Match,
    Record,
    Version,
    new_hit,
    new_record,
)

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
        return False, _key_without_title(fingerprint, title)
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
    if not name.isascii() and normalise.has_cjk(name):
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


def _key_without_title(fingerprint: Fingerprint, title: str) -> str:
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
    return base_number(
        {own_number(fingerprint) for fingerprint in prints},
        lambda: map(key_of, prints),
        preprints=separate and all(fingerprint.form == "preprint" for fingerprint in prints),
    )


def base_number(own: set[int], keys: Callable[[], Iterable[WorkKey]], *, preprints: bool) -> int:
    """The same of a work of which the ids of its records alone are known; the keys of all are
    asked for where these differ.
    """
    base = own.pop() if len(own) == 1 else names.key_number(most_common(keys())[1])
    if preprints:
        return names.id_number(names.distinct_id(names.id_of_number(base), names.PREPRINT))
    return base


# --------------------------------------------------------------------------- ids within one answer

#: (year, what tells the work from others, its smallest record key), of which the whole is no other
#: work's.
Known = tuple[int, tuple[str, ...], str]
Work = TypeVar("Work")


def distinction_of(records: Iterable[tuple[str, Record]]) -> Known:
    """What is known of a work, by which it is told from others of the same id."""
    keys, said = zip(*records, strict=True)
    years = [record.year for record in said if record.year]
    columns = zip(*map(names.distinctions, said), strict=True)
    distinctions = tuple(_most_frequent(filter(None, column)) for column in columns)
    return (
        min(years, key=lambda year: (-years.count(year), year), default=_LAST_YEAR),
        distinctions,
        min(keys),
    )


def distinct_ids(base: str, works: Mapping[Work, Known]) -> Iterator[tuple[Work, str]]:
    """An id for each of the works that share one: the earliest keeps it."""
    taken: set[str] = set()
    for work in sorted(works, key=works.__getitem__):
        _, distinctions, record_key = works[work]
        candidates = chain(
            (base,), (names.distinct_id(base, said) for said in distinctions if said)
        )
        name = next(
            (candidate for candidate in candidates if candidate not in taken), ""
        ) or names.distinct_id(base, record_key)
        taken.add(name)
        yield work, name


def _most_frequent(said: Iterable[str]) -> str:
    values = list(said)
    return min(values, key=lambda value: (-values.count(value), value), default="")


class WorkIds:
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
            plain = names.id_of_number(base)
            if len(seats) < 2:
                del self._shared[base]
                for seat in seats:
                    self._holders[base] = seat if seat[1] else seat[0]
                    if self._given.pop(seat, plain) != plain:
                        renamed.add(seat[0])
                continue
            for seat, name in self._distinct_ids(
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
        number_of_base = bases[place] if place < len(bases) else self._base(numbers)
        base = names.id_of_number(number_of_base)
        name = self._given.get((root, place), base)
        if len(numbers) == 1 and name == base:
            return name, ()
        others = {self._own_of(number) for number in numbers} - {number_of_base}
        return name, tuple(sorted({base, *map(names.id_of_number, others)} - {name}))

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
        return base_number(
            {self._own_of(number) for number in numbers},
            lambda: [key_of(prints[number]) for number in numbers],
            preprints=self._separate and all(map(self._is_preprint, numbers)),
        )

    def _distinct_ids(
        self, base: str, works: dict[Seat, Sequence[int]]
    ) -> Iterator[tuple[Seat, str]]:
        known = self._known
        for seat, numbers in works.items():
            if seat not in known:
                prints = (self._prints[number] for number in numbers)
                known[seat] = distinction_of((one.record_key, one.record) for one in prints)
        return distinct_ids(base, {seat: known[seat] for seat in works})


# Records of one work -> one record, and for each field the name of the source that gave it.
#
# One table says by which policy each field is chosen. Records are sorted before they are asked, so
# the result does not depend on who answered first.

#: Fields that a merged record takes from its records one by one.
FIELDS = tuple(name for name in OF_THE_WORK if name not in ("ids", "title", "subtitle"))

#: The best form first; what each is called as a version of a work.
VERSIONS: Mapping[Form, str] = {
    "journal": evidence.PUBLISHED,
    "": evidence.PUBLISHED,
    "conference": evidence.CONFERENCE_PAPER,
    "abstract": evidence.CONFERENCE_ABSTRACT,
    "preprint": evidence.PREPRINT,
}
_FORMS = tuple(VERSIONS)

#: What the records say in one field, the most trusted first, none of it empty -> what the hit says.
Choose = Callable[[Sequence[Any]], Any]


def merge(
    members: Iterable[tuple[str, Record, Fingerprint]],
    matches: Sequence[Match] = (),
    trust: Mapping[str, float] | None = None,
    name: tuple[str, tuple[str, ...]] | None = None,
) -> Hit:
    """The hit of the records.

    `trust`: weight of each source, 1.0 where it is not named. `name`: (`Hit.id`, `Hit.also`), where
    other hits are there too; without it the hit is named as if it were alone.
    """
    ordered = sorted(members, key=lambda m: m[0])
    records = tuple(record for _, record, _ in ordered)
    own, also = name or of_one([fingerprint for _, _, fingerprint in ordered])
    if len(ordered) == 1:
        return single_hit(own, records[0], also)
    # Journals come before conferences and preprints, trusted sources before others; keys decide the
    # rest.
    weight = trust or {}
    best_first = [
        record
        for _, record, fp in sorted(
            ordered, key=lambda m: (_FORMS.index(m[2].form), -weight.get(m[1].source, 1.0), m[0])
        )
    ]
    record, provenance = _merge_records(best_first)
    return new_hit(
        id=own,
        record=record,
        records=records,
        provenance=provenance,
        matches=tuple(sorted(matches, key=lambda m: (m.left, m.right))),
        versions=_versions(ordered) if any(match.verdict == "version" for match in matches) else (),
        also=also,
    )


_fields = attrgetter(*FIELDS)
_field_names = ("title", "subtitle", *FIELDS)
_all_fields = attrgetter(*_field_names)


def single_hit(name: str, record: Record, also: tuple[str, ...] = (), rank: int = 0) -> Hit:
    """The hit of a single record: the record speaks for itself; `also` and `rank` as in `Hit`."""
    source = record.source
    provenance = dict.fromkeys(compress(_field_names, _all_fields(record)), source)
    for scheme in record.ids:
        provenance[f"ids.{scheme}"] = source
    if record.citations == 0:
        provenance["citations"] = source
    return new_hit(name, record, (record,), provenance, rank=rank, also=also)


def _versions(members: Sequence[tuple[str, Record, Fingerprint]]) -> tuple[Version, ...]:
    kinds: dict[str, list[str]] = {}
    for key, _, fp in sorted(members, key=lambda m: (_FORMS.index(m[2].form), m[0])):
        # A Cochrane review keeps its number over all updates.
        number = version_number(fp.doi) or (
            str(fp.year) if fp.pages[0].startswith("cd") and fp.year else ""
        )
        kind = VERSIONS[fp.form]
        if number:
            kind = message(evidence.NUMBERED_VERSION, kind=kind, number=number)
        kinds.setdefault(kind, []).append(key)
    return (
        tuple(Version(kind, tuple(keys)) for kind, keys in kinds.items()) if len(kinds) > 1 else ()
    )


def _merge_records(records: Sequence[Record]) -> tuple[Record, dict[str, str]]:
    provenance: dict[str, str] = {}
    values: dict[str, Any] = {}
    titled = max(records, key=_title_quality)
    values["title"] = _without_stop(titled.title, records)
    if titled.title:
        provenance["title"] = titled.source
    if titled.subtitle:
        values["subtitle"], provenance["subtitle"] = titled.subtitle, titled.source
    for name, column in zip(FIELDS, zip(*map(_fields, records), strict=True), strict=True):
        value = column[0]
        if value and name in _OF_ONE_VALUE and column.count(value) == len(column):
            values[name], provenance[name] = value, records[0].source  # as every policy would
            continue
        if name == "citations":
            # A source that counts no citation says more than one that is silent.
            said = [value for value in column if value is not None]
        else:
            said = [value for value in column if value] if any(column) else []
        if not said:
            continue
        chosen = said[0] if len(said) == 1 else POLICIES.get(name, first)(said)
        values[name], provenance[name] = chosen, records[column.index(chosen)].source
        if name in _GATHERED:
            values[name] = tuple(dict.fromkeys(chain.from_iterable(said)))[:50]
    if (
        values.get("authors")
        and values.get("editors")
        and _are_editors(records, values["authors"], values["editors"])
    ):
        del values["authors"], provenance["authors"]
    if "pdf_url" in values:
        freest = min((record for record in records if record.pdf_url), key=_closedness)
        values["pdf_url"], provenance["pdf_url"] = freest.pdf_url, freest.source
    values["titles"] = _other_titles(records, titled.title, values["title"])
    if not values["titles"]:
        provenance.pop("titles", None)
    for record in records:
        for scheme in record.ids:
            provenance.setdefault(f"ids.{scheme}", record.source)
    if (
        values.get("date")
        and values.get("year")
        and not values["date"].startswith(str(values["year"]))
    ):
        # A date of another year than the one that was chosen says less than none.
        del values["date"], provenance["date"]
    merged = new_record(
        source=titled.source,
        source_id=titled.source_id,
        position=titled.position,
        ids=trials.merge_ids(*[record.ids for record in records]),
        **values,
    )
    return merged, provenance


def _are_editors(
    records: Sequence[Record], authors: tuple[Author, ...], editors: tuple[Author, ...]
) -> bool:
    """Whether the authors of a work are its editors, whom some sources call authors: one says that
    they edited it and that it has no author, and none names both.
    """
    return (
        len(authors) == len(editors)
        and any(not record.authors and record.byline for record in records)
        and not any(record.authors and record.editors for record in records)
        and not any(
            one.isdisjoint(other)
            for one, other in zip(people.families(authors), people.families(editors), strict=True)
        )
    )


def _closedness(record: Record) -> int:
    """Where a PDF can be read: of a record that calls the work open, last a closed one."""
    status = record.open_access
    return 1 if status is None else 2 if status == "closed" else 0


def _without_stop(title: str, records: Sequence[Record]) -> str:
    """The title without the full stop that another record of it lacks: MEDLINE puts one."""
    if not title.endswith(".") or title.endswith(".."):
        return title
    bare = title[:-1].rstrip()
    same = " ".join(bare.casefold().split())
    others = (" ".join(record.title.casefold().split()) for record in records)
    return bare if same in others else title


def _other_titles(records: Sequence[Record], *chosen: str) -> tuple[str, ...]:
    """Titles beside the chosen one; of a record that knows several, its own main title too."""
    found = dict.fromkeys(
        title for record in records if record.titles for title in (*record.titles, record.title)
    )
    return tuple(title for title in found if title and title not in chosen)[:50]


def _title_quality(record: Record) -> tuple[bool, bool, bool, bool]:
    """Better titles are whole, not in capitals, with subtitle; equals keep trust's order."""
    title = record.title
    return (
        bool(title),
        not title.rstrip().endswith(("…", "...")),
        not (title.isupper() and len(title) > 12),
        bool(record.subtitle) or ":" in title,
    )


T = TypeVar("T")


def first(said: Sequence[T]) -> T:
    """What the most trusted says."""
    return said[0]


def longest(said: Sequence[str]) -> str:
    """The longest text: the journal's full name, the whole abstract."""
    return max(said, key=len)


def most_often(said: Sequence[T]) -> T:
    """What most records say; what the most trusted of them say where they are equally many."""
    counts = dict.fromkeys(said, 0)
    if len(counts) == 1:
        return said[0]
    for value in said:
        counts[value] += 1
    return max(counts, key=counts.__getitem__)


def most_complete_authors(said: Sequence[tuple[Author, ...]]) -> tuple[Author, ...]:
    """The longest list; of equally long ones that with most given names in full."""
    most = max(map(len, said))
    return max([authors for authors in said if len(authors) == most], key=_full_given_names)


def _full_given_names(authors: tuple[Author, ...]) -> int:
    return len([1 for author in authors if author.given and len(author.given) > 3])


def most_specific_type(said: Sequence[str]) -> str:
    """The value of most records; "other" only where no record has another one."""
    return most_often([value for value in said if value != "other"] or said)


def best_access(said: Sequence[str]) -> str:
    """A colour before a mere "open", and that before "closed": one free copy is enough."""
    return min(said, key=lambda status: (status == "closed", status == "open"))


#: Fields of which the hit has what any of its records has, the most trusted first.
_GATHERED = frozenset(TEXTS) - {"titles"}
#: Fields of which the hit has one of the values that its records have.
_OF_ONE_VALUE = frozenset(FIELDS) - {*TEXTS, *PEOPLE}
#: Field -> policy; the others take the most trusted record that has the field.
POLICIES: Mapping[str, Choose] = {
    **dict.fromkeys(PEOPLE, most_complete_authors),
    "year": most_often,
    "date": longest,
    "venue": longest,
    "volume": most_often,
    "issue": most_often,
    "pages": longest,
    "doi": most_often,
    "type": most_specific_type,
    "abstract": longest,
    "citations": max,
    "institution": longest,
    "open_access": best_access,
}


# Fill what a hit lacks from one more record of its work, which a source returned for its DOI. The
# record replaces nothing, so the hit keeps its id, its score and its place.

#: `Match.matcher` of the match that such a record adds.
MATCHER = "enrich"
#: Fields of which the record may hold a better value than the hit: "closed", or a mere "open", may
#: be improved.
_IMPROVABLE = frozenset(("open_access",))


def fill_gaps(hit: Hit, record: Record) -> Hit:
    """Return the hit with the record and what it adds; what the hit has stays as it is. `record`: a
    record of the work with this DOI, from a source that the hit has no record of.
    """
    values: dict[str, Any] = {}
    for name in ("title", *FIELDS):
        new_value, known = getattr(record, name), getattr(hit.record, name)
        if new_value and known and name in _IMPROVABLE:
            new_value = POLICIES[name]((known, new_value))
            known = known if new_value == known else None
        if new_value and not known:
            values[name] = new_value
    year = hit.record.year or values.get("year")
    if year and not values.get("date", str(year)).startswith(str(year)):
        del values["date"]  # the date of another version, or of another calendar, would mislead
    known_ids = hit.record.ids
    added = [f"ids.{scheme}" for scheme in record.ids if scheme not in known_ids]
    new = dict.fromkeys([*values, *added], record.source)
    holder = _holder(hit)
    left, right = sorted((holder.key, record.key))
    match = Match(
        MATCHER, "same", 1.0, message(evidence.ASKED_BY_DOI, doi=hit.record.doi), left, right
    )
    return replace(
        hit,
        record=replace(hit.record, ids=trials.merge_ids(known_ids, record.ids), **values),
        records=tuple(sorted((*hit.records, record), key=lambda record: record.key)),
        provenance={**hit.provenance, **new},
        matches=tuple(sorted((*hit.matches, match), key=lambda match: (match.left, match.right))),
        versions=tuple(
            replace(version, records=(*version.records, record.key))
            if holder.key in version.records
            else version
            for version in hit.versions
        ),
    )


def _holder(hit: Hit) -> Record:
    return next((record for record in hit.records if record.doi == hit.record.doi), hit.records[0])
