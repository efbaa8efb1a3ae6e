"""The expert syntax of Chinese databases: that of CNKI, Wanfang and VIP is read, those of CNKI and
Wanfang are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from metasearch.bib.languages import language_code
from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.grammar import DOUBLE, SINGLE, Booleans, FieldTarget, Style, YearRanges
from metasearch.query.reading import (
    LeftToRight,
    NestedReader,
    ReadQuery,
    in_fields,
    read_or_suggest,
    words,
)
from metasearch.query.tree import (
    FIELD_WORDS,
    IDENTIFIERS,
    Query,
    Term,
    Years,
    conjunction,
    is_blank,
    negation,
    plain,
)
from metasearch.query.values import BadYears, between, dated, identifier_field, type_word

# Fields of the Chinese expert syntax -> ours: codes of CNKI, letters of VIP, names of CNKI, Wanfang
# and VIP. If only a wider field exists here, that field is searched and a note says so. Names
# without any field are listed too, so that the error can say that they cannot be searched.

_FIRST = message("among all authors: sources cannot be asked for the first author")
_TABLE: tuple[tuple[str, FieldTarget], ...] = (
    ("TI T 题名 篇名 标题 论文题名 Title", FieldTarget(("title",))),
    ("KY K 关键词 关键字 Keyword Keywords", FieldTarget(("subject",))),
    ("AB R 摘要 文摘 Abstract", FieldTarget(("abstract",))),
    ("AU A 作者 著者 责任者 Author Creator", FieldTarget(("author",))),
    ("FI F 第一作者 第一责任人", FieldTarget(("author",), _FIRST)),
    (
        "RP 通讯作者 通信作者",
        FieldTarget(
            ("author",),
            message("among all authors: sources cannot be asked for the corresponding author"),
        ),
    ),
    ("JN J LY 刊名 期刊 期刊名称 文献来源 来源 出处 Periodical", FieldTarget(("venue",))),
    ("TKA 篇关摘", FieldTarget(("title", "subject", "abstract"))),
    ("M 题名或关键词", FieldTarget(("title", "subject"))),
    ("SU 主题", FieldTarget(("any",), message("in all that a database searches by default"))),
    ("U 任意字段 全部 全部字段", FieldTarget(("any",))),
    (
        "FT QW 全文",
        FieldTarget(
            ("any",),
            message(
                "in all that a database searches by default, which may not include the full text"
            ),
        ),
    ),
    (
        "YE PT Y 年 年份 年度 出版年 出版年份 发表年份 发表时间 发表年度 日期 Date Year",
        FieldTarget(("year",)),
    ),
    ("DOI", FieldTarget(("doi",))),
    ("SN ISSN", FieldTarget(("issn",))),
    ("IB ISBN", FieldTarget(("isbn",))),
    ("语种 语言 Language", FieldTarget(("language",))),
    ("文献类型 Type", FieldTarget(("type",))),
    ("AF S 单位 机构 作者单位 机构名称 作者机构", FieldTarget(())),
    ("FU 基金 基金项目", FieldTarget(())),
    ("CLC C 分类号 中图分类号", FieldTarget(())),
    ("CN 统一刊号 CF 被引频次 RF 参考文献 被引文献", FieldTarget(())),
)

#: Name in small letters -> where it is looked for.
EXPERT_FIELDS: Mapping[str, FieldTarget] = {
    name.casefold(): target for names, target in _TABLE for name in names.split()
}
#: Names that can be searched, for messages: a code and a Chinese name of each.
SEARCHED = (
    "TI 题名, KY 关键词, AB 摘要, AU 作者, FI 第一作者, RP 通讯作者, JN 刊名, TKA 篇关摘, M "
    "题名或关键词, SU 主题, "
    "FT 全文, YE 年, DOI, SN (ISSN), IB (ISBN), 语种, 文献类型"
)


# The signs, words and quotes of the Chinese expert syntax; `ExpertReader` says what they mean.

#: Full-width signs and digits -> the ASCII ones, one for one; quotes of each kind -> one of them.
FLAT = str.maketrans(
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | {"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "【": "(", "】": ")"}
)
_WORD_OPERATORS = {"and": "AND", "or": "OR", "not": "NOT", "与": "AND", "或": "OR", "非": "NOT"}
PREFIX = re.compile(r"([A-Za-z]{1,12}|[\u4e00-\u9fff]{1,8})\s{0,5}(%=|==|>=|<=|[=%:<>])\s{0,5}")
NEAR = re.compile(r"/(?:SEN|NEAR|PREV|AFT|PRG|PEG|SUB)\b\s{0,5}[0-9]{0,3}|#(?=\s)", re.IGNORECASE)
_OPENING_SIGNS = frozenset("'\"(")
NEAR_NOTE = (
    "sources cannot be asked how near words stand to one another; the words are joined with AND"
)


class ExpertScanner(NestedReader):
    """A text and its form in ASCII signs."""

    def __init__(self, text: str) -> None:
        super().__init__(text, "cnki")
        self.flat = text.translate(FLAT)

    def here(self) -> str:
        """The next character that is no blank, as ASCII; "" at the end."""
        return self.flat[self.skip() : self.at + 1]

    def skip(self) -> int:
        while self.at < len(self.text) and is_blank(self.text[self.at]):
            self.at += 1
        return self.at

    def sign(self, signs: str) -> tuple[int, int] | None:
        """Take one of the signs, if it is next; where it stood."""
        at = self.skip()
        if "*" in signs and (near := NEAR.match(self.flat, at)):
            self.note(NEAR_NOTE)
            self.at = near.end()
            return near.span()
        char = self.flat[at : at + 1]
        if not char or char not in signs or (char in "-^" and not self.is_not(at)):
            return None
        self.at = at + 1
        return at, at + 1

    def is_not(self, at: int) -> bool:
        """Whether - or ^ is NOT: after a blank, bracket or quote, and before something."""
        before = self.flat[at - 1] if at else " "
        rest = at + 1
        return (
            (is_blank(before) or before in "()'\"")
            and rest < len(self.text)
            and self.flat[rest] not in "-^"
        )

    def word_operator(self) -> tuple[str, int, int] | None:
        """Take AND, OR or NOT, if it is next: (which, where it stood)."""
        start = self.skip()
        found = self.operator_at(start)
        if found is None:
            return None
        name, self.at = found
        return name, start, self.at

    def operator_at(self, at: int) -> tuple[str, int] | None:
        """The word there, if it is AND, OR or NOT and no field: (which, where it ends)."""
        for word, name in _WORD_OPERATORS.items():
            end = at + len(word)
            if self.flat[at:end].casefold() == word:
                ends = self.ends_word(end) and PREFIX.match(self.flat, at) is None
                return (name, end) if ends else None
        return None

    def ends_word(self, at: int) -> bool:
        """Whether what stands at `at` ends a word; `++` belongs to the word before it."""
        after = self.flat[at : at + 2]
        if not after or is_blank(after[0]):
            return True
        return after[0] in '*()"' or (after[0] == "+" and after != "++")

    def starts_operand(self) -> bool:
        """Whether a word, a value, a field or a bracket is next."""
        at = self.skip()
        char = self.flat[at : at + 1]
        if not char or char in ")*+":
            return False
        if char in "-^" and self.is_not(at):
            return False
        return NEAR.match(self.flat, at) is None and self.operator_at(at) is None

    def word_end(self, at: int) -> int:
        flat, end = self.flat, at
        while end < len(flat) and not is_blank(flat[end]) and flat[end] not in '*()"':
            if flat[end] == "+":
                pluses = end
                while flat[pluses : pluses + 1] == "+":
                    pluses += 1
                if pluses - end == 1 or end == at:
                    break
                # C+++Java: the last one joins what follows.
                follows = pluses < len(flat) and (
                    flat[pluses].isalnum() or flat[pluses] in _OPENING_SIGNS
                )
                return self.word_end_after(pluses - 1 if follows and pluses - end > 2 else pluses)
            end += 1
        return end

    def word_end_after(self, at: int) -> int:
        """As `word_end`, in a word that has its pluses already."""
        end = at
        while (
            end < len(self.flat) and not is_blank(self.flat[end]) and self.flat[end] not in '*()"+'
        ):
            end += 1
        return end

    def quoted(self) -> str:
        """What stands between these quotes; apostrophes in it: see the head of this file."""
        opening, sign = self.at, self.flat[self.at]
        end = opening + 1
        while end < len(self.flat):
            if self.flat[end] == sign and not (sign == "'" and self.apostrophe(end)):
                break
            end += 1
        if end >= len(self.flat):
            rest = self.text[opening + 1 :].rstrip(")） ")
            fix = self.replaced(
                opening + 1 + len(rest), len(self.text), sign + self.text[opening + 1 + len(rest) :]
            )
            raise self.error(
                message("This quote is never closed"),
                opening,
                opening + 1,
                fix=fix if rest else self.text[:opening],
            )
        text = self.between_quotes(end)
        self.count(opening, end + 1)
        return text

    def apostrophe(self, at: int) -> bool:
        before, after = self.flat[at - 1], self.flat[at + 1 : at + 2]
        return before.isascii() and before.isalpha() and after.isascii() and after.isalpha()


OFTEN = re.compile(r"\$\s{0,5}[0-9]{1,3}(?![0-9])")
OFTEN_NOTE = "$ is ignored: sources cannot be asked how often a word occurs"


class ExpertValueReader(ExpertScanner):
    """Turns values into parts of the tree. `target`: where the next value is looked for."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.target = self.outer = EXPERT_FIELDS["u"]

    def fits(self, at: int) -> bool:
        """Whether what is there can be a further value of a field that takes not every word."""
        value = self.flat[at : self.word_end(at)].strip("'\"")
        match self.target.fields[0]:
            case "year":
                return value[:4].isdigit()
            case "type":
                return type_word(value) is not None
            case "language":
                return language_code(value) is not None
            case identifier:
                return identifier_field(value) == identifier

    def value(self, text: str, *, always: bool, start: int) -> Query:
        """A quoted value, a phrase of several words, or `always`; CNKI has 'a /SEN 5 b'."""
        if (bare := OFTEN.sub(" ", text).strip()) != text and bare:
            self.note(OFTEN_NOTE)
            text = plain(bare)
        pieces = [
            plain(piece)
            for piece in re.split(rf"{NEAR.pattern}|\s%(?=\s)", text, flags=re.IGNORECASE)
        ]
        pieces = [piece for piece in pieces if piece] or [text]
        if len(pieces) > 1:
            self.note(NEAR_NOTE)
        return conjunction(
            *(
                self.term(piece, self.target, phrase=always or " " in piece, start=start)
                for piece in pieces
            )
        )

    def term(self, text: str, target: FieldTarget, *, phrase: bool, start: int = 0) -> Query:
        convert: dict[str, Callable[[str], str | None]] = {
            "type": type_word,
            "language": language_code,
        }
        field = target.fields[0]
        if field in convert:
            known = convert[field](text)
            if known is None:
                reason = message(
                    '"{word}" is no known {field}', word=text[:30], field=FIELD_WORDS[field]
                )
                raise self.error(
                    reason,
                    start,
                    start + len(text),
                    advice=message("Write a name, such as 英文 or 学位论文."),
                )
            return Term(known, field)
        plain_id = field in IDENTIFIERS
        return in_fields(target.fields, lambda it: words(text, it, phrase=phrase and not plain_id))

    def years(self, sign: str) -> Query:
        start = self.skip()
        if self.flat[start] in "'\"":
            value = self.quoted()
        else:
            self.at = self.word_end(start)
            value = self.text[start : self.at]
            self.count(start, self.at)
        value = value.translate(FLAT)
        try:
            if sign in ("<", ">", "<=", ">="):
                dates, whole = dated(value)
                if dates.first is None or dates.first != dates.last:
                    raise BadYears(message("{relation} takes one year", relation=sign))
                dates, _ = dated(f"{sign}{dates.first:04d}")
            else:
                dates, whole = dated(value)
        except BadYears as bad:
            fix = self.replaced(start, self.at, bad.corrected) if bad.corrected else None
            advice = None if fix else message("Write the year with four digits, as in YE=2020.")
            raise self.error(bad.reason, start, self.at, fix=fix, advice=advice) from None
        return self.exactly(dates, whole)

    def exactly(self, years: Years, whole: bool) -> Years:
        if not whole:
            self.note(message("only the year of a date is searched"))
        return years


