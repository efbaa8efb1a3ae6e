"""How each syntax is written, and what is told of what it cannot say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import metasearch
from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.query import And, Or, Term, parse
from metasearch.query.syntaxes import TARGETS
from metasearch.query.writer import QueryWriter, translate
from tests.cases import each
from tests.growth import MOST, growth

SALT = '"salt marsh" AND (carbon OR sediment*) year:2018-2020 NOT title:review'
#: What `SALT` is in each syntax.
WRITTEN = {
    "ovid": '("salt marsh" and (carbon or sediment*)).mp. and 2018:2020.yr. not review.ti.',
    "pubmed": '"salt marsh"[tw] AND (carbon[tw] OR sediment*[tw]) AND 2018:2020[dp] NOT review[ti]',
    "scopus": (
        'TITLE-ABS-KEY("salt marsh" AND (carbon OR sediment*)) AND PUBYEAR > 2017 AND PUBYEAR < '
        "2021"
        " AND NOT TITLE(review)"
    ),
    "wos": 'TS=("salt marsh" AND (carbon OR sediment*)) AND PY=(2018-2020) NOT TI=(review)',
    "ebsco": '"salt marsh" AND (carbon OR sediment*) AND DT 2018-2020 NOT TI review',
    "embase": "('salt marsh' AND (carbon OR sediment*)):ti,ab,kw AND [2018-2020]/py NOT review:ti",
    "cochrane": '("salt marsh" AND (carbon OR sediment*)):ti,ab,kw NOT review:ti',
    "ieee": '"All Metadata":("salt marsh" AND (carbon OR sediment*)) NOT "Document Title":review',
    "proquest": 'noft("salt marsh" AND (carbon OR sediment*)) AND pd(2018-2020) NOT ti(review)',
    "europepmc": '"salt marsh" AND (carbon OR sediment*) AND PUB_YEAR:[2018 TO 2020] NOT '
    "TITLE:(review)",
    "acm": 'AllField:("salt marsh" AND (carbon OR sediment*)) NOT Title:(review)',
    "vhl": 'tw:("salt marsh" AND (carbon OR sediment*)) AND year_cluster:[2018 TO 2020] AND NOT '
    "ti:(review)",
    "cnki": "SU%=('salt marsh'*('carbon'+'sediment'+'sediments'+'sedimentation'+'sedimentary'))"
    " AND YE BETWEEN ('2018','2020') NOT TI='review'",
    "sinomed": '"salt marsh"[常用字段] AND (carbon[常用字段] OR sediment%[常用字段]) AND '
    "2018-2020[日期] NOT review[中文标题]",
    "wanfang": '主题:("salt marsh" AND ("carbon" OR "sediment" OR "sediments" OR '
    '"sedimentation" OR "sedimentary")) AND Date:2018-2020 NOT 题名:("review")',
    "cql": (
        'cql.anywhere adj "salt marsh" and (cql.anywhere = "carbon" or cql.anywhere = "sediment*")'
        ' and dc.date within "2018 2020" not dc.title = "review"'
    ),
    "simple": '"salt marsh" AND (carbon OR sediment*) AND year:2018-2020 AND NOT title:review',
}


@each("to", TARGETS)
def test_one_query_in_every_syntax(to: str) -> None:
    """One field stands around all that is looked for in it, and brackets only where an operator
    changes."""
    assert translate(SALT, to=to).text == WRITTEN[to]


@each(
    ("query", "to", "text"),
    [
        ("salt marsh", "ovid", "(salt and marsh).mp."),
        ("title:x OR abstract:x", "ovid", "x.ti,ab."),
        ("title:x OR abstract:x", "pubmed", "x[tiab]"),
        ("title:x OR abstract:x", "ebsco", "TI x OR AB x"),
        ("title:x OR abstract:x OR subject:x", "wos", "TS=(x)"),
        ("title:x OR abstract:x OR subject:x", "cnki", "TKA='x'"),
        ("title:(x y) OR abstract:(x y)", "ovid", "(x and y).ti. or (x and y).ab."),
        ("title:x NOT title:y", "wos", "TI=(x NOT y)"),
        ("NOT title:y abstract:x", "wos", "AB=(x) NOT TI=(y)"),
        ("subject:x", "pubmed", "(x[mh:noexp] OR x[ot])"),
        ("x NOT (title:y OR abstract:z)", "proquest", "noft(x) NOT (ti(y) OR ab(z))"),
        ("x OR year:2020", "scopus", "TITLE-ABS-KEY(x) OR PUBYEAR = 2020"),
        (
            "x OR title:y year:2018-2020",
            "scopus",
            "TITLE-ABS-KEY(x) OR (TITLE(y) AND PUBYEAR > 2017 AND PUBYEAR < 2021)",
        ),
        ("x year:2018-", "wos", "TS=(x) AND PY=(2018-3000)"),
        ("x year:-2018", "ovid", "x.mp. and 1000:2018.yr."),
        ("x year:2018", "embase", "x:ti,ab,kw AND [2018-2018]/py"),
        ("x year:2018-", "cnki", "SU%='x' AND YE>='2018'"),
        ("doi:10.1000/x", "scopus", 'DOI("10.1000/x")'),
        ("x type:review lang:fr", "pubmed", "x[tw] AND Review[pt] AND fre[la]"),
        ("x type:article", "wos", "TS=(x) AND DT=(Article OR Review)"),
        ("x type:conference-paper", "wos", 'TS=(x) AND DT=("Proceedings Paper")'),
        (
            "x type:article lang:en",
            "embase",
            "x:ti,ab,kw AND ([article]/lim OR [review]/lim) AND [English]/lim",
        ),
    ],
)
def test_by_the_documentation_of_each_database(query: str, to: str, text: str) -> None:
    """Fields, years, types and languages have the database's own words."""
    assert translate(query, to=to).text == text


