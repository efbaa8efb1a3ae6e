"""The names in one field of a reference manager's file, which by its format holds one name,
"Family, Given", and into which several programs write all names of a work.

What tells the two apart is whether each part is a whole name. A given name is none, and neither is
a family name: so "Byron, Ada" is one person. "Byron A, Smith JB" and "A Byron, JB Smith" are two,
because each part has a family name and initials. In Chinese "王伟, 李明" are two, because both
begin with a family name, and "欧阳, 修" is one, because the first part is only a family name.
A semicolon is in the name of no person. The name of a body may have all these marks: its words tell
it, or EndNote's mark does, a comma behind the name and a second one behind a comma in it.
"""

from __future__ import annotations

import re
from itertools import chain, pairwise
from typing import Literal

from metasearch.bib import name_words, normalise
from metasearch.bib.bylines import LONGEST_BYLINE, is_first_inverted, kinds_of, people_in
from metasearch.bib.chinese_names import han_names, is_surname
from metasearch.bib.name_words import (
    BODIES_IN_BYLINES,
    BODIES_OR_NAMES,
    EDITOR_IN_BRACKETS,
    FIRMS,
    HAN_BODY_ENDINGS,
)
from metasearch.bib.names import (
    author_at_a_glance,
    is_anonymous,
    is_given_name,
    means_others,
    parts_of,
    person,
    relator_in_brackets,
    without_others,
    without_suffix,
)
from metasearch.bib.normalise import is_han
from metasearch.late_pattern import late_pattern
from metasearch.record import Author, new_author

# Names in Chinese characters, kana or Hangul: one name, "Family, Given", or several.

_FOOTNOTES = late_pattern(r"[\[［][\d,，\s]*[\]］]")
_NOTES_BEHIND = late_pattern(r"\s?[\[(]\d[\d, ]*[\])]?$")
_HAN_NAMES = late_pattern(
    r"[\u3400-\u4dbf\u4e00-\u9fff·]{2,5}(?:[ \u3000]+[\u3400-\u4dbf\u4e00-\u9fff·]{2,5})+"
)
_SEPARATORS = late_pattern(r"[,，、]")
#: Behind a name and a blank: "山田太郎 著".
_ROLE = late_pattern(rf"(?<=\w\w) (?:{'|'.join(name_words.JAPANESE)})$")
_COMMA = re.compile("[,，]")
#: Characters of a family name and of a given one, at most, where a comma stands between the two.
_LONGEST_PART = 12
_LONGEST_HAN_PART = 3
#: Of a family name that a whole Chinese name cannot be told from by its length.
_SHORT = 2

# Japanese family names that begin with a character which is a Chinese family name, too: without
# them "田中, 花子" would be two Chinese persons. All other Japanese family names are told by their
# first character.
_JAPANESE = frozenset(
    """
    山田 山本 山口 山下 山崎 山中 山内 山村 山根 山岸 山川 山岡 山形 山野 山城 山元 山上 山脇 山地
    田中 田村 田口 田辺 田邊 田島 田代 田畑 田原 田上 田川 田崎 田尻 田端 田所 田渕 田淵
    石川 石井 石田 石原 石橋 石塚 石黒 石崎 石山 石丸 石野 石黑 石渡 石倉 石本 石上
    高橋 高木 高田 高野 高山 高島 高井 高村 高松 高瀬 高原 高倉 高岡 高尾 高見 高桑 高須 高嶋 高畑
    金子 金田 金井 金城 金沢 金澤 金谷 金山 金森 金丸 金本 林田 水野 水谷 水口 水島 水上 水田 水戸
    平田 平野 平井 平山 平川 平林 平松 平岡 平岩 平賀 平尾 平原 古川 古田 古賀 古谷 古屋 古市
    古澤 古沢
    安藤 安田 安部 安達 安井 安東 安倍 安川 安西 安原 武田 武井 武藤 武内 武山 武部 武市
    宮本 宮崎 宮田 宮川 宮下 宮内 宮城 宮原 宮沢 宮澤 宮脇 宮地 宮島 宮坂 宮野 宮部
    吉田 吉川 吉村 吉岡 吉野 吉原 吉本 吉井 吉沢 吉澤 吉永 吉武 井上 井口 井出 井手 井川 井田 井原
    池田 池上 池内 池谷 谷口 谷川 谷本 谷村 谷中 江口 江藤 江川 江崎 江原 秋山 秋元 秋田 秋葉 秋吉
    白井 白石 白川 白鳥 白木 白山 花田 花井 花岡 花村 黒田 黒川 黒木 黒沢 黒澤 黑田 牧野 牧田 牧
    米田 米山 米沢 米澤 米倉 甲斐 岩田 岩崎 岩本 岩井 岩瀬 竹内 竹田 竹中 柏木 柏原 松田 松本 松井
    和田 和泉 和久 堀内 堀江 堀田 堀口 都築 東 東海 東田 明石 須藤 須田 国分 関 関口 関根 関谷 関川
    梅田 梅原 梅津 桑原 桑田 桑野 栗原 栗田 栗山 桂 植田 植木 植村 柳田 柳沢 柳澤 柳原 柳 相沢 相澤
    相田 相川 相馬 相原 神田 神谷 神山 神野 荒木 荒井 荒川 荒 阿部 成田 成瀬 星野 小池 戸田 戸塚
    益田 向井 利根 常田 満田 尾崎 尾形 尾上 広田 広瀬 広川 丸山 丸田 福田 福島 鶴田 時田 伊藤 伊東
    伊達 伊沢 伊澤 伊原 伊勢 伊丹 郡司 温井 浦田 浦野 能勢 能登 門田 門脇 盛田 臼井 南 南部 南雲
    夏目 方波見 長谷川 久保田 高見沢 高見澤 武者小路 安孫子 宇都宮 五十嵐
""".split()
)
#: Korean family names of two syllables.
_KOREAN = frozenset("남궁 황보 제갈 사공 선우 서문 독고 동방 어금 망절 강전 장곡 무본 소봉".split())
#: Korean family names of one syllable that all but a few have.
_KOREAN_SINGLE = frozenset(
    "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구민진류나지엄채원천방공"
    "현함변염여추도소석선설마길연위표명기반라왕금옥육인맹제모탁국어은편용예경봉사부가복태목형피두감호"
)


