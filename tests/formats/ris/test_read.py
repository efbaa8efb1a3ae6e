"""RIS as many programs write it: what they mean is read, whatever they call it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from metasearch.formats import ris as writer
from metasearch.formats.reading import read_bytes
from metasearch.formats.ris import looks_like
from metasearch.record import TYPES, Author, Hit, Record
from tests.formats.reading.samples import one, read, told
from tests.formats.samples import MERGED, hit, hostile_hits, properties


def record(*lines: str, kind: str = "JOUR") -> Record:
    """The record of these lines, in which nothing is wrong."""
    return one("\r\n".join([f"TY  - {kind}", *lines, "ER  - ", ""]), "ris")


def article(*lines: str, kind: str = "JOUR") -> Record:
    """The same, with a title."""
    return record("TI  - Iron in lakes", *lines, kind=kind)


def problems(*lines: str) -> list[str]:
    reading = read("\n".join(["TY  - JOUR", "TI  - a", *lines, "ER  - "]), "ris")
    return [message for _, message in told(reading)]


# --------------------------------------------------------------------------- lines


@pytest.mark.parametrize(
    "lines",
    [
        ("TY  - JOUR", "AU  - A, B", "TI  - a", "ER  - "),
        ("TY  -JOUR", "AU  -A, B", "TI  -a", "ER  -"),
        ("TY - JOUR", "AU - A, B", "TI - a", "ER -"),
        ("TY -JOUR", "AU -A, B", "TI -a", "ER -"),
        ("TY- JOUR", "AU- A, B", "TI- a", "ER-"),
        ("TY   -  JOUR", "AU   -  A, B", "TI   -  a", "ER   -  "),
        ("TY\t-\tJOUR", "AU\t-\tA, B", "TI\t-\ta", "ER\t-"),
        ("TY  – JOUR", "AU  – A, B", "TI  – a", "ER  – "),
        ("ty  - jour", "au  - A, B", "ti  - a", "er  - "),
        ("  TY  - JOUR", "  AU  - A, B", "  TI  - a", "  ER  - "),
        ("TY  - JOUR", "AU - A, B", "TI  - a", "ER  - "),
    ],
)
def test_tags_are_spaced_in_many_ways(lines: tuple[str, ...]) -> None:
    """A file's own way is learnt from its TY lines; a lone odd line is understood too."""
    for text in ("\n".join(lines), "\n\n".join(["\n".join(lines)] * 2)):
        reading = read(text, "ris")

        assert reading.problems == []
        for found in reading.records:
            assert (found.title, found.authors, found.type) == (
                "a",
                (Author("B A", "A", "B"),),
                "article",
            )
        assert len(reading.entries) == text.lower().count("ty")


def test_running_text_is_not_taken_for_tags() -> None:
    """Lines of an abstract may begin like a tag with one blank."""
    found = article(
        "AB  - Visits to the",
        "ED - emergency department -",
        "IS - a burden",
        "T2-weighted",
        "M1 - x",
    )

    assert (
        found.abstract
        == "Visits to the ED - emergency department - IS - a burden T2-weighted M1 - x"
    )
    assert (found.issue, found.venue) == (None, None)


def test_continuation_lines_and_repeated_tags() -> None:
    """A title goes on, every line of keywords is one, every link is one."""
    found = record(
        "TI  - Iron in", "lakes", "KW  - rust", "mud", "KW  - lakes; *iron", "KW  - rust",
        "UR  - https://doi.org/10.1000/x", "https://example.org/a https://example.org/b",
    )  # fmt: skip

    assert found.title == "Iron in lakes"
    assert found.keywords == ("rust", "mud", "lakes", "iron")
    assert found.url == "https://example.org/a"


def test_what_ovid_puts_around_records_is_no_news() -> None:
    """Numbering before, links behind."""
    text = (
        "1. \nTY  - JOUR\nTI  - a\nER  -  \n\nLink to the Ovid Full Text: https://x\n\n2. \nTY "
        " - JOUR\nTI  - b\nER  -"
    )

    assert told(read(text, "ris")) == []


def test_what_other_platforms_put_before_records_is_no_news() -> None:
    text = (
        'Record #1 of 2\nProvider: John Wiley\nContent: text/plain; charset="UTF-8"\n\nTY  - '
        "JOUR\nTI  - a\nER  -"
    )

    assert told(read(text, "ris")) == []


