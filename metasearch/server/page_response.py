"""A page as an answer: compressed, private, with the cookies that have changed."""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import web

from metasearch.server.visit import visit_of

#: What a page depends on beside its address.
VARY = "Accept, Accept-Language, Cookie"
#: Browsers ask again each time, and may keep a page for the way back to it.
_HEADERS = {"Vary": VARY, "Cache-Control": "private, no-cache"}


def page_response(
    request: web.Request,
    page: str | bytes | bytearray,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """A page as an answer. `headers`: further ones; they may replace `Cache-Control`."""
    response = web.Response(
        body=page.encode() if isinstance(page, str) else page,
        status=status,
        content_type="text/html",
        charset="utf-8",
        headers={**_HEADERS, **(headers or {})},
    )
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        response.enable_compression(web.ContentCoding.gzip)
    visit_of(request).remember(response)
    return response


def see_other(request: web.Request, address: str) -> web.Response:
    """Sends a browser on to a local address after a form has changed something."""
    response = web.Response(status=303, headers={"Location": address, "Cache-Control": "no-store"})
    visit_of(request).remember(response)
    return response
