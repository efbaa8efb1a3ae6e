"""Chinese titles: two languages, column heads around them, and where a subtitle begins."""

from __future__ import annotations

import re
from functools import lru_cache

from metasearch.bib.normalise import NUMERALS, is_cjk, is_han, plain, simplify

# Numbers in Chinese titles: parts of a series, editions, years and counts.

# Compiled when a title first needs them: classes of Chinese characters take long to compile.
_pattern = lru_cache(maxsize=160)(re.compile)

# What may stand behind the number of a part: the end, a mark, or a bracket.
_END = r"(?=\s*(?:$|[:.。,—–─―(\[【《〈“\"!?]|--))"
_CN = rf"(?:[{NUMERALS}]{{1,4}})"
_ROMAN = r"(?:I{1,3}|IV|VI{0,3}|IX|XI{0,3}|XI?V|XVI{0,3})"
_WIDE = r"[^\x00-\x7f]"

# A pattern for each way to write the number of a part, with the characters of which one must be
# there.
_PARTS = (
    (  # (二), [下], (续), （Ⅱ）; not behind a Latin letter, where Cu(Ⅱ) may stand
        ")]】〕",
        (
            rf"(?:^|(?<={_WIDE})|(?<=[\s\"')\]]))[(\[【〔]\s*"
            rf"((?:之|其|第|续|续集)?(?:{_CN}|\d{{1,2}}|{_ROMAN})|[上中下](?:篇|集|部分?)?|续|续篇|续完|完|终)\s*[)\]】〕]{_END}"
            rf"|^[(\[【]({_CN}|\d{{1,2}})[)\]】]"
        ),
    ),
    (  # 第二部分, 第3卷; not 第三部门, 第一集团
        "第",
        (
            rf"第\s*({_CN}|\d{{1,3}}|{_ROMAN})\s*(?:部分|分册|分卷|单元|部(?![曲门委队级])|卷(?!本)|册|章|辑|编(?![辑制码者])|篇"
            r"|集(?![团中成合])|讲(?![话座])|回(?![归收应])|报(?![告道刊]))"
        ),
    ),
    ("卷", rf"(?<={_WIDE})\s*卷\s*({_CN}|\d{{1,3}}){_END}"),
    ("之其", rf"[之其]({_CN}|\d{{1,2}}){_END}"),  # 研究之三
    ("篇册卷集编", rf"(?:^|(?<=[\s·:,.)》”\"—-])|(?<={_WIDE}))([上中下])[篇册卷集编]{_END}"),
    ("续", rf"(?:(?<=[\s:—-])|^)(续篇|续集|续编|续完|续)(?=\s*$)|(续篇|续集|续编){_END}"),
    (  # 研究II, 研究 2; a lone V or X may be anything
        "IVX0123456789",
        rf"(?<=[^\x00-\x7f\W])(?:\s*(?![VX](?![IVX]))({_ROMAN}){_END}|(?:\s+(\d{{1,2}})|(?<![年月第期卷型号])(\d))\s*$)",
    ),
    (  # 再论..., 三论...; not 再评价
        "论谈议说评",
        (
            rf"(?:^|(?<=[-—:\s\"“]))(再|[{NUMERALS}]{{1,2}}|之[{NUMERALS}])(?:论(?![坛文证语述据著])|谈(?![判话])|议(?![会院案程定])"
            r"|说(?![明法服唱])|评(?![估价定审]))"
        ),
    ),
)
_PART_SIGNS = [(char, pattern) for needed, pattern in _PARTS for char in needed]
# Before NFKC makes letters of them: Ⅴ is a number where V is not for certain.
_ROMAN_SIGNS = frozenset(map(chr, range(0x2160, 0x217C)))
_ROMAN_SIGN = r"(?<![A-Za-z0-9+])\s*([Ⅰ-Ⅻⅰ-ⅻ])(?=\s*(?:$|[:：.。—–─―(（\[【《]|--|－－))"
_WORDS = {"上": "1", "中": "2", "下": "3", "再": "2", "续": "续", "完": "完", "终": "完"}
_DIGITS = {char: value for value, char in enumerate("〇一二三四五六七八九")} | {"零": 0}
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10}


def part_number(title: str) -> frozenset[str]:
    """The numbers of the parts that a title names, as digits: （二）, 第二部分, 之二, Ⅱ, 再论 ->
    "2".

    上, 中, 下 are 1, 2, 3; "续" for a continuation without number, "完" for the last part.
    Oxidation states and types (钯(Ⅱ)配合物, Ⅱ型) are no parts, because they stand inside a title.
    """
    if title.isascii():
        return frozenset()
    found: set[str] = set()
    if not _ROMAN_SIGNS.isdisjoint(title):
        found.update(_number(plain(sign).upper()) for sign in _pattern(_ROMAN_SIGN).findall(title))
    text = plain(title)
    for pattern in {pattern for char, pattern in _PART_SIGNS if char in text}:
        found.update(
            [_number(next(filter(None, hit.groups()))) for hit in _pattern(pattern).finditer(text)]
        )
    return frozenset(found)


