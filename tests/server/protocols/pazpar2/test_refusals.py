"""What is refused: HTTP 417 with a code of pazpar2 and a detail that says what is wrong."""

from __future__ import annotations

from lxml import etree

from metasearch.server.protocols.pazpar2.handler import COMMANDS
from metasearch.server.protocols.pazpar2.parameters import MESSAGES
from tests.cases import each
from tests.server.protocols.pazpar2.answers import PATH, ask, begun, first, refused, searched

SEARCHES = [
    ({}, 2, "query"),
    ({"query": " "}, 2, "query"),
    ({"query": "mice and ("}, 3, "query: There is nothing after this bracket, at character 10"),
    ({"query": "tx=mice"}, 3, 'There is no qualifier "tx"'),
    ({"query": "m?ce"}, 3, "Try: mce"),
    ({"query": "date=2020"}, 3, "no word to look for"),
    ({"sort": "colour"}, 3, "sort: 'colour'"),
    ({"sort": "title:2"}, 3, "sort: 'title:2'"),
    ({"sort": ",".join(["date"] * 9)}, 3, "sort: more than 5 keys"),
    ({"maxrecs": "many"}, 3, "maxrecs: 'many' is no whole number"),
    ({"maxrecs": "-1"}, 3, "maxrecs"),
    ({"limit": "author"}, 3, "limit: 'author' is not name=value"),
    ({"limit": "author="}, 3, "limit: 'author=' is not name=value"),
    ({"limit": "colour=red"}, 3, "limit: there is no field 'colour'"),
    ({"limit": "medium=scroll"}, 3, "'scroll' is none of"),
    ({"limit": "date=often"}, 3, "limit: filter year"),
    ({"limit": "author=" + "|".join("abcdefgh" * 8)}, 3, "limit: more than 50 values"),
    ({"limit": "x" * 6_000}, 3, "limit: longer than 5,000 characters"),
    ({"filter": "pz:id=nowhere"}, 8, "leaves none of alpha, beta"),
    ({"filter": "pz:id=alpha,pz:id=beta"}, 8, "leaves none of alpha, beta"),
    ({"filter": "pz:colour=red"}, 3, "neither pz:id nor pz:name"),
    ({"filter": "pz:id"}, 3, "'pz:id' is not name=value"),
    ({"filter": "pz:id=a," * 300}, 3, "filter: more than 200 parts"),
    ({"mergekey": "title"}, 11, "mergekey"),
    ({"rank": "title=2"}, 11, "rank"),
    ({"startrecs": "20"}, 11, "startrecs"),
]


@each(("parameters", "code", "detail"), SEARCHES)
async def test_searches(client, engine, parameters, code, detail):
    """No source is asked."""
    session = await begun(client)
    given = {"query": "mice", **parameters} if parameters else {}
    found = await refused(client, "search", session=session, **given)

    assert found[0] == code
    assert detail in found[1]
    assert engine.searches == []


async def test_a_long_query(client, engine):
    """By POST, because no address is so long."""
    form = {"command": "search", "session": await begun(client), "query": "x" * 40_000}
    async with client.post(PATH, data=form) as response:
        root = etree.fromstring(await response.read())

    assert (response.status, root.get("code")) == (417, "3")
    assert "longer than 30,000 characters" in root.text
    assert engine.searches == []


VIEWS = [
    ("show", {"start": "x"}, 3, "start"),
    ("show", {"num": "-5"}, 3, "num"),
    ("show", {"sort": "colour"}, 3, "sort"),
    ("record", {}, 2, "id"),
    ("record", {"id": "nope"}, 7, "nope"),
    ("record", {"id": "alpha:alpha-1", "offset": "2"}, 10, "offset: 2; the last record has 1"),
    ("record", {"id": "alpha:alpha-1", "offset": "first"}, 3, "offset"),
    ("record", {"id": "alpha:alpha-1", "checksum": "1"}, 10, "checksum"),
    ("record", {"id": "alpha:alpha-1", "offset": "0", "syntax": "sutrs"}, 10, "syntax: 'sutrs'"),
    ("termlist", {"num": "x"}, 3, "num"),
    ("termlist", {"name": ",".join(f"n{i}" for i in range(60))}, 3, "more than 50"),
]


@each(("command", "parameters", "code", "detail"), VIEWS)
async def test_views(client, command, parameters, code, detail):
    """Of a search that has finished."""
    session = await searched(client)
    found = await refused(client, command, session=session, **parameters)

    assert found[0] == code
    assert detail in found[1]


