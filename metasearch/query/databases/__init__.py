"""The syntaxes of databases that strategies of reviews are written in: one table a database, one
reader for all.

`grammar.py` describes the table; `ovid.py`, `scopus.py` and so on are the tables; `reader.py`
reads by them, `ovid_reader.py` and so on add what one database alone has, and `lines.py` reads
strategies whose lines have numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from metasearch.query.databases.lines import LineReader, numbered_lines, read_lines
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
    "ieee": ("ieee_reader", "IeeeReader"),
}


def parse_database(text: str, syntax: str) -> ReadQuery:
    """Read a strategy in the syntax of one database, a single text or lines with numbers.

    `syntax`: a key of `metasearch.query.syntaxes.SYNTAXES` that is the syntax of a database. Raises
    QuerySyntaxError: it cannot be read in that syntax.
    """
    return read_or_suggest(lambda one: _read(one, syntax), text)


def line_reader(syntax: str) -> Callable[..., LineReader]:
    """What reads one line in the syntax of a database, made of its text, the lines that it may name
    and where its losses are gathered; `PubmedReader` of pubmed/parser.py does the same.
    """
    module, name = _READERS[syntax]
    made: Callable[..., LineReader] = getattr(
        import_module(f"metasearch.query.databases.{module}"), name
    )
    return made


def _read(text: str, syntax: str) -> ReadQuery:
    make = line_reader(syntax)
    # The whole is looked at once, for what holds for it: its length, and that it is text.
    one = make(text)
    lines = numbered_lines(text)
    return one.ended(one.tree()) if lines is None else read_lines(text, lines, make, syntax)


__all__ = ["line_reader", "parse_database"]
