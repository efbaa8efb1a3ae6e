"""Chinese titles: two languages, column heads around them, and where a subtitle begins."""

from __future__ import annotations

import re
from functools import lru_cache

from metasearch.bib.chinese.characters import is_cjk, is_han, plain, simplified
from metasearch.bib.chinese.notices import notice
from metasearch.bib.chinese.parts import edition, part_number

# Compiled when a title first needs them: classes of Chinese characters take long to compile.
_pattern = lru_cache(maxsize=32)(re.compile)

#: No title is longer; of a longer text nothing is taken apart.
_LONGEST = 1000
_WIDE_GAP = re.compile(r"\s{2,}")

# ----------------------------------------------------------------------- two languages in one title

#: Chinese characters of a title that has a translation beside it, at least; and words of the
#: translation.
_FEWEST_CHARACTERS = 4
_FEWEST_WORDS = 3
#: Beside one another without a mark, a phrase and a title are told apart by more.
_FEWEST_UNMARKED = (6, 4)
#: Characters for one word of a translation, at least and at most: 1.1 to 1.9 in Chinese, more in
#: kana and Hangul.
_RATIO, _RATIO_OF_KANA = (0.75, 3.0), (0.75, 5.0)
#: A few words without "of" or "in" may be the English of one term of the title, unless the title is
#: as short as they.
_TERM_WORDS, _RATIO_OF_TERM = 5, 2.2
#: Characters with which no Chinese title ends, or begins, so that what follows, or precedes, is a
#: part of it.
_NOT_LAST = frozenset("的与和及或对在以为之用于从向按由把被是至跨其兼《“‘〈「『(（[【")
_NOT_FIRST = frozenset(
    "的与和及或对在中法型类之为于等作制化式性率度值型机器网图谱酶基上下》”’〉」』)）]】"
)
_FUNCTION_WORDS = frozenset(
    """
    a an and as at between by during for from in into its of on the through to toward towards under
    using via with
""".split()
)

_LATIN_WORD = r"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ'’-]*"
_PARALLEL = re.compile(r"\s+[=＝]\s*|\s*＝\s*|[=]\s+")
_BRACKETED = re.compile(
    r"\s*(?:\(([^()]+)\)|（([^（）]+)）|\[([^\[\]]+)\]|［([^［］]+)］|【([^【】]+)】)\s*[.。]?\s*$"
)
_BETWEEN = " \t\u3000/|｜;；—–-:：,，.。"


def split_titles(title: str) -> tuple[str, ...]:
    """The titles that one string holds in two languages, in order; the string alone where it is one
    title.

    "基于X的研究 = A study of X", "基于X的研究（A study of X）", "A study of X 基于X的研究". A
    Chinese title with English words in it is one title ("基于BERT的文本分类", "刺参(Apostichopus
    japonicus)"): the parts must each be a title of its own, and as long as translations of one
    another are.
    """
    if title.isascii() or len(title) > _LONGEST:
        return (title,)
    words = len(_pattern(_LATIN_WORD).findall(title))
    if not words or not any(map(is_cjk, title)):
        return (title,)
    whole, title = title, _WIDE_GAP.sub(" ", title)
    if "=" in title or "＝" in title:
        for mark in _PARALLEL.finditer(title):
            one, other = title[: mark.start()].strip(), title[mark.end() :].strip()
            if _are_parallel(one, other):
                return (*split_titles(one), *split_titles(other))
    if words < _FEWEST_WORDS:
        return (whole,)
    bracketed = _BRACKETED.search(title)
    if bracketed and bracketed.start():
        one, other = (
            title[: bracketed.start()].strip(),
            next(filter(None, bracketed.groups())).strip(),
        )
        if _are_translations(one, other, _FEWEST_CHARACTERS, _FEWEST_WORDS):
            return one, other
    return _side_by_side(title) or (whole,)


