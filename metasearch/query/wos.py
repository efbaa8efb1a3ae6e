"""The syntax of Web of Science: `TS=(gambl* NEAR/3 harm) AND PY=2010-2020`, and what its pages
print: `TOPIC: (gambling) AND LANGUAGE: (English)` until 2021, `gambling (Topic) and English
(Languages)` since.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from metasearch.errors import QuerySyntaxError
from metasearch.query.clauses import Clause, either, without
from metasearch.query.database_reader import DatabaseReader
from metasearch.query.grammar import (
    BY_TOPIC,
    DOUBLE,
    NOWHERE,
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

_CODES = codes("""
    any: all
    topic: ts
    title: ti
    abstract: ab
    author: au gp ed
    subject: ak kp de
    heading: mh mhx mj mjx mq mqx ma su wc
    # Vocabularies of BIOSIS, CAB Abstracts, FSTA, Inspec and the Zoological Record.
    heading: me mc cc ta st or tn ds gn gl gt od bd bt sy cb ch nm ns co ui cl sh
    venue: so is-so cf
    year: py fpy
    entry date: dop ld eay
    language: la
    type: dt
    doi: do
    issn: is
    pmid: pmid
    number: rn
    nowhere: ad og oo sg sa ci ps cu zp
    nowhere: fo fg fd ft ai rid oid publ pub pubp lt oa ea edn sj tasca
    nowhere: tmac tmso tmic sdg wou np sub ssgi
    # Accession numbers, patents and classes of Derwent, Inspec and MEDLINE.
    nowhere: ac ae ga cx cac can cau cpa dcr tm
    nowhere: ut an id ip dc man pn ae pan cpn rin dcn drn sq ni ao ss si gs
    """)
#: Code -> what the pages call the field.
_LABELS: Mapping[str, str] = {
    "all": "all fields",
    "ts": "topic|topics",
    "ti": "title|titles",
    "ab": "abstract|abstracts",
    "au": "author|authors|editor|editors|group author|group authors|inventor|book authors",
    "ak": "author keyword|author keywords|keyword plus|keywords plus",
    "mh": "mesh heading|mesh headings|mesh qualifiers|mesh major topics",
    "sj": "web of science category|web of science categories|research area|research areas",
    "so": "publication name|publication title|publication titles|source title|source titles|"
    "conference|conferences|conference title|conference titles|book series title|"
    "book series titles",
    "py": "year published|publication year|publication years|final publication year",
    "ld": "publication date|index date|early access year",
    "la": "language|languages",
    "dt": "document type|document types|doctype",
    "do": "doi",
    "is": "issn|isbn|issn/isbn",
    "pmid": "pubmed id",
    "ad": "address|affiliation|affiliations|affiliation with department|organization|"
    "organizations|organization-enhanced|organizations-enhanced|suborganization|city|"
    "province/state|zip/postal code|street address|country|countries|country/region|"
    "countries/regions|countries/territories",
    "fo": "funding agency|funding agencies|funding text|funding details|grant number|grant numbers",
    "publ": "publisher|publishers",
    "ai": "author identifier|author identifiers|researcherid|orcid",
    "oa": "open access|early access|enriched cited references|highly cited papers|hot papers|"
    "highly cited status|hot paper status|editor invited reviews|retracted publications",
    "tmso": "citation topics macro|citation topics meso|citation topics micro|"
    "sustainable development goals|web of science index|database|databases|collections",
    "ut": "accession number|identifying codes",
}
_OF_LABEL = {label: code for code, labels in _LABELS.items() for label in labels.split("|")}
_NAMES = "|".join(sorted(map(re.escape, _OF_LABEL), key=len, reverse=True)).replace(r"\ ", " ")

WOS = DatabaseGrammar(
    "wos",
    _CODES,
    prefix=re.compile(
        rf"((?:{_NAMES})(?=\s?[:=]\s?[(\"\w])|[A-Za-z]{{2,6}}(?=\s{{0,5}}=))\s{{0,5}}(?::|==?)",
        re.IGNORECASE,
    ),
    near=near("near", "same"),
    wild="*?$",
    letters={"?": (1, 1), "$": (0, 1)},
    distances={"near": 15, "same": None},
    printed=re.compile(
        r"Timespan\s?[:=]\s{0,3}(?P<limits>[12][0-9]{3}(?:-[0-9]{2}){0,2}"
        r"(?:\s?(?:-|to)\s?[12][0-9]{3}(?:-[0-9]{2}){0,2})?(?![\w-])(?:\s\(Index Date\))?)"
        r"(?:\s\(Publication Date\))?[.;]?"
        r"|(?:Indexes|Timespan|Editions?|Databases?|Collections?|DocType|Search language|"
        r"Language(?=\s?=\s?All)|Lemmatization|Date Run|Entitlements?|Results)"
        r"\s{0,3}[:=]\s{0,3}(?=[^\s(])"
        r"(?:(?!\sTimespan\s?[:=]\s{0,3}[12])[^\n()\"]){1,200}"
        r"(?:\(from [^\n()]{1,80}\)|(?<=GMT[+-][0-9]{4} )\([^\n()]{1,60}\))?"
        r"|You searched for\s?:|Clear all(?=\s{0,5}\Z)"
        r"|(?:[0-9][0-9,]{0,12} )?Results (?:from [^\n:()]{1,80} )?for:"
        r"|(?:\.{3}|(?:View|Show) )(?:Less|More)(?=\W{0,5}\Z)",
        re.IGNORECASE,
    ),
    limits_by_type=True,
)

# What the pages print round a query.

_REFINED = re.compile(r"(?:\|\s{0,3})?Refined by\s?:", re.IGNORECASE)
_EXCLUDING = re.compile(r"\[excluding\]:?", re.IGNORECASE)
#: The name of a field behind what it holds for, or what is excluded.
_LABEL = re.compile(rf"\((Exclude\s?[-–]\s?)?({_NAMES})\)", re.IGNORECASE)
_JOINS = re.compile(r"\s{1,5}(?:and\s{1,5}not|and|or|not)\s{1,5}", re.IGNORECASE)
_NO_WORD = re.compile(r"(?:^|\s)(?:and|or|not)$", re.IGNORECASE)
_LAST_JOIN = re.compile(r"\s(?:and|not)(?=\s)", re.IGNORECASE)
_TIMESPAN = re.compile(r"Timespan\s?[:=][^\n()]{1,50}\Z", re.IGNORECASE)
#: Fields of the lists beside the results: of what stands before, they take only the last part.
_REFINES = frozenset(
    "publication years|document types|languages|web of science categories|research areas|"
    "publication titles|source titles|affiliations|countries/regions|publishers|open access|"
    "early access|funding agencies|authors|editors|group authors|web of science index|"
    "citation topics macro|citation topics meso|citation topics micro|conference titles|"
    "book series titles|sustainable development goals|mesh headings|mesh qualifiers|"
    "database|databases|collections".split("|")
)
#: What a box beside the results adds without the name of a field.
_BOX = re.compile(
    r"(?:(?:\sor\s)?(?:Open Access|Highly Cited Papers?|Hot Papers?|Enriched Cited References"
    r"|Associated Data|Open Publisher-Invited Reviews?)){1,6}(?=\s{0,3}(?:\Z|\)|(?:and|or|not)\s))",
    re.IGNORECASE,
)
#: Of two days: 2020-01-01/2020-12-31.
_BETWEEN_DAYS = re.compile(r"(?<=-[0-9]{2})\s?/\s?(?=[0-9]{4}-)")
#: What cannot be but a field, in a field and elsewhere.
_FIELD = re.compile(r"([A-Za-z]{2,10})\s{0,3}(==?)\s{0,3}(?=[\w(\"'*])")


class WosReader(DatabaseReader):
    grammar = WOS
    #: Whether limits of a whole query are being read; they go on to its end.
    refines = False

    def target_of(self, names: str) -> FieldTarget | None:
        return super().target_of(_OF_LABEL.get(plain(names).lower(), names))

    def prefix(self) -> tuple[FieldTarget, str] | None:
        before, inside = self.at, self.target is not self.grammar.default
        found = super().prefix()
        if found and inside and self.target.of_words and found[1].endswith(":"):
            self.at = before  # a word with a colon
            return None
        unknown = None if found else _FIELD.match(self.text, self.at)
        if unknown is None or (self.at and self.text[self.at - 1].isalnum()):
            return found
        name, sign = unknown.groups()
        if sign == "==":  # lists beside the results have fields of their own
            self.at = unknown.end()
            return NOWHERE, f"{name}=="
        if not inside or name.isupper():
            raise self.unknown_field(name, *unknown.span(1))
        return None

    def limits(self, text: str, start: int) -> Clause:
        dates = text.removesuffix(" (Index Date)")
        if dates == text:
            return super().limits(text, start)
        return self.years(dates, (start, start + len(dates)), "Index Date")

    def years(self, text: str, where: tuple[int, int], other: str = "") -> Clause:
        return super().years(_BETWEEN_DAYS.sub(" - ", text), where, other)

    # ---------------------------------------------------------------- as pages print it

    def peek(self) -> Sign | None:
        self.here()
        if excluding := _EXCLUDING.match(self.text, self.at):
            return Sign("NOT", *excluding.span())
        return super().peek()

    def platform_text(self) -> re.Match[str] | None:
        return _REFINED.match(self.text, self.at) or super().platform_text()

    def take_platform_text(self, limits: list[Clause]) -> bool:
        self.here()
        refined = _REFINED.match(self.text, self.at)
        if refined is None:
            return super().take_platform_text(limits)
        self.at = refined.end()
        if not self.refines and self.here():
            self.refines = True
            limits.append(self.query())
            self.refines = False
        return True

    def operand_of_field(self, tag: FieldTarget, shown: str) -> Clause:
        listed = self.refines or not tag.of_words
        if not (listed and shown.endswith(":")) or self.here() in ("(", ""):
            return super().operand_of_field(tag, shown)
        # `Refined By: Document Types: Article or Review Article`: up to the next name of a field.
        outer = self.target, self.shown
        self.target, self.shown = tag, shown
        values = [self.operand(None)]
        while (sign := self.peek()) and sign.name == "OR" and not self.field_after(sign.end):
            self.at = sign.end
            values.append(self.operand(sign))
        self.target, self.shown = outer
        return either(values)

    def special(self) -> Clause | None:
        if part := self.labels.pop(self.at, None):
            return self.part(part)
        box = _BOX.match(self.text, self.at) if self.target is self.grammar.default else None
        if box is None:
            return super().special()
        self.at = box.end()
        return self.ignore("limit", box[0])

    @cached_property
    def labels(self) -> dict[int, re.Match[str]]:
        """Where a part begins that a field is named behind -> the name in its brackets."""
        found: dict[int, re.Match[str]] = {}
        starts, at = [0], 0
        while at < len(self.text):
            char = self.text[at]
            if char == "(" and (label := self.label(at)):
                begin = starts[-1]
                if label[2].lower() in _REFINES:
                    for join in _LAST_JOIN.finditer(self.text, max(begin, at - 2_000), at):
                        begin = join.end()
                if not begin and (printed := WOS.printed and WOS.printed.match(self.text)):
                    begin = printed.end()
                while begin < at and self.text[begin].isspace():
                    begin += 1
                if begin < at:
                    found[begin] = label
                at = label.end()
                joins = _JOINS.match(self.text, at)
                starts[-1] = at = joins.end() if joins else at
                continue
            if char == "(":
                starts.append(at + 1)
            elif char == ")" and len(starts) > 1:
                starts.pop()
            elif self.opens_quote(at):
                end = self.text.find(self.quotes[char], at + 1)
                at = end if end > 0 else at
            at += 1
        return found

    def label(self, at: int) -> re.Match[str] | None:
        """The name of a field that stands behind something else than a sign or operator."""
        before = self.text[max(at - 60, 0) : at].rstrip()
        if _TIMESPAN.search(before):
            return None
        if not before or before[-1] in "=:(" or _NO_WORD.search(before):
            return None
        return _LABEL.match(self.text, at)

    def part(self, label: re.Match[str]) -> Clause:
        """What stands up to the name of its field: `heart attack (Topic)`."""
        tag = self.target_of(label[2])
        assert tag is not None, "every name has a field"
        whole, outer = self.text, (self.target, self.shown)
        self.text, self.target, self.shown = whole[: label.start()], tag, label[2]
        try:
            clause = self.query()
        except QuerySyntaxError as error:
            fix = error.suggestion
            raise error.with_changes(
                text=whole, suggestion=None if fix is None else fix + whole[label.start() :]
            ) from None
        finally:
            self.text, (self.target, self.shown) = whole, outer
        if self.at < label.start():
            raise self.no_opening(self.at)
        self.at = label.end()
        if label[1] is None:
            return clause
        if not clause.is_exact:
            self.losses.add("negated", plain(label[0]))
        return without(clause)


# Web of Science (https://webofscience.help.clarivate.com/en-us/Content/advanced-search.html):
# `TS=(salt AND marsh)`

STYLE = SyntaxStyle(
    name="wos",
    bracketed=True,
    fields=fields_of(WOS, "{CODE}=({x})", any="ts", isbn="is"),
    losses=BY_TOPIC,
    reserved="near|same",
    lost=f"[{DOUBLE}*?$]",
    least=3,
    years=YearRanges("PY=({first}-{last})", only="PY=({first})"),
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
