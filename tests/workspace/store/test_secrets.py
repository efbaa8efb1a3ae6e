"""Secrets of sessions, tokens and links: random, and kept as digests."""

from __future__ import annotations

import hashlib

import pytest

from metasearch.workspace.store import secrets


def test_a_secret_has_256_random_bits() -> None:
    """In letters that an address and a cookie may have."""
    many = {secrets.new() for _ in range(1_000)}

    assert len(many) == 1_000
    assert {len(secret) for secret in many} == {43}
    assert set("".join(many)) <= set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
    )


def test_what_is_kept_is_a_sha256() -> None:
    """The same of the same text, and another one of another."""
    secret = secrets.new()

    assert secrets.digest(secret) == hashlib.sha256(secret.encode()).digest()
    assert secrets.digest(secret) != secrets.digest(secret + " ")


@pytest.mark.parametrize("text", ["", "x" * 201, "x" * 10_000_000, "\ud800", "\0"])
def test_any_text_has_a_digest(text: str) -> None:
    """Whatever a stranger sends, in the same time; it is that of no secret."""
    assert len(secrets.digest(text)) == 32
    assert secrets.digest(text) != secrets.digest(secrets.new())
