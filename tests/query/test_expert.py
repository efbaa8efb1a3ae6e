"""The expert syntax of CNKI, Wanfang and VIP: what is read, what is told, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.errors import QuerySyntaxError
from metasearch.query import And, Not, Or, Query, Term, Years, read, to_text
from metasearch.query.cnki import parse_expert
from metasearch.query.cnki_fields import COUNT, EXPERT_FIELDS
from metasearch.query.tree import MAX_DEPTH, MAX_LENGTH, MAX_TERMS, terms
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


@each(
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


@each(
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
    assert "in the order of CNKI" in found.notes[0]
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


@each(
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


@each(
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


@each(
    ("text", "told"),
    [
        ("FT=甲", "FT is looked for in all"),
        ("主题=甲", "主题 is looked for in all"),
        ("FI=张三", "FI is looked for among all authors"),
        ("通讯作者=张三", "通讯作者 is looked for among all authors"),
        ("TI%='甲'", "TI%=: each database decides how loosely"),
        ("TI%'甲'", "TI%: each database decides how loosely"),
        ("TI xls '甲'", "TIxls: each database decides how loosely"),
        ("TI='甲 /SEN 5 乙'", "/SEN 5: read as AND, which finds more"),
        ("TI='甲' /AFT 3 '乙'", "/AFT 3: read as AND, which finds more"),
        ("TI='甲 # 乙'", "#: read as AND, which finds more"),
        ("TI='甲' % '乙'", "%: read as AND, which finds more"),
        ("TI='甲 /NEAR 3 乙'", "/NEAR 3: sources cannot be asked how near words stand"),
        ("TI='甲 $3'", "$: sources cannot be asked how often a word occurs"),
        ("TI='甲' $3 * 乙", "$3: sources cannot be asked how often a word occurs"),
        ("TI='甲' AND CF>10", "CF 10: ignored, because no field here holds this"),
        ("TI='甲' AND 被引频次>=10", "被引频次 10: ignored"),
        ("TI='甲' AND (SI='Y' OR EI='Y')", "SI Y, EI Y: ignored"),
        ("TI='甲' AND RT BETWEEN ('2020-01-01','2020-02-01')", "RT 2020-01-01-2020-02-01: ignored"),
        (
            "TI='甲'\nTI='乙'",
            "TI='乙': no operator stands before this line, so the lines are joined",
        ),
        ("p<0.05", "p<0.05 is read as words: it names no field"),
        ("综述：进展", "综述：进展 is read as words: it names no field"),
        ("甲*YE='2015-06-01'", "only the year of a date"),
    ],
)
def test_what_is_not_kept_is_told(text: str, told: str) -> None:
    """One note a thing, and the rest is kept."""
    (note,) = parse_expert(text).notes

    assert note.startswith(told)


@each(
    ("text", "shown"),
    [
        ("TI='甲 /NEAR 3 乙'", "title:甲 NEAR/3 title:乙"),
        ("TI='甲' /NEAR 3 '乙'", "title:甲 NEAR/3 title:乙"),
        ("TI='甲 /PREV 3 乙'", "title:甲 PRE/3 title:乙"),
        ("TI='甲 /SEN 5 乙'", "title:甲 AND title:乙"),
        ("TI='甲 /AFT 5 乙'", "title:甲 AND title:乙"),
        ("TI='甲 /PRG 5 乙'", "title:甲 AND title:乙"),
        ("TI='甲 # 乙'", "title:甲 AND title:乙"),
        ("TI='甲 % 乙'", "title:甲 AND title:乙"),
        ("TI='C# 甲'", 'title:"C# 甲"'),
    ],
)
def test_nearness(text: str, shown: str) -> None:
    """A distance in words is kept; of sentences and paragraphs no source knows anything."""
    assert to_text(parse_expert(text).query) == shown


@each(
    ("text", "shown"),
    [
        ("AF='甲' OR TI='乙' AND TI='丙'", "title:丙"),
        ("TI='丙' AND (AF='甲' OR TI='乙')", "title:丙"),
        ("TI='丙' NOT (AF='甲' AND TI='乙')", "title:丙"),
        ("TI='丙' NOT (AF='甲' OR TI='乙')", "title:丙 AND NOT title:乙"),
        ("TI='丙' NOT FI='甲'", "title:丙"),
        ("TI='丙' NOT TI='甲 # 乙'", "title:丙"),
        ("TI='丙' NOT YE='2015-06-01'", "title:丙"),
        ("CF>10*丙", "丙"),
    ],
)
def test_what_cannot_be_asked_never_narrows(text: str, shown: str) -> None:
    """Nor does what is asked more widely than it is meant, behind a NOT."""
    found = parse_expert(text)

    assert to_text(found.query) == shown
    assert found.notes


@each(
    ("text", "shown"),
    [
        ("检索式：TI='甲'；时间范围：2010-2020；更新时间：不限", "title:甲 AND year:2010-2020"),
        ("检索式:(TI='甲')\n检索时间:2024-01-01\n命中:123", "title:甲"),
        (
            "TI='甲' OR TI='乙' 时间范围：2010年至今",
            "(title:甲 OR title:乙) AND year:2010-",
        ),
        (
            "检索条件：(篇名%='甲') AND (发表时间 Between('2010-01-01','2020-12-31'))",
            "title:甲 AND year:2010-2020",
        ),
        ("（篇名：甲（精确））AND（作者：乙（模糊））", "title:甲 AND author:乙"),
        ("TI='甲' 精确", "title:甲"),
        ("题名:甲；同义词扩展；中英文扩展", "title:甲"),
        ("题名=甲 与 范围=全部期刊", "title:甲"),
        ("TI=甲，时间范围：2010-2020，检索范围：期刊", "title:甲 AND year:2010-2020"),
        ("题名:甲 AND 起始年:2010 AND 结束年:2020", "title:甲 AND year:2010- AND year:-2020"),
        ("题名:甲 来源类别:SCI来源期刊", "title:甲"),
        ("题名:甲 发表时间:不限", "title:甲"),
        ("精确 医疗", "精确 医疗"),
    ],
)
def test_what_a_page_prints_beside_a_query(text: str, shown: str) -> None:
    """Names, settings and dates: years hold for the whole query, settings are ignored."""
    assert to_text(parse_expert(text).query) == shown


@each(
    ("text", "shown"),
    [
        ("Date:2010-2020", "year:2010-2020"),
        ("Date:2010-", "year:2010-"),
        ("Date:-2010", "year:-2010"),
        ("出版时间:[2010 TO 2020]", "year:2010-2020"),
        ("发表时间：2010年1月1日至2020年12月31日", "year:2010-2020"),
        ("年=2010 到 2020", "year:2010-2020"),
        ("发表时间 BETWEEN ('2010-01-01','2020-12-31')", "year:2010-2020"),
    ],
)
def test_forms_of_dates(text: str, shown: str) -> None:
    """As Wanfang and VIP write and print them."""
    found = parse_expert(f"题名:甲 AND {text}")

    assert to_text(found.query) == f"title:甲 AND {shown}"
    assert found.notes == ()


@each(
    ("text", "shown"),
    [
        ("主題=甲 與 關鍵詞=乙", "甲 AND subject:乙"),
        ("篇名:(甲) 並且 作者:張三", "title:甲 AND author:張三"),
        ("題名或關鍵詞=(甲)", "title:甲 OR subject:甲"),
        ("題名=甲 不含 摘要=乙", "title:甲 AND NOT abstract:乙"),
        ("M=(甲) AND R=丙 NOT K=丁", "(title:甲 OR subject:甲) AND abstract:丙 AND NOT subject:丁"),
        ("(K=CAD OR T=雷达) AND R=机械", "(subject:CAD OR title:雷达) AND abstract:机械"),
        ("M/title=(甲)", "title:甲 OR subject:甲"),
        ("题名/关键词/摘要=甲", "title:甲 OR subject:甲 OR abstract:甲"),
        ("期刊-刊名:(甲) AND title:乙", "venue:甲 AND title:乙"),
    ],
)
def test_names_of_vip_wanfang_and_in_traditional_characters(text: str, shown: str) -> None:
    """Each is the field that CNKI has as well."""
    assert to_text(parse_expert(text).query) == shown


@each(
    "text",
    [
        "#1 TI='甲'+'乙'\n#2 TI='丙' AND AF='丁'\n#3 #1 AND #2",
        "1. TI='甲'+'乙'\n2. TI='丙' AND AF='丁'\n3. 1 AND 2",
        "#1 TI='甲'+'乙'\n#2 TI='丙' AND AF='丁'\n#3 (#1)*(#2)",
    ],
)
def test_lines_with_numbers(text: str) -> None:
    """As reviews print a search of CNKI; what an earlier line cannot say is told."""
    found = parse_expert(text)

    assert to_text(found.query) == "(title:甲 OR title:乙) AND title:丙"
    assert found.notes == ("AF 丁: ignored, because no field here holds this; that finds more",)


@each(
    "text",
    [
        "M=(甲 OR 乙) AND R=丙",
        "主題=(甲)",
        "主題：（甲）",
        "主题:甲 AND 起始年:2010 AND 结束年:2020",
        "#1 SU='甲'\n#2 SU='乙'\n#3 #1 AND #2",
    ],
)
def test_forms_that_are_recognised(text: str) -> None:
    """By names of fields before their signs; a list of what a record holds is no query."""
    assert read(text).syntax == "cnki"
    assert read("题名：甲 作者：乙 摘要：丙").syntax == "simple"


#: Codes that CNKI lists for its expert search, of all kinds of works together.
CNKI_CODES = (
    "SU TKA TI KY AB FT AU FI RP AF JN LY RF YE FU CLC SN CN IB CF DOI CO PT RT TU FTU XF SQR SQH "
    "GKH CLZ"
)
#: Letters that VIP lists for its expressions, and names of Wanfang's expert search.
VIP_LETTERS = "U M K A C S J F T R Z B Y"
WANFANG_NAMES = (
    "全部 主题 题名 题名或关键词 第一作者 作者单位 作者 关键词 摘要 基金 DOI 刊名 期 专业 "
    "学位授予单位 导师 学位 会议名称 主办单位 起始年 结束年 Title Creator Keywords Abstract "
    "PeriodicalTitle Date Common"
)


@each("name", f"{CNKI_CODES} {VIP_LETTERS} {WANFANG_NAMES}".split())
def test_the_vendors_lists_are_known(name: str) -> None:
    """Each code is searched in a field, or ignored and told; none is refused, or read as a word."""
    target = EXPERT_FIELDS[name.casefold()]
    value = "2015" if target.fields in (("year",), ()) else "乙"
    found = parse_expert(f"{name}={value} AND 题名=甲")

    assert {term.text for term in terms(found.query)} <= {"甲", "乙", "2015"}
    assert bool(target.fields) or any("ignored" in note for note in found.notes)


@each("name", [name for name, target in EXPERT_FIELDS.items() if target.fields])
def test_every_field_can_be_searched(name: str) -> None:
    """With a value of its kind."""
    value = {"year": "2015", "language": "en", "type": "thesis"}.get(
        EXPERT_FIELDS[name].fields[0], "甲"
    )

    assert parse_expert(f"{name}={value}*乙")


@each(
    "name",
    [name for name, to in EXPERT_FIELDS.items() if not to.fields and to is not COUNT],
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
        ("题目=甲", 0, 'no field "题目"', "题名=甲"),
        ("关健词:(甲)", 0, 'no field "关健词"', "关键词:(甲)"),
        ("题名>5", 0, "is for years", "题名=5"),
        ("TI='甲' OR CF>10", 10, "cannot be searched here", None),
        ("甲 AND #1", 6, "earlier searches are not kept", "甲"),
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
    "/NEAR 5 ",
    "AF=",
    "检索范围：",
    "时间范围:",
    "（精确）",
    "；",
    "#1 ",
    "\n2 ",
]


@given(st.lists(st.sampled_from(PIECES)).map("".join) | st.text())
def test_nothing_but_a_syntax_error_is_raised(text: str) -> None:
    """Whatever the text; and a suggestion can be read."""
    error = error_of(text)

    assert error is None or 0 <= error.position <= len(text)
    assert error is None or error.suggestion is None or read(error.suggestion, "expert")
