"""The numbers of reports: what is counted, and that every sum holds."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.review.reports.numbers import Previous, ReportNumbers, numbers
from metasearch.review.runs import other_sources
from metasearch.review.store.database import Database
from tests.examples import examples
from tests.review.filled import Filled


@pytest.fixture
def filled(tmp_path: Path):
    with Database(tmp_path / "w.sqlite") as db:
        yield Filled(db)


def held(found: ReportNumbers) -> None:
    """Every sum of a flow diagram."""
    places = [found.of_place(place) for place in ("database", "register", "other")]
    assert sum(one.records for place in places for one in place) == found.identified
    assert found.identified - found.known - found.duplicates == found.works
    assert found.works == found.screened + found.not_screened
    assert found.screened == found.excluded + found.sought
    assert found.sought == found.not_retrieved + found.not_assessed + found.assessed
    assert found.assessed == found.excluded_reports + found.included
    assert found.duplicates >= 0
    assert found.studies <= found.included


def test_each_box_is_counted(filled: Filled):
    """Records, duplicates and each outcome of screening are what was stored."""
    works = filled.found({"pubmed": [1, 2, 3, 4, 5, 6, 7], "eric": [1, 2, 8]})
    filled.decide(works[0], "title", "excluded", "animals")
    for work in works[1:7]:
        filled.decide(work, "title", "relevant")
    filled.decide(works[1], "fulltext", "unavailable")
    filled.decide(works[2], "fulltext", "excluded", "no harm measured")
    filled.decide(works[3], "fulltext", "excluded", "no harm measured")
    filled.decide(works[4], "fulltext", "excluded")
    filled.decide(works[5], "fulltext", "relevant")
    found = numbers(filled.project)
    assert [(one.label, one.records) for one in found.sources] == [("Eric", 3), ("Pubmed", 7)]
    assert (found.identified, found.duplicates, found.works) == (10, 2, 8)
    assert (found.screened, found.not_screened) == (7, 1)
    assert (found.excluded, found.sought) == (1, 6)
    assert (found.not_retrieved, found.not_assessed, found.assessed) == (1, 1, 4)
    assert found.reasons == {"no harm measured": 2, "": 1}
    assert (found.included, found.studies) == (1, 1)
    held(found)


def test_a_record_counts_once_however_often_it_is_found(filled: Filled):
    """Two steps and a second run return the same records; they are no duplicates."""
    first, second = filled.step(), filled.step()
    run = filled.run()
    filled.answer(run, first, "pubmed", ["1", "2"])
    filled.answer(run, second, "pubmed", ["2", "3"])
    for name in "123":
        filled.work(run, f"pubmed:{name}")
    filled.answer(filled.run(), first, "pubmed", ["1", "2"])
    found = numbers(filled.project)
    assert (found.identified, found.duplicates, found.works) == (3, 0, 3)
    assert (found.first_run, found.last_run) == (1, 2)


def test_a_newer_version_of_a_record_is_the_same_record(filled: Filled):
    """A record that a source gives otherwise the next time is counted once."""
    works = filled.found({"pubmed": [1]})
    newer = filled.record("pubmed", "1", "newer")
    answer = filled.answer(filled.run(), filled.step(), "pubmed")
    filled.db.run("INSERT INTO finding (answer, record, position) VALUES (?, ?, 1)", answer, newer)
    filled.join(works[0], "pubmed:1", "newer")
    found = numbers(filled.project)
    assert (found.identified, found.duplicates, found.works) == (1, 0, 1)


def test_counts_and_failures_bring_no_records(filled: Filled):
    """A run for counts is not part of the flow; a source that failed gave nothing."""
    filled.found({"pubmed": [1]})
    filled.answer(filled.run("counts"), filled.step(), "openalex", claimed=900, fetched=None)
    filled.answer(filled.run(), filled.step(), "eric", status="error", error="no answer")
    found = numbers(filled.project)
    assert {one.source: one.records for one in found.sources} == {"eric": 0, "pubmed": 1}
    assert found.last_run == 3  # the run for counts is the second


def test_registers_and_files_by_hand_are_told_apart(filled: Filled):
    """A source has a place, and came by hand where only files brought it."""
    step = filled.step()
    filled.answer(filled.run(), step, "clinicaltrials", ["1"], place="register")
    filled.answer(filled.run("import"), filled.step(kind="import"), "cnki", ["a", "b"])
    found = numbers(filled.project)
    assert [one.source for one in found.of_place("register")] == ["clinicaltrials"]
    assert {one.source: one.by_hand for one in found.sources} == {
        "cnki": True,
        "clinicaltrials": False,
    }


def test_votes_of_screeners_are_no_decisions(filled: Filled):
    """What the project has decided counts alone, whoever has voted otherwise, and when."""
    decided, voted = filled.found({"pubmed": [1, 2]})
    filled.decide(decided, "title", "excluded")
    filled.decide(decided, "title", "relevant", by="bob")
    filled.decide(voted, "title", "relevant", by="ann")
    found = numbers(filled.project)
    assert (found.excluded, found.sought, found.not_screened) == (1, 0, 1)


def test_a_decision_on_the_full_text_says_that_the_title_has_passed(filled: Filled):
    """A work with a full-text decision only was screened; one left out by title stays out."""
    passed, out = filled.found({"pubmed": [1, 2]})
    filled.decide(passed, "fulltext", "relevant")
    filled.decide(out, "title", "excluded")
    filled.decide(out, "fulltext", "relevant")
    found = numbers(filled.project)
    assert (found.screened, found.excluded, found.included) == (2, 1, 1)
    assert found.contradictory == 1
    held(found)


def test_works_with_one_study_tag_are_one_study(filled: Filled):
    """Tags "study:NAME" join reports to studies, also over a work that has two of them."""
    works = filled.found({"pubmed": [1, 2, 3, 4, 5]})
    for work in works:
        filled.decide(work, "fulltext", "relevant")
    for work, tag in ((0, "study:a"), (1, "study:a"), (1, "study:b"), (2, "study:b"), (3, "c")):
        filled.tag(works[work], tag)
    found = numbers(filled.project)
    assert (found.included, found.studies) == (5, 3)


def test_a_new_report_of_an_earlier_study_is_no_new_study(filled: Filled):
    """An update counts the report; the study was included before."""
    (old,) = filled.found({"pubmed": [1]})
    last = filled.db.value("SELECT max(id) FROM run")
    new = filled.found({"eric": [2, 3]})
    for work in (old, *new):
        filled.decide(work, "fulltext", "relevant")
    for work in (old, new[0]):
        filled.tag(work, "study:a")
    previous = Previous(number="1", frozen="", run=last, studies=1, reports=1, works=1)
    found = numbers(filled.project, previous)
    assert (found.included, found.studies) == (2, 1)
    assert (found.total_reports, found.total_studies) == (3, 2)


def test_an_update_counts_what_came_after_the_earlier_report(filled: Filled):
    """Records of works that the earlier report has covered are known, and no duplicates."""
    first = filled.found({"pubmed": [1, 2], "eric": [1]})
    filled.decide(first[0], "fulltext", "relevant")
    last = filled.db.value("SELECT max(id) FROM run")
    run, step = filled.run(), filled.step()
    filled.answer(run, step, "pubmed", ["1", "2", "3", "4"])
    filled.answer(run, step, "eric", ["3"])
    third = filled.work(run, "pubmed:3", "eric:3")
    filled.work(run, "pubmed:4")
    filled.decide(third, "fulltext", "relevant")
    previous = Previous(number="1", frozen="", run=last, studies=1, reports=1, works=1)
    found = numbers(filled.project, previous)
    assert (found.identified, found.known, found.duplicates, found.works) == (5, 2, 1, 2)
    assert (found.included, found.total_reports, found.changed) == (1, 2, 0)
    held(found)
    filled.decide(first[1], "fulltext", "relevant")
    assert numbers(filled.project, previous).changed == 1


def test_other_ways_of_searching_are_added_to_what_is_included(filled: Filled):
    """Included reports of other ways count for the total, those of an earlier report once."""
    project = filled.project
    old = other_sources.add(project, "website", "WHO", identified=5, sought=2)
    other_sources.add(
        project, "citation", "Citations", identified=24, sought=9, excluded={"no harm": 4}
    )
    found = numbers(project)
    assert (found.other_included, found.total_reports) == (7, 7)
    previous = Previous(
        number="1", frozen="", run=0, studies=2, reports=2, works=0, other_sources=(old.id,)
    )
    found = numbers(project, previous)
    assert (found.other_included, found.total_reports, found.total_studies) == (5, 7, 7)


_VERDICTS = st.sampled_from(
    [
        (title, text)
        for title in (None, "relevant", "close", "excluded")
        for text in (None, "relevant", "excluded", "unavailable")
    ]
)


@examples(0.5)
@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 3), min_size=1), st.booleans(), _VERDICTS), max_size=12
    )
)
def test_the_sums_hold_for_any_decisions(rows):
    """Whatever works there are, found by whom and when, and decided how, no sum is wrong."""
    with TemporaryDirectory() as folder, Database(Path(folder) / "w.sqlite") as db:
        filled = Filled(db)
        runs, step = (filled.run(), filled.run()), filled.step()
        for late in (0, 1):
            for source in range(4):
                ids = [
                    str(n)
                    for n, (sources, new, _) in enumerate(rows)
                    # The later run finds the earlier works again.
                    if source in sources and (new <= late)
                ]
                filled.answer(runs[late], step, f"s{source}", ids)
        for n, (sources, new, (title, text)) in enumerate(rows):
            work = filled.work(runs[new], *(f"s{source}:{n}" for source in sources))
            for stage, verdict in (("title", title), ("fulltext", text)):
                if verdict:
                    filled.decide(work, stage, verdict)
        whole = numbers(filled.project)
        held(whole)
        assert whole.works == len(rows)
        previous = Previous(number="1", frozen="", run=runs[0], studies=0, reports=0, works=0)
        later = numbers(filled.project, previous)
        held(later)
        assert later.works == sum(new for _, new, _ in rows)
        assert later.known == sum(len(sources) for sources, new, _ in rows if not new)
