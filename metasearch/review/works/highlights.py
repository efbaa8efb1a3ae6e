"""Which words of titles and abstracts are marked for who screens: those of the strategies of a
project, and those that its people have agreed on.
"""

from __future__ import annotations

from functools import lru_cache

from metasearch.errors import MetasearchError
from metasearch.query.tree import Query
from metasearch.review.projects.projects import Project
from metasearch.review.reports.questions import WORDS
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies.step_text import read_step
from metasearch.review.works.decisions import agreed_list
from metasearch.server.pages.hit import Marker

#: Steps whose words are looked for.
_MOST_STEPS = 200


def marker_of(project: Project) -> Marker:
    """What marks the words of a project."""
    asked = [
        (step.text, step.syntax)
        for strategy in strategies.of(project)
        for step in steps.of(project.db, strategy)
        if step.kind == "query"
    ]
    own = [(text, "simple") for text in agreed_list(project, WORDS)]
    return _marker((*own, *asked[:_MOST_STEPS]))


@lru_cache(maxsize=32)  # every page of a project has the same
def _marker(texts: tuple[tuple[str, str], ...]) -> Marker:
    return Marker(*(query for text, syntax in texts if (query := _query(text, syntax))))


def _query(text: str, syntax: str) -> Query | None:
    try:
        return read_step(text, syntax).query
    except MetasearchError:
        return None  # its page says why it cannot be read
