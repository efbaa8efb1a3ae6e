"""The one line that tells how far a long job is."""

from __future__ import annotations

import io
import sys

import pytest

from metasearch.cli.output import Console
from metasearch.cli.progress import LINE_EVERY as EVERY
from metasearch.cli.progress import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_it_is_rewritten_now_and_then_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not more often than an eye can follow; the screen is clean afterwards."""
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    now = 0.0
    live = ProgressLine(Console(env={}), clock=lambda: now)

    live("reading files", 1, 2_000)
    live("reading files", 2, 2_000)
    now += EVERY
    live.show("page\x1b[31m 3")
    live.clear()
    live.clear()

    assert terminal.getvalue() == "\rreading files: 1 of 2,000\x1b[K\rpage[31m 3\x1b[K\r\x1b[K"


def test_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    live = ProgressLine(Console(quiet=True, env={}))

    live("reading files", 1, 2)
    live.clear()

    assert terminal.getvalue() == ""


def test_what_takes_long_is_said_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """From what was done since it began, not from what was there before."""
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    now = 0.0
    live = ProgressLine(Console(env={}), clock=lambda: now)

    live("comparing", 500, 1_000)
    now = 20.0
    live("comparing", 510, 1_000)
    now = 21.0
    live("writing", 1, 2)

    assert terminal.getvalue().split("\r")[1:] == [
        "comparing: 500 of 1,000\x1b[K",
        "comparing: 510 of 1,000, 16 min left\x1b[K",
        "writing: 1 of 2\x1b[K",
    ]
