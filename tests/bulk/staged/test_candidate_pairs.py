"""The pairs that are found a column at a time hold all that `KeyIndex` compares."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="the extra bulk is not installed")

from metasearch.bulk.staged.components import NO_YEAR, pairs
from metasearch.dedup import DEFAULT, Fingerprint, index
from metasearch.dedup.clusters import place
from metasearch.dedup.index import KeyIndex
from metasearch.dedup.online import content_of
from metasearch.formats.reading import read_file
from tests.bulk.staged.sets import files, hostile, records
from tests.cases import sample


def found(prints: list[Fingerprint]) -> set[tuple[int, int]]:
    """The pairs of the first records of each content."""
    rows: set[tuple[int, int]] = set()
    for number, fingerprint in enumerate(prints):
        for matcher in DEFAULT.finders:
            if not matcher.exact:
                rows |= {(number, place(matcher.name, key)) for key in matcher.keys(fingerprint)}
    heads = first_of_each(prints)
    kept = sorted(row for row in rows if heads[row[0]] == row[0])
    random.Random(1).shuffle(kept)
    numbers, keys = np.asarray(kept, dtype=np.int64).T
    years = np.asarray([NO_YEAR if one.year is None else one.year for one in prints])
    some = pairs(numbers, keys, years[numbers], numbers <= index.FEW)
    return {
        (min(pair), max(pair)) for a, b in some for pair in zip(a.tolist(), b.tolist(), strict=True)
    }


def first_of_each(prints: list[Fingerprint]) -> list[int]:
    """Of each record, the first one that says the same."""
    seen: dict[object, int] = {}
    return [seen.setdefault(content_of(one.record), number) for number, one in enumerate(prints)]


def compared(prints: list[Fingerprint], rng: random.Random) -> set[tuple[int, int]]:
    """The pairs that the index compares for their other keys alone, where each record that repeats
    another one may be left out of it.
    """
    keyed, heads = KeyIndex(DEFAULT), first_of_each(prints)
    every: list[int | None] = []
    asked: set[tuple[int, int]] = set()
    for number, fingerprint in enumerate(prints):
        every.append(fingerprint.year)
        keyed.reach(number)
        meetings = [one for one in keyed.enter(number, fingerprint) if not one[3]]
        others, _ = keyed.candidates(fingerprint, meetings)
        asked |= {(heads[other], heads[number]) for other in others}
        if heads[number] == number or rng.random() < 0.5:
            keyed.reach(number + 1)
            keyed.settle(number, fingerprint, meetings, every)
        else:
            keyed.leave(number, fingerprint)
    return {(min(pair), max(pair)) for pair in asked if pair[0] != pair[1]}


@pytest.mark.parametrize("seed", sample(range(6), 6))
@pytest.mark.parametrize("few", [0, 60, 100_000])
def test_all_that_the_index_compares_is_among_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, few: int
) -> None:
    """In any order, with crowds that are divided before and after the narrow bounds hold."""
    monkeypatch.setattr(index, "FEW", few)
    monkeypatch.setattr(index, "CROWD", 5)
    monkeypatch.setattr(index, "CROWD_OF_FEW", 14)
    monkeypatch.setattr(index, "OF_A_YEAR", 2)
    monkeypatch.setattr(index, "OF_A_YEAR_OF_FEW", 4)
    # Without the thin ones, whose signatures are near.
    texts = [text for text in hostile(45, seed) if "Thin" not in text]
    (path,) = files(tmp_path, [*texts, *records(25, seed, words=20)], 1, seed)
    prints = [Fingerprint(record) for record in read_file(path).records]
    prints = [
        one for one in prints if (one.first and one.year is not None) or not one.record.abstract
    ]

    wanted = compared(prints, random.Random(seed))

    assert len(wanted) > 300
    assert wanted <= found(prints)


def test_they_grow_with_the_records_of_a_key_and_not_with_their_square() -> None:
    """Of a crowd, each record has those of its year, of the years beside it and without one."""
    count = 20_000
    numbers, keys = np.arange(count), np.zeros(count, dtype=np.int64)
    years = np.where(numbers % 50, 1950 + numbers % 50, NO_YEAR)

    made = sum(len(a) for a, _ in pairs(numbers, keys, years, np.zeros(count, dtype=bool)))

    assert made < count * (2 * index.OF_A_YEAR + 2 * index.BESIDE) + index.CROWD**2


def test_of_no_keys_there_are_no_pairs() -> None:
    """As where a bucket is empty."""
    nothing = np.empty(0, np.int64)
    assert not list(pairs(nothing, nothing, nothing, nothing.astype(bool)))
