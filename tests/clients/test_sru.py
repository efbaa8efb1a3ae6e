"""Clients of SRU, at /sru."""

from __future__ import annotations

import json
import re
import sys
import time

import pytest
from lxml import etree

from tests.clients.programs import ROOT, output, python
from tests.clients.works import fetched, full_title

QUERY = "gambling"
#: An id of a work in MARCXML.
IN_MARC = re.compile(r'tag="001">(h[0-9a-f]{12})<')
MARC = {"marc": "http://www.loc.gov/MARC21/slim"}


def yaz_client(*lines: str) -> str:
    """A session of yaz-client."""
    return output("yaz-client", typed="\n".join([*lines, "quit", ""]))


def ids_of(hits: list[dict], number: int) -> list[str]:
    return [hit["id"] for hit in hits[:number]]


# --------------------------------------------------------------------------- YAZ


@pytest.mark.parametrize("way", ["sru GET 1.1", "sru GET 1.2", "sru GET 2.0", "sru POST 1.1", ""])
def test_yaz_client_finds_and_shows(server, tried, listed, way):
    """By GET, by a form, and by SOAP, which is what it sends if nothing else is asked for."""
    row = tried("yaz-client", f"find, show 1+5: {way or 'SOAP, its default'}", program="yaz-client")
    out = yaz_client(
        *filter(None, [way]),
        f"open {server}/sru",
        "querytype cql",
        f"find {QUERY}",
        "show 1+5",
    )

    total = re.findall(r"Number of hits: (\d+)", out)[0]
    assert int(total) >= 20
    # 2.0 has a diagnostic of its own for a source that failed.
    assert set(re.findall(r"info:srw/diagnostic/1/(\d+)", out)) == (
        {"59"} if "2.0" in way else set()
    )
    assert "extra records" not in out
    assert re.findall(r"pos=(\d+) schema=info:srw/schema/1/marcxml-v1.1", out) == list("12345")
    assert IN_MARC.findall(out) == ids_of(listed(QUERY), 5)
    row.came(f"{total} works, MARCXML of 1 to 5")


def test_yaz_client_explains_scans_and_sorts(server, tried):
    """The other operations, and diagnostics as it prints them."""
    row = tried("yaz-client", "explain, scan, sortby, an error: GET 1.2", program="yaz-client")
    out = yaz_client(
        "sru GET 1.2",
        f"open {server}/sru",
        "querytype cql",
        "explain",
        "scan dc.type=bo",
        f"find {QUERY} sortby dc.date/sort.descending",
        "schema dc",
        "show 1+5",
        "find pica.tit=x",
    )

    assert "http://explain.z3950.org/dtd/2.0/" in out
    assert "book" in out.split("Scan Response")[1]
    years = re.findall(r"<dc:date>(\d{4})", out)
    assert len(years) == 5
    assert years == sorted(years, reverse=True)
    assert "info:srw/diagnostic/1/15" in out
    assert "Unsupported context set" in out
    row.came(f"indexes, terms, newest first ({years[0]}), diagnostic 15")


def test_yaz_client_shows_facets(server, tried):
    """Of 2.0, over merged works."""
    row = tried("yaz-client", "facets author:3, source:9: GET 2.0", program="yaz-client")
    out = yaz_client(
        "sru GET 2.0",
        f"open {server}/sru",
        "querytype cql",
        "facets @attr 1=author @attr 3=3, @attr 1=source @attr 3=9",
        f"find {QUERY}",
    )

    assert re.search(r"author \(3\):", out)
    (count,) = re.findall(r"demo-crossref\W+([1-9]\d*)", out)
    row.came(f"3 authors; demo-crossref has {count} works")


@pytest.mark.parametrize("way", ["sru get", ""])
def test_zoom_pages_through_the_list(server, tried, listed, way):
    """As pazpar2 and metaproxy ask, which use ZOOM; its default is SOAP."""
    row = tried("zoomsh (ZOOM)", f"search, show 0 25: {way or 'SOAP'}", program="zoomsh")
    commands = [*([f"set {way}"] if way else []), f"connect {server}/sru"]
    out = output("zoomsh", *commands, f"search cql:{QUERY}", "show 0 25", "quit")

    assert IN_MARC.findall(out) == ids_of(listed(QUERY, count=25), 25)
    row.came("25 records of MARCXML")


