"""`metasearch explain`: which records are meant, what is told of them, and the exit code."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from metasearch.bib.work_ids import hit_id
from metasearch.dedup import STRATEGIES, Chain
from metasearch.record import Hit, Record
from tests.cases import sample
from tests.cli.conftest import Run
from tests.cli.fake import FakeEngine, failed, hit, ok
from tests.strategies import SameYear, same_title

Script = type[FakeEngine]

ONE = """TY  - JOUR
ID  - 1
TI  - Sorption of phosphate on iron oxides in lake sediments: a column study
AU  - van der Berg, Anna
PY  - 2011
JO  - Journal of Soil Science
VL  - 12
DO  - 10.1000/one
ER  -
"""
TWIN = """TY  - JOUR
ID  - 2
TI  - Sorption of phosphate on iron oxides in lake sediments
AU  - Berg, A. van der
PY  - 2011
JO  - J Soil Sci
VL  - 12
DO  - 10.1000/one
ER  -
"""
OTHER = """TY  - JOUR
ID  - 3
TI  - 湖泊沉积物铁氧化物对磷的吸附
AU  - 李明
PY  - 2014
DO  - 10.1000/other
ER  -
"""


@pytest.fixture
def export(tmp_path: Path) -> Path:
    file = tmp_path / "export.ris"
    file.write_text(f"{ONE}\n{TWIN}\n{OTHER}", encoding="utf-8")
    return file


def flat(text: str) -> str:
    """Without the line breaks of a narrow terminal."""
    return " ".join(text.split())


# --------------------------------------------------------------------------- what is told


def test_two_records_of_one_hit(run: Run, export: Path) -> None:
    """Side by side, where they meet, every rule, the verdict, and the hit; exit code 0."""
    outcome = run("explain", "export.ris:1", "export.ris:2", str(export))

    assert outcome.code == 0
    assert outcome.err == ""
    first, *_ = outcome.out.splitlines()
    assert first.split() == ["export.ris:1", "export.ris:2"]
    told = flat(outcome.out)
    assert "doi 10.1000/one 10.1000/one" in told
    assert "authors Anna van der Berg A. van der Berg" in told
    assert "keys doi (" in told
    assert "url no result" in told
    assert "doi same (0.99): same DOI" in told
    assert "verdict same (0.99), by doi" in told
    assert "together in one hit of 2 records" in told


def test_two_records_of_two_hits(run: Run, export: Path) -> None:
    """Exit code 1, and the reason."""
    outcome = run("explain", "export.ris:1", "10.1000/other", str(export))

    assert outcome.code == 1
    told = flat(outcome.out)
    assert "keys none" in told
    assert "apart in two hits" in told
    assert "because no rule matches them" in told


def test_wide_characters_keep_the_columns(
    run: Run, export: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Chinese title takes two columns a character, and the record beside it stays where it is."""
    monkeypatch.setenv("COLUMNS", "100")

    lines = run("explain", "export.ris:3", "export.ris:1", str(export)).out.splitlines()

    (title,) = [line for line in lines if line.startswith("title")]
    assert title.index("湖泊") > title.index("Sorption")
    assert all(len(line) <= 100 for line in lines)


def test_one_id(run: Run, export: Path) -> None:
    """All that holds the hit together; 0 where all bearers of the name stand in it."""
    outcome = run("explain", "10.1000/one", str(export))

    assert outcome.code == 0
    told = flat(outcome.out)
    assert ": 2 records" in told
    assert "record export.ris:1: Sorption" in told
    assert "match export.ris:1 and export.ris:2: doi: same (0.99)" in told
    assert "no other record is this work" in flat(run("explain", "10.1000/other", str(export)).out)


def test_one_id_in_several_hits(run: Run, export: Path, tmp_path: Path) -> None:
    """Where its bearers were parted, both hits are told; 1."""
    pins = tmp_path / "pins.txt"
    pins.write_text("different export.ris:1 export.ris:2 # a reprint")

    outcome = run("explain", "10.1000/one", str(export), "--pins", str(pins))

    assert outcome.code == 1
    assert outcome.out.count("hit ") == 2


def test_the_id_of_a_hit(run: Run, export: Path) -> None:
    """Its own one, one of another answer, and one as feeds write it name all records of the hit."""
    (hit,) = json.loads(run("explain", "10.1000/one", str(export), "--json").out)["hits"]
    before = hit_id("export.ris:1")  # named after its smallest record

    for name in (hit["id"], before, f"urn:metasearch:hit:{hit['id']}"):
        outcome = run("explain", name, str(export), "--json")

        assert outcome.code == 0
        assert [it["id"] for it in json.loads(outcome.out)["hits"]] == [hit["id"]]
    assert run("explain", hit["id"], "10.1000/other", str(export)).code == 1
    assert run("explain", "h000000000000", str(export)).code == 2


