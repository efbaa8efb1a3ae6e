"""The syntax of embase.com: `'gambling'/exp AND (harm* NEAR/3 reduc*):ti,ab`."""

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
    SINGLE,
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
from metasearch.query.values import language_named, type_named

EMBASE = DatabaseGrammar(
    "embase",
    "Embase",
    codes(
        ("all", ANY),
        ("ti tt", TITLE),
        ("ab", ABSTRACT),
        ("au", AUTHOR),
        ("ff", FIRST_AUTHOR),
        ("kw", SUBJECT),
        ("de cl tn mn dn lnk exp syn br mj dd dt", HEADING),
        ("jt ta jo", VENUE),
        ("py", YEAR),
        ("sd", ENTRY_DATE),
        ("la", LANGUAGE),
        ("it", TYPE),
        ("do", DOI),
        ("is", ISSN),
        ("ib", ISBN),
        ("ui id an rn", NUMBER),
        ("af ad ca cy ct ms nc oc pg vi ip sp cn dc ok", NOWHERE),
    ),
    prefix=None,
    suffix=re.compile(
        r"(?:[:/]\s?)([a-z]{2,3}(?:\s?,\s?[a-z]{2}){0,20}(?:/mj)?)(?![\w])", re.IGNORECASE
    ),
    near=near("near", "next"),
    wild="*?$",
    quotes={"'": "'"},
)


# What embase.com alone has: `[english]/lim`, `[2010-2020]/py`, `'x'/exp/mj`.

_LIMIT = re.compile(r"\[([^\[\]]{1,80})\](?:\s{0,3}/\s?([a-z]{2,3}))?(?!\w)", re.IGNORECASE)
_SLASHED = frozenset("exp de mj syn br lnk dm dd dt cl".split())


class EmbaseReader(DatabaseReader):
    """One text in the syntax of embase.com."""

    grammar = EMBASE

    def special(self) -> Clause | None:
        match = _LIMIT.match(self.text, self.at)
        if match is None:
            return super().special()
        self.at = match.end()
        self.count(*match.span())
        value = " ".join(match[1].split())
        if (match[2] or "").lower() == "py":
            return self.years(value, match.span(1))
        if (match[2] or "").lower() == "sd":
            return self.years(value, match.span(1), "sd")
        if language_named(value):
            return self.language(value)
        if type_named(value)[0]:
            return self.type(value)
        return self.ignored("limit", match[0])

    def starts_special(self) -> bool:
        return self.text[self.at] == "["

    def is_suffix(self, match: re.Match[str]) -> bool:
        names = re.split(r"[,/]", match[1].lower())
        return match[0].startswith(":") or names[0].strip() in _SLASHED

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        clause = super().value(text, tag, shown, where, quoted=quoted)
        names = shown.lower().split("/")
        if "exp" in names:
            clause = exploded(clause)
        return wider(clause.widest) if "mj" in names and clause.widest else clause

    def known(self, names: str) -> FieldTarget | None:
        parts = [part.strip() for part in re.split(r"[,/]", names.lower())]
        if parts[0] == "exp":
            self.losses.add("explosion", "/exp")
        if "mj" in parts:
            self.losses.add("focus", "/mj")
            parts = [part for part in parts if part != "mj"] or ["de"]
        return super().known(",".join(parts))


# Embase.com (https://www.elsevier.com/support/embase): `(salt AND marsh):ti,ab,kw`, and filters in
# square brackets.

STYLE = Style(
    name="embase",
    label="Embase",
    fields=fields_of(
        EMBASE,
        "{x}:{code}",
        any="ti,ab,kw",
        title_abstract_subject="ti,ab,kw",
        title_abstract="ti,ab",
        subject="de,kw",
        isbn="",
    )
    | dict.fromkeys(("type", "language"), "[{x}]/lim"),
    losses={
        "any": message(
            "Embase: what is looked for everywhere is looked for in titles, abstracts and keywords"
        )
    },
    single=frozenset({"type", "language"}),
    phrase="'{x}'",
    value="{x}",
    reserved="near|next",
    lost=f"[{DOUBLE}{SINGLE}*?$]",
    years=YearRanges(
        only=("[{first}-{first}]/py",),
        both=("[{first}-{last}]/py",),
        since=("[{first}-3000]/py",),
        until=("[1000-{last}]/py",),
    ),
    types={
        "article": ("article", "review"),
        "review": ("review",),
        "conference-paper": ("conference paper",),
        "proceedings": ("conference review",),
        "editorial": ("editorial",),
        "letter": ("letter",),
        "erratum": ("erratum",),
        "preprint": ("preprint",),
        "chapter": ("chapter",),
    },
    near=" NEAR/{n} ",
    ordered=" NEXT/{n} ",
    nearest=1,
    headings={"exact": "'{x}'/de", "exploded": "'{x}'/exp"},
    languages="name",
)
