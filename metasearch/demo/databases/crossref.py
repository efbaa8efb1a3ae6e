"""Crossref's /works and /works/DOI, JSON. Words are OR-ed and scored; titles in capitals or with
markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from metasearch.bib import notices
from metasearch.demo.catalogue import CatalogueWork, Holdings, dice, newest_first
from metasearch.demo.databases.database import (
    Reply,
    SimulatedDatabase,
    cursor_after,
    cursor_position,
    date_parts,
    escape,
    initials,
    json_reply,
    number,
    rarely,
)
from metasearch.demo.queries import plain
from metasearch.message import N_
from metasearch.query.tree import Term, conjunction, disjunction

NAME = "demo-crossref"
MAX_ROWS = 1000
_FIELDS = {
    "query": "any",
    "query.bibliographic": "any",
    "query.title": "title",
    "query.author": "author",
    "query.container-title": "venue",
}
_TYPES = {
    "article": "journal-article",
    "conference-paper": "proceedings-article",
    "preprint": "posted-content",
    "book": "book",
    "thesis": "dissertation",
}
#: Filter -> whether a work passes with a value; years compare as text, whatever month follows. Of
#: the values that one filter is given several times, one is enough; years narrow one another.
_FILTERS: Mapping[str, Callable[[CatalogueWork, str], bool]] = {
    "from-pub-date": lambda work, value: str(work.year) >= value[:4],
    "until-pub-date": lambda work, value: str(work.year) <= value[:4],
    "doi": lambda work, value: work.doi == value.lower(),
    "isbn": lambda work, value: value.replace("-", "") in work.isbn,
    "issn": lambda work, value: value.upper() in work.issn,
    "type": lambda work, value: facets(work)["type"] == value,
}


def fits(work: CatalogueWork) -> bool:
    return bool(work.doi) and not work.doi.startswith("10.48550/")  # arXiv's are DataCite's


def tell(work: CatalogueWork) -> CatalogueWork:
    if rarely(NAME, work, "no issue", 0.1):
        work = work._replace(issue="")
    if rarely(NAME, work, "initials", 0.2):
        work = work._replace(
            authors=tuple((family, initials(given)) for family, given in work.authors)
        )
    if work.type == "article" and rarely(NAME, work, "online first", 0.05):
        work = work._replace(year=work.year - 1, date="")
    return work


def answer(path: str, params: Mapping[str, str], holdings: Holdings) -> Reply:
    if path.startswith("/works/"):
        return _one(path.removeprefix("/works/"), holdings)
    try:
        rows = number(params, "rows", 20)
        start = number(params, "offset", 0)
    except ValueError as exc:
        value = params[str(exc)]
        return _refusal(
            "integer-not-valid",
            value,
            f"Integer specified as {value} but must be a positive integer.",
        )
    if rows > MAX_ROWS:
        text = (
            f"Integer specified as {rows} but must be a positive integer less than or equal to "
            f"{MAX_ROWS}."
        )
        return _refusal("integer-not-valid", str(rows), text)
    cursor = params.get("cursor")
    if cursor:
        try:
            start = cursor_position(cursor)
        except ValueError:
            return _refusal("cursor-invalid", cursor, "Cursor specified but it is invalid", 404)
    filters: dict[str, list[str]] = {}
    for clause in filter(None, params.get("filter", "").split(",")):
        name, _, value = clause.partition(":")
        filters.setdefault(name, []).append(value)
    for name in filters:
        if name not in _FILTERS:
            text = f"Filter {name} specified but there is no such filter for this route."
            return _refusal("filter-not-available", name, text)
    asked = [plain(params[name], field) for name, field in _FIELDS.items() if params.get(name)]
    if not any(asked) and "doi" in filters:  # they are not looked for in all works
        asked = [disjunction(Term(doi, "doi") for doi in filters["doi"])]
    found = holdings.find(conjunction(*asked) if any(asked) else None, lenient=True)
    found = [work for work in found if _passes(work, filters)]
    if params.get("sort") == "published":
        found = newest_first(found)
        if params.get("order") == "asc":
            found.reverse()
    page = found[start : start + rows]
    message: dict[str, Any] = {
        "facets": {},
        "total-results": len(found),
        "items": [_item(work, holdings) for work in page],
    }
    if cursor:
        message["next-cursor"] = cursor_after(start + len(page))
    message |= {
        "items-per-page": rows,
        "query": {"start-index": start, "search-terms": params.get("query")},
    }
    return _envelope("work-list", message)


def _one(doi: str, holdings: Holdings) -> Reply:
    found = holdings.find(Term(doi, "doi"))
    if not found:
        return Reply(b"Resource not found.", 404, "text/plain;charset=utf-8")
    return _envelope("work", _item(found[0], holdings))


def _envelope(kind: str, message: Mapping[str, Any]) -> Reply:
    return json_reply(
        {"status": "ok", "message-type": kind, "message-version": "1.0.0", "message": message}
    )


def facets(work: CatalogueWork) -> Mapping[str, str]:
    return {"type": _TYPES.get(work.type, "other"), "language": work.language}


def _passes(work: CatalogueWork, filters: Mapping[str, list[str]]) -> bool:
    return all(
        (all if name.endswith("-pub-date") else any)(
            _FILTERS[name](work, value) for value in values
        )
        for name, values in filters.items()
    )


def _refusal(kind: str, value: str, text: str, status: int = 400) -> Reply:
    problem = {"type": kind, "value": value, "message": text}
    what = "resource-failure" if status == 404 else "validation-failure"
    return json_reply({"status": "failed", "message-type": what, "message": [problem]}, status)


def _author(place: int, family: str, given: str) -> dict[str, Any]:
    """A person, or a body where there is no given name."""
    sequence = "additional" if place else "first"
    if not given:
        return {"name": family, "sequence": sequence, "affiliation": []}
    return {"given": given, "family": family, "sequence": sequence, "affiliation": []}


def _item(work: CatalogueWork, holdings: Holdings) -> dict[str, Any]:
    title, subtitle = work.title, work.subtitle
    if rarely(NAME, work, "capitals", 0.06):
        title, subtitle = title.upper(), subtitle.upper()
    elif rarely(NAME, work, "markup", 0.06):
        title = re.sub(r"^(\S+)", r"<i>\1</i>", title)
    if subtitle and rarely(NAME, work, "joined", 0.5):
        title, subtitle = f"{title}: {subtitle}", ""
    item: dict[str, Any] = {
        "DOI": work.doi,
        "URL": f"https://doi.org/{work.doi}",
        "type": facets(work)["type"],
        "title": [title.replace("&", "&amp;")],
        "author": [
            _author(place, family, given) for place, (family, given) in enumerate(work.authors)
        ],
        "issued": {"date-parts": [date_parts(work.date) if work.date else [work.year or None]]},
        "language": work.language,
        "source": "Crossref",
    }
    one = {"volume": work.volume, "issue": work.issue, "publisher": work.publisher}
    article_number = work.pages.isdigit() and len(work.pages) > 4
    one["article-number" if article_number else "page"] = work.pages
    several = {
        "subtitle": subtitle.replace("&", "&amp;"),
        "container-title": work.venue.replace("&", "&amp;"),
        "short-container-title": work.abbrev,
    }
    item |= {key: value for key, value in one.items() if value}
    item |= {key: [value] for key, value in several.items() if value}
    numbers = {"ISSN": list(work.issn), "ISBN": list(work.isbn)}
    if work.funders:
        item["funder"] = [{"name": name, "award": []} for name in work.funders]
    if updates := [_update(notice) for text in work.notices if (notice := notices.read(text))]:
        item["updated-by"] = updates
    if work.abstract and not rarely(NAME, work, "no abstract", 0.4):
        item["abstract"] = f"<jats:p>{escape(work.abstract)}</jats:p>"
    references = [
        _reference(work, cited, place) for place, cited in enumerate(holdings.references(work), 1)
    ]
    if references:
        item |= {"reference-count": len(references), "reference": references}
    return item | {key: value for key, value in numbers.items() if value}


def _reference(work: CatalogueWork, cited: CatalogueWork, place: int) -> dict[str, str]:
    """As the publisher deposited it: with a DOI, or as a text alone."""
    key = f"ref{place}"
    family = cited.authors[0][0] if cited.authors else ""
    if dice(NAME, work.id, cited.id, "text") < 0.08:
        text = f"{family} ({cited.year}). {cited.full_title}. {cited.venue} {cited.volume}"
        return {"key": key, "unstructured": " ".join(text.split())}
    told = {
        "DOI": cited.doi,
        "doi-asserted-by": "publisher",
        "author": family,
        "article-title": cited.title,
        "journal-title": cited.venue,
        "year": str(cited.year or ""),
    }
    return {"key": key} | {name: value for name, value in told.items() if value}


def _update(notice: notices.Notice) -> dict[str, Any]:
    kind = "expression_of_concern" if notice.kind == "concern" else notice.kind
    told: dict[str, Any] = {"type": kind, "label": kind.replace("_", " ").capitalize()}
    if notice.date:
        told["updated"] = {"date-parts": [date_parts(notice.date)]}
    return told | {"source": "publisher", "DOI": notice.link}


DATABASE = SimulatedDatabase(
    name=NAME,
    label=N_("Crossref (simulated)"),
    extends="crossref",
    path="/works",
    latency=0.12,
    share=0.7,
    fits=fits,
    tell=tell,
    answer=answer,
    facets=facets,
    cites=0.9,
)
