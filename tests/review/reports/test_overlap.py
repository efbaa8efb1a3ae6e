"""What each database has given alone and with others: tables and plots."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from metasearch.review.reports import overlap, prisma_flow, searches
from metasearch.review.reports.document import Document, Figure, Table, speaker
from metasearch.review.reports.render import write
from metasearch.review.store.database import Database
from tests.review.filled import Filled

ENGLISH = speaker("en")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def filled(tmp_path: Path):
    """Three databases, of which one has given nothing; the first two works are relevant."""
    with Database(tmp_path / "w.sqlite") as db:
        made = Filled(db)
        run, step = made.run(), made.step()
        works = made.found({"a": [1, 2, 3, 4], "b": [2, 3, 5]}, run=run, step=step)
        made.answer(run, step, "none", status="empty")
        for work in works[:2]:
            made.decide(work, "title", "relevant")
        yield made


def figures(filled: Filled) -> list[Figure]:
    """The plots of its section."""
    blocks = overlap.section(filled.project, ENGLISH)
    return [block for block in blocks if isinstance(block, Figure)]


def test_what_a_database_has_given_alone_and_with_others(filled: Filled) -> None:
    """Of all works, and of the relevant ones."""
    shares = overlap.overlap(filled.project).shares

    assert [(one.label, one.works, one.works_alone) for one in shares] == [
        ("A", 4, 2),
        ("B", 3, 1),
        ("None", 0, 0),
    ]
    assert [(one.relevant, one.relevant_alone, one.relevant_shared) for one in shares] == [
        (2, 1, 1),
        (1, 0, 1),
        (0, 0, 0),
    ]


def test_sets_of_databases_stand_by_size(filled: Filled) -> None:
    """Each work is in one set: that of all databases that have given it."""
    found = overlap.overlap(filled.project).as_object()

    assert found["sets"] == [
        {"sources": ["a"], "works": 2, "relevant": 1},
        {"sources": ["a", "b"], "works": 2, "relevant": 1},
        {"sources": ["b"], "works": 1, "relevant": 0},
    ]
    assert sum(one["works"] for one in found["sets"]) == 5


def test_a_plot_says_what_its_table_says(filled: Filled) -> None:
    """A column for each set, with a dot for each of its databases; the number above it."""
    every, relevant = figures(filled)
    dots = [box for box in every.boxes if box.role == "dot"]
    rings = [box for box in every.boxes if box.role == "ring"]
    columns = sorted({box.x for box in (*dots, *rings)})

    assert [[box.x for box in dots].count(x) for x in columns] == [1, 2, 1]
    assert len(dots) + len(rings) == 3 * len(columns)
    assert every.table.rows == (("A", "1", "2"), ("A, B", "2", "2"), ("B", "1", "1"))
    assert relevant.table.rows == (("A", "1", "1"), ("A, B", "2", "1"))
    assert "5 works of 3 databases" in every.description


def test_it_is_drawn_with_a_title_and_a_description(filled: Filled) -> None:
    """As an image for who cannot see it; nothing but attributes and classes."""
    document = Document(kind="k", title="t", blocks=(figures(filled)[0],))

    root = etree.fromstring(write(document, "svg"))

    assert root.get("role") == "img"
    assert len(root.findall(f"{SVG}circle")) == 9
    assert "UpSet plot" in (root.findtext(f"{SVG}desc") or "")
    assert not root.xpath("//@style")
    write(document, "docx")
    assert "UpSet plot" in write(document, "md").decode()


@pytest.mark.parametrize("report", [prisma_flow, searches])
def test_reports_have_it(filled: Filled, report) -> None:  # type: ignore[no-untyped-def]
    """Before the estimate of what was missed."""
    made = report.document(filled.project)

    captions = [block.caption for block in made.blocks if isinstance(block, Table)]
    at = captions.index("Works and relevant works of each database")
    assert at < captions.index("Works that there are, by estimate")


def test_one_database_overlaps_with_none(tmp_path: Path) -> None:
    """Nothing is said."""
    with Database(tmp_path / "w.sqlite") as db:
        made = Filled(db)
        made.found({"a": [1, 2]})
        assert list(overlap.section(made.project, ENGLISH)) == []


def test_many_sets_and_databases_are_cut_and_counted(tmp_path: Path) -> None:
    """The plot shows the largest, the table more of them, and the rest as a sum."""
    with Database(tmp_path / "w.sqlite") as db:
        made = Filled(db)
        names = [f"d{number:02}" for number in range(24)]
        pairs = [(one, two) for place, one in enumerate(names) for two in names[place + 1 :]][:60]
        made.found({name: [n for n, pair in enumerate(pairs) if name in pair] for name in names})
        every, *_ = figures(made)

    assert len(every.table.rows) == overlap.MOST_LISTED + 1
    assert every.table.rows[-1] == ("20 other sets of databases", "–", "20")
    assert len(every.boxes) < 500
    write(Document(kind="k", title="t", blocks=(every,)), "html")
