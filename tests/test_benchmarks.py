"""What the benchmarks measure on is what they say it is."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import chain
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from benchmarks import (
    bulk,
    bulk_keys,
    dedup,
    latency,
    overload,
    peer,
    processes,
    sides,
    speed,
    splink_rival,
    throughput,
    upstreams,
)
from benchmarks.generated import Library
from benchmarks.held import MIB
from benchmarks.hostile import HOSTILE, Maker
from benchmarks.pages import PAGES, configured, judged, wire
from benchmarks.pages.database import databases
from benchmarks.pages.made import BENIGN
from benchmarks.sides import Measured, NotMeasured
from benchmarks.speed import ROWS, Row
from metasearch import search
from metasearch.adapters.spec import Limits
from metasearch.settings import Settings
from tests.bulk.engines import samples
from tests.bulk.evaluate.samples import write
from tests.cases import each

pytestmark = pytest.mark.slow


def test_a_library_is_always_the_same() -> None:
    """The same seed gives the same records, another seed others."""
    records = list(Library(3).records(200))

    assert records == list(Library(3).records(200))
    assert records != list(Library(4).records(200))


def test_a_library_is_like_a_real_one() -> None:
    """A fifth are copies in other words, one in a hundred is an editorial, half have an abstract;
    ids are unique."""
    records = list(Library().records(3_000))
    works = {work for work, _ in records}
    library = Library()

    assert len({record.key for _, record in records}) == 3_000
    assert len(works) / 3_000 == pytest.approx(0.8, abs=0.02)
    assert mean(record.title.startswith("Editorial") for _, record in records) == pytest.approx(
        0.01, abs=0.004
    )
    assert mean(record.abstract is not None for _, record in records) == pytest.approx(
        0.45, abs=0.1
    )
    copies = [(record, library.work(work)) for work, record in records if record.source != "alpha"]
    named = [replace(copy, source=work.source, source_id=work.source_id) for copy, work in copies]
    assert mean(copy != work for copy, (_, work) in zip(named, copies, strict=True)) > 0.9


@each("make", HOSTILE.values(), ids=HOSTILE)
def test_hostile_sets_grow(make: Maker) -> None:
    """As many records as are asked for, each with an id of its own, and one title or one text, but
    for a little."""
    records = make(100)

    assert len({record.key for record in records}) == 100
    titles = {record.title.rstrip(". ") for record in records}
    texts = {(record.abstract or "")[:300] for record in records}
    assert len(titles) == 1 or (len(texts) == 1 and texts != {""})


@each("count", [1, 9, 10, 1234])
def test_slices(count: int) -> None:
    """At most ten slices of about one size, which hold all."""
    sizes = dedup.slices(count)

    assert sum(sizes) == count
    assert len(sizes) <= 10
    assert max(sizes) - min(sizes) <= max(sizes)


def test_sets_are_made_up_where_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outside the development checkout there is something to measure, too, and its truth is
    known."""
    monkeypatch.setattr(dedup, "SETS", tmp_path / "nowhere")

    (one, other) = dedup.largest_sets(2)

    assert one.records != other.records
    assert one.works is not None
    assert len(one.works) == len(one.records) == 5_000


