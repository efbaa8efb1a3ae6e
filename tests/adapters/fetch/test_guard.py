from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters.fetch.guard import AddrInfo, AllowList, ForbiddenAddress, is_public
from metasearch.errors import UsageError
from tests.cases import each


def info(address: str, port: int = 80) -> AddrInfo:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return (family, socket.SOCK_STREAM, 6, "", (address, port))


@each(
    "address",
    ["8.8.8.8", "193.0.6.139", "2001:67c:2e8:22::c100:68b", "64:ff9b::808:808", "::ffff:8.8.8.8"],
)
def test_the_open_internet_is_public(address: str) -> None:
    """Public addresses pass, also in the forms that an IPv6-only network uses for IPv4 hosts."""
    assert is_public(address)


@each(
    "address",
    [
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "192.0.2.1",
        "224.0.0.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b::a00:1",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2002:808:808::",
        "2001::1",
        "2001:db8::1",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
        "ff0e::1",
    ],
)
def test_everything_else_is_not(address: str) -> None:
    """Loopback, private, link-local, shared, multicast, reserved and wrapped addresses are not
    public."""
    assert not is_public(address)


@given(st.ip_addresses(v=4))
def test_a_wrapped_address_is_judged_by_what_it_wraps(ip: IPv4Address) -> None:
    """IPv4-mapped and NAT64 spellings of an address are exactly as public as the address."""
    mapped = str(IPv6Address((0xFFFF << 32) | int(ip)))
    nat64 = str(IPv6Address(int(IPv6Address("64:ff9b::")) | int(ip)))

    assert is_public(mapped) is is_public(nat64) is is_public(str(ip))


def test_the_public_pool_makes_no_socket_for_a_private_address() -> None:
    """The socket factory raises before there is anything to connect."""
    with pytest.raises(ForbiddenAddress):
        AllowList.parse({"127.0.0.1:80"}).connect_public(info("127.0.0.1", 80))


def test_an_allowed_name_may_lie_in_the_private_network_but_nowhere_special() -> None:
    """A name that is allowed reaches private and loopback addresses; the cloud's metadata service
    stays closed."""
    allow = AllowList.parse({"catalogue.local:80"})

    for address in ("10.1.2.3", "127.0.0.1", "::1", "fd00::1", "8.8.8.8"):
        allow.connect_exempt(info(address)).close()
    for address in (
        "169.254.169.254",
        "fe80::1",
        "224.0.0.1",
        "0.0.0.0",
        "255.255.255.255",
        "::ffff:169.254.169.254",
    ):
        with pytest.raises(ForbiddenAddress):
            allow.connect_exempt(info(address))


def test_an_allowed_literal_is_that_address_and_port() -> None:
    """Who writes a link-local address into the configuration means it, with its port."""
    allow = AllowList.parse({"169.254.1.1:8080"})

    allow.connect_exempt(info("169.254.1.1", 8080)).close()
    with pytest.raises(ForbiddenAddress):
        allow.connect_exempt(info("169.254.1.1", 80))


def test_hosts_are_compared_in_one_spelling() -> None:
    """Case and the many spellings of an IPv6 address make no difference; another port does."""
    allow = AllowList.parse({"Catalogue.LOCAL:210", "[0:0::1]:99"})

    assert allow.holds("catalogue.local", 210)
    assert allow.holds("::1", 99)
    assert not allow.holds("catalogue.local", 211)
    assert not allow.holds("catalogue.local.", 210)


@each("entry", ["", "host", "host:", ":80", "host:x", "::1:80", "http://host", "host:８0"])
def test_an_entry_that_is_not_host_and_port_is_told(entry: str) -> None:
    """A mistake in the allow list is an error that shows the entry, not a hole or a silent
    nothing."""
    with pytest.raises(UsageError, match="not host:port"):
        AllowList.parse({entry})
