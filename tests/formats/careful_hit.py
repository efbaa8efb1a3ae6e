"""A hit of the JSON answer, written the slow way: each text and number is looked at by itself. What
`formats/answer.py` writes is held against it.
"""

from __future__ import annotations

from typing import Any

from metasearch.formats.text import (
    clean,
    clean_all,
    clean_map,
    clean_or_none,
    exact_number,
    web_url,
)
from metasearch.record import Author, Hit, Match, Reason, Record


def _author(author: Author) -> dict[str, Any]:
    return {
        "name": clean(author.name),
        "family": clean_or_none(author.family),
        "given": clean_or_none(author.given),
        "orcid": clean_or_none(author.orcid),
        "affiliation": clean_or_none(author.affiliation),
        "collective": author.collective,
        "suffix": clean_or_none(author.suffix),
    }


def _source(record: Record) -> dict[str, Any]:
    return {
        "source": clean(record.source),
        "position": exact_number(record.position),
        "id": clean_or_none(record.source_id),
        "url": web_url(record.url),
    }


def _match(match: Match) -> dict[str, Any]:
    return {
        "matcher": match.matcher,
        "verdict": match.verdict,
        "score": match.score,
        "because": clean(match.because),
        "left": clean(match.left),
        "right": clean(match.right),
    }


def _reason(reason: Reason) -> dict[str, Any]:
    return {"text": clean(reason.text), "points": reason.points, "source": reason.source}


def careful_hit(hit: Hit) -> dict[str, Any]:
    """One entry of "hits"."""
    record = hit.record
    return {
        "id": clean(hit.id),
        "rank": hit.rank,
        "score": hit.score,
        "reasons": [_reason(r) for r in hit.reasons],
        "title": clean_or_none(record.title),
        "subtitle": clean_or_none(record.subtitle),
        "original_title": clean_or_none(record.original_title),
        "translated_title": clean_or_none(record.translated_title),
        "titles": clean_all(record.titles),
        "authors": [_author(a) for a in record.authors],
        "editors": [_author(a) for a in record.editors],
        "translators": [_author(a) for a in record.translators],
        "year": exact_number(record.year),
        "date": clean_or_none(record.date),
        "venue": clean_or_none(record.venue),
        "publisher": clean_or_none(record.publisher),
        "place": clean_or_none(record.place),
        "institution": clean_or_none(record.institution),
        "edition": clean_or_none(record.edition),
        "volume": clean_or_none(record.volume),
        "issue": clean_or_none(record.issue),
        "pages": clean_or_none(record.pages),
        "doi": clean_or_none(record.doi),
        "ids": clean_map(record.ids),
        "version": clean_or_none(record.version),
        "isbn": clean_all(record.isbn),
        "issn": clean_all(record.issn),
        "url": web_url(record.url),
        "pdf_url": web_url(record.pdf_url),
        "type": clean_or_none(record.type),
        "language": clean_or_none(record.language),
        "abstract": clean_or_none(record.abstract),
        "keywords": clean_all(record.keywords),
        "subjects": clean_all(record.subjects),
        "citations": exact_number(record.citations),
        "open_access": clean_or_none(record.open_access),
        "licence": clean_or_none(record.licence),
        "retracted": record.retracted,
        "funders": clean_all(record.funders),
        "references": clean_all(record.references),
        "notices": clean_all(record.notices),
        "sources": [_source(r) for r in hit.records],
        "provenance": clean_map(hit.provenance),
        "matches": [_match(m) for m in hit.matches],
        "versions": [
            {"kind": v.kind, "records": [clean(key) for key in v.records]} for v in hit.versions
        ],
    }
