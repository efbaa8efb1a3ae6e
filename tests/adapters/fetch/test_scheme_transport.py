"""Each request goes to the transport of its URL's scheme, and no transport is made for nothing."""

from __future__ import annotations

from metasearch.adapters.fetch.transport import SchemeTransport
from metasearch.adapters.request import Page, Request


class Told:
    """A transport that remembers what it was asked."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.closed = 0

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        self.urls.append(request.url)
        return Page(request=request)

    async def close(self) -> None:
        self.closed += 1


async def test_a_request_goes_to_the_transport_of_its_scheme() -> None:
    """Capitals do not matter; what has no transport of its own goes the usual way."""
    usual, made = Told(), []

    def make() -> Told:
        made.append(Told())
        return made[-1]

    transport = SchemeTransport(usual, {"z3950": make})
    for url in (
        "https://a.example/",
        "http://a.example/",
        "z3950://a.example/x",
        "Z3950://b.example/x",
        "other:x",
    ):
        await transport.send(Request(source="a", url=url), timeout=1, max_bytes=1)
    await transport.close()

    assert usual.urls == ["https://a.example/", "http://a.example/", "other:x"]
    assert [it.urls for it in made] == [["z3950://a.example/x", "Z3950://b.example/x"]]
    assert (usual.closed, made[0].closed) == (1, 1)


async def test_no_transport_is_made_for_a_scheme_that_is_not_asked() -> None:
    def make() -> Told:
        raise AssertionError

    transport = SchemeTransport(Told(), {"z3950": make})
    await transport.send(Request(source="a", url="https://a.example/"), timeout=1, max_bytes=1)
    await transport.close()
