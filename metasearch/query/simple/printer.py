r"""`Query` -> text of our own syntax: `parse(to_text(query)) == query` for every normalised tree
within the caps.

A word that the parser would take for something else gets a backslash, which makes it a mere word:
`\AND`, `\year:2020`, `\10.1000/x`, `\-omics`. Brackets, quotes and stars in a word get one each, so
do quotes and backslashes in a phrase.
"""

from __future__ import annotations

import re

from metasearch.errors import QuerySyntaxError
from metasearch.query.ast import CODED_FIELDS, And, Not, Or, Query, Term, Years, conjunction
from metasearch.query.identifiers import bare_doi
from metasearch.query.simple import parse
from metasearch.query.simple.field_names import FIELD_NAMES
from metasearch.query.years import years_text

_SMALL = "and or not"
_SMALL_WORD = re.compile(r"(?<!\S)(?:and|or|not)(?!\S)|[(:](?:and|or|not)\b|\b(?:and|or|not)\)")
_IN_WORD = str.maketrans({char: f"\\{char}" for char in '\\"＂“”„()（）'})
_IN_PHRASE = str.maketrans({char: f"\\{char}" for char in '\\"'})


def to_text(query: Query) -> str:
    """The query in our own syntax, with no more brackets than it needs."""
    text = _text(query, "")
    # Beside brackets and fields, `and` in small letters would be an operator.
    return (
        _text(query, _SMALL)
        if _SMALL_WORD.search(text) and any(sign in text for sign in "(:")
        else text
    )


def _text(query: Query, escaped: str) -> str:
    """As `to_text`; the words in `escaped` get a backslash."""
    match query:
        case Term():
            return _term(query, escaped)
        case Years():
            return f"year:{years_text(query)}"
        case And(parts):
            return " AND ".join(
                _grouped(part, escaped) if isinstance(part, Or) else _text(part, escaped)
                for part in parts
            )
        case Or(parts):
            return " OR ".join(_text(part, escaped) for part in parts)
        case Not(part):
            several = isinstance(part, And | Or) or (
                isinstance(part, Term) and part.field == "any" and _several(part)
            )
            return f"NOT {_grouped(part, escaped) if several else _text(part, escaped)}"


def _grouped(query: Query, escaped: str) -> str:
    return f"({_text(query, escaped)})"


def _several(term: Term) -> bool:
    return not term.phrase and " " in term.text


def _term(term: Term, escaped: str) -> str:
    prefix = "" if term.field == "any" else f"{term.field}:"
    if term.phrase:
        return f'{prefix}"{term.text.translate(_IN_PHRASE)}"'
    if term.truncated:
        return _truncated(prefix, term)
    words = term.text.split()
    grouped = bool(prefix) and len(words) > 1
    frame = f"{prefix}({{}})" if grouped else f"{prefix}{{}}"
    return frame.format(
        " ".join(
            f"\\{word}"
            if word in escaped.split()
            else _word(word, term.field, frame, several=len(words) > 1)
            for word in words
        )
    )


def _truncated(prefix: str, term: Term) -> str:
    escaped = term.text.translate(_IN_WORD).replace("*", r"\*")
    for written in (f"{prefix}{term.text}*", f"{prefix}{escaped}*"):
        if _reads_as(written, term):
            return written
    return f"{prefix}{escaped}*" if escaped.startswith("\\") else f"{prefix}\\{escaped}*"


def _word(word: str, field: str, frame: str, *, several: bool) -> str:
    escaped = word.translate(_IN_WORD).replace("*", r"\*")
    meant = Term(word, field)
    for written in (word, escaped):
        # Two bare DOIs side by side are two terms, so none of the words of one term may be one; and
        # whether "type:" is a word depends on the next one.
        apart = (
            several
            and "\\" not in written
            and (bare_doi(written) is not None or _names_a_coded_field(written))
        )
        if not apart and _reads_as(frame.format(written), meant):
            return written
    return escaped if escaped.startswith("\\") else f"\\{escaped}"


def _names_a_coded_field(word: str) -> bool:
    return word[-1:] in (":", "：") and FIELD_NAMES.get(word[:-1].lower()) in CODED_FIELDS


def _is_word(text: str) -> bool:
    """Whether a text is a word in every place; in capitals it may be an operator."""
    return text.isalnum() and not text.isupper()


def _reads_as(text: str, term: Term) -> bool:
    if term.field not in CODED_FIELDS and not term.truncated and _is_word(term.text):
        return True
    try:
        # A type or language is a query only beside a word.
        return (
            parse(f"{text} x") == conjunction(term, Term("x"))
            if term.field in CODED_FIELDS
            else parse(text) == term
        )
    except QuerySyntaxError:
        return False
