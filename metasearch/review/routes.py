"""The addresses of this wing, and what each asks of a user. A handler is imported by its first
request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from metasearch.server.route import Route, on_first_request

if TYPE_CHECKING:
    from metasearch.review.users.permissions import Action


#: What all of them begin with.
PROJECTS = "/api/projects"
_PROJECT = f"{PROJECTS}/{{project}}"
_STRATEGY = f"{_PROJECT}/strategies/{{strategy}}"


def _interface(
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
        handler=on_first_request(module, handler, "metasearch.review"),
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
    *,
    handler: str,
) -> Route:
    """An address of the pages. Forms that need more than `post` are checked by the handler."""
    return Route(
        path=f"/projects{path}",
        handler=on_first_request(module, handler, "metasearch.review"),
        posts=post is not None,
        action=get,
        posts_action=post,
        listed=False,
    )


JSON_ROUTES = (
    _interface(PROJECTS, "projects.api", "projects_", get="make project", post="make project"),
    _interface(f"{PROJECTS}/import", "projects.api", "import_", post="make project"),
    _interface(_PROJECT, "projects.api", "project", get="read", post="edit"),
    _interface(f"{_PROJECT}/delete", "projects.api", "delete", post="delete"),
    _interface(f"{_PROJECT}/log", "projects.api", "log_", get="read"),
    _interface(f"{_PROJECT}/questions", "projects.api", "questions", get="read", post="edit"),
    _interface(f"{_PROJECT}/archive", "projects.api", "archive", get="export"),
    _interface(f"{_PROJECT}/other-sources", "runs.api", "other_sources_", get="read", post="edit"),
    _interface(f"{_PROJECT}/other-sources/{{number}}", "runs.api", "other_source", post="edit"),
    _interface(f"{_PROJECT}/known", "runs.api", "known", get="read", post="edit"),
    _interface(f"{_PROJECT}/known/remove", "runs.api", "remove_known", post="edit"),
    _interface(f"{_PROJECT}/search-files", "strategies.api", "read_file", post="edit"),
    _interface(f"{_PROJECT}/strategies", "strategies.api", "strategies_", get="read", post="edit"),
    _interface(_STRATEGY, "strategies.api", "strategy", get="read", post="edit"),
    _interface(f"{_STRATEGY}/steps", "strategies.api", "steps_", post="edit"),
    _interface(f"{_STRATEGY}/steps/{{step}}", "strategies.api", "step", post="edit"),
    _interface(f"{_STRATEGY}/paste", "strategies.api", "paste", post="edit"),
    _interface(f"{_STRATEGY}/written", "strategies.api", "written", get="read"),
    _interface(f"{_STRATEGY}/search-file", "strategies.api", "write_file", get="export"),
    _interface(f"{_STRATEGY}/copy", "strategies.api", "copy", post="edit"),
    _interface(f"{_STRATEGY}/counts", "strategies.api", "counts", get="read"),
    _interface(f"{_STRATEGY}/validation", "runs.api", "validation_", get="read"),
    _interface(f"{_PROJECT}/runs", "runs.api", "runs_", get="read", post="run"),
    _interface(f"{_PROJECT}/runs/{{run}}", "runs.api", "run", get="read"),
    _interface(f"{_PROJECT}/runs/{{run}}/stop", "runs.api", "stop", post="run"),
    _interface(f"{_PROJECT}/runs/{{run}}/resume", "runs.api", "resume", post="run"),
    _interface(f"{_PROJECT}/imports", "works.api", "imports", post="edit"),
    _interface(f"{_PROJECT}/works", "works.api", "works_", get="read"),
    _interface(f"{_PROJECT}/works/{{work:.+}}", "works.api", "work", get="read"),
    _interface(f"{_PROJECT}/decisions", "works.api", "decide", post="screen"),
    _interface(f"{_PROJECT}/tags", "works.api", "tag", post="screen"),
    _interface(f"{_PROJECT}/notes", "works.api", "note", post="screen"),
    _interface(f"{_PROJECT}/decisions/import", "works.api", "take_decisions", post="edit"),
    # Which works are exported stands in the body of a POST; nothing is changed.
    _interface(f"{_PROJECT}/exports", "works.api", "exports", get="export", post="export"),
    _interface(f"{_PROJECT}/pins", "works.api", "pins_", get="read", post="edit"),
    _interface(f"{_PROJECT}/pins/remove", "works.api", "unpin", post="edit"),
    # One's own vote; whatever else is undone asks for "edit", in the handler.
    _interface(f"{_PROJECT}/undo", "works.api", "undo_", post="screen"),
    _interface(f"{_PROJECT}/reports", "reports.api", "reports_", get="read"),
    _interface(f"{_PROJECT}/reports/{{kind}}", "reports.api", "report", get="read", post="report"),
)
PAGE_ROUTES = (
    _page("", "projects.pages", "make project", "make project", handler="answer_list"),
    _page("/{project}", "projects.pages", "read", "edit", handler="answer_overview"),
    _page("/{project}/strategies", "strategies.pages", "read", "edit", handler="answer_list"),
    _page(
        "/{project}/strategies/{strategy}",
        "strategies.pages",
        "read",
        "edit",
        handler="answer_strategy",
    ),
    _page(
        "/{project}/strategies/{strategy}/search-file",
        "strategies.pages",
        "export",
        handler="answer_search_file",
    ),
    _page(
        "/{project}/strategies/{strategy}/check", "strategies.pages", "read", handler="answer_check"
    ),
    _page(
        "/{project}/strategies/{strategy}/progress",
        "strategies.pages",
        "read",
        handler="answer_progress",
    ),
    _page("/{project}/works", "works.pages", "read", "screen", handler="answer_works"),
    _page("/{project}/works/export", "works.pages", "export", handler="answer_export"),
    _page("/{project}/reports", "reports.pages", "read", "read", handler="answer_list"),
    _page("/{project}/reports/{report}", "reports.pages", "read", "edit", handler="answer_report"),
    _page("/{project}/log", "projects.pages", "read", "screen", handler="answer_log"),
    _page("/{project}/archive", "projects.pages", "export", handler="answer_archive"),
)
PROJECT_ROUTES = (*PAGE_ROUTES, *JSON_ROUTES)
#: The addresses of who works on projects, on a server with users alone. An administrator is a
#: member of no project by office: the addresses for administrators name none.
TEAM_ROUTES = (
    _page("/{project}/members", "projects.member_pages", "read", "read", handler="answer_members"),
    _page("/{project}/screening", "screening.pages", "read", "screen", handler="answer"),
    _interface(f"{_PROJECT}/screening", "screening.api", "screening_", get="read", post="members"),
    _interface(f"{_PROJECT}/screening/conflicts", "screening.api", "conflicts_", get="read"),
    # A third screener, or who may "resolve".
    _interface(f"{_PROJECT}/screening/resolve", "screening.api", "resolve", post="screen"),
    _interface(f"{_PROJECT}/screening/agreement", "screening.api", "agreement_", get="read"),
    _interface(f"{_PROJECT}/members", "projects.team_api", "members_", get="read", post="members"),
    _interface(f"{_PROJECT}/members/leave", "projects.team_api", "leave", post="read"),
    _interface(
        f"{_PROJECT}/members/invitations/{{number}}",
        "projects.team_api",
        "revoke",
        post="members",
    ),
    _interface(f"{_PROJECT}/members/{{user}}", "projects.team_api", "member", post="members"),
    _interface(
        f"{_PROJECT}/reports/{{kind}}/signatures",
        "projects.team_api",
        "signatures_",
        get="read",
        post="sign",
    ),
    Route(
        path="/admin/projects",
        handler=on_first_request("projects.member_pages", "answer_all", "metasearch.review"),
        posts=True,
        action="administer",
        listed=False,
    ),
    Route(
        path="/api/admin/projects",
        handler=on_first_request("projects.team_api", "all_projects", "metasearch.review"),
        posts=True,
        action="administer",
        listed=False,
    ),
)


# The addresses of saved searches: pages, the JSON interface, feeds, and what ends e-mails.

#: What the addresses of the JSON interface begin with.
SAVED = "/api/saved"
_ONE_SAVED = f"{SAVED}/{{saved}}"


def _saved_route(path: str, module: str, handler: str, methods: str) -> Route:
    return Route(
        path=path,
        handler=on_first_request(module, handler, "metasearch.review"),
        gets="get" in methods,
        posts="post" in methods,
        action="save search",
        listed=False,
    )


SAVED_ROUTES = (
    _saved_route("/saved", "alerts.pages", "answer_list", "get post"),
    _saved_route("/saved/{saved}", "alerts.pages", "answer_one", "get post"),
    _saved_route(SAVED, "alerts.api", "all_", "get post"),
    _saved_route(_ONE_SAVED, "alerts.api", "one", "get post"),
    _saved_route(f"{_ONE_SAVED}/delete", "alerts.api", "delete", "post"),
    _saved_route(f"{_ONE_SAVED}/run", "alerts.api", "run", "post"),
    _saved_route(f"{_ONE_SAVED}/news", "alerts.api", "news", "get"),
    _saved_route(f"{_ONE_SAVED}/feed", "alerts.api", "feed", "post"),
    # Who asks for these cannot log in: the address is the secret.
    *(
        Route(
            path=f"/feeds/{{secret}}.{name}",
            handler=on_first_request("alerts.feeds", f"answer_{name}", "metasearch.review"),
            keyless=True,
            counted="by the handler",
            listed=False,
        )
        for name in ("atom", "json")
    ),
    Route(
        path="/unsubscribe/{secret}",
        handler=on_first_request("alerts.pages", "answer_unsubscribe", "metasearch.review"),
        posts=True,
        keyless=True,
        counted="by the handler",
        listed=False,
    ),
)


# The addresses about users: the account of each, the administration, and both as JSON.

#: What those of the JSON interface begin with.
ACCOUNT, ADMIN = "/api/account", "/api/admin"


def _account_route(
    path: str,
    module: str,
    handler: str,
    methods: str,
    action: Literal["account", "administer"],
) -> Route:
    return Route(
        path=path,
        handler=on_first_request(module, handler, "metasearch.review"),
        gets="get" in methods,
        posts="post" in methods,
        action=action,
        listed=False,
    )


ACCOUNT_ROUTES = (
    _account_route("/account", "users.account_pages", "answer_account", "get post", "account"),
    _account_route("/account/data", "users.account_pages", "answer_data", "get", "account"),
    _account_route("/admin", "users.admin_pages", "answer_start", "get", "administer"),
    _account_route("/admin/users", "users.admin_pages", "answer_users", "get post", "administer"),
    _account_route(
        "/admin/users/{user}", "users.admin_pages", "answer_user", "get post", "administer"
    ),
    _account_route("/admin/sources", "users.sources", "answer_sources", "get post", "administer"),
    _account_route("/admin/audit", "users.audit_pages", "answer_audit", "get", "administer"),
    _account_route("/admin/audit/file", "users.audit_pages", "answer_file", "get", "administer"),
    _account_route(ACCOUNT, "users.api", "account", "get post", "account"),
    _account_route(f"{ACCOUNT}/data", "users.api", "data", "get", "account"),
    _account_route(f"{ACCOUNT}/sessions", "users.api", "sessions_", "get", "account"),
    _account_route(f"{ACCOUNT}/sessions/end", "users.api", "end_own_session", "post", "account"),
    _account_route(f"{ACCOUNT}/tokens", "users.api", "tokens_", "get post", "account"),
    _account_route(
        f"{ACCOUNT}/tokens/{{number}}/revoke", "users.api", "revoke_own_token", "post", "account"
    ),
    _account_route(f"{ACCOUNT}/address", "users.api", "address", "post", "account"),
    _account_route(f"{ACCOUNT}/delete", "users.api", "delete_own_account", "post", "account"),
    _account_route(f"{ADMIN}/users", "users.api", "users", "get post", "administer"),
    _account_route(f"{ADMIN}/users/{{user}}", "users.api", "user_", "get post", "administer"),
    _account_route(f"{ADMIN}/users/{{user}}/link", "users.api", "link", "post", "administer"),
    _account_route(
        f"{ADMIN}/users/{{user}}/sessions/end", "users.api", "end", "post", "administer"
    ),
    _account_route(f"{ADMIN}/users/{{user}}/delete", "users.api", "delete", "post", "administer"),
    _account_route(f"{ADMIN}/invitations", "users.api", "invitations", "get post", "administer"),
    _account_route(
        f"{ADMIN}/invitations/{{number}}/revoke", "users.api", "revoke", "post", "administer"
    ),
    _account_route(f"{ADMIN}/sources", "users.api", "sources", "get post", "administer"),
    _account_route(f"{ADMIN}/audit", "users.api", "audit_", "get", "administer"),
)


# The addresses that only a server with users has: log in and out, set a password, join. What else
# only such a server has belongs here, too.


def _login_route(
    path: str, module: str, name: str, *, posts: bool = True, gets: bool = True
) -> Route:
    """An address for somebody who is not logged in yet; its handler says who may use it."""
    handler = on_first_request(module, name, "metasearch.review")
    return Route(
        path=path,
        handler=handler,
        posts=posts,
        gets=gets,
        keyless=True,
        listed=False,
    )


USERS_ROUTES = (
    _login_route("/login", "users.login_pages", "answer_login"),
    _login_route("/login/oidc", "users.oidc_login", "begin", posts=False),
    _login_route("/login/oidc/back", "users.oidc_login", "back", posts=False),
    _login_route("/logout", "users.login_pages", "answer_logout", gets=False),
    _login_route("/password", "users.login_pages", "answer_password"),
    _login_route("/password/{link}", "users.link_pages", "answer_password_link"),
    _login_route("/join/{link}", "users.link_pages", "answer_join"),
    _login_route("/address/{link}", "users.link_pages", "answer_address"),
    *ACCOUNT_ROUTES,
)