@each(
    ("term", "to", "text"),
    [
        (Term("and"), "ovid", '"and".mp.'),
        (Term("adj3"), "ovid", '"adj3".mp.'),
        (Term("2"), "ovid", '"2".mp.'),
        (Term("NEAR"), "wos", 'TS=("NEAR")'),
        (Term("ti"), "ebsco", '"ti"'),
        (Term("n3"), "ebsco", '"n3"'),
        (Term("f(x)"), "scopus", 'TITLE-ABS-KEY("f(x)")'),
        (Term("next"), "embase", "'next':ti,ab,kw"),
        (Term("x[ti]"), "pubmed", '"x[ti]"[tw]'),
        (Term("x_y"), "pubmed", '"x_y"[tw]'),
        (Term("C++"), "cnki", "SU%='C++'"),
        (Term("sea-level"), "wos", "TS=(sea-level)"),
        (Term("x) OR (y", "title", phrase=True), "proquest", 'ti("x) OR (y")'),
    ],
)
def test_a_word_is_never_a_sign(term: Term, to: str, text: str) -> None:
    """What would be an operator, a field or a bracket stands in quotes."""
    assert translate(term, to=to).text == text


@each(
    ("query", "to", "text", "note"),
    [
        (Term("wetland", truncated=True), "cnki", "SU%=('wetland'+'wetlands')",
         "the beginnings of words: wetland* is written as wetland, wetlands"),
        (Term("盐沼", truncated=True), "cnki", "SU%='盐沼'", "the beginnings of words: 盐沼*"),
        (Term("ge", truncated=True), "wos", "TS=(ge*)", "3 letters or digits before a *: ge*"),
        (Term('the "x" factor', phrase=True), "ovid", '"the x factor".mp.', 'cannot search for "'),
        (Term("wom?n"), "scopus", 'TITLE-ABS-KEY("wom n")', "cannot search for ?"),
        (Term("O'Brien", "author"), "embase", "'O Brien':au", "cannot search for '"),
        (parse("x isbn:9783161484100"), "ovid", "x.mp.", "cannot be asked for ISBNs"),
        (parse("x type:map"), "scopus", "TITLE-ABS-KEY(x)", "no word for type:map"),
        (parse("x lang:en"), "wanfang", '主题:("x")', "no word for language:en"),
        (Or((Term("x"), parse("y NOT y").parts[1])), "ebsco", "x", ("NOT without something before "
                                                                   "it: NOT y")),
        (parse("x year:-0900"), "wos", "TS=(x)", "such years: year:-0900"),
        (Term("burt", "author"), "ovid", "burt.au.", "whole names"),
        (Term("x"), "wos", "TS=(x)", "titles, abstracts and keywords"),
        (Term("#"), "cnki", "", "nothing of the query"),
    ],
)  # fmt: skip
def test_what_is_lost_is_told(query: metasearch.Query, to: str, text: str, note: str) -> None:
    """A sentence for each thing; the rest is written."""
    written = translate(query, to=to)

    assert written.text == text
    assert any(note in sentence for sentence in written.notes)


