"""Databases that take AND, OR, NOT, NEAR and SAME for operators in small letters, too, and beside
which quotes stand.

There "and" or "near" among the plain words of a query is a mistake of syntax, and in quotes it is a
word. All other words stay without quotes, because quotes switch off that other forms of a word are
found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.translate.plan import Plan, plan_request
from metasearch.query.tree import And, Near, Not, Or, Query, Term, conjunction

_RESERVED = frozenset({"and", "or", "not", "near", "onear", "same", "pre"})


def plan(
    query: Query, spec: AdapterSpec, wanted: int, env: Mapping[str, str], depth: int | None = None
) -> Plan:
    return plan_request(quote_words(query, _is_reserved), spec, wanted, env, depth)


def _is_reserved(word: str) -> bool:
    return word.casefold() in _RESERVED


def quote_words(query: Query, needs: Callable[[str], bool]) -> Query:
    """The query with those of its plain words in quotes that need them."""
    match query:
        case Term(text=text, phrase=False, truncated=False):
            words = text.split()
            apart = [word for word in words if needs(word)]
            if not apart:
                return query
            plain = " ".join(word for word in words if not needs(word))
            phrases = [replace(query, text=word, phrase=True) for word in apart]
            return conjunction(replace(query, text=plain) if plain else None, *phrases)
        case And(parts):
            return conjunction(*(quote_words(part, needs) for part in parts))
        case Or(parts):
            return Or(tuple(quote_words(part, needs) for part in parts))
        case Not(part):
            return Not(quote_words(part, needs))
        case Near(parts):  # its parts stay as many as they are
            whole = tuple(quote_words(part, needs) for part in parts)
            kept = zip(whole, parts, strict=True)
            return replace(query, parts=tuple(p if isinstance(q, And) else q for q, p in kept))
    return query
