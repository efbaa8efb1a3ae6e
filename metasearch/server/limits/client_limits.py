"""Clients: their addresses and pseudonyms, how often each may ask, how many connections there may
be, and how long one may keep the server waiting.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import logging
import math
import re
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b, sha256
from http import HTTPStatus
from typing import cast

from aiohttp import web

from metasearch import regular_files
from metasearch.errors import SettingsError
from metasearch.message import message
from metasearch.server.limits import Options
from metasearch.server.problem import Problem
from metasearch.settings import Settings

logger = logging.getLogger("metasearch.server")

#: Whose search a request is, see `Clients.user`.
USER = web.RequestKey("user", str)

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
#: A proxy adds one of them; who asks from this machine itself does not.
_FORWARDING = ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via")
#: Addresses of this many leading bits belong to one household or firm (RFC 6177).
_IPV6_PREFIX = 64
#: Proxies that a request may have come through.
_MOST_HOPS = 16


@dataclass(frozen=True, slots=True)
class Client:
    """Where a request comes from. `name`: its IPv4 address, or the network of its IPv6 address;
    never shown. `local`: it comes from this machine, and no proxy has passed it on.
    """

    name: str
    local: bool = False


class Clients:
    """Tells clients apart. `trusted`: addresses and networks of proxies whose `X-Forwarded-For` is
    believed. `secret`: what pseudonyms are made with; None draws one.
    """

    def __init__(self, trusted: Iterable[str] = (), secret: bytes | None = None) -> None:
        self._trusted = tuple(ipaddress.ip_network(network, strict=False) for network in trusted)
        self._secret = secret or secrets.token_bytes(32)
        self._warned = False

    def of(self, request: web.Request) -> Client:
        """The client of a request.

        Behind trusted proxies it is the last address of `X-Forwarded-For` that is none of theirs:
        what stands before that one is written by the client itself.
        """
        peer = self.peer(
            request.transport.get_extra_info("peername") if request.transport else None
        )
        if peer is None:
            return Client("local", local=True)
        forwarded = any(name in request.headers for name in _FORWARDING)
        if not self.trusts(peer):
            if forwarded and peer.is_loopback:
                self._warn()
            return Client(_name(peer), local=peer.is_loopback and not forwarded)
        nearest = peer
        hops = ",".join(request.headers.getall("X-Forwarded-For", [])).split(",")
        for hop in reversed(hops[-_MOST_HOPS:]):
            address = _address(hop.strip())
            if address is None:
                break
            nearest = address
            if not self.trusts(address):
                break
        return Client(_name(nearest), local=nearest.is_loopback and not forwarded)

    def trusts(self, address: _Address) -> bool:
        return any(
            address.version == network.version and address in network for network in self._trusted
        )

    def peer(self, peername: object) -> _Address | None:
        """The address at the other end, of what a socket's transport says; None without one."""
        return _address(str(peername[0])) if isinstance(peername, tuple) and peername else None

    def pseudonym(self, client: Client) -> str:
        """A word that is the same for one client as long as this server runs, and leads nobody back
        to its address.
        """
        return blake2b(client.name.encode(), key=self._secret, digest_size=6).hexdigest()

    def user(self, request: web.Request, key: bytes | None) -> str:
        """The name under which a request gets its fair share of turns: that of its key, else of its
        client. `key`: the hash of their API key; None if the server has no keys.
        """
        name = b"client " + self.of(request).name.encode() if key is None else b"key " + key
        return blake2b(name, key=self._secret, digest_size=16).hexdigest()

    def _warn(self) -> None:
        if not self._warned:
            self._warned = True
            logger.warning(
                "requests come through a proxy on this machine that [server] trusted_proxies does "
                "not name: "
                "all its clients share one rate limit"
            )


def _address(text: str) -> _Address | None:
    # "[2001:db8::1]:443", "192.0.2.1:443" and zones ("fe80::1%eth0") are written by some.
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _name(address: _Address) -> str:
    if isinstance(address, ipaddress.IPv4Address) or address.is_loopback:
        return str(address)
    return str(ipaddress.ip_network((address, _IPV6_PREFIX), strict=False))


