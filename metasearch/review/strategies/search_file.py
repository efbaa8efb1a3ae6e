"""JSON search files: read, and written.

What a JSON search file says, without anything done with it.
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
from metasearch.query import CHOICES, parse_years
from metasearch.query.strategy_lines import has_numbers
from metasearch.review.press import peer_review
from metasearch.review.projects.projects import LONGEST_NAME, Project
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps as stored
from metasearch.review.strategies import strategies
from metasearch.review.strategies.paste import copy_in
from metasearch.review.strategies.resolve import resolve_step
from metasearch.review.strategies.steps import MOST_STEPS
from metasearch.review.strategies.strategies import Step, Strategy
from metasearch.review.strategies.writer import check_target, one_expression

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
    "wanfang": "cnki", "metasearch": "auto", "europe pmc": "europepmc", "europepmc": "europepmc",
    "acm": "acm", "lilacs": "vhl", "virtual health library": "vhl", "bvs": "vhl",
    "vip": "cnki", "sinomed": "sinomed", "cbm": "sinomed",
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


# JSON search files: the records of searches of Haddaway et al. 2022 (https://doi.org/10.5281/
# zenodo.5920473), as searchRxiv and the package search-query keep them.
#
#     {"record_info": {}, "authors": [{"name": "...", "ORCID": "..."}],
#      "date": {"data_entry": "2026.05.03", "search_conducted": "2026.05.03"},
#      "platform": "Web of Science", "database": ["SCI-EXPANDED"], "search_string": "TS=(...)"}
#
# `search_string` may be an object of named blocks, of which "full_string" is the whole, or a text
# of numbered lines. What is written has, beside it, the steps as they are in "metasearch"; they are
# read again as long as the search string has not been changed elsewhere.

#: Syntax -> the platform as search-query knows it, or as it calls itself.
_PLATFORMS = {
    "wos": "wos", "pubmed": "pubmed", "ebsco": "ebscohost", "ovid": "ovid", "scopus": "scopus",
    "embase": "embase", "cochrane": "cochrane", "proquest": "proquest",
    "ieee": "ieee", "cnki": "cnki", "wanfang": "wanfang",
    "cql": "cql", "simple": "metasearch", "europepmc": "europepmc", "acm": "acm", "vhl": "vhl",
    "sinomed": "sinomed",
}  # fmt: skip
#: Keys that narrow a search, beside its string.
_BESIDE = ("field", "search_field", "search_time_span", "search_language")
_ORCID = re.compile(r"[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]")
_DAY = re.compile(r"([0-9]{4})[-./]([0-9]{2})[-./]([0-9]{2})")


@dataclass(frozen=True, slots=True)
class FileIn:
    """What came of a file: its searches as strategies, and notes on what does not hold for them."""

    strategies: tuple[Strategy, ...]
    notes: tuple[str, ...]


def add(project: Project, content: bytes, name: str, *, strategy: str | None = None) -> FileIn:
    """Make a strategy of each search of a file, all or none; it is called as `strategy` says, by
    default as the search or the file is. What is not a step of it is kept in
    `details["search_file"]`, as it stands there.

    Raises:
        FileFormatError: The file cannot be read.
        QuerySyntaxError: A search string cannot be read.
        UsageError: A name is taken.
    """
    records = read(content, name)
    notes: list[str] = []
    made: list[Strategy] = []
    with project.db.transaction():
        for record in records:
            wanted = strategy or str(record.details.get("string_name") or "") or name
            taken = {one.name for one in strategies.of(project)}
            if strategy is not None and strategy in taken and len(records) == 1:
                called = strategy  # `create` says that it is taken
            else:
                called = _free(_as_name(wanted), taken)
            own = record.own
            new = strategies.create(
                project,
                called,
                sources=own.sources if own else (),
                years=own.years if own else "",
                note=own.note if own else "",
                details={"search_file": dict(record.details)},
            )
            notes += _fill(project.db, new, record, project.by)
            made.append(new)
    return FileIn(tuple(made), tuple(dict.fromkeys(notes)))


def write(
    db: Database,
    strategy: Strategy,
    *,
    syntax: str,
    step: int | None = None,
    years: str | None = None,
    authors: Sequence[Mapping[str, str]] | None = None,
    database: Sequence[str] | None = None,
    searched: str = "",
) -> bytes:
    """A search file: one JSON object. Raises UsageError: there is no such step or syntax, the step
    cannot be written in it, or an author has no name.

    Args:
        step: That the search string is of; the last one that no other names by default.
        syntax: Of the search string, a key of `metasearch.query.syntaxes.TARGETS`; search-query
            reads "pubmed", "wos" and "ebsco".
        years: In place of those of the strategy.
        authors: {"name", "ORCID", "email"}; those of the earlier file by default.
        database: Names; the sources of the strategy by default.
    """
    steps = stored.of(db, strategy)
    years = strategy.years if years is None else years
    known = dict(strategy.details.get("search_file") or {})
    people = _people(known.get("authors", []) if authors is None else authors)
    text = _search_string(steps, step, syntax, years)
    kept = [
        {"number": step.number, "text": step.text, "syntax": step.syntax, "note": step.note}
        for step in steps
        if step.has_query
    ]
    review = peer_review.of(strategy, steps)
    dates = dict(known.get("date") or {})
    dates.setdefault("data_entry", _day(strategy.created))
    if searched:
        dates["search_conducted"] = _day(searched)
    record = {
        **{key: value for key, value in known.items() if key != OWN},
        "record_info": known.get("record_info") or {},
        "authors": people,
        "date": dates,
        "platform": _PLATFORMS[syntax],
        "database": list(strategy.sources if database is None else database),
        "search_string": text,
        OWN: {
            "version": __version__,
            "strategy": strategy.name,
            "years": strategy.years,
            "sources": list(strategy.sources),
            "note": strategy.note,
            "steps": kept,
            "search_string": digest(text),
            **({"peer_review": peer_review.as_json(review)} if review else {}),
        },
    }
    return (json.dumps(record, ensure_ascii=False, indent=2) + "\n").encode()


def _fill(db: Database, strategy: Strategy, record: SearchRecord, by: str) -> list[str]:
    """Add the steps of a search; returns notes."""
    notes: list[str] = []
    if record.own:
        stored.add_all(
            db,
            strategy,
            [_draft(strategy, *step) for step in record.own.steps],
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
    notes += [
        message(
            "{key} is not part of the search string and is not applied: {value}",
            key=key,
            value=json.dumps(value, ensure_ascii=False)[:80],
        )
        for key in _BESIDE
        if (value := record.details.get(key))
    ]
    if not record.blocks and has_numbers(record.string):
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


def _search_string(steps: Sequence[Step], number: int | None, syntax: str, years: str) -> str:
    """The query of a step in one syntax."""
    check_target(syntax)
    strategies.check_years(years)
    if number is None:
        named = {parent for step in steps for parent in step.parents}
        last = [step.number for step in steps if step.has_query and step.number not in named]
        if not last:
            raise UsageError(
                message("The search strategy has no step that can be searched for"),
                advice=message("Add one."),
            )
        number = last[-1]
    one = one_expression(resolve_step(steps, number), parse_years(years) if years else None, syntax)
    if not one.text:
        raise UsageError(
            message(
                "Step {number} cannot be written: {reason}", number=number, reason=one.notes[0]
            ),
            advice=message("Choose another syntax."),
        )
    return one.text


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
                    advice=message(
                        "Give the name of each author, with an ORCID iD where there is one."
                    ),
                )
    return people


def _day(text: str) -> str:
    """2026-05-03 -> 2026.05.03, as these files write days."""
    match = _DAY.match(text)
    return ".".join(match.groups()) if match else text
