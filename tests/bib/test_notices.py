"""Works about another work, and titles that stand on many works."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib.chinese_titles import GENERIC, is_generic, notice
from metasearch.bib.normalise import simplify
from tests.cases import each

NOTICES = {
    "erratum": [
        "更正",
        "更正：水质评价",
        "《水质评价》一文的更正",
        "勘误表",
        "关于《水质评价》的更正说明",
        "致歉声明",
        "【更正】水质评价",
        "水质评价（勘误）",
    ],
    "retraction": [
        "撤稿声明",
        "撤稿：水质评价",
        "关于撤回论文《水质评价》的声明",
        "水质评价（已撤稿）",
    ],
    "reply": [
        "答《水质评价》",
        "作者答复",
        "对《水质评价》一文的答复",
        "水质评价——答张三先生",
        "兼对《水质评价》一文之回应",
    ],
    "comment": [
        "与张三先生商榷",
        "水质评价的几个问题——兼与李四同志商榷",
        "也谈水质评价",
        "对《水质评价》一文的几点意见",
        "質疑《水質評價》",
    ],
    "addendum": ["《水质评价》补遗", "对《水质评价》的补充"],
    "review": [
        "评《水质评价》",
        "書評：《水質評價》",
        "《水质评价》评介",
        "水的历史——读《水质评价》",
        "简评《水质评价》",
    ],
}


@each(("kind", "title"), [(kind, title) for kind, titles in NOTICES.items() for title in titles])
def test_notices(kind: str, title: str) -> None:
    """What is about another work is told by its kind."""
    assert notice(title) == kind


@each(
    "title",
    [
        "水质评价",
        "评价体系研究",
        "回应时代挑战",
        "从语用回应视角看反问否定",
        "台风年鉴数据的订正",
        "《水质评价》导读与研究",
        "Reply to: water",
        "读者阅读行为研究",
        "撤县设区改革",
        "",
    ],
)
def test_works_of_their_own(title: str) -> None:
    """The same words in another use announce nothing."""
    assert notice(title) == ""


@each(
    "title",
    [
        "编者按",
        "卷首语",
        "目 次",
        "《征稿简则》",
        "啟事",
        "本刊声明",
        "简讯",
        "书讯",
        "編輯後記",
        "2019年总目次",
        "2019年第3期目录",
        "《水利学报》2019年第42卷总目次",
        "本刊2018年第1—12期总目录",
        "編集後記",
        "更正",
    ],
)
def test_titles_of_many_works(title: str) -> None:
    """Front matter and columns identify nothing, in any form of characters, with year and issue
    too."""
    assert is_generic(title)


@each(
    "title",
    [
        "编者按：改革与水质",
        "目录学概论",
        "启事文体研究",
        "水质评价",
        "2019年水质报告",
        "总目次的编制方法",
        "",
    ],
)
def test_titles_of_one_work(title: str) -> None:
    """A title that only begins like that is one work's."""
    assert not is_generic(title)


def test_the_table_is_in_comparable_form() -> None:
    """Whoever looks a folded title up in the table finds it."""
    assert all(simplify(title) == title for title in GENERIC)


@given(st.text(max_size=60))
def test_any_text_is_taken(title: str) -> None:
    """No text raises."""
    assert notice(title) in (*NOTICES, "")
    assert is_generic(title) in (True, False)
