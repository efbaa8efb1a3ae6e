"""Damages of a file."""

from __future__ import annotations

from pathlib import Path

from metasearch.review.projects import projects
from metasearch.review.store.database import Database


def damaged_page(path: Path) -> None:
    """Make a workspace with many projects, and empty a page of its file."""
    with Database(path) as db:
        for number in range(300):
            projects.create(db, f"p{number}", "review")
        page = db.value("SELECT rootpage FROM sqlite_master WHERE name = 'change_project'")
        size = db.value("PRAGMA page_size")
    content = bytearray(path.read_bytes())
    content[(page - 1) * size : page * size] = bytes(size)
    path.write_bytes(content)
