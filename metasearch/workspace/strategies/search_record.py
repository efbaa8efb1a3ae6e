"""What a JSON search file says, without anything done with it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from metasearch.errors import FileFormatError
from metasearch.message import message
from metasearch.query import CHOICES
from metasearch.workspace.strategies.steps import MOST_STEPS

#: Bounds: bytes of a file, brackets in brackets, searches in a list, blocks of a search.
LARGEST, DEEPEST, MOST_SEARCHES, MOST_BLOCKS = 2_000_000, 20, 100, 200
_WHOLE = "full_string"
#: The key of what metasearch itself adds.
OWN = "metasearch"
#: What the name of a platform begins with -> the syntax of its queries.
_SYNTAXES = {
    "web of science": "wos", "wos": "wos", "clarivate": "wos", "pubmed": "pubmed",
    "medline (pubmed)": "pubmed", "nlm": "pubmed", "ebsco": "ebsco", "ovid": "ovid",
    "scopus": "scopus", "elsevier - scopus": "scopus", "embase": "embase",
    "cochrane": "cochrane", "proquest": "proquest", "ieee": "ieee", "cnki": "cnki",
    "wanfang": "cnki", "metasearch": "auto",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class OwnPart:
    """A strategy as metasearch wrote it; each step is (number, text, syntax, note)."""

    steps: tuple[tuple[int, str, str, str], ...]
    sources: tuple[str, ...]
    years: str
    note: str


@dataclass(frozen=True, slots=True)
class SearchRecord:
    """One search of a file.

    Attributes:
        string: The whole search string; "" where there are blocks only.
        platform: As it is called there.
        syntax: That of the platform, one of `metasearch.query.CHOICES`.
        own: What metasearch itself wrote, if it still holds; else None.
        details: All keys but the search string.
    """

    string: str
    blocks: tuple[tuple[str, str], ...]
    platform: str
    syntax: str
    own: OwnPart | None
    details: Mapping[str, Any]


def read(content: bytes, name: str) -> tuple[SearchRecord, ...]:
    """A file's searches. Raises FileFormatError: no such file, too large or too deep."""
    if len(content) > LARGEST:
        raise FileFormatError(
            name,
            message("it is larger than {most} bytes", most=f"{LARGEST:,}"),
            advice=message("Import its searches one by one."),
        )
    try:
        data = orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as exc:
        raise FileFormatError(
            name,
            message("it is no JSON: {reason}", reason=str(exc)),
            advice=message("Import the file that searchRxiv or search-query has written."),
        ) from None
    if _depth(data) > DEEPEST:
        raise FileFormatError(
            name,
            message("it is nested more than {most} deep", most=DEEPEST),
            advice=message("Import the file that searchRxiv or search-query has written."),
        )
    found = data if isinstance(data, list) else [data]
    if not 0 < len(found) <= MOST_SEARCHES:
        raise FileFormatError(
            name,
            message(
                "it has {count} searches, not 1 to {most}", count=len(found), most=MOST_SEARCHES
            ),
            advice=message("Import its searches in several files."),
        )
    return tuple(_record(one, name) for one in found)


def _record(data: object, name: str) -> SearchRecord:
    if not isinstance(data, dict) or "search_string" not in data:
        raise FileFormatError(
            name,
            message('a search has no "search_string"'),
            advice=message("Import the file that searchRxiv or search-query has written."),
        )
    string, blocks = _strings(data["search_string"], name)
    details = {key: value for key, value in data.items() if key not in ("search_string", OWN)}
    platform = _text(data.get("platform"))
    return SearchRecord(
        string,
        blocks,
        platform,
        _syntax_of(platform),
        _own(data.get(OWN), string),
        details,
    )


def _strings(value: object, name: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    if isinstance(value, str) and value.strip():
        return value, ()
    if isinstance(value, dict) and 0 < len(value) <= MOST_BLOCKS:
        texts = {
            str(key): text for key, text in value.items() if isinstance(text, str) and text.strip()
        }
        whole = texts.pop(_WHOLE, "")
        if whole or texts:
            return whole, tuple(texts.items())
    raise FileFormatError(
        name,
        message('"search_string" is no text, nor an object of 1 to {most} texts', most=MOST_BLOCKS),
        advice=message("Write the search string as a text."),
    )


def _own(value: object, string: str) -> OwnPart | None:
    """The strategy as metasearch wrote it; None where the search string was changed since."""
    if not isinstance(value, dict) or value.get("search_string") != digest(string):
        return None
    steps = value.get("steps")
    if not isinstance(steps, list) or not 0 < len(steps) <= MOST_STEPS:
        return None
    out: list[tuple[int, str, str, str]] = []
    for step in steps:
        match step:
            case {"number": int(number), "text": str(text), "syntax": str(syntax)} if (
                syntax in CHOICES and number > (out[-1][0] if out else 0)
            ):
                out.append((number, text, syntax, _text(step.get("note"))))
            case _:
                return None
    sources = value.get("sources")
    names = sources if isinstance(sources, list) else []
    return OwnPart(
        tuple(out),
        tuple(name for name in names if isinstance(name, str)),
        _text(value.get("years")),
        _text(value.get("note")),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _syntax_of(platform: str) -> str:
    folded = " ".join(platform.casefold().split())
    for name, syntax in _SYNTAXES.items():
        if folded.startswith(name):
            return syntax
    return "auto"


def _depth(data: object) -> int:
    """Brackets in brackets, counted to one more than is allowed."""
    level, depth = [data], 0
    while level and depth <= DEEPEST:
        inner: list[object] = []
        for value in level:
            if isinstance(value, dict):
                inner += value.values()
            elif isinstance(value, list):
                inner += value
        depth += any(isinstance(value, dict | list) for value in level)
        level = inner
    return depth


def digest(text: str) -> str:
    """SHA-256 of a search string: whether it was changed since it was written."""
    return hashlib.sha256(text.encode()).hexdigest()
