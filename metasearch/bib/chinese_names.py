"""Chinese names of people: in characters, in Latin letters, and whether both may be one person."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from metasearch.bib import name_words, normalise
from metasearch.bib.name_words import ET_AL, HAN_ET_AL
from metasearch.bib.normalise import is_cjk, is_han, simplify, table_lines

#: Hanyu Pinyin, as in China, or Wade-Giles, as in Taiwan and in old catalogues; both without tones,
#: marks and hyphens.
Scheme = Literal["pinyin", "wade-giles"]
SCHEMES: tuple[Scheme, ...] = ("pinyin", "wade-giles")

#: Syllables in a word at most; names have one or two, rarely three.
_MOST_SYLLABLES = 4
# ü is typed as v, u or yu; the table holds v.
_UMLAUTS = {
    "lv": ("lv", "lu", "lyu"),
    "nv": ("nv", "nu", "nyu"),
    "lve": ("lve", "lue", "lyue"),
    "nve": ("nve", "nue", "nyue"),
}
_WHOLE = {
    "zhi": "chih", "chi": "chih", "shi": "shih", "ri": "jih", "zi": "tzu", "ci": "tzu", "si": "ssu",
    "er": "erh", "e": "o", "ge": "ko", "ke": "ko", "he": "ho", "gui": "kuei", "kui": "kuei",
    "you": "yu", "yi": "i", "lv": "lu", "nv": "nu", "lve": "lueh", "nve": "nueh", "luo": "lo",
    "yan": "yen", "ye": "yeh", "yue": "yueh",
}  # fmt: skip
_INITIALS = (
    ("zh", "ch"), ("ch", "ch"), ("sh", "sh"), ("b", "p"), ("d", "t"), ("g", "k"), ("j", "ch"),
    ("q", "ch"), ("x", "hs"), ("z", "ts"), ("c", "ts"), ("r", "j"),
)  # fmt: skip
_BEFORE_O = frozenset(("t", "n", "l", "ts", "s", "j", "ch"))


def readings(char: str, scheme: Scheme = "pinyin") -> frozenset[str]:
    """How a character may be written in Latin letters; empty for what is not in the table.

    A traditional character is looked up as it is first, because some stand for several (乾 is qian
    or gan).
    """
    table = _readings()
    syllables = table.get(char) or table.get(simplify(char)) or ()
    return frozenset(
        [spelling for syllable in syllables for spelling in spellings(syllable, scheme)]
    )


def spellings(syllable: str, scheme: Scheme) -> tuple[str, ...]:
    """The ways to write a syllable of the table: "lv" -> "lv", "lu", "lyu"; in Wade-Giles "lu"."""
    return _UMLAUTS.get(syllable, (syllable,)) if scheme == "pinyin" else (wade_giles(syllable),)


@lru_cache(maxsize=512)
def wade_giles(syllable: str) -> str:
    """A Pinyin syllable in Wade-Giles, without its marks: "zhang" -> "chang", "xu" -> "hsu"."""
    if syllable in _WHOLE:
        return _WHOLE[syllable]
    old, new = next(((old, new) for old, new in _INITIALS if syllable.startswith(old)), ("", ""))
    rest = syllable[len(old) :]
    if not old:
        new, rest = (syllable[0], syllable[1:]) if syllable[0] not in "aeiou" else ("", syllable)
    if rest.endswith("ong"):
        rest = rest.removesuffix("ong") + "ung"
    elif rest in ("ian", "uo", "ie", "ue"):
        rest = {
            "ian": "ien",
            "uo": "o" if new in _BEFORE_O and old != "sh" else "uo",
            "ie": "ieh",
            "ue": "ueh",
        }[rest]
    return new + rest


def is_spelled(word: str) -> bool:
    """Whether a word in lower case is one to four syllables of either scheme: "kuoching"."""
    return len(word) <= 6 * _MOST_SYLLABLES and _syllables_pattern().fullmatch(word) is not None


@lru_cache(maxsize=1)
def _readings() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for line in table_lines("pinyin.txt"):
        syllable, _, chars = line.partition(" ")
        for char in chars:
            table[char] = (*table.get(char, ()), syllable)
    return table


@lru_cache(maxsize=1)
def _syllables_pattern() -> re.Pattern[str]:
    syllables = {syllable for several in _readings().values() for syllable in several}
    written = {
        spelling
        for syllable in syllables
        for scheme in SCHEMES
        for spelling in spellings(syllable, scheme)
    }
    return re.compile(
        f"(?:{'|'.join(sorted(written, key=lambda s: (-len(s), s)))}){{1,{_MOST_SYLLABLES}}}"
    )


# Chinese family names: which there are, how they are read, and written outside Pinyin.

#: Characters of a family name.
LONGEST = 2
# The Hundred Family Surnames, and those common today that are not among them. Whoever's name begins
# with another character may be Japanese or a body.
_SINGLE = "".join(
    """
    赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞
    任袁柳酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵湛汪祁毛禹狄米贝明臧计伏
    成戴谈宋茅庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯昝管卢莫经房裘
    缪干解应宗丁宣贲邓郁单杭洪包诸左石崔吉钮龚程嵇邢滑裴陆荣翁荀羊於惠甄曲家封芮羿储靳汲邴糜松井段富巫乌焦巴弓牧隗山谷
    车侯宓蓬全郗班仰秋仲伊宫宁仇栾暴甘钭厉戎祖武符刘景詹束龙叶幸司韶郜黎蓟薄印宿白怀蒲邰从鄂索咸籍赖卓蔺屠蒙池乔阴胥能
    苍双闻莘党翟谭贡劳逄姬申扶堵冉宰郦雍郤璩桑桂濮牛寿通边扈燕冀郏浦尚农温别庄晏柴瞿阎充慕连茹习宦艾鱼容向古易慎戈廖庾
    终暨居衡步都耿满弘匡国文寇广禄阙东欧殳沃利蔚越夔隆师巩厍聂晁勾敖融冷訾辛阚那简饶空曾毋沙乜养鞠须丰巢关蒯相查后荆红
    游竺权逯盖益桓公肖付闫代丘覃冼区尧岳帅亓仝佟佴修兰冮初南卿及回图圣坚塔士夕母官密展库律德忻战揭撒敬斯旷曙朴来栗植楼
    楚檀欣牟由皇睢税老苑英藏虎补要诗谌贠辜达郇闪阳陀随雒青鞏音鹿黑麦邸邝占但信况刑原仉伦佘操矫苟晋鄢鄞郄隋谯钦锁闭问雪
    顿衣衷言诚豆豹贵赏辉运迟员塞寻扎拉拜巨芦笪粟缑萨虢冒铁降雅露靖骞端户亢
