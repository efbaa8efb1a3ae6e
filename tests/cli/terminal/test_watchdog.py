"""A command that computes in C and receives no signal: Ctrl-C and its deadline end it, and its hits
are written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from metasearch.cli import watchdog_messages as watchdog
from metasearch.cli.search_run import answer_of
from metasearch.engine.options import SearchOptions
from metasearch.events import (
    Added,
    Facets,
    FacetsChanged,
    Grown,
    Joined,
    Order,
    SourceProgress,
    Started,
)
from metasearch.formats.events import fold
from tests.cli.fake import hit, ok
from tests.cli.pseudo_terminal import seen_on
from tests.stuck import site

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork") or sys.platform == "darwin",
    reason="commands have no child process on this system",
)

ROOT = Path(__file__).parents[3]
#: Of cases that differ little from one that is always run: each takes two processes and seconds.
SLOW = pytest.mark.slow
PROC = Path("/proc/self/task").exists()
#: Seconds within which a command has ended that would compute for minutes: it takes two, and more
#: where a machine is slow.
SOON = 40.0

#: Plays a search that has two hits and then computes, as the program itself: `main` is called
#: without arguments.
SCRIPT = """
import os, signal, sys, time
# A shell starts its background jobs with an ignored SIGINT.
signal.signal(signal.SIGINT, signal.default_int_handler)
import metasearch.cli.search_run as search_run
import metasearch.engine.engine as engine
from metasearch.cli import main
from metasearch.events import SourceReport
from tests.cli.fake import FakeEngine, hit, ok
from tests.stuck import hang_in_c

def hang_in_python():
    print("waiting", file=sys.stderr, flush=True)
    while True:
        pass

def crash():
    os.kill(os.getpid(), signal.SIGSEGV)

def linger():
    "The end of the search is as ever, but what it leaves does not close."
    import asyncio
    asyncio.get_running_loop().run_in_executor(None, time.sleep, 60)

