"""Who asks: addresses, proxies, and what the log may have of them."""

from __future__ import annotations

import logging
import re
from typing import Any

from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

from metasearch.server.limits.client_limits import Client, Clients
from tests.cases import each


class Transport:
    """A socket whose other end is known."""

    def __init__(self, peer: Any) -> None:
        self._peer = peer

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._peer if name == "peername" else default


def client(
    peer: str | None, *forwarded: str, trusted: tuple[str, ...] = (), **headers: str
) -> Client:
    """The client of a request from that address, with these lines of X-Forwarded-For."""
    lines = CIMultiDict([("X-Forwarded-For", it) for it in forwarded] + list(headers.items()))
    transport = Transport((peer, 1234) if peer else "")
    return Clients(trusted).of(make_mocked_request("GET", "/", headers=lines, transport=transport))


@each(
    ("peer", "name"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
    ],
)
def test_a_client_is_its_address(peer, name):
    """An IPv6 network is one client: whoever has an address of it has all of them."""
    assert client(peer) == Client(name)


def test_without_a_proxy_nothing_that_a_client_says_counts():
    """Otherwise each request could come from another client."""
    assert client("192.0.2.1", "203.0.113.9") == Client("192.0.2.1")


@each(
    ("forwarded", "name"),
    [
        (["203.0.113.9"], "203.0.113.9"),
        (["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
        (["198.51.100.1", "203.0.113.9"], "203.0.113.9"),
        (["198.51.100.1, 203.0.113.9, 10.1.2.3"], "203.0.113.9"),
        (["[2001:db8::1]:443"], "2001:db8::/64"),
        (["203.0.113.9:5000"], "203.0.113.9"),
        (["nonsense"], "10.0.0.1"),
        (["203.0.113.9, <script>"], "10.0.0.1"),
        ([""], "10.0.0.1"),
        ([], "10.0.0.1"),
        ([",".join(["10.0.0.2"] * 5000)], "10.0.0.2"),
    ],
)
def test_behind_trusted_proxies_the_last_hop_that_is_none_of_them_counts(forwarded, name):
    """What stands before it is the client's own invention; what is no address leaves it at the
    nearest that is one."""
    assert client("10.0.0.1", *forwarded, trusted=("10.0.0.0/8",)).name == name


@each("peer", ["127.0.0.1", "::1", "127.8.8.8"])
def test_this_machine(peer):
    """Local, unless a proxy has passed it on: an unknown proxy's clients must not all go
    unlimited."""
    assert client(peer).local
    assert not client(peer, "203.0.113.9").local
    assert not client(peer, Via="1.1 proxy").local
    assert client(peer, "203.0.113.9", trusted=("127.0.0.0/8", "::1")) == Client("203.0.113.9")
    assert client(None).local


def test_an_unknown_proxy_is_told_once(caplog):
    """Somebody has to name it in the configuration."""
    clients = Clients()
    request = make_mocked_request(
        "GET",
        "/",
        headers=CIMultiDict({"X-Forwarded-For": "203.0.113.9"}),
        transport=Transport(("127.0.0.1", 1)),
    )
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            clients.of(request)

    assert caplog.text.count("trusted_proxies") == 1
    assert "203.0.113.9" not in caplog.text


def test_a_pseudonym_holds_for_one_server_only():
    """The same client has the same word there, and another one elsewhere; no table of addresses can
    be made for it."""
    one, other = Clients(), Clients()
    here, there = Client("192.0.2.1"), Client("192.0.2.2")

    assert one.pseudonym(here) == one.pseudonym(here)
    assert len({one.pseudonym(here), one.pseudonym(there), other.pseudonym(here)}) == 3
    assert re.fullmatch("[0-9a-f]{12}", one.pseudonym(here))
