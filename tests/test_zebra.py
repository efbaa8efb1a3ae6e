"""Real library servers: four Zebra catalogues with overlapping holdings, asked through SRU, and held to the truth."""

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

from metasearch.engine import Engine
from metasearch.settings import Settings

pytestmark = [pytest.mark.shared, pytest.mark.zebra, pytest.mark.timeout(300)]

QUERIES = [
    "jazz", "blues", "piano", "paris", "histoire", "france", "quartet", "swing", "louis armstrong", "miles davis",
    "duke ellington", "théâtre", "poems OR poésies", "title:concert", "author:davis", "saxophone", "orchestra", "nepal",
    "israel", "new orleans",
]  # fmt: skip


def free_neighbours(count: int) -> int:
    """The first of so many neighbouring ports that are free, below those that systems hand out by themselves."""
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
    command = [sys.executable, str(script), "up", "--dir", str(folder), "--base-port", str(free_neighbours(4))]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
        if "zebra/yaz missing" in done.stderr:
            pytest.skip("no Zebra and YAZ here")
        assert done.returncode == 0, done.stderr
        yield {**json.loads(done.stdout), "folder": folder}
    finally:
        subprocess.run([sys.executable, str(script), "down", "--dir", str(folder)], capture_output=True, check=False)


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
    """Over twenty queries, paging included, nearly all copies of one record meet and nearly nothing else does."""
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
