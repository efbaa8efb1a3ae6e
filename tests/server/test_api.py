"""`/search` as whole documents."""

from __future__ import annotations

import asyncio
import csv
import io
import re
import sys
from dataclasses import replace

import orjson
import pytest
from lxml import etree

from metasearch.dedup import STRATEGIES
from metasearch.errors import CannotAsk, ConnectFailed, NotRead
from metasearch.events import NextPage, Paging
from metasearch.formats import WRITABLE
from metasearch.formats import answer as json_answer
from metasearch.formats.feeds import ATOM
from metasearch.query import Years
from metasearch.server import search as api
from metasearch.server.limits.admission import MOST_BRIEF
from metasearch.server.search import OFFERED
from metasearch.server.search_answers import server_timing
from metasearch.server.site import SHARED
from tests import cases
from tests.server.fake import FakeEngine, answer, hit, late, report
from tests.strategies import same_title


async def test_json_answer(client, engine):
    """The JSON body is exactly what the format writes."""
    async with client.get("/search?q=gene+drive&format=json") as response:
        body = await response.read()

    assert response.status == 200
    assert response.headers["Content-Type"] == "application/json"
    assert json_answer.write(engine.searches[0].answer) == body


async def test_parameters_reach_the_engine(client, engine, monkeypatch):
    """Every parameter of the request is handed to the search."""
    monkeypatch.setitem(STRATEGIES, "same-title", same_title())
    url = (
        "/search?q=gene+drive&count=7&sources=beta,alpha,beta&year=2019-2024&timeout=4.5"
        "&per_source=50&format=json"
    )
    await client.get(
        url + "&wait=1.5&start=14&versions=separate&dedup=same-title&syntax=simple&enrich=unpaywall"
        "&sort=-date&rank=positions&rerank=0&filter=type:book&facets=year&facet_limit=3"
    )

    assert [
        {
            "query": "gene drive",
            "sources": ("beta", "alpha"),
            "start": 14,
            "limit": 7,
            "years": Years(2019, 2024),
            "sort": "-date",
            "rank": "positions",
            "rerank": False,
            "repeat": False,
            "filter": "type:book",
            "facets": "year",
            "facet_limit": 3,
            "per_source": 50,
            "timeout": 4.5,
            "wait": 1.5,
            "versions": "separate",
            "dedup": "same-title",
            "syntax": "simple",
            "enrich": ("unpaywall",),
            "cache": True,
            "user": engine.asked[0]["user"],
        }
    ] == engine.asked


async def test_versions_stay_in_links_and_form(client, monkeypatch):
    """Another format, and another search from the same page, treat versions and duplicates in the
    same way."""
    monkeypatch.setitem(STRATEGIES, "same-title", same_title())
    response = await client.get("/search?q=gene&versions=merge&dedup=same-title&format=html")
    page = await response.text()

    assert "/search?q=gene&amp;versions=merge&amp;dedup=same-title&amp;format=ris" in page
    assert '<input type="hidden" name="versions" value="merge">' in page
    assert '<input type="hidden" name="dedup" value="same-title">' in page


async def test_a_strategy_that_is_not_there(client, engine):
    """It is a 400 that names the parameter and what there is; nothing is searched."""
    response = await client.get("/search?q=gene&dedup=magic&format=json")
    problem = await response.json(content_type="application/problem+json")

    assert response.status == 400
    assert problem["errors"] == [
        {"parameter": "dedup", "reason": f"'magic' is none of {', '.join(STRATEGIES)}"}
    ]
    assert engine.asked == []


async def test_no_request_names_pins(client, engine):
    """They are the operator's: a parameter of that name is as unknown as any other."""
    response = await client.get("/search?q=gene&pins=/etc/passwd&format=json")

    assert response.status == 200
    assert "pins" not in engine.asked[0]


async def test_empty_and_unknown_parameters_are_passed_over(client, engine):
    """What OpenSearch clients leave empty, and what we do not know, changes nothing."""
    response = await client.get(
        "/search?q=mice&count=&year=&sources=&lang=en&theme=dark&format=json"
    )

    assert response.status == 200
    assert tuple(engine.asked[0][it] for it in ("limit", "years", "sources")) == (None, None, None)


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
        ("application/atom+xml", "application/atom+xml"),
        ("text/csv;q=0.5, application/x-bibtex", "application/x-bibtex"),
        ("text/*", "text/html"),
    ],
)
async def test_accept_chooses_the_form(client, accept, expected):
    """Without `format` the Accept header decides."""
    headers = {"Accept": accept} if accept else None
    response = await client.get("/search?q=mice", headers=headers, skip_auto_headers=["Accept"])

    assert expected == response.content_type
    page = "Accept, Accept-Language, Cookie"
    assert response.headers["Vary"] == (page if expected == "text/html" else "Accept")


