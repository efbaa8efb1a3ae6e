"""The syntax of IEEE Xplore: `"Document Title":x AND ("Abstract":y OR "Author Keywords":z)`."""

from __future__ import annotations

import re

from metasearch.query.databases import DatabaseReader
from metasearch.query.grammar import (
    ABSTRACT,
    ANY,
    AUTHOR,
    DOI,
    HEADING,
    ISBN,
    ISSN,
    NOWHERE,
    SUBJECT,
    TITLE,
    VENUE,
    YEAR,
    DatabaseGrammar,
    near,
)

#: The names of fields hold blanks, so they stand here as they are.
_ROWS = (
    ("all metadata|full text & metadata|full text .and. metadata|full text only", ANY),
    ("document title", TITLE),
    ("abstract", ABSTRACT),
    ("authors|author|first name|last name", AUTHOR),
    ("author keywords", SUBJECT),
    (
        (
            "index terms|ieee terms|mesh_terms|mesh terms|inspec controlled terms|inspec "
            "non-controlled terms"
        ),
        HEADING,
    ),
    ("standards dictionary terms|inspec indexing|controlled terms", HEADING),
    ("publication title|parent publication title|conference", VENUE),
    ("publication year", YEAR),
    ("doi", DOI),
    ("issn", ISSN),
    ("isbn", ISBN),
    (
        (
            "author affiliations|author affiliation|accession number|article number|standard "
            "number|funding agency"
        ),
        NOWHERE,
    ),
    ("publication number|issue|start page|end page|publisher|search index", NOWHERE),
)

IEEE = DatabaseGrammar(
    "ieee",
    "IEEE Xplore",
    {name: tag for names, tag in _ROWS for name in names.split("|")},
    prefix=re.compile(r'["“”]([A-Za-z][A-Za-z &._-]{2,40})["“”]\s{0,3}[:：]'),
    near=near("near", "onear"),
)


class IeeeReader(DatabaseReader):
    """One text in the syntax of IEEE Xplore."""

    grammar = IEEE
