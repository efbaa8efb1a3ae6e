"""Tables of works: columns of many programs, and what spreadsheets and hands do to them."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib import normalise, texts
from metasearch.formats import FORMATS
from metasearch.formats.csv import looks_like
from metasearch.formats.reading import read_bytes
from metasearch.formats.text import line
from metasearch.record import Author, Record
from tests.cases import each
from tests.formats.reading.samples import one, read, told
from tests.formats.reading.structured import CSV
from tests.formats.samples import MERGED, hit


def test_a_whole_file() -> None:
    """Quotes, line breaks in cells, lines of records, what is empty."""
    reading = read(CSV)
    first, second = reading.records

    assert not reading.problems
    assert [(it.line, it.database) for it in reading.entries] == [(2, None), (4, None)]
    assert first == Record(
        source="a.txt",
        source_id="2-s2.0-1",
        position=1,
        title="Iron in lakes",
        authors=(
            Author("E. Musterfrau", "Musterfrau", "E."),
            Author("A.A. Byron", "Byron", "A.A."),
        ),
        year=2019,
        venue="Journal of Mud",
        volume="12",
        issue="3",
        pages="101-109",
        doi="10.1000/mud.1",
        ids={"scopus": "2-s2.0-1"},
        issn=("1234-5679",),
        type="article",
        abstract="Lakes rust.",
    )
    assert (second.title, second.type, second.authors[0].family) == (
        'A "book" of mud',
        "book",
        "Byron",
    )


ZOTERO = (
    '"Key","Item Type","Publication Year","Author","Title","Publication '
    'Title","ISSN","DOI","Url","Abstract Note",'
    '"Date","Pages","Issue","Volume","Extra","Manual Tags","Automatic Tags","Library '
    'Catalog","Date Added",'
    '"Num Pages"\n'
    '"ABCD1234","journalArticle","2019","Musterfrau, Erika; Byron, Ada","Iron in lakes","Journal '
    'of Mud","1234-5679",'
    '"10.1000/mud.1","https://example.org/1","Lakes rust.","2019-03-12","101-109","3","12",'
    '"PMID: 10000001\nPMCID: PMC77","rust","Lakes; Iron","PubMed","2024-01-01",""\n'
)
PUBMED = (
    "PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create "
    "Date,PMCID,NIHMS ID,DOI\n"
    '10000001,Iron in lakes,"Musterfrau E, Byron AA.","J Mud. 2019 Mar 12;12(3):101-109. doi: '
    '10.1000/mud.1.",'
    "Musterfrau E,J Mud,2019,2019/03/12,PMC77,,10.1000/mud.1\n"
)
SCOPUS = (
    '"Authors","Author full names","Author(s) ID","Title","Year","Source '
    'title","Volume","Issue","Art. No.",'
    '"Page start","Page end","Page count","Cited by","DOI","Link","PubMed ID","Document '
    'Type","Source","EID"\n'
    '"Musterfrau E.; Byron A.A.","Musterfrau, Erika (57190000001); Byron, Ada A. '
    '(57190000002)","1; 2","Iron in lakes",'
    '"2019","Journal of '
    'Mud","12","3","","101","109","9","4","10.1000/mud.1","https://www.scopus.com/x?eid=2-s2.0-7",'
    '"10000001","Review","Scopus","2-s2.0-7"\n'
)
RAYYAN = (
    "key,title,year,month,day,journal,issn,volume,issue,pages,authors,url,language,publisher,location,abstract,notes,"
    "doi,keywords,pubmed_id,pmc_id\n"
    'rayyan-1,Iron in lakes,2019,3,12,Journal of Mud,1234-5679,12,3,101-109,"Musterfrau, Erika '
    'and Byron, Ada A.",,'
    "eng,,,Lakes rust.,,10.1000/mud.1,,10000001,PMC77\n"
)
COVIDENCE = (
    "Title,Authors,Abstract,Published Year,Published Month,Journal,Volume,Issue,Pages,Accession "
    "Number,DOI,Ref,"
    "Covidence #,Study,Notes,Tags\n"
    'Iron in lakes,"Musterfrau, E.; Byron, A. A.",Lakes rust.,2019,March,Journal of '
    "Mud,12,3,101-109,"
    "WOS:000100000000001,10.1000/mud.1,,#7,Musterfrau 2019,,\n"
)
WOS = (
    "PT\tAU\tAF\tTI\tSO\tLA\tDT\tSN\tEI\tPD\tPY\tVL\tIS\tBP\tEP\tAR\tDI\tUT\tPM\n"
    "J\tMusterfrau, E; Byron, A\tMusterfrau, Erika; Byron, Ada\tIron in lakes\tJOURNAL OF "
    "MUD\tEnglish\tArticle\t"
    "1234-5679\t\tMAR 12\t2019\t12\t3\t101\t109\t\t10.1000/mud.1\tWOS:000100000000001\t10000001\n"
)
ASYSD = (
    "record_id;author;year;journal;doi;title;pages;volume;number;abstract;isbn;label;source\n"
    "7;Musterfrau, E. and Byron, A. A.;2019;Journal of Mud;10.1000/mud.1;Iron in "
    "lakes;101-109;12;3;Lakes rust.;"
    "1234-5679;;Embase\n"
)
EMBASE = (
    '"TITLE","Iron in lakes"\n"AUTHOR NAMES","Musterfrau E.","Byron A.A."\n"SOURCE","J. Mud '
    '(2019) 12:3 (101-109)"\n'
    '"PUBLICATION YEAR","2019"\n"VOLUME","12"\n"ISSUE","3"\n"FIRST PAGE","101"\n"LAST PAGE","109"\n'
    '"MEDLINE '
    'PMID","10000001","https://www.ncbi.nlm.nih.gov/pubmed/10000001"\n"DOI","10.1000/mud.1"\n'
    '"PUI","L600000001"\n\n"TITLE","Another lake"\n"AUTHOR NAMES","Byron A."\n"PUBLICATION '
    'YEAR","2018"\n'
)
CNKI = (
    "SrcDatabase-来源库,Title-题名,Author-作者,Organ-单位,Source-文献来源,Keyword-关键词,Summary-摘要,PubTime-发表时间,Year-年,Volume-卷,"
    "Period-期,PageCount-页码,DOI-DOI\n期刊,湖泊中的铁,张三;李四,某某大学,泥土学报,湖泊;铁,本文研究湖泊。,2019-03-12,2019,12,3,101-109,10.1000/mud.1\n"
)
PROGRAMS = {
    "Zotero": ZOTERO, "PubMed": PUBMED, "Scopus": SCOPUS, "Rayyan": RAYYAN, "Covidence": COVIDENCE,
    "Web of Science": WOS, "ASySD": ASYSD, "Embase": EMBASE, "CNKI": CNKI,
}  # fmt: skip


@each("program", PROGRAMS)
def test_programs(program: str) -> None:
    """The same work out of the export of each; every column is known."""
    reading = read_bytes(PROGRAMS[program].encode(), "a.csv", format="csv")
    record = reading.records[0]

    assert not reading.problems
    assert record.title == ("湖泊中的铁" if program == "CNKI" else "Iron in lakes")
    assert (record.year, record.volume, record.issue, record.pages, record.doi) == (
        2019,
        "12",
        "3",
        "101-109",
        "10.1000/mud.1",
    )
    assert [a.family or a.name for a in record.authors] == (
        ["张三", "李四"] if program == "CNKI" else ["Musterfrau", "Byron"]
    )
    assert record.venue in ("Journal of Mud", "J Mud", "J. Mud", "JOURNAL OF MUD", "泥土学报")
    assert looks_like(PROGRAMS[program])


@each(
    ("program", "expected", "database"),
    [
        ("Zotero", {"ids": {"pmid": "10000001", "pmcid": "PMC77"}, "keywords": ("rust", "Lakes",
        "Iron"),
                    "type": "article", "date": "2019-03-12", "source_id": "ABCD1234"}, "PubMed"),
        ("PubMed", {"ids": {"pmid": "10000001", "pmcid": "PMC77"}, "source_id": "10000001"}, None),
        ("Scopus", {"ids": {"pmid": "10000001", "scopus": "2-s2.0-7"}, "type": "review",
        "citations": 4}, "Scopus"),
        ("Rayyan", {"ids": {"pmid": "10000001", "pmcid": "PMC77"}, "date": "2019-03-12",
        "language": "en"}, None),
        ("Covidence", {"date": "2019-03", "source_id": "#7", "ids": {"wos": "000100000000001"}},
        "Web of Science"),
        (("Web of "
         "Science"), {"date": "2019-03-12", "ids": {"pmid": "10000001", "wos": "000100000000001"}},
         "Web of Science"),
        ("ASySD", {"source_id": "7", "issn": ("1234-5679",)}, "Embase"),
        ("Embase", {"ids": {"pmid": "10000001"}, "source_id": "L600000001"}, None),
        ("CNKI", {"keywords": ("湖泊", "铁"), "type": "article", "abstract": "本文研究湖泊。"},
        None),
    ],
)  # fmt: skip
def test_what_only_some_programs_say(
    program: str, expected: dict[str, object], database: str | None
) -> None:
    """Identifiers, dates, keywords, databases."""
    entry = read_bytes(PROGRAMS[program].encode(), "a.csv", format="csv").entries[0]

    assert {name: getattr(entry.record, name) for name in expected} == expected
    assert entry.database == database


@each("delimiter", [",", ";", "\t", "|"])
@each("newline", ["\n", "\r\n", "\r"])
@each("start", ["", "\ufeff", "sep=X\n", "\n\n"])
def test_how_a_table_is_written(delimiter: str, newline: str, start: str) -> None:
    """Delimiter, line ends, byte order mark, Excel's first line, and empty lines before the names
    of columns."""
    text = (
        (start + "Title,Year,DOI\nA,2001,10.1000/ab\n")
        .replace("X", ",")
        .replace(",", delimiter)
        .replace("\n", newline)
    )

    record = one(text, "csv")
    assert (record.title, record.year, record.doi) == ("A", 2001, "10.1000/ab")


def test_columns_that_no_program_has_are_told_once() -> None:
    """They are kept beside the records, as are those that say nothing of a work."""
    reading = read("Title,Year,My remarks,Decision,Date added\nA,2001,x,y,z\nB,2002,x,y,z\n", "csv")

    assert told(reading) == [
        (1, "columns that are not known, kept beside the records: My remarks, Decision")
    ]
    assert [dict(it.given) for it in reading.entries] == [
        {"My remarks": "x", "Decision": "y", "Date added": "z"}
    ] * 2


def test_rows_that_do_not_fit() -> None:
    """Too few cells, or one too many at the end: the others are read; blank ones at the end are no
    matter."""
    reading = read(
        "Title,Year,Journal\nA,2001\nB, 2002, J, extra\nC,2003,J,,\n\n,,\nD,2004,J\n", "csv"
    )

    assert [(it.record.title, it.record.year, it.line) for it in reading.entries] == [
        ("A", 2001, 2),
        ("B", 2002, 3),
        ("C", 2003, 4),
        ("D", 2004, 7),
    ]
    assert [(problem.line, problem.lost) for problem in reading.problems] == [(2, 0), (3, 0)]
    assert "has fewer cells (2) than there are columns (3)" in reading.problems[0].message
    assert 'behind the last column was left out: "extra"' in reading.problems[1].message


@each(
    ("row", "column"),
    [
        ("On mud, on sand,Roe A,2001,J,10.1000/x", "Title"),
        ("On mud, on sand, on clay,Roe A,2001,J,10.1000/x", "Title"),
        ("On mud,Roe, A,2001,J,10.1000/x", "Authors"),
        ("On mud,Roe A,2001,Mud, Sand and Clay,10.1000/x", "Journal"),
    ],
)
def test_a_comma_without_quotes_costs_nothing(row: str, column: str) -> None:
    """The columns behind it tell where it was: a year is a year, a DOI a DOI."""
    reading = read(f"Title,Authors,Year,Journal,DOI\n{row}\n", "csv")
    (record,) = reading.records

    assert record.title == (row.split(",Roe")[0])
    assert (record.year, record.doi) == (2001, "10.1000/x")
    assert record.authors[0].family == "Roe"
    assert record.venue == ("Mud, Sand and Clay" if column == "Journal" else "J")
    (problem,) = reading.problems
    assert (problem.line, problem.lost) == (2, 0)
    assert f'"{column}" has no quotes around its ","' in problem.message


def test_a_line_end_that_is_lost_costs_the_second_row() -> None:
    """The first stays, and the other is counted."""
    reading = read("Title,Year,Journal\nA,2001,JB,2002,K\nC,2003,J\n", "csv")

    assert [record.title for record in reading.records] == ["A", "C"]
    assert reading.lost == 1


def test_a_quote_that_is_never_closed_costs_one_row() -> None:
    """It would swallow the rest of the file."""
    rows = "".join(f"T{n},200{n % 10},J\n" for n in range(500))
    reading = read(f'Title,Year,Journal\n"never closed,2001,J\n{rows}', "csv")

    assert len(reading.entries) == 500
    assert [(problem.line, problem.lost) for problem in reading.problems] == [(2, 1)]
    assert "a quote that is not closed" in reading.problems[0].message


def test_a_last_row_whose_quote_is_open_is_told() -> None:
    """The file breaks off in it."""
    reading = read('Title,Year,Abstract\nA,2001,"breaks o', "csv")

    assert (len(reading.entries), reading.lost) == (1, 0)
    assert "before its last quote is closed" in reading.problems[0].message


def test_giant_cells_and_nul() -> None:
    """Twelve megabytes are too much for a cell, one is not, though too much for a title; NUL is no
    text."""
    reading = read(
        f'Title,Year\nA\x00B,2001\n"{"x" * 1_000_000}",2002\n"{"x" * 12_000_000}",2003\nD,2004\n',
        "csv",
    )

    assert [record.title[:2] for record in reading.records] == ["AB", "xx", "D"]
    assert [(problem.line, problem.lost) for problem in reading.problems] == [(3, 0), (4, 1)]
    assert csv.field_size_limit() < 1_000_000  # as it was


def test_a_table_of_something_else_is_told() -> None:
    """Without a title there is no work."""
    reading = read("a,b\n1,2\n3,4\n", "csv")

    assert (reading.entries, reading.lost) == ([], 3)
    assert not looks_like("a,b\n1,2\n")


@each("cell", ["=1+2", "+a", "-b", "@c", "＝d", "'quoted'", "a=b"])
def test_guards_against_formulas_are_taken_off(cell: str) -> None:
    """The apostrophe that our writer puts before what a spreadsheet would run."""
    written = FORMATS["csv"].write([hit(title=cell)])

    assert read_bytes(written, "a.csv").records[0].title == cell


def test_what_we_write_comes_back() -> None:
    """Every field of a record that has a column; with a mark for Excel, too."""
    for bom in (False, True):
        reading = read_bytes(FORMATS["csv"].write([MERGED], bom=bom), "a.csv")
        record = reading.records[0]

        assert not reading.problems
        for name in ("title", "year", "date", "venue", "publisher", "volume", "issue", "pages",
        "doi", "ids", "issn",
                     "url", "pdf_url", "type", "language", "keywords", "citations"):  # fmt: skip
            assert getattr(record, name) == getattr(MERGED.record, name), name
        assert [a.name for a in record.authors] == ["Norman Paskin", "IEEE Standards Committee"]
        assert record.source_id == MERGED.id


_CELLS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=30).filter(
    lambda text: (
        line(text) == texts.plain(text) == text
        and "<" not in text
        and "&" not in text
        and text not in ("NA", "None", "null", "NULL")
    )
)


@given(title=_CELLS, venue=_CELLS, volume=st.integers(1, 999))
def test_text_of_any_kind_comes_back(title: str, venue: str, volume: int) -> None:
    """Quotes, delimiters and what looks like a formula."""
    written = FORMATS["csv"].write([hit(title=title, venue=venue, volume=str(volume))])
    (record,) = read_bytes(written, "a.csv", format="csv").records

    assert (line(record.title), line(record.venue), record.volume) == (
        line(title),
        line(venue),
        str(volume),
    )


@pytest.mark.shared
def test_real_records_survive_our_csv(shared: Path) -> None:
    """Titles, DOIs and years of a real set come back from what we write of them."""
    data = gzip.decompress((shared / "data/dedup/respiratory/records.jsonl.gz").read_bytes())
    rows = [json.loads(row) for row in data.splitlines()]
    hits = [
        hit(row["id"], title=row["title"], year=row.get("year"), volume=row.get("volume"))
        for row in rows
    ]
    reading = read_bytes(FORMATS["csv"].write(hits), "a.csv")

    assert (len(reading.entries), reading.lost) == (len(rows), 0)
    assert [record.year for record in reading.records] == [h.record.year for h in hits]
    assert [normalise.words(record.title) for record in reading.records] == [
        normalise.words(texts.without_markup(h.record.title)) for h in hits
    ]


@each(
    "last",
    [
        "\nExported on 2 March 2024 from Kites\nTotal: 2\nAnother line\n",
        "© 2024 Kites Inc.,,,\n",
        '"Copyright (c) 2024 Kites Inc. All rights reserved."\n',
        "Total: 2,,,\n",
    ],
)
def test_lines_below_a_table_are_told_and_are_no_works(last: str) -> None:
    reading = read(f"Title,Authors,Year,Journal\nA,B C,2001,J\nD,,,\n{last}", "csv")

    assert [record.title for record in reading.records] == ["A", "D"]
    assert reading.lost == 0
    assert "is no work" in reading.problems[-1].message


@each("title", ["Copyright in lakes", "Total recall", "Retrieved from mud"])
def test_a_title_alone_is_a_work(title: str) -> None:
    reading = read(f"Title,Authors,Year\n{title},,\n", "csv")

    assert [record.title for record in reading.records] == [title]


def test_a_heading_again_is_no_work() -> None:
    """Where files are joined, with their byte order marks; the second may have other columns."""
    heading = '\ufeff"Title",Authors,Year\n'
    reading = read(
        f"{heading}A,B C,2001\n{heading}D,E F,2002\n\ufeffYear,Title,Journal,DOI\n"
        "2003,G,J,10.1234/a\n",
        "csv",
    )

    assert [(record.title, record.year) for record in reading.records] == [
        ("A", 2001), ("D", 2002), ("G", 2003),
    ]  # fmt: skip
    assert [problem.line for problem in reading.problems] == [3, 5]


def test_quotes_behind_backslashes() -> None:
    """As MySQL writes them; a backslash before the end of a cell is one."""
    reading = read(
        'Title,Year,Abstract\n"A \\"b\\" c, d",2001,"It is \\"cold\\",\nand wet."\n'
        '"C:\\",2002,e\nF,2003,g\n',
        "csv",
    )

    assert [(record.title, record.year) for record in reading.records] == [
        ('A "b" c, d', 2001), ("C:\\", 2002), ("F", 2003),
    ]  # fmt: skip
    assert reading.records[0].abstract == 'It is "cold", and wet.'
    assert not reading.problems


@each("heading", ["Title,Authors,Year", '"Title,Authors,Year"'])
def test_rows_in_quotes_as_wholes(heading: str) -> None:
    reading = read(f'{heading}\n"A,""Byron, B."",2001"\nC,"Doe, D.",2002\n', "csv")

    assert [(record.title, record.year) for record in reading.records] == [("A", 2001), ("C", 2002)]
    assert not reading.problems