FakeEngine.hits, FakeEngine.computes = [hit(1), hit(2)], {computes}
FakeEngine.reports = [ok(count=2), SourceReport("beta")][:{sources}]
FakeEngine.deadline = {deadline}
engine.Engine, search_run.GRACE = FakeEngine, 0.5
sys.exit(main())
"""


@contextmanager
def started(
    *args: str, computes: str = "hang_in_c", deadline: float = 60.0, sources: int = 2, **piped: Any
) -> Iterator[subprocess.Popen[bytes]]:
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | piped
    script = SCRIPT.format(computes=computes, deadline=deadline, sources=sources)
    with subprocess.Popen(
        [sys.executable, "-c", script, *args],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": ".", "TERM": "xterm"},
        start_new_session=True,
        **streams,
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def ended(
    process: subprocess.Popen[bytes], number: int, *, group: bool = False
) -> tuple[int, str, str, float]:
    """Exit code, stdout, stderr, and seconds that a process and its child take for their end once
    they get a signal."""
    assert process.stderr is not None
    assert process.stderr.readline() == b"waiting\n"
    below = children(process.pid)
    assert below or not PROC
    wait_until_it_computes(process.pid)
    began = time.monotonic()
    (os.killpg if group else os.kill)(process.pid, number)
    out, err = process.communicate(timeout=60)
    while any(alive(pid) for pid in below) and time.monotonic() - began < 60:
        time.sleep(0.01)
    took = time.monotonic() - began
    return process.returncode, out.decode(), err.decode(), took


def wait_until_it_computes(pid: int) -> None:
    """Wait until a process, or its child, has computed for a tenth of a second: on a busy machine
    a signal may otherwise come before the computation that it is to end."""
    before, until = ticks(pid), time.monotonic() + 30
    while PROC and ticks(pid) - before < 10 and time.monotonic() < until:
        time.sleep(0.01)


def ticks(pid: int) -> int:
    """Hundredths of a second that a process and its children have computed."""
    stats = [Path(f"/proc/{it}/stat") for it in (pid, *children(pid))]
    lines = [it.read_text().rpartition(")")[2].split() for it in stats if it.exists()]
    return sum(int(words[11]) + int(words[12]) for words in lines)


def children(pid: int) -> set[int]:
    """The processes that a process has started; none where nobody can tell."""
    return (
        {int(it) for it in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}
        if PROC
        else set()
    )


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize(
    ("computes", "group"),
    [
        pytest.param("hang_in_c", False, id="in C, to the process"),
        pytest.param("hang_in_python", True, id="in Python, from a terminal"),
        pytest.param("hang_in_c", True, marks=SLOW, id="in C, from a terminal"),
        pytest.param("hang_in_python", False, marks=SLOW, id="in Python, to the process"),
    ],
)
def test_interrupted_while_it_computes(computes: str, group: bool) -> None:
    """Ctrl-C shows the hits so far and exits 130, whether it comes to one process or, as from a
    terminal, to both."""
    with started("gene", computes=computes) as process:
        code, out, err, took = ended(process, signal.SIGINT, group=group)

    assert took < SOON
    assert code == 130
    assert out.count("Gene drives in island mice") == 2
    assert "a computation did not stop, and was ended\n" in err
    assert (
        "beta: did not finish\ninterrupted: 2 hits; 2 records, 0 duplicates; 1 of 2 sources "
        "answered" in err
    )
    assert "Traceback" not in err


@pytest.mark.slow
def test_ended_while_it_computes() -> None:
    """SIGTERM ends both processes at once, as it ends any program."""
    with started("gene") as process:
        code, out, _, took = ended(process, signal.SIGTERM)

    assert took < SOON
    assert (code, out) == (-signal.SIGTERM, "")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the kernel has no signal for it")
def test_nothing_is_left_of_a_command_that_is_killed() -> None:
    """The child that hangs ends with its parent, and the pipes are closed."""
    with started("gene") as process:
        code, _, _, took = ended(process, signal.SIGKILL)

    assert took < SOON
    assert code == -signal.SIGKILL


@pytest.mark.slow
def test_the_deadline_holds_while_it_computes() -> None:
    """The hits so far are written as one whole document, and the exit code says that a source is
    missing."""
    with started("gene", "--json", deadline=0.5) as process:
        out, err = process.communicate(timeout=60)

    answer = json.loads(out)
    assert process.returncode == 3
    assert answer["complete"] is False
    assert [it["rank"] for it in answer["hits"]] == [1, 2]
    assert b"a computation did not stop, and was ended after " in err
    assert b"beta: still running" in err


@pytest.mark.slow
def test_a_stream_that_is_broken_off_is_whole() -> None:
    """What a client makes of the lines is the answer of all hits so far."""
    with started("gene", "--ndjson") as process:
        code, out, _, _ = ended(process, signal.SIGINT)

    answer = fold(json.loads(line) for line in out.splitlines())
    assert code == 130
    assert answer["complete"] is False
    assert len(answer["hits"]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["ris", pytest.param("ndjson", marks=SLOW)])
def test_a_file_is_whole_and_no_draft_is_left(tmp_path: Path, format_: str) -> None:
    """The hits so far are in the file that was asked for, and nothing is beside it."""
    file = tmp_path / f"hits.{format_}"
    with started("gene", "-o", str(file)) as process:
        code, _, _, _ = ended(process, signal.SIGINT)

    assert code == 130
    assert file.read_text().count("Gene drives in island mice, part 2") > 0
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.slow
def test_a_crash_costs_no_hit() -> None:
    """A fault in C code is told, with what was found until then."""
    with started("gene", computes="crash") as process:
        out, err = process.communicate(timeout=60)

    assert process.returncode == 70
    assert out.decode().count("Gene drives in island mice") == 2
    assert b"internal error: the search was ended by signal 11\n" in err


@pytest.mark.slow
def test_an_answer_that_is_written_waits_for_nobody() -> None:
    """A thread that goes on, such as one that looks up a name, keeps neither a search that is over
    nor its code."""
    began = time.monotonic()
    with started("gene", computes="linger", sources=1) as process:
        out, err = process.communicate(timeout=60)

    assert time.monotonic() - began < 55
    assert (process.returncode, err) == (0, b"")
    assert out.decode().count("Gene drives in island mice") == 2


@pytest.mark.slow
def test_the_block_of_a_terminal_is_wiped() -> None:
    """What was drawn while the search ran is gone when the hits are shown."""
    ours, theirs = os.openpty()
    with started("gene", deadline=0.5, stdout=theirs, stderr=theirs):
        os.close(theirs)
        seen = seen_on(ours)

    block, _, rest = seen.rpartition("\x1b[J")
    assert "of 2 sources" in block
    assert block.endswith("F"), "the cursor goes up to the first line, and all below it is wiped"
    assert "Gene drives in island mice" in rest
    assert "of 2 sources, " not in rest


@pytest.mark.slow
def test_a_slow_reader_has_all_the_time() -> None:
    """A deadline is one of the search: who reads the stream may stop reading for longer."""
    with started(
        "gene", "--ndjson", computes="None", deadline=0.2, sources=1, bufsize=0
    ) as process:
        time.sleep(1.5)
        out, err = process.communicate(timeout=60)

    assert (process.returncode, err) == (0, b"")
    assert json.loads(out.splitlines()[-1])["complete"] is True


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "function", "args"),
    [
        ("metasearch.bulk.job", "_read", ["dedup", "zzstuck.ris"]),
        pytest.param(
            "metasearch.collections.index",
            "index",
            ["index", "zzstuck.ris", "--name", "mine"],
            marks=SLOW,
        ),
        pytest.param(
            "metasearch.bulk.evaluate.datasets",
            "reason_to_skip",
            ["evaluate", "zzstuck.jsonl"],
            marks=SLOW,
        ),
    ],
)
def test_other_commands_hear_ctrl_c(
    tmp_path: Path, module: str, function: str, args: list[str]
) -> None:
    """A command that reads, indexes or evaluates, and hangs, ends soon after Ctrl-C, without a
    traceback."""
    for name in ("zzstuck.ris", "zzstuck.jsonl"):
        (tmp_path / name).write_text("TY  - JOUR\nTI  - A title\nER  -\n")
    path = os.pathsep.join([site(tmp_path, module, function), str(ROOT)])
    script = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    script += "from metasearch.cli import main; sys.exit(main())"
    with subprocess.Popen(
        [sys.executable, "-c", script, *args],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        env=os.environ
        | {"PYTHONPATH": path, "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)},
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"waiting\n"
        wait_until_it_computes(process.pid)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        took = time.monotonic() - began

    assert took < SOON
    assert process.returncode == 130
    assert b"interrupted; a computation did not stop, and was ended\n" in err
    assert b"Traceback" not in err


# --------------------------------------------------------------------------- without processes


def test_nothing_is_told_where_there_is_no_parent() -> None:
    """Inside another program the calls do nothing."""
    watchdog.set_limit(1.0)
    watchdog.keep(object())  # not even pickled
    with watchdog.pause_clock():
        watchdog.output_begins()


def test_the_answer_of_a_broken_stream() -> None:
    """The last state of each hit, in the last order, the page that was asked for; late ones stand
    behind."""
    first, second, third, fourth = (hit(number) for number in range(1, 5))
    events = [
        Started("s", "gene", ("alpha", "beta"), 15.0),
        Added(first),
        Added(second),
        SourceProgress(ok(count=3)),
        Order((second.id, first.id)),
        Grown(hit(1, title="Another title")),
        Added(third),
        Joined(fourth, (third.id,)),
    ]

    answer = answer_of(events, SearchOptions(query="gene", start=1), None, 2.0)

    assert [(it.id, it.rank) for it in answer.hits] == [("h1", 2), ("h4", 3)]
    assert answer.hits[0].record.title == "Another title"
    assert (answer.counts.unique, answer.counts.received) == (3, 3)
    assert [report.status for report in answer.sources] == ["ok", "running"]
    assert not answer.complete
    first_page = answer_of(events, SearchOptions(query="gene"), 1, 2.0)
    assert [it.id for it in first_page.hits] == ["h2"]


def test_the_answer_of_a_broken_stream_passes_its_filters() -> None:
    """A hit that has grown and no longer passes is left out; the answer says what is not known."""
    article, book = hit(1), hit(2, type="book")
    events = [Started("s", "gene", ("alpha",), 15.0), Added(article), Added(hit(2)), Grown(book)]
    options = SearchOptions(query="gene", filter="type:article", facets="type")

    answer = answer_of(events, options, None, 2.0)
    later = answer_of([*events, FacetsChanged(Facets(9, ()))], options, None, 2.0)

    assert [it.id for it in answer.hits] == ["h1"]
    assert answer.filter == "type:article"
    assert answer.applied == "1 work passes type:article"
    assert answer.facets is None
    passing, facets = answer.notes
    assert passing.startswith("works that pass type:article: 1 were received before the search")
    assert facets == "the search was ended before its facets were counted"
    assert later.facets == Facets(9, ())


def test_the_answer_of_a_broken_stream_is_sorted_and_counted() -> None:
    """Hits that came after the last order stand where they belong; facets are of these hits."""
    events = [
        Started("s", "gene", ("alpha",), 15.0),
        Added(hit(1, year=2019)),
        Order(("h1",)),
        Added(hit(2, year=2023)),
    ]

    answer = answer_of(events, SearchOptions(query="gene", sort="date", facets="year"), None, 2.0)

    assert [(it.id, it.rank) for it in answer.hits] == [("h2", 1), ("h1", 2)]
    assert answer.sort == "date"
    assert answer.facets is not None
    assert [value.value for value in answer.facets.facets[0].values] == ["2023", "2019"]
