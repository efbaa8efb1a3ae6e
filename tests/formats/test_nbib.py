"""PubMed's own format."""

from __future__ import annotations

import pytest

from metasearch.formats.nbib import looks_like
from metasearch.record import Author, Record
from tests.formats.reading.samples import NBIB, one, read, told


def article(*lines: str) -> Record:
    return one("\n".join(["PMID- 1", "TI  - Iron in lakes", *lines]), "nbib")


def test_a_whole_record() -> None:
    """Every field, hand-checked."""
    record, letter = read(NBIB).records

    assert record == Record(
        source="a.txt",
        source_id="10000001",
        position=1,
        url="https://pubmed.ncbi.nlm.nih.gov/10000001/",
        title="Iron in lakes: a long title that goes on",
        authors=(
            Author("Erika Musterfrau", "Musterfrau", "Erika", "0000-0002-1825-0097"),
            Author("Ada A Byron", "Byron", "Ada A"),
        ),
        year=2019,
        date="2019-03-12",
        venue="Journal of mud",
        pages="101-9",
        doi="10.1000/mud.1",
        ids={"pmid": "10000001"},
        issn=("1234-5679",),
        type="article",
        language="en",
        abstract="BACKGROUND: Lakes rust. They do.",
        keywords=("Lakes", "rust"),
    )
    assert (letter.title, letter.titles, letter.type) == (
        "Another lake",
        ("Ein anderer See",),
        "letter",
    )
    assert letter.authors == (Author("AA Byron", "Byron", "AA"),)


def test_the_database_is_pubmed_and_lines_are_counted() -> None:
    assert [(entry.database, entry.line) for entry in read(NBIB).entries] == [
        ("PubMed", 1),
        ("PubMed", 23),
    ]


def test_a_title_that_is_not_available_gives_way() -> None:
    """MEDLINE says so where it has only the title in the language of the work."""
    record = one("PMID- 1\nTI  - [Not Available].\nTT  - Eisen in Seen.\n", "nbib")

    assert (record.title, record.titles) == ("Eisen in Seen", ())


def test_groups_stand_among_the_authors() -> None:
    found = article("FAU - Byron, Ada", "AU  - Byron A", "CN  - Mud Working Group", "AU  - Smith J")

    assert [author.name for author in found.authors] == [
        "Ada Byron",
        "Mud Working Group",
        "J Smith",
    ]


@pytest.mark.parametrize(
    ("lines", "doi", "pages"),
    [
        (("LID - 10.1000/mud.1 [doi]", "LID - S1234-5678(20)30326-4 [pii]"), "10.1000/mud.1", None),
        (("AID - 10.1000/mud.1 [doi]",), "10.1000/mud.1", None),
        (("LID - e4395 [pii]",), None, "e4395"),
        (("SO  - J Mud. 2019;12(3):101-9. doi: 10.1000/mud.1.",), "10.1000/mud.1", None),
        (
            ("SO  - J Mud. 2019;12(3):101-9. doi: 10.1000/mud.1. Epub 2018.", "PG  - 101-9"),
            "10.1000/mud.1",
            "101-9",
        ),
    ],
)
def test_where_the_doi_and_the_number_of_the_article_are(
    lines: tuple[str, ...], doi: str | None, pages: str | None
) -> None:
    found = article(*lines)
    assert (found.doi, found.pages) == (doi, pages)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (("Journal Article",), "article"),
        (("Journal Article", "Review"), "review"),
        (("Journal Article", "Retracted Publication"), "article"),
        (("Retraction of Publication",), "retraction"),
        (("Published Erratum",), "erratum"),
        (("Case Reports",), "article"),
        ((), None),
    ],
)
def test_types(words: tuple[str, ...], kind: str | None) -> None:
    """A retracted article is an article; the notice is the retraction."""
    assert article(*(f"PT  - {word}" for word in words)).type == kind


def test_books_and_chapters() -> None:
    chapter = one(
        "PMID- 1\nTI  - A chapter\nBTI - A book of mud\nPB  - Shore Press\nIS  - "
        "978-0-19-852663-6\n",
        "nbib",
    )
    assert (chapter.title, chapter.venue, chapter.type, chapter.isbn) == (
        "A chapter", "A book of mud", "chapter", ("9780198526636",),
    )  # fmt: skip
    assert one("PMID- 1\nBTI - A book of mud\n", "nbib").type == "book"


def test_pmc_writes_its_number_first() -> None:
    """Two records, each with both numbers."""
    text = "PMC - PMC100\nPMID- 1\nTI  - a\n\nPMC - PMC200\nTI  - b\n"

    assert [record.ids for record in read(text).records] == [
        {"pmid": "1", "pmcid": "PMC100"},
        {"pmcid": "PMC200"},
    ]


def test_records_without_a_blank_line_between() -> None:
    assert [record.title for record in read("PMID- 1\nTI  - a\nPMID- 2\nTI  - b\n").records] == [
        "a",
        "b",
    ]


def test_what_cannot_be_read_is_told() -> None:
    assert told(read("PMID- x\nTI  - a\nDP  - soon\n", "nbib")) == [
        (1, 'PMID holds no number: "x"'),
        (1, 'DP holds no year: "soon"'),
    ]


@pytest.mark.parametrize(
    ("head", "yes"),
    [
        ("\ufeffPMID- 123\n", True),
        ("\n\nPMC - PMC1", True),
        ("TI  - a", False),
        ("xPMID- 1", False),
    ],
)
def test_looks_like(head: str, *, yes: bool) -> None:
    assert looks_like(head) is yes
