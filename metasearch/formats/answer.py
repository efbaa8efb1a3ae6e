"""The JSON answer: field names and shapes that other programs rely on.

Every key is always there; an absent value is null, an absent list is []. Adding a key is free,
renaming one is not. This is the hot path of the server (some 200 hits a query), so objects are
built by hand, without reflection.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from metasearch.events import Answer, Counts, Paging, SourceReport, Totals
from metasearch.formats.text import (
    clean,
    clean_all,
    clean_map,
    clean_or_none,
    exact_number,
    web_url,
)
from metasearch.listing.facets import Facets
from metasearch.record import Author, Hit, Match, Reason, Record


def _author(author: Author) -> dict[str, Any]:
    return {
        "name": clean(author.name),
        "family": clean_or_none(author.family),
        "given": clean_or_none(author.given),
        "orcid": clean_or_none(author.orcid),
        "affiliation": clean_or_none(author.affiliation),
        "collective": author.collective,
    }


def _source(record: Record) -> dict[str, Any]:
    return {
        "source": clean(record.source),
        "position": exact_number(record.position),
        "id": clean_or_none(record.source_id),
        "url": web_url(record.url),
    }


def match_object(match: Match) -> dict[str, Any]:
    """One entry of "matches"."""
    return {
        "matcher": match.matcher,
        "verdict": match.verdict,
        "score": match.score,
        "because": clean(match.because),
        "left": clean(match.left),
        "right": clean(match.right),
    }


def reason_object(reason: Reason) -> dict[str, Any]:
    """One part of a hit's score: {"text", "points", "source"}."""
    return {"text": clean(reason.text), "points": reason.points, "source": reason.source}


def hit_object(hit: Hit) -> dict[str, Any]:
    """One entry of "hits"; `rank` and `score` are 0 before ranking."""
    record = hit.record
    return {
        "id": clean(hit.id),
        "rank": hit.rank,
        "score": hit.score,
        "reasons": [reason_object(r) for r in hit.reasons],
        "title": clean_or_none(record.title),
        "subtitle": clean_or_none(record.subtitle),
        "original_title": clean_or_none(record.original_title),
        "translated_title": clean_or_none(record.translated_title),
        "titles": clean_all(record.titles),
        "authors": [_author(a) for a in record.authors],
        "editors": [_author(a) for a in record.editors],
        "year": exact_number(record.year),
        "date": clean_or_none(record.date),
        "venue": clean_or_none(record.venue),
        "publisher": clean_or_none(record.publisher),
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
        "sources": [_source(r) for r in hit.records],
        "provenance": clean_map(hit.provenance),
        "matches": [match_object(m) for m in hit.matches],
        "versions": [
            {"kind": v.kind, "records": [clean(key) for key in v.records]} for v in hit.versions
        ],
    }


def report_object(report: SourceReport) -> dict[str, Any]:
    """One entry of "sources": how a database fared."""
    error = report.error
    return {
        "source": report.source,
        "status": report.status,
        "count": report.count,
        "total": exact_number(report.total),
        "seconds": report.seconds,
        "query": clean_or_none(report.query),
        "notes": [clean(n) for n in report.notes],
        "error": None
        if error is None
        else {
            "type": type(error).__name__,
            "message": clean(str(error)),
            "advice": clean_or_none(error.advice),
        },
        "cached": report.cached,
        "unread": report.unread,
        "filtered": report.filtered,
        "more": report.more,
    }


def counts_object(counts: Counts) -> dict[str, int]:
    """{"received", "unique", "duplicates"}, of all hits, whatever the limit cut off."""
    return {"received": counts.received, "unique": counts.unique, "duplicates": counts.duplicates}


def paging_object(paging: Paging) -> dict[str, Any]:
    """{"start", "count", "next"}: which part of the list this is, and where the one that follows
    begins, or null.
    """
    following = paging.next
    return {
        "start": paging.start,
        "count": paging.count,
        "next": None
        if following is None
        else {"start": following.start, "count": following.count, "link": following.link},
    }


def totals_object(totals: Totals | None) -> dict[str, Any] | None:
    """How many works there may be, with the bounds and in words what that rests on."""
    if totals is None:
        return None
    return {
        "seen": totals.seen,
        "least": totals.least,
        "most": exact_number(totals.most),
        "estimate": exact_number(totals.estimate),
        "reliable": totals.reliable,
        "basis": clean(totals.basis),
    }


def facets_object(facets: Facets | None) -> dict[str, Any] | None:
    """{"works", "facets": {name: {"values": [{"value", "count", "filter"}], "more", "missing"}}};
    null where no facet was asked for.
    """
    if facets is None:
        return None
    return {
        "works": facets.works,
        "facets": {
            facet.name: {
                "values": [
                    {
                        "value": clean(each.value),
                        "count": each.count,
                        "filter": clean(each.filter),
                    }
                    for each in facet.values
                ],
                "more": facet.more,
                "missing": facet.missing,
            }
            for facet in facets.facets
        },
    }


def answer_object(answer: Answer) -> dict[str, Any]:
    """The whole answer, of nothing but dicts, lists, strings, numbers, booleans and None."""
    return {
        "query": clean(answer.query),
        "complete": answer.complete,
        "counts": counts_object(answer.counts),
        "hits": [hit_object(h) for h in answer.hits],
        "sources": [report_object(r) for r in answer.sources],
        "seconds": answer.seconds,
        "merge_seconds": answer.merge_seconds,
        "dedup": answer.dedup,
        "paging": paging_object(answer.paging),
        "totals": totals_object(answer.totals),
        "syntax": answer.syntax,
        "notes": [clean(n) for n in answer.notes],
        "sort": answer.sort,
        "filter": clean(answer.filter),
        "facets": facets_object(answer.facets),
    }


def in_parts(
    document: Mapping[str, Any], name: str, items: Iterable[Mapping[str, Any]]
) -> Iterator[bytes]:
    """A document as one JSON line, item after item of its one long list.

    Args:
        document: With an empty list, or any, under that name; more stands before and behind it.
        name: Of the list.
        items: What the list holds in the end.
    """
    names = list(document)
    place = names.index(name)
    before = orjson.dumps({each: document[each] for each in names[:place]})
    behind = orjson.dumps({each: document[each] for each in names[place + 1 :]})
    opening = before[:-1] + b',"%b":[' % name.encode()
    for item in items:
        yield opening + orjson.dumps(item)
        opening = b","
    yield (b"" if opening == b"," else opening) + b"]," + behind[1:] + b"\n"


def write(answer: Answer) -> bytes:
    """The answer as one JSON document on one line, with a newline at its end."""
    return orjson.dumps(answer_object(answer), option=orjson.OPT_APPEND_NEWLINE)