async def test_format_wins_over_accept(client):
    """Clients that ask for JSON with a browser's Accept header get JSON."""
    response = await client.get("/search?q=mice&format=json", headers={"Accept": "text/html"})

    assert response.content_type == "application/json"


async def test_start_path_with_a_query_searches(client):
    """`/` is `/search` as soon as there is something to search for."""
    response = await client.get("/?q=mice&format=json")

    assert len((await response.json())["hits"]) == 2


@cases.each("name", sorted(OFFERED))
async def test_head_of_every_format(client, engine, name):
    """HEAD gives the type without a body."""
    if name in WRITABLE and WRITABLE[name].library:
        pytest.importorskip(WRITABLE[name].library)
    response = await client.head(f"/search?q=mice&format={name}")

    assert (200, OFFERED[name], b"") == (
        response.status,
        response.content_type,
        await response.read(),
    )


async def test_a_large_answer_is_sent_as_any_other(client, monkeypatch):
    """The head and the body that are sent one after the other are those that are sent at once, and
    the connection stays."""
    told = []
    for large in (api.LARGE_BODY, 1):
        monkeypatch.setattr(api, "LARGE_BODY", large)
        for ask in (client.head, client.get):
            async with ask("/search?q=mice&format=json") as response:
                told.append((response.status, _lasting(response.headers), await response.read()))

    assert told[:2] == told[2:]
    assert len(told[1][2]) == int(told[1][1]["Content-Length"])


def _lasting(headers):
    return {name: it for name, it in headers.items() if name not in ("Date", "Server-Timing")}


@cases.each(
    ("name", "file_name", "start"),
    [
        ("ris", "metasearch-gene-drive.ris", "TY  - JOUR"),
        ("bibtex", "metasearch-gene-drive.bib", "@article{"),
        ("csv", "metasearch-gene-drive.csv", "rank,"),
        ("csl-json", "metasearch-gene-drive.json", "[\n{"),
        ("nbib", "metasearch-gene-drive.nbib", "PMID-"),
        ("endnote-tagged", "metasearch-gene-drive.enw", "%0 Journal Article"),
        ("endnote-xml", "metasearch-gene-drive.xml", "<?xml"),
        ("noteexpress", "metasearch-gene-drive.net", "{Reference Type}: Journal Article"),
        ("refworks", "metasearch-gene-drive.txt", "RT Journal Article"),
        ("mods", "metasearch-gene-drive.mods", "<?xml"),
        ("marcxml", "metasearch-gene-drive.xml", "<?xml"),
        ("marc", "metasearch-gene-drive.mrc", "0"),
        ("citations", "metasearch-gene-drive.txt", "[1] "),
    ],
)
async def test_downloads(client, name, file_name, start):
    """Reference formats come as files with a telling name."""
    response = await client.get("/search", params={"q": 'Gene "drive"!', "format": name})

    assert f'attachment; filename="{file_name}"' == response.headers["Content-Disposition"]
    assert (await response.text()).startswith(start)


async def test_a_byte_order_mark_and_provenance_on_request(client):
    """Excel opens CSV with `bom=1`, RIS has notes with `provenance=1`; the next page has them,
    too."""
    plain = await (await client.get("/search?q=mice&format=csv")).read()
    marked = await client.get("/search?q=mice&format=csv&bom=1&count=1")
    ris = await (await client.get("/search?q=mice&format=ris&provenance=1")).text()
    wrong = await client.get("/search?q=mice&format=csv&bom=yes")

    assert plain.startswith(b"rank,")
    assert (await marked.read()).startswith(b"\xef\xbb\xbfrank,")
    assert "N1  - Fields by source: " in ris
    assert "N1  - " not in await (await client.get("/search?q=mice&format=ris")).text()
    assert (wrong.status, (await wrong.json())["errors"][0]["parameter"]) == (400, "bom")


