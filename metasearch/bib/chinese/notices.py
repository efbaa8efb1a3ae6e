"""Chinese titles of works about another work, and titles that stand on many works."""

from __future__ import annotations

import re
from functools import lru_cache

from metasearch.bib.chinese.characters import NUMERALS, plain

# Compiled when a title first needs them: classes of Chinese characters take long to compile.
_pattern = lru_cache(maxsize=64)(re.compile)

#: Titles that stand on many works, as letters and digits in simplified characters (Japanese and
#: Korean ones too).
GENERIC = frozenset(
    """
    编者按 编者的话 编者语 编者寄语 编后 编后记 编后语 编辑后记 编辑的话 编辑部的话 编辑部启事
    编辑部声明 编辑部公告 编读往来 编委会 编委会名单 编委名单 编辑委员会 编辑委员会名单 青年编委名单
    卷首 卷首语 卷首寄语 卷首絮语 刊首语 刊首寄语 刊头语 开卷语 开篇语 发刊词 创刊词 复刊词 祝词
    贺词 题词 寄语 主编寄语 主编的话 主编手记 主编絮语 本期导读 导读 导言 导语 引言 引子 绪论 绪言
    前言 序 序言 序一 序二 自序 代序 总序 跋 后记 结语 结束语 结论 讨论 总结 附录 目次 目录 总目次
    总目录 年度总目次 年度总目录 英文目次 英文目录 本期目次 本期目录 要目 本期要目 下期要目 要目预告
    下期要目预告 索引 主题索引 作者索引 关键词索引 分类索引 题名索引 参考文献 摘要 英文摘要 中文摘要
    文摘 论文摘要 会议论文摘要 内容提要 内容简介 征稿 征稿简则 征稿启事 征稿通知 征稿函 征稿须知
    征文 征文启事 征文通知 会议征文 会议征文通知 约稿 约稿启事 约稿函 稿约 投稿须知 投稿指南
    投稿说明 投稿要求 作者须知 来稿须知 撰稿须知 启事 重要启事 本刊启事 本刊声明 声明 重要声明
    郑重声明 版权声明 本刊稿约 本刊征稿 本刊征稿启事 本刊征稿简则 本刊投稿须知 本刊通知 本刊公告
    本刊简介 期刊简介 杂志简介 公告 通知 通告 消息 简讯 快讯 短讯 会讯 书讯 学会动态 学术动态
    学术简讯 学术消息 学术交流 学术活动 信息动态 综合信息 行业动态 行业信息 科技动态 科技简讯
    科技信息 国内动态 国外动态 国内外动态 动态 新闻 要闻 会议消息 会议通知 会议预告 会议信息
    会议纪要 培训通知 招生简章 招聘启事 新书介绍 新书推介 新书推荐 新书预告 新书 图书介绍 图书推荐
    好书推荐 书刊介绍 书评 书目 征订启事 征订通知 订阅启事 订阅通知 欢迎订阅 欢迎投稿 欢迎订阅本刊
    欢迎赐稿 广告 广告索引 广告目次 封面 封面图片 封面说明 封面故事 封二 封三 封底 封面人物 封面介绍
    扉页 插页 彩页 版权页 版权信息 版权 致谢 鸣谢 致审稿专家 审稿专家名单 审稿人名单 致读者 致作者
    致作者和读者 读者来信 读者信箱 读者意见反馈表 来信 更正 更正启事 更正说明 更正声明 更正与致歉
    勘误 勘误表 勘误启事 勘误说明 致歉 致歉声明 撤稿声明 撤稿启事 撤稿通知 订正 补正 补白 作者简介
    作者介绍 主编简介 人物介绍 人物简介 专家简介 专家介绍 学者简介 讣告 新年寄语 新年献词 新年贺词
    元旦献词 名词解释 问题解答 小知识 小资料 小常识 无题 图片新闻 图片报道 大事记 年表 凡例 题解
    译后记 译者序 译序 再版前言 再版序言 出版说明 出版前言 出版者的话 编辑说明 编写说明 说明
    专栏导读 专栏导语 专栏主持人语 主持人语 主持人的话 主持人按语 主持人导语 专题导语 专题导读
    专题序言 专题前言 特约主编寄语 特邀主编寄语 客座编辑的话 专刊前言 专辑前言 按语 编辑部 其他 其它
    不详 佚名 编集后记 卷头言 卷头语 卷头辞 表纸 目次表 奥付 序文 正误表 正误 会告 会报 投稿规定
    执笔要领 执笔者绍介 お知らせ はじめに おわりに まえがき あとがき 머리말 차례 목차 편집후기
    권두언 서문 후기 서평
""".split()
)
_NUMBER = rf"(?:\d+|[{NUMERALS}]+)"
# With journal, year, volume and issue: 2019年第3期目次, 《计算机学报》2018年第1—12期总目录.
_GENERIC_IN_ISSUE = (
    rf"(?:本刊|.{{0,20}}?(?=\d{{4}}年))?(?:\d{{4}}年?)?度?(?:第?{_NUMBER}(?:[—~-]+{_NUMBER})?[卷期号届])*(?:各期|全年|合订本)?(?:英文)?"
    r"总?(?:目次|目录|索引|要目|征订启事|征稿启事|审稿专家名单|审稿人名单|会议通知|征文通知|主题词索引|作者索引)"
)
_IN_ISSUES = ("目次", "目录", "索引", "要目", "启事", "名单", "通知")
_BLANKS = re.compile(r"\s+")
_NOT_LETTERS = re.compile(r"[\W_]+")
_LONGEST_GENERIC = 40

