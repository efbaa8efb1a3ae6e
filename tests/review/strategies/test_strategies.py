"""Search strategies of a project."""

from __future__ import annotations

import pytest

from metasearch.errors import UsageError
from metasearch.review.projects import log, projects
from metasearch.review.projects.projects import Project
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies import steps as copying
from metasearch.review.strategies.strategies import Strategy
from tests import cases


def test_a_strategy_is_found_by_its_name(db: Database, project: Project) -> None:
    """With its sources and years as typed."""
    made = strategies.create(project, "main", sources=["pubmed", " pubmed "], years="2015-")
    assert strategies.find(project, "main") == made
    assert (made.sources, made.years) == (("pubmed",), "2015-")


def test_without_a_name_the_newest_one_is_found(db: Database, project: Project) -> None:
    """Which is the only one where there is one."""
    with pytest.raises(UsageError, match="has no search strategy"):
        strategies.find(project, None)
    strategies.create(project, "first")
    newest = strategies.create(project, "second")
    assert strategies.find(project, None) == newest
    assert [it.name for it in strategies.of(project)] == ["first", "second"]


def test_a_wrong_name_is_an_error_with_near_ones(db: Database, strategy: Strategy) -> None:
    """So that a slip is seen."""
    project = projects.find(db, "harms")
    with pytest.raises(UsageError, match="no search strategy 'mian'") as caught:
        strategies.find(project, "mian")
    assert caught.value.advice == "Did you mean main?"


def test_a_change_is_in_the_log_with_what_was_before(db: Database, strategy: Strategy) -> None:
    """Only what changed is; None removes a detail."""
    strategies.update(db, strategy, years="2010-", details={"peer_review": "J Doe"}, by="Ann")
    new = strategies.update(db, strategy, years="2010-", details={"peer_review": None})
    assert new.details == {}
    last, first = log.lines(db, strategy.project, most=2)
    assert (first.action, first.by, first.object) == (
        "edit strategy", "Ann", f"strategy:{strategy.id}",
    )  # fmt: skip
    assert first.before == {"years": "", "peer_review": None}
    assert first.after == {"years": "2010-", "peer_review": "J Doe"}
    assert (last.before, last.after) == ({"peer_review": "J Doe"}, {"peer_review": None})


def test_nothing_changed_is_not_in_the_log(db: Database, strategy: Strategy) -> None:
    """An update to the same values is none."""
    strategies.update(db, strategy, note="", name="main")
    assert log.lines(db, strategy.project, most=1)[0].action == "new strategy"


@cases.each(
    "wrong",
    [
        {"name": "main"},
        {"name": "a b"},
        {"name": "x", "years": "soon"},
        {"name": "x", "sources": ["a\nb"]},
        {"name": "x", "sources": [str(number) for number in range(300)]},
        {"name": "x", "note": "n" * 20_000},
        {"name": "x", "details": {"k": "v" * 300_000}},
        {"name": "x", "details": {"k": object()}},
    ],
)
def test_what_cannot_be_kept_is_an_error(
    db: Database, project: Project, strategy: Strategy, wrong: dict[str, object]
) -> None:
    """With advice, and nothing is made."""
    with pytest.raises(UsageError) as caught:
        strategies.create(project, **wrong)  # type: ignore[arg-type]
    assert caught.value.advice
    assert strategies.of(project) == [strategy]


def test_a_project_holds_a_bounded_number(
    db: Database, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error says how many."""
    monkeypatch.setattr(strategies, "MOST_STRATEGIES", 1)
    strategies.create(project, "a")
    with pytest.raises(UsageError, match="at most 1 search strategies"):
        strategies.create(project, "b")


def test_a_copy_keeps_numbers_and_says_where_it_is_from(db: Database, strategy: Strategy) -> None:
    """Imported files stay with the original."""
    for text in ("gambl*", "x", "harm*", "#1 AND #3"):
        steps.add(db, strategy, text)
    steps.remove(db, strategy, 2)
    steps.add_without_query(db, strategy, "import", "SU=赌博")
    copy = copying.copy_strategy(db, strategy, "second")
    assert [(it.number, it.text, it.parents) for it in steps.of(db, copy)] == [
        (1, "gambl*", ()), (3, "harm*", ()), (4, "#1 AND #3", (1, 3)),
    ]  # fmt: skip
    assert copy.details["derived_from"]["strategy"] == "main"
    assert copy.details["imports_left_out"] == [5]


def test_a_reordered_copy_has_new_numbers_everywhere(db: Database, strategy: Strategy) -> None:
    """The original stays as it is."""
    for text in ("gambl*", "betting", "or/1-2", "limit 3 to yr=2020-", "#1-#3 NOT mice"):
        steps.add(db, strategy, text)
    copy = copying.reorder(db, strategy, [3, 2, 1, 5, 4], "other")
    assert [it.text for it in steps.of(db, copy)] == [
        "or/3,2", "betting", "gambl*", "or/3,2,1 NOT mice", "limit 1 to yr=2020-",
    ]  # fmt: skip
    assert copy.details["numbers"] == {"1": 3, "2": 2, "3": 1, "4": 5, "5": 4}
    assert steps.of(db, strategy)[2].text == "or/1-2"


@cases.each("order", [[1], [1, 1], [1, 2, 3], []])
def test_an_order_names_each_step_once(db: Database, strategy: Strategy, order: list[int]) -> None:
    """Otherwise nothing is copied."""
    steps.add(db, strategy, "a")
    steps.add(db, strategy, "b")
    with pytest.raises(UsageError, match="each step once"):
        copying.reorder(db, strategy, order, "other")


def test_a_deleted_project_takes_its_strategies_along(db: Database, strategy: Strategy) -> None:
    """Steps that name one another do not prevent it."""
    for text in ("a", "b", "#1 AND #2"):
        steps.add(db, strategy, text)
    projects.delete(projects.find(db, "harms"))
    assert db.value("SELECT count(*) FROM step") == 0
