"""Large jobs keep little of what they have computed; their works are those of a job that keeps
all."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from benchmarks.generated import Library
from benchmarks.hostile import HOSTILE
from metasearch.dedup import DEFAULT, Chain, Fingerprint, OnlineDedup, fingerprints, index
from metasearch.dedup.evidence import resemblance, surely_far
from metasearch.dedup.fingerprints import Prints
from metasearch.dedup.index import KeyTables
from metasearch.dedup.matchers import share_a_key
from metasearch.dedup.online import DistantRecords, strangers_among
from metasearch.dedup.pins import Pins
from metasearch.dedup.weights_and_vetoes import Fields, are_strangers, surely_share_a_key
from metasearch.record import Record, VersionsMode
from tests.cases import each, sample
from tests.dedup.records import ABSTRACTS, record


def _told(
    records: Sequence[Record], chain: Chain = DEFAULT, versions: VersionsMode = "group"
) -> dict[str, Any]:
    """All that a job tells: every change, works, ids and evidence, and what it passed over."""
    stage = OnlineDedup(chain, versions=versions)
    changes = []
    for number, it in enumerate(records):
        stage.insert(it)
        if number % 40 == 0:
            changes += stage.changes()
    changes += stage.changes()
    return {
        "changes": changes,
        "works": stage.clusters(),
        "hits": sorted(stage.hits(), key=lambda hit: hit.id),
        "passed over": stage.passed_over,
        "counts": stage.counts,
    }


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handful of records is a large job."""
    monkeypatch.setattr(fingerprints, "KEPT", 8)
    monkeypatch.setattr(index, "FIRST", 10)


def _made_up(count: int) -> list[Record]:
    return [it for _, it in Library().records(count)]


@pytest.mark.parametrize("versions", sample(["group", "separate", "merge"], 3))
def test_a_job_that_drops_and_packs_tells_the_same(
    versions: VersionsMode, request: pytest.FixtureRequest
) -> None:
    """Changes, works, ids, evidence and counts of made-up records do not depend on what is kept."""
    records = _made_up(300)
    random.Random(7).shuffle(records)
    expected = _told(records, versions=versions)
    request.getfixturevalue("small")
    assert _told(records, versions=versions) == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_sets_are_told_the_same(name: str, request: pytest.FixtureRequest) -> None:
    """Neither do those of records that share a key with all others: crowds, columns, copies."""
    records = HOSTILE[name](90)
    expected = _told(records)
    request.getfixturevalue("small")
    assert _told(records) == expected


def test_pins_join_records_of_titles_far_apart(small: None) -> None:
    """What somebody decided holds between records that have nothing in common."""
    records = [
        record("a", 1, title="Effects of soil on wheat", authors=["Berg, A."], year=2001),
        *_made_up(40),
        record("b", 2, title="Zur Geschichte der Musik", authors=["Okafor, C."], year=1987),
    ]
    one, other = records[0].key, records[-1].key
    chain = DEFAULT.with_pins(Pins.read(f"same {one} {other}\n", "pins"))
    works = _told(records, chain)["works"]
    assert [0, len(records) - 1] in works


def test_a_dropped_fingerprint_is_made_again(small: None) -> None:
    """All numbers have one, whatever is in memory, and it is that of the record and its key."""
    held = Prints()
    records = _made_up(30)
    for number, it in enumerate(records):
        held.append(Fingerprint(it, f"key {number}"))
    assert len(held) <= 8
    for number, it in enumerate(records):
        assert held[number].record is it
        assert held[number].record_key == f"key {number}"
        assert held[number].compact == Fingerprint(it).compact
    assert len(held) <= 8


def test_fingerprints_of_other_matchers_are_never_dropped(small: None) -> None:
    """They hold what took long to compute."""
    held = Prints(whole=True)
    for it in _made_up(30):
        held.append(Fingerprint(it))
    assert len(held) == 30


def test_what_was_packed_is_found_again(small: None) -> None:
    """The entries of single records leave their tables, and come back, each to its own table."""
    packed = KeyTables()
    one, other = packed.new(), packed.new()
    for key in range(-50, 50):
        one[key] = abs(key)
        packed.pack(10 + 3 * key)
    other[7], other[8], other[9] = 700, [1, 2], None
    packed.pack(10_000)
    assert not one
    assert other == {8: [1, 2], 9: None}
    packed.fetch([(one, 7, True), (other, 7, False), (one, -50, True), (one, 999, True)])
    assert one == {7: 7, -50: 50}
    assert other == {7: 700, 8: [1, 2], 9: None}


