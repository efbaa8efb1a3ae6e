"""The PRISMA 2020 flow: the diagram says what the table says, and nothing overlaps or is cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from metasearch.errors import UsageError
from metasearch.review.reports import prisma_flow, reports
from metasearch.review.reports.document import Box, Figure, Remark, Table, plain
from metasearch.review.reports.flow import fit_line, wrap
from metasearch.review.runs import other_sources
from metasearch.review.store.database import Database
from tests.review.filled import Filled


@pytest.fixture
def filled(tmp_path: Path):
    with Database(tmp_path / "w.sqlite") as db:
        yield Filled(db)


def screened(filled: Filled, reasons: list[str]) -> list[int]:
    """Twelve works, one undecided, one not retrieved, two included, the others with reasons."""
    step, run = filled.step(), filled.run()
    works = filled.found({"pubmed": range(12), "eric": range(4)}, run=run, step=step, claimed=40)
    filled.decide(works[1], "title", "excluded")
    filled.decide(works[2], "fulltext", "unavailable")
    for work in works[3:5]:
        filled.decide(work, "fulltext", "relevant")
    for n, work in enumerate(works[5:]):
        filled.decide(work, "fulltext", "excluded", reasons[n % len(reasons)])
    return works


def figure_of(document) -> Figure:
    return next(block for block in document.blocks if isinstance(block, Figure))


def lines(figure: Figure) -> list[str]:
    return [line for box in figure.boxes for line in box.lines]


def test_every_number_of_the_diagram(filled: Filled):
    """The boxes have the numbers of the store, a failed source is no 0, the undecided are told."""
    screened(filled, ["no harm"])
    filled.answer(filled.run(), filled.step(), "scopus", status="key", error="no key")
    document = prisma_flow.document(filled.project)
    said = lines(figure_of(document))
    for line in (
        "Records identified: 16",
        "\u2003Pubmed 12",
        "\u2003Eric 4",
        "\u2003Scopus failed",
        "Removed before screening: 4",
        "Records screened: 11",
        "Not yet screened 1",
        "Records excluded: 1",
        "Reports sought for retrieval: 10",
        "Reports not retrieved: 1",
        "Reports assessed for eligibility: 9",
        "Reports excluded: 7",
        "no harm 7",
        "Studies included: 2",
    ):
        assert line in said, line
    assert document.draft == ("Records not yet screened: 1.",)
    remarks = [plain(block.text) for block in document.blocks if isinstance(block, Remark)]
    assert remarks[0].startswith("Sources that failed or answered in part: Scopus.")
    assert "Eric 4 of 40, Pubmed 12 of 40" in remarks[1]


def test_the_table_has_all_that_the_boxes_cut(filled: Filled):
    """Of many reasons the box shows the first ones and how many more; a table shows all."""
    screened(filled, ["a"])
    works = filled.found({"openalex": range(20, 40)})
    for n, work in enumerate(works):
        filled.decide(work, "fulltext", "excluded", f"reason {n:02}")
    document = prisma_flow.document(filled.project)
    assert "and 14 more" in lines(figure_of(document))
    (reasons,) = [
        block for block in document.blocks if isinstance(block, Table) and "Reason" in block.head
    ]
    assert len(reasons.rows) == 21


def check_drawing(figure: Figure) -> None:
    """No box over another or outside, no text wider than its box, arrows from box to box."""
    boxes = [box for box in figure.boxes if box.role == "box"]
    for box in boxes:
        assert 0 <= box.x <= box.x + box.width <= figure.width
        assert 0 <= box.y <= box.y + box.height <= figure.height
        assert box.height >= 17 * len(box.lines)
        for line in box.lines:
            wide = sum(2 if ord(sign) > 0x2E00 else 1 for sign in line)
            assert wide <= box.width * 0.155 + 1, line
    for n, one in enumerate(boxes):
        for other in boxes[n + 1 :]:
            assert apart(one, other), (one.lines[0], other.lines[0])
    cells = [(box.row, box.column) for box in figure.boxes if box.role != "stage"]
    assert len(cells) == len(set(cells))
    for arrow in figure.arrows:
        assert set(arrow.cells) <= set(cells)


def apart(one: Box, other: Box) -> bool:
    return (
        one.x + one.width <= other.x
        or other.x + other.width <= one.x
        or one.y + one.height <= other.y
        or other.y + other.height <= one.y
    )


def test_nothing_overlaps(filled: Filled):
    """Long names and reasons, in both languages, with all columns, stay in their boxes."""
    screened(filled, ["wrong population " * 9, "研究对象不符合纳入标准" * 6, "x" * 200, ""])
    other_sources.add(
        filled.project, "citation", "Citations", identified=9, sought=3, excluded={"é": 1}
    )
    filled.answer(filled.run(), filled.step(), "long", ["1"], label="数据库 " * 30)
    filled.work(filled.db.value("SELECT max(id) FROM run"), "long:1")
    for language in ("en", "zh"):
        check_drawing(figure_of(prisma_flow.document(filled.project, language=language)))
    reports.freeze(filled.project, "prisma-flow", draft=True)
    other_sources.add(filled.project, "website", "WHO", identified=9, sought=3)
    filled.answer(filled.run(), filled.step(), "pubmed", ["1", "new"])
    filled.work(filled.db.value("SELECT max(id) FROM run"), "pubmed:new")
    for language in ("en", "zh"):
        document = prisma_flow.document(filled.project, language=language, previous="last")
        figure = figure_of(document)
        check_drawing(figure)
        assert len(figure.boxes) == 3 + 3 + 9 + 3 + 2  # stages, heads, flow, other, earlier, total


def test_the_words_of_an_update(filled: Filled):
    """An update shows the earlier review, what is new, and the sum of both."""
    screened(filled, ["no harm"])
    before = reports.freeze(filled.project, "prisma-flow", draft=True)
    run = filled.run()
    filled.answer(run, filled.step(), "pubmed", ["1", "new", "newer"])
    for key in ("pubmed:new", "pubmed:newer"):
        filled.decide(filled.work(run, key), "fulltext", "relevant")
    document = prisma_flow.document(filled.project, previous="1")
    said = lines(figure_of(document))
    for line in (
        "Studies included: 2",
        "Records identified: 3",
        "Found by the earlier search 1",
        "New studies included: 2",
        "Total studies included: 4",
    ):
        assert line in said, line
    assert f"report {before.number}, finished on {before.frozen[:10]}" in str(document.blocks[0])
    with pytest.raises(UsageError, match="no finished report prisma-flow 7"):
        prisma_flow.document(filled.project, previous="7")


def test_an_update_tells_decisions_that_were_changed_since(filled: Filled):
    """A work of the earlier report that is included later is no new one, and is told."""
    works = screened(filled, ["no harm"])
    reports.freeze(filled.project, "prisma-flow", draft=True)
    filled.decide(works[0], "fulltext", "relevant")
    document = prisma_flow.document(filled.project, previous="last")
    assert "is 1 higher than when it was finished" in str(document.blocks[0])
    assert reports.frozen(filled.project)[0].data["numbers"]["included"] == 2


def test_an_empty_project_is_a_draft(filled: Filled):
    """Without any search there is a diagram of zeros, which is no finished report."""
    document = prisma_flow.document(filled.project)
    assert document.draft == ("No search has brought records yet.",)
    assert "Records identified: 0" in lines(figure_of(document))
    with pytest.raises(UsageError, match="is a draft"):
        reports.freeze(filled.project, "prisma-flow")


def test_texts_are_wrapped_between_words():
    """A line is no longer than its box; Chinese texts wrap anywhere, long words are broken."""
    assert wrap("No harm measured 58", 40) == ["No harm measured 58"]
    assert wrap("one two three", 8) == ["one two", "\u2003\u2003thre", "\u2003\u2003e"]
    assert wrap("沉水植物贝类", 8) == ["沉水植物", "\u2003\u2003贝类"]
    assert wrap("", 8) == []
    assert fit_line("Records identified: 1,234", 20) == "Records ident… 1,234"
    assert fit_line("检出记录：12", 20) == "检出记录：12"
