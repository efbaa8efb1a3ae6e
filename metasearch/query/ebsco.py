"""The syntax of EBSCOhost: `(MH "Gambling+") AND TI (harm* N3 reduc*)`."""

from __future__ import annotations

import re

from metasearch.query.clauses import IGNORED, Clause, either, every, wider
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
    TOPIC,
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
from metasearch.query.tree import plain

#: Where a part of what a history prints ends: at the next part, or with the line.
_PRINTED_NEXT = (
    r"\s{1,5}(?:Expanders|Search modes?|Interface|Search Screen|Database|Last Run Via|View|Rerun|Edit|"
    r"Display)\b|\s{0,5}(?:\n|\Z)"
)

EBSCO = DatabaseGrammar(
    "ebsco",
    "EBSCOhost",
    codes(
        ("tx", ANY),
        ("ti to tt", TITLE),
        ("ab", ABSTRACT),
        ("xb", TITLE_ABSTRACT),
        ("tp", TOPIC),
        ("au ar as ed", AUTHOR),
        ("ax", FIRST_AUTHOR),
        ("su kw kp id ot", SUBJECT),
        ("mh mm mj mw de ma zw zu dh hw nm md ct", HEADING),
        ("so jn jt bk se", VENUE),
        ("dt py yr", YEAR),
        ("em da up ey rd rc", ENTRY_DATE),
        ("la lg", LANGUAGE),
        ("pt zt pz", TYPE),
        ("do", DOI),
        ("is", ISSN),
        ("ib", ISBN),
        ("pm rn", NUMBER),
        # Limits: full text, peer review, references, ages, populations, formats.
        ("ft rv pr rf fm lt og ag po hu lx lo lv gc", NOWHERE),
        # Affiliations, countries, funders, publishers, audiences.
        ("af ad ca cn cy gr fs in gi ge gl gn ps pe co ze zg pb pl pu pa ir sa", NOWHERE),
        # Parts of journals, tests, classes, and what only EBSCOhost keeps.
        ("vi vo ip pg pn jc jk sb jb cc cl lc ts tm im ri cr rp nt av cp cf sd sp", NOWHERE),
        ("an ui ci si ac tc te ut lh no od rs xt fx rt", NOWHERE),
    ),
    prefix=re.compile(r"([A-Z]{2})(?:\s{1,10}(?=[\w\"'(*])|(?=[\"(]))"),
    near=near(r"[nw][0-9]{1,3}"),
    ordered=frozenset({"w", "next", "onear", "pre"}),
    wild="*?#",
    phrases=True,
    reference=re.compile(r"[Ss]([0-9]{1,4})"),
    printed=re.compile(
        rf"(?P<limits>(?:Limiters|Narrow by [A-Za-z ]{{1,30}}:?) - ?[^\n]{{1,900}}?)(?={_PRINTED_NEXT})"
        rf"|(?:Expanders|Search modes?|Interface|Search Screen|Database|Last Run Via) - [^\n]{{1,300}}?"
        rf"(?={_PRINTED_NEXT}|\s{{1,5}}(?:Limiters|Narrow by)\b)"
        r"|(?:View (?:Results|Details|Less|More)|Rerun(?= +(?:View|Edit))|Edit(?: S[0-9]{1,4})?\Z)"
        r"(?:\s?\([0-9][0-9,. ]{0,15}\))?"
    ),
)


# What EBSCOhost alone has: `(MH "X+/TH")`, `FT Y`, and the settings that its histories print.

_MAIN = frozenset({"MM", "MJ"})
#: Two capitals that may be a field: before a quote or bracket they are, before a word perhaps.
_FIELD = re.compile(r"([A-Z]{2})(\s{0,10}[\"(]|\s{1,10}(?=\w))")
#: The name of a list of limits within what is printed.
_LIST = re.compile(r"(?:\A|\s)(Limiters|Narrow by [A-Za-z ]{1,30}:?) - ?")
_SWITCH = re.compile(r"([A-Z]{2})\s{1,5}[YN](?![\w*])")


class EbscoReader(DatabaseReader):
    """One text in the syntax of EBSCOhost."""

    grammar = EBSCO

    def special(self) -> Clause | None:
        if switch := _SWITCH.match(self.text, self.at):
            self.at = switch.end()
            self.count(*switch.span())
            return self.ignored("limit", switch[0])
        return super().special()

    def starts_special(self) -> bool:
        return bool(_SWITCH.match(self.text, self.at))

    def prefix(self) -> tuple[FieldTarget, str] | None:
        code = _FIELD.match(self.text, self.at)
        if code is None or (self.at and self.text[self.at - 1].isalnum()) or code[1] == "OR":
            return super().prefix()
        before_word = code[2].isspace()
        tag = self.grammar.codes.get(code[1].lower())
        inside = self.target is not self.grammar.default
        if before_word and (tag is None or (inside and not tag.fields)):
            # EBSCOhost reads US policy, or CT scan in the brackets of a field, as words.
            self.losses.add("no field", code[1])
            return None
        if tag is None:
            raise self.unknown_field(code[1], *code.span(1))
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
            clause = exploded(clause)
        return wider(clause.widest) if (slash or main) and clause.widest else clause

    def type(self, text: str) -> Clause:
        return self.type_or_limit(text)

    def limits(self, text: str, start: int) -> Clause:
        _, *parts = _LIST.split(text)
        lists: dict[str, list[Clause]] = {}
        for name, items in zip(parts[::2], parts[1::2], strict=True):
            # What one list is narrowed by are alternatives.
            narrowed = lists.setdefault(name, [])
            for item in filter(plain, items.split(";")):
                one = self.limit(item.replace(",", " or "), start, plain(item))
                narrowed.append(one)
        return every(
            [
                every(them) if name == "Limiters" else either(them)
                for name, them in lists.items()
                if them
            ]
            or [IGNORED]
        )


# EBSCOhost (https://connect.ebsco.com/s/article/Searching-with-Field-Codes): a code before a term,
# none for the usual fields: title, subject and abstract.

STYLE = Style(
    name="ebsco",
    label="EBSCOhost",
    # XB and TP are of the new interface alone.
    fields=fields_of(EBSCO, "{CODE} {x}", title_abstract="", title_abstract_subject="")
    | {"any": "{x}"},
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
    languages="name",
)