_ARABIC = re.compile(r"[0-9]+")
_YEAR = r"([〇零一二三四五六七八九]{4}|[〇零一二三四五六七八九]{2})(?=年)"
_COUNTED = rf"第({_CN})(?=[届次期号版季代批轮年个回])"


def numbers(title: str) -> frozenset[str]:
    """All numbers of a title, also Chinese ones: 二〇二〇年 -> "2020", 第十三届 -> "13"."""
    text = plain(title)
    found = {digits.lstrip("0") or "0" for digits in _ARABIC.findall(text)}
    if "年" in text:
        found.update(str(_chinese_number(year)) for year in _pattern(_YEAR).findall(text))
    if "第" in text:
        found.update(str(_chinese_number(number)) for number in _pattern(_COUNTED).findall(text))
    return frozenset(found)


_EDITION_NUMBER = rf"(?:第|[(\[·,\s])\s*({_CN}|\d{{1,2}})\s*版(?![本权画社图式块面])"
_EDITIONS = (
    ("英文", "英", r"[(\[](?:英文版?|英)[)\]]|英文版"),
    ("中文", "文", r"[(\[](?:中文版|中文翻译版|汉文版)[)\]]|中文版$"),
    ("双语", "语对", r"(?:双语|中英文?对照|汉英对照|英汉对照)版?[)\]]?$"),
    ("修订", "订", r"修订[版本]|(?:增订|增补)[版本]?[)\]]?$"),
    ("缩", "缩摘", r"缩[编写印]本?[)\]]?$|[(\[]摘要版[)\]]"),
    ("草案", "稿案试论", r"[(\[](?:征求意见稿?|送审稿?|草案|讨论稿|试行|报批稿?)[)\]]"),
)
_EDITION_SIGNS = [(char, name, pattern) for name, needed, pattern in _EDITIONS for char in needed]


_ORDINAL = rf"第\s*({_CN})\s*(?=[卷册集辑编篇部章期届次版号])"


def with_digits(title: str) -> str:
    """The title with the numbers of volumes, parts and meetings as digits: 第二十一卷 -> 第21卷."""
    if "第" not in title:
        return title
    digits: str = _pattern(_ORDINAL).sub(lambda found: f"第{_chinese_number(found[1])}", title)
    return digits


def edition(title: str) -> frozenset[str]:
    """Editions that a title names: "2" for （第二版）, "修订", "草案", and the language in
    （英文版） and （英）.
    """
    if title.isascii():
        return frozenset()
    text = plain(title)
    found = {
        name
        for char, name, pattern in _EDITION_SIGNS
        if char in text and _pattern(pattern).search(text)
    }
    if "版" in text:
        found.update(map(_number, _pattern(_EDITION_NUMBER).findall(text)))
    return frozenset(found)


def _number(value: str) -> str:
    """A part's number as digits: "十二" -> "12", "II" -> "2", "下" -> "3", "续二" -> "续2"."""
    if value.startswith("续"):
        rest = value[1:].lstrip("篇集编")
        return "完" if rest == "完" else f"续{_number(rest)}" if rest else "续"
    value = value.lstrip("之其第")
    if value[0] in _WORDS:  # 上, 上篇
        return _WORDS[value[0]]
    if value.isdecimal():
        return value.lstrip("0") or "0"
    if value.isascii():
        values = [_ROMAN_VALUES[letter] for letter in value]
        return str(
            sum(-v if v < after else v for v, after in zip(values, [*values[1:], 0], strict=True))
        )
    return str(_chinese_number(value))


def _chinese_number(text: str) -> int:
    """The value of Chinese numerals: 二十一 -> 21, 二〇二〇 -> 2020, 一百零三 -> 103."""
    if "十" not in text and "百" not in text:
        return int("".join([str(_DIGITS[char]) for char in text]))
    total = digit = 0
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        else:
            total += (digit or 1) * (10 if char == "十" else 100)
            digit = 0
    return total + digit


# Chinese titles of works about another work, and titles that stand on many works.

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
_PARALLEL = re.compile(r"\s+[=＝]\s*|\s*＝\s*|[=]\s+|(?<=[\u4e00-\u9fff])=(?=[A-Z])")
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
    found = pattern.search(simplify(title.translate(_WIDTHS)))  # as long as the title itself
    if found is None or not found.group().strip():
        return title
    head, rest = found.group(), (title[: found.start()] + title[found.end() :]).strip()
    if sum(map(str.isalnum, rest)) < 2 or notice(head) or part_number(head) or edition(head):
        return title
    return rest


_MARK = (
    r"\s*(?:[-－]{2,}|[—―─–]+|(?<![0-9])[:：]|[:：](?![0-9])|[;；()（）\[\]［］【】〔〕〖〗？！?!。]|…+"
    r"|\s/\s|\s\|\s|\s=\s|\s[-－~]\s)\s*"
)
# Chinese has no blanks within a sentence.
_BLANK = r"(?<=[^\x00-\x7f])[ \t]+(?=[^\x00-\x7f])|\u3000+"
# "…以巢湖为例" is a subtitle also where the dash was lost.
_EXAMPLE = r"(?<=[^\x00-\x7f]{4})[,，]?\s*(?=[以][^以,，]{1,30}为(?:例|个案)$)"


def with_breaks(title: str) -> str:
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
