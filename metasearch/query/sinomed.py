"""The syntax of SinoMed (中国生物医学文献服务系统):
`"肝肿瘤"[不加权:扩展] OR "肝癌"[常用字段:智能]`.
"""

from __future__ import annotations

import re

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.clauses import Clause, wider
from metasearch.query.database_reader import DatabaseReader
from metasearch.query.grammar import (
    BY_TOPIC,
    DOUBLE,
    DatabaseGrammar,
    FieldTarget,
    SyntaxStyle,
    YearRanges,
    codes,
    fields_of,
)
from metasearch.query.tree import plain

#: The heading as the main topic, and as any topic.
_MAIN, _ANY_TOPIC = "加权", "不加权"
_CODES = codes(f"""
    any: 全部字段 全字段 所有字段
    topic: 常用字段 缺省
    title subject: 核心字段
    title: 中文标题 标题 英文标题 题名 中文题名 英文题名 论文题名
    abstract: 摘要 中文摘要 英文摘要 文摘
    subject: 关键词 中文关键词 英文关键词
    heading: 主题词 {_ANY_TOPIC} {_MAIN} 主要概念主题词 特征词 副主题词
    author: 作者 中文作者 全部作者
    first author: 第一作者 通讯作者
    venue: 刊名 中文刊名 外文刊名 英文刊名 期刊 来源 会议名称
    year: 日期 出版年 年代 年 出版日期 年份 出版时间
    language: 语种 语言
    type: 文献类型 资料类型
    doi: doi
    issn: issn
    number: pmid 流水号 记录号
    nowhere: 作者单位 第一作者单位 通讯作者单位 单位 机构 国省市名 地区 国家 出版地 出版国
    nowhere: 分类号 中图分类号 基金 资助项目 资助类别 参考文献 卷 期 页码 卷期 出版者 出版社
    nowhere: 导师 研究专业 学位类型 学位级别 授予单位 学位授予单位 主办单位 馆藏号 索书号
    nowhere: 年龄组 性别 对象类型 限定 其他 创建日期 更新日期 入库日期
    """)
#: Behind a field and a colon: how its words are compared.
_MODES = ("智能", "精确", "模糊", "扩展", "不扩展", "非扩展", "专指")
_SUBHEADINGS = r"((?:/[^\s/()\[\]\"“”]{1,40}){0,4})"

_SUFFIX = re.compile(
    r"\s{0,3}[\[［【]\s?([^\[\]:：］】]{1,40})(?:[:：]([^\[\]］】]{1,12}))?[\]］】]" + _SUBHEADINGS
)
_OPENING = re.compile(r"[\[［【]")
_PREFIX = re.compile(r"([\u4e00-\u9fff]{1,8})\s{0,3}[:：=＝]\s{0,3}")

SINOMED = DatabaseGrammar(
    "sinomed",
    _CODES,
    prefix=_PREFIX,
    suffix=_SUFFIX,
    wild="?%*",
    endless="%*",
    quotes={"'": "'", "‘": "’"},
    printed=re.compile(
        r"[;；,，]?\s?(?:(?:检索式|检索表达式|检索条件|检索策略)\s?[:：]"
        r"|(?:数据库|检索时间|检索日期|检索范围|检索结果|命中|二次检索|限定检索)\s?[:：][^\n;；]{0,80}[;；]?"
        r"|(?:年代|年限|时间范围|检索年代)\s?[:：]\s?(?P<limits>[0-9]{4}[-0-9]{0,20}|不限)[;；]?)"
    ),
)

#: Of a heading, behind a slash: all of them, or all that stands below it.
_ALL_SUBHEADINGS, _ALL_BELOW = frozenset({"全部副主题词", "所有副主题词"}), frozenset({"全部树"})
_BEHIND = re.compile(_SUBHEADINGS)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_SIGNS = re.compile(r"[?%*]{1,20}")


