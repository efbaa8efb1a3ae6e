"""The syntax of EBSCOhost: `(MH "Gambling+") AND TI (harm* N3 reduc*)`."""

from __future__ import annotations

import re

from metasearch.query.clauses import IGNORED, Clause, either, every, wider
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
from metasearch.query.scanner import BEGINS
from metasearch.query.tree import plain

#: What a history prints round a query, each up to the next of them or to the end of the line.
_LIMITS = r"(?:Limiters|Narrow by [A-Za-z ]{1,30}:?)(?: -|:) ?"
_SETTINGS = "Expanders|Search [Mm]odes?|Interface|Search Screen|Database|Last Run Via"
_NEXT = rf"\s{{1,5}}(?:{_SETTINGS}|View|Rerun|Edit|Display)\b|\s{{0,5}}(?:\n|\Z)"

EBSCO = DatabaseGrammar(
    "ebsco",
    codes("""
    any: tx
    title: ti to tt
    abstract: ab
    title abstract: xb
    topic: tp
    author: au ar as ed
    first author: ax
    subject: su kw kp id ot
    heading: mh mm mj mw de ma zw zu dh hw nm
    venue: so jn jt bk se
    year: dt py yr
    entry date: em da up ey rd rc
    language: la lg
    type: pt zt pz
    doi: do
    issn: is
    isbn: ib
    number: pm rn
    # Limits: full text, peer review, references, ages, populations, formats.
    nowhere: ft rv pr rf fm lt og ag po hu lx lo lv gc
    # Lists of single databases: each has codes of its own that begin so.
    nowhere: za zc zd ze zf zg zi zj zk zl zm zn zo zp zq zr zs zv zx zy zz
    # Affiliations, countries, funders, publishers, audiences.
    nowhere: af ad ca cn cy gr fs in gi ge gl gn ps pe co pb pl pu pa ir sa
    # Parts of journals, tests, classes, and what only EBSCOhost keeps.
    nowhere: vi vo ip pg pn jc jk sb jb cc cl lc ts tm im ri cr rp nt av cp cf sd sp
    nowhere: an ui ci si ac tc te ut lh no od rs xt fx rt
    """),
    prefix=re.compile(
        r"([A-Z]{2}|(?:ti|ab|mh|mm|mj|mw|tx|su|kw|au|xb|tp)(?=\s{0,10}[\"(])"
        r"|(?:ti|tx|mh|ab(?! (?:initio|ovo|externo)))(?=\s[^\W_]))"
        r"(?:\s{1,10}(?=[\w\"'(*])|(?=[\"(]))"
    ),
    near=near(r"[nw][0-9]{1,3}"),
    ordered=frozenset({"w", "next", "onear", "pre"}),
    wild="*?#",
    letters={"?": (1, 1), "#": (0, 1)},
    phrases=True,
    reference=re.compile(r"[Ss]([0-9]{1,4})"),
    printed=re.compile(
        rf"(?P<limits>{_LIMITS}(?:[^\n]{{1,2000}}?(?={_NEXT})|[^\n]{{2000}}))"
        rf"|(?:{_SETTINGS})(?: -|:) [^\n]{{1,300}}?(?={_NEXT}|\s{{1,5}}{_LIMITS})"
        r"|(?:Boolean/Phrase|Find (?:all|any of) my search terms|Search Options|SmartText)\s?:"
        r"|(?:View (?:Results|Details|Less|More)|Rerun(?= +(?:View|Edit))|Edit(?: S[0-9]{1,4})?\Z)"
        r"(?:\s?\([0-9][0-9,. ]{0,15}\))?"
    ),
    limits_by_type=True,
)


# What EBSCOhost alone has: `(MH "X+/TH")`, `FT Y`, and the settings that its histories print.

_MAIN = frozenset({"MM", "MJ"})
#: Codes that may stand within the bracket of another, or after words without an operator.
_OF_WORDS = frozenset("TI AB AU SU MH MM MJ MW TX KW DE SO XB TP".split())
#: Two capitals that may be a field: before a quote or bracket they are, before a word perhaps.
_FIELD = re.compile(r"([A-Z]{2})(\s{0,10}[\"(]|\s{1,10}(?=\w))")
#: Words that begin as a field of persons or institutions does: editors have a capital.
_NO_NAME = re.compile(r"(?:ED|AS)\s{1,5}(?=[a-z])|IN\s{1,5}(?=(?:vitro|vivo|situ|utero|silico)\b)")
#: The name of a list of limits within what is printed.
_LIST = re.compile(rf"(?:\A|\s)({_LIMITS})")
_SWITCH = re.compile(
    r"(?!(?:TI|AB|AU|SU|TX|KW)\b)[A-Z]{2}\s{1,5}[YN](?=\s{0,5}(?:\Z|\)|\n|(?:AND|OR|NOT)\b))"
)


class EbscoReader(DatabaseReader):
    grammar = EBSCO

    def special(self) -> Clause | None:
        if switch := _SWITCH.match(self.text, self.at):
            self.at = switch.end()
            self.count(*switch.span())
            return self.ignore("limit", switch[0])
        return super().special()

    def starts_special(self) -> bool:
        return bool(_SWITCH.match(self.text, self.at))

    def prefix(self) -> tuple[FieldTarget, str] | None:
        inside = self.target is not self.grammar.default
        if inside and self.text[self.at : self.at + 2].islower():
            return None  # ti is titanium there
        code = _FIELD.match(self.text, self.at)
        if code is None or (self.at and self.text[self.at - 1].isalnum()) or code[1] == "OR":
            return super().prefix()
        begins = BEGINS.search(self.text, max(self.at - 12, 0), self.at)
        if code[1] not in _OF_WORDS and (inside or not begins):
            return None  # CT scan and US policy are words there
        if word := _NO_NAME.match(self.text, self.at):
            self.losses.add("code or word", plain(word[0]))
            return None
        if code[1].lower() not in self.grammar.codes:
            if not code[2].isspace():
                raise self.unknown_field(code[1], *code.span(1))
            self.losses.add("no field", code[1])
            return None
        return super().prefix()

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        if not tag.heading:
            return super().value(text, tag, shown, where, quoted=quoted)
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
            clause = with_narrower(clause)
        return wider(clause.widest) if slash or main else clause

    def limits(self, text: str, start: int) -> Clause:
        _, *parts = _LIST.split(text)
        if not parts:
            return super().limits(text, start)
        lists: dict[str, list[Clause]] = {}
        for name, items in zip(parts[::2], parts[1::2], strict=True):
            # What one list is narrowed by are alternatives.
            narrowed = lists.setdefault(name, [])
            for item in filter(plain, items.split(";")):
                one = self.limit(item.replace(",", " or "), start, plain(item))
                narrowed.append(one)
        return every(
            [
                every(them) if name.startswith("Limiters") else either(them)
                for name, them in lists.items()
                if them
            ]
            or [IGNORED]
        )


# EBSCOhost (https://connect.ebsco.com/s/article/Searching-with-Field-Codes): a code before a term,
# none for the usual fields: title, subject and abstract.

STYLE = SyntaxStyle(
    name="ebsco",
    # XB and TP are of the new interface alone.
    fields=fields_of(EBSCO, "{CODE} {x}", title_abstract="", title_abstract_subject="")
    | {"any": "{x}"},
    # A word of two letters may be a code.
    reserved=r"[a-z]{2}|[nw]\d+|near|within",
    lost=f"[{DOUBLE}*?#]",
    years=YearRanges("DT {first}-{last}", only="DT {first}", since="DT {first}-"),
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