async def test_the_style_of_citations(client):
    """2025 has full-width marks, 2015 has not; a style that is not there is a 400."""
    new = await client.get("/search?q=mice&format=citations")
    old = await client.get("/search?q=mice&format=citations&style=gb7714-2015")
    wrong = await client.get("/search?q=mice&format=citations&style=chicago")

    assert new.content_type == "text/x-bibliography"
    assert await new.text() != await old.text()
    assert "，" not in await old.text()
    assert (wrong.status, (await wrong.json())["errors"][0]["parameter"]) == (400, "style")


async def test_a_format_whose_library_is_missing(client, monkeypatch):
    """It is told before any source is asked, with the command that installs it."""
    monkeypatch.setitem(sys.modules, "openpyxl", None)

    response = await client.get("/search?q=mice&format=xlsx")

    assert response.status == 400
    assert 'pip install \\".[xlsx]\\"' in await response.text()


async def test_general_media_types_choose_no_export(client):
    """A client that accepts any XML or text gets what it got before there were exports."""
    for accept in ("*/*", "application/*"):
        response = await client.get("/search?q=mice", headers={"Accept": accept})
        assert response.content_type == "application/json"
    response = await client.get("/search?q=mice", headers={"Accept": "text/*"})
    assert response.content_type == "text/html"


async def test_file_name_of_a_query_without_ascii_letters(client):
    """A file name never holds what the query was typed in, only plain letters."""
    response = await client.get("/search", params={"q": "乳腺癌", "format": "csv"})
    rows = list(csv.reader(io.StringIO(await response.text())))

    assert response.headers["Content-Disposition"] == 'attachment; filename="metasearch.csv"'
    assert len(rows) == 3


async def test_atom_links(client):
    """The feed links to itself, to its page and to the description document, with absolute
    addresses."""
    response = await client.get("/search?q=a+b&count=5&format=atom")
    feed = etree.fromstring(await response.read())
    links = {it.get("rel"): it.get("href") for it in feed.findall(f"{{{ATOM}}}link")}

    base = str(client.make_url("/")).rstrip("/")
    assert {
        "self": f"{base}/search?q=a%20b&count=5&format=atom",
        "alternate": f"{base}/search?q=a%20b&count=5&format=html",
        "search": f"{base}/opensearch.xml",
    } == links


async def test_partial_answer(serve):
    """A failed source is no failed search: 200, complete is false, and nobody may keep the
    answer."""
    client = await serve(FakeEngine(answer(hit(), reports=[report("alpha"), late("beta")])))
    response = await client.get("/search?q=mice&format=json")
    body = await response.json()

    assert (response.status, body["complete"], body["sources"][1]["status"]) == (
        200,
        False,
        "timeout",
    )
    assert response.headers["Cache-Control"] == "no-store"
    assert "ETag" not in response.headers


async def test_no_hits_from_healthy_sources(serve):
    """Nothing found is an answer."""
    client = await serve(FakeEngine(answer(reports=[report("alpha", "empty", count=0)])))
    response = await client.get("/search?q=mice&format=json")

    assert (response.status, (await response.json())["hits"]) == (200, [])


@pytest.mark.parametrize(
    ("reports", "status", "kind"),
    [
        ([late("alpha"), late("beta")], 504, "no-source-answered"),
        (
            [late("alpha"), report("beta", "error", error=ConnectFailed("beta", "refused"))],
            502,
            "no-source-answered",
        ),
        ([report("alpha", "skipped", error=CannotAsk("alpha", "isbn:1"))], 422, "no-source-asked"),
    ],
)
async def test_no_source_answered(serve, reports, status, kind):
    """Only when nobody answered is the search an error, and then each source still has its
    reason."""
    client = await serve(FakeEngine(answer(reports=reports)))
    response = await client.get("/search?q=mice&format=ris")
    problem = await response.json(content_type="application/problem+json")

    assert (status, status) == (response.status, problem["status"])
    assert f"urn:metasearch:problem:{kind}" == problem["type"]
    assert [it.source for it in reports] == [it["source"] for it in problem["sources"]]
    assert all(it["error"]["message"] for it in problem["sources"])


async def test_no_source_answered_as_a_page(serve):
    """A browser gets the page with every source's reason, under the same status."""
    client = await serve(FakeEngine(answer(reports=[late("alpha"), late("beta")])))
    response = await client.get("/search?q=mice&format=html")

    assert response.status == 504
    assert (await response.text()).count("no whole answer within 15 s") >= 2