def eastern_authors(value: str, *, one: bool = False) -> tuple[Author, ...]:
    """The authors of a field in characters without semicolons; see
    `names_in_field.authors_in_field`.
    """
    value = _FOOTNOTES.sub("", value)
    if (pair := family_and_given(value, one=one)) is not None:
        family, given = pair
        author = person("", family, given)
        return (author,) if author else ()
    bare = parts_of(value)
    if bare.beside:
        value = ", ".join(bare.name)
    names: list[str] = []
    for part in _SEPARATORS.split(value):
        part = _ROLE.sub("", part.strip())
        names += part.split() if _are_chinese_names(part) else [part]
    found = [person(_NOTES_BEHIND.sub("", without_others(name))) for name in names]
    return tuple(author for author in found if author)


def _are_chinese_names(part: str) -> bool:
    """Whether blanks divide names, and not the family name from the given one: "张三 李四", but not
    "山田 太郎".
    """
    if not _HAN_NAMES.fullmatch(part):
        return False
    words = part.split()
    return len(words) > 2 or not (
        words[0] in _JAPANESE or is_surname(words[0]) or not all(map(_may_be_whole, words))
    )


def family_and_given(value: str, *, one: bool = False) -> tuple[str, str] | None:
    """The parts of "佐々木, 小次郎", "김, 민수" or "欧阳, 修"; None for other text.

    `one`: a field beside this one is surely so; so two parts of which both could be names are one.
    """
    if "、" in value:
        return None
    value = relator_in_brackets(value)
    divided, _, beside = parts_of(value.replace("，", ","))
    if len(divided) != 2:
        return None
    family, given = divided
    if (
        not (_is_part(family) and _is_part(given))
        or "・" in family
        or given.endswith(HAN_BODY_ENDINGS)
    ):
        return None
    if beside or (one and len(family) <= _SHORT):  # years of life stand behind one name
        return family, given
    if "，" in value and not is_surname(family):
        return None  # lists of Chinese databases have that comma
    return None if _are_two(family, given) else (family, given)


def is_surely_inverted(value: str) -> bool:
    """Whether a field holds one name, "Family, Given", in characters."""
    return (
        len(value) <= 3 * _LONGEST_PART
        and normalise.has_cjk(value)
        and family_and_given(value) is not None
    )


def _is_part(text: str) -> bool:
    return (
        0 < len(text) <= _LONGEST_PART
        and not any(char in text for char in " ·.")
        and not text.isascii()
        and not means_others(text)
    )


def _are_two(family: str, given: str) -> bool:
    if _is_hangul(family) and _is_hangul(given):
        return _is_whole_korean(family) and _is_whole_korean(given)
    if not all(map(is_han, family + given)):
        return False  # kana: Chinese lists have none, and no name is written without its family
    if len(family) == 1 or family in _JAPANESE or is_surname(family):
        return len(given) > _LONGEST_HAN_PART
    if max(len(family), len(given)) > _LONGEST_HAN_PART:
        return True
    return _may_be_whole(family) and _may_be_whole(given)