# --------------------------------------------------------------------------- fields


@pytest.mark.parametrize("tag", ["TI", "T1", "CT"])
def test_the_title_has_many_tags(tag: str) -> None:
    assert record(f"{tag}  - Iron in lakes").title == "Iron in lakes"


def test_bt_is_a_book_or_what_a_chapter_is_in() -> None:
    assert record("BT  - A book", kind="BOOK").title == "A book"
    chapter = record("TI  - A chapter", "BT  - A book", kind="CHAP")
    assert (chapter.title, chapter.venue, chapter.type) == ("A chapter", "A book", "chapter")


def test_translated_titles_are_kept_beside_the_title() -> None:
    """TT, and where TI and T1 are not the same in another spelling."""
    assert record("TI  - 湖泊中的铁", "TT  - Iron in lakes").titles == ("Iron in lakes",)
    assert record("TI  - 湖泊中的铁", "T1  - Iron in lakes").titles == ("Iron in lakes",)
    assert record("TI  - Iron in lakes.", "T1  - IRON IN LAKES").titles == ()


def test_ovid_has_the_original_title_in_t2() -> None:
    """Where the journal has a field of its own; in a book's record T2 is the series."""
    link = "L2  - http://ovidsp.ovid.com/ovidweb.cgi?T=JS&PAGE=reference&D=med1&NEWS=N&AN=1"
    found = record("T1  - [Iron in lakes].", "T2  - Eisen in Seen.", "JF  - Seen", link)
    assert (found.titles, found.venue) == (("Eisen in Seen.",), "Seen")

    found = record("T1  - Iron in lakes", "T2  - Progress in Mud", "JA  - Prog. Mud", link)
    assert (found.titles, found.venue) == ((), "Progress in Mud")

    found = record("T1  - [Not Available].", "T2  - Eisen in Seen", "JF  - Seen", link)
    assert (found.title, found.titles) == ("Eisen in Seen", ())


@pytest.mark.parametrize(
    ("lines", "venue"),
    [
        (("JF  - Journal of Mud", "JA  - J Mud"), "Journal of Mud"),
        (("JO  - Journal of Mud",), "Journal of Mud"),
        (("JA  - J Mud",), "J Mud"),
        (("J1  - J Mud",), "J Mud"),
        (("J2  - J Mud", "T2  - Journal of Mud"), "Journal of Mud"),
        (("JO  - J. Mud", "T2  - Journal of Mud"), "Journal of Mud"),
        (("T2  - NA", "JO  - J. Mud"), "J. Mud"),
    ],
)
def test_the_journal_has_many_tags(lines: tuple[str, ...], venue: str) -> None:
    """The full name where there is one."""
    assert article(*lines).venue == venue


@pytest.mark.parametrize(
    ("lines", "year", "date"),
    [
        (("PY  - 2019",), 2019, None),
        (("PY  - 2019///",), 2019, None),
        (("Y1  - 2019/03/12/",), 2019, "2019-03-12"),
        (("PY  - 2019", "DA  - 2019/03//"), 2019, "2019-03"),
        (("PY  - 2019", "DA  - 2019/09//undefined"), 2019, "2019-09"),
        (("DA  - 2019-03-12",), 2019, "2019-03-12"),
        (("PY  - 2019", "DA  - MAR 12"), 2019, "2019-03-12"),
        (("PY  - 2019", "DA  - Oct-Dec"), 2019, None),
        (("PY  - 2019", "DA  - 2020/01/05/"), 2019, None),
        (("Y1  - 1975-1976//",), 1975, None),
        (("Y2  - 2021/01/01/",), None, None),
    ],
)
def test_dates(lines: tuple[str, ...], year: int | None, date: str | None) -> None:
    """A month belongs to the year of publication; a date of another year is another date, and Y2
    that of a look."""
    found = article(*lines)
    assert (found.year, found.date) == (year, date)


