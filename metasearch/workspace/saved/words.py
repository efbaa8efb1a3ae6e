"""What feeds and e-mails say of news, in the language of their reader."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal

from metasearch.formats.reference import full_title
from metasearch.record import Record
from metasearch.workspace.store.database import Database

#: Languages of feeds and e-mails; the pages call them "en" and "zh-Hans".
Language = Literal["en", "zh"]

#: The roles that may have saved searches, as `users.permissions` says, which a server without users
#: does not load; and, of a saved search, in SQL: whether its owner still may.
OWNER_ROLES = ("administrator", "user")
OWNER_MAY = (
    "(owner = '' OR EXISTS (SELECT 1 FROM user WHERE user.uid = saved_search.owner"  # noqa: S608, own words
    f" AND NOT user.disabled AND user.role IN {OWNER_ROLES}))"
)
#: What has happened to a work -> language -> its title in feeds and e-mails.
TITLES: Mapping[str, Mapping[Language, str]] = {
    "new": {"en": "{title}", "zh": "{title}"},
    "version": {"en": "New version: {title}", "zh": "新版本：{title}"},
    "retracted": {"en": "Retracted: {title}", "zh": "已撤稿：{title}"},
    "corrected": {"en": "Corrected: {title}", "zh": "已更正：{title}"},
    "late": {"en": "Late arrival: {title}", "zh": "迟到的文献：{title}"},
}
#: Characters of a title.
_LONGEST = 1_000
UNTITLED: Mapping[Language, str] = {"en": "Without a title", "zh": "无题名"}


def titled(kind: str, record: Record, language: Language) -> str:
    """The title of a work with what has happened to it, on one line."""
    happened = "corrected" if kind == "retracted" and not record.retracted else kind
    title = full_title(record)[:_LONGEST] or UNTITLED[language]
    return TITLES[happened][language].format(title=title)


def language_of(db: Database, owner: str) -> Language:
    """The language that a user has chosen for the pages; English where none was."""
    kept = db.value("SELECT preferences FROM user WHERE uid = ?", owner) if owner else None
    return preferred(kept or "{}")


def preferred(preferences: str) -> Language:
    """The language of the preferences of a user, as the table keeps them."""
    try:
        chosen = json.loads(preferences)
    except ValueError:
        chosen = None
    tag = chosen.get("language") if isinstance(chosen, dict) else None
    return "zh" if isinstance(tag, str) and tag.lower().startswith("zh") else "en"