def test_the_largest_sets_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labelled sets that are here are taken by size."""
    for name, count in (("a", 2), ("b", 4), ("c", 3)):
        write(tmp_path / name, [{"id": str(n), "title": "T"} for n in range(count)], truth=[])
    monkeypatch.setattr(dedup, "SETS", tmp_path)

    assert [it.name for it in dedup.largest_sets(2)] == ["b", "c"]


@pytest.mark.parametrize("compressed", [False, True])
def test_the_peer_gets_every_field(tmp_path: Path, compressed: bool) -> None:
    """Rows become columns under the names that bib-dedupe knows; what is missing is empty."""
    rows = [
        {
            "id": 1,
            "title": "T",
            "authors": ["Byron, Ada", "Cook, J."],
            "issue": "3",
            "container": "J",
            "year": 2001,
        },
        {"id": "x", "authors_raw": "Byron, A."},
    ]

    one, other = peer.rows(write(tmp_path, rows, truth=[], compressed=compressed))

    assert (one["ID"], one["author"], one["number"], one["journal"], one["year"]) == (
        "1",
        "Byron, Ada and Cook, J.",
        "3",
        "J",
        "2001",
    )
    assert (other["ID"], other["author"], other["title"]) == ("x", "Byron, A.", "")
    assert one.keys() == other.keys()


@each(
    ("figure", "most", "said"), [(5, False, "reached"), (3, False, "MISSED"), (3, True, "reached")]
)
def test_goals(figure: float, most: bool, said: str) -> None:
    """A figure is beside its goal."""
    assert dedup.goal(figure, 4, most=most).endswith(said)


def test_parts_of_the_speed_table() -> None:
    """A row is asked for by its name, several by how their names begin, all by nothing; every row
    can be asked for."""
    names = [row.name for row in ROWS]

    assert [[row.name for row in speed.chosen(name)] for name in names] == [
        [name] for name in names
    ]
    assert [row.name for row in speed.chosen("again")] == ["again-pages", "again-answer"]
    assert list(speed.chosen(None)) == list(ROWS)
    assert not speed.chosen("nothing of that name")


@each(("least", "reached"), [(False, [True, True, False]), (True, [False, True, True])])
def test_a_row_is_held_to_its_goal(least: bool, reached: list[bool]) -> None:
    """The goal itself is reached; whether less or more is better, the row says."""
    row = Row("name", "what", 3, "ms", Measured, least)  # type: ignore[arg-type]

    assert [row.reached(value) for value in (2.9, 3, 3.1)] == reached


def fine() -> Measured:
    return Measured(2, "seen")


def absent() -> Measured:
    raise NotMeasured("nothing here")


def broken() -> Measured:
    raise ValueError("a bug")


def killed() -> Measured:
    os._exit(1)


@each(
    ("measure", "said", "reached"),
    [
        (fine, "MISSED", False),
        (absent, "nothing here", True),
        (broken, "a bug", False),
        (killed, "FAILED", False),
    ],
)
def test_rows_are_measured_apart(measure: speed.Measure, said: str, reached: bool) -> None:
    """Whatever becomes of a row is said, and the others go on; what cannot be measured here is no
    miss."""
    line, fared = speed.measured(Row("name", "what", 1, "ms", measure))

    assert said in line
    assert fared is reached


def test_a_stall_counts_for_every_moment_of_it() -> None:
    """One look that comes 3 ms late stands for those that were due 1 and 2 ms later and never
    came."""
    assert latency.with_missed([0.25, 3.5, -0.1], 1.0) == [0.25, 3.5, 2.5, 1.5, 0.5, -0.1]


def test_percentiles() -> None:
    """Half of the values are not above p50, and 99 of a hundred not above p99."""
    values = list(range(1, 101))

    assert [latency.percentile(values, percent) for percent in (50, 99, 100)] == [50, 99, 100]
    assert latency.percentile([7], 99) == 7


def test_turns_are_compared_with_their_own() -> None:
    """A turn in which the machine was slow for both sides changes nothing."""
    assert sides.of_turns([30, 300, 33], [10, 100, 10]) == 3


def test_queries_do_not_come_twice() -> None:
    """Some thousand, each its own search."""
    asked = upstreams.queries()

    assert len({*upstreams.some(asked, 500), *upstreams.some(asked, 500)}) == 1000


def test_cores_that_others_used_do_not_count() -> None:
    """Two workers that had one and a half cores are as good as they would be with two; one worker
    uses one at most."""
    assert throughput.Served(searches=150, seconds=1.0, cores=1.5).per_core(2) == 100
    assert throughput.Served(searches=100, seconds=1.0, cores=1.5).per_core(1) == 100
    assert throughput.Served(searches=100, seconds=2.0, cores=0.5).per_core(1) == 100


def test_the_server_is_configured_as_a_user_would(tmp_path: Path) -> None:
    """The file is read without a complaint, and says what the benchmarks in one process say."""
    file = tmp_path / "config.toml"
    file.write_text(throughput.configuration("http://127.0.0.1:9"), encoding="utf-8")

    settings = Settings.load(file, {})

    assert settings.allow == {"127.0.0.1:9"}
    assert settings.cache_dir is None
    assert settings.server.rate_limit == 0
    plain = upstreams.settings("http://127.0.0.1:9", sides.CROSSREF)
    assert settings.default_sources == tuple(plain.sources)
    assert settings.sources == {
        name: {key: value for key, value in table.items() if key != "fields"}
        for name, table in plain.sources.items()
    }


@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="this system has no /proc/stat")
def test_what_children_use_counts_with_their_parent() -> None:
    """A child's CPU is in that of the process that started it."""
    burn = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ninput()"
    before = processes.cpu_of_all(os.getpid())
    with subprocess.Popen(
        [sys.executable, "-c", burn], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        used = processes.cpu_of_all(child.pid)
        whole = processes.cpu_of_all(os.getpid())
        child.communicate(b"\n")

    assert used >= 0.25
    assert whole - before >= used - 0.05


@pytest.mark.shared
def test_a_row_of_the_speed_table(shared: Path) -> None:
    """From the command to the databases and back: a search of ten databases, made again from what
    was answered."""
    assert (shared / "bench").is_dir()
    command = [sys.executable, "-m", "benchmarks.speed", "--part", "again-answer"]

    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=upstreams.ROOT)

    assert "again-answer" in done.stdout
    assert "FAILED" not in done.stdout
    assert done.returncode in (0, 1)  # a busy machine may miss the goal


