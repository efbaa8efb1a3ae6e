"""The fallback on text: what it finds among records of which little else is known, and what it
never joins."""

from __future__ import annotations

import random
from typing import Any

import pytest

from metasearch.dedup import DEFAULT, Chain, OnlineDedup, fingerprint
from metasearch.dedup.matchers import Text
from metasearch.record import Record
from tests.cases import each
from tests.dedup.records import ABSTRACTS, record

TITLE = "Oxygen in rivers that are warmed by power stations"
ENGLISH, OTHER = ABSTRACTS
CHINESE_TITLE = "电厂温排水对河流溶解氧的影响"
CHINESE = (
    "温水所含的氧比冷水少，被电厂加热的河流会失去需氧量大的鱼类。我们连续三个夏天在排水口上下游测量了水温和溶解氧。"
    "结果表明，下游五公里内的溶解氧明显降低，鱼类种数减少一半。建议夏季限制温排水的流量。"
)
ALONE = Chain((Text(),))


def works(*records: Record, chain: Chain = DEFAULT) -> list[list[int]]:
    dedup = OnlineDedup(chain)
    dedup.extend(map(fingerprint, records))
    return dedup.clusters()


def thin(number: int, title: str = TITLE, abstract: str | None = ENGLISH, **values: Any) -> Record:
    """A record without authors and year."""
    return record("abc"[number % 3], number, title=title, abstract=abstract, **values)


def edited(text: str, share: float, seed: int = 1) -> str:
    """Some words left out."""
    rng = random.Random(seed)
    return " ".join(word for word in text.split() if rng.random() >= share)


SENTENCES = ENGLISH.split(". ")


@each(
    ("title", "abstract"),
    [
        (TITLE.upper(), ENGLISH.upper()),
        (TITLE, f"{ENGLISH} (c) 2019 River Press. All rights reserved."),
        (TITLE, ". ".join(SENTENCES[:3])),
        (TITLE, ". ".join([*SENTENCES[2:], *SENTENCES[:2]])),
        (TITLE, edited(ENGLISH, 0.08)),
        (f"{TITLE}: three summers at the outlet", ENGLISH),
        (TITLE.replace("rivers", "river"), ENGLISH),
        (TITLE.replace("Oxygen", "Oxgyen"), edited(ENGLISH, 0.03)),
        ("", ENGLISH),
    ],
    ids=[
        "case",
        "copyright",
        "cut",
        "sentences moved",
        "words lost",
        "subtitle",
        "title word",
        "typo",
        "no title",
    ],
)
def test_a_copy_is_found_by_its_text(title: str, abstract: str) -> None:
    """What exports do to a text does not make it another one, although nobody says who wrote it or
    when."""
    assert works(thin(1), thin(2, title, abstract), thin(3, "Warm rivers", OTHER)) == [[0, 1], [2]]


def test_a_chinese_copy_is_found_by_its_text() -> None:
    """Windows of two characters need no segmenter; forms, widths and marks do not count."""
    copy = (
        CHINESE.replace("，", ",").replace("热", "熱").replace("测量了", "测定了")
        + "《河流学报》版权所有。"
    )

    assert works(thin(1, CHINESE_TITLE, CHINESE), thin(2, f"{CHINESE_TITLE}研究", copy)) == [[0, 1]]


@each(
    ("title", "abstract"),
    [
        (TITLE, OTHER),
        ("Fish at the outlets of power stations", ENGLISH),
        (TITLE, " ".join([*OTHER.split()[:35], *ENGLISH.split()[-35:]])),
        (f"{TITLE} (II)", ENGLISH),
        (TITLE, None),
        (TITLE, "No abstract available."),
    ],
    ids=["other text", "other title", "half and half", "part II", "no abstract", "hardly any text"],
)
def test_what_does_not_agree_in_title_and_text_stays_apart(
    title: str, abstract: str | None
) -> None:
    """A text under another title is another publication, and a title over another text another
    work."""
    assert works(thin(1), thin(2, title, abstract)) == [[0], [1]]


