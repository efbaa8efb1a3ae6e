"""Fields of the Chinese expert syntax -> ours: codes of CNKI, letters of VIP, names of CNKI,
Wanfang and VIP.

Where we have only a wider field, that one is searched and a note says so; where we have none, the
name is known all the same, so that the error can say that it is not searched here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """Where a field's words are looked for.

    Attributes:
        fields: One or more of `metasearch.query.FIELDS`, or "year"; none where nothing here holds
            it.
        loss: What is lost by that, as the end of a sentence; "" for nothing.
    """

    fields: tuple[str, ...]
    loss: str = ""

    @property
    def of_words(self) -> bool:
        """Whether any words can be looked for there; not where they must have a form, or be of a
        list.
        """
        return self.fields[0] not in ("year", "type", "language", "doi", "isbn", "issn")


_FIRST = "among all authors: sources cannot be asked for the first author"
_TABLE: tuple[tuple[str, Target], ...] = (
    ("TI T 题名 篇名 标题 论文题名 Title", Target(("title",))),
    ("KY K 关键词 关键字 Keyword Keywords", Target(("subject",))),
    ("AB R 摘要 文摘 Abstract", Target(("abstract",))),
    ("AU A 作者 著者 责任者 Author Creator", Target(("author",))),
    ("FI F 第一作者 第一责任人", Target(("author",), _FIRST)),
    (
        "RP 通讯作者 通信作者",
        Target(
            ("author",), "among all authors: sources cannot be asked for the corresponding author"
        ),
    ),
    ("JN J LY 刊名 期刊 期刊名称 文献来源 来源 出处 Periodical", Target(("venue",))),
    ("TKA 篇关摘", Target(("title", "subject", "abstract"))),
    ("M 题名或关键词", Target(("title", "subject"))),
    ("SU 主题", Target(("any",), "in all that a database searches by default")),
    ("U 任意字段 全部 全部字段", Target(("any",))),
    (
        "FT QW 全文",
        Target(
            ("any",),
            "in all that a database searches by default, which may not include the full text",
        ),
    ),
    (
        "YE PT Y 年 年份 年度 出版年 出版年份 发表年份 发表时间 发表年度 日期 Date Year",
        Target(("year",)),
    ),
    ("DOI", Target(("doi",))),
    ("SN ISSN", Target(("issn",))),
    ("IB ISBN", Target(("isbn",))),
    ("语种 语言 Language", Target(("language",))),
    ("文献类型 Type", Target(("type",))),
    ("AF S 单位 机构 作者单位 机构名称 作者机构", Target(())),
    ("FU 基金 基金项目", Target(())),
    ("CLC C 分类号 中图分类号", Target(())),
    ("CN 统一刊号 CF 被引频次 RF 参考文献 被引文献", Target(())),
)

#: Name in small letters -> where it is looked for.
TARGETS: Mapping[str, Target] = {
    name.casefold(): target for names, target in _TABLE for name in names.split()
}
#: Names that can be searched, for messages: a code and a Chinese name of each.
SEARCHED = (
    "TI 题名, KY 关键词, AB 摘要, AU 作者, FI 第一作者, RP 通讯作者, JN 刊名, TKA 篇关摘, M "
    "题名或关键词, SU 主题, "
    "FT 全文, YE 年, DOI, SN (ISSN), IB (ISBN), 语种, 文献类型"
)
