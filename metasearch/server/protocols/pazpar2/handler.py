"""`/pazpar2/search.pz2`: a command of pazpar2 in, its answer out.

A session is held by one worker, which its token names; the other workers pass its commands on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

import orjson
from aiohttp import web
from multidict import MultiDict, MultiMapping

from metasearch.engine.options import SearchOptions
from metasearch.errors import UsageError
from metasearch.server.faces.pazpar2 import documents
from metasearch.server.faces.pazpar2.command import Command, Original, Room
from metasearch.server.faces.pazpar2.commands import COMMANDS, MISSING_COMMANDS, init
from metasearch.server.faces.pazpar2.errors import (
    ENCODING,
    MALFORMED,
    NO_SERVICE,
    NO_SESSION,
    NOT_IMPLEMENTED,
    SEARCH_FAILED,
    STATUS,
    CommandRefused,
)
from metasearch.server.faces.pazpar2.parameters import Given
from metasearch.server.faces.pazpar2.sessions import Sender, Sessions
from metasearch.server.identity import owner
from metasearch.server.limits.clients import USER
from metasearch.server.middleware import count, failure
from metasearch.server.problem import Problem
from metasearch.server.received import given
from metasearch.server.site import SHARED, ServerContext

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
        """As HTTP."""
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
        return (await _counted(request)).response()
    except Problem as problem:
        return _problem(problem).response()
    except UsageError as error:
        return _problem(Problem.of(error)).response()
    except web.RequestPayloadError:
        raise
    except Exception as error:
        return _problem(failure(request, error)).response()


async def _counted(request: web.Request) -> CommandReply:
    """The answer; what no session has counted is a request as any other."""
    try:
        values = await _given(request)
        name = Given(values).required("command")
    except CommandRefused as refused:
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


async def _given(request: web.Request) -> MultiMapping[str]:
    """The parameters. Raises CommandRefused: they are no text, or the body is of another kind."""
    try:
        unquote_to_bytes(request.rel_url.raw_query_string.replace("+", " ")).decode()
    except UnicodeDecodeError as error:
        raise CommandRefused(ENCODING, "the address is not UTF-8") from error
    try:
        return await given(request, request.app[SHARED].options)
    except Problem as problem:
        if problem.status not in _UNREADABLE:
            raise
        raise CommandRefused(_UNREADABLE[problem.status], problem.detail) from problem


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
    answered = await shared.peers.forwarded(number, f"/{_NAME}", body, patience)
    if answered is None:  # there is none, or it has been replaced, and its sessions with it
        return _refusal(CommandRefused(NO_SESSION, values.get("session", "")[:100]))
    headers = answered.headers
    if _POLLED not in headers:  # it could not answer; the reason is in its log
        return _refusal(CommandRefused(SEARCH_FAILED, "the worker of this session failed"))
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
        sessions = shared.kept(_NAME, lambda: Sessions(shared.options, shared.peers.number))
        room, parameters = Room(shared, sessions), Given(values)
        name = parameters.text("command")
        if name == "init":
            async with shared.admission.brief():
                return CommandReply(documents.written(await init(room, asker, parameters)))
        if name in MISSING_COMMANDS:
            raise CommandRefused(NOT_IMPLEMENTED, f"command: {name}")
        if name not in COMMANDS:
            raise CommandRefused(MALFORMED, f"command: {name[:40]!r} is none")
        session = sessions.find(parameters.required("session"), asker)
        if name not in _COUNTED:
            polled = True
            if shared.limiter is not None:
                sessions.count_poll(session)
        content = await COMMANDS[name](Command(room, asker, parameters, session))
        if not sessions.there(session):  # it ended while the answer was held back
            session.cancel()
            raise CommandRefused(NO_SESSION, session.token)
        if isinstance(content, Original):
            return CommandReply(content.body, media_type=content.media_type, polled=polled)
        return CommandReply(documents.written(content), polled=polled)
    except CommandRefused as refused:
        return _refusal(refused, polled=polled)
    except Problem as problem:
        return _problem(problem, polled=polled)


def _refusal(refused: CommandRefused, *, polled: bool = False) -> CommandReply:
    return CommandReply(refused.document(), STATUS, polled=polled)


def _problem(problem: Problem, *, polled: bool = False) -> CommandReply:
    """Too many searches or requests, or our error: HTTP's status, in a document for clients."""
    detail = problem.detail or problem.title
    if search_id := problem.members.get("search_id"):
        detail = f"{detail} {search_id}"
    document = CommandRefused(NO_SERVICE, detail).document()
    retry_after = problem.headers.get("Retry-After", "")
    return CommandReply(document, problem.status, polled=polled, retry_after=retry_after)
