"""Misspelt commands: they are asked about, and not searched for."""

from __future__ import annotations

import pytest

from metasearch.cli.command_group import edits, nearest
from metasearch.cli.root import root
from tests.cases import each
from tests.cli.conftest import Run
from tests.cli.fake import hit, ok
from tests.cli.test_search import Script


@each(
    ("args", "command"),
    [
        (["sevre"], "serve"),
        (["sorces"], "sources"),
        (["Serve"], "serve"),
        (["cahce"], "cache"),
        (["hravest"], "harvest"),
        (["sevre", "--demo"], "serve"),
        (["--demo", "sevre", "--port", "8000"], "serve"),
        (["source", "list"], "sources list"),
        (["source", "lst"], "sources list"),
        (["sources", "lst"], "sources list"),
        (["cache", "cleer"], "cache clear"),
    ],
)
def test_issue_14_10_a_misspelt_command_is_asked_about_and_not_searched_for(
    run: Run, engine: Script, args: list[str], command: str
) -> None:
    """A word within two letters of a command exits 2, names the command, and asks no source."""
    outcome = run(*args)

    assert outcome.code == 2
    assert outcome.out == ""
    assert f"Did you mean: metasearch {command}?" in outcome.err
    assert "metasearch search " in outcome.err
    assert "metasearch -- " in outcome.err
    assert engine.made == []


@each("before", [["search"], ["--"]])
@each("words", [["sevre"], ["source", "list"], ["sources", "list"], ["strategies", "of", "mice"]])
def test_issue_14_10_what_the_question_says_searches(
    run: Run, engine: Script, before: list[str], words: list[str]
) -> None:
    """`metasearch search WORD` and `metasearch -- WORD` search for whatever resembles a command."""
    engine.hits, engine.reports = [hit()], [ok()]

    outcome = run(*before, *words)

    assert outcome.code == 0
    assert engine.made[-1].asked["query"] == " ".join(words)


@pytest.mark.parametrize(
    "args",
    [
        ["mice"],
        ["sevre", "mice"],
        ["source", "criticism"],
        ["sevre mice"],
        ["source list"],
        ["nerve", "-s", "pubmed"],
        ["nerve", "--", "-x"],
        ["氣候變遷"],
    ],
)
def test_issue_14_10_what_resembles_no_command_is_searched_for(
    run: Run, engine: Script, args: list[str]
) -> None:
    """Other words, several words, and a word with options that the command would not take are
    queries."""
    engine.hits, engine.reports = [hit()], [ok()]

    assert run(*args).code == 0
    assert len(engine.made) == 1


@each("args", [["serve", "justice"], ["sources", "of", "error"]])
def test_issue_14_10_a_command_with_words_of_a_query_tells_how_to_search_for_them(
    run: Run, args: list[str]
) -> None:
    """A command that takes no such words exits 2 and says how they are searched for."""
    outcome = run(*args)

    assert outcome.code == 2
    assert f"metasearch -- {' '.join(args)}" in outcome.err


@each(
    ("left", "right", "count"),
    [
        ("serve", "serve", 0),
        ("sevre", "serve", 1),
        ("srv", "serve", 2),
        ("", "serve", 5),
        ("ca", "abc", 3),
    ],
)
def test_edits(left: str, right: str, count: int) -> None:
    """Letters changed, put in, left out, or swapped with their neighbour; either way."""
    assert edits(left, right) == edits(right, left) == count


def test_the_nearest_name_is_taken() -> None:
    """A word is taken for the command that it resembles most, and a long one for none."""
    assert nearest("serach", root.commands) == "search"
    assert nearest("serve" * 100_000, root.commands) is None
