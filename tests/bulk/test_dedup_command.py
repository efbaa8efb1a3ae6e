"""`metasearch dedup`: what is written where, what is told, what is refused, and the exit code."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given

from metasearch.bulk.dedup_run import PROBLEMS_SHOWN
from metasearch.cli import main
from metasearch.dedup import STRATEGIES
from metasearch.formats.reading import read_file
from metasearch.record import Author
from tests.bulk.samples import BROKEN, LIBRARY, SCOPUS, VERSIONS, write
from tests.bulk.test_hostile import damaged
from tests.cli.conftest import Run
from tests.examples import examples
from tests.strategies import same_title


@pytest.fixture
def exports(tmp_path: Path) -> list[str]:
    """Two files, five records, three works."""
    (tmp_path / "exports").mkdir()
    return [
        str(path) for path in write(tmp_path / "exports", scopus_ris=SCOPUS, library_bib=LIBRARY)
    ]


def titles(path: Path) -> list[str]:
    return [record.title for record in read_file(path).records]


UNIQUE = [
    "Sorption of iron in the mud of shallow lakes",
    "A field guide to estuaries",
    "Rivers of the north",
]
SUMMARY = (
    "5 records in 2 files: 3 unique, 2 duplicates\nduplicates: 2 by doi; 1 within a file, 1 "
    "across files\n"
)

# --------------------------------------------------------------------------- what is written


def test_unique_records_and_two_lines_of_summary(
    run: Run, exports: list[str], tmp_path: Path
) -> None:
    """In the order of their first appearance; the ending chooses the format."""
    for name in ("unique.ris", "unique.bib", "unique.csv", "unique.json", "unique.ndjson"):
        outcome = run("dedup", *exports, "-o", str(tmp_path / name))

        assert (outcome.code, outcome.out, outcome.err) == (0, "", SUMMARY)
        assert [title.lower() for title in titles(tmp_path / name)] == [
            title.lower() for title in UNIQUE
        ]


def test_a_pipe_gets_ris(run: Run, exports: list[str]) -> None:
    """Which any reference manager reads."""
    outcome = run("dedup", *exports)

    assert (outcome.code, outcome.err) == (0, SUMMARY)
    assert outcome.out.startswith("TY  - JOUR\r\n")
    assert outcome.out.count("\nER  - ") == 3


def test_a_file_without_an_ending_is_ris(run: Run, exports: list[str], tmp_path: Path) -> None:
    run("dedup", *exports, "-o", str(tmp_path / "unique"))

    assert (tmp_path / "unique").read_bytes().startswith(b"TY  - JOUR\r\n")


@pytest.mark.parametrize(
    ("args", "begins"),
    [
        (["--json"], '{"query":""'),
        (["--ndjson"], '{"event":"start"'),
        (["--format", "csv"], "rank,score"),
        (["--format", "table"], "1. Sorption of"),
        (["--format", "bibtex"], "@article{"),
        (["-o", "-", "--json"], '{"query":""'),
    ],
)
def test_formats(run: Run, exports: list[str], args: list[str], begins: str) -> None:
    outcome = run("dedup", *exports, *args)

    assert outcome.code == 0
    assert outcome.out.startswith(begins)


def test_a_folder(run: Run, exports: list[str]) -> None:
    """Is all that it holds, and what is left out is told."""
    folder = Path(exports[0]).parent
    (folder / "notes.docx").touch()

    outcome = run("dedup", str(folder), "--json")

    assert json.loads(outcome.out)["counts"] == {"received": 5, "unique": 3, "duplicates": 2}
    assert "not read, because hidden or without a known ending: notes.docx" in outcome.err


def test_standard_input(run: Run, exports: list[str]) -> None:
    """One FILE among others."""
    outcome = run("dedup", "-", exports[1], "--json", stdin=SCOPUS.encode())

    document = json.loads(outcome.out)
    assert document["counts"]["duplicates"] == 2
    assert [it["source"] for it in document["sources"]] == ["stdin", "library.bib"]


def test_clusters(run: Run, exports: list[str], tmp_path: Path) -> None:
    """A line for every work of several records; alone on standard output, if it is to go there."""
    written = run("dedup", *exports, "-o", os.devnull, "--clusters", str(tmp_path / "c.jsonl"))
    piped = run("dedup", *exports, "--clusters", "-")

    assert (written.code, written.out) == (0, "")
    assert piped.out == (tmp_path / "c.jsonl").read_text()
    assert json.loads(piped.out)["cluster"] == [
        "scopus.ris:s1",
        "scopus.ris:@3",
        "library.bib:musterfrau2019",
    ]


def test_from_and_encoding(run: Run, tmp_path: Path) -> None:
    """What the user knows is not guessed."""
    path = tmp_path / "a.xyz"
    path.write_bytes("TY  - JOUR\nTI  - 題名\nER  - ".encode("big5"))

    outcome = run("dedup", str(path), "--from", "ris", "--encoding", "big5", "--format", "csv")

    assert outcome.code == 0
    assert "題名" in outcome.out


@pytest.mark.parametrize(
    ("args", "unique"), [([], 2), (["--versions", "group"], 1), (["--versions", "merge"], 1)]
)
def test_versions(run: Run, tmp_path: Path, args: list[str], unique: int) -> None:
    """A preprint and its article are two records, unless somebody wants one."""
    (path,) = write(tmp_path, a_ris=VERSIONS)

    assert json.loads(run("dedup", str(path), "--json", *args).out)["counts"]["unique"] == unique


def test_versions_do_not_depend_on_what_is_configured_for_searches(
    run: Run, tmp_path: Path
) -> None:
    """Numbers of a review must not change with somebody's taste in lists of hits."""
    (path,) = write(tmp_path, a_ris=VERSIONS)
    config = tmp_path / "config.toml"
    config.write_text('[dedup]\nversions = "merge"\n')

    outcome = run("dedup", str(path), "--json", "--config", str(config))

    assert json.loads(outcome.out)["counts"]["unique"] == 2


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_has_a_report(
    run: Run, exports: list[str], tmp_path: Path, name: str
) -> None:
    """Numbers that add up and name the strategy, in words and as data; rules bear the names of its
    matchers."""
    said = run("dedup", "--dedup", name, *exports, "-o", str(tmp_path / "u.ris"), "--report")
    run(
        "dedup",
        "--dedup",
        name,
        *exports,
        "-o",
        str(tmp_path / "u.json"),
        "--report",
        str(tmp_path / "n.json"),
    )

    numbers = json.loads((tmp_path / "n.json").read_bytes())
    assert numbers["dedup"] == json.loads((tmp_path / "u.json").read_bytes())["dedup"] == name
    assert set(numbers["duplicates_by_rule"]) <= {
        matcher.name for matcher in STRATEGIES[name].chain.matchers
    }
    assert numbers["found"] == 5 == numbers["unique"] + numbers["duplicates"]
    assert (f"found by the strategy {name}: `metasearch strategies {name}`" in said.err) == (
        name != "default"
    )
    assert (f"one record or several, as {name} finds them" in said.err) == (name != "default")