@each(
    ("settings", "code", "detail"),
    [
        ({"pz:allow[nowhere]": "1"}, 9, "nowhere: there is no such source"),
        ({"pz:allow[alpha": "1"}, 5, "write pz:allow"),
        ({"[alpha]": "1"}, 5, "write pz:allow"),
        ({"pz:allow[alpha]": "yes"}, 5, "neither 1 nor 0"),
        ({"pz:authentication[alpha]": "me/secret"}, 11, "only pz:allow can be set"),
        ({f"pz:allow[{number}]": "1" for number in range(400)}, 9, "there is no such source"),
    ],
)
async def test_settings(client, settings, code, detail):
    """With `init` as with `settings`; a value is never repeated, because it may be a password."""
    session = await begun(client)
    async with client.post(PATH, data={"command": "init", **settings}) as response:
        with_init = etree.fromstring(await response.read())
    async with client.post(
        PATH, data={"command": "settings", "session": session, **settings}
    ) as response:
        root = etree.fromstring(await response.read())

    assert response.status == 417
    assert (int(root.get("code")), int(with_init.get("code"))) == (code, code)
    assert detail in root.text
    assert "secret" not in root.text


async def test_a_session_without_sources(client, engine):
    """Its settings take all of them away."""
    session = await begun(client, **{"pz:allow[*]": "0"})

    assert (await refused(client, "search", session=session, query="mice"))[0] == 8
    assert engine.searches == []


async def test_commands(client):
    """Those of pazpar2 that do not exist here are told from those that nobody has."""
    assert await refused(client, "info") == (11, "command: info")
    assert (await refused(client, "sing"))[0] == 3
    async with client.get(PATH) as response:
        root = etree.fromstring(await response.read())
    assert (response.status, root.get("code"), root.text) == (417, "2", "command")


async def test_sessions(client):
    """A command without a session, and one with a token that is none."""
    assert await refused(client, "stat") == (2, "session")
    for token in ("x", "2044502273", "x.0", "x.17", "x.99999999999", "é"):
        code, detail = await refused(client, "stat", session=token)
        assert (code, detail) == (1, token)


async def test_encoding(client):
    """An address that is not UTF-8."""
    session = await begun(client)
    async with client.get(f"{PATH}?command=search&session={session}&query=%FF%FE") as response:
        root = etree.fromstring(await response.read())

    assert (response.status, root.get("code")) == (417, "4")


@each(
    ("body", "media_type", "code"),
    [
        (b"<service/>", "text/xml", "11"),
        (b"command=%FF&x=\xff", "application/x-www-form-urlencoded", "4"),
        (b"query=%FF%FE", "application/x-www-form-urlencoded", "4"),
        (b"command=init&query=" + b"x" * 400_000, "application/x-www-form-urlencoded", "3"),
    ],
)
async def test_bodies(client, body, media_type, code):
    """A service of the client's own, what is no text, and what is too large."""
    async with client.post(
        f"{PATH}?command=init", data=body, headers={"Content-Type": media_type}
    ) as response:
        root = etree.fromstring(await response.read())

    assert (response.status, root.get("code")) == (417, code)


async def test_a_search_that_fails_by_an_error_of_ours(client, engine):
    """The lists say so; the session can search again."""
    engine.fault = RuntimeError("broken")
    session = await begun(client)
    await ask(client, "search", session=session, query="mice")
    code, _ = await refused(client, "show", session=session, block=1)
    assert code == 6
    assert first(await ask(client, "stat", session=session), "activeclients") == "0"

    engine.fault = None
    await ask(client, "search", session=session, query="mice")
    root = await ask(client, "show", session=session, block=1)
    assert first(root, "status") == "OK"


async def test_an_error_of_ours_is_a_document_that_clients_read(client, caplog, monkeypatch):
    """With the id under which the log has it, and nothing of the error itself."""

    async def broken(command):
        raise RuntimeError("/home/of/the/server")

    session = await begun(client)
    monkeypatch.setitem(COMMANDS, "stat", broken)
    async with client.get(PATH, params={"command": "stat", "session": session}) as response:
        root = etree.fromstring(await response.read())
        assert (response.status, response.content_type) == (500, "text/xml")

    assert (root.tag, root.get("code")) == ("error", "12")
    assert root.text.rpartition(" ")[2] in caplog.text
    assert "/home" not in root.text


def test_every_code_has_a_message():
    """1 to 13, as in pazpar2's manual."""
    assert list(MESSAGES) == list(range(1, 14))
