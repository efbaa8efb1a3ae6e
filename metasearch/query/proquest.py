"""The syntax of ProQuest: `ti,ab(gambl* NEAR/3 harm) AND MESH.EXACT.EXPLODE("Gambling")`."""

from __future__ import annotations

import re

from metasearch.message import message
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
    TITLE_ABSTRACT,
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
    distances={"near": 4, "pre": 4},
    reference=re.compile(r"(?:[Ss]|#)([0-9]{1,4})"),
    order=("AND", "OR", "NOT"),
)


# What ProQuest alone has: `MESH.EXACT.EXPLODE("X")`, `X -- Y`, `[*3]`, `pd(>20091231)`.

_LIMITED = re.compile(r"(?:\[\*[0-9]{1,2}\]|\$[0-9]{1,2})")
_UNKNOWN = re.compile(r"([A-Za-z]{2,20}(?:\.[A-Za-z]{2,20}){1,3})\(")


class ProquestReader(DatabaseReader):
    """One text in the syntax of ProQuest."""

    grammar = PROQUEST

    def prefix(self) -> tuple[FieldTarget, str] | None:
        match = super().prefix()
        if match and "EXPLODE" in match[1].upper():
            self.losses.add("explosion", match[1])
        if match and match[1].upper().startswith(("MJ", "MAJ")):
            self.losses.add("focus", match[1])
        if match is None and (unknown := _UNKNOWN.match(self.text, self.at)):
            reason = message("There is no field {field} in ProQuest", field=unknown[1])
            raise self.error(reason, *unknown.span(1), fix=self.without(*unknown.span(1)))
        return match

    def is_near(self, word: str) -> bool:
        return word.isupper()

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        text, _, narrowed = text.partition(" -- ") if tag.heading else (text, "", "")
        if narrowed:
            self.losses.add("subheading", f"-- {narrowed}")
        clause = super().value(text, tag, shown, where, quoted=quoted)
        if "EXPLODE" in shown.upper():
            clause = exploded(clause)
        main = shown.upper().startswith(("MJ", "MAJ"))
        return wider(clause.widest) if (narrowed or main) and clause.widest else clause

    def widened(self, word: str, where: tuple[int, int]) -> tuple[str, bool]:
        if limited := _LIMITED.search(word):
            self.losses.add("wildcard", word)
            word = f"{word[: limited.start()]}*"
        return super().widened(word, where)


# ProQuest (https://proquest.libguides.com/proquestplatform/tips): `ti(salt AND marsh)`; `noft` is
# all but the full text.

STYLE = Style(
    name="proquest",
    label="ProQuest",
    bracketed=True,
    fields=fields_of(PROQUEST, "{code}({x})", any="noft", title_abstract="ti,ab"),
    reserved="near|pre|n|p|exact|lnk|within",
    lost=f"[{DOUBLE}*?{{}}]",
    years=YearRanges(
        only=("pd({first})",),
        both=("pd({first}-{last})",),
        since=("pd(>={first})",),
        until=("pd(<={last})",),
    ),
    types={
        "article": ("article", "review"),
        "review": ("review",),
        "conference-paper": ("conference paper",),
        "book": ("book",),
        "chapter": ("book chapter",),
        "thesis": ("dissertation",),
        "editorial": ("editorial",),
        "letter": ("letter",),
        "erratum": ("correction",),
        "report": ("report",),
    },
    near=" NEAR/{n} ",
    ordered=" PRE/{n} ",
    nearest=1,
    headings={"exact": 'MESH.EXACT("{x}")', "exploded": 'MESH.EXACT.EXPLODE("{x}")'},
    languages="name",
)
