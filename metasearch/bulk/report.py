"""The report of a job: its numbers as text for people, and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import orjson
from wcwidth import wcswidth

from metasearch.bulk.job import FileRead
from metasearch.bulk.numbers import Numbers, Place, Trouble
from metasearch.formats.text import line

#: Of unread records, and of remarks, so many are listed in the text; the JSON form has all.
LISTED = 50
#: Columns of what a number is about.
LABEL = 79
#: What each rule found alike.
RULES: Mapping[str, str] = {
    "pin": "pinned as the same",
    "url": "the same web address",
    "doi": "the same DOI",
    "id": "the same identifier (PMID, ISBN, ...)",
    "standard": "the same number, or title, and year of a standard (ISO, GB/T ...)",
    "four-tuple": "the same title, journal, year and first author",
    "fields": "titles agree, and other fields with them",
    "text": "title and abstract nearly the same, same first author and year",
}
_TEXT_BEGINS = b"metasearch dedup "
_JSON_BEGINS = b'{\n  "report": "metasearch dedup"'
_MODES = {
    "group": "one record that lists them (--versions group)",
    "separate": "a record each (--versions separate)",
    "merge": "one record that makes no difference (--versions merge)",
}


def is_report(head: bytes) -> bool:
    """Whether a file that begins so is a report, so that another one may take its place."""
    return head.startswith((_TEXT_BEGINS, _JSON_BEGINS))


def summary(it: Numbers) -> str:
    """Two lines: what came of the records, and how duplicates were found."""
    files = _counted(len(it.files), "file") + (
        f" ({len(it.errors):,} could not be read)" if it.errors else ""
    )
    parts = [f"{it.unique:,} unique", _counted(it.duplicates, "duplicate")]
    parts += [f"{it.unread:,} could not be read"] if it.unread else []
    rules = [f"{number:,} by {rule}" for rule, number in it.rules.items()]
    rules += [f"{it.earlier:,} by an earlier run"] if it.earlier else []
    rules += [f"{it.versions:,} as versions"] if it.versions else []
    where = f"; {it.within:,} within a file, {it.across:,} across files" if rules else ""
    found = f"{_counted(it.found, 'record')} in {files}: {', '.join(parts)}"
    return f"{found}\nduplicates: {', '.join(rules) or 'none'}{where}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


# --------------------------------------------------------------------------- text


def as_text(it: Numbers, version: str, left_out: Sequence[str] = ()) -> str:
    """All numbers, one below the other; what could not be read is named as far as it is not too
    much.

    Args:
        it: The numbers.
        version: Of the program that found them.
        left_out: What the files say and the output does not, in words.
    """
    blocks = (
        _identified(it),
        _databases(it),
        _unread(it),
        _duplicates(it),
        _unique(it),
        _remarks(it),
        _left_out(left_out),
        [_identity(it)],
    )
    text = "\n\n".join("\n".join(lines) for block in blocks if (lines := list(block)))
    return f"{_TEXT_BEGINS.decode()}{version}\n\n{text}\n"


def _identified(it: Numbers) -> Iterator[str]:
    yield _row("records identified", it.found)
    columns = ("found", "unread", "removed", "kept", "only here")
    yield from _table(
        "file",
        columns,
        [(p.name, (p.found, p.unread, p.removed, p.kept, p.only)) for p in it.files],
    )


def _databases(it: Numbers) -> Iterator[str]:
    yield _row("records read", it.found - it.unread)
    columns = ("read", "removed", "kept", "only here")
    rows = [(p.name or "(none named)", (p.found, p.removed, p.kept, p.only)) for p in it.databases]
    yield from _table("database", columns, rows)


def _unread(it: Numbers) -> Iterator[str]:
    yield _row("records that could not be read", it.unread)
    yield from _listed(it.lost)
    yield _row("files that could not be read", len(it.errors))
    yield from _listed(it.errors)


def _duplicates(it: Numbers) -> Iterator[str]:
    yield _row("duplicates removed", it.duplicates)
    if it.dedup != "default":
        yield f"  found by the strategy {it.dedup}: `metasearch strategies {it.dedup}`"
    for rule, number in it.rules.items():
        yield _row(f"  by {rule}{_in_words(rule, it.dedup)}", number)
    if it.earlier:
        yield _row("  by an earlier run of dedup, whose output was read", it.earlier)
    if it.versions:
        yield _row("  as versions: another version of the same work", it.versions)
    yield _row("  within a file", it.within)
    yield _row("  across files", it.across)
    yield _row("comparisons passed over, because too many records share a key", it.passed_over)


def _in_words(rule: str, dedup: str) -> str:
    """What a rule found alike, behind a colon; of another strategy it may bear the name of one of
    ours.
    """
    return f": {RULES[rule]}" if rule in RULES and (dedup == "default" or rule == "pin") else ""


def _unique(it: Numbers) -> Iterator[str]:
    yield _row("unique records", it.unique)
    if it.version_works:
        yield _row("  with several versions", it.version_works)
    # Other strategies do not know what a version is.
    what = (
        _MODES[it.mode]
        if it.dedup == "default"
        else f"one record or several, as {it.dedup} finds them"
    )
    yield f"  preprint, conference paper and article of one work: {what}"


def _remarks(it: Numbers) -> Iterator[str]:
    if it.remarks:
        yield _row("remarks on what was read all the same", len(it.remarks))
        yield from _listed(it.remarks)


def _left_out(notes: Sequence[str]) -> Iterator[str]:
    if notes:
        yield "fields of the files that are not in the output"
        yield from (f"  {note}" for note in notes)


def _identity(it: Numbers) -> str:
    duplicates = _counted(it.duplicates, "duplicate")
    return (
        f"{it.found:,} found = {it.unique:,} unique + {duplicates} + {it.unread:,} that could "
        f"not be read"
    )


def _row(text: str, number: int) -> str:
    return f"{text:<{LABEL}}{number:>9,}"


def _table(
    name: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[int]]]
) -> Iterator[str]:
    width = max(LABEL - 2 - 11 * (len(columns) - 1), *(wcswidth(text) for text, _ in rows), 0)
    yield f"  {_padded(name, width)}{''.join(f'{column:>11}' for column in columns)}"
    for text, numbers in rows:
        yield f"  {_padded(text, width)}{''.join(f'{number:>11,}' for number in numbers)}"


def _padded(text: str, columns: int) -> str:
    return text + " " * max(0, columns - wcswidth(text))


def _listed(troubles: Sequence[Trouble]) -> Iterator[str]:
    for it in troubles[:LISTED]:
        place = f"{it.file}:{it.line}" if it.line else it.file
        yield f"  {place}: {it.message}{f' ({it.records:,} records)' if it.records > 1 else ''}"
    if len(troubles) > LISTED:
        yield f"  and {len(troubles) - LISTED:,} more, which a report in JSON lists"


# --------------------------------------------------------------------------- JSON


def as_json(
    it: Numbers, files: Sequence[FileRead], version: str, left_out: Sequence[str] = ()
) -> bytes:
    """All numbers, and everything that could not be read, as one document; every key is always
    there.
    """
    document = {
        "report": "metasearch dedup",
        "version": version,
        "found": it.found,
        "unread": it.unread,
        "duplicates": it.duplicates,
        "unique": it.unique,
        "duplicates_by_rule": dict(it.rules),
        "duplicates_by_an_earlier_run": it.earlier,
        "duplicates_as_versions": it.versions,
        "duplicates_within_a_file": it.within,
        "duplicates_across_files": it.across,
        "dedup": it.dedup,
        "versions": it.mode,
        "works_with_versions": it.version_works,
        "comparisons_passed_over": it.passed_over,
        "files": [_file(place, file) for place, file in zip(it.files, files, strict=True)],
        "databases": [{"database": p.name or None, **_counts(p)} for p in it.databases],
        "lost": [asdict(trouble) for trouble in it.lost],
        "remarks": [asdict(trouble) for trouble in it.remarks],
        "left_out": list(left_out),
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _file(place: Place, file: FileRead) -> dict[str, Any]:
    return {
        "file": place.name,
        "format": file.reading.format or None,
        "encoding": file.reading.encoding or None,
        **_counts(place),
        "unread": place.unread,
        "error": line(str(file.error)) if file.error else None,
    }


def _counts(place: Place) -> dict[str, int]:
    return {
        "found": place.found,
        "kept": place.kept,
        "removed": place.removed,
        "only_here": place.only,
    }