#: Koha's search for copies (C4/Breeding.pm) in the same steps: options of a connection from
#: `sru_options`, CQL, and twenty records, each of which becomes a MARC::Record.
KOHA = r"""
use strict; use warnings; use ZOOM; use MARC::Record; use MARC::File::XML; use JSON::PP;
my ($url, $cql, @settings) = @ARGV;
my $options = ZOOM::Options->new();
$options->option(async => 1);
$options->option(elementSetName => "F");
$options->option(preferredRecordSyntax => "MARC21");
$options->option(split /=/) for @settings;
my $connection = ZOOM::Connection->create($options);
$connection->connect($url);
my $set = $connection->search(ZOOM::Query::CQL->new($cql));
while (ZOOM::event([$connection])) { last if $connection->last_event() == ZOOM::Event::ZEND }
my ($error) = $connection->error_x();
my $total = $set->size();
my @ids;
for my $place (0 .. ($total < 20 ? $total : 20) - 1) {
    my $record = MARC::Record->new_from_xml($set->record($place)->raw(), "UTF-8", "MARC21");
    push @ids, $record->field("001")->data if $record->title && $record->leader;
}
print encode_json({ error => $error, total => $total, ids => \@ids });
"""


@pytest.mark.parametrize(
    ("query", "count"), [(QUERY, ("count=20",)), ("jazz", ())], ids=["at once", "one by one"]
)
def test_koha(server, tried, listed, query, count):
    """With `count=20` in `sru_options` it asks for the page at once, else for one record at a
    time: twenty-one requests are one search, although a database of the demo fails."""
    settings = ("sru=get", "sru_version=1.1", *count)
    asked = f"{','.join(settings)}; 20 records"
    row = tried("Koha's steps", asked, program="ZOOM in Perl", replayed=True)
    began = time.monotonic()
    found = json.loads(output("perl", "-e", KOHA, f"{server}/sru", f'any="{query}"', *settings))
    seconds = time.monotonic() - began

    assert found["error"] == 0
    assert found["ids"] == ids_of(listed(query), 20)
    assert seconds < 30  # a search of the demo takes 3 s
    row.came(f"{found['total']} works, 20 of them as MARC::Record, in {seconds:.0f} s")


def test_fields_of_koha(server, tried):
    """Those of `sru_fields` in docs/clients.md, in the form in which Koha sends them."""
    row = tried("Koha's steps", "each field of its form", program="ZOOM in Perl", replayed=True)
    queries = (
        'isbn="9780195058475"',
        'issn="1476-5616"',
        'subject="jazz" and title="canada"',
        'author="browne" and dc.date="2018"',
    )
    settings = ("sru=get", "sru_version=1.1", "count=20")
    for query in queries:
        found = json.loads(output("perl", "-e", KOHA, f"{server}/sru", query, *settings))
        assert found["total"] == len(found["ids"]) == 1, query
    row.came("one work each by ISBN, ISSN, subject and title, author and year")


# --------------------------------------------------------------------------- other programs


@pytest.mark.parametrize(("schema", "parser"), [("dc", "simple"), ("marcxml", "marcxml")])
def test_catmandu(server, tried, listed, schema, parser):
    """It asks for ten records at a time, up to numberOfRecords."""
    row = tried("Catmandu::SRU", f"convert SRU, {schema}: GET 1.1", program="catmandu")
    options = ("--base", f"{server}/sru", "--query", QUERY, "--recordSchema", schema)
    out = output(
        *("catmandu", "convert", "SRU", *options, "--parser", parser),
        *("to", "JSON", "--line_delimited", "1"),
    )
    records = [json.loads(line) for line in out.splitlines() if line.startswith("{")]

    first = listed(QUERY)
    assert len(records) >= len(first)
    if schema == "dc":
        # Of the first page: a later one may know a longer title.
        titles = [record["recordData"]["dc"]["title"] for record in records[:10]]
        assert titles == list(map(full_title, first[:10]))
    else:
        assert [record["_id"] for record in records][: len(first)] == ids_of(first, len(first))
    row.came(f"{len(records)} records")


SRUTHI = """
import json, sys, sruthi
records = [str(record) for record in sruthi.searchretrieve(sys.argv[1], query=sys.argv[2])]
info = sruthi.explain(sys.argv[1])
print(json.dumps({"records": records, "port": info.server["port"], "schemas": sorted(info.schema)}))
"""