@pytest.mark.parametrize(
    ("lines", "pages"),
    [
        (("SP  - 101", "EP  - 109"), "101-109"),
        (("SP  - 101-109",), "101-109"),
        (("SP  - 2361--2368",), "2361-2368"),
        (("SP  - 101-109", "EP  - 109"), "101-109"),
        (("SP  - e12-e12",), "e12"),
        (("SP  - 12", "EP  - 12"), "12"),
        (("SP  - N.PAG", "EP  - N.PAG"), None),
        (("SP  - <br />-<br />",), None),
        (("SP  - no-no",), None),
        (("C7  - 107538",), "107538"),
        (("SP  - 1", "EP  - 12", "C7  - 107538"), "1-12"),
        (("M1  - Artn 17",), "17"),
        (("N1  - e24107",), "e24107"),
        (("M1  - 101282906",), None),
        (("SP  - 175-177+183",), "175-177+183"),
    ],
)
def test_pages(lines: tuple[str, ...], pages: str | None) -> None:
    """First and last, both in one, or the number of the article."""
    assert article(*lines).pages == pages


@pytest.mark.parametrize(
    "line",
    [
        "DO  - 10.1000/MUD.1",
        "DO  - https://dx.doi.org/10.1000/mud.1",
        "DO  - doi:10.1000%2Fmud.1",
        "M3  - doi: 10.1000/mud.1",
        "L3  - 10.1000/mud.1",
        "L3  - https://doi.org/10.1000/mud.1",
        "UR  - https://example.org/a https://doi.org/10.1000/mud.1",
        "N1  - 10.1000/mud.1",
        "ID  - 10.1000/mud.1",
    ],
)
def test_dois_hide_in_many_fields(line: str) -> None:
    assert article(line).doi == "10.1000/mud.1"


def test_a_doi_in_a_remark_is_another_works() -> None:
    """Only a field that is nothing but a DOI counts, and a broken SICI is mended."""
    assert article("N1  - Comment on: 10.1000/other").doi is None
    assert (
        article("DO  - 10.1639/0044-7447(2000)029 [ 0126:FITEOT]2.0.CO;2").doi
        == "10.1639/0044-7447(2000)029[0126:fiteot]2.0.co;2"
    )


@pytest.mark.parametrize(
    ("line", "isbn", "issn"),
    [
        ("SN  - 1234-5679", (), ("1234-5679",)),
        ("SN  - 12345679", (), ("1234-5679",)),
        ("SN  - 1234-567x (Electronic)", (), ("1234-567X",)),
        ("SN  - 0-19-852663-6 (hardback)", ("9780198526636",), ()),
        ("SN  - 0 19 852663 6", ("9780198526636",), ()),
        ("SN  - 978-0-19-852663-6; 1234-5679", ("9780198526636",), ("1234-5679",)),
        ("SN  - 1234-5679 2345-6786", (), ("1234-5679", "2345-6786")),
        ("SN  - 0-19-852663-0", ("0-19-852663-0",), ()),
        ("SN  - WP-6-012", (), ()),
    ],
)
def test_standard_numbers(line: str, isbn: tuple[str, ...], issn: tuple[str, ...]) -> None:
    """Told apart by their length; a wrong ISBN stays as it came."""
    found = article(line)
    assert (found.isbn, found.issn) == (isbn, issn)


def test_authors() -> None:
    """AU or A1; editors stand only for a book that has no author."""
    found = article(
        "AU  - Byron, Ada A.",
        "AU  - Smith J, Jones KB",
        "AU  - Great Mud Society",
        "ED  - No, Body",
    )
    assert [(a.family, a.given, a.name) for a in found.authors] == [
        ("Byron", "Ada A.", "Ada A. Byron"),
        ("Smith", "J", "J Smith"),
        ("Jones", "KB", "KB Jones"),
        (None, None, "Great Mud Society"),
    ]
    assert [a.family for a in record("T1  - a", "ED  - Byron, Ada [Ed]", kind="BOOK").authors] == [
        "Byron"
    ]
    assert article("A2  - Byron, Ada").authors == ()


@pytest.mark.parametrize(
    ("kind", "lines", "found"),
    [
        ("JOUR", (), "article"),
        ("JOUR", ("M3  - Review",), "review"),
        ("JOUR", ("M3  - Article; Proceedings Paper",), "article"),
        ("JOUR", ("M3  - Proceedings Paper",), "conference-paper"),
        ("JOUR", ("M3  - Psychopharmacology [2580]",), "article"),
        ("BOOK", ("M3  - Review",), "book"),
        ("CONF", ("AU  - A, B", "T2  - Proceedings"), "conference-paper"),
        ("CONF", (), "proceedings"),
        ("THES", (), "thesis"),
        ("GEN", (), None),
        ("NOTKNOWN", (), None),
        ("Journal Article", (), "article"),
        ("ELEC", (), "webpage"),
        ("ELEC", ("JA  - J Mud", "VL  - 3"), None),
    ],
)
def test_types(kind: str, lines: tuple[str, ...], found: str | None) -> None:
    assert article(*lines, kind=kind).type == found


