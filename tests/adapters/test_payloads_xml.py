"""Real answers of arXiv, PubMed and library catalogues: every file is read, and some as a person
would read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from metasearch.adapters.parse.parse import PageContent, parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.errors import NotParsable, SourceSaysError
from metasearch.record import Author, Record
from metasearch.settings import Settings
from tests.cases import each

pytestmark = pytest.mark.shared

REGISTRY = Registry(
    Settings(sources={"catalogue": {"extends": "sru", "url": "http://127.0.0.1:210/x"}})
)
FOLDERS = {
    "arxiv": ("arxiv", "arxiv-oai-pmh"),
    "pubmed": ("pubmed",),
    "catalogue": ("sru", "sru-generic", "worldcat-sru"),
    "loc": ("loc-sru",),
}

#: File of a test server -> (records, hits that the source says it has); or the error that it is.
#: What the files of real databases hold is in tests/payloads.
EXPECTED: dict[str, tuple[int, int | None] | type[Exception]] = {
    "sru/zebra-beta-dc-same-query.xml": (20, 95),
    "sru/zebra-beta-marcxml-same-query.xml": (20, 95),
    "sru/zebra-beta-nonlatin.xml": (5, 46),
    "sru/zebra-boolean.xml": (3, 4),
    "sru/zebra-by-id.xml": (1, 1),
    "sru/zebra-date-range.xml": (2, 585),
    "sru/zebra-dc-1.1.xml": (10, 498),
    "sru/zebra-dc-1.2.xml": (25, 498),
    "sru/zebra-dc-2.0.xml": (10, 498),
    "sru/zebra-delta-dc-same-query.xml": (20, 101),
    "sru/zebra-delta-marcxml-same-query.xml": (20, 101),
    "sru/zebra-delta-nonlatin.xml": (5, 273),
    "sru/zebra-diag-empty-query.xml": SourceSaysError,
    "sru/zebra-diag-first-record-range.xml": SourceSaysError,
    "sru/zebra-diag-missing-query.xml": SourceSaysError,
    "sru/zebra-diag-missing-version.xml": (0, 498),
    "sru/zebra-diag-negative-max.xml": SourceSaysError,
    "sru/zebra-diag-operation.xml": SourceSaysError,
    "sru/zebra-diag-scan-bad-index.xml": SourceSaysError,
    "sru/zebra-diag-sortkeys.xml": SourceSaysError,
    "sru/zebra-diag-start-zero.xml": SourceSaysError,
    "sru/zebra-diag-syntax-empty-term.xml": SourceSaysError,
    "sru/zebra-diag-syntax-paren.xml": SourceSaysError,
    "sru/zebra-diag-unknown-schema.xml": SourceSaysError,
    "sru/zebra-diag-unsupported-context-set.xml": SourceSaysError,
    "sru/zebra-diag-unsupported-index.xml": SourceSaysError,
    "sru/zebra-diag-version.xml": SourceSaysError,
    "sru/zebra-explain-1.1.xml": NotParsable,
    "sru/zebra-explain-1.2.xml": NotParsable,
    "sru/zebra-explain-noparams.xml": NotParsable,
    "sru/zebra-gamma-dc-same-query.xml": (20, 95),
    "sru/zebra-gamma-marcxml-same-query.xml": (20, 95),
    "sru/zebra-gamma-nonlatin.xml": (5, 266),
    "sru/zebra-hits-only.xml": (0, 498),
    "sru/zebra-marcxml-1.1.xml": (10, 498),
    "sru/zebra-marcxml-1.2.xml": (25, 498),
    "sru/zebra-marcxml-2.0.xml": (10, 498),
    "sru/zebra-mods-1.2.xml": (5, 498),
    "sru/zebra-no-hits.xml": (0, 0),
    "sru/zebra-packing-string.xml": (2, 498),
    "sru/zebra-paging-last.xml": (50, 498),
    "sru/zebra-post-form.xml": (1, 498),
    "sru/zebra-scan-creator-1.1.xml": NotParsable,
    "sru/zebra-scan-title.xml": NotParsable,
    "sru/zebra-schema-uri.xml": (2, 498),
    "sru/zebra-soap-search.xml": (1, 498),
    "sru/zebra-sort-dc-date.xml": (5, 498),
    "sru/zebra-truncation.xml": (2, 103),
    "sru/zebra-unknown-param.xml": (0, 498),
}
SOURCE_OF = {folder: source for source, folders in FOLDERS.items() for folder in folders}


def _read(shared: Path, file: str) -> PageContent:
    body = (shared / "data" / "payloads" / file).read_bytes()
    source = SOURCE_OF[file.partition("/")[0]]
    return parse(
        Page(
            request=Request(source=source, url="http://a.example/esearch.fcgi", wanted=1000),
            body=body,
        ),
        REGISTRY.spec(source),
    )


def _by_id(shared: Path, file: str) -> dict[str, Record]:
    return {record.source_id: record for record in _read(shared, file).records}


@each("file", EXPECTED)
def test_every_file_is_read(shared: Path, file: str) -> None:
    """As many records as it holds, none unread, none without a title; or the error that it is."""
    expected = EXPECTED[file]
    if isinstance(expected, type):
        with pytest.raises(expected):
            _read(shared, file)
        return
    parsed = _read(shared, file)

    assert (len(parsed.records), parsed.total) == expected
    assert parsed.unread == ()
    assert parsed.drifted is None
    assert all(record.title for record in parsed.records)


def test_no_file_is_forgotten(shared: Path) -> None:
    """A file that is added must be added to the table above."""
    found = {
        f"sru/{path.name}"
        for path in (shared / "data" / "payloads" / "sru").iterdir()
        if path.suffix == ".xml"
    }

    assert found == set(EXPECTED)


def _names(record: Record) -> list[str]:
    return [author.name for author in record.authors]


# --------------------------------------------------------------------------- arXiv


def test_arxiv_search(shared: Path) -> None:
    """The first hit of a search: identifier without version, DOI and date of the first version."""
    record = _read(
        shared, "arxiv/api-query-search-query-testing-id-list-sortby-relevance-sort-3.xml"
    ).records[0]

    assert record == Record(
        source="arxiv",
        source_id="2202.12139",
        position=1,
        url="https://arxiv.org/abs/2202.12139v1",
        title="Testing Deep Learning Models: A First Comparative Study of Multiple Testing "
        "Techniques",
        authors=tuple(
            Author(name) for name in ("Mohit Kumar Ahuja", "Arnaud Gotlieb", "Helge Spieker")
        ),
        year=2022,
        date="2022-02-24",
        venue="arXiv",
        doi="10.1109/icstw55395.2022.00035",
        ids={"arxiv": "2202.12139"},
        type="preprint",
        abstract=record.abstract,
        version="v1",
        subjects=("cs.SE", "cs.LG"),
        open_access="green",
        pdf_url="https://arxiv.org/pdf/2202.12139v1",
    )


def test_arxiv_identifiers_of_the_old_style(shared: Path) -> None:
    """quant-ph/0201082v1 loses its version and keeps its archive."""
    (record,) = _read(
        shared, "arxiv/api-query-search-query-id-list-quant-ph-0201082v1-sortby-rel.xml"
    ).records

    assert record.ids == {"arxiv": "quant-ph/0201082"}
    assert (record.year, _names(record)) == (2002, ["Stephen Blaha"])


def test_arxiv_records_that_were_harvested(shared: Path) -> None:
    """OAI-PMH in the formats arXiv, arXivRaw and oai_dc."""
    (record,) = _read(shared, "arxiv/1305-0014.xml").records
    assert (record.source_id, record.doi, record.date) == (
        "1305.0014",
        "10.1103/physrevc.87.065504",
        "2013-04-30",
    )
    assert record.authors == (
        Author("S. Gardner", "Gardner", "S."),
        Author("B. Plaster", "Plaster", "B."),
    )

    (raw,) = _read(shared, "arxiv-oai-pmh/arxivraw-1810-09584.xml").records
    assert (raw.source_id, raw.year, raw.title) == (
        "1810.09584",
        2018,
        "Martingale theory for housekeeping heat",
    )
    assert _names(raw)[:3] == ["Raphael Chetrite", "Shamik Gupta", "Izaak Neri"]

    first = _read(
        shared, "arxiv-oai-pmh/oai2-verb-listrecords-metadataprefix-oai-dc-from-2014-12-24.xml"
    ).records[0]
    assert (first.source_id, first.date) == ("0709.2184", "2007-09-13")
    assert first.authors[0] == Author("David Burt", "Burt", "David")


# --------------------------------------------------------------------------- PubMed


def test_pubmed_record(shared: Path) -> None:
    """Journal, pages as printed, own DOI, subject headings."""
    (record,) = _read(shared, "pubmed/26415349.xml").records

    assert record == Record(
        source="pubmed",
        source_id="26415349",
        position=1,
        url="https://pubmed.ncbi.nlm.nih.gov/26415349/",
        title="Plato's Embryology",
        authors=(Author("James Wilberding", "Wilberding", "James"),),
        year=2015,
        date="2015",
        venue="Early science and medicine",
        place="Netherlands",
        volume="20",
        issue="2",
        pages="150-68",
        doi="10.1163/15733823-00202p03",
        ids={"pmid": "26415349"},
        issn=("1383-7427",),
        type="article",
        language="en",
        abstract=record.abstract,
        subjects=(
            "Embryology/history",
            "Female",
            "History, Ancient",
            "Humans",
            "Male",
            "Reproduction",
        ),
    )


def test_pubmed_markup_and_structured_abstract(shared: Path) -> None:
    """Subscripts stay in their words, headings stand before their parts; references' DOIs are not
    the article's."""
    (record,) = _read(shared, "pubmed/pmid-28731372.xml").records

    assert record.title.startswith(
        "Exploring the effect of vitamin D3 supplementation on the anti-EBV"
    )
    assert record.abstract is not None
    assert record.abstract.startswith("BACKGROUND: Epstein-Barr virus")
    assert " RESULTS: " in record.abstract
    assert record.doi == "10.1177/1352458517722646"
    assert record.ids == {"pmid": "28731372", "pmcid": "PMC6108041"}


