"""Sessions: what a client that holds a token may read, for as long as it comes back, and the search
that goes on in it.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metasearch.engine.facets import Sort
from metasearch.events import (
    Added,
    Answer,
    Facet,
    FacetsChanged,
    Finished,
    Grown,
    Joined,
    Order,
    SearchEvent,
    SourceProgress,
    SourceReport,
    Started,
)
from metasearch.record import Hit
from metasearch.server.limits import Options
from metasearch.server.limits.client_limits import ClientRateLimiter
from metasearch.server.process import places_of
from metasearch.server.protocols.pazpar2.parameters import (
    BLOCKED,
    NO_SESSION,
    CommandRefusal,
    SortKey,
)

if TYPE_CHECKING:
    from metasearch.server.live import Events


# The state of a session's search: the list so far, the sources' reports, and who waits.


class SearchProgress:
    """What the events of a search have reported so far.

    Attributes:
        facets: By name; none until they are counted.
        answer: None until the search has finished.
        over: Whether no more will come: the search has finished, failed, or was stopped.
        failed: Whether it ended by an error of ours.
        keys: The order that was shown last.
        version: Grows with each event; what was computed of an earlier one is old.
    """

    def __init__(self, sort: Sort = "relevance") -> None:
        self.sort = sort
        self.reports: dict[str, SourceReport] = {}
        self.facets: dict[str, Facet] = {}
        self.answer: Answer | None = None
        self.over = False
        self.failed = False
        self._hits: dict[str, Hit] = {}
        self._order: tuple[str, ...] | None = None
        self._renamed: dict[str, str] = {}
        self._changed = asyncio.Event()
        self.keys: tuple[SortKey, ...] = (SortKey(sort),)
        self.version = 0
        #: The list in the order of the search, and in the one that was shown last.
        self._listed: list[Hit] | None = None
        self._ordered: list[Hit] | None = None

    def __len__(self) -> int:
        return len(self._hits)

    # ---------------------------------------------------------------- events

    def take(self, event: SearchEvent) -> None:
        match event:
            case Started():
                self.reports = {name: SourceReport(name) for name in event.sources}
            case SourceProgress():
                self.reports[event.report.source] = event.report
            case Added() | Grown():
                self._hits[event.hit.id] = event.hit
            case Joined():
                for name in event.absorbed:
                    self._hits.pop(name, None)
                    self._renamed[name] = event.hit.id
                self._hits[event.hit.id] = event.hit
            case Order():
                self._order = event.ids
            case FacetsChanged():
                self.facets = {facet.name: facet for facet in event.facets.facets}
            case Finished():
                self._finish(event.answer)
        self._wake()

    def _finish(self, answer: Answer) -> None:
        arrived = {name: number for number, name in enumerate(self._hits)}
        hits = sorted(answer.hits, key=lambda hit: arrived.get(hit.id, len(arrived)))
        self._hits = {hit.id: hit for hit in hits}
        self._order = tuple(hit.id for hit in answer.hits)
        self.reports = {report.source: report for report in answer.sources}
        self.answer, self.over = answer, True
        if answer.facets is not None:
            self.facets = {facet.name: facet for facet in answer.facets.facets}

    def end(self, *, failed: bool = False) -> None:
        self.over = True
        self.failed = self.failed or failed
        self._wake()

    def _wake(self) -> None:
        self.version += 1
        self._listed = self._ordered = None
        self._changed.set()
        self._changed = asyncio.Event()

    async def until(self, ready: Callable[[], bool]) -> None:
        """Wait until `ready`, or until the search is over."""
        while not (self.over or ready()):
            await self._changed.wait()

    # ---------------------------------------------------------------- views

    @property
    def shows_works(self) -> bool:
        if self._order is None:
            return bool(self._hits)
        return any(self._now(name) in self._hits for name in self._order)

    @property
    def active(self) -> int:
        """Sources that are still asked, 0 only when the list is final: clients stop asking then."""
        if self.over:
            return 0
        return max(1, sum(report.status == "running" for report in self.reports.values()))

    @property
    def total(self) -> int:
        """Records that the sources hold; of a source that sends no total, those that came."""
        return sum(total_of_report(report) for report in self.reports.values())

    def listed(self) -> list[Hit]:
        """The works so far in the order of the search."""
        if self._listed is None:
            order = self._hits if self._order is None else map(self._now, self._order)
            self._listed = [self._hits[name] for name in dict.fromkeys(order) if name in self._hits]
        return self._listed

    def arrival(self) -> Mapping[str, int]:
        """Id of a work -> number of its arrival."""
        return {name: place for place, name in enumerate(self._hits)}

    def known(self, keys: tuple[SortKey, ...]) -> list[Hit] | None:
        """The works so far in an order, where this needs no sorting; None where it does."""
        if keys == (SortKey(self.sort),):
            self.keys = keys
            return self.listed()
        return self._ordered if keys == self.keys else None

    def keep(self, version: int, keys: tuple[SortKey, ...], hits: list[Hit]) -> None:
        """Keep the list of a version in an order: polls ask for the same one again."""
        self.keys = keys
        self._ordered = hits if version == self.version else None

    def lists(self, name: str) -> bool:
        now = self._now(name)
        return now in self._hits and self.place(now, self.listed()) is not None

    def place(self, name: str, hits: Sequence[Hit]) -> int | None:
        """The place, from 0, of a work in a list; None where it is not there."""
        name = self._now(name)
        return next((place for place, hit in enumerate(hits) if hit.id == name), None)

    def _now(self, name: str) -> str:
        """The id that a hit has now, of one that it had before more was known of it."""
        for _ in range(len(self._renamed)):
            if name in self._hits or name not in self._renamed:
                break
            name = self._renamed[name]
        return name


def total_of_report(report: SourceReport) -> int:
    """Records that a source holds for the query."""
    return report.count if report.total is None else max(report.total, report.count)


# Sessions: what a client that holds a token may read, for as long as it comes back. A session holds
# one search at a time. The token is the only way to it, and is too long to be guessed; where the
# server has API keys, it is valid only with the key with which the session began. Sessions are
# bounded in number, of a client and in all, in idle time, and in the works that they hold: the one
# that has been silent longest ends when there is no room.

logger = logging.getLogger("metasearch.server")

#: Seconds between two looks for sessions whose time is over.
_LOOK_EVERY = 5.0
#: Bytes of a token: too many to guess.
_TOKEN_BYTES = 18


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sends a command. `user`: a name for the client, or for the user of a key. `owner`: of the
    key; None where the server has none.
    """

    user: str
    owner: str | None = None


