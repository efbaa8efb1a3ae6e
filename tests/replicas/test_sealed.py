"""Values in a server that others can write to."""

from __future__ import annotations

from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.replicas import pages
from metasearch.replicas.pages import Damaged, Seal

SEAL = Seal(b"secret")


@given(
    st.sampled_from([b"", b"ms:{v1}:page:0f", b"\xff"]),
    st.binary(max_size=5000),
    st.integers(1, 10**12),
)
def test_what_is_sealed_is_opened(name: bytes, value: bytes, milliseconds: int) -> None:
    """The same bytes and the same time, whatever they are."""
    kept = SEAL.seal(name, value, milliseconds)
    assert kept is not None
    assert SEAL.open(name, kept) == (value, milliseconds)


@given(st.data())
def test_a_value_with_any_other_byte_is_damaged(data: st.DataObject) -> None:
    """Wherever it differs: mark, code, time, content."""
    kept = bytearray(SEAL.seal(b"name", b"content " * 20, 5000) or b"")
    place = data.draw(st.integers(0, len(kept) - 1))
    kept[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(Damaged):
        SEAL.open(b"name", bytes(kept))


@given(st.integers(0, 200))
def test_a_value_that_is_cut_is_damaged(length: int) -> None:
    """However much is left."""
    kept = SEAL.seal(b"name", bytes(range(256)), 5000) or b""
    with pytest.raises(Damaged):
        SEAL.open(b"name", kept[:length])


def test_a_value_belongs_to_its_name_and_its_secret() -> None:
    """Moved to another name, or written with another secret, it is damaged."""
    kept = SEAL.seal(b"name", b"content", 5000) or b""
    with pytest.raises(Damaged):
        SEAL.open(b"other", kept)
    with pytest.raises(Damaged):
        Seal(b"other").open(b"name", kept)


@given(st.binary(max_size=300))
def test_foreign_bytes_are_damaged(foreign: bytes) -> None:
    """Whatever they are, also with our mark before them."""
    for value in (foreign, b"ms1" + foreign):
        with pytest.raises(Damaged):
            SEAL.open(b"name", value)


def test_a_value_that_is_too_large_is_not_sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither before nor after it is compressed."""
    monkeypatch.setattr(pages, "LARGEST_SEALED", 200)
    monkeypatch.setattr(pages, "LARGEST_VALUE", 10_000)
    noise = b"".join(blake2b(bytes([number])).digest() for number in range(20))
    assert SEAL.seal(b"name", b"x" * 10_001, 5000) is None
    assert SEAL.seal(b"name", noise, 5000) is None
    assert SEAL.seal(b"name", b"x" * 10_000, 5000) is not None


def test_a_value_that_expands_too_far_is_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even one with the right code is not decompressed without end."""
    kept = SEAL.seal(b"name", b"x" * 100_000, 5000) or b""
    monkeypatch.setattr(pages, "LARGEST_VALUE", 10_000)
    with pytest.raises(Damaged):
        SEAL.open(b"name", kept)
