"""The numbers of reports, recomputed from rows by a script that imports nothing of metasearch; and
the script notices each number that is wrong.
"""

from __future__ import annotations

import ast
import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metasearch.formats import hits
from metasearch.record import Hit, Match, Record
from metasearch.review.projects.archive_format import export_to
from metasearch.review.projects.archive_reader import import_project
from metasearch.review.reports import novelty_report as novelty
from metasearch.review.reports import prisma_flow, prisma_s, render, searches
from metasearch.review.reports.reports import freeze
from metasearch.review.runs import other_sources
from metasearch.review.store.database import Database
from tests.review import recompute
from tests.review.filled import AT, Filled
from tests.review.recompute import Recomputed, differences, rows_of_workspace
from tests.review.reports.novelty.example import made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "workspace.db"


def review(db: Database) -> Filled:
    """A review with every box of the diagram filled, and an overlap of three databases."""
    it = Filled(db)
    works = it.found(
        {
            "pubmed": range(1, 13),
            "openalex": range(5, 25),
            "eric": (2, 6, 9, 12, 24, 25, 26),
        },
        claimed=50,
    )
    it.answer(it.run("counts"), it.step("more"), "pubmed", claimed=9_999)
    it.answer(it.run(), it.step("register"), "trials", ["1"], place="register")
    it.work(1, "trials:1")
    for number, work in enumerate(works):
        if number % 3 == 0:
            it.decide(work, "title", "excluded", "off topic")
        elif number % 7 != 0:
            it.decide(work, "title", "relevant")
            verdict = ("relevant", "excluded", "unavailable")[number % 4 % 3]
            reason = f"reason {number // 4 % 2}" if verdict == "excluded" else ""
            if number % 5:
                it.decide(work, "fulltext", verdict, reason)
            it.tag(work, f"study:{number // 8}")
    match = Match("doi", "same", 1.0, "equal DOI", "eric:1", "pubmed:1")
    for work in works[5:9]:
        record = Record(source="pubmed", title="A work")
        hit = Hit(id="h", record=record, records=(record,), provenance={}, matches=(match,))
        db.run("INSERT OR REPLACE INTO work_body (work, hit) VALUES (?, ?)", work, hits.write(hit))
    db.run(
        "INSERT INTO pin (project, verdict, a, b, at) VALUES (?, 'same', 'a:1', 'b:1', ?)",
        it.project.id,
        AT,
    )
    other_sources.add(it.project, "citation", "Forward", identified=9, sought=6, excluded={"x": 4})
    return it


def json_of(document: Any) -> dict[str, Any]:
    """The JSON of a report."""
    made: dict[str, Any] = json.loads(render.write(document, "json"))
    return made


def recomputed(file: Path, name: str) -> Recomputed:
    """The numbers of a project of a workspace."""
    return Recomputed(rows_of_workspace(file, name))


def test_the_script_imports_nothing_of_metasearch() -> None:
    """What it computes, it computes by itself."""
    tree = ast.parse(Path(recompute.__file__).read_text("utf-8"))
    modules = {
        name
        for node in ast.walk(tree)
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    }
    assert modules
    assert not any(name.startswith(("metasearch", "tests")) for name in modules)


def test_an_update_agrees_with_the_rows(file: Path) -> None:
    """What the report before covers is counted once, and its totals are added."""
    with Database(file) as db:
        it = review(db)
        number = freeze(it.project, "prisma-flow", draft=True).number
        works = it.found({"pubmed": (40, 41, 42), "eric": (41,)})
        it.answer(it.run(), it.step("again"), "pubmed", ["11", "12"])
        it.decide(works[1], "fulltext", "relevant")
        other_sources.add(it.project, "website", "Regulator", identified=2, sought=1)
        report = prisma_flow.document(it.project, previous=number)
    numbers = Recomputed(rows_of_workspace(file, "harms"), number)
    assert differences(json_of(report), numbers) == []
    flow = numbers.flow()
    assert (flow["works"], flow["included"], flow["other_included"]) == (3, 1, 1)
    assert flow["known"] == 2
    assert flow["previous_reports"] > 2
    assert differences(json_of(report), recomputed(file, "harms"))


def test_a_finished_report_that_was_changed_is_noticed(file: Path) -> None:
    """By its digest."""
    with Database(file) as db:
        freeze(review(db).project, "prisma-flow", draft=True)
        assert recomputed(file, "harms").changed_reports() == []
        db.run("UPDATE report SET document = replace(document, '1', '2')")
    assert recomputed(file, "harms").changed_reports() == ["prisma-flow 1"]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", [prisma_flow, prisma_s, searches], ids=lambda it: it.KIND)
def test_a_report_of_a_review_agrees_with_the_rows(file: Path, kind: Any, language: Any) -> None:
    """In both languages, every number of every table."""
    with Database(file) as db:
        report = kind.document(review(db).project, language=language)
    assert differences(json_of(report), recomputed(file, "harms")) == []


@pytest.mark.parametrize("kind", [prisma_s, searches], ids=lambda it: it.KIND)
def test_each_wrong_number_of_a_table_is_noticed(file: Path, kind: Any) -> None:
    """Records, hits, runs, pairs: one more in any cell that is a number."""
    with Database(file) as db:
        right = json_of(kind.document(review(db).project))
    numbers = recomputed(file, "harms")
    changed = 0
    for place, block in enumerate(right["blocks"]):
        for row, cells in enumerate(block["rows"] if block["block"] == "table" else ()):
            for column in block.get("numbers", ()):
                # An estimate is rounded, and its share follows from it.
                if not re.fullmatch(r"[\d,]+", cells[column]) or "Share found" in block["head"]:
                    continue
                wrong = copy.deepcopy(right)
                number = int(cells[column].replace(",", "")) + 1
                wrong["blocks"][place]["rows"][row][column] = f"{number:,}"
                assert differences(wrong, numbers), (block["head"], cells)
                changed += 1
    assert changed > 10


