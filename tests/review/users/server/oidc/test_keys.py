"""The keys of a provider: which are used, and when they are asked for again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from joserfc.jwk import ECKey, OctKey, OKPKey

from metasearch.review.users.oidc_provider import (
    KEYS_KEPT as KEPT,
)
from metasearch.review.users.oidc_provider import (
    KEYS_PAUSE as PAUSE,
)
from metasearch.review.users.oidc_provider import (
    Keys,
    ProviderFault,
)
from metasearch.review.users.oidc_provider import (
    read_keys as read,
)
from tests.cases import each
from tests.review.users.server.fake_provider import ec_key, ed_key, rsa_key


class Source:
    """Publishes keys, and counts how often they are asked for."""

    def __init__(self, *keys: Any) -> None:
        self.keys, self.asked, self.now = list(keys), 0, 0.0

    async def __call__(self) -> dict[str, Any]:
        self.asked += 1
        await asyncio.sleep(0)
        return {"keys": [key.as_dict(private=False) for key in self.keys]}

    def clock(self) -> float:
        return self.now


async def test_keys_are_kept_for_a_while():
    """And asked for once, however many logins want one at the beginning."""
    source = Source(rsa_key())
    keys = Keys(source, source.clock)

    found = await asyncio.gather(*(keys.find("rsa-1", "RS256") for _ in range(20)))
    assert all(found)
    assert source.asked == 1
    source.now = KEPT + 1
    await keys.find("rsa-1", "RS256")
    assert source.asked == 2


async def test_a_new_key_is_found_when_a_token_names_it():
    """A provider that changes its keys is asked again, but not for each token that names none of
    them.
    """
    source = Source(rsa_key())
    keys = Keys(source, source.clock)
    assert await keys.find("rsa-1", "RS256")
    source.keys.append(ec_key())
    assert await keys.find("ec", "ES256") is None
    source.now = PAUSE + 1

    assert await keys.find("ec", "ES256")
    for number in range(50):
        assert await keys.find(f"unknown-{number}", "RS256") is None
    assert source.asked == 2


async def test_a_token_without_a_name_is_taken_where_there_is_one_key():
    """With several of a kind nobody guesses."""
    source = Source(rsa_key(), ec_key())
    keys = Keys(source, source.clock)
    assert await keys.find(None, "RS256")
    source.keys.append(rsa_key(2))
    source.now = KEPT + 1

    assert await keys.find(None, "RS256") is None
    assert await keys.find("rsa-2", "RS256")


def test_only_keys_of_signatures_are_used():
    """Neither secrets nor keys of encryption, other curves or short ones; and nothing that is no
    key does harm.
    """

    def public(key: Any, **more: Any) -> dict[str, Any]:
        return {**key.as_dict(private=False), **more}

    good = [public(rsa_key()), public(ec_key()), public(ed_key())]
    bad: list[Any] = [
        OctKey.generate_key(256).as_dict(),
        public(rsa_key(2), use="enc"),
        public(rsa_key(2), alg="RS512"),
        public(rsa_key(2), alg="HS256"),
        public(rsa_key(2), kid=7),
        public(rsa_key(2), n="A" * 2_000),
        public(rsa_key(2), n="sXch" * 43),  # 1,032 bits
        ECKey.generate_key("P-384").as_dict(private=False),
        OKPKey.generate_key("X25519").as_dict(private=False),
        {"kty": "RSA"},
        {"kty": "RSA", "n": 1, "e": []},
        {"kty": ["RSA"]},
        {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"},
        None,
        "key",
    ]

    assert [name for name, _, _ in read({"keys": [*bad, *good]})] == ["rsa-1", "ec", "ed"]


@each("found", [{}, {"keys": None}, {"keys": {}}, {"keys": [{}] * 101}])
def test_what_is_no_set_of_keys_is_told(found: dict[str, Any]):
    """It is a fault of the provider."""
    with pytest.raises(ProviderFault):
        read(found)


async def test_keys_that_cannot_be_had_are_asked_for_again():
    """A failure is not kept."""
    source = Source(rsa_key())
    failing = [True]

    async def fetch() -> dict[str, Any]:
        if failing.pop() if failing else False:
            raise ProviderFault("down")
        return await source()

    keys = Keys(fetch, source.clock)
    with pytest.raises(ProviderFault):
        await keys.find("rsa-1", "RS256")

    assert await keys.find("rsa-1", "RS256")