# -------------------------------------------------------------- hostile pages, and too many clients


def test_hostile_pages_are_read_and_not_refused_for_their_size() -> None:
    """Whole pages are within what a source may send, so that what they do is done by whoever reads
    them."""
    bodies = [
        (name, page) for name, page in PAGES.items() if page.kind not in (wire.ENDLESS, wire.BOMB)
    ]

    sizes = {
        name: sum(len(piece) for piece in page.pieces() if not isinstance(piece, float))
        for name, page in bodies
    }

    assert len(sizes) > 20
    assert {name for name, size in sizes.items() if size > Limits().max_bytes} == set()


def test_hostile_pages_are_sources(tmp_path: Path) -> None:
    """Each is a source of the configuration, which is read without a complaint and asks the healthy
    ones only."""
    file = configured.written(tmp_path, "http://127.0.0.1:9", "http://127.0.0.1:10")

    settings = Settings.load(file, {})

    assert settings.default_sources == configured.HEALTHY
    assert settings.allow == {"127.0.0.1:9", "127.0.0.1:10"}
    assert set(PAGES) < set(settings.sources)


@pytest.mark.parametrize("shape", BENIGN)
async def test_ordinary_pages_are_read_whole(tmp_path: Path, shape: str) -> None:
    """What the hostile pages are measured beside is a page of twenty records, and the healthy
    databases are well."""
    with databases() as base:
        settings = Settings.load(configured.written(tmp_path, base, base), {})
        names = [*configured.HEALTHY, configured.benign(shape)]

        answer = await search("soil", sources=names, settings=settings)

    assert [(report.status, report.count, report.unread) for report in answer.sources] == [
        ("ok", 20, 0)
    ] * 4


FINE = judged.Outcome(
    PAGES["marc-title"], "server", -1.0, kept=60, well=True, status="error", grown=0, stopped=0.1
)


@each(
    ("changed", "said"),
    [
        ({}, []),
        ({"late": 0.31}, ["answered 0.31 s after"]),
        ({"late": None, "kept": 0, "well": False}, ["no answer", "0 of 60 records"]),
        ({"kept": 59}, ["59 of 60 records"]),
        ({"well": False}, ["a healthy source is said"]),
        ({"grown": 41 * MIB}, ["41 MiB more"]),
        ({"stopped": 2.1}, ["ended 2.1 s after the signal"]),
        ({"grown": None, "stopped": None}, []),
    ],
)
def test_what_a_page_may_not_do(changed: dict[str, Any], said: list[str]) -> None:
    """Late, incomplete, falsely blamed, large or deaf to signals: each is told; what was not
    measured is none of it."""
    outcome = replace(FINE, **changed)

    assert [text.startswith(told) for text, told in zip(outcome.wrong, said, strict=True)] == [
        True
    ] * len(said)
    assert ("VIOLATION" in judged.line(outcome)) == bool(said)


def answer_of(**changed: tuple[str, int]) -> bytes:
    told = {f"db{n}": ("ok", 20) for n in range(overload.DATABASES)} | changed
    return json.dumps(
        {"sources": [{"source": n, "status": s, "count": c} for n, (s, c) in told.items()]}
    ).encode()


def test_what_more_clients_than_places_may_not_bring() -> None:
    """Incomplete answers, refusals without a time, and answers that take much longer are told, each
    by what it is."""
    first, many = overload.Load(8, took=[1.0] * 20), overload.Load(64, took=[1.9] * 20, refused=3)
    overload.look_at(answer_of(), many)
    assert list(many.wrong(first)) == []

    overload.look_at(answer_of(db3=("timeout", 0)), many)
    many.untold, many.took[:] = 1, [2.1] * 20

    assert (many.incomplete, dict(many.lacking)) == (1, {"timeout": 1})
    assert [text.split()[0] for text in many.wrong(first)] == ["1", "1", "p95"]
    assert list(overload.Load(64).wrong(first)) == ["no search was accepted"]


