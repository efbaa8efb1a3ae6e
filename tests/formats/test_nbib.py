"""PubMed's own format."""

from __future__ import annotations

import textwrap

import pytest

from metasearch.formats import WRITABLE
from metasearch.formats.nbib import looks_like
from metasearch.formats.origins import Beside
from metasearch.record import Author, Hit, Record
from tests.cases import each
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
        keywords=("rust",),
        subjects=("Lakes",),
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


@each(
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


@each(
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


def test_editors_place_and_publisher_of_a_chapter() -> None:
    """FED is the full name of ED."""
    chapter = one(
        "PMID- 1\nTI  - A chapter\nBTI - A book of mud\nFAU - Byron, Ada\nAU  - Byron A\nFED - "
        "Lake, Jan P\nED  - Lake JP\nED  - Muster E\nPB  - Shore Press\nPL  - Seattle (WA)\n",
        "nbib",
    )
    assert [author.name for author in chapter.authors] == ["Ada Byron"]
    assert [editor.name for editor in chapter.editors] == ["Jan P Lake", "E Muster"]
    assert (chapter.publisher, chapter.place) == ("Shore Press", "Seattle (WA)")


@each(
    "lines",
    [
        ("FAU - Byron, Ada", "AU  - Byron A", "FAU - van der Lake, Jan P", "AU  - van der Lake JP"),
        ("FAU - Byron, Ada", "FAU - van der Lake, Jan P", "AU  - Byron A", "AU  - van der Lake JP"),
        ("FAU - Byron, Ada", "FAU - van der Lake, Jan P"),
    ],
)
def test_the_short_name_of_an_author_is_no_further_author(lines: tuple[str, ...]) -> None:
    assert [author.name for author in article(*lines).authors] == [
        "Ada Byron",
        "Jan P van der Lake",
    ]


def test_investigators_are_no_authors() -> None:
    found = article("AU  - Byron A", "CN  - Mud Group", "FIR - Lake, Jan", "IR  - Lake J")
    assert [(author.name, author.collective) for author in found.authors] == [
        ("A Byron", False),
        ("Mud Group", True),
    ]


def test_a_suffix_stands_behind_the_given_names() -> None:
    found = article("FAU - Lake, Fields W Jr", "AU  - Lake FW Jr", "AU  - Byron AL 3rd")
    assert [(author.family, author.given, author.suffix) for author in found.authors] == [
        ("Lake", "Fields W", "Jr."),
        ("Byron", "AL", "III"),
    ]


def test_an_address_belongs_to_the_author_above() -> None:
    found = article(
        "FAU - Byron, Ada", "AU  - Byron A", "AD  - Institute of Mud", "AD  - University of Shore",
        "FAU - Lake, Jan", "AU  - Lake J", "LA  - eng", "AD  - Nowhere",
    )  # fmt: skip
    assert [author.affiliation for author in found.authors] == ["Institute of Mud", None]


@each(
    ("printed", "pages"),
    [
        ("pii: E139. doi: 10.1000/mud.1", "E139"),
        ("pii: S0140-6736(19)30001-2", None),
        ("101-9; pii: 12", "101-9"),
        ("101-9. doi: 10.1000/mud.1", "101-9"),
    ],
)
def test_pages_are_no_identifiers(printed: str, pages: str | None) -> None:
    assert article(f"PG  - {printed}", "LID - 10.1000/mud.1 [doi]").pages == pages


def test_registration_numbers_of_trials() -> None:
    assert article("SI  - ClinicalTrials.gov/NCT01234567").ids == {
        "pmid": "1",
        "nct": "NCT01234567",
    }


def test_a_tag_that_nbib_does_not_have_is_told_and_stays_beside() -> None:
    reading = read("PMID- 1\nTI  - Iron\nT2  - Mud\n\nPMID- 2\nTI  - Rust\nT2  - Mud\n", "nbib")

    what = "the tag T2, which NBIB is not known to have; kept beside the record"
    assert told(reading) == [(3, f"2 lines, first this one, hold {what}")]
    assert [entry.given for entry in reading.entries] == [(("T2", "Mud"),)] * 2


ERIC = """\
OWN - ERIC
TI  - Iron in schools
AU  - van der Lake, Jan P.
AU  - And Others
OT  - Mud
JT  - Shore Press
SO  - Ph.D. Dissertation, University of Shore
AID - http://dx.doi.org/10.1000/mud.1
OID - ED123456
VI  -
DP  - Apr 2019
LID - http://eric.ed.gov/?id=ED123456
AB  - Schools rust.
ISBN - ISBN-978-0-19-852663-6
ISSN - EISSN-
LA  - English
PT  - Dissertations/Theses - Doctoral Dissertations

OWN - ERIC
TI  - Rust
JT  - Journal of Mud
OID - EJ123456
ISSN - EISSN-1234-5679
PT  - Reports - Research
"""


def test_nbib_of_others() -> None:
    """Another owner, another form of the tags, a number of another database."""
    reading = read("OWN - PsycNet\nUI - 2019-12345-001\nTI - Iron\nAU - Byron, Ada\n")
    (entry,) = reading.entries

    assert (reading.format, told(reading), entry.database) == ("nbib", [], "PsycNet")
    assert (entry.record.title, entry.record.ids) == ("Iron", {"psycinfo": "2019-12345-001"})


def test_nbib_of_eric() -> None:
    """Without PMID; JT of what is in no journal is who issued it."""
    reading = read(ERIC)
    thesis, paper = reading.records

    assert (reading.format, told(reading)) == ("nbib", [])
    assert {entry.database for entry in reading.entries} == {"ERIC"}
    assert thesis == Record(
        source="a.txt",
        source_id="ED123456",
        position=1,
        url="http://eric.ed.gov/?id=ED123456",
        title="Iron in schools",
        authors=(Author("Jan P. van der Lake", "van der Lake", "Jan P."),),
        year=2019,
        date="2019-04",
        publisher="Shore Press",
        institution="University of Shore",
        doi="10.1000/mud.1",
        ids={"eric": "ED123456"},
        isbn=("9780198526636",),
        type="thesis",
        language="en",
        abstract="Schools rust.",
        keywords=("Mud",),
    )
    assert (paper.venue, paper.type, paper.issn) == ("Journal of Mud", "article", ("1234-5679",))


WORK = Record(
    source="a",
    title="Iron in lakes",
    authors=(
        Author("Ada Byron", "Byron", "Ada", affiliation="Institute of Mud"),
        Author(
            "Fields W. Lake Jr.", "Lake", "Fields W.", suffix="Jr.", affiliation="Institute of Mud"
        ),
        Author("Mud Group", collective=True),
    ),
    editors=(Author("Jan Lake", "Lake", "Jan"),),
    translators=(Author("Erika Muster", "Muster", "Erika"),),
    year=2019,
    venue="Journal of Mud",
    place="Seattle",
    issn=("1234-567X", "2345-6786", "3456-7893", "1234"),
    ids={"pmcid": "12", "s2": "77", "nct": "NCT01234567, NCT07654321"},
    language="de",
    keywords=("rust",),
    subjects=("Lakes/chemistry",),
)


def test_what_is_written_is_what_other_readers_take() -> None:
    """A number where PubMed has one, the medium behind each ISSN, AID with its kind, full names
    before short ones, no tag with a digit.
    """
    given = Beside(fields=(("AID", "www.mud.example"), ("T2", "Mud"), ("GR", "R01")))
    text = WRITABLE["nbib"].write([Hit("h1", WORK, (WORK,), {})], beside={"h1": given}).decode()

    assert [line for line in text.split("\r\n") if line[:4] != "GN  "] == [
        "PMID- 0",
        "OWN - METASEARCH",
        "IS  - 1234-567X (Print)",
        "IS  - 2345-6786 (Electronic)",
        "IS  - 3456-7893 (Linking)",
        "DP  - 2019",
        "TI  - Iron in lakes",
        "JT  - Journal of Mud",
        "SI  - ClinicalTrials.gov/NCT01234567",
        "SI  - ClinicalTrials.gov/NCT07654321",
        "AID - 12 [pmcid]",
        "LID - 77 [s2]",
        "FAU - Byron, Ada",
        "AU  - Byron A",
        "AD  - Institute of Mud",
        "FAU - Lake, Fields W. Jr",
        "AU  - Lake FW Jr",
        "AD  - Institute of Mud",
        "CN  - Mud Group",
        "FED - Lake, Jan",
        "ED  - Lake J",
        "LA  - ger",
        "PT  - Journal Article",
        "PL  - Seattle",
        "MH  - Lakes/chemistry",
        "OT  - rust",
        "LID - www.mud.example",
        "GR  - R01",
        "",
        "",
    ]
    assert "GN  - Translator: Muster, Erika\r\n" in text
    assert "GN  - ISSN: 1234\r\n" in text
    assert "GN  - T2: Mud\r\n" in text


def test_what_is_written_comes_back() -> None:
    text = WRITABLE["nbib"].write([Hit("h1", WORK, (WORK,), {})]).decode()
    (found,) = read(text, "nbib").records

    for field in (
        "authors", "editors", "translators", "place", "issn", "ids", "keywords", "subjects",
    ):  # fmt: skip
        assert getattr(found, field) == getattr(WORK, field)


def test_the_library_nbib_reads_what_is_written() -> None:
    nbib = pytest.importorskip("nbib")
    given = Beside(fields=(("AID", "www.mud.example"), ("T2", "Mud")))
    text = WRITABLE["nbib"].write([Hit("h1", WORK, (WORK,), {})] * 2, beside={"h1": given}).decode()

    assert [found["title"] for found in nbib.read(text)] == [WORK.title] * 2


def test_pmc_writes_its_number_first() -> None:
    """Two records, each with both numbers."""
    text = "PMC - PMC100\nPMID- 1\nTI  - a\n\nPMC - PMC200\nTI  - b\n"

    assert [record.ids for record in read(text).records] == [
        {"pmid": "1", "pmcid": "PMC100"},
        {"pmcid": "PMC200"},
    ]


@each("indent", ["    ", "      ", "\t"])
def test_a_file_may_be_indented_and_have_blank_lines_within(indent: str) -> None:
    text = "PMID- 1\nTI  - Mud of\n      lakes\n\nAB  - Text\n\nPMID- 2\nTI  - Rust\n"
    reading = read(textwrap.indent(text, indent), "nbib")

    assert [record.title for record in reading.records] == ["Mud of lakes", "Rust"]
    assert reading.records[0].abstract == "Text"
    assert not reading.problems


def test_what_a_record_holds_less_of_stays_beside() -> None:
    lines = "VI  - 3\nVI  - 4\nIS  - none\nLA  - eng\nLA  - ger\n"
    (entry,) = read(f"PMID- 1\nTI  - Mud\nDP  - 2019 Spring\n{lines}", "nbib").entries

    assert (entry.record.year, entry.record.volume) == (2019, "3")
    given = [("DP", "2019 Spring"), ("VI", "4"), ("IS", "none"), ("LA", "ger")]
    assert list(entry.given) == given


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


@each(
    ("head", "yes"),
    [
        ("\ufeffPMID- 123\n", True),
        ("\n\nPMC - PMC1", True),
        ("OWN - ERIC\nTI  - a", True),
        ("STAT- MEDLINE\n", True),
        ("TI  - a", False),
        ("xPMID- 1", False),
    ],
)
def test_looks_like(head: str, *, yes: bool) -> None:
    assert looks_like(head) is yes
