"""JSON search files: the records of searches of Haddaway et al. 2022 (https://doi.org/10.5281/
zenodo.5920473), as searchRxiv and the package search-query keep them.

    {"record_info": {}, "authors": [{"name": "...", "ORCID": "..."}],
     "date": {"data_entry": "2026.05.03", "search_conducted": "2026.05.03"},
     "platform": "Web of Science", "database": ["SCI-EXPANDED"], "search_string": "TS=(...)"}

`search_string` may be an object of named blocks, of which "full_string" is the whole, or a text of
numbered lines. What is written has, beside it, the steps as they are in "metasearch"; they are read
again as long as the search string has not been changed elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from metasearch import __version__
from metasearch.errors import FileFormatError, UsageError
from metasearch.message import message
from metasearch.query import CHOICES
from metasearch.query.databases.lines import numbered_lines
from metasearch.workspace.projects import LONGEST_NAME, Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.strategies import steps as stored
from metasearch.workspace.strategies import strategies
from metasearch.workspace.strategies.lines import copy_in
from metasearch.workspace.strategies.step import Step
from metasearch.workspace.strategies.strategies import Strategy
from metasearch.workspace.strategies.writing import written

#: Bounds: bytes of a file, brackets in brackets, searches in a list, blocks of a search.
LARGEST, DEEPEST, MOST_SEARCHES, MOST_BLOCKS = 2_000_000, 20, 100, 200
_WHOLE = "full_string"
_OWN = "metasearch"
#: What the name of a platform begins with -> the syntax of its queries.
_SYNTAXES = {
    "web of science": "wos", "wos": "wos", "clarivate": "wos", "pubmed": "pubmed",
    "medline (pubmed)": "pubmed", "nlm": "pubmed", "ebsco": "ebsco", "ovid": "ovid",
    "scopus": "scopus", "elsevier - scopus": "scopus", "embase": "embase",
    "cochrane": "cochrane", "proquest": "proquest", "ieee": "ieee", "cnki": "cnki",
    "wanfang": "cnki", "metasearch": "auto",
}  # fmt: skip
#: Syntax -> the platform as search-query knows it, or as it calls itself.
_PLATFORMS = {
    "wos": "wos", "pubmed": "pubmed", "ebsco": "ebscohost", "ovid": "ovid", "scopus": "scopus",
    "embase": "embase", "proquest": "proquest", "cnki": "cnki", "wanfang": "wanfang",
    "cql": "cql", "simple": "metasearch",
}  # fmt: skip
_ORCID = re.compile(r"[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]")
_DAY = re.compile(r"([0-9]{4})[-./]([0-9]{2})[-./]([0-9]{2})")


@dataclass(frozen=True, slots=True)
class SearchRecord:
    """One search of a file.

    Attributes:
        string: The whole search string; "" where there are blocks only.
        blocks: (name, text) of its parts.
        platform: As it is called there.
        syntax: That of the platform, one of `metasearch.query.CHOICES`.
        steps: (number, text, syntax, note) where metasearch wrote them, and they still hold.
        details: All keys but the search string.
    """

    string: str
    blocks: tuple[tuple[str, str], ...]
    platform: str
    syntax: str
    steps: tuple[tuple[int, str, str, str], ...]
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FileIn:
    """What came of a file: its searches as strategies, and notes on what does not hold for them."""

    strategies: tuple[Strategy, ...]
    notes: tuple[str, ...]


def read(content: bytes, name: str) -> tuple[SearchRecord, ...]:
    """The searches of a file.

    Args:
        content: JSON: an object, or a list of them.
        name: Of the file, for errors.

    Raises:
        FileFormatError: It is no such file, too large or nested too deep.
    """
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


def add(
    db: Database,
    project: Project,
    content: bytes,
    name: str,
    *,
    strategy: str | None = None,
    by: str = "",
) -> FileIn:
    """Make a strategy of each search of a file, all or none. What is not a step of it is kept in
    `details["search_file"]`, as it stands there.

    Args:
        content: Of the file.
        name: Of the file.
        strategy: What the strategy is called; by default as the search or the file is.

    Raises:
        FileFormatError: The file cannot be read.
        QuerySyntaxError: A search string cannot be read.
        UsageError: A name is taken.
    """
    records = read(content, name)
    notes: list[str] = []
    made: list[Strategy] = []
    with db.transaction():
        for record in records:
            wanted = strategy or str(record.details.get("string_name") or "") or name
            taken = {one.name for one in strategies.of(db, project)}
            if strategy is not None and strategy in taken and len(records) == 1:
                called = strategy  # `create` says that it is taken
            else:
                called = _free(_as_name(wanted), taken)
            new = strategies.create(
                db, project, called, details={"search_file": dict(record.details)}, by=by
            )
            notes += _fill(db, new, record, by)
            made.append(new)
    return FileIn(tuple(made), tuple(dict.fromkeys(notes)))


def write(
    strategy: Strategy,
    steps: Sequence[Step],
    *,
    syntax: str,
    years: str | None = None,
    authors: Sequence[Mapping[str, str]] | None = None,
    database: Sequence[str] | None = None,
    searched: str = "",
) -> bytes:
    """A search file.

    Args:
        strategy: Of which keys of an earlier file are written again.
        steps: All of it.
        syntax: Of the search string, a key of `metasearch.query.writing.TARGETS`; search-query
            reads "pubmed", "wos" and "ebsco".
        years: In place of those of the strategy.
        authors: {"name", "ORCID", "email"}; those of the earlier file by default.
        database: Names; the sources of the strategy by default.
        searched: The day of the search, YYYY-MM-DD.

    Returns:
        JSON: an object, or a list where several steps are not named by another.

    Raises:
        UsageError: There is no such syntax, nothing can be written, or an author has no name.
    """
    years = strategy.years if years is None else years
    known = dict(strategy.details.get("search_file") or {})
    people = _people(known.get("authors", []) if authors is None else authors)
    text = _search_string(steps, step, syntax, years)
    kept = [
        {"number": step.number, "text": step.text, "syntax": step.syntax, "note": step.note}
        for step in steps
        if step.kind != "import"
    ]
    dates = dict(known.get("date") or {})
    dates.setdefault("data_entry", _day(strategy.created))
    if searched:
        dates["search_conducted"] = _day(searched)
    record = {
        **{key: value for key, value in known.items() if key != _OWN},
        "record_info": known.get("record_info") or {},
        "authors": people,
        "date": dates,
        "platform": _PLATFORMS[syntax],
        "database": list(strategy.sources if database is None else database),
        "search_string": text,
        _OWN: {
            "version": __version__,
            "strategy": strategy.name,
            "years": years,
            "steps": kept,
            "search_string": _digest(text),
        },
    }
    return (json.dumps(record, ensure_ascii=False, indent=2) + "\n").encode()


# -------------------------------------------------------------------- reading


def _record(data: object, name: str) -> SearchRecord:
    if not isinstance(data, dict) or "search_string" not in data:
        raise FileFormatError(
            name,
            message('a search has no "search_string"'),
            advice=message("Import the file that searchRxiv or search-query has written."),
        )
    string, blocks = _strings(data["search_string"], name)
    details = {key: value for key, value in data.items() if key not in ("search_string", _OWN)}
    platform = data.get("platform")
    platform = platform if isinstance(platform, str) else ""
    return SearchRecord(
        string,
        blocks,
        platform,
        _syntax_of(platform),
        _own_steps(data.get(_OWN), string),
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
        message(
            '"search_string" is neither a text nor an object of at most {most}', most=MOST_BLOCKS
        ),
        advice=message("Write the search string as a text."),
    )


def _own_steps(value: object, string: str) -> tuple[tuple[int, str, str, str], ...]:
    """The steps as metasearch wrote them; none where the search string was changed since."""
    if not isinstance(value, dict) or value.get("search_string") != _digest(string):
        return ()
    steps = value.get("steps")
    if not isinstance(steps, list) or len(steps) > stored.MOST_STEPS:
        return ()
    out: list[tuple[int, str, str, str]] = []
    for step in steps:
        match step:
            case {"number": int(number), "text": str(text), "syntax": str(syntax)} if (
                syntax in CHOICES and number > (out[-1][0] if out else 0)
            ):
                note = step.get("note")
                out.append((number, text, syntax, note if isinstance(note, str) else ""))
            case _:
                return ()
    return tuple(out)


def _fill(db: Database, strategy: Strategy, record: SearchRecord, by: str) -> list[str]:
    """Add the steps of a search; returns notes."""
    notes: list[str] = []
    if record.steps:
        stored.add_all(
            db,
            strategy,
            [_draft(strategy, *step) for step in record.steps],
            by=by,
        )
        return notes
    if record.platform and record.syntax == "auto" and record.platform != "metasearch":
        notes.append(
            message(
                "the platform {platform} has no syntax that is known here; the search string is "
                "read by its marks",
                platform=record.platform[:60],
            )
        )
    for key in ("field", "search_field", "search_time_span", "search_language"):
        if value := record.details.get(key):
            notes.append(
                message(
                    "{key} is not part of the search string and is not applied: {value}",
                    key=key,
                    value=json.dumps(value, ensure_ascii=False)[:80],
                )
            )
    if not record.blocks and numbered_lines(record.string) is not None:
        copied = copy_in(db, strategy, record.string, syntax=record.syntax, by=by)
        return [*notes, *copied.notes]
    texts = [*record.blocks, *([("", record.string)] if record.string else [])]
    drafts = [
        _draft(strategy, number, text, record.syntax, name)
        for number, (name, text) in enumerate(texts, 1)
    ]
    stored.add_all(db, strategy, drafts, by=by)
    return notes


def _draft(strategy: Strategy, number: int, text: str, syntax: str, note: str) -> Step:
    return Step(
        id=0,
        strategy=strategy.id,
        number=number,
        kind="query",
        text=text,
        syntax=syntax,
        note=strategies.check_note(note),
    )


def _syntax_of(platform: str) -> str:
    folded = " ".join(platform.casefold().split())
    for name, syntax in _SYNTAXES.items():
        if folded.startswith(name):
            return syntax
    return "auto"


def _as_name(text: str) -> str:
    """A name for a strategy, made of a text."""
    bare = re.sub(r"(?:_search_history)?\.json\Z", "", text, flags=re.IGNORECASE)
    name = re.sub(r"[^\w.-]+", "-", bare).strip("-._")[: LONGEST_NAME - 5]
    return name or "search"


def _free(name: str, taken: set[str]) -> str:
    number, free = 2, name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free


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


# -------------------------------------------------------------------- writing


def _people(authors: object) -> list[dict[str, str]]:
    people: list[dict[str, str]] = []
    for author in authors if isinstance(authors, Sequence) else ():
        match author:
            case {"name": str(name)} if name.strip():
                orcid = author.get("ORCID")
                if orcid and not (isinstance(orcid, str) and _ORCID.fullmatch(orcid)):
                    raise UsageError(
                        message("{orcid} is no ORCID iD", orcid=repr(str(orcid)[:40])),
                        advice=message("Write it as 0000-0002-1825-0097."),
                    )
                people.append({str(key): value for key, value in author.items() if value})
            case _:
                raise UsageError(
                    message("An author needs a name"),
                    advice=message('Write authors as [{"name": "Burt, A"}].'),
                )
    return people


def _day(text: str) -> str:
    """2026-05-03 -> 2026.05.03, as these files write days."""
    match = _DAY.match(text)
    return ".".join(match.groups()) if match else text


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


__all__ = ["FileIn", "SearchRecord", "add", "read", "write"]
