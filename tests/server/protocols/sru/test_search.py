"""searchRetrieve: what a search is asked for, and how its answer is written in each version."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lxml import etree

from metasearch.engine.facets import FacetCounts
from metasearch.events import Counts, NextPage, Paging, Totals
from metasearch.query import Term, to_text
from tests.cases import each
from tests.server.fake import FakeEngine, answer, hit, late, report
from tests.server.protocols.sru.answers import OASIS, ZING, get, reported, texts


def asked(engine: FakeEngine) -> dict:
    """The options of the only search."""
    (options,) = engine.asked
    return options


async def test_the_query_reaches_the_engine_as_a_tree(client, engine):
    """CQL is read by the face; start counts from 1 there and from 0 here."""
    await get(client, query="dc.title = reef", startRecord=11, maximumRecords=5)

    options = asked(engine)
    assert options["query"] == Term("reef", "title")
    assert (options["start"], options["limit"], options["per_source"]) == (10, 5, 20)


@each("version", ["1.1", "1.2"])
async def test_an_answer_of_1_x(client, version):
    """The children stand in the order of the schema, in the namespace that clients look for."""
    root = await get(client, version=version, operation="searchRetrieve", query="gene")

    assert root.tag == f"{{{ZING}}}searchRetrieveResponse"
    assert [etree.QName(child).localname for child in root] == [
        "version",
        "numberOfRecords",
        "records",
        "echoedSearchRetrieveRequest",
        "extraResponseData",
    ]
    assert texts(root, "zs:version") == [version]
    assert texts(root, "zs:numberOfRecords") == ["2"]
    first = root.xpath("*[local-name()='records']/*")[0]
    names = ["recordSchema", "recordPacking", "recordData", "recordPosition", "extraRecordData"]
    if version == "1.2":
        names.insert(3, "recordIdentifier")
    assert [etree.QName(child).localname for child in first] == names
    assert texts(root, "//zs:recordPosition") == ["1", "2"]
    assert texts(root, "//zs:record/zs:recordSchema") == ["info:srw/schema/1/marcxml-v1.1"] * 2


async def test_an_answer_of_2_0(client):
    """It is the version of a request that names neither a version nor an operation."""
    root = await get(client, query="gene")

    assert root.tag == f"{{{OASIS}sruResponse}}searchRetrieveResponse"
    assert texts(root, "s2:version") == []
    assert texts(root, "//s2:record/s2:recordXMLEscaping") == ["xml", "xml"]
    assert texts(root, "s2:resultCountPrecision") == [
        "info:srw/vocabulary/resultCountPrecision/1/exact"
    ]


@each(
    ("parameters", "root_name", "version"),
    [
        ({}, "explainResponse", "2.0"),
        ({"operation": "explain"}, "explainResponse", "1.2"),
        ({"query": "x"}, "searchRetrieveResponse", "2.0"),
        ({"operation": "searchRetrieve", "query": "x"}, "searchRetrieveResponse", "1.2"),
        ({"scanClause": "dc.type = a"}, "scanResponse", "2.0"),
        ({"version": "1.1", "query": "x"}, "searchRetrieveResponse", "1.1"),
    ],
)
async def test_what_a_request_leaves_out(client, parameters, root_name, version):
    """Operation and version are guessed by what is there."""
    root = await get(client, **parameters)

    namespace = f"{OASIS}sruResponse" if version == "2.0" else ZING
    assert root.tag == f"{{{namespace}}}{root_name}"
    if root_name != "searchRetrieveResponse" or version != "2.0":
        assert root[0].text == version


async def test_no_records_are_wanted(client, engine):
    """`maximumRecords=0`: the number alone, and where the records begin."""
    root = await get(client, version="1.2", query="gene", maximumRecords=0)

    assert texts(root, "zs:numberOfRecords") == ["2"]
    assert root.find(f"{{{ZING}}}records") is None
    assert texts(root, "zs:nextRecordPosition") == ["1"]
    assert asked(engine)["per_source"] == 20


async def test_more_records_than_are_sent_at_once(client, engine):
    """The server's own limit holds; explain names it."""
    await get(client, query="gene", maximumRecords=1_000_000)

    assert (asked(engine)["limit"], asked(engine)["per_source"]) == (100, 100)


