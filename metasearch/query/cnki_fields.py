"""The names of the expert syntax of Chinese databases: fields of CNKI, VIP and Wanfang, and what
their pages print round a query.
"""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.bib.normalise import simplified
from metasearch.message import message
from metasearch.query.grammar import (
    ABSTRACT,
    ANY,
    AUTHOR,
    DOI,
    ISBN,
    ISSN,
    LANGUAGE,
    NOWHERE,
    SUBJECT,
    TITLE,
    TYPE,
    VENUE,
    YEAR,
    FieldTarget,
)

# Codes of CNKI, letters of VIP, names of CNKI, Wanfang and VIP. If only a wider field exists here,
# that field is searched and a note says so. What no field here holds is ignored, and told.

_FIRST = message("among all authors: sources cannot be asked for the first author")
_DEFAULT = message("in all that a database searches by default")
_FULL_TEXT = message(
    "in all that a database searches by default, which may not include the full text"
)
#: How often a work is cited or loaded: their value is a number.
COUNT = FieldTarget((), "count")
_TABLE: tuple[tuple[str, FieldTarget], ...] = (
    ("TI T 题名 篇名 标题 论文题名 文献题名 文献标题 专利名称 中文题名 英文题名 Title", TITLE),
    ("KY K 关键词 关键字 作者关键词 中文关键词 英文关键词 Keyword Keywords", SUBJECT),
    ("AB R 摘要 文摘 中文摘要 英文摘要 Abstract", ABSTRACT),
    ("AU A 作者 著者 责任者 论文作者 发明人 Author Creator", AUTHOR),
    ("FI F 第一作者 第一责任人 第一发明人", FieldTarget(("author",), _FIRST)),
    (
        "RP 通讯作者 通信作者",
        FieldTarget(
            ("author",),
            message("among all authors: sources cannot be asked for the corresponding author"),
        ),
    ),
    (
        (
            "JN J LY 刊名 期刊 期刊名称 期刊名 文献来源 来源 出处 会议名称 报纸名称 论文集名称 "
            "Periodical PeriodicalTitle"
        ),
        VENUE,
    ),
    ("TKA 篇关摘", FieldTarget(("title", "subject", "abstract"))),
    ("M 题名或关键词 篇名或关键词", FieldTarget(("title", "subject"))),
    ("SU 主题 Common", FieldTarget(("any",), _DEFAULT)),
    ("U 任意字段 任意栏位 全部 全部字段", ANY),
    ("FT QW 全文 FullText", FieldTarget(("any",), _FULL_TEXT)),
    (
        (
            "YE PT PY Y 年 年份 年度 出版年 出版年份 出版时间 出版日期 发表年份 发表时间 发表年度 "
            "发表日期 时间 时间范围 时间跨度 年限 年代 日期 起始年 起始年份 开始年 结束年 结束年份 "
            "终止年 Date Year PublishYear PublishDate"
        ),
        YEAR,
    ),
    ("DOI", DOI),
    ("SN ISSN 国际标准刊号", ISSN),
    ("IB ISBN 国际标准书号", ISBN),
    ("语种 语言 文献语种 Language", LANGUAGE),
    ("文献类型 资源类型 Type", TYPE),
    (
        (
            "AF S 单位 机构 作者单位 机构名称 作者机构 第一单位 第一机构 学位授予单位 申请人 "
            "Organization SQR"
        ),
        NOWHERE,
    ),
    ("FU 基金 基金项目 基金资助 支持基金 Fund", NOWHERE),
    ("CLC CLZ C 分类号 中图分类号 专利分类号 主分类号 ClassCode", NOWHERE),
    ("CF 被引频次 被引量 被引次数 下载频次 下载量", COUNT),
    ("RF 参考文献 被引文献 引文 CO 小标题 目录 CN 统一刊号 国内统一刊号", NOWHERE),
    ("TU FTU 导师 第一导师 XF 专业 学科专业 学科专业名称 学位 主办单位 出版社 出版单位", NOWHERE),
    ("Z 作者简介 B 栏目信息 栏目 期 期号 卷 卷号 页码 Issue Volume SQH 申请号 GKH 公开号", NOWHERE),
    ("RT 更新时间 更新日期 入库时间 SI EI HX CSI CSD 来源类别 来源期刊 期刊范围 期刊来源", NOWHERE),
)

#: Name -> where it is looked for.
EXPERT_FIELDS: Mapping[str, FieldTarget] = {
    name.casefold(): target for names, target in _TABLE for name in names.split()
}
#: Names that can be searched, for messages: a code and a Chinese name of each.
SEARCHED = (
    "TI 题名, KY 关键词, AB 摘要, AU 作者, FI 第一作者, RP 通讯作者, JN 刊名, TKA 篇关摘, M "
    "题名或关键词, SU 主题, "
    "FT 全文, YE 年, DOI, SN (ISSN), IB (ISBN), 语种, 文献类型"
)


def _folded(names: str) -> frozenset[str]:
    return frozenset(simplified(name).casefold() for name in names.split())


#: As `EXPERT_FIELDS`, each name as `folded` gives it.
FOLDED_FIELDS = {simplified(name): target for name, target in EXPERT_FIELDS.items()}
#: Of years: the first of a range, and the last.
SINCE = _folded("起始年 起始年份 开始年")
UNTIL = _folded("结束年 结束年份 终止年")
#: Of years and settings: what a page prints beside a query holds for all of it.
BESIDE = _folded(
    "时间范围 时间跨度 年限 发表时间 发表年份 出版时间 出版年份 起始年 起始年份 开始年 结束年 "
    "结束年份 终止年 更新时间 更新日期 来源类别 来源期刊 期刊范围 期刊来源"
)
#: What a page prints before its settings, none of which a source can be asked for.
SETTINGS = _folded(
    "范围 检索范围 资源范围 数据范围 文献范围 来源数据库 数据库 资源库 跨库检索 检索时间 检索日期 "
    "匹配 匹配方式 检索方式 检索控制 学科 学科范围 学科分类 学科限定 文献分类 排序 排序方式 "
    "同义词扩展 中英文扩展 主题词扩展 检索结果 结果 命中 命中数 仅看有全文 网络首发 增强出版 扩展"
)
#: What stands before a query.
LABELS = _folded(
    "检索式 检索条件 检索表达式 表达式 检索策略 检索历史 专业检索 高级检索 "
    "CNKI Wanfang VIP 中国知网 知网 万方 万方数据 维普 维普网"
)
#: Printed alone: words that are close in meaning, or the other language, are looked for too.
EXPANSIONS = _folded("同义词扩展 中英文扩展 主题词扩展 智能扩展 跨语言扩展 智能检索")


def named(name: str) -> FieldTarget | None:
    """The field of a name, or of several with slashes; in any case, in either writing of Chinese.

    None: one of them is no name.
    """
    targets = [FOLDED_FIELDS.get(one) for one in folded(name).split("/")]
    if len(targets) == 1:
        return targets[0]
    fields: dict[str, None] = {}
    for target in targets:
        if target is None or not target.fields or not target.of_words:
            return None
        fields |= dict.fromkeys(target.fields)
    return ANY if "any" in fields else FieldTarget(tuple(fields))


def folded(name: str) -> str:
    """A name as it stands in the sets of this file, without the kind of works before it: Wanfang
    has 期刊-刊名.
    """
    bare = simplified(name).casefold()
    return bare.replace("—", "-").partition("-")[2] or bare
