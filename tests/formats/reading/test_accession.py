"""Databases and numbers, from what names and links give away."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metasearch.formats.reading import values
from tests.cases import each


@each(
    ("said", "provider", "links", "found"),
    [
        (["Scopus"], [], [], "Scopus"),
        (["crossref", "arxiv"], ["crossref", "arxiv"], [], "crossref; arxiv"),
        (["psyh"], ["EBSCOhost"], [], "psyh (EBSCOhost)"),
        ([], ["PubMed"], ["https://www.scopus.com/x"], "PubMed"),
        ([], [], ["https://example.org/", "https://www.scopus.com/x"], "Scopus"),
        ([], [], ["https://kns.cnki.net/kcms/x"], "CNKI"),
        ([], [], ["http://ovidsp.ovid.com/ovidweb.cgi?T=JS&D=cagh&AN=1"], "Ovid cagh"),
        ([], [], ["https://pubmed.ncbi.nlm.nih.gov/1/"], None),
        (["NA"], [""], [], None),
    ],
)
def test_databases(
    said: list[str], provider: list[str], links: list[str], found: str | None
) -> None:
    """What is said counts first; a link tells where only the database itself writes it."""
    assert values.database(said, provider, links, []) == found


@each(
    ("numbers", "links", "found"),
    [
        (["CSCD:123"], [], {"wos": "CSCD:123"}),
        (["MEDLINE:123"], [], {"wos": "MEDLINE:123", "pmid": "123"}),
        (["PMID: 123"], [], {"pmid": "123"}),
        (["PMC123"], [], {"pmcid": "PMC123"}),
        (["pmid:1; openalex:W2"], [], {"pmid": "1", "openalex": "W2"}),
        (["12345"], [], {}),
        (["Smith2010"], [], {}),
        ([], ["https://www.ncbi.nlm.nih.gov/pubmed/123"], {"pmid": "123"}),
        ([], ["https://www.ncbi.nlm.nih.gov/pmc/articles/PMC123/pdf/x.pdf"], {"pmcid": "PMC123"}),
        ([], ["https://arxiv.org/abs/1706.03762v5"], {"arxiv": "1706.03762"}),
        (
            [],
            ["https://kns.cnki.net/x.aspx?dbname=CJFD&filename=ntxb201903001"],
            {"cnki": "NTXB201903001"},
        ),
    ],
)
def test_identifiers(numbers: list[str], links: list[str], found: dict[str, str]) -> None:
    """By form and by link; a bare number is nobody's."""
    assert values.identifiers(numbers, links) == found


def test_a_bare_number_belongs_to_the_database_that_is_named() -> None:
    assert values.identifiers(["123"], database="PubMed") == {"pmid": "123"}
    assert values.identifiers(["123"], database="Embase") == {"embase": "123"}
    assert values.identifiers(["123"], database="Scopus") == {}


def test_the_landing_page_is_no_doi_where_there_is_another() -> None:
    assert (
        values.landing_page(["https://doi.org/10.1/a", "https://example.org/a"])
        == "https://example.org/a"
    )
    assert values.landing_page(["https://doi.org/10.1/a"]) == "https://doi.org/10.1/a"
    assert values.landing_page([]) is None


@given(st.lists(st.text(max_size=60), max_size=3))
def test_nothing_raises(found: list[str]) -> None:
    values.identifiers(found, found, found, found[0] if found else None)
    values.database(found, found, found, found)
    values.landing_page(found)
