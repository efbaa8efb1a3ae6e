"""Steps are added, edited and removed; numbers stay."""

from __future__ import annotations

import pytest

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.review.projects import log
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps
from metasearch.review.strategies.resolve import resolve_all
from metasearch.review.strategies.strategies import Step, Strategy


def fill(db: Database, strategy: Strategy, *texts: str) -> list[Step]:
    for text in texts:
        steps.add(db, strategy, text)
    return steps.of(db, strategy)


def test_steps_are_numbered_from_one(db: Database, strategy: Strategy) -> None:
    """Each says which others it names, and whether it is a mere combination."""
    made = fill(db, strategy, "gambl*", "harm*", "#1 AND #2", "#3 AND policy")
    assert [(it.number, it.kind, it.parents) for it in made] == [
        (1, "query", ()), (2, "query", ()), (3, "combine", (1, 2)), (4, "query", (3,)),
    ]  # fmt: skip


def test_a_number_is_never_used_again(db: Database, strategy: Strategy) -> None:
    """Nor does one change when others are removed."""
    fill(db, strategy, "a", "b", "c")
    steps.remove(db, strategy, 3)
    steps.remove(db, strategy, 1)
    assert steps.add(db, strategy, "d").number == 4
    assert [it.number for it in steps.of(db, strategy)] == [2, 4]
    with pytest.raises(QuerySyntaxError, match="There is no step 3"):
        steps.add(db, strategy, "#3 AND x")


def test_a_step_that_others_name_is_not_removed(db: Database, strategy: Strategy) -> None:
    """The error names them."""
    fill(db, strategy, "a", "#1 AND x", "or/1-2")
    with pytest.raises(UsageError, match="Step 1 is named by #2, #3"):
        steps.remove(db, strategy, 1)
    steps.remove(db, strategy, 3)
    steps.remove(db, strategy, 2)
    steps.remove(db, strategy, 1)
    assert steps.of(db, strategy) == []


def test_an_edit_changes_what_a_step_names(db: Database, strategy: Strategy) -> None:
    """And whether it is a combination; the digests of those that name it change."""
    fill(db, strategy, "a", "b", "#1 AND #2", "#3 NOT c")
    before = resolve_all(steps.of(db, strategy))
    new = steps.edit(db, strategy, 3, text="#1 AND x")
    after = resolve_all(steps.of(db, strategy))
    assert (new.kind, new.parents) == ("query", (1,))
    assert steps.of(db, strategy)[2] == new
    changed = [number for number in after if after[number].digest != before[number].digest]  # type: ignore[union-attr]
    assert changed == [3, 4]


def test_a_note_alone_changes_no_digest(db: Database, strategy: Strategy) -> None:
    """Nor the time of the last change of the text."""
    (old,) = fill(db, strategy, "a")
    new = steps.edit(db, strategy, 1, note="why", details={"hits": 3})
    assert (new.note, new.details, new.edited) == ("why", {"hits": 3}, old.edited)
    assert steps.edit(db, strategy, 1, details={"hits": None}).details == {}


def test_hits_of_a_line_are_those_of_its_query(db, strategy):
    """Another query drops what the line showed; a note does not."""
    step = steps.add(db, strategy, "α", details={"hits": 3, "copied": "α 3"})

    assert steps.edit(db, strategy, step.number, note="why").details["hits"] == 3
    assert steps.edit(db, strategy, step.number, text="β").details == {"copied": "α 3"}


def test_a_step_may_name_a_later_one(db: Database, strategy: Strategy) -> None:
    """By an edit, as long as no circle comes of it."""
    fill(db, strategy, "a", "b", "c")
    assert steps.edit(db, strategy, 1, text="#3 AND x").parents == (3,)


@pytest.mark.parametrize(
    ("number", "text", "way"),
    [(1, "#4 AND x", "#1 → #4 → #2 → #1"), (2, "#4", "#2 → #4 → #2")],
)
def test_a_step_cannot_name_itself_by_way_of_others(
    db: Database, strategy: Strategy, number: int, text: str, way: str
) -> None:
    """The error shows the circle, and the step stays as it was."""
    fill(db, strategy, "a", "#1 AND b", "c", "#2 OR #3")
    with pytest.raises(UsageError, match=f"Step {number} would name itself: {way}"):
        steps.edit(db, strategy, number, text=text)
    assert steps.of(db, strategy)[0].text == "a"


