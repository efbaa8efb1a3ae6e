"""Feed every parser with bodies that a coverage-guided fuzzer (atheris, libFuzzer) cuts, flips and
splices.

    python3 tasks.py fuzz [--seconds 60] [--target pages]

Each target runs for so many seconds in a process of its own and begins with our own cassettes and
samples. What must hold: nothing but our own errors is raised, each of them says something, no
record is lost without a word, and nothing takes a second of CPU. An input for which one of these
does not hold is written to fuzz-failures/, and the exit is 1. Without atheris it is 2. Linux only,
as atheris is; the property tests in tests/ look for the same everywhere.
"""

from __future__ import annotations

import argparse
import re
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
    from metasearch.errors import MetasearchError, QuerySyntaxError

Target = tuple[Callable[[bytes], None], Iterable[bytes]]


class TooSlow(AssertionError):
    """An input took longer than any may."""


def _look_at(error: MetasearchError) -> None:
    """Hold an error to what every error has to say."""
    assert str(error), "an error that says nothing"
    assert error.advice, "an error without an advice"


def _look_at_query(error: QuerySyntaxError) -> None:
    """Its place is in the query, and what it suggests can be read."""
    from metasearch.query import read

    _look_at(error)
    assert 0 <= error.position <= len(error.text), "a place that is not there"
    if error.suggestion is not None:
        read(error.suggestion, error.syntax)


def pages() -> Target:
    """Answers of every source: the first byte says which one, the second what kind of answer it
    says to be.
    """
    from metasearch.adapters.parse.parse import parse
    from metasearch.adapters.request import Page, Request
    from metasearch.adapters.specs.registry import Registry
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
            found = parse(
                Page(request=request, status=status, content_type=kind, body=data[2:]),
                registry.spec(source),
            )
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
    from metasearch.formats.reading import READABLE, read_bytes
    from tests.formats.reading import samples, structured

    formats = [None, *sorted(READABLE)]

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
    """Queries as they are typed, in any syntax; what is read is written, and read again, without a
    change.
    """
    from metasearch.errors import QuerySyntaxError
    from metasearch.query import CHOICES, parse, read, to_text
    from metasearch.query.cql import parse_cql, to_cql

    def one(data: bytes) -> None:
        text = data[1:].decode("utf-8", "replace")
        syntax = CHOICES[data[0] % len(CHOICES)] if data else "auto"
        try:
            tree = read(text, syntax).query
        except QuerySyntaxError as error:
            _look_at_query(error)
            return
        try:
            again = parse(to_text(tree))
            parse_cql(to_cql(tree))
        except QuerySyntaxError as error:
            # A field stands before each of its words then, and brackets around: too much may be
            # written, nothing else.
            if re.search("more than|longer than", str(error)) is None:
                raise
            return
        assert again == tree, "what was written is read otherwise"

    return one, (
        bytes((CHOICES.index(syntax),)) + text.encode()
        for syntax, texts in _QUERIES.items()
        for text in texts
    )


_QUERIES = {
    "simple": (
        "a", 'gene drive author:burt NOT "gene therapy" year:2015-', "(a OR b) -c",
        "机器学习 AND 图书馆", "ti*", "2*3 M*A*S*H", r"\10.1000/x 10.1000/x",
        "title:(a OR b*) type:review language: zh",
    ),
    "cql": (
        'dc.title any "fish frog" and dc.date >= 2015', 'cql.allRecords = 1 not (a or "b \\" c*")',
        ('> dc = "info:srw/cql-context-set/1/dc-v1.1" dc.creator =/stem x sortBy '
        'dc.date/sort.descending'),
        'title = (a prox/distance<3 b) not bath.isbn=0306406152',
        'dc.date within "2015 2020" and fish',
    ),
    "cnki": (
        "(沉水植物+贝类+鱼类)*生态系统*水质*(种类+密度)", "题名:(“协同过滤” and “推荐”)",
        "COVID-19*C++*疫苗 －'a /SEN 5 b'$3",
        "TI='生态'*'环境' AND AU='王'+'李' 非 YE BETWEEN ('2015','2020')",
        "YE>=2015*水质*文献类型=学位论文",
    ),
    "pubmed": (
        '"heart attack"[tiab:~3] NOT review[pt]', "smith j[au] AND 2015:2020[dp]",
        "gene driv*[ti] OR (a[mh] b)",
        'gene AND ("2015/01/01"[dp] : "3000"[dp]) english[la]', "10.1000/x[aid]",
    ),
}  # fmt: skip


def harvests() -> Target:
    """Answers of OAI-PMH repositories: what is read of a page, and how a harvest goes on."""
    import asyncio

    from metasearch.adapters.request import Page, Request
    from metasearch.adapters.specs.specfile import build, shipped_table
    from metasearch.collections.oai import OaiClient, OaiError
    from metasearch.errors import SourceError
    from tests.collections.harvest.repository import HEAD, Repository

    class Answering:
        """A transport that gives one body, whatever is asked."""

        body = b""

        async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
            return Page(request=request, content_type="text/xml", body=self.body)

        async def close(self) -> None:
            pass

    async def no_waiting(_: float) -> None:
        pass

    transport = Answering()
    spec = build(
        {"extends": "oai", "name": "fuzzed", "url": "https://example.org/oai"},
        "fuzzed",
        shipped_table,
    )
    client = OaiClient("https://example.org/oai", spec, transport, lambda _: None, no_waiting)

    def one(data: bytes) -> None:
        transport.body = data
        for ask in (client.identify, lambda: client.records({"metadataPrefix": "oai_dc"})):
            try:
                found = asyncio.run(ask())
            except OaiError:
                continue
            except SourceError as error:
                _look_at(error)
            else:
                assert all(it.key for it in getattr(found, "items", ())), "a record without a key"

    def seeds() -> Iterable[bytes]:
        repository = Repository()
        repository.fill(5)
        repository.items["oai:x:2"].metadata = None
        for arguments in (
            {"verb": "Identify"},
            {"verb": "ListRecords", "metadataPrefix": "oai_dc"},
            {"verb": "x"},
        ):
            yield repository.answer(arguments).body
        for code in ("noRecordsMatch", "badResumptionToken"):
            yield HEAD.format("2024-05-01T12:00:00Z", f'<error code="{code}">none</error>').encode()

    return one, seeds()


TARGETS: dict[str, Callable[[], Target]] = {
    "pages": pages,
    "files": files,
    "queries": queries,
    "harvests": harvests,
}


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
        options = (
            f"-max_total_time={seconds}",
            f"-max_len={MOST_BYTES}",
            f"-artifact_prefix={FAILURES}/{name}-",
        )
        atheris.Setup(
            [
                sys.argv[0],
                *options,
                "-timeout=30",
                "-rss_limit_mb=2048",
                "-print_final_stats=1",
                corpus,
            ],
            timed,
        )
        atheris.Fuzz()


def main() -> int:
    """Fuzz all targets one after the other; exit 1 where one found something."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
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
        done = subprocess.run(
            command, stderr=subprocess.PIPE, text=True, errors="replace", check=False, cwd=ROOT
        )
        print(
            "\n".join(
                line
                for line in done.stderr.splitlines()
                if line.startswith(("stat::number", "stat::new"))
            )
        )
        if done.returncode:
            failed.append(name)
            print(done.stderr[-4_000:])
    print(f"found something: {', '.join(failed)}" if failed else "nothing found")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
