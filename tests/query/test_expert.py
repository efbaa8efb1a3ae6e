"""The expert syntax of CNKI, Wanfang and VIP: what is read, what is told, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.errors import QuerySyntaxError
from metasearch.query import And, Not, Or, Query, Term, Years, read, to_text
from metasearch.query.cnki import EXPERT_FIELDS, parse_expert
from metasearch.query.tree import MAX_DEPTH, MAX_LENGTH, MAX_TERMS
from tests.cases import each


def phrase(text: str, field: str = "any") -> Term:
    return Term(text, field, phrase=True)


def error_of(text: str) -> QuerySyntaxError | None:
    """What reading it raises, if anything."""
    try:
        parse_expert(text)
    except QuerySyntaxError as error:
        return error
    return None


def refused(text: str) -> QuerySyntaxError:
    with pytest.raises(QuerySyntaxError) as caught:
        parse_expert(text)
    assert caught.value.syntax == "cnki"
    return caught.value


NOVELTY = And(
    (
        Or((Term("沉水植物"), Term("贝类"), Term("鱼类"))),
        Term("生态系统"),
        Term("水质"),
        Or((Term("种类"), Term("密度"))),
    )
)


@pytest.mark.parametrize(
    "text",
    [
        "(沉水植物+贝类+鱼类)*生态系统*水质*(种类+密度)",
        "（沉水植物＋贝类＋鱼类）＊生态系统＊水质＊（种类＋密度）",
        "( 沉水植物 + 贝类 + 鱼类 ) * 生态系统 * 水质 * ( 种类 + 密度 )",
        "(沉水植物 OR 贝类 or 鱼类) AND 生态系统 and 水质 AND (种类 或 密度)",
        "('沉水植物'+'贝类'+'鱼类')*'生态系统'*'水质'*('种类'+'密度')",
        "任意字段=(沉水植物+贝类+鱼类)*生态系统*水质*(种类+密度)",
    ],
)
def test_a_query_of_novelty_search(text: str) -> None:
    """Signs of either width, words, quotes: one tree."""
    assert parse_expert(text).query == NOVELTY


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("甲*乙+丙", "甲 AND 乙 OR 丙"),
        ("甲+乙*丙", "甲 OR 乙 AND 丙"),
        ("甲+乙 -丙", "(甲 OR 乙) AND NOT 丙"),
        ("甲 -乙*丙", "甲 AND NOT (乙 AND 丙)"),
        ("甲 -乙+丙", "甲 AND NOT 乙 OR 丙"),
        ("甲*(乙 -丙)", "甲 AND 乙 AND NOT 丙"),
        ("甲 AND 乙*丙 NOT 丁", "甲 AND 乙 AND 丙 AND NOT 丁"),
        ("甲 与 乙 非 丙", "甲 AND 乙 AND NOT 丙"),
        ("甲 and not 乙", "甲 AND NOT 乙"),
        ("甲 ^乙", "甲 AND NOT 乙"),
        ("NOT 甲 AND 乙", "NOT 甲 AND 乙"),
        ("甲 AND 乙+丙", "甲 AND (乙 OR 丙)"),
    ],
)
def test_precedence(text: str, shown: str) -> None:
    """`*` binds more closely than `+` and `-`, signs more closely than words; equals are read from
    left to right."""
    assert to_text(parse_expert(text).query) == shown


def test_words_that_others_read_differently_are_told() -> None:
    """An AND after an OR: CNKI goes from left to right, others do not."""
    found = parse_expert("甲 or 乙 and 丙")

    assert to_text(found.query) == "(甲 OR 乙) AND 丙"
    assert "left to right" in found.notes[0]
    assert parse_expert("甲 and 乙 or 丙").notes == ()


@each(
    ("text", "query"),
    [
        ("COVID-19", Term("COVID-19")),
        ("C++", Term("C++")),
        ("C#", Term("C#")),
        ("C++*教学", And((Term("C++"), Term("教学")))),
        ("C+++Java", Or((Term("C++"), Term("Java")))),
        ("C+Java", Or((Term("C"), Term("Java")))),
        ("A*算法", And((Term("A"), Term("算法")))),
        ('"A*算法"', phrase("A*算法")),
        ("甲-乙", Term("甲-乙")),
        ("甲 -乙", And((Term("甲"), Not(Term("乙"))))),
        ("甲 - 乙", And((Term("甲"), Not(Term("乙"))))),
        ("(甲)-乙", And((Term("甲"), Not(Term("乙"))))),
        ("'甲'-'乙'", And((Term("甲"), Not(Term("乙"))))),
        ("O'Neill", Term("O'Neill")),
        ("'Crohn's disease'", phrase("Crohn's disease")),
        ("deep learning*图像", And((Term("deep learning"), Term("图像")))),
        ("'deep learning'*图像", And((phrase("deep learning"), Term("图像")))),
        ("“深度学习”", phrase("深度学习")),
        ("‘深度学习’", Term("深度学习")),
        ("甲 乙", Term("甲 乙")),
        ("50%", Term("50%")),
        ("p<0.05", Term("p<0.05")),
        ("小麦×玉米", Term("小麦×玉米")),
        ("综述：进展", Term("综述：进展")),
        ("10.1000/ABC", Term("10.1000/abc", "doi")),
    ],
)
def test_what_belongs_to_a_word(text: str, query: Query) -> None:
    """The documented rules for signs in words and quotes."""
    assert parse_expert(text).query == query


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("TI='生态'*'环境'", And((Term("生态", "title"), Term("环境", "title")))),
        ("TI=(生态+环境)", Or((Term("生态", "title"), Term("环境", "title")))),
        ("题名=水质*摘要=贝类", And((Term("水质", "title"), Term("贝类", "abstract")))),
        ("TI='a' AND b", And((Term("a", "title"), Term("b")))),
        ("ti = 'a'", Term("a", "title")),
        ("关键词：（甲＋乙）", Or((Term("甲", "subject"), Term("乙", "subject")))),
        (
            "题名:(“协同过滤” and “推荐”)",
            And((phrase("协同过滤", "title"), phrase("推荐", "title"))),
        ),
        (
            "T=甲*A=张三*J=学报",
            And((Term("甲", "title"), Term("张三", "author"), Term("学报", "venue"))),
        ),
        ("M=甲", Or((Term("甲", "title"), Term("甲", "subject")))),
        ("篇关摘=甲", Or((Term("甲", "title"), Term("甲", "subject"), Term("甲", "abstract")))),
        ("TI=(甲*AU=王)*乙", And((Term("甲", "title"), Term("王", "author"), Term("乙", "title")))),
        ("DOI='10.1000/A(1)'", Term("10.1000/a(1)", "doi")),
        ("SN=1234-5678*甲", And((Term("1234-5678", "issn"), Term("甲")))),
        ("语种=英文*甲", And((Term("en", "language"), Term("甲")))),
        ("文献类型=学位论文*甲", And((Term("thesis", "type"), Term("甲")))),
    ],
)
def test_fields(text: str, query: Query) -> None:
    """Codes, letters and names; a field holds for all that signs join to it, until another is
    named."""
    assert parse_expert(text).query == query


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("YE=2015", Years(2015, 2015)),
        ("YE='2015'", Years(2015, 2015)),
        ("年=2015-2020", Years(2015, 2020)),
        ("年份：２０１５", Years(2015, 2015)),
        ("YE>=2015", Years(2015, None)),
        ("YE<2015", Years(None, 2014)),
        ("YE BETWEEN ('2015','2020')", Years(2015, 2020)),
        ("ye between 2015, 2020", Years(2015, 2020)),
        ("PT BETWEEN ('2015-01-01','2020-12-31')", Years(2015, 2020)),
        ("YE='2015'+'2017'", Or((Years(2015, 2015), Years(2017, 2017)))),
    ],
)
def test_years(text: str, years: Query) -> None:
    """Each form, in a bracket and before a word that is no year."""
    found = parse_expert(f"({text})*甲")

    assert found.query == And((years, Term("甲")))
    assert found.notes == ()
    if "'+'" not in text:
        assert parse_expert(f"{text}*甲").query == And((years, Term("甲")))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("FT=甲", "FT is looked for in all"),
        ("主题=甲", "主题 is looked for in all"),
        ("FI=张三", "FI is looked for among all authors"),
        ("通讯作者=张三", "通讯作者 is looked for among all authors"),
        ("TI%='甲'", "TI%=: each database decides how loosely"),
        ("TI%'甲'", "TI%: each database decides how loosely"),
        ("TI='甲 /SEN 5 乙'", "sources cannot be asked how near words stand"),
        ("TI='甲' /NEAR 3 '乙'", "sources cannot be asked how near words stand"),
        ("TI='甲 # 乙'", "sources cannot be asked how near words stand"),
        ("TI='甲 $3'", "$ is ignored: sources cannot be asked how often a word occurs"),
        ("TI='甲' $3 * 乙", "$ is ignored: sources cannot be asked how often a word occurs"),
        ("甲*YE='2015-06-01'", "only the year of a date"),
    ],
)
def test_what_is_not_kept_is_told(text: str, told: str) -> None:
    """One note a thing, and the rest is kept."""
    (note,) = parse_expert(text).notes

    assert note.startswith(told)


def test_nearness_is_an_and() -> None:
    """Within quotes and between them."""
    both = And((Term("甲", "title"), Term("乙", "title")))

    assert parse_expert("TI='甲 /SEN 5 乙'").query == both
    assert parse_expert("TI='甲' /NEAR 3 '乙'").query == both


@each("name", [name for name, target in EXPERT_FIELDS.items() if target.fields])
def test_every_field_can_be_searched(name: str) -> None:
    """With a value of its kind."""
    value = {"year": "2015", "language": "en", "type": "thesis"}.get(
        EXPERT_FIELDS[name].fields[0], "甲"
    )

    assert parse_expert(f"{name}={value}*乙")


@pytest.mark.parametrize(
    "name", [name for name, target in EXPERT_FIELDS.items() if not target.fields]
)
def test_fields_that_nothing_here_holds(name: str) -> None:
    """The error names those that there are, and suggests the query without it."""
    error = refused(f"{name}=清华大学*甲")

    assert "cannot be searched here" in error.reason
    assert "TI 题名" in error.reason
    assert error.suggestion == "清华大学*甲"


@each(
    ("text", "position", "reason", "suggestion"),
    [
        (" ", 0, "empty", None),
        ("甲+", 1, "after it", "甲"),
        ("+甲", 0, "before it", "甲"),
        ("甲**乙", 1, "after it", "甲 *乙"),
        ("甲*", 1, "after it", "甲"),
        ("AND 甲", 0, "before it", "甲"),
        ("甲 AND", 2, "after it", "甲"),
        ("甲 OR AND 乙", 2, "after it", "甲 AND 乙"),
        ("(甲", 0, "never closed", "(甲)"),
        ("甲)", 1, "no opening bracket", "甲"),
        ("甲*()", 2, "nothing between", "甲"),
        ("“甲", 0, "quote is never closed", '“甲"'),
        ("甲*''", 2, "nothing between", "甲"),
        ("TI=", 0, "after it", None),
        ("TI= AND 甲", 0, "after it", "甲"),
        ("TJ=甲", 0, 'no field "TJ"', '"TJ=甲"'),
        ("题目=甲", 0, 'no field "题目"', '"题目=甲"'),
        ("E=mc2", 0, 'no field "E"', '"E=mc2"'),
        ("甲*YE=上周", 5, "four digits", None),
        (
            "甲*YE BETWEEN ('2020','2015')",
            15,
            "ends before it begins",
            "甲*YE BETWEEN ('2015','2020')",
        ),
        ("TI BETWEEN (2015,2020)*甲", 0, "for years", "YE BETWEEN (2015,2020)*甲"),
        ("语种=火星文*甲", 3, "no known language", None),
        ("NOT 甲", 0, "only what is excluded", None),
        ("YE=2015", 0, "only years", None),
        ("甲\ud800", 1, "not text", "甲"),
    ],
)
def test_errors_say_where_and_why(
    text: str, position: int, reason: str, suggestion: str | None
) -> None:
    """With a corrected query where one can be guessed, which can be read."""
    error = refused(text)

    assert error.position == position
    assert reason in error.reason
    assert error.suggestion == suggestion
    if error.suggestion:
        assert parse_expert(error.suggestion)
    assert error.advice


def test_the_caps_are_those_of_our_own_syntax() -> None:
    """Length, depth of brackets, terms."""
    flat = "(" * MAX_DEPTH * 2 + "甲" + ")" * MAX_DEPTH * 2
    deep = "(x OR (y AND " * (MAX_DEPTH // 2) + "甲" + "))" * (MAX_DEPTH // 2)

    assert parse_expert(flat).query == Term("甲")
    assert parse_expert(deep).query
    assert "nested" in refused(f"z OR (y AND {deep})").reason
    assert str(MAX_TERMS) in refused("+".join(["甲"] * (MAX_TERMS + 1))).reason
    assert "longer" in refused("甲" * (MAX_LENGTH + 1)).reason
    assert "alternate" in refused("甲" + " or 乙 and 丙" * (MAX_DEPTH + 1)).reason


PIECES = [
    *"()（）*＊+＋-－=%:：'‘’“”\"^$/ ,",
    "TI=",
    "题名",
    "YE",
    " BETWEEN ",
    "2015",
    "甲",
    "ab",
    " AND ",
    " 或 ",
    "/SEN 5",
]


@given(st.lists(st.sampled_from(PIECES)).map("".join) | st.text())
def test_nothing_but_a_syntax_error_is_raised(text: str) -> None:
    """Whatever the text; and a suggestion can be read."""
    error = error_of(text)

    assert error is None or 0 <= error.position <= len(text)
    assert error is None or error.suggestion is None or read(error.suggestion, "expert")
