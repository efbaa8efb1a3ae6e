"""Keys that thousands share: the work stays linear, and what is passed over is counted."""

from __future__ import annotations

import pytest

from metasearch import garbage_collection
from metasearch.dedup import DEFAULT, OnlineDedup, index
from metasearch.dedup.clusters import ALL_PAIRS
from metasearch.record import Record
from tests.dedup.records import ARTICLE, record


def stage_of(rows: list[Record]) -> OnlineDedup:
    stage = OnlineDedup(DEFAULT)
    for row in rows:
        stage.insert(row)
    return stage


#: Smaller crowds, which are compared within a year as large ones are.
CROWD, OF_A_YEAR = 40, 4


@pytest.fixture(autouse=True)
def _small_crowds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "CROWD_OF_FEW", CROWD)
    monkeypatch.setattr(index, "OF_A_YEAR_OF_FEW", OF_A_YEAR)


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """One entry for each comparison."""
    asked: list[object] = []
    judge = type(DEFAULT).judge

    def counted(*arguments: object, **options: object) -> object:
        asked.append(None)
        return judge(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(type(DEFAULT), "judge", counted)
    return asked


def test_copies_are_one_work_and_cost_one_comparison(compared: list[object]) -> None:
    """A record that says what another one says is put beside it, however many there are."""
    rows = [record("s", number, **ARTICLE) for number in range(100)]
    stage = stage_of(rows)

    assert [len(works) for works in stage.clusters()] == [100]
    assert len(compared) < 3 * len(rows)
    (hit,) = stage.hits()
    assert len(hit.matches) == 99


def test_a_crowd_is_compared_within_its_years() -> None:
    """Beyond so many records of one key, one meets those of its own and the adjoining years."""
    rows = [
        record(
            "s",
            number,
            **{**ARTICLE, "year": 1500 + number % 20, "volume": str(number), "pages": None},
        )
        for number in range(2 * CROWD)
    ]
    twin = {**ARTICLE, "year": 1500, "volume": "0", "pages": None}
    stage = stage_of([*rows, record("t", 1, **twin)])

    assert stage.counts.duplicates == 1


def test_the_comparisons_of_a_title_of_many_years_are_linear(compared: list[object]) -> None:
    """Beyond a crowd, each work of one title is compared with some of its year and a few of the
    years beside it.

    That holds for all its keys together: those of title and year bring no others than the title
    alone does.
    """
    for number in (60, 150):
        compared.clear()
        works = stage_of(
            [
                record(
                    "s", n, **{**ARTICLE, "year": 1900 + n % 20, "volume": str(n), "pages": None}
                )
                for n in range(number)
            ]
        )

        assert len(works.clusters()) == number
        assert len(compared) <= CROWD**2 / 2 + 2 * OF_A_YEAR * number


def test_what_is_passed_over_is_counted() -> None:
    """Nearly identical records of one year are more than are compared."""
    rows = [
        record("s", number, **{**ARTICLE, "pages": f"{number}-{number + 9}"})
        for number in range(2 * CROWD)
    ]

    assert stage_of(rows).passed_over > 0


def test_a_cluster_beyond_all_pairs_still_holds() -> None:
    """Records that agree with one another are one work, also where too many to ask each."""
    rows = [
        record("s", number, **{**ARTICLE, "abstract": f"Note {number}."})
        for number in range(ALL_PAIRS + 20)
    ]

    assert len(stage_of(rows).clusters()) == 1


def test_garbage_is_collected_as_before_afterwards() -> None:
    """A job does not leave the process changed."""
    import gc

    before = gc.get_threshold()
    with garbage_collection.rarely():
        assert gc.get_threshold() != before

    assert gc.get_threshold() == before
