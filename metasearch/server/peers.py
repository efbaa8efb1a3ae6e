"""How one worker of a server asks the others: HTTP over a Unix-domain socket each.

Only the account of the server may enter the folder of the sockets; nothing else protects them.
A server of one process has no peers; nothing is sent then.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self
from zlib import crc32

import aiohttp
import orjson
from yarl import URL

from metasearch.adapters.fetch.health import CAUSES, Pause, SourceState
from metasearch.adapters.request import Budget
from metasearch.loop import keep_running
from metasearch.server.limits.client_limits import ClientQuota
from metasearch.server.process import PARENT_FILE
from metasearch.server.suggest import Completion

logger = logging.getLogger("metasearch.server")

#: Seconds in which another worker must have answered; one that is too busy is passed over.
PATIENCE = 1.0
#: Pauses that are being sent at once; the other workers learn of more from the sources.
MOST_PAUSES = 64
#: Characters of the reason of a pause that is sent.
_LONGEST_REASON = 500
#: Whose request another worker passes on.
_USER_HEADER = "X-Metasearch-User"
#: The ids of stream events; nothing else from a client is sent to the other workers.
_EVENT_ID = re.compile(r"[0-9a-z]{1,32}-[0-9]{1,9}")
#: The errors of a request to a worker that is ending, stuck, or not started yet.
_NO_ANSWER = (aiohttp.ClientError, OSError, TimeoutError, ValueError)


@dataclass(frozen=True, slots=True)
class WorkerSnapshot:
    """One worker, as of now. `metrics`: of `Metrics.dump`. `away`: whether it cannot use the server
    that replicas share.
    """

    metrics: Mapping[str, Any]
    states: tuple[SourceState, ...] = ()
    running: int = 0
    away: bool = False

    def dump(self) -> bytes:
        states = [asdict(state) for state in self.states]
        return orjson.dumps([self.metrics, states, self.running, self.away])

    @classmethod
    def load(cls, text: bytes) -> Self:
        metrics, states, running, away = orjson.loads(text)
        return cls(metrics, tuple(map(_state, states)), running, away)


def _state(facts: dict[str, Any]) -> SourceState:
    budget = facts.pop("budget")
    return SourceState(**facts, budget=None if budget is None else Budget(**budget))


@dataclass(frozen=True, slots=True)
class PeerAnswer:
    """The answer of another worker to a request that was forwarded to it."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def dump_pause(pause: Pause) -> bytes:
    reason = pause.reason[:_LONGEST_REASON].encode("utf-8", "replace").decode()
    return orjson.dumps([pause.source, pause.cause, pause.seconds, reason])


def load_pause(text: bytes) -> Pause:
    """Reads what `dump_pause` wrote; the engine checks the source and the length of the pause.
    Raises ValueError: the text is no pause.
    """
    content = orjson.loads(text)
    match content:
        case [str(source), str(cause), float(seconds) | int(seconds), str(reason)]:
            if cause in CAUSES and len(reason) <= _LONGEST_REASON and not isinstance(seconds, bool):
                return Pause(source, CAUSES[cause], seconds, reason)
    raise ValueError("not a pause")


def user_of_peer(headers: Mapping[str, str]) -> str:
    """Whose request another worker has passed on by `Peers.streamed`.

    Only for requests that came over the socket of this worker: a client writes what it likes.
    """
    return headers.get(_USER_HEADER, "")


def _read(file: Path) -> Mapping[str, Any]:
    try:
        counts: Mapping[str, Any] = orjson.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return counts


