"""Servers with users; those of tests of the login are in tests/server/users."""

from __future__ import annotations

from tests.security.team_fixtures import people, serve_team, team, team_template

__all__ = ("people", "serve_team", "team", "team_template")
