"""adapter_specs/families/oai.toml: what is read of the records of repositories, format by
format."""

from __future__ import annotations

from typing import Any

import pytest

from metasearch.adapters.parse.parse import parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.specfile import build, shipped_table
from metasearch.bib.converters import CONVERTERS
from metasearch.errors import SourceSaysError
from metasearch.record import Author, Record
from tests.cases import each
from tests.collections.harvest.repository import HEAD, dublin_core

SPEC = build(
    {"extends": "oai", "name": "repo", "url": "https://a.example/oai"}, "test", shipped_table
)


def body(*metadata: str, tail: str = "") -> bytes:
    records = "".join(
        f"<record><header><identifier>oai:x:{number}</identifier><datestamp>2020-01-01</datestamp></header>"
        f"<metadata>{it}</metadata></record>"
        for number, it in enumerate(metadata, 1)
    )
    return HEAD.format(
        "2024-01-01T00:00:00Z", f"<ListRecords>{records}{tail}</ListRecords>"
    ).encode()


def read(*metadata: str) -> tuple[Record, ...]:
    request = Request(source="repo", url="https://a.example/oai", size=1000, wanted=1000)
    return parse(Page(request=request, body=body(*metadata)), SPEC).records


def dc(**elements: Any) -> Record:
    (record,) = read(dublin_core(**({"title": "A title"} | elements)))
    return record


# --------------------------------------------------------------------------- Dublin Core


def test_dublin_core() -> None:
    """An article of a journal, as Open Journal Systems writes it."""
    record = dc(
        title=["Gene drives", "Genantriebe"],
        creator=["Byron, Ada", "Doe, Jane"],
        subject=["genes", "mice"],
        description="What is known of gene drives in island mice, and what is not known of them, "
        "is told at length.",
        publisher="A Press",
        date="2019-03-05",
        type=[
            "info:eu-repo/semantics/article",
            "info:eu-repo/semantics/publishedVersion",
            "Peer-reviewed Article",
        ],
        identifier=["https://journal.example.org/article/view/7", "10.5555/islands.7"],
        source=["Journal of Islands; Vol. 12 No. 3 (2019), 123-145", "1234-567X"],
        language="eng",
        rights=["Copyright (c) 2019", "https://creativecommons.org/licenses/by/4.0"],
    )

    assert record == Record(
        source="repo",
        source_id="oai:x:1",
        position=1,
        title="Gene drives",
        titles=("Genantriebe",),
        authors=(Author("Ada Byron", "Byron", "Ada"), Author("Jane Doe", "Doe", "Jane")),
        keywords=("genes", "mice"),
        abstract=record.abstract,
        publisher="A Press",
        year=2019,
        date="2019-03-05",
        type="article",
        url="https://journal.example.org/article/view/7",
        doi="10.5555/islands.7",
        venue="Journal of Islands",
        volume="12",
        issue="3",
        pages="123-145",
        issn=("1234-567X",),
        language="en",
        licence="https://creativecommons.org/licenses/by/4.0",
    )
    assert record.abstract is not None


@each(
    ("dates", "date"),
    [
        (["2015-10-05", "2008-04-02", "2006"], "2006"),
        (["2007-01-03T08:09:09Z", "2007-01-03T08:09:09Z", "2006-05"], "2006-05"),
        (["2007-09-13", "2014-12-22"], "2007-09-13"),
        (["1940-1950"], "1940"),
        (["c1999.", "2004"], "1999"),
        (["2006", "2006-03"], "2006-03"),
        (["n.d."], None),
    ],
)
def test_of_several_dates_the_earliest(dates: list[str], date: str | None) -> None:
    """The others are those on which a repository took the work in or changed it."""
    assert dc(date=dates).date == date
    assert CONVERTERS["earliest-date"](dates) == date


@each(
    ("identifiers", "field", "value"),
    [
        (["doi:10.1000/X"], "doi", "10.1000/x"),
        (["http://dx.doi.org/10.1000/x"], "doi", "10.1000/x"),
        (["info:doi/10.1000/x"], "doi", "10.1000/x"),
        (["Journal 10.1, 2000"], "doi", None),
        (["http://a.example/?doi=10.1.1.1"], "doi", None),
        (["https://doi.org/10.1000/x", "https://a.example/1"], "url", "https://a.example/1"),
        (["https://doi.org/10.1000/x"], "url", "https://doi.org/10.1000/x"),
        (["https://a.example/1", "https://a.example/1.PDF"], "pdf_url", "https://a.example/1.PDF"),
        (["urn:ISBN:978-0-306-40615-7"], "isbn", ("9780306406157",)),
        (["9780306406157"], "isbn", ("9780306406157",)),
        (["ISSN 1234-567X"], "issn", ("1234-567X",)),
        (["javascript:alert(1)"], "url", None),
    ],
)
def test_identifiers_are_told_apart_by_their_form(
    identifiers: list[str], field: str, value: Any
) -> None:
    assert getattr(dc(identifier=identifiers), field) == value