# The expert syntax of Chinese databases (CNKI, with the forms of Wanfang and VIP) -> `ReadQuery`.
#
#     query   = inner { ( "AND" | "OR" | "NOT" ) inner }     words, left to right, as CNKI reads
#     inner   = product { ( "+" | "-" ) product }            signs: OR and NOT, from left to right
#     product = side { "*" side }                            AND
#     side    = operand { operand }                          AND; bare words are one term
#     operand = [ field sign ] ( word | quoted | "(" query ")" )
#
# A field holds for everything that signs join to it, until another field is named; one of
# years, identifiers, types or languages only for what can be its value: in `YE>=2015*水质` no
# year is called 水质. Each sign may be full-width; 与, 或, 非 are the words. When a sign belongs to
# a word is defined in docs/syntaxes.md:
#
# - `-` is NOT only after a blank, a bracket or a quote, so COVID-19 is a word;
# - two or more `+` directly after a word belong to it, so C++ is a word; one is OR;
# - `*` is always AND outside quotes;
# - a single quote within a word is an apostrophe.

_BETWEEN = re.compile(
    r"([A-Za-z]{1,12}|[\u4e00-\u9fff]{1,8})\s{1,5}between\s{0,5}(\()?\s{0,5}'?([0-9./-]{4,10})'?\s{0,5}(?:,|\sand\s)\s{0,5}'?"
    r"([0-9./-]{4,10})'?\s{0,5}(\))?",
    re.IGNORECASE,
)