def test_pubmed_page_of_records(shared: Path) -> None:
    """ORCIDs where they are given, both ISSNs, months as words."""
    record = _by_id(shared, "pubmed/efetch-response.xml")["36006759"]

    works_at = "Department of Psychology, University of Minnesota at Twin Cities."
    assert record.authors[0] == Author(
        "Yilei Wang", "Wang", "Yilei", "0000-0002-3082-3038", works_at
    )
    assert record.issn == ("1939-1463", "1082-989X")
    assert (record.date, record.volume, record.issue, record.pages) == (
        "2024-12",
        "29",
        "6",
        "1148-1163",
    )


def test_pubmed_search_leads_to_its_records(shared: Path) -> None:
    """A saved esearch answer gives its ids to efetch."""
    parsed = _read(shared, "pubmed/esearch5.xml")

    assert parsed.next is not None
    assert dict(parsed.next.params)["id"] == "6540636,5830998,4460425,4466840,3443459"
    assert any('"stem cells"[MeSH Terms]' in note for note in parsed.notes)


# --------------------------------------------------------------------------- catalogues


def test_catalogue_marc(shared: Path) -> None:
    """A sound recording: corporate dates, place and life dates are gone, type from the leader."""
    record = _read(shared, "sru/zebra-marcxml-1.1.xml").records[0]

    assert record == Record(
        source="catalogue",
        source_id="alpha-0001",
        position=1,
        title="The incredible jazz guitar of Wes Montgomery",
        authors=(
            Author("Wes Montgomery", "Montgomery", "Wes"),
            Author("Tommy Flanagan", "Flanagan", "Tommy"),
            Author("Percy Heath", "Heath", "Percy"),
            Author('Albert "Tootie" Heath', "Heath", 'Albert "Tootie"'),
        ),
        year=1960,
        publisher="Riverside Records",
        place="New York, NY",
        type="audio",
        language="en",
        subjects=("Jazz", "Guitar with jazz ensemble"),
    )