async def test_a_server_that_sends_fewer(serve):
    """`max_records` holds for SRU too, and explain names it."""
    engine = FakeEngine(answer(hit(1)))
    client = await serve(engine, max_records=50)

    await get(client, query="gene", maximumRecords=100)
    explained = await get(client)

    assert (asked(engine)["limit"], asked(engine)["per_source"]) == (50, 50)
    assert texts(explained, "//zr:setting[@type='maximumRecords']") == ["50"]


async def test_where_the_list_goes_on(serve):
    """`nextRecordPosition` is there only then; the total is an estimate."""
    totals = Totals(2, 2, 90, 70, True, "some")
    going_on = replace(answer(hit(1), hit(2)), paging=Paging(0, 2, NextPage(2, 2)), totals=totals)
    client = await serve(FakeEngine(going_on))

    root = await get(client, query="gene", maximumRecords=2)

    assert texts(root, "s2:nextRecordPosition") == ["3"]
    assert texts(root, "s2:numberOfRecords") == ["70"]
    assert texts(root, "s2:resultCountPrecision")[0].endswith("/estimate")
    assert texts(root, "//ms:total/@precision") == ["estimate"]


@each(
    ("reports", "precision"),
    [
        ((report("alpha"), late("beta")), "minimum"),
        ((report("alpha"), report("beta", "running")), "current"),
        ((report("alpha"), report("beta")), "exact"),
    ],
)
async def test_how_sure_the_total_is(serve, reports, precision):
    """A total without a source is a minimum."""
    client = await serve(FakeEngine(answer(hit(1), reports=reports)))

    root = await get(client, query="gene")

    assert texts(root, "s2:resultCountPrecision")[0].rpartition("/")[2] == precision


async def test_a_source_that_fails(serve):
    """2.0 has a diagnostic for it; earlier clients would take that for a failure of the whole."""
    client = await serve(FakeEngine(answer(hit(1), reports=(report("alpha"), late("beta")))))

    newest = await get(client, query="gene")
    older = await get(client, version="1.1", operation="searchRetrieve", query="gene")

    assert reported(newest) == [(59, "beta: no whole answer within 15 s")]
    assert reported(older) == []
    assert b"info:srw/diagnostic" not in etree.tostring(older)
    for root in (newest, older):
        assert texts(root, "//ms:answer/@complete") == ["false"]
        assert texts(root, "//ms:source[@name='beta']/@status") == ["timeout"]
        assert texts(root, "//ms:source[@name='beta']/ms:error") == ["no whole answer within 15 s"]


async def test_no_source_answers(serve):
    """The system is temporarily unavailable, with the reason of each source."""
    client = await serve(FakeEngine(answer(reports=(late("alpha"), late("beta")))))

    root = await get(client, version="1.2", query="gene")

    assert reported(root) == [(2, "alpha, beta: no whole answer within 15 s")]
    assert texts(root, "zs:numberOfRecords") == ["0"]


async def test_too_many_searches_run(serve, monkeypatch):
    """The status and its Retry-After are those of HTTP, and the body is SRU's."""
    client = await serve()

    async def full(*_: object) -> None:
        from metasearch.server.problem import Problem

        raise Problem(503, "busy", "2 searches are running", headers={"Retry-After": "3"})

    from metasearch.server.limits.admission import Admission

    monkeypatch.setattr(Admission, "enter", full)
    response = await client.get("/sru?query=gene")
    root = etree.fromstring(await response.read())

    assert (response.status, response.headers["Retry-After"]) == (503, "3")
    assert reported(root) == [(2, "2 searches are running")]


