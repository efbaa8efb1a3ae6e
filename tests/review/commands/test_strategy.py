"""`metasearch strategy`: steps that name one another, their counts and their runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import each, sample
from tests.cli.conftest import Run
from tests.review.commands.conftest import Json

CNKI = """TY  - JOUR
ID  - 1
TI  - 贝类与水质
PY  - 2020
ER  -
"""


@pytest.fixture(autouse=True)
def project(run: Run, file: Path) -> None:
    """A review without steps."""
    run("project", "new", "gambling", "--kind", "review")


def steps(answered: Json, *args: str) -> dict[int, str]:
    """Number -> text of the steps."""
    shown = answered("strategy", "show", *args)
    return {step["number"]: step["text"] for step in shown["figures"]["steps"]}


def test_the_first_step_makes_a_strategy(run: Run, answered: Json) -> None:
    """Steps are numbered from 1, and name one another."""
    run("strategy", "add", "gambling", "OR", "betting")
    run("strategy", "add", "debt", "--note", "of households")
    both = answered("strategy", "add", "#1 AND #2")

    assert (both["kind"], both["parents"]) == ("combine", [1, 2])
    assert steps(answered) == {1: "gambling OR betting", 2: "debt", 3: "#1 AND #2"}
    assert [each["name"] for each in answered("strategy", "list")] == ["main"]


def test_a_number_is_never_used_again(run: Run, answered: Json) -> None:
    """A step that others name is not removed; the number of one that is removed stays free."""
    run("strategy", "add", "gambling")
    run("strategy", "add", "#1 AND debt")
    refused = run("strategy", "remove", "1")
    run("strategy", "remove", "2")
    run("strategy", "add", "harm")

    assert refused.code == 2
    assert "Step 1 is named by #2" in refused.err
    assert steps(answered) == {1: "gambling", 3: "harm"}


def test_a_step_comes_from_standard_input(run: Run, answered: Json) -> None:
    """`-` reads it, so that no shell touches its signs."""
    run("strategy", "add", "-", stdin="(沉水植物+贝类)*水质\n".encode())

    assert steps(answered) == {1: "(沉水植物+贝类)*水质"}


def test_a_step_that_cannot_be_read_is_shown_with_its_place(run: Run, answered: Json) -> None:
    """Nothing is added."""
    outcome = run("strategy", "add", "gambling AND (debt")

    assert outcome.code == 2
    assert "^" in outcome.err
    assert run("strategy", "show").code == 0
    assert steps(answered) == {}


def test_counts_tell_the_hits_of_each_source(run: Run, answered: Json) -> None:
    """A source that fails has no number, and exit code 3; nothing is fetched."""
    run("strategy", "add", "gambling")
    run("strategy", "add", "#1 AND harm*")

    counted = answered("strategy", "counts", "--demo", code=3)
    claimed = {
        (answer["step"], answer["source"]): answer["claimed"] for answer in counted["answers"]
    }

    assert counted["mode"] == "counts"
    assert claimed[1, "demo-pubmed"] >= claimed[2, "demo-pubmed"] > 0
    assert claimed[1, "demo-failing"] is None
    assert all(answer["fetched"] is None for answer in counted["answers"])
    assert answered("project", "show")["holds"]["works"] == 0


def test_numbers_are_stale_after_a_change(run: Run, answered: Json) -> None:
    """Those of the step, and of the steps that name it."""
    run("strategy", "add", "gambling")
    run("strategy", "add", "#1 AND harm*")
    run("strategy", "add", "debt")
    run("strategy", "counts", "--demo", "-s", "demo-pubmed")

    edited = run("strategy", "edit", "1", "betting")
    stale = {
        step["number"]: step["stale"] for step in answered("strategy", "show")["figures"]["steps"]
    }

    assert "named by #2, which change with it" in edited.err
    assert stale == {1: True, 2: True, 3: False}
    assert "out of date: the step was changed since" in run("strategy", "show").out


def test_a_run_fetches_the_last_step(run: Run, answered: Json) -> None:
    """Its records become works, each once; a second run finds nothing new."""
    run("strategy", "add", "gambling")
    run("strategy", "add", "#1 AND harm*")

    first = answered("strategy", "run", "--demo", "-s", "demo-pubmed,demo-openalex")
    second = answered("strategy", "run", "--demo", "-s", "demo-pubmed,demo-openalex")

    fetched = sum(answer["fetched"] for answer in first["answers"])
    assert {answer["step"] for answer in first["answers"]} == {2}
    assert fetched > first["works"] == first["new_works"] > 0
    assert (second["works"], second["new_works"]) == (first["works"], 0)


@pytest.mark.parametrize(
    ("sources", "query", "code"),
    sample(
        [
            ("demo-pubmed", "gambling", 0),
            ("demo-pubmed", "zzyzx", 1),
            ("demo-pubmed,demo-failing", "gambling", 3),
            ("demo-failing", "gambling", 4),
        ],
        2,
    ),
)
def test_exit_codes_are_those_of_a_search(run: Run, sources: str, query: str, code: int) -> None:
    """Hits, none, a source that failed, none that answered."""
    run("strategy", "add", query)

    assert run("strategy", "run", "--demo", "-s", sources).code == code
    assert run("strategy", "counts", "--demo", "-s", sources).code == code


def test_a_recorded_run_keeps_its_pages(run: Run, answered: Json, tmp_path: Path) -> None:
    """In the folder that is named, else beside the workspace."""
    run("strategy", "add", "gambling")
    folder = tmp_path / "pages"

    named = answered("strategy", "run", "--demo", "-s", "demo-pubmed", "--record", str(folder))
    beside = run("strategy", "run", "--demo", "-s", "demo-pubmed", "--record")

    assert named["recorded"]
    assert list(folder.rglob("request.json"))
    assert "space-recorded" in beside.err
    assert list((tmp_path / "work" / "space-recorded").rglob("request.json"))


def test_a_file_of_a_search_by_hand_is_a_step(run: Run, answered: Json, tmp_path: Path) -> None:
    """With the database, the day and the query that reports print."""
    file = tmp_path / "cnki.ris"
    file.write_text(CNKI, encoding="utf-8")

    made = answered(
        *("strategy", "import", str(file), "--source", "CNKI", "--searched", "2026-05-03"),
        *("--query", "SU=水质*贝类", "--hits", "12"),
    )
    again = run(*("strategy", "import", str(file), "--source", "CNKI", "--searched", "2026-05-03"))

    assert made["step"]["kind"] == "import"
    assert (made["answer"]["label"], made["answer"]["claimed"]) == ("CNKI", 12)
    assert (made["answer"]["fetched"], made["answer"]["asked_at"]) == (1, "2026-05-03")
    assert "the same file was imported before" in again.err
    assert answered("project", "show")["holds"]["works"] == 1


def test_a_strategy_is_copied_and_changed(run: Run, answered: Json) -> None:
    """The copy may number its steps anew; what names them is rewritten."""
    run("strategy", "add", "gambling")
    run("strategy", "add", "harm")
    run("strategy", "add", "#1 AND #2")

    run("strategy", "copy", "second", "--order", "2,1,3")
    run("strategy", "set", "--strategy", "second", "-s", "demo-pubmed", "--year", "2015-")

    listed = {each["name"]: each for each in answered("strategy", "list")}
    assert steps(answered, "--strategy", "second") == {1: "harm", 2: "gambling", 3: "#2 AND #1"}
    assert listed["second"]["sources"] == ["demo-pubmed"]
    assert listed["second"]["years"] == "2015-"


@each(
    ("args", "said"),
    [
        (["add", "#7 AND debt"], "7"),
        (["edit", "7", "x"], "There is no step 7"),
        (["remove", "7"], "There is no step 7"),
        (["show", "--strategy", "mian"], "Did you mean main?"),
        (["run", "--demo", "-s", "crossref"], "there is no source called 'crossref'"),
        (["run", "--demo", "--steps", "1-"], "is no number"),
        (["run", "--demo", "--steps", "3-1"], "is no number"),
        (["run", "--demo", "--steps", "1-99999"], "names more than 500 numbers"),
        (["run", "--demo", "--per-source", "0"], "per_source"),
        (["set", "--year", "soon"], "Years are written with four digits"),
        (["new", "main"], "There is a search strategy 'main' already"),
        (["import", "/nowhere.ris", "--source", "CNKI", "--searched", "2026-05-03"], "nowhere"),
        (["import", "{file}", "--source", "CNKI", "--searched", "soon"], "soon"),
    ],
)
def test_what_cannot_be_done(run: Run, tmp_path: Path, args: list[str], said: str) -> None:
    """It is said in words; exit code 2."""
    run("strategy", "add", "gambling")
    file = tmp_path / "a.ris"
    file.write_text(CNKI, encoding="utf-8")

    outcome = run("strategy", *(str(file) if arg == "{file}" else arg for arg in args))

    assert outcome.code == 2
    assert said in outcome.err
    assert "Traceback" not in outcome.err


def test_citations_of_included_works_are_followed(run: Run, answered: Json) -> None:
    """Until nothing was included since; `--again` asks for what has appeared."""
    run("strategy", "add", "gambling")
    indexes = ("--demo", "-s", "demo-crossref,demo-openalex")
    run("strategy", "run", *indexes, "--per-source", "15")
    nothing = run("strategy", "cite", *indexes)
    before = steps(answered)
    run("works", "mark", "relevant", "--stage", "fulltext", "--all-matching")

    cited = answered("strategy", "cite", *indexes)
    twice = run("strategy", "cite", *indexes)
    again = answered("strategy", "cite", "--again", *indexes)

    assert "No work is included yet" in nothing.err
    assert not any("citations" in text for text in before.values())
    assert (cited["mode"], cited["new_works"] > 0) == ("citations", True)
    assert "asked for already" in twice.err
    assert again["new_works"] == 0
    assert [text for text in steps(answered).values() if "citations" in text] == [
        "citations(included; references, cited_by; in demo-crossref, demo-openalex)"
    ]


def test_what_lines_have_brought_and_words_that_are_missing(run: Run, answered: Json) -> None:
    """As tables, and as JSON; the databases are asked what a word would cost."""
    run("strategy", "add", "title:gambling")
    run("strategy", "set", "--sources", "demo-pubmed,demo-crossref")
    run("strategy", "run", "--demo")
    assert run("strategy", "words").code == 2
    run("strategy", "known", "add", "Wagers on horses (1990)")

    found = answered("strategy", "evidence")
    words = answered("strategy", "words", "-n", "2", "--count", "1", "--demo")

    (line,) = found["lines"]
    assert line["all"]["works"] == found["works"] > 0
    assert [one["name"] for one in found["missed"]] == ["Wagers on horses (1990)"]
    assert "| Database | Works |" in run("strategy", "evidence").out
    (first,) = words["words"]
    assert (first["text"], first["line"], first["brought"]) == ("wagers on horses", 1, 1)
    assert len(first["hits"]) == 2
