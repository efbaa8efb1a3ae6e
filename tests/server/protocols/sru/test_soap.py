"""SOAP envelopes, as YAZ sends them."""

from __future__ import annotations

from lxml import etree

from tests.cases import each
from tests.server.protocols.sru.answers import reported, texts

ENVELOPE = (
    '<SOAP:Envelope xmlns:SOAP="http://schemas.xmlsoap.org/soap/envelope/"><SOAP:Body>'
    '<zs:{0}Request xmlns:zs="http://www.loc.gov/zing/srw/">{1}</zs:{0}Request>'
    "</SOAP:Body></SOAP:Envelope>"
)


async def post(client, body: str | bytes):
    """The response to an envelope."""
    return await client.post("/sru", data=body, headers={"Content-Type": "text/xml"})


async def test_a_search_in_an_envelope(client, engine):
    """The answer is in one as well."""
    inner = (
        "<zs:version>1.2</zs:version><zs:query>dc.title = reef</zs:query>"
        "<zs:maximumRecords>1</zs:maximumRecords>"
    )
    response = await post(client, ENVELOPE.format("searchRetrieve", inner))
    root = etree.fromstring(await response.read())

    assert response.status == 200
    assert texts(root, "/soap:Envelope/soap:Body/zs:searchRetrieveResponse/zs:version") == ["1.2"]
    assert len(texts(root, "//zs:record")) == 2
    assert engine.asked[0]["limit"] == 1


async def test_explain_in_an_envelope(client):
    """Without any parameter."""
    response = await post(client, ENVELOPE.format("explain", ""))
    root = etree.fromstring(await response.read())

    assert texts(root, "//zs:explainResponse/zs:version") == ["1.1"]


async def test_a_diagnostic_in_an_envelope(client):
    """It stands in the answer of the operation, not in a fault."""
    response = await post(client, ENVELOPE.format("scan", "<zs:version>1.1</zs:version>"))
    root = etree.fromstring(await response.read())

    assert reported(root) == [(7, "scanClause")]


#: Ten texts in one, which may name a hundred more.
BOMB = (
    '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    + ENVELOPE.format("searchRetrieve", "<zs:query>&b;</zs:query>")
)


@each(
    "body",
    [
        b"",
        b"not xml",
        b"<a/>",
        b"<Envelope/>",
        b"<Envelope><Body/></Envelope>",
        b"<Envelope><Body><deleteRequest/></Body></Envelope>",
        b"<Envelope>" + b"<Body>" * 300 + b"</Body>" * 300 + b"</Envelope>",
    ],
)
async def test_no_envelope(client, engine, body):
    """A 400 that says how a client switches to GET."""
    response = await post(client, body)

    assert response.status == 400
    assert "sru GET 1.2" in (await response.json(content_type=None))["detail"]
    assert engine.asked == []


async def test_entities_are_not_expanded(client, engine):
    """Nor files read."""
    response = await post(client, BOMB)

    assert reported(etree.fromstring(await response.read())) == [(7, "query")]
    assert engine.asked == []


async def test_an_envelope_that_is_too_large(client):
    """Is not read to its end."""
    response = await post(client, ENVELOPE.format("searchRetrieve", "x" * 500_000))

    assert response.status == 413
