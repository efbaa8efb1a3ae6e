"""The syntax of Web of Science: `TS=(gambl* NEAR/3 harm) AND PY=2010-2020`."""

from __future__ import annotations

import re

from metasearch.query.databases.grammar import (
    ABSTRACT,
    ANY,
    AUTHOR,
    DOI,
    HEADING,
    ISSN,
    LANGUAGE,
    NOWHERE,
    NUMBER,
    SUBJECT,
    TITLE,
    TOPIC,
    TYPE,
    VENUE,
    YEAR,
    DatabaseGrammar,
    codes,
    near,
)

WOS = DatabaseGrammar(
    "wos",
    "Web of Science",
    codes(
        ("all", ANY),
        ("ts", TOPIC),
        ("ti", TITLE),
        ("ab", ABSTRACT),
        ("au gp ed", AUTHOR),
        ("ak kp de", SUBJECT),
        ("mh mhx mq ma su wc mj", HEADING),
        ("so is-so cf", VENUE),
        ("py fpy", YEAR),
        ("la", LANGUAGE),
        ("dt", TYPE),
        ("do", DOI),
        ("is", ISSN),
        ("pmid ut", NUMBER),
        (
            "oo og ad sg sa ci ps cu zp fo fg ft fd ai wou sdg cd lt pub pubp np dop sub ssgi",
            NOWHERE,
        ),
    ),
    prefix=re.compile(r"([A-Za-z]{2,4})\s{0,5}[=＝]"),
    near=near("near", "same"),
    wild="*?$",
)
