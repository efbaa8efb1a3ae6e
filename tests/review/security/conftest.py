"""Servers with users; those of tests of the login are in tests/review/users/server."""

from __future__ import annotations

from tests.review.security.team_fixtures import people, serve_team, team, team_template
from tests.review.users.server.conftest import local, open_, proxied

__all__ = ("local", "open_", "people", "proxied", "serve_team", "team", "team_template")
