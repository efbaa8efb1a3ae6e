"""`/pazpar2/search.pz2`: a command of pazpar2 in, its answer out; each command is a coroutine that
returns its document.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from urllib.parse import unquote_to_bytes

import orjson
from aiohttp import web
from lxml import etree
from multidict import MultiDict, MultiMapping

from metasearch.engine.options import SearchOptions
from metasearch.errors import UsageError
from metasearch.events import Answer
from metasearch.formats.iso2709 import encode
from metasearch.formats.marc import element, marc_data
from metasearch.record import Hit
from metasearch.server.forms import read_parameters
from metasearch.server.identity import owner
from metasearch.server.limits.client_limits import USER
from metasearch.server.middleware import count, failure
from metasearch.server.problem import Problem
from metasearch.server.protocols.pazpar2 import documents
from metasearch.server.protocols.pazpar2.parameters import (
    BLOCKED,
    ENCODING,
    FACET_OF,
    MALFORMED,
    NO_RECORD,
    NO_SERVICE,
    NO_SESSION,
    NOT_IMPLEMENTED,
    RECORD_FAILED,
    SEARCH_FAILED,
    STATUS,
    CommandParameters,
    CommandRefusal,
    SortKey,
    allowed_sources,
    in_order,
    search_command,
    settings_of,
    sort_keys,
    targets,
)
from metasearch.server.protocols.pazpar2.sessions import (
    Pazpar2Session,
    Pazpar2Sessions,
    SearchProgress,
    Sender,
)
from metasearch.server.search_answers import search_of
from metasearch.server.site import SHARED, ServerContext
from metasearch.server.sources import labels


@dataclass(frozen=True, slots=True)
class Room:
    """What all commands use."""

    shared: ServerContext
    sessions: Pazpar2Sessions


@dataclass(frozen=True, slots=True)
class Original:
    """A record as a source has it, instead of a document of the protocol."""

    body: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Command:
    room: Room
    asker: Sender
    given: CommandParameters
    session: Pazpar2Session

    @property
    def labels(self) -> Mapping[str, str]:
        """Source -> its name for people, of those that are asked."""
        progress = self.session.progress
        return {} if progress is None else labels(self.room.shared.engine, progress.reports)


# The commands that read the list of a session as it is now.

#: Works of one answer, where a request does not say how many, and at most.
_SHOWN, _MOST_SHOWN = 20, 200
#: Terms of a list, likewise.
_TERMS, MOST_TERMS = 15, 100
_MOST_LISTS = 50
_LAST_START = 1_000_000
#: Works that are sorted on the loop.
_SORTED_AT_ONCE = 300
#: Records of a page that are written on the loop; more take so long that a thread writes them.
_WRITTEN_AT_ONCE = 200
_MARCXML = "http://www.loc.gov/MARC21/slim"
#: Record syntaxes that an original record is written in.
_SYNTAXES = ("", "marcxml", "marc21", "usmarc", "xml")


async def show(command: Command) -> etree._Element:
    """A page of the list. Raises CommandRefused: as by the other commands here: a parameter cannot
    be read, or the search failed.
    """
    given, session = command.given, command.session
    keys = sort_keys(given.text("sort"))
    start = given.number("start", 0, _LAST_START)
    number = given.number("num", _SHOWN, _MOST_SHOWN)
    version = given.number("version", 0, 100)
    if given.flag("block"):
        await _until_works(command, "show", report_error=given.text("report") == "1")
    progress = _progress_of(session)
    hits = await _in_order(command, progress, keys) if progress is not None else []
    page = hits[start : start + number]
    # Now: a thread may write what the loop must not change meanwhile.
    write = partial(
        documents.show,
        page,
        active=progress.active if progress is not None else 0,
        merged=len(hits),
        total=progress.total if progress is not None else 0,
        start=start,
        labels=command.labels,
        relevance=keys[0].sort == "relevance",
        version=version,
    )
    large = sum(len(hit.records) for hit in page) > _WRITTEN_AT_ONCE
    return await command.room.shared.admission.written(write, large=large)


async def record(command: Command) -> etree._Element | Original:
    """A work, or the record of it that one source has."""
    given, session = command.given, command.session
    name = given.required("id")
    progress = _progress_of(session)
    if progress is None:
        raise CommandRefusal(NO_RECORD, name[:100])
    if not progress.lists(name) and "record" not in session.waiting:
        with session.hold("record"):  # it may come while the search runs
            await progress.until(lambda: progress.lists(name))
    hits = await _in_order(command, progress, progress.keys)
    place = progress.place(name, hits)
    if place is None:
        raise CommandRefusal(NO_RECORD, name[:100])
    if given.text("offset") or given.text("checksum"):
        return _original(given, hits[place])
    return documents.record(progress, hits, place, name, command.labels)


def _original(given: CommandParameters, hit: Hit) -> Original:
    """One record of a work as its source has it, as MARCXML, or as the bytes of MARC 21."""
    syntax = given.text("syntax")
    if syntax.lower() not in _SYNTAXES:
        raise CommandRefusal(RECORD_FAILED, f"syntax: {syntax[:40]!r} is none; there is marcxml")
    if number := given.text("checksum"):
        own = next((own for own in hit.records if str(documents.checksum(own)) == number), None)
        if own is None:
            raise CommandRefusal(RECORD_FAILED, f"checksum: {number[:20]} is none of this work")
    else:
        offset = given.number("offset", 0, 10**6)
        if offset >= len(hit.records):
            last = len(hit.records) - 1
            raise CommandRefusal(RECORD_FAILED, f"offset: {offset}; the last record has {last}")
        own = hit.records[offset]
    marc = marc_data(Hit(id=own.key, record=own, records=(own,), provenance={}), None)
    if given.flag("binary"):
        return Original(encode(marc), "application/octet-stream")
    document = f'<?xml version="1.0" encoding="UTF-8"?>\n{element(marc, namespace=_MARCXML)}'
    return Original(document.encode(), "text/xml")


async def termlist(command: Command) -> etree._Element:
    """Facets, and the sources with the numbers of their hits."""
    given = command.given
    names = [name.strip() for name in given.text("name").split(",") if name.strip()]
    if not names or names == ["*"]:
        names = list(FACET_OF)
    if len(names) > _MOST_LISTS:
        raise CommandRefusal(MALFORMED, f"name: more than {_MOST_LISTS} lists")
    most = given.number("num", _TERMS, MOST_TERMS)
    if given.text("block") == "1":
        await _until_works(command, "termlist", report_error=given.text("report") == "error")
    progress = _progress_of(command.session)
    return documents.termlist(progress, dict.fromkeys(names), most, command.labels)


async def bytarget(command: Command) -> etree._Element:
    """How each source fares."""
    given = command.given
    version, report = given.number("version", 0, 100), given.text("report")
    blocked = False
    if given.text("block") == "1":
        blocked = await _until_works(command, "bytarget", report_error=report == "error")
    message = "WARNING (Already blocked on bytarget)" if blocked and report == "status" else "OK"
    return documents.bytarget(
        command.session.progress, command.labels, message=message, version=version
    )


async def stat(command: Command) -> etree._Element:
    """How the sources fare together."""
    return documents.stat(command.session.progress)


async def _until_works(command: Command, name: str, *, report_error: bool) -> bool:
    """Hold the answer back until the first work is there, or the search is over.

    `report_error`: whether a second one is refused, and not answered at once. Returns whether
    another command of the name is held back, so that this one is not. Raises CommandRefused: a
    second one is refused.
    """
    session = command.session
    progress = session.progress
    if progress is None or progress.over or progress.shows_works:
        return False
    try:
        with session.hold(name):
            await progress.until(lambda: progress.shows_works)
    except CommandRefusal as refused:
        if report_error or refused.code != BLOCKED:
            raise
        return True
    return False


def _progress_of(session: Pazpar2Session) -> SearchProgress | None:
    """A session's search, None before the first. Raises CommandRefused: our error ended it."""
    if session.progress is not None and session.progress.failed:
        raise CommandRefusal(SEARCH_FAILED, "the search failed; the log of the server says why")
    return session.progress