class Pazpar2Session:
    """One session.

    Attributes:
        token: Names it; ends in a dot and the number of the worker that holds it.
        sources: That its searches ask; None for the default ones.
        progress: Of its search; None before the first one.
        touched: Loop time of its last command.
        waiting: Commands that are being held back until there is something to send.
    """

    def __init__(self, token: str, asker: Sender, sources: tuple[str, ...] | None, now: float):
        self.token = token
        self.asker = asker
        self.sources = sources
        self.progress: SearchProgress | None = None
        self.touched = now
        self.waiting: set[str] = set()
        self._task: asyncio.Task[None] | None = None
        #: One search begins at a time, so that none is forgotten while it runs.
        self._beginning = asyncio.Lock()

    @property
    def works(self) -> int:
        return 0 if self.progress is None else len(self.progress)

    @contextmanager
    def hold(self, command: str) -> Iterator[None]:
        """Hold back the answer to a command for the time of the block. Raises CommandRefused: one
        of the same command is held back already.
        """
        if command in self.waiting:
            raise CommandRefusal(BLOCKED, command)
        self.waiting.add(command)
        try:
            yield
        finally:
            self.waiting.discard(command)

    async def begin(
        self,
        search: Events,
        sort: Sort,
        *,
        ended: Callable[[], None],
        answered: Callable[[Answer], None],
        grown: Callable[[], None],
    ) -> None:
        """Run a search in the background, in place of the one before; returns when it has begun.

        `ended`: called when it runs no more. `answered`: called with its answer before that.
        `grown`: called when the session holds other works than before.
        """
        try:
            async with self._beginning:
                await self.stop()
                progress = self.progress = SearchProgress(sort)
                self._task = asyncio.create_task(_drain(search, progress, answered, grown))
        except BaseException:
            ended()
            raise
        self._task.add_done_callback(lambda _: ended())
        await progress.until(lambda: bool(progress.reports))

    async def stop(self) -> None:
        """End the search that runs; its list so far stays."""
        self.cancel()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    def cancel(self) -> None:
        """As `stop`, without waiting for the end."""
        if self._task is not None:
            self._task.cancel()
        if self.progress is not None:
            self.progress.end()


