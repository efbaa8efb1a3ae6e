"""Real library servers: four Zebra catalogues with overlapping holdings, asked through SRU, and
held to the truth."""

from __future__ import annotations

import csv
import json
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from metasearch.engine.engine import Engine
from metasearch.settings import Settings

pytestmark = [pytest.mark.shared, pytest.mark.zebra, pytest.mark.timeout(300)]

QUERIES = [
    "jazz", "blues", "piano", "paris", "histoire", "france", "quartet", "swing", "louis armstrong",
    "miles davis",
    "duke ellington", "théâtre", "poems OR poésies", "title:concert", "author:davis", "saxophone",
    "orchestra", "nepal",
    "israel", "new orleans",
]  # fmt: skip


def free_neighbours(count: int) -> int:
    """The first of so many neighbouring ports that are free, below those that systems hand out by
    themselves."""
    while True:
        first = random.randrange(10_000, 30_000)
        try:
            for port in range(first, first + count):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return first


@pytest.fixture(scope="module")
def catalogues(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Four running servers; what the script that starts them prints, and its folder."""
    script = shared / "bench" / "zebra_up.py"
    folder = tmp_path_factory.mktemp("zebra")
    command = [
        sys.executable,
        str(script),
        "up",
        "--dir",
        str(folder),
        "--base-port",
        str(free_neighbours(4)),
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
        if "zebra/yaz missing" in done.stderr:
            pytest.skip("no Zebra and YAZ here")
        assert done.returncode == 0, done.stderr
        yield {**json.loads(done.stdout), "folder": folder}
    finally:
        subprocess.run(
            [sys.executable, str(script), "down", "--dir", str(folder)],
            capture_output=True,
            check=False,
        )


def settings(catalogues: dict[str, Any]) -> Settings:
    """What a user writes: four sources of two lines each."""
    targets = {target["name"]: target["sru"] for target in catalogues["targets"]}
    return Settings(
        sources={name: {"extends": "sru", "url": url} for name, url in targets.items()},
        default_sources=tuple(targets),
        allow=frozenset(url.split("/")[2] for url in targets.values()),
        timeout=60.0,
    )


def truth(folder: Path) -> tuple[dict[str, str], set[frozenset[str]]]:
    """Control number -> true record, and the pairs of true records that are not to be judged."""
    with (folder / "truth.tsv").open(encoding="utf-8") as file:
        works = {row[0]: row[1] for row in csv.reader(file, delimiter="\t") if len(row) > 1}
    with (folder / "unjudged.tsv").open(encoding="utf-8") as file:
        unjudged = {frozenset(row[:2]) for row in csv.reader(file, delimiter="\t") if len(row) > 1}
    return works, unjudged


async def test_merged_catalogues_agree_with_the_truth(catalogues: dict[str, Any]) -> None:
    """Over twenty queries, paging included, nearly all copies of one record meet and nearly nothing
    else does."""
    works, unjudged = truth(catalogues["folder"])
    right = wrong = missed = 0
    async with Engine(settings(catalogues)) as engine:
        for query in QUERIES:
            answer = await engine.search(query, per_source=300)
            assert answer.complete, [r for r in answer.sources if r.failed]
            for report in answer.sources:
                assert report.count == min(report.total or 0, 300), report
            hit_of = {record.source_id: hit.id for hit in answer.hits for record in hit.records}
            for a, b in combinations(sorted(hit_of), 2):
                same, merged = works[a] == works[b], hit_of[a] == hit_of[b]
                if not same and frozenset((works[a], works[b])) in unjudged:
                    continue
                right += same and merged
                wrong += merged and not same
                missed += same and not merged
    precision, recall = right / (right + wrong), right / (right + missed)
    print(f"precision {precision:.4f}, recall {recall:.4f} over {right + missed} true pairs")

    assert right + missed > 500
    assert 2 * precision * recall / (precision + recall) >= 0.96


# ------------------------------------------------------------------ the same servers through Z39.50


@pytest.fixture(scope="module")
def both(catalogues: dict[str, Any]) -> Settings:
    """The first catalogue twice: through SRU, and through Z39.50 where YAZ is installed."""
    from metasearch.adapters.fetch import yaz

    try:
        yaz.library()
    except yaz.LibraryMissing as exc:
        pytest.skip(f"no YAZ here: {exc}")
    target = catalogues["targets"][0]
    # This Zebra has its years as numbers (structure 109), and no index of years (4).
    years = {
        "both": '@and @attr 1=31 @attr 2=4 @attr 4=109 "{first}" @attr 1=31 @attr 2=2 @attr 4=109 '
        '"{last}"',
        "since": '@attr 1=31 @attr 2=4 @attr 4=109 "{first}"',
        "until": '@attr 1=31 @attr 2=2 @attr 4=109 "{last}"',
    }
    return Settings(
        sources={
            "sru": {"extends": "sru", "url": target["sru"]},
            "z3950": {
                "extends": "z3950",
                "url": f"z3950://{target['z3950']}",
                "query": {"years": years},
            },
            "untold": {"extends": "z3950", "url": f"z3950://{target['z3950']}"},
            "nowhere": {"extends": "z3950", "url": f"z3950://{target['z3950']}-nowhere"},
            "sru2": {
                "extends": "sru",
                "url": target["sru"],
                "request": {"params": {"version": "2.0", "operation": "", "queryType": "cql"}},
            },
        },
        default_sources=("z3950",),
        allow=frozenset({target["sru"].split("/")[2]}),
        timeout=60.0,
    )


async def found(
    settings: Settings, source: str, query: str, per_source: int = 130
) -> tuple[int | None, list[str], str]:
    """How many hits the source has, the numbers of the records that came, and the error's type."""
    async with Engine(settings) as engine:
        answer = await engine.search(query, sources=[source], per_source=per_source)
    report = answer.sources[0]
    numbers = [record.source_id or "" for hit in answer.hits for record in hit.records]
    return report.total, sorted(numbers), type(report.error).__name__ if report.error else ""


@pytest.mark.parametrize(
    "query",
    [
        "jazz", "louis armstrong", '"new orleans"', ('title:"in '
                                                    'concert"'), "author:davis", ("subject:jazz "
                                                                                "-author:davis"),
        ("title:concert OR "
        "author:ellington"), "author:davis year:1990", "jazz year:1990-1995", "jazz year:-1970",
        "théâtre", "zzzzqx",
    ],
)  # fmt: skip
async def test_z3950_finds_what_sru_finds(both: Settings, query: str) -> None:
    """Words, phrases, fields, operators and years in PQF mean what they mean in CQL, over several
    pages."""
    total, numbers, error = await found(both, "z3950", query)

    assert (total, numbers, error) == await found(both, "sru", query)
    assert len(numbers) == min(total or 0, 130)
    assert bool(numbers) == (query != "zzzzqx")


async def test_z3950_finds_beginnings_of_words(both: Settings) -> None:
    """As many as its words together."""
    begun, _, _ = await found(both, "z3950", "title:concert*", 20)
    whole, _, _ = await found(both, "z3950", "title:concert", 20)

    assert begun is not None
    assert whole is not None
    assert begun > whole > 0


async def test_z3950_finds_an_isbn(both: Settings) -> None:
    """By the number that a record has."""
    async with Engine(both) as engine:
        answer = await engine.search("paris", sources=["z3950"], per_source=100)
    hits = [record for hit in answer.hits for record in hit.records if record.isbn]
    printed = hits[0]
    forms = [printed.isbn[0], as_isbn10(printed.isbn[0])]
    results = [await found(both, "z3950", f"isbn:{form}", 20) for form in forms if form]

    assert any(printed.source_id in numbers for _, numbers, _ in results)


def as_isbn10(isbn: str) -> str:
    """The older form of an ISBN-13 that has one."""
    if not isbn.startswith("978"):
        return ""
    check = -sum((10 - place) * int(digit) for place, digit in enumerate(isbn[3:12])) % 11
    return isbn[3:12] + ("X" if check == 10 else str(check))


async def test_z3950_tells_what_a_server_does_not_support(both: Settings) -> None:
    """An attribute, or a database; the diagnostic is an error and not "no results"."""
    assert (await found(both, "untold", "jazz year:1990-"))[2] == "SourceSaysError"
    assert (await found(both, "nowhere", "jazz"))[2] == "SourceSaysError"


async def test_sru_2_is_asked_without_an_operation(both: Settings) -> None:
    """A catalogue takes away the parameters of SRU 1.2 that SRU 2.0 does without, and is read the
    same."""
    assert await found(both, "sru2", "louis armstrong") == await found(
        both, "sru", "louis armstrong"
    )
