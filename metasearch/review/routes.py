"""The addresses of this wing, and what each asks of a user. A handler is imported by its first
request.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from metasearch.review.paths import ACCOUNT, ADMIN, PROJECTS, SAVED
from metasearch.server.route import LaterModule, Route

if TYPE_CHECKING:
    from aiohttp.typedefs import Handler

    from metasearch.review.alerts import api as alerts_api
    from metasearch.review.alerts import feeds
    from metasearch.review.alerts import pages as alerts_pages
    from metasearch.review.press import api as press_api
    from metasearch.review.press import pages as press_pages
    from metasearch.review.projects import api as projects_api
    from metasearch.review.projects import member_pages, team_api
    from metasearch.review.projects import pages as projects_pages
    from metasearch.review.reports import api as reports_api
    from metasearch.review.reports import evidence_pages
    from metasearch.review.reports import pages as reports_pages
    from metasearch.review.runs import api as runs_api
    from metasearch.review.screening import api as screening_api
    from metasearch.review.screening import pages as screening_pages
    from metasearch.review.strategies import api as strategies_api
    from metasearch.review.strategies import pages as strategies_pages
    from metasearch.review.users import (
        account_pages,
        admin_pages,
        audit_pages,
        link_pages,
        login_pages,
        oidc_login,
        source_switches,
    )
    from metasearch.review.users import api as users_api
    from metasearch.review.users.permissions_and_quotas import Action
    from metasearch.review.works import api as works_api
    from metasearch.review.works import duplicate_pages
    from metasearch.review.works import pages as works_pages
else:
    alerts_api = LaterModule("metasearch.review.alerts.api")
    feeds = LaterModule("metasearch.review.alerts.feeds")
    alerts_pages = LaterModule("metasearch.review.alerts.pages")
    press_api = LaterModule("metasearch.review.press.api")
    press_pages = LaterModule("metasearch.review.press.pages")
    projects_api = LaterModule("metasearch.review.projects.api")
    member_pages = LaterModule("metasearch.review.projects.member_pages")
    projects_pages = LaterModule("metasearch.review.projects.pages")
    team_api = LaterModule("metasearch.review.projects.team_api")
    reports_api = LaterModule("metasearch.review.reports.api")
    evidence_pages = LaterModule("metasearch.review.reports.evidence_pages")
    reports_pages = LaterModule("metasearch.review.reports.pages")
    runs_api = LaterModule("metasearch.review.runs.api")
    screening_api = LaterModule("metasearch.review.screening.api")
    screening_pages = LaterModule("metasearch.review.screening.pages")
    strategies_api = LaterModule("metasearch.review.strategies.api")
    strategies_pages = LaterModule("metasearch.review.strategies.pages")
    account_pages = LaterModule("metasearch.review.users.account_pages")
    admin_pages = LaterModule("metasearch.review.users.admin_pages")
    users_api = LaterModule("metasearch.review.users.api")
    audit_pages = LaterModule("metasearch.review.users.audit_pages")
    link_pages = LaterModule("metasearch.review.users.link_pages")
    login_pages = LaterModule("metasearch.review.users.login_pages")
    oidc_login = LaterModule("metasearch.review.users.oidc_login")
    source_switches = LaterModule("metasearch.review.users.source_switches")
    works_api = LaterModule("metasearch.review.works.api")
    duplicate_pages = LaterModule("metasearch.review.works.duplicate_pages")
    works_pages = LaterModule("metasearch.review.works.pages")

_PROJECT = f"{PROJECTS}/{{project}}"
_PAGE = "/projects/{project}"
_STRATEGY_PAGE = f"{_PAGE}/strategies/{{strategy}}"
_STRATEGY = f"{_PROJECT}/strategies/{{strategy}}"


def _route(
    path: str,
    handler: Handler,
    *,
    get: Action | None = None,
    post: Action | None = None,
) -> Route:
    """An address; a method without an action is not taken. Forms that need more than `post` are
    checked by the handler.
    """
    action = get or post
    assert action is not None
    return Route(
        path=path,
        handler=handler,
        gets=get is not None,
        posts=post is not None,
        action=action,
        posts_action=post,
        listed=False,
    )


def _alike(path: str, handler: Handler, methods: str, action: Action) -> Route:
    """An address of which each method asks for the same."""
    return _route(path, handler, **dict.fromkeys(methods.split(), action))


JSON_ROUTES = (
    _route(PROJECTS, projects_api.answer_projects, get="make project", post="make project"),
    _route(f"{PROJECTS}/import", projects_api.answer_import, post="make project"),
    _route(_PROJECT, projects_api.answer_project, get="read", post="edit"),
    _route(f"{_PROJECT}/delete", projects_api.answer_deletion, post="delete"),
    _route(f"{_PROJECT}/log", projects_api.answer_log, get="read"),
    _route(f"{_PROJECT}/questions", projects_api.answer_questions, get="read", post="edit"),
    _route(f"{_PROJECT}/archive", projects_api.answer_archive, get="export"),
    _route(f"{_PROJECT}/other-sources", runs_api.answer_other_sources, get="read", post="edit"),
    _route(f"{_PROJECT}/other-sources/{{number}}", runs_api.answer_other_source, post="edit"),
    _route(f"{_PROJECT}/known", runs_api.answer_known_works, get="read", post="edit"),
    _route(f"{_PROJECT}/known/remove", runs_api.answer_known_removal, post="edit"),
    _route(f"{_PROJECT}/search-files", strategies_api.answer_file_reading, post="edit"),
    _route(f"{_PROJECT}/strategies", strategies_api.answer_strategies, get="read", post="edit"),
    _route(_STRATEGY, strategies_api.answer_strategy, get="read", post="edit"),
    _route(f"{_STRATEGY}/steps", strategies_api.answer_steps, post="edit"),
    _route(f"{_STRATEGY}/steps/{{step}}", strategies_api.answer_step, post="edit"),
    _route(f"{_STRATEGY}/citations", runs_api.answer_citations, post="edit"),
    _route(f"{_STRATEGY}/paste", strategies_api.answer_paste, post="edit"),
    _route(f"{_STRATEGY}/written", strategies_api.answer_text, get="read"),
    _route(f"{_STRATEGY}/search-file", strategies_api.answer_file, get="export"),
    _route(f"{_STRATEGY}/review", press_api.answer_strategy, get="read"),
    # A text that is not kept.
    _route(f"{_PROJECT}/review", press_api.answer_text, post="read"),
    _route(f"{_STRATEGY}/copy", strategies_api.answer_copy, post="edit"),
    _route(f"{_STRATEGY}/counts", strategies_api.answer_counts, get="read"),
    _route(f"{_STRATEGY}/validation", runs_api.answer_validation, get="read"),
    _route(f"{_STRATEGY}/evidence", reports_api.answer_evidence, get="read"),
    _route(f"{_STRATEGY}/words", reports_api.answer_words, get="read"),
    _route(f"{_PROJECT}/runs", runs_api.answer_runs, get="read", post="run"),
    _route(f"{_PROJECT}/runs/{{run}}", runs_api.answer_run, get="read"),
    _route(f"{_PROJECT}/runs/{{run}}/stop", runs_api.answer_stop, post="run"),
    _route(f"{_PROJECT}/runs/{{run}}/resume", runs_api.answer_resume, post="run"),
    _route(f"{_PROJECT}/imports", works_api.answer_imports, post="edit"),
    _route(f"{_PROJECT}/works", works_api.answer_works, get="read"),
    _route(f"{_PROJECT}/works/{{work:.+}}", works_api.answer_work, get="read"),
    _route(f"{_PROJECT}/decisions", works_api.answer_decisions, post="screen"),
    _route(f"{_PROJECT}/tags", works_api.answer_tags, post="screen"),
    _route(f"{_PROJECT}/notes", works_api.answer_notes, post="screen"),
    _route(f"{_PROJECT}/decisions/import", works_api.answer_decision_import, post="edit"),
    # Which works are exported stands in the body of a POST; nothing is changed.
    _route(f"{_PROJECT}/exports", works_api.answer_exports, get="export", post="export"),
    _route(f"{_PROJECT}/pins", works_api.answer_pins, get="read", post="edit"),
    _route(f"{_PROJECT}/pins/remove", works_api.answer_unpin, post="edit"),
    # One's own vote; whatever else is undone asks for "edit", in the handler.
    _route(f"{_PROJECT}/undo", works_api.answer_undo, post="screen"),
    _route(f"{_PROJECT}/check", reports_api.answer_checks, get="read", post="run"),
    _route(f"{_PROJECT}/check/stop", reports_api.answer_check_stop, post="run"),
    _route(f"{_PROJECT}/reports", reports_api.answer_reports, get="read"),
    _route(f"{_PROJECT}/reports/{{kind}}", reports_api.answer_report, get="read", post="report"),
)
PAGE_ROUTES = (
    _route("/projects", projects_pages.answer_list, get="make project", post="make project"),
    _route(_PAGE, projects_pages.answer_overview, get="read", post="edit"),
    _route(f"{_PAGE}/strategies", strategies_pages.answer_list, get="read", post="edit"),
    _route(
        _STRATEGY_PAGE,
        strategies_pages.answer_strategy,
        get="read",
        post="edit",
    ),
    _route(
        f"{_STRATEGY_PAGE}/search-file",
        strategies_pages.answer_search_file,
        get="export",
    ),
    _route(f"{_STRATEGY_PAGE}/review", press_pages.answer_strategy, get="read", post="edit"),
    _route(f"{_STRATEGY_PAGE}/review/{{form}}", press_pages.answer_form, get="export"),
    _route(f"{_PAGE}/review", press_pages.answer_text, get="read", post="read"),
    _route(f"{_STRATEGY_PAGE}/check", strategies_pages.answer_check, get="read"),
    _route(f"{_STRATEGY_PAGE}/evidence", evidence_pages.answer_evidence, get="read"),
    _route(
        f"{_STRATEGY_PAGE}/progress",
        strategies_pages.answer_progress,
        get="read",
    ),
    _route(f"{_PAGE}/works", works_pages.answer_works, get="read", post="screen"),
    _route(f"{_PAGE}/works/duplicates", duplicate_pages.answer_duplicates, get="read", post="edit"),
    _route(f"{_PAGE}/works/export", works_pages.answer_export, get="export"),
    _route(f"{_PAGE}/reports", reports_pages.answer_list, get="read", post="read"),
    _route(f"{_PAGE}/reports/{{report}}", reports_pages.answer_report, get="read", post="edit"),
    _route(f"{_PAGE}/log", projects_pages.answer_log, get="read", post="screen"),
    _route(f"{_PAGE}/archive", projects_pages.answer_archive, get="export"),
)
PROJECT_ROUTES = (*PAGE_ROUTES, *JSON_ROUTES)
#: The addresses of who works on projects, on a server with users alone. An administrator is a
#: member of no project by office: the addresses for administrators name none.
TEAM_ROUTES = (
    _route(f"{_PAGE}/members", member_pages.answer_members, get="read", post="read"),
    _route(f"{_PAGE}/screening", screening_pages.answer_screening, get="read", post="screen"),
    _route(f"{_PROJECT}/screening", screening_api.answer_screening, get="read", post="members"),
    _route(f"{_PROJECT}/screening/conflicts", screening_api.answer_conflicts, get="read"),
    # A third screener, or who may "resolve".
    _route(f"{_PROJECT}/screening/resolve", screening_api.answer_resolution, post="screen"),
    _route(f"{_PROJECT}/screening/agreement", screening_api.answer_agreement, get="read"),
    _route(f"{_PROJECT}/members", team_api.answer_members, get="read", post="members"),
    _route(f"{_PROJECT}/members/leave", team_api.answer_leave, post="read"),
    _route(
        f"{_PROJECT}/members/invitations/{{number}}",
        team_api.answer_invitation_end,
        post="members",
    ),
    _route(f"{_PROJECT}/members/{{user}}", team_api.answer_member, post="members"),
    _route(
        f"{_PROJECT}/reports/{{kind}}/signatures",
        team_api.answer_signatures,
        get="read",
        post="sign",
    ),
    _alike("/admin/projects", member_pages.answer_all, "get post", "administer"),
    _alike("/api/admin/projects", team_api.answer_all_projects, "get post", "administer"),
)


# The addresses of saved searches: pages, the JSON interface, feeds, and what ends e-mails.

_ONE_SAVED = f"{SAVED}/{{saved}}"


#: Who asks for these cannot log in: the address is the secret.
_by_secret = partial(Route, keyless=True, counted="by the handler", listed=False)
SAVED_ROUTES = (
    _alike("/saved", alerts_pages.answer_list, "get post", "save search"),
    _alike("/saved/{saved}", alerts_pages.answer_one, "get post", "save search"),
    _alike(SAVED, alerts_api.answer_saved_searches, "get post", "save search"),
    _alike(_ONE_SAVED, alerts_api.answer_saved_search, "get post", "save search"),
    _alike(f"{_ONE_SAVED}/delete", alerts_api.answer_deletion, "post", "save search"),
    _alike(f"{_ONE_SAVED}/run", alerts_api.answer_run, "post", "save search"),
    _alike(f"{_ONE_SAVED}/news", alerts_api.answer_news, "get", "save search"),
    _alike(f"{_ONE_SAVED}/feed", alerts_api.answer_new_feed, "post", "save search"),
    _by_secret("/feeds/{secret}.atom", feeds.answer_atom),
    _by_secret("/feeds/{secret}.json", feeds.answer_json),
    _by_secret("/unsubscribe/{secret}", alerts_pages.answer_unsubscribe, posts=True),
)


# The addresses about users: the account of each, the administration, and both as JSON.

#: What those of the JSON interface begin with.


ACCOUNT_ROUTES = (
    _alike("/account", account_pages.answer_account, "get post", "account"),
    _alike("/account/data", account_pages.answer_data, "get", "account"),
    _alike("/admin", admin_pages.answer_start, "get", "administer"),
    _alike("/admin/users", admin_pages.answer_users, "get post", "administer"),
    _alike("/admin/users/{user}", admin_pages.answer_user, "get post", "administer"),
    _alike("/admin/sources", source_switches.answer_sources, "get post", "administer"),
    _alike("/admin/audit", audit_pages.answer_audit, "get", "administer"),
    _alike("/admin/audit/file", audit_pages.answer_file, "get", "administer"),
    _alike(ACCOUNT, users_api.answer_account, "get post", "account"),
    _alike(f"{ACCOUNT}/data", users_api.answer_own_data, "get", "account"),
    _alike(f"{ACCOUNT}/sessions", users_api.answer_sessions, "get", "account"),
    _alike(f"{ACCOUNT}/sessions/end", users_api.answer_session_end, "post", "account"),
    _alike(f"{ACCOUNT}/tokens", users_api.answer_tokens, "get post", "account"),
    _alike(f"{ACCOUNT}/tokens/{{number}}/revoke", users_api.answer_token_end, "post", "account"),
    _alike(f"{ACCOUNT}/address", users_api.answer_address, "post", "account"),
    _alike(f"{ACCOUNT}/delete", users_api.answer_deletion, "post", "account"),
    _alike(f"{ADMIN}/users", users_api.answer_users, "get post", "administer"),
    _alike(f"{ADMIN}/users/{{user}}", users_api.answer_user, "get post", "administer"),
    _alike(f"{ADMIN}/users/{{user}}/link", users_api.answer_link, "post", "administer"),
    _alike(
        f"{ADMIN}/users/{{user}}/sessions/end", users_api.answer_sessions_end, "post", "administer"
    ),
    _alike(f"{ADMIN}/users/{{user}}/delete", users_api.answer_user_deletion, "post", "administer"),
    _alike(f"{ADMIN}/invitations", users_api.answer_invitations, "get post", "administer"),
    _alike(
        f"{ADMIN}/invitations/{{number}}/revoke",
        users_api.answer_invitation_end,
        "post",
        "administer",
    ),
    _alike(f"{ADMIN}/sources", users_api.answer_sources, "get post", "administer"),
    _alike(f"{ADMIN}/audit", users_api.answer_audit, "get", "administer"),
)


# The addresses that only a server with users has: log in and out, set a password, join. What else
# only such a server has belongs here, too.


#: Addresses for somebody who is not logged in yet; the handler says who may use them.
_login_route = partial(Route, keyless=True, listed=False)
USERS_ROUTES = (
    _login_route("/login", login_pages.answer_login, posts=True),
    _login_route("/login/oidc", oidc_login.answer_oidc_login),
    _login_route("/login/oidc/back", oidc_login.answer_oidc_return),
    _login_route("/logout", login_pages.answer_logout, posts=True, gets=False),
    _login_route("/password", login_pages.answer_password, posts=True),
    _login_route("/password/{link}", link_pages.answer_password_link, posts=True),
    _login_route("/join/{link}", link_pages.answer_join, posts=True),
    _login_route("/address/{link}", link_pages.answer_address, posts=True),
    *ACCOUNT_ROUTES,
)
