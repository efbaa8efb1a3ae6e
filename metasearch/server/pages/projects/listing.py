"""The list of projects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metasearch.server.pages.page import page
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.terms import N_
from metasearch.server.visit import Visit
from metasearch.workspace.projects import KINDS, LONGEST_NAME, LONGEST_TITLE, Project

#: Kind of project -> (its name, what it is for).
KIND_WORDS: Mapping[str, tuple[str, str]] = {
    "review": (
        N_("Systematic review"),
        N_(
            "Strategies in several databases, screening of titles and full texts, PRISMA-S and the "
            "PRISMA 2020 flow diagram."
        ),
    ),
    "novelty": (
        N_("Novelty search"),
        N_("Points of novelty, closely and generally related works, the novelty search report."),
    ),
    "plain": (
        N_("Other search"),
        N_("Strategies, works and the search appendix, without the questions of a report."),
    ),
}
#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "deleted": N_("The project was deleted."),
    "left": N_("You are a member of that project no more."),
}


def projects_page(
    visit: Visit,
    every: Sequence[Project],
    said: Said,
    done: str = "",
    *,
    most_bytes: int,
) -> str:
    """The whole page. `every`: all projects in the order of the page."""
    return page(
        "projects/list.html",
        visit,
        visit.language.gettext("Projects"),
        current="/projects",
        projects=every,
        kinds=[(kind, *KIND_WORDS[kind]) for kind in KINDS],
        kind_words={kind: words for kind, (words, _) in KIND_WORDS.items()},
        said=said,
        most_megabytes=most_bytes // 1_000_000,
        done=DONE_WORDS.get(done, ""),
        longest_name=LONGEST_NAME,
        longest_title=LONGEST_TITLE,
    )
