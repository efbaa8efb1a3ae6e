"""An OpenID provider on loopback: it logs in whoever comes, and can be told to lie."""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import unquote_plus, urlencode

from aiohttp import web
from aiohttp.test_utils import TestServer
from joserfc import jwt
from joserfc.errors import SecurityWarning
from joserfc.jwk import ECKey, OKPKey, RSAKey

CLIENT, SECRET = "metasearch", "a secret: with +signs/&="
Claims = dict[str, Any]


@cache
def rsa_key(number: int = 1) -> RSAKey:
    """One of several keys, which take a while to make."""
    return RSAKey.generate_key(2048, {"kid": f"rsa-{number}", "use": "sig"})


@cache
def ec_key() -> ECKey:
    """An elliptic one."""
    return ECKey.generate_key("P-256", {"kid": "ec", "use": "sig"})


@cache
def ed_key() -> OKPKey:
    """Another elliptic one."""
    return OKPKey.generate_key("Ed25519", {"kid": "ed", "use": "sig"})


@dataclass
class FakeProvider:
    """What the provider says; each attribute may be changed before a login.

    Attributes:
        user: The claims about whoever logs in.
        key, algorithm: That tokens are signed with.
        keys: That it publishes.
        change: Changes the claims of a token before it is signed.
        sign: Makes the token of the claims, in place of key and algorithm.
        metadata: What its metadata have otherwise; None removes a member.
        answers: Path -> what is answered there instead.
        asked: Paths of all requests.
    """

    user: Claims = field(default_factory=lambda: {"sub": "248289761001"})
    key: RSAKey | ECKey | OKPKey = field(default_factory=rsa_key)
    algorithm: str = "RS256"
    keys: list[RSAKey | ECKey | OKPKey] = field(default_factory=lambda: [rsa_key()])
    change: Callable[[Claims], object] = lambda claims: None
    sign: Callable[[Claims], str] | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Callable[[], web.Response]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    issuer: str = ""
    _codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def app(self) -> web.Application:
        """The server."""
        made = web.Application()
        made.router.add_get("/.well-known/openid-configuration", self._of("", self._metadata))
        made.router.add_get("/authorize", self._of("/authorize", self._authorize))
        made.router.add_post("/token", self._of("/token", self._token))
        made.router.add_get("/keys", self._of("/keys", self._keys))
        return made

    def token(self, claims: Claims) -> str:
        """A signed token."""
        if self.sign is not None:
            return self.sign(claims)
        header = {"alg": self.algorithm, "kid": self.key.kid}
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", SecurityWarning
            )  # EdDSA has another name since RFC 9864
            return jwt.encode(header, claims, self.key, [self.algorithm])

    def _of(self, path: str, usual: Callable[[web.Request], Any]) -> Any:
        async def answer(request: web.Request) -> web.StreamResponse:
            self.asked.append(request.path)
            if path in self.answers:
                return self.answers[path]()
            return await usual(request)

        return answer

    async def _metadata(self, request: web.Request) -> web.Response:
        known = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "response_types_supported": ["code"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256", "EdDSA"],
            **self.metadata,
        }
        return web.json_response({name: each for name, each in known.items() if each is not None})

    async def _authorize(self, request: web.Request) -> web.Response:
        given = dict(request.query)
        assert given["response_type"] == "code"
        assert given["client_id"] == CLIENT
        assert given["code_challenge_method"] == "S256"
        assert "openid" in given["scope"].split()
        code = secrets.token_urlsafe(16)
        self._codes[code] = given
        back = urlencode({"code": code, "state": given["state"]})
        return web.Response(status=302, headers={"Location": f"{given['redirect_uri']}?{back}"})

    async def _token(self, request: web.Request) -> web.Response:
        given = dict(await request.post())
        pair = request.headers.get("Authorization", "").removeprefix("Basic ")
        if pair:
            client, _, secret = base64.b64decode(pair).decode().partition(":")
            client, secret = unquote_plus(client), unquote_plus(secret)
        else:
            client, secret = str(given.get("client_id")), str(given.get("client_secret"))
        if (client, secret) != (CLIENT, SECRET):
            return web.json_response({"error": "invalid_client"}, status=401)
        began = self._codes.pop(str(given["code"]), None)
        digest = hashlib.sha256(str(given["code_verifier"]).encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if (
            began is None
            or began["redirect_uri"] != given["redirect_uri"]
            or began["code_challenge"] != challenge
        ):
            return web.json_response({"error": "invalid_grant"}, status=400)
        claims = self.claims(began["nonce"])
        self.change(claims)
        return web.json_response(
            {"access_token": "x", "token_type": "Bearer", "id_token": self.token(claims)}
        )

    def claims(self, nonce: str) -> Claims:
        """Those of an honest token."""
        now = int(time.time())
        return {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            **self.user,
        }

    async def _keys(self, request: web.Request) -> web.Response:
        return web.json_response({"keys": [key.as_dict(private=False) for key in self.keys]})


@asynccontextmanager
async def running(provider: FakeProvider) -> AsyncIterator[FakeProvider]:
    """The provider on loopback, as long as the block lasts."""
    async with TestServer(provider.app()) as server:
        provider.issuer = str(server.make_url("")).rstrip("/")
        yield provider
