"""The pages that a fetcher keeps: what they are worth, and how they are looked up, counted and
written without waiting.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import orjson

from metasearch.adapters.fetch.health import LONGEST_PAUSE, Pause, SourceState
from metasearch.adapters.request import Page, Request, Secret
from metasearch.adapters.spec import Limits
from metasearch.loop import keep_running
from metasearch.message import N_, Message, message
from metasearch.regular_files import Compressible

if TYPE_CHECKING:
    from metasearch.cache import Store
    from metasearch.replicas import SharedPages


def page_key(request: Request) -> str:
    """The name of a page in cache and cassettes: a hash of what is sent, without secrets.

    The length of each part is hashed before the part, and the length of each list before its
    members, so that different requests have different keys.
    """
    parts = [request.source, request.method, request.url, request.content_type, request.content]
    for pairs in (request.params, request.headers, request.body):
        shown = [pair for pair in pairs if isinstance(pair[1], str)]
        parts.append(str(len(shown)))
        for name, value in shown:
            parts += name, str(value)
    data = [part.encode(errors="surrogatepass") for part in parts]
    whole = b"".join([b"%d:%b" % (len(part), part) for part in data])
    return hashlib.sha256(whole).hexdigest()


# What a kept page is worth, and the form in which it is kept.
#
#     fetched ── ttl ──> ageing ── grace ──> spare ── until ttl + max(grace, SPARE_SECONDS) ──>
#     nothing
#       fresh: is the answer    answered at once,     the answer only where the
#                               fetched anew behind   source cannot be asked
#
# A page without hits is fresh for a minute at most, and then nothing: a catalogue that was
# corrected must soon be seen.

#: Seconds after its ttl in which a page may stand in for a source that cannot be asked.
SPARE_SECONDS = 86_400.0
#: Seconds that an answer without hits is kept at most.
NEGATIVE_SECONDS = 60.0


class Worth(Enum):
    """What may be done with a kept page."""

    FRESH = auto()
    #: It is answered at once, and fetched anew in the background.
    AGEING = auto()
    #: It is the answer if the source cannot be asked.
    SPARE = auto()
    NOTHING = auto()


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page out of the cache; `negative` where it is known to have no hits."""

    page: Page
    negative: bool = False

    def worth(self, limits: Limits, now: float) -> Worth:
        """What the page is worth at a Unix time; a page from the future is worth nothing."""
        age = now - self.page.fetched_at
        if age < 0:
            return Worth.NOTHING
        if self.negative:
            return Worth.FRESH if age < lifetime(limits, negative=True) else Worth.NOTHING
        if age < limits.ttl:
            return Worth.FRESH
        if age < limits.ttl + _grace(limits):
            return Worth.AGEING
        return Worth.SPARE if age < lifetime(limits) else Worth.NOTHING


def keepable(page: Page) -> bool:
    """Whether a page may be kept at all: an answer with a body; an empty one is an accident."""
    return bool(page.body) and (200 <= page.status < 300 or page.status == 404)


def lifetime(limits: Limits, *, negative: bool = False) -> float:
    """Seconds after which a page of this source is worth nothing."""
    if negative:
        return min(limits.ttl, NEGATIVE_SECONDS)
    return limits.ttl + max(_grace(limits), SPARE_SECONDS)


def shared_lifetime(limits: Limits, *, negative: bool = False) -> float:
    """Seconds for which replicas keep a page for one another: as long as it may be answered."""
    return lifetime(limits, negative=True) if negative else limits.ttl + _grace(limits)


def is_negative(page: Page) -> bool:
    """Whether the status alone means that there are no hits."""
    return page.status == 404


def with_age_note(page: Page, now: float, *, renewed: bool) -> Page:
    """The page, with a note on its age and whether it is being `renewed`."""
    age = _age(now - page.fetched_at)
    note = (
        message("from the cache, {age} old; a newer answer is being fetched", age=age)
        if renewed
        else message("from the cache, {age} old", age=age)
    )
    return replace(page, note=note)


def with_spare_note(page: Page, now: float, reason: str) -> Page:
    """The page, with a note on why it replaces a newer one."""
    return replace(
        page,
        note=message(
            "from the cache, {age} old, because {reason}",
            age=_age(now - page.fetched_at),
            reason=reason,
        ),
        spare=True,
    )


