"""The text of a record that is compared: title and abstract, no longer than anybody writes them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from metasearch.dedup.published.text import segment
from metasearch.record import Record

#: Characters that count; more than any title or abstract has, and few enough that no record takes
#: long.
LONGEST_TITLE, LONGEST_BODY = 2_000, 20_000
#: Between the members of what is hashed; no tidied text holds it.
SEPARATOR = "\x1f"


def title(record: Record) -> str:
    """Title and subtitle."""
    said = f"{record.title} {record.subtitle}" if record.subtitle else record.title
    return said[:LONGEST_TITLE]


def body(record: Record) -> str:
    """The abstract; "" where there is none."""
    return (record.abstract or "")[:LONGEST_BODY]


def content_words(text: str) -> list[str]:
    """Its words in order, without stop words."""
    return [word for word in segment.words(text) if not segment.is_stop(word)]


def encoded(text: str) -> bytes:
    """UTF-8 of any string, half a surrogate pair too."""
    return text.encode("utf-8", "surrogatepass")


def sha1(members: Iterable[str]) -> str:
    """SHA-1 of the members, so that no two lists give the same by chance of where one ends; hex."""
    return hashlib.sha1(encoded(SEPARATOR.join(members)), usedforsecurity=False).hexdigest()
