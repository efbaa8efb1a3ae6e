"""What the transport hands to aiohttp, seen through aioresponses: method, address and headers.

Bodies, redirects and decompression are tested on real sockets (test_transport.py), because
aioresponses leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import Mock

import aiohttp
import aioresponses
import aioresponses.core
import pytest
from yarl import URL

from metasearch.adapters.fetch.transport import HttpTransport
from metasearch.adapters.request import Request, Secret


class _Response(aiohttp.ClientResponse):
    """aiohttp 3.14 wants a stream writer, which aioresponses does not know yet."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("stream_writer", Mock(output_size=0))
        super().__init__(*args, **kwargs)


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Iterator[aioresponses.aioresponses]:
    """Everything that aiohttp is asked to send, and answers for it."""
    monkeypatch.setattr(aioresponses.core, "ClientResponse", _Response)
    with aioresponses.aioresponses() as intercepted:
        yield intercepted


async def test_what_was_planned_is_what_is_sent(wire: aioresponses.aioresponses) -> None:
    """Every parameter arrives, the secret is in its place, and the program names itself."""
    url = "https://api.example.org/works?q=salt%20%26%20marsh&rows=20&key=s3cret"
    wire.get(URL(url, encoded=True), body=b"{}")
    request = Request(
        source="example",
        url="https://api.example.org/works",
        params=(("q", "salt & marsh"), ("rows", "20"), ("key", Secret("s3cret"))),
        headers=(("Accept", "application/json"),),
    )
    transport = HttpTransport(user_agent="metasearch-test")

    page = await transport.send(request, timeout=1.0, max_bytes=1000)
    await transport.close()

    assert page.body == b"{}"
    ((method, sent), (call,)) = next(iter(wire.requests.items()))
    assert method == "GET"
    assert (sent.host, sent.path) == ("api.example.org", "/works")
    assert dict(sent.query) == {"q": "salt & marsh", "rows": "20", "key": "s3cret"}
    assert call.kwargs["headers"]["Accept"] == "application/json"
    assert call.kwargs["allow_redirects"] is False
    assert "s3cret" not in repr(page)
