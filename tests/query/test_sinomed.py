"""The syntax of SinoMed: what is read, what is told, what is refused, what is written."""

from __future__ import annotations

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.query import Term, read, terms, to_text
from metasearch.query.sinomed import SINOMED
from metasearch.query.writer import translate
from tests.cases import each


def shown(text: str) -> str:
    return to_text(read(text, "sinomed").query)


def notes(text: str) -> str:
    return " ".join(read(text, "sinomed").notes)


def refused(text: str) -> QuerySyntaxError:
    with pytest.raises(QuerySyntaxError) as caught:
        read(text, "sinomed")
    return caught.value


@each(
    ("text", "tree"),
    [
        ('"甲"[标题]', "title:甲"),
        ('"甲"[中文标题:智能]', "title:甲"),
        ('"甲"[常用字段:智能]', "title:甲 OR abstract:甲 OR subject:甲"),
        ('"甲"[核心字段]', "title:甲 OR subject:甲"),
        ("甲[关键词]", "subject:甲"),
        ("甲乙 丙[标题]", "title:(甲乙 丙)"),
        ('"甲 乙"[摘要]', 'abstract:"甲 乙"'),
        ("'甲'[主题词] OR 乙[标题]", "subject:甲 OR title:乙"),
        ('"甲"[标题,摘要]', "title:甲 OR abstract:甲"),
        ("(甲 OR 乙)[标题]", "title:甲 OR title:乙"),
        ("甲 OR 乙 AND 丙 NOT 丁", "甲 OR 乙 AND 丙 AND NOT 丁"),
        ("标题:甲 AND 作者:乙", "title:甲 AND author:乙"),
        ('"甲"[不加权:扩展]', "subject:甲"),
        ('主题词:"甲"/全部树/全部副主题词 AND 乙', "subject:甲 AND 乙"),
        ("主题词:甲/全部树/全部副主题词", "subject:甲"),
        ("甲 AND 2010-2020[日期]", "甲 AND year:2010-2020"),
        ('甲 AND "2015"[出版年]', "甲 AND year:2015"),
        ("甲 AND 综述[文献类型]", "甲 AND type:review"),
        ("“甲”[标题] AND 乙【摘要】", "title:甲 AND abstract:乙"),
        ("甲乙%[标题]", "title:甲乙*"),
        ("gambl%[标题]", "title:gambl*"),
    ],
)
def test_queries(text: str, tree: str) -> None:
    """Fields in brackets behind words, or before them; NOT, AND, OR in this order."""
    assert shown(text) == tree


@each(
    ("text", "heading"),
    [
        ('"甲"[不加权:扩展]', "exploded"),
        ('"甲"[加权:扩展]', "exploded"),
        ('"甲"[不加权:不扩展]', "exact"),
        ('"甲"[主题词]', "exact"),
        ("主题词:甲/全部树", "exploded"),
        ('"甲"[标题]', ""),
    ],
)
def test_headings(text: str, heading: str) -> None:
    """A heading is one for those who translate, with narrower ones or without."""
    (term,) = terms(read(text, "sinomed").query)

    assert term.heading == heading


@each(
    ("text", "told"),
    [
        ('"甲"[加权:扩展]', "sources cannot be asked for the main topic"),
        ('"甲"[不加权:扩展]', "narrower headings are not added"),
        ('"甲/药物疗法"[主题词]', "药物疗法: sources cannot be asked for subheadings"),
        ('"甲"[主题词]/药物疗法,诊断', "药物疗法,诊断: sources cannot be asked for subheadings"),
        ('"甲"[常用字段:智能]', "other forms of the words are not added here"),
        ('"甲"[作者:精确]', "[作者:精确]: settings of a database are ignored"),
        ('"甲"[第一作者]', "looked for among all authors"),
        ('甲 AND "乙"[作者单位]', "[作者单位] 乙: ignored, because no field here holds this"),
        ("甲%乙[标题]", "甲%乙: a phrase with a * in it is read as all of its words"),
        ("甲 AND 随机对照试验[文献类型]", "no type of works as narrow as this"),
        ("综述：进展", "综述：进展 is read as words: it names no field"),
    ],
)
def test_what_is_not_kept_is_told(text: str, told: str) -> None:
    """With the words that it concerns."""
    assert told in notes(text)


