"""A saved search over weeks: a source that fails, a new work, the article of a preprint, and a
retraction, through the real engine and the shipped specs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.engine.engine import Engine
from metasearch.review.alerts import feeds
from metasearch.review.alerts import news as history
from metasearch.review.alerts import news as told
from metasearch.review.alerts import saved_searches as searches
from metasearch.review.alerts.news import SavedSearchRun
from metasearch.review.alerts.runs import run_saved
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.store.workspace import Workspace
from metasearch.settings import Settings
from tests.engine.test_engine import Body, Upstreams, item, works
from tests.review.alerts.searches import YEAR, away

#: Two servers that answer as Crossref does, and one that answers as OpenAlex does.
SETTINGS = Settings(
    sources={
        "prints": {"extends": "crossref", "url": "https://prints.example/works"},
        "journals": {"extends": "crossref", "url": "https://journals.example/works"},
        "index": {"extends": "openalex", "url": "https://index.example/works"},
    },
    default_sources=("prints", "journals", "index"),
)


def preprint(title: str, doi: str, year: int) -> dict[str, Any]:
    """As a server of preprints gives it."""
    more: dict[str, Any] = {"type": "posted-content", "subtype": "preprint", "container-title": []}
    return item(title, doi, year, **more)


def article(title: str, doi: str, year: int) -> dict[str, Any]:
    """As a publisher gives it."""
    return item(title, doi, year, type="journal-article", volume="12", page="101-119")


def indexed(*given: tuple[str, str, int, bool]) -> bytes:
    """(title, DOI, year, whether it was retracted) as OpenAlex gives them."""
    results = [
        {
            "id": f"https://openalex.org/W{sum(map(ord, doi))}",
            "title": title,
            "doi": f"https://doi.org/{doi}",
            "publication_year": year,
            "type": "article",
            "authorships": [{"author": {"display_name": "Anna Berg"}}],
            "is_retracted": retracted,
        }
        for title, doi, year, retracted in given
    ]
    return json.dumps({"meta": {"count": len(results)}, "results": results}).encode()


SOIL = ("Soil carbon in tidal marshes", "10.1000/soil", 2012)
OLD = ("Peat accumulation in northern bogs", "10.1000/peat", 2008)
FRESH = ("Carbon budgets of restored wetlands", "10.1000/fresh", YEAR)
ADDED = ("Sediment cores of the Wadden Sea", "10.1000/added", 1999)
PRINT = ("Methane fluxes from drained fens", "10.1000/fens.preprint", 2025)
PAPER = ("Methane fluxes from drained fens", "10.1000/fens", YEAR)
OTHER_PRINT = ("Root exudates and priming", "10.1000/roots.preprint", 2019)


class Weeks:
    """The saved search, and what its sources answer week by week."""

    def __init__(self, workspace: Workspace, engine: Engine, saved: SavedSearch) -> None:
        self.workspace = workspace
        self.engine = engine
        self.saved = saved

    async def run(self, **bodies: Body) -> SavedSearchRun:
        """The run of a week."""
        self.engine._fetcher = Fetcher(Upstreams(bodies), None, patience=0)
        saved = await self.workspace.read(searches.by_id, self.saved.id)
        return await run_saved(self.workspace, self.engine, saved, year=YEAR)

    async def told(self, run: SavedSearchRun) -> dict[str, str]:
        """Title -> kind."""
        news = await self.workspace.read(told.news_of, self.saved, run=run.number)
        assert len(news) == run.told
        return {each.hit.record.title: each.kind for each in news}


async def test_a_saved_search_over_weeks(tmp_path: Path) -> None:
    """Each thing is told once, as what it is; what is known, or was away, is not told as new."""
    async with Workspace(tmp_path / "workspace.db") as workspace, Engine(SETTINGS) as engine:
        saved = await workspace.write(
            searches.create, "wetlands", "soil OR peat OR methane", schedule="weekly mon"
        )
        weeks = Weeks(workspace, engine, saved)

        # The first week is the baseline; the index cannot be reached.
        first = await weeks.run(
            prints=works(preprint(*PRINT)), journals=works(article(*SOIL)), index=away
        )
        assert (first.baseline, first.works, first.failed_sources) == (True, 2, ("index",))
        assert await weeks.told(first) == {}

        # The index is back: it gives a known work, an old one and one of this year. A publisher
        # has added a work of 1999. The preprints cannot be reached.
        second = await weeks.run(
            prints=away,
            journals=works(article(*SOIL), article(*ADDED)),
            index=indexed((*SOIL, False), (*OLD, False), (*FRESH, False)),
        )
        assert second.failed_sources == ("prints",)
        assert await weeks.told(second) == {ADDED[0]: "new", FRESH[0]: "new", OLD[0]: "late"}

        # The known preprint has an article now, a known work was retracted, and an older preprint
        # is seen for the first time by the source that was away.
        third_week: dict[str, Body] = {
            "prints": works(preprint(*PRINT), preprint(*OTHER_PRINT)),
            "journals": works(article(*SOIL), article(*ADDED), article(*PAPER)),
            "index": indexed((*SOIL, True), (*OLD, False), (*FRESH, False)),
        }
        third = await weeks.run(**third_week)
        assert third.failed_sources == ()
        assert await weeks.told(third) == {
            PAPER[0]: "version",
            SOIL[0]: "retracted",
            OTHER_PRINT[0]: "late",
        }

        # A week in which nothing answers is told as such, and tells nothing.
        fourth = await weeks.run(prints=away, journals=away, index=away)
        assert (fourth.status, await weeks.told(fourth)) == ("failed", {})

        # The same as in the third week: there is nothing new.
        fifth = await weeks.run(**third_week)
        assert (fifth.status, await weeks.told(fifth)) == ("done", {})

        # A source that does not say any more that a work was retracted, and then does.
        sixth = await weeks.run(**third_week | {"index": away})
        seventh = await weeks.run(**third_week)
        assert (sixth.told, seventh.told) == (0, 0)

        runs = await workspace.read(history.runs_of, saved)
        feed = await workspace.read(feeds.read_feed, saved.id)

    assert [run.number for run in runs] == [7, 6, 5, 4, 3, 2, 1]
    assert {entry.hit.record.title for entry in feed.entries} == {
        ADDED[0],
        FRESH[0],
        PAPER[0],
        SOIL[0],
    }
    atom = feeds.write_atom(feed, "https://search.example.org").decode()
    assert atom.count("<entry>") == 4