def pack(page: Page, at: float, *, negative: bool = False) -> Compressible:
    """A line of JSON facts, then the body; `at` is the Unix time at which it was fetched."""
    facts = {
        "status": page.status,
        "type": page.content_type,
        "at": at,
        "negative": negative,
        "total": page.total,
    }
    return Compressible(b"%b\n%b" % (orjson.dumps(facts), page.body))


def unpack(kept: bytes, request: Request) -> CachedPage | None:
    """The page that was packed; None for anything else."""
    head, _, body = kept.partition(b"\n")
    with suppress(ValueError, KeyError, TypeError):
        facts = orjson.loads(head)
        status, kind, at = facts["status"], facts["type"], facts["at"]
        if type(status) is int and type(kind) is str and type(at) in (int, float):
            page = Page(
                request=request,
                status=status,
                content_type=kind,
                body=body,
                fetched_at=at,
                cached=True,
            )
            if type(total := facts.get("total")) is int:
                page = replace(page, total=total)
            return CachedPage(page, facts.get("negative") is True or is_negative(page))
    return None


def _grace(limits: Limits) -> float:
    return limits.ttl if limits.grace is None else limits.grace


def _age(seconds: float) -> Message:
    """An age in words, in the largest unit of which there are two: "90 s", "45 min", "3 days"."""
    for unit, template in (
        (86_400, N_("{number} days")),
        (3600, N_("{number} h")),
        (60, N_("{number} min")),
    ):
        if seconds >= 2 * unit:
            return message(template, number=f"{seconds / unit:.0f}")
    return message("{number} s", number=f"{seconds:.0f}")


# The pages that a fetcher keeps: looked up, counted, and written without waiting. `Worth` decides
# what a kept page is worth, and `Store` keeps its bytes. Replicas have a second tier behind that,
# `Pages` of metasearch.replicas: what is found there is kept here as well.

#: Pages that may wait to be written to the cache; more are not kept.
PENDING_WRITES = 32


@dataclass(slots=True)
class _PageCounts:
    """How often pages of one source came from the cache; see `SourceState`."""

    fresh: int = 0
    stale: int = 0
    spared: int = 0


#: Seconds of the shortest pause that is kept, and characters of its reason.
KEPT_PAUSE, _LONGEST_REASON = 60.0, 300


def _pause_key(request: Request) -> str:
    """Where a pause is kept: with other keys, a budget is another one."""
    secrets = ",".join(
        name
        for name, value in request.params + request.headers + request.body
        if isinstance(value, Secret)
    )
    return f"pause {request.source} {urlsplit(request.url).netloc} {secrets}"


