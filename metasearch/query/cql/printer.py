r"""`Query` -> CQL 1.2 in its usual context sets: `parse_cql(to_cql(query)).query == query` for
every normalised tree, but that an alternative that stands there twice is read once, and a DOI that
is looked for everywhere as one.

Terms always stand in quotes, with a backslash before what would be a mask, so that none is a
keyword.
"""

from __future__ import annotations

from metasearch.query.ast import And, Not, Or, Query, Term, Years

#: Our field -> an index that CQL servers know; what the sets lack has a name of our own, without a
#: prefix.
_INDEX = {
    "any": "cql.anywhere", "title": "dc.title", "author": "dc.creator", "venue": "venue",
    "abstract": "abstract",
    "subject": "dc.subject", "doi": "doi", "isbn": "bath.isbn", "issn": "bath.issn",
    "type": "dc.type",
    "language": "dc.language",
}  # fmt: skip
_ESCAPED = str.maketrans({char: f"\\{char}" for char in '\\"*?^'})
_ALL = "cql.allRecords = 1"


def to_cql(query: Query) -> str:
    """The query in CQL, with brackets around everything that is put together of several."""
    match query:
        case Term():
            return _term(query)
        case Years(first, last):
            return _years(first, last)
        case Or(parts):
            return " or ".join(map(_operand, parts))
        case Not(part):
            return f"{_ALL} not {_operand(part)}"
        case And(parts):
            begin = (
                f"{_ALL} not {_operand(parts[0].part)}"
                if isinstance(parts[0], Not)
                else _operand(parts[0])
            )
            rest = (
                f"not {_operand(it.part)}" if isinstance(it, Not) else f"and {_operand(it)}"
                for it in parts[1:]
            )
            return " ".join([begin, *rest])


def _operand(query: Query) -> str:
    return to_cql(query) if isinstance(query, Term | Years) else f"({to_cql(query)})"


def _term(term: Term) -> str:
    text = term.text.translate(_ESCAPED)
    several = " " in text
    if term.phrase:
        relation = "adj"
    elif several and term.field not in ("doi", "type", "language"):
        relation = "all"
    else:
        relation = "="
    return f'{_INDEX[term.field]} {relation} "{text}{"*" if term.truncated else ""}"'


def _years(first: int | None, last: int | None) -> str:
    if first == last:
        return f"dc.date = {first:04d}"
    if first is None:
        return f"dc.date <= {last:04d}"
    return f"dc.date >= {first:04d}" if last is None else f'dc.date within "{first:04d} {last:04d}"'
