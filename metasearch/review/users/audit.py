"""The audit log: who has logged in, who has changed rights, what was taken out or removed.

It is append-only. What a project's own log tells (`projects/log.py`) is not told again here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from metasearch.review.store.database import Database
from metasearch.review.store.table import from_row
from metasearch.review.store.values import now

#: What is told. "account" is a new one or changed details, "disable" and "enable" are those of an
#: account, "link" is one that was made, and "sources" are those of the server for all.
AuditAction = Literal[
    "login",
    "login failed",
    "logout",
    "account",
    "disable",
    "enable",
    "password",
    "token",
    "link",
    "role",
    "member",
    "quota",
    "export",
    "delete",
    "report signed",
    "sources",
]
ACTIONS: tuple[AuditAction, ...] = get_args(AuditAction)
#: Lines of a page at most, characters of a text in `detail`, and texts in it.
MOST_LINES, _LONGEST, _MOST_DETAILS = 1_000, 300, 30


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """One line.

    Attributes:
        id: Its number; later ones are larger.
        actor: Uid of the user who did it; "" for the command line and for strangers.
        object: What it was done to: "user:UID", "project:UID"; may be "".
        client: A pseudonym of the address; "" for the command line.
    """

    id: int
    at: str
    actor: str
    action: str
    object: str
    detail: Mapping[str, Any]
    client: str


def write(
    db: Database,
    actor: str,
    action: AuditAction,
    object: str = "",  # noqa: A002, as the column
    detail: Mapping[str, object] | None = None,
    client: str = "",
) -> int:
    """Add a line, inside the transaction of what it tells; returns its number.

    `actor`: uid of the user who did it; "" for the command line and for strangers. `object`: to
    what: "user:UID", "project:UID". `detail`: texts, numbers, and lists of them; long texts are
    shortened. No secret, and nothing that was typed as a name or a password at a login that failed.
    """
    facts = dict(list((detail or {}).items())[:_MOST_DETAILS])
    return db.insert(
        "audit",
        at=now(),
        actor=actor,
        action=action,
        object=_short(object),
        detail={key: _short(value) for key, value in facts.items()},
        client=_short(client),
    )


def lines(
    db: Database,
    *,
    actor: str | None = None,
    action: str | None = None,
    object: str | None = None,  # noqa: A002, as the column
    before: int | None = None,
    most: int = 100,
) -> list[AuditLine]:
    """The newest lines first.

    `actor`: only lines of this one; None for all, as of `action` and `object`. `before`: only those
    with a smaller number: the last one of the page before. `most`: lines at most; `MOST_LINES`
    whatever is asked for.
    """
    filters = {"actor": actor, "action": action, "object": object}
    chosen = {column: value for column, value in filters.items() if value is not None}
    where = "".join(f" AND {column} = ?" for column in chosen)
    rows = db.all(
        f"SELECT * FROM audit WHERE id < ?{where} ORDER BY id DESC LIMIT ?",  # noqa: S608
        (1 << 63) - 1 if before is None else before,
        *chosen.values(),
        min(most, MOST_LINES),
    )
    return [from_row(AuditLine, row) for row in rows]


def _short(value: Any) -> Any:
    """A value of bounded size."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
    if isinstance(value, list | tuple | set | frozenset):
        return [_short(each) for each in list(value)[:_MOST_DETAILS]]
    return value if value is None or isinstance(value, int | float) else _short(str(value))
