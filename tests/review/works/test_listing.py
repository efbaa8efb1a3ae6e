"""Lists of works: filters, facets, order, pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metasearch.bib import record_json
from metasearch.errors import UsageError
from metasearch.review.store.database import Database
from metasearch.review.works import decisions
from metasearch.review.works.lists import WorksQuery, page, uids, verdict_counts
from tests.cases import each
from tests.review.works.held import Held, paper, workspace


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    """Five works of two runs, of which three are decided on."""
    folder: Path = tmp_path_factory.mktemp("listing")
    with workspace(folder) as db:
        held = Held(db)
        held.add(
            paper("a", 1, "Zebras in the harbour", author="Young", year=2010, citations=5),
            paper("a", 2, "Apples of self-harm", author="Adams", year=2020, type="article",
                  abstract="Ångström and Café culture"),
            paper("b", 3, "沉水植物对水质的影响", author="", year=2015, language="zh"),
        )  # fmt: skip
        held.add(
            paper("b", 4, "Médecine générale", author="Brun", year=None, citations=9,
                  open_access="gold", language="fr"),
            paper("a", 5, "Zebras of the plains", author="Zhou", year=2021, type="review"),
            paper("b", 6, "Zebras of the plains", author="Zhou", year=2021),
            step=2,
        )  # fmt: skip
        names = [work.uid for work in held.works()]
        decisions.mark(held.project, names[:1], "excluded", reason="animals")
        decisions.mark(held.project, names[1:3], "relevant")
        decisions.mark(held.project, names[1:2], "excluded", stage="fulltext")
        decisions.tag(held.project, names[:2], ["core"])
        db.run(
            "INSERT INTO known_work (project, name, body) VALUES (?, 'zebra', ?)",
            held.project.id,
            record_json.record_to_json(paper("known", 1, "Zebras in the harbour", author="Young")),
        )
        yield held


def found(held: Held, **query: Any) -> list[str]:
    """The first letters of the titles of a list."""
    shown = page(held.project, WorksQuery(**{"sort": "title", **query}))
    assert shown.total == len(shown.works)
    return [work.title[:3] for work in shown.works]


@each(
    ("query", "titles"),
    [
        ({"text": "zebra"}, ["Zeb", "Zeb"]),
        ({"text": "ZEBRAS plain"}, ["Zeb"]),
        ({"text": '"of the plains"'}, ["Zeb"]),
        ({"text": '"the of plains"'}, []),
        ({"text": "self-harm"}, ["App"]),
        ({"text": "cafe angstrom"}, ["App"]),
        ({"text": "水质"}, ["沉水植"]),
        ({"text": "水質"}, ["沉水植"]),
        ({"text": "质水"}, []),
        ({"text": 'NEAR("x" AND * ^ -'}, []),
        ({"text": "''"}, []),
        ({"text": "youn"}, ["Zeb"]),
        ({"verdict": "undecided"}, ["Méd", "Zeb"]),
        ({"verdict": "decided"}, ["App", "Zeb", "沉水植"]),
        ({"verdict": "excluded"}, ["Zeb"]),
        ({"verdict": "undecided", "stage": "fulltext"}, ["沉水植"]),
        ({"tags": ("core",)}, ["App", "Zeb"]),
        ({"sources": ("b",)}, ["Méd", "Zeb", "沉水植"]),
        ({"steps": (2,)}, ["Méd", "Zeb"]),
        ({"steps": ("main/1", "#2"), "sources": ("b",)}, ["Méd", "Zeb", "沉水植"]),
        ({"runs": (1,)}, ["App", "Zeb", "沉水植"]),
        ({"first_runs": (2,)}, ["Méd", "Zeb"]),
        ({"years": "2015-"}, ["App", "Zeb", "沉水植"]),
        ({"types": ("review", "article")}, ["App", "Zeb"]),
        ({"languages": ("zh",)}, ["沉水植"]),
        ({"open_access": ("gold",)}, ["Méd"]),
        ({"known": True}, ["Zeb"]),
        ({"known": False, "text": "zebra"}, ["Zeb"]),
        ({"text": "zebra", "years": "-2010", "tags": ("core",)}, ["Zeb"]),
    ],
)  # fmt: skip
def test_filters(held: Held, query: dict[str, Any], titles: list[str]) -> None:
    """Each narrows the list; together they all hold."""
    assert found(held, **query) == titles


@each(
    ("sort", "titles"),
    [
        ("title", ["App", "Méd", "Zeb", "Zeb", "沉水植"]),
        ("author", ["App", "Méd", "Zeb", "Zeb", "沉水植"]),
        ("year", ["Zeb", "App", "沉水植", "Zeb", "Méd"]),
        ("added", ["Zeb", "Méd", "沉水植", "App", "Zeb"]),
        ("citations", ["Méd", "Zeb", "Zeb", "沉水植", "App"]),
        ("relevance", ["Zeb", "App", "沉水植", "Méd", "Zeb"]),
    ],
)
def test_orders(held: Held, sort: str, titles: list[str]) -> None:
    """What is not known comes last."""
    assert found(held, sort=sort) == titles
    assert found(held, sort=sort, years="-2100") == [it for it in titles if it != "Méd"]


def test_pages(held: Held) -> None:
    """Parts of a list follow one another; all names can be had at once."""
    query = WorksQuery(sort="title", count=2)
    parts = [
        work.uid
        for start in (0, 2, 4)
        for work in page(held.project, WorksQuery(sort="title", start=start, count=2)).works
    ]
    assert parts == uids(held.project, query)
    assert page(held.project, query).total == 5


def test_facets(held: Held) -> None:
    """Each is counted without its own filter and with all others."""
    shown = page(held.project, WorksQuery(text="zebra", sources=("b",)))
    facets = {one.name: {it.value: it.count for it in one.values} for one in shown.facets}
    assert shown.total == 1
    assert facets["sources"] == {"a": 2, "b": 1}
    assert facets["years"] == {"2021": 1}
    assert facets["verdict"] == {"undecided": 1}
    whole = page(held.project, WorksQuery())
    counts = {one.name: {it.value: it.count for it in one.values} for one in whole.facets}
    assert counts == {
        "verdict": {"undecided": 2, "relevant": 2, "excluded": 1},
        "tags": {"core": 2},
        "sources": {"a": 3, "b": 3},
        "years": {"2021": 1, "2020": 1, "2015": 1, "2010": 1, "": 1},
        "types": {"": 3, "article": 1, "review": 1},
        "languages": {"": 3, "fr": 1, "zh": 1},
        "open_access": {"": 4, "gold": 1},
        "first_runs": {"1": 3, "2": 2},
    }


def test_counts_of_verdicts(held: Held) -> None:
    """In the stage of the whole text, undecided is what the first stage let through."""
    assert verdict_counts(held.project) == {"undecided": 2, "relevant": 2, "excluded": 1}
    assert verdict_counts(held.project, "fulltext") == {"undecided": 1, "excluded": 1}


@each(
    "query",
    [
        {"verdict": "good"},
        {"stage": "third"},
        {"sort": "colour"},
        {"years": "soon"},
        {"steps": ("main",)},
        {"text": "x" * 1_000},
        {"count": 10_000},
        {"tags": tuple(map(str, range(300)))},
    ],
)
def test_what_cannot_be_asked_is_refused(held: Held, query: dict[str, Any]) -> None:
    """With a clear error."""
    with pytest.raises(UsageError):
        page(held.project, WorksQuery(**query))


def test_a_removed_project_leaves_no_words(db: Database) -> None:
    """Its rows are gone, and a later work does not answer for its words."""
    from metasearch.review.projects import projects

    held = Held(db)
    held.add(paper("a", 1, "Unmistakable"))
    projects.delete(held.project)
    for table in ("work", "record", "alias", "record_place", "journal_title", "work_source"):
        count = db.value(f"SELECT count(*) FROM {table} WHERE project = ?", held.project.id)
        assert count == 0, table
    other = Held(db)
    other.add(paper("a", 1, "Ordinary", author="Okafor"))
    assert found(other, text="unmistakable") == []
