"""Ovid's own formats."""

from __future__ import annotations

from metasearch.formats.ovid import Source, looks_like, source
from metasearch.record import Author, Record
from tests.cases import each
from tests.formats.reading.samples import OVID, one, read, told

HEAD = "<1. >\nVN  - Ovid Technologies\nDB  - Embase\nUI  - 2002345678\nTI  - Iron in lakes.\n"


def article(*lines: str) -> Record:
    return one(HEAD + "\n".join(lines) + "\n", "ovid")


def names(record: Record) -> list[tuple[str | None, str | None]]:
    return [(author.family, author.given) for author in record.authors]


def test_whole_records() -> None:
    """Every field, hand-checked."""
    paper, chapter = read(OVID).records

    assert paper == Record(
        source="a.txt",
        source_id="2002345678",
        position=1,
        url="https://ovidsp.ovid.com/ovidweb.cgi?T=JS&D=emexb&AN=2002345678",
        title="Iron in lakes: a long title that goes on",
        authors=(
            Author("E. Musterfrau", "Musterfrau", "E."),
            Author("A.A. Byron", "Byron", "A.A."),
        ),
        year=2019,
        date="2019-03-12",
        venue="Journal of Mud",
        volume="12",
        issue="3",
        pages="101-109",
        doi="10.1000/mud.1",
        ids={"embase": "2002345678"},
        issn=("1234-5679",),
        type="article",
        language="en",
        abstract="Lakes rust. They do.",
        subjects=("lake", "rust"),
    )
    assert chapter == Record(
        source="a.txt",
        source_id="2018-12345-001",
        position=2,
        title="Another lake",
        authors=(Author("Ada Byron", "Byron", "Ada"),),
        editors=(Author("Erika Musterfrau", "Musterfrau", "Erika"),),
        year=2018,
        venue="The book of lakes",
        publisher="Shore Press",
        place="Oxford",
        pages="11-29",
        ids={"psycinfo": "2018-12345-001"},
        type="chapter",
    )


def test_addresses_stay_beside_the_record() -> None:
    paper, _ = read(OVID).entries

    assert paper.database == "Embase <1974 to 2020 Week 11>"
    assert paper.given == (
        (
            "IN",
            "(Musterfrau) University of Shore, Shoretown, Netherlands (Byron) Institute of Mud",
        ),
    )


@each(
    ("said", "found"),
    [
        (
            "Journal of Mud. 7(2):11-29, 2019 Mar.",
            Source("Journal of Mud", "7", "2", "11-29", "2019", "2019 Mar"),
        ),
        (
            "J Mud. 37 Suppl 1:S62-7, 2014 Jan 3.",
            Source("J Mud", "37 Suppl 1", "", "S62-7", "2014", "2014 Jan 3"),
        ),
        (
            "Cochrane Mud. 3:CD001234, 2019 03 12.",
            Source("Cochrane Mud", "3", "", "CD001234", "2019", "2019 03 12"),
        ),
        (
            "Mud & Ecology. 201(2-3):327-334, November 15, 2004.",
            Source("Mud & Ecology", "201", "2-3", "327-334", "2004", "November 15, 2004"),
        ),
        (
            "Mud (London, England).  7 (2) (pp 11-29), 2019. Date of Publication: March 2019.",
            Source("Mud (London, England)", "7", "2", "11-29", "2019", "March 2019"),
        ),
        (
            "BMC Mud. 6(7) (no pagination), 2016. Article Number: e01. Date of Publication: 2016.",
            Source("BMC Mud", "6", "7", "e01", "2016", "2016"),
        ),
        (
            "Mud. Conference: 10th Meeting, MUD 2017. Rome Italy. 7 (Supplement 1) (pp S12), 2017.",
            Source("Mud", "7", "Supplement 1", "S12", "2017", is_whole=False),
        ),
        (
            "Psychology of Mud. Vol.75(2-A(E)),2014, pp. No Pagination Specified.",
            Source("Psychology of Mud", "75", "2-A(E)", "", "2014", "2014"),
        ),
        (
            "Frontiers in Mud. Vol.12 Sep 2021, ArtID 642345.",
            Source("Frontiers in Mud", "12", "", "642345", "2021", "Sep 2021"),
        ),
        (
            "Mud Science; 2019. 102(3):2345-2357. 20 ref.",
            Source("Mud Science", "102", "3", "2345-2357", "2019", "2019"),
        ),
        ("Mud. 1999. 7: 2, 11-29.", Source("Mud", "7", "2", "11-29", "1999", "1999")),
        (
            "Mud Journal January/February 2010;14(1):56",
            Source("Mud Journal", "14", "1", "56", "2010", "January/February 2010"),
        ),
        (
            "Mud Studies 12, Winter 2007: 7-14.",
            Source("Mud Studies", "12", "", "7-14", "2007", "Winter 2007"),
        ),
        (
            "Hydromud. 2007 15 June; 433-441.",
            Source("Hydromud", "", "", "433-441", "2007", "2007 15 June"),
        ),
        (
            "Official Mud. 1288(3), Nov. 16, 2004.",
            Source("Official Mud", "1288", "3", "", "2004", "Nov. 16, 2004"),
        ),
        (
            "Byron, Ada [Editor, Reprint Author], Lake, J. J. [Editor]. Mud methods.:37-9, 2004.",
            Source(
                "Mud methods", "", "", "37-9", "2004", "2004",
                editors=("Byron, Ada", "Lake, J. J."), is_book=True, is_whole=False,
            ),
        ),
        (
            "(2012). xxi, 240 pp. New York, NY, US: Mud Press.",
            Source(
                year="2012", date="2012", place="New York, NY, US", publisher="Mud Press",
                is_book=True,
            ),
        ),
        ("Trial registry record; clinicaltrials.gov", Source(is_whole=False)),
        ("Mud: a journal of lakes", Source(is_whole=False)),
    ],
)  # fmt: skip
def test_each_database_has_its_own_source(said: str, found: Source) -> None:
    """MEDLINE, Embase, PsycINFO, CAB, Journals@Ovid, IPSA, Zoological Record, BIOSIS."""
    assert source(said) == found


