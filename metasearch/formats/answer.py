"""The JSON answer: field names and shapes that other programs rely on; and errors as objects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any

import orjson

from metasearch.events import Answer, Counts, Facets, Paging, SourceReport, Totals
from metasearch.formats.text import (
    clean,
    clean_all,
    clean_map,
    clean_or_none,
    exact_number,
    is_clean,
    web_url,
)
from metasearch.record import (
    PEOPLE,
    TEXTS,
    WRITTEN,
    Author,
    Hit,
    Match,
    Reason,
    Record,
)

# JSON of what databases sent, without what no format may let through (text.py). Nearly every object
# is clean. So it is first written as it is and looked at as a whole, which costs a fraction of a
# look at each of its texts; only where something is amiss, each text is cleaned.

#: How orjson writes control characters that are no tab and no newline. A backslash before one of
#: these letters looks the same; its object is cleaned for nothing.
_CONTROL = re.compile(rb"\\[bfru]")
#: With which bytes all unwanted characters begin in UTF-8; few letters of Europe and none of East
#: Asia do.
_SUSPECT = (b"\x7f", b"\xc2", b"\xe2", b"\xef", b"\xf3")
#: ASCII that no JSON has as it is, or that is never unwanted.
_ASCII = bytes(range(0x7F))
#: Texts that stay "" where nothing is left of them; others become null.
_NEVER_NULL = frozenset(
    ("name", "text", "source", "kind", "matcher", "verdict", "because", "left", "right")
)


def clean_json(made: Mapping[str, Any]) -> bytes | None:
    """The object as JSON; None where something in it must be cleaned before, or seems so."""
    try:
        data = orjson.dumps(made, option=orjson.OPT_STRICT_INTEGER)
    except TypeError:  # a lone surrogate, or a number that is not exact in every reader of JSON
        return None
    if b"\\" in data and _CONTROL.search(data):
        return None
    for byte in _SUSPECT:
        if byte in data:
            return data if is_clean(data.translate(None, _ASCII).decode()) else None
    return data


def clean_object(made: Mapping[str, Any]) -> dict[str, Any]:
    """The object with every text cleaned, and null for numbers that are not exact in every reader
    of JSON.

    `made`: its values are texts, numbers, lists and tuples of texts, lists of such objects, and
    tables of texts.
    """
    return {name: _clean_value(name, value) for name, value in made.items()}


def _clean_value(name: str, value: Any) -> Any:
    match value:
        case str():
            return clean(value) if name in _NEVER_NULL else clean_or_none(value)
        case bool():
            return value
        case int():
            return exact_number(value)
        case [{}, *_]:
            return [clean_object(each) for each in value]
        case list() | tuple():
            return clean_all(value)
        case dict():
            return clean_map(value)
        case _:
            return value


# The JSON answer: field names and shapes that other programs rely on. Every key is always there; an
# absent value is null, an absent list is []. Adding a key is free, renaming one is not. This is the
# hot path of the server (some 200 hits a query), so the fields of a record are taken all at once,
# and a hit is looked at once for what must be cleaned.

_values = attrgetter(*WRITTEN)
#: Those of several values, which orjson writes as lists.
_MANY = (*PEOPLE, *TEXTS)
#: Marks where the hits of an answer belong: JSON on one line has it nowhere else.
_GAP = b"\n"


def _people(authors: Iterable[Author]) -> list[dict[str, Any]]:
    return [
        {
            "name": author.name,
            "family": author.family or None,
            "given": author.given or None,
            "orcid": author.orcid or None,
            "affiliation": author.affiliation or None,
            "collective": author.collective,
            "suffix": author.suffix or None,
        }
        for author in authors
    ]


def _source(record: Record, url: str | None) -> dict[str, Any]:
    return {
        "source": record.source,
        "position": record.position,
        "id": record.source_id or None,
        "url": url,
    }


def match_object(match: Match) -> dict[str, Any]:
    """One entry of "matches"."""
    return clean_object(_match(match))


def _match(match: Match) -> dict[str, Any]:
    return {
        "matcher": match.matcher,
        "verdict": match.verdict,
        "score": match.score,
        "because": match.because,
        "left": match.left,
        "right": match.right,
    }


def reason_object(reason: Reason) -> dict[str, Any]:
    """One part of a hit's score: {"text", "points", "source"}."""
    return {"text": clean(reason.text), "points": reason.points, "source": reason.source}


def hit_object(hit: Hit) -> dict[str, Any]:
    """One entry of "hits"; `rank` and `score` are 0 before ranking."""
    made = _hit(hit)
    if clean_json(made) is None:
        return _clean_hit(made)
    return made | {name: [*made[name]] for name in _MANY}


def hit_json(hit: Hit) -> bytes:
    made = _hit(hit)
    return clean_json(made) or orjson.dumps(_clean_hit(made))


def _clean_hit(made: Mapping[str, Any]) -> dict[str, Any]:
    return clean_object(made) | {"id": clean(made["id"])}  # the one of a hit is never null


def _hit(hit: Hit) -> dict[str, Any]:
    """Texts and numbers as the databases sent them; only addresses are safe."""
    record = hit.record
    address, url = record.url, web_url(record.url)  # nearly always also that of a source
    made: dict[str, Any] = {
        "id": hit.id,
        "rank": hit.rank,
        "score": hit.score,
        "reasons": [
            {"text": reason.text, "points": reason.points, "source": reason.source}
            for reason in hit.reasons
        ],
    }
    values = _values(record)
    if "" in values:
        values = tuple([None if value == "" else value for value in values])
    made.update(zip(WRITTEN, values, strict=True))
    for name in PEOPLE:
        if made[name]:
            made[name] = _people(made[name])
    made["ids"] = {**record.ids}
    made["url"] = url
    if record.pdf_url:
        made["pdf_url"] = web_url(record.pdf_url)
    made["sources"] = [
        _source(each, url if each.url is address else web_url(each.url)) for each in hit.records
    ]
    made["provenance"] = {**hit.provenance}
    made["matches"] = [_match(match) for match in hit.matches]
    made["versions"] = [
        {"kind": version.kind, "records": [*version.records]} for version in hit.versions
    ]
    return made


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
    """{"start", "count", "next"}: which part of the list this is, and where the next begins."""
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
    return answer_around(answer, [hit_object(hit) for hit in answer.hits])


def answer_json(answer: Answer) -> tuple[bytearray, memoryview]:
    """The answer as one JSON document on one line, with a newline at its end; and the part of it
    that is the list of hits.

    A thousand hits take two megabytes. Each copy of them, or a list of them one by one, would be
    fresh memory, which costs a tenth of all the writing.
    """
    around = orjson.dumps(
        answer_around(answer, orjson.Fragment(_GAP)), option=orjson.OPT_APPEND_NEWLINE
    )
    before, _, behind = around.partition(_GAP)
    body = bytearray(before)
    body += b"["
    separator = b""
    for hit in answer.hits:
        body += separator
        body += hit_json(hit)
        separator = b","
    body += b"]"
    end = len(body)
    body += behind
    return body, memoryview(body)[len(before) : end]


def answer_around(answer: Answer, hits: Any) -> dict[str, Any]:
    """`answer_object` with something else as its hits."""
    return {
        "query": clean(answer.query),
        "complete": answer.complete,
        "counts": counts_object(answer.counts),
        "hits": hits,
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
    """A document as one JSON line, item after item of its one long list. `document`: with an empty
    list, or any, under that name; more stands before and behind it.
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
    return bytes(answer_json(answer)[0])
