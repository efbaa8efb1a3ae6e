"""The addresses about users: the account of each, the administration, and both as JSON."""

from __future__ import annotations

from typing import Literal

from metasearch.server.faces import on_first_request
from metasearch.server.route import Route

#: What those of the JSON interface begin with.
ACCOUNT, ADMIN = "/api/account", "/api/admin"


def _route(
    path: str,
    module: str,
    handler: str,
    methods: str,
    action: Literal["account", "administer"],
) -> Route:
    return Route(
        path=path,
        handler=on_first_request(f"users.{module}", handler),
        gets="get" in methods,
        posts="post" in methods,
        action=action,
        listed=False,
    )


ROUTES = (
    _route("/account", "account", "answer", "get post", "account"),
    _route("/account/data", "account", "data", "get", "account"),
    _route("/admin", "admin_users", "start", "get", "administer"),
    _route("/admin/users", "admin_users", "answer", "get post", "administer"),
    _route("/admin/users/{user}", "admin_user", "answer", "get post", "administer"),
    _route("/admin/sources", "admin_sources", "answer", "get post", "administer"),
    _route("/admin/audit", "admin_audit", "answer", "get", "administer"),
    _route("/admin/audit/file", "admin_audit", "file", "get", "administer"),
    _route(ACCOUNT, "api_account", "account", "get post", "account"),
    _route(f"{ACCOUNT}/data", "api_account", "data", "get", "account"),
    _route(f"{ACCOUNT}/sessions", "api_account", "sessions_", "get", "account"),
    _route(f"{ACCOUNT}/sessions/end", "api_account", "end", "post", "account"),
    _route(f"{ACCOUNT}/tokens", "api_account", "tokens_", "get post", "account"),
    _route(f"{ACCOUNT}/tokens/{{number}}/revoke", "api_account", "revoke", "post", "account"),
    _route(f"{ACCOUNT}/address", "api_account", "address", "post", "account"),
    _route(f"{ACCOUNT}/delete", "api_account", "delete", "post", "account"),
    _route(f"{ADMIN}/users", "api_admin", "users", "get post", "administer"),
    _route(f"{ADMIN}/users/{{user}}", "api_admin", "user_", "get post", "administer"),
    _route(f"{ADMIN}/users/{{user}}/link", "api_admin", "link", "post", "administer"),
    _route(f"{ADMIN}/users/{{user}}/sessions/end", "api_admin", "end", "post", "administer"),
    _route(f"{ADMIN}/users/{{user}}/delete", "api_admin", "delete", "post", "administer"),
    _route(f"{ADMIN}/invitations", "api_admin", "invitations", "get post", "administer"),
    _route(f"{ADMIN}/invitations/{{number}}/revoke", "api_admin", "revoke", "post", "administer"),
    _route(f"{ADMIN}/sources", "api_admin", "sources", "get post", "administer"),
    _route(f"{ADMIN}/audit", "api_admin", "audit_", "get", "administer"),
)
