"""What is wrong with an item of Zotero's, compared with the work that was written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from metasearch.formats.reference import full_title, journal_like
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
_FOR_IDENTIFIERS = frozenset({"extra", "PMID", "PMCID", "archiveID", "patentNumber"})
_NUMBERS = {"doi": "DOI", "isbn": "ISBN", "issn": "ISSN"}
#: What the right type of item has no field for.
_NO_PLACE: Mapping[str, frozenset[str]] = {
    "preprint": frozenset({"version"}),
    "computerProgram": frozenset({"language"}),
    "artwork": frozenset({"publisher"}),
    "document": frozenset({"issn"}),
}
#: Roles of authors, by types of items.
_OTHER_ROLES = frozenset(
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
    return EXPECTED[record.type or ("article" if journal_like(record) else "other")]


def differences(record: Record, item: Mapping[str, Any]) -> list[str]:
    """What a user misses or has to clear away, a phrase each, sorted; [] where all is right."""
    return sorted({*_fields(record, item), *_people(record, item), *_unwanted(record, item)})


def _fields(record: Record, item: Mapping[str, Any]) -> Iterator[str]:
    extra = str(item.get("extra", ""))
    if item.get("title") != full_title(record):
        yield "title changed"
    said = str(item.get("date") or item.get("issueDate") or "")
    expected = record.date or str(record.year or "")
    if not said:
        yield "date lost"
    elif (read := _date(said)) != expected:
        yield "date coarser" if expected.startswith(read) else "date changed"
    placeless = _NO_PLACE.get(expected_type(record), frozenset())
    for field, places in _PLACES.items():
        value = None if field in placeless else getattr(record, field)
        held = [str(item.get(place, "")).replace("\u2013", "-") for place in places]
        if value and value not in held:
            elsewhere = [name for name in item if item[name] == value]
            yield f"{field} in {elsewhere[0]}" if elsewhere else _lost(field, value, extra)
    for field, place in _NUMBERS.items():
        values = () if field in placeless else getattr(record, field)
        first = values if isinstance(values, str) else next(iter(values or ()), "")
        if first and first not in str(item.get(place, "")):
            elsewhere = [name for name in item if item[name] == first]
            in_extra = re.search(rf"(?m)^{place}: .*{re.escape(first)}", extra)
            if not in_extra:
                yield f"{field} in {elsewhere[0]}" if elsewhere else _lost(field, first, extra)
    for scheme, value in record.ids.items():
        places = [name for name in item if value in str(item[name])]
        if not places:
            yield f"{scheme} lost"
        elif not _FOR_IDENTIFIERS.intersection(places):
            yield f"{scheme} in {places[0]}"
    tags = {tag["tag"] for tag in item.get("tags", ())}
    if set(record.keywords) - tags:
        yield "tags lost"
    if tags - set(record.keywords):
        yield "tags added"


def _lost(field: str, value: str, extra: str) -> str:
    return f"{field} in extra" if value in extra else f"{field} lost"


def _date(said: str) -> str:
    """ISO 8601 of what Zotero's own reader of dates understands: "2020/03/05", "2020 Mar 5"."""
    parts = re.findall(r"\d+|[^\W\d_]+", said)
    numbers = [
        f"{_MONTHS.index(part[:3].lower()) + 1:02d}" if part.isalpha() else f"{int(part):02d}"
        for part in parts
        if not part.isalpha() or part[:3].lower() in _MONTHS
    ]
    if len(numbers) == 3 and len(numbers[2]) == 4:  # "March 5, 2020"
        numbers = [numbers[2], *numbers[:2]]
    if len(numbers) == 2 and len(numbers[1]) == 4:
        numbers.reverse()
    return "-".join(numbers)


def _people(record: Record, item: Mapping[str, Any]) -> Iterator[str]:
    creators = item.get("creators", ())
    for role, people in (("author", record.authors), ("editor", record.editors)):
        for person in people:
            held = [creator for creator in creators if _is(person, creator)]
            if not held:
                split = any(_holds(person, creator) for creator in creators)
                kind = "body" if person.collective else role
                yield f"{kind} split" if split else f"{kind} lost"
            elif role == "editor" and held[0]["creatorType"] != "editor":
                yield f"editor as {held[0]['creatorType']}"
            elif role == "author" and held[0]["creatorType"] not in _OTHER_ROLES:
                yield f"author as {held[0]['creatorType']}"
    if len(creators) > len(record.authors) + len(record.editors):
        yield "creators added"


def _is(person: Author, creator: Mapping[str, str]) -> bool:
    if person.family:
        return (creator.get("lastName"), creator.get("firstName")) == (person.family, person.given)
    whole = creator.get("name") or ("" if creator.get("firstName") else creator.get("lastName"))
    return whole == person.name


def _holds(person: Author, creator: Mapping[str, str]) -> bool:
    said = "".join(creator.get(part, "") for part in ("firstName", "lastName", "name"))
    letters = [char for char in person.name if char.isalnum()]
    return sorted(char for char in said if char.isalnum()) == sorted(letters)


def _unwanted(record: Record, item: Mapping[str, Any]) -> Iterator[str]:
    wanted = [full_title(record), *record.titles, *(["Retracted"] if record.retracted else [])]
    if any(not any(text in note for text in wanted) for note in item.get("notes", ())):
        yield "child note"
    known = {str(getattr(record, field)) for field in (*_PLACES, "doi")}
    known |= {*record.isbn, *record.issn, ", ".join(record.isbn), *record.ids.values()}
    for name, value in item.items():
        said = str(value).replace("\u2013", "-")
        held = any(part in said for part in record.ids.values())
        if name not in _BOOKKEEPING | _KINDS and said and said not in known and not held:
            yield f"{name} wrong"
