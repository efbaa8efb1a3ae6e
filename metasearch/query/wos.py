"""The syntax of Web of Science: `TS=(gambl* NEAR/3 harm) AND PY=2010-2020`."""

from __future__ import annotations

import re

from metasearch.message import message
from metasearch.query.databases import DatabaseReader
from metasearch.query.grammar import (
    ABSTRACT,
    ANY,
    AUTHOR,
    DOI,
    DOUBLE,
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
    Style,
    YearRanges,
    codes,
    fields_of,
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
    letters={"?": (1, 1), "$": (0, 1)},
    distances={"near": 15, "same": None},
    printed=re.compile(
        r"(?:Indexes|Timespan|Editions|Databases?|DocType|Language)\s{0,3}=\s{0,3}[^\n()\"]{1,200}",
        re.IGNORECASE,
    ),
)


class WosReader(DatabaseReader):
    """One text in the syntax of Web of Science."""

    grammar = WOS


# Web of Science (https://webofscience.help.clarivate.com/en-us/Content/advanced-search.html):
# `TS=(salt AND marsh)`

STYLE = Style(
    name="wos",
    label="Web of Science",
    bracketed=True,
    fields=fields_of(WOS, "{CODE}=({x})", any="ts", isbn="is"),
    losses={
        "any": message(
            "Web of Science: what is looked for everywhere is looked for in titles, abstracts "
            "and keywords"
        )
    },
    reserved="near|same",
    lost=f"[{DOUBLE}*?$]",
    least=3,
    years=YearRanges(
        only=("PY=({first})",),
        both=("PY=({first}-{last})",),
        since=("PY=({first}-3000)",),
        until=("PY=(1000-{last})",),
    ),
    types={
        "article": ("Article", "Review"),
        "review": ("Review",),
        "conference-paper": ("Proceedings Paper",),
        "book": ("Book",),
        "chapter": ("Book Chapter",),
        "editorial": ("Editorial Material",),
        "letter": ("Letter",),
        "erratum": ("Correction",),
        "retraction": ("Retraction",),
    },
    near=" NEAR/{n} ",
    languages="name",
)
