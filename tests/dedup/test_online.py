"""The dedup stage: what it answers depends on the records, never on who came first."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from metasearch.dedup import DEFAULT, OnlineDedup
from metasearch.events import Added, Change, Grown, Joined
from metasearch.record import Hit, Record, VersionsMode
from tests.cases import each
from tests.dedup.records import ARTICLE, record, records


def settled(rows: list[Record]) -> dict[str, Hit]:
    """The hits by id, after all records went in without a look between."""
    stage = OnlineDedup(DEFAULT)
    for row in rows:
        stage.insert(row)
    return {hit.id: hit for hit in stage.hits()}


def fold(changes: list[Change]) -> dict[str, Hit]:
    """What a client holds that applies every change."""
    held: dict[str, Hit] = {}
    for change in changes:
        if isinstance(change, Joined):
            for gone in change.absorbed:
                del held[gone]
        elif isinstance(change, Added):
            assert change.hit.id not in held
        elif isinstance(change, Grown):
            assert change.hit.id in held
        held[change.hit.id] = change.hit
    return held


@given(records(), st.randoms(use_true_random=False))
def test_arrival_order_does_not_matter(rows: list[Record], rng: random.Random) -> None:
    """Shuffled arrivals give the same hits: same ids, same records, same merged fields, same
    evidence."""
    shuffled = rows[:]
    rng.shuffle(shuffled)

    assert settled(shuffled) == settled(rows)


@given(records(), st.randoms(use_true_random=False))
def test_the_changes_fold_to_the_hits(rows: list[Record], rng: random.Random) -> None:
    """A client that applies the changes one by one ends with exactly the finished hits, in any
    order of arrival."""
    rng.shuffle(rows)
    stage = OnlineDedup(DEFAULT)
    changes = [change for row in rows for change in stage.add(row)]

    assert fold(changes) == settled(rows)


@given(records())
def test_nothing_is_lost(rows: list[Record]) -> None:
    """Every record is in exactly one hit, and the counts add up."""
    stage = OnlineDedup(DEFAULT)
    for row in rows:
        stage.insert(row)
    hits = stage.hits()

    assert sorted(r.key for h in hits for r in h.records) == sorted(r.key for r in rows)
    assert stage.counts.received == len(rows)
    assert stage.counts.unique == len(hits)
    assert stage.counts.duplicates == len(rows) - len(hits)


@given(records())
def test_every_merge_has_its_evidence(rows: list[Record]) -> None:
    """A hit of n records carries n - 1 matches, which tie all of them together."""
    for hit in settled(rows).values():
        keys = {r.key for r in hit.records}

        assert len(hit.matches) == len(keys) - 1
        tied = {hit.records[0].key}
        for _ in hit.matches:
            tied |= {k for m in hit.matches if tied & {m.left, m.right} for k in (m.left, m.right)}
        assert tied == keys


def test_a_late_record_joins_two_hits() -> None:
    """Two shown hits become one when a record arrives that belongs to both, and the join is
    told."""
    stage = OnlineDedup(DEFAULT)
    by_doi = record("a", 1, title="Phosphate sorption", doi="10.1000/one")
    by_pmid = record("b", 1, title="Phosphates sorption (in German)", ids={"pmid": "77"})
    stage.add(by_doi)
    stage.add(by_pmid)

    (joined,) = stage.add(
        record("c", 1, title="Phosphate sorption", doi="10.1000/one", ids={"pmid": "77"})
    )

    assert isinstance(joined, Joined)
    assert {r.key for r in joined.hit.records} == {"a:1", "b:1", "c:1"}
    assert len(joined.absorbed) == 1


def test_growing_keeps_the_name() -> None:
    """A hit keeps its id when a record of the same title and author joins it, whatever that is
    called."""
    for first, then in (("a", "b"), ("b", "a")):
        stage = OnlineDedup(DEFAULT)
        (added,) = stage.add(record(first, 1, **ARTICLE))

        (grown,) = stage.add(record(then, 1, **ARTICLE))

        assert isinstance(grown, Grown)
        assert grown.hit.id == added.hit.id
        assert grown.hit.sources == ("a", "b")


def test_the_majority_renames_a_hit() -> None:
    """When most records say another title the hit is called so, and stays known by the old id."""
    stage = OnlineDedup(DEFAULT)
    misspelt = {
        **ARTICLE,
        "title": "Sorptoin of phosphate on iron oxides in lake sediments: a column study",
    }
    (added,) = stage.add(record("a", 1, doi="10.1000/one", **misspelt))
    told = [*stage.add(record("b", 1, doi="10.1000/one", **ARTICLE))]

    told += stage.add(record("c", 1, doi="10.1000/one", **ARTICLE))

    (hit,) = stage.hits()
    assert [it.absorbed for it in told if isinstance(it, Joined)] == [(added.hit.id,)]
    assert hit.id != added.hit.id
    assert hit.also == (added.hit.id,)


def test_what_settled_untold_is_told_with_the_next_change() -> None:
    """A hit that was shown, and joined another one while nobody listened, does not stay shown for
    ever."""
    stage = OnlineDedup(DEFAULT)
    changes = stage.add(record("a", 1, title="Phosphate sorption", doi="10.1000/one"))
    changes += stage.add(
        record("b", 1, title="Phosphates sorption (in German)", ids={"pmid": "77"})
    )
    stage.insert(record("c", 1, title="Phosphate sorption", doi="10.1000/one", ids={"pmid": "77"}))
    stage.hits()

    changes += stage.add(record("d", 1, title="Desorption of arsenic"))

    assert fold(changes) == {hit.id: hit for hit in stage.hits()}


def test_the_same_record_twice_is_one_hit() -> None:
    """A page that repeats a record adds a duplicate, not a hit."""
    row = record("a", 1, **ARTICLE)
    stage = OnlineDedup(DEFAULT)
    stage.insert(row)
    stage.insert(row)

    assert stage.counts.unique == 1
    assert stage.counts.received == 2


def test_a_veto_holds_over_the_whole_cluster() -> None:
    """Two parts of a series stay apart although a record without a part number resembles both."""
    title = "Sorption of phosphate on iron oxides in lakes"
    one = record("a", 1, **{**ARTICLE, "title": f"{title}. Part I", "doi": "10.1000/one"})
    two = record("b", 1, **{**ARTICLE, "title": f"{title}. Part II", "doi": "10.1000/two"})
    bare = record("c", 1, **{**ARTICLE, "title": title})

    for rows in ([one, two, bare], [bare, two, one], [two, bare, one]):
        together = [{r.key for r in hit.records} for hit in settled(rows).values()]
        assert not any({"a:1", "b:1"} <= keys for keys in together)


@given(records())
def test_records_taken_in_twice_change_no_partition(rows: list[Record]) -> None:
    """Idempotence: every record again, and the works are the same, with each record twice."""
    once, twice = OnlineDedup(DEFAULT), OnlineDedup(DEFAULT)
    for row in rows:
        once.insert(row)
    for row in [*rows, *rows]:
        twice.insert(row)
    count = len(rows)
    folded = {frozenset(number % count for number in work) for work in twice.clusters()}

    assert folded == {frozenset(work) for work in once.clusters()}


@given(records())
def test_a_merge_of_merges_merges_nothing_else(rows: list[Record]) -> None:
    """The merged record beside its own records joins their hit, and ties it to no other one."""
    hits = list(settled(rows).values())
    for hit in hits:
        stage = OnlineDedup(DEFAULT)
        for row in hit.records:
            stage.insert(row)
        before = len(stage.clusters())
        stage.insert(replace(hit.record, source="merged", source_id="m"))

        assert len(stage.clusters()) <= before + 1
        assert before == 1


@each(("versions", "works"), [("group", 1), ("separate", 2), ("merge", 1)])
def test_versions_are_grouped_parted_or_merged(versions: VersionsMode, works: int) -> None:
    """What becomes of a preprint and its article is a choice; nothing is lost by any."""
    stage = OnlineDedup(DEFAULT, versions=versions)
    stage.insert(record("a", 1, **ARTICLE))
    stage.insert(
        record(
            "b", 1, **{**ARTICLE, "venue": "arXiv", "volume": None, "pages": None}, type="preprint"
        )
    )
    hits = stage.hits()

    assert len(hits) == works
    assert sorted(r.source for hit in hits for r in hit.records) == ["a", "b"]
    assert [bool(hit.versions) for hit in hits] == (
        [True] if versions == "group" else [False] * works
    )
