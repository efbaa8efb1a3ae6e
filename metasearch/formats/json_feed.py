"""JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/): a search for feed readers in browsers.

What JSON Feed has no member for stands in `_metasearch`, of the feed and of each item: custom
members begin with an underscore.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from metasearch.events import Answer
from metasearch.formats.answer import counts_object
from metasearch.formats.atom import published, timestamp, urn
from metasearch.formats.reference import full_title, link
from metasearch.formats.text import clean, clean_all, clean_or_none, exact_number, line, web_url
from metasearch.record import Author, Hit, Record

VERSION = "https://jsonfeed.org/version/1.1"
_language = re.compile(r"[a-z]{2,3}")
_orcid = re.compile(r"[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]")


def write(answer: Answer, *, links: Mapping[str, str] | None = None) -> bytes:
    """The answer as a JSON Feed in UTF-8. `links`: absolute URLs by relation: "alternate" becomes
    `home_page_url`, "self" `feed_url`, "next" `next_url`.
    """
    known = links or {}
    addresses = {
        "home_page_url": known.get("alternate"),
        "feed_url": known.get("self"),
        "next_url": known.get("next"),
    }
    feed = {
        "version": VERSION,
        "title": f"metasearch: {line(answer.query)}",
        **{name: url for name, url in addresses.items() if url},
        "items": [item(hit) for hit in answer.hits],
        "_metasearch": {
            "complete": answer.complete,
            "counts": counts_object(answer.counts),
            "expected": exact_number(answer.expected),
            "sources": [
                {
                    "source": report.source,
                    "status": report.status,
                    "error": line(str(report.error)) if report.error else None,
                }
                for report in answer.sources
            ],
        },
    }
    return orjson.dumps(feed, option=orjson.OPT_APPEND_NEWLINE)


def item(hit: Hit) -> dict[str, Any]:
    """A hit as an item of a feed."""
    record = hit.record
    date, url, pdf = published(record), link(record), web_url(record.pdf_url)
    members = {
        "id": urn(hit.id),
        "url": url,
        "title": full_title(record),
        "content_text": clean(record.abstract or "") or _where(record),
        "date_published": timestamp(date) if date else None,
        "authors": [_author(author) for author in record.authors],
        "tags": clean_all(record.keywords),
        "language": _language_of(record),
        "attachments": [{"url": pdf, "mime_type": "application/pdf"}] if pdf else [],
        "_metasearch": {
            "rank": hit.rank,
            "score": hit.score,
            "doi": clean_or_none(record.doi),
            "venue": clean_or_none(record.venue),
            "type": clean_or_none(record.type),
            "sources": clean_all(hit.sources),
        },
    }
    needed = ("id", "content_text")
    return {name: value for name, value in members.items() if value or name in needed}


def _where(record: Record) -> str:
    """Journal and year, for an item whose abstract is not known: an item must have content."""
    return " ".join(filter(None, (line(record.venue), str(record.year or ""))))


def _author(author: Author) -> dict[str, str]:
    known = {"name": line(author.name)}
    if author.orcid and _orcid.fullmatch(author.orcid):
        known["url"] = f"https://orcid.org/{author.orcid}"
    return known


def _language_of(record: Record) -> str | None:
    """The language where it is a code; a feed knows no words for languages."""
    code = record.language or ""
    return code if _language.fullmatch(code) else None
