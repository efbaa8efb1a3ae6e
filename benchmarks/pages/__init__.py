"""Hostile pages: what one database can send to stop the others, and what becomes of a search beside
it.

`made.py` says what a page is; `fields.py`, `numbers.py` and `wire.py` make them; `database.py`
serves them, in a process of its own; `configured.py` names them as sources; `faces.py` asks through
the engine, a real server and the real command; `judged.py` holds what came of it to the rules.
`python3 tasks.py bench faults` prints it.
"""

from __future__ import annotations

from benchmarks.pages import fields, numbers, wire
from benchmarks.pages.made import Page

#: Name -> the page, the worst kinds first.
PAGES: dict[str, Page] = {
    page.name: page for module in (fields, numbers, wire) for page in module.pages()
}
