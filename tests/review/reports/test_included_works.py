"""The table of the included studies."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from metasearch.errors import UsageError
from metasearch.formats import hits
from metasearch.record import Author, Hit, Record
from metasearch.review.reports.render import write
from metasearch.review.reports.reports import kind_of
from metasearch.review.store.database import Database
from tests.review.filled import Filled

RECORDS = (
    Record(
        source="pubmed",
        title="Loot boxes and harm",
        authors=(Author("Ann Zhou", "Zhou", "Ann"), Author("Ben Abt", "Abt", "Ben")),
        venue="Addiction",
        volume="12",
        issue="3",
        pages="5-9",
        year=2020,
        doi="10.1000/one",
    ),
    Record(
        source="eric",
        title='=HYPERLINK("x")',
        authors=tuple(Author(f"{name} A", name, "A") for name in ("Bo", "Cai", "Dee")),
        year=2019,
        ids={"pmid": "17"},
    ),
    Record(source="eric", title="A report without authors", url="https://example.org/r"),
)


@pytest.fixture
def filled(tmp_path: Path):
    with Database(tmp_path / "w.sqlite") as db:
        filled = Filled(db)
        rows = filled.found({"pubmed": [1, 2, 4], "eric": [1, 2, 3]})
        for row, record in zip(rows, RECORDS, strict=False):
            hit = Hit(id=f"h{row}", record=record, records=(record,), provenance={})
            db.run("UPDATE work_body SET hit = ? WHERE work = ?", hits.write(hit), row)
            name = record.authors[0].family if record.authors else ""
            db.run(
                "UPDATE work SET title = ?, author = ?, year = ? WHERE id = ?",
                record.title,
                name,
                record.year,
                row,
            )
            filled.decide(row, "fulltext", "relevant")
        filled.decide(rows[3], "fulltext", "excluded", "wrong population")
        yield filled


def table(filled: Filled, language: str = "en") -> list[list[str]]:
    document = kind_of("included").build(filled.project, language=language)
    return list(csv.reader(io.StringIO(write(document, "csv").decode(), newline="")))


def test_each_included_study_is_one_row(filled: Filled):
    """By its author and year, and with what identifies it; what was excluded is not there."""
    head, *rows = table(filled)

    assert head == ["Study", "Title", "Published in", "Identifier", "Databases", "Note"]
    assert [row[0] for row in rows] == [
        "A report without authors",
        "Bo et al. 2019",
        "Zhou and Abt 2020",
    ]
    assert rows[2][1:5] == [
        "Loot boxes and harm",
        "Addiction, 12(3), 5–9",
        "10.1000/one",
        "Eric, Pubmed",
    ]
    assert [row[3] for row in rows] == ["https://example.org/r", "PMID 17", "10.1000/one"]


def test_no_cell_is_a_formula(filled: Filled):
    """A spreadsheet would compute it."""
    assert table(filled)[2][1] == '\'=HYPERLINK("x")'


def test_the_table_is_written_for_word_and_in_chinese(filled: Filled):
    """With the same rows."""
    pytest.importorskip("docx")
    document = kind_of("included").build(filled.project, language="zh")

    assert write(document, "docx").startswith(b"PK")
    assert table(filled, "zh")[0][0] == "研究"
    assert table(filled, "zh")[3][0] == "Zhou、Abt 2020"


def test_a_table_alone_is_written_as_csv(filled: Filled):
    """A report with text and other tables is refused, with what to do."""
    document = kind_of("prisma-s").build(filled.project)

    with pytest.raises(UsageError, match="no table") as error:
        write(document, "csv")
    assert "included studies" in str(error.value.advice)


def test_without_included_works_it_is_a_draft(tmp_path: Path):
    """It says why."""
    with Database(tmp_path / "w.sqlite") as db:
        document = kind_of("included").build(Filled(db).project)

    assert re.search("No work is included", document.draft[0])