class PageCache:
    """Pages in a store. Belongs to one event loop; `close` closes the store.

    `store`: where the pages are kept. `clock`: Unix time in seconds, for the age of pages.
    `shared`: the pages of all replicas; None where nothing is shared.
    """

    def __init__(
        self, store: Store, clock: Callable[[], float], shared: SharedPages | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._shared = shared
        self._writes: set[asyncio.Task[None]] = set()
        self._served: dict[str, _PageCounts] = {}

    async def look_up(
        self, request: Request, key: str, limits: Limits
    ) -> tuple[Page | None, Worth]:
        """The page that is kept for a request, and what it is worth; None if it is worth nothing.
        `key`: its `key`, which takes a moment to compute.
        """
        value = await self._store.get(key)
        kept = None if value is None else unpack(value, request)
        return self._judge(kept, limits)

    async def claim(
        self,
        request: Request,
        key: str,
        limits: Limits,
        *,
        deadline: float = float("inf"),
        fresh: bool = False,
    ) -> tuple[Page | None, Worth]:
        """The page that another replica has fetched, or fetches now, and what it is worth.

        Where there is none, the others wait for the page that the caller fetches now, until `keep`
        or `release`. `deadline`: latest moment of an answer, in `loop.time()` seconds. Half of the
        time until then is left to ask the source, should the other one fail. `fresh`: whether only
        a page is wanted that is as good as a new one.
        """
        if self._shared is None:
            return None, Worth.NOTHING
        now = asyncio.get_running_loop().time()
        seconds = shared_lifetime(limits)
        found = await self._shared.claim(
            key,
            seconds=seconds,
            oldest=limits.ttl if fresh else seconds,
            until=None if deadline == float("inf") else (now + deadline) / 2,
        )
        kept = None if found is None else unpack(found.value, request)
        if found is None or kept is None:
            return None, Worth.NOTHING
        # By the clock of one server: those of two replicas may differ.
        kept = replace(kept, page=replace(kept.page, fetched_at=self._clock() - found.age))
        page, worth = self._judge(kept, limits)
        if page is not None and len(self._writes) < PENDING_WRITES:
            value = pack(page, page.fetched_at, negative=kept.negative)
            left = lifetime(limits, negative=kept.negative) - found.age
            write = self._store.set(key, value, left, tag=request.source)
            keep_running(write, self._writes)
        return page, worth

    def release(self, key: str) -> None:
        """Lets other replicas fetch the page, because it did not come here; see `claim`."""
        if self._shared is not None:
            keep_running(self._shared.release(key), self._writes)

    def serve_fresh(self, page: Page) -> Page:
        """The page, counted as an answer that is as good as a new one."""
        self._counts(page).fresh += 1
        return page

    def serve_ageing(self, page: Page, *, renewed: bool) -> Page:
        """The page with a note on its age, counted; `renewed`: whether it is being fetched anew."""
        self._counts(page).stale += 1
        return with_age_note(page, self._clock(), renewed=renewed)

    def serve_spare(self, page: Page, reason: str) -> Page:
        """The page with a note on why it replaces a newer one, counted."""
        self._counts(page).spared += 1
        return with_spare_note(page, self._clock(), reason)

    def with_counts(self, state: SourceState) -> SourceState:
        """The state of a source with the numbers of its pages that came from here."""
        served = self._served.get(state.source)
        if served is None:
            return state
        return replace(state, fresh=served.fresh, stale=served.stale, spared=served.spared)

    def keep(self, key: str, page: Page, limits: Limits, *, negative: bool | None = None) -> None:
        """Has a page written, without waiting for that. `negative`: whether the page is known to
        have no hits; None decides by its status.
        """
        if len(self._writes) >= PENDING_WRITES or not keepable(page):
            self.release(key)
            return
        if negative is None:
            negative = is_negative(page)
        value = pack(page, self._clock(), negative=negative)
        write = self._keep(key, value, page.request.source, limits, negative)
        keep_running(write, self._writes)

    async def _keep(
        self, key: str, value: Compressible, source: str, limits: Limits, negative: bool
    ) -> None:
        # One after the other: the store compresses the value in a thread, and both keep that.
        await self._store.set(key, value, lifetime(limits, negative=negative), tag=source)
        if self._shared is not None:
            await self._shared.keep(key, value, shared_lifetime(limits, negative=negative))

    async def keep_empty(self, page: Page, limits: Limits) -> None:
        """Keeps a page without hits for `NEGATIVE_SECONDS` at most."""
        if not page.cached:
            self.keep(page_key(page.request), page, limits, negative=True)
        elif self._clock() - page.fetched_at >= NEGATIVE_SECONDS:
            await self.forget(page.request)

    async def forget(self, request: Request) -> None:
        await self.finish_writes()
        await self._store.delete(page_key(request))
        if self._shared is not None:
            await self._shared.forget(page_key(request))

    async def find_pause(self, request: Request) -> Pause | None:
        """What is left of a long pause that this or another process had to begin where this request
        goes, with the same kinds of keys.
        """
        value = await self._store.get(_pause_key(request))
        with suppress(ValueError):
            match orjson.loads(value or b"null"):
                case [float(until) | int(until), str(reason)]:
                    seconds = min(until - self._clock(), LONGEST_PAUSE)
                    if seconds > 0:
                        return Pause(request.source, "limited", seconds, reason[:_LONGEST_REASON])
        return None

    def keep_pause(self, request: Request, pause: Pause) -> None:
        """Has a long pause written, so that other processes keep to it, too."""
        if pause.cause != "limited" or pause.seconds < KEPT_PAUSE:
            return
        value = orjson.dumps([self._clock() + pause.seconds, pause.reason])
        write = self._store.set(_pause_key(request), value, pause.seconds, tag=request.source)
        keep_running(write, self._writes)

    async def close(self) -> None:
        """Finishes all writes and closes the store."""
        await self.finish_writes()
        await self._store.close()

    def _judge(self, kept: CachedPage | None, limits: Limits) -> tuple[Page | None, Worth]:
        worth = Worth.NOTHING if kept is None else kept.worth(limits, self._clock())
        return (None if kept is None or worth is Worth.NOTHING else kept.page), worth

    def _counts(self, page: Page) -> _PageCounts:
        return self._served.setdefault(page.request.source, _PageCounts())

    async def finish_writes(self) -> None:
        if self._writes:
            await asyncio.wait(set(self._writes))
