"""Records become records of the project, findings and works; ids of works stay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from metasearch.errors import UsageError
from metasearch.review.projects import log
from metasearch.review.store.database import Database
from metasearch.review.works import decisions, intake, works
from metasearch.review.works.works import CONFLICT_TAG as CONFLICT
from tests.review.works.held import Held, keys, paper

#: Two descriptions of one work that nothing joins but a third one, which has the DOI of the one and
#: the PubMed number of the other.
LEFT = paper("a", 1, "Harms of gambling", doi="10.1000/one", author="", year=None)
RIGHT = paper("b", 2, "Harms from gambling", ids={"pmid": "7"}, author="", year=None)
BRIDGE = paper("c", 3, "Harms of gambling", doi="10.1000/one", ids={"pmid": "7"})


def rows(db: Database, held: Held, table: str) -> int:
    """How many rows of the project a table has."""
    count: int = db.value(f"SELECT count(*) FROM {table} WHERE project = ?", held.project.id)
    return count


def test_the_same_content_adds_no_row(db: Database) -> None:
    """A record that comes again in another run is the same row, found twice."""
    held = Held(db)
    held.add(paper("a", 1))
    again = held.add(replace(paper("a", 1), position=4))
    assert (again.new_records, again.known, again.new_works) == (0, 1, 0)
    assert rows(db, held, "record") == 1
    found = works.findings_of(db, held.works()[0])
    assert [(one.run, one.step, one.source, one.position) for one in found] == [
        (1, 1, "a", 1),
        (2, 1, "a", 4),
    ]


def test_another_content_is_a_version(db: Database) -> None:
    """The older version names the newer one; the work says what the newer one says, and both runs
    have found it."""
    held = Held(db)
    held.add(paper("a", 1))
    work = held.works()[0]
    changed = held.add(paper("a", 1, "Harms of online gambling"))
    assert (changed.new_records, changed.new_versions) == (0, 1)
    (now,) = held.works()
    assert (now.uid, now.title) == (work.uid, "Harms of online gambling")
    assert len(works.findings_of(db, now)) == 2
    back = held.add(paper("a", 1))
    assert (back.new_records, held.works()[0].title) == (0, "Harms of gambling")
    assert rows(db, held, "record") == 2


def test_one_key_twice_in_an_answer(db: Database) -> None:
    """A source that gives two works one id has given two records; the next run finds the same
    two."""
    held = Held(db)
    both = paper("a", 1), paper("a", 1, "Soil of the northern plains", author="Okafor")
    held.add(*both)
    assert len(held.works()) == 2
    again = held.add(*both)
    assert (again.known, again.new_versions, len(held.works())) == (2, 0, 2)


def test_records_without_id_are_known_by_their_content(db: Database) -> None:
    """Two files may both have a first record; neither is a version of the other."""
    held = Held(db)
    held.add(paper("cnki", ""))
    held.add(paper("cnki", "", "Soil of the northern plains", author="Okafor"))
    assert len(held.works()) == 2
    assert held.add(paper("cnki", "")).known == 1


def test_works_that_join_keep_the_older_id(db: Database) -> None:
    """The younger one's id, and every name, is a name of the older one; what was said comes
    along."""
    held = Held(db)
    held.add(LEFT)
    held.add(RIGHT)
    left, right = held.works()
    decisions.mark(held.project, [right.uid], "relevant", reason="about harms")
    decisions.tag(held.project, [right.uid], ["core"])
    decisions.set_note(held.project, right.uid, "read this")
    added = held.add(BRIDGE)
    assert added.joined == ((left.uid, right.uid),)
    (work,) = held.works()
    assert work.uid == left.uid
    assert work.decisions["title"].verdict == "relevant"
    assert (work.tags, work.note, work.first_run) == (("core",), "read this", 1)
    for name in (
        right.uid,
        "b:2",
        "PMID: 7",
        "https://doi.org/10.1000/ONE",
        right.hit.id,
        left.uid,
    ):
        assert held.work(name).uid == left.uid


def test_decisions_that_contradict(db: Database) -> None:
    """The kept work's decision stands; a tag and the log show that there was another."""
    held = Held(db)
    held.add(LEFT)
    held.add(RIGHT)
    left, right = held.works()
    decisions.mark(held.project, [left.uid], "excluded", reason="no harm")
    decisions.mark(held.project, [right.uid], "relevant")
    assert held.add(BRIDGE).conflicts == (left.uid,)
    (work,) = held.works()
    assert work.decisions["title"].verdict == "excluded"
    assert work.tags == (CONFLICT,)
    line = log.lines(db, held.project.id, most=1)[0]
    assert line.before[0]["said"]["decisions"][0][2] == "relevant"


