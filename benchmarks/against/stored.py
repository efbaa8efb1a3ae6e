"""What stored answers and labelled sets give."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import upstreams
from benchmarks.against import plain
from benchmarks.against.moved import moved
from benchmarks.against.things import Outcome, changes, pieces
from metasearch.dedup import DEFAULT, OnlineDedup, fingerprint
from metasearch.errors import MetasearchError
from metasearch.record import Record
from metasearch.settings import Settings

parse, _ = moved("parse", "PageContent|Parsed")
Page, Request = moved("Page", "Request")
Registry = moved("Registry")

DATA = upstreams.ROOT.parent / "shared" / "data"
PAYLOADS = DATA / "payloads"
#: What the tests say of the payloads: which source each belongs to.
EXPECTED = upstreams.ROOT / "tests" / "payloads"

# --------------------------------------------------------------------------- payloads

#: Families that have no database of their own in the payloads' table.
FAMILIES = ("sru", "oai", "solr", "elasticsearch", "opensearch", "searxng", "primo", "vufind")
#: Folder of payloads that no test names -> the source that reads it, where its name is another.
FOLDERS = {"sru": "any-sru"}


class Payload(NamedTuple):
    """A stored answer of a database, and which source it is read as."""

    file: str
    source: str
    status: int = 200
    step: str = ""


def payloads() -> list[Payload]:
    """All files of the index. The tests say what source most of them belong to; others are read as
    the source that their folder is named after."""
    known: dict[str, Payload] = {}
    for path in sorted(EXPECTED.glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        source = table.get("source", path.stem)
        source = f"any-{source}" if source in FAMILIES else source
        for file, wanted in table.get("files", {}).items():
            known[file] = Payload(file, source, wanted.get("status", 200), wanted.get("step", ""))
    with (PAYLOADS / "INDEX.tsv").open(encoding="utf-8", newline="") as rows:
        files = [
            row["file"] for row in csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]
    for file in dict.fromkeys(files):
        folder = file.partition("/")[0]
        known.setdefault(file, Payload(file, FOLDERS.get(folder, folder)))
    return [known[file] for file in sorted(known)]


async def pages() -> AsyncIterator[Outcome]:
    """All stored answers: records, notes, totals, errors; and what the records of all of them make
    of one list."""
    if not PAYLOADS.is_dir():
        return
    address = "http://127.0.0.1/"
    registry = Registry(
        Settings(sources={f"any-{it}": {"extends": it, "url": address} for it in FAMILIES})
    )
    names = set(registry.names())
    records: list[Record] = []
    for it in payloads():
        if it.source not in names:
            continue
        request = Request(
            source=it.source,
            url="https://a.example/esearch.fcgi",
            step=it.step,
            size=2000,
            wanted=2000,
        )
        page = Page(request=request, status=it.status, body=(PAYLOADS / it.file).read_bytes())
        try:
            parsed = parse(page, registry.spec(it.source))
        except MetasearchError as error:
            said = {"error": type(error).__name__, "message": str(error)}
            yield Outcome(f"{it.file}", plain.written(said))
            continue
        records += parsed.records
        yield Outcome(f"{it.file}", plain.written(parsed))
    for number, told in enumerate(changes(records, at_once=20)):
        yield Outcome(f"changes {number}", plain.written(told))


# --------------------------------------------------------------------------- labelled sets

#: Labelled sets with more records are cut there.
MOST_RECORDS = 6_000


async def sets() -> AsyncIterator[Outcome]:
    """Labelled sets: works, their ids, all fields and all evidence; and the changes on the way."""
    read, _ = of_sets()
    for path in labelled():
        found = read(path)
        records = list(found.records)[:MOST_RECORDS]
        for versions in ("separate", "group"):
            dedup = OnlineDedup(DEFAULT, versions=versions)
            dedup.extend(map(fingerprint, records))
            name = f"{found.name}, {versions}"
            yield Outcome(f"{name}: clusters", plain.written(sorted(dedup.clusters())))
            hits = sorted(dedup.hits(), key=lambda hit: hit.id)
            for number, some in enumerate(pieces(hits, 100)):
                yield Outcome(f"{name}: hits {100 * number}", plain.written(some))
            yield Outcome(f"{name}: passed over", plain.written(dedup.passed_over))
        told = changes(records, at_once=10)
        for number, some in enumerate(pieces(told, 100)):
            yield Outcome(f"{found.name}: changes {100 * number}", plain.written(some))


def of_sets() -> tuple[Any, Any]:
    """The functions that read a labelled set, and that say why something is none."""
    read, skipped, _ = moved("read", "reason_to_skip|skipped", "A_SET")
    return read, skipped


def labelled() -> list[Path]:
    """The labelled sets that are here, by name."""
    _, skipped = of_sets()
    folders = [it for it in (DATA / "dedup", DATA / "neardup") if it.is_dir()]
    paths = [path for folder in folders for path in sorted(folder.iterdir())]
    return [path for path in paths if path.suffix != ".md" and skipped(path) is None]