def test_an_archive_says_the_same_as_the_workspace(file: Path, tmp_path: Path) -> None:
    """The numbers of a project are those of its archive, and its reports agree with it."""
    with Database(file) as db:
        project = review(db).project
        made(db)
        report = prisma_s.document(project)
        export_to(project, tmp_path / "harms.zip")
    of_archive = Recomputed(recompute.rows_of(tmp_path / "harms.zip"))
    there, here = of_archive.all(), recomputed(file, "harms").all()
    assert [one["name"] for one in there.pop("other")] == [one["name"] for one in here.pop("other")]
    assert there == here
    assert differences(json_of(report), of_archive) == []


def test_a_project_from_an_archive_has_the_same_report(file: Path, tmp_path: Path) -> None:
    """Searches by hand, days without a time, decisions and answers come along."""
    with Database(file) as db:
        it = made(db)
        before = json_of(novelty.document(it.project))
        export_to(it.project, tmp_path / "lake.zip")
        again = import_project(db, tmp_path / "lake.zip", name="again").project
        assert json_of(novelty.document(again)) == before
    assert differences(before, recomputed(file, "again")) == []


def test_the_command_compares(file: Path, tmp_path: Path, capsys: Any) -> None:
    """It says that all numbers agree, or each that does not, with status 1."""
    with Database(file) as db:
        it = made(db)
        (tmp_path / "report.json").write_bytes(render.write(novelty.document(it.project), "json"))
        command = [str(file), "lake", "--report", str(tmp_path / "report.json")]
        assert recompute.main(command) == 0
        assert "all numbers agree" in capsys.readouterr().out
        db.run("UPDATE answer SET claimed = 9 WHERE source = 'openalex'")
    assert recompute.main(command) == 1
    assert capsys.readouterr().out == "命中篇数 of OpenAlex: the report says 1204, the rows say 9\n"
    assert recompute.main([str(file), "lake"]) == 0
    assert json.loads(capsys.readouterr().out)["novelty"]["close"] == 2


def test_the_review_fills_every_box(file: Path) -> None:
    """Else a wrong number could not be noticed."""
    with Database(file) as db:
        review(db)
    flow = recomputed(file, "harms").flow()
    zero = {name for name, number in flow.items() if not number}
    assert zero == {"known", "previous_studies", "previous_reports"}
    assert len(flow["reasons"]) == 2
    assert recomputed(file, "harms").missed() is not None
    assert recomputed(file, "harms").missed(included=True) is not None


def test_the_novelty_report_agrees_with_the_rows(file: Path) -> None:
    """The table of results, the summary, the list of related works and those of each point."""
    with Database(file) as db:
        report = novelty.document(made(db).project)
    assert differences(json_of(report), recomputed(file, "lake")) == []


def numbers_in(report: dict[str, Any], heads: tuple[str, ...]) -> Iterator[list[Any]]:
    """The rows of the tables with these heads, for changing a cell."""
    for block in report["blocks"]:
        table = block["table"] if block["block"] == "figure" else block
        if block["block"] in ("table", "figure") and set(heads) & set(table["head"]):
            yield from table["rows"]


def test_each_wrong_number_of_the_flow_is_noticed(file: Path) -> None:
    """One more in any row of the diagram's table, of the sources, or of the estimate."""
    with Database(file) as db:
        right = json_of(prisma_flow.document(review(db).project))
    numbers = recomputed(file, "harms")
    changed = 0
    for heads, column in (
        (("How it comes about",), 1),
        (("How it was searched",), 3),
        (("Share found",), 2),
        (("Share found",), 5),
    ):
        for place in range(len(list(numbers_in(right, heads)))):
            wrong = copy.deepcopy(right)
            row = list(numbers_in(wrong, heads))[place]
            row[column] = re.sub(r"\d+", lambda found: str(int(found[0]) + 1), row[column], count=1)
            assert differences(wrong, numbers), row
            changed += 1
    assert changed > 15


def test_each_wrong_number_of_the_novelty_report_is_noticed(file: Path) -> None:
    """Of hits, of related works, of the summary; and a work that a point lacks."""
    with Database(file) as db:
        right = json_of(novelty.document(made(db).project))
    numbers = recomputed(file, "lake")
    for place in range(4):
        for column in (3, 4):
            wrong = copy.deepcopy(right)
            row = list(numbers_in(wrong, ("命中篇数",)))[place]
            row[column] = "77"
            assert differences(wrong, numbers)
    text = next(b for b in right["blocks"] if str(b.get("text")).startswith("共检索"))["text"]
    for found in re.finditer(r"\d+", text):
        wrong = copy.deepcopy(right)
        block = next(b for b in wrong["blocks"] if b.get("text") == text)
        block["text"] = f"{text[: found.start()]}77{text[found.end() :]}"
        assert differences(wrong, numbers)
    wrong = copy.deepcopy(right)
    next(numbers_in(wrong, ("对比结果",)))[1] = "无"
    assert differences(wrong, numbers) == [
        "close works of point 1: the report says 0, the rows say 1"
    ]


def test_a_changed_row_is_noticed(file: Path) -> None:
    """A report that was right yesterday differs after one more decision."""
    with Database(file) as db:
        it = made(db)
        report = json_of(novelty.document(it.project))
        it.db.run("UPDATE decision SET verdict = 'relevant' WHERE verdict = 'close'")
    assert differences(report, recomputed(file, "lake"))
