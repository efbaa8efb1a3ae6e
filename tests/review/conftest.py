"""The fixtures of tests/server, for the pages and interfaces of reviews."""

from __future__ import annotations

from tests.server.conftest import client, engine, folder, serve

__all__ = ("client", "engine", "folder", "serve")
