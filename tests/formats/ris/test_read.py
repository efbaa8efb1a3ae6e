"""RIS as many programs write it: what they mean is read, whatever they call it."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from metasearch.formats import FORMATS
from metasearch.formats.origins import Beside
from metasearch.formats.reading import read_bytes
from metasearch.formats.ris import looks_like
from metasearch.record import TYPES, Author, Hit, Record
from tests.cases import each
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


@each(
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


@each("tag", ["TI", "T1", "CT"])
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


@each(
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


@each(
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
        (("Y1  - 2018/11/02", "PY  - 2018", "DA  - 2019/03/12"), 2019, "2019-03-12"),
        (("DA  - 2019/03/12", "Y1  - 2018/11/02/"), 2019, "2019-03-12"),
        (("Y1  - 2018/11/02", "PY  - 2019", "DA  - 2019/03/12"), 2019, "2019-03-12"),
        (("Y1  - 2019/03/12/", "DA  - 2019"), 2019, "2019-03-12"),
        (("Y1  - 1990///", "DA  - 2019/03/12"), 2019, "2019-03-12"),
        (("Y1  - 1990///", "PY  - 1990", "DA  - 2019/03/12"), 1990, None),
        (("Y1  - 1975-1976//",), 1975, None),
        (("Y2  - 2021/01/01/",), None, None),
    ],
)
def test_dates(lines: tuple[str, ...], year: int | None, date: str | None) -> None:
    """A month belongs to the year of publication; a date of another year is another date, and Y2
    that of a look. Y1 is that of the web, where DA has a later one."""
    found = article(*lines)
    assert (found.year, found.date) == (year, date)


@each(
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


@each(
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


@each(
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
    """AU or A1; editors are no authors."""
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
    book = record("T1  - a", "ED  - Byron, Ada [Ed]", kind="BOOK")
    assert (book.authors, [a.family for a in book.editors]) == ((), ["Byron"])
    assert article("A2  - Byron, Ada").authors == ()


@each(
    ("kind", "lines", "authors", "editors", "translators"),
    [
        ("BOOK", ("A2  - Byron, A",), [], ["Byron"], []),
        ("BOOK", ("AU  - Stone, B", "A2  - Byron, A"), ["Stone"], ["Byron"], []),
        ("BOOK", ("A2  - Hill, S", "A3  - Byron, A"), [], ["Byron"], []),
        ("EDBOOK", ("AU  - Byron, A", "A2  - Hill, S"), [], ["Byron"], []),
        ("EDBOOK", ("ED  - Byron, A", "AU  - Stone, B"), ["Stone"], ["Byron"], []),
        ("EDBOOK", ("A2  - Byron, A",), [], ["Byron"], []),
        ("CHAP", ("AU  - Stone, B", "A2  - Byron, A", "A3  - Hill, S"), ["Stone"], ["Byron"], []),
        ("CHAP", ("A2  - Byron, A", "ED  - Reed, T"), [], ["Byron", "Reed"], []),
        ("CPAPER", ("A2  - Byron, A",), [], ["Byron"], []),
        ("CONF", ("ED  - Byron, A",), [], ["Byron"], []),
        ("ENCYC", ("A2  - Byron, A",), [], ["Byron"], []),
        ("THES", ("AU  - Stone, B", "A2  - Byron, A", "A3  - Hill, S"), ["Stone"], [], []),
        ("JOUR", ("A1  - Stone, B", "A2  - Byron, A"), ["Stone"], [], []),
        ("JOUR", ("A1  - Stone, B", "ED  - Byron, A"), ["Stone"], ["Byron"], []),
        ("BOOK", ("AU  - Stone, B", "A4  - Byron, A"), ["Stone"], [], ["Byron"]),
        ("CASE", ("A4  - Byron, A",), [], [], []),
        ("CONF", ("AU  - Stone, B", "A4  - Byron, A"), ["Stone"], [], []),
        ("RPRT", ("A2  - Byron, A", "A4  - Hill, S"), [], [], []),
        ("EBOOK", ("A2  - Byron, A", "A3  - Hill, S"), [], ["Byron"], []),
        ("CLSWK", ("A2  - Byron, A", "A4  - Hill, S"), [], [], ["Hill"]),
        (
            "JOUR",
            ("A1  - Reed, T", "AU  - Byron, A", "A1  - Hill, S"),
            ["Reed", "Byron", "Hill"],
            [],
            [],
        ),
    ],
)
def test_people(
    kind: str,
    lines: tuple[str, ...],
    authors: list[str],
    editors: list[str],
    translators: list[str],
) -> None:
    """In the order of the file, by the meaning of A2 to A4 in each type; who is of none of these
    stands beside the record."""
    (entry,) = read("\n".join([f"TY  - {kind}", "TI  - a", *lines, "ER  - "]), "ris").entries

    assert [one.family for one in entry.record.authors] == authors
    assert [one.family for one in entry.record.editors] == editors
    assert [one.family for one in entry.record.translators] == translators
    people = len(authors) + len(editors) + len(translators)
    assert people + sum(tag[0] == "A" for tag, _ in entry.given) == len(lines)


@each("kind", ["book", "report", "proceedings", "dataset", "other", "article"])
def test_translators_come_back_in_every_type(kind: str) -> None:
    """Where A4 is somebody else, they stand in a note."""
    people = (Author("Ada Byron", "Byron", "Ada"),)
    (found,) = read_back(hit(title="Mud", type=kind, translators=people))

    assert found.translators == people


@each(
    ("kind", "lines", "place"),
    [
        ("BOOK", ("CY  - Oslo :",), "Oslo"),
        ("BOOK", ("CY  - [Oslo]",), "Oslo"),
        ("JOUR", ("CY  - Oslo", "PP  - Oslo"), "Oslo"),
        ("JOUR", ("PP  - Oslo",), "Oslo"),
        ("CONF", ("CY  - Oslo",), "Oslo"),
        ("CONF", ("CY  - Lima", "C1  - Oslo"), "Oslo"),
        ("CONF", ("CY  - Oslo", "C1  - Retracted"), "Oslo"),
        ("CASE", ("CY  - Reports of Oslo",), None),
    ],
)
def test_the_place_of_publication(kind: str, lines: tuple[str, ...], place: str | None) -> None:
    """Of a paper, CY is where the conference was, if C1 has the place."""
    assert article(*lines, kind=kind).place == place


def test_a_colon_in_brackets_parts_no_place_from_a_publisher() -> None:
    assert article("PB  - Mud S.A. (E-mail: mud@example.org)").place is None


def test_a_known_tag_with_one_blank_ends_a_title() -> None:
    """In a file that has two elsewhere."""
    found = record("TI  - Iron in", "lakes", "AU - Byron, Ada")

    assert (found.title, len(found.authors)) == ("Iron in lakes", 1)


@each(
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


@each(
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
    return list(read_bytes(FORMATS["ris"].write(hits), "ours.ris", format="ris").records)


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


@each(
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
    reading = read_bytes(FORMATS["ris"].write([found, found]), "ours.ris", format="ris")

    assert len(reading.entries) + reading.lost == 2


@each(
    ("head", "yes"),
    [
        ("\ufeffTY  - JOUR\r\n", True),
        ("1. \nTY  - JOUR", True),
        ("ty -jour\n", True),
        ("KW  - a\nTI  - b\nAU  - c\nER  - \n", True),
        ("UI  - 1\nTI  - b\nAU  - c\nAU  - d\nSO  - e\n\nUI  - 2\nTI  - f\n", False),
        ("<1. >\nTI  - b\nAU  - c\nAU  - d\n", False),
        ("PARTY  - JOUR", False),
        ("TI  - b", False),
        ("a,b\n1,2", False),
        ("", False),
    ],
)
def test_looks_like(head: str, *, yes: bool) -> None:
    assert looks_like(head) is yes


# --------------------------------------------------------------------------- nothing is lost


@each(
    ("lines", "field", "value", "beside"),
    [
        (("PY  - 2019", "PY  - 2020"), "year", 2019, [("PY", "2020")]),
        (("PY  - in press", "PY  - 2020"), "year", 2020, [("PY", "in press")]),
        (("PY  - 2019///Spring",), "year", 2019, [("PY", "2019///Spring")]),
        (("PY  - c2019", "DA  - 2019/03/12/"), "date", "2019-03-12", []),
        (("DO  - 10.1000/a", "DO  - 10.1000/b"), "doi", "10.1000/a", [("DO", "10.1000/b")]),
        (("DI  - 10.1000/b", "DO  - doi: 10.1000/a"), "doi", "10.1000/a", [("DI", "10.1000/b")]),
        (("SN  - TR-13", "SN  - 1234-5679"), "issn", ("1234-5679",), [("SN", "TR-13")]),
    ],
)
def test_a_second_value_and_what_is_none_stay_beside(
    lines: tuple[str, ...], field: str, value: Any, beside: list[tuple[str, str]]
) -> None:
    text = "\n".join(["TY  - JOUR", "TI  - Mud", *lines, "ER  - ", ""])
    (entry,) = read(text, "ris").entries

    assert getattr(entry.record, field) == value
    assert list(entry.given) == beside


def test_a_second_doi_is_written_as_a_note() -> None:
    """Zotero takes the last DOI of a record."""
    merged = hit("Mud", doi="10.1000/a")
    beside = {merged.id: Beside(fields=(("DO", "10.1000/b"),))}
    text = FORMATS["ris"].write([merged], beside=beside).decode()

    assert "N1  - DO: 10.1000/b\r\n" in text
    assert text.count("DO  - ") == 1


@each("number", ["US1234567B2", "US 1,234,567 B2", "10123456"])
def test_the_number_of_a_patent_stands_where_standard_numbers_do(number: str) -> None:
    patent = article(f"SN  - {number}", kind="PAT")

    assert (patent.ids, patent.issn, patent.isbn) == ({"patent": number}, (), ())


@each(
    ("line", "ids"),
    [
        ("N1  - PMID: 123456 PMCID: PMC789", {"pmid": "123456", "pmcid": "PMC789"}),
        (
            "N1  - PubMed PMID: 123456; PubMed Central PMCID: PMC789.",
            {"pmid": "123456", "pmcid": "PMC789"},
        ),
        ("C3  - PUBMED 123456,EMBASE 789", {"pmid": "123456", "embase": "789"}),  # Cochrane
        ("U1  - 123456[pmid]", {"pmid": "123456"}),  # PubMed Central
        ("U2  - PMC789[pmcid]", {"pmcid": "PMC789"}),
        ("PMID- 123456", {"pmid": "123456"}),
        ("N1  - see PMID: 123456", {}),
    ],
)
def test_numbers_of_pubmed_with_their_labels(line: str, ids: dict[str, str]) -> None:
    """A note that says more may name another work."""
    assert article("AU  - Falk, Greta", line).ids == ids


def test_quirks_of_programs() -> None:
    """Papers has both pages on one line, Ovid the DOI in ID."""
    assert article("SP  - 101 EP  - 109").pages == "101-109"
    assert article("ID  - 10.1000/mud.1 [doi]").doi == "10.1000/mud.1"


def test_what_is_no_edition_stays_beside_the_record() -> None:
    """The day of electronic publication, and a second edition."""
    reading = read(
        "TY  - JOUR\nTI  - Mud\nET  - 2014/03/01\nER  - \n"
        "TY  - BOOK\nTI  - Iron\nET  - 2nd\nET  - 3rd\nER  - \n",
        "ris",
    )

    assert [record.edition for record in reading.records] == [None, "2nd"]
    assert [entry.given for entry in reading.entries] == [(("ET", "2014/03/01"),), (("ET", "3rd"),)]
