"""Pages that show no results: the start page, the list of sources, and errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metasearch.listing.sort import Sort
from metasearch.server.opensearch import DESCRIPTION
from metasearch.server.opensearch import MEDIA_TYPE as OPENSEARCH_TYPE
from metasearch.server.pages.environment import render
from metasearch.server.problem import Problem
from metasearch.server.site import NAME, Site
from metasearch.server.sources import SourceView

#: No script and no inline style can run in a page, whatever gets into it.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: Order of the list -> what the form calls it.
SORT_WORDS: Mapping[Sort, str] = {
    "relevance": "Most relevant first",
    "date": "Newest first",
    "-date": "Oldest first",
    "title": "By title",
    "citations": "Most cited first",
    "first-seen": "As received",
}


@dataclass(frozen=True, slots=True)
class Form:
    """The contents of the search form.

    Attributes:
        query, year: As typed.
        chosen: Names of the sources that are ticked.
        sort: The order of the list, one of `SORT_WORDS`.
        hidden: Other parameters of the search, which a new search from this form repeats.
    """

    query: str = ""
    year: str = ""
    chosen: Sequence[str] = ()
    sort: str = "relevance"
    hidden: dict[str, str] = field(default_factory=dict)


def page(
    template: str,
    site: Site,
    title: str,
    form: Form | None,
    sources: Sequence[SourceView] = (),
    *,
    focus: bool = False,
    **context: Any,
) -> str:
    """A whole page from a template that extends `base.html`.

    Args:
        template: Name of its file.
        site: Where the server is reachable.
        title: Of the window; the name of the site is added.
        form: The search form, or None for a page without one.
        sources: Those that the form offers.
        focus: Whether the cursor is put into the search field.
        context: What the template itself uses.
    """
    return render(
        template,
        site=site,
        title=title,
        name=NAME,
        description=DESCRIPTION,
        opensearch_type=OPENSEARCH_TYPE,
        form=form,
        sources=sources,
        focus=focus,
        sort_words=SORT_WORDS,
        **context,
    )


def start_page(
    site: Site, sources: Sequence[SourceView], examples: Sequence[str], notice: str = ""
) -> str:
    """The page that a browser opens first."""
    return page(
        "start.html", site, "", Form(), sources, focus=True, examples=examples, notice=notice
    )


def sources_page(site: Site, sources: Sequence[SourceView]) -> str:
    """All sources with limits, keys and state."""
    return page("sources.html", site, "Sources", Form(), sources)


def problem_page(
    site: Site, problem: Problem, form: Form | None = None, sources: Sequence[SourceView] = ()
) -> str:
    """An error as a page, with what can be done about it."""
    members = problem.members
    return page(
        "problem.html",
        site,
        problem.title,
        form,
        sources,
        problem=problem,
        marked=_marked(problem) if problem.kind == "query-syntax" else None,
        suggestion=members.get("suggestion"),
        advice=members.get("advice"),
        allowed=members.get("allowed", []),
    )


def _marked(problem: Problem) -> tuple[str, str, str]:
    """The query in three parts; the middle one is what cannot be read."""
    text, at, length = (problem.members[name] for name in ("query", "position", "length"))
    return text[:at], text[at : at + length] or " ", text[at + length :]
