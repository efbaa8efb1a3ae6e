"""The syntax of the Cochrane Library: `[mh Gambling] AND (harm* NEAR/3 reduc*):ti,ab,kw`."""

from __future__ import annotations

import re

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.clauses import IGNORED, Clause, either, every
from metasearch.query.database_reader import DatabaseReader
from metasearch.query.field_values import SUBHEADINGS, subheading_name
from metasearch.query.grammar import (
    BY_TOPIC,
    DOUBLE,
    SUBJECT,
    DatabaseGrammar,
    FieldTarget,
    SyntaxStyle,
    codes,
    fields_of,
    near,
)
from metasearch.query.tree import plain

_CODE = r"(?:so-all|[a-z]{2,4})"
#: Limits of a search, as the search manager prints them behind it.
_PUBLISHED = (
    r"(?:with\s(?:(?:(?:Cochrane\sLibrary|original)\s)?publication\s(?:year|date)"
    r"|date\sadded\sto\sCENTRAL)\b|publication\s(?:year|date)\s(?:from|between)\s[12]"
    r"|from\s[12][0-9]{3}\sto\s(?:[12][0-9]{3}|present)"
    r"(?=\s{0,3}(?:[,\n]|\Z|in\s)))"
)
_COLLECTION = (
    r"in\s(?:the\s)?(?-i:Trials|Cochrane\s(?:Reviews|Protocols|Central|Groups)|CENTRAL|Reviews|"
    r"Clinical\sAnswers|Editorials?|Special\sCollections|Other\sReviews|Technology\sAssessments|"
    r"Economic\sEvaluations|Methods?\sStud(?:y|ies)|DARE|NHS\s?EED|HTA)\b"
)
#: What the Register of Studies and the databases of CRD write behind a query.
_REGISTER = (
    r"(?:AND\s)?(?:[A-Z]{4,12}:TARGET|IN(?:REGISTER|SEGMENT)\b(?:\sAND\b)?)"
    r"|WHERE\s[A-Z]{2,3}\sFROM\s[0-9/]{4,10}(?:\sTO\s[0-9/]{4,10})?"
)
_REST = r"(?:[^\n()]|\((?!Word)[^\n()]{0,80}\)){0,200}"
_PRINTED = re.compile(
    rf"[-,]?\s{{0,3}}(?:(?P<limits>(?:{_PUBLISHED}|{_COLLECTION}(?=\s?(?:[(),]|\Z|\n|and\b|with\b|where\b))"
    rf"){_REST}|(?-i:{_REGISTER}))|\(\s?Word\svariations\s(?:have\sbeen|were|will\sbe)\s(?:not\s)?searched\s?\))",
    re.IGNORECASE,
)

# The fields of the search manager (https://www.cochranelibrary.com/search-manager-help).
COCHRANE = DatabaseGrammar(
    "cochrane",
    codes("""
    any: so-all tx
    title: ti
    abstract: ab
    author: au
    subject: kw ky
    heading: mh eh emt mc to
    venue: so
    year: py yr
    language: la
    type: pt
    doi: doi
    trial: an nct tn
    number: id
    nowhere: crg cg tb og st in cd dl
    """),
    suffix=re.compile(rf":\s?({_CODE}(?:\s?[,:]\s?{_CODE}){{0,40}})(?![\w])", re.IGNORECASE),
    near=near("near[0-9]{0,2}", "next"),
    distances={"near": 6},
    printed=_PRINTED,
)


# What Cochrane alone has: `MeSH descriptor: [X] explode all trees`, `[mh "X"]`, `{OR #1-#3}`.

