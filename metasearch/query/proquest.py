"""The syntax of ProQuest: `ti,ab(gambl* NEAR/3 harm) AND MESH.EXACT.EXPLODE("Gambling")`."""

from __future__ import annotations

import re

from metasearch.message import message
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
from metasearch.query.field_targets import FieldTarget

PROQUEST = DatabaseGrammar(
    "proquest",
    "ProQuest",
    codes(
        ("all", ANY),
        (
            "noft anywhere ft tx text full-text citabs",
            FieldTarget(("any",), message("looked for everywhere")),
        ),
        ("ti title", TITLE),
        ("ab abstract", ABSTRACT),
        ("tiab", TITLE_ABSTRACT),
        ("au author", AUTHOR),
        ("fau la-au aut", FIRST_AUTHOR),
        ("su if diskw key tags", SUBJECT),
        (
            (
                "mesh emb mjmesh mjemb mjmainsubject mainsubject mjsub subject sub subheading "
                "su.exact.explode cc clsub"
            ),
            HEADING,
        ),
        ("pub publication pubtitle jn so", VENUE),
        ("yr py", YEAR),
        ("pd ud lud", ENTRY_DATE),
        ("la lang language", LANGUAGE),
        ("dtype rtype at stype docfeat pt me", TYPE),
        ("doi", DOI),
        ("issn is", ISSN),
        ("isbn ib", ISBN),
        ("an pmid id fn", NUMBER),
        (
            (
                "af aff lo loc pub-loc co cp gi ps fund grant sfi vo iss pg ro ag po in ov un sch "
                "school adv dg cmte nct"
            ),
            NOWHERE,
        ),
    ),
    prefix=re.compile(
        r"([A-Za-z]{2,15}(?:\s?,\s?[A-Za-z]{2,12}){0,10})(?:\.(?:EXACT|EXPLODE|X)){0,2}\s{0,3}(?=\()",
        re.IGNORECASE,
    ),
    near=near("near", "pre"),
    reference=re.compile(r"(?:[Ss]|#)([0-9]{1,4})"),
    order=("AND", "OR", "NOT"),
)