def test_a_chinese_thesis_has_its_school_as_venue() -> None:
    """Institution and 学位论文, as the four-tuple wants it; others have what the file names."""
    found = article("PB  - 某某大学", kind="THES")
    assert (found.venue, found.publisher) == ("某某大学学位论文", "某某大学")
    found = article("PB  - University of Mud", kind="THES")
    assert (found.venue, found.publisher) == (None, "University of Mud")


def test_words_for_nothing_are_nothing() -> None:
    """R writes NA, others other words."""
    found = article("AB  - NA", "T2  - N/A", "PB  - null", "AU  - NA", "AU  - et al.")
    assert (found.abstract, found.venue, found.publisher, found.authors) == (None, None, None, ())


def test_remains_of_other_formats() -> None:
    """HTML, TeX, "v." before volumes."""
    found = article(
        "T2  - Social Science \\& Mud",
        "VL  - v. v. 12",
        "IS  - 2<br />",
        "LA  - English <!-- not cached",
    )
    assert (found.venue, found.volume, found.issue, found.language) == (
        "Social Science & Mud",
        "12",
        "2",
        "en",
    )


def test_a_statement_of_copyright_is_no_abstract() -> None:
    """EBSCOhost puts it into a second AB."""
    found = article(
        "AB  - Lakes rust.", "AB  - Copyright of Journal of Mud is the property of Shore Press."
    )
    assert found.abstract == "Lakes rust."


def test_abstracts_may_be_in_n2() -> None:
    assert article("N2  - Abstract: Lakes rust.").abstract == "Lakes rust."


# ------------------------------------------------------------------------ identifiers and databases


@pytest.mark.parametrize(
    ("lines", "ids", "database"),
    [
        (("ID  - 10000001", "L2  - http://ovidsp.ovid.com/ovidweb.cgi?D=med1&AN=1"),
         {"pmid": "10000001"}, "MEDLINE"),
        (("ID  - 620000001", "L2  - http://ovidsp.ovid.com/ovidweb.cgi?D=emexb"),
         {"embase": "620000001"}, "Embase"),
        (("ID  - CN-01000001", ("L2  - "
                               "http://ovidsp.ovid.com/ovidweb.cgi?D=cctr&AN=1")),
                               {"central": "CN-01000001"},
         "Cochrane CENTRAL"),
        ((("AN  - "
          "2022-96522-001"), "DB  - psyh", ("DP  - "
                                          "EBSCOhost")), {"psycinfo": "2022-96522-001"}, ("psyh "
                                                                                        "(EBSCOhost)")),
        ((("UR  - "
          "https://search.ebscohost.com/login.aspx?direct=true&db=8gh&AN=99"),), {},
          "8gh (EBSCOhost)"),
        (("AN  - WOS:000100000000001",), {"wos": "000100000000001"}, "Web of Science"),
        (("AN  - ISI:000100000000001",), {"wos": "000100000000001"}, "Web of Science"),
        ((("UR  - <Go to "
          "ISI>://WOS:000100000000001"),), {"wos": "000100000000001"}, "Web of Science"),
        (("DB  - Scopus", "C2  - 10000001", ("UR  - "
                                            "https://www.scopus.com/inward/record.uri?eid=2-s2.0-85&x=1")),
         {"pmid": "10000001", "scopus": "2-s2.0-85"}, "Scopus"),
        (("DP  - PubMed", "AN  - 10000001"), {"pmid": "10000001"}, "PubMed"),
        (("N1  - PMID: 10000001",), {"pmid": "10000001"}, None),
        (("N1  - Comment in: J Mud. 2016;1:2; PMID: 27624312",), {}, None),
        (("ID  - 4202",), {}, None),
        (("UR  - https://lens.org/001-257-578-706-377",), {"lens": "001-257-578-706-377"}, "Lens"),
        (("AN  - L620000001", "DB  - Embase"), {"embase": "620000001"}, "Embase"),
        ((("AN  - arxiv:1706.03762; "
          "pmid:1"), "DB  - crossref", "DP  - crossref", "DB  - arxiv", "DP  - arxiv"),
         {"arxiv": "1706.03762", "pmid": "1"}, "crossref; arxiv"),
    ],
)  # fmt: skip
def test_identifiers_and_databases(
    lines: tuple[str, ...], ids: dict[str, str], database: str | None
) -> None:
    """An identifier has a scheme where its form or a link says whose it is."""
    (entry,) = read("\n".join(["TY  - JOUR", "TI  - a", *lines, "ER  - "]), "ris").entries

    assert (entry.record.ids, entry.database) == (ids, database)


