"""Where a request may go: which addresses may be connected to, and which redirects are followed."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any
from urllib.parse import quote, unquote_plus

from yarl import URL

from metasearch.adapters.request import JSON, Pairs, Request, Secret, secrets_of, without_secrets
from metasearch.errors import NotAllowed, UsageError
from metasearch.message import message

# Which addresses may be connected to: the guard against server-side request forgery. A URL does not
# show where it leads: names resolve to private addresses, addresses have many spellings. So the
# guard judges the final socket address, at the moment of connecting, on every hop of a redirect.
#
# The `allow` list speaks of URLs ("host:port"). A request to such a URL may reach private and
# loopback addresses, and only such a request: it goes through a connection pool of its own, so that
# neither another URL that resolves to the same address, nor a connection kept alive, nor a redirect
# from a public host profits from the exemption. An attacker with the DNS of an allowed *name* can
# move it to another private address, at the allowed port; everything else (link-local, the clouds'
# metadata services, tunnels, multicast, reserved) stays closed to names. An allowed *literal*
# address is exactly that address, whichever range it is in.

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

    def connect_exempt(self, info: AddrInfo) -> socket.socket:
        """A socket for the address of an allowed URL; the factory of the exempt pool."""
        return self._connect(info, exempt=True)

    def _connect(self, info: AddrInfo, *, exempt: bool) -> socket.socket:
        family, kind, protocol, _, address = info
        if not self.may_reach(address[0], address[1], exempt=exempt):
            raise ForbiddenAddress
        return socket.socket(family, kind, protocol)


# Redirects: the first hop of a request, the next hop, and which are refused. Pure. Secrets belong
# to the origin that the request names. They follow a redirect within that origin and the usual step
# from http to https on the same host; to any other place the hop goes without them, and once lost
# they do not come back. A server that repeats a secret in its `Location` does not get it carried
# elsewhere either.

#: Redirects that are followed, and whether a POST stays a POST.
REDIRECTS = {301: False, 302: False, 303: False, 307: True, 308: True}

_LEGAL = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")
_CREDENTIALS = frozenset({"authorization", "cookie", "proxy-authorization"})


@dataclass(frozen=True, slots=True)
class Hop:
    """One HTTP exchange. What may hold a secret does not show. `trusted`: whether it goes where the
    request's secrets may go.
    """

    url: URL = field(repr=False)
    method: str
    headers: dict[str, str] = field(repr=False)
    data: bytes | None = field(repr=False)
    trusted: bool = True


def first_hop(request: Request) -> Hop:
    """The request as it is sent first.

    Parameters are percent-encoded here, everything but RFC 3986's unreserved characters, and
    nothing re-encodes them. Raises NotAllowed: the URL is not http or https, names a user, or
    cannot be read.
    """
    text = request.url.partition("#")[0]
    if request.params:
        text += ("&" if "?" in text else "?") + _encode_form(request.params)
    data = _body(request) if request.method == "POST" else None
    return Hop(
        _parse_url(text, request), request.method, _headers(request, body=data is not None), data
    )


def next_hop(request: Request, hop: Hop, status: int, location: str) -> Hop:
    """Where a redirect leads. `location`: the `Location` header. Raises NotAllowed: the target is
    not http or https, names a user, cannot be read, or would take a secret along.
    """
    target = _parse_url(location, request, base=hop.url)
    secrets = secrets_of(request)
    if secrets and hop.url.scheme == "https" and target.scheme == "http":
        raise _refusal(
            request,
            message(
                "a redirect to {origin} would leave https with a key in hand", origin=origin(target)
            ),
        )
    trusted = hop.trusted and _same_party(hop.url, target)
    if not trusted and secrets:
        target = _without(target, secrets, request)
    keeps = hop.method != "POST" or REDIRECTS[status]
    data = _body(request, secrets=trusted) if keeps and hop.data is not None else None
    headers = _headers(request, body=data is not None, secrets=trusted)
    return Hop(target, hop.method if keeps else "GET", headers, data, trusted)


def origin(url: URL) -> str:
    """Scheme, host and port, which may be shown; paths and parameters may hold a secret."""
    return f"{url.scheme}://{url.raw_host}:{url.port}"


def _body(request: Request, *, secrets: bool = True) -> bytes:
    """JSON or text to the letter, which hold no secret; else the fields, as JSON or as a form."""
    if request.content:
        return request.content.encode(errors="replace")
    if request.content_type == JSON:
        return json.dumps(dict(_plain(request.body, secrets=secrets))).encode()
    return _encode_form(request.body, secrets=secrets).encode()


def _encode_form(pairs: Pairs, *, secrets: bool = True) -> str:
    return "&".join(
        f"{_quote_name(name)}={quote(text, safe='', errors='replace')}"
        for name, text in _plain(pairs, secrets=secrets)
    )


@lru_cache(maxsize=1024)
def _quote_name(name: str) -> str:
    """Names come from specs and are few; values are not remembered, a secret may be among them."""
    return quote(name, safe="", errors="replace")


def _plain(pairs: Pairs, *, secrets: bool) -> list[tuple[str, str]]:
    return [
        (name, value.reveal() if isinstance(value, Secret) else value)
        for name, value in pairs
        if secrets or not isinstance(value, Secret)
    ]


def _headers(request: Request, *, body: bool, secrets: bool = True) -> dict[str, str]:
    """Headers of one hop; without `secrets` also those that carry credentials by name stay out."""
    headers = {
        name: text
        for name, text in _plain(request.headers, secrets=secrets)
        if secrets or name.lower() not in _CREDENTIALS
    }
    if body and not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = request.content_type or "application/x-www-form-urlencoded"
    return headers


def _parse_url(text: str, request: Request, base: URL | None = None) -> URL:
    try:
        # Legal text is taken to the letter: signed URLs are sensitive to the byte. The rest gets
        # quoted.
        url = URL(text, encoded=bool(_LEGAL.fullmatch(text)))
        if base is not None:
            url = base.join(url).with_fragment(None)
        scheme, host, port, authority = url.scheme, url.raw_host, url.port, url.raw_authority
    except ValueError as exc:
        raise _refusal(
            request,
            message("the redirect cannot be read") if base else message("the URL cannot be read"),
        ) from exc
    if scheme not in ("http", "https"):
        raise _refusal(
            request,
            message(
                "only http and https are spoken, not {scheme}",
                scheme=scheme[:20] or message("a URL without a scheme"),
            ),
        )
    if not host or not port:
        raise _refusal(request, message("the URL has no host"))
    if "@" in authority:
        raise _refusal(
            request, message("a URL with user information is not followed (host {host})", host=host)
        )
    return url


def _same_party(here: URL, there: URL) -> bool:
    if str(here.raw_host).lower() != str(there.raw_host).lower():
        return False
    if (here.scheme, here.port) == (there.scheme, there.port):
        return True
    return (here.scheme, here.port, there.scheme, there.port) == ("http", 80, "https", 443)


def _without(url: URL, secrets: tuple[str, ...], request: Request) -> URL:
    def leaks(text: str) -> bool:
        spelled = (text.casefold(), unquote_plus(text).casefold())  # a host loses its capitals
        return any(secret.casefold() in text for secret in secrets for text in spelled)

    if not leaks(str(url)):
        return url
    kept = "&".join(part for part in url.raw_query_string.split("&") if not leaks(part))
    bare = str(url).partition("?")[0]
    if leaks(bare):
        raise _refusal(
            request, message("a redirect would carry a key to {origin}", origin=origin(url))
        )
    return URL(f"{bare}?{kept}" if kept else bare, encoded=True)


def _refusal(request: Request, why: str) -> NotAllowed:
    bare = without_secrets(why, request)
    return NotAllowed(request.source, why if bare == why else bare, url=request.log_url)


def address_refusal(request: Request, hop: Hop, *, redirected: bool) -> NotAllowed:
    """The refusal to connect to `hop`, which the user may want to allow."""
    if not redirected:
        return NotAllowed(
            request.source,
            message("{place} is not at a public address", place=_place(hop)),
            url=request.log_url,
        )
    return NotAllowed(
        request.source,
        message("it redirects to {place}, which is not at a public address", place=_place(hop)),
        url=request.log_url,
        advice=message(
            "Nothing was sent there. If the address is meant, make it the source's "
            "`url` and `allow` its host:port."
        ),
    )


def hop_refusal(request: Request, hop: Hop) -> NotAllowed:
    """The refusal to follow one server of our network to another, which others were to ask."""
    return NotAllowed(
        request.source,
        message(
            "it redirects to {place}, another server that is allowed, but not to this source",
            place=_place(hop),
        ),
        url=request.log_url,
        advice=message(
            "Nothing was sent there. If it is meant, set request.redirects = "
            '["{place}"] for the source.',
            place=_place(hop),
        ),
    )


def is_named(hop: Hop, request: Request, own: Hop) -> bool:
    """Whether a hop goes to the request's own server, or to one that its source names."""
    named = AllowList.parse((*request.redirects, _place(own)))
    return named.holds(str(hop.url.raw_host), hop.url.port or 0)


def _place(hop: Hop) -> str:
    host = str(hop.url.raw_host)
    return f"[{host}]:{hop.url.port}" if ":" in host else f"{host}:{hop.url.port}"
