"""The record schemas: what a merged record becomes, and what foreign readers make of it."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace

import pymarc
import pytest
from hypothesis import given
from lxml import etree

from metasearch.adapters.parse.parse import parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.formats.reading import read_file
from metasearch.record import TYPES, Author, Hit, Record
from metasearch.server.protocols.sru.vocabulary import SCHEMAS, schema_of
from metasearch.settings import Settings
from tests import cases
from tests.examples import examples
from tests.formats.exported import records, said
from tests.growth import MOST, growth
from tests.server.fake import hit
from tests.server.protocols.sru.answers import NAMESPACES, get, reported, texts

FULL = Record(
    source="alpha",
    source_id="a-1",
    position=1,
    url="https://alpha.example.org/1",
    title="Gene drives in island mice",
    subtitle="a second count",
    original_title="Gendrives bei Inselmäusen",
    titles=("Mice, counted",),
    authors=(
        Author("Ada Byron", "Byron", "Ada", orcid="0000-0002-1825-0097"),
        Author("Bo Li", "Li", "Bo"),
        Author("The Island Collaboration", collective=True),
    ),
    editors=(Author("Ed Itor", "Itor", "Ed"),),
    year=2021,
    date="2021-03-15",
    venue="Journal of Islands",
    publisher="Island Press",
    edition="2nd ed",
    volume="12",
    issue="3",
    pages="101-110",
    doi="10.5555/islands.1",
    ids={"pmid": "12345678", "arxiv": "2101.00001"},
    issn=("1234-5679",),
    type="article",
    language="en",
    abstract="Mice were counted twice.",
    keywords=("mice", "gene drive"),
    subjects=("Islands",),
    citations=12,
    open_access="gold",
    licence="https://creativecommons.org/licenses/by/4.0/",
    pdf_url="https://alpha.example.org/1.pdf",
)


def of(record: Record) -> Hit:
    """A hit with this merged record."""
    return replace(hit(1), record=record, provenance={"title": "alpha", "abstract": "beta"})


def written(record: Record, schema: str = "marcxml") -> bytes:
    """The record in a schema."""
    return etree.tostring(SCHEMAS[schema].write(of(record)))


def marc(record: Record) -> pymarc.Record:
    """The record as pymarc reads it."""
    (found,) = pymarc.parse_xml_to_array(io.BytesIO(written(record)), strict=True)
    return found


def values(found: pymarc.Record, tag: str, code: str) -> list[str]:
    """All subfields of a field."""
    return [text for field in found.get_fields(tag) for text in field.get_subfields(code)]


def test_a_whole_record_as_pymarc_reads_it() -> None:
    """Every field where a cataloguer looks for it."""
    found = marc(FULL)

    assert len(str(found.leader)) == 24
    assert str(found.leader)[5:10] == "nab a"
    assert (found["001"].data, found["003"].data) == ("alpha:alpha-1", "metasearch")
    assert (len(found["008"].data), found["008"].data[6:15]) == (40, "s2021    ")
    assert found["008"].data[35:38] == "eng"
    assert [(f.get("a"), f.get("2")) for f in found.get_fields("024")] == [
        ("10.5555/islands.1", "doi"),
        ("2101.00001", "arxiv"),
        ("12345678", "pmid"),
    ]
    assert values(found, "035", "a") == ["(alpha)alpha-1", "(beta)beta-2"]
    assert values(found, "100", "a") == ["Byron, Ada"]
    assert values(found, "100", "0") == ["(orcid)0000-0002-1825-0097"]
    assert values(found, "700", "a") == ["Li, Bo", "Itor, Ed"]
    assert values(found, "710", "a") == ["The Island Collaboration"]
    assert values(found, "245", "a") == ["Gene drives in island mice :"]
    assert values(found, "245", "b") == ["a second count"]
    assert (values(found, "264", "b"), values(found, "264", "c")) == (
        ["Island Press"],
        ["2021-03-15"],
    )
    assert values(found, "773", "g") == ["Vol. 12", "no. 3", "p. 101-110"]
    assert values(found, "773", "x") == ["1234-5679"]
    assert values(found, "856", "u") == [FULL.url, FULL.pdf_url]
    assert values(found, "588", "a") == ["alpha: title", "beta: abstract"]


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        *(("marcxml", kind) for kind in ("article", "book", "chapter", "thesis", "preprint")),
        *(("marcxml", kind) for kind in ("dataset", "report", "conference-paper", "review")),
        # Catalogues write other kinds of work in other ways.
        ("mods", "article"),
        ("mods", "thesis"),
    ],
)
def test_what_is_written_is_read_back(tmp_path, kind, schema) -> None:
    """By the reader of library catalogues: what no field holds is named here."""
    isbn = ("9780262033848",) if kind in ("book", "chapter") else ()
    record = replace(FULL, type=kind, isbn=isbn, authors=FULL.authors[:2])
    if kind in ("book", "thesis", "report"):
        record = replace(record, venue=None, volume=None, issue=None, pages=None, issn=())
    if schema == "marcxml":
        file = tmp_path / "r.xml"
        file.write_bytes(written(record))
        (found,) = read_file(file).records
    else:
        found = as_catalogues_read(written(record, schema))

    fields = [
        "title", "subtitle", "year", "publisher", "edition", "doi", "isbn", "issn", "venue",
        "volume", "issue", "pages", "type", "language", "abstract", "keywords", "subjects",
        "licence", "url",
    ]  # fmt: skip
    assert {name: getattr(found, name) for name in fields} == {
        name: getattr(record, name) for name in fields
    }
    people = [(author.family, author.given) for author in found.authors]
    assert people[:2] == [("Byron", "Ada"), ("Li", "Bo")]
    if schema == "marcxml":
        assert dict(found.ids) == dict(record.ids)
        assert found.original_title == record.original_title
        assert [editor.family for editor in found.editors] == ["Itor"]


@pytest.mark.parametrize("schema", ["marcxml", "mods"])
@examples(0.3)
@given(record=records())
def test_a_metasearch_of_metasearches_loses_nothing(schema, record) -> None:
    """What an export says of a work, the family `sru` reads in the records of both schemas."""
    want, got = said(record), said(as_catalogues_read(written(record, schema)))
    if schema == "marcxml":
        # MARC puts bodies into fields of their own, and a file may be the only address. "Suppl 1"
        # is no number.
        want["authors"], got["authors"] = sorted(want["authors"]), sorted(got["authors"])
        want["url"] = want["url"] or want["pdf_url"]
        want["issue"] = None if want["issue"] == "Suppl 1" else want["issue"]
    assert got == want


@cases.each("schema", ["marcxml", "mods"])
@cases.each("kind", ["thesis", "report"])
def test_a_metasearch_of_metasearches_reads_the_rest(schema, kind) -> None:
    """What few exports have a place for."""
    record = replace(FULL, type=kind, institution="University of Islands")
    found = as_catalogues_read(written(record, schema))

    assert (found.institution, found.licence) == (record.institution, record.licence)
    assert found.pdf_url == record.pdf_url
    if schema == "marcxml":
        retracted = as_catalogues_read(written(replace(record, retracted=True)))
        assert (found.retracted, retracted.retracted) == (None, True)
        assert found.open_access == "gold"


def as_catalogues_read(record: bytes) -> Record:
    """As the adapter of library catalogues reads an answer with this record."""
    url = "http://127.0.0.1:210/x"
    settings = Settings(sources={"catalogue": {"extends": "sru", "url": url}})
    request = Request(source="catalogue", url=url, params=(("startRecord", "1"),))
    body = (
        b'<searchRetrieveResponse xmlns="http://www.loc.gov/zing/srw/"><numberOfRecords>1'
        b"</numberOfRecords><records><record><recordData>" + record + b"</recordData></record>"
        b"</records></searchRetrieveResponse>"
    )
    (found,) = parse(Page(request=request, body=body), Registry(settings).spec("catalogue")).records
    return found


@cases.each("kind", [*TYPES, None])
@cases.each("schema", SCHEMAS)
def test_every_kind_of_work(kind, schema) -> None:
    """A record of nothing but a title, and a full one."""
    for record in (Record(source="a", title="T", type=kind), replace(FULL, type=kind)):
        root = etree.fromstring(written(record, schema))

        assert "T" in root.xpath("string()") or "Gene drives" in root.xpath("string()")
        if schema == "marcxml":
            assert len(root.findtext("{*}leader") or "") == 24
            assert len(texts(root, "marc:controlfield[@tag='008']")[0]) == 40


@cases.each("schema", SCHEMAS)
def test_hostile_records(schema) -> None:
    """Control characters, surrogates, markup and no title; XML stays well-formed."""
    nasty = "a\x00\x08\x1b[31m\u202e\ud800\ufffe<b>&]]>\r\n"
    record = replace(
        FULL,
        title=nasty,
        subtitle=nasty,
        abstract=nasty,
        authors=(Author(nasty, nasty, nasty, affiliation=nasty),) * 3,
        venue=nasty,
        pages=nasty,
        doi=nasty,
        ids={nasty: nasty},
        isbn=(nasty,),
        keywords=(nasty, "", "\x00"),
        url="javascript:alert(1)",
        pdf_url="https://u@evil.example/",
        language=nasty,
        year=123456,
        type=nasty,
    )
    for each in (record, Record(source="a"), replace(FULL, title="")):
        body = written(each, schema)
        root = etree.fromstring(body)

        assert "javascript" not in root.xpath("string()")
        assert b"\x1b" not in body
        assert b"\r" not in body
        assert b"&#13;" not in body


@pytest.mark.slow
@pytest.mark.parametrize("schema", SCHEMAS)
def test_very_many_authors(schema) -> None:
    """None of whose names is divided: the time grows with their number, not with its square."""

    def writing(number: int) -> Callable[[], object]:
        record = replace(FULL, authors=(Author("Nobody"),) * number)
        return lambda: written(record, schema)

    assert growth(writing, 2_000) <= MOST


def test_dublin_core() -> None:
    """The children of the wrapper, by which clients go."""
    root = etree.fromstring(written(FULL, "dc"))

    assert root.tag == "{info:srw/schema/1/dc-schema}dc"
    assert texts(root, "dc:title")[0] == "Gene drives in island mice: a second count"
    assert texts(root, "dc:creator") == ["Byron, Ada", "Li, Bo", "The Island Collaboration"]
    assert texts(root, "dc:identifier")[0] == "doi:10.5555/islands.1"
    assert texts(root, "dc:source") == ["Journal of Islands 12(3), 101-110"]
    assert texts(root, "dc:date") == ["2021-03-15"]


def test_mods() -> None:
    """Host, part and names in their places."""
    root = etree.fromstring(written(FULL, "mods"))

    host = "mods:relatedItem[@type='host']"
    assert texts(root, f"{host}/mods:titleInfo/mods:title") == ["Journal of Islands"]
    assert texts(root, f"{host}/mods:part/mods:extent/*") == ["101", "110"]
    assert texts(root, "mods:name[1]/mods:namePart") == ["Byron", "Ada"]
    assert texts(root, "mods:name[3]/@type") == ["corporate"]
    assert texts(root, "mods:identifier[@type='doi']") == ["10.5555/islands.1"]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("yaz-marcdump"), reason="yaz-marcdump is not installed")
def test_a_second_opinion(tmp_path) -> None:
    """YAZ turns the record into ISO 2709, and pymarc reads that."""
    collection = (
        b'<collection xmlns="http://www.loc.gov/MARC21/slim">' + written(FULL) + b"</collection>"
    )
    file = tmp_path / "r.xml"
    file.write_bytes(collection)
    command = ["yaz-marcdump", "-i", "marcxml", "-o", "marc", str(file)]
    done = subprocess.run(command, capture_output=True, check=True, timeout=20)

    (found,) = list(pymarc.MARCReader(done.stdout))
    assert values(found, "245", "a") == ["Gene drives in island mice :"]


@cases.each(
    ("name", "schema"),
    [("MARC21-xml", "marcxml"), ("info:srw/schema/1/marcxml-v1.1", "marcxml"), ("OAI_DC", "dc")],
)
def test_a_schema_has_several_names(name: str, schema: str) -> None:
    """Identifiers, and what other servers call it, in any case of letters."""
    assert schema_of(name) is SCHEMAS[schema]


async def test_a_record_that_cannot_be_written(client, monkeypatch) -> None:
    """A diagnostic stands in its place; the others are there."""
    marcxml = schema_of("marcxml")
    assert marcxml is not None
    whole = marcxml.write

    def write(one: Hit):
        if one.rank == 1:
            raise ValueError("no XML")
        return whole(one)

    monkeypatch.setitem(
        __import__("metasearch.server.protocols.sru.vocabulary", fromlist=["_BY_NAME"])._BY_NAME,
        "marcxml",
        replace(marcxml, write=write),
    )
    root = await get(client, query="gene")

    assert reported(root) == [(67, "alpha:alpha-1")]
    assert root.xpath("//s2:record/s2:recordSchema/text()", namespaces=NAMESPACES) == [
        "info:srw/schema/1/diagnostics-v1.1",
        "info:srw/schema/1/marcxml-v1.1",
    ]
