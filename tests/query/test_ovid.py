"""Ovid: the fields of its databases, headings, limits, and what the platform prints."""

from __future__ import annotations

from datetime import date

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.query import read, to_text
from metasearch.query.tree import terms
from tests.cases import each

#: Database -> the codes of its guide (https://ospguides.ovid.com/).
FIELDS = {
    "MEDLINE": "ab af ai as au ax bt ca ci cm cp cr da dc dd do dp dt ed ep es ez fa fs fx gi gn "
    "go gs gw hw ia ib il in ip ir is ja jc jn jw kf ko kw la lg lh lm mh mp ms mx nj nm no nt nw "
    "oa oi os ot ox pa pb pg ph pi pm pn ps pt pw px rd rf rn ro rs rw rx sb sh si sl sm so st sy "
    "ti tw ui up us ux vo xh xs yr m_titl",
    "Embase": "ab af an ar as au aw bt ca cd cf cg cn cp ct dc dd df dm do dp dq dv ec em ew fs fx "
    "gn hn hw ib in ip is ja jn jw jx kf kw la lg lm ls ma mf mp ms nr oa ot pb pg pm pt pu rd rf "
    "rn sh si so st ti tn tt tw ui up ur vo xs yr",
    "PsycInfo": "ab af ag ai an as at au ax be bk bp bw ca cc cf ch cp cq cr cw do dp dt fm fo hw "
    "ib id in ip is jn jw la lg lm lo ma md mh mp mw nt ot pa pb pg pl pm po pt pu ry sa sd sh so "
    "ss tc ti tm tw up vo yr",
    "AMED": "ab af an au cp et hw in ip is jn jw lg nt ot pg pt rf sh so ti tw ui up vo yr",
    "HMIC": "ab af an au ca cl dc de ed hw ib is jn jw kw lg mp mt nt on ot pb pg ph pl pr pt pu "
    "se sh so ti up yr",
    "CAB Abstracts and Global Health": "ab ad af an at au bt ca cc cp cw de do dp ed et ft gl hw "
    "ib id in ip is jn jw lg lp ls ma mp mt nt od on ot pb pg pj pr pt pu rf rn sc sh sj sl so ss "
    "su sv ti up vo yr",
}
#: Code -> what such a field holds, where words are none of it.
VALUES = (
    dict.fromkeys("yr dp ed dt dc dd da ep ez up cd rd em ew ch pd xd".split(), "2015")
    | dict.fromkeys(("la", "lg"), "english")
    | dict.fromkeys(("is", "es", "il"), "0028-0836")
    | {"pt": "review", "do": "10.1000/needle", "ib": "9783161484100"}
)
CODES = sorted({code for codes in FIELDS.values() for code in codes.split()})
#: What Ovid offers behind "limit 1 to", in one of these databases.
LIMITS = [
    *("humans", "animals", "male", "female", "abstracts", "structured abstracts"),
    *("full text", "medline", "embase", "exclude medline journals", "in process", "publisher"),
    *("pubmed not medline", "in data review", "oldmedline", "latest update", "priority journals"),
    *("core clinical journals (aim)", "dental journals", "nursing journals", "evidence based"),
    *('"all infant (birth to 23 months)"', '"all child (0 to 18 years)"', "ahead of print"),
    *(
        "all adult (19 plus years)",
        '"young adult and adult (19-24 and 19-44)"',
        "aged, 80 and over",
    ),
    *('"aged (65 and over)"', "adult <18 to 64 years>", "aged <65+ years>", "pregnancy"),
    *('"reviews (maximizes sensitivity)"', '"therapy (best balance of sensitivity)"'),
    *("clinical trial, phase iii", "randomized controlled trial", "consensus development"),
    *('"0110 peer-reviewed journal"', "320 young adulthood <age 18 to 29 yrs>", "all journals"),
    *("local holdings", "ovid full text available", "no language specified"),
]


def tree(text: str) -> str:
    return to_text(read(text, "ovid").query)


