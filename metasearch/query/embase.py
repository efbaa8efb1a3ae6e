"""The syntax of embase.com: `'gambling'/exp AND (harm* NEAR/3 reduc*):ti,ab`."""

from __future__ import annotations

import re

from metasearch.message import message
from metasearch.query.clauses import Clause, wider
from metasearch.query.database_reader import DatabaseReader
from metasearch.query.field_values import with_narrower
from metasearch.query.grammar import (
    BY_TOPIC,
    DOUBLE,
    SINGLE,
    DatabaseGrammar,
    FieldTarget,
    SyntaxStyle,
    YearRanges,
    codes,
    fields_of,
    near,
)
from metasearch.query.values import limit_language, publication_type

#: A field, or a subheading with the facet that the heading is of: `dd_ae`.
_CODE = r"[a-z]{2,5}(?:_[a-z]{2})?"
# The fields of embase.com (https://www.elsevier.com/support/embase).
EMBASE = DatabaseGrammar(
    "embase",
    codes("""
    any: all
    title: ti tt ot
    abstract: ab oa
    author: au
    subject: kw
    heading: de cl tn mn dn df lnk exp syn mj dd dt dm dv
    venue: jt ta jo
    year: py pd
    entry date: sd
    language: la
    type: it
    doi: do
    issn: is
    isbn: ib
    trial: cn
    number: ui id pui an rn ii br
    nowhere: ff af ad ca cy ct ms nc lc oc pg vi ip sp dc ok em
    nowhere: st src ls cr cd co ed pb pub
    """)
    | dict.fromkeys(
        ("pt", "dtype"), FieldTarget(("type",), message("read as the type of the work, :it"))
    ),
    suffix=re.compile(
        rf"\s{{0,3}}[:/]\s?({_CODE}(?:\s?[,:/]\s?{_CODE}){{0,60}})(?!\w)", re.IGNORECASE
    ),
    near=near("near", "next"),
    wild="*?$",
    letters={"?": (1, 1), "$": (0, 1)},
    # Embase wants a number; without one it is the Cochrane Library's, whose texts look the same.
    distances={"near": 6},
    quotes={"'": "'"},
)


# What embase.com alone has: `[english]/lim`, `[2010-2020]/py`, `'x'/exp/mj`.

_LIMIT = re.compile(r"\[([^\[\]]{1,80})\](?:\s{0,3}/\s?([a-z]{2,5}))?(?!\w)", re.IGNORECASE)
#: A day; group 1 is there where a year begins with it.
_DAY = re.compile(r"(?:(0?1[-./]0?1[-./])|[0-9]{1,2}[-./][0-9]{1,2}[-./])[0-9]{4}")
_CLOSING = re.compile(r"(?<!')'(?![\w'])")
#: `[<1966-2010]/py`: all years up to one.
_UNTIL = re.compile(r"<\s?[0-9]{4}\s?(?=-)")
_SUBHEADING = re.compile(r"d[a-z]_[a-z]{2}")
_SLASHED = frozenset(
    "exp de mj syn br lnk dm dd dt cl au py ti ab kw jt ta it la rn tn cn ui id".split()
)
_UNKNOWN = re.compile(rf"[\w*?$]:({_CODE}(?:,{_CODE}){{0,60}})\Z", re.IGNORECASE)


class EmbaseReader(DatabaseReader):
    grammar = EMBASE

    def special(self) -> Clause | None:
        match = _LIMIT.match(self.text, self.at)
        if match is None:
            return super().special()
        self.at = match.end()
        self.count(*match.span())
        value, where = " ".join(match[1].split()), match.span(1)
        match (match[2] or "").lower():
            case "py" | "pd":
                return self.years(_UNTIL.sub("", value), where)
            case "sd":
                # A day alone means all that was added since.
                since = _DAY.fullmatch(value)
                day = value[-4:] if since and since[1] else value
                return self.years(f">={day}" if since else value, where, "sd")
        if limit_language(value):
            return self.language(value)
        if publication_type(value)[0]:
            return self.type(value)
        return self.ignore("limit", match[0])

    def starts_special(self) -> bool:
        return self.text[self.at] == "["

    def take_quote(self, closer: str) -> str:
        """An apostrophe within is doubled, or stands between letters."""
        end = _CLOSING.search(self.text, self.at + 1) if closer == "'" else None
        if (
            end is None
            or end.start() == self.at + 1
            or self.text.find(" '", self.at, end.start()) > 0
        ):
            return super().take_quote(closer)
        return self.between_quotes(end.start()).replace("''", "'").replace("`", "'")

    # ---------------------------------------------------------------- fields

    def is_suffix(self, match: re.Match[str]) -> bool:
        name = re.split(r"[,:/\s]", match[1].lower(), maxsplit=1)[0]
        return match[0].startswith(":") or name in _SLASHED or "_" in name

    def suffix_in(self, start: int, end: int) -> tuple[FieldTarget, str] | None:
        found = super().suffix_in(start, end)
        unknown = _UNKNOWN.search(self.text, start, end) if found is None else None
        if unknown and self.ends_at(end):
            raise self.unknown_field(unknown[1], unknown.start(1) - 1, end)
        return found

    def target_of(self, names: str) -> FieldTarget | None:
        parts = _names(names)
        tag = super().target_of(",".join(part for part in parts if _of_place(part)) or "de")
        if tag is None:
            return None
        if "exp" in parts:
            self.losses.add("explosion", "/exp")
        if "mj" in parts:
            self.losses.add("focus", "/mj")
        if subheadings := [part for part in parts if _SUBHEADING.fullmatch(part)]:
            self.losses.add("subheading", f"/{','.join(subheadings)}")
        return tag

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        clause = super().value(text, tag, shown, where, quoted=quoted)
        names = _names(shown)
        if "exp" in names:
            clause = with_narrower(clause)
        narrowed = "mj" in names or any(map(_SUBHEADING.fullmatch, names))
        return wider(clause.widest) if narrowed else clause


def _names(codes: str) -> list[str]:
    return re.findall(r"[a-z_]{2,8}", codes.lower())


def _of_place(name: str) -> bool:
    """Whether a code says where to look, and not how narrowly."""
    return name not in ("mj", "exp") and not _SUBHEADING.fullmatch(name)


# Embase.com (https://www.elsevier.com/support/embase): `(salt AND marsh):ti,ab,kw`, and filters in
# square brackets.

STYLE = SyntaxStyle(
    name="embase",
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
    losses=BY_TOPIC,
    single=frozenset({"type", "language"}),
    phrase="'{x}'",
    value="{x}",
    reserved="near|next",
    lost=f"[{DOUBLE}{SINGLE}*?$]",
    years=YearRanges("[{first}-{last}]/py"),
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
