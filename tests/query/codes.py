"""Sweeps of the field codes that vendors publish: what becomes of each in a query."""

from __future__ import annotations

from metasearch.query import Years, read
from metasearch.query.grammar import DatabaseGrammar
from metasearch.query.tree import Query, terms

#: Field of ours -> a value that it can hold.
VALUES = {
    "author": "Smith",
    "year": "2015",
    "type": "Review",
    "language": "English",
    "doi": "10.1000/x",
    "issn": "0028-0836",
    "isbn": "9783161484100",
}


def value_for(grammar: DatabaseGrammar, code: str) -> str:
    """A value that a field can hold; for a code that is not in the table, a word."""
    tag = grammar.codes.get(code.lower())
    return VALUES.get(tag.fields[0], "gene") if tag and tag.fields else "gene"


def fate(text: str, syntax: str, code: str) -> str:
    """What becomes of the second of two clauses with AND: "read", or "told" where it is ignored
    or a note names it.

    Fails where the code is a word of the tree, or where it is ignored without a note. Raises
    QuerySyntaxError: it is refused.
    """
    found = read(text, syntax)
    words = {word for term in terms(found.query, negated=True) for word in term.text.split()}

    assert not {code, code.lower()} & words, f"{code} is a word"
    if any(code.casefold() in note.casefold() for note in found.notes):
        return "told"
    assert _parts(found.query) >= 2, f"{code} is lost in silence"
    return "read"


def _parts(query: Query) -> int:
    return isinstance(query, Years) or len(getattr(query, "parts", [query]))
