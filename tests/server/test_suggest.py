"""Completions come from what was asked and seen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metasearch.query import And, Term, parse
from metasearch.server.suggest import Suggestions, as_query
from tests.cases import each
from tests.server.fake import answer, hit

ME, YOU = "somebody's word", "another's"


def texts(suggestions: Suggestions, prefix: str, user: str | None = ME) -> list[str]:
    """The completions without their descriptions."""
    return [it.text for it in suggestions.complete(prefix, user)]


def test_recent_queries_come_first():
    """The newest query is the first completion, titles follow."""
    suggestions = Suggestions(["gene banks"])
    suggestions.learn("gene drive", answer(hit(title="Gene drives in island mice")), ME)
    suggestions.learn("gene therapy", answer(hit()), ME)

    assert texts(suggestions, "Gene") == [
        "gene therapy",
        "gene drive",
        "gene banks",
        "Gene drives in island mice",
    ]


def test_a_word_inside_is_found_too():
    """What begins with the text comes before what only holds it."""
    suggestions = Suggestions(["mice and men", "island mice"])

    assert texts(suggestions, "mice") == ["mice and men", "island mice"]


def test_descriptions():
    """Each completion says what it is."""
    suggestions = Suggestions(["mice in art"])
    suggestions.learn("mice", answer(hit(title="Mice of the isles")), ME)

    assert [it.description for it in suggestions.complete("mice", ME)] == [
        "recent search",
        "example",
        "Byron, Journal of Islands, 2021",
    ]


def test_what_found_nothing_is_not_suggested():
    """A typing mistake does not spread."""
    suggestions = Suggestions()
    suggestions.learn("gnee drive", answer(), ME)

    assert texts(suggestions, "gnee") == []


@each("prefix", ["", "   ", "zebra"])
def test_nothing_to_complete(prefix):
    """No text and unknown text have no completions."""
    assert texts(Suggestions(["mice"]), prefix) == []


def test_memory_is_bounded():
    """The oldest query and the oldest title are forgotten."""
    suggestions = Suggestions(queries=2, titles=1)
    for number in range(3):
        suggestions.learn(f"query {number}", answer(hit(title=f"title {number}")), ME)

    assert texts(suggestions, "query") == ["query 2", "query 1"]
    assert texts(suggestions, "title") == ["title 2"]


def test_a_query_is_suggested_once():
    """Asking again moves a query to the front, whatever its case."""
    suggestions = Suggestions()
    for query in ("mice", "mice and men", "Mice"):
        suggestions.learn(query, answer(hit(title="x")), ME)

    assert texts(suggestions, "mice") == ["Mice", "mice and men"]


def test_nobody_is_shown_what_others_have_typed():
    """Neither their queries nor the titles of their hits; the operator's examples are
    everybody's."""
    suggestions = Suggestions(["mice in art"])
    suggestions.learn("mice of my patent", answer(hit(title="Mice of the isles")), ME)

    assert texts(suggestions, "mice", ME) == [
        "mice of my patent",
        "mice in art",
        "Mice of the isles",
    ]
    assert texts(suggestions, "mice", YOU) == texts(suggestions, "mice", None) == ["mice in art"]


def test_what_nobody_is_known_to_have_typed_is_not_kept():
    """Without keys nobody knows whose query it is."""
    suggestions = Suggestions()
    suggestions.learn("mice", answer(hit(title="Mice of the isles")), None)

    assert texts(suggestions, "mice", None) == texts(suggestions, "mice", "") == []


def test_users_are_bounded():
    """The one who has been silent longest is forgotten first."""
    suggestions = Suggestions(users=2)
    for user in ("a", "b", "a", "c"):
        suggestions.learn("mice", answer(hit(title="x")), user)

    assert [texts(suggestions, "mice", user) for user in "abc"] == [["mice"], [], ["mice"]]


@given(st.text(min_size=1, max_size=60))
def test_a_title_becomes_a_plain_query(title):
    """A completion from a title can always be read, and holds nothing but words."""
    query = as_query(title)

    if query:
        tree = parse(query)
        assert isinstance(tree, Term | And)
        assert all(
            isinstance(it, Term) and it.field in ("any", "doi")
            for it in getattr(tree, "parts", [tree])
        )
