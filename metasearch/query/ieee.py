"""The syntax of IEEE Xplore: `"Document Title":x AND ("Abstract":y OR "Author Keywords":z)`."""

from __future__ import annotations

import re

from metasearch.query.clauses import IGNORED, Clause, every
from metasearch.query.databases import DatabaseReader
from metasearch.query.grammar import (
    ABSTRACT,
    ANY,
    AUTHOR,
    DOI,
    DOUBLE,
    HEADING,
    ISBN,
    ISSN,
    NOWHERE,
    SUBJECT,
    TITLE,
    VENUE,
    YEAR,
    DatabaseGrammar,
    FieldTarget,
    Style,
    near,
)
from metasearch.query.tree import plain

#: The names of fields hold blanks, so they stand here as they are.
_ROWS = (
    ("all metadata|full text & metadata|full text .and. metadata|full text only", ANY),
    ("document title|title", TITLE),
    ("abstract", ABSTRACT),
    ("authors|author|first name|last name|given name|surname", AUTHOR),
    ("author keywords|author keyword", SUBJECT),
    ("index terms|ieee terms|mesh_terms|mesh terms|standards dictionary terms", HEADING),
    ("inspec controlled terms|inspec non-controlled terms|inspec indexing", HEADING),
    ("controlled terms", HEADING),
    ("publication title|parent publication title|conference", VENUE),
    ("publication year|year", YEAR),
    ("doi", DOI),
    ("issn", ISSN),
    ("isbn", ISBN),
    ("author affiliations|author affiliation|affiliation|author orcid|orcid", NOWHERE),
    ("accession number|article number|standard number|publication number", NOWHERE),
    ("parent publication number|search_latest_date|search latest date", NOWHERE),
    ("issue|volume|start page|end page|article page number|publisher|search index", NOWHERE),
    ("funding agency|standards ics terms|conference location|conference country", NOWHERE),
    ("publication topics|topic|search term|content type", NOWHERE),
)

_CODES = {name: tag for names, tag in _ROWS for name in names.split("|")}
_QUOTED = re.compile(r'"([A-Za-z][A-Za-z &._-]{2,40})"\s{0,3}:')
#: A name is often published without its quotes.
_BARE = "|".join(sorted(map(re.escape, _CODES), key=len, reverse=True))

IEEE = DatabaseGrammar(
    "ieee",
    "IEEE Xplore",
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
    """One text in the syntax of IEEE Xplore."""

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
            years.append(self.ignored("limit", others))
        return every(years or [IGNORED])


# IEEE Xplore's command search: `"All Metadata":(salt AND marsh)`; years are set beside the query.

STYLE = Style(
    name="ieee",
    label="IEEE Xplore",
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
