"""Checks what the provider says of a user: the ID token (OpenID Connect Core 1.0, 3.1.3.7)."""

from __future__ import annotations

import hmac
import time
from typing import Any

import orjson
from joserfc import jws
from joserfc.errors import JoseError, UnsupportedAlgorithmError
from joserfc.jws import JWSRegistry

from metasearch.message import message
from metasearch.server.users.oidc.failures import LoginRefused
from metasearch.server.users.oidc.keys import ALGORITHMS, Keys

#: Seconds by which clocks may differ, and since when a token may have been made.
LEEWAY, OLDEST = 60, 600
#: Characters of a token, and of the name of a user at a provider.
LONGEST, LONGEST_SUBJECT = 100_000, 255


class _Registry(JWSRegistry):
    """The algorithms that are allowed. EdDSA is among them, of which joserfc warns since RFC 9864
    has given it another name: providers do not use that yet.
    """

    def get_alg(self, name: str) -> Any:
        """The algorithm of a name."""
        if name not in ALGORITHMS:
            raise UnsupportedAlgorithmError(name)
        return self.algorithms[name]


#: Further members of a header are left alone, unless the token says that they are critical.
_REGISTRY = _Registry(strict_check_header=False)


async def claims_of(
    token: str,
    keys: Keys,
    *,
    issuer: str,
    client_id: str,
    nonce: str,
    now: float | None = None,
) -> dict[str, Any]:
    """The claims of an ID token.

    `issuer`: who must have made it. `now`: Unix time in seconds. Raises LoginRefused: it is not
    signed by the provider, or not meant for this login; ProviderFault: the keys of the provider
    cannot be had.
    """
    claims = await _signed(token, keys)
    _check(claims, issuer, client_id, nonce, time.time() if now is None else now)
    return claims


async def _signed(token: str, keys: Keys) -> dict[str, Any]:
    """The claims, when the signature holds."""
    if len(token) > LONGEST or token.count(".") != 2 or not token.isascii():
        raise _refused(message("it is no signed token"))
    try:
        signed = jws.extract_compact(token.encode(), None, _REGISTRY)
        header = signed.headers()
    except (JoseError, ValueError, TypeError) as exc:
        raise _refused(message("it cannot be read")) from exc
    algorithm, kid = header.get("alg"), header.get("kid")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise _refused(
            message("its signature is of the kind {algorithm}", algorithm=repr(str(algorithm)[:40]))
        )
    if kid is not None and not isinstance(kid, str):
        raise _refused(message("it cannot be read"))
    key = await keys.find(kid, algorithm)
    if key is None:
        raise _refused(message("the provider has no key of the name that it gives"))
    try:
        holds = jws.validate_compact(signed, key, registry=_REGISTRY)
        claims = orjson.loads(signed.payload or b"") if holds else None
    except (JoseError, ValueError, TypeError) as exc:
        raise _refused(message("its signature does not hold")) from exc
    if not holds:
        raise _refused(message("its signature does not hold"))
    if not isinstance(claims, dict):
        raise _refused(message("it cannot be read"))
    return claims


def _check(claims: dict[str, Any], issuer: str, client_id: str, nonce: str, now: float) -> None:
    audience = claims.get("aud")
    clients = [audience] if isinstance(audience, str) else audience
    if claims.get("iss") != issuer:
        raise _refused(message("it is of another issuer"))
    if not isinstance(clients, list) or client_id not in clients:
        raise _refused(message("it is meant for another client"))
    authorized = claims.get("azp")
    if authorized != client_id and (authorized is not None or len(clients) > 1):
        raise _refused(message("it is meant for another client"))
    subject = claims.get("sub")
    if (
        not isinstance(subject, str)
        or not 0 < len(subject) <= LONGEST_SUBJECT
        or not subject.isprintable()
    ):
        raise _refused(message("it names no user"))
    expires, made, begins = (_moment(claims.get(name)) for name in ("exp", "iat", "nbf"))
    if expires is None or made is None:
        raise _refused(message("it does not say when it was made and when it ends"))
    if expires <= now - LEEWAY or made < now - OLDEST - LEEWAY:
        raise _refused(message("it has ended"))
    if made > now + LEEWAY or (begins is not None and begins > now + LEEWAY):
        raise _refused(message("it is of the future; compare the clocks"))
    given = claims.get("nonce")
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), nonce.encode()):
        raise _refused(message("it answers another login"))


def _moment(value: Any) -> float | None:
    usable = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if usable and 0 <= value < 1e11 else None


def _refused(reason: str) -> LoginRefused:
    return LoginRefused(
        message("What the login provider says of you cannot be taken: {reason}.", reason=reason)
    )
