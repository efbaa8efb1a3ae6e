"""The syntax of ProQuest: `ti,ab(gambl* NEAR/3 harm) AND MESH.EXACT.EXPLODE("Gambling")`."""

from __future__ import annotations

import re

from metasearch.query.clauses import IGNORED, Clause, every, wider
from metasearch.query.database_reader import DatabaseReader
from metasearch.query.field_values import with_narrower
from metasearch.query.grammar import (
    DOUBLE,
    DatabaseGrammar,
    FieldTarget,
    SyntaxStyle,
    YearRanges,
    codes,
    fields_of,
    near,
)
from metasearch.query.scanner import Sign
from metasearch.query.tree import plain

PROQUEST = DatabaseGrammar(
    "proquest",
    codes("""
    any: all
    everywhere: noft anywhere ft tx text full-text
      citabs
    title: ti title oti
    abstract: ab abstract
    title abstract: tiab
    author: au author ca editor
    first author: fau la-au aut fav
    subject: su if diskw key tags tag kw
    heading: mesh emb mainsubject subject sub subheading subt allsub su.exact.explode
    heading: mjmesh mjemb mjmainsubject mjsub mjde majde subst substance de
    venue: pub publication pubtitle jn so
    year: yr py pd
    entry date: ud lud
    language: la lang language
    type: dtype rtype at stype pt
    nowhere: docfeat me meth methodology
    doi: doi
    issn: issn is
    isbn: isbn ib
    pmid: pmid
    number: rn reg
    nowhere: an id fn docid pubid cc clsub
    # Limits: peer review, full text, ages, populations, audiences, tests.
    nowhere: peer peerreviewed ftany fulltext ulo lim age ag po pop gr tm ta te audience el
    # Persons, places, organizations, money.
    nowhere: af aff org orgn co cp per lo loc geo pub-loc pbloc pl st gi fund grant sfi
    # Parts of publications, theses, trials, trades.
    nowhere: vo vol iss pg ppg pb publ in ov un sch school adv cmt cmte dg deg degree dep
    nowhere: ps nct ct ctr naics sic pro cf conf rf cit sec ed col dat
    """),
    prefix=re.compile(
        r"([A-Za-z]{2,15}(?:-[A-Za-z]{2,5})?(?:\s?,\s?[A-Za-z]{2,12}){0,10})"
        r"(?:(?:\.(?:EXACT|EXPLODE|X)){0,2}\s{0,3}(?=\()|\s?=\s?(?=[\"(\w]))",
        re.IGNORECASE,
    ),
    near=near("near", "pre"),
    quotes={"{": "}"},
    distances={"near": 4, "pre": 4},
    ordered=frozenset({"pre", "p", "next", "onear"}),
    reference=re.compile(r"\[?(?:[Ss]|#)([0-9]{1,4})\]?"),
    order=("AND", "OR", "NOT"),
    printed=re.compile(
        r"(?:(?:Additional limits|Limits applied|Limited by|Limited to|Narrowed by)[ \t]?[-:][ \t]?"
        r"|(?=(?:Source type|Document type|Publication date|Date|Language): ))"
        r"(?P<limits>[^\n]{1,900})"
        r"|Limits applied|Searched for:|Set ?#?: ?S?[0-9]{1,4}|Peer reviewed(?=\s{0,5}\Z)"
        r"|(?:Databases?(?: searched)?|Results per page|Sort results by|Results): ?[^\n]{0,300}"
        r"|(?:Exclude|Include) duplicate[^\n]{0,80}"
    ),
    limits_by_type=True,
)


# What ProQuest alone has: `MESH.EXACT.EXPLODE("X")`, `X -- Y`, `[*3]`, and `x within 1 y` of old.

_LIMITED = re.compile(r"(?:\[\*[0-9]{1,2}\]|\$[0-9]{1,2})")
#: What cannot be but a field, within a field and elsewhere.
_FIELD = re.compile(
    r"(?!(?:AND|OR|NOT)\b)([A-Za-z]{2,20}(?:\.[A-Za-z]{2,20}){0,3})(\(|\s{0,3}=\s{0,3}[\"(])",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"within\s{1,3}([0-9]{1,3})(?=[\s(\"])", re.IGNORECASE)
#: Months and days of the dates that pages print: "From January 01 2010 to December 2020".
_MONTH_DAY = re.compile(
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s{0,3}"
    r"(?:[0-9]{1,2}(?![0-9]),?\s{0,3})?",
    re.IGNORECASE,
)
#: Between limits: a semicolon, or a comma before the name of the next.
_ITEMS = re.compile(r";|,\s?(?=[A-Z][A-Za-z ]{2,30}:)")
_DATE = re.compile(r"\s?(?:Publication )?Date:")
_AFTER, _BEFORE = (re.compile(rf"\b{word}\b", re.IGNORECASE) for word in ("after", "before"))


class ProquestReader(DatabaseReader):
    grammar = PROQUEST

    def prefix(self) -> tuple[FieldTarget, str] | None:
        found = super().prefix()
        if found is None and (unknown := _FIELD.match(self.text, self.at)):
            name = unknown[1]
            # Within a field, poly(x) is a word.
            inside = self.target is not self.grammar.default and "." not in name
            if not (inside or (self.at and self.text[self.at - 1].isalnum())):
                raise self.unknown_field(name, *unknown.span(1))
        return found

    def peek(self) -> Sign | None:
        self.here()
        if within := _WITHIN.match(self.text, self.at):
            return Sign("NEAR", *within.span(), int(within[1]))
        return super().peek()

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
            self.losses.add("explosion", shown)
            clause = with_narrower(clause)
        if main := shown.upper().startswith(("MJ", "MAJ")):
            self.losses.add("focus", shown)
        return wider(clause.widest) if narrowed or main else clause

    def limits(self, text: str, start: int) -> Clause:
        return every(
            [
                self.limit(item.replace(",", " or "), start, plain(item))
                for item in filter(plain, _ITEMS.split(text))
            ]
            or [IGNORED]
        )

    def limit(self, text: str, start: int, shown: str) -> Clause:
        """Dates are printed as "From January 01 2010 to December 31 2020", "After 2010"."""
        years = _BEFORE.sub("<=", _AFTER.sub(">=", _MONTH_DAY.sub("", text)))
        clause = super().limit(years if _DATE.match(text) else text, start, shown)
        if _DATE.match(text) and _MONTH_DAY.search(text):
            self.losses.add("date", shown)
            return wider(clause.widest)
        return clause

    def stem_of(self, word: str, where: tuple[int, int]) -> tuple[str, bool]:
        if limited := _LIMITED.search(word):
            self.losses.add("wildcard", word)
            word = f"{word[: limited.start()]}*"
        return super().stem_of(word, where)


# ProQuest (https://proquest.libguides.com/proquestplatform/tips): `ti(salt AND marsh)`; `noft` is
# all but the full text.

STYLE = SyntaxStyle(
    name="proquest",
    bracketed=True,
    fields=fields_of(PROQUEST, "{code}({x})", any="noft", title_abstract="ti,ab"),
    reserved="near|pre|n|p|exact|lnk|within",
    lost=f"[{DOUBLE}*?{{}}]",
    years=YearRanges(
        "pd({first}-{last})", only="pd({first})", since="pd(>={first})", until="pd(<={last})"
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
