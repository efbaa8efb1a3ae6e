"""Sentences that are kept: their English text, and beside it the templates and values by which a
page shows them in another language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from metasearch.message import SEPARATORS, Joined, Message

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
