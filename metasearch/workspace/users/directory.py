"""The list of users for administrators: searched, and page by page."""

from __future__ import annotations

from metasearch.workspace.store.database import Database
from metasearch.workspace.users import accounts, names
from metasearch.workspace.users.accounts import User

#: Characters of a text that is searched for, and users of a page at most.
LONGEST, MOST = 100, 500


def search(
    db: Database,
    text: str = "",
    *,
    role: str = "",
    disabled: bool | None = None,
    after: str = "",
    most: int = 50,
) -> list[User]:
    """Users by name.

    Args:
        text: A part of the name, the name for people, or the e-mail address, whatever its case.
        role: Only those of this role; "" for all.
        disabled: Only those who are kept out, or who are not; None for all.
        after: Only names after this one: the last one of the page before.
        most: Users at most; `MOST` whatever is asked for.
    """
    part = _pattern(names.normal(text[:LONGEST]))
    rows = db.all(
        "SELECT id FROM user WHERE name > ?1 AND (?2 = '' OR role = ?2)"
        " AND (?3 IS NULL OR disabled = ?3)"
        " AND (name LIKE ?4 ESCAPE '\\' OR lower(shown) LIKE ?4 ESCAPE '\\'"
        " OR lower(email) LIKE ?4 ESCAPE '\\') ORDER BY name LIMIT ?5",
        after,
        role,
        disabled,
        part,
        min(most, MOST),
    )
    found = (accounts.by_row(db, row["id"]) for row in rows)
    return [user for user in found if user is not None]


def counts(db: Database) -> dict[str, int]:
    """Role -> users of it who may log in."""
    rows = db.all("SELECT role, count(*) AS users FROM user WHERE NOT disabled GROUP BY role")
    return {row["role"]: row["users"] for row in rows}


def _pattern(text: str) -> str:
    """The text anywhere, for LIKE: "%" and "_" in it are signs as any other."""
    for sign in ("\\", "%", "_"):
        text = text.replace(sign, f"\\{sign}")
    return f"%{text}%"
