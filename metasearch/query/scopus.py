"""The syntax of Scopus: `TITLE-ABS-KEY(gambl* W/3 harm) AND PUBYEAR > 2009`."""

from __future__ import annotations

import re

from metasearch.query.databases.grammar import (
    ABSTRACT,
    ANY,
    AUTHOR,
    DOI,
    FIRST_AUTHOR,
    HEADING,
    ISBN,
    ISSN,
    LANGUAGE,
    NOWHERE,
    NUMBER,
    SUBJECT,
    TITLE,
    TITLE_ABSTRACT,
    TOPIC,
    TYPE,
    VENUE,
    YEAR,
    DatabaseGrammar,
    codes,
    near,
)
from metasearch.query.field_targets import FieldTarget

SCOPUS = DatabaseGrammar(
    "scopus",
    "Scopus",
    codes(
        ("all", ANY),
        ("title", TITLE),
        ("abs", ABSTRACT),
        ("title-abs", TITLE_ABSTRACT),
        ("title-abs-key", TOPIC),
        (
            "title-abs-key-auth",
            FieldTarget(("title", "abstract", "subject", "author")),
        ),
        ("key authkey", SUBJECT),
        ("indexterms chemname tradename", HEADING),
        ("auth author-name authlastname authlast editor", AUTHOR),
        ("firstauth", FIRST_AUTHOR),
        ("srctitle exactsrctitle confname conf", VENUE),
        ("pubyear", YEAR),
        ("language", LANGUAGE),
        ("doctype", TYPE),
        ("doi", DOI),
        ("issn issnp eissn", ISSN),
        ("isbn", ISBN),
        ("eid pmid casregnumber", NUMBER),
        (
            (
                "affil affilorg affilcity affilcountry af-id au-id orcid authfirst authcollab "
                "openaccess oa"
            ),
            NOWHERE,
        ),
        (
            (
                "subjarea srctype pubstage fund-all fund-sponsor fund-acr fund-no funding volume "
                "issue pages artnum"
            ),
            NOWHERE,
        ),
        (
            (
                "refeid ref reftitle refauth refsrctitle refpubyear pubdatetxt confloc confspons "
                "chem manufacturer"
            ),
            NOWHERE,
        ),
        ("sequencebank website exactkeyword load-date recordtype", NOWHERE),
    ),
    prefix=re.compile(r"([A-Za-z][A-Za-z-]{1,20})\s{0,5}(?=\()"),
    near=near(),
    order=("OR", "AND", "NOT"),
    quotes={"{": "}"},
)

#: `DOCTYPE(ar)` and `LIMIT-TO(DOCTYPE, "ar")` -> our types.
DOCTYPES = {
    "ar": "article", "re": "review", "cp": "conference-paper", "ch": "chapter", "bk": "book",
    "cr": "proceedings",
    "le": "letter", "ed": "editorial", "er": "erratum", "no": "letter", "sh": "article",
    "rp": "report",
    "dp": "article", "tb": "retraction", "bz": "article", "ab": "article",
}  # fmt: skip