""".split()
)
_COMPOUND = """
    欧阳 司马 诸葛 上官 夏侯 皇甫 尉迟 公孙 慕容 令狐 长孙 宇文 司徒 司空 东方 独孤 南宫 端木 轩辕
    申屠 钟离 闻人 公羊 澹台 公冶 宗政 濮阳 淳于 单于 太叔 仲孙 百里 东郭 南门 呼延 赫连 拓跋 完颜
    万俟 鲜于 闾丘 司寇 颛孙 巫马 公西 漆雕 乐正 宰父 谷梁 段干 东门 左丘 西门 梁丘 羊舌 微生 叶赫
    纳兰 耶律 达奚 哥舒 张简 范姜 张廖 亓官 子车 第五
""".split()

# Names that are read in one way only, or in another than the same character elsewhere.
_READ_AS = dict(
    pair.split("=")
    for pair in """
    单=shan 曾=zeng 仇=qiu 解=xie 区=ou 查=zha 任=ren 华=hua 朴=piao,pu 盖=ge,gai 乐=yue,le
    尉=wei,yu 缪=miao 员=yun 折=she 覃=qin,tan 谌=chen,shen 翟=zhai,di 祭=zhai,ji 牟=mou,mu
    隗=wei,kui 勾=gou 郇=xun,huan 过=guo 干=gan 葛=ge 费=fei,bi 车=che 宿=su 应=ying 盛=sheng 能=nai
    柏=bai,bo 薄=bo 郗=xi,chi 沈=shen 褚=chu 殷=yin 宁=ning 冯=feng 谷=gu 种=chong 都=du 瞿=qu 陆=lu
    贲=ben 黑=he,hei 石=shi 万=wan 贾=jia 洗=xian,xi 冼=xian 卜=bu 行=xing 强=qiang 宓=mi,fu
    降=xiang 相=xiang 藏=zang 乜=nie 长=zhang 仝=tong 召=shao 燕=yan 那=na 纪=ji 齐=qi 许=xu 余=yu
    汤=tang 周=zhou 陈=chen 于=yu 叶=ye 尹=yin 伯=bo 广=guang 合=he 谭=tan 钟=zhong 郑=zheng 蔡=cai
    丁=ding 吕=lv 温=wen 卓=zhuo 施=shi 郝=hao 凌=ling 牛=niu 秦=qin 江=jiang 尚=shang 夏=xia 阎=yan
    叶赫=ye.he 尉迟=yu.chi 万俟=mo.qi 单于=chan.yu 令狐=ling.hu 长孙=zhang.sun 澹台=tan.tai
    亓官=qi.guan 子车=zi.ju 濮阳=pu.yang 宰父=zai.fu 乐正=yue.zheng
