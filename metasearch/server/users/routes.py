"""The addresses that only a server with users has: log in and out, set a password, join. What else
only such a server has belongs here, too.
"""

from __future__ import annotations

from metasearch.server.account_routes import ROUTES as ACCOUNT_ROUTES
from metasearch.server.faces import on_first_request
from metasearch.server.route import Route


def _route(
    path: str, module: str, name: str = "answer", *, posts: bool = True, gets: bool = True
) -> Route:
    """An address for somebody who is not logged in yet; its handler says who may use it."""
    handler = on_first_request(module, name, package="metasearch.server.users")
    return Route(
        path=path,
        handler=handler,
        posts=posts,
        gets=gets,
        keyless=True,
        listed=False,
    )


ROUTES = (
    _route("/login", "login"),
    _route("/login/oidc", "oidc.login", "begin", posts=False),
    _route("/login/oidc/back", "oidc.login", "back", posts=False),
    _route("/logout", "logout", gets=False),
    _route("/password", "password"),
    _route("/password/{link}", "password_link"),
    _route("/join/{link}", "join"),
    _route("/address/{link}", "address_link"),
    *ACCOUNT_ROUTES,
)