async def _in_order(
    command: Command, progress: SearchProgress, keys: tuple[SortKey, ...]
) -> list[Hit]:
    """The works so far in an order; a long list is sorted in a thread."""
    known = progress.known(keys)
    if known is not None:
        return known
    hits, arrival, version = progress.listed(), progress.arrival(), progress.version
    ordered = await command.room.shared.admission.written(
        lambda: in_order(hits, progress.sort, keys, arrival), large=len(hits) > _SORTED_AT_ONCE
    )
    progress.keep(version, keys, ordered)
    return ordered


#: Our own facets that lists of terms are made of.
_FACETS = tuple(facet for name, facet in FACET_OF.items() if name != "xtargets")
#: Seconds before the end of a silent session at which a client should send `ping`.
_PING_BEFORE = 10.0


async def init(room: Room, asker: Sender, given: CommandParameters) -> etree._Element:
    """Begin a session. Raises CommandRefused: no such service, or a setting is not possible."""
    registry = room.shared.engine.registry
    service = given.text("service")
    sources: tuple[str, ...] | None = None
    if service:
        try:
            sources = tuple(registry.expand([service]))
            for source in sources:
                registry.spec(source)
        except UsageError as error:
            raise CommandRefusal(NO_SERVICE, f"{service[:60]} is no source and no group") from error
    settings = settings_of(given)
    if given.flag("clear"):
        sources = allowed_sources(settings, (), registry.names())
    elif settings:
        sources = allowed_sources(settings, sources or registry.default(), registry.names())
    session = room.sessions.open(asker, sources)
    seconds = max(room.sessions.idle - _PING_BEFORE, room.sessions.idle / 2)
    return documents.init(session.token, int(seconds * 1000))