def test_a_source_of_no_known_form_is_told_and_stays_beside() -> None:
    reading = read(HEAD + "SO  - Trial registry record; mud.example\n", "ovid")

    assert told(reading) == [
        (6, "this line holds SO in a form that is not known; kept beside the record")
    ]
    assert reading.entries[0].given == (("SO", "Trial registry record; mud.example"),)


def test_fields_of_their_own_count_more_than_the_source() -> None:
    found = article(
        "SO  - J Mud. 7(2):11-29, 2019 Mar.", "JN  - Journal of mud", "VO  - 8", "IP  - 3",
        "PG  - 12-30", "YR  - 2018",
    )  # fmt: skip

    assert (found.venue, found.volume, found.issue, found.pages, found.year) == (
        "Journal of mud", "8", "3", "12-30", 2018,
    )  # fmt: skip


@each(
    ("line", "name"),
    [
        ("Byron A.", ("Byron", "A.")),
        ("van der Lake A.B.", ("van der Lake", "A.B.")),
        ("BYRON, Augusta.", ("BYRON", "Augusta")),
        ("Lake, James A. Ph.D., FACSM", ("Lake", "James A.")),
        ("Lake, Jan MD, PhD *", ("Lake", "Jan")),
        ("Zhang, Wei 1,2,+", ("Zhang", "Wei")),
        ("Lake, Roza M. [Author, Reprint Author; E-mail: a@b.example]", ("Lake", "Roza M.")),
        ("Lee, Ma", ("Lee", "Ma")),
        ("Lake MA", ("Lake", "MA")),
        ("Mud Study Group.", (None, None)),
    ],
)
def test_what_stands_behind_a_name_is_no_name(line: str, name: tuple[str, str]) -> None:
    assert names(article(f"AU  - {line}")) == [name]


def test_full_names_count_more_than_short_ones() -> None:
    found = article("AU  - Byron A", "AU  - Lake J", "FA  - Byron, Ada", "FA  - Lake, Jan")
    assert names(found) == [("Byron", "Ada"), ("Lake", "Jan")]

    found = article("AU  - Byron A", "AU  - Lake J", "FA  - Byron, Ada")
    assert names(found) == [("Byron", "A"), ("Lake", "J")]


def test_ed_holds_editors_or_the_date_of_entry() -> None:
    assert article("ED  - 20190312").editors == ()
    assert [author.name for author in article("ED  - Lake, Jan;  Byron, Ada").editors] == [
        "Jan Lake",
        "Ada Byron",
    ]


@each(
    ("database", "number", "ids"),
    [
        ("Ovid MEDLINE(R) ALL <1946 to March 12, 2020>", "10000001", {"pmid": "10000001"}),
        ("Embase Classic+Embase <1947 to 2020>", "2002345678", {"embase": "2002345678"}),
        ("PsycINFO", "Peer Reviewed Journal: 2015-33942-012.", {"psycinfo": "2015-33942-012"}),
        ("EBM Reviews - Cochrane Central Register", "CN-01234567", {"central": "CN-01234567"}),
        ("Global Health", "20193123456", {}),
    ],
)
def test_numbers_belong_to_their_databases(database: str, number: str, ids: dict[str, str]) -> None:
    text = f"<1. >\nVN  - Ovid Technologies\nDB  - {database}\nAN  - {number}\nTI  - Mud\n"
    assert one(text, "ovid").ids == ids


