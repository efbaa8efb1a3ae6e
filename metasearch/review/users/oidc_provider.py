"""The OpenID provider (OpenID Connect Core 1.0: authorization code with PKCE): its metadata and
keys, and what it says of a user. It needs the extra `oidc`, and is imported in this mode alone.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self
from urllib.parse import quote_plus, urlencode, urlsplit

import orjson
from joserfc import jws
from joserfc.errors import JoseError, UnsupportedAlgorithmError
from joserfc.jwk import ECKey, OKPKey, RSAKey
from joserfc.jws import JWSRegistry

from metasearch.adapters.fetch.transport import HttpTransport
from metasearch.adapters.request import Pairs, Request, Secret
from metasearch.errors import Busy, MetasearchError, SourceError, UsageError
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.settings.users import OidcSettings

#: Seconds that a login may take.
LASTS = 600
_LONGEST_PART = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginAttempt:
    """One login. It is kept in a signed cookie of the browser that began it, so that the answer of
    the provider is of use in this browser alone.

    Attributes:
        verifier: Is sent with the code (PKCE), so that a code alone is of no use.
        onward: The local address that is shown afterwards.
        ends: Unix time in seconds.
    """

    state: str
    nonce: str
    verifier: str
    onward: str
    ends: int

    @classmethod
    def begun(cls, onward: str) -> Self:
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        ends = int(time.time()) + LASTS
        return cls(state=state, nonce=nonce, verifier=verifier, onward=onward, ends=ends)

    @classmethod
    def read(cls, value: Any) -> Self | None:
        """The attempt of a cookie; None where it is none, or has ended."""
        texts = ("state", "nonce", "verifier", "onward")
        if not isinstance(value, dict) or value.keys() != {*texts, "ends"}:
            return None
        if not all(
            isinstance(value[name], str) and len(value[name]) < _LONGEST_PART for name in texts
        ):
            return None
        ends = value["ends"]
        return cls(**value) if isinstance(ends, int) and time.time() < ends else None

    def value(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def challenge(self) -> str:
        """What the provider is told of the verifier (RFC 7636, S256)."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


# Why somebody could not log in at the provider.


class ProviderFault(MetasearchError):
    """The provider cannot be asked, or answers what cannot be used."""

    status = 502
    advice = message("Try again in a moment; if it stays so, tell whoever runs this server.")


class LoginRefusal(UsageError):
    """What has come back from the provider begins no session."""

    status = 403
    advice = message("Log in again.")


# JSON of the provider: asked for with the guards of all requests that this program sends, bounded
# in size and time, and never kept.

#: Bytes of an answer, and seconds that it may take.
LARGEST, PATIENCE = 500_000, 10.0
#: What the provider is called where a request names a source.
_NAME = "login"


