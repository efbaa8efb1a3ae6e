"""Which addresses may be connected to: the guard against server-side request forgery.

A URL does not show where it leads: names resolve to private addresses, addresses have many
spellings. So the guard judges the final socket address, at the moment of connecting, on every hop
of a redirect.

The `allow` list speaks of URLs ("host:port"). A request to such a URL may reach private and
loopback addresses, and only such a request: it goes through a connection pool of its own, so that
neither another URL that resolves to the same address, nor a connection kept alive, nor a redirect
from a public host profits from the exemption. An attacker with the DNS of an allowed *name* can
move it to another private address, at the allowed port; everything else (link-local, the clouds'
metadata services, tunnels, multicast, reserved) stays closed to names. An allowed *literal* address
is exactly that address, whichever range it is in.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from metasearch.errors import UsageError
from metasearch.message import message

_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network(
    "64:ff9b::/96"
)  # RFC 6052: the last 32 bits are the IPv4 address that is really reached
#: What `ipaddress` calls global, in one version of Python or another, and yet is no host of the
#: open Internet.
_NEVER = tuple(
    ip_network(network)
    for network in (
        "192.0.0.0/24",  # protocol assignments; a cloud keeps its metadata service at 192.0.0.192
        "192.88.99.0/24",  # relays of 6to4
        "168.63.129.16/32",  # a cloud's own services, as its machines see them
        "2001::/23",  # Teredo, which wraps an IPv4 address, and other protocols
        "2002::/16",  # 6to4, deprecated by RFC 7526; wraps an IPv4 address too
        "3fff::/20",  # documentation (RFC 9637)
    )
)
#: A network of one's own: RFC 1918, loopback, unique local addresses.
_OWN = tuple(
    ip_network(network)
    for network in (
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "127.0.0.0/8",
        "::1/128",
        "fc00::/7",
    )
)
#: Unique local addresses at which clouds keep their metadata services.
_METADATA = tuple(ip_network(network) for network in ("fd00:ec2::/32", "fd20:ce::254/128"))
_ISATAP = 0x5EFE  # RFC 5214: the interface is named 0000:5efe or 0200:5efe, and an IPv4 address

#: What getaddrinfo returns: family, type, protocol, canonical name, socket address.
AddrInfo = tuple[Any, Any, int, str, tuple[Any, ...]]


class ForbiddenAddress(OSError):
    """Raised instead of connecting.

    The text is constant: of several different texts, for a host with several addresses, a plain
    OSError would be made.
    """

    def __init__(self) -> None:
        super().__init__("the address is not public")


def _effective(text: str) -> IPv4Address | IPv6Address:
    """The address that packets to `text` would reach."""
    ip = ip_address(text.split("%", 1)[0])
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped:
            return ip.ipv4_mapped
        if ip in _NAT64:
            return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip


def is_public(address: str) -> bool:
    """Whether an address belongs to the open Internet.

    Addresses that embed an IPv4 address (IPv4-mapped, NAT64) are judged by it; 6to4, Teredo,
    ISATAP, site-local and IPv4-compatible addresses are never public.
    """
    ip = _effective(address)
    special = not ip.is_global or ip.is_multicast
    if special or any(ip in network for network in _NEVER):
        return False
    return isinstance(ip, IPv4Address) or (ip in _GLOBAL_UNICAST and not _is_isatap(ip))


def _is_isatap(ip: IPv6Address) -> bool:
    return int(ip) >> 32 & 0xFDFF_FFFF == _ISATAP


def _is_inside(address: str) -> bool:
    """Whether an address is of one's own network: private or loopback, nothing special."""
    ip = _effective(address)
    return any(ip in network for network in _OWN) and not any(
        ip in network for network in _METADATA
    )


def _canonical(host: str) -> str:
    try:
        return str(ip_address(host))
    except ValueError:
        return host.lower()


@dataclass(frozen=True, slots=True)
class AllowList:
    """The URL origins that may lie inside one's own network, as (host, port)."""

    origins: frozenset[tuple[str, int]] = frozenset()

    @classmethod
    def parse(cls, entries: Iterable[str]) -> AllowList:
        """Reads "host:port", IPv6 addresses in brackets. Raises UsageError for another form."""
        origins = set()
        for entry in entries:
            host, _, port = entry.rpartition(":")
            bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
            if (
                not bare
                or (":" in bare and bare == host)
                or not (port.isascii() and port.isdigit())
            ):
                raise UsageError(
                    message("{entry} is not host:port", entry=repr(entry)),
                    advice=message('Write it like "127.0.0.1:9401".'),
                )
            origins.add((_canonical(bare), int(port)))
        return cls(frozenset(origins))

    def holds(self, host: str, port: int) -> bool:
        """Whether a URL with this host and port is exempt from `is_public`."""
        return (host, port) in self.origins or (
            bool(self.origins) and (_canonical(host), port) in self.origins
        )

    def may_reach(self, address: str, port: int, *, exempt: bool) -> bool:
        """Whether an address may be connected to; `exempt` for a URL that the list holds."""
        return is_public(address) or (
            exempt and (_is_inside(address) or (_canonical(address), port) in self.origins)
        )

    def connect_public(self, info: AddrInfo) -> socket.socket:
        """A socket for a public address: `TCPConnector(socket_factory=...)` of the usual pool."""
        return self._connect(info, exempt=False)

    def connect_allowed(self, info: AddrInfo) -> socket.socket:
        """A socket for the address of an allowed URL; the factory of the exempt pool."""
        return self._connect(info, exempt=True)

    def _connect(self, info: AddrInfo, *, exempt: bool) -> socket.socket:
        family, kind, protocol, _, address = info
        if not self.may_reach(address[0], address[1], exempt=exempt):
            raise ForbiddenAddress
        return socket.socket(family, kind, protocol)
