"""What a chain needs to know of all records before two are compared: keys, or near signatures."""

from __future__ import annotations

from metasearch.bulk.published import STRATEGIES
from metasearch.dedup import Fingerprint
from metasearch.dedup.matchers import (
    BlockMatcher,
    key_matchers,
    signature_matchers,
    unbounded_searchers,
)
from metasearch.record import Record
from tests.cases import each

TEXT = (
    "Wetlands store carbon for centuries. We measured the methane that drained peat emits over "
    "three summers, and compared restored plots with drained ones. Restored plots emitted less "
    "carbon dioxide in every month. The water table explained most of the difference between "
    "plots, and vegetation explained the rest of it."
)
OF_BLOCKS = ("simhash", "bigram-simhash", "weighted-simhash", "drpkp")


def a_record(text: str = TEXT, source_id: str = "1") -> Fingerprint:
    return Fingerprint(
        Record(source="a", source_id=source_id, title="Methane of restored peat", abstract=text)
    )


@each("name", OF_BLOCKS)
def test_blocks_of_signatures_are_no_keys_of_a_large_job(name: str) -> None:
    """Their signatures are, and there is one for each four of the keys at most."""
    chain = STRATEGIES[name].chain
    assert key_matchers(chain) == ()
    (signs,) = signature_matchers(chain)
    found = list(signs.signatures(a_record()))
    assert (signs.name, signs.distance) == (name, 3)
    assert found
    assert all(0 <= signature < 1 << 64 for signature in found)
    assert 0 < len(chain.keys(a_record())) <= 4 * len(found)


@each("name", OF_BLOCKS)
def test_what_is_the_same_has_near_signatures(name: str) -> None:
    """So that records without near signatures need not be compared."""
    chain = STRATEGIES[name].chain
    one, other = a_record(), a_record(TEXT.replace("every month", "each month"), "2")
    (signs,) = signature_matchers(chain)
    near = any(
        (a ^ b).bit_count() <= signs.distance
        for a in signs.signatures(one)
        for b in signs.signatures(other)
    )
    match = chain.judge(one, other)
    assert match is None or near
    assert chain.judge(one, a_record(source_id="2")) is not None


@each("name", OF_BLOCKS)
def test_a_title_alone_has_no_signature_where_the_strategy_says_nothing_of_it(name: str) -> None:
    (signs,) = signature_matchers(STRATEGIES[name].chain)
    empty = Fingerprint(Record(source="a", source_id="1", title="Notes"))
    assert list(signs.signatures(empty)) == []


def test_the_default_chain_has_keys_and_the_signatures_of_its_fallback_on_text() -> None:
    chain = STRATEGIES["default"].chain
    assert key_matchers(chain) == chain.matchers
    assert [(signs.name, signs.distance) for signs in signature_matchers(chain)] == [("text", 12)]
    assert not any(isinstance(matcher, BlockMatcher) for matcher in chain.matchers)


def test_only_overlapping_keywords_need_all_records_in_one_index() -> None:
    """Every other strategy is keys, or signatures, and verdicts."""
    assert {
        name: unbounded_searchers(strategy.chain)
        for name, strategy in STRATEGIES.items()
        if unbounded_searchers(strategy.chain)
    } == {"keyword-overlap": ("keyword-overlap",)}


@each("name", [name for name in OF_BLOCKS if name.endswith("simhash")])
def test_with_a_larger_distance_signatures_still_tell(name: str) -> None:
    """Keys find nothing then."""
    chain = STRATEGIES[name].at(12)
    assert (signature_matchers(chain)[0].distance, key_matchers(chain)) == (12, ())
    assert unbounded_searchers(chain) == ()
