"""Tokens: fetched once when needed, anew when they end or are refused, and in nothing that is kept
or shown."""

from __future__ import annotations

import asyncio
import json
import logging
import tomllib
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from metasearch.adapters.fetch.cassette import RecordTransport, ReplayTransport
from metasearch.adapters.fetch.exchange import Asker, Exchanges
from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.fetch.page_cache import page_key
from metasearch.adapters.fetch.transport import HttpTransport
from metasearch.adapters.request import Grant, Page, Request, Secret, secrets_of
from metasearch.adapters.spec import AdapterSpec, Limits
from metasearch.adapters.specs.specfile import build
from metasearch.adapters.translate.plan import next_request, plan
from metasearch.errors import (
    AccessDenied,
    BadAnswer,
    KeyMissing,
    RateLimited,
    SourceError,
    SpecError,
    TimedOut,
)
from metasearch.query.simple import parse
from tests.adapters.fetch.loopback import Loopback, Seen, reply
from tests.cases import each

ENV = {"MADE_ID": "client-id", "MADE_SECRET": "s3cret:+/ word"}
OAUTH = """
[auth.Authorization]
kind       = "oauth2"
in         = "headers"
prefix     = "Bearer "
env        = "MADE_ID"
secret_env = "MADE_SECRET"
token_url  = "{server}/token"
scope      = "wide open"
required   = true
"""
LOGIN = """
[auth.Authorization]
kind       = "login"
in         = "headers"
prefix     = "JWT "
env        = "MADE_ID"
secret_env = "MADE_SECRET"
token_url  = "{server}/token"
login      = {{ username = "{{id}}", password = "{{secret}}", app = "a" }}
"""


def spec_of(auth: str, server: str = "https://x.example") -> AdapterSpec:
    return build(
        tomllib.loads(f"""
name = "made"
[request]
url    = "{server}/search"
params = {{ q = "{{any}}", p = "{{page}}" }}
[query]
style  = "params"
fields = {{ any = "{{x}}" }}
[paging]
kind = "page"
size = 2
[parse]
body    = "json"
records = "items"
[fields]
title = "title"
{auth.format(server=server)}"""),
        "made.toml",
    )


def asked(spec: AdapterSpec, query: str = "salt") -> Request:
    return plan(parse(query), spec, 10, ENV).request


class Server(Loopback):
    """Gives tokens t0t0t0-1, t0t0t0-2 ... at /token, and answers /search to whoever has the last
    one."""

    def __init__(self, **facts: object) -> None:
        super().__init__()
        self.given = 0
        self.facts = facts
        self.refuses = False
        self.routes = {"/token": self._token, "/search": self._search}

    async def _token(self, writer: asyncio.StreamWriter) -> None:
        self.given += 1
        await asyncio.sleep(0)
        facts = {"access_token": f"t0t0t0-{self.given}", "token_type": "Bearer"} | self.facts
        writer.write(reply(json.dumps(facts).encode(), Connection="close"))
        await writer.drain()
        writer.close()

    async def _search(self, writer: asyncio.StreamWriter) -> None:
        sent = self.of("/search")[-1].headers.get("authorization", "")
        good = sent.split() in (["Bearer", f"t0t0t0-{self.given}"], ["JWT", f"t0t0t0-{self.given}"])
        body = json.dumps({"items": [{"title": f"you sent {sent} client-id"}]}).encode()
        known = good and not self.refuses
        writer.write(
            reply(body, Connection="close") if known else reply(body, 401, Connection="close")
        )
        await writer.drain()
        writer.close()

    def of(self, path: str) -> list[Seen]:
        return [seen for seen in self.seen if seen.target.partition("?")[0] == path]


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with Server(expires_in="1000") as running:
        yield running


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 5.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def ask(server: Server, clock: Clock) -> AsyncIterator[Callable[..., object]]:
    transport = HttpTransport(allow=frozenset({server.netloc}))
    exchanges = Exchanges(transport, monotonic=clock, patience=0)

    async def exchange(request: Request) -> Page:
        loop = asyncio.get_running_loop()
        return await exchanges.send(request, Limits(), Asker(loop.time() + 10), "MADE_ID")

    yield exchange
    await transport.close()


def origin(server: Server) -> str:
    return server.url("").rstrip("/")


# --------------------------------------------------------------------------- what is planned


def test_the_plan_is_pure() -> None:
    """Nothing is fetched: the request says how its token is to be had, and later pages say it
    too."""
    spec = spec_of(OAUTH)
    request = asked(spec)
    grant = dict(request.headers)["Authorization"]

    assert isinstance(grant, Grant)
    assert (grant.login.url, grant.login.method, grant.prefix) == (
        "https://x.example/token",
        "POST",
        "Bearer ",
    )
    assert grant.reveal() == ""
    assert request == asked(spec)
    assert hash(request) == hash(asked(spec))
    following = next_request(spec, request, got=2, total=9, cursor=None)
    assert following is not None
    assert dict(following.headers)["Authorization"] == grant