def test_json(run: Run, export: Path) -> None:
    """The same as data: every key is there, and every rule."""
    outcome = run("explain", "export.ris:1", "export.ris:3", str(export), "--json")

    told = json.loads(outcome.out)
    assert outcome.code == 1
    assert list(told) == [
        *(
            "left",
            "right",
            "keys",
            "rules",
            "weights",
            "verdict",
            "together",
            "hits",
            "path",
            "across",
            "against",
            "met",
        ),
        *("versions_apart", "listed", "others"),
    ]
    assert (told["left"]["key"], told["right"]["key"]) == ("export.ris:1", "export.ris:3")
    assert told["left"]["title"].startswith("Sorption")
    assert [rule["rule"] for rule in told["rules"]][:2] == ["url", "doi"]
    assert told["rules"][0]["said"] is None
    assert told["together"] is False
    assert len(set(told["hits"])) == 2


def test_json_of_a_match(run: Run, export: Path) -> None:
    """What a rule says has the members that it has under `matches` of the JSON answer."""
    told = json.loads(run("explain", "export.ris:1", "export.ris:2", str(export), "--json").out)

    doi = next(rule for rule in told["rules"] if rule["rule"] == "doi")
    assert list(doi["said"]) == ["matcher", "verdict", "score", "because", "left", "right"]
    assert told["path"] == [told["verdict"]]


def test_json_of_one_id(run: Run, export: Path) -> None:
    """Hits as in the JSON answer, with their records whole."""
    told = json.loads(run("explain", "10.1000/one", str(export), "--json").out)

    (found,) = told["hits"]
    assert told["id"] == "10.1000/one"
    assert len(found["matches"]) == 1
    assert [record["source_id"] for record in found["records"]] == ["1", "2"]


def test_control_characters_do_not_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    """Neither from a record nor from a pin."""
    file, pins = tmp_path / "a.ris", tmp_path / "pins.txt"
    file.write_text(ONE.replace("Sorption", "Sorp\x9b31mtion") + TWIN, encoding="utf-8")
    pins.write_text("same a.ris:1 a.ris:2 # \x1b[2J\u202ewhy", encoding="utf-8")

    for args in (["a.ris:1", "a.ris:2"], ["a.ris:1"], ["a.ris:1", "a.ris:2", "--json"]):
        out = run("explain", *args, str(file), "--pins", str(pins)).out
        assert not {"\x1b", "\x9b", "\u202e"} & set(out)


# --------------------------------------------------------------------------- pins and versions


def test_pins_are_the_first_rule(run: Run, export: Path, tmp_path: Path) -> None:
    """Their verdict stands, and their reason is told."""
    pins = tmp_path / "my.txt"
    pins.write_text("same export.ris:1 10.1000/other # translation")

    outcome = run("explain", "export.ris:1", "10.1000/other", str(export), "--pins", str(pins))

    assert outcome.code == 0
    assert "pin same (1.00): pinned as the same (my.txt line 1: translation)" in flat(outcome.out)


def test_pins_that_cannot_be_used(run: Run, export: Path, tmp_path: Path) -> None:
    """All problems of the file on stderr, exit code 2."""
    pins = tmp_path / "my.txt"
    pins.write_text("smae a:1 b:1\nsame a:1")

    outcome = run("explain", "export.ris:1", "export.ris:2", str(export), "--pins", str(pins))

    assert outcome.code == 2
    assert f"{pins}: 2 problems" in outcome.err
    assert "line 1" in outcome.err
    assert "line 2" in outcome.err


def test_versions_apart(run: Run, tmp_path: Path) -> None:
    """Where versions are hits of their own, that is the reason."""
    file = tmp_path / "a.ris"
    preprint = ONE.replace("ID  - 1", "ID  - 9").replace("Journal of Soil Science", "arXiv")
    for line in ("VL  - 12\n", "DO  - 10.1000/one\n"):
        preprint = preprint.replace(line, "")
    file.write_text(ONE + preprint, encoding="utf-8")

    assert run("explain", "a.ris:1", "a.ris:9", str(file)).code == 0
    outcome = run("explain", "a.ris:1", "a.ris:9", str(file), "--versions", "separate")
    assert outcome.code == 1
    assert "they are versions of one work, and each version is a separate hit here" in flat(
        outcome.out
    )


# --------------------------------------------------------------------------- strategies


def test_another_strategy_has_other_rules(run: Run, export: Path) -> None:
    """Only its own matchers are asked, and pins."""
    outcome = run("explain", "export.ris:1", "export.ris:2", str(export), "--dedup", "url")

    assert outcome.code == 1
    assert "fields" not in flat(outcome.out)
    assert "url no result" in flat(outcome.out)


