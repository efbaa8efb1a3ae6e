"""One login: what a browser takes along to the provider, and must bring back."""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
from dataclasses import asdict, dataclass
from typing import Any, Self

#: Seconds that a login may take.
LASTS = 600
_LONGEST = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One login. It is kept in a signed cookie of the browser that began it, so that the answer of
    the provider is of use in this browser alone.

    Attributes:
        verifier: Is sent with the code (PKCE), so that a code alone is of no use.
        onward: The local address that is shown afterwards.
        ends: Unix time in seconds.
    """

    state: str
    nonce: str
    verifier: str
    onward: str
    ends: int

    @classmethod
    def begun(cls, onward: str) -> Self:
        """A new one."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        ends = int(time.time()) + LASTS
        return cls(state=state, nonce=nonce, verifier=verifier, onward=onward, ends=ends)

    @classmethod
    def read(cls, value: Any) -> Self | None:
        """The attempt of a cookie; None where it is none, or has ended."""
        texts = ("state", "nonce", "verifier", "onward")
        if not isinstance(value, dict) or value.keys() != {*texts, "ends"}:
            return None
        if not all(isinstance(value[name], str) and len(value[name]) < _LONGEST for name in texts):
            return None
        ends = value["ends"]
        return cls(**value) if isinstance(ends, int) and time.time() < ends else None

    def value(self) -> dict[str, Any]:
        """As the cookie has it."""
        return asdict(self)

    @property
    def challenge(self) -> str:
        """What the provider is told of the verifier (RFC 7636, S256)."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
