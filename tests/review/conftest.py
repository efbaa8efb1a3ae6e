"""The fixtures of tests/server, for the pages and interfaces of reviews; and new workspaces."""

from __future__ import annotations

from tests.review.new_workspaces import empty_workspaces, new_workspaces
from tests.server.conftest import client, engine, folder, serve

__all__ = ("client", "empty_workspaces", "engine", "folder", "new_workspaces", "serve")
