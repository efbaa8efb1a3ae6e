"""Filters, facets and sorts on the command line, from end to end over the demo's databases."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from metasearch.formats import WRITABLE
from metasearch.formats.events import fold
from tests.cases import each, sample
from tests.cli.conftest import Run
from tests.formats.exported import text_of_parquet

DEMO = ("--demo", "-s", "demo-crossref,demo-openalex", "machine learning")


def test_a_table_ends_with_filters_order_and_facets(run: Run) -> None:
    """The counts are those of the JSON answer, which has all works."""
    whole = json.loads(run(*DEMO, "--sort", "date", "--json").out)
    articles = [hit for hit in whole["hits"] if hit["type"] == "article"]

    outcome = run(*DEMO, "--filter", "type:article", "--sort", "date", "--facets", "type")

    *_, applied, facets = outcome.out.split("\n\n")
    assert outcome.code == 0
    assert applied == (
        f"{len(articles)} of {len(whole['hits'])} works pass type:article; "
        f"sorted by date, newest first"
    )
    heading, types = facets.splitlines()
    assert heading.startswith(f"Facets of {len(whole['hits'])} works")
    assert f"article {len(articles)}" in types
    assert "filter type:article" not in outcome.err


def test_json_has_the_keys_and_the_order(run: Run) -> None:
    """Sorted, filtered, and with facets by name; stderr has the counts of the filter."""
    args = ("--filter", "year:2020-", "--sort", "-date", "--facets", "year", "--facets", "type")
    outcome = run(*DEMO, *args, "--facet-limit", "1", "--json")

    answer = json.loads(outcome.out)
    years = [hit["year"] for hit in answer["hits"]]
    assert years == sorted(years)
    assert min(years) >= 2020
    assert (answer["sort"], answer["filter"]) == ("-date", "year:2020-")
    assert list(answer["facets"]["facets"]) == ["year", "type"]
    assert len(answer["facets"]["facets"]["type"]["values"]) == 1
    assert "note: filter year:2020-: " in outcome.err


def test_ndjson_has_facets_before_its_end(run: Run) -> None:
    """The last ones are those of the answer, which the stream folds to."""
    out = run(*DEMO, "--facets", "source,oa", "--filter", "-type:preprint", "--ndjson").out
    events = [json.loads(line) for line in out.splitlines()]

    *_, last = (event for event in events if event["event"] == "facets")
    assert last == {"event": "facets"} | fold(events)["facets"]
    assert {hit["type"] for hit in fold(events)["hits"]} & {"preprint"} == set()


@pytest.mark.parametrize(
    "ending", sample(sorted({WRITABLE[n].extension for n in WRITABLE} - {"sse"}), 5)
)
def test_every_format_has_the_works_that_pass(run: Run, tmp_path: Path, ending: str) -> None:
    """Where none passes a file of no works is written, and the exit code is that of no hits."""
    some, none = tmp_path / f"some.{ending}", tmp_path / f"none.{ending}"
    title = json.loads(run(*DEMO, "--filter", "type:preprint", "--json").out)["hits"][0]["title"]

    assert run(*DEMO, "--filter", "type:preprint", "-o", str(some), "--bom").code == 0
    outcome = run(*DEMO, "--filter", "type:map", "-o", str(none), "--no-bom")

    assert outcome.code == 1
    assert "no hits: none of " in outcome.err
    assert title.split()[0] in text_of(some)
    assert title not in text_of(none)


def text_of(path: Path) -> str:
    """The text of a file; of a workbook that of all its parts, of Parquet that of its rows."""
    if path.suffix == ".parquet":
        return text_of_parquet(path.read_bytes())
    if path.suffix != ".xlsx":
        return path.read_text("utf-8")
    with zipfile.ZipFile(path) as parts:
        return "".join(parts.read(name).decode() for name in parts.namelist())


def test_recorded_searches_can_be_filtered_and_sorted(run: Run, tmp_path: Path) -> None:
    """A filter asks no source for anything else, so the recordings answer."""
    folder = str(tmp_path / "tape")
    plain = json.loads(run(*DEMO, "--record", folder, "--json").out)

    replayed = run(
        *DEMO, "--replay", folder, "--filter", "type:article", "--sort", "title", "--json"
    )

    answer = json.loads(replayed.out)
    assert replayed.code == 0
    assert {hit["id"] for hit in answer["hits"]} == {
        hit["id"] for hit in plain["hits"] if hit["type"] == "article"
    }
    assert 0 < len(answer["hits"]) < len(plain["hits"])


def test_pages_of_a_filtered_list_follow_one_another(run: Run) -> None:
    """`--start` counts works that pass."""
    args = (*DEMO, "--filter", "type:preprint", "--per-source", "20")
    whole = json.loads(run(*args, "--json").out)
    second = json.loads(run(*args, "--start", "2", "-n", "3", "--json").out)

    assert [hit["id"] for hit in second["hits"]] == [hit["id"] for hit in whole["hits"][2:5]]
    assert [hit["rank"] for hit in second["hits"]] == [3, 4, 5]


@each(
    ("args", "message"),
    [
        (("--filter", "colour:red"), "there is no filter 'colour'; filters are source, only, type"),
        (("--filter", "type:tome"), "'tome' is none of article, preprint"),
        (("--filter", "article"), "write for example type:article"),
        (("--facets", "colour"), "there is no facet 'colour'; facets are source"),
        (("--facet-limit", "0"), "facet_limit must be between 1 and 500"),
        (("--sort", "year"), "'year' is not one of 'relevance', 'date'"),
        (("--rank", "best"), "'best' is not one of 'words', 'positions'"),
    ],
)
def test_what_cannot_be_read_is_refused(run: Run, args: tuple[str, ...], message: str) -> None:
    """With what there is; no source is asked."""
    outcome = run("machine learning", *args)

    assert outcome.code == 2
    assert outcome.out == ""
    assert message in outcome.err


def test_an_empty_page_names_the_next_one(run: Run) -> None:
    """While the sources have more; beyond the end of the list it says that."""
    args = (*DEMO, "--per-source", "5", "--filter", "year:1066", "--explain")
    first = run(*args)
    second = run(*args, "--start", "5", "-n", "5")

    assert (first.code, second.code) == (1, 1)
    assert "passes the filters" in first.err
    assert "more: the same command with --start 5" in first.err
    assert "the list is shorter" not in second.err


def test_a_plan_says_that_filters_ask_no_source(run: Run) -> None:
    """What is asked of each source is the same."""
    plain = run("tides", "--explain-plan", "-s", "arxiv").out
    filtered = run("tides", "--explain-plan", "-s", "arxiv", "--filter", "type:book").out

    note = "note:   filter type:book: it is applied to the merged works; no source is asked for it"
    assert filtered.replace(f"{note}\n", "") == plain
    assert note in filtered


def test_explain_says_how_a_hit_stands_in_the_list(run: Run) -> None:
    """Its rank and reasons, whether it passes the filters, and its values; no record is hidden."""
    first = json.loads(run(*DEMO, "--json").out)["hits"][0]
    args = ("--query", "machine learning", *DEMO[:3], "--filter", "type:map", "--facets", "type")

    told = json.loads(run("explain", first["id"], *args, "--json").out)["hits"][0]
    text = run("explain", first["id"], *args).out

    assert (told["rank"], told["score"], told["passes"]) == (1, first["score"], False)
    assert told["reasons"] == first["reasons"]
    assert told["facets"]["facets"]["type"]["values"][0]["value"] == first["type"]
    assert "\nrank         1 of " in text
    assert f"\nscore        {first['score']:.4f}\n             +0." in text
    assert "\nfilter       does not pass type:map\n" in text
    assert f"\nfacet        type: {first['type']}\n" in text


def test_explain_says_of_two_records_whether_their_hit_passes(run: Run) -> None:
    """Below the outcome; without these options the explanation of a pair ends there."""
    hits = json.loads(run(*DEMO, "--json").out)["hits"]
    hit = next(hit for hit in hits if len(hit["sources"]) > 1)
    keys = [f"{record['source']}:{record['id']}" for record in hit["sources"]][:2]
    args = ("explain", *keys, "--query", "machine learning", *DEMO[:3])

    plain, filtered = run(*args).out, run(*args, "--filter", f"type:{hit['type']}").out

    assert filtered.removeprefix(plain).splitlines() == [
        "",
        f"hit          {hit['id']}",
        f"filter       passes type:{hit['type']}",
    ]
