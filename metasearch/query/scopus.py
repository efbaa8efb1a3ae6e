"""The syntax of Scopus: `TITLE-ABS-KEY(gambl* W/3 harm) AND PUBYEAR > 2009`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from metasearch.message import message
from metasearch.query.clauses import Clause, either, every, wider, without
from metasearch.query.database_reader import DatabaseReader
from metasearch.query.grammar import (
    BY_TOPIC,
    DOUBLE,
    Booleans,
    DatabaseGrammar,
    FieldTarget,
    SyntaxStyle,
    YearRanges,
    codes,
    fields_of,
    near,
)
from metasearch.query.scanner import Sign
from metasearch.query.tree import Years, plain

#: Document types as `DOCTYPE(ar)` and `LIMIT-TO(DOCTYPE, "ar")` name them.
DOCTYPES = {
    "ar": "article", "re": "review", "cp": "conference-paper", "ch": "chapter", "bk": "book",
    "le": "letter", "ed": "editorial", "er": "erratum", "rp": "report",
    "ab": "english abstract", "bz": "journal article", "cr": "conference review",
    "dp": "data paper", "ip": "article in press", "mm": "video-audio media", "no": "note",
    "pp": "preprint", "pr": "news", "sh": "short survey", "tb": "retracted publication",
}  # fmt: skip

SCOPUS = DatabaseGrammar(
    "scopus",
    codes("""
    any: all
    title: title
    abstract: abs
    title abstract: title-abs
    topic: title-abs-key
    title abstract subject author: title-abs-key-auth
    subject: key authkey
    heading: indexterms chemname tradename subjterms
    author: auth author-name authlastname authlast authfirst editor edlastname edfirst
    first author: firstauth
    venue: srctitle exactsrctitle srctitle-abbr confname conf
    year: pubyear pubdatetxt
    entry date: load-date orig-load-date
    language: language
    type: doctype
    doi: doi
    issn: issn issnp eissn
    isbn: isbn
    pmid: pmid
    number: casregnumber coden
    nowhere: affil affilorg affilcity affilcountry af-id au-id orcid authcollab prefnameauid
    nowhere: subjarea subjmain srctype source-id pubstage index exactkeyword sdg recent
    nowhere: openaccess oa accesstype freetoread publisher recordtype dbcollection
    nowhere: fund-all fund-sponsor fund-acr fund-no funding
    nowhere: volume issue pages pagefirst pagelast pagecount artnum eid pii intid
    nowhere: ref reftitle refauth refsrctitle refpubyear refpage refpagefirst
    nowhere: refartnum refeid refdoi refid citedby-count
    nowhere: confloc confsponsors confspons confcode confdate
    nowhere: chem manufacturer seqbank sequencebank seqnumber website dataset
    """),
    prefix=re.compile(r"([A-Za-z][A-Za-z-]{1,20})\s{0,5}(?=\()"),
    near=near(),
    order=("OR", "AND", "NOT"),
    quotes={"{": "}"},
    printed=re.compile(
        r"(?:view (?:less|more|all)|[0-9][0-9,]{0,12} documents?(?: results?| found)?)\W{0,5}\Z"
        r"|Your query\s?:",
        re.IGNORECASE,
    ),
    types=DOCTYPES,
    limits_by_type=True,
)


# What Scopus alone has: `PUBYEAR > 2009`, `LIMIT-TO(DOCTYPE, "ar")`, `EXCLUDE(…)`.

_COMPARED = re.compile(
    r"([A-Z][A-Z-]{2,20})\s{0,5}(>=|<=|>|<|=|(?<=\s)(?:AFT|BEF|IS)(?=\s))\s{0,5}([0-9]{1,12})(?=(?:AND|OR)\b|[^\w-]|\Z)",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"(LIMIT-TO|EXCLUDE)\s{0,5}(?=\()", re.IGNORECASE)
#: In its brackets: the code, the value, perhaps the number of a person or institution.
_CODE_AND_VALUE = re.compile(
    r"\s{0,5}([A-Z-]{2,20})\s{0,5},\s{0,5}(?:\"([^\"]{1,300})\"|([^\"(),]{1,80}))[\s0-9]{0,20}",
    re.IGNORECASE,
)
#: Names that nobody takes for a word, without a bracket behind.
_BARE = re.compile(
    r"(TITLE-ABS(?:-KEY(?:-AUTH)?)?|(?:ORIG-)?LOAD-DATE|PUBYEAR|DOCTYPE|SRCTITLE|SRCTYPE|SUBJAREA|"
    r"AUTHKEY|INDEXTERMS)(?![\w-])(?!\s{0,5}[(:])"
)
_YEAR = re.compile(r"(?<![0-9])[12][0-9]{3}(?![0-9])")
#: What cannot be but a field, with or without a blank before its bracket.
_FIELD = re.compile(r"(?!(?:AND|OR|NOT)\b)([A-Za-z][A-Za-z-]{1,30})(\s{0,5})\(")


class ScopusReader(DatabaseReader):
    grammar = SCOPUS

    @cached_property
    def refinements(self) -> dict[int, tuple[Clause, bool]]:
        """What `LIMIT-TO(…)` and `EXCLUDE(…)` ask for, by identity, and whether it excludes."""
        return {}

    def special(self) -> Clause | None:
        if compared := self.comparison():
            self.at = compared.end()
            code, sign, number = compared.groups()
            tag = self.grammar.codes.get(code.lower())
            if tag is None:
                raise self.unknown_field(code, *compared.span(1))
            value = f"{sign.lower()} {number}"
            return self.value(value, tag, code.upper(), compared.span(), quoted=True)
        if match := _LIMIT.match(self.text, self.at):
            limitation = self.limitation(match)
            if match[1].upper() == "EXCLUDE":
                return self.mark_refinement(without(limitation), excludes=True)
            return self.mark_refinement(limitation)
        if bare := _BARE.match(self.text, self.at):
            raise self.needless(
                message("{field} needs brackets round what it holds for", field=bare[1]),
                *bare.span(),
            )
        return super().special()

    def comparison(self) -> re.Match[str] | None:
        """A field with a sign and a number behind it; within a field, only one that there is."""
        match = _COMPARED.match(self.text, self.at)
        inside = self.target is not self.grammar.default
        if match and inside and match[1].lower() not in self.grammar.codes:
            return None
        return match

    def starts_special(self) -> bool:
        return any(pattern.match(self.text, self.at) for pattern in (_LIMIT, _BARE)) or bool(
            self.comparison()
        )

    def prefix(self) -> tuple[FieldTarget, str] | None:
        found = super().prefix()
        if found is None and (unknown := _FIELD.match(self.text, self.at)):
            # Within a field, poly(x) and DNA (x) are words.
            name, blank = unknown.groups()
            if self.target is self.grammar.default:
                refused = not blank or name.isupper()
            else:
                refused = not blank and name.isupper() and len(name) > 3
            if refused and not (self.at and self.text[self.at - 1].isalnum()):
                raise self.unknown_field(name, *unknown.span(1))
        return found

    def mark_refinement(self, clause: Clause, *, excludes: bool = False) -> Clause:
        """A clause that `combined` knows again as `LIMIT-TO(…)` or `EXCLUDE(…)`."""
        clause = replace(clause)
        self.refinements[id(clause)] = clause, excludes
        return clause

    def combine(self, operands: Sequence[Clause], operators: Sequence[Sign]) -> Clause:
        """In a list beside the results, OR stands between what is excluded, too: limits are
        alternatives, and each EXCLUDE excludes, in brackets of its own or not.
        """
        runs, rest = [[operands[0]]], list[Sign]()
        for sign, operand in zip(operators, operands[1:], strict=True):
            pair = {id(runs[-1][-1]), id(operand)}
            if sign.name == "OR" and pair <= self.refinements.keys():
                runs[-1].append(operand)
            else:
                excludes = self.refinements.get(id(operand), (None, False))[1]
                runs.append([operand])
                # NOT EXCLUDE(…) is no double negation: it excludes.
                rest.append(replace(sign, name="AND") if excludes and sign.name == "NOT" else sign)
        return super().combine([self.refinement_list(run) for run in runs], rest)

    def refinement_list(self, run: Sequence[Clause]) -> Clause:
        """What the parts of such a list ask for together."""
        if len(run) == 1:
            return run[0]
        excluded = [clause for clause in run if self.refinements[id(clause)][1]]
        limits = [clause for clause in run if not self.refinements[id(clause)][1]]
        every_one = [either(limits), *excluded] if limits else excluded
        return self.mark_refinement(every(every_one), excludes=not limits)

    def limitation(self, match: re.Match[str]) -> Clause:
        """What `LIMIT-TO(code, "value")` names."""
        opening = match.end()
        close = self.closing.get(opening)
        if close is None:
            self.at = opening
            return self.bracket()  # refuses a bracket that is never closed
        self.at = close + 1
        shown = self.text[match.start() : self.at]
        inner = _CODE_AND_VALUE.fullmatch(self.text, opening + 1, close)
        tag = self.grammar.codes.get(inner[1].lower()) if inner else None
        if inner is None or tag is None or not tag.fields:
            self.count(match.start(), self.at)
            return self.ignore("limit", shown)
        value = plain(inner[2] or inner[3])
        return self.value(value, tag, inner[1], (match.start(), self.at), quoted=True)

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        name = shown.strip(" (").lower()
        if name == "subjterms" and text.isdigit():
            return self.ignore("nowhere", f"{shown.strip(' (')} {text}")
        if name == "pubdatetxt":
            year = _YEAR.search(text)
            if year is None:
                return self.ignore("nowhere", f"{shown.strip(' (')} {text}")
            if year[0] != text:
                self.losses.add("date", text)
                return wider(Years(int(year[0]), int(year[0])))
        return super().value(text, tag, shown, where, quoted=quoted)


# Scopus (https://service.elsevier.com/app/answers/detail/a_id/11365/supporthub/scopus/):
# `TITLE(x)`.

STYLE = SyntaxStyle(
    name="scopus",
    bracketed=True,
    fields=fields_of(SCOPUS, "{CODE}({x})", any="title-abs-key"),
    losses=BY_TOPIC,
    booleans=Booleans(without=" AND NOT "),
    reserved=r"w|pre",
    lost=f"[{DOUBLE}*?{{}}]",
    years=YearRanges(
        only="PUBYEAR = {first}", since="PUBYEAR > {before}", until="PUBYEAR < {after}"
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
    headings={"exact": 'INDEXTERMS("{x}")'},
    languages="name",
)
