"""Ovid's syntax: `exp Gambling/ and (harm* or problem*).ti,ab.`"""

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
    TITLE_ABSTRACT,
    TYPE,
    VENUE,
    YEAR,
    DatabaseGrammar,
    codes,
    near,
)

OVID = DatabaseGrammar(
    "ovid",
    "Ovid",
    codes(
        ("mp af", ANY),
        ("ti ot tt", TITLE),
        ("ab", ABSTRACT),
        ("tw ti,ab", TITLE_ABSTRACT),
        ("au fa", AUTHOR),
        ("fs px hw sh xs mh rx ox nm rn sy kp mj", HEADING),
        ("kw kf id dq bt", SUBJECT),
        ("jn jw jx ja nj so", VENUE),
        ("a1 fo", FIRST_AUTHOR),
        ("yr dp", YEAR),
        ("ed dt dc dd da ep ez up cd rd em", ENTRY_DATE),
        ("lg la", LANGUAGE),
        ("pt", TYPE),
        ("do", DOI),
        ("is", ISSN),
        ("ib", ISBN),
        ("ui an pm cn", NUMBER),
        ("in ia cp gi gr no sb st vo ip pg pb cr rf co cw ad ci mf ag po cl cc md", NOWHERE),
    ),
    suffix=re.compile(r"\.([a-z0-9]{2}(?:\s?,\s?[a-z0-9]{2}){0,20})\.?(?![\w.])", re.IGNORECASE),
    near=near(r"adj"),
    wild="*$:?#",
    endless="*$:",
    phrases=True,
    reference=re.compile(r"#?([0-9]{1,4})"),
)