async def _ping(command: Command) -> etree._Element:
    return documents.status("ping")


async def _settings(command: Command) -> etree._Element:
    registry, session = command.room.shared.engine.registry, command.session
    settings = settings_of(command.given)
    if settings:
        before = registry.default() if session.sources is None else session.sources
        session.sources = allowed_sources(settings, before, registry.names())
    return documents.status("settings")


async def _stop(command: Command) -> etree._Element:
    await command.session.stop()
    return documents.status("stop")


async def _search(command: Command) -> etree._Element:
    """Begin a search in place of the one before."""
    shared, session = command.room.shared, command.session
    text = command.given.text("query")
    most = (shared.options.max_query, shared.options.max_records)
    wanted = await shared.admission.computing.read(
        command.asker.user, text, lambda: search_command(command.given, *most)
    )
    sources = _sources(command)
    timeout = min(shared.engine.settings.timeout, shared.options.max_timeout)
    try:
        await shared.engine.ready(sources or ())
        options = SearchOptions(
            query=wanted.read.query,
            sources=sources,
            filter=wanted.filters,
            facets=_FACETS,
            facet_limit=MOST_TERMS,
            sort=wanted.keys[0].sort,
            per_source=wanted.per_source,
        )
        prepared = await search_of(shared, text, options, timeout=timeout, user=command.asker.user)
    except UsageError as error:
        raise CommandRefusal(MALFORMED, f"{error}. {error.advice or ''}") from error
    await session.stop()  # else the permit that is waited for may be that of the search before
    permit = await shared.admission.enter(command.asker.user)

    def answered(answer: Answer) -> None:
        shared.metrics.count_search(answer)
        shared.suggestions.learn(answer.query, answer, command.asker.owner)

    await session.begin(
        prepared,
        options.sort,
        ended=permit.transfer(),
        answered=answered,
        grown=lambda: command.room.sessions.fit(session),
    )
    return documents.search(wanted.read.notes)


