"""Sessions: whose they are, how long they last, how many there may be, and what counts as a
request.
"""

from __future__ import annotations

import asyncio

from lxml import etree

from metasearch.server.limits import Options
from metasearch.server.protocols.pazpar2.sessions import Pazpar2Sessions, Sender
from metasearch.server.site import SHARED
from tests.cases import each
from tests.server.fake import FakeEngine, answer, hit
from tests.server.protocols.pazpar2.answers import (
    PATH,
    ask,
    begun,
    first,
    number,
    refused,
    searched,
)

KEYS = ("0123456789abcdef", "fedcba9876543210")
FAR = {"X-Forwarded-For": "203.0.113.7"}


async def test_tokens_are_unlike(client):
    """At least 128 bits each, and the number of the worker."""
    tokens = {await begun(client) for _ in range(10)}

    assert len(tokens) == 10
    assert all(token.endswith(".0") and len(token) >= 22 + 2 for token in tokens)


async def test_a_session_ends_when_its_client_sends_no_more(serve):
    """Any command begins its time anew."""
    client = await serve(session_idle=1.5)
    session, other = await begun(client), await begun(client)
    for _ in range(20):
        await asyncio.sleep(0.1)
        await ask(client, "ping", session=session)

    assert await refused(client, "ping", session=other) == (1, other)
    await asyncio.sleep(1.7)
    assert await refused(client, "stat", session=session) == (1, session)


async def test_a_session_that_ends_closes_its_search(serve, engine):
    """With its requests to the sources; no later request is needed for that."""
    engine.gate = asyncio.Event()
    client = await serve(engine, session_idle=1.0)
    session = await begun(client)
    await ask(client, "search", session=session, query="mice")
    admission = client.app[SHARED].admission
    assert admission.running == 1

    async with asyncio.timeout(60):
        await engine.searches[0].closed.wait()
        while admission.running:
            await asyncio.sleep(0.01)


async def test_a_held_answer_keeps_its_session(serve, engine):
    """A client that waits has not gone away."""
    engine.gate = asyncio.Event()
    client = await serve(engine, session_idle=0.6)
    session = await begun(client)
    await ask(client, "search", session=session, query="mice")
    held = asyncio.create_task(ask(client, "show", session=session, block=1))
    await asyncio.sleep(1.5)
    engine.gate.set()

    async with asyncio.timeout(60):
        assert number(await held, "merged") > 0


async def test_a_session_is_good_with_its_key_only(serve, engine):
    """Another user's key, or none, does not open it, and cannot learn that it is there."""
    client = await serve(engine, keys=KEYS)

    async def answered(command: str, key: str | None, **parameters: str):
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        given = {"command": command, **parameters}
        async with client.get(PATH, params=given, headers=headers) as response:
            return response.status, await response.read()

    _, body = await answered("init", KEYS[0])
    session = first(etree.fromstring(body), "session")

    assert (await answered("ping", KEYS[0], session=session))[0] == 200
    status, body = await answered("ping", KEYS[1], session=session)
    assert (status, etree.fromstring(body).get("code")) == (417, "1")
    assert (await answered("ping", None, session=session))[0] == 401


async def test_a_client_that_begins_too_many_loses_its_oldest(serve):
    """The one that was silent longest ends; other clients keep theirs."""
    client = await serve(max_client_sessions=2)
    sessions = [await begun(client) for _ in range(2)]
    await ask(client, "ping", session=sessions[0])
    sessions.append(await begun(client))

    assert (await refused(client, "ping", session=sessions[1]))[0] == 1
    for session in (sessions[0], sessions[2]):
        await ask(client, "ping", session=session)


async def test_sessions_of_all_clients_are_bounded():
    """The one that was silent longest makes room, whosever it is."""
    sessions = Pazpar2Sessions(Options(max_sessions=3), 0)
    first_, second, *_ = [sessions.open(Sender(str(number)), None) for number in range(3)]
    sessions.find(first_.token, first_.asker)
    sessions.open(Sender("new"), None)

    assert len(sessions) == 3
    assert sessions.there(first_)
    assert not sessions.there(second)
    await sessions.close()
    assert len(sessions) == 0


async def test_works_of_all_sessions_are_bounded(serve):
    """The session that was silent longest makes room; the one that grows is never it."""
    engine = FakeEngine(answer(*(hit(place) for place in range(1, 31))))
    client = await serve(engine, max_session_works=70)
    old, newer, newest = [await searched(client) for _ in range(3)]

    assert (await refused(client, "ping", session=old))[0] == 1
    for session in (newer, newest):
        assert number(await ask(client, "show", session=session), "merged") == 30
    alone = await serve(engine, max_session_works=1)
    assert number(await ask(alone, "show", session=await searched(alone)), "merged") == 30