def test_a_work_that_is_divided(db: Database) -> None:
    """The part with the oldest record stays the work; a part that was one before it joined is that
    one again."""
    held = Held(db)
    held.add(LEFT)
    held.add(RIGHT)
    left, right = held.works()
    decisions.mark(held.project, [right.uid], "relevant")
    held.add(BRIDGE)
    held.add(paper("c", 3, "Soil of the northern plains", author="Okafor"))
    one, *others = held.works()
    assert keys([one, *others]) == [["a:1"], ["b:2"], ["c:3"]] or keys([one, *others]) == [
        ["a:1"], ["c:3"], ["b:2"]
    ]  # fmt: skip
    assert one.uid == left.uid
    assert one.decisions["title"].verdict == "relevant"
    assert held.work(right.uid).decisions["title"].verdict == "relevant"
    assert held.work("b:2").uid == right.uid


def test_a_new_part_is_undecided_and_has_the_tags(db: Database) -> None:
    """Nobody has looked at it alone."""
    held = Held(db)
    held.add(paper("a", 1, doi="10.1000/one"), paper("b", 2, doi="10.1000/one"))
    (work,) = held.works()
    decisions.mark(held.project, [work.uid], "excluded")
    decisions.tag(held.project, [work.uid], ["core"])
    assert held.add(
        paper("b", 2, "Soil of the northern plains", author="Okafor", year=1999)
    ).divided
    old, new = held.works()
    assert (old.uid, old.decisions["title"].verdict) == (work.uid, "excluded")
    assert (dict(new.decisions), new.tags, new.first_run) == ({}, ("core",), 1)
    assert held.work("b:2").uid == new.uid


def test_a_name_of_several_works_is_told(db: Database) -> None:
    """A DOI of a supplement stands on two works."""
    held = Held(db)
    held.add(
        paper("a", 1, "Soil of the northern plains", doi="10.1000/s", author="Ali", pages="1-9"),
        paper("a", 2, "Whales of southern seas", doi="10.1000/s", author="Okafor", pages="20-30"),
    )
    with pytest.raises(UsageError, match="2 works"):
        held.work("10.1000/s")
    with pytest.raises(UsageError, match="no work"):
        held.work("10.1000/none")


def test_a_record_that_cannot_be_kept_is_told(db: Database) -> None:
    """A number that JSON cannot hold costs the other records nothing."""
    held = Held(db)
    added = held.add(replace(paper("a", 1), citations=10**30), paper("a", 2))
    assert [position for position, _ in added.left_out] == [1]
    assert (added.received, added.new_records) == (2, 1)


def test_other_rules_make_all_works_anew(db: Database) -> None:
    """Preprint and article are two works, and one when the project says so; the id stays."""
    from metasearch.review.projects import projects

    held = Held(db)
    held.add(
        paper("a", 1, "Attention is all that the harbour needs in winter storms", type="article"),
        paper("b", 2, "Attention is all that the harbour needs in winter storms",
              venue="arXiv", ids={"arxiv": "2001.00001"}, type="preprint"),
    )  # fmt: skip
    first, _ = held.works()
    held.project = projects.update(held.project, details={"works": {"versions": "merge"}})
    intake.make_works(held.project)
    (work,) = held.works()
    assert work.uid == first.uid
    assert len(work.hit.records) == 2
    held.project = projects.update(held.project, details={"works": {"versions": "many"}})
    with pytest.raises(UsageError, match=r"works\.versions"):
        held.add(paper("a", 9))


def test_an_answer_of_another_project_is_refused(db: Database) -> None:
    """Records do not go astray."""
    one, other = Held(db), Held(db)
    with pytest.raises(UsageError, match="no answer"):
        intake.add_records(one.project, other.answer(), [paper("a", 1)])


def test_lone_surrogates_do_no_harm(db: Database) -> None:
    """What UTF-8 cannot hold becomes a question mark."""
    held = Held(db)
    held.add(paper("a", "x\ud800", "Harms \udc80 of gambling", ids={"odd": "\ud800"}))
    assert held.works()[0].title == "Harms ? of gambling"