""".split()
)

# Cantonese, Hokkien, Korean and older spellings: with them it is not clear from the given name who
# it is.
_ELSEWHERE = {
    char: frozenset(spelled.split(","))
    for char, _, spelled in (
        pair.partition("=")
        for pair in """
        陈=chan,chern,chin,jin,tan,tran 黄=hoang,hong,huynh,hwang,ng,oei,ooi,wee,wong
        李=lee,lie,ly,rhee,yi 王=heng,ong,wang,wong 张=chang,cheong,cheung,chong,jang,teo,truong
        刘=lau,lieu,liew,liou,low,luu,ryu,yoo,yu 林=im,lam,lim,rim 吴=goh,ng,ngo,o,oh,wu
        梁=leong,leung,luong,neo,ryang,yang 郑=chang,cheng,chung,jeong,jung,tay,teh,trinh
        何=ha,ho,hoh 谢=cheah,chia,sa,tse 蔡=chae,chai,choi,choy,chua,tsay,tsoi
        许=heo,hsu,hue,hui,hur,khoo,koh 曾=chan,jeung,tjan,tsang,tseng,tzeng
        邓=dang,deng,deung,tang,teng 冯=foong,fung,phung,pung 叶=diep,ip,yap,yeh,yip
        苏=saw,so,soh,su 周=chau,chew,chiu,chow,joo,jou,ju 杨=duong,ieong,yang,yeo,yeung,yong,young
        朱=choo,chu,chuh,gee,joo,ju 罗=la,law,lo,loh,na,ra 郭=gwak,kok,kuo,kwak,kwok,quach,quek
        高=go,kao,ko,koh 胡=ho,hoo,oh,ow,woo,wu 徐=chee,chui,seo,suh,tsu,tsui,tu
        孙=sohn,son,soon,suen,sun 马=beh,ma,mah 余=yee,yeo,yu,yue 赵=chao,chew,chiu,cho,jeu,jo,trieu
        吕=leu,loo,lu,lui,lyu,yeo 潘=ban,pan,phan,phua,poon 卢=lo,loo,lu,no,noh,ro,roh
        姚=yao,yeow,yiu,yo 钟=cheong,chung,jong,tjong 姜=chiang,gang,geung,kang,keung
        江=chiang,gang,kang,kong 方=bang,fong,hong,png 石=chioh,sek,seok,shek 戴=dai,tai,tay,tye
        洪=ang,hong,hung 崔=choe,choi,chui,tsui 金=gim,kam,kim,king 韩=hahn,han,hang,hon
        文=man,moon,mun 丁=chung,ding,jeong,jung,ting 尹=wan,yoon,yun 申=shin,sin 安=ahn,an,on
        宋=song,soong,sung 全=chuen,chun,jeon 权=gwon,kwon 白=baek,pai,paik,pak 朴=bak,pak,park
        禹=woo,wu 南=lam,nam 柳=lau,ryu,yoo,yu 裴=bae,pae,pui 任=im,jen,lim,rim,yam,yum
        沈=shen,shim,shum,sim,sum 谭=dam,tam,tan,tham 廖=leow,liao,liew,liu 甘=gan,kam,kan
        梅=mei,moy,mui 严=eom,um,yen,yim 欧=au,auyeung,ou,ow 区=au,ow
        欧阳=auyeung,auyoung,owyang,owyong 司徒=seto,situ,szeto 邱=chieu,chiu,hew,kew,khoo,koo,yau
        侯=hau,haw,hou,how 黎=lai,lay,le 关=kuan,kwan,quan 翁=ang,ong,yung 温=wan,wen,wun
        龙=long,loong,lung 骆=lok,loke 莫=mo,mok 麦=mai,mak 汤=tang,thong,tong 唐=dang,tang,tong
        汪=ong,wang,wong 夏=ha,har,hsia 袁=won,yuan,yuen 顾=goo,koo,ku 章=chang,cheong,cheung,jang
        阮=nguyen,yuen 詹=chan,chim,jim 游=yau,yew,yu
    """.split()
    )
}


@lru_cache(maxsize=1)
def _surnames() -> tuple[frozenset[str], frozenset[str]]:
    return (
        frozenset(_SINGLE) | frozenset(simplify(_SINGLE)),
        frozenset(_COMPOUND) | frozenset(map(simplify, _COMPOUND)),
    )


def is_surname(text: str) -> bool:
    """Whether this is a Chinese family name of one or two characters, in any form."""
    return bool(text) and (
        text in _surnames()[len(text) > 1] or simplify(text) in _surnames()[len(text) > 1]
    )


@lru_cache(maxsize=1_000)
def surname_spellings(surname: str, scheme: Scheme = "pinyin") -> frozenset[str]:
    """How a family name is written in Latin letters, as one word: "单" -> {"shan"}, "欧阳" ->
    {"ouyang"}.
    """
    if len(surname) > LONGEST:  # each character is read in several ways, and each goes with each
        return frozenset()
    read = _READ_AS.get(surname) or _READ_AS.get(simplify(surname))
    if read:
        return frozenset(
            "".join(written)
            for one in read.split(",")
            for written in itertools.product(
                *[spellings(syllable, scheme) for syllable in one.split(".")]
            )
        )
    each = [
        surname_spellings(char, scheme)
        if len(surname) > 1 and char in _READ_AS
        else readings(char, scheme)
        for char in surname
    ]
    return frozenset(map("".join, itertools.product(*each)))


def other_spellings(surname: str) -> frozenset[str]:
    """Its Cantonese, Hokkien, Korean and older spellings, where they are known."""
    return _ELSEWHERE.get(surname) or _ELSEWHERE.get(simplify(surname)) or frozenset()


@lru_cache(maxsize=1)
def latin_surnames() -> frozenset[str]:
    """Every family name in Latin letters that this module can read, in both schemes."""
    names = [*dict.fromkeys(_SINGLE), *_COMPOUND]
    return frozenset().union(
        *[surname_spellings(name, scheme) for name in names for scheme in SCHEMES]
    )


#: Authors that are compared; of a longer list the rest is not looked at.
MOST_AUTHORS = 30
#: Lists are cut after so many names by databases and styles ("et al."); other lengths must be
#: equal.
_CUT_AFTER = (1, 3, 6, 10)
#: A longer text in Latin letters names no Chinese person.
_LONGEST_NAME = 60

_DROPPED = str.maketrans("", "", "'’‘ʼʻ`´ʹ")
_PARTS = re.compile(r"[-\u2010-\u2015.]+")


@dataclass(frozen=True, slots=True)
class HanName:
    """A name in characters: family name and given name."""

    family: str
    given: str


@dataclass(frozen=True, slots=True)
class LatinName:
    """A name in Latin letters, lower case.

    `family`: as one word: "zhang", "ouyang". `given`: words and initials in order: ("san", "feng"),
    ("sanfeng",), ("s", "f"); empty where there are none.
    """

    family: str
    given: tuple[str, ...]


def han_names(name: str) -> tuple[HanName, ...]:
    """The ways to divide a Chinese name of two to four characters: one, or two where 欧阳修 may be
    Mr Ou or Mr Ouyang.

    Empty for what is no Chinese name: kana or Hangul in it, a foreign name in characters, a body.
    """
    name = "".join(name.split())
    if not 2 <= len(name) <= 4 or not all(map(is_han, name)):
        return ()
    found = []
    if len(name) > 2 and is_surname(name[:2]):
        found.append(HanName(name[:2], name[2:]))
    if is_surname(name[:1]):
        if len(name) < 4:
            found.append(HanName(name[:1], name[1:]))
        elif not found and is_surname(name[1]):  # father's and mother's: 朱张士昌
            found += (HanName(name[:2], name[2:]), HanName(name[:1], name[1:]))
    return tuple(found)


@lru_cache(maxsize=1_000)
def latin_names(name: str) -> tuple[LatinName, ...]:
    """The ways to read a name in Latin letters as a Chinese one; empty where there is none.

    "Zhang SF", "Zhang, San-Feng", "Sanfeng Zhang", "ZHANG San-feng", "Chang San-feng" (Wade-Giles);
    "Wang Li" is read in both orders. Foreign names beside Chinese ones are left out ("Peter S. F.
    Zhang"); a name without any other given name ("John Zhang") is not read.
    """
    if len(name) > _LONGEST_NAME:
        return ()
    if not name.isascii():
        name = "".join(c for c in normalise.normalize("NFKD", name) if not unicodedata.combining(c))
        if any(map(is_cjk, name)):
            return ()
    before, comma, after = name.translate(_DROPPED).partition(",")
    first, last = _words(before), _words(after)
    if not first or (comma and not last) or len(first) + len(last) > 4:
        return ()
    if comma:
        return _latin_names(first, last) or _latin_names(last, first)
    found: list[LatinName] = []
    for size in (1, 2):
        if size < len(first) or size == 1:
            found += (
                *_latin_names(first[:size], first[size:]),
                *_latin_names(first[-size:], first[:-size]),
            )
    return tuple(dict.fromkeys(found))


def _words(text: str) -> list[list[str]]:
    """Words, each as its parts between hyphens: "San-Feng Z." -> [["San", "Feng"], ["Z"]]."""
    words = [
        [part for part in _PARTS.split(word) if part] for word in text.replace(".", ". ").split()
    ]
    words = [word for word in words if word]
    return words if all(part.isalpha() for word in words for part in word) else []


def _latin_names(family: list[list[str]], given: list[list[str]]) -> tuple[LatinName, ...]:
    """The name with that family name and each reading of the given one that can be Chinese."""
    surname = "".join(part for word in family for part in word).lower()
    if surname not in latin_surnames():
        return ()
    if not given:
        return (LatinName(surname, ()),)
    shouted = all(part.isupper() for word in (*family, *given) for part in word)
    found = []
    for ways in itertools.product(*[_ways(word, shouted) for word in given]):
        tokens = tuple(itertools.chain.from_iterable(ways))
        if tokens:
            found.append(LatinName(surname, tokens))
    return tuple(dict.fromkeys(found))


def _ways(word: list[str], shouted: bool) -> list[tuple[str, ...]]:
    """How to read a word of a given name: initials, syllables, either, or not (a foreign name)."""
    if len(word) > 1:
        parts = tuple(part.lower() for part in word)
        return [parts] if all(len(part) == 1 or is_spelled(part) for part in parts) else [()]
    text = word[0].lower()
    if len(text) == 1:
        return [(text,)]
    ways: list[tuple[str, ...]] = []
    if is_spelled(text):
        ways.append((text,))
    # No syllable begins with i, u or v; in "ZHANG SAN" the second word is no initials, in "Zhang
    # HE" it may be.
    short = len(text) == 2 or (len(text) == 3 and not (shouted and ways))
    if word[0].isupper() and short and not any(letter in "iuv" for letter in text):
        ways.append(tuple(text))
    return ways or [()]


@lru_cache(maxsize=1_000)
def same_person(han: str, latin: str) -> bool | None:
    """Whether a name in characters and one in Latin letters may be one person's.

    True where the family names agree and so do the given names as far as both are written; False
    where they do not under Pinyin or Wade-Giles; None where that is unknown: no Chinese name on one
    side, a foreign given name, a family name alone, a Cantonese or Korean spelling.
    """
    theirs = latin_names(latin)
    if not theirs:
        return None
    undecided = not (ours := han_names(han))
    for mine, other in itertools.product(ours, theirs):
        for scheme in SCHEMES:
            if other.family in surname_spellings(mine.family, scheme):
                if _given_agrees(mine.given, other.given, scheme):
                    return True
                undecided |= not other.given
        undecided |= other.family in other_spellings(mine.family)
        undecided |= not all(map(readings, mine.given))
    return None if undecided else False


def _given_agrees(han: str, latin: tuple[str, ...], scheme: Scheme) -> bool:
    """Whether words and initials read the characters from the first to the last.

    A single initial may stand for all of them, because "Sanfeng" is often one word: "Zhang S".
    """
    sounds = [readings(char, scheme) for char in han]
    read = {0}
    for token in latin:
        ends: set[int] = set()
        for at in read:
            if at < len(sounds) and len(token) == 1:
                if any(sound.startswith(token) for sound in sounds[at]):
                    ends |= {at + 1, len(sounds)} if len(latin) == 1 else {at + 1}
                continue
            for end in range(at + 1, len(sounds) + 1):
                if token in map("".join, itertools.product(*sounds[at:end])):
                    ends.add(end)
        read = ends
    return bool(latin) and len(sounds) in read


def authors_agree(han: Sequence[str], latin: Sequence[str]) -> bool | None:
    """Whether a list of names in characters and one in Latin letters name the same people.

    True where the first authors and at least half of the others are one person each, in order or
    not, and no record contradicts; False where most contradict; None where it is unknown.
    One list may be cut off after 1, 3, 6 or 10 names, as databases do.
    """
    short, long = sorted((len(han), len(latin)))
    if not short or (short != long and short not in _CUT_AFTER):
        return None
    count = min(short, MOST_AUTHORS)
    said = [same_person(han[i], latin[i]) for i in range(count)]
    if said[0] and False not in said and 2 * said.count(True) >= count:
        return True
    found = common_people(han, latin)
    if found == count > 1 and short == long:
        return True
    if False not in said:
        return None
    return False if 2 * found < count else None


def common_people(han: Sequence[str], latin: Sequence[str]) -> int:
    """How many names in characters have one of their own in Latin letters, in any order."""
    free = list(latin[:MOST_AUTHORS])
    most = len(free)
    for name in han[:MOST_AUTHORS]:
        partner = next((other for other in free if same_person(name, other)), None)
        if partner is not None:
            free.remove(partner)
    return most - len(free)


# Strings that name several people: "张三1,2，李 四3，王五等编著" -> 张三, 李四, 王五.

#: A longer text is no list of authors; what is beyond is not read.
_LONGEST = 20_000
_LONGEST_OF_SEVERAL = 200

_LONG_ROLE = "|".join(sorted(name_words.CHINESE, key=lambda role: (-len(role), role)))

# Footnote marks behind a name: "1,2", "1a", "*", "^1".
_MARK = r"(?:\d{1,2}[a-h]?|[a-h](?![A-Za-z])|[*＊※†‡△▲#☆★∗])"
_NOTES = re.compile(rf"(?<=[^\x00-\x7f\W])\s*\^?{_MARK}+(?:\s*[,，、]\s*{_MARK}+(?=[\W\d]|$))*\^?")
_BRACKETS = re.compile(r"[\[(（【〔][^\[\](（）)【】〔〕]{0,40}[\])）】〕]")
_REPORTER = re.compile(
    r"^(?:本报|本刊|新华社|人民网|中新社)?(?:特约|实习|驻\S{1,4})?(?:记者|通讯员|评论员|撰稿人|作者)\s*[:：]?\s*(?=\S{2,4}$)"
)
_ROLE_AHEAD = re.compile(rf"(?:{_LONG_ROLE})\s*[:：]\s*")
_ROLE_BEHIND = re.compile(rf"\s*(?:{_LONG_ROLE})$")
_OTHERS = re.compile(rf"\s*(?:{HAN_ET_AL}|{ET_AL}|\.\.\.|…+)\s*$", re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\n\t]+")
_HARD = re.compile(r"[;；\n\t|｜]+|\s{1,8}(?:and|&)\s{1,8}|\s/\s", re.IGNORECASE)
_SOFT = re.compile(r"[,，、/]+")


def authors_in(text: str) -> list[str]:
    """The names in a string, in order, without roles, footnote marks, brackets and "等"; [] where
    there are none.

    Names are divided at ; ； , ， 、 and at blanks, where those stand between names and not within
    one ("张 三"). In a Latin name the comma stays ("Smith, John; 张三").
    """
    text = _BLANKS.sub(" ", text[:_LONGEST].translate(_SUPERSCRIPTS))
    pieces: list[str] = []
    for part in _HARD.split(text):
        if any(map(is_cjk, part)):
            pieces += _SOFT.split(_NOTES.sub("，", _at_roles(_BRACKETS.sub(_bracket, part))))
        else:
            pieces.append(part)
    pieces = [normalise.normalize("NFKC", piece).strip(" .。:：") for piece in pieces]
    # Where another has 著 or 编 behind the name, 李四译 is a translator; else 译 may be the name's
    # end.
    translators = any(
        len(piece) > 2 and simplify(piece).endswith(name_words.CHINESE_SURE) for piece in pieces
    )
    found: list[str] = []
    for piece in pieces:
        found += _people(_bare(piece, translators), translators)
    return found


_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", "①②③④⑤⑥⑦⑧⑨⑩")


def _bracket(found: re.Match[str]) -> str:
    """A blank for what stands in brackets, not within a body: 中国科学院大学（研究生院）."""
    before, after = (
        found.string[max(0, found.start() - 5) : found.start()],
        found.string[found.end() : found.end() + 1],
    )
    return found.group() if len(before) == 5 and all(map(is_cjk, before + after)) and after else " "


def _at_roles(part: str) -> str:
    """The text with a comma where a role and a colon announce a name: "主编：张三 副主编：李四"."""
    if ":" not in part and "：" not in part:
        return part
    out, end = [], 0
    for role in _ROLE_AHEAD.finditer(simplify(part)):  # as long as the text itself
        out += [part[end : role.start()], "，"]
        end = role.end()
    return "".join([*out, part[end:]])


def _bare(piece: str, translators: bool) -> str:
    """A piece without what is no name; what is too long to be one stays as it is."""
    if len(piece) > _LONGEST_OF_SEVERAL:
        return piece
    for _ in range(3):  # "张三等编著"
        before = piece
        piece = _OTHERS.sub("", piece) if len(piece) > 2 or piece == "等" else piece
        piece = _without_role(piece, translators)
        if announced := _REPORTER.match(simplify(piece)):
            piece = piece[announced.end() :]
        if piece == before:
            break
    return piece.strip()


def _without_role(piece: str, translators: bool) -> str:
    folded = simplify(piece)
    if folded in name_words.CHINESE:
        return ""
    behind = _ROLE_BEHIND.search(folded)
    if behind and behind.start() >= 2:
        return piece[: behind.start()]
    last, name = folded[-1:], piece[:-1].rstrip()
    if not name or last not in name_words.CHINESE_SHORT:
        return piece
    if name != piece[:-1]:  # a blank stands before it
        return name
    foreign = "·" in name or "." in name
    long_enough = len(name) >= 2 and (
        last in name_words.CHINESE_SURE or translators or len(name) > 3 or foreign
    )
    return name if long_enough and is_han(name[-1]) else piece


def _people(piece: str, translators: bool) -> list[str]:
    """Names that blanks divide, where all are Chinese; blanks within a name are taken out of it."""
    words = piece.split()
    if len(words) < 2 or not all(is_han(char) for word in words for char in word):
        return [" ".join(words)] if words else []
    words = [
        bare
        for before, word in zip(["", *words], words, strict=False)
        if not (len(before) > 1 and word in name_words.CHINESE_SHORT)
        and (bare := _without_role(word, translators) if len(word) > 2 else word)
    ]
    whole = "".join(words)
    if len(words) == 2 and len(whole) <= 5 and not (han_names(words[0]) and han_names(words[1])):
        return [whole]  # 张 三, 欧阳 修, and in Japan 山田 太郎
    if len(words) == 3 and len(whole) == 3:
        return [whole]
    names: list[str] = []
    family = ""
    for word in words:
        if family and len(word) <= 2:
            names.append(family + word)
            family = ""
        elif len(word) == 1 or (len(word) == 2 and is_surname(word)):
            names += [family] if family else []
            family = word
        else:
            names += [family, word] if family else [word]
            family = ""
    return [*names, family] if family else names
