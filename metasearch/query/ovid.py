"""Ovid's syntax: `exp Gambling/ and (harm* or problem*).ti,ab.`"""

from __future__ import annotations

import re

from metasearch.message import message
from metasearch.query.clauses import IGNORED, Clause, either, every
from metasearch.query.databases import DatabaseReader
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
    Booleans,
    DatabaseGrammar,
    FieldTarget,
    Style,
    YearRanges,
    codes,
    fields_of,
    near,
)
from metasearch.query.scanner import Sign
from metasearch.query.tree import plain
from metasearch.query.values import language_named, type_named

OVID = DatabaseGrammar(
    "ovid",
    "Ovid",
    codes(
        ("mp af", ANY),
        ("ti ot tt", TITLE),
        ("ab", ABSTRACT),
        ("tw ti,ab", TITLE_ABSTRACT),
        ("au fa", AUTHOR),
        ("fs px hw sh xs mh rx ox nm rn sy kp mj", HEADING),
        ("kw kf id dq bt", SUBJECT),
        ("jn jw jx ja nj so", VENUE),
        ("a1 fo", FIRST_AUTHOR),
        ("yr dp", YEAR),
        ("ed dt dc dd da ep ez up cd rd em", ENTRY_DATE),
        ("lg la", LANGUAGE),
        ("pt", TYPE),
        ("do", DOI),
        ("is", ISSN),
        ("ib", ISBN),
        ("ui an pm cn", NUMBER),
        ("in ia cp gi gr no sb st vo ip pg pb cr rf co cw ad ci mf ag po cl cc md", NOWHERE),
    ),
    suffix=re.compile(r"\.([a-z0-9]{2}(?:\s?,\s?[a-z0-9]{2}){0,20})\.?(?![\w.])", re.IGNORECASE),
    near=near(r"adj"),
    wild="*$:?#",
    endless="*$:",
    phrases=True,
    reference=re.compile(r"#?([0-9]{1,4})"),
)


# What Ovid alone has: headings with a slash, `or/1-4`, `limit 3 to`, `remove duplicates from`.

_EXPLODED = re.compile(
    r'exp\s{1,5}(\*?)\s{0,3}(?:"([^"]{1,150})"|([^/"\n]{1,150}?))\s{0,3}/', re.IGNORECASE
)
_NO_HEADING = re.compile(r"\b(?:exp|or|adj[0-9]*|not)\b|[.]|[$]", re.IGNORECASE)
_SLASH = re.compile(r"/(?:([a-z]{2}(?:,\s?[a-z]{2}){0,40}))?(?![\w/])")
_NAMED = re.compile(r"\s{0,3}\[[^\[\]]{0,600}\]")
_COMBINED = re.compile(
    r"(or|and)/\s?(#?[0-9]{1,4}(?:\s?[-,]\s?#?[0-9]{1,4}){0,200})(?!\w)", re.IGNORECASE
)
_LIMIT = re.compile(r"limit\s{1,5}#?([0-9]{1,4})\s{1,5}to\s{1,5}", re.IGNORECASE)
_DUPLICATES = re.compile(
    r"(?:remove\s{1,3}duplicates\s{1,3}from|dedup)\s{1,3}([0-9]{1,4})(?!\w)", re.IGNORECASE
)
_KEEP = re.compile(r"from\s{1,3}([0-9]{1,4})\s{1,3}keep\s{1,3}[0-9,\s-]{1,200}", re.IGNORECASE)
_USE = re.compile(r"use\s{1,3}[a-z0-9]{2,12}(?!\w)", re.IGNORECASE)
_FREQUENCY = re.compile(r"\s{0,3}/\s?freq\s?=\s?[0-9]{1,3}", re.IGNORECASE)
_YEARS = re.compile(
    r'(?:yr|dp|up|ed|dt|dd|rd)\s?=\s?(?:"([^"]{4,40})"|([0-9][\w-]{3,30}))', re.IGNORECASE
)
_UNKNOWN = re.compile(r"[\w*$?#)]\.([a-z]{2}(?:,[a-z]{2}){0,20})\.$")
_BARE = frozenset("ti ab tw mp kw kf pt sh hw au id jw jn".split())


