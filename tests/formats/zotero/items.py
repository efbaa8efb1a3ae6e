"""What is wrong with an item of Zotero's, compared with the work that was written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from metasearch.formats.reference import full_title, is_journal_like
from metasearch.record import Author, Record

#: `Record.type` -> the type of item that a user expects. https://api.zotero.org/schema
EXPECTED = {
    "article": "journalArticle",
    "preprint": "preprint",
    "conference-paper": "conferencePaper",
    "proceedings": "book",
    "book": "book",
    "chapter": "bookSection",
    "thesis": "thesis",
    "report": "report",
    "dataset": "dataset",
    "software": "computerProgram",
    "patent": "patent",
    "standard": "standard",
    "review": "journalArticle",
    "editorial": "journalArticle",
    "letter": "journalArticle",
    "erratum": "journalArticle",
    "retraction": "journalArticle",
    "reference-entry": "encyclopediaArticle",
    "journal": "document",
    "map": "map",
    "score": "document",
    "audio": "audioRecording",
    "video": "videoRecording",
    "image": "artwork",
    "webpage": "webpage",
    "other": "document",
}

#: Where Zotero keeps what a field of a record says, by types of items.
_VENUES = (
    "publicationTitle",
    "proceedingsTitle",
    "conferenceName",
    "bookTitle",
    "encyclopediaTitle",
    "websiteTitle",
    "series",
    "repository",
)
_PUBLISHERS = (
    "publisher",
    "institution",
    "university",
    "organization",
    "repository",
    "company",
    "label",
    "studio",
    "distributor",
    "assignee",
)
_PLACES: Mapping[str, tuple[str, ...]] = {
    "url": ("url",),
    "language": ("language",),
    "volume": ("volume",),
    "issue": ("issue",),
    "pages": ("pages",),
    "edition": ("edition",),
    "version": ("versionNumber",),
    "abstract": ("abstractNote",),
    "venue": _VENUES,
    "publisher": _PUBLISHERS,
    "institution": _PUBLISHERS,
}
#: Where Zotero keeps other identifiers.
_FOR_IDENTIFIERS = frozenset({"extra", "PMID", "PMCID", "archiveID", "patentNumber"})
#: What the right type of item has no field for.
_NO_PLACE: Mapping[str, frozenset[str]] = {
    "preprint": frozenset({"version"}),
    "computerProgram": frozenset({"language"}),
    "artwork": frozenset({"publisher"}),
    "document": frozenset({"issn"}),
}
#: Roles of authors in one type of item or another.
_AUTHOR_ROLES = frozenset(
    "author inventor programmer cartographer composer performer director artist creator".split()
)
#: Fields that hold the word for the kind of work.
_KINDS = frozenset("type genre thesisType reportType mapType websiteType manuscriptType".split())
#: Fields that say how an item came to be, and those that are looked at by themselves.
_BOOKKEEPING = frozenset(
    "key version itemType creators tags title date issueDate notes attachments extra relations "
    "collections libraryCatalog archive accessDate PMID PMCID archiveID".split()
)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


def expected_type(record: Record) -> str:
    """The type of item that a user expects."""
    return EXPECTED[record.type or ("article" if is_journal_like(record) else "other")]


def differences(record: Record, item: Mapping[str, Any]) -> list[str]:
    """What a user misses or has to clear away, a phrase each, sorted; [] where all is right."""
    checks = (_title, _date, _texts, _numbers, _identifiers, _tags, _people, _unwanted)
    return sorted({phrase for check in checks for phrase in check(record, item)})


def _title(record: Record, item: Mapping[str, Any]) -> Iterator[str]:
    if item.get("title") != full_title(record):
        yield "title changed"


def _date(record: Record, item: Mapping[str, Any]) -> Iterator[str]:
    expected = record.date or str(record.year or "")
    arrived = _iso(str(item.get("date") or item.get("issueDate") or ""))
    if not arrived:
        yield "date lost"
    elif arrived != expected:
        yield "date coarser" if expected.startswith(arrived) else "date changed"


def _iso(date: str) -> str:
    """ISO 8601 of what Zotero's own reader of dates understands: "2020/03/05", "2020 Mar 5"."""
    parts = re.findall(r"\d+|[^\W\d_]+", date)
    numbers = [
        f"{_MONTHS.index(part[:3].lower()) + 1:02d}" if part.isalpha() else f"{int(part):02d}"
        for part in parts
        if not part.isalpha() or part[:3].lower() in _MONTHS
    ]
    if len(numbers) == 3 and len(numbers[2]) == 4:  # "March 5, 2020"
        numbers = [numbers[2], *numbers[:2]]
    if len(numbers) == 2 and len(numbers[1]) == 4:  # "March 2020"
        numbers.reverse()
    return "-".join(numbers)


