"""arXiv's API: /api/query, Atom. Preprints by date of posting, titles broken into lines."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping

from metasearch.demo.catalogue import CatalogueWork, Holdings, newest_first
from metasearch.demo.databases.database import (
    Reply,
    SimulatedDatabase,
    element,
    escape,
    full_name,
    number,
    rarely,
)
from metasearch.demo.queries import NotUnderstood, lucene
from metasearch.message import N_
from metasearch.query.tree import Term, conjunction, disjunction

NAME = "demo-arxiv"
MAX_RESULTS = 2000
_FIELDS = {
    "all": "any",
    "ti": "title",
    "au": "author",
    "abs": "abstract",
    "co": "any",
    "jr": "venue",
    "cat": "any",
    "doi": "doi",
}
_NAMESPACES = (
    'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" '
    'xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom"'
)


def fits(work: CatalogueWork) -> bool:
    return bool(work.arxiv)


def tell(work: CatalogueWork) -> CatalogueWork:
    if posted := work.posted or work.date:
        work = work._replace(year=int(posted[:4]), date=posted)
    if work.number and work.type != "preprint":  # what is published elsewhere has no venue here
        work = work._replace(venue="")
    if work.doi and rarely(NAME, work, "not linked", 0.5):
        work = work._replace(doi="", venue="")
    return work


def answer(path: str, params: Mapping[str, str], holdings: Holdings) -> Reply:
    try:
        start = number(params, "start", 0)
        size = number(params, "max_results", 10)
    except ValueError as exc:
        return _refusal(f"{exc} must be a non-negative integer", str(exc))
    if size > MAX_RESULTS:
        return _refusal(f"max_results must be at most {MAX_RESULTS}", "max_results")
    asked = params.get("search_query", "")
    ids = [name.strip() for name in params.get("id_list", "").split(",") if name.strip()]
    named = [Term(re.sub(r"v\d+$", "", name), "arxiv") for name in ids]
    try:
        parts = [lucene(asked, _FIELDS), disjunction(named) if ids else None]
        query = conjunction(*parts) if any(parts) else None
        found = holdings.find(query) if asked.strip() or ids else []
    except NotUnderstood as exc:
        return _refusal(f"incorrect query: {exc}", "search_query")
    if params.get("sortBy") == "submittedDate":
        found = newest_first(found)
        if params.get("sortOrder") == "ascending":
            found.reverse()
    entries = "".join(_entry(work) for work in found[start : start + size])
    return _feed(
        f"search_query={asked}&id_list={','.join(ids)}&start={start}&max_results={size}",
        entries,
        len(found),
        start,
        size,
    )


def _refusal(text: str, parameter: str) -> Reply:
    entry = (
        f"<entry><id>https://arxiv.org/api/errors#{parameter}</id><title>Error</title>"
        f"{element('summary', text)}"
        "<author><name>arXiv api core</name></author></entry>"
    )
    return _feed("", entry, 1, 0, 1, status=400)


def _feed(query: str, entries: str, total: int, start: int, size: int, status: int = 200) -> Reply:
    body = (
        f"<?xml version='1.0' encoding='UTF-8'?>\n<feed {_NAMESPACES}>"
        f"<id>https://arxiv.org/api/demo</id><title>arXiv Query: {escape(query)}</title>"
        f"<opensearch:itemsPerPage>{size}</opensearch:itemsPerPage>"
        f"<opensearch:totalResults>{total}</opensearch:totalResults>"
        f"<opensearch:startIndex>{start}</opensearch:startIndex>{entries}</feed>"
    )
    return Reply(body.encode(), status, "application/atom+xml; charset=utf-8")


def _entry(work: CatalogueWork) -> str:
    address = f"arxiv.org/abs/{work.arxiv}v1"
    authors = "".join(
        f"<author>{element('name', full_name(author))}</author>" for author in work.authors
    )
    reference = f"{work.venue} {work.volume} ({work.year})" if work.venue and work.volume else ""
    category = work.category or "cs.LG"
    date = f"{work.date or work.year or ''}-01-01"[:10]
    time = f"{date}T17:00:00Z" if work.year else ""
    return (
        f"<entry><id>http://{address}</id>"
        + element("title", textwrap.fill(work.full_title, 72, subsequent_indent="  "))
        + element("updated", time)
        + f'<link href="https://{address}" rel="alternate" type="text/html"/>'
        + f'<link href="https://{address.replace("/abs/", "/pdf/")}" rel="related" '
        f'type="application/pdf" title="pdf"/>'
        + f"<summary>{escape(textwrap.fill(work.abstract, 72))}</summary>"
        + f'<category term="{category}" scheme="http://arxiv.org/schemas/atom"/>'
        + element("published", time)
        + f'<arxiv:primary_category term="{category}"/>'
        + element("arxiv:journal_ref", reference)
        + element("arxiv:doi", work.doi)
        + f"{authors}</entry>"
    )


DATABASE = SimulatedDatabase(
    name=NAME,
    label=N_("arXiv (simulated)"),
    extends="arxiv",
    path="/api/query",
    latency=0.2,
    share=0.7,
    fits=fits,
    tell=tell,
    answer=answer,
)
