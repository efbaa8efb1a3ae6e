"""What is new: works none of whose names was found before; articles of preprints; retractions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.record import Hit, Record
from metasearch.review.alerts import news
from metasearch.review.alerts.news import RunNews as News
from metasearch.review.alerts.news import WorkOfRun, WorkState, judge, names_of
from tests.cases import each
from tests.examples import examples

YEAR = 2026
BOTH = frozenset({"alpha", "beta"})


def record(source: str, source_id: str, **more: Any) -> Record:
    """A record of an older article."""
    known: dict[str, Any] = {"title": "Soil carbon", "year": 2010, "type": "article"}
    return Record(source=source, source_id=source_id, **(known | more))


def found(*records: Record) -> WorkOfRun:
    """The work of these records."""
    return WorkOfRun.of(Hit(id="h" + "0" * 12, record=records[0], records=records, provenance={}))


def told(
    works: Iterable[WorkOfRun],
    known: Mapping[str, WorkState] | None = None,
    *,
    answered: Iterable[str] = BOTH,
    **more: Any,
) -> list[str | None]:
    """The kind of each work, None for what is silent."""
    works = list(works)
    judged = judge(works, known or {}, answered=frozenset(answered), year=YEAR, **more)
    kinds = {id(one.found): one.kind for one in judged.seen}
    return [kinds.get(id(work)) for work in works]


def after(*works: WorkOfRun, known: Mapping[str, WorkState] | None = None) -> dict[str, WorkState]:
    """The names that a run with these works keeps."""
    judged = judge(works, known or {}, answered=BOTH, year=YEAR)
    kept = dict(known or {})
    for one in judged.seen:
        kept |= dict.fromkeys(one.found.names, one.state)
    return kept


ARTICLE = record("alpha", "1", doi="10.1000/one", ids={"pmid": "11"})
PREPRINT = record("arxiv", "2001.1", type="preprint", doi="10.48550/arxiv.2001.1", year=2020)


# ------------------------------------------------------------------------- names


def test_a_work_is_called_by_all_its_records_and_identifiers() -> None:
    """Keys of records, DOI, PMID and whatever else they bear."""
    work = found(ARTICLE, record("beta", "x", ids={"arxiv": "2001.00001"}))

    assert set(work.names) == {
        "alpha:1",
        "beta:x",
        "doi:10.1000/one",
        "pmid:11",
        "arxiv:2001.00001",
    }


def test_a_record_without_an_id_is_called_by_what_it_says() -> None:
    """Its place in an answer is no name: it is another one tomorrow."""
    one = Record(source="alpha", title="Soil carbon", year=2010, position=3)
    moved = replace(one, position=8)
    other = replace(one, title="Peat")

    assert names_of(one) == names_of(moved)
    assert names_of(one) != names_of(other)
    assert "@" not in names_of(one)[0]


def test_chapters_of_a_known_book_are_new() -> None:
    """The ISBN of a book is no name of what stands in it."""
    book = record("alpha", "b", type="book", isbn=("9780000000001",))
    chapter = record("alpha", "c", type="chapter", isbn=("9780000000001",))

    assert told([found(chapter)], after(found(book))) == ["new"]
    assert told([found(replace(book, source="beta"))], after(found(book))) == [None]


def test_names_are_bounded() -> None:
    """A long one is cut, and still differs from another that begins so; a work keeps so many."""
    long, longer = (record("alpha", "x" * count) for count in (5_000, 5_001))
    many = found(*(record("alpha", str(number)) for number in range(2_000)))

    assert names_of(long) != names_of(longer)
    assert all(len(name) <= news.LONGEST_NAME for name in (*names_of(long), *names_of(longer)))
    assert len(many.names) == news.MOST_NAMES


# ------------------------------------------------------------------------- new, late, silent


def test_a_work_that_no_run_has_found_is_new_whatever_its_date() -> None:
    """Databases index old works, too."""
    old = found(record("alpha", "9", year=1950))

    assert told([old], after(found(ARTICLE))) == ["new"]


@each(
    "year, answered, kind",
    [
        (2010, BOTH, "new"),
        (2010, {"beta"}, "late"),
        (None, {"beta"}, "late"),
        (YEAR - 2, {"beta"}, "late"),
        (YEAR - 1, {"beta"}, "new"),
        (YEAR, {"beta"}, "new"),
        (YEAR + 1, {"beta"}, "new"),
    ],
)
def test_a_source_that_was_away_does_not_flood(
    year: int | None, answered: set[str], kind: str
) -> None:
    """An older work that only such sources give is late; one of this or last year is new."""
    assert told([found(record("alpha", "9", year=year))], answered=answered) == [kind]


def test_one_source_that_answered_is_enough() -> None:
    """It would have given the work in the run before, if it had been there."""
    work = found(record("alpha", "9"), record("beta", "9"))

    assert told([work], answered={"beta"}) == ["new"]


def test_a_baseline_tells_nothing_but_keeps_all_names() -> None:
    """What it has found is known from then on."""
    works = [found(ARTICLE), found(record("beta", "2"))]

    assert told(works, baseline=True) == [None, None]
    assert told(works, after(*works)) == [None, None]


def test_another_source_of_a_known_work_is_silent_and_its_names_are_added() -> None:
    """So that its record alone is known, too."""
    both = found(ARTICLE, record("beta", "77", doi="10.1000/one"))
    known = after(found(ARTICLE))

    assert told([both], known) == [None]
    assert told([found(record("beta", "77"))], after(both, known=known)) == [None]


def test_works_that_join_or_are_divided_are_silent() -> None:
    """They are known by the names of either."""
    one, two = record("alpha", "1"), record("beta", "2", doi="10.1000/two")
    joined = found(one, two)

    assert told([joined], after(found(one), found(two))) == [None]
    assert told([found(one), found(two)], after(joined)) == [None, None]


# ------------------------------------------------------------------------- versions


def test_the_article_of_a_known_preprint_is_told_once() -> None:
    """Then the work is known as published, also in a run that finds the preprint alone."""
    article = record("alpha", "3", doi="10.1000/three")
    work = found(PREPRINT, article)
    known = after(found(PREPRINT))

    assert told([work], known) == ["version"]
    assert told([work], after(work, known=known)) == [None]
    again = after(found(PREPRINT), known=after(work, known=known))
    assert told([work], again) == [None]


def test_another_preprint_of_a_known_one_is_silent() -> None:
    """It is no article."""
    second = record("osf", "z", type="preprint")

    assert told([found(PREPRINT, second)], after(found(PREPRINT))) == [None]


def test_articles_that_a_source_gives_after_a_failure_are_late() -> None:
    """Unless they are of this or last year."""
    known = after(found(PREPRINT))
    old, fresh = (record("alpha", "3", year=year) for year in (2021, YEAR))

    assert told([found(PREPRINT, old)], known, answered={"arxiv"}) == ["late"]
    assert told([found(PREPRINT, fresh)], known, answered={"arxiv"}) == ["version"]


# ------------------------------------------------------------------------- retractions


def test_a_retraction_of_a_known_work_is_told_once() -> None:
    """Also in a baseline; and a source that fails later does not take it back."""
    retracted = found(replace(ARTICLE, retracted=True))
    known = after(found(ARTICLE))

    assert told([retracted], known) == ["retracted"]
    assert told([retracted], known, baseline=True) == ["retracted"]
    kept = after(retracted, known=known)
    assert told([retracted], kept) == [None]
    silent = after(found(ARTICLE), known=kept)
    assert told([retracted], silent) == [None]


def test_a_new_work_that_is_retracted_already_is_new() -> None:
    """There is nothing to take back."""
    retracted = found(replace(ARTICLE, retracted=True))

    assert told([retracted]) == ["new"]
    assert told([retracted], after(retracted)) == [None]


def test_a_correction_and_then_a_retraction_are_both_told() -> None:
    """A notice that joins a work says something of it; of a notice alone nothing is said."""
    notice = record("beta", "e", type="erratum", title="Erratum: Soil carbon")
    corrected = found(ARTICLE, notice)
    known = after(found(ARTICLE))

    assert told([corrected], known) == ["retracted"]
    kept = after(corrected, known=known)
    assert told([corrected], kept) == [None]
    assert told([found(replace(ARTICLE, retracted=True), notice)], kept) == ["retracted"]
    assert found(notice).state.said == 0


# ------------------------------------------------------------------------- bounds


def many(source: str, count: int, **more: Any) -> list[WorkOfRun]:
    """Works of one source."""
    return [found(record(source, f"{source}-{number}", **more)) for number in range(count)]


def judged(
    works: list[WorkOfRun], known: Mapping[str, WorkState], answered: frozenset[str] = BOTH
) -> News:
    """What is told of works."""
    return judge(works, known, answered=answered, year=YEAR)


def test_new_works_of_one_run_beyond_the_bound_wait_for_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their names are not kept, so none is lost; retractions are told first."""
    monkeypatch.setattr(news, "MOST_NEWS", 10)
    retracted = found(replace(ARTICLE, retracted=True))
    works = [*many("alpha", 24), retracted]
    known: dict[str, WorkState] = after(found(ARTICLE))

    heard: list[str] = []
    rest = [15, 5, 0]
    for waiting in rest:
        result = judged(works, known)
        assert result.waiting == waiting
        heard += [one.found.names[0] for one in result.told]
        for one in result.seen:
            known |= dict.fromkeys(one.found.names, one.state)

    assert heard[9] == retracted.names[0]  # in the order of the list
    assert len(heard) == len(set(heard)) == 25


