"""Web of Science: plain text and table."""

from __future__ import annotations

from metasearch.formats.wos import looks_like
from metasearch.record import Author, Record
from tests.cases import each
from tests.formats.reading.samples import WOS, read, told

TABLE = (
    "\ufeffPT\tAU\tBA\tAF\tTI\tSO\tLA\tDT\tSN\tPD\tPY\tVL\tIS\tBP\tEP\tDI\tUT\tPM\r\n"
    "J\tMusterfrau, E; Byron, AA\t\tMusterfrau, Erika; Byron, Ada A.\tIron in lakes\tJOURNAL OF "
    "MUD\tEnglish\tReview\t"
    "1234-5679\tMAR\t2019\t12\t3\t101\t109\t10.1000/mud.1\tWOS:000100000000001\t10000001\r\n"
    "J\tByron, A\t\t\tRust\tJOURNAL OF MUD\t\tLetter\t\t\t2020\t\t\t\t\t\tWOS:000100000000002\t\r\n"
)


def of(*lines: str, kind: str = "J") -> Record:
    (record,) = read(
        "\n".join(["FN Clarivate", "VR 1.0", f"PT {kind}", "TI Iron in lakes", *lines, "ER", "EF"])
    ).records
    return record


def test_a_whole_record() -> None:
    """Every field, hand-checked."""
    record, book = read(WOS).records

    assert record == Record(
        source="a.txt",
        source_id="WOS:000100000000001",
        position=1,
        title="Iron in lakes: a long title that goes on",
        authors=(
            Author("Erika Musterfrau", "Musterfrau", "Erika"),
            Author("Ada A. Byron", "Byron", "Ada A."),
        ),
        year=2019,
        date="2019-03-12",
        venue="JOURNAL OF MUD",
        volume="12",
        issue="3",
        pages="101",
        doi="10.1000/mud.1",
        ids={"wos": "000100000000001", "pmid": "10000001"},
        issn=("1234-5679", "2345-6786"),
        type="article",
        language="en",
        abstract="Lakes rust.",
        keywords=("Lakes", "rust", "long keyword"),
        citations=4,
    )
    assert (book.type, book.isbn, book.publisher) == ("book", ("9780198526636",), "SHORE PRESS")


def test_the_table_holds_the_same() -> None:
    """Header row and a row a record; names apart by semicolons."""
    reading = read(TABLE)
    first, second = reading.records

    assert (reading.format, reading.problems) == ("wos", [])
    assert [author.name for author in first.authors] == ["Erika Musterfrau", "Ada A. Byron"]
    assert (first.pages, first.date, first.type, first.doi) == (
        "101-109",
        "2019-03",
        "review",
        "10.1000/mud.1",
    )
    assert (second.authors[0].family, second.type, reading.entries[1].line) == (
        "Byron",
        "letter",
        3,
    )


def test_rows_of_another_length_are_told() -> None:
    """They are kept as far as they go."""
    text = TABLE + "J\tShort, A\n" + TABLE.split("\r\n")[2] + "\tmore\tand more\n"
    reading = read(text)

    assert len(reading.entries) == 4
    assert [(line, message[:18]) for line, message in told(reading)] == [
        (4, "the row has 2 cell"),
        (4, "the record has no "),
        (5, "the row has 20 cel"),
    ]


def test_titles_in_a_second_language() -> None:
    """Z1 in the Chinese Science Citation Database, FT in MEDLINE."""
    record = of("Z1 湖泊中的铁", "UT CSCD:1234567")
    assert record.titles == ("湖泊中的铁",)
    assert record.ids == {"wos": "CSCD:1234567"}
    assert of("FT Eisen in Seen").titles == ("Eisen in Seen",)


@each(
    ("number", "database"),
    [
        ("WOS:1", "Web of Science"),
        ("CSCD:1", "Chinese Science Citation Database"),
        ("MEDLINE:1", "MEDLINE"),
        ("", "Web of Science"),
    ],
)
def test_parts_of_the_web_of_science(number: str, database: str) -> None:
    (entry,) = read(f"FN Clarivate\nPT J\nTI a\nUT {number}\nER\nEF\n").entries

    assert entry.database == database


def test_groups_and_editors() -> None:
    assert [a.name for a in of("AU Byron, A", "CA Mud Working Group").authors] == [
        "A Byron",
        "Mud Working Group",
    ]
    for tag in ("BE", "ED"):
        book = of(f"{tag} Byron, A", "   Musterfrau, E", kind="B")
        assert book.authors == ()
        assert [a.name for a in book.editors] == ["A Byron", "E Musterfrau"]
    assert [a.name for a in of("AU Byron, A", "BE Stone, B", kind="S").editors] == ["B Stone"]


def test_abstracts_that_are_not_indented() -> None:
    """Some copies of exports lost their indents; a line of running text is no tag."""
    assert of("AB Lakes rust.", "In vitro too.").abstract == "Lakes rust. In vitro too."


@each(
    ("head", "yes"),
    [
        ("\ufeffFN Clarivate Analytics", True),
        ("PT J\nAU A, B", True),
        ("PT J\nAN 1\nAU A, B", True),
        (TABLE, True),
        ("PT J", False),
        ("ABFN x", False),
    ],
)
def test_looks_like(head: str, *, yes: bool) -> None:
    assert looks_like(head) is yes


def test_a_file_without_indents_has_running_text_at_the_edge() -> None:
    """Where no line is indented, what looks like a tag in an abstract is of it."""
    lost = of("AB Lakes of", "long ago in", "UV light and", "SO the end.", "PY 2001", "XQ Own")
    assert (lost.abstract, lost.year, lost.venue) == (
        "Lakes of long ago in UV light and SO the end.", 2001, None,
    )  # fmt: skip
    indented = of("AB Lakes of", "   UV light.", "XQ Own", "PY 2001")
    assert (indented.abstract, indented.year) == ("Lakes of UV light.", 2001)


def test_pages_and_places() -> None:
    assert of("BP pp. 3", "EP 9", "PI OSLO").pages == "3-9"
    assert of("AR ARTN 17").pages == "17"
    assert of("PS 12-15").pages == "12-15"
    assert of("PI OSLO").place == "OSLO"


def test_what_a_record_holds_less_of_stays_beside() -> None:
    text = "FN Clarivate\nPT J\nTI Mud\nDI 10.1000/a\nDI 10.1000/b\nBN none at all\nER\nEF\n"
    (entry,) = read(text, "wos").entries

    assert entry.record.doi == "10.1000/a"
    assert list(entry.given) == [("DI", "10.1000/b"), ("BN", "none at all")]


def test_the_number_of_a_patent_and_of_a_part() -> None:
    assert of("PN US1234567-B2; WO2019123456-A1", kind="P").ids == {"patent": "US1234567-B2"}
    assert of("PN 2").ids == {}


def test_columns_that_are_not_known_are_told() -> None:
    reading = read(
        "PT\tAU\tBE\tTI\tSO\tPU\tPI\tPY\tXQ\tUT\nB\t\tByron, A; Reed, T\ta\t\t\t\t\town\tWOS:1\n"
    )

    assert [one.family for one in reading.records[0].editors] == ["Byron", "Reed"]
    assert [message[:32] for _, message in told(reading)] == ["this line holds the tag XQ, whic"]


def test_an_address_is_no_part_of_a_name() -> None:
    """Some databases put that of the author behind it."""
    assert of("AU Byron, Ada (ada@example.org)").authors == (Author("Ada Byron", "Byron", "Ada"),)
