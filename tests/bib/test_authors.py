"""Strings that name several people."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib.chinese_names import authors_in
from tests.cases import each
from tests.growth import MOST, growth


@each(
    ("text", "expected"),
    [
        ("张三；李四;王五", ["张三", "李四", "王五"]),
        ("柯洪琴;陈璿英;王启斌;", ["柯洪琴", "陈璿英", "王启斌"]),
        ("张三，李四、王五", ["张三", "李四", "王五"]),
        ("张三 李四 王五", ["张三", "李四", "王五"]),
        ("张　三　李四光　王　五", ["张三", "李四光", "王五"]),
        ("张 三, 李 四", ["张三", "李四"]),
        ("欧阳 修 司马 光", ["欧阳修", "司马光"]),
        ("张三1,2，李四3*", ["张三", "李四"]),
        ("张三¹,²、李四①", ["张三", "李四"]),
        ("张三[1]，李四（通讯作者）", ["张三", "李四"]),
        ("张三a，李四b", ["张三", "李四"]),
        ("张三(北京大学, 北京 100871), 李四", ["张三", "李四"]),
        ("张三, 李四 等", ["张三", "李四"]),
        ("张三等编著", ["张三"]),
        ("张三著；李四译", ["张三", "李四"]),
        ("張三，李四編著", ["張三", "李四"]),
        ("主编：张三 副主编：李四", ["张三", "李四"]),
        ("张三 编 李四 校", ["张三", "李四"]),
        ("（清）曹雪芹 著", ["曹雪芹"]),
        ("[美]戴维·A.帕特森著；陈微译", ["戴维·A.帕特森", "陈微"]),
        ("王著", ["王著"]),
        ("李四译", ["李四译"]),
        ("本报记者徐隽", ["徐隽"]),
        ("Smith, John; 张三", ["Smith, John", "张三"]),
        ("民政部 国家发展改革委 财政部", ["民政部", "国家发展改革委", "财政部"]),
        ("全国粮油标准化技术委员会(SAC/TC270)", ["全国粮油标准化技术委员会"]),
        ("田中 太郎; 佐藤 健", ["田中太郎", "佐藤健"]),
        ("艾则孜·买买提", ["艾则孜·买买提"]),
        (
            "中国社会科学院大学（研究生院）国际研究中心",
            ["中国社会科学院大学(研究生院)国际研究中心"],
        ),
        ("等", []),
        ("", []),
    ],
)
def test_names_in_a_string(text: str, expected: list[str]) -> None:
    """Separators, blanks within names, footnote marks, roles, countries and "and others"."""
    assert authors_in(text) == expected


@given(st.text(max_size=80))
def test_any_text_is_taken(text: str) -> None:
    """No text raises, and no name is empty."""
    assert all(name.strip() for name in authors_in(text))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        lambda size: "1," * size,
        lambda size: "张" + "1," * size,
        lambda size: "(" * 2 * size,
        lambda size: "张三" + " " * 2 * size + "x",
        lambda size: "张三" + "等" * size,
    ],
)
def test_hostile_text_costs_little(text: Callable[[int], str]) -> None:
    """Whatever is repeated, the time stays linear."""
    assert growth(lambda size: partial(authors_in, text(size)), 2_500) <= MOST