# How often one client may ask: a token bucket for each, in a table of bounded size.


@dataclass(frozen=True, slots=True)
class ClientQuota:
    """What a client has left.

    Attributes:
        window: Seconds.
        tokens: Requests that it may make at once; less than 1 where this one was too many.
        allowed: Whether this one may be answered.
    """

    limit: int
    window: float
    tokens: float
    allowed: bool

    @property
    def headers(self) -> dict[str, str]:
        """As the IETF draft on RateLimit headers; `t` is when the whole quota is there again."""
        full = math.ceil((self.limit - self.tokens) * self.window / self.limit)
        return {
            "RateLimit-Policy": f'"default";q={self.limit};w={self.window:.0f}',
            "RateLimit": f'"default";r={int(self.tokens)};t={full}',
        }

    @property
    def wait(self) -> int:
        """Whole seconds until one more request may be made."""
        return max(0, math.ceil((1 - self.tokens) * self.window / self.limit))

    def check(self) -> None:
        """Whether the request may be answered. Raises Problem: 429 with `Retry-After`."""
        if not self.allowed:
            raise Problem(
                429,
                "rate-limited",
                message(
                    "More than {limit} requests in {window} seconds. Try again in {wait} seconds.",
                    limit=self.limit,
                    window=f"{self.window:.0f}",
                    wait=self.wait,
                ),
                headers={"Retry-After": str(self.wait)},
            )


class ClientRateLimiter:
    """Buckets of all clients: each begins full and fills evenly; a request that is refused takes
    nothing.

    `window`: seconds. `most_clients`: so many are kept; beyond that, the one that has been silent
    longest is forgotten. `clock`: monotonic seconds.
    """

    def __init__(
        self,
        limit: int,
        window: float = 60.0,
        most_clients: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit = limit
        self._window = window
        self._most = most_clients
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, client: str) -> ClientQuota:
        now = self._clock()
        tokens, seen = self._buckets.get(client, (float(self._limit), now))
        tokens = min(float(self._limit), tokens + (now - seen) * self._limit / self._window)
        allowed = tokens >= 1
        tokens -= allowed
        self._buckets[client] = (tokens, now)
        self._buckets.move_to_end(client)
        self._forget(now)
        return ClientQuota(self._limit, self._window, tokens, allowed)

    def _forget(self, now: float) -> None:
        # Whoever has been silent for a whole window has a full bucket, as a new client has.
        while self._buckets:
            client, (_, seen) = next(iter(self._buckets.items()))
            if len(self._buckets) <= self._most and now - seen < self._window:
                return
            del self._buckets[client]


# Connections, below requests: how many there may be, and how long a client may keep one waiting.
# aiohttp closes connections that stay silent; what it leaves open are heads that arrive a byte at a
# time and readers that do not read. Both would hold a socket, and the second a search, for as long
# as a client likes.

#: Characters of a request's path and query.
LONGEST_LINE = 8190
#: Seconds in which the rest of a body that nobody wants is read, so that its sender gets to see the
#: answer.
_LINGER = 1.0


class ClientConnections:
    def __init__(self, options: Options, clients: Clients) -> None:
        self.options = options
        self._clients = clients
        self._open = 0
        self._of_client: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._open

    def make(self, server: web.Server) -> ClientConnection:
        return ClientConnection(self, server)

    def admit(self, transport: asyncio.BaseTransport) -> str | None:
        """Count a connection; the name it was counted under, None where it is one too many."""
        peer = self._clients.peer(transport.get_extra_info("peername"))
        # Proxies and what runs on this machine speak for many.
        name = "" if peer is None or peer.is_loopback or self._clients.trusts(peer) else str(peer)
        if self._open >= self.options.max_connections:
            return None
        if name and self._of_client[name] >= self.options.max_client_connections:
            return None
        self._open += 1
        self._of_client[name] += 1
        return name

    def closed(self, name: str) -> None:
        self._open -= 1
        self._of_client[name] -= 1
        if not self._of_client[name]:
            del self._of_client[name]


