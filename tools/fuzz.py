"""Feed every parser with bodies that a coverage-guided fuzzer (atheris, libFuzzer) cuts, flips and splices.

    python3 tasks.py fuzz [--seconds 60] [--target pages]

Each target runs for so many seconds in a process of its own and begins with our own cassettes and samples. What must
hold: nothing but our own errors is raised, each of them says something, no record is lost without a word, and nothing
takes a second of CPU. An input for which one of these does not hold is written to fuzz-failures/, and the exit is 1.
Without atheris it is 2.
Linux only, as atheris is; the property tests in tests/ look for the same everywhere.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
FAILURES = ROOT / "fuzz-failures"
#: Seconds of CPU that one input may take, and bytes that it may have.
MOST_SECONDS, MOST_BYTES = 1.0, 60_000

if TYPE_CHECKING:
    from metasearch.errors import MetasearchError

Target = tuple[Callable[[bytes], None], Iterable[bytes]]


class TooSlow(AssertionError):
    """An input took longer than any may."""


def _look_at(error: MetasearchError) -> None:
    """Hold an error to what every error has to say."""
    assert str(error), "an error that says nothing"
    assert error.advice, "an error without an advice"


def pages() -> Target:
    """Answers of every source: the first byte says which one, the second what kind of answer it says to be."""
    from metasearch.adapters.parse import parse
    from metasearch.adapters.registry import Registry
    from metasearch.adapters.request import Page, Request
    from metasearch.errors import SourceError
    from metasearch.settings import Settings

    registry = Registry(Settings())
    sources = sorted(registry.names())
    kinds = [
        (status, kind)
        for status in (200, 404, 500)
        for kind in ("", "application/json", "text/xml; charset=gbk", "text/html")
    ]

    def one(data: bytes) -> None:
        source = sources[data[0] % len(sources)] if data else sources[0]
        status, kind = kinds[data[1] % len(kinds)] if len(data) > 1 else kinds[0]
        request = Request(source=source, url="https://example.org/api", size=100, wanted=100)
        try:
            found = parse(Page(request=request, status=status, content_type=kind, body=data[2:]), registry.spec(source))
        except SourceError as error:
            _look_at(error)
            return
        assert all(it.reason for it in found.unread), "a record that was left out without a word"
        assert all(it.source == source for it in found.records)

    seeds = (
        bytes((sources.index(body.relative_to(ROOT / "cassettes").parts[0]), 0)) + body.read_bytes()
        for body in sorted((ROOT / "cassettes").rglob("body.*"))
        if body.relative_to(ROOT / "cassettes").parts[0] in sources
    )
    return one, seeds


def files() -> Target:
    """Files of every format; the first byte says which one, or that nobody says it."""
    from metasearch.errors import FileFormatError
    from metasearch.files import FORMATS, read_bytes
    from tests.files import samples, structured

    formats = [None, *sorted(FORMATS)]

    def one(data: bytes) -> None:
        given = formats[data[0] % len(formats)] if data else None
        try:
            reading = read_bytes(data[1:], "fuzzed", format=given)
        except FileFormatError as error:
            _look_at(error)
            return
        assert reading.entries or reading.problems, "a file without records says nothing"

    known = {name: it.text.encode() for name, it in samples.SAMPLES.items()}
    known |= {name: structured.raw(name) for name in structured.SAMPLES}
    return one, (bytes((0,)) + data for data in known.values())


def queries() -> Target:
    """Queries as they are typed; what is read is written, and read again, without a change."""
    from metasearch.errors import MetasearchError
    from metasearch.query import parse, to_text

    def one(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        try:
            tree = parse(text)
        except MetasearchError as error:
            _look_at(error)
            return
        assert parse(to_text(tree)) == tree, "what was written is read otherwise"

    seeds = ("a", 'gene drive author:burt NOT "gene therapy" year:2015-', "(a OR b) -c", "机器学习 AND 图书馆", "ti*")
    return one, (seed.encode() for seed in seeds)


TARGETS: dict[str, Callable[[], Target]] = {"pages": pages, "files": files, "queries": queries}


def fuzz(name: str, seconds: int) -> None:
    """Fuzz one target; ends the process, with 0 where nothing was found."""
    import atheris

    sys.path.insert(0, str(ROOT))
    with atheris.instrument_imports(include=["metasearch"]):
        one, seeds = TARGETS[name]()

    def timed(data: bytes) -> None:
        began = time.process_time()
        one(data)
        if (took := time.process_time() - began) > MOST_SECONDS:
            raise TooSlow(f"{took:.1f} s of CPU for {len(data):,} bytes")

    FAILURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(seeds):
            if len(seed) <= MOST_BYTES:
                (Path(corpus) / str(number)).write_bytes(seed)
        options = (f"-max_total_time={seconds}", f"-max_len={MOST_BYTES}", f"-artifact_prefix={FAILURES}/{name}-")
        atheris.Setup(
            [sys.argv[0], *options, "-timeout=30", "-rss_limit_mb=2048", "-print_final_stats=1", corpus], timed
        )
        atheris.Fuzz()


def main() -> int:
    """Fuzz all targets one after the other; exit 1 where one found something."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--target", choices=TARGETS, help="this one alone, in this process")
    options = parser.parse_args()
    try:
        import atheris  # noqa: F401
    except ImportError:
        print("atheris is not installed: there is nothing to fuzz with (it runs on Linux only)")
        return 2
    if options.target is not None:
        fuzz(options.target, options.seconds)
    failed = []
    for name in TARGETS:
        print(f"== {name}", flush=True)
        command = [sys.executable, __file__, "--target", name, "--seconds", str(options.seconds)]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace", check=False, cwd=ROOT)
        print("\n".join(line for line in done.stderr.splitlines() if line.startswith(("stat::number", "stat::new"))))
        if done.returncode:
            failed.append(name)
            print(done.stderr[-4_000:])
    print(f"found something: {', '.join(failed)}" if failed else "nothing found")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
