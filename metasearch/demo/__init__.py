"""`metasearch --demo`: a small embedded catalogue behind simulated databases on loopback sockets.

    async with DemoDatabases() as demo:
        answer = await metasearch.search("gambling harms", settings=demo.settings())

How it is made: `catalogue.py` reads the works and finds them, `citations.py` makes up which of them
cite which, `databases/` says in one file a
database which of them it holds, how it tells them and in which shape it answers, `queries.py` reads
queries in their dialects, and `server.py` puts it all behind sockets, or answers an engine of the
same process without any: `metasearch --demo QUERY` does not need them. Another catalogue is read by
`catalogue_file.py`, and `databases/spelling.py` spreads it.
Importing this package imports neither aiohttp nor lxml.
"""

from __future__ import annotations

from metasearch.demo.catalogue import COVERAGE, EXAMPLE_QUERIES, NOTICE, SUBJECTS
from metasearch.demo.server import DemoDatabases, DemoTransport, notice, replay_settings

__all__ = [
    "COVERAGE",
    "EXAMPLE_QUERIES",
    "NOTICE",
    "SUBJECTS",
    "DemoDatabases",
    "DemoTransport",
    "notice",
    "replay_settings",
]
