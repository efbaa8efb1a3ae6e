"""A systematic review on gambling harms: a strategy of four steps in two databases and a file that
was searched by hand, screened in two stages; then the same strategy in two databases more.

The decisions follow from titles, types and years, by the rules below. They show what a review looks
like, and are no opinion on the works.
"""

from __future__ import annotations

import re

from metasearch.review.examples import demo
from metasearch.review.projects import details
from metasearch.review.projects.projects import Project
from metasearch.review.reports import reports
from metasearch.review.reports.numbers import STUDY
from metasearch.review.runs import known_works, other_sources
from metasearch.review.runs.imports import import_file
from metasearch.review.runs.run import count_strategy, run_strategy
from metasearch.review.store.database import Database
from metasearch.review.store.values import now
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies.strategies import Strategy
from metasearch.review.works import decisions
from metasearch.review.works.filters import WorksQuery
from metasearch.review.works.works import Verdict, Work

NAME = "gambling-harms"
TITLE = "Harms of gambling to people and those close to them: a systematic review"
#: Databases of the first search, and of the update.
FIRST, UPDATE = (
    ("demo-crossref", "demo-pubmed"),
    ("demo-crossref", "demo-pubmed", "demo-openalex", "demo-library"),
)
STEPS = (
    ("gambling OR betting OR wagering", "the activity"),
    ("harm OR harms OR harmful OR problem OR problems", "what it does"),
    ("#1 AND #2", ""),
    ("#3 AND year:2010-", "older works are in the earlier reviews"),
)
#: Works that the search is expected to find; the last one is older than the limit of step 4.
KNOWN = """\
10.1016/j.puhe.2020.06.010
10.1556/2006.2020.00018
10.1007/s10899-017-9698-y
10.1038/s41562-021-01052-5
10.1136/bmj.329.7479.1405-a
"""
ANSWERS = {
    "prisma_s.online": "The web pages of two example foundations were looked through.",
    "prisma_s.citations": "The references of the included studies were searched by hand.",
    "prisma_s.contacts": "Nobody was asked for further studies.",
    "prisma_s.other_methods": "There were no other methods.",
    "prisma_s.limits": "Works since 2010, because earlier reviews cover what came before; no limit "
    "of language or type.",
    "prisma_s.filters": "No published search filters were used.",
    "prisma_s.prior_work": "No strategy of another review was taken over.",
    "prisma_s.updates": "The search was run anew, in two databases more, before the review was "
    "finished.",
    "prisma_s.peer_review": "A second librarian read the strategy before it was run; this is an "
    "example, and the librarian is invented.",
    "prisma_s.deduplication": "No other software was used.",
}

#: A word of the journal of the works, both invented, that report of one study.
_ONE_STUDY = "Example Journal"
_NO_STUDY = re.compile(r"commentary|open letter|toothless|everybody's business", re.IGNORECASE)
_POLICY = re.compile(r"polic|regulat|politic|companies|venues|sludge|law\b", re.IGNORECASE)
_OVERVIEW = re.compile(r"\breview\b|overview|lessons|relationship between internet", re.IGNORECASE)
_INSTRUMENT = re.compile(r"validat|scale|screen|SGHS|measuring|measurement", re.IGNORECASE)


async def install(workspace: Workspace, *, name: str = NAME, by: str = "") -> Project:
    """Make the example, as a new project. Raises UsageError: there is a project of this name, or it
    cannot be one; nothing was made.
    """
    async with demo.making(workspace, name, "review", TITLE, by) as (engine, project):
        strategy = await workspace.write(_begun, project, by)
        await count_strategy(workspace, engine, project, strategy, by=by)
        await run_strategy(workspace, engine, project, strategy, by=by)
        strategy = await workspace.write(_first_search, project, strategy, by)
        await count_strategy(workspace, engine, project, strategy, by=by)
        await run_strategy(workspace, engine, project, strategy, by=by)
        return await workspace.write(_screened, project, by)


def _begun(db: Database, project: Project, by: str) -> Strategy:
    """The strategy, the works that it should find, and the answers for its report."""
    with db.transaction():
        strategy = strategies.create(
            db, project, "main", sources=FIRST, note="Two ideas, joined, since 2010.", by=by
        )
        for text, note in STEPS:
            steps.add(db, strategy, text, note=note, by=by)
        known_works.add_lines(db, project, KNOWN, by=by)
        details.answer(db, project, ANSWERS, by=by)
    return strategy


def _first_search(db: Database, project: Project, strategy: Strategy, by: str) -> Strategy:
    """What follows the first search: a search by hand, other ways of searching, screening and the
    reports, which the update continues.
    """
    import_file(
        db,
        project,
        strategy,
        demo.content("psycinfo.ris"),
        "psycinfo.ris",
        source="PsycINFO",
        searched=now()[:10],
        query="(gambling or betting).ti. and harm*.ti,ab.",
        note="An invented file, in place of an export of this database.",
        claimed=5,
        by=by,
    )
    other_sources.add(
        db,
        project,
        "website",
        "Two example foundations",
        how="All reports on their web pages were looked through.",
        date=now()[:10],
        identified=12,
        sought=3,
        not_retrieved=1,
        excluded={"Not about harm": 1},
        by=by,
    )
    other_sources.add(
        db,
        project,
        "citation",
        "References of the included studies",
        how="By hand.",
        date=now()[:10],
        identified=40,
        sought=2,
        not_retrieved=0,
        excluded={"No own data": 2},
        by=by,
    )
    project = _screened(db, project, by)
    reports.freeze(db, project, "prisma-s", by=by)
    reports.freeze(db, project, "prisma-flow", by=by)
    return strategies.update(db, strategy, sources=UPDATE, by=by)


def _screened(db: Database, project: Project, by: str) -> Project:
    """Decide on all works that are undecided."""
    demo.decide(db, project, by_title, by=by)
    demo.decide(db, project, by_full_text, stage="fulltext", by=by)
    with db.transaction():
        listed = demo.found(db, project, WorksQuery())
        same = [work.uid for work in listed if work.venue.startswith(_ONE_STUDY)]
        decisions.tag(db, project, same, add=[f"{STUDY}Example town"], by=by)
    return project


def by_title(work: Work) -> tuple[Verdict, str]:
    """The verdict on a work by its title."""
    if _NO_STUDY.search(work.title):
        return "excluded", "No study"
    if _POLICY.search(work.title):
        return "excluded", "Policy, not harm"
    return "relevant", ""


def by_full_text(work: Work) -> tuple[Verdict, str]:
    """The verdict on a work by what would be its full text."""
    if work.year is not None and work.year <= 2012:
        return "unavailable", ""
    if _OVERVIEW.search(work.title):
        return "excluded", "No own data"
    if _INSTRUMENT.search(work.title):
        return "excluded", "About an instrument"
    return "relevant", ""