def _texts(record: Record, item: Mapping[str, Any]) -> Iterator[str]:
    """Fields that Zotero has in one field or another."""
    for field, places in _PLACES.items():
        value = getattr(record, field)
        arrived = [_plain(item.get(place)) for place in places]
        if value and value not in arrived and field not in _without_place(record):
            yield _where(field, value, item)


def _numbers(record: Record, item: Mapping[str, Any]) -> Iterator[str]:
    """DOI, and the first ISBN and ISSN; "DOI: 10..." in Extra counts as the field."""
    firsts = {"doi": record.doi, "isbn": record.isbn[:1], "issn": record.issn[:1]}
    for field, first in firsts.items():
        value = first if isinstance(first, str) else "".join(first or ())
        if not value or field in _without_place(record):
            continue
        place = field.upper()
        in_extra = re.search(rf"(?m)^{place}: .*{re.escape(value)}", str(item.get("extra", "")))
        if value not in str(item.get(place, "")) and not in_extra:
            yield _where(field, value, item)


def _without_place(record: Record) -> frozenset[str]:
    return _NO_PLACE.get(expected_type(record), frozenset())


def _where(field: str, value: str, item: Mapping[str, Any]) -> str:
    """Where a value stands that is not in its place."""
    others = [name for name in item if item[name] == value]
    if not others and value in str(item.get("extra", "")):
        others = ["extra"]
    return f"{field} in {others[0]}" if others else f"{field} lost"


def _plain(value: object) -> str:
    """A value as text, its dashes as hyphens: Zotero writes pages with either."""
    return "" if value is None else str(value).replace("\u2013", "-")


def _identifiers(record: Record, item: Mapping[str, Any]) -> Iterator[str]:
    for scheme, value in record.ids.items():
        places = [name for name in item if value in str(item[name])]
        if not places:
            yield f"{scheme} lost"
        elif not _FOR_IDENTIFIERS.intersection(places):
            yield f"{scheme} in {places[0]}"


def _tags(record: Record, item: Mapping[str, Any]) -> Iterator[str]:
    tags = {tag["tag"] for tag in item.get("tags", ())}
    if set(record.keywords) - tags:
        yield "tags lost"
    if tags - set(record.keywords):
        yield "tags added"


def _people(record: Record, item: Mapping[str, Any]) -> Iterator[str]:
    creators = item.get("creators", ())
    for author in record.authors:
        yield from _person("author", author, creators, _AUTHOR_ROLES)
    for editor in record.editors:
        yield from _person("editor", editor, creators, frozenset({"editor"}))
    if len(creators) > len(record.authors) + len(record.editors):
        yield "creators added"


def _person(
    role: str, person: Author, creators: Sequence[Mapping[str, str]], roles: frozenset[str]
) -> Iterator[str]:
    role = "body" if person.collective else role
    whole = [creator["creatorType"] for creator in creators if _is(person, creator)]
    if not whole:
        in_parts = any(_has_letters_of(person, creator) for creator in creators)
        yield f"{role} split" if in_parts else f"{role} lost"
    elif whole[0] not in roles:
        yield f"{role} as {whole[0]}"


def _is(person: Author, creator: Mapping[str, str]) -> bool:
    if person.family:
        return (creator.get("lastName"), creator.get("firstName")) == (person.family, person.given)
    whole = creator.get("name") or ("" if creator.get("firstName") else creator.get("lastName"))
    return whole == person.name


def _has_letters_of(person: Author, creator: Mapping[str, str]) -> bool:
    """Whether the name is there, but not in its parts."""
    name = "".join(creator.get(part, "") for part in ("firstName", "lastName", "name"))
    return sorted(filter(str.isalnum, name)) == sorted(filter(str.isalnum, person.name))


def _unwanted(record: Record, item: Mapping[str, Any]) -> Iterator[str]:
    """Notes but those of a retraction and of other titles; values that the work does not have."""
    wanted = (*record.titles, *(["Retracted"] if record.retracted else []))
    if any(not any(text in note for text in wanted) for note in item.get("notes", ())):
        yield "child note"
    known = {str(getattr(record, field)) for field in (*_PLACES, "doi")}
    known |= {*record.isbn, *record.issn, ", ".join(record.isbn), ""}
    for name in item.keys() - _BOOKKEEPING - _KINDS:
        value = _plain(item[name])
        if value not in known and not any(number in value for number in record.ids.values()):
            yield f"{name} wrong"