def test_an_identifier_is_given_to_one_record_only() -> None:
    """Concatenated libraries number their records from 1 twice, and a record's key must be its
    own."""
    text = "TY  - JOUR\nID  - 1\nTI  - a\nER  - \n" * 2
    assert [found.source_id for found in read(text, "ris").records] == ["1", ""]


def test_citations() -> None:
    assert article("N1  - Cited By :12").citations == 12
    assert article("N1  - Times Cited in Web of Science Core Collection:  3").citations == 3


# --------------------------------------------------------------------------- what cannot be read


def test_what_a_field_should_hold_and_does_not_is_told() -> None:
    """With the beginning of what it holds."""
    assert problems("DO  - n.d.") == ['DO holds no DOI: "n.d."']
    assert problems("PY  - in press") == ['PY holds no year: "in press"']
    assert problems("DO  - " + "x" * 100) == [f'DO holds no DOI: "{"x" * 60}…"']


def test_a_record_of_nothing_is_lost_and_told() -> None:
    reading = read("TY  - JOUR\nKW  - a\nER  - \nTY  - JOUR\nTI  - b\nER  - ", "ris")

    assert (len(reading.entries), reading.lost) == (1, 1)
    assert reading.problems[0].line == 1


def test_a_record_without_title_is_kept_and_told() -> None:
    reading = read("TY  - JOUR\nAU  - Byron, Ada\nER  - ", "ris")

    assert len(reading.entries) == 1
    assert told(reading) == [(1, "the record has no title; it was kept")]


# -------------------------------------------------------------------------- what we write ourselves


def read_back(*hits: Hit) -> list[Record]:
    return list(read_bytes(writer.write(hits), "ours.ris", format="ris").records)


def test_what_we_write_is_what_we_read() -> None:
    """Every field that RIS can carry comes back."""
    (found,) = read_back(MERGED)
    written = MERGED.record

    for name in ("title", "year", "date", "venue", "publisher", "volume", "issue", "doi", "issn",
    "type", "language",
                 "keywords", "pdf_url", "url", "ids"):  # fmt: skip
        assert getattr(found, name) == getattr(written, name), name
    assert [(a.name, a.family) for a in found.authors] == [
        (a.name, a.family) for a in written.authors
    ]
    assert (found.source, found.source_id, found.pages) == ("ours.ris", MERGED.id, "1208-1227")


@pytest.mark.parametrize(
    "kind",
    [
        kind
        for kind in TYPES
        if kind not in ("review", "editorial", "letter", "erratum", "retraction", "other")
    ],
)
def test_types_that_ris_can_tell_come_back(kind: str) -> None:
    """Its codes are fewer than our types: reviews and letters become articles, "other" nothing."""
    fields: dict[str, Any] = (
        {"authors": (Author("Ada Byron", "Byron", "Ada"),)} if kind == "conference-paper" else {}
    )
    (found,) = read_back(hit(title="Mud", type=kind, **fields))

    assert found.type == kind


@properties
@given(hostile_hits())
def test_whatever_we_write_is_counted(found: Hit) -> None:
    """No text from upstream makes two records of one, or none."""
    reading = read_bytes(writer.write([found, found]), "ours.ris", format="ris")

    assert len(reading.entries) + reading.lost == 2


@pytest.mark.parametrize(
    ("head", "yes"),
    [
        ("\ufeffTY  - JOUR\r\n", True),
        ("1. \nTY  - JOUR", True),
        ("ty -jour\n", True),
        ("KW  - a\nTI  - b\nAU  - c\nER  - \n", True),
        ("PARTY  - JOUR", False),
        ("TI  - b", False),
        ("a,b\n1,2", False),
        ("", False),
    ],
)
def test_looks_like(head: str, *, yes: bool) -> None:
    assert looks_like(head) is yes
