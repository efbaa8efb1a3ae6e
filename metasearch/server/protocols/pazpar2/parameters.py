"""What commands of pazpar2 ask for: numbers, texts, and the query of a search with its limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from multidict import MultiMapping

from metasearch.engine.options import MAX_PER_SOURCE
from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.listing.facets import FACETS, filter_text
from metasearch.listing.filters import MOST_CHARACTERS, MOST_FILTERS, Filters, parse_filters
from metasearch.query import ReadQuery
from metasearch.query.ccl.parser import parse_ccl
from metasearch.server.faces.pazpar2.errors import (
    ENCODING,
    MALFORMED,
    MISSING,
    NOT_IMPLEMENTED,
    CommandRefused,
)
from metasearch.server.faces.pazpar2.sorting import SortKey, sort_keys

#: Name of a list of terms, and of a limit -> our facet; the first name of a facet is the one that
#: is written.
FACET_OF: Mapping[str, str] = {
    "author": "author",
    "subject": "subject",
    "date": "year",
    "medium": "type",
    "journal-title": "venue",
    "language": "language",
    "xtargets": "source",
}
#: Characters of a parameter that is no query.
_LONGEST = MOST_CHARACTERS
_MOST_PARTS = 200
#: Parameters that would change how lists are merged and ranked; here this is configured.
_NOT_OURS = ("mergekey", "rank")


@dataclass(frozen=True, slots=True)
class Given:
    """The parameters of a command; of repeated ones the first holds, as in pazpar2."""

    values: MultiMapping[str]

    def text(self, name: str) -> str:
        """A parameter without blanks around it; "" where it is not given. Raises CommandRefused: it
        is too long, or no text.
        """
        value = self.values.get(name, "")
        if name != "query" and len(value) > _LONGEST:
            raise CommandRefused(MALFORMED, f"{name}: longer than {_LONGEST:,} characters")
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise CommandRefused(ENCODING, f"{name}: is not UTF-8")
        return value.strip()

    def required(self, name: str) -> str:
        """A parameter that must be there. Raises CommandRefused: it is not."""
        value = self.text(name)
        if not value:
            raise CommandRefused(MISSING, name)
        return value

    def number(self, name: str, default: int, most: int) -> int:
        """A whole number from 0, cut to `most`. Raises CommandRefused: it is none."""
        value = self.text(name)
        if not value:
            return default
        if not (value.isascii() and value.isdecimal() and len(value) < 10):
            raise CommandRefused(MALFORMED, f"{name}: {value[:20]!r} is no whole number from 0")
        return min(int(value), most)

    def flag(self, name: str) -> bool:
        """Whether a parameter is given and not "0"."""
        return self.text(name)[:1] not in ("", "0")


@dataclass(frozen=True, slots=True)
class SearchCommand:
    """What `search` asks for. `per_source`: records of each source; None: as configured."""

    read: ReadQuery
    filters: Filters
    per_source: int | None
    keys: tuple[SortKey, ...]


def search_command(given: Given, max_query: int, max_records: int) -> SearchCommand:
    """Read the parameters of `search` but those of targets. `max_query`: most characters of a
    query. Raises CommandRefused: one of them cannot be used.
    """
    query = given.required("query")
    if len(query) > max_query:
        raise CommandRefused(MALFORMED, f"query: longer than {max_query:,} characters")
    for name in _NOT_OURS:
        if given.text(name):
            raise CommandRefused(
                NOT_IMPLEMENTED, f"{name}: works are merged and ranked as configured"
            )
    if given.number("startrecs", 0, 1):
        raise CommandRefused(
            NOT_IMPLEMENTED, "startrecs: a list begins at its beginning; use maxrecs"
        )
    try:
        read = parse_ccl(query)
    except QuerySyntaxError as error:
        # The query first, then what is wrong with it, in one line: clients show the text as it is.
        hint = f" Try: {error.suggestion}" if error.suggestion else f" {error.advice or ''}"
        place = f"at character {error.position + 1}"
        raise CommandRefused(MALFORMED, f"query: {error.reason}, {place}.{hint}") from error
    most = min(max_records, MAX_PER_SOURCE)
    return SearchCommand(
        read=read,
        filters=limit_filters(given.text("limit")),
        per_source=given.number("maxrecs", 0, most) or None,
        keys=sort_keys(given.text("sort")),
    )


# --------------------------------------------------------------------------- limits


def limit_filters(text: str) -> Filters:
    r"""The filters that `limit=author=Burt\, Austin|Li\, Bo,date=2020` asks for. Raises
    CommandRefused: the text is not written so, or there is no such field or value.
    """
    filters = []
    for name, values in pairs("limit", text, "="):
        facet = FACET_OF.get(name, name)
        if facet not in FACETS:
            known = ", ".join(FACET_OF)
            raise CommandRefused(
                MALFORMED, f"limit: there is no field {name[:40]!r}; there are {known}"
            )
        filters += [filter_text(facet, value) for value in values]
    if len(filters) > MOST_FILTERS:
        raise CommandRefused(MALFORMED, f"limit: more than {MOST_FILTERS} values")
    try:
        return parse_filters(tuple(filters))
    except UsageError as error:
        raise CommandRefused(MALFORMED, f"limit: {error}") from error


def pairs(parameter: str, text: str, signs: str, only: str = "") -> list[tuple[str, list[str]]]:
    r"""Name and values of each part: "a=1|2,b=3\,4" -> [("a", ["1", "2"]), ("b", ["3,4"])].

    `signs`: which of them stands first in a part ends the name. `only`: the parts with another sign
    are left out; "" for none.
    """
    read = []
    parts = [part for part in _divided(text, ",") if part.strip()]
    if len(parts) > _MOST_PARTS:
        raise CommandRefused(MALFORMED, f"{parameter}: more than {_MOST_PARTS} parts")
    for part in parts:
        at = min((part.find(sign) for sign in signs if sign in part), default=-1)
        values = [_unescaped(value) for value in _divided(part[at + 1 :], "|")]
        if at < 1 or not all(map(str.strip, values)):
            shown = f"{parameter}: {part[:60]!r} is not name{signs[0]}value"
            raise CommandRefused(MALFORMED, f"{shown}; several values have | between them")
        if not only or part[at] == only:
            read.append((part[:at].strip(), values))
    return read


def _divided(text: str, sign: str) -> list[str]:
    """The parts between a sign that no backslash precedes; the backslashes stay."""
    parts, start, at = [], 0, 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == sign:
            parts.append(text[start:at])
            start = at + 1
        at += 1
    return [*parts, text[start:]]


def _unescaped(text: str) -> str:
    chars, at = [], 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text):
            at += 1
        chars.append(text[at])
        at += 1
    return "".join(chars)
