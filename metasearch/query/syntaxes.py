"""The syntaxes that a query may be typed in, and the one function that reads them all.

    read("TI='水质'*'贝类'").syntax          # "cnki", by its marks: see `detect.py`
    read("gene drive", syntax="pubmed")

A parser is loaded when it is first needed: most queries are simple.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.message import message
from metasearch.query.characters import plain_characters
from metasearch.query.leftovers import leftovers
from metasearch.query.reading import ReadQuery
from metasearch.query.simple import parse

#: Name -> what it is, in a few words.
SYNTAXES: Mapping[str, str] = {
    "simple": "our own: words, AND OR NOT, title:word",
    "cql": 'CQL 1.2, as library catalogues take it: dc.title any "fish frog"',
    "ccl": "CCL, as pazpar2 and Z39.50 clients take it: ti=(gene drive) and au=burt",
    "cnki": "the expert syntax of CNKI, Wanfang and VIP: TI='生态'*(水质+贝类)",
    "pubmed": "PubMed's: heart attack[tiab] AND 2015:2020[dp]",
    "ovid": "Ovid's: exp Gambling/ and (harm* adj3 reduc*).ti,ab.",
    "scopus": "that of Scopus: TITLE-ABS-KEY(gambl* W/3 harm) AND PUBYEAR > 2009",
    "wos": "that of Web of Science: TS=(gambl* NEAR/3 harm) AND PY=2010-2020",
    "ebsco": 'that of EBSCOhost: (MH "Gambling+") AND TI (harm* N3 reduc*)',
    "embase": "that of embase.com: 'gambling'/exp AND (harm* NEAR/3 reduc*):ti,ab",
    "cochrane": "that of the Cochrane Library: [mh Gambling] AND (harm* NEAR/3 reduc*):ti,ab,kw",
    "proquest": 'that of ProQuest: ti,ab(gambl* NEAR/3 harm) AND MESH.EXACT("Gambling")',
    "ieee": 'that of IEEE Xplore: "Document Title":gambling AND "Abstract":harm',
    "europepmc": "that of Europe PMC: TITLE_ABS:(gambl* OR bet) AND PUB_YEAR:[2015 TO 2020]",
    "acm": "that of the ACM Digital Library: Title:(gambl*) AND Abstract:(harm OR loss)",
    "vhl": 'that of LILACS and the Virtual Health Library: mh:"Gambling" OR tw:(jogo$)',
    "sinomed": 'that of SinoMed: "肝肿瘤"[不加权:扩展] OR "肝癌"[常用字段:智能]',
}
#: Those that strategies for one database are written in.
DATABASES = (
    "ovid", "scopus", "wos", "ebsco", "embase", "cochrane", "proquest", "ieee", "europepmc", "acm",
    "vhl", "sinomed",
)  # fmt: skip
#: What may be asked for: one of them, "expert" (another name of cnki), or "auto".
CHOICES = ("auto", *SYNTAXES, "expert")


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


def _recognised(text: str) -> str:
    if bears_no_mark(text):
        return "simple"
    from metasearch.query.detect import detect

    return detect(text)


def _read_by_its_marks(text: str) -> ReadQuery:
    """As `read`; an error in a syntax that was recognised names it, and another one to choose."""
    syntax = _recognised(text)
    try:
        read_query = _read_as(text, syntax)
    except QuerySyntaxError as error:
        if syntax == "simple":
            raise
        raise QuerySyntaxError(
            message(
                "{reason} (recognised as {syntax}; with the syntax simple, the text is "
                "searched for as it is)",
                reason=error.reason,
                syntax=syntax,
            ),
            text=text,
            position=error.position,
            length=error.length,
            suggestion=error.suggestion,
            advice=error.advice,
            syntax=syntax,
            kind=error.kind,
        ) from None
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
