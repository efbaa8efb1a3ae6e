"""What things are called in the server that replicas share: a keyed hash, never the thing itself.

A query is personal, and a name of a key is what everyone who may look at the server reads first.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from hashlib import blake2b
from urllib.parse import urlsplit

#: Begins every name; what is kept in another form in a later version gets another number. The
#: braces keep all names in one slot of a cluster, as scripts with several keys need it.
PREFIX = "ms:{v1}:"
#: Bytes of a hash that a name has.
_SIZE = 16


def secret_of(url: str, secret: str = "") -> bytes:
    """The secret that all replicas have: the configured one, else made of the password in the URL
    of the server, else of the URL.
    """
    parts = urlsplit(url)
    return f"metasearch:{secret or parts.password or url}".encode()


class Names:
    """Names in the server. `secret`: equal in all replicas; see `secret_of`."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._key = blake2b(secret, person=b"ms-names", digest_size=32).digest()

    def of(self, kind: str, *parts: str) -> str:
        """The name of a key or channel. `kind`: a word of our code, such as "starts"."""
        return f"{PREFIX}{kind}:{self.digest(kind, *parts)}" if parts else f"{PREFIX}{kind}"

    def all_of(self, kinds: Sequence[str], *parts: str) -> list[bytes]:
        """The names of several keys for one thing, which share the hash of it."""
        digest = self.digest(" ".join(kinds), *parts)
        return [f"{PREFIX}{kind}:{digest}".encode() for kind in kinds]

    def digest(self, kind: str, *parts: str) -> str:
        """The keyed BLAKE2b (RFC 7693) of the parts, as it stands in a name: 128 bits, hexadecimal.

        A source request asks for some ten names. HMAC-SHA256 takes four times as long, and gives
        the interpreter's lock away meanwhile.
        """
        # The lengths keep ("ab", "c") and ("a", "bc") apart.
        text = "".join(f"{len(part)}:{part}" for part in (kind, *parts))
        told = text.encode("utf-8", "surrogatepass")
        return blake2b(told, key=self._key, digest_size=_SIZE).hexdigest()

    def secret(self, use: str) -> bytes:
        """A secret for something else than names, equal in all replicas."""
        return hmac.digest(self._secret, f"secret:{use}".encode(), "sha256")