def _is_whole_korean(name: str) -> bool:
    """Whether a name in Hangul begins with a family name, and has more."""
    return name not in _KOREAN and len(name) > 1 and name[0] in _KOREAN_SINGLE


def _is_hangul(text: str) -> bool:
    return all("\uac00" <= char <= "\ud7af" for char in text)


def _may_be_whole(name: str) -> bool:
    """Whether characters may be a Chinese name, or that of a foreigner or a body."""
    return bool(han_names(name)) or "·" in name or len(name) > _LONGEST_HAN_PART


# Which fields hold several.

#: What stands behind a name in a field of a file: "eds.", "[Ed.]", "(1, 2)", "and", "...".
_BEHIND_NAME = late_pattern(
    rf"\s*(?:,?\s+eds?\.?|{EDITOR_IN_BRACKETS}|[\[(]\d[\d, ]*[\])]?|,?\s+(?:and|&)"
    r"|,?\s?(?:…|\.\.\.)|,)$",
    re.IGNORECASE,
)
_SEMICOLON = late_pattern(r"[;；]")
_LEADING_AND = late_pattern(r"^(?:and|und|&)\s", re.IGNORECASE)
#: Before the group for which the people before it write.
_ON_BEHALF = late_pattern(r"(?<=\S)(?:,\s(?=for the )|,?\s(?=on behalf of ))")
#: Initials in front of the comma, and nothing else: "A, Arriagada Rodrigo".
_INITIALS = late_pattern(r"(?:[A-Z]\b\.?[ -]?)+")


def authors_in_field(value: str, *, several: bool = False, one: bool = False) -> tuple[Author, ...]:
    """Return the authors in a field that should hold one name, and may hold several in any style.

    `value`: text for display, without markup; its first `LONGEST_BYLINE` characters are read.
    `several`: the field holds all names of a work by its format, as the cell of a table does; so
    words that no comma or initial tells from a body's name are names: "Byron and Babbage". `one`:
    a field beside this one surely holds one name, "Family, Given".
    """
    value = " ".join(value[:LONGEST_BYLINE].split())
    if is_anonymous(value):
        return ()
    if (author := author_at_a_glance(value)) is not None:
        return (author,)
    if not (several and ";" in value) and (body := body_with_mark(value)) is not None:
        return (new_author(body),)
    bare = _BEHIND_NAME.sub("", value)
    if "," in bare or not value.endswith(", Ed"):  # a given name, too
        value = bare
    value = value.strip(" ,;；")
    if not value or means_others(value) or is_anonymous(value):
        return ()
    if ";" in value or "；" in value:
        parts = [_LEADING_AND.sub("", part.strip()) for part in _SEMICOLON.split(value)]
        one = one or any(map(is_surely_inverted, parts))
        found = (authors_in_field(part, several=several, one=one) for part in parts)
        return tuple(chain.from_iterable(found))
    if normalise.has_cjk(value) and not _only_in_brackets(value):
        return eastern_authors(value, one=one)
    if _is_inverted(value):
        author = person(value)
        return (author,) if author else ()
    if (hit := _ON_BEHALF.search(value)) and not _is_body(people := value[: hit.start()]):
        group = new_author(value[hit.end() :])
        return (*authors_in_field(people, several=several, one=one), group)
    match _holds(value, several=several):
        case "several":
            return people_in(value)
        case "body":
            return (new_author(value),)
    author = _of_one(value)
    return (author,) if author else ()


def _only_in_brackets(value: str) -> bool:
    """Whether a name in Latin letters has the one in characters behind it: "Li, Wei (李伟)"."""
    before, bracket, behind = value.partition("(")
    return bool(bracket) and value.endswith(")") and not normalise.has_cjk(before + behind[-1:])


#: One letter, or several without a vowel or in capitals, may be initials.
_FAMILY = re.compile(r"[^\W\d_][^\W\d_]*[^\W\d_A-Z]")


def _is_inverted(value: str) -> bool:
    """Whether a field surely holds "Family, Given", as most do."""
    family, comma, given = value.partition(", ")
    return (
        bool(comma)
        and _FAMILY.fullmatch(family) is not None
        and is_given_name(given)
        and not _AND.search(given)
        and "&" not in given
    )


_AND = late_pattern(r"\s(?:and|und)\s", re.IGNORECASE)
_COMMA_AND = late_pattern(r",\s(?:and|und|&)\s", re.IGNORECASE)