def _titles() -> list[str]:
    """Titles and what databases make of them, with pieces of one another."""
    titles = [it.title for it in _made_up(60)]
    rng = random.Random(3)
    damaged = []
    for title in titles[:30]:
        words = title.split()
        damaged += [
            " ".join(words[: rng.randint(1, len(words))]),
            " ".join(words[rng.randint(0, len(words) - 1) :]) + f": {rng.choice(titles)}",
            f"{title}: {rng.choice(titles)}",
            "".join(letter for letter in title if rng.random() > 0.1),
            f"{words[0]} {rng.choice(titles)}",
        ]
    return titles + damaged


def test_titles_that_are_surely_far_are_far_and_nearly_all_far_ones_are() -> None:
    """It never says more than the rules do, and of nearly all pairs as much."""
    made = [Fingerprint(record(number=n, title=title)) for n, title in enumerate(_titles())]
    sure = far = 0
    for one, other in combinations(made, 2):
        relation = resemblance(one, other)
        surely = surely_far(one.text, other.text)
        assert not surely or relation == "far", (one.text, other.text)
        sure, far = sure + surely, far + (relation == "far")
    assert sure > 0.95 * far


def _are_apart(one: Fingerprint, other: Fingerprint) -> bool:
    """What `by_others` tells of many, of one pair."""
    return bool(one.first and other.first) and are_strangers(one, other)


def test_records_that_are_apart_are_no_work() -> None:
    """No rule but one on equal values would have made one of them."""
    made = [Fingerprint(it) for it in (*_made_up(120), *HOSTILE["nearly identical records"](20))]
    apart = DistantRecords()
    for it in made:
        apart.add(it)
    pairs = list(combinations(range(len(made)), 2))
    by_title = [pair for pair in pairs if apart(*pair)]
    by_people = [(one, other) for one, other in pairs if _are_apart(made[one], made[other])]
    assert min(len(by_title), len(by_people)) > 5_000
    for one, other in {*by_title, *by_people}:
        assert DEFAULT.judge(made[one], made[other], exact=False) is None


def _with_gaps(rng: random.Random) -> Record:
    """A record that shares people, page, ISBN or title with many others, or says nothing of
    them.
    """
    return record(
        number=rng.randint(1, 10**6),
        title=rng.choice(("Soil and wheat", "Soil", "Dark bones", "Wind", "Editorial", "")),
        authors=rng.choice(([], ["Berg, A."], ["Okafor, C.", "Berg, A."], ["王小明"], ["李雷"])),
        year=rng.choice((None, 2001, 2002, 2003)),
        volume=rng.choice((None, "3")),
        pages=rng.choice((None, "12-19", "12", "31-40")),
        isbn=rng.choice(((), ("9780306406157",), ("9781861972712",))),
    )


@each("seed", range(5))
def test_what_surely_shares_a_key_shares_one(seed: int) -> None:
    """`surely_share_a_key` never says more than the keys do."""
    rng = random.Random(seed)
    made = [Fingerprint(_with_gaps(rng)) for _ in range(80)]
    sure = [pair for pair in combinations(made, 2) if surely_share_a_key(*pair)]
    assert len(sure) > 100
    for pair in sure:
        assert share_a_key(Fields(), *pair)


@each("seed", range(5))
def test_records_by_others_are_those_that_are_apart_one_by_one(seed: int) -> None:
    """`by_others` is `_are_apart` of each."""
    rng = random.Random(seed)
    made = [Fingerprint(_with_gaps(rng)) for _ in range(150)]
    numbers, found = set(range(len(made))), 0
    for one in made:
        apart = strangers_among(made, numbers, one)
        assert apart == {number for number in numbers if _are_apart(made[number], one)}
        found += len(apart)
    assert 0 < found < len(made) ** 2
    assert strangers_among(made, set(), made[0]) == set()


def _thinned(seed: int, share: float) -> list[Record]:
    """Records of which some lack year and authors, or a DOI, with abstracts that are copied from
    one to the next.
    """
    rng = random.Random(seed)
    thinned: list[Record] = []
    for it in _made_up(70):
        fewer: dict[str, Any] = {"abstract": rng.choice((ABSTRACTS[0], it.title * 9, None))}
        if rng.random() < share:
            fewer |= {"authors": (), "year": rng.choice((None, it.year))}
            fewer["doi"] = rng.choice((None, it.doi))
        thinned += [replace(it, **fewer)] * rng.choice((1, 1, 1, 2))
    rng.shuffle(thinned)
    return [replace(it, position=place) for place, it in enumerate(thinned)]


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.3, 0.9])
@pytest.mark.parametrize("seed", range(4))
def test_signatures_are_left_out_only_where_they_change_nothing(
    monkeypatch: pytest.MonkeyPatch, seed: int, share: float
) -> None:
    """Few thin records or many, alone and in crowds: changes, evidence and counts are those of a
    job that signs each.
    """
    records = _thinned(seed, share)
    told = _told(records)

    monkeypatch.setattr(OnlineDedup, "_in_question", lambda *_: None)
    assert _told(records) == told
