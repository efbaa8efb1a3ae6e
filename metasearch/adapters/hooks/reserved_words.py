"""Databases that take AND, OR, NOT, NEAR and SAME for operators in small letters, too, and beside
which quotes stand.

There "and" or "near" among the plain words of a query is a mistake of syntax, and in quotes it is a
word. All other words stay without quotes, because quotes switch off that other forms of a word are
found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.translate.plan import Plan, plan_request
from metasearch.query.tree import And, Not, Or, Query, Term, conjunction

_RESERVED = frozenset({"and", "or", "not", "near", "onear", "same", "pre"})


def plan(
    query: Query, spec: AdapterSpec, wanted: int, env: Mapping[str, str], depth: int | None = None
) -> Plan:
    """The plan of the query with its reserved words in quotes."""
    return plan_request(_quoted(query), spec, wanted, env, depth)


def _quoted(query: Query) -> Query:
    match query:
        case Term(text=text, phrase=False, truncated=False):
            words = text.split()
            reserved = [word for word in words if word.casefold() in _RESERVED]
            if not reserved:
                return query
            plain = " ".join(word for word in words if word.casefold() not in _RESERVED)
            quoted = [replace(query, text=word, phrase=True) for word in reserved]
            return conjunction(replace(query, text=plain) if plain else None, *quoted)
        case And(parts):
            return conjunction(*map(_quoted, parts))
        case Or(parts):
            return Or(tuple(map(_quoted, parts)))
        case Not(part):
            return Not(_quoted(part))
    return query
