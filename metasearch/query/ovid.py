"""Ovid's syntax: `exp Gambling/ and (harm* or problem*).ti,ab.`"""

from __future__ import annotations

import re
from dataclasses import replace

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
from metasearch.query.ovid_limits import SET, LimitReader
from metasearch.query.scanner import Sign
from metasearch.query.subheadings import SUBHEADINGS, subheading_named
from metasearch.query.tree import plain

#: Codes of MEDLINE and the other databases have two letters; `m_titl` is a title in any of them.
#: Longer ones there are none, but people write them: with a sign behind, they are no words.
_CODE = r"(?:m_[a-z]{2,6}|[a-z][a-z0-9](?:[a-z]{1,8}(?=[.,;]))?)"
#: People part codes with a dot, too, which Ovid refuses.
_PART = rf"(?:\.?\s?[,;/]\s?|\.|\s(?={_CODE}[.,]))(?!(?:or|and|not)\b)"

#: What its basic search adds to a question.
_RELATED = r"\{(?-i:(?:Including|No)(?: Limited)? Related Terms)\}"

# The fields of MEDLINE, Embase, PsycInfo, AMED, HMIC, Global Health and CAB Abstracts
# (https://ospguides.ovid.com/): where a code has a meaning of its own in each of them, that of
# MEDLINE counts, or the words are looked for everywhere.
OVID = DatabaseGrammar(
    "ovid",
    "Ovid",
    codes(
        ("mp af tx", ANY),
        ("ti ot tt et ft tl m_titl", TITLE),
        ("ab oa m_abst", ABSTRACT),
        ("tw ti,ab", TITLE_ABSTRACT),
        ("au fa aw ax ca ir m_auts m_auth", AUTHOR),
        (
            "fs px hw sh xs mh rx ox nm rn sy kp mj fx mw dw de su nw rw ps rs os us ux ms mx",
            HEADING,
        ),
        ("pn pw gs gw tn tm dv dm mf df md od gl lo ct dr dn ds", HEADING),
        ("kw kf id dq bt m_subj", SUBJECT),
        ("jn jw jx ja nj so as bk bw m_jrnl", VENUE),
        ("a1 pa", FIRST_AUTHOR),
        ("yr dp pd sa_year", YEAR),
        ("ed dt dc dd da ep ez up cd rd em ew ch xd", ENTRY_DATE),
        ("lg la", LANGUAGE),
        ("pt", TYPE),
        ("do", DOI),
        ("is es il", ISSN),
        ("ib bn", ISBN),
        ("ui an pm cn si sa oi ai jc ac tc ts at cf mt nt gn on ar te", NUMBER),
        (
            "in ia cp gi gr no sb st vo ip pg pb pl pu cr rf co cw ad ci cy cm ph pi ro ko lm",
            NOWHERE,
        ),
        (
            "ag po xh xl sm sp sv ss sl ls sj se pj pr lp ea ei fo fm bm be bp ba bd bv cq ma",
            NOWHERE,
        ),
        ("nr ur cg hn ry sd rt rp vn vi ln lc lh ml go gc cc cl ec sc", NOWHERE),
    ),
    suffix=re.compile(
        rf"\.\s?({_CODE}(?:{_PART}{_CODE}){{0,60}}|\(sa_year\)|\({_CODE}\)(?=\.))"
        r"(?:\s?[.,;]){0,3}(?![\w.])",
        re.IGNORECASE,
    ),
    near=near(r"adj|near[0-9]{1,2}"),
    wild="*$:?#",
    letters={"?": (0, 1), "#": (1, 1)},
    endless="*$:",
    phrases=True,
    reference=re.compile(r"#?([0-9]{1,4})"),
    # Ovid takes what stands in square brackets for a comment.
    printed=re.compile(
        r"\[(?:[^\[\]]|\[[^\[\]]{0,200}\]){0,600}\](?![\w-])"
        rf"|{_RELATED}"
        r"|(?<=[./)\]] )limit(?:ed)? to (?P<limits>[^\n()]{1,300}|\([^\n()]{1,300}\))"
    ),
)
#: A question of its basic search: words in any order.
_BASIC = re.compile(rf"\s{{0,3}}{_RELATED}")
#: What people write for several codes.
_WRITTEN = {"tiab": "ti,ab", "title": "ti", "abstract": "ab"}


# What Ovid alone has: headings with a slash, `or/1-4`, `limit 3 to`, `remove duplicates from`.