@cases.each("name", ["json", "html", "atom", "rss", "jsonfeed", "ris", "csv"])
async def test_unchanged_answer_is_not_sent_again(client, engine, name):
    """The entity tag does not depend on how long anything took, nor on the cache."""
    url = f"/search?q=mice&format={name}"
    first = await client.get(url)
    engine.answer = answer(
        *engine.answer.hits,
        reports=[report("alpha", seconds=9.0, cached=True), report("beta", seconds=3.0)],
    )
    second = await client.get(url, headers={"If-None-Match": first.headers["ETag"]})

    assert first.headers["ETag"].startswith('W/"')
    kept = "no-cache" if name == "html" else "max-age=60"
    assert first.headers["Cache-Control"] == f"private, {kept}"
    assert (second.status, await second.read()) == (304, b"")
    assert first.headers["ETag"] == second.headers["ETag"]


@pytest.mark.parametrize("name", ["json", "html", "atom", "rss", "jsonfeed", "ris", "csv"])
async def test_changed_answer_is_sent_again(client, engine, name):
    """A tag of other hits does not match."""
    first = await client.get(f"/search?q=mice&format={name}")
    engine.answer = answer(hit(1, title="Another work"))
    second = await client.get(
        f"/search?q=mice&format={name}", headers={"If-None-Match": first.headers["ETag"]}
    )

    assert second.status == 200


async def test_formats_have_tags_of_their_own(client):
    """One address with two representations never has one tag for both."""
    tags = {
        (await client.get(f"/search?q=mice&format={it}")).headers["ETag"]
        for it in ("json", "html", "atom", "rss", "jsonfeed", "csv")
    }

    assert len(tags) == 6


async def test_feeds_have_their_links(serve):
    """RSS and JSON Feed name their own address, the page and the next part, as Atom does."""
    given = replace(answer(hit()), paging=Paging(20, 10, NextPage(30, 10)))
    client = await serve(FakeEngine(given))
    url = "/search?q=mice&start=20&count=10"
    feed = await (await client.get(f"{url}&format=jsonfeed")).json(content_type=None)
    channel = etree.fromstring(await (await client.get(f"{url}&format=rss")).read())[0]
    links = {each.get("rel"): each.get("href") for each in channel.iter(f"{{{ATOM}}}link")}

    assert feed["feed_url"].endswith("/search?q=mice&start=20&count=10&format=jsonfeed")
    assert feed["home_page_url"].endswith("/search?q=mice&start=20&count=10&format=html")
    assert feed["next_url"].endswith("/search?q=mice&start=30&count=10&format=jsonfeed")
    assert links["self"].endswith("&format=rss")
    assert links["next"].endswith("/search?q=mice&start=30&count=10&format=rss")
    assert links["first"].endswith("/search?q=mice&count=10&format=rss")


async def test_server_timing(client):
    """Each source's time is told in milliseconds, that of merging, the whole, and what writing the
    answer took."""
    response = await client.get("/search?q=mice&format=json")

    expected = (
        r'alpha;dur=250\.0;desc="ok", beta;dur=250\.0;desc="ok", dedup;dur=3\.1, '
        r"total;dur=500\.0, render;dur=\d+\.\d"
    )
    assert re.fullmatch(expected, response.headers["Server-Timing"])


async def test_server_timing_can_be_switched_off(serve):
    """Whoever does not want to tell does not have to."""
    client = await serve(server_timing=False)
    response = await client.get("/search?q=mice&format=json")

    assert "Server-Timing" not in response.headers


def test_server_timing_names_are_tokens():
    """A source may be called what it likes; the header stays one header."""
    assert server_timing(answer(reports=[report('a,b"\n')])).startswith("a_b__;dur=")


async def test_a_client_that_goes_away_ends_its_search(client, engine):
    """Leaving before the answer is there closes the search."""
    engine.gate = asyncio.Event()
    leaving = asyncio.create_task(client.get("/search?q=mice&format=json"))
    while not engine.searches or not engine.searches[0].started:
        await asyncio.sleep(0)
    leaving.cancel()

    async with asyncio.timeout(60):
        await engine.searches[0].closed.wait()


