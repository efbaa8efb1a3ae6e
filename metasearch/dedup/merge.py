"""Records of one work -> one record, and for each field the name of the source that gave it.

One table says by which policy each field is chosen. Records are sorted before they are asked, so
the result does not depend on who answered first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from itertools import chain, compress
from typing import Any, TypeVar

from metasearch.dedup import evidence, naming
from metasearch.dedup.fingerprints import Fingerprint, version_number
from metasearch.dedup.imprint import Form
from metasearch.record import (
    Author,
    Hit,
    Match,
    Record,
    Version,
    fields_getter,
    made_hit,
    made_record,
)

#: Fields that a merged record takes from its records one by one.
FIELDS = tuple(
    f.name
    for f in dataclass_fields(Record)
    if f.name not in ("source", "source_id", "position", "ids", "title", "subtitle")
)

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
    own, also = name or naming.of_one([fingerprint for _, _, fingerprint in ordered])
    if len(ordered) == 1:
        return alone(own, records[0], also)
    # Journals come before conferences and preprints, trusted sources before others; keys decide the
    # rest.
    weight = trust or {}
    best_first = [
        record
        for _, record, fp in sorted(
            ordered, key=lambda m: (_FORMS.index(m[2].form), -weight.get(m[1].source, 1.0), m[0])
        )
    ]
    record, provenance = _merged(best_first)
    return made_hit(
        id=own,
        record=record,
        records=records,
        provenance=provenance,
        matches=tuple(sorted(matches, key=lambda m: (m.left, m.right))),
        versions=_versions(ordered) if any(match.verdict == "version" for match in matches) else (),
        also=also,
    )


_fields = fields_getter(FIELDS)
_field_names = ("title", "subtitle", *FIELDS)
_all_fields = fields_getter(_field_names)


def alone(name: str, record: Record, also: tuple[str, ...] = (), rank: int = 0) -> Hit:
    """The hit of a single record: the record speaks for itself; `also` and `rank` as in `Hit`."""
    source = record.source
    provenance = dict.fromkeys(compress(_field_names, _all_fields(record)), source)
    for scheme in record.ids:
        provenance[f"ids.{scheme}"] = source
    if record.citations == 0:
        provenance["citations"] = source
    return made_hit(name, record, (record,), provenance, rank=rank, also=also)


def _versions(members: Sequence[tuple[str, Record, Fingerprint]]) -> tuple[Version, ...]:
    kinds: dict[str, list[str]] = {}
    for key, _, fp in sorted(members, key=lambda m: (_FORMS.index(m[2].form), m[0])):
        # A Cochrane review keeps its number over all updates.
        number = version_number(fp.doi) or (
            str(fp.year) if fp.pages[0].startswith("cd") and fp.year else ""
        )
        kind = VERSIONS[fp.form]
        if number:
            kind = evidence.NUMBERED_VERSION.format(kind=kind, number=number)
        kinds.setdefault(kind, []).append(key)
    return (
        tuple(Version(kind, tuple(keys)) for kind, keys in kinds.items()) if len(kinds) > 1 else ()
    )


def _merged(records: Sequence[Record]) -> tuple[Record, dict[str, str]]:
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
    if "pdf_url" in values:
        freest = min((record for record in records if record.pdf_url), key=_closedness)
        values["pdf_url"], provenance["pdf_url"] = freest.pdf_url, freest.source
    values["titles"] = _other_titles(records, titled.title, values["title"])
    if not values["titles"]:
        provenance.pop("titles", None)
    ids: dict[str, str] = {}
    for record in records:
        for scheme, value in record.ids.items():
            if scheme not in ids:
                ids[scheme], provenance[f"ids.{scheme}"] = value, record.source
    if (
        values.get("date")
        and values.get("year")
        and not values["date"].startswith(str(values["year"]))
    ):
        # A date of another year than the one that was chosen says less than none.
        del values["date"], provenance["date"]
    merged = made_record(
        source=titled.source,
        source_id=titled.source_id,
        position=titled.position,
        ids=ids,
        **values,
    )
    return merged, provenance


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
    return max([authors for authors in said if len(authors) == most], key=_given_in_full)


def _given_in_full(authors: tuple[Author, ...]) -> int:
    return len([1 for author in authors if author.given and len(author.given) > 3])


def most_specific_type(said: Sequence[str]) -> str:
    """The value of most records; "other" only where no record has another one."""
    return most_often([value for value in said if value != "other"] or said)


def most_telling_status(said: Sequence[str]) -> str:
    """A colour before a mere "open", and that before "closed": one free copy is enough."""
    return min(said, key=lambda status: (status == "closed", status == "open"))


#: Fields of which the hit has what any of its records has, the most trusted first.
_GATHERED = frozenset(("isbn", "issn", "keywords", "subjects"))
#: Fields of which the hit has one of the values that its records have.
_OF_ONE_VALUE = frozenset(FIELDS) - _GATHERED - {"titles", "authors", "editors"}
#: Field -> policy; the others take the most trusted record that has the field.
POLICIES: Mapping[str, Choose] = {
    "authors": most_complete_authors,
    "editors": most_complete_authors,
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
    "open_access": most_telling_status,
}


# Fill what a hit lacks from one more record of its work, which a source returned for its DOI. The
# record replaces nothing, so the hit keeps its id, its score and its place.

#: `Match.matcher` of the match that such a record adds.
MATCHER = "enrich"
#: Fields of which the record may hold a better value than the hit: "closed", or a mere "open", may
#: be improved.
_IMPROVABLE = frozenset(("open_access",))


def filled(hit: Hit, record: Record) -> Hit:
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
    ids = {scheme: value for scheme, value in record.ids.items() if scheme not in hit.record.ids}
    new = dict.fromkeys([*values, *(f"ids.{scheme}" for scheme in ids)], record.source)
    holder = _holder(hit)
    left, right = sorted((holder.key, record.key))
    match = Match(
        MATCHER, "same", 1.0, evidence.ASKED_BY_DOI.format(doi=hit.record.doi), left, right
    )
    return replace(
        hit,
        record=replace(hit.record, ids={**hit.record.ids, **ids}, **values),
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
    """Return the record that gave the hit its DOI."""
    return next((record for record in hit.records if record.doi == hit.record.doi), hit.records[0])
