"""Requests that cannot be answered: each has its diagnostic, and no source is asked."""

from __future__ import annotations

import random

import pytest
from lxml import etree

from metasearch.query.cql_grammar import MEANINGS, OF_QUERY
from tests.cases import each
from tests.server.protocols.sru.answers import get, reported, texts

OLD = {"version": "1.1", "operation": "searchRetrieve"}


@each(
    ("parameters", "number", "details"),
    [
        ({"version": "3.0", "query": "x"}, 5, "2.0"),
        ({"version": "1.0", "operation": "explain"}, 5, "2.0"),
        ({"operation": "delete", "query": "x"}, 4, "delete"),
        ({"operation": "searchretrieve", "query": "x"}, 4, "searchretrieve"),
        ({"query": ""}, 7, "query"),
        ({**OLD}, 7, "query"),
        ({"operation": "scan"}, 7, "scanClause"),
        ({"query": "x", "maximumrecords": "5"}, 8, "maximumrecords"),
        ({**OLD, "query": "x", "facetLimit": "5:year"}, 8, "facetLimit"),
        ({"query": "x", "q": "y"}, 8, "q"),
        ({"query": "x", "maximumRecords": "-1"}, 6, "maximumRecords: -1 is not"),
        ({"query": "x", "maximumRecords": "٣"}, 6, "maximumRecords"),
        ({"query": "x", "startRecord": "1.5"}, 6, "startRecord"),
        ({"query": "x", "startRecord": "9" * 5000}, 6, "startRecord"),
        ({"query": "x", "startRecord": "0"}, 61, "startRecord is from 1 to 10000"),
        ({"query": "x", "startRecord": "10001"}, 61, "startRecord is from 1 to 10000"),
        ({"query": "x", "recordSchema": "onix"}, 66, "onix"),
        ({**OLD, "query": "x", "recordPacking": "zip"}, 71, "zip"),
        ({"query": "x", "recordXMLEscaping": "zip"}, 71, "zip"),
        ({"query": "x", "recordPacking": "zip"}, 71, "zip"),
        ({**OLD, "query": "x", "recordXPath": "/a"}, 72, "recordXPath"),
        ({"query": "x", "stylesheet": "/a.xsl"}, 110, "stylesheet"),
        ({"query": "x", "queryType": "rpn"}, 11, "rpn; cql or searchTerms"),
        ({"query": "x", "httpAccept": "text/html"}, 6, "httpAccept"),
        ({"query": "x", "renderedBy": "server"}, 6, "renderedBy"),
        ({"query": "x", "x-filter": "nonsuch:1"}, 6, "x-filter: there is no filter"),
        ({"query": "x", "x-timeout": "soon"}, 6, "x-timeout"),
        ({"query": "x", "x-sources": "./fx.toml"}, 6, "x-sources"),
        ({"query": "x", "x-sources": "nonsuch"}, 6, "x-sources: there is no source"),
        ({"query": "x", "facetLimit": "many"}, 6, "facetLimit: many"),
        ({"query": "x", "facetLimit": ",".join("1:year" for _ in range(51))}, 6, "facetLimit"),
        ({"query": "x", "facetLimit": "5:year", "facetSort": "size"}, 6, "facetSort"),
        ({"query": "x sortBy dc.publisher"}, 80, "dc.publisher"),
        ({"query": "x sortBy dc.title/sort.descending"}, 82, "dc.title"),
        ({**OLD, "query": "x", "sortKeys": "title,,up"}, 90, "title,,up"),
        ({**OLD, "query": "x", "sortKeys": "publisher"}, 80, "publisher"),
        ({"query": "x" * 30_001}, 12, ""),
        ({"query": " or ".join(["x"] * 1001)}, 38, "1000"),
        ({"query": "(" * 70 + "x" + ")" * 70}, 13, "nested"),
        ({"query": "gene drive"}, 10, "CQL has no words side by side"),
        ({"query": "(gene"}, 13, "never closed"),
        ({"query": '"gene'}, 14, "never closed"),
        ({"query": "pica.tit = x"}, 15, "pica"),
        ({"query": "dc.nonsuch = x"}, 16, "nonsuch"),
        ({"query": "rec.identifier = x"}, 16, "rec.identifier"),
        ({"query": "cql.resultSetId = 1"}, 50, "not kept"),
        ({"query": "dc.title near x"}, 19, "near"),
        ({"query": "dc.title =/regexp x"}, 20, "regexp"),
        ({"query": "dc.title > x"}, 22, "dates"),
        ({"query": "dc.date = soon"}, 36, "Write a year"),
        ({"query": '""'}, 27, "nothing between the quotes"),
        ({"query": "c?t"}, 28, "?"),
        ({"query": "c*t"}, 49, "*"),
        ({"query": "c^t"}, 32, "^"),
        ({"query": "dc.date > 2000"}, 48, "no word"),
    ],
)  # fmt: skip
async def test_diagnostics(client, engine, parameters, number, details):
    """Number and details; the text of a number is that of the list."""
    response = await client.post("/sru", data=parameters)
    root = etree.fromstring(await response.read())

    assert response.status == 200
    ((found, told),) = reported(root)
    assert (found, details in told) == (number, True)
    assert root.xpath("string(//*[local-name()='message'])") == MEANINGS[number]
    assert engine.asked == []
    name = etree.QName(root).localname
    if name == "searchRetrieveResponse":
        assert root.xpath("string(*[local-name()='numberOfRecords'])") == "0"