@pytest.mark.parametrize("name", sample(STRATEGIES, 5))
def test_every_strategy_can_be_asked(run: Run, export: Path, name: str) -> None:
    """About a pair and about a hit, in words and as data."""
    for args in (
        ["export.ris:1", "export.ris:2"],
        ["export.ris:1"],
        ["export.ris:1", "export.ris:3", "--json"],
    ):
        outcome = run("explain", *args, str(export), "--dedup", name)

        assert outcome.code in (0, 1)
        assert outcome.err == ""


def test_records_can_meet_without_a_key(
    run: Run, export: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a matcher has an index of its own, that is where they meet."""
    monkeypatch.setitem(
        STRATEGIES, "same-year", same_title(name="same-year", chain=Chain((SameYear(),)))
    )

    met = run("explain", "export.ris:1", "export.ris:2", str(export), "--dedup", "same-year")
    apart = run("explain", "export.ris:1", "export.ris:3", str(export), "--dedup", "same-year")

    assert (met.code, apart.code) == (0, 1)
    assert "keys same-year (near one another)" in flat(met.out)
    assert "keys none: the two records have no key in common" in flat(apart.out)


def test_a_strategy_that_is_not_there(run: Run, export: Path) -> None:
    """With the names of those that are."""
    outcome = run("explain", "export.ris:1", "export.ris:2", str(export), "--dedup", "magic")

    assert outcome.code == 2
    assert "There are: default," in outcome.err


# --------------------------------------------------------------------------- which records


def test_others_that_have_the_id(run: Run, export: Path) -> None:
    """The first two different ones are explained, the rest is named; `--quiet` says nothing."""
    outcome = run("explain", "10.1000/one", "10.1000/other", str(export))

    assert (
        outcome.err
        == "10.1000/one is also an ID of export.ris:2; to choose a record, give its key\n"
    )
    assert run("explain", "10.1000/one", "10.1000/other", str(export), "-q").err == ""
    assert json.loads(run("explain", "10.1000/one", "10.1000/other", str(export), "--json").out)[
        "others"
    ] == {"10.1000/one": ["export.ris:2"]}


def test_the_same_id_twice(run: Run, export: Path) -> None:
    """Two of its bearers, if there are two."""
    assert run("explain", "10.1000/one", "10.1000/one", str(export)).code == 0
    outcome = run("explain", "10.1000/other", "export.ris:3", str(export))
    assert outcome.code == 2
    assert "name one record, export.ris:3" in outcome.err


def test_an_id_that_no_record_has(run: Run, export: Path) -> None:
    """Exit code 2, with names that resemble it."""
    outcome = run("explain", "10.1000/oen", "export.ris:2", str(export))

    assert outcome.code == 2
    assert outcome.out == ""
    assert "no record has the ID 10.1000/oen" in outcome.err
    assert "Did you mean 10.1000/one" in outcome.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "Missing argument"),
        (["{}"], "one ID or two"),
        (["a:1", "b:1", "c:1", "{}"], "one ID or two"),
        (["a:1", "b:1"], "Where are the records?"),
        (["quantum", "theory"], "To search for these words: metasearch -- explain quantum theory"),
        (["a:1", "nothing.ris", "{}"], "there is no file of this name"),
        (["a:1", "{}", "--versions", "all"], "'group', 'separate', 'merge'"),
        (["a:1", "{}", "--pins", "/no/such/file"], "cannot be read"),
        (["a:1", "--query", "(gene"], "never closed"),
        (["a:1", "--query", ""], ""),
    ],
)
def test_usage(run: Run, engine: Script, export: Path, args: list[str], said: str) -> None:
    """What cannot be explained as asked exits 2 with a word on stderr."""
    outcome = run("explain", *(arg.format(export) for arg in args))

    assert outcome.code == 2
    assert outcome.out == ""
    assert said in outcome.err
    assert outcome.err
    assert "Traceback" not in outcome.err


def test_files_of_the_same_name(run: Run, tmp_path: Path) -> None:
    """Their records are told apart by their paths."""
    paths = []
    for folder, text in (("a", ONE), ("b", TWIN)):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "export.ris")
        paths[-1].write_text(text, encoding="utf-8")

    assert run("explain", f"{paths[0]}:1", f"{paths[1]}:2", *map(str, paths)).code == 0


def test_what_a_file_has_lost_is_told(run: Run, export: Path) -> None:
    """With name and line."""
    export.write_bytes(export.read_bytes() + b"\nTY  - JOUR\nPY  - 2011\nER  - \n")

    outcome = run("explain", "export.ris:1", "export.ris:2", str(export))

    assert outcome.code == 0
    assert outcome.err.startswith("export.ris: 29: ")
    assert run("-q", "explain", "export.ris:1", "export.ris:2", str(export)).err == ""


# --------------------------------------------------------------------------- records of a search


def of(*records: Record) -> Hit:
    return Hit("h", records[0], records, {})


@pytest.fixture
def searched(engine: Script) -> Script:
    """A search that finds one work twice and another one."""
    first = hit(1).record
    twin = replace(first, source="beta", source_id="x")
    engine.hits = [of(first), of(twin, hit(2).record)]
    engine.reports = [ok(count=3)]
    return engine


def test_records_of_a_search(run: Run, searched: Script) -> None:
    """All records of its hits count; it asks for what the search on a terminal would have asked."""
    outcome = run(
        "explain", "alpha:1", "beta:x", "--query", "gene drives", "-s", "alpha", "--year", "2020-"
    )

    assert outcome.code == 0
    (made,) = searched.made
    assert made.asked["query"] == "gene drives"
    assert made.asked["sources"] == ("alpha",)
    assert (made.asked["limit"], made.asked["per_source"]) == (None, 20)
    assert made.closed
    assert run("explain", "alpha:1", "alpha:2", "--query", "gene drives").code == 1


@pytest.mark.parametrize(
    ("args", "depth"),
    [(["-n", "50"], 50), (["-n", "5"], 20), (["--per-source", "7"], 7), (["-n", "9000"], 2000)],
)
def test_depth_is_that_of_the_search(
    run: Run, searched: Script, args: list[str], depth: int
) -> None:
    """So that its answers are in the cache."""
    run("explain", "alpha:1", "beta:x", "--query", "gene", *args)

    assert searched.made[0].asked["per_source"] == depth


def test_files_and_a_search(run: Run, searched: Script, export: Path) -> None:
    """Their records count together."""
    assert run("explain", "alpha:1", "export.ris:1", str(export), "--query", "gene").code == 1


def test_sources_that_failed_are_told(run: Run, searched: Script) -> None:
    """Records may be missing because of them."""
    searched.reports = [ok(), failed("beta")]

    outcome = run("explain", "alpha:1", "beta:x", "--query", "gene")

    assert outcome.code == 0
    assert "beta: timeout" in outcome.err


def test_no_source_answered(run: Run, searched: Script) -> None:
    """Exit code 4, as in a search."""
    searched.reports = [failed("beta")]

    assert run("explain", "alpha:1", "beta:x", "--query", "gene").code == 4


@pytest.fixture
def quick_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulated databases answer at once."""
    from metasearch import demo
    from metasearch.demo.server import DemoDatabases

    monkeypatch.setattr(demo, "DemoDatabases", lambda **more: DemoDatabases(latency=0, **more))


@pytest.mark.usefixtures("quick_demo")
def test_demo(run: Run) -> None:
    """The whole path: two databases have the work, and their records are one hit."""
    sources = ("--demo", "-s", "demo-crossref,demo-openalex")
    found = json.loads(run("gambling", *sources, "--json").out)["hits"]
    one, other = next(it["sources"] for it in found if len(it["sources"]) == 2)

    keys = [f"{side['source']}:{side['id']}" for side in (one, other)]

    assert run("explain", *keys, "--query", "gambling", *sources).code == 0


@pytest.mark.slow
@pytest.mark.usefixtures("quick_demo")
def test_the_commands_of_the_page(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/pins.md goes from a merge to a pin that undoes it."""
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "pins.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    codes = []
    for line in block.splitlines():
        program, *args = shlex.split(line, comments=True)
        if program == "metasearch":
            codes.append(run(*args).code)
        else:
            subprocess.run(["sh", "-c", line], check=True)

    assert codes == [0, 0, 1]
    assert (tmp_path / "pins.txt").read_text().startswith("different demo-crossref:")


def test_weights_of_the_fields_are_shown(run: Run, export: Path) -> None:
    """What each adds or takes away, and how much the titles ask for."""
    outcome = run("explain", "export.ris:1", "export.ris:2", "--json", str(export))

    weights = json.loads(outcome.out)["weights"]
    assert weights["titles"] == "start"
    assert weights["parts"] == {"authors": 2.0, "year": 1.0, "venue": 1.0, "volume": 1.0}
    assert (weights["points"], weights["needed"]) == (5.0, 2.0)


def test_rows_of_a_labelled_set_are_records(run: Run, tmp_path: Path) -> None:
    """As `dedup` and `evaluate` read them."""
    file = tmp_path / "set.jsonl"
    rows = [{"id": f"w{number}", "title": "Iron in lake sediments"} for number in (1, 2)]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")

    outcome = run("explain", "set.jsonl:w1", "set.jsonl:w2", str(file))

    assert outcome.code in (0, 1)
    assert "Iron in lake sediments" in outcome.out
