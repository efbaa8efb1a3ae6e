"""The addresses of the JSON interface of the workspace."""

from __future__ import annotations

from metasearch.server.faces import on_first_request
from metasearch.server.route import Route

#: What all of them begin with.
BASE = "/api/projects"
_PROJECT = f"{BASE}/{{project}}"
_STRATEGY = f"{_PROJECT}/strategies/{{strategy}}"


def _route(path: str, module: str, handler: str, methods: str) -> Route:
    return Route(
        path=path,
        handler=on_first_request(f"workspace.{module}", handler),
        gets="get" in methods,
        posts="post" in methods,
        listed=False,
    )


ROUTES = (
    _route(BASE, "projects", "projects_", "get post"),
    _route(f"{BASE}/import", "archive", "import_", "post"),
    _route(_PROJECT, "projects", "project", "get post"),
    _route(f"{_PROJECT}/delete", "projects", "delete", "post"),
    _route(f"{_PROJECT}/log", "projects", "log_", "get"),
    _route(f"{_PROJECT}/questions", "projects", "questions", "get post"),
    _route(f"{_PROJECT}/archive", "archive", "archive", "get"),
    _route(f"{_PROJECT}/other-sources", "other_sources", "listing", "get post"),
    _route(f"{_PROJECT}/other-sources/{{number}}", "other_sources", "one", "post"),
    _route(f"{_PROJECT}/known", "known", "known", "get post"),
    _route(f"{_PROJECT}/known/remove", "known", "remove", "post"),
    _route(f"{_PROJECT}/search-files", "strategy_texts", "read_file", "post"),
    _route(f"{_PROJECT}/strategies", "strategies", "strategies_", "get post"),
    _route(_STRATEGY, "strategies", "strategy", "get post"),
    _route(f"{_STRATEGY}/steps", "strategies", "steps_", "post"),
    _route(f"{_STRATEGY}/steps/{{step}}", "strategies", "step", "post"),
    _route(f"{_STRATEGY}/paste", "strategy_texts", "paste", "post"),
    _route(f"{_STRATEGY}/written", "strategy_texts", "written", "get"),
    _route(f"{_STRATEGY}/search-file", "strategy_texts", "write_file", "get"),
    _route(f"{_STRATEGY}/copy", "strategies", "copy", "post"),
    _route(f"{_STRATEGY}/counts", "strategies", "counts", "get"),
    _route(f"{_STRATEGY}/validation", "known", "validation_", "get"),
    _route(f"{_PROJECT}/runs", "runs", "runs_", "get post"),
    _route(f"{_PROJECT}/runs/{{run}}", "runs", "run", "get"),
    _route(f"{_PROJECT}/runs/{{run}}/stop", "runs", "stop", "post"),
    _route(f"{_PROJECT}/imports", "files", "imports", "post"),
    _route(f"{_PROJECT}/works", "works", "works_", "get"),
    _route(f"{_PROJECT}/works/{{work:.+}}", "works", "work", "get"),
    _route(f"{_PROJECT}/decisions", "decisions", "decide", "post"),
    _route(f"{_PROJECT}/tags", "decisions", "tag", "post"),
    _route(f"{_PROJECT}/notes", "decisions", "note", "post"),
    _route(f"{_PROJECT}/decisions/import", "files", "decisions", "post"),
    _route(f"{_PROJECT}/exports", "files", "exports", "get post"),
    _route(f"{_PROJECT}/pins", "decisions", "pins_", "get post"),
    _route(f"{_PROJECT}/pins/remove", "decisions", "unpin", "post"),
    _route(f"{_PROJECT}/undo", "decisions", "undo_", "post"),
    _route(f"{_PROJECT}/reports", "reports", "reports_", "get"),
    _route(f"{_PROJECT}/reports/{{kind}}", "reports", "report", "get post"),
)
