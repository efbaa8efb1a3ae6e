"""What only a process of its own shows: Ctrl-C, a reader that leaves, and a terminal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from metasearch.formats.events import fold
from tests.cases import each
from tests.cli.pseudo_terminal import seen_on

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="POSIX signals, pipes and terminals"
)

#: A shell gives its background jobs, and so perhaps this test run, an ignored SIGINT; the child
#: shall hear it.
SCRIPT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import metasearch.engine.engine as engine
from metasearch.cli import main
from metasearch.events import SourceReport
from tests.cli.fake import FakeEngine, hit, ok
FakeEngine.hits, FakeEngine.hangs = [hit(1), hit(2)], {hangs}
FakeEngine.reports = [ok(count=2)] + [SourceReport("beta")] * {hangs}
engine.Engine = FakeEngine
sys.exit(main(sys.argv[1:]))
"""


def start(
    *args: str, hangs: bool = False, env: dict[str, str] | None = None, **piped: Any
) -> subprocess.Popen[bytes]:
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | piped
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(hangs=hangs), *args],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"PYTHONPATH": ".", "TERM": "xterm"} | (env or {}),
        **streams,
    )


def interrupted(*args: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a search that gets Ctrl-C while its last source is silent."""
    with start(*args, hangs=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"waiting\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    return process.returncode, out.decode(), err.decode()


def on_terminal(*args: str, **env: str) -> str:
    """What a terminal gets to see."""
    ours, theirs = os.openpty()
    with start(*args, env=env, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        seen = seen_on(ours)
    assert process.returncode == 0
    return seen


@pytest.mark.slow
def test_interrupted_table() -> None:
    """Ctrl-C shows the hits so far and exits 130."""
    code, out, err = interrupted("gene")

    assert code == 130
    assert out.count("Gene drives in island mice") == 2
    assert err.startswith("beta: did not finish\ninterrupted: 2 hits; ")
    assert "Traceback" not in err


@pytest.mark.slow
def test_interrupted_json() -> None:
    """Ctrl-C still gives a whole document, which says that it is not complete."""
    code, out, _ = interrupted("gene", "--json")

    assert code == 130
    assert json.loads(out)["complete"] is False


@pytest.mark.slow
def test_interrupted_stream() -> None:
    """Ctrl-C brings a stream of events to its end."""
    code, out, _ = interrupted("gene", "--ndjson")

    answer = fold(json.loads(line) for line in out.splitlines())
    assert code == 130
    assert answer["complete"] is False
    assert len(answer["hits"]) == 2


@pytest.mark.slow
@each("format_", ["table", "json", "ndjson"])
def test_reader_that_leaves(format_: str) -> None:
    """A closed pipe ends the command without a word, as SIGPIPE would."""
    nobody, theirs = os.pipe()
    os.close(nobody)
    with start("gene", "--format", format_, stdout=theirs) as process:
        os.close(theirs)
        _, err = process.communicate(timeout=60)

    assert process.returncode == 141
    assert err == b""


@pytest.mark.slow
def test_terminal_shows_progress_and_links() -> None:
    """On a terminal the progress is drawn and taken away again; hits have colours and links, and
    counts follow."""
    seen = on_terminal("gene")

    assert "0 of 1 source" in seen
    assert "\x1b[J" in seen.partition("1. ")[0]
    assert "\x1b[1mGene drives in island mice, part 1\x1b[0m" in seen
    assert "\x1b]8;;https://doi.org/10.5555/islands.1\x1b\\" in seen
    assert seen.endswith("2 hits; 2 records, 0 duplicates; 1 of 1 sources answered; 1.50 s\r\n")


@pytest.mark.slow
@each(("args", "env"), [((), {"NO_COLOR": "1"}), (("--no-color",), {})])
def test_colours_can_be_refused(args: tuple[str, ...], env: dict[str, str]) -> None:
    """NO_COLOR and --no-color take the colours away, and nothing else."""
    seen = on_terminal("gene", *args, **env)

    assert "\x1b[1m" not in seen
    assert "\x1b[3" not in seen
    assert "\x1b]8;;" in seen


@pytest.mark.slow
def test_dumb_terminal_gets_no_escape_sequence() -> None:
    """TERM=dumb gets plain text."""
    assert "\x1b" not in on_terminal("gene", TERM="dumb")


@pytest.mark.slow
def test_width_of_the_terminal() -> None:
    """Lines are as long as the terminal is wide."""
    seen = on_terminal("gene", "-q", TERM="dumb", COLUMNS="30")

    assert max(len(line) for line in seen.splitlines() if "http" not in line) <= 30


@pytest.mark.slow
def test_stream_on_a_terminal_is_not_disturbed() -> None:
    """Nothing is drawn between the lines of a stream that is read on the same terminal."""
    assert "\x1b[J" not in on_terminal("gene", "--ndjson")
