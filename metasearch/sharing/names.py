"""What things are called in the server that replicas share: an HMAC, never the thing itself.

A query is personal, and a name of a key is what everyone who may look at the server reads first.
"""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

#: Begins every name; what is kept in another form in a later version gets another number. The
#: braces keep all names in one slot of a cluster, as scripts with several keys need it.
PREFIX = "ms:{v1}:"
#: Hexadecimal digits of an HMAC that a name has: 128 bits.
_DIGITS = 32


def secret_of(url: str, secret: str = "") -> bytes:
    """The secret that all replicas have: the configured one, else made of the password in the URL
    of the server, else of the URL.
    """
    parts = urlsplit(url)
    return f"metasearch:{secret or parts.password or url}".encode()


class Names:
    """Names in the server.

    Args:
        secret: Equal in all replicas; see `secret_of`.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def of(self, kind: str, *parts: str) -> str:
        """The name of a key or channel.

        Args:
            kind: A word of our code, such as "starts".
            *parts: What it is for: a source, a request.
        """
        return f"{PREFIX}{kind}:{self.digest(kind, *parts)}" if parts else f"{PREFIX}{kind}"

    def digest(self, kind: str, *parts: str) -> str:
        """The HMAC-SHA256 of the parts, as far as it stands in a name: hexadecimal."""
        # The lengths keep ("ab", "c") and ("a", "bc") apart.
        text = "".join(f"{len(part)}:{part}" for part in (kind, *parts))
        return hmac.digest(self._secret, text.encode("utf-8", "surrogatepass"), "sha256").hex()[
            :_DIGITS
        ]

    def secret(self, use: str) -> bytes:
        """A secret for something else than names, equal in all replicas."""
        return hmac.digest(self._secret, f"secret:{use}".encode(), "sha256")
