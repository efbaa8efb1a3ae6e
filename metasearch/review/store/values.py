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
from metasearch.message import SEPARATORS, Joined, Message, message


def now() -> str:
    """The moment as text."""
    return written(dt.datetime.now(dt.UTC).timestamp())


def written(seconds: float) -> str:
    """A moment of Unix time as text."""
    return dt.datetime.fromtimestamp(seconds, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def later(seconds: float) -> str:
    """The moment so many seconds from now as text; before now where they are negative."""
    return written(dt.datetime.now(dt.UTC).timestamp() + seconds)


# Random names of projects and works: twelve letters and digits hard to mistake, 60 bits.

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
_LENGTH = 12
#: Of a letter: there are 32.
_BITS = 5


def uid() -> str:
    """A new one."""
    number = secrets.randbits(_BITS * _LENGTH)
    return "".join(_LETTERS[number >> _BITS * at & 31] for at in range(_LENGTH))


def is_uid(text: object) -> bool:
    """Whether it could be one."""
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


def checked_text(text: object, longest: int, *, lines: bool = False) -> str:
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


def checked_date(text: str) -> str:
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


# Sentences that are kept: their English text, and beside it the templates and values by which a
# page shows them in another language.

_PLACE = re.compile(r"\{([a-z_][a-z_0-9]*)\}")
#: Messages within messages.
DEEPEST = 20


def packed(**sentences: str | Sequence[str]) -> str:
    """Name -> sentence or sentences, as JSON; "" where none of them can be translated."""
    held = {name: _packed(value) for name, value in sentences.items()}
    if all(value is None for value in held.values()):
        return ""
    return orjson.dumps(held).decode()


def _packed(value: str | Sequence[str]) -> Any:
    """None where nothing of it can be translated."""
    if isinstance(value, str):
        return _message(value, 0) if isinstance(value, Message) else None
    held = [_packed(one) for one in value]
    return held if any(one is not None for one in held) else None


def _message(one: Message, depth: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in one.values.items():
        if isinstance(value, Message) and depth < DEEPEST:
            values[name] = _message(value, depth + 1)
        else:
            values[name] = str(value)
    return {
        "text": str(one),
        "template": one.template,
        "values": values,
        "plural": one.plural,
        "number": one.number,
        "joined": isinstance(one, Joined),
    }


def unpacked(text: str) -> Mapping[str, Any]:
    """Name -> what was packed; {} of what cannot be read: the English text is there without it."""
    try:
        held = orjson.loads(text or "{}")
    except orjson.JSONDecodeError:
        return {}
    return held if isinstance(held, dict) else {}


def sentence(plain: str, held: Any) -> str:
    """A sentence as it was kept."""
    if isinstance(held, dict) and held.get("text") == plain:
        return _read(held, 0)
    return plain


def sentences(plain: Sequence[str], held: Any) -> tuple[str, ...]:
    """Several sentences as they were kept; see `sentence`."""
    if not isinstance(held, list) or len(held) != len(plain):
        return tuple(plain)
    return tuple(map(sentence, plain, held))


def _read(held: Any, depth: int) -> str:
    if not isinstance(held, dict) or depth > DEEPEST:
        return str(held.get("text", "") if isinstance(held, dict) else held)
    text, template, values = held.get("text"), held.get("template"), held.get("values")
    plural, number = held.get("plural"), held.get("number")
    if not (isinstance(text, str) and isinstance(template, str) and isinstance(values, dict)):
        return str(text)
    joined = bool(held.get("joined"))
    wanted = {name for one in (template, plural or "") for name in _PLACE.findall(str(one))}
    # A project that was imported may hold what no message of metasearch is.
    if template not in SEPARATORS.values() if joined else not wanted <= values.keys():
        return text
    kind = Joined if joined else Message
    return kind(
        text,
        template,
        {name: _read(value, depth + 1) for name, value in values.items()},
        plural if isinstance(plural, str) else None,
        number if isinstance(number, int) else 1,
    )