def _sources(command: Command) -> tuple[str, ...] | None:
    """The sources, None for the default ones. Raises CommandRefused: the filter leaves none."""
    engine, chosen = command.room.shared.engine, command.session.sources
    text = command.given.text("filter")
    if chosen is None and not text:
        return None
    sources = engine.registry.default() if chosen is None else chosen
    return targets(text, sources, labels(engine, sources))


#: Those that need a session, by name.
COMMANDS: Mapping[str, Callable[[Command], Awaitable[etree._Element | Original]]] = {
    "ping": _ping,
    "settings": _settings,
    "stop": _stop,
    "search": _search,
    "stat": stat,
    "show": show,
    "record": record,
    "termlist": termlist,
    "bytarget": bytarget,
}
#: Those of pazpar2 that do not exist here.
MISSING_COMMANDS = frozenset({"info", "service", "session-status", "exit"})


# `/pazpar2/search.pz2`: a command of pazpar2 in, its answer out. A session is held by one worker,
# which its token names; the other workers pass its commands on.

#: Commands that a quota counts; the others are polls, which a session bounds.
_COUNTED = frozenset({"init", "search"})
_WORKER = re.compile(r"[A-Za-z0-9_-]{1,64}\.([0-9]{1,4})", re.ASCII)
#: HTTP status of the body of a request that cannot be read -> code.
_UNREADABLE = {400: ENCODING, 408: MALFORMED, 413: MALFORMED, 415: NOT_IMPLEMENTED}
#: Bytes of a command that one worker passes on to another; they are some times those that a client
#: may send.
_LONGEST_PASSED_ON = 2_000_000
_NAME = "pazpar2"
#: The header with which a worker reports that a session has counted the command.
_POLLED = "X-Polled"


@dataclass(frozen=True, slots=True)
class CommandReply:
    """What is sent. `polled`: whether the session has counted the command, so that no quota must.
    `retry_after`: the header; "" for none.
    """

    body: bytes
    status: int = 200
    media_type: str = "text/xml"
    polled: bool = False
    retry_after: str = ""

    def response(self) -> web.Response:
        headers = {"Cache-Control": "no-store"}
        if self.retry_after:
            headers["Retry-After"] = self.retry_after
        return web.Response(
            body=self.body,
            status=self.status,
            headers=headers,
            content_type=self.media_type,
            charset="utf-8" if self.media_type == "text/xml" else None,
        )


async def answer(request: web.Request) -> web.Response:
    """Answers a command of a client; an error of ours, too, is a document that clients read."""
    try:
        return (await _count_and_answer(request)).response()
    except Problem as problem:
        return _problem(problem).response()
    except UsageError as error:
        return _problem(Problem.of(error)).response()
    except web.RequestPayloadError:
        raise
    except Exception as error:
        return _problem(failure(request, error)).response()


async def _count_and_answer(request: web.Request) -> CommandReply:
    """The answer; what no session has counted is a request as any other."""
    try:
        values = await _read_parameters(request)
        name = CommandParameters(values).required("command")
    except CommandRefusal as refused:
        await count(request)
        return _refusal(refused)
    if name in _COUNTED:
        await count(request)
    shared = request.app[SHARED]
    if name == "search":
        asked = SearchOptions(query=values.get("query", ""))
        await shared.wing.count_search(request, asked)
    reply = await _anywhere(shared, Sender(request[USER], owner(request)), values)
    if not (reply.polled or name in _COUNTED):
        await count(request)  # else tokens could be guessed without end
    return reply


async def _read_parameters(request: web.Request) -> MultiMapping[str]:
    """The parameters. Raises CommandRefused: they are no text, or the body is of another kind."""
    try:
        unquote_to_bytes(request.rel_url.raw_query_string.replace("+", " ")).decode()
    except UnicodeDecodeError as error:
        raise CommandRefusal(ENCODING, "the address is not UTF-8") from error
    try:
        return await read_parameters(request, request.app[SHARED].options)
    except Problem as problem:
        if problem.status not in _UNREADABLE:
            raise
        raise CommandRefusal(_UNREADABLE[problem.status], problem.detail) from problem


