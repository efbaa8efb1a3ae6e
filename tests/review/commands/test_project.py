"""`metasearch project`: projects are made, chosen, shown, changed and deleted."""

from __future__ import annotations

import json
from pathlib import Path

from tests import cases
from tests.cli.conftest import Run
from tests.review.commands.conftest import Json


def test_the_project_that_was_made_last_is_the_one_that_commands_are_about(
    run: Run, answered: Json
) -> None:
    """`use` goes back to another one, and stderr says which it is."""
    run("project", "new", "first", "--kind", "review", "--title", "Gambling harms")
    run("project", "new", "second")
    newest = run("project", "show")
    run("project", "use", "first")

    assert newest.err == "project second\n"
    assert answered("project", "show")["title"] == "Gambling harms"
    assert [project["name"] for project in answered("project", "list")] == ["second", "first"]


def test_a_project_that_is_named_is_remembered(run: Run, answered: Json) -> None:
    """`--project` chooses the project of the next commands, too."""
    run("project", "new", "first")
    run("project", "new", "second")

    named = run("project", "show", "--project", "first")

    assert named.err == ""
    assert answered("project", "show")["name"] == "first"


def test_each_workspace_remembers_its_own_project(run: Run, answered: Json, tmp_path: Path) -> None:
    """`--workspace` names another file, before or after the command."""
    other = str(tmp_path / "other.sqlite3")
    run("project", "new", "here")
    run("project", "new", "there", "--workspace", other)

    assert answered("project", "show")["name"] == "here"
    assert answered("project", "show", "--workspace", other)["name"] == "there"
    assert answered("--workspace", other, "project", "show")["name"] == "there"


def test_the_list_has_what_each_project_holds(run: Run) -> None:
    """A star marks the project that is in use."""
    run("project", "new", "gambling", "--kind", "review", "--title", "Gambling harms")

    head, row = run("project", "list").out.splitlines()

    assert head.split() == ["name", "kind", "works", "undecided", "runs", "last", "run", "title"]
    assert row.split() == ["*", "gambling", "review", "0", "0", "0", "Gambling", "harms"]


def test_without_a_workspace_nothing_is_made(run: Run, answered: Json, file: Path) -> None:
    """Commands that read say how to begin, and leave no file behind."""
    outcome = run("project", "show")

    assert answered("project", "list") == []
    assert outcome.code == 2
    assert f"there is no workspace at {file}" in outcome.err
    assert "metasearch project new NAME" in outcome.err
    assert not file.exists()


def test_what_is_done_stands_in_the_log(run: Run, answered: Json) -> None:
    """With what was there before, the newest first."""
    run("project", "new", "a", "--title", "One")
    run("project", "edit", "--title", "Two")
    run("project", "archive")
    run("project", "archive", "--restore")

    changes = answered("project", "log")

    assert [(change["before"], change["after"]) for change in changes[:3]] == [
        ({"archived": True}, {"archived": False}),
        ({"archived": False}, {"archived": True}),
        ({"title": "One"}, {"title": "Two"}),
    ]
    assert len(answered("project", "log", "-n", "1")) == 1
    assert answered("project", "log", "--before", str(changes[1]["id"]))[0] == changes[2]


def test_a_project_is_deleted_after_a_question(run: Run, answered: Json) -> None:
    """Without a terminal `--yes` is needed; a deleted project is not remembered."""
    run("project", "new", "a")

    asked = run("project", "delete", "a")
    run("project", "delete", "a", "--yes")
    shown = run("project", "show")

    assert asked.code == 2
    assert "Add --yes." in asked.err
    assert answered("project", "list") == []
    assert "There is none yet" in shown.err


@cases.each(
    ("args", "said"),
    [
        (["new", "a b"], "'a b' cannot be a name"),
        (["new", "here"], "There is a project 'here' already"),
        (["new", "x", "--kind", "thesis"], "'thesis' is not one of"),
        (["use", "heer"], "Did you mean here?"),
        (["show", "--project", "there"], "There is no project 'there'"),
        (["edit", "--title", " "], "cannot be a title"),
        (["answer"], "there is nothing to answer"),
        (["answer", "novelty.client"], "is no answer"),
        (["answer", "novelty.cleint=x"], "Did you mean novelty.client"),
        (["questions", "--report", "thesis"], "no report 'thesis' asks anything"),
        (["other", "add", "website", "x", "--excluded", "many"], "no number"),
        (["other", "remove", "7"], "There is no other source 7"),
    ],
)
def test_what_cannot_be_done(run: Run, args: list[str], said: str) -> None:
    """It is said in words; exit code 2."""
    run("project", "new", "here")

    outcome = run("project", *args)

    assert outcome.code == 2
    assert said in outcome.err
    assert "Traceback" not in outcome.err


def test_questions_are_answered_once(run: Run, answered: Json, tmp_path: Path) -> None:
    """From the command line or from a file; an empty answer takes one away."""
    file = tmp_path / "answers.toml"
    file.write_text('[novelty]\npoints = ["第一点", "第二点"]\nclient = "Lake Institute"\n')
    run("project", "new", "lake", "--kind", "novelty")

    run("project", "answer", "--from", str(file), "novelty.client=湖泊研究所")
    given = {
        each["key"]: each["answer"]
        for each in answered("project", "questions")
        if each["answer"] is not None
    }
    run("project", "answer", "novelty.client=")
    left = {each["key"]: each["answer"] for each in answered("project", "questions")}

    assert given == {"novelty.client": "湖泊研究所", "novelty.points": ["第一点", "第二点"]}
    assert left["novelty.client"] is None
    assert "novelty.comparison.2" in left


