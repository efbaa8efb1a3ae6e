"""What commands of pazpar2 ask for: numbers, texts, the query of a search with its limits, orders
and targets; and the errors of the protocol.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lxml import etree
from multidict import MultiMapping

from metasearch.engine.facets import (
    FACETS,
    MOST_CHARACTERS,
    MOST_FILTERS,
    Filters,
    Sort,
    filter_text,
    parse_filters,
    sort_hits,
)
from metasearch.engine.options import MAX_PER_SOURCE
from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.formats.text import line
from metasearch.query import ReadQuery, read
from metasearch.record import Hit

#: HTTP status of an answer that is an error.
STATUS = 417
NO_SESSION, MISSING, MALFORMED, ENCODING, SETTING = 1, 2, 3, 4, 5
SEARCH_FAILED, NO_RECORD, NO_TARGETS, TARGET, RECORD_FAILED = 6, 7, 8, 9, 10
NOT_IMPLEMENTED, NO_SERVICE, BLOCKED = 11, 12, 13
#: Code -> its text, as clients know it.
MESSAGES: Mapping[int, str] = {
    NO_SESSION: "Session does not exist or it has expired",
    MISSING: "Missing parameter",
    MALFORMED: "Malformed parameter value",
    ENCODING: "Malformed parameter encoding",
    SETTING: "Malformed setting argument",
    SEARCH_FAILED: "Failed to retrieve hitcounts",
    NO_RECORD: "Record missing",
    NO_TARGETS: "No targets",
    TARGET: "Target cannot be configured",
    RECORD_FAILED: "Record command failed",
    NOT_IMPLEMENTED: "Not implemented",
    NO_SERVICE: "No service",
    BLOCKED: "Already blocked in session on: ",
}
_LONGEST_DETAIL = 1_000


class CommandRefusal(Exception):
    """A command that cannot be carried out. `code`: a key of `MESSAGES`. `detail`: what is wrong
    and what to do; clients show it behind the text of the code.
    """

    def __init__(self, code: int, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = line(detail)[:_LONGEST_DETAIL]

    def document(self) -> bytes:
        root = etree.Element("error", code=str(self.code), msg=MESSAGES[self.code])
        root.text = self.detail
        return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


# Orders of a list: `sort=relevance`, `sort=title:1`, `sort=date:0,title:1`.

_MOST_KEYS = 5
#: Name and direction ("1" is ascending) -> our order, and whether it is turned round.
_ORDERS: Mapping[tuple[str, str], tuple[Sort, bool]] = {
    ("title", "1"): ("title", False),
    ("title", "0"): ("title", True),
    ("date", "0"): ("date", False),
    ("date", "1"): ("-date", False),
}
#: Names that have one direction.
_UNDIRECTED: Mapping[str, Sort] = {
    "relevance": "relevance",
    "position": "first-seen",
    "retrieval": "first-seen",
}


@dataclass(frozen=True, slots=True)
class SortKey:
    """One key of an order; the first of several decides, the next one where works are equal."""

    sort: Sort
    reverse: bool = False


#: What holds where a request has no `sort`.
BY_RELEVANCE = (SortKey("relevance"),)


def sort_keys(text: str) -> tuple[SortKey, ...]:
    """Read the parameter `sort`; "" is relevance. Raises CommandRefused: there is no such order."""
    if not text:
        return BY_RELEVANCE
    parts = text.split(",")
    if len(parts) > _MOST_KEYS:
        raise CommandRefusal(MALFORMED, f"sort: more than {_MOST_KEYS} keys")
    keys = []
    for part in parts:
        name, _, direction = part.partition(":")
        known = _ORDERS.get((name, direction or "0"))
        if name in _UNDIRECTED and direction in ("", "0", "1"):
            keys.append(SortKey(_UNDIRECTED[name]))
        elif known is not None:
            keys.append(SortKey(*known))
        else:
            raise CommandRefusal(
                MALFORMED,
                f"sort: {part[:40]!r} is none of relevance, title:1, title:0, date:0 (newest "
                "first), date:1, position, retrieval",
            )
    return tuple(keys)


def in_order(
    hits: Sequence[Hit], own: Sort, keys: Sequence[SortKey], arrival: Mapping[str, int]
) -> list[Hit]:
    """The hits of a list in another order. `arrival`: id of a hit -> number of its arrival."""
    if list(keys) == [SortKey(own)]:
        return list(hits)
    ordered = list(hits)
    if own != "relevance":
        ordered.sort(key=lambda hit: -hit.score)
    for key in reversed(keys):
        if key.sort == "first-seen":
            ordered.sort(key=lambda hit: arrival.get(hit.id, len(arrival)))
        elif key.reverse:  # equal ones keep their order
            ordered = sort_hits(reversed(ordered), key.sort, {})[::-1]
        elif key.sort != "relevance":
            ordered = sort_hits(ordered, key.sort, {})
    return ordered


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
class CommandParameters:
    """The parameters of a command; of repeated ones the first holds, as in pazpar2."""

    values: MultiMapping[str]

    def text(self, name: str) -> str:
        """A parameter without blanks around it; "" where it is not given. Raises CommandRefused: it
        is too long, or no text.
        """
        value = self.values.get(name, "")
        if name != "query" and len(value) > _LONGEST:
            raise CommandRefusal(MALFORMED, f"{name}: longer than {_LONGEST:,} characters")
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise CommandRefusal(ENCODING, f"{name}: is not UTF-8")
        return value.strip()

    def required(self, name: str) -> str:
        """A parameter that must be there. Raises CommandRefused: it is not."""
        value = self.text(name)
        if not value:
            raise CommandRefusal(MISSING, name)
        return value

    def number(self, name: str, default: int, most: int) -> int:
        """A whole number from 0, cut to `most`. Raises CommandRefused: it is none."""
        value = self.text(name)
        if not value:
            return default
        if not (value.isascii() and value.isdecimal() and len(value) < 10):
            raise CommandRefusal(MALFORMED, f"{name}: {value[:20]!r} is no whole number from 0")
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


def search_command(given: CommandParameters, max_query: int, max_records: int) -> SearchCommand:
    """Read the parameters of `search` but those of targets. `max_query`: most characters of a
    query. Raises CommandRefused: one of them cannot be used.
    """
    query = given.required("query")
    if len(query) > max_query:
        raise CommandRefusal(MALFORMED, f"query: longer than {max_query:,} characters")
    for name in _NOT_OURS:
        if given.text(name):
            raise CommandRefusal(
                NOT_IMPLEMENTED, f"{name}: works are merged and ranked as configured"
            )
    if given.number("startrecs", 0, 1):
        raise CommandRefusal(
            NOT_IMPLEMENTED, "startrecs: a list begins at its beginning; use maxrecs"
        )
    try:
        found = read(query, "ccl")
    except QuerySyntaxError as error:
        # The query first, then what is wrong with it, in one line: clients show the text as it is.
        hint = f" Try: {error.suggestion}" if error.suggestion else f" {error.advice or ''}"
        place = f"at character {error.position + 1}"
        raise CommandRefusal(MALFORMED, f"query: {error.reason}, {place}.{hint}") from error
    most = min(max_records, MAX_PER_SOURCE)
    return SearchCommand(
        read=found,
        filters=limit_filters(given.text("limit")),
        per_source=given.number("maxrecs", 0, most) or None,
        keys=sort_keys(given.text("sort")),
    )


def limit_filters(text: str) -> Filters:
    r"""The filters that `limit=author=Burt\, Austin|Li\, Bo,date=2020` asks for. Raises
    CommandRefused: the text is not written so, or there is no such field or value.
    """
    filters = []
    for name, values in pairs("limit", text, "="):
        facet = FACET_OF.get(name, name)
        if facet not in FACETS:
            known = ", ".join(FACET_OF)
            raise CommandRefusal(
                MALFORMED, f"limit: there is no field {name[:40]!r}; there are {known}"
            )
        filters += [filter_text(facet, value) for value in values]
    if len(filters) > MOST_FILTERS:
        raise CommandRefusal(MALFORMED, f"limit: more than {MOST_FILTERS} values")
    try:
        return parse_filters(tuple(filters))
    except UsageError as error:
        raise CommandRefusal(MALFORMED, f"limit: {error}") from error


def pairs(parameter: str, text: str, signs: str, only: str = "") -> list[tuple[str, list[str]]]:
    r"""Name and values of each part: "a=1|2,b=3\,4" -> [("a", ["1", "2"]), ("b", ["3,4"])].

    `signs`: which of them stands first in a part ends the name. `only`: the parts with another sign
    are left out; "" for none.
    """
    conditions = []
    parts = [part for part in _divide(text, ",") if part.strip()]
    if len(parts) > _MOST_PARTS:
        raise CommandRefusal(MALFORMED, f"{parameter}: more than {_MOST_PARTS} parts")
    for part in parts:
        at = min((part.find(sign) for sign in signs if sign in part), default=-1)
        values = [_unescape(value) for value in _divide(part[at + 1 :], "|")]
        if at < 1 or not all(map(str.strip, values)):
            shown = f"{parameter}: {part[:60]!r} is not name{signs[0]}value"
            raise CommandRefusal(MALFORMED, f"{shown}; several values have | between them")
        if not only or part[at] == only:
            conditions.append((part[:at].strip(), values))
    return conditions


def _divide(text: str, sign: str) -> list[str]:
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


def _unescape(text: str) -> str:
    chars, at = [], 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text):
            at += 1
        chars.append(text[at])
        at += 1
    return "".join(chars)


_MOST_SETTINGS = 500


def targets(text: str, sources: Iterable[str], labels: Mapping[str, str]) -> tuple[str, ...]:
    """The sources that a `filter` leaves: `pz:id=a|b` names them, `pz:id~a` those that contain a
    text; with commas all conditions hold, with "|" before them any. Raises CommandRefused: it is
    not written so, or it leaves none.
    """
    condition_holds = all
    if text.startswith("|"):
        text, condition_holds = text[1:], any
    sources = tuple(sources)
    conditions: list[frozenset[str]] = []
    for sign in "=", "~":
        for name, values in pairs("filter", text, "=~", only=sign):
            texts = _of_setting(name, sources, labels)
            conditions.append(
                frozenset(
                    source
                    for source in sources
                    if any(_holds(sign, value, texts[source]) for value in values)
                )
            )
    if not sources:
        raise CommandRefusal(NO_TARGETS, "the settings of this session allow no source")
    if not conditions:
        return sources
    left = tuple(
        source for source in sources if condition_holds(source in each for each in conditions)
    )
    if not left:
        raise CommandRefusal(
            NO_TARGETS, f"filter: {text[:200]} leaves none of {', '.join(sources)}"
        )
    return left


def _of_setting(name: str, sources: Sequence[str], labels: Mapping[str, str]) -> Mapping[str, str]:
    match name:
        case "pz:id" | "id":
            return {source: source for source in sources}
        case "pz:name":
            return labels
    raise CommandRefusal(MALFORMED, f"filter: {name[:40]!r} is neither pz:id nor pz:name")


def _holds(sign: str, value: str, text: str) -> bool:
    return value == text if sign == "=" else value.lower() in text.lower()


def settings_of(given: CommandParameters) -> list[tuple[str, str]]:
    """A command's ("pz:allow[SOURCE]", value). Raises CommandRefused: there are too many."""
    settings = [(name, value) for name, value in given.values.items() if "[" in name]
    if len(settings) > _MOST_SETTINGS:
        raise CommandRefusal(SETTING, f"more than {_MOST_SETTINGS} settings")
    return settings


def allowed_sources(
    settings: Iterable[tuple[str, str]], before: Iterable[str], known: Sequence[str]
) -> tuple[str, ...]:
    """The sources of a session after `pz:allow[SOURCE]=1` or `=0`; "*" stands for all sources.
    Raises CommandRefused: a setting cannot be applied.
    """
    left, there = dict.fromkeys(before), frozenset(known)
    for name, value in settings:
        setting, _, target = name.partition("[")
        if not setting or not target.endswith("]"):
            raise CommandRefusal(SETTING, f"{name[:100]}: write pz:allow[SOURCE]=1 or =0")
        target = target[:-1]
        if setting != "pz:allow":
            raise CommandRefusal(NOT_IMPLEMENTED, f"{setting[:60]}: only pz:allow can be set")
        if value not in ("0", "1"):
            raise CommandRefusal(SETTING, f"{name[:100]}: {value[:20]!r} is neither 1 nor 0")
        if target != "*" and target not in there:
            raise CommandRefusal(TARGET, f"{target[:60]}: there is no such source")
        named = known if target == "*" else (target,)
        if value == "1":
            left |= dict.fromkeys(named)
        else:
            for source in named:
                left.pop(source, None)
    return tuple(left)