def _side_by_side(title: str) -> tuple[str, ...]:
    """The titles, where the characters end, or begin, once; () where they do not."""
    places = [place for place, char in enumerate(title) if is_cjk(char)]
    for place in (places[-1] + 1, places[0]):
        # A closing mark belongs to what stands before it.
        while place < len(title) and title[place] in "》”’〉」』)）]】?？!！。":
            place += 1
        before, after = title[:place].rstrip(_BETWEEN), title[place:].lstrip(_BETWEEN)
        if not before or not after or before[-1] in _NOT_LAST or after[0] in _NOT_FIRST:
            continue
        if before[-1] in "论评读" and not any(
            map(is_cjk, before[-2:-1])
        ):  # "…：评 The Great Gatsby"
            continue
        latin = before if is_cjk(after[0]) else after
        if (
            latin[0].isupper()
            and _has_function_word(latin)
            and _are_translations(before, after, *_FEWEST_UNMARKED)
        ):
            return before, after
    return ()


def _are_parallel(a: str, b: str) -> bool:
    """Whether one side has characters and the other is Latin and more than a symbol."""
    if any(map(is_cjk, a)) == any(map(is_cjk, b)):
        return False
    latin, other = (b, a) if any(map(is_cjk, a)) else (a, b)
    long = [word for word in _pattern(_LATIN_WORD).findall(latin) if len(word) > 2]
    return sum(map(is_cjk, other)) > 1 and (len(long) > 1 or any(len(word) > 5 for word in long))


def _are_translations(a: str, b: str, fewest_characters: int, fewest_words: int) -> bool:
    """Whether one part is Latin, the other has characters, and their lengths go together."""
    if any(map(is_cjk, a)) == any(map(is_cjk, b)):
        return False
    latin, other = (b, a) if any(map(is_cjk, a)) else (a, b)
    characters = sum(map(is_cjk, other))
    words = len(_pattern(_LATIN_WORD).findall(latin))
    if characters < fewest_characters or words < fewest_words:
        return False
    least, most = _RATIO if all(is_han(char) for char in other if is_cjk(char)) else _RATIO_OF_KANA
    if words < _TERM_WORDS and not _has_function_word(latin):
        most = _RATIO_OF_TERM
    # An English word within the Chinese title stands in its translation too.
    weight = characters + 2 * len(_pattern(_LATIN_WORD).findall(other))
    return least * words <= weight <= most * words


def _has_function_word(latin: str) -> bool:
    return not _FUNCTION_WORDS.isdisjoint(latin.lower().split())


# --------------------------------------------------------------------------- column heads

# Columns of journals. In 【】 and between dots any short head is one; in other brackets only what
# is here.
_COLUMNS = """
    论著 短篇论著 论坛 综述 述评 评述 评论 讲座 笔谈 专论 专题 专栏 特稿 特约稿 特约 特邀 约稿 译文
    译丛 译述 原著 论文 研究论文 研究报告 研究简报 简报 调查报告 病例报告 病例讨论 个案报告 个案
    经验交流 学术争鸣 争鸣 讨论 随笔 杂谈 札记 访谈 专访 人物 动态 资讯 信息 新闻 消息 通讯 文摘
    摘要 会议论文 会议摘要 学位论文 期刊论文 期刊 快报 快讯 技术报告 指南 共识 标准 专家共识
    标准与规范 指南与共识 文献综述 系统评价 荟萃分析 临床研究 基础研究 实验研究 应用研究 理论研究
    理论探讨 教学研究 教育教学 学术论文 学术研究 原创 转载 连载 书评 译作 电子资源 电子书 微缩 图书
    汇编
""".split()
_COLUMN = (
    rf"(?:{'|'.join(sorted(_COLUMNS, key=len, reverse=True))}"
    r"|\S{0,8}(?:论坛|论著|综述|述评|讲座|笔谈|专题|专栏|专家论坛|争鸣|园地|之窗|视点|视角|前沿|撷英|荟萃|天地|沙龙|报道|讲坛|札记|随笔|动态|经验交流))"
)
# Kinds of documents as in GB/T 7714: [J], [D/OL].
_KIND = r"(?:[JDMCNPSRGZ]|EB|DB|CP|DS|CM)(?:/(?:OL|CD|MT|DK))?"
_IN_BRACKETS = rf"[\[(〔]\s*{_COLUMN}\s*[\])〕]"
_ANY_HEAD = r"[【〖][^【】〖〗]{1,14}[】〗]"
_DOTTED = r"[·•・‧∙]\s*[^·•・‧∙]{2,14}?\s*[·•・‧∙]"
_AHEAD = rf"^\s*(?:{_IN_BRACKETS}|{_ANY_HEAD}|{_DOTTED}|{_COLUMN}\s*[|｜])\s*[:：]?\s*"
_BEHIND = (
    rf"\s*(?:\[\s*{_KIND}\s*\]|{_IN_BRACKETS}|{_ANY_HEAD}|{_DOTTED}|[|｜]\s*{_COLUMN})\s*[.。]?$"
)
_SIGNS = "[［(（〔【〖·•・‧∙|｜"
_WIDTHS = str.maketrans("［］（）〔〕", "[]()[]")
# Marks of footnotes about funding and authors.
_FOOTNOTE = re.compile(r"(?<=[^\x00-\x7f])\s*[*＊※†‡①☆★]+\s*$|^\s*[*＊※†‡☆★■□●◆▲]+\s*")


