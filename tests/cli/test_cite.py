"""`metasearch cite`, on two simulated indexes of citations."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from metasearch import demo
from tests.cases import each
from tests.citation_indexes import TEXT, TITLES, UNKNOWN, CitationIndexes
from tests.cli.conftest import Outcome, Run

SEED = "10.1000/1"
Cite = Callable[..., Outcome]


@pytest.fixture
def indexes(monkeypatch: pytest.MonkeyPatch) -> CitationIndexes:
    """Those that `--demo` asks in these tests."""
    indexes = CitationIndexes()
    monkeypatch.setattr(demo, "DemoTransport", lambda *_, **__: indexes)
    monkeypatch.setattr(demo, "replay_settings", lambda *_, **__: indexes.settings())
    return indexes


@pytest.fixture
def cite(run: Run, indexes: CitationIndexes) -> Cite:
    return lambda *args, **more: run("cite", "--demo", *args, **more)


def found(outcome: Outcome) -> dict[str, Any]:
    """DOI of each hit -> its relations."""
    return {hit["doi"]: hit["relations"] for hit in json.loads(outcome.out)["hits"]}


def test_both_directions_from_all_indexes(cite: Cite) -> None:
    """Each work once, with the seeds and indexes that lead to it; those of more indexes first."""
    outcome = cite(SEED, "--json")

    backward = {"seed": SEED, "direction": "backward"}
    forward = {"seed": SEED, "direction": "forward", "sources": ["alpha"]}
    relations = found(outcome)
    assert outcome.code == 0
    assert next(iter(relations)) == "10.1000/2"
    assert relations == {
        "10.1000/2": [{**backward, "sources": ["alpha", "beta"]}],
        "10.1000/3": [{**backward, "sources": ["beta"]}],
        "10.1000/4": [forward],
        "10.1000/5": [forward],
    }


@each(
    ("options", "works"),
    [
        (["--backward"], {"10.1000/2", "10.1000/3"}),
        (["--forward"], {"10.1000/4", "10.1000/5"}),
        (["--backward", "--forward"], {f"10.1000/{number}" for number in (2, 3, 4, 5)}),
        (["--forward", "-s", "alpha"], {"10.1000/4", "10.1000/5"}),
        (["--rounds", "2"], {f"10.1000/{number}" for number in (2, 3, 4, 5, 6)}),
        (["-n", "1"], {"10.1000/2"}),
    ],
)
def test_what_is_searched_for(cite: Cite, options: list[str], works: set[str]) -> None:
    """Directions, sources, rounds and a limit."""
    assert set(found(cite(SEED, "--json", *options))) == works


def test_the_numbers_add_up(cite: Cite) -> None:
    """Those of reports, too; what has no record is listed, and a limit changes no number."""
    answer = json.loads(cite(SEED, "--json", "--rounds", "2", "-n", "1").out)

    counts = answer["counts"]
    assert counts["works"] == 5 == counts["backward"] + counts["forward"] + counts["both"]
    assert counts["seeds"] == counts["found"] + counts["missing"]
    assert counts["citations"] == sum(report["citations"] for report in answer["reports"])
    assert counts["citations"] == sum(
        counts[part] for part in ("of_works", "of_unknown", "of_texts", "among_seeds", "duplicates")
    )
    asked = sum(report["requests"] for report in answer["reports"])
    assert counts["requests"] == asked + counts["lookups"]
    assert [each["name"] for each in answer["unknown"]] == [f"doi:{UNKNOWN}"]
    assert [each["name"] for each in answer["texts"]] == [TEXT]
    assert [(report["round"], report["source"]) for report in answer["reports"]] == [
        (1, "alpha"), (1, "alpha"), (1, "beta"), (2, "alpha"), (2, "alpha"), (2, "beta"),
    ]  # fmt: skip


def test_related_works_are_co_cited_or_coupled(cite: Cite) -> None:
    """The second round knows what cites the references, and what the citing works cite."""
    answer = json.loads(cite(SEED, "--json", "--rounds", "2").out)

    doi = {hit["id"]: hit["doi"] for hit in answer["hits"]}
    assert {
        doi[each["id"]]: (each["cited_together"], each["shared_references"])
        for each in answer["related"]
    } == {"10.1000/2": (1, 0), "10.1000/5": (0, 1), "10.1000/6": (1, 0)}


def test_a_table_says_which_works_lead_to_each(cite: Cite) -> None:
    """And what each index did stands on stderr, with all that is no hit."""
    outcome = cite(SEED)

    assert TITLES[2] in outcome.out
    assert f"cited by {SEED} (alpha, beta)" in outcome.out
    assert f"cites {SEED} (alpha)" in outcome.out
    assert re.search(r"^beta +backward +1 +4 +1 +0 +0$", outcome.err, re.MULTILINE)
    assert f"known by an identifier alone: doi:{UNKNOWN}" in outcome.err
    assert f"known as text alone: {TEXT}" in outcome.err
    assert "4 works found: 2 backward, 2 forward, 0 both; 1 unknown, 1 text (" in (outcome.err)


def test_a_list_of_works(cite: Cite, tmp_path: Path) -> None:
    """A bibliography keeps its keys, a list of identifiers has these; a seed is no hit."""
    file = tmp_path / "included.bib"
    file.write_text(f"@article{{birds, title = {{{TITLES[1]}}}, doi = {{{SEED}}}}}")
    written = json.loads(cite(str(file), "--json").out)
    piped = json.loads(cite("-", "--json", stdin=b"10.1000/1\n10.1000/2\n").out)

    assert [seed["key"] for seed in written["seeds"]] == ["birds"]
    assert {each["seed"] for hit in written["hits"] for each in hit["relations"]} == {"birds"}
    assert [seed["hit"]["doi"] for seed in piped["seeds"]] == ["10.1000/1", "10.1000/2"]
    assert {hit["doi"] for hit in piped["hits"]} == {"10.1000/3", "10.1000/4", "10.1000/5"}
    assert piped["counts"]["among_seeds"] == 3


def test_a_file_for_a_reference_manager(cite: Cite, tmp_path: Path) -> None:
    """The ending of the file chooses, as in a search."""
    target = tmp_path / "found.ris"

    assert cite(SEED, "-o", str(target)).out == ""
    assert target.read_text().count("TY  - ") == 4


def test_a_work_that_nobody_knows(cite: Cite) -> None:
    """It is named, and the exit code tells."""
    outcome = cite(SEED, "10.9999/none")

    assert outcome.code == 1
    assert "known to no source: 10.9999/none" in outcome.err


def test_an_index_that_fails(cite: Cite, indexes: CitationIndexes) -> None:
    """Its lack is told, with the works concerned; the other's citations are there."""
    indexes.fails = {"beta"}
    outcome = cite(SEED, "--json")

    answer = json.loads(outcome.out)
    (failed,) = (report for report in answer["reports"] if report["failed"])
    assert outcome.code == 3
    assert not answer["complete"]
    assert (failed["source"], failed["failed"]) == ("beta", [SEED])
    assert "failed: beta" in outcome.err
    assert "10.1000/4" in found(outcome)


