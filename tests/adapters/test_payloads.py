"""Real answers of every database: which of them are read, how many records and fields are found,
what a person reads.

`tests/payloads/NAME.toml` says what is expected of the source NAME, file by file:

    [files]
    "hal/search.json" = { records = 30, total = 123, title = 30, year = 30, authors = 29, doi = 12 }
    "hal/bad.json"    = { error = "SourceSaysError" }
    "hal/people.json" = { error = "NotParsable", because = "persons are no works" }
    "hal/page.html"   = { status = 403, error = "Refused" }

    [read."hal/search.json"."1"]        # the first record, as a person reads the file
    title   = "..."
    authors = ["Ada Byron", "Tanaka Ken"]      # the first ones
    year    = 2019

Counts are of records in which the field is there; a field that is not named is in none. `metasearch
parse --counts NAME FILE` prints the line as the spec reads the file now; that it is right must be
seen by eye.
"""

from __future__ import annotations

import csv
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from metasearch import errors
from metasearch.adapters.parse.parse import PageContent, parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.record import PEOPLE, field_counts
from metasearch.settings import Settings
from tests.cases import each

pytestmark = pytest.mark.shared
#: Sources that are no more than their family, for what has no database of its own.
FAMILIES = (
    "sru",
    "oai",
    "solr",
    "elasticsearch",
    "opensearch",
    "searxng",
    "primo",
    "vufind",
    "z3950",
)
REGISTRY = Registry(
    Settings(sources={f"any-{it}": {"extends": it, "url": "http://127.0.0.1/"} for it in FAMILIES})
)
EXPECTED = Path(__file__).resolve().parent.parent / "payloads"
#: Keys of a file's table that are no counts.
ABOUT = frozenset({"records", "total", "error", "because", "status", "unread", "step"})
#: A file -> (source, what is expected).
FILES: dict[str, tuple[str, dict[str, Any]]] = {}
READ: list[tuple[str, str, int, dict[str, Any]]] = []

for path in sorted(EXPECTED.glob("*.toml")):
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    source = table.get("source", path.stem)
    for file, wanted in table.get("files", {}).items():
        assert file not in FILES, f"{file} is expected twice, of {FILES[file][0]} and {source}"
        FILES[file] = (source, wanted)
    READ += [
        (source, file, int(number), fields)
        for file, records in table.get("read", {}).items()
        for number, fields in records.items()
    ]


@pytest.fixture
def payloads(shared: Path) -> Path:
    return shared / "data" / "payloads"


@cache
def parsed(payloads: Path, file: str) -> PageContent | errors.SourceError:
    source, wanted = FILES[file]
    name = f"any-{source}" if source in FAMILIES else source
    request = Request(
        source=name,
        url="https://a.example/esearch.fcgi",
        step=wanted.get("step", ""),
        size=2000,
        wanted=2000,
    )
    page = Page(
        request=request, status=wanted.get("status", 200), body=(payloads / file).read_bytes()
    )
    try:
        return parse(page, REGISTRY.spec(name))
    except errors.SourceError as error:
        return error


@each("file", sorted(FILES))
def test_file(file: str, payloads: Path) -> None:
    """Every record of the file is found, with every field; or the file is the error that it is."""
    wanted = FILES[file][1]
    found = parsed(payloads, file)
    if "error" in wanted:
        assert wanted["error"] == type(found).__name__
        return
    assert isinstance(found, PageContent), found
    assert wanted["records"] == len(found.records)
    assert wanted.get("unread", 0) == len(found.unread)
    assert wanted.get("total") == found.total
    assert {name: n for name, n in wanted.items() if name not in ABOUT} == field_counts(
        found.records
    )


@each(
    ("file", "number", "fields"),
    [(file, number, fields) for _, file, number, fields in READ],
    ids=str,
)
def test_record_as_a_person_reads_it(
    file: str, number: int, fields: dict[str, Any], payloads: Path
) -> None:
    """What stands in the file stands in the record."""
    found = parsed(payloads, file)
    assert isinstance(found, PageContent), found
    record = found.records[number - 1]
    for name, wanted in fields.items():
        value = record.ids.get(name[4:]) if name.startswith("ids.") else getattr(record, name)
        if name in PEOPLE:
            value = [author.name for author in value][: len(wanted)]
        elif name == "abstract":  # no more than its beginning is written down
            assert value is not None
            assert value.startswith(wanted)
            continue
        assert wanted == (list(value) if isinstance(value, tuple) else value), name


@each("file", sorted(name for name, (_, wanted) in FILES.items() if wanted.get("records")))
def test_plain_text(file: str, payloads: Path) -> None:
    """Nothing that is shown holds markup, entities, control characters or white space at its
    ends."""
    found = parsed(payloads, file)
    assert isinstance(found, PageContent), found
    for record in found.records:
        shown = [record.title, record.subtitle, record.venue, record.publisher, record.abstract]
        shown += [
            *record.keywords,
            *record.subjects,
            *(author.name for author in record.authors + record.editors),
        ]
        for text in filter(None, shown):
            assert text == text.strip()
            assert text.isprintable()
            assert not any(
                mark in text for mark in ("<i>", "<p>", "</", "<jats:", "&amp;", "&lt;", "&#")
            )


def test_every_file_is_expected_of_some_source(payloads: Path) -> None:
    """Every stored answer is read by some source, or said to be nothing that a search gives."""
    with (payloads / "INDEX.tsv").open(encoding="utf-8", newline="") as rows:
        stored = {
            row["file"] for row in csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)
        }
    elsewhere: dict[str, str] = {}
    for path in (EXPECTED / "elsewhere").glob("*.toml"):
        elsewhere |= tomllib.loads(path.read_text(encoding="utf-8"))["files"]

    assert all(elsewhere.values())
    assert stored - set(FILES) - set(elsewhere) == set()


def test_every_source_with_files_has_three_that_were_read_by_eye() -> None:
    """At least three files of each source, or all of them, say what a person finds in them."""
    for source in {source for source, wanted in FILES.values() if wanted.get("records")}:
        full = {
            file for file, (of, wanted) in FILES.items() if of == source and wanted.get("records")
        }
        by_eye = {file for of, file, _, _ in READ if of == source}

        assert len(by_eye & full) >= min(3, len(full)), source