@pytest.mark.parametrize(
    "file",
    [
        "zebra-marcxml-1.2.xml",
        "zebra-marcxml-2.0.xml",
        "zebra-dc-1.1.xml",
        "zebra-dc-2.0.xml",
        "zebra-mods-1.2.xml",
        "zebra-packing-string.xml",
        "zebra-soap-search.xml",
    ],
)
def test_catalogue_records_agree_over_versions_and_schemas(shared: Path, file: str) -> None:
    """MARC, MODS and Dublin Core of one record say the same, in SRU 1.1, 1.2, 2.0 and SOAP."""
    marc = _read(shared, "sru/zebra-marcxml-1.1.xml").records[0]
    other = _read(shared, f"sru/{file}").records[0]

    assert (other.title, other.year, other.type, other.language) == (
        marc.title,
        marc.year,
        marc.type,
        marc.language,
    )
    assert _names(other)[:3] == _names(marc)[:3]
    assert (other.keywords or other.subjects) == marc.subjects


def test_catalogue_years_of_other_calendars(shared: Path) -> None:
    """ "2024 [1967]" is 2024 of the Bikram Sambat, which is 1967."""
    record = _by_id(shared, "sru/zebra-beta-nonlatin.xml")["beta-0770"]

    assert (record.title, record.year, record.language) == ("हिमाली साहित्य", 1967, "ne")


