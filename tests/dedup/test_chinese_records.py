"""What the default chain says about pairs of Chinese records: the named failures of the four-tuple,
and what lies near.

The cases marked as waiting state what is wanted.
"""

from __future__ import annotations

from typing import Any

from metasearch.dedup import DEFAULT, fingerprint
from metasearch.record import Match
from tests.cases import each
from tests.dedup.records import record

LAKE: dict[str, Any] = {
    "title": "水生植物群落构建对入湖河流污染物的净化效应",
    "authors": ["张三丰", "李四光", "王小明"],
    "year": 2015,
    "venue": "湖泊科学",
    "volume": "27",
    "issue": "3",
    "pages": "101-110",
}
LAKE_IN_ENGLISH: dict[str, Any] = {
    "title": "Purification effect of aquatic plant communities on pollutants of rivers entering a "
    "lake",
    "authors": ["Zhang, Sanfeng", "Li, Siguang", "Wang, Xiaoming"],
    "year": 2015,
    "venue": "Journal of Lake Sciences",
    "volume": "27",
    "issue": "3",
    "pages": "101-110",
}
THESIS: dict[str, Any] = {
    "title": "黄瓜共表达基因模块的识别及其特点分析",
    "authors": ["林行众"],
    "year": 2015,
    "venue": "南京农业大学",
    "type": "thesis",
}
LATER = {"issue": "4", "pages": "201-210"}
BARE = {"volume": None, "issue": None, "pages": None}

SAME: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "dash pair against double hyphen": (
        {"title": "太湖五里湖生态重建示范工程——大型围隔试验"},
        {"title": "太湖五里湖生态重建示范工程--大型围隔试验"},
    ),
    "dash pair against full-width hyphens": (
        {"title": "太湖五里湖生态重建示范工程——大型围隔试验"},
        {"title": "太湖五里湖生态重建示范工程－－大型围隔试验"},
    ),
    "one em dash against hyphen": (
        {"title": "龙羊峡—刘家峡河段开发规划"},
        {"title": "龙羊峡-刘家峡河段开发规划"},
    ),
    "subtitle missing": ({}, {"title": LAKE["title"] + "——以巢湖小柘皋河为例"}),
    "subtitle behind a comma missing": ({}, {"title": LAKE["title"] + "，以巢湖小柘皋河为例"}),
    "subtitle without any mark missing": ({}, {"title": LAKE["title"] + "以巢湖小柘皋河为例"}),
    "brackets of two widths": (
        {"title": "太湖水质（一九九八年）变化研究"},
        {"title": "太湖水质(一九九八年)变化研究"},
    ),
    "blank within a name": ({}, {"authors": ["张　三丰", "李 四光", "王小明"]}),
    "no author on one side": ({}, {"authors": []}),
    "a patent without date": (
        {
            "title": "一种微生物修复黑臭水体的装置及方法",
            "venue": None,
            "type": "patent",
            "year": None,
            **BARE,
        },
        {
            "title": "一种微生物修复黑臭水体的装置及方法",
            "venue": None,
            "type": "patent",
            "year": 2015,
            **BARE,
        },
    ),
    "traditional characters": (
        {},
        {
            "title": "水生植物羣落構建對入湖河流污染物的淨化效應",
            "authors": ["張三豐", "李四光", "王小明"],
            "venue": "湖泊科學",
        },
    ),
    "traditional characters and little else": (
        {"authors": [], "venue": None, **BARE},
        {
            "title": "水生植物羣落構建對入湖河流污染物的淨化效應",
            "authors": [],
            "venue": None,
            **BARE,
        },
    ),
    "traditional names and nothing else": (
        {"title": "数字经济与农村发展", "authors": ["张丽华"], "venue": None, **BARE},
        {"title": "數字經濟與農村發展", "authors": ["張麗華"], "venue": None, **BARE},
    ),
    "variant characters": (
        {"title": "黏土矿物的图象分析与群落"},
        {"title": "粘土矿物的图像分析与羣落"},
    ),
    "column head": ({}, {"title": "【论著】" + LAKE["title"]}),
    "column between dots": ({}, {"title": "·综述·" + LAKE["title"]}),
    "kind of document": ({}, {"title": LAKE["title"] + "[J]"}),
    "footnote mark": ({}, {"title": LAKE["title"] + "①"}),
    "journal in quotes": ({}, {"venue": "《湖泊科学》"}),
    "edition of a journal in other marks": (
        {"venue": "河海大学学报(自然科学版)", "title": "太湖水质研究"},
        {"venue": "河海大学学报. 自然科学版", "title": "太湖水质研究"},
    ),
    "English title behind the Chinese one": (
        {},
        {"title": f"{LAKE['title']} = {LAKE_IN_ENGLISH['title']}"},
    ),
    "English title beside the Chinese one": (
        {},
        {"title": f"{LAKE['title']} {LAKE_IN_ENGLISH['title']}"},
    ),
    "English title in brackets": (
        LAKE_IN_ENGLISH,
        {"title": f"{LAKE['title']}（{LAKE_IN_ENGLISH['title']}）"},
    ),
    "names in Pinyin": ({}, {"authors": ["Zhang SF", "Li SG", "Wang XM"]}),
    "Chinese and English record of one work": ({}, LAKE_IN_ENGLISH),
    "the same with initials": (
        {},
        {**LAKE_IN_ENGLISH, "authors": ["Zhang, SF", "Li, SG", "Wang, XM"]},
    ),
    "thesis: university against collection": (
        THESIS,
        {**THESIS, "venue": "南京农业大学硕士学位论文"},
    ),
    "thesis: year one apart": (THESIS, {**THESIS, "venue": "[D]. 南京农业大学", "year": 2016}),
}

