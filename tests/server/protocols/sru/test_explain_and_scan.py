"""explain and scan."""

from __future__ import annotations

from metasearch.query.cql import parse_cql
from metasearch.query.tree import Term, Years
from metasearch.server.protocols.sru.vocabulary import field_of, names
from metasearch.server.site import SHARED
from tests.cases import each
from tests.server.protocols.sru.answers import get, reported, texts

ZEEREX = "http://explain.z3950.org/dtd/2.0/"


async def test_the_explain_record(client):
    """As clients read it: its namespace is the text of recordSchema."""
    root = await get(client, version="1.2", operation="explain")

    assert texts(root, "zs:version") == ["1.2"]
    assert texts(root, "//zs:recordSchema") == [ZEEREX]
    (record,) = root.xpath("//*[local-name()='recordData']/*")
    assert record.tag == f"{{{ZEEREX}}}explain"
    assert texts(record, "zr:serverInfo/zr:host") == ["127.0.0.1"]
    assert texts(record, "zr:serverInfo/zr:port") == [str(client.port)]
    assert texts(record, "zr:serverInfo/zr:database") == ["sru"]
    assert texts(record, "zr:databaseInfo/zr:title") == ["metasearch"]
    assert texts(record, "zr:configInfo/zr:default[@type='numberOfRecords']") == ["10"]
    assert texts(record, "zr:configInfo/zr:setting[@type='maximumRecords']") == ["100"]
    assert texts(record, "zr:schemaInfo/zr:schema/@name") == ["marcxml", "mods", "dc"]
    assert len(texts(record, "zr:indexInfo/zr:index")) == len(
        texts(record, "zr:indexInfo/zr:index/zr:title")
    )


async def test_the_address_is_the_public_one(serve):
    """As configured, with its path."""
    from dataclasses import replace

    from tests.server.fake import FakeEngine

    engine = FakeEngine()
    engine.settings = replace(engine.settings, public_url="https://search.example.org/meta")
    client = await serve(engine)

    root = await get(client, "/sru/beta")

    assert texts(root, "//zr:host") == ["search.example.org"]
    assert texts(root, "//zr:port") == ["443"]
    assert texts(root, "//zr:database") == ["meta/sru/beta"]


@each("index", [f"{set_}.{name}" for field, listed in names() for set_, name in listed])
def test_every_index_of_explain_can_be_searched(index):
    """Explain and the reader of queries speak of the same indexes."""
    field = field_of(index)
    term = {"year": "2020", "language": "en", "type": "book"}.get(field, "x")

    read = parse_cql(f"reef and {index} = {term}").query

    assert field in {part.field for part in read.parts if isinstance(part, Term)} | (
        {"year"} if any(isinstance(part, Years) for part in read.parts) else set()
    ) | ({"identifier"} if field == "identifier" else set())


async def test_explain_names_what_it_does_not_know(client):
    """And answers all the same."""
    root = await get(client, operation="explain", version="1.1", nonsuch="1")

    assert reported(root) == [(8, "nonsuch")]
    assert texts(root, "//zr:host") == ["127.0.0.1"]


async def test_explain_as_a_string(client):
    """Escaped, where that is wanted."""
    root = await get(client, operation="explain", version="1.1", recordPacking="string")

    assert texts(root, "//zs:recordData")[0].startswith(f'<explain xmlns="{ZEEREX}"')


@each(
    ("parameters", "expected"),
    [
        ({"scanClause": "dc.type = b", "maximumTerms": 2}, ["book", "chapter"]),
        (
            {"scanClause": "dc.type = book", "maximumTerms": 3, "responsePosition": 2},
            ["audio", "book", "chapter"],
        ),
        (
            {"scanClause": "dc.type = book", "maximumTerms": 2, "responsePosition": 0},
            ["chapter", "conference-paper"],
        ),
        ({"scanClause": "dc.type = zz"}, []),
        ({"scanClause": "dc.language = zu"}, ["zu"]),
    ],
)
async def test_terms_that_are_known(client, engine, parameters, expected):
    """Kinds of work and languages, from the term on; no source is asked."""
    root = await get(client, version="1.1", operation="scan", **parameters)

    assert texts(root, "zs:terms/zs:term/zs:value") == expected
    assert reported(root) == []
    assert engine.asked == []


@each(
    ("parameters", "diagnostic"),
    [
        ({"scanClause": "dc.creator = a"}, 4),
        ({"scanClause": "a"}, 4),
        ({"scanClause": "dc.nonsuch = a"}, 16),
        ({"scanClause": "dc.type = a and x"}, 10),
        ({"scanClause": "dc.type ="}, 10),
        ({"scanClause": "dc.type = a", "responsePosition": "22"}, 120),
        ({"scanClause": "dc.type = a", "maximumTerms": "0"}, 6),
        ({"scanClause": "dc.type = a", "query": "x"}, 8),
    ],
)
async def test_what_cannot_be_scanned(client, parameters, diagnostic):
    """Each has its number."""
    root = await get(client, operation="scan", version="1.2", **parameters)

    ((number, _),) = reported(root)
    assert number == diagnostic


async def test_completions_are_terms(serve):
    """Of what the operator offers and the user has searched for, where the server suggests."""
    client = await serve(examples=("gene drive", "gene flow", "mice"), suggest=True)

    root = await get(client, version="1.2", operation="scan", scanClause="gene")
    explained = await get(client)

    assert texts(root, "//zs:value") == ["gene drive", "gene flow"]
    assert "any" in texts(explained, "//zr:index[@scan='true']//zr:name[@set='metasearch']")
    assert client.app[SHARED].options.suggest
