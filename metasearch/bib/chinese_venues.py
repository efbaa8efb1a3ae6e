"""Where a Chinese work appeared: journals with editions, theses with university and degree."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from metasearch.bib.chinese_titles import split_titles
from metasearch.bib.normalise import has_han, plain

#: What a thesis was written for; "" where that is unknown.
Degree = Literal["", "doctor", "master", "bachelor"]

_pattern = lru_cache(maxsize=32)(re.compile)
_NOT_LETTERS = re.compile(r"[\W_]+")

# --------------------------------------------------------------------------- theses

_THESIS = "学位论文"
_DEGREES: tuple[tuple[Degree, str], ...] = (
    ("doctor", r"博士|\bph\.?\s?d\b|doctoral|dissertation.{0,20}doctor"),
    ("master", r"硕士|master|\bm\.?(?:sc|phil)\b"),
    ("bachelor", r"学士|本科|bachelor"),
)
# 博士后 reports are no doctoral theses.
_AFTER_DOCTOR = "博士后"
_KIND_MARK = r"\[\s*D(?:/OL)?\s*\]"
# CNKI's and Wanfang's collections stand where a university should.
_COLLECTION = r"^(?:中国|万方)?(?:优秀)?(?:博士|硕士|博硕士|博硕)*学位论文(?:全文)?(?:数据)?库?$"
_ABOUT_THESIS = (
    r"(?:申请|攻读)?(?:优秀)?(?:在职|专业|同等学力)?(?:博士后|博士|硕士|学士|本科)?(?:研究生|专业|生)?(?:毕业|学位)?(?:论文|学位)(?:集|库|数据库)?"
    r"|(?:博士|硕士)(?:研究生)?$|研究工作报告|出站报告"
)
_PLACE = r"^[^:]{2,8}[:]\s*(?=\S)"  # 北京: 北京大学
_YEAR = r"(?:19|20)\d{2}年?(?:\d{1,2}月)?"
_OWNER = r"^(?:国立|私立)"
_SCHOOLS = (
    "大学",
    "学院",
    "科学院",
    "研究院",
    "研究所",
    "研究生院",
    "党校",
    "university",
    "institute",
    "college",
)
# A department behind the university is said by some databases only; a college or a branch may be a
# school of its own.
_DEPARTMENT = r"^(.{2,}?大学)(?!.*(?:分校|医学院))\S*(?:系|研究所|学程|专班|教研室)$"


def thesis_container(venue: str | None, institution: str | None = None) -> str:
    """University and 学位论文 in one form: 北京大学, 北京大学硕士论文, [D]. 北京: 北京大学 ->
    "北京大学学位论文".

    "" where neither names a university. The degree is told by `thesis_degree`, because a master's
    and a doctoral thesis are two works.
    """
    names = [name for said in (institution, venue) if said and (name := _university(said))]
    school = next((name for name in names if name.endswith(_SCHOOLS)), "".join(names[:1]))
    return school + _THESIS if school else ""


@lru_cache(maxsize=1_000)
def _university(said: str) -> str:
    text = _pattern(_KIND_MARK, re.IGNORECASE).sub(" ", plain(said)[:300])
    text = _pattern(_YEAR).sub(" ", text).strip(" .,;:，。·-—/()[]")
    text = _pattern(_PLACE).sub("", text)
    if _pattern(_COLLECTION).search(text):
        return ""
    text = _pattern(_ABOUT_THESIS).sub(" ", text)
    name = _pattern(_OWNER).sub("", _NOT_LETTERS.sub("", text).lower())
    department = _pattern(_DEPARTMENT).match(name)
    return department[1] if department else name


def thesis_degree(*said: str | None) -> Degree:
    """The degree that venue, institution, type or note names: 博士学位论文 -> "doctor"."""
    for text in filter(None, said):
        folded = plain(text).lower().replace(_AFTER_DOCTOR, "")
        for degree, pattern in _DEGREES:
            if _pattern(pattern).search(folded):
                return degree
    return ""


class Journal(NamedTuple):
    """A journal's name as letters and digits, and its edition, each "" where there is none."""

    name: str
    edition: str


