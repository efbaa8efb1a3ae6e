"""The syntax of the ACM Digital Library: `Title:(gambl* OR betting) AND Abstract:(harm)`, and what
it prints of a query: `[[Title: gambl*] OR [Title: betting]] AND [Abstract: harm]`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from metasearch.query.grammar import DOUBLE, DatabaseGrammar, SyntaxStyle, codes
from metasearch.query.lucene import LuceneReader, near_words
from metasearch.query.scanner import EarlierLine, SyntaxLosses

# https://dl.acm.org/search/advanced: fields as they are typed, and as they are printed.

_CODES = codes("""
    any: allfield|all|all fields|anywhere
    everywhere: fulltext|full text|content.ftsec
    title: title|acmdltitle
    abstract: abstract|recordabstract
    subject: keyword|keywords|author keyword|author keywords|keywords.author.keyword
    heading: ccs|ccs 2012|ccs2012|ccs concept|ccs concepts|acmdlccs
    author: contribauthor|persons.authors.personname|author|authors|contributor|contributors|name|
      names
    venue: publication title|publicationtitle|pubtitle|publication|publications|journal|conference|
      conference name|conferencename|proceedings/book names|proceedings|journal/magazine names
    year: e-publication date|epublication date|epubdate|publication date|publication year|year|
      pubdate|pubyear|ppubdate|earliest publication date
    type: content type|article type|contenttype|articletype
    doi: doi
    isbn: isbn
    issn: issn
    nowhere: affiliation|affiliations|author affiliation|contribaffiliation|institution|
      institutions|contribeditor|editor|editors|contribreviewer|reviewer|reviewers|advisor|advisors
    nowhere: conference location|conference locations|conferencelocation|conference sponsor|
      conference sponsors|conferencesponsor|sponsor|sponsors|funder|funders|publisher|publishers|
      acm pub type|pub type|acm content|virtualcontent|media format|media formats|sigs|sig|
      conference collections|conferences|subject area|owner|owners|award|badge|badges|isactive
    """)
_NAMES = "|".join(map(re.escape, sorted(_CODES, key=len, reverse=True)))

ACM = DatabaseGrammar(
    "acm",
    _CODES,
    prefix=re.compile(
        rf"({_NAMES}|[A-Za-z][A-Za-z0-9-]{{1,40}})\s{{0,2}}:(?!//)\s{{0,3}}", re.IGNORECASE
    ),
    quotes={"'": "'"},
    printed=re.compile(
        r"(?:[0-9][0-9,.]{0,10}\s)?Results for:?(?=\s)"
        r"|Searched for:?(?=\s)|Searched The ACM [\w -]{1,60}\([0-9,.]{1,12} records\)\|?"
        r"|(?:Edit|Save) Search\b|Expand your search[^\n]{0,80}",
        re.IGNORECASE,
    ),
)

_QUERY = re.compile(r'"query"\s{0,3}:\s{0,3}\{')
_FILTER = re.compile(r'"filter"\s{0,3}:\s{0,3}\{([^{}]{0,5000})\}')
#: A value of several words in a filter, up to the comma, or the blank at the end.
_VALUE = re.compile(r":\s([^\s:,()](?:[^:,()]{0,200}[^\s:,()])?)\s{0,3}(?:,|\Z)|,")
_QUOTED = re.compile(r'("[^"]{0,1000}")')
_NAMED = re.compile(r"\[(\s{0,3}[A-Za-z][A-Za-z0-9 /-]{1,40}:)")
_ROUND = str.maketrans("[]{}", "()()")


class AcmReader(LuceneReader):
    grammar = ACM

    def __init__(
        self,
        text: str,
        lines: Mapping[int, EarlierLine] | None = None,
        losses: SyntaxLosses | None = None,
    ) -> None:
        super().__init__(in_round_brackets(text), lines, losses)


def in_round_brackets(text: str) -> str:
    """What ACM prints of a query as one types it, each character in its place: `[Title: x]` is
    `Title:( x)`, and what stands in `"filter": { ... }` has to hold as well.
    """
    text = _FILTER.sub(
        lambda match: (
            f"{'AND':<{match.start(1) - match.start() - 1}}"
            f"({_VALUE.sub(_value_in_brackets, match[1])})"
        ),
        text,
    )
    text = _QUERY.sub(lambda match: f"{'(':>{len(match[0])}}", text)
    return "".join(
        part if part.startswith('"') else _NAMED.sub(r"\1(", part).translate(_ROUND)
        for part in _QUOTED.split(text)
    )


def _value_in_brackets(match: re.Match[str]) -> str:
    """A value in brackets, in as many characters."""
    value = match[1]
    return " " if value is None else f":({value})".ljust(len(match[0]))


_FIELDS = {
    "any": "AllField:({x})",
    "title": "Title:({x})",
    "abstract": "Abstract:({x})",
    "subject": "Keyword:({x})",
    "author": "ContribAuthor:({x})",
    "doi": "DOI:({x})",
    "isbn": "ISBN:({x})",
    "issn": "ISSN:({x})",
}
STYLE = SyntaxStyle(
    name="acm",
    bracketed=True,
    fields=_FIELDS,
    near_words=near_words(_FIELDS),
    stems_in_phrases=False,
    lost=rf"[{DOUBLE}*?\\]",
)
