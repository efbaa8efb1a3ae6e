"""The syntax of the Cochrane Library: `[mh Gambling] AND (harm* NEAR/3 reduc*):ti,ab,kw`."""

from __future__ import annotations

import re

from metasearch.query.databases.grammar import (
    ABSTRACT,
    ANY,
    AUTHOR,
    DOI,
    HEADING,
    LANGUAGE,
    NOWHERE,
    NUMBER,
    SUBJECT,
    TITLE,
    TYPE,
    VENUE,
    YEAR,
    DatabaseGrammar,
    codes,
    near,
)

COCHRANE = DatabaseGrammar(
    "cochrane",
    "the Cochrane Library",
    codes(
        ("so-all", ANY),
        ("ti", TITLE),
        ("ab", ABSTRACT),
        ("au", AUTHOR),
        ("kw", SUBJECT),
        ("mh", HEADING),
        ("so", VENUE),
        ("py yr", YEAR),
        ("la", LANGUAGE),
        ("pt", TYPE),
        ("doi", DOI),
        ("an", NUMBER),
        ("crg tb og", NOWHERE),
    ),
    suffix=re.compile(r":([a-z]{2,3}(?:\s?,\s?[a-z]{2}){0,20})(?![\w])", re.IGNORECASE),
    near=near("near", "next"),
)