def test_late_works_beyond_the_bound_are_counted_and_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else they would be new in the next run, in which their source has answered."""
    monkeypatch.setattr(news, "MOST_NEWS", 10)
    works = many("alpha", 25)

    result = judged(works, {}, answered=frozenset({"beta"}))
    assert (len(result.told), result.waiting, result.passed_over) == (10, 0, 15)
    known = {name: one.state for one in result.seen for name in one.found.names}
    assert judged(works, known).told == ()


# ------------------------------------------------------------------------- properties

WORKS = st.lists(
    st.builds(
        lambda ids, preprint, retracted, year: found(
            *(
                record(
                    "alpha" if number % 2 else "beta",
                    str(number),
                    type="preprint" if preprint else "article",
                    retracted=retracted or None,
                    year=year,
                )
                for number in ids
            )
        ),
        st.lists(st.integers(0, 12), min_size=1, max_size=4, unique=True),
        st.booleans(),
        st.booleans(),
        st.sampled_from([None, 1990, 2024, 2025, 2026]),
    ),
    max_size=6,
).map(lambda works: disjoint(works))


def disjoint(works: list[WorkOfRun]) -> list[WorkOfRun]:
    """Those that share no record with one before them, as in an answer."""
    taken: set[str] = set()
    kept = []
    for one in works:
        if taken.isdisjoint(one.names):
            taken.update(one.names)
            kept.append(one)
    return kept


@examples(2)
@given(st.lists(WORKS, max_size=5), st.sampled_from([BOTH, frozenset({"alpha"}), frozenset[str]()]))
def test_nothing_is_told_as_new_whose_name_was_seen(
    runs: list[list[WorkOfRun]], answered: frozenset[str]
) -> None:
    """Over any runs: new and late works have no name of an earlier run, all others have one; each
    name is told as new once, and as retracted once."""
    known: dict[str, WorkState] = {}
    retracted: set[str] = set()
    for works in runs:
        result = judged(works, known, answered=answered)
        assert result.waiting == result.passed_over == 0
        for one in result.seen:
            seen = known.keys() & set(one.found.names)
            if one.kind == "new":
                assert not seen
            if one.kind in ("retracted", "version") or (one.kind is None):
                assert seen
            if one.kind == "retracted":
                assert not seen <= retracted
                retracted |= set(one.found.names)
        for one in result.seen:
            for name in one.found.names:
                known[name] = one.state


@given(WORKS, st.randoms(use_true_random=False))
def test_a_run_that_finds_the_same_again_tells_nothing(works: list[WorkOfRun], random: Any) -> None:
    """Whatever sources answered before, and in whatever order the works come."""
    known = after(*works)
    random.shuffle(works)

    assert judged(works, known, answered=frozenset()).told == ()


@given(st.booleans(), st.integers(0, 2))
def test_states_are_read_as_they_were_written(preprint: bool, said: int) -> None:
    """And words of a later release are passed over."""
    state = WorkState(preprint, said)

    assert WorkState.of(str(state)) == state
    assert WorkState.of(f"{state} concern") == state
