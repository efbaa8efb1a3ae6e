"""EndNote's tagged format, of which there are dialects."""

from __future__ import annotations

from metasearch.formats.endnote_tagged import looks_like, parts
from metasearch.formats.origins import Beside
from metasearch.record import Author, Record
from tests.cases import each
from tests.formats.reading.samples import REFER, one, read, told
from tests.formats.samples import hit


def article(*lines: str, kind: str = "Journal Article") -> Record:
    return one("\n".join([f"%0 {kind}", "%T Iron in lakes", *lines]), "endnote-tagged")


def test_whole_records() -> None:
    """An article, and a thesis of CNKI, hand-checked."""
    record, thesis = read(REFER).records

    assert record == Record(
        source="a.txt",
        position=1,
        title="Iron in lakes",
        authors=(
            Author("Erika Musterfrau", "Musterfrau", "Erika"),
            Author("Ada A. Byron", "Byron", "Ada A."),
        ),
        year=2019,
        venue="Journal of Mud",
        volume="12",
        issue="3",
        pages="101-109",
        doi="10.1000/mud.1",
        type="article",
    )
    assert (thesis.type, thesis.venue, thesis.publisher) == (
        "thesis",
        "某某大学学位论文",
        "某某大学",
    )
    assert thesis.authors == (Author("张三"),)
    assert [entry.database for entry in read(REFER).entries] == [None, "CNKI"]


def test_old_files_part_records_by_blank_lines_alone() -> None:
    """refer, before EndNote: no %0."""
    reading = read(
        "%A Ada Byron\n%T Iron in\nlakes\n%J Mud\n%D 1843\n\n\n%T Rust\n%A Ada Byron\n%B A book "
        "of mud\n"
    )

    assert (reading.format, reading.problems) == ("endnote-tagged", [])
    assert [record.title for record in reading.records] == ["Iron in lakes", "Rust"]
    assert [record.venue for record in reading.records] == ["Mud", "A book of mud"]


def test_cnki_may_put_all_authors_on_one_line() -> None:
    assert [a.name for a in article("%A 张三%A 李四 %A 王五").authors] == ["张三", "李四", "王五"]


@each(
    ("kind", "line", "found"),
    [
        ("Journal Article", "%9 Review", "review"),
        ("Book", "%9 Review", "book"),
        ("Book Section", "%B A book", "chapter"),
        ("Conference Proceedings", "%A Ada Byron", "conference-paper"),
        ("Conference Proceedings", "%I Shore Press", "proceedings"),
        ("Generic", "%9 x", None),
        ("期刊", "%9 x", "article"),
    ],
)
def test_types(kind: str, line: str, found: str | None) -> None:
    assert article(line, kind=kind).type == found


def test_other_fields() -> None:
    found = article(
        "%Q 湖泊中的铁", "%8 2019-03-12", "%D 2019", "%@ 1234-5679", "%K iron", "rust; mud",
        "%X Lakes rust.", "%G eng",
        "%U https://example.org/a", "%M 2-s2.0-85", "%] 101", "%7 2nd",
        "%> https://example.org/a.pdf",
    )  # fmt: skip
    assert (found.titles, found.date, found.issn, found.keywords) == (
        ("湖泊中的铁",), "2019-03-12", ("1234-5679",), ("iron", "rust", "mud"),
    )  # fmt: skip
    assert (found.abstract, found.language, found.url, found.ids, found.pages, found.edition,
    found.pdf_url) == (
        "Lakes rust.", "en", "https://example.org/a", {"scopus": "2-s2.0-85"}, "101", "2nd",
        "https://example.org/a.pdf",
    )  # fmt: skip


def test_percent_signs_in_text_are_no_tags() -> None:
    assert (
        article("%X Half of it is", "% iron, and", "%100 mud").abstract
        == "Half of it is % iron, and %100 mud"
    )


def test_what_cannot_be_read_is_told() -> None:
    assert told(read("%0 Book\n%T a\n%D in press\n%R none\n", "endnote-tagged")) == [
        (1, '%D holds no year: "in press"'),
        (1, '%R holds no DOI: "none"'),
    ]


@each(
    ("head", "yes"),
    [
        ("\ufeff%0 Book\n", True),
        ("%A a\n%T b\n%J c\n", True),
        ("%A a\n", False),
        ("100 %0 Book", False),
    ],
)
def test_looks_like(head: str, *, yes: bool) -> None:
    assert looks_like(head) is yes


def test_old_files_without_blank_lines_have_a_title_a_record() -> None:
    """Fields before the first title are of the record, in this file."""
    reading = read(
        "%A Ada Byron\n%A Ben Stone\n%T Iron\n%J Mud\n%A Tom Reed\n%T Rust\n%D 1999\n",
        "endnote-tagged",
    )

    assert [(one.title, len(one.authors)) for one in reading.records] == [("Iron", 2), ("Rust", 1)]


