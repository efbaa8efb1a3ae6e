"""Chinese titles: two languages in one, column heads, and where the main title ends."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib.chinese_titles import split_titles, with_breaks, without_sections
from tests.cases import each
from tests.growth import MOST, growth

ZH, EN = "长江流域水质变化的评价", "Assessment of Water Quality Change in the Yangtze Basin"


@each(
    "title",
    [
        f"{ZH} = {EN}",
        f"{ZH}={EN}".replace("=", "＝"),
        f"{ZH}（{EN}）",
        f"{ZH} ({EN}).",
        f"{ZH}【{EN}】",
        f"{ZH} {EN}",
        f"{ZH}/{EN}",
        f"{ZH}——{EN}",
        f"{ZH}　 {EN}",
    ],
)
def test_two_titles(title: str) -> None:
    """A title and its translation in one string are two titles."""
    assert split_titles(title) == (ZH, EN)


@each("title", [f"{EN} ({ZH})", f"{EN} {ZH}", f"{EN} = {ZH}", f"{EN}：{ZH}"])
def test_two_titles_turned_round(title: str) -> None:
    """The English title may come first."""
    assert split_titles(title) == (EN, ZH)


def test_english_words_within_both() -> None:
    """An English word within the Chinese title does not end it."""
    parts = "基于BERT的文本分类方法研究", "Research on Text Classification Based on BERT"

    assert split_titles(" ".join(parts)) == parts


@each("end", ["分析", "理论", "述评"])
def test_common_last_words(end: str) -> None:
    """What Chinese titles end with ends the Chinese title here too."""
    assert split_titles(f"{ZH}{end} {EN}") == (ZH + end, EN)


def test_japanese_and_korean_parallel_titles() -> None:
    """The mark of library catalogues divides there too."""
    assert split_titles("赤毛のアン = Anne of Green Gables") == (
        "赤毛のアン",
        "Anne of Green Gables",
    )
    assert len(split_titles("한국어 제목의 연구 = A study of Korean titles")) == 2


@each(
    "title",
    [
        "基于BERT的文本分类",
        "MBSE 概述",
        "SCI论文写作",
        "基于模型的系统工程（Model Based System Engineering）概述",
        "基于卷积神经网络(Convolutional Neural Networks)",
        "刺参(Apostichopus japonicus)",
        "不同饵料对大黄鱼(Larimichthys crocea)形态差异的影响",
        "评菲茨杰拉德的 The Great Gatsby and the American Dream",
        "从 The Sound and the Fury 看福克纳的叙事艺术与美国南方社会",
        "Support Vector Machine and Random Forest 在医学中的应用",
        "二十世纪美国小说的象征：评 The Great Gatsby and the American Dream",
        "Journey to the West (西游记)",
        "方程 x = sin y 的解",
        "Sprague-Dawley 大鼠磨牙早期牙根发育的显微CT研究",
        EN,
        ZH,
        "",
    ],
)
def test_one_title(title: str) -> None:
    """English words, terms, species and works within a Chinese title make no second title."""
    assert split_titles(title) == (title,)


@each(
    "title",
    [
        f"【综述】{ZH}",
        f"【数字孪生专栏】{ZH}",
        f"［专家论坛］{ZH}",
        f"[论著]{ZH}",
        f"·论著·{ZH}",
        f"・論著・ {ZH}",
        f"【论著】·临床研究·{ZH}",
        f"专家论坛｜{ZH}",
        f"{ZH}（综述）",
        f"{ZH}【综述】",
        f"{ZH}·综述·",
        f"{ZH}[J]",
        f"{ZH}[D/OL].",
        f"{ZH}（摘要）",
        f"{ZH}*",
        f"{ZH}①",
        f"■ {ZH}",
    ],
)
def test_column_heads(title: str) -> None:
    """Heads of columns, kinds of documents and footnote marks are no part of the title."""
    assert without_sections(title) == ZH


@each(
    "title",
    [
        f"【更正】{ZH}",
        f"【上】{ZH}",
        f"{ZH}（下）",
        f"{ZH}（第二版）",
        f"{ZH}（英文版）",
        f"{ZH}（附12例报告）",
        f"{ZH}(1950-1980年)",
        "【综述】",
        "·论著·",
        "[Cu3（hssal）2（phen）2]配合物的合成",
        "(Z)-2-(1H-咪唑-1-基)-1-苯乙酮肟酯的合成",
        "(2+1)维方程的孤子解",
        "卡尔·马克思·恩格斯与哲学",
        "论著·编辑·出版",
        "*",
        "",
    ],
)
def test_what_is_no_column_head(title: str) -> None:
    """Parts, editions, notices, formulas and years stay, and never is nothing left."""
    assert without_sections(title) == title


@each(
    ("title", "expected"),
    [
        ("太湖五里湖生态重建示范工程——大型围隔试验", "太湖五里湖生态重建示范工程"),
        ("太湖五里湖生态重建示范工程--大型围隔试验", "太湖五里湖生态重建示范工程"),
        ("太湖五里湖生态重建示范工程－－大型围隔试验", "太湖五里湖生态重建示范工程"),
        ("太湖五里湖生态重建示范工程：大型围隔试验", "太湖五里湖生态重建示范工程"),
        ("本案移轉管轄後保全裁定之效力──探討疑義", "本案移轉管轄後保全裁定之效力"),
        ("污染物的净化效应——以巢湖小柘皋河为例", "污染物的净化效应"),
        ("传统民间文化与新农村建设以华北庙会为例", "传统民间文化与新农村建设"),
        ("传统民间文化与新农村建设，以华北庙会为例", "传统民间文化与新农村建设"),
        ("中国淡水藻志  第二十一卷  金藻门（Ⅱ）", "中国淡水藻志"),
        ("新时代中国之治 如何跳出历史周期率", "新时代中国之治"),
        ("龙羊峡-刘家峡河段", "龙羊峡-刘家峡河段"),
        ("1:500地形图测绘", "1:500地形图测绘"),
        ("以巢湖为例谈治理", "以巢湖为例谈治理"),
        ("基于 BERT 的文本分类", "基于 BERT 的文本分类"),
        ("", ""),
    ],
)
def test_main_title(title: str, expected: str) -> None:
    """What stands before the subtitle, whatever mark divides them."""
    assert with_breaks(title).split("\n")[0] == expected


@given(st.text(max_size=80))
def test_any_text_is_taken(title: str) -> None:
    """No text raises; no part is empty but of an empty title; marks change no letter."""
    assert all(split_titles(title)) or not title
    assert without_sections(title) or not title
    if title.isprintable():
        assert [c for c in with_breaks(title) if c.isalnum()] == [
            c for c in title if c.isalnum()
        ] or "为" in with_breaks(title)


@pytest.mark.slow
@pytest.mark.parametrize(
    "title",
    [
        lambda size: "中 " * (size // 2),
        lambda size: "=" * size + "中",
        lambda size: "中 = a" * (size // 5),
        lambda size: "（" * size + "中a b c",
        lambda size: "中" + " " * size + "a b c",
        lambda size: "中" + "*" * size + "x",
    ],
)
def test_hostile_titles_cost_little(title: Callable[[int], str]) -> None:
    """Whatever is repeated, four times as much of it takes about four times as long."""
    for function in (split_titles, without_sections, with_breaks):
        assert growth(lambda size, of=function: partial(of, title(size)), 250) <= MOST


@pytest.mark.shared
def test_real_titles_are_one_title_each(shared: Path) -> None:
    """Of 10,000 Chinese titles none is taken apart, and hardly any loses something."""
    with gzip.open(shared / "data/neardup/titles_zh.txt.gz", "rt", encoding="utf-8") as file:
        titles = file.read().split("\n")

    assert [title for title in titles if len(split_titles(title)) > 1] == []
    assert sum(without_sections(title) != title.strip() for title in titles) < 10
