"""A reader with a browser: loads a page, and sends its forms with the token that it holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aiohttp import ClientResponse
from aiohttp.test_utils import TestClient
from lxml import html

HTML = {"Accept": "text/html"}


async def page(client: TestClient, path: str, status: int = 200) -> html.HtmlElement:
    """The page as a tree."""
    response = await client.get(path, headers=HTML)
    assert response.status == status
    return html.document_fromstring(await response.text())


async def token(client: TestClient) -> str:
    """One that this visitor's forms may have."""
    tree = await page(client, "/settings")
    return str(tree.xpath("//input[@name='token']/@value")[0])


async def post(
    client: TestClient,
    path: str,
    fields: Sequence[tuple[str, str]] | dict[str, str] = (),
    **options: Any,
) -> ClientResponse:
    """The answer to a form of this visitor; no redirect is followed."""
    pairs = fields.items() if isinstance(fields, dict) else fields
    sent = [("token", await token(client)), *pairs]
    options.setdefault("headers", HTML)
    return await client.post(path, data=sent, allow_redirects=False, **options)


def text(tree: html.HtmlElement) -> str:
    """What is read of the content of a page, in one line."""
    return " ".join(tree.get_element_by_id("main").text_content().split())