_EXPLODED = re.compile(
    r'exp\s{1,5}(\*?)\s{0,3}(?:"([^"]{1,150})"|([^/"\n]{1,150}?))\s{0,3}/', re.IGNORECASE
)
_NO_HEADING = re.compile(r"\b(?:exp|or|adj[0-9]*|not)\b|[.]|[$]", re.IGNORECASE)
_SUBHEADING = "|".join(("[a-z]{2}", *map(re.escape, SUBHEADINGS.values())))
#: `X/dt, th`, `X/drug therapy`; and `X/exp/mj`, as Embase.com writes what Ovid writes `exp *X/`.
_SLASH = re.compile(
    r"/(?:(exp)?(?:/?(mj))?(?![\w/])"
    rf"|((?:{_SUBHEADING})(?:\s?,\s?(?:{_SUBHEADING})){{0,60}})(?![\w/]))",
    re.IGNORECASE,
)
_STOP = re.compile(r"[.;]{1,2}(?=[\s)]|\Z)")
_NAMED = re.compile(r"\s{0,3}\[[^\[\]]{0,600}\]")
_COMBINED = re.compile(
    r"(or|and)/\s?(#?[0-9]{1,4}(?:\s?[-,]\s?#?[0-9]{1,4}){0,200})(?!\w)", re.IGNORECASE
)
_LIMIT = re.compile(r"limit\s{1,5}(?:#?([0-9]{1,4})\s{1,5}to(?!\w)|(?=\())", re.IGNORECASE)
#: `..l/ 3 lg=en`, the same as a command.
_COMMAND = re.compile(r"\.\.l(?:imit)?/\s{0,3}#?([0-9]{1,4})(?=\s)", re.IGNORECASE)
#: What people write for it behind an operator: `3 and limit to english`.
_LIMITED = re.compile(r"limit(?:ed)?\s{1,3}to\s{1,3}(?=\S)", re.IGNORECASE)
_TO = re.compile(r"\s{0,5}to\s{1,5}", re.IGNORECASE)
_DUPLICATES = re.compile(
    r"(?:remove\s{1,3}duplicates\s{1,3}from|dedup(?:licate)?)\s{1,3}([0-9]{1,4})(?!\w)",
    re.IGNORECASE,
)
_KEEP = re.compile(r"from\s{1,3}([0-9]{1,4})\s{1,3}keep\s{1,3}[0-9,\s-]{1,200}", re.IGNORECASE)
#: The name of a database behind an operand that is whole.
_USE = re.compile(
    r"(?<=[\w\].)/])\s{1,3}use\s{1,3}[a-z][a-z0-9]{2,8}(?:\s?,\s?[a-z][a-z0-9]{2,8}){0,20}"
    r"(?=\s{0,3}(?:[)\n]|\Z|(?:and|or|not)\b))",
    re.IGNORECASE,
)
#: A blank before a field: `(a or b) .ti,ab.`
_APART = re.compile(
    rf"\s{{1,3}}(?=\.{_CODE}(?:,\s?{_CODE}){{0,60}}\.(?!\w)|/(?![\w/]))", re.IGNORECASE
)
#: A field whose dot is missing, behind a bracket or quote.
_DOTLESS = re.compile(rf"(?<=[)\"])[,\s]?({_CODE}(?:,\s?{_CODE}){{0,60}})\.(?!\w)", re.IGNORECASE)
_FREQUENCY = re.compile(r"\s{0,3}/\s?freq\s?=\s?[0-9]{1,3}", re.IGNORECASE)
_DISTANCE = re.compile(r"\s{1,3}([0-9]{1,2})(?=[\s(])")
_UNKNOWN = re.compile(rf"[\w*$?#)]\.({_CODE}(?:,\s?{_CODE}){{0,60}})\.?\Z", re.IGNORECASE)
_COLON = re.compile(r"(?<=[\w*?$]):((?:ti|ab|kw)(?:,(?:ti|ab|kw)){0,4})\Z", re.IGNORECASE)
_BARE = frozenset("ti ab tw mp kw kf pt sh hw au id jw jn".split())
#: Where the name before a slash is looked for; by this very object it is told from other headings.
_HEADING = replace(HEADING)
_SUBHEADINGS = frozenset(("fs", "fx", "xs"))


