"""The fixtures of tests/cli, for the commands of this wing."""

from __future__ import annotations

from tests.cli.conftest import engine, own_folders, run

__all__ = ("engine", "own_folders", "run")
