"""`project demo` makes the worked examples, which the next commands are about."""

from __future__ import annotations

import pytest

from metasearch.review.examples import EXAMPLES
from metasearch.review.projects import commands
from tests.cli.conftest import Run


def test_its_names_are_those_of_the_examples():
    """The help names what there is."""
    assert tuple(commands.EXAMPLES.values()) == tuple(EXAMPLES)


@pytest.mark.slow
def test_both_examples_are_made(answered, run: Run):
    """A project each, with works and runs; reports of both can be written at once."""
    made = answered("project", "demo")

    assert [one["name"] for one in made] == ["gambling-harms", "shallow-lake"]
    assert all(one["holds"]["works"] and not one["holds"]["undecided"] for one in made)
    assert "查新点 2" in run("report", "chaxin", "--format", "md").out
    flow = run("report", "prisma-flow", "--format", "md", "--project", "gambling-harms")
    assert "PRISMA 2020 flow" in flow.out


def test_what_is_there_stays(answered, run: Run):
    """A second call makes what is lacking, and says with advice that nothing is."""
    first = answered("project", "demo", "novelty")
    second = answered("project", "demo")

    assert [one["name"] for one in (*first, *second)] == ["shallow-lake", "gambling-harms"]
    outcome = run("project", "demo")
    assert outcome.code == 2
    assert "There is a project 'gambling-harms' already" in outcome.err
    assert "Delete it" in outcome.err


def test_an_example_may_have_another_name(answered, run: Run):
    """With --name one example is made, and it must be said which."""
    assert answered("project", "demo", "novelty", "--name", "trial")[0]["name"] == "trial"

    outcome = run("project", "demo", "--name", "trial")
    assert outcome.code == 2
    assert "review or novelty" in outcome.err
