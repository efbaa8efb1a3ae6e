"""The addresses of a server without users, those of its wing as well, and which are pages."""

from __future__ import annotations

from metasearch.server.app import ROUTES
from metasearch.server.wing import server_wing

EVERY_ROUTE = (*ROUTES, *server_wing().routes(users=False))
#: Routes of searches that are no interface: pages for people alone, what their script reads, and
#: files that pages and crawlers need.
PAGES = frozenset(
    {
        "/advanced",
        "/basket",
        "/favicon.ico",
        "/help",
        "/robots.txt",
        "/settings",
        "/static/{name}",
        "/updates",
    }
)
#: What the addresses of a wing's pages begin with.
_OF_WINGS = ("/projects", "/saved", "/unsubscribe/{secret}")


def is_page(path: str) -> bool:
    """Whether a route is no interface."""
    return path in PAGES or any(
        path == start or path.startswith(f"{start}/") for start in _OF_WINGS
    )
