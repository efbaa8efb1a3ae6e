"""What a simulated database answers, and what all of them need to say it."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from metasearch.demo.catalogue import Holdings, Work, dice

#: ISO 639-1 -> the codes of MARC, which PubMed has, too.
MARC_LANGUAGES = {"en": "eng", "fr": "fre", "zh": "chi", "es": "spa", "de": "ger"}


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP answer."""

    body: bytes
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


def json_reply(value: Any, status: int = 200) -> Reply:
    """A JSON body; characters outside ASCII stay as they are."""
    return Reply(json.dumps(value, ensure_ascii=False).encode(), status)


def own_words(work: Work) -> Mapping[str, str]:
    """Type and language in our own words, as a database has them that has no others."""
    return {"type": work.type, "language": work.language}


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """One simulated database.

    Attributes:
        name: As users see it: "demo-crossref".
        extends: The shipped adapter spec that reads its answers.
        path: Path of the URL that the spec asks; may hold the spec's placeholders.
        latency: Seconds that an answer takes.
        share: Part of the works that fit which it holds.
        fits: Whether this kind of database would hold the work at all.
        tell: The work as this database has it: what it lacks is gone, what it has wrong is wrong.
        answer: (path, parameters, holdings) -> the reply.
        facets: The type and language of a work in the database's words, by "type" and "language".
    """

    name: str
    label: str
    extends: str
    path: str
    latency: float
    share: float
    fits: Callable[[Work], bool]
    tell: Callable[[Work], Work]
    answer: Callable[[str, Mapping[str, str], Holdings], Reply]
    facets: Callable[[Work], Mapping[str, str]] = own_words

    def holds(self, work: Work) -> bool:
        """Whether the work is among its share."""
        return self.fits(work) and dice(self.name, work.id, "held") < self.share


def escape(text: str) -> str:
    """The text, as XML has it. Not by xml.sax.saxutils, which loads an HTTP client."""
    return html.escape(text, quote=False)


def element(name: str, text: str | int, attributes: str = "") -> str:
    """`<name attributes>text</name>`, or nothing for an empty text."""
    if text == "":
        return ""
    return f"<{name}{' ' * bool(attributes)}{attributes}>{escape(str(text))}</{name}>"


def rarely(database: str, work: Work, habit: str, share: float) -> bool:
    """Whether a database's habit shows in this work: always the same, about `share` of all."""
    return dice(database, work.id, habit) < share


def number(params: Mapping[str, str], name: str, default: int, least: int = 0) -> int:
    """A whole number among the parameters. Raises ValueError: with the parameter's name, where the
    value is no whole number from `least` up.
    """
    raw = params.get(name, "").strip()
    if not raw:
        return default
    if not re.fullmatch(r"\d{1,9}", raw) or int(raw) < least:
        raise ValueError(name)
    return int(raw)


def cursor_after(position: int) -> str:
    """An opaque cursor for the records from `position` on."""
    return base64.urlsafe_b64encode(str(position).encode()).decode()


def cursor_position(cursor: str) -> int:
    """Where a cursor leads; "*" is the start. Raises ValueError: it is no cursor of ours."""
    if cursor == "*":
        return 0
    position = base64.b64decode(cursor, altchars="-_", validate=True).decode("ascii")
    return number({"cursor": position}, "cursor", 0)


def full_name(author: tuple[str, str]) -> str:
    """Given and family name; Chinese names without a blank, family first."""
    family, given = author
    if "\u3400" <= family[:1] <= "\u9fff":
        return family + given
    return f"{given} {family}".strip()


def initials(given: str) -> str:
    """The first letter of each name: "Roland R." -> "R. R."."""
    return " ".join(f"{name[0]}." for name in re.split(r"[\s.]+", given) if name)


def date_parts(date: str) -> list[int]:
    """As Crossref writes dates: "2020-03" -> [2020, 3]."""
    return [int(part) for part in date.split("-")]