def test_credentials_are_in_no_key_and_no_text() -> None:
    """Who has other credentials asks the same request; neither is shown anywhere."""
    request = asked(spec_of(OAUTH))
    other = plan(parse("salt"), spec_of(OAUTH), 10, ENV | {"MADE_SECRET": "other"}).request

    assert page_key(request) == page_key(other)
    assert request != other
    for secret in ("client-id", "s3cret", b64encode(b"client-id").decode()[:8]):
        assert secret not in repr(request) + request.log_url
    assert {"client-id", "s3cret:+/ word"} <= set(secrets_of(request))


@each("missing", ["MADE_ID", "MADE_SECRET"])
def test_both_variables_are_needed(missing: str) -> None:
    """A required login names the one that is missing; one that is not is left out."""
    env = {name: value for name, value in ENV.items() if name != missing}
    with pytest.raises(KeyMissing) as raised:
        plan(parse("salt"), spec_of(OAUTH), 10, env)

    assert missing in raised.value.advice
    assert plan(parse("salt"), spec_of(LOGIN), 10, env).request.headers == ()


@each(
    ("auth", "told"),
    [
        ('kind = "magic"', "auth.key.kind: must be one of key, oauth2, login"),
        ('token_url = "https://x.example"', 'auth.key.token_url: has no meaning with kind = "key"'),
        ('kind = "oauth2"\nsecret_env = "S"', "auth.key.token_url: must begin with"),
        (
            'kind = "oauth2"\ntoken_url = "https://x.example"',
            "auth.key.secret_env: must be the name",
        ),
        (
            'kind = "oauth2"\nlogin = { a = "{id}" }',
            'auth.key.login: has no meaning with kind = "oauth2"',
        ),
        ('kind = "login"\ntoken_url = "https://x.example"', "auth.key.login: is missing"),
        (
            'kind = "login"\nlogin = { a = "{query}" }',
            "auth.key.login.a: unknown placeholder {query}",
        ),
        ('kind = "login"\nlogin = { a = 1 }', "auth.key.login.a: must be a string"),
        ('kind = "login"\nscope = "a"', 'auth.key.scope: has no meaning with kind = "login"'),
    ],
)
def test_mistakes_are_told(auth: str, told: str) -> None:
    """Each with its place and what to do."""
    with pytest.raises(SpecError) as raised:
        spec_of(f'[auth.key]\nenv = "MADE"\n{auth.replace("{", "{{").replace("}", "}}")}')

    assert any(problem.startswith(told) for problem in raised.value.problems), raised.value.problems


# --------------------------------------------------------------------------- what is sent


async def test_a_token_is_fetched_once(server: Server, ask: Callable[..., object]) -> None:
    """The first request fetches it as RFC 6749 says, all others use it."""
    spec = spec_of(OAUTH, origin(server))
    pages = [await ask(asked(spec, word)) for word in ("salt", "marsh")]  # type: ignore[misc]

    assert [page.status for page in pages] == [200, 200]
    (login,) = server.of("/token")
    basic = b64encode(b"client-id:s3cret%3A%2B%2F+word").decode()
    assert login.headers["authorization"] == f"Basic {basic}"
    assert login.body == b"grant_type=client_credentials&scope=wide%20open"
    assert [seen.headers["authorization"] for seen in server.of("/search")] == [
        "Bearer t0t0t0-1"
    ] * 2


async def test_many_at_once_fetch_one_token(server: Server, ask: Callable[..., object]) -> None:
    """Whoever comes while it is being fetched waits for it."""
    spec = spec_of(OAUTH, origin(server))
    await asyncio.gather(*(ask(asked(spec, f"word{n}")) for n in range(6)))  # type: ignore[arg-type]

    assert (len(server.of("/token")), len(server.of("/search"))) == (1, 6)


async def test_a_login_sends_json(server: Server, ask: Callable[..., object]) -> None:
    """The members are the spec's, the values the environment's, and `token` is a token too."""
    server.facts = {"access_token": None, "token": "t0t0t0-1"}
    page = await ask(asked(spec_of(LOGIN, origin(server))))  # type: ignore[misc]

    (login,) = server.of("/token")
    assert page.status == 200
    assert json.loads(login.body) == {
        "username": "client-id",
        "password": "s3cret:+/ word",
        "app": "a",
    }
    assert login.headers["content-type"] == "application/json"
    assert server.of("/search")[0].headers["authorization"] == "JWT t0t0t0-1"


async def test_a_token_ends(server: Server, clock: Clock, ask: Callable[..., object]) -> None:
    """It is used until shortly before the moment that the server has named, and not beyond."""
    spec = spec_of(OAUTH, origin(server))
    await ask(asked(spec))  # type: ignore[misc]
    clock.now += 930
    await ask(asked(spec))  # type: ignore[misc]
    assert server.given == 1
    clock.now += 20
    await ask(asked(spec))  # type: ignore[misc]

    assert server.given == 2