_EXPLODE = (
    r"(?:explode\s{1,3}(?:all\s{1,3}trees|trees?\s[0-9]{1,2}(?:\s?(?:,|and)\s?[0-9]{1,2}){0,20})"
    r"|[0-9]{1,2}\s?tree\(s\)\sexploded)"
)
_MARK = (
    rf"(?:{_EXPLODE}|this\s{{1,3}}term\s{{1,3}}only|in\s{{1,3}}all\s{{1,3}}MeSH\s{{1,3}}products)"
)
_QUALIFIERS = (
    r"(?:and\s{1,3})?with\s{1,3}(?:the\s)?qualifiers?\s?(?:\(s\))?:?\s{0,3}"
    r"(?:\[([^\[\]]{1,300})\]|([A-Z]{2}(?:\s?,\s?[A-Z]{2}){0,40})\b)"
)
#: The name has brackets, or ends before what is said of it, an operator or the line.
_DESCRIPTOR = re.compile(
    r"MeSH\s{1,3}descriptor:?\s{0,3}(?:\[([^\[\]]{0,150})\]|\"([^\"\n]{1,150})\"|"
    rf"([^\n\[\]():#*\"]{{1,150}}?)(?=,?\s{{1,3}}(?:{_MARK}|{_QUALIFIERS})|\s{{1,3}}(?-i:AND|OR|NOT)\s|"
    r"\s{0,3}(?:[)\n]|\Z)))",
    re.IGNORECASE,
)
_SAID = re.compile(rf",?\s{{1,3}}(?:({_EXPLODE})|{_MARK}|{_QUALIFIERS})", re.IGNORECASE)
_ANY_DESCRIPTOR = re.compile(
    rf"Any\s{{1,3}}MeSH\s{{1,3}}descriptor\s{{1,3}}(?:in\s{{1,3}}all\s{{1,3}}MeSH\s{{1,3}}products\s{{1,3}})?{_QUALIFIERS}",
    re.IGNORECASE,
)
_NAMES = "|".join(("[A-Z]{2}", *map(re.escape, SUBHEADINGS.values())))
_MH = re.compile(
    r'\[mh\s{0,3}(\^?)\s?(?:"([^\[\]"]{1,150})"|([^\[\]"/^]{1,150}))?\s?'
    rf"(?:/\s?((?:{_NAMES})(?:\s?,\s?(?:{_NAMES})){{0,40}}))?\s?(\[mj\])?\s?\]",
    re.IGNORECASE,
)
_COMBINED = re.compile(r"\{\s?(OR|AND)\s{1,3}((?:#?[0-9]{1,4}\s?[-,]?\s?){1,100})\}", re.IGNORECASE)
#: `asthma in Title Abstract Keyword`, as the search builder writes a field.
_IN_FIELD = re.compile(
    r"\s{1,3}in\s(Title,?\sAbstract,?\s(?:or\s)?Keywords?|Record\sTitle|Title|Abstract|Keywords?|"
    r"Authors?|All\sText|Publication\sType|Source|DOI|Accession\sNumber|Trial\sRegistry\sNumber|"
    r"Tables|Origin)(?!\w)"
)
_FIELDS = {
    "record title": "ti",
    "title": "ti",
    "abstract": "ab",
    "keyword": "kw",
    "keywords": "kw",
    "author": "au",
    "authors": "au",
    "all text": "so-all",
    "publication type": "pt",
    "source": "so",
    "doi": "doi",
    "accession number": "an",
    "trial registry number": "an",
    "tables": "tb",
    "origin": "og",
}
_UNKNOWN = re.compile(rf"[\w*?]:({_CODE}(?:,{_CODE}){{0,40}})\Z", re.IGNORECASE)
_YEARS = re.compile(
    r"(?:with\s)?((?:(?:(?:Cochrane\sLibrary|original)\s)?publication\s(?:year|date)"
    r"|date\sadded\sto\sCENTRAL(?:\strials\sdatabase)?)\s?)?(?:(?:from|between|in|:)\s)?",
    re.IGNORECASE,
)
_LIMITS = re.compile(rf"{_PUBLISHED}|{_COLLECTION}", re.IGNORECASE)
_IN_COLLECTION = re.compile(_COLLECTION, re.IGNORECASE)
_LIMIT_END = re.compile(rf",\s?|\s(?=with\s)|\s(?={_COLLECTION})", re.IGNORECASE)


