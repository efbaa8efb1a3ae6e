"""Errors for pages without records: a message, a refusal, a human check, nothing at all."""

from __future__ import annotations

import re
from typing import Any

from metasearch.adapters.fetch.status import challenge
from metasearch.adapters.request import Page
from metasearch.adapters.spec import AdapterSpec
from metasearch.bib import texts
from metasearch.errors import (
    AccessDenied,
    Blocked,
    NotParsable,
    RateLimited,
    SourceError,
    SourceSaysError,
    Unreachable,
)
from metasearch.late_pattern import late_pattern
from metasearch.message import join_texts, message

#: A plain text shorter than this is a message, not content.
SHORT_TEXT = 500
#: Why a record is none.
NAMELESS = "neither a title nor an identifier"

_HEADING = late_pattern(rb"<(?:title|h1)(?:\s[^<>]*)?>([^<]+)<", re.IGNORECASE)


def wrong_kind(page: Page, spec: AdapterSpec, body: bytes) -> SourceError:
    """The error for a body of a kind in which the source never answers."""
    wall = bot_wall(page, spec, body)
    if wall is not None:
        return wall
    if body[:1] != b"<" and len(body) < SHORT_TEXT:
        error = error_of_text(body.decode("utf-8", "replace"), page, spec)
        if not isinstance(error, SourceSaysError):
            return error
    heading = _HEADING.search(body[:4000])
    title = texts.text(heading[1].decode("utf-8", "replace")) if heading else None
    if page.status >= 400:
        words = (
            title or texts.text(body[:300].decode("utf-8", "replace")) or message("an error page")
        )
        if page.status in (401, 403, 429):
            return error_of_text(words, page, spec)
        return refusal(
            page,
            spec,
            words
            if words.startswith(str(page.status))
            else message("HTTP {status}: {words}", status=page.status, words=words),
        )
    expected = join_texts(
        " or ",
        dict.fromkeys(
            "XML" if shape.body == "marcxml" else shape.body.upper() for shape in spec.shapes
        ),
    )
    if title:
        return NotParsable(
            spec.name,
            message(
                "a web page came, {title}, and not {expected}",
                title=repr(title[:100]),
                expected=expected,
            ),
            url=page.request.log_url,
        )
    return unreadable(page, spec, body, message("expected {expected}", expected=expected))


def unreadable(
    page: Page, spec: AdapterSpec, body: bytes, reason: str, advice: str | None = None
) -> NotParsable:
    """The error for a body that cannot be read; the error quotes its beginning."""
    start = body[:80].decode("utf-8", "replace")
    return NotParsable(spec.name, reason, url=page.request.log_url, body_start=start, advice=advice)


def empty(page: Page, spec: AdapterSpec) -> SourceError:
    if page.status >= 400:
        return refusal(page, spec, message("HTTP {status} without a message", status=page.status))
    return NotParsable(
        spec.name, message("the body is empty"), url=page.request.log_url, advice=Unreachable.advice
    )


def without_records(
    page: Page, spec: AdapterSpec, body: str, root: Any, *, fits: bool
) -> SourceError:
    """The error for a body of the right kind that holds no records, and no count of them either.
    `body`: the kind of the body, as `Shape.body`.
    """
    if body == "html" and (wall := bot_wall(page, spec, page.body)) is not None:
        return wall
    if page.status >= 400:
        return refusal(page, spec, message("HTTP {status}", status=page.status))
    reason = (
        message("neither records nor a count are in it")
        if fits
        else message("it does not describe works")
    )
    if body in ("xml", "marcxml"):
        tag = root.tag.rpartition("}")[2]
        reason = message("{reason} ({element})", reason=reason, element=tag)
    return unreadable(page, spec, page.body, reason)


def bot_wall(page: Page, spec: AdapterSpec, body: bytes) -> Blocked | None:
    """The error for a body that is a human check; None for any other."""
    wall = challenge(body, page.content_type)
    if wall is None:
        return None
    return Blocked(
        spec.name,
        message("a human check came instead of an answer ({wall})", wall=wall),
        url=page.request.log_url,
    )


def refusal(page: Page, spec: AdapterSpec, text: str) -> SourceError:
    """The error for an answer with the status of an error."""
    advice = (
        message("Check the source's `url`: there is nothing at it.") if page.status == 404 else None
    )
    return SourceSaysError(spec.name, text, url=page.request.log_url, advice=advice)


_LIMIT_WORDS = (
    "rate limit", "rate exceeded", "too many requests", "throttl", "quota", "over rate",
    "访问过于频繁", "请求过于频繁",
)  # fmt: skip
_KEY_WORDS = (
    "api key", "apikey", "api_key", "unauthorized", "not authorized", "forbidden", "access denied",
    "등록되지 않은 key",  # KCI: a key that is not registered
    "用户登录", "请登录", "请先登录", "统一身份认证", "无权访问",
)  # fmt: skip


def error_of_text(text: str, page: Page, spec: AdapterSpec) -> SourceError:
    lower, url = text.lower(), page.request.log_url
    if page.status == 429 or any(word in lower for word in _LIMIT_WORDS):
        return RateLimited(spec.name, url=url)
    if page.status in (401, 403) or any(word in lower for word in _KEY_WORDS):
        return AccessDenied(spec.name, page.status, url=url, env_name=spec.key_env)
    return SourceSaysError(
        spec.name, message("the database reports: {text}", text=text[:300]), url=url
    )
