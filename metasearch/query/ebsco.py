"""The syntax of EBSCOhost: `(MH "Gambling+") AND TI (harm* N3 reduc*)`."""

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

EBSCO = DatabaseGrammar(
    "ebsco",
    "EBSCOhost",
    codes(
        ("tx", ANY),
        ("ti", TITLE),
        ("ab", ABSTRACT),
        ("au ar", AUTHOR),
        ("ax", FIRST_AUTHOR),
        ("su mw kw kf ot id", SUBJECT),
        ("mh mm mj de ma zw zu dh hw nm", HEADING),
        ("so jn jt", VENUE),
        ("py yr", YEAR),
        ("dt em ed da", ENTRY_DATE),
        ("la lg", LANGUAGE),
        ("pt zt", TYPE),
        ("do", DOI),
        ("is", ISSN),
        ("ib", ISBN),
        ("an ui pm", NUMBER),
        ("af ad ca gr pb vi ip pg cr rt rv fm fx se ge ct in co ze pz pl sb", NOWHERE),
    ),
    prefix=re.compile(r"([A-Z]{2})(?:\s{1,10}(?=[\w\"“'(（*])|(?=[\"“(（]))"),
    near=near(r"[nw][0-9]{1,3}"),
    wild="*?#",
    phrases=True,
    reference=re.compile(r"[Ss]([0-9]{1,4})"),
)