class OvidReader(DatabaseReader):
    """One text in Ovid's syntax."""

    grammar = OVID

    def special(self) -> Clause | None:
        if command := _COMMAND.match(self.text, self.at):
            return self.limited(command)
        if self.text.startswith("..", self.at):  # ..ps 3
            end = self.word_end(self.at)
            raise self.error(
                message("Commands of Ovid are not read"),
                self.at,
                end,
                advice=message("Write limit 3 to english."),
            )
        if limit := _LIMITED.match(self.text, self.at):
            return self.limited(limit)
        if limit := SET.match(self.text, self.at):
            self.at = limit.end()
            self.losses.add("limits", limit[0])
            return LimitReader(self, *limit.span()).all()
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
                    clause = read(match)
                    if clause is not None:
                        return clause
        return super().special()

    @staticmethod
    def is_no_heading(match: re.Match[str]) -> bool:
        """Whether what `_EXPLODED` matches without quotes holds operators or fields."""
        return bool(match[3] and _NO_HEADING.search(match[3]))

    def operand(self, after: Sign | None) -> Clause:
        clause = super().operand(after)
        if used := _USE.match(self.text, self.at):
            self.at = used.end()
            return every([clause, self.ignored("limit", plain(used[0]))])
        return clause

    def ends_at(self, at: int) -> bool:
        return _USE.match(self.text, at) is not None or super().ends_at(at)

    def take_printed(self, limits: list[Clause]) -> bool:
        comment = self.printed_here() if self.here() in tuple("[{") else None
        if comment is None:
            return super().take_printed(limits)
        self.at = comment.end()
        self.losses.add("comment", comment[0])
        return True

    def starts_special(self) -> bool:
        limited = _LIMIT.match(self.text, self.at)
        return limited is not None and limited[1] is not None

    def limits(self, text: str, start: int) -> Clause:
        return LimitReader(self, start, start + len(text)).all()

    def near_sign(self, word: str, start: int, end: int) -> Sign:
        if word.isalpha() and (number := _DISTANCE.match(self.text, end)):  # adj 3
            word, end = f"{word}{number[1]}", number.end()
        return super().near_sign(word, start, end)

    # ---------------------------------------------------------------- fields

    def is_suffix(self, match: re.Match[str]) -> bool:
        shown = match[0].rstrip(",;")
        if shown.endswith(".") or shown[1:2].isspace():
            return shown.endswith(".")
        names = re.split(r"[\s,;./]{1,3}", match[1].lower())
        return _BARE.issuperset(names) or self.ends_at(match.end())

    def known(self, names: str) -> FieldTarget | None:
        codes = re.findall(r"\w{1,20}", names.lower())
        commas = ",".join(_WRITTEN.get(code, code) for code in codes)
        tag = super().known(commas)
        if tag and ("." in names or not _WRITTEN.keys().isdisjoint(codes)):
            self.read_as(f".{names}.", commas)
        return tag

    def read_as(self, shown: str, commas: str) -> None:
        """Tell how a list of codes that Ovid does not know so is read."""
        meant = message("{field} is read as {meant}", field=shown, meant=f".{commas}.")
        self.losses.add("field", meant)

    def after_suffix(self) -> None:
        if named := _NAMED.match(self.text, self.at):
            self.at = named.end()
        if often := _FREQUENCY.match(self.text, self.at):
            self.losses.add("frequency", often[0])
            self.at = often.end()

    def suffix_here(self) -> tuple[FieldTarget, str] | None:
        if apart := _APART.match(self.text, self.at):
            self.at = apart.end()
        if slash := _SLASH.match(self.text, self.at):
            return self.slashed(slash)
        if dotless := _DOTLESS.match(self.text, self.at):
            tag = self.known(dotless[1])
            if tag is not None:
                self.read_as(plain(dotless[0]), dotless[1])
                self.at = dotless.end()
                self.after_suffix()
                return tag, plain(dotless[0])
        return super().suffix_here()

    def suffix_in(self, start: int, end: int) -> tuple[FieldTarget, str] | None:
        if self.text[start] == "/" and (slash := _SLASH.match(self.text, start)):
            self.cut_at = start
            return self.slashed(slash)
        if self.text[start] == "." and start and _APART.match(self.text, start - 1):
            self.at = self.cut_at = start
            return super().suffix_here()
        word = self.text[start:end]
        at = self.text.find("/", start + 1, end)
        slash = _SLASH.match(self.text, at) if at > 0 and word.lower() != "and/or" else None
        if slash and slash.end() >= end:
            self.cut_at = at
            return self.slashed(slash)
        found = super().suffix_in(start, end) or self.with_colon(start, end)
        unknown = _UNKNOWN.search(word) if found is None else None
        if unknown:
            at = unknown.start(1) - 1
            ends = word.endswith(".") or (at > 1 and self.ends_at(end))
            if ends and "." not in word[:at]:
                raise self.unknown_field(unknown[1], start + at, end)
        return found

    def with_colon(self, start: int, end: int) -> tuple[FieldTarget, str] | None:
        """Take a word with the field of another database at its end: `asthma:ti,ab`."""
        colon = _COLON.search(self.text, start, end)
        tag = self.known(colon[1]) if colon and self.ends_at(end) else None
        if colon is None or tag is None:
            return None
        self.read_as(colon[0], colon[1])
        self.cut_at, self.at = colon.start(), end
        return tag, colon[0]

    explode = narrowed = False

    def slashed(self, slash: re.Match[str]) -> tuple[FieldTarget, str]:
        """A heading: what its slash says besides."""
        self.at = slash.end()
        self.explode, self.narrowed = bool(slash[1]), bool(slash[2] or slash[3])
        if slash[2]:
            self.losses.add("focus", slash[0])
        if slash[3]:
            self.losses.add("subheading", slash[0])
        self.after_slash()
        return _HEADING, "X/"

    def after_slash(self) -> None:
        """Take the names of subheadings, and the end of a sentence."""
        for pattern in (_NAMED, _STOP):
            if beside := pattern.match(self.text, self.at):
                self.at = beside.end()

    # ---------------------------------------------------------------- values

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        if not quoted and " " in text and _BASIC.match(self.text, self.at):
            words = text.split()
            return every(
                [
                    super(OvidReader, self).value(word, tag, shown, where, quoted=False)
                    for word in words
                ]
            )
        bare = text.rstrip("/")
        if tag is OVID.default and text.lower().startswith("exp ") and quoted == (bare != text):
            meant = message("{field} is read as {meant}", field=text, meant=f"{bare}/")
            self.losses.add("field", meant)
            return self.slashed_heading(bare, where, explode=True)
        if tag is _HEADING:
            return self.slashed_heading(text, where, explode=self.explode)
        if shown.startswith(".") and shown.strip(". ").lower() in _SUBHEADINGS:
            name = subheading_named(text)
            if len(name) == 2:
                return self.ignored("nowhere", f"{text}{shown}")
            text = name
        return super().value(text, tag, shown, where, quoted=quoted)

    def unsigned(self, word: str) -> str:
        return super().unsigned(word.strip("'"))

    def slashed_heading(self, text: str, where: tuple[int, int], *, explode: bool) -> Clause:
        """A heading that stood before a slash."""
        name, narrowed = text, self.narrowed
        if name.lower().startswith("exp "):
            explode, name = True, name[4:].strip()
        if name.startswith("*"):
            self.losses.add("focus", f"{name}/")
            narrowed, name = True, name.strip("* ")
        name = plain(name.strip("\"'"))
        if not any(map(str.isalnum, name)):
            raise self.error(
                message("There is no heading before the slash"), *where, fix=self.without(*where)
            )
        return self.heading(name, where, explode=explode, narrowed=narrowed)

    def exploded(self, match: re.Match[str]) -> Clause:
        self.at = match.end() - 1
        self.narrowed = False
        slash = _SLASH.match(self.text, self.at)
        self.at += 1
        if slash:
            self.slashed(slash)
        self.after_slash()
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

    def limited(self, match: re.Match[str]) -> Clause | None:
        """`limit 3 to (english language and yr="2010 -Current")`: to the end of the line."""
        if match.re is _LIMITED:
            self.losses.add("limits", match[0])
            self.at, clause = match.end(), None
        elif match[1]:
            clause = self.reference(int(match[1]), match.start(), match.end())
        else:
            close = self.closing.get(match.end())
            if close is None or not _TO.match(self.text, close + 1):
                return None
            self.at = match.end()
            clause = self.bracketed()
            self.here()
            self.at += len("to")
        start = self.at
        close = self.closing.get(self.open[-1]) if self.open else None
        self.at = len(self.text) if close is None else close
        limits = LimitReader(self, start, self.at).all()
        return limits if clause is None else every([clause, limits])

    def without_duplicates(self, match: re.Match[str]) -> Clause:
        self.losses.add("duplicates", match[0])
        return self.reference(int(match[1]), *match.span())

    def kept(self, match: re.Match[str]) -> Clause:
        self.losses.add("limit", match[0])
        return every([self.reference(int(match[1]), *match.span()), IGNORED])


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