def test_a_strategy_finds_what_it_finds(
    run: Run, exports: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Option, variable or file name it; clusters tell its reasons, and pins win over it."""
    monkeypatch.setitem(STRATEGIES, "same-title", same_title())
    pins, config = tmp_path / "pins.txt", tmp_path / "config.toml"
    pins.write_text(
        "different scopus.ris:s1 library.bib:musterfrau2019\nsame scopus.ris:s1 "
        "library.bib:sato1999"
    )
    config.write_text('[dedup]\nstrategy = "same-title"\n')

    asked = run("dedup", *exports, "--dedup", "same-title", "--clusters", "-")
    filed = run("dedup", *exports, "--config", str(config), "--clusters", "-")
    pinned = run(
        "dedup",
        *exports,
        "--dedup",
        "same-title",
        "--pins",
        str(pins),
        "--clusters",
        "-",
        "--report",
    )

    assert filed == asked
    (cluster,) = map(json.loads, asked.out.splitlines())
    assert cluster["cluster"] == ["scopus.ris:s1", "library.bib:musterfrau2019"]
    assert [match["matcher"] for match in cluster["because"]] == ["same-title"]
    assert (
        asked.err.splitlines()[1] == "duplicates: 1 by same-title; 0 within a file, 1 across files"
    )
    assert [json.loads(it)["cluster"] for it in pinned.out.splitlines()] == [
        ["scopus.ris:s1", "library.bib:sato1999"]
    ]
    assert "by pin: pinned as the same" in pinned.err


def test_a_strategy_that_is_not_there(run: Run, exports: list[str]) -> None:
    """It is told before anything is read."""
    outcome = run("dedup", *exports, "--dedup", "magic")

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: there is no strategy called 'magic'\n")


def test_pins(run: Run, exports: list[str], tmp_path: Path) -> None:
    """Named on the command line or in the configuration."""
    pins = tmp_path / "pins.txt"
    pins.write_text("same scopus.ris:@2 library.bib:sato1999  # as the catalogue says")
    config = tmp_path / "config.toml"
    config.write_text('[dedup]\npins = "pins.txt"\n')

    for args in (["--pins", str(pins)], ["--config", str(config)]):
        outcome = run("dedup", *exports, "--clusters", "-", *args)

        assert "pinned as the same" in outcome.out
        assert "2 by doi, 1 by pin" in outcome.err


# --------------------------------------------------------------------------- the report


def test_report_on_stderr(run: Run, exports: list[str]) -> None:
    """In place of the summary."""
    outcome = run("dedup", *exports, "--report")

    assert outcome.code == 0
    assert outcome.out.count("\nER  - ") == 3
    assert outcome.err.startswith("metasearch dedup ")
    assert outcome.err.endswith("\n5 found = 3 unique + 2 duplicates + 0 that could not be read\n")
    assert "in 2 files" not in outcome.err


@pytest.mark.parametrize(
    "join", [lambda path: ["--report", path], lambda path: [f"--report={path}"]]
)
def test_report_in_a_file(run: Run, exports: list[str], tmp_path: Path, join: object) -> None:
    """As text, or as JSON if its ending says so; an older report makes room."""
    for name in ("report.txt", "report.json"):
        for _ in range(2):
            outcome = run("dedup", *exports, "-o", os.devnull, *join(str(tmp_path / name)))  # type: ignore[operator]
            assert (outcome.code, outcome.err) == (0, SUMMARY)

    assert "5 found = 3 unique" in (tmp_path / "report.txt").read_text()
    assert json.loads((tmp_path / "report.json").read_text())["unique"] == 3


def test_a_report_never_takes_the_place_of_a_file(run: Run, exports: list[str]) -> None:
    """`--report` before the FILEs takes the first of them for its own: that must not cost anybody
    an export."""
    outcome = run("dedup", "--report", *exports)

    assert outcome.code == 2
    assert "is not a report" in outcome.err
    assert "put --report at the end" in outcome.err
    assert Path(exports[0]).read_text() == SCOPUS


def test_report_of_everything_that_was_not_read(run: Run, tmp_path: Path) -> None:
    """With file, line and reason."""
    paths = write(tmp_path, a_ndjson=BROKEN, b_ris=SCOPUS)

    outcome = run("dedup", *map(str, paths), "-o", os.devnull, "--report")

    assert outcome.code == 3
    assert "\n  a.ndjson:2: the line could not be read" in outcome.err
    assert "6 found = 4 unique + 1 duplicate + 1 that could not be read" in outcome.err


# --------------------------------------------------------------------------- what is told


def test_quiet(run: Run, exports: list[str], tmp_path: Path) -> None:
    """Only errors, and a report that was asked for."""
    (broken,) = write(tmp_path, a_ndjson=BROKEN)

    assert run("-q", "dedup", *exports, str(broken)).err == ""
    assert run("-q", "dedup", *exports, "--report").err.startswith("metasearch dedup ")


def test_problems_are_told_with_file_and_line(run: Run, tmp_path: Path) -> None:
    """What has cost a record comes first, and long lists are cut."""
    odd = "TY  - JOUR\nTI  - Mud {}\nDO  - none\nER  - \n"
    few, many = write(
        tmp_path, few_ndjson=BROKEN, many_ris="".join(map(odd.format, range(PROBLEMS_SHOWN + 2)))
    )

    outcome = run("dedup", str(few), str(many), "-o", os.devnull)

    first, *others = outcome.err.splitlines()
    assert first.startswith("few.ndjson:2: the line could not be read and was left out")
    assert others[0] == 'many.ris:1: DO holds no DOI: "none"'
    assert (
        others[PROBLEMS_SHOWN]
        == "many.ris: 2 problems more, 0 records lost in total; --report lists them"
    )


def test_nothing_is_told_twice(run: Run, tmp_path: Path) -> None:
    """With a report on stderr, what was not read stands there alone."""
    (path,) = write(tmp_path, a_ndjson=BROKEN)

    assert run("dedup", str(path), "-o", os.devnull, "--report").err.count("a.ndjson:2:") == 1


# --------------------------------------------------------------------------- exit codes


def test_a_record_that_cannot_be_read_is_exit_3(run: Run, tmp_path: Path) -> None:
    """Its neighbours are kept."""
    (path,) = write(tmp_path, a_ndjson=BROKEN)

    outcome = run("dedup", str(path), "--json")

    document = json.loads(outcome.out)
    assert outcome.code == 3
    assert [hit["title"] for hit in document["hits"]] == [
        "Peat bogs in spring",
        "Peat bogs in autumn",
    ]
    assert document["complete"] is False


def test_a_file_that_cannot_be_read_is_exit_3(run: Run, exports: list[str], tmp_path: Path) -> None:
    """The others go on, and even `--quiet` names it, with what to do."""
    (odd,) = write(tmp_path, odd_xyz="what is this?")

    outcome = run("-q", "dedup", *exports, str(odd), "--json")

    assert outcome.code == 3
    assert json.loads(outcome.out)["counts"]["unique"] == 3
    assert outcome.err.startswith("error: odd.xyz: the format of this file is not known\n")
    assert "--from" in outcome.err


def test_no_file_that_can_be_read_is_exit_4(run: Run, tmp_path: Path) -> None:
    """Nothing is written then, and an older file stays."""
    (odd,) = write(tmp_path, odd_xyz="what is this?")
    old = tmp_path / "unique.ris"
    old.write_text("old")

    outcome = run("dedup", str(odd), "-o", str(old))

    assert outcome.code == 4
    assert outcome.err.endswith("error: no file could be read\n")
    assert old.read_text() == "old"


def test_no_record_is_exit_1(run: Run, tmp_path: Path) -> None:
    """As a search without hits."""
    (empty,) = write(tmp_path, a_ris="")

    outcome = run("dedup", str(empty))

    assert (outcome.code, outcome.out) == (1, "")
    assert "a.ris: the file is empty" in outcome.err
    assert "0 records in 1 file: 0 unique, 0 duplicates" in outcome.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["{exports}/none.ris"], "there is no such file"),
        (["{exports}/scopus.ris", "{exports}/none.ris"], "there is no such file"),
        (["{exports}/empty"], "holds no file with a known ending"),
        (["{exports}/scopus.ris", "--from", "word"], "'word' is not one of"),
        (["{exports}/scopus.ris", "--encoding", "word"], "there is no encoding 'word'"),
        (
            ["{exports}/scopus.ris", "-o", "{exports}/a.docx"],
            "No format has files that end in .docx",
        ),
        (["{exports}/scopus.ris", "--json", "--format", "ris"], "Choose one format"),
        (["{exports}/scopus.ris", "--pins", "{exports}/none.txt"], "cannot be read"),
        (["{exports}/scopus.ris", "-o", "{exports}/scopus.ris"], "this file is also an input"),
        (
            ["{exports}/scopus.ris", "--clusters", "{exports}/../exports/scopus.ris"],
            "this file is also an input",
        ),
        (
            ["{exports}/scopus.ris", "-o", "{exports}/a.json", "--report={exports}/a.json"],
            "another option writes there",
        ),
        (["{exports}/scopus.ris", "--clusters", "-", "--json"], "another option writes there"),
        (["{exports}/scopus.ris", "-o", "{exports}/nowhere/a.ris"], "No such file or directory"),
        ([], "FILE..."),
    ],
)
def test_usage(run: Run, exports: list[str], args: list[str], message: str) -> None:
    """What cannot be done exits 2, says why, and leaves everything as it was."""
    folder = Path(exports[0]).parent
    (folder / "empty").mkdir()
    before = sorted(folder.iterdir())

    outcome = run("dedup", *(arg.format(exports=folder) for arg in args))

    assert (outcome.code, outcome.out) == (2, "")
    assert message in " ".join(outcome.err.split())
    assert sorted(folder.iterdir()) == before
    assert Path(exports[0]).read_text() == SCOPUS


@given(files=damaged())
@examples(0.5, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_files_are_never_a_fault_of_the_program(
    files: tuple[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    """The whole command, from bytes to exit code: no internal error, and the report adds up."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(files[1])))

    code = main(["dedup", "-", "--from", files[0], "--ndjson", "--report"])

    out, err = capsysbinary.readouterr()
    assert code in (0, 1, 3, 4)
    if code == 4:
        assert b"error: stdin: " in err
    else:
        found, unique, duplicates, unread = map(int, re.findall(rb"\d+", err.splitlines()[-1]))
        assert found == unique + duplicates + unread
        assert sum(json.loads(line)["event"] == "hit" for line in out.splitlines()) == unique


# --------------------------------------------------------------------------- terminal and processes


def on_terminal(*args: str, **env: str) -> tuple[int, str]:
    """Exit code, and what a terminal gets to see."""
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "metasearch", "dedup", *args],
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"} | env,
        stdout=theirs,
        stderr=theirs,
        stdin=subprocess.DEVNULL,
    ) as process:
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(ours, 65_536):
                seen += part
        except OSError:  # how Linux tells that nobody writes any more
            pass
    os.close(ours)
    return process.returncode, seen.decode()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX terminals")