async def _anywhere(
    shared: ServerContext, asker: Sender, values: MultiMapping[str]
) -> CommandReply:
    """The answer of the worker that holds the session."""
    worker = _WORKER.fullmatch(values.get("session", ""))
    number = int(worker[1]) if worker else shared.peers.number
    if number == shared.peers.number or values.get("command") == "init":
        return await _here(shared, asker, values)
    body = orjson.dumps([asker.user, asker.owner, list(values.items())])
    patience = shared.options.max_timeout + 10
    answered = await shared.peers.forward(number, f"/{_NAME}", body, patience)
    if answered is None:  # there is none, or it has been replaced, and its sessions with it
        return _refusal(CommandRefusal(NO_SESSION, values.get("session", "")[:100]))
    headers = answered.headers
    if _POLLED not in headers:  # it could not answer; the reason is in its log
        return _refusal(CommandRefusal(SEARCH_FAILED, "the worker of this session failed"))
    return CommandReply(
        answered.body,
        answered.status,
        headers.get("Content-Type", ""),
        headers.get(_POLLED) == "1",
        headers.get("Retry-After", ""),
    )


async def answer_peer(request: web.Request) -> web.Response:
    """Answers a command that another worker passes on."""
    body = bytearray()
    async for chunk in request.content.iter_chunked(65_536):
        body += chunk
        if len(body) > _LONGEST_PASSED_ON:
            raise web.HTTPRequestEntityTooLarge(_LONGEST_PASSED_ON, len(body))
    user, owner_, pairs = orjson.loads(body)
    values = MultiDict([(str(name), str(value)) for name, value in pairs])
    reply = await _here(request.app[SHARED], Sender(user, owner_), values)
    headers = {
        "Content-Type": reply.media_type,
        "Retry-After": reply.retry_after,
        _POLLED: "1" if reply.polled else "",
    }
    return web.Response(body=reply.body, status=reply.status, headers=headers)


async def _here(shared: ServerContext, asker: Sender, values: MultiMapping[str]) -> CommandReply:
    """The answer of this worker."""
    polled = False
    try:
        sessions = shared.kept(_NAME, lambda: Pazpar2Sessions(shared.options, shared.peers.number))
        room, parameters = Room(shared, sessions), CommandParameters(values)
        name = parameters.text("command")
        if name == "init":
            async with shared.admission.brief():
                return CommandReply(documents.xml_bytes(await init(room, asker, parameters)))
        if name in MISSING_COMMANDS:
            raise CommandRefusal(NOT_IMPLEMENTED, f"command: {name}")
        if name not in COMMANDS:
            raise CommandRefusal(MALFORMED, f"command: {name[:40]!r} is none")
        session = sessions.find(parameters.required("session"), asker)
        if name not in _COUNTED:
            polled = True
            if shared.limiter is not None:
                sessions.count_poll(session)
        content = await COMMANDS[name](Command(room, asker, parameters, session))
        if not sessions.there(session):  # it ended while the answer was held back
            session.cancel()
            raise CommandRefusal(NO_SESSION, session.token)
        if isinstance(content, Original):
            return CommandReply(content.body, media_type=content.media_type, polled=polled)
        return CommandReply(documents.xml_bytes(content), polled=polled)
    except CommandRefusal as refused:
        return _refusal(refused, polled=polled)
    except Problem as problem:
        return _problem(problem, polled=polled)


def _refusal(refused: CommandRefusal, *, polled: bool = False) -> CommandReply:
    return CommandReply(refused.document(), STATUS, polled=polled)


def _problem(problem: Problem, *, polled: bool = False) -> CommandReply:
    """Too many searches or requests, or our error: HTTP's status, in a document for clients."""
    detail = problem.detail or problem.title
    if search_id := problem.members.get("search_id"):
        detail = f"{detail} {search_id}"
    document = CommandRefusal(NO_SERVICE, detail).document()
    retry_after = problem.headers.get("Retry-After", "")
    return CommandReply(document, problem.status, polled=polled, retry_after=retry_after)