def test_a_step_cannot_name_itself(db: Database, strategy: Strategy) -> None:
    """Nor one that there is not; the place of the number is told."""
    fill(db, strategy, "a", "b")
    with pytest.raises(QuerySyntaxError, match="Step 3 names itself") as caught:
        steps.add(db, strategy, "#1 OR #3")
    assert caught.value.position == 7
    with pytest.raises(QuerySyntaxError, match="There is no step 9"):
        steps.edit(db, strategy, 2, text="#1 OR #9")


def test_a_range_leaves_out_what_was_removed(db: Database, strategy: Strategy) -> None:
    """With a note; its ends must be there."""
    fill(db, strategy, "a", "b", "c")
    steps.remove(db, strategy, 2)
    step = steps.add(db, strategy, "or/1-3")
    found = resolve_all(steps.of(db, strategy))[step.number]
    assert step.parents == (1, 3)
    assert found.text == "a OR c"  # type: ignore[union-attr]
    assert "removed steps are left out of the range: #2" in found.notes  # type: ignore[union-attr]
    with pytest.raises(QuerySyntaxError, match="There is no step 2"):
        steps.add(db, strategy, "or/1-2")


def test_an_import_has_no_query_that_others_could_name(db: Database, strategy: Strategy) -> None:
    """Its text is what was typed elsewhere, and stays."""
    step = steps.add_without_query(db, strategy, "import", "SU=(a OR", details={"file": "cnki.txt"})
    assert (step.kind, step.number, step.text) == ("import", 1, "SU=(a OR")
    with pytest.raises(QuerySyntaxError, match="Step 1 is an imported file"):
        steps.add(db, strategy, "#1 AND x")
    with pytest.raises(UsageError, match="imported file"):
        steps.edit(db, strategy, 1, text="x")
    assert steps.edit(db, strategy, 1, note="by Ann").note == "by Ann"


def test_every_change_is_in_the_log(db: Database, strategy: Strategy) -> None:
    """With what was before and after, and who did it."""
    steps.add(db, strategy, "a", by="Ann")
    steps.edit(db, strategy, 1, text="b", by="Ben")
    steps.remove(db, strategy, 1, by="Cat")
    lines = log.lines(db, strategy.project, most=3)[::-1]
    assert [(it.action, it.by, it.object) for it in lines] == [
        ("new step", "Ann", f"step:{strategy.id}/1"),
        ("edit step", "Ben", f"step:{strategy.id}/1"),
        ("remove step", "Cat", f"step:{strategy.id}/1"),
    ]
    assert [(it.before and it.before["text"], it.after and it.after["text"]) for it in lines] == [
        (None, "a"), ("a", "b"), ("b", None),
    ]  # fmt: skip


def test_an_edit_that_changes_nothing_is_not_in_the_log(db: Database, strategy: Strategy) -> None:
    """The same text again is no change."""
    steps.add(db, strategy, "a")
    steps.edit(db, strategy, 1, text="a", note="")
    assert len(log.lines(db, strategy.project)) == 3  # project, strategy, step


def test_a_mistake_adds_nothing(db: Database, strategy: Strategy) -> None:
    """Neither a step nor a line of the log."""
    with pytest.raises(QuerySyntaxError):
        steps.add(db, strategy, "(a")
    with pytest.raises(UsageError, match="no step 7"):
        steps.edit(db, strategy, 7, text="a")
    with pytest.raises(UsageError, match="no step 7"):
        steps.remove(db, strategy, 7)
    assert steps.of(db, strategy) == []
    assert steps.add(db, strategy, "a").number == 1


def test_bounds_are_told(db: Database, strategy: Strategy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of a strategy, characters of a text and of a note."""
    with pytest.raises(QuerySyntaxError, match="longer than 30,000"):
        steps.add(db, strategy, "a" * 30_001)
    with pytest.raises(UsageError, match="at most 10,000 characters"):
        steps.add(db, strategy, "a", note="n" * 10_001)
    with pytest.raises(UsageError, match="at most 20,000 characters"):
        steps.add_without_query(db, strategy, "import", "a" * 20_001)
    monkeypatch.setattr(steps, "MOST_STEPS", 1)
    steps.add(db, strategy, "a")
    with pytest.raises(UsageError, match="at most 1 steps"):
        steps.add(db, strategy, "b")


def test_strategies_have_numbers_of_their_own(db: Database, strategy: Strategy) -> None:
    """A step of one is none of the other."""
    from metasearch.review.projects import projects
    from metasearch.review.strategies import strategies

    other = strategies.create(projects.find(db, "harms"), "other")
    steps.add(db, strategy, "a")
    with pytest.raises(QuerySyntaxError, match="There is no step 1"):
        steps.add(db, other, "#1 AND x", number=5)
    assert steps.add(db, other, "b").number == 1
