"""Links for programs, and meta tags."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metasearch.formats.mods import zotero_type
from metasearch.record import Author
from metasearch.server.pages.metadata import (
    MachineLink,
    description_links,
    header,
    meta_tags,
    page_links,
)
from tests.server.fake import record
from tests.server.pages.test_environment import hostile

PAGE = "https://search.example.org/work/h0123456789ab"
RIS = (f"{PAGE}?format=ris", "application/x-research-info-systems")


def test_the_links_of_a_page():
    """How to cite it, what it is, who wrote it, its PDF, licence and metadata."""
    work = record(
        authors=(Author("Ada Byron", orcid="0000-0002-1825-0097"), Author("Bo", orcid="odd")),
        pdf_url="https://alpha.example.org/1.pdf",
        licence="https://creativecommons.org/licenses/by/4.0/",
    )

    assert page_links(work, PAGE, [RIS]) == [
        MachineLink("canonical", PAGE),
        MachineLink("cite-as", "https://doi.org/10.5555/islands.1"),
        MachineLink("type", "https://schema.org/AboutPage"),
        MachineLink("type", "https://schema.org/ScholarlyArticle"),
        MachineLink("author", "https://orcid.org/0000-0002-1825-0097"),
        MachineLink("item", "https://alpha.example.org/1.pdf", "application/pdf"),
        MachineLink("license", "https://creativecommons.org/licenses/by/4.0/"),
        MachineLink("describedby", *RIS),
    ]


def test_the_links_of_metadata():
    """They lead to the page and to the work."""
    assert header(description_links(record(doi=None), PAGE)) == (
        f'<{PAGE}>; rel="describes"; type="text/html", <{PAGE}>; rel="cite-as"'
    )


@given(
    hostile,
    st.sampled_from(["https://a.example.org/", "javascript:", "https://é.example.org/", ""]),
)
def test_a_header_holds_printable_ascii_and_whole_links(text, start):
    """Whatever a source gives as an address, no line ends and no link is added."""
    work = record(
        pdf_url=start + text, licence=start + text, doi=f"10.5555/{text}", title=text, url=text
    )
    links = page_links(work, PAGE, [RIS])
    written = header(links)

    assert written.isascii()
    assert written.isprintable()
    assert written.count("<") == written.count(">") == len(links)
    assert len(links) <= 7


def test_a_header_is_short():
    """Long addresses and the authors beyond ten are left out."""
    authors = tuple(Author("A", orcid=f"0000-0002-1825-{n:04}") for n in range(500))
    work = record(authors=authors, pdf_url="https://a.example.org/" + "x" * 5_000)

    written = header(page_links(work, PAGE, [RIS] * 7))

    assert len(written) < 4_000
    assert written.count('rel="author"') == 10
    assert "xxx" not in written


def test_meta_tags_of_an_article():
    """As Google Scholar reads them: names inverted, dates with slashes, pages apart."""
    work = record(
        issn=("1234-5678",),
        keywords=("mice", "islands"),
        ids={"pmid": "7"},
        date="2021-03-05",
        pdf_url="https://alpha.example.org/1.pdf",
    )

    assert meta_tags(work, PAGE) == [
        ("citation_title", "Gene drives in island mice"),
        ("citation_author", "Byron, Ada"),
        ("citation_author", "Li, Bo"),
        ("citation_publication_date", "2021/03/05"),
        ("citation_journal_title", "Journal of Islands"),
        ("citation_volume", "12"),
        ("citation_issue", "3"),
        ("citation_firstpage", "101"),
        ("citation_lastpage", "110"),
        ("citation_doi", "10.5555/islands.1"),
        ("citation_pmid", "7"),
        ("citation_issn", "1234-5678"),
        ("citation_keywords", "mice"),
        ("citation_keywords", "islands"),
        ("citation_abstract", "Mice were counted twice."),
        ("citation_pdf_url", "https://alpha.example.org/1.pdf"),
        ("citation_abstract_html_url", PAGE),
        ("DC.type", "journalArticle"),
    ]


def test_meta_tags_of_other_types():
    """The container is named as its kind is; a preprint's is no journal."""
    expected = {
        "conference-paper": ("citation_conference_title", "Journal of Islands"),
        "chapter": ("citation_inbook_title", "Journal of Islands"),
        "thesis": ("citation_dissertation_institution", "Isle University"),
        "report": ("citation_technical_report_institution", "Isle University"),
        "preprint": ("citation_publisher", "Journal of Islands"),
    }
    for type_, tag in expected.items():
        tags = meta_tags(record(type=type_, institution="Isle University"), PAGE)
        assert tag in tags
        assert "citation_journal_title" not in dict(tags)
        assert dict(tags)["DC.type"] == zotero_type(type_)
