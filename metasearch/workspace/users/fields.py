"""What stands in an account: which roles, names, addresses, preferences and quotas are taken."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.settings.quotas import LARGEST, QUOTAS
from metasearch.workspace.texts import checked_text
from metasearch.workspace.users.permissions import SYSTEM_ROLES

#: Characters of a name for people and of an address, and bytes of all preferences.
LONGEST_SHOWN, LONGEST_EMAIL, LONGEST_PREFERENCES = 120, 254, 20_000
_EMAIL = re.compile(r"[^\s@<>()\[\]\\,;:\"]+@[^\s@<>()\[\]\\,;:\"]+")
#: Signs that turn the direction of what stands beside a name.
_TURNED = re.compile("[\u202a-\u202e\u2066-\u2069]")
#: A name of a preference.
_KEY = re.compile("[a-z][a-z_]{0,39}")


def check_role(role: str) -> None:
    """Check a role on the server. Raises UsageError: there is none of this name."""
    if role not in SYSTEM_ROLES:
        raise UsageError(
            message("There is no role {role}", role=repr(role[:40])),
            advice=message("There are {roles}.", roles=", ".join(SYSTEM_ROLES)),
        )


def shown(text: str) -> str:
    """A name for people, on one line; may be "". Raises UsageError: it is too long, or has
    characters that no text may have.
    """
    text = checked_text(text, LONGEST_SHOWN)
    if bad := _TURNED.search(text):
        raise UsageError(message("it has the character U+{code}", code=f"{ord(bad[0]):04X}"))
    return text


def email(text: str) -> str:
    """An e-mail address, or "": nothing that a mail would take for a second address or header.
    Raises UsageError: it is none.
    """
    address = text.strip()
    if address and (
        len(address) > LONGEST_EMAIL or not address.isprintable() or not _EMAIL.fullmatch(address)
    ):
        raise UsageError(
            message("{email} is no e-mail address", email=repr(address[:80])),
            advice=message("Write one as name@example.org."),
        )
    return address


def preferences(old: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """The preferences after a change; None removes one. Raises UsageError: a name cannot be one, or
    they are too many or too long.
    """
    wrong = next((key for key in sent if not _KEY.fullmatch(key)), None)
    if wrong is not None:
        raise UsageError(message("There is no preference {name}", name=repr(wrong[:40])))
    merged = _merged(old, sent)
    try:
        packed = orjson.dumps(merged)
    except TypeError as exc:
        raise UsageError(message("a preference cannot be saved: {reason}", reason=exc)) from exc
    if len(packed) > LONGEST_PREFERENCES:
        raise UsageError(
            message("The preferences have more than {most} bytes", most=f"{LONGEST_PREFERENCES:,}")
        )
    return merged


def quotas(old: Mapping[str, int], sent: Mapping[str, int | None]) -> dict[str, int]:
    """The own quotas of a user after a change; None removes one. Raises UsageError: there is no
    such quota, or a value is no number that one may have.
    """
    for kind, limit in sent.items():
        if kind not in QUOTAS:
            raise UsageError(
                message("There is no quota {kind}", kind=repr(kind[:40])),
                advice=message("There are {kinds}.", kinds=", ".join(QUOTAS)),
            )
        if limit is not None and (type(limit) is not int or not 0 <= limit <= LARGEST):
            raise UsageError(
                message(
                    "The quota {kind} must be a number of 0 to {most}",
                    kind=kind,
                    most=f"{LARGEST:,}",
                )
            )
    return _merged(old, sent)


def _merged(old: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Old entries with those that were sent; None removes one."""
    return {key: value for key, value in {**old, **sent}.items() if value is not None}
