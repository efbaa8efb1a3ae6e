"""Secrets of sessions, tokens and links: random, and kept as digests."""

from __future__ import annotations

import hashlib

from metasearch.review.store import values
from tests.cases import each


def test_a_secret_has_256_random_bits() -> None:
    """In letters that an address and a cookie may have."""
    many = {values.new_secret() for _ in range(1_000)}

    assert len(many) == 1_000
    assert {len(secret) for secret in many} == {43}
    assert set("".join(many)) <= set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
    )


def test_what_is_kept_is_a_sha256() -> None:
    """The same of the same text, and another one of another."""
    secret = values.new_secret()

    assert values.secret_digest(secret) == hashlib.sha256(secret.encode()).digest()
    assert values.secret_digest(secret) != values.secret_digest(secret + " ")


@each("text", ["", "x" * 201, "x" * 10_000_000, "\ud800", "\0"])
def test_any_text_has_a_digest(text: str) -> None:
    """Whatever a stranger sends, in the same time; it is that of no secret."""
    assert len(values.secret_digest(text)) == 32
    assert values.secret_digest(text) != values.secret_digest(values.new_secret())
