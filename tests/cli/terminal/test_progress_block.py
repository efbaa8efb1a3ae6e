"""The live block on stderr."""

from __future__ import annotations

import io

from metasearch.cli.progress import ProgressBlock
from metasearch.events import Added, Joined, SourceProgress, Started
from tests.cli.fake import failed, hit, ok


class Clock:
    """Stands still until it is told to go on."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def drawn(**options: object) -> tuple[ProgressBlock, io.StringIO, Clock]:
    stream, clock = io.StringIO(), Clock()
    return ProgressBlock(stream, clock=clock, **options), stream, clock  # type: ignore[arg-type]


def last(stream: io.StringIO) -> list[str]:
    """The lines of the last drawing."""
    return (
        stream.getvalue().split("\x1b[J")[-2].rpartition("F")[2].replace("\x1b[K", "").splitlines()
    )


def test_every_source_has_a_line() -> None:
    """The block says of each source whether it is being asked, how many records came and how long
    it took."""
    progress, stream, clock = drawn()
    progress.take(Started("s", "gene", ("alpha", "beta"), 15.0))
    progress.take(Added(hit()))
    clock.now = 1.0
    progress.take(SourceProgress(ok("alpha", 1, total=1234)))

    assert last(stream) == [
        "1 of 2 sources, 1 record, 1 hit",
        "  alpha  ok        0.2 s  1 of 1,234 records",
        "  beta   asking    1.0 s",
    ]


def test_redrawing_takes_the_old_block_away() -> None:
    """Each drawing moves up and overwrites the one before, line by line; the end clears it."""
    progress, stream, clock = drawn()
    progress.take(Started("s", "gene", ("alpha", "beta"), 15.0))
    clock.now = 1.0
    progress.take(SourceProgress(failed("beta")))
    progress.clear()
    progress.clear()

    assert stream.getvalue().count("\x1b[3F") == 2
    assert stream.getvalue().count("\x1b[J") == 3
    assert all(line.endswith("\x1b[K") for line in stream.getvalue().splitlines()[:6])
    assert stream.getvalue().endswith("\x1b[3F\x1b[J")


def test_clock_runs_on_while_nothing_happens() -> None:
    """Sources that are silent show how long they have been."""
    progress, stream, clock = drawn()
    progress.tick()
    assert not stream.getvalue()

    progress.take(Started("s", "gene", ("alpha",), 15.0))
    clock.now = 2.5
    progress.tick()

    assert last(stream)[1] == "  alpha  asking    2.5 s"


def test_drawings_are_rare() -> None:
    """A burst of events is drawn once."""
    progress, stream, _ = drawn()
    progress.take(Started("s", "gene", ("alpha",), 15.0))
    before = stream.getvalue()
    for number in range(100):
        progress.take(Added(hit(number)))

    assert stream.getvalue() == before


def test_joined_hits_count_once() -> None:
    """Hits that turn out to be one are one in the count."""
    progress, stream, clock = drawn()
    progress.take(Started("s", "gene", ("alpha",), 15.0))
    for number in (1, 2, 3):
        progress.take(Added(hit(number)))
    clock.now = 1.0
    progress.take(Joined(hit(1), ("h2", "h3")))

    assert last(stream)[0].endswith(", 1 hit")


def test_block_fits_the_terminal() -> None:
    """The block is never higher or wider than the terminal; sources that are still asked are shown
    first."""
    progress, stream, clock = drawn(columns=30, lines=6)
    names = tuple(f"source-with-a-long-name-{number}" for number in range(20))
    progress.take(Started("s", "gene", names, 15.0))
    clock.now = 1.0
    progress.take(SourceProgress(ok(names[0])))

    lines = last(stream)
    assert len(lines) == 4
    assert max(map(len, lines)) < 30
    assert not any("ok" in line for line in lines[1:])


def test_colours_say_how_it_went() -> None:
    """With colours a failure is red."""
    progress, stream, clock = drawn(color=True)
    progress.take(Started("s", "gene", ("beta",), 15.0))
    clock.now = 1.0
    progress.take(SourceProgress(failed("beta")))

    assert last(stream)[1].startswith("\x1b[31m")
