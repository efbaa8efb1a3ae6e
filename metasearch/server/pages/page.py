"""What all pages share, and the pages that show no records: the start page and errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metasearch.errors import QuerySyntaxError
from metasearch.server.opensearch import DESCRIPTION
from metasearch.server.opensearch import MEDIA_TYPE as OPENSEARCH_TYPE
from metasearch.server.pages.environment import render
from metasearch.server.pages.language import TAGS, language
from metasearch.server.pages.reading import Fault
from metasearch.server.problem import Problem
from metasearch.server.site import NAME
from metasearch.server.sources import SourceView
from metasearch.server.visit import Visit

#: No inline script and no inline style can run in a page, whatever gets into it.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: Examples in one language on the start page.
_MOST_EXAMPLES = 6


@dataclass(frozen=True, slots=True)
class Form:
    """The contents of the search form. `hidden`: (name, value) of the other parameters of the
    search, which a new search from this form repeats.
    """

    query: str = ""
    hidden: Sequence[tuple[str, str]] = field(default=())


def page(
    template: str,
    visit: Visit,
    title: str,
    form: Form | None = None,
    *,
    focus: bool = False,
    current: str = "",
    **context: Any,
) -> str:
    """A whole page from a template that extends `base.html`.

    `form`: the search form of the head, or None for a page without one. `current`: the path of the
    page in the navigation; "" where it is not in it.
    """
    return render(
        template,
        visit.language,
        visit=visit,
        site=visit.site,
        title=title,
        name=NAME,
        description=DESCRIPTION,
        opensearch_type=OPENSEARCH_TYPE,
        form=form,
        focus=focus,
        current=current,
        other_languages=[language(tag) for tag in TAGS if tag != visit.language.tag],
        **context,
    )


def start_page(
    visit: Visit, sources: Sequence[SourceView], examples: Sequence[str], notice: str = ""
) -> str:
    """The page that a browser opens first."""
    asked = [source for source in sources if source.default]
    return page(
        "start.html",
        visit,
        "",
        Form(),
        focus=True,
        examples=_by_language(examples),
        asked=asked,
        notice=notice,
    )


def _by_language(examples: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Tag of a language -> the examples in it."""
    chinese = [text for text in examples if any("\u4e00" <= char <= "\u9fff" for char in text)]
    others = [text for text in examples if text not in chinese]
    listed = (("en", others), ("zh-Hans", chinese))
    return {tag: texts[:_MOST_EXAMPLES] for tag, texts in listed if texts}


def problem_page(visit: Visit, problem: Problem, form: Form | None = None) -> str:
    """An error as a page, with what can be done about it."""
    members = problem.members
    return page(
        "problem.html",
        visit,
        visit.language.said(problem.title),
        form or Form(),
        problem=problem,
        fault=_fault(problem) if problem.kind == "query-syntax" else None,
        advice=members.get("advice"),
        allowed=members.get("allowed", []),
    )


def _fault(problem: Problem) -> Fault:
    """The place of the mistake in a query, with what to do about it."""
    members = problem.members
    error = QuerySyntaxError(
        problem.detail,
        text=members["query"],
        position=members["position"],
        length=members["length"],
        suggestion=members["suggestion"],
        advice=members["advice"],
    )
    return Fault.of(error)
