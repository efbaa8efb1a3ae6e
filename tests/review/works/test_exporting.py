"""Works go out in every format, and their decisions come back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from metasearch.errors import FileFormatError, FormatError, UsageError
from metasearch.formats.reading import read_bytes
from metasearch.review.store.database import Database
from metasearch.review.works import decisions
from metasearch.review.works.decisions_file import (
    DecisionsImport,
    import_decisions,
)
from metasearch.review.works.export import EXPORTS, SCHEME, export, file_of
from metasearch.review.works.lists import WorksQuery
from metasearch.review.works.undo import undo
from tests.cases import each
from tests.formats.exported import text_of_parquet
from tests.review.works.held import Held, paper, workspace

ALL = WorksQuery(sort="title")


def filled(db: Database) -> Held:
    """A project of four works, of which one is described by two sources."""
    held = Held(db)
    held.add(
        paper("a", 1, "Harms of gambling", doi="10.1000/one", abstract="=cmd of harms; -1"),
        paper("b", 2, "Harms of gambling", doi="10.1000/one"),
        paper("a", 3, "Soil of the northern plains", author="Okafor", ids={"pmid": "7"}),
        paper("a", 4, "Soil of the southern hills", author="Okafor", year=2019),
        paper(
            "a", 5, "沉水植物对水质的影响", author="王", ids={"metasearch": "of another project"}
        ),
    )
    return held


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    """The same for tests that change nothing."""
    folder: Path = tmp_path_factory.mktemp("exports")
    with workspace(folder) as db:
        yield filled(db)


def written(held: Held, name: str, chosen: WorksQuery | list[str] = ALL) -> bytes:
    """A whole export."""
    return b"".join(export(held.project, chosen, name))


def imported(held: Held, content: str | bytes, **options: object) -> DecisionsImport:
    """Decisions of a file."""
    data = content.encode() if isinstance(content, str) else content
    return import_decisions(held.project, data, "file.csv", **options)  # type: ignore[arg-type]


def verdicts(held: Held) -> dict[str, str]:
    """First word of a title -> what is decided."""
    return {
        work.title[:16]: f"{one.verdict} {one.reason}".strip()
        for work in held.works()
        if (one := work.decisions.get("title"))
    }


@pytest.mark.parametrize("name", [name for name in EXPORTS if name != "citations"])
def test_every_format_keeps_the_names_of_works(held: Held, name: str) -> None:
    """Each work's uid stands in the file."""
    if name == "xlsx":
        pytest.importorskip("openpyxl")
    content = written(held, name)
    if name == "parquet":
        content = text_of_parquet(content).encode()
    if name != "xlsx":
        for work in held.works():
            assert content.count(work.uid.encode()), name
    assert file_of(name).extension


@each("name", ["ris", "nbib", "csv", "bibtex", "ndjson", "csl-json", "eppi"])
def test_what_is_read_back_has_the_names(held: Held, name: str) -> None:
    """The identifier of our own scheme survives, so that another project can tell the work."""
    reading = read_bytes(written(held, name), f"works.{file_of(name).extension}")
    assert [entry.record.ids.get(SCHEME) for entry in reading.entries] == [
        work.uid for work in sorted(held.works(), key=lambda work: work.title)
    ]


def test_a_selection(held: Held) -> None:
    """By names, and by a query."""
    two = held.works()[1:3]
    by_name = written(held, "ris", [work.uid for work in reversed(two)])
    assert by_name.index(two[1].uid.encode()) < by_name.index(two[0].uid.encode())
    assert written(held, "ris", WorksQuery(text="soil")).count(b"TY  - ") == 2
    assert written(held, "csv", WorksQuery(text="nothing")).count(b"\r\n") == 1
    with pytest.raises(FormatError):
        written(held, "sse")
    with pytest.raises(UsageError):
        written(held, "ris", ["nobody"])


def test_ris_of_tools_has_the_databases_and_no_notes(held: Held) -> None:
    """A note beside each record would be a note of a screener."""
    content = written(held, "covidence").decode()
    assert "DB  - a\r\nDP  - a\r\nDB  - b" in content
    assert "N1  - " not in content


@pytest.mark.slow
def test_parts_are_one_file(db: Database) -> None:
    """More works than are read at once: one heading, keys of BibTeX that no other entry has."""
    many = Held(db)
    many.add(
        *(paper("a", n, f"Harms of gambling in town {n}", author="Browne") for n in range(600))
    )
    table = list(csv.DictReader(io.StringIO(written(many, "asreview").decode())))
    assert len(table) == len({row["metasearch_id"] for row in table}) == len(many.works())
    bib = written(many, "bibtex").decode()
    keys = [line for line in bib.splitlines() if line.startswith("@")]
    assert len(keys) == len(set(keys)) == len(table)
    assert len(list(csv.reader(io.StringIO(written(many, "csv").decode())))) == len(table) + 1


