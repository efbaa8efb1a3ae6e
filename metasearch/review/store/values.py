"""Values that many tables hold: moments (UTC, to the second, "2026-11-23T05:40:00Z"), random names,
digests of secrets, texts that people type, versions, and sentences that are kept.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from metasearch.errors import Conflict, UsageError
from metasearch.message import Message, message, message_from_json, message_to_json


def now() -> str:
    return moment_text(dt.datetime.now(dt.UTC).timestamp())


def moment_text(seconds: float) -> str:
    """A moment of Unix time as text."""
    return dt.datetime.fromtimestamp(seconds, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def later(seconds: float) -> str:
    """The moment so many seconds from now as text; before now where they are negative."""
    return moment_text(dt.datetime.now(dt.UTC).timestamp() + seconds)


# Random names of projects and works: twelve letters and digits hard to mistake, 60 bits.

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
_LENGTH = 12
#: Of a letter: there are 32.
_BITS = 5


def uid() -> str:
    number = secrets.randbits(_BITS * _LENGTH)
    return "".join(_LETTERS[number >> _BITS * at & 31] for at in range(_LENGTH))


def is_uid(text: object) -> bool:
    return isinstance(text, str) and len(text) == _LENGTH and set(text) <= set(_LETTERS)


# Secrets that somebody else keeps: those of sessions, tokens and links. The workspace has their
# digests alone, so that who reads the file can use none of them.

#: Random bytes of a secret. So many need no slow digest: nobody tries them all.
_BYTES = 32
#: Characters of what is looked at: a secret with what stands before it is far shorter.
LONGEST_SECRET = 200


def new_secret() -> str:
    """A new one: 43 letters, digits, "-" and "_"."""
    return secrets.token_urlsafe(_BYTES)


def secret_digest(text: str) -> bytes:
    """The 32 bytes that are kept of a secret. Any text has some; one that is too long, or no
    Unicode, has those of the empty text, which is never a secret.
    """
    if len(text) > LONGEST_SECRET:
        text = ""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


#: What cannot stand in a Word file (XML), or in no file at all.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def clean_text(text: object, longest: int, *, lines: bool = False) -> str:
    """The text without space around it, on one line where `lines` is False. Raises UsageError: it
    is no text, has more than `longest` characters, or one that no file may have.
    """
    if not isinstance(text, str):
        raise UsageError(message("it is not a text"))
    if len(text) > longest:
        raise UsageError(
            message(
                "it has {count} characters, and at most {most} are kept",
                count=f"{len(text):,}",
                most=f"{longest:,}",
            )
        )
    text = text.replace("\r\n", "\n").strip() if lines else " ".join(text.split())
    if bad := _UNPRINTABLE.search(text):
        raise UsageError(message("it has the character U+{code}", code=f"{ord(bad[0]):04X}"))
    return text


def storable(text: str) -> str:
    """The text without lone surrogates, which SQLite cannot keep."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def clean_date(text: str) -> str:
    """A day as "2026-11-23"; also of "20261123". Raises UsageError: it is none."""
    try:
        return dt.date.fromisoformat(text).isoformat()
    except ValueError:
        raise UsageError(
            message("{value} is no date as 2026-11-23", value=repr(text[:40]))
        ) from None


# Changes of what two people may have open at once: who sends what was made with an older version
# is shown both, and nothing is changed.


def check_version(
    sent: int | None, standing: int, text: str, yours: Mapping[str, Any], theirs: Mapping[str, Any]
) -> None:
    """Check that a change was made with what stands now; to be called inside its transaction.

    `sent`: the version that it was made with; None where that is not asked. `yours`: name -> what
    was sent, where that is otherwise than what stands now. Nothing: who sends again what was done
    already, as after a lost answer, loses nobody's work. `theirs`: name -> what stands now. Raises
    Conflict: it was made with another version, and would change something.
    """
    if sent is not None and sent != standing and yours:
        raise Conflict(text, yours=yours, theirs=theirs, version=standing)


# Sentences that are kept: their English text, and beside it what a page shows them by in another
# language.


def pack_sentences(**sentences: str | Sequence[str]) -> str:
    """Name -> sentence or sentences, as JSON; "" where none of them can be translated."""
    lists = {name: [one] if isinstance(one, str) else one for name, one in sentences.items()}
    if not any(isinstance(one, Message) for each in lists.values() for one in each):
        return ""
    held = {
        name: message_to_json(one) if isinstance(one, str) else [*map(message_to_json, one)]
        for name, one in sentences.items()
    }
    return orjson.dumps(held).decode()


def unpack_sentences(text: str) -> Mapping[str, Any]:
    """Name -> what was packed; {} of what cannot be read: the English text is there without it."""
    try:
        held = orjson.loads(text or "{}")
    except orjson.JSONDecodeError:
        return {}
    return held if isinstance(held, dict) else {}


def sentences(plain: Sequence[str], held: Any) -> tuple[str, ...]:
    """Several sentences as they were kept; see `message_from_json`."""
    if not isinstance(held, list) or len(held) != len(plain):
        return tuple(plain)
    return tuple(map(message_from_json, plain, held))
