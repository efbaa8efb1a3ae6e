"""PubMed and its sisters answer a search in two steps: esearch returns ids by relevance, efetch
returns their records.

One esearch asks for as many ids as the search wants at a time; the efetch requests that follow
carry a page of ids each, in `cursor` (which no server sees) the ids that are left, and in `after`
the esearch for the ids that follow. So every request is a function of the one before it, as with
any other source, and a cached step is found again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from metasearch.adapters.hooks.reserved_words import quote_words
from metasearch.adapters.parse.parse import PageContent, Steps, body_steps, map_records
from metasearch.adapters.request import Page, Request
from metasearch.adapters.select.xml import parse_xml, text_of
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.translate.plan import Plan, plan_request
from metasearch.bib import texts as markup
from metasearch.errors import RateLimited, SourceSaysError
from metasearch.message import message
from metasearch.query.tree import Query
from metasearch.record import Record

#: Parameters of esearch that efetch takes as well.
_SHARED = frozenset({"db", "tool", "email", "api_key"})


def plan(
    query: Query, spec: AdapterSpec, wanted: int, env: Mapping[str, str], depth: int | None = None
) -> Plan:
    """The esearch request, for all ids that the search wants at a time.

    A word with "_" is in quotes: else PubMed takes it apart, and leaves out what it does not know.
    """
    planned = plan_request(quote_words(query, lambda word: "_" in word), spec, wanted, env, depth)
    count = min(depth or wanted, planned.request.wanted)
    request = replace(planned.request.with_params(retmax=str(count)), step="esearch", size=count)
    return replace(planned, request=request)


def steps(page: Page, spec: AdapterSpec) -> Steps:
    """Ids and a request for their records, or records at the ranks that esearch gave them.

    The body itself shows which step it answers, so that saved files can be read. Raises
    SourceSaysError: the body is an error message; RateLimited: the body reports too many requests.
    """
    found = _search_result(page.body)
    if found is not None:
        return _after_search(found, page, spec)
    asked = dict(page.request.params).get("id")
    if page.request.step != "efetch" or not isinstance(asked, str):
        return (yield from body_steps(page, spec))
    ranks = {pmid: rank for rank, pmid in enumerate(asked.split(","), page.request.start + 1)}
    parsed = yield from _at_ranks(body_steps(page, spec), ranks)
    return replace(parsed, next=_fetch(page.request, spec, page.request.cursor))


def _at_ranks(steps: Steps, ranks: Mapping[str, int]) -> Steps:
    """The same steps, each record at its id's rank."""

    def with_ranks(records: tuple[Record, ...]) -> tuple[Record, ...]:
        return tuple(replace(r, position=ranks.get(r.source_id, r.position)) for r in records)

    parsed = yield from map_records(steps, with_ranks)
    return replace(parsed, records=with_ranks(parsed.records))


@dataclass(frozen=True, slots=True)
class _SearchResult:
    """The answer of esearch, as JSON or XML alike."""

    ids: tuple[str, ...]
    count: int | None
    error: str
    translation: str
    not_found: tuple[str, ...]
    ignored: tuple[str, ...]
    messages: tuple[str, ...]


def _after_search(found: _SearchResult, page: Page, spec: AdapterSpec) -> PageContent:
    if found.error and not found.ids:
        if "rate limit" in found.error.lower():
            raise RateLimited(spec.name, url=page.request.log_url)
        raise SourceSaysError(
            spec.name,
            message("the database reports: {text}", text=found.error[:300]),
            url=page.request.log_url,
        )
    notes: list[str] = [
        message(
            "not found in {label}, and left out of the search: {phrase}",
            label=spec.label,
            phrase=phrase,
        )
        for phrase in found.not_found
    ]
    notes += [
        message("ignored by {label}: {phrase}", label=spec.label, phrase=phrase)
        for phrase in found.ignored
    ]
    notes += found.messages
    if found.translation:
        notes.append(
            message(
                "{label} searched for {translation}",
                label=spec.label,
                translation=found.translation[:300],
            )
        )
    planned = page.request.step == "esearch"
    ids = found.ids[: page.request.size if planned else page.request.wanted]
    after = _search_on(page.request, spec, len(ids), found.count) if planned else None
    request = replace(page.request, after=after)
    return PageContent(
        total=found.count,
        next=_fetch(request, spec, ",".join(ids)),
        notes=tuple(notes),
        left_out=bool(found.not_found or found.ignored),
    )