def test_asreview(db: Database) -> None:
    """What is decided goes out, and comes back by `metasearch_id`; a cell is no formula."""
    held = filled(db)
    uids = [work.uid for work in held.works()]
    decisions.mark(held.project, uids[:1], "relevant")
    rows = list(csv.DictReader(io.StringIO(written(held, "asreview").decode())))
    assert [row["included"] for row in rows] == ["1", "", "", ""]
    assert rows[0]["abstract"].startswith("'=")
    text = "included,metasearch_id\r\n" + "".join(
        f"{value},{uid}\r\n" for value, uid in zip(("0", "1.0", "-1", ""), uids, strict=True)
    )
    done = imported(held, text)
    assert (done.lines, done.matched, done.undecided, done.changed) == (4, 4, 2, 2)
    assert list(verdicts(held).values()) == ["excluded", "relevant"]
    assert done.change is not None
    undo(held.project, done.change)
    assert list(verdicts(held).values()) == ["relevant"]


def test_rayyan(db: Database) -> None:
    """Its notes keep our name and hold its decisions, with the reasons; two people who disagree
    are told."""
    held = filled(db)
    rows = list(csv.DictReader(io.StringIO(written(held, "rayyan").decode())))
    said = [
        '{"Anna"=>"Included", "Bo"=>"Included"}',
        '{"Anna"=>"Excluded"} | RAYYAN-LABELS: x | RAYYAN-EXCLUSION-REASONS: topic,kind',
        '{"Anna"=>"Excluded", "Bo"=>"Included"}',
        '{"Anna"=>"Maybe"}',
    ]
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(("key", "title", "notes"))
    for number, (row, words) in enumerate(zip(rows, said, strict=True)):
        table.writerow(
            (f"rayyan-{number}", row["title"], f"{row['notes']} | RAYYAN-INCLUSION: {words}")
        )
    done = imported(held, out.getvalue())
    assert verdicts(held) == {
        "Harms of gamblin": "relevant",
        "Soil of the nort": "excluded topic,kind",
        rows[3]["title"][:16]: "maybe",
    }
    assert (done.undecided, [one.line for one in done.not_imported]) == (0, [3])
    assert "differently" in done.not_imported[0].reason


def test_maybe_is_a_word_of_titles(db: Database) -> None:
    """In the stage of the whole text, and in a novelty search, it decides nothing."""
    held = filled(db)
    [row, *_] = csv.DictReader(io.StringIO(written(held, "rayyan").decode()))
    table = f"metasearch_id,included\n{row['metasearch_id']},maybe\n"
    assert imported(held, table, stage="fulltext").undecided == 1
    assert imported(held, table).undecided == 0
    assert verdicts(held) == {row["title"][:16]: "maybe"}
    [asreview, *_] = csv.DictReader(io.StringIO(written(held, "asreview").decode()))
    assert asreview["included"] == ""


def test_covidence(db: Database) -> None:
    """A file of each outcome, found by DOI or title; the reason stands in the notes."""
    held = filled(db)
    done = imported(
        held,
        "Title,Authors,Published Year,DOI,Notes,Covidence #\r\n"
        'Harms of gambling,"Browne, Anna",2020,10.1000/ONE,Exclusion reason: Wrong design; x,#1\r\n'
        'Soil of the southern hills,"Okafor, A",2019,,,#2\r\n'
        'Something else,"Nobody, N",2001,,,#3\r\n',
        verdict="excluded",
        reason="irrelevant",
    )
    assert verdicts(held) == {
        "Harms of gamblin": "excluded Wrong design",
        "Soil of the sout": "excluded irrelevant",
    }
    assert [(one.line, one.name) for one in done.not_imported] == [(3, "Something else")]


def test_eppi_codes(db: Database) -> None:
    """A column of each code; a work with codes of both kinds is told."""
    held = filled(db)
    uids = [work.uid for work in held.works()]
    done = imported(
        held,
        "OldItemId\tTitle\tINCLUDE on title\tEXCLUDE on population\tEXCLUDE on date\n"
        f"{uids[0]}\tx\t1\t\t\n{uids[1]}\tx\t\t1\t1\n{uids[2]}\tx\t1\t1\t\n",
    )
    assert list(verdicts(held).values()) == ["relevant", "excluded population; date"]
    assert [one.line for one in done.not_imported] == [3]


def test_ris_comes_back(db: Database) -> None:
    """By the ID of RIS, by our identifier, or by a PubMed number."""
    held = filled(db)
    one = held.works()[0]
    done = imported(
        held,
        f"TY  - JOUR\r\nID  - {one.uid}\r\nTI  - other\r\n"
        'N1  - RAYYAN-INCLUSION: {"A"=>"Excluded"}\r\nER  - \r\n'
        "TY  - JOUR\r\nTI  - else\r\nAN  - pmid:7\r\nER  - \r\n",
        verdict="relevant",
    )
    assert done.matched == 2
    assert list(verdicts(held).values()) == ["excluded", "relevant"]


def test_lines_that_contradict_are_told(db: Database) -> None:
    """Nothing is decided on the work, and both lines are named."""
    held = filled(db)
    uid = held.works()[0].uid
    done = imported(held, f"metasearch_id,included\n{uid},1\n{uid},0\nnobody,1\n{uid},perhaps\n")
    assert verdicts(held) == {}
    assert [one.line for one in done.not_imported] == [1, 2, 3, 4]
    assert done.change is None


def test_files_that_are_none(db: Database) -> None:
    """A clear error, no traceback."""
    held = filled(db)
    for content in (b"", b"\x00\x01\x02", b"nothing of a table"):
        with pytest.raises(FileFormatError):
            imported(held, content)
    with pytest.raises(UsageError, match="verdict"):
        imported(held, "metasearch_id,included\n", verdict="unavailable")
