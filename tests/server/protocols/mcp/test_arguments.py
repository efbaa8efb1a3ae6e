"""Whatever a model sends as arguments is a search, or is refused in words."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.server.limits import Options
from metasearch.server.protocols.mcp.arguments import (
    MOST_SECONDS,
    MOST_WORKS,
    SEARCH_ARGUMENTS,
    ToolError,
    search_parameters,
)

ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(["2020", "2019-2024", "date", "year", "type:article", "10"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(SEARCH_ARGUMENTS) | st.text(max_size=9), ANYTHING))
def test_arguments_are_a_search_or_are_refused(arguments):
    """Nothing else is raised, and a search is within the limits."""
    with contextlib.suppress(ToolError):
        search = search_parameters(arguments, SEARCH_ARGUMENTS, Options())
        assert 1 <= search.limit <= MOST_WORKS
        assert search.timeout is None or search.timeout <= MOST_SECONDS


def test_models_write_numbers_as_text_and_lists_with_commas():
    """Both are read as they are meant."""
    loose = {"query": "x", "limit": "7", "start": 3.0, "years": 2020, "sources": "arxiv, pubmed"}
    strict = {"query": "x", "limit": 7, "start": 3, "years": "2020", "sources": ["arxiv", "pubmed"]}

    assert search_parameters(loose, SEARCH_ARGUMENTS, Options()) == search_parameters(
        strict, SEARCH_ARGUMENTS, Options()
    )


def test_small_numbers_are_shown_as_they_were_sent():
    """A refusal that names another number helps nobody; a proposal ends the sentence."""
    for arguments, shown in (
        ({"timeout": 0.0001}, "'0.0001' is less than"),
        ({"years": 2015.5}, "did you mean 2015?"),
    ):
        with pytest.raises(ToolError) as error:
            search_parameters({"query": "x"} | arguments, SEARCH_ARGUMENTS, Options())
        assert shown in str(error.value)
        assert "?." not in str(error.value)


def test_what_is_wrong_is_said_at_once():
    """All errors are in one sentence each, by the names of the arguments."""
    wrong = {"query": "x", "limit": 80, "years": "soon", "facets": ["colour"]}
    with pytest.raises(ToolError) as error:
        search_parameters(wrong, SEARCH_ARGUMENTS, Options())

    for name in ("limit", "years", "facets"):
        assert f"The argument {name!r}: " in str(error.value)
