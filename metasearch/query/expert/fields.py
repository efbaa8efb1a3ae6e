"""Fields of the Chinese expert syntax -> ours: codes of CNKI, letters of VIP, names of CNKI,
Wanfang and VIP.

If only a wider field exists here, that field is searched and a note says so. Names without any
field are listed too, so that the error can say that they cannot be searched.
"""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.message import message
from metasearch.query.field_targets import FieldTarget

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