def without_sections(title: str) -> str:
    """The title without column heads and marks around it: "【综述】…", "·论著·…", "…（综述）",
    "…[J]", "…*".

    What names a part, an edition or a notice stays ("【更正】…", "…（上）"), and so does what would
    leave nothing.
    """
    if title.isascii() or len(title) > _LONGEST:
        return title
    title = _without(_FOOTNOTE, _WIDE_GAP.sub("\u3000", title))
    if not any(sign in title for sign in _SIGNS):
        return title
    for pattern in (_AHEAD, _BEHIND):
        for _ in range(2):  # "【论著】·临床研究·"
            title, before = _without(_pattern(pattern), title), title
            if title == before:
                break
    return title


def _without(pattern: re.Pattern[str], title: str) -> str:
    found = pattern.search(simplified(title.translate(_WIDTHS)))  # as long as the title itself
    if found is None or not found.group().strip():
        return title
    head, rest = found.group(), (title[: found.start()] + title[found.end() :]).strip()
    if sum(map(str.isalnum, rest)) < 2 or notice(head) or part_number(head) or edition(head):
        return title
    return rest


# -------------------------------------------------------------------------- main title and subtitle

_MARK = (
    r"\s*(?:[-－]{2,}|[—―─–]+|(?<![0-9])[:：]|[:：](?![0-9])|[;；()（）\[\]［］【】〔〕〖〗？！?!。]|…+"
    r"|\s/\s|\s\|\s|\s=\s|\s[-－~]\s)\s*"
)
# Chinese has no blanks within a sentence.
_BLANK = r"(?<=[^\x00-\x7f])[ \t]+(?=[^\x00-\x7f])|\u3000+"
# "…以巢湖为例" is a subtitle also where the dash was lost.
_EXAMPLE = r"(?<=[^\x00-\x7f]{4})[,，]?\s*(?=[以][^以,，]{1,30}为(?:例|个案)$)"


def marked(title: str) -> str:
    """The title with a line break wherever its main title may end and a subtitle, a bracket or a
    part begin.

    At ——, --, －－, ──, :, brackets, between characters that a blank divides, and before 以…为例. A
    hyphen is none (龙羊峡-刘家峡), nor is a colon between digits (1:500).
    """
    title = _WIDE_GAP.sub("\u3000", title[:_LONGEST].strip())
    if "为例" in title or "為例" in title or "为个案" in title or "為個案" in title:
        title = _pattern(_EXAMPLE).sub("\n", plain(title))
    title = _pattern(_BLANK).sub("\n", title)
    return _pattern(_MARK).sub("\n", title).strip("\n")
