"""Documents that stay the same for long: with an entity tag, and sent to a client once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from aiohttp import web

#: Seconds that a client may use one again without asking.
MAX_AGE = 3600


def tag_of(body: bytes) -> str:
    """Names the content; without quotes."""
    return hashlib.sha256(body).hexdigest()[:20]


def lasting(
    request: web.Request,
    body: bytes,
    media_type: str,
    *,
    charset: str | None = None,
    etag: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """The document, or a 304 where `If-None-Match` names it.

    `etag`: its tag where it is known, without quotes; None makes it from the body. `headers`:
    further ones; they may replace `Cache-Control`.
    """
    tag = etag or tag_of(body)
    sent = {"ETag": f'"{tag}"', "Cache-Control": f"public, max-age={MAX_AGE}", **(headers or {})}
    if any(known.value in (tag, "*") for known in request.if_none_match or ()):
        return web.Response(status=304, headers=sent)
    return web.Response(body=body, content_type=media_type, charset=charset, headers=sent)