@each(
    ("text", "written"),
    [
        ("x NOT (NOT a AND NOT b)", "(x and (a or b)).mp."),
        ("x NOT (NOT a OR NOT b)", "(x and a and b).mp."),
        ("x AND (NOT a OR NOT b)", "(x not (a and b)).mp."),
        ("NOT a NOT b OR x NOT NOT c", "(x and c).mp."),
    ],
)
def test_exclusions_among_themselves_are_turned_round(text: str, written: str) -> None:
    """NOT a AND NOT b is NOT (a OR b): what a database can say is never left out in silence."""
    translation = translate(text, to="ovid", syntax="simple")

    assert translation.text == written
    assert bool(translation.notes) is ("OR x" in text)


def test_the_notes_of_reading_come_first() -> None:
    """What was lost when the text was read is lost in every syntax."""
    written = metasearch.translate("heart attack[majr] AND wetland*[ti]", to="cnki")

    assert (written.text, written.syntax) == (
        "KY='heart attack' AND TI=('wetland'+'wetlands')",
        "cnki",
    )
    assert "main topic" in written.notes[0]
    assert "beginnings" in written.notes[1]
    assert "narrower headings" in written.notes[2]


def test_a_syntax_that_is_not_there() -> None:
    """The error names those that are; so does a text that cannot be read."""
    with pytest.raises(UsageError, match="sql") as error:
        translate("x", to="sql")
    with pytest.raises(QuerySyntaxError):
        translate("(x", to="ovid")

    assert "ovid, pubmed" in str(error.value.advice)


@pytest.mark.slow
def test_time_grows_with_the_query_and_not_faster() -> None:
    """Terms in brackets that alternate, and four times as many."""
    from metasearch.query.wos import STYLE

    def writing(count: int) -> Callable[[], object]:
        fields = ("any", "title", "abstract", "subject")
        parts = [
            Or(tuple(Term(f"w{n}x{k}", fields[(n + k) % 4]) for k in range(5)))
            for n in range(count)
        ]
        tree = And((*parts, Or(tuple(Term(f"v{n}", fields[n % 4]) for n in range(count)))))
        return lambda: QueryWriter(STYLE).write(tree)

    assert growth(writing, 50) <= MOST


@each(
    ("to", "text"),
    [
        ("ovid", "(lake* adj4 carbon).ti,ab. or (lake* adj4 carbon).hw,kf."),
        ("scopus", "TITLE-ABS-KEY(lake* W/3 carbon)"),
        ("wos", "TS=(lake* NEAR/3 carbon)"),
        ("ebsco", "TI (lake* N3 carbon) OR AB (lake* N3 carbon) OR SU (lake* N3 carbon)"),
        ("embase", "(lake* NEAR/3 carbon):ti,ab,kw"),
        ("cochrane", "(lake* NEAR/3 carbon):ti,ab,kw"),
        ("proquest", "ti,ab(lake* NEAR/3 carbon) OR su(lake* NEAR/3 carbon)"),
    ],
)
def test_proximity_is_written_where_a_syntax_has_it(to: str, text: str) -> None:
    """With the number that means the same there, and no note."""
    written = metasearch.translate("TS=(lake* NEAR/3 carbon)", to=to, syntax="wos")

    assert (written.text, written.notes) == (text, ())


def test_words_near_one_another_are_written_one_by_one_for_pubmed() -> None:
    """It has no sign between groups; with a beginning of a word it cannot be asked at all, nor
    with a phrase, whose words would be mere words, too.
    """
    near = metasearch.translate("((lake or pond) adj3 carbon).ti,ab.", to="pubmed", syntax="ovid")
    phrase = metasearch.translate('(lake adj3 "black carbon").ti,ab.', to="pubmed", syntax="ovid")
    cut = metasearch.translate("(lake* adj3 carbon).ti,ab.", to="pubmed", syntax="ovid")

    assert near.text == '"lake carbon"[tiab:~2] OR "pond carbon"[tiab:~2]'
    assert near.notes == ()
    assert phrase.text == 'lake[tiab] AND "black carbon"[tiab]'
    assert cut.text == "lake*[tiab] AND carbon[tiab]"
    assert "which finds more" in cut.notes[0]
    assert "which finds more" in phrase.notes[0]


