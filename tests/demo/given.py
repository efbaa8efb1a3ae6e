"""A small catalogue that somebody gives to the demo, and what its databases answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from metasearch.demo.catalogue import Holdings
from metasearch.demo.catalogue_file import read_catalogue
from metasearch.demo.databases.database import Reply
from metasearch.demo.server import demo_world

#: Works of all kinds; the last one is only a title.
WORKS: tuple[dict[str, Any], ...] = (
    {
        "id": "deep",
        "subject": "nets",
        "type": "conference-paper",
        "title": "MoDem: Accelerating Visual Learning",
        "authors": [["Hansen", "Nicklas"], ["Lin", "Yixin"]],
        "year": 2023,
        "language": "en",
        "venue": "Journal of Gambling Studies",
        "doi": "10.1000/MODEM",
        "arxiv": "2212.05698",
        "pmid": "11",
    },
    {"id": "old", "type": "preprint", "title": "Knots", "arxiv": "solv-int/9901001", "year": 1999},
    {
        "id": "book",
        "type": "book",
        "title": "Jazz",
        "authors": [["Gioia", "Ted"]],
        "isbn": ["0-306-40615-2"],
        "year": 1988,
    },
    {
        "id": "round",
        "type": "article",
        "title": "Round brackets",
        "doi": "https://doi.org/10.1016/s0140-6736(05)67889-1",
        "pmid": "12",
        "date": "2005-08",
    },
    {"title": "Only a title & no more"},
)


def catalogue(folder: Path, *works: dict[str, Any]) -> Path:
    """A file of these works, or of `WORKS`."""
    file = folder / "own.jsonl"
    lines = [json.dumps(work) for work in works or WORKS]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def everywhere(file: Path, name: str, path: str = "", **params: str) -> Reply:
    """What a database answers that holds all works that it can, without a fault in them."""
    (database,) = (each for each in demo_world(file).databases if each.name == name)
    works = map(database.tell, filter(database.fits, read_catalogue(file)))
    holdings = Holdings(name, works, database.facets)
    named = {key.replace("__", "-").replace("_dot_", "."): text for key, text in params.items()}
    return database.answer(path or database.path, named, holdings)