class SinomedReader(DatabaseReader):
    grammar = SINOMED

    def prefix(self) -> tuple[FieldTarget, str] | None:
        found, match = super().prefix(), _PREFIX.match(self.text, self.at)
        if found is None and match:
            if self.text[match.end() : match.end() + 1] in ('"', "“", "("):
                raise self.unknown_field(match[1], *match.span(1))
            shown = plain(self.text[self.at : self.word_end(self.at)])
            self.losses.add(
                "field", message("{words} is read as words: it names no field", words=shown)
            )
        return found

    def suffix_in(self, start: int, end: int) -> tuple[FieldTarget, str] | None:
        opening = _OPENING.search(self.text, start + 1, end)
        if opening is None:
            return None
        self.cut_at = self.at = opening.start()
        return self.suffix_here()

    def unknown_field(self, name: str, start: int, end: int) -> QuerySyntaxError:
        match = _SUFFIX.fullmatch(name)
        return super().unknown_field(match[1] if match else name, start, end)

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        match = _SUFFIX.fullmatch(shown)
        name, mode, behind = match.groups("") if match else (shown.strip(" :：=＝"), "", "")
        if mode and mode not in _MODES:
            raise self.unknown_mode(mode, shown, where)
        if mode == "智能":
            self.losses.add("variations", shown)
        elif mode in ("精确", "模糊"):
            self.losses.add("settings", shown)
        if not tag.heading or not shown or shown == text:
            return super().value(text, tag, shown, where, quoted=quoted)
        if not match and (more := _BEHIND.match(self.text, self.at)):
            behind, self.at = more[1], more.end()
        heading, *subheadings = f"{text}{behind}".split("/")
        explode = mode == "扩展" or not _ALL_BELOW.isdisjoint(subheadings)
        narrowed = [
            name for name in subheadings if name and name not in _ALL_SUBHEADINGS | _ALL_BELOW
        ]
        if narrowed:
            self.losses.add("subheading", "/".join(narrowed))
        main = name.strip() == _MAIN or name == "主要概念主题词"
        if main:
            self.losses.add("focus", shown)
        return self.heading(
            plain(heading) or text, where, explode=explode, narrowed=main or bool(narrowed)
        )

    def search_for(
        self, text: str, tag: FieldTarget, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        """As in all databases; in Chinese, signs for letters stand between words."""
        pieces = _SIGNS.sub(" ", text)
        signs = _SIGNS.findall(text)
        ends_so = len(signs) == 1 and _SIGNS.search(text, len(text) - 1) and len(pieces) > 2
        if not signs or not _HAN.search(text) or ends_so or not plain(pieces):
            return super().search_for(text, tag, where, quoted=quoted)
        self.losses.add("broken phrase", text)
        clause = super().search_for(plain(pieces), tag, where, quoted=False)
        return wider(clause.widest)

    def unknown_mode(self, mode: str, shown: str, where: tuple[int, int]) -> QuerySyntaxError:
        reason = message(
            "{field} is compared by none of {modes}", field=shown, modes=", ".join(_MODES)
        )
        fixed = shown.replace(f":{mode}", "").replace(f"：{mode}", "")
        start = self.text.find(shown, where[0])
        fix = self.with_replacement(start, start + len(shown), fixed) if start >= 0 else None
        return self.error(reason, *where, fix=fix, advice=message("Leave the second word out."))


# SinoMed (https://www.sinomed.ac.cn): a field in square brackets after each term.

STYLE = SyntaxStyle(
    name="sinomed",
    framed=False,
    fields=fields_of(SINOMED, "{x}[{code}]", any="常用字段", doi="DOI", issn="ISSN"),
    losses=BY_TOPIC,
    truncation="%",
    lost=f"[{DOUBLE}?%*]",
    years=YearRanges("{first}-{last}[日期]"),
    headings={"exact": '"{x}"[不加权:不扩展]', "exploded": '"{x}"[不加权:扩展]'},
    types={"review": ("综述",), "thesis": ("学位论文",), "conference-paper": ("会议论文",)},
)
