"""`--wait`: what is there after so long, without calling the missing sources failed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metasearch.events import SourceReport
from tests.cli.conftest import Run
from tests.cli.fake import FakeEngine, failed, hit, ok

Script = type[FakeEngine]
RUNNING = SourceReport("beta")


@pytest.fixture
def hanging(engine: Script) -> Script:
    """One source has answered, the other never will."""
    engine.hits, engine.reports, engine.hangs = [hit()], [ok(), RUNNING], True
    return engine


@pytest.mark.parametrize(
    ("reports", "hits", "args", "code"),
    [
        ([ok(), RUNNING], 1, [], 3),
        ([ok(), RUNNING], 1, ["--allow-partial"], 0),
        ([ok(count=0), RUNNING], 0, ["--allow-partial"], 1),
        ([failed("alpha"), RUNNING], 0, ["--allow-partial"], 4),
        ([RUNNING], 0, [], 4),
    ],
)
def test_exit_code(
    run: Run, hanging: Script, reports: list[SourceReport], hits: int, args: list[str], code: int
) -> None:
    """That of a partial answer: a source that is not waited for may have had hits."""
    hanging.hits, hanging.reports = [hit()] * hits, reports

    assert run("gene", "--wait", "0.05", *args).code == code


def test_what_is_there_is_shown(run: Run, hanging: Script) -> None:
    """The hits on stdout, and on stderr who was still running: that is no failure."""
    outcome = run("gene", "--wait", "0.05")

    assert "Gene drives in island mice" in outcome.out
    assert "beta: still running after " in outcome.err
    assert ", not waited for\n" in outcome.err
    assert "1 of 2 sources answered" in outcome.err
    assert "interrupted" not in outcome.err


def test_what_a_running_source_has_given_is_kept(run: Run, hanging: Script) -> None:
    """Records of its first pages are in the answer, and stderr says so."""
    hanging.reports = [ok(), SourceReport("beta", count=40)]

    assert "not waited for; its 40 records are kept" in run("gene", "--wait", "0.05").err


def test_the_document_says_who_is_running(run: Run, hanging: Script) -> None:
    """As over HTTP."""
    answer = json.loads(run("gene", "--json", "--wait", "0.05").out)

    assert answer["complete"] is False
    assert [it["status"] for it in answer["sources"]] == ["ok", "running"]


def test_events_end_as_they_always_do(run: Run, hanging: Script) -> None:
    """With the whole state: a command has no background."""
    last = json.loads(run("gene", "--ndjson", "--wait", "0.05").out.splitlines()[-1])

    assert last["event"] == "done"
    assert last["complete"] is False


def test_who_is_in_time_is_not_cut(run: Run, engine: Script) -> None:
    """The answer comes when it is there, long before the wait is over."""
    engine.hits, engine.reports = [hit()], [ok()]
    outcome = run("gene", "--wait", "600", "--timeout", "600")

    assert (outcome.code, outcome.err) == (0, "")
    assert engine.made[0].asked["wait"] == 600


def test_a_wait_that_is_longer_than_the_timeout(run: Run, tmp_path: Path) -> None:
    """The command says what is wrong, and asks nobody."""
    outcome = run("gene", "--wait", "9", "--timeout", "3", "--replay", str(tmp_path))

    assert outcome.code == 2
    assert "wait must be between 0.001 and 3, is 9" in outcome.err
