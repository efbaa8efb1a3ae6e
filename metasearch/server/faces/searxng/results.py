"""An answer as SearXNG writes one: JSON with papers, CSV, and why engines are missing.

Each list of SearXNG's answer is there, also where it is empty: LangChain takes the length of
`answers`, and returns an entry of it in place of the results.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

import orjson

from metasearch.errors import (
    AccessDenied,
    BadAnswer,
    Blocked,
    ConnectFailed,
    KeyMissing,
    NotRead,
    RateLimited,
    ServerFault,
    SourceSaysError,
    TimedOut,
)
from metasearch.events import Answer, SourceReport
from metasearch.formats.atom import published
from metasearch.formats.csv.write import guarded
from metasearch.formats.reference import full_title, link
from metasearch.formats.text import ascii_url, clean, clean_all, line, web_url
from metasearch.record import Hit, Record
from metasearch.server.site import Site
from metasearch.server.suggest import as_query

COLUMNS = ("title", "url", "content", "host", "engine", "score", "type")
#: Authors that stand in the place of an abstract.
_NAMED_AUTHORS = 3
#: SearXNG's words for why an engine gave nothing; the first class that an error belongs to decides.
_REASONS = (
    (TimedOut, "timeout"),
    (NotRead, "timeout"),
    (ConnectFailed, "HTTP connection error"),
    (ServerFault, "HTTP error"),
    (RateLimited, "too many requests"),
    (Blocked, "CAPTCHA"),
    (KeyMissing, "access denied"),
    (AccessDenied, "access denied"),
    (SourceSaysError, "server API error"),
    (BadAnswer, "parsing error"),
)


def json_body(
    answer: Answer,
    site: Site,
    *,
    query: str,
    unknown_engines: Iterable[str] = (),
    notes: Iterable[str] = (),
) -> bytes:
    """The JSON document. `site`: for the address of a work that has none of its own."""
    unknown = [[name, "there is no such engine"] for name in unknown_engines]
    document = {
        "query": clean(query),
        "number_of_results": answer.expected,
        "results": results(answer, site),
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [*unresponsive(answer.sources), *unknown],
        "notes": [clean(note) for note in (*answer.notes, *notes)],
    }
    return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)


def csv_body(answer: Answer, site: Site) -> bytes:
    """The results as CSV in UTF-8 with a heading; cells that begin as formulas are quoted."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for result in results(answer, site):
        row = result | {"host": result["parsed_url"][1], "type": "result"}
        writer.writerow([guarded(row[name]) for name in COLUMNS])
    return out.getvalue().encode()


def results(answer: Answer, site: Site) -> list[dict[str, Any]]:
    """The hits in the order of the list.

    Open WebUI sorts by score, so that no score is larger than one before it.
    """
    written: list[dict[str, Any]] = []
    least = float("inf")
    for hit in answer.hits:
        least = min(least, hit.score)
        written.append(_result(hit, least, site))
    return written


def unresponsive(reports: Sequence[SourceReport]) -> list[list[str]]:
    """[name, reason] of each source that gave no answer, or only a part of it."""
    return [[report.source, _reason(report)] for report in reports if not report.answered]


def _reason(report: SourceReport) -> str:
    if report.status == "running":
        return "timeout"
    for kind, words in _REASONS:
        if isinstance(report.error, kind):
            return words
    return line(str(report.error)) if report.error else report.status


def _result(hit: Hit, score: float, site: Site) -> dict[str, Any]:
    record = hit.record
    url, date = _address(hit, site), published(record)
    return {
        "id": clean(hit.id),
        "url": url,
        "title": full_title(record) or url,
        "content": clean(record.abstract or "") or _description(record),
        "engine": clean(record.source),
        "engines": clean_all(hit.sources),
        "positions": [each.position for each in hit.records],
        "score": score,
        "category": "science",
        "template": "paper.html",
        "parsed_url": _parsed(url),
        "publishedDate": date.replace(tzinfo=None).isoformat() if date else None,
        "thumbnail": "",
        "img_src": "",
        "authors": [line(author.name) for author in record.authors],
        "journal": line(record.venue),
        "volume": line(record.volume),
        "number": line(record.issue),
        "pages": line(record.pages),
        "publisher": line(record.publisher),
        "editor": "; ".join(line(editor.name) for editor in record.editors),
        "doi": line(record.doi),
        "issn": clean_all(record.issn),
        "isbn": clean_all(record.isbn),
        "tags": clean_all((*record.keywords, *record.subjects)),
        "type": line(record.type),
        "comments": _comments(record),
        "pdf_url": ascii_url(web_url(record.pdf_url) or ""),
        "html_url": "",
    }


def _address(hit: Hit, site: Site) -> str:
    """Where a reader is sent: the address of the work, of one of its records, or a search for it.

    SearXNG has no result without an address, and its clients read it without a default.
    """
    for record in (hit.record, *hit.records):
        if url := link(record):
            return ascii_url(url)
    query = as_query(full_title(hit.record)) or hit.id
    return site.url("/search", q=query, format="html")


def _parsed(url: str) -> list[str]:
    """[scheme, host, path, parameters, query, fragment], as `urllib.parse.urlparse` returns it."""
    try:
        parts = urlsplit(url)
    except ValueError:  # brackets that hold no IPv6 address
        return ["", "", url, "", "", ""]
    return [parts.scheme, parts.netloc, parts.path, "", parts.query, parts.fragment]


def _description(record: Record) -> str:
    """Who, where, when, in the place of an abstract that is not known."""
    people = [line(author.name) for author in record.authors[:_NAMED_AUTHORS]]
    if len(record.authors) > _NAMED_AUTHORS:
        people.append("et al.")
    parts = (", ".join(people), line(record.venue), str(record.year or ""))
    return ". ".join(filter(None, parts))


def _comments(record: Record) -> str:
    """What SearXNG has no field for and a reader should know."""
    parts = [
        "Retracted" if record.retracted else "",
        f"cited {record.citations:,} times" if record.citations else "",
        f"open access: {line(record.open_access)}" if record.open_access else "",
    ]
    return "; ".join(filter(None, parts))
