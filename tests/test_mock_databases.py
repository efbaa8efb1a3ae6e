"""Ten simulated databases with a known truth: merging held to it, and five of them broken in five
ways."""

from __future__ import annotations

import json
import resource
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from benchmarks import upstreams
from metasearch.engine.engine import Engine
from metasearch.events import Answer

pytestmark = pytest.mark.shared

SHAPES = [upstreams.SHAPES[number % 3] for number in range(10)]
QUERIES = ["soil", "gene", "graph", "coral"]


@pytest.fixture(autouse=True)
def _needs_shared(shared: Path) -> None:
    """Every test here needs the simulated databases beside the checkout."""


def score(base: str, query: str, answer: Answer) -> dict[str, Any]:
    """What the mock says of the answer's hits: true, false and missed pairs."""
    clusters = [[record.source_id for record in hit.records] for hit in answer.hits]
    url = f"{base}/score?q={urllib.parse.quote(query)}&dbs=0-9&rows=20"
    request = urllib.request.Request(
        url, data=json.dumps({"clusters": clusters}).encode(), method="POST"
    )
    with urllib.request.urlopen(request) as response:
        found: dict[str, Any] = json.load(response)
    return found


@pytest.mark.slow
async def test_merging_agrees_with_the_truth() -> None:
    """Over ten databases of three shapes nearly every copy of a work meets, and next to nothing
    else does."""
    right = wrong = missed = 0
    with upstreams.mock(10) as base:
        async with Engine(upstreams.settings(base, SHAPES)) as engine:
            for query in QUERIES:
                answer = await engine.search(query)
                assert answer.complete
                assert answer.counts.received == 200
                found = score(base, query, answer)
                assert not found["unknown"]
                right, wrong, missed = (
                    right + found["tp"],
                    wrong + found["fp"],
                    missed + found["fn"],
                )

    assert right / (right + wrong) >= 0.995
    assert right / (right + missed) >= 0.97


FAULTS = {
    0: ("hang", "timeout"),
    1: ("500", "error"),
    2: ("reset", "error"),
    3: ("gzipbomb:64", "error"),
    4: ("malformed", "error"),
}


@pytest.mark.slow
async def test_five_broken_databases_cost_the_others_nothing() -> None:
    """Hanging, failing, resetting, bombing, malformed: the other five come whole, in time; each bad
    one is named."""
    faults = [
        argument
        for number, (fault, _) in FAULTS.items()
        for argument in ("--set", f"{number} fault={fault}")
    ]
    with upstreams.mock(10, *faults) as base:
        # Only the database that hangs is waited for briefly: a busy machine must not make others
        # look like it.
        settings = upstreams.settings(base, SHAPES, timeout=60.0)
        settings.sources["db0"]["limits"]["timeout"] = 1.0
        async with Engine(settings) as engine:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            began = time.monotonic()
            answer = await engine.search("soil", timeout=80.0)
            took = time.monotonic() - began
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before

    assert took < 80
    assert grown < 60 * 1024
    assert not answer.complete
    for number, report in enumerate(answer.sources):
        if number in FAULTS:
            assert report.status == FAULTS[number][1], report
            assert report.error is not None
            assert str(report.error)
            assert report.error.advice
        else:
            assert (report.status, report.count) == ("ok", 20), report
