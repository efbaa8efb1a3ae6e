"""What stands behind `limit 3 to`: `(english language and yr="2010 -Current")`."""

from __future__ import annotations

import re
from dataclasses import replace

from metasearch.message import message
from metasearch.query.clauses import IGNORED, Clause, either, every
from metasearch.query.database_reader import DatabaseReader
from metasearch.query.field_values import SUBHEADINGS, subheading_name
from metasearch.query.grammar import (
    DOUBLE,
    HEADING,
    MEDLINE_TYPES,
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
from metasearch.query.tree import Term, Years, plain

_NAMES = r"yr|dp|up|ed|dt|dd|dc|rd|ez|da|ep|em|ew"
#: Years or dates; a quote; what Ovid prints of itself; a sign; or a word.
_TOKEN = re.compile(
    rf'\b({_NAMES})\s?=\s?(?:"([^"\n]{{4,40}})"|([0-9<>][\w/.-]{{0,20}}(?:\s?-\s?(?:\w{{4,10}}|(?=[\s)])))?))'
    r'|"([^"\n]{1,200})"|\[[^\[\]\n]{0,300}\]|[(),]|<[^<>\n]{0,80}>|[^\s()",<\[]{1,200}|\S',
    re.IGNORECASE,
)
#: `lg=en`.
_FIELD = re.compile(r"\A(?:lg|la|pt)\s?=\s?", re.IGNORECASE)
#: A limit that stands where words do: `and yr=2010-2020`.
SET = re.compile(
    rf'(?:{_NAMES}|lg|la)\s?=\s?(?:"[^"\n]{{2,40}}"|[\w<>][\w/.]{{0,20}}(?:\s?-\s?\w{{4,10}})?)(?!\w)',
    re.IGNORECASE,
)
_PUBLISHED = frozenset(("yr", "dp"))


class LimitReader:
    """The limits in text[start:end] of a reader, which reads the years, types and languages."""

    def __init__(self, reader: DatabaseReader, start: int, end: int) -> None:
        self.reader = reader
        found = _TOKEN.finditer(reader.text, start, end)
        self.tokens = [token for token in found if not token[0].startswith("[")]
        self.at = 0
        self.start, self.end = start, end

    def all(self) -> Clause:
        clause = self.alternatives(0)
        if self.at < len(self.tokens):
            raise self.reader.error(message("This bracket has no opening bracket"), *self.here())
        return clause

    def alternatives(self, depth: int) -> Clause:
        """Up to the end, or to the bracket that closes."""
        parts = [self.together(depth)]
        while self.next_is("or"):
            parts.append(self.together(depth))
        return either(parts)

    def together(self, depth: int) -> Clause:
        """Limits of different kinds. Types and languages are alternatives whatever stands between
        them: a work has one of each.
        """
        parts: dict[str, list[Clause]] = {}
        while True:
            clause = self.one(depth)
            parts.setdefault(_kind(clause) or str(len(parts)), []).append(clause)
            if not (self.next_is("and") or self.next_is(",")):
                break
        # Years are written first, whatever their place.
        first = sorted(parts.values(), key=lambda part: not isinstance(part[0].widest, Years))
        return every([either(part) for part in first])

    def one(self, depth: int) -> Clause:
        """One limit, or several in a bracket."""
        if self.next_is("("):
            opening = self.tokens[self.at - 1].span()
            self.reader.check_depth(depth, opening[0])
            clause = self.alternatives(depth + 1)
            if not self.next_is(")"):
                raise self.reader.error(message("This bracket is never closed"), *opening)
            return clause
        start = self.at
        while self.at < len(self.tokens) and self.word() not in ("and", "or", ",", ")"):
            if self.word() == "(":  # the bracket of a name: all adult (19 plus years)
                while self.at < len(self.tokens) - 1 and self.word() != ")":
                    self.at += 1
            self.at += 1
        return self.limit_from(start)

    def limit_from(self, first: int) -> Clause:
        """The limit that the tokens from one on name."""
        found = self.tokens[first : self.at]
        if not found:
            raise self.reader.error(
                message("There is no limit here"), *self.here(), advice=message("Name a limit.")
            )
        where = found[0].start(), found[-1].end()
        if len(found) == 1 and found[0][1]:
            code, dates = found[0][1].lower(), plain(found[0][2] or found[0][3])
            return self.reader.years(dates, where, "" if code in _PUBLISHED else code)
        words = [token[4] or token[0] for token in found]
        name = plain(" ".join(words)).replace("( ", "(").replace(" )", ")")
        return self.reader.limit(_FIELD.sub("", name), where[0], f"limit to {name}")

    def word(self) -> str:
        return self.tokens[self.at][0].lower()

    def next_is(self, word: str) -> bool:
        """Whether this word or sign is next; then it is taken."""
        there = self.at < len(self.tokens) and self.word() == word
        self.at += there
        return there

    def here(self) -> tuple[int, int]:
        if self.at < len(self.tokens):
            return self.tokens[self.at].span()
        return max(self.start, self.end - 1), self.end


def _kind(clause: Clause) -> str:
    """What a limit is about of which a work has one value: "type" or "language"; "" for others."""
    match clause.widest:
        case Term(field="type" | "language" as field):
            return field
    return ""


# Ovid's syntax: `exp Gambling/ and (harm* or problem*).ti,ab.`

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
    codes("""
    any: mp af tx
    title: ti ot tt et ft tl m_titl
    abstract: ab oa m_abst
    title abstract: tw ti,ab
    author: au fa aw ax ca ir m_auts m_auth
    heading: fs px hw sh xs mh rx ox nm rn sy kp mj fx mw dw de su nw rw ps rs os us ux ms mx
    heading: pn pw gs gw tn tm dv dm mf df md od gl lo ct dr dn ds
    subject: kw kf id dq bt m_subj
    venue: jn jw jx ja nj so as bk bw m_jrnl
    first author: a1 pa
    year: yr dp pd sa_year
    entry date: ed dt dc dd da ep ez up cd rd em ew ch xd
    language: lg la
    type: pt
    doi: do
    issn: is es il
    isbn: ib bn
    trial: si cn
    number: ui an pm sa oi ai jc ac tc ts at cf mt nt gn on ar te
    nowhere: in ia cp gi gr no sb st vo ip pg pb pl pu cr rf co cw ad ci cy cm ph pi ro ko lm
    nowhere: ag po xh xl sm sp sv ss sl ls sj se pj pr lp ea ei fo fm bm be bp ba bd bv cq ma
    nowhere: nr ur cg hn ry sd rt rp vn vi ln lc lh ml go gc cc cl ec sc
    """),
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
    grammar = OVID

    def special(self) -> Clause | None:
        if command := _COMMAND.match(self.text, self.at):
            return self.limit_command(command)
        if self.text.startswith("..", self.at):  # ..ps 3
            end = self.word_end(self.at)
            raise self.error(
                message("Commands of Ovid are not read"),
                self.at,
                end,
                advice=message("Write limit 3 to english."),
            )
        if limit := _LIMITED.match(self.text, self.at):
            return self.limit_command(limit)
        if limit := SET.match(self.text, self.at):
            self.at = limit.end()
            self.losses.add("limits", limit[0])
            return LimitReader(self, *limit.span()).all()
        if self.text[self.at] not in '("':
            for pattern, read in (
                (_COMBINED, self.combination),
                (_LIMIT, self.limit_command),
                (_DUPLICATES, self.without_duplicates),
                (_KEEP, self.selection),
                (_EXPLODED, self.explosion),
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
            return every([clause, self.ignore("limit", plain(used[0]))])
        return clause

    def ends_at(self, at: int) -> bool:
        return _USE.match(self.text, at) is not None or super().ends_at(at)

    def take_platform_text(self, limits: list[Clause]) -> bool:
        comment = self.platform_text() if self.here() in tuple("[{") else None
        if comment is None:
            return super().take_platform_text(limits)
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

    def target_of(self, names: str) -> FieldTarget | None:
        codes = re.findall(r"\w{1,20}", names.lower())
        commas = ",".join(_WRITTEN.get(code, code) for code in codes)
        tag = super().target_of(commas)
        if tag and ("." in names or not _WRITTEN.keys().isdisjoint(codes)):
            self.tell_meaning(f".{names}.", f".{commas}.")
        return tag

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
            return self.heading_target(slash)
        if dotless := _DOTLESS.match(self.text, self.at):
            tag = self.target_of(dotless[1])
            if tag is not None:
                self.tell_meaning(plain(dotless[0]), f".{dotless[1]}.")
                self.at = dotless.end()
                self.after_suffix()
                return tag, plain(dotless[0])
        return super().suffix_here()

    def suffix_in(self, start: int, end: int) -> tuple[FieldTarget, str] | None:
        if self.text[start] == "/" and (slash := _SLASH.match(self.text, start)):
            self.cut_at = start
            return self.heading_target(slash)
        if self.text[start] == "." and start and _APART.match(self.text, start - 1):
            self.at = self.cut_at = start
            return super().suffix_here()
        word = self.text[start:end]
        at = self.text.find("/", start + 1, end)
        slash = _SLASH.match(self.text, at) if at > 0 and word.lower() != "and/or" else None
        if slash and slash.end() >= end:
            self.cut_at = at
            return self.heading_target(slash)
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
        tag = self.target_of(colon[1]) if colon and self.ends_at(end) else None
        if colon is None or tag is None:
            return None
        self.tell_meaning(colon[0], f".{colon[1]}.")
        self.cut_at, self.at = colon.start(), end
        return tag, colon[0]

    explode = narrowed = False

    def heading_target(self, slash: re.Match[str]) -> tuple[FieldTarget, str]:
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
            self.tell_meaning(text, f"{bare}/")
            return self.slash_heading(bare, where, explode=True)
        if tag is _HEADING:
            return self.slash_heading(text, where, explode=self.explode)
        if shown.startswith(".") and shown.strip(". ").lower() in _SUBHEADINGS:
            name = subheading_name(text)
            if len(name) == 2:
                return self.ignore("nowhere", f"{text}{shown}")
            text = name
        return super().value(text, tag, shown, where, quoted=quoted)

    def without_marks(self, word: str) -> str:
        return super().without_marks(word.strip("'"))

    def slash_heading(self, text: str, where: tuple[int, int], *, explode: bool) -> Clause:
        name, narrowed = text, self.narrowed
        if name.lower().startswith("exp "):
            explode, name = True, name[4:].strip()
        if name.startswith("*"):
            self.losses.add("focus", f"{name}/")
            narrowed, name = True, name.strip("* ")
        name = plain(name.strip("\"'"))
        if not any(map(str.isalnum, name)):
            raise self.needless(message("There is no heading before the slash"), *where)
        return self.heading(name, where, explode=explode, narrowed=narrowed)

    def explosion(self, match: re.Match[str]) -> Clause:
        self.at = match.end() - 1
        self.narrowed = False
        slash = _SLASH.match(self.text, self.at)
        self.at += 1
        if slash:
            self.heading_target(slash)
        self.after_slash()
        return self.slash_heading(
            f"{match[1]}{plain(match[2] or match[3])}", match.span(), explode=True
        )

    # ---------------------------------------------------------------- earlier lines

    def limit_command(self, match: re.Match[str]) -> Clause | None:
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
            clause = self.bracket()
            self.here()
            self.at += len("to")
        start = self.at
        close = self.closing.get(self.open[-1]) if self.open else None
        self.at = len(self.text) if close is None else close
        limits = LimitReader(self, start, self.at).all()
        self.place_term(self.text[start : self.at].strip(), "limit", start, limits)
        return limits if clause is None else every([clause, limits])

    def without_duplicates(self, match: re.Match[str]) -> Clause:
        self.losses.add("duplicates", match[0])
        return self.reference(int(match[1]), *match.span())

    def selection(self, match: re.Match[str]) -> Clause:
        self.losses.add("limit", match[0])
        return every([self.reference(int(match[1]), *match.span()), IGNORED])


# Ovid, with the fields of MEDLINE (https://ospguides.ovid.com/OSPguides/medline.htm): `(salt and
# marsh).ti,ab.`

STYLE = SyntaxStyle(
    name="ovid",
    fields=fields_of(
        OVID,
        "{x}.{code}.",
        title_abstract="ti,ab",
        subject="hw,kf",
        venue="jw",
        isbn="",
        trial="si,cn",
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
    years=YearRanges("{first}:{last}.yr.", only="{first}.yr."),
    types={**MEDLINE_TYPES, "dataset": ("Dataset",)},
    near=" adj{next} ",
    adjacent=" adj ",
    headings={"exact": "{x}/", "exploded": "exp {x}/"},
    languages="name",
)
