"""`Query` -> text of our own syntax: `parse(to_text(query)) == query` for every normalised tree within the parser's caps.

A word that the parser would take for something else gets a backslash, which makes it a mere word: `\\AND`, `\\year:2020`,
`\\10.1000/x`, `\\-omics`. Brackets and quotes in a word get one each, and so do quotes and backslashes in a phrase.
"""

from __future__ import annotations

from metasearch.errors import QuerySyntaxError
from metasearch.query.ast import And, Not, Or, Query, Term, Years
from metasearch.query.simple import parse
from metasearch.query.years import years_text

_IN_WORD = str.maketrans({char: f"\\{char}" for char in '\\"＂“”„()（）'})
_IN_PHRASE = str.maketrans({char: f"\\{char}" for char in '\\"'})


def to_text(query: Query) -> str:
    """The query in our own syntax, with no more brackets than it needs."""
    match query:
        case Term():
            return _term(query)
        case Years():
            return f"year:{years_text(query)}"
        case And(parts):
            return " AND ".join(_grouped(part) if isinstance(part, Or) else to_text(part) for part in parts)
        case Or(parts):
            return " OR ".join(to_text(part) for part in parts)
        case Not(part):
            several = isinstance(part, And | Or) or (isinstance(part, Term) and part.field == "any" and _several(part))
            return f"NOT {_grouped(part) if several else to_text(part)}"


def _grouped(query: Query) -> str:
    return f"({to_text(query)})"


def _several(term: Term) -> bool:
    return not term.phrase and " " in term.text


def _term(term: Term) -> str:
    prefix = "" if term.field == "any" else f"{term.field}:"
    if term.phrase:
        return f'{prefix}"{term.text.translate(_IN_PHRASE)}"'
    words = term.text.split()
    # Two bare DOIs side by side are two terms, so the words of one term must not look like DOIs.
    mere = term.field == "doi" and len(words) > 1
    text = " ".join(_word(word, term.field, prefix, mere=mere) for word in words)
    return f"{prefix}({text})" if prefix and len(words) > 1 else prefix + text


def _word(word: str, field: str, prefix: str, *, mere: bool) -> str:
    escaped = word.translate(_IN_WORD)
    candidates = [escaped] if mere and escaped != word else [] if mere else [word, escaped]
    meant = Term(word, field)
    return next((it for it in candidates if _reads_as(prefix + it, meant)), f"\\{escaped.removeprefix('\\')}")


def _reads_as(text: str, term: Term) -> bool:
    if term.text.isalnum() and not term.text.isupper():
        return True
    try:
        return parse(text) == term
    except QuerySyntaxError:
        return False
