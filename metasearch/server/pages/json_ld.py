"""A work as JSON-LD of schema.org: what search engines and browser extensions read from a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from markupsafe import Markup

from metasearch.bib.identifier_forms import orcid
from metasearch.formats.reference import (
    are_corporate,
    date_parts,
    doi_url,
    full_title,
    page_range,
)
from metasearch.formats.tagged_lines import further_titles, general_type
from metasearch.formats.text import line, web_url
from metasearch.record import Author, Hit, Record

MEDIA_TYPE = "application/ld+json"
#: `Record.type` -> type of schema.org; others have the general one.
TYPES: Mapping[str, str] = {
    "article": "ScholarlyArticle",
    "review": "ScholarlyArticle",
    "editorial": "ScholarlyArticle",
    "letter": "ScholarlyArticle",
    "erratum": "ScholarlyArticle",
    "retraction": "ScholarlyArticle",
    "preprint": "ScholarlyArticle",
    "conference-paper": "ScholarlyArticle",
    "proceedings": "Book",
    "book": "Book",
    "chapter": "Chapter",
    "reference-entry": "Article",
    "thesis": "Thesis",
    "report": "Report",
    "dataset": "Dataset",
    "software": "SoftwareSourceCode",
    "journal": "Periodical",
    "map": "Map",
    "score": "SheetMusic",
    "audio": "AudioObject",
    "video": "VideoObject",
    "image": "ImageObject",
    "webpage": "WebPage",
}
GENERAL_TYPE = "CreativeWork"
#: What closes a script, opens a comment or ends a line, wherever it stands in JSON.
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def schema_type(record: Record) -> str:
    """The type of schema.org of a work."""
    return TYPES.get(general_type(record), GENERAL_TYPE)


def object_of(hit: Hit, address: str) -> dict[str, Any]:
    """The work as an object, without what is not known. `address`: of its page, absolute."""
    record = hit.record
    kind = schema_type(record)
    first, last = page_range(record.pages)
    members: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": kind,
        "@id": doi_url(record.doi) or address,
        "name": full_title(record),
        "headline": full_title(record) if kind.endswith("Article") else "",
        "alternateName": further_titles(record),
        "author": _agents(record.authors),
        "editor": _agents(record.editors),
        "datePublished": "-".join(filter(None, date_parts(record.date))) or str(record.year or ""),
        "isPartOf": _container(record, kind),
        "pageStart": first,
        "pageEnd": last,
        "publisher": _organization(record.publisher),
        "sourceOrganization": _organization(record.institution),
        "bookEdition": line(record.edition) if kind == "Book" else "",
        "version": line(record.version),
        "isbn": [line(number) for number in record.isbn],
        "issn": [line(number) for number in record.issn] if kind == "Periodical" else [],
        "inLanguage": line(record.language),
        "abstract": line(record.abstract),
        "keywords": [line(word) for word in (*record.keywords, *record.subjects)],
        "license": line(record.licence),
        "isAccessibleForFree": True if record.open_access not in (None, "closed") else None,
        "creativeWorkStatus": _status(record),
        "identifier": _identifiers(record),
        "sameAs": _addresses(hit),
        "encoding": _encoding(record),
        "url": address,
    }
    return {name: value for name, value in members.items() if value not in ("", None, [])}


def script(described: Mapping[str, Any]) -> Markup:
    """The object as the text of a script element: nothing in it can end that element."""
    text = orjson.dumps(described).decode().translate(_ESCAPES)
    return Markup(text)  # noqa: S704 - no "<", ">" or "&" is left


def _agents(authors: Sequence[Author]) -> list[dict[str, Any]]:
    return [
        _agent(author, body=body)
        for author, body in zip(authors, are_corporate(authors), strict=True)
    ]


def _agent(author: Author, *, body: bool) -> dict[str, Any]:
    number = orcid(author.orcid)
    members = {
        "@type": "Organization" if body else "Person",
        "@id": f"https://orcid.org/{number}" if number else "",
        "name": line(author.name),
        "familyName": "" if body else line(author.family),
        "givenName": "" if body else line(author.given),
        "affiliation": "" if body else _organization(author.affiliation),
    }
    return {name: value for name, value in members.items() if value}


def _organization(name: str | None) -> dict[str, str] | None:
    shown = line(name)
    return {"@type": "Organization", "name": shown} if shown else None


def _container(record: Record, kind: str) -> dict[str, Any] | None:
    """The issue in its volume in its journal, or the book; None where nothing contains it."""
    venue = line(record.venue)
    if not venue or kind == "Periodical":
        return None
    if kind == "Chapter" or record.type == "conference-paper":
        return {"@type": "Book", "name": venue}
    whole: dict[str, Any] = {"@type": "Periodical" if kind.endswith("Article") else "CreativeWork"}
    whole["name"] = venue
    if record.issn:
        whole["issn"] = [line(number) for number in record.issn]
    for type_, name, number in (
        ("PublicationVolume", "volumeNumber", line(record.volume)),
        ("PublicationIssue", "issueNumber", line(record.issue)),
    ):
        if number:
            whole = {"@type": type_, name: number, "isPartOf": whole}
    return whole


def _status(record: Record) -> str:
    if record.retracted:
        return "Retracted"
    return "Preprint" if record.type == "preprint" else ""


def _identifiers(record: Record) -> list[dict[str, str]]:
    doi = {"doi": record.doi} if record.doi else {}
    return [
        {"@type": "PropertyValue", "propertyID": line(scheme), "value": line(value)}
        for scheme, value in (doi | dict(record.ids)).items()
    ]


def _addresses(hit: Hit) -> list[str]:
    """Those of the work at every source, each once."""
    addresses = [doi_url(hit.record.doi), *(web_url(record.url) for record in hit.records)]
    return list(dict.fromkeys(filter(None, addresses)))


def _encoding(record: Record) -> dict[str, str] | None:
    address = web_url(record.pdf_url)
    if address is None:
        return None
    return {"@type": "MediaObject", "contentUrl": address, "encodingFormat": "application/pdf"}