class CochraneReader(DatabaseReader):
    grammar = COCHRANE

    def special(self) -> Clause | None:
        if match := _DESCRIPTOR.match(self.text, self.at):
            return self.descriptor(match)
        if match := _ANY_DESCRIPTOR.match(self.text, self.at):
            self.at = match.end()
            return self.qualifier(match[1] or match[2], match.span())
        if (match := _MH.match(self.text, self.at)) and (match[2] or match[3] or match[4]):
            return self.mesh(match)
        if match := _COMBINED.match(self.text, self.at):
            return self.combination(match)
        return super().special()

    def descriptor(self, match: re.Match[str]) -> Clause:
        """`MeSH descriptor: [X] explode all trees`, and what else is said of it."""
        self.at = match.end()
        explode, qualifiers = False, ""
        while said := _SAID.match(self.text, self.at):
            self.at = said.end()
            explode = explode or said[1] is not None
            qualifiers = said[2] or said[3] or qualifiers
        if qualifiers:
            self.losses.add("subheading", qualifiers)
        where = match.start(), self.at
        name = plain(match[1] or match[2] or match[3] or "")
        if not any(map(str.isalnum, name)):
            raise self.needless(message("The descriptor has no name"), *where)
        return self.heading(name, where, explode=explode, narrowed=bool(qualifiers))

    def mesh(self, match: re.Match[str]) -> Clause:
        """`[mh ^"X"/DT[mj]]`; without a heading, all that have the subheading."""
        self.at = match.end()
        name = plain(match[2] or match[3] or "").strip("/")
        if not name:
            return self.qualifier(match[4], match.span())
        if match[4]:
            self.losses.add("subheading", f"/{match[4]}")
        if match[5]:
            self.losses.add("focus", match[0])
        narrowed = bool(match[4] or match[5])
        return self.heading(name, match.span(), explode=not match[1], narrowed=narrowed)

    def qualifier(self, names: str, where: tuple[int, int]) -> Clause:
        """Any heading with one of these subheadings: "Radiotherapy - RT", "DT,TH"."""
        clauses = []
        for name in names.split(","):
            text = subheading_name(name.rpartition(" - ")[0] or name)
            self.losses.add("floating", text)
            clauses.append(self.value(text, SUBJECT, "", where, quoted=True))
        return either(clauses)

    # ---------------------------------------------------------------- fields and limits

    def suffix_here(self) -> tuple[FieldTarget, str] | None:
        if match := _IN_FIELD.match(self.text, self.at):
            return self.in_field(match)
        return super().suffix_here()

    def suffix_in(self, start: int, end: int) -> tuple[FieldTarget, str] | None:
        if match := _IN_FIELD.match(self.text, end):
            self.cut_at = end
            return self.in_field(match)
        found = super().suffix_in(start, end)
        unknown = _UNKNOWN.search(self.text, start, end) if found is None else None
        if unknown and self.ends_at(end):
            raise self.unknown_field(unknown[1], unknown.start(1) - 1, end)
        return found

    def in_field(self, match: re.Match[str]) -> tuple[FieldTarget, str] | None:
        self.at = match.end()
        name = plain(match[1]).lower()
        tag = self.target_of(_FIELDS.get(name, "ti,ab,kw"))
        return None if tag is None else (tag, plain(match[0]))

    def target_of(self, names: str) -> FieldTarget | None:
        return super().target_of(names.replace(":", ","))

    def word_end(self, at: int) -> int:
        end = super().word_end(at)
        limited = self.text[end - 1] == "," and _PRINTED.match(self.text, end - 1)
        return end - 1 if limited and end - 1 > at else end

    def take_platform_text(self, limits: list[Clause]) -> bool:
        match = self.platform_text() if self.here() in "-(" else None
        if match is None or match["limits"]:
            return super().take_platform_text(limits)
        self.at = match.end()
        self.losses.add("variations", plain(match[0]))
        return True

    def limits(self, text: str, start: int) -> Clause:
        if not _LIMITS.match(text):
            return super().limits(text, start)
        parts, collection = list[Clause](), False
        for part in filter(None, map(plain, _LIMIT_END.split(text))):
            published = None if collection and part[:5] != "with " else _YEARS.match(part)
            if published and not _IN_COLLECTION.match(part):
                parts.append(self.publication_years(part, published, (start, start + len(text))))
            else:
                collection = True
                parts.append(self.ignore("limit", part))
        return every(parts) if parts else IGNORED

    def publication_years(self, shown: str, match: re.Match[str], where: tuple[int, int]) -> Clause:
        dates = shown[match.end() :].replace(" and ", " - ")
        if match[0].lower().endswith("from ") and dates.isdigit():
            dates += "-"  # without an end
        try:
            return self.years(dates, where, plain(match[1]) if "date " in match[0].lower() else "")
        except QuerySyntaxError:
            return self.ignore("limit", shown)


# The Cochrane Library: `(salt AND marsh):ti,ab,kw`; years are set beside the query.

STYLE = SyntaxStyle(
    name="cochrane",
    fields=fields_of(
        COCHRANE,
        "{x}:{code}",
        any="ti,ab,kw",
        title_abstract_subject="ti,ab,kw",
        title_abstract="ti,ab",
        language="",
    ),
    losses=BY_TOPIC,
    reserved="near|next",
    stems_in_phrases=False,
    lost=f"[{DOUBLE}*?]",
    types={
        "article": ("Journal article", "Review"),
        "review": ("Review",),
        "conference-paper": ("Conference proceeding",),
        "preprint": ("Preprint",),
    },
    near=" NEAR/{n} ",
    adjacent=" NEXT ",
    headings={"exact": '[mh ^"{x}"]', "exploded": '[mh "{x}"]'},
)
