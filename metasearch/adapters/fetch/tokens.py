"""Tokens that are fetched with our credentials: kept in memory, never on disk, until they expire or
are refused.

`plan` puts a `Grant` where a token belongs. The exchange has it filled in here, and whoever asked
gets its page without ever seeing the token.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from metasearch.adapters.fetch.status import message_of
from metasearch.adapters.request import Grant, Page, Pairs, Request, Secret
from metasearch.errors import AccessDenied, BadAnswer
from metasearch.late_pattern import late_pattern
from metasearch.message import message

#: Seconds that a token is kept whose server does not say for how long it is good.
UNSAID = 1200.0
#: A token is not used in this share of its life, at its end, but for at most so many seconds.
MARGIN_SHARE, MARGIN = 0.1, 60.0
#: What may stand in a header; longer ones are none.
_TOKEN = late_pattern(r"[\x21-\x7e]{1,16384}")

#: Sends a request, with all that an exchange goes through.
Ask = Callable[[Request], Awaitable[Page]]


@dataclass(slots=True)
class _Kept:
    """The token of one login, and until when it is good."""

    token: str = field(default="", repr=False)
    until: float = -math.inf
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Tokens:
    """The tokens of one process. Belongs to one event loop. `monotonic`: seconds."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._kept: dict[Request, _Kept] = {}

    def __repr__(self) -> str:
        return f"<Tokens of {len(self._kept)} logins>"

    async def sent(self, request: Request, ask: Ask, env_name: str | None) -> Page:
        """The page for a request with a `Grant`: with the token that is known, and once with a new
        one after a 401.

        `request`: with one `Grant` or more. `ask`: sends, first the login where no good token is
        known, then the request. `env_name`: the variable of our credentials, for the advice of
        `AccessDenied`. Raises SourceError: no page came, or no token.
        """
        tokens = await self._of(request, ask, env_name)
        try:
            return await ask(_with(request, tokens))
        except AccessDenied as error:
            if error.code != 401:
                raise
        for grant, token in tokens.items():
            kept = self._kept[grant.login]
            if kept.token == token:  # else another request has fetched a new one already
                kept.until = -math.inf
        return await ask(_with(request, await self._of(request, ask, env_name)))

    async def _of(self, request: Request, ask: Ask, env_name: str | None) -> dict[Grant, str]:
        grants = [
            value for _, value in request.params + request.headers if isinstance(value, Grant)
        ]
        return {grant: await self._token(grant.login, ask, env_name) for grant in grants}

    async def _token(self, login: Request, ask: Ask, env_name: str | None) -> str:
        """The token of a login; of many who need it at once one fetches it for all."""
        kept = self._kept.setdefault(login, _Kept())
        async with kept.lock:
            if self._monotonic() >= kept.until:
                began = self._monotonic()
                token, seconds = _read(await ask(login), env_name)
                kept.token, kept.until = (
                    token,
                    began + seconds - min(MARGIN, MARGIN_SHARE * seconds),
                )
            return kept.token


def _with(request: Request, tokens: dict[Grant, str]) -> Request:
    """The request with the tokens in their places."""

    def filled(pairs: Pairs) -> Pairs:
        return tuple(
            (n, Secret(v.prefix + tokens[v], v.texts()) if isinstance(v, Grant) else v)
            for n, v in pairs
        )

    return replace(request, params=filled(request.params), headers=filled(request.headers))


def _read(page: Page, env_name: str | None) -> tuple[str, float]:
    """The token of a login's answer, and for how many seconds it is good (RFC 6749, 5.1). Raises
    AccessDenied: the login was refused; BadAnswer: there is no token in the answer, which is not
    quoted: it may hold a secret all the same.
    """
    request = page.request
    if page.status >= 400:
        raise AccessDenied(
            request.source, page.status, url=request.shown, env_name=env_name, said=message_of(page)
        )
    facts: Any = None
    with suppress(ValueError):
        facts = orjson.loads(page.body)
    token = (facts.get("access_token") or facts.get("token")) if isinstance(facts, dict) else None
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise BadAnswer(
            request.source, message("the answer to the login has no token in it"), url=request.shown
        )
    return token, _seconds(facts.get("expires_in"))


def _seconds(value: Any) -> float:
    """`expires_in`, which some write as a string."""
    with suppress(ValueError, TypeError, OverflowError):
        seconds = float(value)
        if 0 < seconds < math.inf:
            return seconds
    return UNSAID
