"""`metasearch "query"`: what is asked, what is written where, and the exit code."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from metasearch.errors import ConnectFailed, KeyMissing, SourceError
from metasearch.events import SourceReport
from metasearch.formats.events import fold
from metasearch.query import Years
from tests.cases import each
from tests.cli.conftest import Run
from tests.cli.fake import FakeEngine, failed, hit, ok

Script = type[FakeEngine]


def asked(engine: Script) -> dict[str, object]:
    """What the one search of the test was asked for."""
    (made,) = engine.made
    return made.asked


# --------------------------------------------------------------------------- what is asked


@pytest.mark.parametrize(
    ("args", "query"),
    [
        (["gene drives"], "gene drives"),
        (["gene", "drives"], "gene drives"),
        (["search", "gene", "drives"], "gene drives"),
        (["--json", "gene", "-n", "3", "drives"], "gene drives"),
        (["--", "sources", "of", "error"], "sources of error"),
        (["-n", "5", "--", "-x", "y"], "-x y"),
        (["search", "serve"], "serve"),
        (["-qn", "5", "gene"], "gene"),
        (["--limit=5", "gene"], "gene"),
        (["乳腺癌"], "乳腺癌"),
    ],
)
def test_words_are_the_query(run: Run, engine: Script, args: list[str], query: str) -> None:
    """What is neither an option nor a command is the query, joined by blanks."""
    engine.hits, engine.reports = [hit()], [ok()]

    run(*args)

    assert asked(engine)["query"] == query


def test_query_from_stdin(run: Run, engine: Script) -> None:
    """A single "-" reads the query from stdin, with line breaks as blanks."""
    engine.hits, engine.reports = [hit()], [ok()]

    outcome = run("-", stdin=b"title:gene\n  AND drives\n")

    assert asked(engine)["query"] == "title:gene AND drives"
    assert outcome.code == 0


def test_options_reach_the_engine(run: Run, engine: Script, tmp_path: Path) -> None:
    """Every option of a search is handed on under its own name."""
    engine.hits, engine.reports = [hit()], [ok()]

    run(
        *(
            "gene",
            "-s",
            "alpha, beta",
            "--sources",
            "gamma,alpha",
            "--start",
            "14",
            "-n",
            "7",
            "--per-source",
            "30",
        ),
        *(
            "--year",
            "2019-2024",
            "--timeout",
            "2.5",
            "--wait",
            "1.5",
            "--no-cache",
            "--syntax",
            "cql",
            "--enrich",
            "unpaywall,other",
            "--sort",
            "-date",
            "--rank",
            "positions",
            "--filter",
            "type:article",
            "--filter",
            "-retracted:yes",
            "--facets",
            "year,type",
            "--facet-limit",
            "5",
            "--record",
            str(tmp_path),
        ),
    )

    assert asked(engine) == {
        "query": "gene",
        "sources": ("alpha", "beta", "gamma"),
        "start": 14,
        "limit": 7,
        "years": Years(2019, 2024),
        "per_source": 30,
        "timeout": 2.5,
        "wait": 1.5,
        "cache": False,
        "syntax": "cql",
        "enrich": ("unpaywall", "other"),
        "sort": "-date",
        "rank": "positions",
        "rerank": False,
        "repeat": False,
        "filter": ("type:article", "-retracted:yes"),
        "facets": "year,type",
        "facet_limit": 5,
        "versions": None,
        "dedup": None,
        "user": None,
    }
    assert engine.made[0].record == tmp_path


def test_what_is_said_of_duplicates_reaches_the_engine(
    run: Run, engine: Script, tmp_path: Path
) -> None:
    """Options come before variables, these before the file."""
    engine.hits, engine.reports = [hit()], [ok()]
    config, pins = tmp_path / "my.toml", tmp_path / "pins.txt"
    config.write_text('[dedup]\npins = "filed.txt"\nversions = "merge"\nstrategy = "url"\n')

    run("gene", "--config", str(config))
    run(
        "gene",
        "--config",
        str(config),
        "--pins",
        str(pins),
        "--versions",
        "separate",
        "--dedup",
        "default",
    )

    filed, given = (made.settings for made in engine.made)
    assert (filed.pins, filed.versions, filed.strategy) == (tmp_path / "filed.txt", "merge", "url")
    assert (given.pins, given.versions, given.strategy) == (pins, "separate", "default")


def test_replay_folder_reaches_the_engine(run: Run, engine: Script, tmp_path: Path) -> None:
    """`--replay` hands the folder on."""
    engine.hits, engine.reports = [hit()], [ok()]

    run("gene", "--replay", str(tmp_path))

    assert engine.made[0].replay == tmp_path


@pytest.mark.parametrize(
    ("args", "limit"), [([], 20), (["--json"], None), (["--ndjson"], None), (["-n", "3"], 3)]
)
def test_default_limit(run: Run, engine: Script, args: list[str], limit: int | None) -> None:
    """A table shows 20 hits unless told otherwise; formats for programs are not cut."""
    engine.hits, engine.reports = [hit()], [ok()]

    run("gene", *args)

    assert asked(engine)["limit"] == limit
    assert asked(engine)["sources"] is None


@pytest.mark.parametrize("args", [["--config", "{}", "gene"], ["gene", "--config", "{}"]])
def test_config_is_read_wherever_it_stands(
    run: Run, engine: Script, tmp_path: Path, args: list[str]
) -> None:
    """`--config FILE` may stand before or after the query."""
    engine.hits, engine.reports = [hit()], [ok()]
    file = tmp_path / "my.toml"
    file.write_text("[search]\ntimeout = 3.0\n")

    run(*(arg.format(file) for arg in args))

    assert engine.made[0].settings.timeout == 3.0


def test_environment_reaches_the_settings(
    run: Run, engine: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """METASEARCH_* variables are read by the command line."""
    engine.hits, engine.reports = [hit()], [ok()]
    monkeypatch.setenv("METASEARCH_TIMEOUT", "4.5")

    run("gene")

    assert engine.made[0].settings.timeout == 4.5


# --------------------------------------------------------------------------- exit codes


@pytest.mark.parametrize(
    ("reports", "hits", "args", "code"),
    [
        ([ok("a"), ok("b", 0)], 1, [], 0),
        ([ok("a", 0), ok("b", 0)], 0, [], 1),
        ([ok("a"), failed("b")], 1, [], 3),
        ([ok("a"), failed("b")], 1, ["--allow-partial"], 0),
        ([ok("a", 0), failed("b")], 0, [], 3),
        ([ok("a", 0), failed("b")], 0, ["--allow-partial"], 1),
        ([failed("a", count=1)], 1, [], 3),
        ([failed("a"), failed("b")], 0, [], 4),
        ([failed("a")], 0, ["--allow-partial"], 4),
        ([ok("a"), SourceReport("b", "skipped", error=KeyMissing("b", "B_KEY"))], 1, [], 0),
        ([SourceReport("b", "skipped", error=KeyMissing("b", "B_KEY"))], 0, [], 4),
    ],
)
def test_exit_code(
    run: Run, engine: Script, reports: list[SourceReport], hits: int, args: list[str], code: int
) -> None:
    """0 hits, 1 no hits, 3 some source failed, 4 no source answered; a source that was not asked
    did not fail."""
    engine.hits, engine.reports = [hit()] * hits, reports

    assert run("gene", *args).code == code


@each(
    "args",
    [
        ["gene", "--no-such-option"],
        ["gene", "--format", "docx"],
        ["gene", "--json", "--format", "ris"],
        ["gene", "-n", "many"],
        ["gene", "--versions", "all"],
        ["gene", "--dedup"],
        ["gene", "--year", "MMXX"],
        ["gene", "--replay", "/no/such/folder"],
        ["gene", "--config", "/no/such/file"],
        ["gene", "-o", "/no/such/folder/file"],
        ["(gene"],
        [""],
        ["--json"],
        [],
        ["sources"],
        ["sources", "of", "error"],
    ],
)
def test_usage_error(run: Run, engine: Script, args: list[str]) -> None:
    """What cannot be done as written exits 2 with a word on stderr, nothing on stdout, and no
    traceback."""
    engine.hits, engine.reports = [hit()], [ok()]

    outcome = run(*args)

    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err
    assert "Traceback" not in outcome.err


def test_record_and_replay_exclude_each_other(run: Run, engine: Script, tmp_path: Path) -> None:
    """One cannot record what is replayed."""
    outcome = run("gene", "--record", str(tmp_path), "--replay", str(tmp_path))

    assert outcome.code == 2
    assert "exclude each other" in outcome.err


def test_query_error_points_at_the_character(run: Run, engine: Script) -> None:
    """A query that cannot be read is shown with a caret under the mistake."""
    outcome = run("gene", "(drives")

    query, caret, *_ = outcome.err.splitlines()
    assert query == "gene (drives"
    assert caret == "     ^"


def test_words_that_name_a_command(run: Run) -> None:
    """Whoever searches for the words of a command is told how."""
    assert "metasearch -- sources of error" in run("sources", "of", "error").err


def test_internal_error_is_one_line(run: Run, engine: Script) -> None:
    """A fault of ours exits 70 and says how to see more."""
    engine.fault = ZeroDivisionError("a fault")

    outcome = run("gene")

    assert outcome.code == 70
    assert outcome.err.startswith("internal error: ZeroDivisionError: a fault\n")
    assert "--verbose" in outcome.err
    assert "Traceback" not in outcome.err


def test_internal_error_with_verbose(run: Run, engine: Script) -> None:
    """`--verbose` shows the traceback of an internal error."""
    engine.fault = ZeroDivisionError("a fault")

    outcome = run("gene", "-v")

    assert outcome.code == 70
    assert "Traceback" in outcome.err


# --------------------------------------------------------------------------- stdout


def test_table(run: Run, engine: Script) -> None:
    """The default is a readable list without any escape sequence in a pipe."""
    engine.hits, engine.reports = [hit(1), hit(2)], [ok(count=2)]

    outcome = run("gene")

    assert outcome.out.startswith("1. Gene drives in island mice, part 1\n")
    assert "\x1b" not in outcome.out
    assert outcome.err == ""


def test_explain_says_why(run: Run, engine: Script) -> None:
    """`--explain` adds the reasons to the hits, and to stderr what the sources were sent."""
    engine.hits, engine.reports = [hit()], [ok(notes=("years were dropped",))]

    outcome = run("gene", "--explain")

    assert "   score 0.0900:\n     +0.0900 alpha ranks it 1\n" in outcome.out
    assert "  sent: gene drives\n  note: years were dropped\n" in outcome.err


@each("args", [["--json"], ["--format", "json"]])
def test_json_is_one_document(run: Run, engine: Script, args: list[str]) -> None:
    """`--json` writes the whole answer, with the failures in it."""
    engine.hits, engine.reports = [hit()], [ok(), failed()]

    answer = json.loads(run("gene", *args).out)

    assert answer["complete"] is False
    assert [it["title"] for it in answer["hits"]] == ["Gene drives in island mice, part 1"]
    assert [it["status"] for it in answer["sources"]] == ["ok", "timeout"]


def test_ndjson_is_the_stream(run: Run, engine: Script) -> None:
    """`--ndjson` writes an event a line, and they fold to the JSON answer."""
    engine.hits, engine.reports = [hit(1), hit(2)], [ok(count=2)]

    stream = [json.loads(line) for line in run("gene", "--ndjson").out.splitlines()]

    assert [event["event"] for event in stream] == [
        "start",
        "hit",
        "hit",
        "source",
        "order",
        "done",
    ]
    assert fold(stream) == json.loads(run("gene", "--json").out)


@each(
    ("name", "holds"),
    [("csv", "10.5555/islands.1"), ("ris", "TY  - "), ("bibtex", "@article{"), ("atom", "<feed")],
)
def test_other_formats(run: Run, engine: Script, name: str, holds: str) -> None:
    """Every format can be written to stdout."""
    engine.hits, engine.reports = [hit()], [ok()]

    outcome = run("gene", "--format", name)

    assert outcome.code == 0
    assert holds in outcome.out
    assert "Gene drives in island mice" in outcome.out


# --------------------------------------------------------------------------- --output


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("a.ris", "TY  - "),
        ("a.bib", "@article"),
        ("a.json", "{"),
        ("a.NDJSON", '{"event"'),
        ("a", "1. "),
    ],
)
def test_output_file(run: Run, engine: Script, tmp_path: Path, name: str, begins: str) -> None:
    """`-o` writes the file and nothing to stdout; the ending chooses the format."""
    engine.hits, engine.reports = [hit()], [ok()]

    outcome = run("gene", "-o", str(tmp_path / name))

    assert (tmp_path / name).read_text().startswith(begins)
    assert outcome.out == ""
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == [name]


def test_unknown_ending(run: Run, engine: Script, tmp_path: Path) -> None:
    """A file whose ending says a format that we do not write is refused before anything is
    asked."""
    outcome = run("gene", "-o", str(tmp_path / "a.docx"))

    assert outcome.code == 2
    assert ".docx" in outcome.err
    assert "--format" in outcome.err
    assert not engine.made


def test_format_beats_the_ending(run: Run, engine: Script, tmp_path: Path) -> None:
    """An option outweighs a guess."""
    engine.hits, engine.reports = [hit()], [ok()]

    run("gene", "-o", str(tmp_path / "a.ris"), "--json")

    assert (tmp_path / "a.ris").read_text().startswith("{")


def test_output_survives_a_failed_search(run: Run, engine: Script, tmp_path: Path) -> None:
    """A search that breaks leaves an older file as it was, and no draft beside it."""
    engine.hits, engine.reports, engine.fault = [hit()], [ok()], ZeroDivisionError()
    (tmp_path / "a.ndjson").write_text("old")

    run("gene", "-o", str(tmp_path / "a.ndjson"))

    assert (tmp_path / "a.ndjson").read_text() == "old"
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["a.ndjson"]


# --------------------------------------------------------------------------- stderr


def test_failed_source_is_named(run: Run, engine: Script) -> None:
    """Each failed source has a line with its reason and advice, and a footer follows."""
    engine.hits = [hit()]
    engine.reports = [ok(), failed("beta", error=ConnectFailed("beta", "connection refused"))]

    outcome = run("gene")

    assert outcome.err.splitlines() == [
        "beta: error: connection refused. Look whether the network is up, or try again later.",
        "1 hit; 1 record, 0 duplicates; 1 of 2 sources answered; 1.50 s",
    ]


def test_old_pages_that_stood_in_are_told(run: Run, engine: Script) -> None:
    """A source that was not asked says so without --explain, also where nobody watches; with it,
    once, as a note."""
    old = "from the cache, 3 h old, because the database answered 503"
    engine.hits = [hit()]
    engine.reports = [ok(), ok("beta", count=3, cached=True, spared=old, notes=(old,))]

    assert run("gene").err.splitlines() == [f"beta: {old}"]
    assert run("gene", "--quiet").err == ""
    assert [line.strip() for line in run("gene", "--explain").err.splitlines() if old in line] == [
        f"note: {old}"
    ]


def test_old_pages_cannot_drive_the_terminal(run: Run, engine: Script) -> None:
    """What they stood in for may be told in words of a database."""
    engine.hits = [hit()]
    engine.reports = [ok(spared="from the cache, because bad\x1b[2J\r\nforged")]

    assert run("gene").err.splitlines() == ["alpha: from the cache, because bad[2J forged"]


def test_failures_in_the_same_words_are_told_once(run: Run, engine: Script) -> None:
    """A network that is down fails all sources alike, which is one line and not ten."""
    engine.reports = [
        failed(name, error=ConnectFailed(name, "no route")) for name in ("alpha", "beta", "gamma")
    ]
    engine.reports += [failed("delta", error=SourceError("delta", "something else"))]

    lines = run("gene").err.splitlines()

    assert lines[0].startswith("alpha, beta, gamma: error: no route. ")
    assert lines[1].startswith("delta: error: something else")


def test_issue_14_10_fifteen_equal_failures_are_one_line(run: Run, engine: Script) -> None:
    """How many they are comes first, then why, then their names."""
    names = [f"s{number}" for number in range(15)]
    engine.reports = [
        failed(name, error=ConnectFailed(name, "no connection can be made")) for name in names
    ]

    first, *rest = run("gene").err.splitlines()

    assert first.startswith("15 sources: error: no connection can be made. ")
    assert first.endswith(f": {', '.join(names)}")
    assert rest == ["error: no source answered"]


def test_issue_14_10_per_source_is_offered_where_a_list_ended_because_of_it(
    run: Run, engine: Script
) -> None:
    """If a source has more records and no limit cut the list; a script does not see this."""
    offer = "alpha has more records than were requested: --per-source N requests N from each source"
    engine.hits, engine.reports = [hit(1), hit(2)], [ok("alpha", 2, more=True), ok("beta", 0)]

    assert offer in run("gene", "--verbose").err
    assert offer not in run("gene", "--verbose", "-n", "1").err
    assert run("gene").err == ""
    engine.reports = [ok("alpha", 2)]
    assert "per-source" not in run("gene", "--verbose").err


def test_years_that_cannot_be_read(run: Run, engine: Script) -> None:
    """A wrong `--year` is named as such, and not as a mistake of the query."""
    outcome = run("gene", "--year", "2024-2019")

    assert outcome.code == 2
    assert (
        outcome.err
        == "error: --year 2024-2019: The range ends before it begins\n  Try: --year 2019-2024\n"
    )


def test_upstream_text_cannot_drive_the_terminal(run: Run, engine: Script) -> None:
    """An error message from a database reaches stderr on one line and without escape sequences."""
    engine.hits = [hit()]
    engine.reports = [
        ok(),
        failed("beta", error=SourceError("beta", "bad\x1b[2J\r\nforged: line\x9b31m")),
    ]

    line = run("gene").err.splitlines()[0]

    assert line == "beta: error: bad[2J forged: line31m."


def test_quiet_says_nothing(run: Run, engine: Script) -> None:
    """`--quiet` leaves the failure of some sources to the exit code."""
    engine.hits, engine.reports = [hit()], [ok(), failed()]

    outcome = run("gene", "-q")

    assert outcome.code == 3
    assert outcome.err == ""


def test_quiet_still_says_why_nothing_came(run: Run, engine: Script) -> None:
    """An error that ends the command is told even with `--quiet`."""
    engine.reports = [failed()]

    assert "no source answered" in run("gene", "-q").err


def test_verbose_tells_of_every_source(run: Run, engine: Script) -> None:
    """`--verbose` tells how each source fared, and the counts."""
    engine.hits, engine.reports = [hit()], [ok(total=1234)]

    err = run("gene", "-v").err

    assert "alpha: ok, 1 of 1,234 records, 0.25 s\n" in err
    assert "1 hit; 1 record, 0 duplicates; 1 of 1 sources answered" in err


def test_verbose_shows_where_the_time_went(run: Run, engine: Script) -> None:
    """A bar a source, the fastest first, as long as it took; the answer at the end."""
    engine.hits = [hit()]
    engine.reports = [replace(ok("slow"), seconds=1.0), ok("quick")]

    lines = run("gene", "-v").err.split("\n")
    bars = {line.split()[0]: line.count("#") for line in lines if "#" in line}

    assert list(bars)[:2] == ["quick", "slow"]
    assert bars["slow"] / bars["quick"] == pytest.approx(4, abs=0.5)
    assert max(bars.values()) == bars["answer"]
    assert any(line.endswith("1.00 s, ok") for line in lines)


def test_no_hits_is_said(run: Run, engine: Script) -> None:
    """An empty answer is no silent one."""
    engine.reports = [ok(count=0)]

    outcome = run("gene")

    assert outcome.out == ""
    assert outcome.err == "no hits; try fewer or other words, or more sources\n"


def test_the_ending_chooses_an_export(run: Run, engine: Script, tmp_path: Path) -> None:
    """Of several formats with one ending, the first in the table: .json stays the JSON answer."""
    engine.hits, engine.reports = [hit()], [ok()]
    begins = {"json": b'{"query"', "nbib": b"PMID-", "enw": b"%0 ", "xml": b"<?xml", "mrc": b"0"}

    for ending, start in begins.items():
        run("gene", "-o", str(tmp_path / f"hits.{ending}"))
        assert (tmp_path / f"hits.{ending}").read_bytes().startswith(start)
    assert b"/MARC21/slim" in (tmp_path / "hits.xml").read_bytes()
    cited = run("gene", "--format", "citations", "--style", "gb7714-2015").out
    assert cited.startswith("[1] ")
    assert "，" not in cited


def test_a_missing_library_is_told_before_the_search(
    run: Run, engine: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)

    outcome = run("gene", "--format", "xlsx")

    assert outcome.code == 2
    assert 'pip install ".[xlsx]"' in outcome.err


def test_a_file_for_a_spreadsheet_begins_with_a_byte_order_mark(
    run: Run, engine: Script, tmp_path: Path
) -> None:
    """Where -o ends in .csv, unless --no-bom says otherwise; RIS tells provenance where that is
    asked for."""
    engine.hits, engine.reports = [hit()], [ok()]
    target, ris = tmp_path / "hits.csv", tmp_path / "hits.ris"

    run("gene", "-o", str(target))
    assert target.read_bytes().startswith(b"\xef\xbb\xbfrank,")
    run("gene", "-o", str(target), "--no-bom")
    assert target.read_bytes().startswith(b"rank,")
    assert run("gene", "--format", "csv").out.startswith("rank,")
    run("gene", "-o", str(ris), "--provenance")
    assert b"N1  - Fields by source: " in ris.read_bytes()
