"""Clients: the address that a request comes from, and the pseudonym that logs may contain."""

from __future__ import annotations

import ipaddress
import logging
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from aiohttp import web

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
        """Whether it is one of the proxies."""
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