@each(
    ("text", "tree"),
    [
        ('甲 NOT "乙/诊断"[主题词]', "甲"),
        ('甲 NOT "乙"[加权:扩展]', "甲"),
        ("甲 NOT 乙?丙[标题]", "甲"),
        ("甲 NOT 乙[作者单位]", "甲"),
        ("甲 AND (乙[作者单位] OR 丙)", "甲"),
        ("甲 NOT 乙[主题词]", "甲 AND NOT subject:乙"),
    ],
)
def test_what_cannot_be_asked_never_narrows(text: str, tree: str) -> None:
    """Behind a NOT and among alternatives."""
    assert shown(text) == tree


def test_lines_and_what_a_page_prints() -> None:
    """The history as it is printed, and years beside a query, which hold for all of it."""
    lines = '#1  "甲"[不加权:扩展]\n#2  "甲"[标题:智能] OR "乙"[标题:智能]\n#3  (#2) OR (#1)'

    assert read(lines).syntax == "sinomed"
    assert to_text(read(lines).query) == "title:甲 OR title:乙 OR subject:甲"
    assert shown("检索式：甲[标题] OR 乙[标题]；年代：2010-2020；限定检索：综述") == (
        "(title:甲 OR title:乙) AND year:2010-2020"
    )


@each(
    "text",
    [
        '"甲"[常用字段:智能]',
        "('甲'[主题词] OR 乙[常用字段])",
        '"stroke"[标题] AND "x"[摘要]',
        "甲%[关键词]",
    ],
)
def test_forms_that_are_recognised(text: str) -> None:
    """By a field in brackets behind a word; other brackets are part of a title."""
    assert read(text).syntax == "sinomed"
    assert read("甲的进展[综述]").syntax == "simple"


@each(
    ("text", "reason", "suggestion"),
    [
        ('"甲"[标提]', "near it are 标题", '"甲"'),
        ('"甲"[标题:智慧]', "[标题:智慧] is compared by none of 智能", '"甲"[标题]'),
        ('题铭:"甲"', "near it are 题名", '"甲"'),
        ("甲[作者单位]", "cannot be searched here", None),
        ("#1 AND 甲", "earlier searches are not kept", "甲"),
    ],
)
def test_errors_name_what_is_near(text: str, reason: str, suggestion: str | None) -> None:
    """And suggest a query that can be read, where there is one."""
    error = refused(text)

    assert reason in error.reason
    assert (error.suggestion or "").strip(' "') == (suggestion or "").strip(' "')


#: The fields that SinoMed's help lists for its databases.
LISTED = (
    "常用字段 全部字段 核心字段 中文标题 英文标题 标题 摘要 关键词 主题词 特征词 分类号 作者 "
    "第一作者 通讯作者 作者单位 第一作者单位 通讯作者单位 国省市名 刊名 出版年 日期 卷 期 ISSN "
    "基金 文献类型 语种 导师 研究专业 学位类型 授予单位 加权 不加权"
)


@each("name", LISTED.split())
def test_the_list_of_the_help_is_known(name: str) -> None:
    """Each field is searched, or ignored and told; none becomes a word."""
    tag = SINOMED.codes[name.casefold()]
    kind = tag.fields[0] if tag.fields else ""
    values = {"year": "2015", "type": "综述", "language": "中文", "issn": "1000-1000"}
    value = values.get(kind, "乙")
    found = read(f'甲[标题] AND "{value}"[{name}]', "sinomed")

    assert all(term.field != "any" or kind == "any" for term in terms(found.query))
    assert bool(tag.fields) or "ignored" in " ".join(found.notes)


@each(
    ("query", "text"),
    [
        ("title:甲 OR abstract:甲 OR subject:甲", "甲[常用字段]"),
        ('title:"salt marsh" NOT author:li', '"salt marsh"[中文标题] NOT li[作者]'),
        ("subject:甲 year:2018-", "甲[关键词] AND 2018-3000[日期]"),
        ("title:甲 OR subject:甲", "甲[核心字段]"),
        ("libr* type:review", "libr%[常用字段] AND 综述[文献类型]"),
    ],
)
def test_what_is_written(query: str, text: str) -> None:
    """One field behind each term."""
    assert translate(query, to="sinomed").text == text


def test_what_is_written_is_read_as_the_same_query() -> None:
    """But for what stands everywhere, which is the usual fields there."""
    query = read('title:"salt marsh" (abstract:x OR subject:yz*) year:2018- NOT author:li').query

    assert read(translate(query, to="sinomed").text, "sinomed").query == query
    assert Term("salt marsh", "title", phrase=True) in list(terms(query))