async def test_polls_are_not_counted_and_searches_are(serve):
    """pz2.js asks some hundred times while a search runs; `init` and `search` are one request
    each."""
    client = await serve(rate_limit=3, trusted_proxies=("127.0.0.1",))
    client.session.headers.update(FAR)
    session = await begun(client)
    await ask(client, "search", session=session, query="mice")
    for command in ("stat", "show", "termlist", "bytarget", "ping") * 10:
        await ask(client, command, session=session)
    await ask(client, "search", session=session, query="owls")

    root = await ask(client, "search", 429, session=session, query="mice")
    assert (root.tag, root.get("code")) == ("error", "12")
    assert "Try again in" in root.text
    await ask(client, "show", session=session)


async def test_guesses_of_tokens_and_keys_are_counted(serve):
    """Neither can be tried without end."""
    client = await serve(rate_limit=2, trusted_proxies=("127.0.0.1",))
    client.session.headers.update(FAR)
    for _ in range(2):
        await refused(client, "show", session="guess.0")
    await ask(client, "show", 429, session="guess.0")
    for command in ("sing", "info"):  # neither of these belongs to a session
        await ask(client, command, 429)
    async with client.get(PATH) as response:
        assert response.status == 429

    client = await serve(rate_limit=2, trusted_proxies=("127.0.0.1",), keys=KEYS)
    headers = {"Authorization": "Bearer 0000000000000000", **FAR}
    statuses = []
    for _ in range(3):
        async with client.get(PATH, params={"command": "init"}, headers=headers) as response:
            statuses.append(response.status)
    assert statuses == [401, 401, 429]


async def test_polls_of_a_session_are_bounded(serve):
    """By a number of their own, far above what pz2.js sends."""
    client = await serve(session_polls=5)
    session, other = await begun(client), await begun(client)
    for _ in range(5):
        await ask(client, "stat", session=session)

    root = await ask(client, "stat", 429, session=session)
    assert root.get("code") == "12"
    await ask(client, "stat", session=other)
    assert Options().session_polls / Options().rate_window >= 20


async def test_a_busy_server_says_so(serve, engine):
    """503 with Retry-After, in a document that clients read."""
    engine.gate = asyncio.Event()
    client = await serve(engine, max_searches=1)
    sessions = [await begun(client) for _ in range(3)]
    await ask(client, "search", session=sessions[0], query="mice")
    given = {"command": "search", "session": sessions[1], "query": "owls"}
    async with client.get(PATH, params=given) as response:
        root = etree.fromstring(await response.read())

    assert (response.status, root.tag) == (503, "error")
    assert int(response.headers["Retry-After"]) >= 1


async def test_a_search_in_place_of_another_takes_its_permit(serve, engine):
    """Also on a server that is full with it: no search waits for one that it ends."""
    engine.gate = asyncio.Event()
    client = await serve(engine, max_searches=1)
    session = await begun(client)
    await ask(client, "search", session=session, query="mice")
    await ask(client, "search", session=session, query="rats")

    assert engine.searches[0].closed.is_set()
    assert client.app[SHARED].admission.running == 1


async def test_a_server_that_stops_answers_who_waits(serve, engine):
    """Held answers do not keep it from ending."""
    engine.gate = asyncio.Event()
    client = await serve(engine)
    session = await begun(client)
    await ask(client, "search", session=session, query="mice")
    held = asyncio.create_task(refused(client, "show", session=session, block=1))
    await asyncio.sleep(0.05)
    await client.app[SHARED].close_faces()

    async with asyncio.timeout(60):
        assert (await held)[0] == 1
    assert engine.searches[0].closed.is_set()


@each("origin", ["https://reader.example.org", "https://evil.example"])
async def test_pages_of_other_origins(serve, origin):
    """Those that are configured read answers and errors; the request of pz2.js needs no preflight,
    but one is answered."""
    client = await serve(cors=("https://reader.example.org",))
    allowed = origin == "https://reader.example.org"
    for command in ("init", "sing"):
        async with client.get(
            PATH, params={"command": command}, headers={"Origin": origin}
        ) as response:
            assert ("Access-Control-Allow-Origin" in response.headers) is allowed
    asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    async with client.options(PATH, headers=asked) as response:
        assert (response.status == 204) is allowed
