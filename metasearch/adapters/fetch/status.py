"""The status of an exchange: whether a page is an answer, a refusal, a bot wall or a fault."""

from __future__ import annotations

from contextlib import suppress

import orjson

from metasearch.adapters.fetch.challenge import challenge
from metasearch.adapters.fetch.health import Health
from metasearch.adapters.redaction import without_secrets
from metasearch.adapters.request import Page
from metasearch.adapters.spec import Limits
from metasearch.bib.markup import plain
from metasearch.errors import (
    AccessDenied,
    Blocked,
    ConnectFailed,
    RateLimited,
    Refused,
    ServerFault,
    SourceError,
    Unreachable,
)
from metasearch.message import message

#: Characters of a refusal's own words that are passed on.
LONGEST_MESSAGE = 200
#: Bytes of a body that is looked into for such words.
LARGEST_REFUSAL = 20_000
#: Faults that pass; a 500 or 501 is more likely to be about the request.
_PASSING = frozenset({502, 503, 504})


def judged(page: Page, limits: Limits, health: Health, env_name: str | None) -> Page:
    """The page, if it may be an answer; informs `health` of what it means for the source. Raises
    SourceError: the page is none: `Blocked`, `RateLimited`, `AccessDenied` or `ServerFault`.
    """
    error = objection(page, env_name)
    if error is None:
        health.answered()
        return page
    if isinstance(error, Blocked | RateLimited) or page.retry_after is not None:
        health.refused(error, limits.pause if page.retry_after is None else page.retry_after)
    elif isinstance(error, Refused):
        health.answered()
        health.noted(error)
    else:
        health.failed(error)
    raise error


def objection(page: Page, env_name: str | None = None) -> SourceError | None:
    """Why the page cannot be an answer; None where it may be one."""
    request, status = page.request, page.status
    wall = challenge(page.body, page.content_type)
    if wall is not None:
        return Blocked(
            request.source,
            message(
                "a human check came instead of an answer ({wall}, HTTP {status})",
                wall=wall,
                status=status,
            ),
            url=request.shown,
        )
    if status == 429:
        return RateLimited(request.source, page.retry_after, url=request.shown)
    if status in (401, 403):
        return AccessDenied(
            request.source, status, url=request.shown, env_name=env_name, said=message_of(page)
        )
    if status >= 500:
        return ServerFault(request.source, status, url=request.shown, retry_after=page.retry_after)
    return None


def message_of(page: Page) -> str:
    """The message in a JSON body, as interfaces send it with a refusal; "" where there is none."""
    with suppress(ValueError):
        facts = orjson.loads(page.body) if len(page.body) <= LARGEST_REFUSAL else None
        texts = (
            [facts.get(name) for name in ("error", "message", "detail")]
            if isinstance(facts, dict)
            else []
        )
        message = " ".join(dict.fromkeys(plain(text) for text in texts if isinstance(text, str)))
        return without_secrets(message, page.request)[:LONGEST_MESSAGE]
    return ""


def passing(error: Unreachable) -> bool:
    """Whether the same request may succeed in a moment."""
    if isinstance(error, ServerFault):
        return error.code in _PASSING and error.retry_after is None
    return isinstance(error, ConnectFailed)


def overloaded(error: SourceError) -> bool:
    """Whether the source is overloaded, and does not say for how long."""
    return isinstance(error, ServerFault) and error.code == 503 and error.retry_after is None
