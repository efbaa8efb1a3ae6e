"""The error that a body means which holds no records: a message, a refusal, a human check, a page
of something else.
"""

from __future__ import annotations

import re

from metasearch.adapters.fetch.challenge import challenge
from metasearch.adapters.request import Page
from metasearch.adapters.spec import AdapterSpec
from metasearch.bib import converters
from metasearch.errors import (
    AccessDenied,
    Blocked,
    NotParsable,
    RateLimited,
    SourceError,
    SourceSaysError,
)

#: A plain text shorter than this is a message, not content.
SHORT_TEXT = 500

_HEADING = re.compile(rb"<(?:title|h1)(?:\s[^<>]*)?>([^<]+)<", re.IGNORECASE)


def not_expected(page: Page, spec: AdapterSpec, body: bytes) -> SourceError:
    """The error of a body of a kind that the source never answers in."""
    wall = blocked(page, spec, body)
    if wall is not None:
        return wall
    start = body[:80].decode("utf-8", "replace")
    if body[:1] != b"<" and len(body) < SHORT_TEXT:
        error = reported(body.decode("utf-8", "replace"), page, spec)
        if not isinstance(error, SourceSaysError):
            return error
    heading = _HEADING.search(body[:4000])
    title = converters.text(heading[1].decode("utf-8", "replace")) if heading else None
    if page.status >= 400:
        words = title or converters.text(body[:300].decode("utf-8", "replace")) or "an error page"
        if page.status in (401, 403, 429):
            return reported(words, page, spec)
        return refusal(
            page,
            spec,
            words if words.startswith(str(page.status)) else f"HTTP {page.status}: {words}",
        )
    expected = " or ".join(
        dict.fromkeys(
            "XML" if shape.body == "marcxml" else shape.body.upper() for shape in spec.shapes
        )
    )
    if title:
        return NotParsable(
            spec.name,
            f"a web page came, {title[:100]!r}, and not {expected}",
            url=page.request.shown,
        )
    return NotParsable(spec.name, f"expected {expected}", url=page.request.shown, body_start=start)


def blocked(page: Page, spec: AdapterSpec, body: bytes) -> Blocked | None:
    """The error of a body that is a human check, or None."""
    wall = challenge(body, page.content_type)
    if wall is None:
        return None
    return Blocked(
        spec.name, f"a human check came instead of an answer ({wall})", url=page.request.shown
    )


def refusal(page: Page, spec: AdapterSpec, message: str) -> SourceError:
    """The error of an answer whose status says that it is none."""
    advice = "Check the source's `url`: there is nothing at it." if page.status == 404 else None
    return SourceSaysError(spec.name, message, url=page.request.shown, advice=advice)


_LIMIT_WORDS = (
    "rate limit", "rate exceeded", "too many requests", "throttl", "quota", "over rate",
    "访问过于频繁", "请求过于频繁",
)  # fmt: skip
_KEY_WORDS = (
    "api key", "apikey", "api_key", "unauthorized", "not authorized", "forbidden", "access denied",
    "등록되지 않은 key",  # KCI: a key that is not registered
    "用户登录", "请登录", "请先登录", "统一身份认证", "无权访问",
)  # fmt: skip


def reported(message: str, page: Page, spec: AdapterSpec) -> SourceError:
    """The error for a message in a body."""
    lower, url = message.lower(), page.request.shown
    if page.status == 429 or any(word in lower for word in _LIMIT_WORDS):
        return RateLimited(spec.name, url=url)
    if page.status in (401, 403) or any(word in lower for word in _KEY_WORDS):
        return AccessDenied(spec.name, page.status, url=url, env_name=spec.key_env)
    return SourceSaysError(spec.name, f"the database says: {message[:300]}", url=url)
