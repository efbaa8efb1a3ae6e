"""IEEE Xplore has nothing but its table."""

from __future__ import annotations

from metasearch.query.databases.ieee import IEEE
from metasearch.query.databases.reader import DatabaseReader


class IeeeReader(DatabaseReader):
    """One text in the syntax of IEEE Xplore."""

    grammar = IEEE