def parse_expert(text: str) -> ReadQuery:
    """Read a query in the expert syntax of Chinese databases. Raises QuerySyntaxError: it is none,
    or names a field that cannot be searched here.
    """
    return read_or_suggest(lambda one: _ExpertParser(one).whole(), text)


@dataclass(slots=True)
class _ExpertOperand:
    """A part of what stands side by side; a `bare` one is a word that the next one may join."""

    query: Query | None
    word: str = ""
    target: FieldTarget | None = None


class _ExpertParser(ExpertValueReader):
    # ---------------------------------------------------------------- the grammar

    def whole(self) -> ReadQuery:
        return self.finished(self.all_of(self.query))

    def query(self) -> Query:
        before, self.outer = self.outer, self.target
        joined = LeftToRight(self, self.negated())
        while operator := self.word_operator():
            self.target = self.outer
            name, start, end = operator
            if name == "AND" and (also := self.word_operator()):
                if also[0] != "NOT":
                    raise self.lacks((start, end), "after")
                name, start, end = also
            joined.add(name, self.inner((start, end)))
        if joined.mixed:
            self.note(
                message(
                    "AND, OR and NOT are read from left to right, as CNKI reads them; write "
                    "brackets to be sure"
                )
            )
        self.outer = before
        return joined.query()

    def negated(self) -> Query:
        operator = self.word_operator()
        if operator is None:
            return self.inner(None)
        name, start, end = operator
        if name != "NOT":
            raise self.lacks((start, end), "before")
        return negation(self.inner((start, end)))

    def inner(self, after: tuple[int, int] | None) -> Query:
        minus = self.sign("-^")
        first = negation(self.product(minus)) if minus else self.product(after)
        joined = LeftToRight(self, first)
        while sign := self.sign("+-^"):
            right = self.product(sign)
            joined.add("OR" if self.flat[sign[0]] == "+" else "NOT", right)
        return joined.query()

    def product(self, after: tuple[int, int] | None) -> Query:
        parts = [self.side(after)]
        while sign := self.sign("*"):
            parts.append(self.side(sign))
        return conjunction(*parts)

    def side(self, after: tuple[int, int] | None) -> Query:
        parts: list[_ExpertOperand] = []
        while self.starts_operand():
            part = self.operand()
            last = parts[-1] if parts else None
            if last and self.joins(last, part):
                last.word = f"{last.word} {part.word}"
            else:
                parts.append(part)
            if often := OFTEN.match(self.flat, self.skip()):
                self.note(OFTEN_NOTE)
                self.at = often.end()
        if not parts:
            raise self.nothing(after)
        return conjunction(
            *(
                operand.query
                or self.term(operand.word, operand.target or self.target, phrase=False)
                for operand in parts
            )
        )

    @staticmethod
    def joins(last: _ExpertOperand, part: _ExpertOperand) -> bool:
        """Whether both are bare words of one field."""
        return bool(last.word and part.word) and last.target is part.target

    def operand(self) -> _ExpertOperand:
        at = self.skip()
        if match := _BETWEEN.match(self.flat, at):
            return self.between(match)
        sign = self.prefix(at)
        at = self.skip()
        if not (sign or self.target.of_words or self.fits(at)):
            self.target = self.outer
        char = self.flat[at : at + 1]
        if self.target.fields == ("year",) and char != "(":
            return _ExpertOperand(self.years(sign))
        if char == "(":
            return _ExpertOperand(self.group())
        if char and char in "'\"":
            return _ExpertOperand(self.value(self.quoted(), always=char == '"', start=at))
        start, end = at, self.word_end(at)
        self.at = end
        self.count(start, end)
        if not self.target.of_words:
            return _ExpertOperand(
                self.term(plain(self.text[start:end]), self.target, phrase=False, start=start)
            )
        return _ExpertOperand(None, plain(self.text[start:end]), self.target)

    def group(self) -> Query:
        inherited, opening = self.target, self.enter()
        query = self.query()
        self.leave(opening)
        self.target = inherited
        return query

    def prefix(self, at: int) -> str:
        """Take the field that is named here. Returns its sign, or "" where none is."""
        match = PREFIX.match(self.flat, at)
        if match is None:
            return ""
        name, sign = match[1].casefold(), match[2]
        target = EXPERT_FIELDS.get(name)
        if sign not in ("=", "==", "%=") and (
            target is None or (sign in "<>" and target.fields != ("year",))
        ):
            return ""
        if sign in (">=", "<=", "<", ">") and target is not None and target.fields != ("year",):
            return ""
        if target is None:
            raise self.unknown_field(match)
        if not target.fields:
            fix = self.without(match.start(), match.end())
            reason = message(
                "{field} cannot be searched here: no field holds it; the fields are {names}",
                field=match[1],
                names=SEARCHED,
            )
            raise self.error(reason, *match.span(1), fix=fix)
        self.at = match.end()
        if self.here() in ("", ")") or not (self.starts_operand() or self.here() in "-^"):
            fix = self.without(match.start(), match.end())
            raise self.error(
                message("{sign} needs something to look for after it", sign=f"{match[1]}{sign}"),
                *match.span(),
                fix=fix,
            )
        if target.loss:
            self.note(message("{field} is looked for {loss}", field=match[1], loss=target.loss))
        if sign in ("%", "%="):
            self.note(
                message(
                    "{field}{sign}: each database decides how loosely it matches",
                    field=match[1],
                    sign=sign,
                )
            )
        self.target = target
        return sign

    def unknown_field(self, match: re.Match[str]) -> QuerySyntaxError:
        from difflib import get_close_matches

        names = [name for name, target in EXPERT_FIELDS.items() if target.fields and len(name) > 1]
        near = get_close_matches(match[1].casefold(), names, 1, 0.6)
        reason = message(
            'There is no field "{field}"; the fields are {names}',
            field=match[1],
            names=SEARCHED,
        )
        start = match.start()
        word = self.word_end(match.end()) if match.end() < len(self.text) else match.end()
        if near and len(match[1]) > 1:
            meant = near[0].upper() if len(near[0]) < 4 else near[0]
            return self.error(reason, *match.span(1), fix=self.replaced(*match.span(1), meant))
        return self.error(
            reason, *match.span(1), fix=self.replaced(start, word, f'"{self.text[start:word]}"')
        )

    # ---------------------------------------------------------------- values

    def between(self, match: re.Match[str]) -> _ExpertOperand:
        target = EXPERT_FIELDS.get(match[1].casefold())
        if target is None or target.fields != ("year",):
            reason = message("BETWEEN is for years: YE BETWEEN ('2015','2020')")
            raise self.error(reason, *match.span(1), fix=self.replaced(*match.span(1), "YE"))
        if match[2] and not match[5]:
            closed = self.replaced(match.end(), match.end(), ")")
            raise self.error(message("This bracket is never closed"), *match.span(2), fix=closed)
        # A bracket that was opened before the field closes there.
        end = match.start(5) if match[5] and not match[2] else match.end()
        self.count(match.start(), end)
        try:
            years, whole = between(match[3], match[4])
        except BadYears as bad:
            fix = None
            if bad.corrected:
                first, _, last = bad.corrected.partition("-")
                ended = self.replaced(match.start(4), match.end(4), last)
                fix = f"{ended[: match.start(3)]}{first}{ended[match.end(3) :]}"
            advice = None if fix else message("Write the years with four digits.")
            raise self.error(
                bad.reason, match.start(3), match.end(4), fix=fix, advice=advice
            ) from None
        self.at = end
        return _ExpertOperand(self.exactly(years, whole))

    # ---------------------------------------------------------------- errors

    def nothing(self, after: tuple[int, int] | None) -> QuerySyntaxError:
        at = self.skip()
        char = self.flat[at : at + 1]
        if after is not None:
            return self.lacks(after, "after")
        if char == ")":
            return self.stray()
        end = at + 1
        if operator := self.word_operator():
            end = operator[2]
        return self.lacks((at, max(end, at + 1)), "before")


