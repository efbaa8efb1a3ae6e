"""The syntax of Scopus: `TITLE-ABS-KEY(gambl* W/3 harm) AND PUBYEAR > 2009`."""

from __future__ import annotations

import re

from metasearch.message import message
from metasearch.query.clauses import Clause, exact, without
from metasearch.query.databases import DatabaseReader
from metasearch.query.grammar import (
    ABSTRACT,
    ANY,
    AUTHOR,
    DOI,
    DOUBLE,
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
    TOPIC,
    TYPE,
    VENUE,
    YEAR,
    Booleans,
    DatabaseGrammar,
    FieldTarget,
    Style,
    YearRanges,
    codes,
    fields_of,
    near,
)
from metasearch.query.tree import Term

SCOPUS = DatabaseGrammar(
    "scopus",
    "Scopus",
    codes(
        ("all", ANY),
        ("title", TITLE),
        ("abs", ABSTRACT),
        ("title-abs", TITLE_ABSTRACT),
        ("title-abs-key", TOPIC),
        (
            "title-abs-key-auth",
            FieldTarget(("title", "abstract", "subject", "author")),
        ),
        ("key authkey", SUBJECT),
        ("indexterms chemname tradename", HEADING),
        ("auth author-name authlastname authlast editor", AUTHOR),
        ("firstauth", FIRST_AUTHOR),
        ("srctitle exactsrctitle confname conf", VENUE),
        ("pubyear", YEAR),
        ("language", LANGUAGE),
        ("doctype", TYPE),
        ("doi", DOI),
        ("issn issnp eissn", ISSN),
        ("isbn", ISBN),
        ("eid pmid casregnumber", NUMBER),
        (
            (
                "affil affilorg affilcity affilcountry af-id au-id orcid authfirst authcollab "
                "openaccess oa"
            ),
            NOWHERE,
        ),
        (
            (
                "subjarea srctype pubstage fund-all fund-sponsor fund-acr fund-no funding volume "
                "issue pages artnum"
            ),
            NOWHERE,
        ),
        (
            (
                "refeid ref reftitle refauth refsrctitle refpubyear pubdatetxt confloc confspons "
                "chem manufacturer"
            ),
            NOWHERE,
        ),
        ("sequencebank website exactkeyword load-date recordtype", NOWHERE),
    ),
    prefix=re.compile(r"([A-Za-z][A-Za-z-]{1,20})\s{0,5}(?=\()"),
    near=near(),
    order=("OR", "AND", "NOT"),
    quotes={"{": "}"},
)

#: `DOCTYPE(ar)` and `LIMIT-TO(DOCTYPE, "ar")` -> our types.
DOCTYPES = {
    "ar": "article", "re": "review", "cp": "conference-paper", "ch": "chapter", "bk": "book",
    "cr": "proceedings",
    "le": "letter", "ed": "editorial", "er": "erratum", "no": "letter", "sh": "article",
    "rp": "report",
    "dp": "article", "tb": "retraction", "bz": "article", "ab": "article",
}  # fmt: skip


# What Scopus alone has: `PUBYEAR > 2009`, `LIMIT-TO(DOCTYPE, "ar")`, `EXCLUDE(…)`.

_YEAR = re.compile(r"PUBYEAR\s{0,5}(>=|<=|>|<|=|AFT|BEF|IS)\s{0,5}([0-9]{4})(?!\w)", re.IGNORECASE)
_LIMIT = re.compile(
    r"(LIMIT-TO|EXCLUDE)\s{0,5}\(\s{0,5}([A-Z-]{2,20})\s{0,5},\s{0,5}[\"“]?([^\"“”()]{1,80}?)[\"”]?\s{0,5}\)",
    re.IGNORECASE,
)


class ScopusReader(DatabaseReader):
    """One text in the syntax of Scopus."""

    grammar = SCOPUS

    def special(self) -> Clause | None:
        if match := _YEAR.match(self.text, self.at):
            self.at = match.end()
            self.count(*match.span())
            return self.years(f"{match[1].lower()} {match[2]}", match.span())
        if match := _LIMIT.match(self.text, self.at):
            return self.limitation(match)
        return super().special()

    def starts_special(self) -> bool:
        return bool(_YEAR.match(self.text, self.at) or _LIMIT.match(self.text, self.at))

    def limitation(self, match: re.Match[str]) -> Clause:
        self.at = match.end()
        tag = self.grammar.codes.get(match[2].lower())
        if tag is None or tag.fields not in (("year",), ("type",), ("language",)):
            self.count(*match.span())
            return self.ignored("limit", match[0])
        clause = self.value(" ".join(match[3].split()), tag, match[2], match.span(3), quoted=True)
        return without(clause) if match[1].upper() == "EXCLUDE" else clause

    def type(self, text: str) -> Clause:
        known = DOCTYPES.get(text.lower())
        return exact(Term(known, "type")) if known else super().type(text)


# Scopus (https://service.elsevier.com/app/answers/detail/a_id/11365/supporthub/scopus/):
# `TITLE(x)`.

STYLE = Style(
    name="scopus",
    label="Scopus",
    bracketed=True,
    fields=fields_of(SCOPUS, "{CODE}({x})", any="title-abs-key"),
    losses={
        "any": message(
            "Scopus: what is looked for everywhere is looked for in titles, abstracts and keywords"
        )
    },
    booleans=Booleans(without=" AND NOT "),
    reserved=r"w|pre",
    lost=f"[{DOUBLE}*?{{}}]",
    years=YearRanges(
        only=("PUBYEAR = {first}",),
        both=("PUBYEAR > {before}", "PUBYEAR < {after}"),
        since=("PUBYEAR > {before}",),
        until=("PUBYEAR < {after}",),
    ),
    types={
        "article": ("ar", "re"),
        "review": ("re",),
        "conference-paper": ("cp",),
        "proceedings": ("cr",),
        "book": ("bk",),
        "chapter": ("ch",),
        "editorial": ("ed",),
        "letter": ("le",),
        "erratum": ("er",),
        "retraction": ("tb",),
    },
    near=" W/{n} ",
    ordered=" PRE/{n} ",
    languages="name",
)
