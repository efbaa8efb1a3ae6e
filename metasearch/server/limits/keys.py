"""API keys, for a server that is not open to everyone."""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import TYPE_CHECKING

from metasearch import opening
from metasearch.errors import SettingsError
from metasearch.message import message
from metasearch.settings import Settings

if TYPE_CHECKING:
    from aiohttp import web

    from metasearch.server.problem import Problem

#: Bytes of a file of keys.
MAX_BYTES = 10_000_000
#: What may follow `Bearer` (RFC 6750), and is too long to be guessed.
_KEY = re.compile(r"(?=.{16,512}\Z)[A-Za-z0-9._~+/-]+=*", re.ASCII)
_RULE = "must have 16 to 512 characters: letters, digits and . _ ~ + / - (and = at its end)"
#: Parameters in which clients of other services send keys.
_IN_ADDRESS = frozenset(
    {"access_token", "api-key", "api_key", "apikey", "authorization", "key", "token"}
)


class ApiKeys:
    """The keys of a server, kept as hashes only; without keys the server is open to everyone."""

    __slots__ = ("_digests",)

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._digests = tuple({_digest(key) for key in keys})

    def __bool__(self) -> bool:
        return bool(self._digests)

    @classmethod
    def load(cls, settings: Settings) -> ApiKeys:
        """The keys that `[server] keys` and `keys_file` speak of. Raises SettingsError: a variable
        is not set, the file cannot be read or is empty, or a key is too weak; the problems name
        places, never keys.
        """
        problems: list[str] = []
        found: list[str] = []
        for where, key in _named(settings, problems):
            if _KEY.fullmatch(key):
                found.append(key)
            else:
                problems.append(f"{where}: {_RULE}")
        if problems:
            raise SettingsError(settings.file or "environment", problems)
        return cls(found)

    def check(self, request: web.Request) -> bytes | None:
        """Whether this request may be answered. Returns the hash of its key; None if the server has
        no keys. Raises Problem: 401 without a key or with a wrong one, 400 for one in the address.
        """
        if not self:
            return None
        if any(name.lower() in _IN_ADDRESS for name in request.query):
            from metasearch.server.problem import Problem  # as in `_refused`

            raise Problem(
                400,
                "key-in-address",
                message(
                    "Addresses are kept in logs and histories, so no key is taken from them. "
                    "If that was one, replace it, and send the new one as `Authorization: "
                    "Bearer KEY`."
                ),
            )
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        given = given.strip()
        if scheme.lower() != "bearer" or not given:
            raise _refused(
                message("This server requires an API key: send `Authorization: Bearer KEY`.")
            )
        if not self._known(given):
            raise _refused(
                message("This server does not know that key."), ', error="invalid_token"'
            )
        return _digest(given)

    def _known(self, given: str) -> bool:
        # All are compared, and whole: the time that it takes says nothing about any of them.
        digest = _digest(given)
        return sum(hmac.compare_digest(digest, known) for known in self._digests) > 0


def _refused(detail: str, parameters: str = "") -> Problem:
    from metasearch.server.problem import (
        Problem,
    )  # with aiohttp, which the parent of workers does without

    return Problem(
        401,
        "key-needed",
        detail,
        headers={"WWW-Authenticate": f'Bearer realm="metasearch"{parameters}'},
    )


def _digest(key: str) -> bytes:
    return sha256(key.encode("utf-8", "surrogateescape")).digest()


def _named(settings: Settings, problems: list[str]) -> Iterator[tuple[str, str]]:
    """(where it stands, key) of each; what is not there is noted."""
    for name in settings.server.keys:
        key = settings.env.get(name)
        if key:
            yield f"server.keys: the variable {name}", key
        else:
            problems.append(f"server.keys: the variable {name} is not set")
    file = settings.server.keys_file
    if file is None:
        return
    try:
        lines = opening.read(file, MAX_BYTES).decode().splitlines()
    except OSError as exc:
        problems.append(f"server.keys_file: {file} cannot be read: {opening.why(exc)}")
        return
    except UnicodeDecodeError:
        problems.append(f"server.keys_file: {file} is not UTF-8")
        return
    keys = [
        (number, line.strip())
        for number, line in enumerate(lines, 1)
        if line.strip() and line.strip()[0] != "#"
    ]
    if not keys:
        problems.append(
            f"server.keys_file: {file} holds no key; without the entry everybody may ask"
        )
    for number, key in keys:
        yield f"server.keys_file: line {number} of {file}", key