def test_a_record_that_says_all_is_compared_with_a_thin_one() -> None:
    """Whichever comes first."""
    whole = record(
        "b", 2, title=TITLE, abstract=edited(ENGLISH, 0.02), authors=["Okafor, Chidi"], year=2011
    )

    for records in ((thin(1), whole), (whole, thin(1))):
        assert works(*records, chain=ALONE) == [[0, 1]]


@each(
    "values",
    [{"authors": ["Li, Mei"], "year": 2011}, {"authors": ["Okafor, Chidi"], "year": 2015}],
    ids=["another author", "another year"],
)
def test_two_records_that_say_all_must_agree_in_it(values: dict[str, Any]) -> None:
    """Two editions of one abstract are two publications."""
    one = record("a", 1, title=TITLE, abstract=ENGLISH, authors=["Okafor, Chidi"], year=2011)
    other = record("b", 2, title=f"{TITLE} and dams", abstract=ENGLISH, **values)

    assert works(one, other) == [[0], [1]]


def test_another_doi_is_another_work() -> None:
    """Whatever the texts say."""
    assert works(thin(1, doi="10.1000/one"), thin(2, doi="10.1000/two")) == [[0], [1]]


def test_no_signature_is_made_where_no_record_is_thin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A usual search pays nothing for the fallback."""
    monkeypatch.setattr(
        "metasearch.dedup.window_simhash.signatures",
        lambda texts: [pytest.fail("made") for _ in texts],
    )
    rows = [
        record(
            "a", n, title=f"{TITLE} {n}", abstract=ENGLISH, authors=[f"Name{n}, A."], year=2000 + n
        )
        for n in range(9)
    ]

    assert len(works(*rows)) == 9


def test_a_thin_record_is_signed_when_another_one_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """One by itself has no neighbour, and those that are surely apart need not be signed; nobody
    is signed twice."""
    signed: list[str] = []

    def sign(texts: list[str]) -> list[int | None]:
        signed.extend(texts)
        return [0 for _ in texts]

    monkeypatch.setattr("metasearch.dedup.window_simhash.signatures", sign)
    stage = OnlineDedup(DEFAULT)
    stage.insert(thin(1))
    assert not signed

    stage.insert(thin(2, "Another title", OTHER))
    assert not signed

    stage.insert(thin(3, "A third title", OTHER))
    stage.insert(thin(4, "A fourth title", OTHER))
    assert len(signed) == len(set(signed)) == 3


def test_the_order_of_arrival_does_not_matter() -> None:
    """Thin records, whole ones and edited copies, shuffled."""
    rows = [
        thin(1),
        thin(2, abstract=edited(ENGLISH, 0.05)),
        thin(3, abstract=". ".join(SENTENCES[:3])),
    ]
    rows += [
        thin(4, "Warm rivers", OTHER),
        thin(5, "Warm rivers", edited(OTHER, 0.05)),
        thin(6, "", ENGLISH),
    ]
    rows += [record("c", 7, title=TITLE, abstract=ENGLISH, authors=["Okafor, Chidi"], year=2011)]
    expected = {frozenset({1, 2, 3, 6, 7}), frozenset({4, 5})}

    for seed in range(20):
        shuffled = random.Random(seed).sample(rows, len(rows))
        found = {
            frozenset(int(shuffled[place].source_id) for place in members)
            for members in works(*shuffled)
        }
        assert found == expected


def test_the_verdict_says_how_much_of_the_text_agrees() -> None:
    """ "Why merged" in words."""
    match = Text().compare(
        fingerprint(thin(1)), fingerprint(thin(2, abstract=". ".join(SENTENCES[:3])))
    )

    assert match is not None
    assert match.verdict == "same"
    assert match.because.startswith("100% of the shorter abstract stands in the other one")


def test_the_scan_finds_what_no_key_finds() -> None:
    """A title with a typo in every long word shares no key with its twin; the texts are near."""
    broken = "Oxigen in rivres that are warmd by powr statons"

    assert works(thin(1), thin(2, broken, edited(ENGLISH, 0.02)), chain=ALONE) == [[0, 1]]