# A title within a title: 《...》 or in quotes.
_QUOTED = r"(?:《[^《》]*》|〈[^〈〉]*〉|“[^“”]*”|\"[^\"]*\"|「[^「」]*」|『[^『』]*』)"
_SOMEBODY = "(?:先生|同志|教授|博士|女士|商榷|质疑|批评)"
_AS = "(?:表|启事|声明|说明|通知|公告|与致歉)?"  # 更正 may be 更正启事
_NOTICES = (
    (
        "retraction",
        "撤",
        (
            rf"^(?:关于)?(?:撤稿|撤回|撤销){_AS}(?:[:\s]|$|{_QUOTED}|论文|文章)|(?:撤稿|撤回|撤销)(?:声明|启事|通知|公告|说明)$"
            r"|[(\[【]已?(?:撤稿|撤回)[)\]】]"
        ),
    ),
    (
        "erratum",
        "更勘订校补歉",
        (
            rf"^(?:\d{{4}}年?第?\d*期?)?(?:更正|勘误|订正|校正|补正|致歉){_AS}(?:[:\s—(-]|$|{_QUOTED})"
            rf"|(?:的|一文|之|{_QUOTED})的?(?:更正|勘误){_AS}$|(?:更正|勘误|致歉)(?:表|启事|声明|说明|通知)$"
            rf"|[(\[【](?:更正|勘误)[)\]】]|^(?:关于|对){_QUOTED}.{{0,12}}(?:更正|勘误|订正)"
        ),
    ),
    (
        "reply",
        "答复回",
        (
            rf"^(?:作者|编者)?(?:答复|回复|复信)(?:[:\s]|$)|(?:一文|{_SOMEBODY}|评论|意见|来信|{_QUOTED})[之的]?(?:答复|回应|回复|答辩)"
            rf"|^再?(?:答|复){_QUOTED}|(?:^|[—:-])[兼再]?答.{{1,20}}(?:{_SOMEBODY}|{_QUOTED})"
            rf"|(?:^|[—:-])[兼再]?回应(?:.{{0,12}}{_SOMEBODY}|{_QUOTED})"
        ),
    ),
    (
        "comment",
        "榷质也讨对驳",
        (
            rf"商榷|(?:^|[—:-])也[论谈议评说]|^(?:对|关于|就){_QUOTED}.{{0,14}}(?:意见|质疑|讨论|看法|评论|异议)"
            rf"|^(?:质疑|驳|读者来信)[:]?{_QUOTED}|^[与同].{{1,20}}(?:讨论|商讨)$"
        ),
    ),
    (
        "addendum",
        "补",
        rf"^(?:对|关于)?{_QUOTED}.{{0,6}}(?:补遗|增补|补充|补正|补记|补说)$|^补遗[:《]|补遗$",
    ),
    (
        "review",
        "评读绍",
        (
            rf"^(?:书评|图书评论|新书评介|书刊评介|简评|短评|述评)[:\s]*{_QUOTED}|^(?:书评|书刊评介)[:|]"
            rf"|^[简略短试再也]?(?:评|评介|读|介绍){_QUOTED}|(?:^|[—:-])[兼简]?[评读]{_QUOTED}"
            rf"|{_QUOTED}(?:一书)?(?:书评|评介|评述|读后|读后感|简评|述评|评论)$"
        ),
    ),
)
_NOTICE_SIGNS = [(char, name, pattern) for name, needed, pattern in _NOTICES for char in needed]


def notice(title: str) -> str:
    """What a title about another work is: "erratum", "retraction", "reply", "comment", "addendum"
    or "review".

    "" for a work of its own. The names are those of `dedup.titles`.
    """
    if title.isascii():
        return ""
    text = plain(title)
    for char, name, pattern in _NOTICE_SIGNS:
        if char in text and _pattern(pattern).search(text):
            return name
    return ""


@lru_cache(maxsize=1_000)
def is_generic(title: str) -> bool:
    """Whether a title stands on many works: `GENERIC`, also with year and issue (2019年总目次)."""
    if len(title) > _LONGEST_GENERIC:
        return False
    text = plain(title)
    letters = _NOT_LETTERS.sub("", text)
    if letters in GENERIC:
        return True
    # Only these stand in other issues' titles.
    return (
        letters.endswith(_IN_ISSUES)
        and _pattern(_GENERIC_IN_ISSUE).fullmatch(_BLANKS.sub("", text)) is not None
    )