async def test_records_as_strings(client):
    """The same record, escaped."""
    as_xml = await get(client, version="1.2", query="gene")
    as_text = await get(client, version="1.2", query="gene", recordPacking="string")
    of_2_0 = await get(client, query="gene", recordXMLEscaping="string")

    texts_ = texts(as_text, "//zs:recordData")
    assert texts(as_text, "//zs:record/zs:recordPacking") == ["string", "string"]
    assert texts_ == texts(of_2_0, "//s2:recordData")
    whole = as_xml.xpath("//*[local-name()='recordData']/*")
    assert [etree.fromstring(text).xpath("string()") for text in texts_] == [
        record.xpath("string()") for record in whole
    ]


@each(
    ("name", "uri"),
    [
        ("dc", "info:srw/schema/1/dc-v1.1"),
        ("info:srw/schema/1/dc-v1.1", "info:srw/schema/1/dc-v1.1"),
        ("info:srw/schema/1/mods-v3.3", "info:srw/schema/1/mods-v3.7"),
        ("MODS", "info:srw/schema/1/mods-v3.7"),
        ("info:srw/schema/1/marcxml-v1.1", "info:srw/schema/1/marcxml-v1.1"),
    ],
)
async def test_schemas_by_name_and_identifier(client, name, uri):
    """The answer has the identifier."""
    root = await get(client, version="1.1", query="gene", recordSchema=name)

    assert texts(root, "//zs:record/zs:recordSchema") == [uri, uri]


async def test_provenance_of_each_record(client):
    """Which sources have the work, which gave which field, and why records were merged."""
    root = await get(client, query="gene", maximumRecords=1)

    first = "(//ms:hit)[1]"
    assert texts(root, f"{first}/@id") == ["alpha:alpha-1"]
    assert texts(root, f"{first}/ms:source/@name") == ["alpha", "beta"]
    assert texts(root, f"{first}/ms:source/@key") == ["alpha-1", "beta-2"]
    assert texts(root, f"{first}/ms:provenance[@field='doi']/@source") == ["beta"]
    assert texts(root, f"{first}/ms:match") == ["same DOI"]


@pytest.mark.parametrize(
    ("parameters", "sort"),
    [
        ({"query": "x sortBy dc.date/sort.descending"}, "date"),
        ({"query": "x sortBy dc.date"}, "-date"),
        ({"query": "x sortby title/sort.ascending"}, "title"),
        ({"query": "x sortBy metasearch.citations/sort.descending"}, "citations"),
        ({"query": "x sortBy relevance"}, "relevance"),
        ({"query": "x", "version": "1.1", "sortKeys": "date,,0"}, "date"),
        ({"query": "x", "version": "1.1", "sortKeys": "dc.title,dc,1"}, "title"),
        ({"query": "x", "version": "1.1", "sortKeys": "date"}, "-date"),
        ({"query": "x sortBy dc.date", "version": "1.2", "sortKeys": "title"}, "-date"),
        ({"query": "x"}, "relevance"),
    ],
)
async def test_orders_of_the_list(client, engine, parameters, sort):
    """sortKeys of 1.1, and sortBy of CQL, which wins; no note says that they are ignored."""
    root = await get(client, **parameters)

    assert asked(engine)["sort"] == sort
    assert texts(root, "//ms:answer/ms:note") == []


async def test_further_sort_keys_are_told(client):
    """Works that are equal in the first key stay in the order of relevance."""
    root = await get(client, query="x sortBy dc.date dc.title")

    assert texts(root, "//ms:answer/ms:note") == [
        "sort keys behind the first one are ignored: dc.title"
    ]


async def test_notes_of_the_query(client):
    """What of CQL no source can be asked for."""
    root = await get(client, version="1.1", query="dc.title == reef")

    assert texts(root, "//ms:answer/ms:note")[0].startswith("== is read as a phrase")


async def test_our_own_parameters(client, engine):
    """Sources, filters and a timeout, which SRU has no parameters for; others of this kind are
    ignored, as SRU wants it."""
    await get(
        client, query="x", x__sources="beta", x__filter="type:article", x__timeout="4", x__other="1"
    )

    options = asked(engine)
    assert (options["sources"], options["filter"], options["timeout"]) == (
        ("beta",),
        "type:article",
        4.0,
    )


