"""Which ID tokens are taken, and which are not."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from metasearch.review.users import oidc_provider
from metasearch.review.users.oidc_provider import Keys, LoginRefusal, claims_of
from tests import cases
from tests.review.users.server.fake_provider import (
    CLIENT,
    FakeProvider,
    ec_key,
    ed_key,
    rsa_key,
)

ISSUER, NONCE = "https://login.example.org", "n-0S6_WzA2Mj"


@pytest.fixture
def provider() -> FakeProvider:
    return FakeProvider(issuer=ISSUER)


def keys(provider: FakeProvider) -> Keys:
    async def fetch() -> dict[str, Any]:
        return {"keys": [key.as_dict(private=False) for key in provider.keys]}

    return Keys(fetch)


async def taken(provider: FakeProvider, **changes: Any) -> dict[str, Any]:
    """The claims of a token that is changed so; None removes a claim."""
    claims = provider.claims(NONCE) | changes
    claims = {name: value for name, value in claims.items() if value is not None}
    return await checked(provider, provider.token(claims))


async def checked(provider: FakeProvider, token: str) -> dict[str, Any]:
    return await claims_of(token, keys(provider), issuer=ISSUER, client_id=CLIENT, nonce=NONCE)


@pytest.mark.parametrize(
    ("algorithm", "key"), [("RS256", rsa_key), ("ES256", ec_key), ("EdDSA", ed_key)]
)
async def test_a_token_of_the_provider_is_taken(
    provider: FakeProvider, algorithm: str, key: Callable[[], Any]
):
    """Whichever of the allowed algorithms signs it."""
    provider.key, provider.algorithm, provider.keys = key(), algorithm, [key()]

    assert (await taken(provider))["sub"] == "248289761001"


@cases.each(
    "changes",
    [
        {"iss": "https://other.example.org"},
        {"iss": f"{ISSUER}/"},
        {"iss": None},
        {"aud": "other"},
        {"aud": ["other"]},
        {"aud": None},
        {"aud": {CLIENT: 1}},
        {"aud": [CLIENT, "other"]},
        {"azp": "other"},
        {"aud": [CLIENT, "other"], "azp": "other"},
        {"exp": 1},
        {"exp": None},
        {"exp": "tomorrow"},
        {"exp": True},
        {"iat": 1},
        {"iat": None},
        {"iat": 9_999_999_999},
        {"nbf": 9_999_999_999},
        {"nonce": "another"},
        {"nonce": None},
        {"nonce": 1},
        {"sub": ""},
        {"sub": None},
        {"sub": 7},
        {"sub": "x" * 256},
        {"sub": "a\nb"},
    ],
    ids=str,
)
async def test_a_token_that_is_not_meant_for_this_login_is_not_taken(
    provider: FakeProvider, changes: dict[str, Any]
):
    """Another issuer, client, time, login; or nobody."""
    with pytest.raises(LoginRefusal):
        await taken(provider, **changes)


async def test_a_token_for_several_clients_says_which_one_asked(provider: FakeProvider):
    """It is this one."""
    assert await taken(provider, aud=["other", CLIENT], azp=CLIENT)


async def test_clocks_may_differ_a_little(provider: FakeProvider):
    """By a minute."""
    now = provider.claims(NONCE)["iat"]

    assert await taken(provider, exp=now - 30, iat=now + 30)
    with pytest.raises(LoginRefusal):
        await taken(provider, exp=now - oidc_provider.LEEWAY - 1)


def part(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


async def test_a_token_without_a_signature_is_not_taken(provider: FakeProvider):
    """Nor one that says that it needs none."""
    claims = part(provider.claims(NONCE))
    for header in ({"alg": "none"}, {"alg": "None"}, {"alg": ""}, {}, {"alg": ["RS256"]}):
        for signature in ("", "AAAA"):
            with pytest.raises(LoginRefusal):
                await checked(provider, f"{part(header)}.{claims}.{signature}")


async def test_a_public_key_is_no_secret(provider: FakeProvider):
    """A token whose HMAC was made with the public key of the provider is not taken."""
    public = rsa_key().as_pem(private=False)
    for secret in (public, public.strip(), rsa_key().as_der(private=False)):
        for algorithm in ("HS256", "HS384", "HS512"):
            token = jwt.encode(
                {"alg": algorithm, "kid": rsa_key().kid},
                provider.claims(NONCE),
                OctKey.import_key(base64.b64encode(secret) * 3),
                [algorithm],
            )
            with pytest.raises(LoginRefusal, match="kind"):
                await checked(provider, token)


async def test_a_key_that_a_token_brings_along_is_not_used(provider: FakeProvider):
    """Nor one whose address it tells."""
    stranger = rsa_key(2)
    for header in (
        {"jwk": stranger.as_dict(private=False)},
        {"jku": "https://evil.example.org/keys"},
        {"kid": stranger.kid, "jwk": stranger.as_dict(private=False)},
        {"kid": rsa_key().kid},
    ):
        token = signed_by(stranger, header, provider)
        with pytest.raises(LoginRefusal):
            await checked(provider, token)


def signed_by(key: Any, header: dict[str, Any], provider: FakeProvider) -> str:
    from joserfc.jws import JWSRegistry

    return jwt.encode(
        {"alg": "RS256", **header},
        provider.claims(NONCE),
        key,
        registry=JWSRegistry(algorithms=["RS256"], strict_check_header=False),
    )


async def test_a_changed_token_is_not_taken(provider: FakeProvider):
    """Claims and signature belong together."""
    head, body, signature = provider.token(provider.claims(NONCE)).split(".")
    other = part(provider.claims(NONCE) | {"sub": "somebody else"})

    assert await checked(provider, f"{head}.{body}.{signature}")
    for token in (
        f"{head}.{other}.{signature}",
        f"{head}.{body}.{signature[:-6]}AAAAAA",
        f"{head}.{body}",
        f"{head}.{body}.{signature}.",
        f"{part({'alg': 'ES256', 'kid': rsa_key().kid})}.{body}.{signature}",
        f"{part({'alg': 'RS256', 'kid': rsa_key().kid, 'crit': ['x'], 'x': 1})}.{body}.{signature}",
        "",
        "..",
        "é.é.é",
        "x" * 200_000 + ".y.z",
    ):
        with pytest.raises(LoginRefusal):
            await checked(provider, token)


async def test_what_is_signed_must_be_claims(provider: FakeProvider):
    """A list, or no JSON, is none."""
    from joserfc import jws

    for payload in (b"[]", b"null", b"not json", b"\xff", b'{"sub": NaN}'):
        token = jws.serialize_compact({"alg": "RS256", "kid": rsa_key().kid}, payload, rsa_key())
        with pytest.raises(LoginRefusal):
            await checked(provider, token)
