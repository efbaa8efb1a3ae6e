"""OpenAlex: /works and /works/ID, JSON. Some of everything; some DOIs, subtitles and sources are
missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from metasearch.bib.notices import OF_RETRACTION
from metasearch.demo.catalogue import CatalogueWork, Holdings, newest_first
from metasearch.demo.databases.database import (
    Reply,
    SimulatedDatabase,
    cursor_after,
    cursor_position,
    full_name,
    json_reply,
    number,
    rarely,
)
from metasearch.demo.queries import NotUnderstood, lucene
from metasearch.message import N_
from metasearch.query.tree import Query, Term, Years, conjunction, disjunction

NAME = "demo-openalex"
MAX_ROWS = 100
#: Values of one filter.
MAX_VALUES = 100
_TYPES = {
    "conference-paper": "article",
    "thesis": "dissertation",
    "score": "other",
    "audio": "other",
}
_CLAUSE = re.compile(r",(?=[a-z_.]+:)")  # values may hold commas


def fits(work: CatalogueWork) -> bool:
    return True


def tell(work: CatalogueWork) -> CatalogueWork:
    if rarely(NAME, work, "no doi", 0.1):
        work = work._replace(doi="")
    elif work.arxiv and not work.doi:
        work = work._replace(doi=f"10.48550/arxiv.{work.arxiv}")
    if rarely(NAME, work, "no subtitle", 0.12):
        work = work._replace(subtitle="")
    if rarely(NAME, work, "no source", 0.08):
        work = work._replace(venue="", issn=())
    return work


def answer(path: str, params: Mapping[str, str], holdings: Holdings) -> Reply:
    if path.startswith("/works/"):
        return _one(path.removeprefix("/works/"), holdings)
    size_name = "per-page" if "per-page" in params else "per_page"
    try:
        size = number(params, size_name, 25, least=1)
        page = number(params, "page", 1, least=1)
        asked = [_search(params["search"])] if params.get("search", "").strip() else []
        asked += [
            _filter(clause, holdings)
            for clause in filter(None, _CLAUSE.split(params.get("filter", "")))
        ]
    except NotUnderstood as exc:
        return _refusal(f"Invalid search syntax: {exc}")
    except ValueError as exc:
        return _refusal(f"{exc} must be a positive integer.")
    if size > MAX_ROWS:
        return _refusal(f"{size_name} parameter must be between 1 and {MAX_ROWS}")
    found = holdings.find(conjunction(*asked) if any(asked) else None)
    if params.get("sort") == "publication_date:desc":
        found = newest_first(found)
    start, cursor = (page - 1) * size, params.get("cursor")
    if cursor:
        try:
            start = cursor_position(cursor)
        except ValueError:
            return _refusal("Cursor value is invalid.")
    results = [_result(work, holdings) for work in found[start : start + size]]
    if select := params.get("select"):
        try:
            results = [{key: result[key] for key in select.split(",")} for result in results]
        except KeyError as exc:
            return _refusal(f"{exc.args[0]} is not a valid select field.")
    meta: dict[str, Any] = {
        "count": len(found),
        "db_response_time_ms": 20,
        "page": page,
        "per_page": size,
    }
    if cursor:
        more = start + size < len(found)
        meta |= {"page": None, "next_cursor": cursor_after(start + size) if more else None}
    return json_reply({"meta": meta | {"groups_count": None}, "results": results, "group_by": []})


def _refusal(text: str) -> Reply:
    return json_reply({"error": "Invalid query parameters error.", "message": text}, 400)


def _search(text: str, field: str = "any") -> Query | None:
    return lucene(f"{field}:({text})", {field: field})


def _one(name: str, holdings: Holdings) -> Reply:
    """The work of an OpenAlex id, or of a DOI or PMID with "doi:" or "pmid:" or as an address."""
    keys = (key for key in ("doi", "pmid") if name.startswith(f"{key}:"))
    key = "doi" if "doi.org/" in name else next(keys, "openalex")
    asked = _filter(f"{key}:{name.removeprefix(f'{key}:').replace('|', '')}", holdings)
    found = holdings.find(asked)
    if not found:
        return Reply(b"<!doctype html><title>404 Not Found</title>", 404, "text/html")
    return json_reply(_result(found[0], holdings))


def _filter(clause: str, holdings: Holdings) -> Query | None:
    """One `key:value` of the filter parameter. Raises NotUnderstood: there is no such key, or too
    many values.
    """
    key, _, value = clause.partition(":")
    values = value.split("|")  # one of them is enough
    if len(values) > MAX_VALUES:
        raise NotUnderstood(f"Maximum number of values exceeded for {key}.")
    if key.endswith(".search"):
        value = " OR ".join(values)
    years = [int(year) for year in re.findall(r"\d{4}", value)]
    match key:
        case "publication_year" | "from_publication_date" | "to_publication_date" if years:
            open_start, open_end = (
                value.startswith(("-", "<")) or key[0] == "t",
                value.endswith("-") or ">" in value,
            )
            first = None if open_start else years[0] + value.startswith(">")
            last = None if open_end or key[0] == "f" else years[-1] - value.startswith("<")
            return Years(first, last)
        case "doi":
            return disjunction(Term(doi.split("doi.org/")[-1], "doi") for doi in values)
        case "pmid" | "ids.pmid":
            return disjunction(Term(pmid.rpartition("/")[2], "pmid") for pmid in values)
        case "openalex" | "openalex_id" | "ids.openalex":
            return disjunction(Term(name.rpartition("/")[2].upper(), "openalex") for name in values)
        case "cites":
            cited = holdings.find(_filter(f"openalex:{value}", holdings))
            citing = {found.openalex for work in cited for found in holdings.citing(work)}
            return disjunction(Term(name, "openalex") for name in sorted(citing) or [""])
        case "primary_location.source.issn" | "locations.source.issn":
            return Term(value, "issn")
        case "type" | "language":
            return disjunction(Term(name, key) for name in values)
        case "title.search" | "display_name.search":
            return _search(value, "title")
        case "raw_author_name.search" | "authorships.author.display_name.search":
            return _search(value, "author")
        case _ if "source" in key and key.endswith(".search"):
            return _search(value, "venue")
        case "abstract.search":
            return _search(value, "abstract")
        case "title_and_abstract.search":
            return _search(value, "tiab")
        case "default.search" | "fulltext.search":
            return _search(value)
        case _:
            raise NotUnderstood(f"{key} is not a valid field.")


def _address(work: CatalogueWork) -> str:
    return f"https://openalex.org/{work.openalex}"


def _result(work: CatalogueWork, holdings: Holdings) -> dict[str, Any]:
    address = _address(work)
    doi = f"https://doi.org/{work.doi}" if work.doi else None
    preprint = work.type == "preprint"
    title = work.full_title
    if rarely(NAME, work, "dash", 0.1):
        title = title.replace(": ", " - ", 1)
    venue = "arXiv (Cornell University)" if preprint else work.venue
    first, _, last = work.pages.partition("-")
    ids = {
        "openalex": address,
        "doi": doi,
        "pmid": f"https://pubmed.ncbi.nlm.nih.gov/{work.pmid}" if work.pmid else None,
    }
    source = {
        "display_name": venue,
        "issn_l": work.issn[0] if work.issn else None,
        "issn": list(work.issn) or None,
        "host_organization_name": work.publisher or None,
        "type": "repository" if preprint else "journal",
    }
    return {
        "id": address,
        "doi": doi,
        "title": title,
        "display_name": title,
        "publication_year": work.year or None,
        "publication_date": work.posted
        if preprint
        else work.date
        if len(work.date) == 10
        else f"{work.year}-01-01" * bool(work.year),
        "ids": {key: value for key, value in ids.items() if value},
        "language": work.language or None,
        "primary_location": {
            "is_oa": preprint,
            "landing_page_url": f"https://arxiv.org/abs/{work.arxiv}" if preprint else doi,
            "pdf_url": f"https://arxiv.org/pdf/{work.arxiv}" if preprint else None,
            "source": source if venue else None,
        },
        "type": _TYPES.get(work.type, work.type),
        "open_access": {
            "is_oa": preprint,
            "oa_status": "green" if preprint else "closed",
            "oa_url": None,
        },
        "authorships": [
            {
                "author_position": "middle" if place else "first",
                "author": {"id": None, "display_name": full_name(author), "orcid": None},
                "institutions": [],
                "raw_author_name": full_name(author),
            }
            for place, author in enumerate(work.authors)
        ],
        "biblio": {
            "volume": work.volume or None,
            "issue": work.issue or None,
            "first_page": first or None,
            "last_page": last or first or None,
        },
        "funders": [{"display_name": name} for name in work.funders],
        "referenced_works": [_address(cited) for cited in holdings.references(work)],
        "is_retracted": any(text.split()[0] in OF_RETRACTION for text in work.notices),
        "is_paratext": False,
        "abstract_inverted_index": _word_places(work.abstract),
    }


def _word_places(abstract: str) -> dict[str, list[int]] | None:
    """Word -> the places at which it stands, as OpenAlex keeps abstracts."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(abstract.split()):
        places.setdefault(word, []).append(place)
    return places or None


def facets(work: CatalogueWork) -> Mapping[str, str]:
    return {"type": _TYPES.get(work.type, work.type), "language": work.language}


DATABASE = SimulatedDatabase(
    name=NAME,
    label=N_("OpenAlex (simulated)"),
    extends="openalex",
    path="/works",
    latency=0.09,
    share=0.7,
    fits=fits,
    tell=tell,
    answer=answer,
    facets=facets,
    cites=0.9,
)
