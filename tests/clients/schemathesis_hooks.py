"""A check for schemathesis, beside its own: a request that fits the document is refused only for
what no schema can say.

It stands in the place of `positive_data_acceptance`, for which every 400 is an error.
"""

from __future__ import annotations

import json

import schemathesis

#: Kinds of problems: the query has its own grammar, and the sources and
#: works are those of the server.
_OF_MEANING = ("query-syntax", "unknown-source", "no-such-work", "usage")
#: Reasons for which a parameter is refused beside another one, or for its meaning.
_REASONS = (
    "with count it goes beyond",  # start and count together
    "ends before it begins",  # a range of years
    "filter",  # each facet has values of its own
    "is no parameter here",  # names that mislead
    "is a path",
    "is neither a DOI",  # what names a work
    "missing; ",  # a text that is empty or blank
    "give 1 to ",  # works that a list names
)


@schemathesis.check
def refused_for_its_meaning(ctx, response, case) -> None:
    """A 400 to a request that fits the document names such a reason."""
    fits = case.meta is not None and case.meta.generation.mode.is_positive
    if not fits or response.status_code not in (400, 404, 406, 415, 422):
        return
    if case.path.startswith("/sru") or response.status_code == 422:
        return
    if response.headers["content-type"][0] != "application/problem+json":
        return
    problem = json.loads(response.content)
    if problem["type"].rpartition(":")[2] in _OF_MEANING:
        return
    for error in problem.get("errors", [{"reason": problem.get("detail", "")}]):
        assert any(reason in error["reason"] for reason in _REASONS), error
