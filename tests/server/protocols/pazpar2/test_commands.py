"""Each command of pazpar2's protocol: what it takes, what clients read in its answer."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace
from zlib import crc32

import pymarc
import pytest
from lxml import etree

from metasearch.errors import TimedOut
from metasearch.events import Counts
from tests import cases
from tests.server.fake import answer, hit, late, record, report
from tests.server.protocols.pazpar2.answers import (
    PATH,
    ask,
    begun,
    finished,
    first,
    number,
    refused,
    searched,
    texts,
)

NAMES = "author,subject,date,medium,journal-title,xtargets"


# --------------------------------------------------------------------------- sessions


async def test_init_ping_and_stop(client):
    """The version of the protocol is 1, which pz2.js compares; keepAlive is in milliseconds and
    shorter than the life of a session."""
    root = await ask(client, "init", windowid="")

    assert [first(root, name) for name in ("status", "protocol")] == ["OK", "1"]
    assert 1000 <= number(root, "keepAlive") < 60_000
    session = first(root, "session")
    assert len(session) >= 24
    for command in ("ping", "stop", "settings"):
        root = await ask(client, command, session=session)
        assert (root.tag, first(root, "status")) == (command, "OK")


async def test_before_a_search_everything_is_empty(client):
    """pz2.js asks for `stat` as soon as a session is there."""
    session = await begun(client)
    stat = await ask(client, "stat", session=session)
    show = await ask(client, "show", session=session, block=1)

    assert {each.tag: each.text for each in stat}["activeclients"] == "0"
    assert all(each.text for each in stat)
    assert (number(show, "merged"), number(show, "num")) == (0, 0)
    assert texts(await ask(client, "bytarget", session=session), "target") == []


async def test_a_service_is_a_source_or_a_group(client, engine):
    """Its searches ask these."""
    session = await begun(client, service="medicine")
    await ask(client, "search", session=session, query="mice")

    assert engine.asked[-1]["sources"] == ("gamma",)
    code, detail = await refused(client, "init", service="nowhere")
    assert (code, detail.split()[0]) == (12, "nowhere")


@cases.each(
    ("settings", "sources"),
    [
        ({"pz:allow[beta]": "0"}, ("alpha",)),
        ({"pz:allow[gamma]": "1"}, ("alpha", "beta", "gamma")),
        ({"pz:allow[*]": "0", "pz:allow[gamma]": "1"}, ("gamma",)),
        ({"clear": "1", "pz:allow[beta]": "1"}, ("beta",)),
    ],
)
async def test_settings_choose_the_sources(client, engine, settings, sources):
    """With `init`; with `settings` likewise, but for `clear`."""
    session = await begun(client, **settings)
    await ask(client, "search", session=session, query="mice")
    assert engine.asked[-1]["sources"] == sources

    if "clear" not in settings:
        session = await begun(client)
        await ask(client, "settings", session=session, **settings)
        await ask(client, "search", session=session, query="mice")
        assert engine.asked[-1]["sources"] == sources


# --------------------------------------------------------------------------- search


async def test_search_reads_ccl(client, engine):
    """Words, fields, years; what is read in another way than it is written is a note."""
    session = await begun(client)
    root = await ask(
        client,
        "search",
        session=session,
        query='ti=mice and au="Byron, Ada" and date=2015-2020',
        maxrecs=50,
        sort="date:0",
    )

    assert (
        engine.searches[-1].answer.query == "title:mice AND author:(Byron Ada) AND year:2015-2020"
    )
    assert engine.asked[-1]["per_source"] == 50
    assert engine.asked[-1]["sort"] == "date"
    assert engine.asked[-1]["sources"] is None
    assert first(root, "status") == "OK"
    assert "any order" in first(root, "note")


@cases.each(
    ("text", "sources"),
    [
        ("pz:id=beta", ("beta",)),
        ("pz:id=alpha|beta", ("alpha", "beta")),
        ("pz:id~LPH", ("alpha",)),
        ("pz:name=Beta", ("beta",)),
        ("pz:id=alpha|beta,pz:name~bet", ("beta",)),
        ("|pz:id=alpha,pz:name~bet", ("alpha", "beta")),
    ],
)
async def test_filter_chooses_targets(client, engine, text, sources):
    """`=` is equal, `~` contains, `|` is one of several; commas narrow, "|" before them widens."""
    session = await begun(client)
    await ask(client, "search", session=session, query="mice", filter=text)

    assert engine.asked[-1]["sources"] == sources


@cases.each(
    ("limit", "filters"),
    [
        (r"author=Byron\, Ada", 'author:"Byron, Ada"'),
        (r"author=Byron\, Ada|Li\, Bo,date=2021", 'author:"Byron, Ada",author:"Li, Bo",year:2021'),
        ("medium=book", "type:book"),
        (r"journal-title=a\|b\\c", r"venue:a|b\c"),
        ("date=2018-2020", "year:2018-2020"),
        ("subject=mice,language=en,xtargets=alpha", "language:en,source:alpha,subject:mice"),
    ],
)
async def test_limit_is_filters(client, engine, limit, filters):
    """The values that `termlist` shows, escaped by backslashes."""
    session = await begun(client)
    await ask(client, "search", session=session, query="mice", limit=limit)

    assert str(engine.asked[-1]["filter"]) == filters


async def test_a_search_replaces_the_one_before(client, engine):
    """The earlier one is closed, with its requests to the sources."""
    engine.gate = asyncio.Event()
    session = await begun(client)
    await ask(client, "search", session=session, query="mice")
    await ask(client, "search", session=session, query="owls")

    async with asyncio.timeout(60):
        await engine.searches[0].closed.wait()
    assert not engine.searches[1].closed.is_set()
    engine.gate.set()
    assert number(await finished(client, session), "merged") == 2


async def test_searches_at_the_same_moment(client, engine):
    """One of them holds the session; the others are closed, and none goes on unseen."""
    engine.gate = asyncio.Event()
    session = await begun(client)
    await asyncio.gather(
        *(ask(client, "search", session=session, query=f"mice{number}") for number in range(5))
    )

    def running() -> int:
        begun_ = [search for search in engine.searches if search.started]
        return sum(not search.closed.is_set() for search in begun_)

    async with asyncio.timeout(60):
        while running() != 1:
            await asyncio.sleep(0.01)
    await ask(client, "stop", session=session)
    assert running() == 0


async def test_stop_ends_the_search(client, engine):
    """Nothing more comes, and clients stop asking."""
    engine.gate = asyncio.Event()
    session = await begun(client)
    await ask(client, "search", session=session, query="mice")
    assert number(await ask(client, "stat", session=session), "activeclients") == 2
    await ask(client, "stop", session=session)

    stat = await ask(client, "stat", session=session)
    assert (number(stat, "activeclients"), number(stat, "unconnected")) == (0, 2)
    states = texts(await ask(client, "bytarget", session=session), "//state")
    assert states == ["Client_Disconnected"] * 2


# --------------------------------------------------------------------------- show


async def test_show(client):
    """The members that pz2.js reads, and the work as the merged record and each source have it."""
    session = await searched(client)
    root = await ask(client, "show", session=session, start=0, num=1, sort="relevance", version=2)

    numbers = {name: number(root, name) for name in ("activeclients", "merged", "start", "num")}
    assert numbers == {"activeclients": 0, "merged": 2, "start": 0, "num": 1}
    assert number(root, "total") == number(root, "approximation") == 80
    (work,) = root.iter("hit")
    assert {each.tag: each.text for each in work if each.tag.startswith("md-")} == {
        "md-title": "Gene drives in island mice",
        "md-title-responsibility": "Ada Byron; Bo Li",
        "md-author": "Li, Bo",  # the last of two
        "md-date": "2021",
        "md-medium": "article",
        "md-journal-title": "Journal of Islands",
        "md-volume-number": "12",
        "md-issue-number": "3",
        "md-pages-number": "101-110",
        "md-doi": "10.5555/islands.1",
        "md-electronic-url": "https://alpha.example.org/1",
    }
    assert texts(work, "md-author") == ["Byron, Ada", "Li, Bo"]
    assert texts(work, "location/@id") == ["alpha", "beta"]
    assert texts(work, "location/@name") == ["Alpha", "Beta"]
    assert texts(work, "location[2]/md-electronic-url") == ["https://beta.example.org/2"]
    assert (first(work, "count"), first(work, "recid")) == ("2", "alpha:alpha-1")
    assert number(work, "relevance") == 100_000


async def test_no_element_that_clients_read_is_empty_or_has_attributes(client, engine):
    """Not even for a record without a title; attributes would turn texts into objects."""
    bare = record(title="", authors=(), venue=None, volume=None, url=None, type=None, abstract="")
    engine.answer = answer(replace(hit(1), record=bare, records=(bare,)))
    session = await searched(client)
    show = await ask(client, "show", session=session)
    whole = await ask(client, "record", session=session, id="alpha:alpha-1")

    for root in (show, whole):
        assert first(root, "md-title") == "[Untitled]"
        leaves = [each for each in root.iter() if len(each) == 0 and each.tag != "location"]
        assert all(each.text for each in leaves)
        assert not any(each.attrib for each in root.iter() if each.tag.startswith("md-"))


async def test_pages(client, engine):
    """`start` from 0; a page behind the end is empty."""
    engine.answer = answer(*(hit(place, title=f"Work {place}") for place in range(1, 26)))
    session = await searched(client)

    async def titles(**parameters: int) -> list[str]:
        return texts(await ask(client, "show", session=session, **parameters), "hit/md-title")

    everything = [f"Work {place}" for place in range(1, 26)]
    assert await titles() == everything[:20]
    assert await titles(start=20) == everything[20:]
    assert await titles(start=5, num=3) == everything[5:8]
    assert await titles(start=90) == []
    assert await titles(num=0) == []


@pytest.mark.parametrize(
    ("sort", "titles"),
    [
        ("relevance", ["B", "A", "C"]),
        ("title:1", ["A", "B", "C"]),
        ("title:0", ["C", "B", "A"]),
        ("title", ["C", "B", "A"]),
        ("date:0", ["C", "B", "A"]),
        ("date:1", ["B", "A", "C"]),
        ("date:1,title:1", ["A", "B", "C"]),
        ("position:1", ["B", "A", "C"]),
    ],
)
async def test_show_sorts_what_is_there(client, engine, sort, titles):
    """In another order than the search, without asking any source; works that are equal in one key
    keep the order of the next."""
    works = [hit(1, title="B", year=2001), hit(2, title="A", year=2001)]
    engine.answer = answer(*works, hit(3, title="C", year=2009))
    session = await searched(client)
    root = await ask(client, "show", session=session, sort=sort)

    assert texts(root, "hit/md-title") == titles
    assert len(list(root.iter("relevance"))) == (3 if sort == "relevance" else 0)
    assert len(engine.searches) == 1


async def test_relevance_after_a_search_by_date(client, engine):
    """The scores are known."""
    engine.answer = answer(hit(2, title="Second"), hit(1, title="First"))
    session = await searched(client, sort="date:0")

    assert texts(await ask(client, "show", session=session, sort="date:0"), "hit/md-title") == [
        "Second",
        "First",
    ]
    assert texts(await ask(client, "show", session=session), "hit/md-title") == ["First", "Second"]


# --------------------------------------------------------------------------- block


async def test_block_holds_the_answer_until_a_work_is_there(client, engine):
    """Without it the answer is what there is."""
    engine.gate = asyncio.Event()
    session = await begun(client)
    await ask(client, "search", session=session, query="mice")
    at_once = await ask(client, "show", session=session)
    held = asyncio.create_task(ask(client, "show", session=session, block=1))
    await asyncio.sleep(0.1)

    assert (number(at_once, "merged"), number(at_once, "activeclients")) == (0, 2)
    assert not held.done()
    engine.gate.set()
    async with asyncio.timeout(60):
        assert number(await held, "merged") > 0


@cases.each("command", ["show", "termlist", "bytarget"])
async def test_one_of_a_command_is_held_at_a_time(client, engine, command):
    """As in pazpar2 a second one is answered at once, or refused where it asks for that."""
    engine.gate = asyncio.Event()
    session = await begun(client)
    await ask(client, "search", session=session, query="mice")
    held = asyncio.create_task(ask(client, command, session=session, block=1))
    await asyncio.sleep(0.1)

    second = await ask(client, command, session=session, block=1)
    error = "1" if command == "show" else "error"
    code, detail = await refused(client, command, session=session, block=1, report=error)
    assert second.tag == command
    assert (code, detail) == (13, command)
    assert not held.done()
    engine.gate.set()
    async with asyncio.timeout(60):
        assert (await held).tag == command


async def test_a_held_answer_comes_when_the_search_finds_nothing(client, engine):
    """The end is an answer, too."""
    engine.gate, engine.answer = asyncio.Event(), answer()
    session = await begun(client)
    await ask(client, "search", session=session, query="mice")
    held = asyncio.create_task(ask(client, "show", session=session, block="preferred"))
    await asyncio.sleep(0.05)
    engine.gate.set()

    async with asyncio.timeout(60):
        assert number(await held, "activeclients") == 0


# --------------------------------------------------------------------------- record


async def test_record(client):
    """Whole, between its neighbours in the list that was shown last."""
    session = await searched(client)
    root = await ask(client, "record", session=session, id="alpha:alpha-1")

    assert [first(root, name) for name in ("recid", "nextrecid")] == [
        "alpha:alpha-1",
        "alpha:alpha-2",
    ]
    assert root.find("prevrecid") is None
    assert number(root, "activeclients") == 0
    assert (
        texts(root, "md-description") == texts(root, "md-abstract") == ["Mice were counted twice."]
    )
    assert texts(root, "location/@checksum") == [
        str(crc32(b"alpha:alpha-1")),
        str(crc32(b"beta:beta-2")),
    ]

    await ask(client, "show", session=session, sort="title:0")
    root = await ask(client, "record", session=session, id="alpha:alpha-1")
    assert first(root, "prevrecid") == "alpha:alpha-2"


@cases.each(
    "which",
    [{"offset": 1}, {"checksum": crc32(b"beta:beta-2")}, {"offset": 1, "syntax": "usmarc"}],
)
async def test_an_original_record_is_bare_marcxml(client, which):
    """Of one source, by its number among the locations or its checksum; pymarc reads it."""
    session = await searched(client)
    root = await ask(client, "record", session=session, id="alpha:alpha-1", **which)

    assert root.tag == "{http://www.loc.gov/MARC21/slim}record"
    (read,) = pymarc.parse_xml_to_array(io.BytesIO(etree.tostring(root)))
    assert read["245"]["a"] == "Gene drives in island mice"
    assert read["856"]["u"] == "https://beta.example.org/2"


async def test_an_original_record_as_bytes(client):
    """`binary=1`: MARC 21."""
    session = await searched(client)
    given = {"session": session, "id": "alpha:alpha-1", "offset": "0", "binary": "1"}
    async with client.get(PATH, params={"command": "record", **given}) as response:
        body = await response.read()

    assert (response.status, response.content_type) == (200, "application/octet-stream")
    (read,) = pymarc.MARCReader(body)
    assert read["245"]["a"] == "Gene drives in island mice"


async def test_a_record_that_has_not_come_is_waited_for(client, engine):
    """It may come while the search runs; after its end it is missing."""
    engine.gate = asyncio.Event()
    session = await begun(client)
    await ask(client, "search", session=session, query="mice")
    held = asyncio.create_task(ask(client, "record", session=session, id="alpha:alpha-2"))
    await asyncio.sleep(0.1)
    assert not held.done()
    engine.gate.set()

    async with asyncio.timeout(60):
        assert first(await held, "recid") == "alpha:alpha-2"
    assert await refused(client, "record", session=session, id="nope") == (7, "nope")


# --------------------------------------------------------------------------- termlist, bytarget


async def test_termlist(client):
    """Facets by the names of pazpar2, the most frequent first; what is not known is empty."""
    session = await searched(client)
    root = await ask(client, "termlist", session=session, name=f"{NAMES},nonsense")

    lists = {each.get("name"): each for each in root.iter("list")}
    assert list(lists) == [*NAMES.split(","), "nonsense"]
    assert number(root, "activeclients") == 0
    assert texts(lists["author"], "term/name") == ["Byron, Ada", "Li, Bo"]
    assert texts(lists["author"], "term/frequency") == ["2", "2"]
    assert texts(lists["date"], "term/name") == ["2021"]
    assert texts(lists["medium"], "term/name") == ["article"]
    assert texts(lists["journal-title"], "term/name") == ["Journal of Islands"]
    assert list(lists["nonsense"]) == list(lists["subject"]) == []
    targets = lists["xtargets"]
    assert texts(targets, "term/id") == ["alpha", "beta"]
    assert texts(targets, "term/name") == ["Alpha", "Beta"]
    assert texts(targets, "term/frequency") == ["40", "40"]
    assert texts(targets, "term/state") == ["Client_Idle"] * 2

    short = await ask(client, "termlist", session=session, name="author", num=1)
    assert texts(short, "//term/name") == ["Byron, Ada"]
    everything = await ask(client, "termlist", session=session, name="*")
    assert {"author", "date", "xtargets"} <= set(texts(everything, "list/@name"))


async def test_bytarget_and_stat(client, engine):
    """A source that failed has a diagnostic; one that failed after it had sent records is idle,
    because pz2.js shows no number for the others."""
    broken = replace(late("beta"), error=TimedOut("beta", "no answer"))
    partly = report(
        "gamma", "error", count=3, total=None, error=TimedOut("gamma", "cut <b>off</b>")
    )
    engine.answer = replace(
        answer(hit(1), reports=[report("alpha"), broken, partly]), counts=Counts(1, 1, 0)
    )
    session = await searched(client)
    root = await ask(client, "bytarget", session=session, version=2)

    assert first(root, "status") == "OK"
    assert texts(root, "target/id") == ["alpha", "beta", "gamma"]
    assert texts(root, "target/hits") == texts(root, "target/approximation") == ["40", "0", "3"]
    assert texts(root, "target/state") == ["Client_Idle", "Client_Error", "Client_Idle"]
    assert texts(root, "target/diagnostic") == ["0", "2", "1"]
    assert texts(root, "target/message") == ["Temporary system error", "Permanent system error"]
    assert "<b>" not in "".join(texts(root, "target/addinfo"))
    stat = {each.tag: each.text for each in await ask(client, "stat", session=session)}
    assert stat == {
        "activeclients": "0",
        "hits": "43",
        "records": "4",
        "clients": "3",
        "unconnected": "0",
        "connecting": "0",
        "working": "0",
        "idle": "2",
        "failed": "0",
        "error": "1",
        "progress": "1.00",
    }


async def test_post(client, engine):
    """pz2.js posts a form where the address would have 2,048 characters."""
    session = await begun(client)
    query = " or ".join(["mice"] * 600)
    form = {"command": "search", "session": session, "query": query}
    async with client.post(PATH, data=form) as response:
        assert response.status == 200
        assert first(etree.fromstring(await response.read()), "status") == "OK"

    assert engine.searches[-1].answer.query == "mice"
