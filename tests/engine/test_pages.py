"""Places that hits keep, and the lists that are remembered."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metasearch.engine import slots
from metasearch.engine.pages import MOST_BYTES, MOST_LISTS, Ledger, Slots
from metasearch.record import Hit, Record


def hit(*ids: str) -> Hit:
    """The hit of these records."""
    records = tuple(Record(source="a", source_id=name) for name in sorted(ids))
    return Hit(id=min(ids), record=records[0], records=records, provenance={})


def settled(own: Slots, layer: int, *hits: Hit, least: int = 0) -> dict[int, str]:
    """Who sits where after a layer; the new ones in the order given."""
    seated, fresh = own.seat(hits)
    own.settle(layer, seated, fresh, least)
    return {place: it.id for place, it in sorted(seated.items())}


def test_what_is_new_goes_to_the_end() -> None:
    """And who has a place keeps it, under whatever name, and wherever it is told."""
    own = Slots()

    assert settled(own, 0, hit("m"), hit("n")) == {0: "m", 1: "n"}
    assert settled(own, 1, hit("z"), hit("b", "n"), hit("m")) == {0: "m", 1: "b", 2: "z"}
    assert len(own) == 3
    assert (own.covered(1), own.covered(2)) == (2, 3)


def test_hits_that_join_stand_at_the_first_place() -> None:
    """The other one stays empty; if they part again, both have their own."""
    own = Slots()
    settled(own, 0, hit("a"), hit("b"), hit("c"))

    assert settled(own, 1, hit("c", "a"), hit("b")) == {0: "a", 1: "b"}
    assert settled(own, 2, hit("c"), hit("a"), hit("b"), hit("d")) == {
        0: "a",
        1: "b",
        2: "c",
        3: "d",
    }


def test_hits_that_part_give_one_more_at_the_end() -> None:
    """Which of them stays does not depend on the order in which they are told."""
    one, other = Slots(), Slots()
    for own in (one, other):
        settled(own, 0, hit("a", "b"), hit("c"))

    assert settled(one, 1, hit("a"), hit("b"), hit("c")) == settled(
        other, 1, hit("b"), hit("c"), hit("a")
    )
    assert settled(one, 1, hit("b"), hit("a")) == {0: "a", 2: "b"}


def test_a_layer_may_hold_empty_places() -> None:
    """So many it has at least."""
    own = Slots()

    assert settled(own, 0, hit("a"), least=5) == {0: "a"}
    assert settled(own, 1, hit("a"), hit("b")) == {0: "a", 5: "b"}


def test_a_list_that_others_have_written_further() -> None:
    """Who is new in its first layer stands behind all that is known; that is reached with its last
    layer."""
    own = Slots()
    settled(own, 0, hit("a"))
    settled(own, 1, hit("a"), hit("b"))

    assert settled(own, 0, hit("a"), hit("new")) == {0: "a", 2: "new"}
    assert (own.covered(1), own.covered(2), len(own)) == (1, 3, 3)


def test_what_is_lacking() -> None:
    """A record that stood on the page and is in no hit now."""
    own = Slots()
    settled(own, 0, hit("a"), hit("b"), hit("c"))

    assert own.lacks(0, 2, [hit("a")])
    assert not own.lacks(0, 1, [hit("a")])
    assert not own.lacks(0, 2, [hit("a", "b")])


@given(
    st.dictionaries(st.integers(-(2**63), 2**63 - 1), st.integers(0, 10_000)),
    st.lists(st.integers(0, 10_000)),
)
def test_a_packed_list_is_the_same(places: dict[int, int], edges: list[int]) -> None:
    """Twelve bytes a record, and a few more."""
    packed = Slots(places, edges).packed()
    back = Slots.unpacked(packed)

    assert (back._places, back._edges) == (places, edges)
    assert len(packed) == 8 + 8 * len(edges) + 12 * len(places)


def test_a_list_begun_anew_replaces_the_one_that_was_known() -> None:
    """Unless it begins in the same way: then its further layers are known still."""
    ledger = Ledger()
    known, same, other = Slots(), Slots(), Slots()
    settled(known, 0, hit("a"), hit("b"))
    settled(known, 1, hit("a"), hit("b"), hit("c"))
    settled(same, 0, hit("a"), hit("b"))
    settled(other, 0, hit("b"), hit("a"))
    ledger.keep("search", known)

    ledger.begin("search", same)
    assert len(ledger.get("search") or Slots()) == 3
    ledger.begin("search", other)
    assert len(ledger.get("search") or Slots()) == 2
    assert ledger.get("another") is None


def test_what_is_remembered_is_bounded() -> None:
    """By lists and by bytes; the one that was not used for longest goes first."""
    ledger = Ledger()
    small, large = Slots({1: 1}, [1]), Slots(dict.fromkeys(range(MOST_BYTES // 30), 1), [1])
    for number in range(MOST_LISTS):
        ledger.keep(number, small)
    assert ledger.get(0) is not None
    ledger.keep("one more", small)
    assert (len(ledger), ledger.get(1), ledger.get(0) is not None) == (MOST_LISTS, None, True)

    for number in range(5):
        ledger.keep(("large", number), large)
    assert ledger.size == sum(map(len, ledger._lists.values())) <= MOST_BYTES
    assert ledger.get(("large", 4)) is not None
    ledger.keep("too large", Slots(dict.fromkeys(range(MOST_BYTES // 10), 1), [1]))
    assert (len(ledger), ledger.size) == (0, 0)


def test_no_query_is_kept() -> None:
    """What people search for is theirs."""
    ledger = Ledger()
    ledger.keep(("a secret illness", ("crossref",)), Slots({1: 1}, [1]))

    assert b"illness" not in repr(ledger._lists).encode()
    assert slots.MOST_BYTES == 4 * 1024 * 1024