def test_catalogue_dublin_core_of_others(shared: Path) -> None:
    """DNB's oai_dc, WorldCat's oclcdcs, and archival descriptions."""
    (dnb,) = _read(shared, "sru-generic/response-single-sru11.xml").records
    assert (dnb.source_id, dnb.isbn, dnb.issn, dnb.year) == (
        "1091078653",
        ("9783110426298",),
        (),
        2024,
    )
    assert _names(dnb) == ["Hans Bjarne Thomsen"]

    worldcat = _by_id(
        shared, "worldcat-sru/webservices-catalog-search-sru-maximumrecords-10-query-srw-k-2.xml"
    )["3540542"]
    assert worldcat.ids == {"lccn": "77084158", "oclc": "3540542"}
    assert _names(worldcat)[:2] == ["J. Roland Pennock", "John W. Chapman"]
    assert (worldcat.isbn, worldcat.year) == (("9780814765722",), 1978)

    isad = _read(shared, "sru-generic/response-multiple-3.xml").records[0]
    assert isad.year == 1966
    assert isad.url == "https://suche.staatsarchiv.djiktzh.ch/detail.aspx?Id=3707223"


def test_library_of_congress_mods(shared: Path) -> None:
    """MODS as the Library of Congress sends it: non-sorting articles, qualified ISBNs, coded dates,
    no series."""
    (rails,) = _read(
        shared, "loc-sru/lcdb-maximumrecords-10-operation-searchretrieve-query-bath-l-4.xml"
    ).records
    assert (rails.title, rails.subtitle) == (
        "The Rails View",
        "Creating a Beautiful and Maintainable User Experience",
    )
    assert _names(rails) == ["John Athayde", "Bruce Williams"]
    assert (rails.year, rails.publisher, rails.isbn) == (
        2012,
        "The Pragmatic Bookshelf",
        ("9781934356876",),
    )
    assert rails.venue is None

    (huff,) = _read(
        shared, "loc-sru/lcdb-maximumrecords-10-operation-searchretrieve-query-bath-l.xml"
    ).records
    assert (huff.title, _names(huff), huff.year) == (
        "How to lie with statistics",
        ["Darrell Huff"],
        1993,
    )
    assert (huff.ids, huff.isbn) == ({"lccn": "93028401"}, ("9780393310726",))

    (film,) = _read(
        shared, "loc-sru/lcdb-maximumrecords-10-operation-searchretrieve-query-bath-l-7.xml"
    ).records
    assert (film.type, film.year, film.ids["oclc"]) == ("video", 2010, "641973755")
    assert _names(film)[:2] == ["Clint Eastwood", "Warner Bros. Pictures"]