def test_a_terminal_shows_a_short_table_and_how_far_the_job_is(tmp_path: Path) -> None:
    """Twenty works, how many there are, and the summary; the line of progress is gone in the
    end."""
    rows = "".join(
        f"TY  - JOUR\nTI  - Lakes of the year {n}\nPY  - {n}\nER  - \n" for n in range(1900, 1930)
    )
    (path,) = write(tmp_path, a_ris=rows)

    code, seen = on_terminal(str(path))

    assert code == 0
    assert "reading files: 0 of 1\x1b[K" in seen
    assert seen.count("Lakes of the year") == 20
    assert "20 of 30 records; -o FILE writes all" in seen
    assert "30 records in 1 file: 30 unique, 0 duplicates" in seen
    assert seen.rindex("\r\x1b[K") < seen.index("Lakes of the year")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX terminals")
def test_quiet_shows_no_progress(tmp_path: Path) -> None:
    (path,) = write(tmp_path, a_ris=SCOPUS)

    _, seen = on_terminal("-q", str(path))

    assert "reading files" not in seen
    assert "unique" not in seen
    assert "Sorption of iron" in seen


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")
def test_a_reader_that_goes_away_costs_no_other_file(tmp_path: Path) -> None:
    """`| head` ends the command, but the report is there, and the numbers are told."""
    rows = "".join(
        f"TY  - JOUR\nTI  - Lakes of the year {n}\nPY  - 1999\nER  - \n" for n in range(2_000)
    )
    (path,) = write(tmp_path, a_ris=rows)
    command = [
        sys.executable,
        "-m",
        "metasearch",
        "dedup",
        str(path),
        f"--report={tmp_path / 'r.json'}",
    ]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        err = process.stderr.read().decode()

    assert process.returncode == 141
    assert "2,000 records in 1 file" in err
    assert json.loads((tmp_path / "r.json").read_text())["found"] == 2_000