@each(
    ("to", "exploded", "alone"),
    [
        ("ovid", "exp Carbon Cycle/", "Carbon Cycle/"),
        ("pubmed", '"Carbon Cycle"[mh]', '"Carbon Cycle"[mh:noexp]'),
        ("ebsco", '(MH "Carbon Cycle+")', '(MH "Carbon Cycle")'),
        ("embase", "'Carbon Cycle'/exp", "'Carbon Cycle'/de"),
        ("cochrane", '[mh "Carbon Cycle"]', '[mh ^"Carbon Cycle"]'),
        (
            "proquest",
            'MESH.EXACT.EXPLODE("Carbon Cycle")',
            'MESH.EXACT("Carbon Cycle")',
        ),
    ],
)
def test_headings_are_written_as_headings(to: str, exploded: str, alone: str) -> None:
    """With all narrower ones, or without."""
    for text, written in (("exp Carbon Cycle/", exploded), ("Carbon Cycle/", alone)):
        assert metasearch.translate(text, to=to, syntax="ovid").text == written


def test_a_heading_that_a_syntax_does_not_have_is_a_subject_and_is_told() -> None:
    written = metasearch.translate("exp Carbon Cycle/", to="wos", syntax="ovid")

    assert written.text == 'AK=("Carbon Cycle")'
    assert "Web of Science cannot be asked for narrower headings" in written.notes[0]


def test_what_cannot_be_excluded_as_it_is_meant_is_not_excluded() -> None:
    """A clause that finds more than it should would exclude more than it should."""
    near = "title:lake NOT (title:acid NEAR/2 title:rain)"
    vhl = metasearch.translate(near, to="vhl")
    wos = metasearch.translate(near, to="wos")
    venue = metasearch.translate("title:lake NOT venue:Limnology", to="acm")

    assert vhl.text == "ti:(lake)"
    assert [note.partition(" cannot")[0] for note in vhl.notes] == [
        "NOT (title:acid NEAR/2 title:rain)"
    ]
    assert vhl.notes[0].endswith("so it is left out, which finds more")
    assert (wos.text, wos.notes) == ("TI=(lake NOT (acid NEAR/2 rain))", ())
    assert venue.text == "Title:(lake)"


@each(
    ("to", "text"),
    [
        ("ovid", '"slot machine*".ti,ab.'),
        ("cochrane", "(slot NEXT machine*):ti,ab"),
        ("europepmc", "TITLE_ABS:(slot AND machine*)"),
    ],
)
def test_a_stem_in_a_phrase(to: str, text: str) -> None:
    """Where quotes make a star a letter, the words follow one another by another sign, or stand
    anywhere, with a note."""
    written = metasearch.translate('title:"slot machine*" OR abstract:"slot machine*"', to=to)

    assert written.text == text
    assert bool(written.notes) is (to == "europepmc")


def test_words_next_to_one_another_are_phrases_where_a_syntax_has_no_sign_for_them() -> None:
    """Of alternatives, each with each."""
    text = "((salt or tidal) adj marsh*).ti."

    assert metasearch.translate(text, to="wos", syntax="ovid").text == (
        'TI=("salt marsh*" OR "tidal marsh*")'
    )
    assert metasearch.translate(text, to="scopus", syntax="ovid").text == (
        "TITLE((salt OR tidal) PRE/0 marsh*)"
    )


@each("to", ["pubmed", "cnki", "europepmc"])
def test_what_is_near_inside_of_near_is_never_written_as_alternatives(to: str) -> None:
    """Neither are words of different fields put into one."""
    for text in ("(title:a1 NEAR/1 title:b1) NEAR/5 title:c1", "title:a1 NEAR/2 abstract:b1"):
        written = metasearch.translate(text, to=to)

        assert " OR " not in written.text
        assert "is written with AND" in written.notes[0]
