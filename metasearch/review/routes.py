"""The addresses of the workspace: pages and JSON interface, and what each asks of a user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metasearch.server.faces import on_first_request
from metasearch.server.route import Route

if TYPE_CHECKING:
    from metasearch.workspace.users.permissions import Action

#: What all of them begin with.
BASE = "/api/projects"
_PROJECT = f"{BASE}/{{project}}"
_STRATEGY = f"{_PROJECT}/strategies/{{strategy}}"


def _route(
    path: str,
    module: str,
    handler: str,
    *,
    get: Action | None = None,
    post: Action | None = None,
) -> Route:
    """An address of the JSON interface; a method without an action is not taken."""
    action = get or post
    assert action is not None
    return Route(
        path=path,
        handler=on_first_request(f"workspace.{module}", handler),
        gets=get is not None,
        posts=post is not None,
        action=action,
        posts_action=post,
        listed=False,
    )


def _page(
    path: str,
    module: str,
    get: Action,
    post: Action | None = None,
    handler: str = "answer",
) -> Route:
    """An address of the pages. Forms that need more than `post` are checked by the handler."""
    return Route(
        path=f"/projects{path}",
        handler=on_first_request(f"projects.{module}", handler),
        posts=post is not None,
        action=get,
        posts_action=post,
        listed=False,
    )


JSON_ROUTES = (
    _route(BASE, "projects", "projects_", get="make project", post="make project"),
    _route(f"{BASE}/import", "archive", "import_", post="make project"),
    _route(_PROJECT, "projects", "project", get="read", post="edit"),
    _route(f"{_PROJECT}/delete", "projects", "delete", post="delete"),
    _route(f"{_PROJECT}/log", "projects", "log_", get="read"),
    _route(f"{_PROJECT}/questions", "projects", "questions", get="read", post="edit"),
    _route(f"{_PROJECT}/archive", "archive", "archive", get="export"),
    _route(f"{_PROJECT}/other-sources", "other_sources", "listing", get="read", post="edit"),
    _route(f"{_PROJECT}/other-sources/{{number}}", "other_sources", "one", post="edit"),
    _route(f"{_PROJECT}/known", "known", "known", get="read", post="edit"),
    _route(f"{_PROJECT}/known/remove", "known", "remove", post="edit"),
    _route(f"{_PROJECT}/search-files", "strategy_texts", "read_file", post="edit"),
    _route(f"{_PROJECT}/strategies", "strategies", "strategies_", get="read", post="edit"),
    _route(_STRATEGY, "strategies", "strategy", get="read", post="edit"),
    _route(f"{_STRATEGY}/steps", "strategies", "steps_", post="edit"),
    _route(f"{_STRATEGY}/steps/{{step}}", "strategies", "step", post="edit"),
    _route(f"{_STRATEGY}/paste", "strategy_texts", "paste", post="edit"),
    _route(f"{_STRATEGY}/written", "strategy_texts", "written", get="read"),
    _route(f"{_STRATEGY}/search-file", "strategy_texts", "write_file", get="export"),
    _route(f"{_STRATEGY}/copy", "strategies", "copy", post="edit"),
    _route(f"{_STRATEGY}/counts", "strategies", "counts", get="read"),
    _route(f"{_STRATEGY}/validation", "known", "validation_", get="read"),
    _route(f"{_PROJECT}/runs", "runs", "runs_", get="read", post="run"),
    _route(f"{_PROJECT}/runs/{{run}}", "runs", "run", get="read"),
    _route(f"{_PROJECT}/runs/{{run}}/stop", "runs", "stop", post="run"),
    _route(f"{_PROJECT}/runs/{{run}}/resume", "runs", "resume", post="run"),
    _route(f"{_PROJECT}/imports", "files", "imports", post="edit"),
    _route(f"{_PROJECT}/works", "works", "works_", get="read"),
    _route(f"{_PROJECT}/works/{{work:.+}}", "works", "work", get="read"),
    _route(f"{_PROJECT}/decisions", "decisions", "decide", post="screen"),
    _route(f"{_PROJECT}/tags", "decisions", "tag", post="screen"),
    _route(f"{_PROJECT}/notes", "decisions", "note", post="screen"),
    _route(f"{_PROJECT}/decisions/import", "files", "decisions", post="edit"),
    # Which works are exported stands in the body of a POST; nothing is changed.
    _route(f"{_PROJECT}/exports", "files", "exports", get="export", post="export"),
    _route(f"{_PROJECT}/pins", "decisions", "pins_", get="read", post="edit"),
    _route(f"{_PROJECT}/pins/remove", "decisions", "unpin", post="edit"),
    # One's own vote; whatever else is undone asks for "edit", in the handler.
    _route(f"{_PROJECT}/undo", "decisions", "undo_", post="screen"),
    _route(f"{_PROJECT}/reports", "reports", "reports_", get="read"),
    _route(f"{_PROJECT}/reports/{{kind}}", "reports", "report", get="read", post="report"),
)
PAGE_ROUTES = (
    _page("", "listing", "make project", "make project"),
    _page("/{project}", "overview", "read", "edit"),
    _page("/{project}/strategies", "strategies", "read", "edit"),
    _page("/{project}/strategies/{strategy}", "strategy", "read", "edit"),
    _page("/{project}/strategies/{strategy}/search-file", "search_file", "export"),
    _page("/{project}/strategies/{strategy}/check", "strategy", "read", handler="check"),
    _page("/{project}/strategies/{strategy}/progress", "progress", "read"),
    _page("/{project}/works", "works", "read", "screen"),
    _page("/{project}/works/export", "export", "export"),
    _page("/{project}/reports", "reports", "read", "read"),
    _page("/{project}/reports/{report}", "report", "read", "edit"),
    _page("/{project}/log", "log", "read", "screen"),
    _page("/{project}/archive", "archive", "export"),
)
ROUTES = (*PAGE_ROUTES, *JSON_ROUTES)
#: The addresses of who works on projects, on a server with users alone. An administrator is a
#: member of no project by office: the addresses for administrators name none.
TEAM_ROUTES = (
    _page("/{project}/members", "members", "read", "read"),
    _page("/{project}/screening", "screening", "read", "screen"),
    _route(f"{_PROJECT}/screening", "screening", "screening_", get="read", post="members"),
    _route(f"{_PROJECT}/screening/conflicts", "screening", "conflicts_", get="read"),
    # A third screener, or who may "resolve".
    _route(f"{_PROJECT}/screening/resolve", "screening", "resolve", post="screen"),
    _route(f"{_PROJECT}/screening/agreement", "screening", "agreement_", get="read"),
    _route(f"{_PROJECT}/members", "team", "members_", get="read", post="members"),
    _route(f"{_PROJECT}/members/leave", "team", "leave", post="read"),
    _route(f"{_PROJECT}/members/invitations/{{number}}", "team", "revoke", post="members"),
    _route(f"{_PROJECT}/members/{{user}}", "team", "member", post="members"),
    _route(
        f"{_PROJECT}/reports/{{kind}}/signatures", "signing", "signatures_", get="read", post="sign"
    ),
    Route(
        path="/admin/projects",
        handler=on_first_request("projects.admin"),
        posts=True,
        action="administer",
        listed=False,
    ),
    Route(
        path="/api/admin/projects",
        handler=on_first_request("workspace.admin", "projects_"),
        posts=True,
        action="administer",
        listed=False,
    ),
)
