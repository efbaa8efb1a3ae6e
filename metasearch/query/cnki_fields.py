"""The names of the expert syntax of Chinese databases: fields of CNKI, VIP and Wanfang, and what
their pages print round a query.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from metasearch.bib.normalise import simplify
from metasearch.message import message
from metasearch.query.clauses import IGNORED, Clause, every, exact, near, wider
from metasearch.query.grammar import ANY, FieldTarget, codes
from metasearch.query.reader import in_fields, words
from metasearch.query.scanner import EarlierLine, LossReader, SyntaxLosses
from metasearch.query.tree import CODED_FIELDS, IDENTIFIERS, Query, Term, Years, is_blank, plain
from metasearch.query.values import (
    BadYears,
    between,
    code_of_word,
    identifier_field,
    years_of_date,
)

# Codes of CNKI, letters of VIP, names of CNKI, Wanfang and VIP. If only a wider field exists here,
# that field is searched and a note says so. What no field here holds is ignored, and told.

#: How often a work is cited or loaded: their value is a number.
COUNT = FieldTarget((), "count")
#: Name in small letters -> where it is looked for.
EXPERT_FIELDS = codes(
    """
    title: TI T 题名 篇名 标题 论文题名 文献题名 文献标题 专利名称 中文题名 英文题名 Title
    subject: KY K 关键词 关键字 作者关键词 中文关键词 英文关键词 Keyword Keywords
    abstract: AB R 摘要 文摘 中文摘要 英文摘要 Abstract
    author: AU A 作者 著者 责任者 论文作者 发明人 Author Creator
    first of the authors: FI F 第一作者 第一责任人 第一发明人
    one of the authors: RP 通讯作者 通信作者
    venue: JN J LY 刊名 期刊 期刊名称 期刊名 文献来源 来源 出处 会议名称 报纸名称 论文集名称
      Periodical PeriodicalTitle
    title subject abstract: TKA 篇关摘
    title subject: M 题名或关键词 篇名或关键词
    default: SU 主题 Common
    any: U 任意字段 任意栏位 全部 全部字段
    full text: FT QW 全文 FullText
    year: YE PT PY Y 年 年份 年度 出版年 出版年份 出版时间 出版日期 发表年份 发表时间 发表年度
      发表日期 时间 时间范围 时间跨度 年限 年代 日期 起始年 起始年份 开始年 结束年 结束年份
      终止年 Date Year PublishYear PublishDate
    doi: DOI
    issn: SN ISSN 国际标准刊号
    isbn: IB ISBN 国际标准书号
    language: 语种 语言 文献语种 Language
    type: 文献类型 资源类型 Type
    nowhere: AF S 单位 机构 作者单位 机构名称 作者机构 第一单位 第一机构 学位授予单位 申请人
      Organization SQR
    nowhere: FU 基金 基金项目 基金资助 支持基金 Fund
    nowhere: CLC CLZ C 分类号 中图分类号 专利分类号 主分类号 ClassCode
    count: CF 被引频次 被引量 被引次数 下载频次 下载量
    nowhere: RF 参考文献 被引文献 引文 CO 小标题 目录 CN 统一刊号 国内统一刊号
    nowhere: TU FTU 导师 第一导师 XF 专业 学科专业 学科专业名称 学位 主办单位 出版社 出版单位
    nowhere: Z 作者简介 B 栏目信息 栏目 期 期号 卷 卷号 页码 Issue Volume SQH 申请号 GKH 公开号
    nowhere: RT 更新时间 更新日期 入库时间 SI EI HX CSI CSD 来源类别 来源期刊 期刊范围 期刊来源
    """,
    {
        "first of the authors": FieldTarget(
            ("author",), message("among all authors: sources cannot be asked for the first author")
        ),
        "one of the authors": FieldTarget(
            ("author",),
            message("among all authors: sources cannot be asked for the corresponding author"),
        ),
        "default": FieldTarget(("any",), message("in all that a database searches by default")),
        "full text": FieldTarget(
            ("any",),
            message(
                "in all that a database searches by default, which may not include the full text"
            ),
        ),
        "count": COUNT,
    },
)
#: Names that can be searched, for messages: a code and a Chinese name of each.
SEARCHED = (
    "TI 题名, KY 关键词, AB 摘要, AU 作者, FI 第一作者, RP 通讯作者, JN 刊名, TKA 篇关摘, M "
    "题名或关键词, SU 主题, "
    "FT 全文, YE 年, DOI, SN (ISSN), IB (ISBN), 语种, 文献类型"
)


def _name_set(names: str) -> frozenset[str]:
    return frozenset(simplify(name).casefold() for name in names.split())


#: As `EXPERT_FIELDS`, each name as `folded` gives it.
FOLDED_FIELDS = {simplify(name): target for name, target in EXPERT_FIELDS.items()}
#: Of years: the first of a range, and the last.
SINCE = _name_set("起始年 起始年份 开始年")
UNTIL = _name_set("结束年 结束年份 终止年")
#: Of years and settings: what a page prints beside a query holds for all of it.
BESIDE = _name_set(
    "时间范围 时间跨度 年限 发表时间 发表年份 出版时间 出版年份 起始年 起始年份 开始年 结束年 "
    "结束年份 终止年 更新时间 更新日期 来源类别 来源期刊 期刊范围 期刊来源"
)
#: What a page prints before its settings, none of which a source can be asked for.
SETTINGS = _name_set(
    "范围 检索范围 资源范围 数据范围 文献范围 来源数据库 数据库 资源库 跨库检索 检索时间 检索日期 "
    "匹配 匹配方式 检索方式 检索控制 学科 学科范围 学科分类 学科限定 文献分类 排序 排序方式 "
    "同义词扩展 中英文扩展 主题词扩展 检索结果 结果 命中 命中数 仅看有全文 网络首发 增强出版 扩展"
)
#: What stands before a query.
LABELS = _name_set(
    "检索式 检索条件 检索表达式 表达式 检索策略 检索历史 专业检索 高级检索 "
    "CNKI Wanfang VIP 中国知网 知网 万方 万方数据 维普 维普网"
)
#: Printed alone: words that are close in meaning, or the other language, are looked for too.
EXPANSIONS = _name_set("同义词扩展 中英文扩展 主题词扩展 智能扩展 跨语言扩展 智能检索")


def target_of_name(name: str) -> FieldTarget | None:
    """The field of a name, or of several with slashes; in any case, in either writing of Chinese.

    None: one of them is no name.
    """
    targets = [FOLDED_FIELDS.get(one) for one in fold_name(name).split("/")]
    if len(targets) == 1:
        return targets[0]
    fields: dict[str, None] = {}
    for target in targets:
        if target is None or not target.fields or not target.of_words:
            return None
        fields |= dict.fromkeys(target.fields)
    return ANY if "any" in fields else FieldTarget(tuple(fields))


def fold_name(name: str) -> str:
    """A name as it stands in the sets of this file, without the kind of works before it: Wanfang
    has 期刊-刊名.
    """
    bare = simplify(name).casefold()
    return bare.replace("—", "-").partition("-")[2] or bare


# What stands next in a text in the expert syntax of Chinese databases: signs, words, quotes; and
# what the values of its fields mean.

# The signs, words and quotes of the Chinese expert syntax; `ExpertReader` says what they mean.

#: Full-width signs and digits -> the ASCII ones, one for one; quotes of each kind -> one of them.
FLAT = str.maketrans(
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | {"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "【": "(", "】": ")"}
)
_WORD_OPERATORS = {
    "and": "AND", "or": "OR", "not": "NOT", "与": "AND", "或": "OR", "非": "NOT",
    "并且": "AND", "或者": "OR", "不含": "NOT", "不包含": "NOT",
}  # fmt: skip
_LONGEST_FIRST = sorted(_WORD_OPERATORS, key=len, reverse=True)
_HAN_NAME = r"(?:(?:期刊|学位|会议|专利|论文)[-—])?[\u4e00-\u9fff]{1,9}"
_NAME = rf"(?:[A-Za-z]{{1,15}}|{_HAN_NAME})(?:/(?:[A-Za-z]{{1,15}}|{_HAN_NAME})){{0,3}}"
PREFIX = re.compile(rf"({_NAME})\s{{0,5}}(%=|==|>=|<=|[=%:<>]|xls(?=[\s'\"]))\s{{0,5}}")
NEAR = re.compile(
    r"/(SEN|NEAR|PREV|AFT|PRG|PEG|SUB)\b\s{0,5}([0-9]{0,3})|(?<![^\s'\")])[#%](?=\s)", re.IGNORECASE
)
LINE = re.compile(r"#?([0-9]{1,4})(?![^\s()+*])")
_OPENING_SIGNS = frozenset("'\"(")
#: What divides a query from what a page prints beside it.
DIVIDES = frozenset(";,。、")
_CLOSELY = rf"(?:(?:精确|模糊)(?:匹配)?|{'|'.join(EXPANSIONS)})"
#: What a page prints after a value: how closely it is to match.
MATCHING = re.compile(rf"[(\[]\s{{0,3}}{_CLOSELY}\s{{0,3}}[)\]]|{_CLOSELY}(?![^\s;,。)])")


class ExpertScanner(LossReader):
    """A text and its form in ASCII signs and simplified characters.

    `lines`: the lines before it by number; None where lines have no numbers. `losses`: where what
    is lost is gathered; a new place by default.
    """

    def __init__(
        self,
        text: str,
        lines: Mapping[int, EarlierLine] | None = None,
        losses: SyntaxLosses | None = None,
    ) -> None:
        super().__init__(text, "cnki", lines, losses)
        self.flat = simplify(text).translate(FLAT)
        #: Where the next value is looked for.
        self.target = self.outer = EXPERT_FIELDS["u"]
        self.shown, self.named_at = "", (0, 0)
        #: What a page prints beside the query.
        self.printed: list[Clause] = []

    def here(self) -> str:
        """The next character that is no blank, as ASCII; "" at the end."""
        return self.flat[self.skip() : self.at + 1]

    def skip(self) -> int:
        while self.at < len(self.text) and (
            is_blank(self.text[self.at]) or self.flat[self.at] in DIVIDES
        ):
            self.at += 1
        return self.at

    def near_sign(self) -> re.Match[str] | None:
        """Take the operator of proximity that is next."""
        match = NEAR.match(self.flat, self.skip())
        if match:
            self.at = match.end()
        return match

    def sign(self, signs: str) -> tuple[int, int] | None:
        """Take one of the signs, if it is next; where it stood."""
        at = self.skip()
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
        for word in _LONGEST_FIRST:
            end = at + len(word)
            if self.flat[at:end].casefold() == word and self.ends_word(end):
                return None if PREFIX.match(self.flat, at) else (_WORD_OPERATORS[word], end)
        return None

    def ends_word(self, at: int) -> bool:
        """Whether what stands at `at` ends a word; `++` belongs to the word before it."""
        after = self.flat[at : at + 2]
        if not after or is_blank(after[0]):
            return True
        return after[0] in '*()";' or (after[0] == "+" and after != "++")

    def starts_operand(self) -> bool:
        """Whether a word, a value, a field or a bracket is next."""
        at = self.skip()
        char = self.flat[at : at + 1]
        if not char or char in ")*+":
            return False
        if char in "-^" and self.is_not(at):
            return False
        return NEAR.match(self.flat, at) is None and self.operator_at(at) is None

    def ends_here(self, at: int) -> bool:
        """Whether a word ends at `at`: before a sign, or where a page prints its settings."""
        char = self.flat[at]
        if is_blank(char) or char in '*()";':
            return True
        return char in DIVIDES and self.label_at(at + 1) is not None

    def label_at(self, at: int) -> str | None:
        """The name there of what a page prints beside a query."""
        match = PREFIX.match(self.flat, at)
        if match is None or match[2] not in ("=", ":"):
            return None
        name = fold_name(match[1])
        return name if name in BESIDE or name in SETTINGS else None

    def word_end(self, at: int) -> int:
        flat, end = self.flat, at
        while end < len(flat) and not self.ends_here(end):
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
        while end < len(self.flat) and not self.ends_here(end) and self.flat[end] != "+":
            end += 1
        return end

    def take_expert_quote(self) -> str:
        """What stands between these quotes; apostrophes in it: see the head of this file."""
        opening, sign = self.at, self.flat[self.at]
        end = opening + 1
        while end < len(self.flat):
            if self.flat[end] == sign and not (sign == "'" and self.apostrophe(end)):
                break
            end += 1
        if end >= len(self.flat):
            rest = self.text[opening + 1 :].rstrip(")） ")
            fix = self.with_replacement(
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
_DAY = r"[0-9]{4}(?:[-/.年][0-9]{1,2}(?:[-/.月][0-9]{1,2})?)?[年月日]?"
#: `2010-2020`, `2010年至今`, `[2010 TO 2020]`, `2010-01-01 到 2020-12-31`.
_PERIOD = re.compile(
    rf"\[?\s?({_DAY})\s{{0,3}}(?:[-–—~至到]|to\s)\s{{0,3}}({_DAY}|今|现在)?\s?\]?(?![0-9])",
    re.IGNORECASE,
)
_NO_LIMIT = re.compile(r"(?:不限|全部|所有)(?:年限|年份|年)?(?![^\s;,。)])")
_DATE_SIGNS = str.maketrans({"年": "-", "月": "-", "日": None})


class ExpertValueReader(ExpertScanner):
    def fits(self, at: int) -> bool:
        """Whether what is there can be a further value of a field that takes not every word."""
        value = self.flat[at : self.word_end(at)].strip("'\"")
        match self.target.fields:
            case ():
                return self.target is not COUNT or value[:1].isdigit()
            case ("year",):
                return value[:4].isdigit()
            case ("type" | "language" as field,):
                return code_of_word(field, value) is not None
            case ("doi" | "isbn" | "issn" as identifier,):
                return identifier_field(value) == identifier
        return True

    def nowhere(self, text: str) -> Clause:
        """What no field here holds: ignored, and told."""
        self.losses.add("nowhere", f"{self.shown} {text}")
        if self.not_searchable is None:
            reason = message(
                "{field} cannot be searched here: no field holds it; the fields are {names}",
                field=self.shown,
                names=SEARCHED,
            )
            fix = None if self.target is COUNT else self.without(*self.named_at)
            advice = message("Add a word to look for in another field.")
            self.not_searchable = self.error(reason, *self.named_at, fix=fix, advice=advice)
        return IGNORED

    def tell(self, sentence: str) -> None:
        """Note a whole sentence, in a line of a strategy as well."""
        self.losses.add("field", sentence)

    # ---------------------------------------------------------------- words

    def value(self, text: str, *, always: bool, start: int) -> Clause:
        """A quoted value, a phrase of several words, or `always`; CNKI has 'a /SEN 5 b'."""
        if not self.target.fields:
            return self.nowhere(text)
        if (bare := OFTEN.sub(" ", text).strip()) != text and bare:
            self.losses.add("frequency", "$")
            text = plain(bare)
        signs = list(NEAR.finditer(text.translate(FLAT)))
        edges = [0, *(edge for sign in signs for edge in sign.span()), len(text)]
        pieces = [plain(text[edges[at] : edges[at + 1]]) for at in range(0, len(edges), 2)]
        pieces = [piece for piece in pieces if piece] or [text]
        clauses = [
            self.clause_of_term(
                self.term(piece, self.target, phrase=always or " " in piece, start=start)
            )
            for piece in pieces
        ]
        return clauses[0] if len(clauses) == 1 else self.beside(clauses, signs)

    @staticmethod
    def distance(sign: re.Match[str]) -> tuple[int, bool] | None:
        """How many words may stand between, and whether the order counts; None for what sources
        cannot be asked: sentences, paragraphs, distances of at least so many words.
        """
        name = (sign[1] or "").upper()
        return (int(sign[2]), name == "PREV") if name in ("NEAR", "PREV") and sign[2] else None

    def beside(self, clauses: Sequence[Clause], signs: Sequence[re.Match[str]]) -> Clause:
        """Operands with operators of proximity between them."""
        shown = ", ".join(dict.fromkeys(plain(sign[0]) for sign in signs))
        distances = {self.distance(sign) for sign in signs}
        distance = distances.pop() if len(distances) == 1 and len(clauses) > len(signs) else None
        if distance is None:
            self.losses.add("same", shown)
            return Clause(every(clauses).widest, None)
        self.losses.add("near", shown)
        return near(clauses, distance[0], ordered=distance[1])

    def clause_of_term(self, query: Query) -> Clause:
        """What is looked for in the present field; one author among all is asked more widely."""
        one_of_all = self.target.fields == ("author",) and self.target.loss
        return wider(query) if one_of_all else exact(query)

    def term(self, text: str, target: FieldTarget, *, phrase: bool, start: int = 0) -> Query:
        field = target.fields[0]
        if field in CODED_FIELDS:
            known = code_of_word(field, text)
            if known is None:
                where = start, start + len(text)
                advice = message("Write a name, such as 英文 or 学位论文.")
                raise self.no_such_code(text[:30], field, where, advice)
            return Term(known, field)
        plain_id = field in IDENTIFIERS
        return in_fields(
            target.fields, lambda field: words(text, field, phrase=phrase and not plain_id)
        )

    # ---------------------------------------------------------------- years

    def years(self, sign: str) -> Clause:
        start = self.skip()
        if match := _NO_LIMIT.match(self.flat, start):
            self.at = match.end()
            self.losses.add("settings", f"{self.shown} {match[0]}")
            return IGNORED
        if match := _PERIOD.match(self.flat, start):
            self.at = match.end()
            self.count(*match.span())
            first, last = (
                (day or "3000").translate(_DATE_SIGNS).rstrip("-") for day in match.groups()
            )
            last = "3000" if not last[:1].isdigit() else last
            return self.spread(first, last, match)
        if self.flat[start] in "'\"":
            value = self.take_expert_quote()
        else:
            self.at = self.word_end(start)
            value = self.text[start : self.at]
            self.count(start, self.at)
        value = value.translate(FLAT).translate(_DATE_SIGNS).rstrip("-")
        try:
            if sign in ("<", ">", "<=", ">="):
                dates, whole = years_of_date(value)
                if dates.first is None or dates.first != dates.last:
                    raise BadYears(message("{relation} takes one year", relation=sign))
                dates, _ = years_of_date(f"{sign}{dates.first:04d}")
            else:
                dates, whole = years_of_date(value)
        except BadYears as bad:
            advice = message("Write the year with four digits, as in YE=2020.")
            raise self.misread(bad, start, self.at, advice) from None
        return self.exactly(dates, whole, value)

    def spread(self, first: str, last: str, match: re.Match[str]) -> Clause:
        """The years from one date to another, both printed."""
        try:
            years, whole = between(first, last)
        except BadYears as bad:
            advice = message("Write the years with four digits.")
            raise self.misread(bad, *match.span(), advice) from None
        return self.exactly(years, whole, match[0])

    def exactly(self, years: Years, whole: bool, value: str) -> Clause:
        if whole:
            return exact(years)
        self.losses.add("date", value)
        return wider(years)