@each("code", CODES)
def test_every_field_of_the_guides_is_known(code: str) -> None:
    """Its words are looked for, or a note says that they are not; the code is never a word."""
    value = VALUES.get(code, "needle")
    found = read(f"hay.ti. and {value}.{code}.", "ovid")

    assert all(term.text in ("hay", value, "en", "review") for term in terms(found.query))
    assert (to_text(found.query) == "title:hay") == any("ignored" in note for note in found.notes)


def test_the_guides_have_many_fields() -> None:
    assert len(CODES) > 150


@each("limit", LIMITS, ids=str)
def test_a_limit_that_no_source_has_is_told_and_finds_more(limit: str) -> None:
    """Whatever brackets, commas and words of operators its name has."""
    found = read(f"1 asthma.ti.\n2 limit 1 to {limit}", "ovid")

    assert to_text(found.query) == "title:asthma"
    assert any("limit to" in note and "finds more" in note for note in found.notes)


@each(
    ("text", "reads"),
    [
        ('yr="1990 -Current"', "year:1990-"),
        ("yr=1980 - 2005", "year:1980-2005"),
        ('(yr="1980 - 1990" or yr="2000 - 2005")', "year:1980-1990 OR year:2000-2005"),
        ("english language", "language:en"),
        ("(english or french)", "language:en OR language:fr"),
        ("(english and french)", "language:en OR language:fr"),
        ("conference abstracts", "type:conference-paper"),
        ('(yr="2010 -Current" and dt=20200101-20201231)', "year:2010- AND year:2020"),
        ('(article or "review" or letter)', "type:article OR type:review OR type:letter"),
        ("(humans and english language)", "language:en"),
        ("english language [Limit not valid in PREM; records were retained]", "language:en"),
        ("2010-2020", "year:2010-2020"),
    ],
)
def test_limits_are_read_with_the_operators_between_them(text: str, reads: str) -> None:
    """Two of one kind are alternatives, whatever stands between them."""
    bracketed = f"({reads})" if " OR " in reads else reads

    assert tree(f"1 asthma.ti.\n2 limit 1 to {text}") == f"title:asthma AND {bracketed}"


def test_an_alternative_that_cannot_be_asked_leaves_all_of_a_limit_out() -> None:
    assert tree("1 asthma.ti.\n2 limit 1 to (english or humans)") == "title:asthma"


def test_a_limit_may_be_of_a_bracket_and_in_a_bracket() -> None:
    """And ends where the bracket closes."""
    lines = "1 asthma.ti.\n2 child.ti.\n"

    assert tree(f"{lines}3 limit (1 or 2) to english") == (
        "(title:asthma OR title:child) AND language:en"
    )
    assert tree(f"{lines}3 (limit 1 to english) and 2") == (
        "title:asthma AND language:en AND title:child"
    )