def test_every_fault_of_a_query_has_a_diagnostic():
    """And each number a meaning."""
    from typing import get_args

    from metasearch.errors import QueryFault

    assert set(OF_QUERY) == set(get_args(QueryFault))
    assert set(OF_QUERY.values()) <= set(MEANINGS)


async def test_the_details_of_a_query(client):
    """The place, and a query that can be read."""
    root = await get(client, version="1.2", query="gene drive")

    ((_, details),) = reported(root)
    assert details.endswith("(at character 6). Try: gene and drive")


async def test_a_parameter_that_is_repeated(client):
    """Which of the two was meant?"""
    response = await client.get("/sru?query=a&query=b")

    assert reported(etree.fromstring(await response.read())) == [
        (6, "query is given more than once")
    ]


@each("version", ["1.1", "2.0"])
async def test_namespaces_of_diagnostics(client, version):
    """The three children stand in the order of the schema."""
    root = await get(client, version=version, query="x", recordSchema="onix")

    prefix = "diag2" if version == "2.0" else "diag"
    assert texts(root, f"//{prefix}:diagnostic/{prefix}:uri") == ["info:srw/diagnostic/1/66"]
    (found,) = root.xpath("//*[local-name()='diagnostic']")
    assert [etree.QName(child).localname for child in found] == ["uri", "details", "message"]


async def test_text_that_xml_forbids(client):
    """In a parameter, which the answer names."""
    response = await client.post(
        "/sru", data={"query": "x", "recordSchema": "a\x00\x1b\ufffe<b>]]>"}
    )
    root = etree.fromstring(await response.read())

    assert reported(root) == [(66, "a<b>]]>")]


async def test_very_many_parameters(client):
    """A body is bounded as elsewhere."""
    response = await client.post("/sru", data={f"p{n}": "x" for n in range(600)})

    assert response.status == 400


async def test_a_body_of_another_kind(client):
    """Neither form nor envelope."""
    response = await client.post("/sru", data=b"%PDF", headers={"Content-Type": "application/pdf"})

    assert response.status == 415


_NAMES = [
    "version", "operation", "query", "startRecord", "maximumRecords", "recordPacking",
    "recordSchema", "recordXPath", "resultSetTTL", "sortKeys", "stylesheet", "scanClause",
    "responsePosition", "maximumTerms", "queryType", "recordXMLEscaping", "facetLimit",
    "facetStart", "facetSort", "httpAccept", "renderedBy", "x-sources", "x-filter", "x-timeout",
    "x-", "", "nonsuch",
]  # fmt: skip
_VALUES = [
    "", " ", "0", "1", "-1", "10000", "1e9", "9" * 400, "1.1", "1.2", "2.0", "explain", "scan",
    "searchRetrieve", "x", "reef and dc.title = fish", "x sortby dc.date", "dc.type = b", "(",
    '"', "^", "*", "a\x00b", "\ud7ff\ufffe", "\u202e", "<a>&", "]]>", "string", "xml", "marcxml",
    "mods", "dc", "5:year,subject", "1:,:1,,", "10,3:author", "alphanumeric,descending",
    "type:article", "year:", "alpha", "./x", "date,,0", ",,,", "../", "%s", "{0}", "a" * 3000,
]  # fmt: skip


@pytest.mark.parametrize(
    ("seed", "requests"), [(17, 100), pytest.param(18, 1000, marks=pytest.mark.slow)]
)
async def test_any_request_has_an_answer_of_sru(client, seed, requests):
    """Of odd parts: never an error of the server, always XML that can be read."""
    draw = random.Random(seed)
    for _ in range(requests):
        sent = [(draw.choice(_NAMES), draw.choice(_VALUES)) for _ in range(draw.randrange(6))]
        response = await client.post("/sru", data=sent)
        body = await response.read()

        assert response.status == 200, sent
        root = etree.fromstring(body)
        assert etree.QName(root).localname.endswith("Response"), sent
        assert all(number in MEANINGS for number, _ in reported(root)), sent