def _search_on(request: Request, spec: AdapterSpec, got: int, total: int | None) -> Request | None:
    """The esearch for the ids that follow, or None where there are none or no more are wanted."""
    start = request.start + got
    limit = min(request.wanted, spec.paging.window, request.wanted if total is None else total)
    if got < request.size or start >= limit:
        return None
    size = min(request.size, spec.paging.window - start)
    return replace(
        request.with_params(retstart=str(start), retmax=str(size)),
        start=start,
        size=size,
        after=None,
    )


def _fetch(request: Request, spec: AdapterSpec, ids: str | None) -> Request | None:
    """The efetch request for the first page of these ids; without ids, what was to follow."""
    if not ids:
        return request.after
    pmids = ids.split(",")
    chunk, rest = pmids[: spec.paging.size], pmids[spec.paging.size :]
    shared = tuple(pair for pair in request.params if pair[0] in _SHARED)
    return replace(
        request,
        url=_sibling(request.url),
        params=(*shared, ("id", ",".join(chunk)), ("retmode", "xml")),
        step="efetch",
        start=request.start + request.size if request.step == "efetch" else request.start,
        size=len(chunk),
        cursor=",".join(rest) or None,
    )


def _sibling(url: str) -> str:
    folder, _, program = url.rpartition("/")
    fetching = re.sub("esearch|elink", "efetch", program, count=1)
    fetching = fetching if "efetch" in fetching else "efetch.fcgi"
    return f"{folder}/{fetching}"


def _search_result(body: bytes) -> _SearchResult | None:
    """The answer of esearch, or None where the body is something else."""
    start = body[:400].lower()
    try:
        if b"<esearchresult" in start:
            return _from_xml(parse_xml(body.strip()))
        if b'"esearchresult"' in start:
            return _from_json(orjson.loads(body)["esearchresult"])
        if b'"elink"' in start:
            return _from_links(orjson.loads(body))
    except (ValueError, KeyError, TypeError):
        return None
    return None


def _from_json(result: Mapping[str, Any]) -> _SearchResult:
    errors, warnings = _table(result.get("errorlist")), _table(result.get("warninglist"))
    count = str(result.get("count", ""))
    return _SearchResult(
        ids=_ids(result.get("idlist") or ()),
        count=int(count) if count.isdecimal() else None,
        error=markup.plain(str(result.get("ERROR") or result.get("error") or "")),
        translation=markup.plain(str(result.get("querytranslation") or "")),
        not_found=_texts([*_list(errors, "phrasesnotfound"), *_list(errors, "fieldsnotfound")]),
        ignored=_texts(
            [*_list(warnings, "phrasesignored"), *_list(warnings, "quotedphrasesnotfound")]
        ),
        messages=_texts(_list(warnings, "outputmessages")),
    )


def _from_links(answer: Mapping[str, Any]) -> _SearchResult:
    """The answer of elink, which names the works that cite one, or those that it cites."""
    found = [
        link
        for links in answer.get("linksets") or ()
        for database in links.get("linksetdbs") or ()
        for link in database.get("links") or ()
    ]
    ids = _ids(found)
    return _SearchResult(ids, len(ids), str(answer.get("ERROR") or ""), "", (), (), ())


def _from_xml(root: Any) -> _SearchResult:
    def texts(*paths: str) -> tuple[str, ...]:
        return _texts(text_of(node) for path in paths for node in root.iterfind(path))

    count = markup.plain(root.findtext("Count") or "")
    return _SearchResult(
        ids=_ids(node.text for node in root.iterfind("IdList/Id")),
        count=int(count) if count.isdecimal() else None,
        error=" ".join(texts("ERROR")),
        translation=markup.plain(root.findtext("QueryTranslation") or ""),
        not_found=texts("ErrorList/PhraseNotFound", "ErrorList/FieldNotFound"),
        ignored=texts("WarningList/PhraseIgnored", "WarningList/QuotedPhraseNotFound"),
        messages=texts("WarningList/OutputMessage"),
    )


def _ids(found: Iterable[Any]) -> tuple[str, ...]:
    texts = (str(item or "").strip() for item in found)
    return tuple(dict.fromkeys(text for text in texts if text.isdecimal()))


def _texts(found: Iterable[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text[:200] for item in found if (text := markup.plain(str(item)))))


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(table: Mapping[str, Any], key: str) -> list[Any]:
    value = table.get(key)
    return value if isinstance(value, list) else []