async def test_a_refused_token_is_fetched_anew_once(
    server: Server, ask: Callable[..., object]
) -> None:
    """A token that was withdrawn costs one more exchange; a second refusal is told."""
    spec = spec_of(OAUTH, origin(server))
    await ask(asked(spec))  # type: ignore[misc]
    server.given += 1  # from now on the server knows another one
    page = await ask(asked(spec))  # type: ignore[misc]
    assert (page.status, len(server.of("/token"))) == (200, 2)
    server.refuses = True
    with pytest.raises(AccessDenied) as raised:
        await ask(asked(spec))  # type: ignore[misc]

    assert raised.value.env_name == "MADE_ID"
    assert (len(server.of("/token")), len(server.of("/search"))) == (3, 5)


async def test_no_secret_comes_back(server: Server, ask: Callable[..., object]) -> None:
    """A server that repeats token and client gets them blanked, and the page's request holds no
    token for others."""
    page = await ask(asked(spec_of(OAUTH, origin(server))))  # type: ignore[misc]

    assert b"t0t0t0" not in page.body
    assert "t0t0t0" not in repr(page)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (reply(b'{"error": "invalid_client", "message": "no s3cret:+/ word"}', 400), AccessDenied),
        (reply(b'{"error": "no client-id"}', 401), AccessDenied),
        (reply(b"s3cret:+/ word client-id"), BadAnswer),
        (reply(b'{"access_token": "two words"}'), BadAnswer),
        (reply(b'{"access_token": "line\\r\\nCookie: x"}'), BadAnswer),
        (reply(b'{"access_token": ["t0t0t0"]}'), BadAnswer),
        (reply(b"[]"), BadAnswer),
    ],
)
async def test_a_login_that_fails(
    server: Server,
    ask: Callable[..., object],
    answer: bytes,
    error: type[SourceError],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The search is told why, without a secret; and nothing is sent to the search without a
    token."""
    caplog.set_level(logging.DEBUG)
    server.routes["/token"] = answer
    with pytest.raises(error) as raised:
        await ask(asked(spec_of(OAUTH, origin(server))))  # type: ignore[misc]

    told = f"{raised.value} {raised.value.advice} {raised.value!r} {caplog.text}"
    assert not any(secret in told for secret in ("client-id", "s3cret", "t0t0t0"))
    assert server.of("/search") == []


async def test_a_redirected_login_gives_nothing_away(
    server: Server, ask: Callable[..., object]
) -> None:
    """Another server than the one that the spec names gets no credentials."""
    async with Loopback({"/steal": reply(b"{}")}) as thief:
        server.routes["/token"] = reply(b"", 307, Location=thief.url("/steal"))
        with pytest.raises(SourceError):
            await ask(asked(spec_of(LOGIN, origin(server))))  # type: ignore[misc]

    assert not any(b"s3cret" in seen.body or b"client-id" in seen.body for seen in thief.seen)


async def test_logins_are_not_recorded(server: Server, tmp_path: Path) -> None:
    """A cassette holds the answer without token and login, and replays without credentials being
    sent."""
    spec = spec_of(OAUTH, origin(server))
    recording = Fetcher(
        RecordTransport(HttpTransport(allow=frozenset({server.netloc})), tmp_path),
        patience=0,
    )
    recorded = await recording.fetch(asked(spec), spec.limits)
    await recording.close()
    replaying = Fetcher(ReplayTransport(tmp_path), patience=0)
    replayed = await replaying.fetch(asked(spec), spec.limits)
    await replaying.close()

    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert recorded.body == replayed.body
    assert len(list(tmp_path.glob("made/*"))) == 1
    assert not any(secret in written for secret in (b"t0t0t0", b"client-id", b"s3cret", b"Basic"))
    assert isinstance(dict(recorded.request.headers)["Authorization"], Grant)


async def test_a_login_takes_a_turn(server: Server) -> None:
    """Where one request an hour may start, the login is that one, and the search does not get its
    turn."""
    fetcher = Fetcher(HttpTransport(allow=frozenset({server.netloc})))
    with pytest.raises(RateLimited):
        await fetcher.fetch(
            asked(spec_of(OAUTH, origin(server))),
            Limits(requests=1, per=3600),
            deadline=asyncio.get_running_loop().time() + 1,
        )
    await fetcher.close()

    assert (len(server.of("/token")), len(server.of("/search"))) == (1, 0)


async def test_a_login_is_late_like_any_request(server: Server) -> None:
    """It ends with the deadline of the search that needs it."""
    hung: list[asyncio.StreamWriter] = []

    async def hangs(writer: asyncio.StreamWriter) -> None:
        hung.append(writer)
        await asyncio.sleep(60)

    server.routes["/token"] = hangs
    fetcher = Fetcher(HttpTransport(allow=frozenset({server.netloc})), patience=0)
    with pytest.raises(TimedOut):
        await fetcher.fetch(
            asked(spec_of(OAUTH, origin(server))),
            Limits(timeout=5),
            deadline=asyncio.get_running_loop().time() + 0.2,
        )
    await fetcher.close()

    assert len(hung) == 1


def test_equal_secrets_stay_equal() -> None:
    """What a secret is made of does not make it another one."""
    assert Secret("a b", ("c",)) == Secret("a b")
    assert Secret("a b", ("c",)).texts() == ("a b", "b", "c")
    assert Secret(" ").texts() == ()