def test_a_little_load(tmp_path: Path) -> None:
    """From the command to the databases and back: few clients are all served, in full."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.overload",
        "--own",
        "--clients",
        "2",
        "--seconds",
        "1",
    ]

    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=upstreams.ROOT)

    assert done.stdout.endswith("0 violation(s)\n"), done.stdout + done.stderr
    assert done.returncode == 0


# ------------------------------------------------------------------------------------ large files


def test_made_up_keys_are_those_of_works(tmp_path: Path) -> None:
    """Each row is a key of a record; what a key joins are records of few works, whose number and
    size are as said."""
    count = bulk_keys.write(tmp_path / "keys", 20_000)
    rows = [(int(str(number)), int(str(key))) for number, key in samples.read(tmp_path / "keys")]

    assert len(rows) == len(set(rows)) == count == pytest.approx(57_000, rel=0.02)
    joined = samples.components(rows)
    works = len({component for _, component in joined}) + 20_000 - len(joined)
    assert 20_000 / works == pytest.approx(bulk_keys.SIZE, rel=0.1)


def test_hostile_records_stand_among_generated_ones(tmp_path: Path) -> None:
    """As many records as are asked for, each under an id of its own; the works of the generated
    ones are known."""
    works = bulk.write_records(tmp_path / "records.jsonl", 3_000)

    rows = [json.loads(line) for line in (tmp_path / "records.jsonl").read_text().splitlines()]
    generated = [row["id"] for row in rows if row["id"].isdecimal()]
    assert len({row["id"] for row in rows}) == len(rows) == 3_000
    assert generated == [str(number) for number in range(len(works))]
    hostile = [place for place, row in enumerate(rows) if not row["id"].isdecimal()]
    assert len(hostile) == 60
    assert hostile[0] < 300
    assert hostile[-1] > 2_700


def test_works_are_compared_whatever_their_order(tmp_path: Path) -> None:
    """Two lists of the same works have one digest, another list has another."""
    lines = [b'{"cluster":["1","3"]}\n', b'{"cluster":["2","Editorial 1"]}\n']
    others = [b'{"cluster":["3","1"]}\n', b'{"cluster":["2"]}\n']
    digests = []
    for place, content in enumerate((lines, lines[::-1], others)):
        file = tmp_path / str(place)
        file.write_bytes(b"".join(content))
        found = bulk.clusters_of(file)
        digests.append(found.digest)
        assert sorted(map(sorted, found.generated)) == [[1, 3], [2]]

    assert digests[0] == digests[1] != digests[2]


@pytest.mark.skipif(not processes.TOLD, reason="this system does not tell what processes hold")
def test_what_a_command_used_is_that_of_all_its_processes(tmp_path: Path) -> None:
    """CPU and memory of a child that has ended count, too."""
    burn = "import time\nx = bytes(50_000_000)\ny = bytearray(x)\nwhile time.process_time() < .6: 0"
    script = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}])"

    code, used = bulk.watched([sys.executable, "-c", script], tmp_path / "log")

    assert code == 0
    assert used.cpu >= 0.3
    assert used.peak >= 50_000_000


def test_joined_are_hostile_records_that_are_works_of_their_own(tmp_path: Path) -> None:
    """Copies of one record may be joined, and so may generated ones."""
    lines = [
        ["one title, other years 1", "one title, other years 2", "7"],
        ["one text, other titles 3"],
        ["identical records 1", "identical records 2"],
    ]
    (tmp_path / "file").write_text("".join(json.dumps({"cluster": it}) + "\n" for it in lines))

    assert bulk.clusters_of(tmp_path / "file").joined == 2
    assert set(bulk.APART) < HOSTILE.keys()


def test_what_takes_too_long_is_stopped(tmp_path: Path) -> None:
    """It has no exit code then."""
    command = [sys.executable, "-c", "import time; time.sleep(60)"]

    code, used = bulk.watched(command, tmp_path / "log", seconds=0.2)

    assert code is None
    assert used.seconds < 50


def test_a_rival_that_is_not_installed_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its row says so, and how it is installed."""
    monkeypatch.setattr(bulk, "find_spec", lambda name: None if name == "splink" else name)

    failed = bulk.jobs(argparse.Namespace(records=100, engines=["splink"]), tmp_path)

    assert failed == 0
    assert "splink    not installed: splink (pip install splink)\n" in capsys.readouterr().out


def test_the_rival_finds_copies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every id is in one cluster; most copies are found, and few others."""
    pytest.importorskip("splink")
    options = argparse.Namespace(records=600, engines=["splink"], workers=1, memory_limit="500MB")

    failed = bulk.jobs(options, tmp_path)

    assert failed == 0
    assert "  others; threshold " in capsys.readouterr().out
    works = bulk.write_records(tmp_path / "again.jsonl", 600)
    found = bulk.clusters_of(splink_rival.clusters_at(tmp_path / "splink", 0.95))
    assert sorted(chain.from_iterable(found.generated)) == list(range(len(works)))
    tally, _, _ = bulk.best_of_rival(works, tmp_path)
    assert tally.precision > 0.9
    assert tally.recall > 0.8
