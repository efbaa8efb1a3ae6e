"""The reports of a project as lines of a list."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.server.pages.projects.overview import ReportLine
from metasearch.server.pages.terms import N_
from metasearch.workspace import details
from metasearch.workspace.projects import Project
from metasearch.workspace.reports import freezing
from metasearch.workspace.reports.kinds import KINDS
from metasearch.workspace.store.database import Database

#: Kind of report -> what it says.
ABOUT: Mapping[str, str] = {
    "prisma-s": N_("The 16 items of PRISMA-S: databases, dates, strategies, limits, totals."),
    "prisma-flow": N_("How many records were found, merged, screened and included, and why not."),
    "appendix": N_("For each database the query exactly as it was sent, with date and numbers."),
    "chaxin": N_("The novelty search report with all sections after GB/T 32003-2015."),
    "missed": N_("How many works the databases together have probably missed."),
}
#: Kind of project -> the reports that stand first, and are asked for on its first page.
_OF_KIND: Mapping[str, tuple[str, ...]] = {
    "review": ("prisma-flow", "prisma-s", "appendix", "missed"),
    "novelty": ("chaxin", "appendix"),
    "plain": ("appendix",),
}


def names_for(project: Project) -> list[str]:
    """All kinds of reports, those of the kind of the project first."""
    first = [name for name in _OF_KIND[project.kind] if name in KINDS]
    return [*first, *(name for name in KINDS if name not in first)]


def report_lines(
    db: Database, project: Project, base: str, *, every: bool = False
) -> list[ReportLine]:
    """The reports of a project."""
    frozen = [report.kind for report in freezing.frozen(db, project)]
    wanted = names_for(project) if every else [n for n in _OF_KIND[project.kind] if n in KINDS]
    return [
        ReportLine(
            KINDS[name].label,
            ABOUT.get(name, ""),
            f"{base}/reports/{name}",
            len(details.missing(project, name)),
            frozen.count(name),
        )
        for name in wanted
    ]
