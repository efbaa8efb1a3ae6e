"""The cookies of the pages: signed, so that only this server can have written them, and the tokens
of forms that change something.

Cookies hold no secrets: a reader may read them, but not change them.
"""

from __future__ import annotations

import hmac
import logging
import os
import secrets
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web
from itsdangerous import BadData, URLSafeSerializer

from metasearch.regular_files import open_regular

logger = logging.getLogger("metasearch.server")

#: Seconds that a browser keeps a cookie.
KEPT = 365 * 24 * 3600
#: Bytes of a cookie that browsers keep, with its name.
LARGEST = 4_000
_KEY_FILE, _KEY_BYTES = "cookie-key", 32
_MASK_BYTES = 16


class Cookies:
    """Reads and writes the cookies of one server. `key`: what they are signed with, equal for all
    workers; None draws one, so that the cookies last as long as the server runs.
    """

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key or secrets.token_bytes(_KEY_BYTES)

    def read(self, request: web.Request, name: str) -> Any:
        """A cookie's value as written; None: absent, damaged, or signed by another server."""
        text = request.cookies.get(name, "")
        # Bytes that are no UTF-8 arrive as lone surrogates, at which the signature's check fails.
        if not text or len(text) > LARGEST or not text.isascii():
            return None
        try:
            return self._serializer(name).loads(text)
        except BadData:
            return None

    def write(
        self,
        response: web.StreamResponse,
        name: str,
        value: Any,
        base: str,
        *,
        kept: int = KEPT,
        path: str = "",
    ) -> None:
        """Sets a cookie.

        `base`: absolute address of the server, for which it holds. `kept`: seconds that a browser
        keeps it. Who reads it must not rely on that. `path`: below which the browser sends it; ""
        for that of `base`. Raises ValueError: it is larger than `LARGEST`.
        """
        text = self._serializer(name).dumps(value)
        if not isinstance(text, str) or len(text) > LARGEST:
            raise ValueError(f"the cookie {name} has {len(text):,} bytes, more than {LARGEST:,}")
        response.set_cookie(
            name,
            text,
            max_age=kept,
            path=path or _path(base),
            secure=_is_secure(base),
            httponly=True,
            samesite="Lax",
        )

    def delete(self, response: web.StreamResponse, name: str, base: str, *, path: str = "") -> None:
        """Has the browser forget a cookie; the arguments are those of `write`."""
        response.del_cookie(
            name, path=path or _path(base), secure=_is_secure(base), httponly=True, samesite="Lax"
        )

    def token(self, visitor: str) -> str:
        """The token of the forms of a visitor, another text each time: an answer that is compressed
        together with it does not reveal it (the BREACH attack).
        """
        mask = secrets.token_bytes(_MASK_BYTES)
        return (mask + _xor(mask, self._mark(visitor))).hex()

    def is_token(self, text: str, visitor: str) -> bool:
        """Whether `token` has made the text for this visitor."""
        try:
            given = bytes.fromhex(text) if len(text) == 4 * _MASK_BYTES else b""
        except ValueError:
            return False
        mask, masked = given[:_MASK_BYTES], given[_MASK_BYTES:]
        return bool(visitor) and hmac.compare_digest(_xor(mask, masked), self._mark(visitor))

    def _mark(self, visitor: str) -> bytes:
        return hmac.digest(self._key, b"form:" + visitor.encode(), sha256)[:_MASK_BYTES]

    def _serializer(self, name: str) -> URLSafeSerializer:
        # The name is part of what is signed: a cookie cannot be passed off as another one.
        return URLSafeSerializer(
            self._key, salt=name, signer_kwargs={"key_derivation": "hmac", "digest_method": sha256}
        )


def _path(base: str) -> str:
    """Below which the browser sends a cookie."""
    return urlsplit(base).path or "/"


def _is_secure(base: str) -> bool:
    return base.startswith("https:")


def _xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=False))


def load_key(folder: Path | None) -> bytes | None:
    """The key in a folder, drawn and written there when it is first asked for.

    `folder`: that of the cache, where the works of the baskets are kept, too: who deletes one
    deletes both. None for a server that keeps nothing. Returns None where the key cannot be kept.
    """
    if folder is None:
        return None
    path = folder / _KEY_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _draw_key(path)
        with open_regular(path) as file:
            key = file.read(_KEY_BYTES + 1)
    except OSError as exc:
        reason = exc.strerror or str(exc)
        logger.warning("%s cannot be used (%s): cookies end with the server", path, reason)
        return None
    if len(key) != _KEY_BYTES:
        logger.warning("%s is no key of %d bytes: delete it", path, _KEY_BYTES)
        return None
    return key


def _draw_key(path: Path) -> None:
    """Writes a new key, unless another process was faster.

    The file gets its name when it is whole: a process that reads it finds all of the key.
    """
    handle, name = tempfile.mkstemp(prefix=f"{_KEY_FILE}-", dir=path.parent)  # its mode is 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        Path(name).unlink()