# --------------------------------------------------------------------------- docs/dedup-files.md


def test_the_commands_and_the_report_of_the_page(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are what it says."""
    page = (Path(__file__).parents[2] / "docs" / "dedup-files.md").read_text(encoding="utf-8")
    (tmp_path / "exports").mkdir()
    for folder in (tmp_path, tmp_path / "exports"):
        write(folder, scopus_ris=SCOPUS, library_bib=LIBRARY)
    monkeypatch.chdir(tmp_path)

    (commands,) = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    outcomes = [run(*shlex.split(line)[1:]) for line in commands.splitlines()]

    (shown,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    assert [outcome.code for outcome in outcomes] == [0, 0, 0]
    assert outcomes[0].err.endswith(f"\n\n{shown}")
    assert (
        json.loads((tmp_path / "numbers.json").read_text())["unique"]
        == len(titles(tmp_path / "unique.csv"))
        == 3
    )
    assert set(json.loads((tmp_path / "clusters.jsonl").read_text())) == {
        "cluster",
        "kept",
        "records",
        "because",
    }


# --------------------------------------------------------------------------- labelled sets


def test_rows_of_a_labelled_set(run: Run, tmp_path: Path) -> None:
    """Their own ids stand in the list of clusters, so that it can be scored; a broken line is
    told."""
    row = {
        "title": "Peat bogs in spring",
        "authors": ["Byron, Ada"],
        "year": 2011,
        "container": "Soil Letters",
    }
    lines = [json.dumps({"id": name, "source": "alpha", **row}) for name in ("r1", "r2", "r1")]
    path = tmp_path / "records.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join([*lines, "", "{", '{"title": "no id"}']).encode()))

    outcome = run("dedup", str(path), "--clusters", "-")

    (line,) = map(json.loads, outcome.out.splitlines())
    assert outcome.code == 3
    assert line["cluster"] == ["r1", "r2", "alpha:@3"]
    assert line["records"][0] == {
        "id": "r1", "key": "alpha:r1", "file": "records.jsonl.gz", "line": 1, "position": 1,
        "database": "alpha"
    }  # fmt: skip
    assert "records.jsonl.gz:3: an earlier row has the id 'r1', too" in outcome.err
    assert "records.jsonl.gz:5: the line is not a row of a labelled set" in outcome.err
    assert "5 records in 1 file: 1 unique, 2 duplicates, 2 could not be read" in outcome.err


def test_a_row_that_provokes_a_surprise_costs_only_itself(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row of a labelled set at which the reader raises is lost and told with its line; the job
    goes on."""

    def people_in(byline: str) -> tuple[Author, ...]:
        raise RuntimeError("odd")

    monkeypatch.setattr("metasearch.bulk.evaluate.rows.people_in", people_in)
    rows = [{"id": name, "title": "Peat bogs in spring", "doi": "10.1000/peat"} for name in "abc"]
    path = tmp_path / "records.jsonl"
    path.write_text(
        "\n".join(
            json.dumps(row | ({"author": "Byron"} if row["id"] == "b" else {})) for row in rows
        )
    )

    outcome = run("dedup", str(path), "--clusters", "-")

    assert outcome.code == 3
    assert json.loads(outcome.out)["cluster"] == ["a", "c"]
    assert (
        "records.jsonl:2: the record could not be read and was left out: RuntimeError: odd"
        in outcome.err
    )


def test_records_of_ours_are_no_rows(run: Run, tmp_path: Path) -> None:
    """They have a source and a position, and go by both."""
    rows = [
        {"source": "alpha", "position": n, "source_id": "x", "title": "Peat bogs in spring"}
        for n in (1, 2)
    ]
    (path,) = write(tmp_path, a_jsonl="\n".join(map(json.dumps, rows)))

    (line,) = map(json.loads, run("dedup", str(path), "--clusters", "-").out.splitlines())

    assert line["cluster"][0] == "alpha:x"


def test_csl_is_no_labelled_set(run: Run, tmp_path: Path) -> None:
    """Its items have an id, too."""
    item = {
        "id": "x",
        "type": "article-journal",
        "title": "Peat bogs in spring",
        "container-title": "Soil Letters",
    }
    (path,) = write(tmp_path, a_json=json.dumps(item))

    (hit,) = json.loads(run("dedup", str(path), "--json").out)["hits"]

    assert (hit["venue"], hit["type"]) == ("Soil Letters", "article")


def test_a_row_that_says_nothing_is_told(run: Run, tmp_path: Path) -> None:
    (path,) = write(tmp_path, a_jsonl='{"id": 1, "title": "Peat"}\n{"id": 2, "colour": "green"}')

    outcome = run("dedup", str(path))

    assert outcome.code == 3
    assert "a.jsonl:2: the row is left out: it has no field that identifies a work" in outcome.err


@pytest.mark.parametrize("content", [b"\x1f\x8b\x08broken", b"", b"{", b"[1]"])
def test_what_is_no_labelled_set_is_read_as_any_file(
    run: Run, tmp_path: Path, content: bytes
) -> None:
    """And told as such."""
    (path,) = write(tmp_path, a_jsonl=content)

    outcome = run("dedup", str(path))

    assert outcome.code in (1, 3, 4)
    assert "a.jsonl" in outcome.err
    assert "labelled" not in outcome.err


@pytest.mark.shared
@pytest.mark.parametrize("name", ["sra_tafenoquine", "zh_zotero_silver", "bibdedupe_test_cases"])
def test_clusters_are_those_that_are_scored(run: Run, shared: Path, name: str) -> None:
    """The list of clusters of a labelled set is what `metasearch evaluate` measures."""
    from metasearch.bulk.evaluate import datasets
    from metasearch.bulk.evaluate.run import cluster
    from metasearch.dedup import DEFAULT

    folder = shared / "data" / "dedup" / name
    labelled = datasets.read(folder)
    expected = {
        frozenset(labelled.records[number].source_id for number in numbers)
        for numbers in cluster(labelled.records, DEFAULT, "separate")[1]
        if len(numbers) > 1
    }

    outcome = run("dedup", str(folder / "records.jsonl.gz"), "--clusters", "-")

    assert outcome.code == 0
    assert {frozenset(json.loads(line)["cluster"]) for line in outcome.out.splitlines()} == expected


def test_csv_in_a_file_begins_with_a_byte_order_mark(run: Run, tmp_path: Path) -> None:
    """Excel takes it for its own code page otherwise; --no-bom and standard output go without,
    --bom always."""
    write(tmp_path, scopus_ris=SCOPUS)
    source, target = str(tmp_path / "scopus.ris"), tmp_path / "unique.csv"
    mark = b"\xef\xbb\xbf"

    def begins(*args: str) -> bool:
        run("dedup", source, "-o", str(target), *args)
        return target.read_bytes().startswith(mark)

    assert begins()
    assert not begins("--no-bom")
    assert run("dedup", str(target), "-o", str(tmp_path / "again.csv")).code == 0
    assert run("dedup", source, "--format", "csv").out.startswith("rank,")
    assert run("dedup", source, "--format", "csv", "--bom").out.startswith("\ufeffrank,")


def test_provenance_on_request(run: Run, tmp_path: Path) -> None:
    """--provenance writes N1; without it, RIS has only the notes that the files had."""
    write(tmp_path, scopus_ris=SCOPUS)
    source = str(tmp_path / "scopus.ris")

    assert "Fields by source" not in run("dedup", source, "--format", "ris").out
    assert (
        "N1  - Fields by source: scopus.ris: "
        in run("dedup", source, "--format", "ris", "--provenance").out
    )


def test_what_has_no_place_in_the_output_is_said(run: Run, tmp_path: Path) -> None:
    """On stderr and in the report; --quiet says nothing."""
    write(tmp_path, a_ris="TY  - JOUR\nTI  - Iron in lakes\nCN  - Town\nER  -\n")
    args = ("dedup", str(tmp_path / "a.ris"), "-o", str(tmp_path / "a.bib"))
    note = "a.ris: bibtex has no place for CN (1)"

    assert note in run(*args).err
    assert note in run(*args, "--report").err
    assert note not in run(*args, "--quiet").err