class OvidReader(DatabaseReader):
    """One text in Ovid's syntax."""

    grammar = OVID

    def special(self) -> Clause | None:
        if self.text[self.at] not in '("':
            for pattern, read in (
                (_COMBINED, self.combination),
                (_LIMIT, self.limited),
                (_DUPLICATES, self.without_duplicates),
                (_KEEP, self.kept),
                (_EXPLODED, self.exploded),
            ):
                match = pattern.match(self.text, self.at)
                if match and not (pattern is _EXPLODED and self.is_no_heading(match)):
                    return read(match)
        return super().special()

    @staticmethod
    def is_no_heading(match: re.Match[str]) -> bool:
        """Whether what `_EXPLODED` matches without quotes holds operators or fields."""
        return bool(match[3] and _NO_HEADING.search(match[3]))

    def operand(self, after: Sign | None) -> Clause:
        clause = super().operand(after)
        self.here()
        if used := _USE.match(self.text, self.at):
            self.losses.add("settings", used[0])
            self.at = used.end()
        return clause

    def is_suffix(self, match: re.Match[str]) -> bool:
        return match[0].endswith(".") or all(
            code.strip().lower() in _BARE for code in match[1].split(",")
        )

    def after_suffix(self) -> None:
        if named := _NAMED.match(self.text, self.at):
            self.at = named.end()
        if often := _FREQUENCY.match(self.text, self.at):
            self.losses.add("frequency", often[0])
            self.at = often.end()

    def suffix_here(self) -> tuple[FieldTarget, str] | None:
        if self.text[self.at : self.at + 2] == " ." and (
            match := _field_at(self.text, self.at + 1)
        ):
            self.at = match.start()
        if slash := _SLASH.match(self.text, self.at):
            return self.slashed(slash)
        return super().suffix_here()

    def suffix_in(self, start: int, end: int) -> tuple[FieldTarget, str] | None:
        word = self.text[start:end]
        at = self.text.find("/", start + 1, end)
        slash = _SLASH.match(self.text, at) if at > 0 and word.lower() != "and/or" else None
        if slash and slash.end() >= end:
            self.cut_at = at
            return self.slashed(slash)
        match = super().suffix_in(start, end)
        unknown = _UNKNOWN.search(word) if match is None and word.endswith(".") else None
        if unknown and (word.count(".") == 2 or "," in unknown[1]):
            begin = start + unknown.start() + 1
            reason = message("There is no field .{field}. in Ovid", field=unknown[1])
            raise self.error(reason, begin, end, fix=self.without(begin, end))
        return match

    narrowed = False

    def slashed(self, slash: re.Match[str]) -> tuple[FieldTarget, str]:
        """A heading: what its slash says besides."""
        self.at = slash.end()
        self.narrowed = bool(slash[1])
        if slash[1]:
            self.losses.add("subheading", slash[0])
        if named := _NAMED.match(self.text, self.at):
            self.at = named.end()
        return HEADING, "X/"

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        if shown == "X/":
            return self.slashed_heading(text, where)
        return super().value(text, tag, shown, where, quoted=quoted)

    def slashed_heading(
        self, text: str, where: tuple[int, int], *, explode: bool = False
    ) -> Clause:
        """A heading that stood before a slash."""
        name, narrowed, self.narrowed = text, self.narrowed, False
        if name.lower().startswith("exp "):
            explode, name = True, name[4:].strip()
        if name.startswith("*"):
            self.losses.add("focus", f"{name}/")
            narrowed, name = True, name.strip("* ")
        name = plain(name.strip('"'))
        if not any(map(str.isalnum, name)):
            raise self.error(
                message("There is no heading before the slash"), *where, fix=self.without(*where)
            )
        return self.heading(name, where, explode=explode, narrowed=narrowed)

    def exploded(self, match: re.Match[str]) -> Clause:
        self.at = match.end() - 1
        slash = _SLASH.match(self.text, self.at)
        self.at += 1
        if slash:
            self.slashed(slash)
        return self.slashed_heading(
            f"{match[1]}{plain(match[2] or match[3])}", match.span(), explode=True
        )

    # ---------------------------------------------------------------- earlier lines

    def combination(self, match: re.Match[str]) -> Clause:
        """`or/1-4,7`."""
        self.at = match.end()
        numbers = self.numbers(match[2], match.span())
        join = either if match[1].upper() == "OR" else every
        return join([self.reference(number, *match.span()) for number in numbers])

    def limited(self, match: re.Match[str]) -> Clause:
        """`limit 3 to (english language and yr="2010 -Current")`: to the end of the line."""
        clause = self.reference(int(match[1]), match.start(), match.end())
        close = self.closing.get(self.open[-1]) if self.open else None
        end = len(self.text) if close is None else close
        limits, self.at = self.text[match.end() : end], end
        parts = [clause]
        for years in _YEARS.finditer(limits):
            where = match.end() + years.start(), match.end() + years.end()
            parts.append(self.years(plain(years[1] or years[2]), where))
        languages, types = [], []
        for name in re.split(r"\s(?:and|or)\s|[()]", _YEARS.sub(" ", limits)):
            name = plain(name.replace('"', " "))
            if not name or name in ("and", "or"):
                continue
            if language_named(name):
                languages.append(self.language(name))
            elif type_named(name)[0]:
                types.append(self.type(name))
            else:
                parts.append(self.ignored("limit", f"limit to {name}"))
        parts += [either(alternatives) for alternatives in (languages, types) if alternatives]
        return every(parts)

    def without_duplicates(self, match: re.Match[str]) -> Clause:
        self.losses.add("duplicates", match[0])
        return self.reference(int(match[1]), *match.span())

    def kept(self, match: re.Match[str]) -> Clause:
        self.losses.add("limit", match[0])
        return every([self.reference(int(match[1]), *match.span()), IGNORED])