def test_sruthi(server, tried, listed):
    """It follows `nextRecordPosition`."""
    row = tried("sruthi", "searchretrieve to the end, explain: 1.2", package="sruthi")
    found = python(SRUTHI, f"{server}/sru", QUERY)

    first = listed(QUERY)
    assert len(found["records"]) >= len(first)
    assert all(hit["id"] in text for hit, text in zip(first, found["records"], strict=False))
    assert found["port"] == int(server.rpartition(":")[2])
    row.came(f"{len(found['records'])} records; schemas {', '.join(found['schemas'])}")


SRUPY = """
import json, sys, srupy
records = srupy.SRUpy(sys.argv[1]).get_records(query=sys.argv[2])
print(json.dumps([str(record) for record in records]))
"""


def test_srupy(server, tried, listed):
    """It names neither version nor operation."""
    row = tried("srupy", "get_records, 100 at a time: 2.0", package="srupy")
    records = python(SRUPY, f"{server}/sru", QUERY)

    # It asks for a hundred at a time.
    first = listed(QUERY, count=100)
    assert len(records) == len(first) > len(listed(QUERY))
    assert all(hit["id"] in text for hit, text in zip(first, records, strict=True))
    row.came(f"{len(records)} records")


def test_metasearch(server, tried, listed, tmp_path):
    """One metasearch as a source of another: three lines of configuration, and nothing is lost."""
    row = tried("metasearch", "as the source of another one: 1.1", package="metasearch")
    config = tmp_path / "config.toml"
    config.write_text(
        f'[network]\nallow = ["{server.removeprefix("http://")}"]\n'
        f'[sources.inner]\nextends = "sru"\nurl = "{server}/sru"\n',
        encoding="utf-8",
    )
    options = ("-s", "inner", "-n", "100", "--config", str(config), "--format", "json", "-q")
    out = output(sys.executable, "-m", "metasearch", QUERY, *options, cwd=ROOT)
    (report,) = json.loads(out)["sources"]
    records = {source["id"]: hit for hit in json.loads(out)["hits"] for source in hit["sources"]}

    assert report["status"] == "ok"
    for hit in listed(QUERY, count=100):
        inner = records[hit["id"]]
        for field in ("title", "subtitle", "year", "doi", "venue", "type", "abstract"):
            assert inner[field] == hit[field], field
    row.came(f"{len(records)} works; title, year, DOI, venue, type, abstract as they were")


# --------------------------------------------------------------------------- replayed


def test_vufind(server, tried, listed):
    """VuFind's connector takes any diagnostic in the body for a failure."""
    row = tried("VuFind's connector", "sruSearch, 20 records, sortBy: 1.1", replayed=True)
    sent = {
        "version": "1.1",
        "operation": "searchRetrieve",
        "query": f"{QUERY} sortBy relevance",
        "startRecord": 1,
        "recordSchema": "marcxml",
        "maximumRecords": 20,
    }
    body = fetched(f"{server}/sru", **sent)
    root = etree.fromstring(body)

    assert b"info:srw/diagnostic" not in body
    ids = root.xpath("//marc:controlfield[@tag='001']/text()", namespaces=MARC)
    assert ids == ids_of(listed(QUERY), 20)
    row.came("20 records of MARCXML, no diagnostic beside the sources that failed")


def test_zotero(server, tried):
    """Zotero's look-up of an ISBN in the Library of Congress, with our address in its place."""
    row = tried("Zotero's look-up", "bath.ISBN=^..., 1 record: 1.1", replayed=True)
    books = json.loads(fetched(f"{server}/search", q="jazz", filter="type:book", format="json"))[
        "hits"
    ]
    book = next(hit for hit in books if hit["isbn"])
    sent = {
        "version": "1.1",
        "operation": "searchRetrieve",
        "maximumRecords": 1,
        "query": f"bath.ISBN=^{book['isbn'][0]}",
    }
    root = etree.fromstring(fetched(f"{server}/sru", **sent))

    titles = root.xpath("//marc:datafield[@tag='245']/marc:subfield/text()", namespaces=MARC)
    assert titles[0].startswith(book["title"])
    row.came(f"MARCXML of {book['title']!r}")