class ClientConnection(web.RequestHandler):
    """One connection: aiohttp's, with patience for slow clients that comes to an end."""

    __slots__ = ("_all", "_answering", "_counted", "_head", "_more", "_unread")

    def __init__(self, connections: ClientConnections, server: web.Server) -> None:
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=connections.options.keepalive,
            access_log=None,  # type: ignore[arg-type]  # as aiohttp's own runner hands it on
            # Longer than what the middleware lets pass: what is refused here gets no instance and
            # no page.
            max_line_size=8 * LONGEST_LINE,
            lingering_time=_LINGER,
        )
        self._all = connections
        self._counted: str | None = None
        self._answering = False
        self._more = False
        self._head: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Counts it, and expects the head of a request."""
        self._counted = self._all.admit(transport)
        if self._counted is None:
            cast("asyncio.Transport", transport).abort()
            return
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: BaseException | None) -> None:
        if self._counted is None:
            return
        self._all.closed(self._counted)
        for timer in (self._head, self._unread):
            if timer:
                timer.cancel()
        self._head = self._unread = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """The first bytes after an answer begin another head."""
        self._more = not data.endswith(
            b"\r\n\r\n"
        )  # what follows a whole head begins another one, too
        if not self._answering:
            self._expect_head()
        super().data_received(data)

    def begun(self) -> None:
        """A whole head is there and being answered."""
        self._answering = True
        if self._head:
            self._head.cancel()
            self._head = None

    def ended(self) -> None:
        """It is answered; what has arrived beside it is part of the next head."""
        self._answering = False
        if self._more:
            self._more = False
            self._expect_head()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = asyncio.get_running_loop().call_later(
            self._all.options.write_timeout, self._abort
        )

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread:
            self._unread.cancel()
            self._unread = None

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answers what is no HTTP, or went wrong outside of all else, without saying it back or
        naming our parts.
        """
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            logger.error("a request failed", exc_info=exc)
        if request.writer.output_size > 0:
            raise ConnectionError("cut off: a part of the answer is already sent")
        detail = (
            "The head of the request is not HTTP, or it is too long."
            if status == HTTPStatus.BAD_REQUEST
            else ""
        )
        response = Problem(status, None, detail, headers={"Cache-Control": "no-store"}).response("")
        set_security_headers(response)
        response.force_close()
        return response

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Sends an answer; to an unmet `Expect` ours, because aiohttp's repeats the header."""
        if isinstance(resp, web.HTTPExpectationFailed):
            headers = {"Cache-Control": "no-store"}
            resp = Problem(
                417, None, "Only 100-continue can be expected.", headers=headers
            ).response("")
        return await super().finish_response(request, resp, start_time)

    def _expect_head(self) -> None:
        if self._head is None and self.transport is not None:
            self._head = asyncio.get_running_loop().call_later(
                self._all.options.head_timeout, self._late
            )

    def _late(self) -> None:
        self._head = None
        if self._unread:  # the client still reads the answer before
            self._expect_head()
        else:
            self._abort()

    def _abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()


def set_security_headers(response: web.StreamResponse, policy: str = "") -> None:
    """The headers of every answer; `policy`: what a page may load, "" for what is none."""
    headers = response.headers
    headers["Server"] = "metasearch"
    headers["X-Content-Type-Options"] = "nosniff"
    # Where a reader goes from here must not learn what was searched for.
    headers["Referrer-Policy"] = "no-referrer"
    # No other site may load an answer into its own pages, not even without reading it.
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers["Content-Security-Policy"] = policy or "default-src 'none'; frame-ancestors 'none'"
    if policy:
        headers["Cross-Origin-Opener-Policy"] = "same-origin"


# API keys, for a server that is not open to everyone.

