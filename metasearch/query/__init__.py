"""The query: a tree, our own syntax for it, and what can be done with it.

    query = parse('gene drive author:burt NOT "gene therapy" year:2015-')
    read("dc.title=drive").query    # any of syntaxes.py, recognised by its marks
    to_text(query)              # the same in one normal spelling
    matches(query, record)      # True, False, or None: the record does not say

Only the standard library is imported here.
"""

from __future__ import annotations

from metasearch.query.any_syntax import read
from metasearch.query.match import matches
from metasearch.query.reader import ReadQuery, explain
from metasearch.query.simple import parse, to_text
from metasearch.query.syntaxes import CHOICES, SYNTAXES
from metasearch.query.tree import FIELDS, And, Not, Or, Query, Term, Years, conjunction, terms
from metasearch.query.values import YearsLike, parse_years, years_of

__all__ = [
    "CHOICES",
    "FIELDS",
    "SYNTAXES",
    "And",
    "Not",
    "Or",
    "Query",
    "ReadQuery",
    "Term",
    "Years",
    "YearsLike",
    "conjunction",
    "explain",
    "matches",
    "parse",
    "parse_years",
    "read",
    "terms",
    "to_text",
    "years_of",
]
