"""The one function that reads a query in any syntax.

    read("TI='水质'*'贝类'").syntax          # "cnki", by its marks: see `detect.py`
    read("gene drive", syntax="pubmed")

A parser is loaded when it is first needed: most queries are simple.
"""

from __future__ import annotations

from dataclasses import replace

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.message import message
from metasearch.query.characters import plain_characters
from metasearch.query.leftovers import leftovers
from metasearch.query.reader import ReadQuery
from metasearch.query.simple import parse
from metasearch.query.syntaxes import CHOICES, DATABASES


def read(text: str, syntax: str = "auto") -> ReadQuery:
    """Read a query.

    Args:
        text: As typed.
        syntax: One of `CHOICES`.

    Raises:
        QuerySyntaxError: It cannot be read in that syntax. Its place is that in its own `text`,
            which has plain characters.
        UsageError: There is no such syntax.
    """
    if syntax not in CHOICES:
        raise UsageError(
            message("there is no syntax called {syntax}", syntax=repr(syntax[:40])),
            advice=message("Choose one of {names}.", names=", ".join(CHOICES)),
        )
    text = plain_characters(text)
    return _read_by_its_marks(text) if syntax == "auto" else _read_as(text, syntax)


#: Marks of a syntax that consist of letters and blanks only, by a word in each: those of EBSCOhost,
#: the Cochrane Library and PubMed as they are written there, and one of Scopus in any case.
_MARKS_OF_LETTERS = frozenset(
    "TI AB SU TX MH KW Keyword Text Record Publication descriptor DESCRIPTOR DARE NHSEED HTA "
    "hasabstract 与 或 非".split()
)
_MARK_IN_ANY_CASE = "pubyear"


def bears_no_mark(text: str) -> bool:
    """Whether `detect` need not look: no syntax but our own is recognised in a few plain words. Its
    patterns take longer to compile than such a query takes to read.
    """
    words = text.split()
    return (
        "".join(words).isalpha()
        and _MARKS_OF_LETTERS.isdisjoint(words)
        and _MARK_IN_ANY_CASE not in text.lower()
    )


def _syntax_of(text: str) -> str:
    if bears_no_mark(text):
        return "simple"
    from metasearch.query.detect import detect

    return detect(text)


def _read_by_its_marks(text: str) -> ReadQuery:
    """As `read`; an error in a syntax that was recognised names it, and another one to choose."""
    syntax = _syntax_of(text)
    try:
        read_query = _read_as(text, syntax)
    except QuerySyntaxError as error:
        if syntax == "simple":
            raise
        reason = message(
            "{reason} (recognised as {syntax}; with the syntax simple, the text is "
            "searched for as it is)",
            reason=error.reason,
            syntax=syntax,
        )
        raise error.with_changes(reason, text=text, syntax=syntax) from None
    if syntax in DATABASES:
        taken = message(
            "recognised as the syntax {syntax}; with the syntax simple, "
            "the text is searched for as it is",
            syntax=syntax,
        )
        return replace(read_query, notes=(taken, *read_query.notes))
    return read_query


def _read_as(text: str, syntax: str) -> ReadQuery:
    match syntax:
        case "cql":
            from metasearch.query.cql import parse_cql

            return parse_cql(text)
        case "ccl":
            from metasearch.query.ccl import parse_ccl

            return parse_ccl(text)
        case "cnki" | "expert":
            from metasearch.query.cnki import parse_expert

            return parse_expert(text)
        case "pubmed":
            from metasearch.query.pubmed import parse_pubmed

            return parse_pubmed(text)
        case "simple":
            query = parse(text)
            notes = leftovers(text)
            of_sources = frozenset(note for note, of_source in notes.items() if of_source)
            return ReadQuery(query, "simple", tuple(notes), of_sources=of_sources)
    from metasearch.query.strategy import parse_database

    return parse_database(text, syntax)