def test_a_search_that_was_stopped_goes_on(
    cite: Cite, indexes: CitationIndexes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was answered is not asked for again, and the result is the same."""
    whole = cite(SEED, "--json", "--fresh").out
    send, left = indexes.send, [5]

    async def stop(*args: Any, **how: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return await send(*args, **how)

    monkeypatch.setattr(indexes, "send", stop)
    with suppress(KeyboardInterrupt):
        cite(SEED, "--json", "--fresh")
    monkeypatch.setattr(indexes, "send", send)
    before = len(indexes.asked)
    again = cite(SEED, "--json").out

    def lasting(text: str) -> list[Any]:
        answer = json.loads(text)
        return [answer[name] for name in ("hits", "seeds", "unknown", "texts", "related")]

    assert lasting(again) == lasting(whole)
    assert len(indexes.asked) - before < 8


@each(
    ("words", "says"),
    [
        (["no-such-file.bib"], "is no identifier"),
        ([SEED, "Salt marsh birds"], "is no identifier"),
        ([""], "is no identifier"),
        ([SEED, " "], "is no identifier"),
        (["x" * 5_000], "xxx' is no identifier"),
        ([SEED, "-"], "a file is given alone"),
        ([".", SEED], "a file is given alone"),
        ([], "Missing argument"),
        ([SEED, "--rounds", "11"], "1<=x<=10"),
        ([SEED, "-n", "0"], "x>=1"),
        ([SEED, "-s", "nowhere"], "nowhere"),
    ],
)
def test_what_cannot_be_searched_from(cite: Cite, words: list[str], says: str) -> None:
    """It is refused before anything is sent."""
    outcome = cite(*words)

    assert outcome.code == 2
    assert says in outcome.err