class ProviderClient:
    """Asks the provider.

    `issuer`: its address. It may be in one's own network: whoever configured it has said so.
    `allow`: "host:port" of other addresses in one's own network that may be asked.
    """

    def __init__(self, issuer: str, allow: frozenset[str] = frozenset()) -> None:
        self._transport = HttpTransport(allow=allow | {_origin(issuer)})

    async def close(self) -> None:
        await self._transport.close()

    async def get(self, address: str) -> dict[str, Any]:
        """The JSON object at an address. Raises ProviderFault: there is none, or it is too large or
        too slow.
        """
        status, found = await self._ask(
            Request(
                source=_NAME, url=address, headers=(("Accept", "application/json"),), private=True
            )
        )
        if status != 200:
            raise ProviderFault(
                message("The login provider answers {status} to {url}.", status=status, url=address)
            )
        return found

    async def post(
        self, address: str, fields: Pairs, authorization: Secret | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Status and JSON object of the answer to a form. Raises ProviderFault: there is none, or
        it is too large or too slow.
        """
        headers: Pairs = (("Accept", "application/json"),)
        if authorization is not None:
            headers += (("Authorization", authorization),)
        return await self._ask(
            Request(
                source=_NAME,
                url=address,
                method="POST",
                headers=headers,
                body=fields,
                private=True,
            )
        )

    async def _ask(self, request: Request) -> tuple[int, dict[str, Any]]:
        try:
            page = await self._transport.send(request, timeout=PATIENCE, max_bytes=LARGEST)
        except SourceError as exc:
            raise ProviderFault(
                message("The login provider cannot be asked: {reason}", reason=exc.message),
                advice=exc.advice or None,
            ) from exc
        try:
            found = orjson.loads(page.body)
        except orjson.JSONDecodeError as exc:
            raise _no_object(page.status) from exc
        if not isinstance(found, dict):
            raise _no_object(page.status)
        return page.status, found


def _no_object(status: int) -> ProviderFault:
    return ProviderFault(
        message("The login provider answers {status} without a JSON object.", status=status)
    )


def _origin(address: str) -> str:
    """ "host:port" of an address."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


# What the provider says about itself (OpenID Connect Discovery 1.0).

#: Below the issuer.
WELL_KNOWN = "/.well-known/openid-configuration"
_LONGEST_ADDRESS = 2_000


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the provider says about itself.

    Attributes:
        authorization: Where browsers are sent.
        token: Where a code becomes a token.
        keys: Where the keys are that tokens are signed with.
        client_by: How it wants to be told the secret of a client: in a header, or in the form.
        names_itself: Whether it says in its answers to browsers who it is (RFC 9207).
    """

    authorization: str
    token: str
    keys: str
    client_by: Literal["basic", "post"]
    names_itself: bool


def read_metadata(found: Mapping[str, Any], issuer: str) -> Metadata:
    """The metadata of an issuer. Raises ProviderFault: they are those of another issuer, or lack
    what is needed.
    """
    if found.get("issuer") != issuer:
        raise ProviderFault(
            message(
                "The login provider calls itself {theirs}, and [users.oidc] issuer is {ours}.",
                theirs=repr(str(found.get("issuer"))[:200]),
                ours=repr(issuer),
            ),
            advice=message("Write the issuer exactly as the provider does."),
        )
    methods = found.get("token_endpoint_auth_methods_supported")
    known = methods if isinstance(methods, list) else ["client_secret_basic"]
    return Metadata(
        authorization=_address(found, "authorization_endpoint", issuer),
        token=_address(found, "token_endpoint", issuer),
        keys=_address(found, "jwks_uri", issuer),
        client_by="post"
        if "client_secret_post" in known and "client_secret_basic" not in known
        else "basic",
        names_itself=found.get("authorization_response_iss_parameter_supported") is True,
    )


def _address(found: Mapping[str, Any], name: str, issuer: str) -> str:
    """An address in the metadata; https, unless the issuer, on this machine, has http itself."""
    address = found.get(name)
    allowed = ("https:", "http:") if issuer.startswith("http:") else ("https:",)
    if (
        isinstance(address, str)
        and len(address) <= _LONGEST_ADDRESS
        and address.startswith(allowed)
    ):
        try:
            parts = urlsplit(address)
            usable = bool(parts.hostname) and not parts.fragment and parts.port != 0
        except ValueError:
            usable = False
        if usable and address.isascii() and address.isprintable() and " " not in address:
            return address
    raise ProviderFault(
        message("The metadata of the login provider have no usable {name}.", name=name)
    )


# The public keys of the provider, kept for a while, and asked for again when a token names one
# that is not among them.

#: Algorithms of signatures -> key type and curve. Neither "none", nor those whose secret is shared.
ALGORITHMS: dict[str, tuple[str, str]] = {
    "RS256": ("RSA", ""),
    "ES256": ("EC", "P-256"),
    "EdDSA": ("OKP", "Ed25519"),
}
#: Seconds that keys are kept; seconds between two requests for them that unknown names cause.
KEYS_KEPT, KEYS_PAUSE = 3_600.0, 60.0
#: Keys of a provider, and bits of an RSA key.
_MOST, _FEWEST_BITS, _MOST_BITS = 100, 2_048, 8_192

_MEMBERS = ("kty", "crv", "x", "y", "n", "e")

Key = RSAKey | ECKey | OKPKey
_TYPES: dict[str, type[Key]] = {"RSA": RSAKey, "EC": ECKey, "OKP": OKPKey}


class Keys:
    """The keys of one provider. `clock`: seconds."""

    def __init__(
        self,
        fetch: Callable[[], Awaitable[dict[str, Any]]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch, self._clock = fetch, clock
        self._keys: list[tuple[str, Key, str]] = []
        self._fetched = self._asked = float("-inf")
        self._lock = asyncio.Lock()

    async def find(self, kid: str | None, algorithm: str) -> Key | None:
        """The key of a token; None where the provider has no such key. `kid`: what the token calls
        it; None where it does not say. Raises ProviderFault: the keys cannot be had.
        """
        if self._age() > KEYS_KEPT:
            await self._renew(KEYS_KEPT)
        found = self._among(kid, algorithm)
        if found is None and self._clock() - self._asked > KEYS_PAUSE:
            await self._renew(KEYS_PAUSE)
            found = self._among(kid, algorithm)
        return found

    def _age(self) -> float:
        return self._clock() - self._fetched

    async def _renew(self, older: float) -> None:
        """Ask for the keys, once however many wait for them."""
        async with self._lock:
            if self._age() > older:
                self._asked = self._clock()
                self._keys = read_keys(await self._fetch())
                self._fetched = self._clock()

    def _among(self, kid: str | None, algorithm: str) -> Key | None:
        fitting = [key for name, key, alg in self._keys if alg == algorithm and kid in (None, name)]
        # A token that names no key is only taken where there is no choice.
        return fitting[0] if len(fitting) == 1 or (fitting and kid is not None) else None


def read_keys(found: dict[str, Any]) -> list[tuple[str, Key, str]]:
    """(name, key, algorithm) of each key of a JWK set that signatures can be checked with; others
    are left out. Raises ProviderFault: it is no JWK set.
    """
    listed = found.get("keys")
    if not isinstance(listed, list) or len(listed) > _MOST:
        raise ProviderFault(message("The keys of the login provider cannot be read."))
    keys = [_key(one) for one in listed if isinstance(one, dict)]
    return [key for key in keys if key is not None]


def _key(found: dict[str, Any]) -> tuple[str, Key, str] | None:
    kind, curve = found.get("kty", ""), found.get("crv", "")
    algorithm = next((name for name, of in ALGORITHMS.items() if of == (kind, curve)), None)
    kid = found.get("kid", "")
    if algorithm is None or not isinstance(kid, str):
        return None
    if found.get("use", "sig") != "sig" or found.get("alg", algorithm) != algorithm:
        return None
    # Of the members only those that are the key: private ones have no place here.
    public: dict[str, Any] = {name: found[name] for name in _MEMBERS if name in found}
    # Six bits a character; what is too long is not even read.
    if kind == "RSA" and not _FEWEST_BITS <= 6 * len(str(found.get("n", ""))) <= _MOST_BITS + 6:
        return None
    try:
        key = _TYPES[kind].import_key(public)
    except (JoseError, ValueError, TypeError, KeyError):
        return None
    if isinstance(key, RSAKey) and key.public_key.key_size < _FEWEST_BITS:
        return None
    return kid, key, algorithm


# Checks what the provider says of a user: the ID token (OpenID Connect Core 1.0, 3.1.3.7).

#: Seconds by which clocks may differ, and since when a token may have been made.
LEEWAY, OLDEST = 60, 600
#: Characters of a token, and of the name of a user at a provider.
LONGEST, LONGEST_SUBJECT = 100_000, 255


class _Registry(JWSRegistry):
    """The algorithms that are allowed. EdDSA is among them, of which joserfc warns since RFC 9864
    has given it another name: providers do not use that yet.
    """

    def get_alg(self, name: str) -> Any:
        if name not in ALGORITHMS:
            raise UnsupportedAlgorithmError(name)
        return self.algorithms[name]


#: Further members of a header are left alone, unless the token says that they are critical.
_REGISTRY = _Registry(strict_check_header=False)


async def claims_of(
    token: str, keys: Keys, *, issuer: str, client_id: str, nonce: str
) -> dict[str, Any]:
    """The claims of an ID token, as it was sent, that answers the login of this nonce. Raises
    LoginRefused: it is not signed by the provider, or not meant for this login; ProviderFault: the
    keys cannot be had.
    """
    claims = await _verified_claims(token, keys)
    _check(claims, issuer, client_id, nonce, time.time())
    return claims


async def _verified_claims(token: str, keys: Keys) -> dict[str, Any]:
    """The claims, when the signature holds."""
    if len(token) > LONGEST or token.count(".") != 2 or not token.isascii():
        raise _refusal(message("it is no signed token"))
    try:
        signed = jws.extract_compact(token.encode(), None, _REGISTRY)
        header = signed.headers()
    except (JoseError, ValueError, TypeError) as exc:
        raise _refusal(message("it cannot be read")) from exc
    algorithm, kid = header.get("alg"), header.get("kid")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise _refusal(
            message("its signature is of the kind {algorithm}", algorithm=repr(str(algorithm)[:40]))
        )
    if kid is not None and not isinstance(kid, str):
        raise _refusal(message("it cannot be read"))
    key = await keys.find(kid, algorithm)
    if key is None:
        raise _refusal(message("the provider has no key of the name that it gives"))
    try:
        holds = jws.validate_compact(signed, key, registry=_REGISTRY)
        claims = orjson.loads(signed.payload or b"") if holds else None
    except (JoseError, ValueError, TypeError) as exc:
        raise _refusal(message("its signature does not hold")) from exc
    if not holds:
        raise _refusal(message("its signature does not hold"))
    if not isinstance(claims, dict):
        raise _refusal(message("it cannot be read"))
    return claims


def _check(claims: dict[str, Any], issuer: str, client_id: str, nonce: str, now: float) -> None:
    audience = claims.get("aud")
    clients = [audience] if isinstance(audience, str) else audience
    if claims.get("iss") != issuer:
        raise _refusal(message("it is of another issuer"))
    if not isinstance(clients, list) or client_id not in clients:
        raise _refusal(message("it is meant for another client"))
    authorized = claims.get("azp")
    if authorized != client_id and (authorized is not None or len(clients) > 1):
        raise _refusal(message("it is meant for another client"))
    subject = claims.get("sub")
    if (
        not isinstance(subject, str)
        or not 0 < len(subject) <= LONGEST_SUBJECT
        or not subject.isprintable()
    ):
        raise _refusal(message("it names no user"))
    expires, made, begins = (_moment(claims.get(name)) for name in ("exp", "iat", "nbf"))
    if expires is None or made is None:
        raise _refusal(message("it does not say when it was made and when it ends"))
    if expires <= now - LEEWAY or made < now - OLDEST - LEEWAY:
        raise _refusal(message("it has ended"))
    if made > now + LEEWAY or (begins is not None and begins > now + LEEWAY):
        raise _refusal(message("it is of the future; compare the clocks"))
    given = claims.get("nonce")
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), nonce.encode()):
        raise _refusal(message("it answers another login"))


def _moment(value: Any) -> float | None:
    usable = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if usable and 0 <= value < 1e11 else None


def _refusal(reason: str) -> LoginRefusal:
    return LoginRefusal(
        message("What the login provider says of you cannot be taken: {reason}.", reason=reason)
    )


# The OpenID provider, as one process of the server knows it.

#: Seconds that metadata are kept, and after a failure before they are asked for again.
KEPT, PAUSE = 3_600.0, 5.0
#: Codes that are exchanged at once, and browsers that may wait for that.
_AT_ONCE, _WAITING = 10, 200
#: Characters of what the provider says of an error.
_LONGEST = 300


class Provider:
    """The provider.

    Args:
        settings: Which one, and what this server is called there.
        secret: Of this server there; "" for none.
        allow: "host:port" of addresses in one's own network that may be asked, beside the issuer.
        clock: Seconds.
    """

    def __init__(
        self,
        settings: OidcSettings,
        secret: str = "",
        *,
        allow: frozenset[str] = frozenset(),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self._secret = secret
        self._answers = ProviderClient(settings.issuer, allow)
        self._clock = clock
        self._metadata: tuple[Metadata, float] | None = None
        self._failed: tuple[ProviderFault, float] | None = None
        self._lock = asyncio.Lock()
        self._exchanges, self._waiting = asyncio.Semaphore(_AT_ONCE), 0
        self._keys = Keys(self._key_set, clock)

    async def close(self) -> None:
        await self._answers.close()

    async def authorization(self, attempt: LoginAttempt, back: str) -> str:
        """The address at the provider that a browser is sent to. `back`: absolute address that the
        browser comes back to. Raises ProviderFault: the provider cannot be asked what it is.
        """
        metadata = await self.metadata()
        parameters = {
            "response_type": "code",
            "client_id": self.settings.client_id,
            "redirect_uri": back,
            "scope": " ".join(self.settings.scopes),
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": attempt.challenge,
            "code_challenge_method": "S256",
        }
        sign = "&" if "?" in metadata.authorization else "?"
        return f"{metadata.authorization}{sign}{urlencode(parameters)}"

    async def claims(self, code: str, attempt: LoginAttempt, back: str) -> dict[str, Any]:
        """What the provider says of the user who has come back with a code.

        Raises:
            LoginRefused: The code or the token cannot be taken.
            ProviderFault: The provider cannot be asked.
            Busy: Too many are logging in.
        """
        if self._waiting >= _WAITING:
            raise Busy(message("Too many people are logging in."))
        self._waiting += 1
        try:
            async with self._exchanges:
                token = await self._exchange(code, attempt, back)
                return await claims_of(
                    token,
                    self._keys,
                    issuer=self.settings.issuer,
                    client_id=self.settings.client_id,
                    nonce=attempt.nonce,
                )
        finally:
            self._waiting -= 1

    async def metadata(self) -> Metadata:
        """What the provider says about itself. Raises ProviderFault: it cannot be asked, or could
        not a moment ago.
        """
        async with self._lock:
            now = self._clock()
            if self._metadata is not None and now - self._metadata[1] < KEPT:
                return self._metadata[0]
            if self._failed is not None and now - self._failed[1] < PAUSE:
                raise self._failed[0]
            issuer = self.settings.issuer
            try:
                found = read_metadata(
                    await self._answers.get(issuer.rstrip("/") + WELL_KNOWN), issuer
                )
            except ProviderFault as fault:
                self._failed = fault, self._clock()
                raise
            self._metadata, self._failed = (found, self._clock()), None
            return found

    async def _key_set(self) -> dict[str, Any]:
        return await self._answers.get((await self.metadata()).keys)

    async def _exchange(self, code: str, attempt: LoginAttempt, back: str) -> str:
        """The ID token for a code."""
        metadata = await self.metadata()
        fields: Pairs = (
            ("grant_type", "authorization_code"),
            ("code", Secret(code)),
            ("redirect_uri", back),
            ("code_verifier", Secret(attempt.verifier)),
        )
        client, authorization = self.settings.client_id, None
        if self._secret and metadata.client_by == "basic":
            # Both are written as in a form before (RFC 6749, 2.3.1).
            pair = f"{quote_plus(client)}:{quote_plus(self._secret)}"
            text = base64.b64encode(pair.encode()).decode()
            authorization = Secret(f"Basic {text}", (self._secret,))
        else:
            fields += (("client_id", client),)
            fields += (("client_secret", Secret(self._secret)),) if self._secret else ()
        status, found = await self._answers.post(metadata.token, fields, authorization)
        if status != 200:
            raise LoginRefusal(
                message(
                    "The login provider does not accept the login: {reason}",
                    reason=error_text(found.get("error"), found.get("error_description")) or status,
                )
            )
        token = found.get("id_token")
        if not isinstance(token, str):
            raise ProviderFault(message("The login provider has sent no ID token."))
        return token


def error_text(error: object, description: object) -> str:
    """What the provider says of an error, in one line of a few words."""
    texts = [line(one) for one in (error, description) if isinstance(one, str) and one.strip()]
    return ": ".join(texts)[:_LONGEST]