# CNKI's 专业检索: `SU%=('盐沼'*'碳') AND YE BETWEEN ('2018','2020')`. Signs stand within a
# field, words between fields.

#: What the expert syntaxes of Chinese databases take for a sign even between quotes: quotes,
#: distances and counts.
LOST = rf"[{DOUBLE}{SINGLE}\\#$%＃＄％]|[/／](?=\s?(?:SEN|NEAR|PREV|AFT|PRG|PEG|SUB)\b)"

STYLE = Style(
    name="cnki",
    label="CNKI",
    fields={
        "any": "SU%={x}",
        "title": "TI={x}",
        "abstract": "AB={x}",
        "title abstract subject": "TKA={x}",
        "subject": "KY={x}",
        "author": "AU={x}",
        "venue": "LY={x}",
        "doi": "DOI={x}",
        "isbn": "IB={x}",
        "issn": "SN={x}",
    },
    inner=Booleans(all="*", either="+", without="-"),
    phrase="'{x}'",
    bare=False,
    truncation="",
    lost=LOST,
    years=YearRanges(
        only=("YE='{first}'",),
        both=("YE BETWEEN ('{first}','{last}')",),
        since=("YE>='{first}'",),
        until=("YE<='{last}'",),
    ),
)

#: Wanfang's 专业检索: `主题:("盐沼" AND "碳") AND Date:2018-2020`.
WANFANG_STYLE = Style(
    name="wanfang",
    label="Wanfang",
    bracketed=True,
    fields={
        "any": "主题:({x})",
        "title": "题名:({x})",
        "abstract": "摘要:({x})",
        "subject": "关键词:({x})",
        "author": "作者:({x})",
        "venue": "刊名:({x})",
        "doi": "DOI:({x})",
    },
    bare=False,
    truncation="",
    lost=LOST,
    years=YearRanges(
        only=("Date:{first}",),
        both=("Date:{first}-{last}",),
        since=("Date:{first}-",),
        until=("Date:-{last}",),
    ),
)