def test_numbers_of_pubmed_and_of_trials_stand_beside() -> None:
    found = article(
        "PM  - 10000001 [https://pubmed.example]", "CN  - ClinicalTrials.gov (NCT01234567)"
    )
    assert found.ids == {"embase": "2002345678", "pmid": "10000001", "nct": "NCT01234567"}


def test_headings_are_those_of_pubmed() -> None:
    found = article("MH  - *Lakes/ch [Chemistry]", "MH  - Humans", "KW  - mud; rust")
    assert (found.subjects, found.keywords) == (("Lakes/chemistry", "Humans"), ("mud", "rust"))


def test_is_is_the_issn_and_ip_the_issue() -> None:
    found = article("IS  - 1234-5679 (ISSN print)", "ES  - 2345-6786", "IP  - 4")
    assert (found.issn, found.issue) == (("1234-5679", "2345-6786"), "4")


def test_records_without_numbers_begin_with_the_vendor() -> None:
    text = "VN - Ovid Technologies\nDB - PsycINFO\nTI - a\n\nVN - Ovid Technologies\nTI - b\n"
    assert [record.title for record in read(text).records] == ["a", "b"]


def test_what_a_record_holds_less_of_stays_beside() -> None:
    lines = "YR  - 2019\nYR  - 2020\nDP  - Spring 2019\nVO  - 1\nVO  - 2\nIS  - none at all\n"
    (entry,) = read(HEAD + lines, "ovid").entries

    assert (entry.record.year, entry.record.volume) == (2019, "1")
    given = [("YR", "2020"), ("DP", "Spring 2019"), ("VO", "2"), ("IS", "none at all")]
    assert list(entry.given) == given


def test_a_number_that_has_lost_the_end_of_its_line_begins_a_record() -> None:
    """What stands behind it is kept beside the record, and told; alone it is a record lost."""
    reading = read("<1. >TI  - Mud\nAU  - Byron, Ada\n\n<2. >\nTI  - Lakes\n\n<3. >\n", "ovid")

    assert [entry.record.title for entry in reading.entries] == ["", "Lakes"]
    assert reading.entries[0].given == (("<>", "TI  - Mud"),)
    assert reading.lost == 1
    assert any("text behind the number" in problem.message for problem in reading.problems)


def test_a_blank_line_within_a_record_does_not_tear_it_apart() -> None:
    reading = read(HEAD + "AU  - Byron A.\n\nAU  - Lake J.\n\n      \n\nAU  - Muster E.\n")

    assert [names(record) for record in reading.records] == [
        [("Byron", "A."), ("Lake", "J."), ("Muster", "E.")]
    ]


def test_the_print_has_the_names_of_fields_written_out() -> None:
    text = """\
<8>
Score
  *****
Accession Number
  00000000-201910000-00007.
Author
  Byron, Ada 1;  Lake, Jan MD 2
Institution
  (1)Institute of Mud
  (2)University of Shore
Title
  Iron in lakes.[Review]
Source
  Journal of Mud. 7(2):11-29, October 2019.
Author Keywords
  lakes;  rust.
Mud Index
  12
ISSN
  1234-5679

<9>
Title
  Another lake
"""
    reading = read(text)
    first, second = reading.records

    assert (reading.format, first.title, names(first), first.venue, first.pages) == (
        "ovid",
        "Iron in lakes",
        [("Byron", "Ada"), ("Lake", "Jan")],
        "Journal of Mud",
        "11-29",
    )
    assert (first.source_id, first.keywords) == ("00000000-201910000-00007", ("lakes", "rust"))
    assert second.title == "Another lake"
    what = "the tag Mud Index, which Ovid is not known to have; kept beside the record"
    assert told(reading) == [(17, f"this line holds {what}")]


def test_books_of_a_shelf_of_books() -> None:
    """A field whose name is longer, and one within another."""
    found = one(
        "<1. >\nVN  - Ovid Technologies\nDB  - Books@Ovid\nSCORE  - *****\nED  - Lake, Jan\n"
        "ET  - 2nd Edition\nTI  - Mud\nPU  - Shore Press\nLC  - London, UK.\nIB  - "
        "978-0-19-852663-6\nXP  - XL  - https://ovid.example/1\n"
    )
    assert (found.type, found.edition, found.publisher, found.place, found.url) == (
        "book", "2nd Edition", "Shore Press", "London, UK", "https://ovid.example/1",
    )  # fmt: skip


@each(
    ("head", "yes"),
    [
        (" <7. >\n VN  - Ovid Technologies\n", True),
        ("VN - Ovid Technologies\n", True),
        ("<1>\nUnique Identifier\n  1\n", True),
        ("<1>\nUI  - 1\n", True),
        ("1. \nTY  - JOUR\n", False),
        ("<1>\nTY  - JOUR\n", False),
        ("<1>\nSomething\n", False),
        ("TI  - a\n", False),
    ],
)
def test_looks_like(head: str, *, yes: bool) -> None:
    assert looks_like(head) is yes
