"""The syntax of embase.com: `'gambling'/exp AND (harm* NEAR/3 reduc*):ti,ab`."""

from __future__ import annotations

import re

from metasearch.query.databases.grammar import (
    ABSTRACT,
    ANY,
    AUTHOR,
    DOI,
    ENTRY_DATE,
    FIRST_AUTHOR,
    HEADING,
    ISBN,
    ISSN,
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

EMBASE = DatabaseGrammar(
    "embase",
    "Embase",
    codes(
        ("all", ANY),
        ("ti tt", TITLE),
        ("ab", ABSTRACT),
        ("au", AUTHOR),
        ("ff", FIRST_AUTHOR),
        ("kw", SUBJECT),
        ("de cl tn mn dn lnk exp syn br mj dd dt", HEADING),
        ("jt ta jo", VENUE),
        ("py", YEAR),
        ("sd", ENTRY_DATE),
        ("la", LANGUAGE),
        ("it", TYPE),
        ("do", DOI),
        ("is", ISSN),
        ("ib", ISBN),
        ("ui id an rn", NUMBER),
        ("af ad ca cy ct ms nc oc pg vi ip sp cn dc ok", NOWHERE),
    ),
    prefix=None,
    suffix=re.compile(
        r"(?:[:/]\s?)([a-z]{2,3}(?:\s?,\s?[a-z]{2}){0,20}(?:/mj)?)(?![\w])", re.IGNORECASE
    ),
    near=near("near", "next"),
    wild="*?$",
    quotes={"'": "'", "‘": "’"},
)
