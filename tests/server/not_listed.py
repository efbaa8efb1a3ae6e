"""The routes that the OpenAPI document leaves out."""

from __future__ import annotations

#: Routes that are no interface: pages for people alone, what their script reads, and files that
#: pages and crawlers need.
NOT_LISTED = frozenset(
    {
        "/advanced",
        "/basket",
        "/favicon.ico",
        "/help",
        "/projects",
        "/projects/{project}",
        "/projects/{project}/log",
        "/projects/{project}/reports",
        "/projects/{project}/reports/{report}",
        "/projects/{project}/strategies",
        "/projects/{project}/strategies/{strategy}",
        "/projects/{project}/strategies/{strategy}/check",
        "/projects/{project}/strategies/{strategy}/progress",
        "/projects/{project}/works",
        "/projects/{project}/works/export",
        "/robots.txt",
        "/saved",
        "/saved/{saved}",
        "/settings",
        "/static/{name}",
        "/unsubscribe/{secret}",
        "/updates",
    }
)


def is_page(path: str) -> bool:
    """Whether a route is no interface."""
    return path in NOT_LISTED or path.startswith("/projects/")