async def test_a_source_as_a_database(client, engine):
    """The path names it; one that does not exist has a diagnostic of its own."""
    await get(client, "/sru/beta", query="x")
    wrong = await get(client, "/sru/nonsuch", query="x")

    assert asked(engine)["sources"] == ("beta",)
    assert reported(wrong) == [(235, "nonsuch")]


async def test_words_without_cql(client, engine):
    """`queryType=searchTerms` of 2.0."""
    await get(client, query="gene drive", queryType="searchTerms")

    assert to_text(asked(engine)["query"]) == "gene drive"


def counted() -> FakeEngine:
    """An engine whose answer has facets."""
    hits = [hit(1, subjects=("Mice", "Genes")), hit(2, subjects=("Genes",), year=2019)]
    facets = FacetCounts(("subject", "year"), 10).count(hits)
    return FakeEngine(replace(answer(*hits), facets=facets))


async def test_facets_of_2_0(serve):
    """As YAZ writes and reads them, with the address that narrows the list."""
    engine = counted()
    client = await serve(engine)

    root = await get(
        client, query="gene", maximumRecords=0, startRecord=2, facetLimit="1:dc.subject,5:year"
    )

    assert asked(engine)["facets"] == ("subject", "year")
    assert texts(root, "//fr:facet/fr:index") == ["dc.subject", "year"]
    assert texts(root, "//fr:facet[1]//fr:actualTerm") == ["Genes"]
    assert texts(root, "//fr:facet[1]//fr:count") == ["2"]
    assert texts(root, "//fr:facet[2]//fr:actualTerm") == ["2021", "2019"]
    (url,) = texts(root, "//fr:facet[1]//fr:requestUrl")
    assert url.endswith("&x-filter=subject%3AGenes")
    assert "startRecord" not in url
    await get(client, url[url.index("/sru") :])
    assert engine.asked[1]["filter"] == "subject:Genes"


async def test_facets_in_another_order(serve):
    """By their values, or from a later one on."""
    client = await serve(counted())

    root = await get(
        client, query="gene", facetLimit="5:subject,5:year", facetStart="2:subject",
        facetSort="alphanumeric,ascending",
    )  # fmt: skip

    assert texts(root, "//fr:facet[1]//fr:actualTerm") == ["Mice"]
    assert texts(root, "//fr:facet[2]//fr:actualTerm") == ["2019", "2021"]


@each("direction", ["ascending", "descending"])
async def test_years_are_sorted_as_numbers(serve, direction):
    """Also those before 1000, which another order of characters would put elsewhere."""
    hits = [hit(number, year=year) for number, year in enumerate((2021, 868, 1543, 79), 1)]
    facets = FacetCounts(("year",), 10).count(hits)
    client = await serve(FakeEngine(replace(answer(*hits), facets=facets)))

    root = await get(
        client, query="gene", facetLimit="5:year", facetSort=f"alphanumeric,{direction}"
    )

    years = ["79", "868", "1543", "2021"]
    assert texts(root, "//fr:actualTerm") == (years if direction == "ascending" else years[::-1])


async def test_a_facet_that_does_not_exist(serve):
    """Is named beside the records."""
    client = await serve(counted())

    root = await get(client, query="gene", facetLimit="5:subject,5:dc.publisher")

    assert reported(root) == [(16, "facetLimit: dc.publisher")]
    assert len(root.xpath("//*[local-name()='record' and namespace-uri()!='']")) >= 2


async def test_a_list_of_no_works(serve):
    """Is no error."""
    client = await serve(FakeEngine(answer(reports=(report("alpha", "empty", count=0),))))

    root = await get(client, version="1.2", query="gene")

    assert (texts(root, "zs:numberOfRecords"), reported(root)) == (["0"], [])