def body_with_mark(value: str) -> str | None:
    """The name of a body that has EndNote's mark, else None: "Kites and Harbours,", "Kites,,
    Harbours,".

    Such a comma behind names with initials, with commas of their own, or of several words between
    semicolons, is a slip.
    """
    if not value.endswith(",") and ",," not in value:
        return None
    first, twice, rest = value.partition(",,")
    bare = value.rstrip(" ,")
    if not any(map(str.isalnum, bare)) or normalise.has_cjk(bare) or means_others(bare):
        return None
    if ";" in bare and not _is_body(bare) and all(" " in part.strip() for part in bare.split(";")):
        return None
    if twice and (rest := rest.strip(" ,")):
        if "," in first or (" " not in first.strip() and not value.endswith(",")):
            return None
        bare = f"{first.strip()}, {rest}"
    elif "," in bare and not _is_body(bare):
        return None
    return bare if _WORDS.issuperset(chain.from_iterable(kinds_of(bare))) else None


_WORDS = frozenset(("word", "words"))


def _holds(value: str, *, several: bool) -> Literal["one", "body", "several"]:
    """Whether a field holds one person (or a body, whose commas `person` judges), a body with marks
    that would divide it, or several names.
    """
    parts = parts_of(value).name
    text = ", ".join(parts)
    groups = kinds_of(text)
    kinds = [kind for group in groups for kind in group]
    if len(kinds) < 2:
        return "one"
    words_only = _WORDS.issuperset(kinds)
    if len(groups) > 1:
        return _with_and(groups, text, words_only=words_only, several=several)
    if len(parts) == 1:  # "Adeli K.Lewis G. F."
        return "several"
    first, second, *others = kinds
    if not others:  # "Byron A, Smith JB", "A Byron, JB Smith": a list has all names in one order
        dotted = second == "words" and "." in parts[0].split(" ", 1)[0]
        if parts[1].endswith(".") and without_suffix(parts[0])[1]:
            return "one"  # "Byron IV, Ada B.", but "Smith IV, Jones AB"
        if first == "trailing" and value.isupper():
            return "several"  # "FALK G, OSEI KA", where the second may be two words
        is_name = first in ("trailing", "whole")
        is_list = is_name and (second == first or dotted or _is_body(parts[1]))
        return "several" if is_list else "one"
    if len(kinds) == 3 and first in _WORDS and second != "words" and _is_body(parts[-1]):
        return "one"  # "Wilhite, Stephen C., Widener University"
    if not words_only:
        return "several"
    if _is_body(text):
        return "body"
    return "one" if first == "word" and len(kinds) == 3 and not several else "several"


def _with_and(
    groups: list[list[str]], text: str, *, words_only: bool, several: bool
) -> Literal["body", "several"]:
    """What a field with "and" or "&" holds; `groups`: the kinds of the pieces between those."""
    words = text.split()
    if words[-1].strip(".,()").casefold() in FIRMS:
        return "body"
    if _is_body(text) and not any(len(word.strip(".,")) == 1 for word in words if word != "&"):
        return "body"
    if not words_only:
        # "NASA and ESA", "R & D Kites"
        return "body" if ["initials"] in groups and "," not in text else "several"
    if several or all(kind == "words" for group in groups for kind in group):
        return "several"
    # "Falk, Greta, and Kofi Osei"; "Food, Boats and Rural Tides" has no comma there.
    if is_first_inverted(groups) and _COMMA_AND.search(text):
        return "several"
    return "several" if all(len(group) == 2 and group[0] == "word" for group in groups) else "body"


def _is_body(text: str) -> bool:
    """Whether words of institutions stand in a text, beside "and"."""
    words = [word.strip(".()").casefold() for word in text.replace(",", " ").split()]
    return not BODIES_IN_BYLINES.isdisjoint(words) or any(
        word in BODIES_OR_NAMES and before not in _AND_WORDS for before, word in pairwise(words)
    )


_AND_WORDS = frozenset(("and", "&", "und", "et"))


def _of_one(value: str) -> Author | None:
    parts = parts_of(value)
    if len(parts.name) == 1 and not parts.beside:
        value = " ".join(filter(None, (parts.name[0], parts.suffix)))
        found = people_in(value)
        return found[0] if len(found) == 1 else person(value)
    family, _, given = value.partition(",")
    if _INITIALS.fullmatch(family) and " " in given.strip() and "," not in given:
        # A program took the last initial of "Arriagada Rodrigo A" for the family name.
        return person(f"{given.strip()} {family}")
    return person(value)
