"""The syntax of IEEE Xplore: `"Document Title":x AND ("Abstract":y OR "Author Keywords":z)`."""

from __future__ import annotations

import re

from metasearch.query.clauses import IGNORED, Clause, every
from metasearch.query.database_reader import DatabaseReader
from metasearch.query.grammar import (
    DOUBLE,
    DatabaseGrammar,
    FieldTarget,
    SyntaxStyle,
    codes,
    near,
)
from metasearch.query.tree import plain

#: The names of fields hold blanks, so they stand here as they are.
_CODES = codes("""
    any: all metadata|full text & metadata|full text .and. metadata|full text only
    title: document title|title
    abstract: abstract
    author: authors|author|first name|last name|given name|surname
    subject: author keywords|author keyword
    heading: index terms|ieee terms|mesh_terms|mesh terms|standards dictionary terms
    heading: inspec controlled terms|inspec non-controlled terms|inspec indexing|
      controlled terms
    venue: publication title|parent publication title|conference
    year: publication year|year
    doi: doi
    issn: issn
    isbn: isbn
    nowhere: author affiliations|author affiliation|affiliation|author orcid|orcid
    nowhere: accession number|article number|standard number|publication number
    nowhere: parent publication number|search_latest_date|search latest date
    nowhere: issue|volume|start page|end page|article page number|publisher|search index
    nowhere: funding agency|standards ics terms|conference location|conference country
    nowhere: publication topics|topic|search term|content type
    """)

_QUOTED = re.compile(r'"([A-Za-z][A-Za-z &._-]{2,40})"\s{0,3}:')
#: A name is often published without its quotes.
_BARE = "|".join(sorted(map(re.escape, _CODES), key=len, reverse=True))

IEEE = DatabaseGrammar(
    "ieee",
    _CODES,
    prefix=re.compile(
        rf"""["']?((?:{_BARE})(?=["']?\s?:)|(?<=")[A-Z][A-Z &._-]{{2,40}}(?="))"""
        r"""["']?\s{0,3}:""",
        re.IGNORECASE,
    ),
    near=near("near", "onear"),
    distances={"near": None, "onear": None},
    printed=re.compile(
        r"(?:You )?(?:Filters [Aa]pplied|[Rr]efined [Bb]y):[ \t]{0,3}(?P<limits>[^\n]{1,300})"
        r"|(?:Showing|Displaying results) [0-9,]{1,12}-[0-9,]{1,12} of [0-9,]{1,12}"
        r"(?: results)?(?: for\b)?"
    ),
)

#: What is printed beside the years stands without any sign between: `Conferences 2015 - 2020`.
_YEARS = re.compile(r"(?<![0-9])[12][0-9]{3}\s?-\s?[12][0-9]{3}(?![0-9])")


class IeeeReader(DatabaseReader):
    grammar = IEEE

    def prefix(self) -> tuple[FieldTarget, str] | None:
        before, inside = self.at, self.target is not self.grammar.default
        found = super().prefix()
        if found and inside and self.text[before] != '"':
            self.at = before  # a word with a colon
            return None
        if found is None and (unknown := _QUOTED.match(self.text, self.at)):
            raise self.unknown_field(unknown[1], *unknown.span())
        return found

    def limits(self, text: str, start: int) -> Clause:
        years = [self.limit(match[0], start, match[0]) for match in _YEARS.finditer(text)]
        others = plain(_YEARS.sub(" ", text))
        if any(map(str.isalnum, others)):
            years.append(self.ignore("limit", others))
        return every(years or [IGNORED])


# IEEE Xplore's command search: `"All Metadata":(salt AND marsh)`; years are set beside the query.

STYLE = SyntaxStyle(
    name="ieee",
    fields={
        "any": '"All Metadata":{x}',
        "title": '"Document Title":{x}',
        "abstract": '"Abstract":{x}',
        "author": '"Authors":{x}',
        "subject": '("Author Keywords":{x} OR "Index Terms":{x})',
        "venue": '"Publication Title":{x}',
        "doi": '"DOI":{x}',
        "isbn": '"ISBN":{x}',
        "issn": '"ISSN":{x}',
    },
    reserved="near|onear",
    lost=f"[{DOUBLE}*?]",
    least=3,
    near=" NEAR/{n} ",
    ordered=" ONEAR/{n} ",
)
