"""Two sides are compared thing by thing, and what differs is shown."""

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.against import equality, outcome, plain, searches, things
from benchmarks.against.checkouts import command, environment, start
from benchmarks.against.equality import Found
from benchmarks.against.in_order import InOrder, searched
from benchmarks.upstreams import ROOT
from metasearch.adapters.request import Page, Request
from metasearch.demo import replay_settings
from metasearch.demo.server import DemoTransport
from metasearch.engine.engine import Engine
from metasearch.events import Finished
from metasearch.record import Record
from tests.cases import each


def made(**values: Any) -> Iterator[Found]:
    return (Found(name, plain.written(value)) for name, value in values.items())


def test_equal_sides() -> None:
    """All are counted, and nothing is shown; the digest is that of the values."""
    one, other = (equality.compared("demo", made(a=1, b=[2]), made(a=1, b=[2]), 5) for _ in "ab")

    assert one.equal
    assert (one.things, one.differ, one.shown) == (2, (), ())
    assert one.digest == other.digest
    assert one.digest != equality.compared("demo", made(a=1), made(a=1), 5).digest


def test_what_differs_is_shown() -> None:
    """By name, with the path and both values; of further things only how many there are."""
    before, after = made(a={"x": 1}, b=2, c=3), made(a={"x": 5}, b=2, c=4)

    found = equality.compared("demo", before, after, most_shown=1)

    assert not found.equal
    assert found.differ == ("a", "c")
    assert [line.strip() for line in found.shown] == ["a", ".x", "before: 1", "after:  5"]
    assert "2 DIFFER" in found.line()


@each("swapped", [False, True])
def test_a_thing_that_only_one_side_has(swapped: bool) -> None:
    """It is a difference, whichever side lacks it."""
    both = [made(a=1, b=2), made(a=1)]

    found = equality.compared("demo", *(reversed(both) if swapped else both), 5)

    assert not found.equal
    assert found.things == 1


def test_sides_that_compute_other_things() -> None:
    """Nothing is compared behind the first thing that has another name."""
    found = equality.compared("demo", made(a=1, b=2), made(a=1, c=2), 5)

    assert found.differ == ("b / c",)


@pytest.mark.slow
def test_what_one_side_writes_the_other_end_reads(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    """Names with blanks and values with line breaks come as they were."""
    asyncio.run(outcome.tell(["demo"], "Napoléon, separate: answer", values=True))
    asyncio.run(outcome.tell(["demo"], "jazz improvisation: changes", values=True))

    written = capsysbinary.readouterr().out
    (found,) = equality.values(io.BytesIO(written))

    assert found.name == "demo: jazz improvisation: changes"
    assert plain.digest(found.value).encode() in written


def test_events_must_amount_to_the_answer() -> None:
    """An answer that its events do not give is an error of the side itself."""

    async def search() -> None:
        transport = InOrder(DemoTransport())
        async with Engine(replay_settings(), transport=transport) as engine:
            answer, events = await searched(engine, transport, "jazz")
        assert searches.folded(answer, events)["query"] == "jazz"
        other = replace(answer, query="blues")
        with pytest.raises(AssertionError):
            searches.folded(answer, [*events[:-1], Finished(other)])

    asyncio.run(search())


def test_databases_answer_in_the_order_of_asking() -> None:
    """Also where the first one is the slowest."""

    class Slow(DemoTransport):
        async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
            await asyncio.sleep(0.05 if request.source == first else 0)
            return await super().send(request, timeout=timeout, max_bytes=max_bytes)

    settings = replay_settings()
    names = list(settings.default_sources or ())
    first = names[0]

    async def asked() -> list[str]:
        transport = InOrder(Slow())
        async with Engine(settings, transport=transport) as engine:
            await searched(engine, transport, "jazz")
        return [page.request.source for page in transport.pages]

    sources = asyncio.run(asked())

    assert len(sources) > 3
    assert sources == sorted(sources, key=names.index)


def test_changes_of_records_one_by_one_and_together() -> None:
    """One look after each record, or after some."""
    records = [Record(source="x", source_id=str(number), title="T") for number in range(5)]

    assert len(things.changes(records)) == 5
    assert len(things.changes(records, at_once=2)) == 3


@pytest.mark.slow
def test_the_package_of_a_checkout_is_imported(tmp_path: Path) -> None:
    """And not that of this one; a process that would import another one ends."""
    package = tmp_path / "metasearch"
    package.mkdir()
    (package / "__init__.py").write_text("import sys\nprint('mine', file=sys.stderr)\n")

    with start(tmp_path, "benchmarks.floor", stderr=subprocess.PIPE) as process:
        _, said = process.communicate()

    assert (process.returncode, said.strip()) == (0, b"mine")
    done = subprocess.run(
        command(tmp_path, "benchmarks.floor"),
        env=environment(ROOT),
        capture_output=True,
        check=False,
    )
    assert done.returncode != 0
    assert b"was imported from" in done.stderr


@pytest.mark.slow
def test_a_checkout_is_equal_to_itself() -> None:
    """Nothing of the outcome depends on time, or on the seed of hashes."""
    program = [sys.executable, "-m", "benchmarks.against.equality", str(ROOT), "--part", "demo"]

    done = subprocess.run(program, capture_output=True, text=True, check=False, cwd=ROOT)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "All is equal" in done.stdout