# Short names of editions, and what they stand for.
_EDITIONS = dict(
    pair.split("=")
    for pair in """
    自然版=自然科学版 自科版=自然科学版 理科版=自然科学版 社科版=社会科学版 社会版=社会科学版
    文科版=社会科学版 哲社版=哲学社会科学版 人文社科版=人文社会科学版 人文版=人文科学版 英文=英文版
    英=英文版 中文=中文版 医科版=医学版 工科版=工学版 电子=电子版 网络=网络版 信息版=信息科学版
    理工版=理工版 综合=综合版 自然科学=自然科学版 社会科学=社会科学版 哲学社会科学=哲学社会科学版
    人文社会科学=人文社会科学版 englishedition=英文版 chineseedition=中文版 onlineedition=网络版
    electronicedition=电子版
""".split()
)
_KNOWN = """
    哲学社会科学版 人文社会科学版 自然科学版 社会科学版 人文科学版 教育科学版 信息科学版 经济管理版
    理学版 工学版 医学版 农学版 理工版 工程科学版 地球科学版 生命科学版 农业科学版 教育版 英文版
    中文版 电子版 网络版 综合版 哲社版 社科版 自然版 自科版
""".split()
_EDITION_BEHIND = rf"^(.{{2,}}?)({'|'.join(_KNOWN)})$"
_EDITION_IN_BRACKETS = (
    r"[(\[]\s*([^()\[\]]{1,20}?版|英文|中文|英|自然科学|社会科学|哲学社会科学|人文社会科学"
    r"|English Edition|Chinese Edition|Electronic Edition|Online Edition)\s*[)\]]"
)
_EDITION_BEHIND_MARK = (
    r"(?:[.:,;·/-]|\s)\s*([^.:,;·/\s()-]{1,12}版|哲学社会科学|人文社会科学|自然科学|社会科学)\s*$"
)
# A supplement is an issue and no journal of its own; 核心期刊 is praise.
_NOT_NAME = (
    r"[(\[]?(?:增刊|专刊|专辑|特刊|副刊)\s*[\dⅠ-ⅻIVX一二三四五六七八九十]{0,4}[)\]]?\s*$|\[J(?:/OL)?\]|[(\[](?:核心期刊|北大核心|CSSCI|EI|SCI|网络首发)[)\]]"
    r"|,?\s*(?:19|20)\d\d年?(?:第?\d+[卷期])*\s*$|编辑部$|杂志社$"
)


@lru_cache(maxsize=1_000)
def journal(venue: str) -> Journal:
    """Name and edition of a journal: 《清华大学学报（自科版）》 -> ("清华大学学报",
    "自然科学版").
    """
    venue = venue[:300]
    name = next((part for part in split_titles(venue) if has_han(part)), venue)
    text = plain(name).strip().strip('《》「」"“”. ')
    for _ in range(2):  # "2019年增刊2"
        text = _pattern(_NOT_NAME, re.IGNORECASE).sub("", text).strip(" 《》.,:")
    edition = ""
    for pattern in (_EDITION_IN_BRACKETS, _EDITION_BEHIND_MARK):
        found = _pattern(pattern, re.IGNORECASE).search(text)
        if found and found.start() > 1:
            edition = found[1]
            text = text[: found.start()] + " " + text[found.end() :]
            break
    letters = _NOT_LETTERS.sub("", text).lower()
    if not edition and "版" in letters and (found := _pattern(_EDITION_BEHIND).match(letters)):
        letters, edition = found[1], found[2]
    edition = _NOT_LETTERS.sub("", edition).lower()
    return Journal(letters, _EDITIONS.get(edition, edition))