APART: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "parts in brackets": (
        {"title": "铁氧化物吸附磷的研究（一）"},
        {"title": "铁氧化物吸附磷的研究（二）"},
    ),
    "parts beyond ten": (
        {"title": "铁氧化物吸附磷的研究(十八)——铁矿"},
        {"title": "铁氧化物吸附磷的研究(十九)——铁矿"},
    ),
    "parts by Roman signs": (
        {"title": "铁氧化物吸附磷的研究Ⅰ"},
        {"title": "铁氧化物吸附磷的研究Ⅱ"},
    ),
    "halves": ({"title": "铁氧化物吸附磷的研究(上)"}, {"title": "铁氧化物吸附磷的研究(下)"}),
    "series": ({"title": "铁氧化物吸附磷的研究之一"}, {"title": "铁氧化物吸附磷的研究之二"}),
    "continuation": (
        {"title": "铁氧化物吸附磷的研究综述"},
        {"title": "铁氧化物吸附磷的研究综述(续)", **LATER},
    ),
    "volumes": ({"title": "中国淡水藻志 第二十一卷"}, {"title": "中国淡水藻志 第二十二卷"}),
    "second essay": (
        {"title": "论三三制民主的实践与历史经验"},
        {"title": "再论三三制民主的实践与历史经验", **LATER},
    ),
    "correction": ({}, {"title": "《" + LAKE["title"] + "》一文的更正"}),
    "correction ahead": ({}, {"title": "更正：" + LAKE["title"]}),
    "correction in a column head": ({}, {"title": "【更正】" + LAKE["title"]}),
    "comment": ({}, {"title": "对《" + LAKE["title"] + "》一文的几点意见", "authors": ["赵六"]}),
    "reply": ({}, {"title": "答《" + LAKE["title"] + "》", "authors": ["赵六"]}),
    "review": ({}, {"title": "评《" + LAKE["title"] + "》", "authors": ["赵六"]}),
    "yearly reports": (
        {"title": "2022年新疆农业农村发展形势与舆情分析", "year": 2023, **BARE},
        {"title": "2023年新疆农业农村发展形势与舆情分析", "year": 2023, **BARE},
    ),
    "meetings": (
        {"title": "第十二届中国药师周论文汇编与会议纪要", "year": None, **BARE},
        {"title": "第十三届中国药师周论文汇编与会议纪要", "year": None, **BARE},
    ),
    "editions of a journal": (
        {"title": "太湖治理研究", "venue": "河海大学学报(自然科学版)", "authors": ["李伟"], **BARE},
        {"title": "太湖治理研究", "venue": "河海大学学报(社会科学版)", "authors": ["王芳"], **BARE},
    ),
    "master's and doctoral thesis": (
        {**THESIS, "venue": "南京农业大学硕士学位论文"},
        {**THESIS, "venue": "南京农业大学博士学位论文"},
    ),
    "front matter": (
        {"title": "卷首语", "authors": [], "pages": "1"},
        {"title": "卷首语", "authors": [], "pages": "1", "issue": "4"},
    ),
    "front matter with the year": (
        {"title": "2014年总目次", "authors": [], "year": 2015, "issue": "12", "pages": "120"},
        {
            "title": "2014年总目次",
            "authors": [],
            "year": 2015,
            "venue": "土壤学报",
            "pages": "99",
            "volume": "52",
        },
    ),
    "bilingual, other authors": (
        {},
        {**LAKE_IN_ENGLISH, "authors": ["Zhao, Liu", "Qian, Qi", "Sun, Ba"]},
    ),
    "bilingual, other pages": ({}, {**LAKE_IN_ENGLISH, "pages": "201-210"}),
    "bilingual, other issue": ({}, {**LAKE_IN_ENGLISH, "issue": "4"}),
    "bilingual, family names only in common": (
        {},
        {**LAKE_IN_ENGLISH, "authors": ["Zhang, Wei", "Li, Na", "Wang, Fang"]},
    ),
    "bilingual, a notice": (
        {},
        {**LAKE_IN_ENGLISH, "title": "Erratum: " + LAKE_IN_ENGLISH["title"]},
    ),
}


def said(a: dict[str, Any], b: dict[str, Any]) -> Match | None:
    """The chain's verdict on two variations of one article, the same in both orders."""
    left, right = (
        fingerprint(record(source, 1, **{**LAKE, **over})) for source, over in (("a", a), ("b", b))
    )
    match = DEFAULT.judge(left, right)
    assert match == DEFAULT.judge(right, left)
    return match


@each("name", SAME)
def test_one_work(name: str) -> None:
    """These two records are one work."""
    match = said(*SAME[name])

    assert match is not None
    assert match.verdict == "same"


@each("name", SAME)
def test_one_work_meets(name: str) -> None:
    """The two records share a key, so that they are compared at all."""
    left, right = (
        fingerprint(record(s, 1, **{**LAKE, **over}))
        for s, over in zip("ab", SAME[name], strict=True)
    )

    assert set(DEFAULT.keys(left)) & set(DEFAULT.keys(right))


@each("name", APART)
def test_two_works(name: str) -> None:
    """These two records are two works."""
    match = said(*APART[name])

    assert match is None or match.verdict == "different"
