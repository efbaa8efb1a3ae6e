"""`metasearch saved` and `metasearch alerts run`: saved searches without a server."""

from __future__ import annotations

import json
from pathlib import Path

from metasearch.review.alerts import saved_searches as searches
from metasearch.review.store.database import Database
from tests import cases
from tests.cli.conftest import Run
from tests.review.commands.conftest import Json


def test_before_the_first_one_there_are_none(run: Run, file: Path) -> None:
    """The first one makes the workspace."""
    outcome = run("saved", "list")
    assert (outcome.code, outcome.out) == (0, "")
    assert "saved add" in outcome.err

    assert run("saved", "add", "harms", "gambling", "harms").code == 0
    assert file.exists()


def test_a_search_is_saved_shown_and_removed(run: Run, answered: Json) -> None:
    """By its name or its uid."""
    made = answered(
        "saved", "add", "harms", "gambling harms", "--year", "2015-", "--schedule", "weekly fri"
    )
    assert (made["query"], made["years"], made["schedule"]) == (
        "gambling harms",
        "2015-",
        "weekly fri",
    )
    shown = answered("saved", "show", made["uid"])
    assert (shown["name"], shown["news"], shown["runs"]) == ("harms", 0, [])
    assert shown["feed"]["atom"].startswith("/feeds/")
    assert [each["name"] for each in answered("saved", "list")] == ["harms"]
    assert "weekly fri" in run("saved", "show", "harms").out

    refused = run("saved", "remove", "harms")
    assert (refused.code, "--yes" in refused.err) == (2, True)
    assert run("saved", "remove", "harms", "--yes").code == 0
    assert answered("saved", "list") == []


@cases.each(
    ("words", "said"),
    [
        (["add", "x", "(gene AND"], "AND needs something to look for"),
        (["add", "x", "gene", "-s", "crosref"], "crossref"),
        (["add", "x", "gene", "-s", "./mine.toml"], "no source called"),
        (["add", "x", "gene", "--schedule", "hourly"], "weekly mon"),
        (["add", "x", "gene", "--year", "soon"], "2019-2024"),
        (["add", "x", "gene", "--user", "nobody"], "nobody"),
        (["show", "x"], "no saved search"),
        (["run", "x"], "no saved search"),
    ],
)
def test_what_cannot_be_saved_or_found(run: Run, words: list[str], said: str) -> None:
    """The message says why, or what to write; nothing is saved."""
    run("saved", "add", "other", "gene")
    outcome = run("saved", *words)

    assert outcome.code == 2
    assert said in outcome.err
    assert "Traceback" not in outcome.err


def test_the_first_run_is_the_baseline_and_the_next_tells_what_is_new(
    run: Run, answered: Json, file: Path
) -> None:
    """The demo has a source that always fails: exit code 3."""
    run("saved", "add", "harms", "gambling")
    (first,) = answered("saved", "run", "harms", "--demo", code=3)
    assert (first["run"]["baseline"], first["news"]) == (True, [])
    assert first["run"]["works"] > 5
    again = run("saved", "run", "harms", "--demo")
    assert (again.code, again.out) == (3, "")
    assert "0 news" in again.err
    assert "demo-failing" in again.err

    with Database(file) as db:  # as if all works had come since then
        db.run("DELETE FROM saved_name")
    (told,) = answered("saved", "run", "harms", "--demo", code=3)
    assert len(told["news"]) == told["run"]["works"]
    assert {each["kind"] for each in told["news"]} == {"new"}
    listed = answered("saved", "news", "harms", "-n", "1")
    assert [each["uid"] for each in listed] == [told["news"][0]["uid"]]
    assert answered("saved", "news", "harms", "--kind", "retracted") == []
    assert told["news"][0]["work"]["title"] in run("saved", "news", "harms").out


def test_news_are_a_feed_for_other_programs(run: Run, file: Path, tmp_path: Path) -> None:
    """Atom on standard output, JSON Feed in a file."""
    run("saved", "add", "harms", "gambling")
    assert run("saved", "feed", "harms").out.startswith("<?xml")

    target = tmp_path / "harms.json"
    outcome = run("saved", "feed", "harms", "-f", "json", "-o", str(target))
    assert (outcome.code, outcome.out) == (0, "")
    assert json.loads(target.read_bytes())["title"] == "metasearch: harms"


def test_changes_that_begin_a_new_baseline_need_a_word(run: Run, answered: Json) -> None:
    """After the first run; other changes do not."""
    run("saved", "add", "harms", "gambling")
    before = answered("saved", "show", "harms")["feed"]
    run("saved", "run", "harms", "--demo")
    refused = run("saved", "edit", "harms", "--query", "betting")
    assert (refused.code, "--baseline" in refused.err) == (2, True)

    changed = answered(
        "saved", "edit", "harms", "--query", "betting", "--baseline", "--new-feed", "--rename", "b"
    )
    assert (changed["name"], changed["query"]) == ("b", "betting")
    assert changed["feed"] != before
    assert answered("saved", "edit", "b", "--schedule", "daily")["next_run"] is not None


def test_cron_runs_what_is_due(run: Run, answered: Json) -> None:
    """Each once; without a schedule nothing is due."""
    run("saved", "add", "weekly", "gambling", "--schedule", "weekly")
    run("saved", "add", "by hand", "betting")

    first = answered("alerts", "run", "--demo", code=3)
    assert [each["name"] for each in first] == ["weekly"]
    assert first[0]["run"]["status"] == "done"
    again = run("alerts", "run", "--all-due", "--demo")
    assert (again.code, again.out) == (0, "")
    assert "nothing is due" in again.err


def test_a_run_in_which_no_source_answers(run: Run, answered: Json, file: Path) -> None:
    """Exit code 4, with the reason; beside others 3."""
    run("saved", "add", "poor", "gambling", "--schedule", "daily")
    with Database(file) as db:
        db.run("""UPDATE saved_search SET sources = '["demo-failing"]'""")
        assert searches.find(db, "", "poor").sources == ("demo-failing",)

    outcome = run("saved", "run", "poor", "--demo")
    assert outcome.code == 4
    assert "poor: no source answered" in outcome.err

    run("saved", "add", "rich", "gambling")
    assert run("saved", "run", "poor", "rich", "--demo").code == 3
    statuses = {each["name"]: each["runs"][0]["status"] for each in answered("saved", "list")}
    assert statuses == {"poor": "failed", "rich": "done"}


def test_the_searches_of_a_user(run: Run, answered: Json) -> None:
    """Are apart from those of nobody."""
    made = run("user", "add", "anna", "--role", "user", "--link")
    assert made.code == 0, made.err
    answered("saved", "add", "harms", "gambling", "--user", "anna")

    assert answered("saved", "list") == []
    assert [each["name"] for each in answered("saved", "list", "--user", "anna")] == ["harms"]