@pytest.mark.parametrize("limit", ["last 5 years", '"last 5 years"', 'yr="last 5 years"'])
def test_years_are_counted_back(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From today, which is told."""
    monkeypatch.setattr("metasearch.query.values.today", lambda: date(2024, 2, 15))
    found = read(f"1 asthma.ti.\n2 limit 1 to {limit}", "ovid")

    assert to_text(found.query) == "title:asthma AND year:2019-"
    assert any("counted back from today" in note for note in found.notes)


@each("limit", ["medline", "humans", "(medline or humans)"])
def test_what_cannot_be_asked_excludes_nothing(limit: str) -> None:
    assert tree(f"1 asthma.ti.\n2 limit 1 to {limit}\n3 1 not 2") == "title:asthma"


def test_of_what_is_excluded_what_can_be_asked_is() -> None:
    """An alternative that cannot be asked would exclude more still."""
    assert tree("1 asthma.ti.\n2 limit 1 to (english or humans)\n3 1 not 2") == (
        "title:asthma AND NOT (title:asthma AND language:en)"
    )


@each("code", ["dt", "up", "rd", "ed", "ez", "dc"])
def test_a_date_of_entry_is_told(code: str) -> None:
    """It is no year of publication, and read as one."""
    limited = read(f"1 asthma.ti.\n2 limit 1 to {code}=20200101-20201231", "ovid")
    field = read(f"asthma.ti. and 2020*.{code}.", "ovid")

    assert to_text(limited.query) == to_text(field.query) == "title:asthma AND year:2020"
    assert f"{code} is read as the date of publication" in " ".join(limited.notes)
    assert f"{code} is read as the date of publication" in " ".join(field.notes)


@each(
    ("text", "reads"),
    [
        ("x.ti.ab.", "title:x OR abstract:x"),
        ("(x).ti.ab", "title:x OR abstract:x"),
        ("x.ti, ab.", "title:x OR abstract:x"),
        ("x.ti;ab.", "title:x OR abstract:x"),
        ("(x) .ti,ab.", "title:x OR abstract:x"),
        ("x .ti.", "title:x"),
        ("x.ti,ab.,kw.", "title:x OR abstract:x OR subject:x"),
        ("x.ti and y.ab", "title:x AND abstract:y"),
        ("x.ti,hw,tn,mf,dv,kf,fx,dq.", "title:x OR subject:x"),
        ("(x)ti,ab.", "title:x OR abstract:x"),
        ('"x y",ti.', 'title:"x y"'),
        ("x.tiab.", "title:x OR abstract:x"),
        ("(x).title.", "title:x"),
        ("x.ti,ab;", "title:x OR abstract:x"),
        ("(x).ti, ab .", "title:x OR abstract:x"),
        ("Smith J$.au. or Smith A:.au.", "author:(Smith J) OR author:(Smith A)"),
        ("201*.yr. and x.ti.", "year:2010-2019 AND title:x"),
        ("dt.fs. and x.ti.", 'subject:"drug therapy" AND title:x'),
    ],
)
def test_lists_of_fields_are_read_as_people_write_them(text: str, reads: str) -> None:
    assert tree(text) == reads


@each(
    ("text", "note"),
    [
        ("x.ti.ab.", ".ti.ab. is read as .ti,ab."),
        ("x.tiab.", ".tiab. is read as .ti,ab."),
        ("(x)ti,ab.", "ti,ab. is read as .ti,ab."),
    ],
)
def test_codes_that_ovid_would_refuse_are_told(text: str, note: str) -> None:
    assert read(text, "ovid").notes == (note,)


@each(
    ("text", "reads"),
    [
        (
            "(review or rando*).ti,pt.",
            "title:review OR type:review OR title:rando* OR subject:rando*",
        ),
        ("(english or x).ti,lg.", "title:english OR language:en OR title:x"),
        ("(2015 or x).ti,yr.", "title:2015 OR year:2015 OR title:x"),
        ("10.1000/x.do,ti.", "title:10.1000/x OR doi:10.1000/x"),
        ("y.ti. and x.ti,in.", "title:y"),
        ("y.ti. not x.ti,in.", "title:y AND NOT title:x"),
    ],
)
def test_a_field_of_values_in_a_list_is_an_alternative(text: str, reads: str) -> None:
    """Where nothing holds one of the fields, the list cannot be asked, and finds more."""
    assert tree(text) == reads


@each("text", ["asthma.qq.", "(asthma).qq.", "asthma.qq", "asthma.ti,qq."])
def test_a_code_that_ovid_does_not_have_is_refused(text: str) -> None:
    """With those that are nearest."""
    with pytest.raises(QuerySyntaxError, match=r"no field .*qq.* near it are dq") as caught:
        read(text, "ovid")

    assert "qq" in text[caught.value.position : caught.value.position + caught.value.length]


@each("word", ["e.coli", "vs.", "i.v.", "and/or", "St.John", "p.m.", "3.5"])
def test_a_dot_in_a_word_is_no_field(word: str) -> None:
    assert tree(f"(x {word} y).ti.") == tree(f'"x {word} y".ti.')


@each(
    ("text", "reads", "kind"),
    [
        ("x y/exp and z.ti.", 'subject:"x y" AND title:z', "narrower headings"),
        ("'x y'/exp and z.ti.", 'subject:"x y" AND title:z', "narrower headings"),
        ("exp X/dt, th [Drug Therapy, Therapy]", "subject:X", "subheadings"),
        ("X/ae [Adverse Effects]", "subject:X", "subheadings"),
        ("*X/ and z.ti.", "subject:X AND title:z", "main topic"),
        ("exp *X/", "subject:X", "main topic"),
        ("x/mj", "subject:x", "main topic"),
        ('"X/"/', 'subject:"X/"', "headings are looked for"),
        ("x / or exp x /", "subject:x", "narrower headings"),
        ("x/drug therapy or x/pc, radiotherapy", "subject:x", "subheadings"),
    ],
)
def test_headings(text: str, reads: str, kind: str) -> None:
    found = read(text, "ovid")

    assert to_text(found.query) == reads
    assert any(kind in note for note in found.notes)


def test_an_exploded_heading_is_known_as_one() -> None:
    """So that a translation can explode it."""
    found = read("exp X/ or Y/ or Z/exp", "ovid")

    assert [term.heading for term in terms(found.query)] == ["exploded", "exact", "exploded"]


@each("text", ["*X/", "X/dt"])
def test_a_narrowed_heading_is_not_excluded(text: str) -> None:
    """More than is meant would be."""
    assert tree(f"x.ti. not {text}") == "title:x"


@each(
    ("text", "reads"),
    [
        ("(x adj y).ti.", "title:x PRE/0 title:y"),
        ("(x adj1 y).ti.", "title:x NEAR/0 title:y"),
        ("(x adj4 y).ti.", "title:x NEAR/3 title:y"),
        ("(x adj 4 y).ti.", "title:x NEAR/3 title:y"),
        ("(x adj4 (y or z)).ti.", "title:x NEAR/3 (title:y OR title:z)"),
    ],
)
def test_adj_counts_the_place_of_the_second_word(text: str, reads: str) -> None:
    assert tree(text) == reads


@each(
    ("line", "told"),
    [
        ("1 use ppez", "use ppez"),
        ("1 use ppez, emezd", "use ppez, emezd"),
        ("from 1 keep 1-10", "keep 1-10"),
        ("remove duplicates from 1", "duplicates"),
    ],
)
def test_what_concerns_the_database_alone_is_told(line: str, told: str) -> None:
    found = read(f"1 asthma.ti.\n2 {line}\n3 or/2", "ovid")

    assert to_text(found.query) == "title:asthma"
    assert any(told in note for note in found.notes)


def test_comments_are_told() -> None:
    """Ovid ignores what stands in square brackets, but not within a word."""
    found = read(
        "1 x.ti. [all]\n2 y/ [of [both]]\n3 or/1-2 [one]\n4 benzo[a]z.ti.\n5 3 or 4", "ovid"
    )

    assert to_text(found.query) == "title:x OR subject:y OR title:benzo[a]z"
    assert any("comments are ignored" in note for note in found.notes)


@each("code", ["zz", "qx"])
def test_a_subheading_that_there_is_none_of_is_ignored(code: str) -> None:
    """Two letters are never looked for as a word."""
    assert tree(f"x.ti. and {code}.fs.") == "title:x"


@each(
    "head",
    [
        "Database(s): Ovid MEDLINE(R) ALL 1946 to March 26, 2020\nSearch Strategy:",
        "Ovid MEDLINE(R) and In-Process <1946 to July 01, 2021>",
        "Database: Embase <1974 to 2021 Week 26>\n" + "-" * 80,
        "Somebody asked for these on 2 June 2021, without limits.",
    ],
)
def test_what_stands_above_a_strategy_is_told(head: str) -> None:
    """And is no line of its own, which would shift the numbers of all."""
    lines = "1 exp X/ (1234)\n2 y.ti. (56)\n3 1 or 2 (1290)\n4 limit 3 to english (200)"
    found = read(f"{head}\n{lines}\n\n{'*' * 27}", "ovid")

    assert to_text(found.query) == "(subject:X OR title:y) AND language:en"
    assert any(head[:20] in note for note in found.notes)


def test_use_may_be_a_word() -> None:
    assert tree("substance use disorder.ti.") == 'title:"substance use disorder"'


@each("limits", ["", "()", "(english", "(" * 30 + "english", "or english"])
def test_limits_without_sense_are_refused(limits: str) -> None:
    with pytest.raises(QuerySyntaxError):
        read(f"1 asthma.ti.\n2 limit 1 to {limits}", "ovid")


def test_a_limit_of_a_line_is_never_a_word() -> None:
    """Where lines have no numbers, it names none."""
    with pytest.raises(QuerySyntaxError, match="earlier search"):
        read("x.ti.\ny.ti. and 25\nlimit 26 to ED=19460101-20180115", "ovid")
    assert tree("limit of detection.ti.") == 'title:"limit of detection"'


@each(
    ("text", "reads", "told"),
    [
        (
            "1 x.ti.\n2 ..l/ 1 yr=2010-2020 and lg=en",
            "title:x AND year:2010-2020 AND language:en",
            "",
        ),
        ("x.ti. and yr=2010-2020", "title:x AND year:2010-2020", "yr=2010-2020"),
        (
            'x.ti. limit to (yr="2010 -Current" and french)',
            "title:x AND year:2010- AND language:fr",
            "",
        ),
        ("x.ti. and 2010:2020.(sa_year).", "title:x AND year:2010-2020", ""),
        ("x.ti. and (202001* or 202002*).(up).", "title:x AND year:2020", "up is read"),
        ('x.ti. and ("2019 Dec" or 2020 jan*).dp.', "title:x AND (year:2019 OR year:2020)", "year"),
        ("x:ti,ab or y.ti.", "title:x OR abstract:x OR title:y", ":ti,ab is read as .ti,ab."),
        ("exp X or y.ti.", "subject:X OR title:y", "exp X is read as exp X/"),
        ("(x near3 y).ti.", "title:x NEAR/3 title:y", "near3"),
        ("1 x.ti.\n2 deduplicate 1", "title:x", "duplicates"),
        ("x of y {Including Related Terms}", "x AND of AND y", "{Including Related Terms}"),
        ("smith j?.au. and x.ti.", "author:(smith j) AND title:x", ""),
    ],
)
def test_what_people_write_beside_its_syntax(text: str, reads: str, told: str) -> None:
    """Commands, codes in brackets, and forms of other databases are read, and told."""
    found = read(text, "ovid")

    assert to_text(found.query) == reads
    assert any(told in note for note in found.notes) or not told


def test_a_number_beside_adj_is_a_word() -> None:
    """It names no line."""
    assert tree("1 x.ti.\n2 (1 adj2 x).ti. or (x adj 1).ti.\n3 2 not 1") == (
        "(title:1 NEAR/1 title:x OR title:x PRE/0 title:1) AND NOT title:x"
    )


@each(
    ("line", "reads"),
    [
        ("1 and (2010 or 2011).yr.", "title:x AND (year:2010 OR year:2011)"),
        ("1 and exp Y/.", "title:x AND subject:Y"),
        ("1 and “exp Y/”", "title:x AND subject:Y"),
        ("1 AND limit to english", "title:x AND language:en"),
        ("1 (limit to english)", "title:x AND language:en"),
        ("(1 and y).ti.", "title:x AND title:y"),
    ],
)
def test_lines_that_name_others_in_ways_of_their_own(line: str, reads: str) -> None:
    assert tree(f"1 x.ti.\n2 {line}\n3 2 and 1.") == f"{reads} AND title:x"


@each(
    ("text", "reads"),
    [("mi$1.ti.", "title:mi*"), ("tb*2 test.ti.", "title:tb* PRE/0 title:test")],
)
def test_a_number_of_letters_may_follow_two(text: str, reads: str) -> None:
    """At the end of a word, which has no other spellings then."""
    assert tree(text) == reads
