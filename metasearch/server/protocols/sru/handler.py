"""`/sru` and `/sru/NAME`: a request of SRU in, also in a SOAP envelope, its answer out."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from contextlib import aclosing
from dataclasses import replace
from urllib.parse import urlencode

from aiohttp import web
from lxml import etree
from multidict import MultiDict, MultiMapping

from metasearch.adapters.select.xml import parse_xml
from metasearch.engine.options import SearchOptions
from metasearch.errors import UnknownSource, UsageError
from metasearch.events import Answer
from metasearch.formats.failures import reasons
from metasearch.server.forms import read_parameters, whole_body
from metasearch.server.identity import owner
from metasearch.server.limits import Options
from metasearch.server.limits.client_limits import USER
from metasearch.server.problem import Problem
from metasearch.server.protocols.sru.parameters import (
    RequestReader,
    SearchRequest,
    head_of,
    most_records,
)
from metasearch.server.protocols.sru.responses import (
    ZEEREX,
    ScanRequest,
    ScanTerm,
    begin,
    diagnostics,
    echo,
    explanation,
    known_terms,
    pack,
    read_scan,
    refusal,
    scan_response,
    search_response,
    window,
)
from metasearch.server.protocols.sru.vocabulary import (
    RESPONSES,
    V1_1,
    SruDiagnostic,
    SruRefusal,
)
from metasearch.server.search import WRITTEN_AT_ONCE
from metasearch.server.search_answers import (
    SEARCH_ID,
    no_answer_problem,
    search_of,
    status_of,
)
from metasearch.server.site import SHARED, site_of
from metasearch.server.suggest import join_completions as completed
from metasearch.server.visit import with_sources

# SRU in SOAP envelopes, as YAZ sends it unless told otherwise.

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
MEDIA_TYPES = frozenset({"text/xml", "application/xml", "application/soap+xml"})
#: Bytes of an envelope besides its query, and of each character of the query.
_REST, _WIDEST = 16_384, 6
_MOST_PARAMETERS = 100


async def read(request: web.Request, options: Options) -> MultiDict[str]:
    """The parameters in the envelope, `operation` among them."""
    most = _WIDEST * options.max_query + _REST
    body = await whole_body(request, options, most)
    try:
        root = parse_xml(body)
    except ValueError as error:
        raise _no_envelope() from error
    requests = [child for part in root if _name(part) == "Body" for child in part]
    operation = _name(requests[0]).removesuffix("Request") if requests else ""
    if _name(root) != "Envelope" or operation not in RESPONSES:
        raise _no_envelope()
    parameters = MultiDict({"operation": operation})
    for element in requests[0][:_MOST_PARAMETERS]:
        parameters.add(_name(element), element.text or "")
    return parameters


def wrap(root: etree._Element) -> etree._Element:
    envelope = etree.Element(f"{{{SOAP}}}Envelope", nsmap={"SOAP": SOAP})
    etree.SubElement(envelope, f"{{{SOAP}}}Body").append(root)
    return envelope


def _name(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _no_envelope() -> Problem:
    return Problem(
        400,
        None,
        "The body is no SOAP envelope with a request of SRU. Clients of YAZ send GET after "
        "`sru GET 1.2` (yaz-client) or with the option sru=get (ZOOM).",
    )


# How many records of each source the pages of a list are made of, as the first page wanted. A page
# is filled by the first records of each source, so a large one asks each source for more
# (docs/paging.md). With another number the list would be another one. Clients change
# `maximumRecords` from page to page (YAZ asks for what is missing of a page, people for the next
# five), so the number of the first page holds for the pages behind it.

#: Lists that are remembered, in some 100 bytes each; the one that was used longest ago is forgotten
#: first.
MOST_LISTS = 1_000


class Lists:
    """The lists that clients have begun; only hashes are kept, of queries too."""

    def __init__(self) -> None:
        self._depths: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._depths)

    async def close(self) -> None:
        self._depths.clear()

    def depth(self, user: Hashable, options: SearchOptions, wanted: int) -> int:
        """Records that each source is asked for in a round. `wanted`: records that would fill the
        page of this request.
        """
        name = _name_of(user, options)
        known = self._depths.pop(name, wanted)
        depth = known if options.start else wanted
        self._depths[name] = depth
        if len(self._depths) > MOST_LISTS:
            del self._depths[next(iter(self._depths))]
        return depth


def _name_of(user: Hashable, options: SearchOptions) -> bytes:
    """Of a list: a user, and what decides which works are listed and how."""
    parts = repr((user, options.query, options.sources, options.filter, options.sort))
    return hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).digest()


async def answer(request: web.Request) -> web.Response:
    """Answers a request of SRU; what is wrong with it stands in diagnostics."""
    shared = request.app[SHARED]
    in_envelope = request.method == "POST" and request.content_type in MEDIA_TYPES
    parameters: MultiMapping[str]
    if in_envelope:
        parameters = await read(request, shared.options)
        # An envelope of 2.0 does not exist.
        head = head_of(parameters, V1_1)
    else:
        parameters = await read_parameters(request, shared.options)
        head = head_of(parameters)
    reader = RequestReader(head, parameters, request.match_info.get("database", ""))
    status, headers = 200, {"Cache-Control": "no-store"}
    try:
        if head.refused is not None:
            raise head.refused
        root = await _answer(request, reader, headers)
    except SruRefusal as refused:
        root = refusal(head, refused.diagnostic)
    except Problem as problem:
        if problem.status not in (429, 503):
            raise
        status, headers = problem.status, {**headers, **problem.headers}
        root = refusal(head, SruDiagnostic(2, problem.detail))
    if in_envelope:
        root = wrap(root)
    large = root.xpath("count(//*) > 20000")
    body = await shared.admission.written(lambda: _bytes(root), large=bool(large))
    return web.Response(
        body=body, status=status, content_type="text/xml", charset="utf-8", headers=headers
    )


def _bytes(root: etree._Element) -> bytes:
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


async def _answer(
    request: web.Request, reader: RequestReader, headers: dict[str, str]
) -> etree._Element:
    """The answer to a request with a known operation. Raises Refused: it cannot be carried out."""
    shared = request.app[SHARED]
    if reader.database:
        _check_database(request, reader.database)
    match reader.head.operation:
        case "explain":
            async with shared.admission.brief():
                return _explain(request, reader)
        case "scan":
            reader.check()
            async with shared.admission.brief():
                return await _scan(request, reader)
    reader.check()
    text, least = reader.text("query"), shared.engine.settings.per_source
    wanted = await shared.admission.computing.read(
        request[USER], text, lambda: reader.search(shared.options, least)
    )
    wanted = replace(wanted, options=with_sources(request, wanted.options))
    wanted = _with_depth(request, wanted)
    answered = await _search(request, text, wanted)
    status = status_of(answered)
    if status != 200:
        raise SruRefusal(2, no_answer_problem(answered, status, {}).detail)
    start, seen = wanted.options.start, answered.counts.unique
    # A page that nextRecordPosition announced may turn out to be empty.
    known = max(seen, wanted.options.per_source or 0, 1)
    ended = not answered.running and answered.paging.next is None
    if ended and not answered.hits and start >= known:
        raise SruRefusal(61, f"startRecord {start + 1}; the list has {seen} works")
    if answered.complete:
        headers["Cache-Control"] = f"private, max-age={shared.options.max_age}"
    head, site = reader.head, site_of(request)
    # Another filter begins another list.
    shown = {
        name: value
        for name, value in reader.given.items()
        if name not in ("x-filter", "startRecord")
    }
    filters = reader.text("x-filter")

    def address(filter_: str) -> str:
        narrowed = {**shown, "x-filter": f"{filters},{filter_}" if filters else filter_}
        return f"{site.base}{request.path}?{urlencode(narrowed, errors='replace')}"

    return await shared.admission.written(
        lambda: search_response(
            head,
            wanted,
            answered,
            echoed=reader.echo_pairs(),
            warnings=[*_partial(answered), *wanted.facets.unknown],
            address=address,
        ),
        large=len(answered.hits) > WRITTEN_AT_ONCE,
    )


def _check_database(request: web.Request, name: str) -> None:
    """Check that the path names a source or a group. Raises Refused: it does not."""
    registry = request.app[SHARED].engine.registry
    try:
        for source in registry.expand([name]):
            registry.spec(source)
    except UsageError as error:
        raise SruRefusal(235, name) from error


def _with_depth(request: web.Request, wanted: SearchRequest) -> SearchRequest:
    """The request with the number of records of each source that its list is made of."""
    lists = request.app[SHARED].kept("sru", Lists)
    options = wanted.options
    depth = lists.depth(request[USER], options, options.per_source or 0)
    return replace(wanted, options=replace(options, per_source=depth))


async def _search(request: web.Request, text: str, wanted: SearchRequest) -> Answer:
    """The answer of the search for a text; a finished one of the last minute, if any."""
    shared = request.app[SHARED]
    settings, options = shared.engine.settings, wanted.options
    await shared.engine.ready(options.sources or ())
    timeout = min(options.timeout or settings.timeout, shared.options.max_timeout)
    wait = None if settings.wait is None else min(settings.wait, timeout)
    try:
        prepared = await search_of(
            shared, text, options, timeout=timeout, wait=wait, user=request[USER]
        )
    except UnknownSource as error:
        raise SruRefusal(6, f"x-sources: {error}. {error.advice}") from error
    except UsageError as error:
        raise SruRefusal(6, f"{error}. {error.advice}") from error
    request[SEARCH_ID] = prepared.id
    if prepared.joins:  # nothing is asked of any source
        async with shared.admission.brief():
            pass
        async with aclosing(prepared):
            answered = await prepared
    else:
        await shared.wing.count_search(request, options)
        with await shared.admission.enter(request[USER]):
            async with aclosing(prepared):
                answered = await prepared
    if not answered.running:  # else the later request for the whole answer counts
        shared.metrics.count_search(answered)
        shared.suggestions.learn(answered.query, answered, owner(request))
    return answered


def _partial(answered: Answer) -> list[SruDiagnostic]:
    """The diagnostic of an answer that lacks sources."""
    missing = [report for report in answered.sources if report.failed or report.status == "running"]
    if not missing:
        return []
    return [SruRefusal(59, "; ".join(reasons(missing))).diagnostic]


def _explain(request: web.Request, reader: RequestReader) -> etree._Element:
    """The explain record; a parameter that cannot be used is named beside it."""
    head, suggests = reader.head, request.app[SHARED].options.suggest
    as_text, wrong = False, []
    try:
        reader.check()
        as_text = reader.as_text()
    except SruRefusal as refused:
        wrong = [refused.diagnostic]
    root = begin(head)
    most = most_records(request.app[SHARED].options)
    record = explanation(
        site_of(request), reader.database, head.version, most=most, suggests=suggests
    )
    pack(root, head.version, ZEEREX, record, as_text=as_text)
    echo(root, head, reader.echo_pairs())
    diagnostics(root, head, wrong)
    return root


async def _scan(request: web.Request, reader: RequestReader) -> etree._Element:
    wanted = read_scan(reader)
    terms = known_terms(wanted.field)
    if terms is not None:
        return scan_response(reader.head, reader, window(terms, wanted))
    return scan_response(reader.head, reader, await _completions(request, wanted))


async def _completions(request: web.Request, wanted: ScanRequest) -> list[ScanTerm]:
    """Words that this user, or the operator, has searched for and that begin with the term. Raises
    Refused: the server suggests nothing, or the index is of something else.
    """
    shared, user = request.app[SHARED], owner(request)
    if not shared.options.suggest or wanted.field not in ("any", "title"):
        raise SruRefusal(4, "scan of this index; those of types and languages can be scanned")
    own = shared.suggestions.complete(wanted.term, user, wanted.maximum)
    others = await shared.peers.completions(wanted.term, user) if user else ()
    texts = (each.text for each in completed([own, *others], wanted.maximum))
    terms = sorted(map(ScanTerm, texts), key=lambda term: term.value.casefold())
    # The list begins with the term: nothing before it is known.
    return terms if wanted.position > 0 else terms[1:]
