"""The report of a job: its numbers as text for people, and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import orjson
from wcwidth import wcswidth

from metasearch.bulk.job import FileRead
from metasearch.bulk.prisma_numbers import Numbers, Place, Trouble
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


def summary(numbers: Numbers) -> str:
    """Two lines: what came of the records, and how duplicates were found."""
    files = _counted(len(numbers.files), "file") + (
        f" ({len(numbers.errors):,} could not be read)" if numbers.errors else ""
    )
    parts = [f"{numbers.unique:,} unique", _counted(numbers.duplicates, "duplicate")]
    parts += [f"{numbers.unread:,} could not be read"] if numbers.unread else []
    rules = [f"{number:,} by {rule}" for rule, number in numbers.rules.items()]
    rules += [f"{numbers.earlier:,} by an earlier run"] if numbers.earlier else []
    rules += [f"{numbers.versions:,} as versions"] if numbers.versions else []
    where = f"; {numbers.within:,} within a file, {numbers.across:,} across files" if rules else ""
    counts = f"{_counted(numbers.found, 'record')} in {files}: {', '.join(parts)}"
    return f"{counts}\nduplicates: {', '.join(rules) or 'none'}{where}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


# --------------------------------------------------------------------------- text


def as_text(numbers: Numbers, version: str, left_out: Sequence[str] = ()) -> str:
    """All numbers, one below the other; what is unread is named as far as there is room."""
    blocks = (
        _identified(numbers),
        _databases(numbers),
        _unread(numbers),
        _duplicates(numbers),
        _unique(numbers),
        _remarks(numbers),
        _left_out(left_out),
        [_identity(numbers)],
    )
    text = "\n\n".join("\n".join(lines) for block in blocks if (lines := list(block)))
    return f"{_TEXT_BEGINS.decode()}{version}\n\n{text}\n"


def _identified(numbers: Numbers) -> Iterator[str]:
    yield _row("records identified", numbers.found)
    columns = ("found", "unread", "removed", "kept", "only here")
    yield from _table(
        "file",
        columns,
        [(p.name, (p.found, p.unread, p.removed, p.kept, p.only)) for p in numbers.files],
    )


def _databases(numbers: Numbers) -> Iterator[str]:
    yield _row("records read", numbers.found - numbers.unread)
    columns = ("read", "removed", "kept", "only here")
    rows = [
        (p.name or "(none named)", (p.found, p.removed, p.kept, p.only)) for p in numbers.databases
    ]
    yield from _table("database", columns, rows)


def _unread(numbers: Numbers) -> Iterator[str]:
    yield _row("records that could not be read", numbers.unread)
    yield from _listed(numbers.lost)
    yield _row("files that could not be read", len(numbers.errors))
    yield from _listed(numbers.errors)


def _duplicates(numbers: Numbers) -> Iterator[str]:
    yield _row("duplicates removed", numbers.duplicates)
    if numbers.dedup != "default":
        yield f"  found by the strategy {numbers.dedup}: `metasearch strategies {numbers.dedup}`"
    for rule, number in numbers.rules.items():
        yield _row(f"  by {rule}{_in_words(rule, numbers.dedup)}", number)
    if numbers.earlier:
        yield _row("  by an earlier run of dedup, whose output was read", numbers.earlier)
    if numbers.versions:
        yield _row("  as versions: another version of the same work", numbers.versions)
    yield _row("  within a file", numbers.within)
    yield _row("  across files", numbers.across)
    yield _row("comparisons passed over, because too many records share a key", numbers.passed_over)


def _in_words(rule: str, dedup: str) -> str:
    """What a rule found alike, behind a colon; other strategies' may bear names of ours."""
    return f": {RULES[rule]}" if rule in RULES and (dedup == "default" or rule == "pin") else ""


def _unique(numbers: Numbers) -> Iterator[str]:
    yield _row("unique records", numbers.unique)
    if numbers.version_works:
        yield _row("  with several versions", numbers.version_works)
    # Other strategies do not know what a version is.
    what = (
        _MODES[numbers.mode]
        if numbers.dedup == "default"
        else f"one record or several, as {numbers.dedup} finds them"
    )
    yield f"  preprint, conference paper and article of one work: {what}"


def _remarks(numbers: Numbers) -> Iterator[str]:
    if numbers.remarks:
        yield _row("remarks on what was read all the same", len(numbers.remarks))
        yield from _listed(numbers.remarks)


def _left_out(notes: Sequence[str]) -> Iterator[str]:
    if notes:
        yield "fields of the files that are not in the output"
        yield from (f"  {note}" for note in notes)


def _identity(numbers: Numbers) -> str:
    duplicates = _counted(numbers.duplicates, "duplicate")
    return (
        f"{numbers.found:,} found = {numbers.unique:,} unique + {duplicates} + "
        f"{numbers.unread:,} that could "
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
    for trouble in troubles[:LISTED]:
        place = f"{trouble.file}:{trouble.line}" if trouble.line else trouble.file
        records = f" ({trouble.records:,} records)" if trouble.records > 1 else ""
        yield f"  {place}: {trouble.message}{records}"
    if len(troubles) > LISTED:
        yield f"  and {len(troubles) - LISTED:,} more, which a report in JSON lists"


# --------------------------------------------------------------------------- JSON


def as_json(
    numbers: Numbers, files: Sequence[FileRead], version: str, left_out: Sequence[str] = ()
) -> bytes:
    """All numbers, and all that could not be read, as one document, always with every key."""
    document = {
        "report": "metasearch dedup",
        "version": version,
        "found": numbers.found,
        "unread": numbers.unread,
        "duplicates": numbers.duplicates,
        "unique": numbers.unique,
        "duplicates_by_rule": dict(numbers.rules),
        "duplicates_by_an_earlier_run": numbers.earlier,
        "duplicates_as_versions": numbers.versions,
        "duplicates_within_a_file": numbers.within,
        "duplicates_across_files": numbers.across,
        "dedup": numbers.dedup,
        "versions": numbers.mode,
        "works_with_versions": numbers.version_works,
        "comparisons_passed_over": numbers.passed_over,
        "files": [_file(place, file) for place, file in zip(numbers.files, files, strict=True)],
        "databases": [{"database": p.name or None, **_counts(p)} for p in numbers.databases],
        "lost": [asdict(trouble) for trouble in numbers.lost],
        "remarks": [asdict(trouble) for trouble in numbers.remarks],
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