#: Bytes of a file of keys.
MAX_BYTES = 10_000_000
#: What may follow `Bearer` (RFC 6750), and is too long to be guessed.
_KEY = re.compile(r"(?=.{16,512}\Z)[A-Za-z0-9._~+/-]+=*", re.ASCII)
_RULE = "must have 16 to 512 characters: letters, digits and . _ ~ + / - (and = at its end)"
#: Parameters in which clients of other services send keys.
_IN_ADDRESS = frozenset(
    {"access_token", "api-key", "api_key", "apikey", "authorization", "key", "token"}
)


class ApiKeys:
    """The keys of a server, kept as hashes only; without keys the server is open to everyone."""

    __slots__ = ("_digests",)

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._digests = tuple({_digest(key) for key in keys})

    def __bool__(self) -> bool:
        return bool(self._digests)

    @classmethod
    def load(cls, settings: Settings) -> ApiKeys:
        """The keys that `[server] keys` and `keys_file` speak of. Raises SettingsError: a variable
        is not set, the file cannot be read or is empty, or a key is too weak; the problems name
        places, never keys.
        """
        problems: list[str] = []
        found: list[str] = []
        for where, key in _configured_keys(settings, problems):
            if _KEY.fullmatch(key):
                found.append(key)
            else:
                problems.append(f"{where}: {_RULE}")
        if problems:
            raise SettingsError(settings.file or "environment", problems)
        return cls(found)

    def check(self, request: web.Request) -> bytes | None:
        """Whether this request may be answered. Returns the hash of its key; None if the server has
        no keys. Raises Problem: 401 without a key or with a wrong one, 400 for one in the address.
        """
        if not self:
            return None
        if any(name.lower() in _IN_ADDRESS for name in request.query):
            raise Problem(
                400,
                "key-in-address",
                message(
                    "Addresses are kept in logs and histories, so no key is taken from them. "
                    "If that was one, replace it, and send the new one as `Authorization: "
                    "Bearer KEY`."
                ),
            )
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        given = given.strip()
        if scheme.lower() != "bearer" or not given:
            raise _refusal(
                message("This server requires an API key: send `Authorization: Bearer KEY`.")
            )
        if not self._is_key(given):
            raise _refusal(
                message("This server does not know that key."), ', error="invalid_token"'
            )
        return _digest(given)

    def _is_key(self, given: str) -> bool:
        # All are compared, and whole: the time that it takes says nothing about any of them.
        digest = _digest(given)
        return sum(hmac.compare_digest(digest, known) for known in self._digests) > 0


def _refusal(detail: str, parameters: str = "") -> Problem:
    return Problem(
        401,
        "key-needed",
        detail,
        headers={"WWW-Authenticate": f'Bearer realm="metasearch"{parameters}'},
    )


def _digest(key: str) -> bytes:
    return sha256(key.encode("utf-8", "surrogateescape")).digest()


def _configured_keys(settings: Settings, problems: list[str]) -> Iterator[tuple[str, str]]:
    """(where it stands, key) of each; what is not there is noted."""
    for name in settings.server.keys:
        key = settings.env.get(name)
        if key:
            yield f"server.keys: the variable {name}", key
        else:
            problems.append(f"server.keys: the variable {name} is not set")
    file = settings.server.keys_file
    if file is None:
        return
    try:
        lines = regular_files.read(file, MAX_BYTES).decode().splitlines()
    except OSError as exc:
        problems.append(f"server.keys_file: {file} cannot be read: {regular_files.why(exc)}")
        return
    except UnicodeDecodeError:
        problems.append(f"server.keys_file: {file} is not UTF-8")
        return
    keys = [
        (number, line.strip())
        for number, line in enumerate(lines, 1)
        if line.strip() and line.strip()[0] != "#"
    ]
    if not keys:
        problems.append(
            f"server.keys_file: {file} holds no key; without the entry everybody may ask"
        )
    for number, key in keys:
        yield f"server.keys_file: line {number} of {file}", key