@each(
    ("lines", "pages", "beside"),
    [
        (("%P 12-15", "%P 4"), "12-15", [("P", "4")]),
        (("%P 4", "%P 12-15"), "12-15", [("P", "4")]),
        (("%P 12-15", "%P pp. 12-15"), "12-15", []),
        (("%P 60",), "60", []),
    ],
)
def test_a_second_field_for_pages_is_their_number(
    lines: tuple[str, ...], pages: str, beside: list[tuple[str, str]]
) -> None:
    """CNKI writes both, or the same twice."""
    (entry,) = read("\n".join(("%0 Book", "%T a", *lines)), "endnote-tagged").entries

    assert (entry.record.pages, list(entry.given)) == (pages, beside)


def test_tags_of_cnki_without_a_blank() -> None:
    """Before Chinese and before numbers; a number in running text is none."""
    record = article("%A张三", "%J泥土学报", "%D2019", "%V12", "%P12-15", "%X 其中", "%D2的泥土")

    assert [author.name for author in record.authors] == ["张三"]
    assert (record.venue, record.year, record.volume, record.pages) == (
        "泥土学报", 2019, "12", "12-15",
    )  # fmt: skip
    assert record.abstract == "其中 %D2的泥土"


@each(
    ("kind", "lines", "authors", "editors"),
    [
        ("Book", ("%E Byron, Ada",), [], ["Byron"]),
        ("Book", ("%A Stone, Ben", "%E Byron, Ada"), ["Stone"], ["Byron"]),
        ("Book", ("%Y Byron, Ada",), [], ["Byron"]),
        ("Book", ("%E Byron, Ada", "%Y Reed, Tom"), [], ["Byron"]),
        ("Edited Book", ("%A Byron, Ada",), [], ["Byron"]),
        ("Book Section", ("%E Byron, Ada",), [], ["Byron"]),
        ("Book", ("%A Stone, Ben", "%Y Byron, Ada"), ["Stone"], []),
        ("Thesis", ("%A Stone, Ben", "%Y Byron, Ada"), ["Stone"], []),
    ],
)
def test_editors_are_no_authors(
    kind: str, lines: tuple[str, ...], authors: list[str], editors: list[str]
) -> None:
    """Nor is the advisor of a thesis one."""
    found = article(*lines, kind=kind)

    assert [one.family for one in found.authors] == authors
    assert [one.family for one in found.editors] == editors


def test_the_place_and_the_translators() -> None:
    found = article("%C [Cambridge, Mass.]", "%I Shore Press", "%? Byron, Ada", kind="Book")

    assert (found.place, [one.family for one in found.translators]) == (
        "Cambridge, Mass.", ["Byron"],
    )  # fmt: skip


@each("kind", ["book", "report", "proceedings", "dataset", "other", "article"])
def test_translators_come_back_in_every_type(kind: str) -> None:
    """Where %? is somebody else, they stand in a note."""
    people = (Author("Ada Byron", "Byron", "Ada"),)
    written = b"".join(parts([hit(title="Mud", type=kind, translators=people)]))
    (found,) = read(written, "endnote-tagged").records

    assert found.translators == people


def test_a_sponsor_is_no_translator() -> None:
    (entry,) = read("%0 Conference Proceedings\n%T a\n%? Byron, Ada\n", "endnote-tagged").entries

    assert (entry.record.translators, entry.given) == ((), (("?", "Byron, Ada"),))


def test_what_endnote_writes_wrongly_is_understood() -> None:
    (entry,) = read(
        "%0 Journal Article\n%T a\n%[June 1, 2013\n%(Old Mud\n$] e12\n", "endnote-tagged"
    ).entries

    assert (entry.record.title, entry.record.pages) == ("a", "e12")
    assert entry.given == (("[", "June 1, 2013"), ("(", "Old Mud"), ("]", "e12"))


def test_what_a_record_holds_less_of_stays_beside() -> None:
    """A number of a report is no ISBN; of two years and DOIs the first counts."""
    lines = "%D 2019\n%D 2020\n%R 10.1000/a\n%R 10.1000/b\n%@ TR-12\n"
    (entry,) = read(f"%0 Report\n%T Mud\n{lines}", "endnote-tagged").entries

    assert (entry.record.year, entry.record.doi) == (2019, "10.1000/a")
    assert list(entry.given) == [("D", "2020"), ("R", "10.1000/b"), ("@", "TR-12")]


def test_the_number_of_a_patent() -> None:
    assert article("%@ US1234567B2", kind="Patent").ids == {"patent": "US1234567B2"}


def test_a_second_year_is_written_as_a_note() -> None:
    """A field that stands once in a record keeps its value."""
    merged = hit("Mud", year=2019)
    (written,) = parts([merged], beside={merged.id: Beside(fields=(("D", "2020"),))})

    assert b"%D 2019\r\n" in written
    assert b"%< D: 2020\r\n" in written
