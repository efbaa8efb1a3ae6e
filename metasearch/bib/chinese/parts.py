"""Numbers in Chinese titles: parts of a series, editions, years and counts."""

from __future__ import annotations

import re
from functools import lru_cache

from metasearch.bib.chinese.characters import NUMERALS, plain

# Compiled when a title first needs them: classes of Chinese characters take long to compile.
_pattern = lru_cache(maxsize=64)(re.compile)

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
