"""What one database sends costs its own page: the others' records come in time, memory is flat,
signals are obeyed.

The worst of each kind of `benchmarks/pages/`, beside three databases that are well. `python3
tasks.py bench faults` tries all of them, by every face.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from benchmarks.pages import PAGES, judged

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and sessions"),
]

#: A busy machine is late at times; what is wrong twice is wrong.
TRIES = 2


@pytest.fixture(scope="module")
def bench() -> Iterator[judged.Bench]:
    """A database that sends hostile pages, and healthy ones, each in a process of their own."""
    with judged.bench() as found:
        yield found


def wrong(bench: judged.Bench, page: str, face: str) -> list[str]:
    """What does not hold of a search beside that page, and of one that a signal ends."""
    (outcome,) = judged.outcomes(bench, [PAGES[page]], [face], TRIES)
    return outcome.wrong


@pytest.mark.parametrize(
    "page",
    [
        "marc-title",
        "doi-brackets",
        "long-titles",
        "combining",
        "title-json",
        "records-json",
        "xml-comments",
        "html-open",
        "continue",
        "gzip-bomb",
    ],
)
def test_a_hostile_page_costs_the_engine_that_page(bench: judged.Bench, page: str) -> None:
    """The search ends with its deadline and holds all records of the healthy sources, in at most 40
    MiB more."""
    assert wrong(bench, page, "engine") == []


def test_a_hostile_page_stops_no_server(bench: judged.Bench) -> None:
    """A server answers in time and in full while a title of 60 KB is read, and SIGTERM ends it
    within 2 s."""
    assert wrong(bench, "marc-title", "server") == []


def test_a_hostile_page_stops_no_command(bench: judged.Bench) -> None:
    """The command shows all records of the healthy sources after its --timeout, and Ctrl-C ends it
    within 2 s."""
    assert wrong(bench, "marc-title", "command") == []


def test_an_ordinary_database_that_is_silent_harms_nobody(bench: judged.Bench) -> None:
    """What is measured is the page and not the way to measure: beside mere silence everything
    holds."""
    assert wrong(bench, "silence", "engine") == []
