"""Bodies that are too large for memory are written to a file as they come."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from metasearch.server import forms
from metasearch.server.limits import Options
from metasearch.server.problem import Problem
from tests.cases import each


@pytest.fixture
async def client() -> AsyncIterator[TestClient]:
    """Of a server that answers with the bytes that it was sent, of which it takes a hundred."""

    async def echo(request: web.Request) -> web.Response:
        file = io.BytesIO()
        try:
            await forms.body_into(request, Options(head_timeout=0.2), 100, file)
        except Problem as exc:
            return web.Response(status=exc.status)
        return web.Response(body=file.getvalue())

    app = web.Application()
    app.router.add_post("/", echo)
    async with TestClient(TestServer(app)) as client:
        yield client


async def in_parts(wait: float) -> AsyncIterator[bytes]:
    """A body that says nothing of its size, and pauses once."""
    yield b"a" * 50
    await asyncio.sleep(wait)
    yield b"b" * 50


async def test_the_file_has_the_bytes_of_the_body(client: TestClient) -> None:
    """All of them, in their order."""
    response = await client.post("/", data=in_parts(0))

    assert await response.read() == b"a" * 50 + b"b" * 50


@each("known", [True, False])
async def test_a_body_that_is_too_large(client: TestClient, known: bool) -> None:
    """413, whether its size is known before or not."""

    async def more() -> AsyncIterator[bytes]:
        yield b"a" * 101

    response = await client.post("/", data=b"a" * 101 if known else more())

    assert response.status == 413


async def test_a_body_that_does_not_come(client: TestClient) -> None:
    """408, as soon as it comes too slowly on the whole."""
    response = await client.post("/", data=in_parts(30))

    assert response.status == 408


async def test_a_large_body_may_take_longer(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has come gives it time."""
    monkeypatch.setattr(forms, "SLOWEST", 1)

    response = await client.post("/", data=in_parts(0.5))

    assert (response.status, len(await response.read())) == (200, 100)
