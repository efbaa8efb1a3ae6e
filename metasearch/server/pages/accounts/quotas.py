"""Quotas of a user as lines of a table."""

from __future__ import annotations

from dataclasses import dataclass

from metasearch.server.pages.accounts.words import QUOTA_WORDS
from metasearch.settings.quotas import QUOTAS
from metasearch.workspace.store.database import Database
from metasearch.workspace.users.accounts import User
from metasearch.workspace.users.quotas import DAILY, Quotas


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaLine:
    """A quota of a user.

    Attributes:
        words: What it is of, to be translated.
        used: Today, or in all; None where each search is looked at for itself.
        configured: How much users may take on this server.
        own: The user's own number as text; "" for none.
    """

    kind: str
    words: str
    used: int | None
    limit: int
    configured: int
    own: str

    @property
    def left(self) -> int | None:
        """What is left; None where nothing is summed up."""
        return None if self.used is None else max(0, self.limit - self.used)


def quota_lines(db: Database, quotas: Quotas, user: User) -> list[QuotaLine]:
    """All quotas of a user."""
    limits = quotas.limits(db, user.uid)
    return [
        QuotaLine(
            kind=kind,
            words=words,
            used=_used(db, quotas, user, kind),
            limit=limits[kind],
            configured=quotas.configured.get(kind, QUOTAS[kind]),
            own=str(user.quotas.get(kind, "")),
        )
        for kind, words in QUOTA_WORDS.items()
        if kind in limits
    ]


def _used(db: Database, quotas: Quotas, user: User, kind: str) -> int | None:
    if kind in DAILY:
        return quotas.limits(db, user.uid)[kind] - quotas.left(db, user.uid, kind)
    match kind:
        case "saved_searches":
            return int(db.value("SELECT count(*) FROM saved_search WHERE owner = ?", user.uid) or 0)
        case "stored_records":
            return quotas.stored(db, user.uid).records
        case "stored_bytes":
            return quotas.stored(db, user.uid).bytes
    return None
