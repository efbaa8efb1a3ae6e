"""metasearch: one query, many scholarly databases, one merged list that explains itself.

    async for event in metasearch.search("gene drives"): ...
    answer = await metasearch.search("gene drives", sources=["crossref", "pubmed"], limit=50)
    answer = metasearch.search_sync("gene drives", years="2018-")

The public names are loaded when they are first used, so that `import metasearch` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metasearch.engine.dry_run import explain_plan as explain_plan
    from metasearch.engine.engine import Engine as Engine
    from metasearch.engine.options import SearchOptions as SearchOptions
    from metasearch.engine.search import Search as Search
    from metasearch.errors import MetasearchError as MetasearchError
    from metasearch.events import Added as Added
    from metasearch.events import Answer as Answer
    from metasearch.events import Facet as Facet
    from metasearch.events import Facets as Facets
    from metasearch.events import FacetsChanged as FacetsChanged
    from metasearch.events import FacetValue as FacetValue
    from metasearch.events import Finished as Finished
    from metasearch.events import Grown as Grown
    from metasearch.events import Joined as Joined
    from metasearch.events import Order as Order
    from metasearch.events import SourceProgress as SourceProgress
    from metasearch.events import SourceReport as SourceReport
    from metasearch.events import Started as Started
    from metasearch.formats.record_of import record_of as record_of
    from metasearch.library import search as search
    from metasearch.library import search_sync as search_sync
    from metasearch.query import Query as Query
    from metasearch.query import Years as Years
    from metasearch.query.writer import Translation as Translation
    from metasearch.query.writer import translate as translate
    from metasearch.record import Author as Author
    from metasearch.record import Hit as Hit
    from metasearch.record import Match as Match
    from metasearch.record import Record as Record
    from metasearch.settings import Settings as Settings

__version__ = "0.1.0"

_HOME = {
    "MetasearchError": "errors",
    "Added": "events",
    "Answer": "events",
    "FacetsChanged": "events",
    "Finished": "events",
    "Grown": "events",
    "Joined": "events",
    "Order": "events",
    "SourceProgress": "events",
    "SourceReport": "events",
    "Started": "events",
    "Facet": "events",
    "FacetValue": "events",
    "Facets": "events",
    "Query": "query",
    "Years": "query",
    "Translation": "query.writer",
    "translate": "query.writer",
    "Author": "record",
    "Hit": "record",
    "Match": "record",
    "Record": "record",
    "Engine": "engine.engine",
    "Search": "engine.search",
    "SearchOptions": "engine.options",
    "explain_plan": "engine.dry_run",
    "record_of": "formats.record_of",
    "search": "library",
    "search_sync": "library",
    "Settings": "settings",
}
__all__ = [*sorted(_HOME), "__version__"]  # pyright: ignore[reportUnsupportedDunderAll]


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"metasearch.{_HOME[name]}"), name)
    raise AttributeError(f"module 'metasearch' has no attribute {name!r}")