@each(
    ("identifier", "scheme", "value"),
    [
        ("http://arxiv.org/abs/0709.2184", "arxiv", "0709.2184"),
        ("http://www.ncbi.nlm.nih.gov/pmc/articles/PMC123/", "pmcid", "PMC123"),
        ("http://www.ncbi.nlm.nih.gov/pubmed/123", "pmid", "123"),
        ("http://hdl.handle.net/10968/101", "handle", "10968/101"),
    ],
)
def test_numbers_of_other_schemes(identifier: str, scheme: str, value: str) -> None:
    assert dc(identifier=identifier).ids == {scheme: value}


@each(
    ("words", "type_"),
    [
        (["text", "info:eu-repo/semantics/doctoralThesis"], "thesis"),
        (["http://purl.org/coar/resource_type/c_5794"], "conference-paper"),
        (["StillImage"], "image"),
        (["Book chapter"], "chapter"),
        (["Technical Report"], "report"),
        (["text"], None),
        (["something else"], None),
    ],
)
def test_types(words: list[str], type_: str | None) -> None:
    assert dc(type=words).type == type_


@each(
    ("source", "type_", "venue"),
    [
        ("Journal of Islands; Vol 1 (2019)", "x", "Journal of Islands"),
        ("Journal of Islands", "info:eu-repo/semantics/article", "Journal of Islands"),
        ("Metal case. 4.5cm x 8.5cm", "Photograph", None),
        ("http://a.example/paper.pdf", "text", None),
        ("1234-5678", "article", None),
    ],
)
def test_a_source_is_a_journal_only_where_it_may_be_one(
    source: str, type_: str, venue: str | None
) -> None:
    assert dc(source=source, type=type_).venue == venue


@each(
    ("rights", "status"),
    [
        ("info:eu-repo/semantics/openAccess", "open"),
        ("info:eu-repo/semantics/closedAccess", "closed"),
    ],
)
def test_rights(rights: str, status: str) -> None:
    assert dc(rights=rights).open_access == status


# --------------------------------------------------------------------------- other formats


def test_arxiv() -> None:
    (record,) = read(
        "<arXiv "
        'xmlns="http://arxiv.org/OAI/arXiv/"><id>2104.12255</id><created>2021-04-25</created><authors><author>'
        "<keyname>Byron</keyname><forenames>Ada</forenames><affiliation>A "
        "University</affiliation></author></authors>"
        "<title>On engines</title><categories>cs.DL math.HO</categories><doi>10.1000/e</doi>"
        "<license>http://arxiv.org/licenses/nonexclusive-distrib/1.0/</license><abstract>Short.</abstract></arXiv>"
    )

    assert record.authors == (Author("Ada Byron", "Byron", "Ada", affiliation="A University"),)
    assert (record.date, record.type, record.doi, record.subjects) == (
        "2021-04-25",
        "preprint",
        "10.1000/e",
        ("cs.DL", "math.HO"),
    )


def test_arxiv_raw() -> None:
    (record,) = read(
        '<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>1810.09584</id>'
        '<version version="v1"><date>Mon, 22 Oct 2018 22:41:50 GMT</date></version>'
        '<version version="v2"><date>Sun, 13 Jan 2019 11:17:09 GMT</date></version>'
        "<title>On engines</title><authors>Ada Byron, Jane Doe and Richard Roe</authors></arXivRaw>"
    )

    assert (record.year, record.version, [it.name for it in record.authors]) == (
        2018,
        "v2",
        ["Ada Byron", "Jane Doe", "Richard Roe"],
    )