def test_questions_that_a_report_lacks(run: Run, answered: Json) -> None:
    """`--missing` lists those without which the report is a draft."""
    run("project", "new", "lake", "--kind", "novelty")
    before = {each["key"] for each in answered("project", "questions", "--missing")}
    run("project", "answer", "novelty.client=湖泊研究所")

    after = {
        each["key"] for each in answered("project", "questions", "--report", "chaxin", "--missing")
    }

    assert "novelty.client" in before - after
    assert "novelty.points" in after


def test_other_ways_of_searching_have_numbers_that_a_person_knows(run: Run, answered: Json) -> None:
    """What is not known is null, not 0."""
    run("project", "new", "a")

    run(
        *("project", "other", "add", "website", "WHO", "--date", "2026-05-03"),
        *("--identified", "4", "--sought", "2", "--excluded", "wrong population=1"),
    )
    (listed,) = answered("project", "other", "list")
    run("project", "other", "remove", str(listed["id"]))

    assert (listed["name"], listed["identified"], listed["not_retrieved"]) == ("WHO", 4, None)
    assert listed["excluded"] == {"wrong population": 1}
    assert answered("project", "other", "list") == []


def test_the_workspace_is_shown_copied_and_checked(
    run: Run, answered: Json, file: Path, tmp_path: Path
) -> None:
    """A backup is a workspace of its own; one that exists is not overwritten."""
    nothing = answered("workspace", "where")
    run("project", "new", "a")
    target = tmp_path / "copy.sqlite3"

    made = answered("workspace", "backup", str(target))
    again = run("workspace", "backup", str(target))
    where = answered("workspace", "where")

    assert (nothing["exists"], nothing["projects"]) == (False, None)
    assert made["projects"] == 1
    assert again.code == 2
    assert (where["file"], where["projects"], where["project"]) == (str(file), 1, "a")
    assert answered("project", "list", "--workspace", str(target))[0]["name"] == "a"
    assert answered("workspace", "check") == []


def test_remains_are_told_and_removed(run: Run, answered: Json, file: Path) -> None:
    """A check finds what a killed import has left, and removes it only where that is asked for."""
    run("project", "new", "a")
    folder = file.with_name(f"{file.stem}-recorded") / "zzzzzzzzzzzz"
    folder.mkdir(parents=True)

    found = answered("workspace", "check")
    assert folder.is_dir()
    repaired = run("workspace", "check", "--repair")

    assert str(folder) in found[0]["what"]
    assert "--repair" in found[0]["advice"]
    assert str(folder) in repaired.err
    assert repaired.code == 0
    assert answered("workspace", "check") == []
    assert not folder.exists()


def test_a_damaged_workspace_is_told(run: Run, file: Path) -> None:
    """The check exits 3 or 2, and no command shows a traceback."""
    run("project", "new", "a")
    data = bytearray(file.read_bytes())
    data[8192:12288] = b"\xff" * 4096
    file.write_bytes(bytes(data))

    outcome = run("workspace", "check")

    assert outcome.code in (2, 3)
    assert "damaged" in outcome.out + outcome.err
    assert "Traceback" not in outcome.err


def test_a_file_of_something_else_is_left_alone(run: Run, file: Path) -> None:
    """It is no workspace, and stays as it is."""
    file.parent.mkdir(parents=True)
    file.write_text("my notes")

    outcome = run("project", "new", "a")

    assert outcome.code == 2
    assert file.read_text() == "my notes"


def test_json_is_one_document_with_stable_members(run: Run) -> None:
    """Results are on stdout, and nothing else is."""
    outcome = run("project", "new", "a", "--json")

    assert set(json.loads(outcome.out)) == {
        *("uid", "name", "kind", "title", "created", "archived", "version")
    }


def test_included_works_are_checked(run: Run, answered: Json) -> None:
    """The exit code tells whether all is well; the report warns until then; what was said is shown
    again without asking anybody.
    """
    run("project", "new", "gambling", "--kind", "review")
    run("strategy", "add", "gambling")
    run("strategy", "run", "--demo", "-s", "demo-pubmed", "--per-source", "5")
    nothing = run("project", "check", "--demo")
    run("works", "mark", "relevant", "--stage", "fulltext", "--all-matching")
    before = run("report", "prisma-flow")
    checked = answered("project", "check", "--demo", "-s", "demo-pubmed,demo-openalex")
    shown = answered("project", "check", "--show")
    after = run("report", "prisma-flow")

    assert (nothing.code, "Decide on its works" in nothing.err) == (2, True)
    assert "warning: None of the 5 included works was checked" in before.err
    assert (checked["included"], checked["checked"], checked["serious"]) == (5, 5, 0)
    assert {each["verdict"] for each in checked["works"]} == {"confirmed"}
    assert shown == checked
    assert "warning" not in after.err
    assert "5 of 5 included works" in after.out
    assert run("project", "check", "--stop").code == 2
