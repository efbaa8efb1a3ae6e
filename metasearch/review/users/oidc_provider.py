"""The OpenID provider, as one process of the server knows it."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote_plus, urlencode

from metasearch.adapters.request import Pairs, Secret
from metasearch.errors import Busy
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.server.users.oidc.answers import Answers
from metasearch.server.users.oidc.attempt import Attempt
from metasearch.server.users.oidc.failures import LoginRefused, ProviderFault
from metasearch.server.users.oidc.id_token import claims_of
from metasearch.server.users.oidc.keys import Keys
from metasearch.server.users.oidc.metadata import WELL_KNOWN, Metadata, read
from metasearch.settings.oidc import OidcSettings

#: Seconds that metadata are kept, and after a failure before they are asked for again.
KEPT, PAUSE = 3_600.0, 5.0
#: Codes that are exchanged at once, and browsers that may wait for that.
_AT_ONCE, _WAITING = 10, 200
#: Characters of what the provider says of an error.
_LONGEST = 300


class Provider:
    """The provider.

    Args:
        settings: Which one, and what this server is called there.
        secret: Of this server there; "" for none.
        allow: "host:port" of addresses in one's own network that may be asked, beside the issuer.
        clock: Seconds.
    """

    def __init__(
        self,
        settings: OidcSettings,
        secret: str = "",
        *,
        allow: frozenset[str] = frozenset(),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self._secret = secret
        self._answers = Answers(settings.issuer, allow)
        self._clock = clock
        self._metadata: tuple[Metadata, float] | None = None
        self._failed: tuple[ProviderFault, float] | None = None
        self._lock = asyncio.Lock()
        self._exchanges, self._waiting = asyncio.Semaphore(_AT_ONCE), 0
        self._keys = Keys(self._key_set, clock)

    async def close(self) -> None:
        """Close the connections."""
        await self._answers.close()

    async def authorization(self, attempt: Attempt, back: str) -> str:
        """The address at the provider that a browser is sent to. `back`: absolute address that the
        browser comes back to. Raises ProviderFault: the provider cannot be asked what it is.
        """
        metadata = await self.metadata()
        parameters = {
            "response_type": "code",
            "client_id": self.settings.client_id,
            "redirect_uri": back,
            "scope": " ".join(self.settings.scopes),
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": attempt.challenge,
            "code_challenge_method": "S256",
        }
        sign = "&" if "?" in metadata.authorization else "?"
        return f"{metadata.authorization}{sign}{urlencode(parameters)}"

    async def claims(self, code: str, attempt: Attempt, back: str) -> dict[str, Any]:
        """What the provider says of the user who has come back with a code.

        Raises:
            LoginRefused: The code or the token cannot be taken.
            ProviderFault: The provider cannot be asked.
            Busy: Too many are logging in.
        """
        if self._waiting >= _WAITING:
            raise Busy(message("Too many people are logging in."))
        self._waiting += 1
        try:
            async with self._exchanges:
                token = await self._exchanged(code, attempt, back)
                return await claims_of(
                    token,
                    self._keys,
                    issuer=self.settings.issuer,
                    client_id=self.settings.client_id,
                    nonce=attempt.nonce,
                )
        finally:
            self._waiting -= 1

    async def metadata(self) -> Metadata:
        """What the provider says about itself. Raises ProviderFault: it cannot be asked, or could
        not a moment ago.
        """
        async with self._lock:
            now = self._clock()
            if self._metadata is not None and now - self._metadata[1] < KEPT:
                return self._metadata[0]
            if self._failed is not None and now - self._failed[1] < PAUSE:
                raise self._failed[0]
            issuer = self.settings.issuer
            try:
                found = read(await self._answers.get(issuer.rstrip("/") + WELL_KNOWN), issuer)
            except ProviderFault as fault:
                self._failed = fault, self._clock()
                raise
            self._metadata, self._failed = (found, self._clock()), None
            return found

    async def _key_set(self) -> dict[str, Any]:
        return await self._answers.get((await self.metadata()).keys)

    async def _exchanged(self, code: str, attempt: Attempt, back: str) -> str:
        """The ID token for a code."""
        metadata = await self.metadata()
        fields: Pairs = (
            ("grant_type", "authorization_code"),
            ("code", Secret(code)),
            ("redirect_uri", back),
            ("code_verifier", Secret(attempt.verifier)),
        )
        client, authorization = self.settings.client_id, None
        if self._secret and metadata.client_by == "basic":
            # Both are written as in a form before (RFC 6749, 2.3.1).
            pair = f"{quote_plus(client)}:{quote_plus(self._secret)}"
            text = base64.b64encode(pair.encode()).decode()
            authorization = Secret(f"Basic {text}", (self._secret,))
        else:
            fields += (("client_id", client),)
            fields += (("client_secret", Secret(self._secret)),) if self._secret else ()
        status, found = await self._answers.post(metadata.token, fields, authorization)
        if status != 200:
            raise LoginRefused(
                message(
                    "The login provider does not accept the login: {reason}",
                    reason=said(found.get("error"), found.get("error_description")) or status,
                )
            )
        token = found.get("id_token")
        if not isinstance(token, str):
            raise ProviderFault(message("The login provider has sent no ID token."))
        return token


def said(error: object, description: object) -> str:
    """What the provider says of an error, in one line of a few words."""
    texts = [line(one) for one in (error, description) if isinstance(one, str) and one.strip()]
    return ": ".join(texts)[:_LONGEST]