def test_mods() -> None:
    (record,) = read(
        "<mods:mods "
        'xmlns:mods="http://www.loc.gov/mods/v3"><mods:titleInfo><mods:nonSort>The</mods:nonSort>'
        "<mods:title>engine</mods:title>"
        "<mods:subTitle>a history</mods:subTitle></mods:titleInfo><mods:name>"
        '<mods:namePart type="family">Byron</mods:namePart>'
        '<mods:namePart type="given">Ada</mods:namePart></mods:name><mods:originInfo>'
        "<mods:dateIssued>1843</mods:dateIssued>"
        "</mods:originInfo><mods:relatedItem "
        'type="host"><mods:titleInfo><mods:title>Plates</mods:title>'
        "</mods:titleInfo>"
        "</mods:relatedItem></mods:mods>"
    )

    assert (record.title, record.subtitle, record.year, record.venue) == (
        "The engine",
        "a history",
        1843,
        "Plates",
    )
    assert record.authors == (Author("Ada Byron", "Byron", "Ada"),)
    assert record.type is None  # what a collection holds is no article


def test_marc() -> None:
    (record,) = read(
        '<marc:record xmlns:marc="http://www.loc.gov/MARC21/slim"><marc:leader>00000nam a2200000 '
        "a 4500</marc:leader>"
        '<marc:controlfield tag="001">42</marc:controlfield>'
        '<marc:datafield tag="100" ind1="1" ind2=" "><marc:subfield code="a">Byron, '
        "Ada,</marc:subfield>"
        "</marc:datafield>"
        '<marc:datafield tag="245" ind1="1" ind2="0"><marc:subfield code="a">On engines '
        ":</marc:subfield>"
        '<marc:subfield code="b">a history /</marc:subfield></marc:datafield>'
        '<marc:datafield tag="260" ind1=" " ind2=" "><marc:subfield code="c">1843.</marc:subfield>'
        "</marc:datafield></marc:record>"
    )

    assert (record.title, record.subtitle, record.year, record.type) == (
        "On engines",
        "a history",
        1843,
        "book",
    )


def test_a_format_that_nobody_knows() -> None:
    """Elements are taken by their names, as DataCite's."""
    (record,) = read(
        '<resource xmlns="http://datacite.org/schema/kernel-4">'
        '<identifier identifierType="DOI">10.5555/ABC</identifier>'
        "<creators><creator><creatorName>Byron, Ada</creatorName></creator></creators><titles>"
        "<title>On engines</title></titles>"
        "<publisher>A Press</publisher><publicationYear>2019</publicationYear></resource>"
    )

    assert (record.title, record.doi, record.year, record.publisher) == (
        "On engines",
        "10.5555/abc",
        2019,
        "A Press",
    )
    assert record.authors[0].family == "Byron"


# -------------------------------------------------------------------------- answers without records


def test_no_records_match_is_an_empty_answer() -> None:
    inner = '<error code="noRecordsMatch"/>'
    page = Page(request=Request(source="repo", url="x"), body=HEAD.format("x", inner).encode())

    parsed = parse(page, SPEC)

    assert (parsed.records, parsed.notes) == ((), ("noRecordsMatch",))


def test_errors_are_errors() -> None:
    inner = '<error code="badArgument">no such set</error>'
    page = Page(request=Request(source="repo", url="x"), body=HEAD.format("x", inner).encode())

    with pytest.raises(SourceSaysError, match="no such set badArgument"):
        parse(page, SPEC)


def test_the_citation_of_eprints() -> None:
    """EPrints has a whole citation for an identifier; behind the title come the journal and where
    in it the work is."""
    record = dc(
        title="The rule of moss",
        date="1980-07-04",
        type=["Article", "PeerReviewed"],
        identifier=[
            "http://eprints.example.org/14/1/moss.pdf",
            (
                "  Byron, Ada and Doe, Jane  (1980)  The rule of moss.  Moss, 209  (4552).   pp. "
                "26-32.  ISSN 0036-8075.  "
            ),
        ],
    )

    assert ("Moss", "209", "26-32") == (record.venue, record.volume, record.pages)
    assert ("0036-8075",) == record.issn
    assert "article" == record.type


def test_values_that_contentdm_joined() -> None:
    """One element holds all names or all headings, with semicolons between them."""
    record = dc(creator=["Ray Friesner", "Sallie; Ron"], subject="   Moss;   Indiana;   ")

    assert ["Ray Friesner", "Sallie", "Ron"] == [author.name for author in record.authors]
    assert ("Moss", "Indiana") == record.keywords


@each(
    ("word", "kind"),
    [
        ("Thèse ou Mémoire numérique / Electronic Thesis or Dissertation", "thesis"),
        ("Conference or Workshop Item", "conference-paper"),
        ("Book or Book Chapter", "chapter"),
        ("Article / Letter to editor", "article"),
    ],
)
def test_a_type_in_a_repository_s_own_words(word: str, kind: str) -> None:
    """What is no word of a vocabulary is known by what it says."""
    assert kind == dc(type=word).type
