"""The public keys of the provider, kept for a while, and asked for again when a token names one
that is not among them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey, RSAKey

from metasearch.message import message
from metasearch.server.users.oidc.failures import ProviderFault

#: Algorithms of signatures -> key type and curve. Neither "none", nor those whose secret is shared.
ALGORITHMS: dict[str, tuple[str, str]] = {
    "RS256": ("RSA", ""),
    "ES256": ("EC", "P-256"),
    "EdDSA": ("OKP", "Ed25519"),
}
#: Seconds that keys are kept; seconds between two requests for them that unknown names cause.
KEPT, PAUSE = 3_600.0, 60.0
#: Keys of a provider, and bits of an RSA key.
_MOST, _FEWEST_BITS, _MOST_BITS = 100, 2_048, 8_192

_MEMBERS = ("kty", "crv", "x", "y", "n", "e")

Key = RSAKey | ECKey | OKPKey
_TYPES: dict[str, type[Key]] = {"RSA": RSAKey, "EC": ECKey, "OKP": OKPKey}


class Keys:
    """The keys of one provider. `clock`: seconds."""

    def __init__(
        self,
        fetch: Callable[[], Awaitable[dict[str, Any]]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch, self._clock = fetch, clock
        self._keys: list[tuple[str, Key, str]] = []
        self._fetched = self._asked = float("-inf")
        self._lock = asyncio.Lock()

    async def find(self, kid: str | None, algorithm: str) -> Key | None:
        """The key of a token; None where the provider has no such key. `kid`: what the token calls
        it; None where it does not say. Raises ProviderFault: the keys cannot be had.
        """
        if self._age() > KEPT:
            await self._renew(KEPT)
        found = self._among(kid, algorithm)
        if found is None and self._clock() - self._asked > PAUSE:
            await self._renew(PAUSE)
            found = self._among(kid, algorithm)
        return found

    def _age(self) -> float:
        return self._clock() - self._fetched

    async def _renew(self, older: float) -> None:
        """Ask for the keys, once however many wait for them."""
        async with self._lock:
            if self._age() > older:
                self._asked = self._clock()
                self._keys = read(await self._fetch())
                self._fetched = self._clock()

    def _among(self, kid: str | None, algorithm: str) -> Key | None:
        fitting = [key for name, key, alg in self._keys if alg == algorithm and kid in (None, name)]
        # A token that names no key is only taken where there is no choice.
        return fitting[0] if len(fitting) == 1 or (fitting and kid is not None) else None


def read(found: dict[str, Any]) -> list[tuple[str, Key, str]]:
    """(name, key, algorithm) of each key of a JWK set that signatures can be checked with; others
    are left out. Raises ProviderFault: it is no JWK set.
    """
    listed = found.get("keys")
    if not isinstance(listed, list) or len(listed) > _MOST:
        raise ProviderFault(message("The keys of the login provider cannot be read."))
    keys = [_key(one) for one in listed if isinstance(one, dict)]
    return [key for key in keys if key is not None]


def _key(found: dict[str, Any]) -> tuple[str, Key, str] | None:
    kind, curve = found.get("kty", ""), found.get("crv", "")
    algorithm = next((name for name, of in ALGORITHMS.items() if of == (kind, curve)), None)
    kid = found.get("kid", "")
    if algorithm is None or not isinstance(kid, str):
        return None
    if found.get("use", "sig") != "sig" or found.get("alg", algorithm) != algorithm:
        return None
    # Of the members only those that are the key: private ones have no place here.
    public: dict[str, Any] = {name: found[name] for name in _MEMBERS if name in found}
    # Six bits a character; what is too long is not even read.
    if kind == "RSA" and not _FEWEST_BITS <= 6 * len(str(found.get("n", ""))) <= _MOST_BITS + 6:
        return None
    try:
        key = _TYPES[kind].import_key(public)
    except (JoseError, ValueError, TypeError, KeyError):
        return None
    if isinstance(key, RSAKey) and key.public_key.key_size < _FEWEST_BITS:
        return None
    return kid, key, algorithm
