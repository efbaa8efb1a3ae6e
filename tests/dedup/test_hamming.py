"""Near signatures: against comparing each with each."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from metasearch.dedup.signatures import AT_ONCE, MOST_NEAR, NoNeighbours, Signatures, block_keys
from metasearch.dedup.signatures import FEW_SIGNATURES as FEW
from tests.cases import each

WORDS = st.integers(0, 2**64 - 1)


def planted(count: int, seed: int = 1) -> list[int]:
    """Random signatures, half of them an earlier one with up to 14 bits turned."""
    rng = random.Random(seed)
    out = [rng.getrandbits(64)]
    while len(out) < count:
        turned = sum(1 << bit for bit in rng.sample(range(64), rng.randint(0, 14)))
        out.append(rng.choice(out) ^ turned if rng.random() < 0.5 else rng.getrandbits(64))
    return out


@each("count", [FEW - 1, FEW, FEW + 1, 2_000, AT_ONCE + 100])
def test_the_scan_finds_what_brute_force_finds(count: int) -> None:
    """Few or many, in one go or several, and in the order in which they came."""
    signatures, table = planted(count), Signatures()
    for number, signature in enumerate(signatures):
        table.add(3 * number, signature)

    for distance in (0, 3, 12):
        for signature in signatures[-5:]:
            expected = [
                3 * n for n, it in enumerate(signatures) if (it ^ signature).bit_count() <= distance
            ]
            assert table.near(signature, distance) == expected


def test_a_table_grows_while_it_is_asked() -> None:
    """A view of its memory must not be held: every other record asks, then enters."""
    table = Signatures()
    for number, signature in enumerate(planted(500)):
        assert number not in table.near(signature, 64)
        table.add(number, signature)
        assert table.near(signature, 0)[-1] == number
    assert len(table) == 500


def test_an_entry_takes_few_bytes() -> None:
    """Eight for the signature, four for the number, and room for growth."""
    table = Signatures()
    for number in range(10_000):
        table.add(number, number)

    assert table.bytes / 10_000 < 16


@given(WORDS, st.sets(st.integers(0, 63), max_size=3))
def test_up_to_three_bits_leave_a_block_untouched(signature: int, turned: set[int]) -> None:
    """The pigeonhole principle of Manku et al.: four blocks, three bits."""
    other = signature ^ sum(1 << bit for bit in turned)

    assert set(block_keys(signature)) & set(block_keys(other))


@given(WORDS, WORDS)
def test_blocks_are_told_apart_by_their_place(one: int, other: int) -> None:
    """A key is shared exactly where sixteen bits of one place are equal."""
    shared = set(block_keys(one)) & set(block_keys(other))
    places = {place for place in range(4) if (one ^ other) >> (16 * place) & 0xFFFF == 0}

    assert {int(key[0]) for key in shared} == places


def test_no_neighbours_are_found_where_keys_find_all() -> None:
    """`Nothing` stands where a matcher needs no index of its own."""
    nothing = NoNeighbours()
    nothing.add(1, None)  # type: ignore[arg-type]

    assert nothing.near(None) == []  # type: ignore[arg-type]


def test_of_very_many_near_ones_the_first_are_named() -> None:
    """A thousand texts of one template must not cost a million comparisons; what is passed over is
    counted."""
    table = Signatures()
    for number in range(1_000):
        table.add(number, 7)

    assert table.near(7, 3) == list(range(MOST_NEAR))
    assert table.passed_over == 1_000 - MOST_NEAR
