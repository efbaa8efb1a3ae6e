"""Numbers of a database that contradict one another: why, and what to write for it."""

from __future__ import annotations

from typing import Any

import pytest

from metasearch.query import parse
from metasearch.review.runs.contradictions import Contradiction, Counted, contradiction
from metasearch.review.runs.runs import StoredAnswer


def counted(number: int, text: str, hits: int | None, sent: str = "", **more: Any) -> Counted:
    """A line with the number that a database gave for it."""
    fields: dict[str, Any] = {
        "exact": True,
        "asked_at": "2026-11-20T10:00:00Z",
        "notes": (),
        **more,
    }
    answer = StoredAnswer(
        id=number,
        run=1,
        step=number,
        source="alpha",
        label="Alpha",
        place="database",
        status="ok",
        error="",
        advice="",
        digest="",
        query=text,
        sent=sent or text,
        requests=(),
        claimed=hits,
        fetched=None,
        filtered=None,
        unread=None,
        cached=False,
        seconds=None,
        spec="",
        **fields,
    )
    return Counted(number, parse(text), answer, hits)


def explained(line: Counted, *parts: Counted) -> Contradiction:
    """What contradicts the number of a line."""
    found = contradiction(line, list(parts), "Alpha")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (("a OR b", 9), [("a", 7), ("b", 5)]),
        (("a OR b", 7), [("a", 7), ("b", 5)]),
        (("a AND b", 5), [("a", 7), ("b", 5)]),
        (("a NOT b", 7), [("a", 7), ("b", 5)]),
        (("a OR b OR c", 99), [("a", 7), ("b", 5)]),  # c may have many
        (("(a OR b) AND c", 9), [("a", 7)]),  # neither holds the other
        (("a OR b", None), [("a", 7)]),
        (("a OR b", 1), [("a", None)]),
    ],
)
def test_numbers_that_can_be(
    line: tuple[str, int | None], parts: list[tuple[str, int | None]]
) -> None:
    """Nothing is said of them, nor of what is not known."""
    known = [counted(number, *part) for number, part in enumerate(parts, 1)]

    assert contradiction(counted(9, *line), known, "Alpha") is None


def test_a_number_of_another_query_is_the_first_cause() -> None:
    """The database could not be asked all of it, and the note says what was lost."""
    part = counted(1, "soil", 9, exact=False, notes=("truncation was lost",))

    found = explained(counted(3, "soil OR peat", 7), part)

    assert found.reason.startswith("Alpha: fewer hits than for step 1")
    assert found.cause == (
        "Its number for step 1 is not that of the whole query: truncation was lost"
    )
    assert found.advice.startswith("Write step 1 with what")


def test_numbers_of_two_days() -> None:
    """The database has changed between."""
    part = counted(1, "soil", 9, asked_at="2026-11-18T10:00:00Z")

    found = explained(counted(3, "soil OR peat", 7), part)

    assert "on 2026-11-18 and on 2026-11-20" in found.cause
    assert found.advice == "Count both steps again on one day."


@pytest.mark.parametrize(
    ("text", "sent", "cause", "advice"),
    [
        ("soil* OR peat", "", "begin with soil", "in place of soil*"),
        (
            "soil OR peat",
            "",
            "A word without a field, as soil,",
            "title:soil OR abstract:soil OR subject:soil",
        ),
        ("title:soil OR title:peat", "", "in another order", "(soil) OR (…)"),
        ("title:soil OR title:peat", "x" * 3_000, "has 3,000 characters", "Divide the step in two"),
    ],
)
def test_an_or_below_its_part(text: str, sent: str, cause: str, advice: str) -> None:
    """Truncation, words of which other forms are looked for, length, the order of operators."""
    first = text.partition(" OR ")[0]

    found = explained(counted(3, text, 7, sent), counted(1, first, 9, "soil"))

    assert cause in found.cause
    assert advice in found.advice


def test_an_and_above_its_part() -> None:
    """Words that were sent without operators are looked for one by one; else it is their order."""
    parts = (counted(1, "soil", 9), counted(2, "peat", 5))

    bare = explained(counted(3, "soil AND peat", 12, "soil peat"), *parts[::-1])
    joined = explained(counted(3, "soil AND peat", 12, "soil AND peat"), *parts)
    excluding = explained(counted(3, "soil NOT peat", 12, "soil NOT peat"), *parts)

    assert bare.cause.endswith("counts works with some of them: soil peat")
    assert bare.advice.endswith("leave the rest to screening: peat.")
    assert joined.advice.endswith("(soil) AND (…).")
    assert excluding.advice.endswith("(soil) NOT (…).")


def test_an_or_above_all_its_parts_together() -> None:
    """Both parts are named, and how they are written."""
    found = explained(counted(3, "soil OR peat", 20), counted(1, "soil", 9), counted(2, "peat", 5))

    assert found.steps == (1, 2)
    assert "more hits than for all steps together" in found.reason
    assert found.advice == "Write for this database each part in brackets: (soil) OR (peat)."