class Peers:
    """The workers of a server, seen by one of them. `folder`: where their sockets are; None where
    there is one process only. `number`: which of the workers this is, from 0.
    """

    def __init__(self, folder: Path | None = None, number: int = 0, workers: int = 1) -> None:
        self._folder = folder
        self._number = number
        self.workers = workers
        self._sessions: dict[int, aiohttp.ClientSession] = {}
        self._sending: set[asyncio.Task[None]] = set()

    @property
    def number(self) -> int:
        return self._number

    @property
    def socket(self) -> Path:
        return self._path(self._number, "sock")

    async def close(self) -> None:
        for task in self._sending:
            task.cancel()
        await asyncio.gather(*self._sending, return_exceptions=True)
        for session in self._sessions.values():
            await session.close()
        self._sessions.clear()

    async def snapshots(self, counted: bool = False) -> list[WorkerSnapshot]:
        """Those of the other workers; of one that does not answer, the counts that it saved last.
        `counted` makes them save their counts.
        """
        return list(
            await asyncio.gather(*(self._snapshot(number, counted) for number in self._others()))
        )

    def save(self, metrics: Mapping[str, Any]) -> None:
        """Saves the counts before they are shown: they must not decrease when this worker ends."""
        if self._folder is None:
            return
        new = self._path(self._number, "new")
        try:
            new.write_bytes(orjson.dumps(metrics))
            new.replace(self._path(self._number, "json"))
        except OSError as exc:
            logger.warning(
                "the counts of worker %d cannot be saved: %s", self._number, exc.strerror
            )

    def saved(self) -> Mapping[str, Any]:
        """The counts that the worker before this one saved last."""
        return self._read_counts(self._number) if self._folder is not None else {}

    def parent_counts(self) -> Mapping[str, Any]:
        """The counts of the parent: how many workers it has replaced."""
        return _read(self._folder / PARENT_FILE) if self._folder is not None else {}

    async def take(self, client: str) -> ClientQuota | None:
        """Counts a request at the worker that is responsible for this client; None if that is this
        worker, or it does not answer.
        """
        home = crc32(client.encode()) % self.workers
        if home == self._number:
            return None
        try:
            async with (
                asyncio.timeout(PATIENCE),
                self._session(home).post("/take", data=client.encode()) as response,
            ):
                return ClientQuota(**await response.json())
        except _NO_ANSWER:
            return None

    def send_pause(self, pause: Pause) -> None:
        """Makes the other workers pause a source, too, without waiting for them."""
        if len(self._sending) < MOST_PAUSES and self.workers > 1:
            keep_running(self._send_pause(pause), self._sending)

    async def completions(self, prefix: str, user: str | None) -> list[list[Completion]]:
        return list(
            await asyncio.gather(
                *(self._completions(number, prefix, user) for number in self._others())
            )
        )

    async def continue_stream(self, event_id: str) -> aiohttp.ClientResponse | None:
        """The rest of an event stream, from the worker that runs its search; to be closed by the
        caller. None if there is none.
        """
        if not _EVENT_ID.fullmatch(event_id):
            return None
        for number in self._others():
            response = await self._stream(number, "/live", params={"after": event_id})
            if response is not None:
                return response
        return None

    async def open_stream(
        self, number: int, path_qs: str, headers: Mapping[str, str], user: str
    ) -> aiohttp.ClientResponse | None:
        """The stream with which another worker answers a request; to be closed by the caller.

        `path_qs`: where it is asked: a path of `short_answers.answer_peers`, and the query string
        as the client has sent it. `user`: whose request it is, see `Clients.user`; the other worker
        reads it with `user_of_peer`. Returns None where there is no such worker, its stream does
        not begin in time, or it answers with anything but a stream.
        """
        if number not in self._others():
            return None
        sent = {**headers, _USER_HEADER: user}
        return await self._stream(number, URL(path_qs, encoded=True), headers=sent)

    async def _stream(
        self, number: int, url: str | URL, **more: Any
    ) -> aiohttp.ClientResponse | None:
        """The stream that a worker answers with; None where it has none, or does not begin it."""
        try:
            async with asyncio.timeout(PATIENCE):
                response = await self._session(number).get(url, **more)
        except _NO_ANSWER:
            return None
        if response.status == 200:
            return response
        response.close()
        return None

    async def forward(
        self, number: int, path: str, body: bytes, patience: float
    ) -> PeerAnswer | None:
        """The answer of another worker to a request that is its own.

        `path`: where it is asked. `patience`: seconds in which it must have answered. Returns None
        where there is no such worker, or it does not answer.
        """
        if number not in self._others():
            return None
        try:
            async with (
                asyncio.timeout(patience),
                self._session(number).post(path, data=body) as response,
            ):
                return PeerAnswer(response.status, response.headers, await response.read())
        except _NO_ANSWER:
            return None

    def _others(self) -> Sequence[int]:
        return [number for number in range(self.workers) if number != self._number]

    def _path(self, number: int, ending: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{number}.{ending}"

    def _session(self, number: int) -> aiohttp.ClientSession:
        session = self._sessions.get(number)
        if session is None:
            # Streams hold a connection for as long as they last, so there is no limit to their
            # number.
            connector = aiohttp.UnixConnector(str(self._path(number, "sock")), limit=0)
            session = aiohttp.ClientSession(
                "http://worker/",
                connector=connector,
                timeout=aiohttp.ClientTimeout(total=None),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
            self._sessions[number] = session
        return session

    async def _snapshot(self, number: int, counted: bool) -> WorkerSnapshot:
        path = "/snapshot?counted" if counted else "/snapshot"
        try:
            async with asyncio.timeout(PATIENCE), self._session(number).get(path) as response:
                return WorkerSnapshot.load(await response.read())
        except _NO_ANSWER:
            return WorkerSnapshot(self._read_counts(number))

    def _read_counts(self, number: int) -> Mapping[str, Any]:
        return _read(self._path(number, "json"))

    async def _send_pause(self, pause: Pause) -> None:
        body = dump_pause(pause)
        await asyncio.gather(*(self._post(number, "/pause", body) for number in self._others()))

    async def _post(self, number: int, path: str, body: bytes) -> None:
        try:
            async with asyncio.timeout(PATIENCE), self._session(number).post(path, data=body):
                pass
        except _NO_ANSWER:
            pass

    async def _completions(self, number: int, prefix: str, user: str | None) -> list[Completion]:
        params = {"q": prefix, "user": user or ""}
        try:
            async with (
                asyncio.timeout(PATIENCE),
                self._session(number).get("/suggest", params=params) as answer,
            ):
                return [Completion(**completion) for completion in await answer.json()]
        except _NO_ANSWER:
            return []
