"""The syntax of EBSCOhost: `(MH "Gambling+") AND TI (harm* N3 reduc*)`."""

from __future__ import annotations

import re

from metasearch.query.clauses import Clause, wider
from metasearch.query.databases import DatabaseReader, exploded
from metasearch.query.grammar import (
    ABSTRACT,
    ANY,
    AUTHOR,
    DOI,
    DOUBLE,
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
    FieldTarget,
    Style,
    YearRanges,
    codes,
    fields_of,
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
    ordered=frozenset({"w", "next", "onear", "pre"}),
    wild="*?#",
    letters={"?": (1, 1), "#": (0, 1)},
    phrases=True,
    reference=re.compile(r"[Ss]([0-9]{1,4})"),
)


# What EBSCOhost alone has: `(MH "X+/TH")`, and the settings that its histories print.

_MAIN = frozenset({"MM", "MJ"})


class EbscoReader(DatabaseReader):
    """One text in the syntax of EBSCOhost."""

    grammar = EBSCO

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        if tag.heading:
            name, slash, narrowed = text.partition("/")
            if slash:
                self.losses.add("subheading", f"/{narrowed}")
            explode = "+" in text[-4:] or name.endswith("+")
            if explode:
                self.losses.add("explosion", text)
            main = shown.upper() in _MAIN
            if main:
                self.losses.add("focus", f'{shown} "{name}"')
            text = name.rstrip("+ ") or text
            clause = super().value(text, tag, shown, where, quoted=quoted)
            if explode:
                clause = exploded(clause)
            return wider(clause.widest) if (slash or main) and clause.widest else clause
        return super().value(text, tag, shown, where, quoted=quoted)


# EBSCOhost (https://connect.ebsco.com/s/article/Searching-with-Field-Codes): a code before a term,
# none for the usual fields: title, subject and abstract.

STYLE = Style(
    name="ebsco",
    label="EBSCOhost",
    fields=fields_of(EBSCO, "{CODE} {x}") | {"any": "{x}"},
    # A word of two letters may be a code.
    reserved=r"[a-z]{2}|[nw]\d+|near|within",
    lost=f"[{DOUBLE}*?#]",
    years=YearRanges(
        only=("DT {first}",),
        both=("DT {first}-{last}",),
        since=("DT {first}-",),
        until=("DT 1000-{last}",),
    ),
    types={
        "article": ("Journal Article",),
        "review": ("Review",),
        "editorial": ("Editorial",),
        "letter": ("Letter",),
        "book": ("Book",),
        "chapter": ("Book Chapter",),
    },
    near=" N{n} ",
    ordered=" W{n} ",
    headings={"exact": '(MH "{x}")', "exploded": '(MH "{x}+")'},
    languages="name",
)