def _field_at(text: str, at: int) -> re.Match[str] | None:
    """The field at a place, if one is there."""
    return OVID.suffix.match(text, at) if OVID.suffix else None


# Ovid, with the fields of MEDLINE (https://ospguides.ovid.com/OSPguides/medline.htm): `(salt and
# marsh).ti,ab.`

STYLE = Style(
    name="ovid",
    label="Ovid",
    fields=fields_of(
        OVID, "{x}.{code}.", title_abstract="ti,ab", subject="hw,kf", venue="jw", isbn=""
    ),
    losses={
        "author": message(
            "Ovid looks for whole names among authors: write burt-a.au. for one, or "
            "burt*.au. for all"
        )
    },
    booleans=Booleans(all=" and ", either=" or ", without=" not "),
    reserved=r"near\d*|with|same|use|freq|exp|limit|to",
    lost=f"[{DOUBLE}*$:#?]",
    years=YearRanges(
        only=("{first}.yr.",),
        both=("{first}:{last}.yr.",),
        since=("{first}:3000.yr.",),
        until=("1000:{last}.yr.",),
    ),
    types={
        "article": ("Journal Article",),
        "review": ("Review",),
        "editorial": ("Editorial",),
        "letter": ("Letter",),
        "erratum": ("Published Erratum",),
        "retraction": ("Retraction of Publication",),
        "preprint": ("Preprint",),
        "dataset": ("Dataset",),
    },
    near=" adj{next} ",
    adjacent=" adj ",
    headings={"exact": "{x}/", "exploded": "exp {x}/"},
    languages="name",
)
