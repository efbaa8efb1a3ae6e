"""The syntaxes of databases that strategies of reviews are written in: one table a database, one
reader for all.

`grammar.py` describes the table; `ovid.py`, `scopus.py` and so on are the tables; `reader.py`
reads by them, `ovid_reader.py` and so on add what one database alone has, and `lines.py` reads
strategies whose lines have numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from metasearch.query.databases.lines import LineReader, numbered_lines, read_lines
from metasearch.query.databases.losses import Losses
from metasearch.query.databases.scanner import StrategyLine
from metasearch.query.reading import ReadQuery, read_or_suggest

#: Syntax -> (module, class) of what reads a text or line in it.
_READERS: Mapping[str, tuple[str, str]] = {
    "ovid": ("ovid_reader", "OvidReader"),
    "scopus": ("scopus_reader", "ScopusReader"),
    "wos": ("wos_reader", "WosReader"),
    "ebsco": ("ebsco_reader", "EbscoReader"),
    "embase": ("embase_reader", "EmbaseReader"),
    "cochrane": ("cochrane_reader", "CochraneReader"),
    "proquest": ("proquest_reader", "ProquestReader"),
    "ieee": ("wos_reader", "IeeeReader"),
}


def parse_database(text: str, syntax: str) -> ReadQuery:
    """Read a strategy in the syntax of one database, a single text or lines with numbers.

    Args:
        text: As typed.
        syntax: A key of `metasearch.query.syntaxes.SYNTAXES` that is the syntax of a database.

    Raises:
        QuerySyntaxError: It cannot be read in that syntax.
    """
    return read_or_suggest(lambda one: _read(one, syntax), text)


def _read(text: str, syntax: str) -> ReadQuery:
    module, name = _READERS[syntax]
    make = getattr(import_module(f"metasearch.query.databases.{module}"), name)
    # The whole is looked at once, for what holds for it: its length, and that it is text.
    one: LineReader = make(text)
    lines = numbered_lines(text)
    if lines is None:
        return one.ended(one.tree())

    def line_reader(line: str, known: Mapping[int, StrategyLine], losses: Losses) -> LineReader:
        reader: LineReader = make(line, known, losses)
        return reader

    return read_lines(text, lines, line_reader, syntax)


__all__ = ["parse_database"]