async def test_an_empty_page_of_a_filtered_list(serve):
    """Is no error where another page follows: the works that pass stand further down."""
    paging = Paging(20, 20, NextPage(40, 20))
    client = await serve(FakeEngine(replace(answer(), paging=paging, counts=Counts(20, 20, 0))))

    root = await get(client, query="gene", startRecord=21, **{"x-filter": "type:book"})

    assert reported(root) == []
    assert texts(root, "s2:nextRecordPosition") == ["41"]


async def test_how_many_works_pass_a_filter_is_unknown_while_none_did(serve):
    """The number reaches the next page, because clients end where it does not; it counts no
    works."""
    totals = Totals(0, 0, 90, 0, True, "0 of 20 works seen pass the filters")
    paging = Paging(0, 10, NextPage(20, 10))
    empty = replace(answer(), paging=paging, totals=totals, counts=Counts(20, 20, 0))
    client = await serve(FakeEngine(empty))

    root = await get(client, query="gene", **{"x-filter": "type:book"})

    assert texts(root, "s2:nextRecordPosition") == texts(root, "s2:numberOfRecords") == ["21"]
    assert texts(root, "s2:resultCountPrecision")[0].endswith("/unknown")


async def test_beyond_the_end(serve):
    """61; but a page that was announced, and is empty when it is asked for, is no error."""
    empty = replace(answer(), counts=Counts(60, 30, 30))
    client = await serve(FakeEngine(empty))

    beyond = await get(client, query="gene", startRecord=5000)
    announced = await get(client, query="gene", startRecord=30)

    assert reported(beyond) == [(61, "startRecord 5000; the list has 30 works")]
    assert (reported(announced), texts(announced, "s2:numberOfRecords")) == ([], ["30"])


async def test_a_complete_answer_may_be_kept(client, serve):
    """For the time that all answers may; a diagnostic may not."""
    good = await client.get("/sru?query=gene")
    wrong = await client.get("/sru?query=")

    assert good.headers["Cache-Control"] == "private, max-age=60"
    assert wrong.headers["Cache-Control"] == "no-store"
    assert good.headers["X-Robots-Tag"] == "noindex, nofollow"


@pytest.mark.parametrize(
    ("sent", "query"),
    [
        # Koha, one record after the other.
        (
            (
                "version=1.1&operation=searchRetrieve&query=title%3D%22reef%22+and+isbn%3D%229780262033848%22"
                "&startRecord=3&maximumRecords=1&recordSchema=marcxml&recordPacking=xml"
            ),
            "title:reef AND isbn:9780262033848",
        ),
        # VuFind's connector.
        (
            (
                "version=1.1&operation=searchRetrieve&startRecord=1&maximumRecords=20&recordSchema=marcxml"
                "&query=dc.title+all+%22reef+fish%22+sortBy+dc.date%2Fsort.descending"
            ),
            "title:(reef fish)",
        ),
        # Zotero's look-up of the Library of Congress.
        (
            "operation=searchRetrieve&version=1.1&query=bath.ISBN%3D%5E9780262033848&maximumRecords=1",
            "isbn:9780262033848",
        ),
        # Catmandu.
        (
            (
                "version=1.1&operation=searchRetrieve&query=reef&recordSchema=dc&startRecord=1"
                "&maximumRecords=10"
            ),
            "reef",
        ),
        # srupy.
        ("startRecord=1&query=reef", "reef"),
    ],
)
async def test_requests_of_library_software(client, engine, sent, query):
    """As these clients send them, with the headers of YAZ."""
    response = await client.get(f"/sru?{sent}", headers={"Content-Type": "text/xml"})
    body = await response.read()

    assert response.status == 200
    assert to_text(asked(engine)["query"]) == query
    assert b"info:srw/diagnostic" not in body


async def test_a_head(client):
    """Has the headers and no body."""
    response = await client.head("/sru?query=reef")

    assert (response.status, await response.read()) == (200, b"")


async def test_searches_are_counted_as_those_of_this_face(client):
    """In the metrics."""
    await get(client, query="reef")
    metrics = await (await client.get("/metrics")).text()

    assert 'face="sru"' in metrics