async def _drain(
    search: Events,
    progress: SearchProgress,
    answered: Callable[[Answer], None],
    grown: Callable[[], None],
) -> None:
    failed = False
    try:
        async with aclosing(search):
            async for event in search:
                progress.take(event)
                if isinstance(event, Finished):
                    answered(event.answer)
                if isinstance(event, (Finished, Order)):
                    grown()
    except Exception as error:
        logger.error("search %s failed\n%s", search.id, places_of(error))
        failed = True
    finally:
        progress.end(failed=failed)


class Pazpar2Sessions:
    def __init__(self, options: Options, worker: int) -> None:
        self._options = options
        self._worker = worker
        self._all: dict[str, Pazpar2Session] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._polls = ClientRateLimiter(
            options.session_polls, options.rate_window, max(1, options.max_sessions)
        )

    def __len__(self) -> int:
        return len(self._all)

    @property
    def idle(self) -> float:
        """Seconds after its last command at which a session ends."""
        return self._options.session_idle

    def open(self, asker: Sender, sources: tuple[str, ...] | None) -> Pazpar2Session:
        """A new session; where there are too many, the one of the client, or of all, that has been
        silent longest ends.
        """
        own = [session for session in self._all.values() if session.asker == asker]
        if len(own) >= self._options.max_client_sessions:
            self._end(_most_silent(own))
        if len(self._all) >= self._options.max_sessions:
            self._end(_most_silent(self._all.values()))
        token = f"{secrets.token_urlsafe(_TOKEN_BYTES)}.{self._worker}"
        session = Pazpar2Session(token, asker, sources, _now())
        self._all[token] = session
        if self._timer is None:
            self._look_later()
        return session

    def find(self, token: str, asker: Sender) -> Pazpar2Session:
        """The session of a token; its time begins anew. Raises CommandRefused: there is none, or it
        is another user's.
        """
        session = self._all.get(token)
        if session is not None and self._silent_too_long(session):
            self._end(session)
            session = None
        if session is None or session.asker.owner != asker.owner:
            raise CommandRefusal(NO_SESSION, token[:100])
        session.touched = _now()
        return session

    def there(self, session: Pazpar2Session) -> bool:
        """Whether a session has not ended meanwhile."""
        return self._all.get(session.token) is session

    def count_poll(self, session: Pazpar2Session) -> None:
        """Count a command that starts no search."""
        self._polls.take(session.token).check()

    def fit(self, growing: Pazpar2Session) -> None:
        """End the sessions silent longest until all works fit; never the one that grows."""
        others = [session for session in self._all.values() if session is not growing]
        held = growing.works + sum(session.works for session in others)
        for session in sorted(others, key=lambda session: session.touched):
            if held <= self._options.max_session_works:
                return
            if session.works:
                held -= session.works
                self._end(session)

    async def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        sessions = list(self._all.values())
        self._all.clear()
        for session in sessions:
            session.cancel()
        for session in sessions:
            await session.stop()

    def _end(self, session: Pazpar2Session) -> None:
        self._all.pop(session.token, None)
        session.cancel()

    def _silent_too_long(self, session: Pazpar2Session) -> bool:
        return not session.waiting and _now() - session.touched >= self._options.session_idle

    def _look_later(self) -> None:
        seconds = min(_LOOK_EVERY, self._options.session_idle)
        self._timer = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        """End the sessions whose time is over."""
        for session in list(self._all.values()):
            if self._silent_too_long(session):
                self._end(session)
        self._timer = None
        if self._all:
            self._look_later()


def _most_silent(sessions: Iterable[Pazpar2Session]) -> Pazpar2Session:
    return min(sessions, key=lambda session: session.touched)


def _now() -> float:
    return asyncio.get_running_loop().time()
