"""The OpenAPI document of a server with users."""

from __future__ import annotations

from jsonschema import Draft202012Validator

from metasearch.review.routes import TEAM_ROUTES
from metasearch.review.server import chapter
from metasearch.server.limits import Options
from metasearch.server.protocols.openapi.document import Server, document_of
from tests.server.protocols.openapi.strict import every, refs


def test_what_a_server_with_users_answers_is_described():
    """Each of its routes about teams that is an interface."""
    routes = [
        (route.path, method)
        for route in TEAM_ROUTES
        for method, has in (("get", route.gets), ("post", route.posts))
        if has and route.path.startswith("/api/")
    ]
    server = Server(Options(), False, "", frozenset(routes), True, chapter(users=True))
    document = document_of(server)
    described = [(path, method) for path, method, _ in every(document)]
    without = Server(Options(), False, "", frozenset(routes), False, chapter(users=False))

    assert sorted(described) == sorted(routes)
    assert document_of(without)["paths"] == {}
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert {ref for ref in refs(document["paths"]) if "/schemas/" in ref} <= known


def test_each_operation_of_a_workspace_has_an_example_or_says_why_not():
    """Only what answers no JSON has none."""
    made = chapter(users=False)
    shown = {each["operation"] for each in made.examples.values()}
    lacking = {each.id for each in made.operations} - shown

    assert lacking == {
        # of the workspace: long lists, and what ends something
        *("questions", "answerQuestions", "deleteProject", "stopRun", "resumeRun"),
        *("evidence", "suggestedWords", "reviewStrategy", "reviewText"),
        *("checkWorks", "workChecks", "stopCheck"),
        # of saved searches: what has a random uid or secret in its address
        *("savedSearch", "changeSavedSearch", "removeSavedSearch", "runSavedSearch"),
        *("news", "newFeed", "atomFeed", "jsonFeed"),
        *("pin", "unpin", "report", "exportNamedWorks"),
        # bytes, and what holds the version of metasearch
        *("exportProject", "importProject", "searchFile"),
    }