@pytest.mark.parametrize(
    "name",
    ["json", "sse", *(pytest.param(it, marks=pytest.mark.slow) for it in ("html", "ndjson"))],
)
async def test_busy(serve, engine, name):
    """Beyond the most searches at once the next one is turned away unasked, and has its turn when
    one has ended."""
    engine.gate = asyncio.Event()
    client = await serve(engine, max_searches=1, suggest=True)
    running = asyncio.create_task(client.get("/search", params={"q": "mice", "format": name}))
    while not engine.searches or not engine.searches[0].started:
        await asyncio.sleep(0)

    turned_away = await client.get("/search?q=birds&format=json")
    stream_too = await client.get(
        "/search?q=birds&format=sse", headers={"Accept": "text/event-stream"}
    )
    assert [turned_away.status, stream_too.status] == [503, 503]
    assert turned_away.headers["Retry-After"] == "2"
    assert (await turned_away.json())["type"] == "urn:metasearch:problem:busy"
    assert not any(search.started for search in engine.searches[1:])
    assert (await client.get("/suggest?q=m")).status == 200

    engine.gate.set()
    await (await running).read()
    assert (await client.get("/search?q=birds&format=json")).status == 200


async def test_timeout_is_cut_to_what_the_server_allows(client, engine):
    """Nobody can hold the sources longer than the operator wants."""
    await client.get("/search?q=mice&timeout=9999&format=json")

    assert engine.asked[0]["timeout"] == 60.0


async def test_json_stays_equal_for_odd_numbers(serve):
    """What JSON readers cannot hold exactly becomes null in the fast path as in the format."""
    engine = FakeEngine(answer(hit(citations=2**70)))
    client = await serve(engine)
    body = orjson.loads(await (await client.get("/search?q=mice&format=json")).read())

    assert body["hits"][0]["citations"] is None


BRIEF = ["/", "/sources", "/sources?format=html", "/suggest?q=m", "/opensearch.xml"]


@cases.each("path", BRIEF)
async def test_what_computes_for_a_moment_stands_behind_the_gate(serve, path):
    """Only so many at once, and none beside another one while the loop is late; what watches the
    server is outside."""
    client = await serve(suggest=True)
    gate = client.app[SHARED].admission
    gate._brief = MOST_BRIEF
    turned_away = await client.get(path, headers={"Accept": "text/html, application/json;q=0.9"})
    gate._brief, gate.limit.late = 1, 10.0
    late_too = await client.get(path, headers={"Accept": "text/html, application/json;q=0.9"})

    assert [turned_away.status, late_too.status] == [503, 503]
    assert int(turned_away.headers["Retry-After"]) > 0
    for outside in ("/healthz", "/readyz", "/metrics", "/static/style.css", "/favicon.ico"):
        assert (await client.get(outside)).status == 200


async def test_plans_take_seats(serve, engine):
    """As searches do: sixteen at once may not slow down those who search."""
    engine.gate = asyncio.Event()
    client = await serve(engine, max_searches=1)
    running = asyncio.create_task(client.get("/search?q=mice&format=json"))
    while not engine.searches or not engine.searches[0].started:
        await asyncio.sleep(0)
    plans = await asyncio.gather(*(client.get("/plan?q=mice") for _ in range(16)))

    assert {it.status for it in plans} == {503}
    engine.gate.set()
    assert (await running).status == 200
    assert (await client.get("/plan?q=mice")).status == 200


async def test_plans_are_made_in_turns(serve, engine):
    """One source a turn, so that pages are read in between."""
    client = await serve(engine)
    turns = []
    queue = engine.scheduler.queue
    engine.scheduler.queue = lambda it, **how: turns.append(it) or queue(it, **how)
    await client.get("/plan?q=mice&sources=alpha,beta,gamma")

    assert len(turns) == 1 + 3


async def test_an_answer_that_is_there_takes_no_seat(serve, engine):
    """Who comes back for the rest of a search, or for another page of it, is not told to wait for a
    permit."""
    client = await serve(engine, max_searches=1)
    with await client.app[SHARED].admission.enter("somebody"):
        search = engine.search
        engine.search = lambda *args, **options: replace(search(*args, **options), joins=True)
        assert (await client.get("/search?q=mice&format=json")).status == 200
        assert (await client.get("/search?q=mice&format=ris")).status == 200


async def test_lateness_of_our_own_is_no_fault_of_theirs(serve):
    """Where no source was read in time, the answer says that this server is busy, and when to come
    back."""
    error = NotRead("alpha", "its answers were here for 2.0 of 2.1 s")
    client = await serve(FakeEngine(answer(reports=[report("alpha", "late", error=error)])))
    response = await client.get("/search?q=mice&format=json")

    assert response.status == 503
    assert int(response.headers["Retry-After"]) > 0
    page = await client.get("/search?q=mice&format=html")
    assert "not read in time" in await page.text()
