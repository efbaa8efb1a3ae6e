"""What a review finds: each kind of mistake in an example of its own, and nothing where none is."""

from __future__ import annotations

from pathlib import Path

import pytest

from metasearch.message import Message
from metasearch.review.press.answer import review_text, with_mends
from metasearch.review.press.findings import CODES, ELEMENTS
from tests.cases import each

ROOT = Path(__file__).parents[3]

CLEAN = """\
1. exp Asthma/
2. (asthma* or wheez*).ti,ab.
3. 1 or 2
4. exp Breathing Exercises/
5. (breath* adj3 (exercis* or train*)).ti,ab.
6. or/4-5
7. exp animals/ not humans/
8. (3 and 6) not 7
"""
#: A change of the clean strategy -> the line and code of what is found.
CHANGES = {
    "and of a heading and its words": ("3. 1 or 2", "3. 1 and 2", 3, "and-for-or"),
    "and of two spellings": ("asthma* or wheez*", "behavior and behaviour", 2, "and-for-or"),
    "and among alternatives": (
        "(asthma* or wheez*)", "((wheez* and gasp*) and (child* or teen*))", 2, "and-for-or",
    ),
    "and in a line beside its heading": (
        "(asthma* or wheez*)", "(wheez* and gasp*)", 2, "and-for-or",
    ),
    "or of concepts": ("(3 and 6) not 7", "3 or 6", 8, "or-for-and"),
    "no brackets": ("exercis* or train*", "exercis* or train* and lung*", 5, "mixed-operators"),
    "animals with humans": ("7. exp animals/ not humans/", "7. exp animals/", 8,
                            "exclusion-of-humans"),
    "a concept taken away": ("not 7", "not adult*.ti.", 8, "exclusion-of-concept"),
    "a line that nothing uses": ("8. (3 and 6) not 7", "8. 3 and 6", 7, "unused-line"),
    "a line that there is not": ("3. 1 or 2", "3. 1 or 12", 3, "line-missing"),
    "a later line": ("3. 1 or 2", "3. 1 or 4", 3, "line-later"),
    "the line itself": ("3. 1 or 2", "3. 1 or 3", 3, "line-itself"),
    "the line beside": ("(3 and 6)", "(3 and 5)", 8, "line-shift"),
    "a range that ends too early": ("6. or/4-5", "6. or/4-4", 6, "line-shift"),
    "a number twice": ("4. exp", "3. exp", 3, "line-number-twice"),
    "a line that repeats another": ("5. (breath*", "5. exp breathing exercises/\n6. (breath*", 5,
                                    "same-line"),
    "a term that repeats another": ("asthma* or wheez*", "asthma* or wheez* or Asthma*", 2,
                                    "same-term"),
    "a term that another includes": ("asthma* or wheez*", "asthma* or asthmatic", 2, "idle-term"),
    "a line that another includes": ("1. exp Asthma/", "1. asthmatic.ti,ab.", 1, "idle-line"),
    "a field of another platform": ("wheez*).ti,ab.", "wheez*)[tiab]", 2, "foreign-field"),
    "an operator of another platform": ("adj3", "NEAR/3", 5, "foreign-operator"),
    "a bracket that is open": ("(asthma*", "((asthma*", 2, "open-bracket"),
    "an operator without a term": ("1 or 2", "1 or or 2", 3, "operator-sequence"),
    "a field that there is not": ("wheez*).ti,ab.", "wheez*).qq.", 2, "unknown-field"),
    "a limit of languages": ("(3 and 6) not 7", "limit 7 to english", 8, "limit-language"),
}  # fmt: skip


def found(text: str, syntax: str | None = None) -> list[tuple[int | None, str]]:
    return [(one.line, one.code) for one in review_text(text, syntax).findings]


def test_nothing_is_found_in_a_clean_strategy() -> None:
    assert found(CLEAN) == []


@each(("old", "new", "line", "code"), CHANGES.values(), ids=CHANGES)
def test_a_mistake_is_found_at_its_line(old: str, new: str, line: int, code: str) -> None:
    assert old in CLEAN
    changed = CLEAN.replace(old, new)

    assert (line, code) in found(changed), found(changed)


#: Shapes that linters of queries know, each in an example of ours: syntax, text, code.
SHAPES = [
    ("pubmed", '"wetland birds"[tiab', "open-quote open-bracket unreadable unknown-field"),
    ("pubmed", "(heron*[ti] OR egret*[ti]", "open-bracket"),
    ("pubmed", '"heron*[ti]', "open-quote"),
    ("simple", "heron AND OR egret", "operator-sequence"),
    ("wos", "heron*[ti]", "foreign-field"),
    ("pubmed", "TI=heron*", "foreign-field"),
    ("pubmed", '"heron[ti] AND egret[ti]"', "text-in-quotes"),
    ("pubmed", "My search so far: (heron[ti])", "text-beside"),
    ("pubmed", "(heron[ti]) Sort by: Most Recent", "text-beside"),
    ("wos", "WOS: TI=heron", "text-beside"),
    ("wos", "1. TS=heron\n2. TS=wetland", "no-last-line"),
    ("wos", "1. TS=heron\n2. TS=wetland\n3. #1 AND #7", "line-missing"),
    ("wos", "1. TS=heron\n2. TS=wetland\n3. #1 AND #2 AND #3", "line-itself"),
    ("wos", "1. TS=heron\n2. TS=wetland\n3. #1", "unused-line"),
    ("pubmed", "heron[ti] AND (nest OR egg)[tiab]", "field-of-bracket"),
    ("pubmed", '"web 2.0"[ti]', "ignored-mark"),
    ("pubmed", "egg*[ti]", "short-stem"),
    ("ebsco", 'TI "egg" OR TI "egg shell"', "idle-term"),
    ("ebsco", 'TI "egg" AND TI "egg shell"', "idle-term"),
    ("pubmed", "heron[ti] OR (egret[ti] AND 2001:2005[dp])", "limit-inside"),
    ("pubmed", 'heron[ti] OR (egret[ti] AND "Ibis"[ta])', "limit-inside"),
    ("pubmed", "(heron[ti] OR egret[ti]) OR (stork[ti] OR ibis[ti])", "needless-brackets"),
    ("simple", "hatching OR hatchling OR hatchery", "stem-for-forms"),
    ("pubmed", "heron[ti] OR (nest[ti] AND egg[ti]) AND (lake[ti] OR pond[ti])", "mixed-operators"),
    ("pubmed", "heron and egret", "small-operator"),
    ("pubmed", "heron[ti] | egret[ti]", "operator-sign"),
    ("pubmed", '"heron nest"[tiab:~1.5]', "bad-distance"),
    ("simple", "GIS AND heron", "capitals"),
    ("pubmed", "heron AND egret", "no-field"),
    ("wos", "TS=“heron”", "typographic-quotes"),
    ("wos", "TI=heron AND PY=19ab", "bad-year"),
    ("wos", "DO=11.1000/xyz", "bad-identifier"),
    ("wos", "IS=1234-5678", "bad-identifier"),
    ("wos", "TI=heron NEAR/40 egret", "wide-distance"),
    ("wos", "TI=(heron NEAR egret)", "no-distance"),
    ("wos", "TI=((heron AND egret) NEAR/3 nest)", "near-and"),
    ("wos", "PY=2001", "year-alone"),
    ("wos", "TI=heron AND PY=1990-2020", "year-span"),
    ("pubmed", "heron[ti] AND 199*[dp]", "bad-year"),
    ("wos", "TI=*gg", "wildcard-place"),
    ("wos", "TI=eg*", "short-stem"),
    ("wos", "TI=(heron OR egret!*)", "wildcard-place"),
    ("wos", 'TI=heron AND "?"', "wildcard-place"),
    ("wos", "TI=heron!", "foreign-wildcard"),
    ("wos", 'TI="@heron"', "ignored-mark"),
    ("wos", "TI=heron AND IY=2020", "unknown-field"),
    ("ebsco", "TI *heron", "wildcard-place"),
    ("ebsco", "heron nest AND lake", "no-field"),
    ("wos", "TS=(heron and egret)", "small-operator"),
    ("wos", "TS=(heron NEAR/x egret)", "bad-distance"),
    ("wos", "TI=heron AND PY=199*", "wildcard-place"),
    ("wos", 'TI=("heron" "egret")', "missing-operator"),
    ("pubmed", '((heron[ti] AND "egret"[ti]))', "needless-brackets"),
    ("ebsco", 'TI "heron AND AB egret', "open-quote"),
    ("ieee", " OR ".join(f'"Abstract":bird{at}' for at in range(30)), "too-many-terms"),
]


@each(("syntax", "text", "codes"), SHAPES)
def test_shapes_that_linters_know_are_found(syntax: str, text: str, codes: str) -> None:
    codes_found = {code for _, code in found(text, syntax)}

    assert codes_found & set(codes.split()), codes_found


@each(
    ("text", "syntax"),
    [
        ("TITLE(gambl* W/3 harm) AND (LIMIT-TO(DOCTYPE,\"ar\") OR LIMIT-TO(DOCTYPE,\"re\"))",
         "scopus"),
        ("TS=(\"hearing aid*\" NEAR/3 (cost* OR price*)) NOT TS=(animal* NOT human*)", "wos"),
        ("1 exp asthma/\n2 limit 1 to medline\n3 1 not 2", "ovid"),
        ("\"Randomized Controlled Trial\"[pt] OR random*[tiab] OR placebo[tiab]", "pubmed"),
        ("SU='水质'+'水体' AND SU='贝类'+'牡蛎'", "cnki"),
        ("#1 'fear'/exp OR fear*:ti,ab\n#2 'dental care'/exp OR dentist*:ti,ab\n#3 #1 AND #2",
         "embase"),
    ],
)  # fmt: skip
def test_what_librarians_write_is_no_mistake(text: str, syntax: str) -> None:
    graver = [one.code for one in review_text(text, syntax).findings if one.severity != "hint"]

    assert graver == []


def test_hits_that_cannot_be_are_found() -> None:
    """An OR below a part of it, an AND above one, and a limit above its line."""
    text = (
        "1 exp Asthma/ 1200\n2 wheez*.ti,ab. 3400\n3 1 or 2 2900\n4 1 and 2 1300\n"
        "5 3 or 4 3000\n6 limit 5 to english 3100\n"
    )

    assert [one for one in found(text) if one[1] == "impossible-hits"] == [
        (number, "impossible-hits") for number in (3, 4, 6)
    ]


@each(
    ("text", "syntax", "mend"),
    [
        (CLEAN.replace("3. 1 or 2", "3. 1 and 2"), None, CLEAN),
        (CLEAN.replace("(3 and 6)", "(3 and 5)"), None, CLEAN),
        ("(heron[ti] OR egret[ti]", "pubmed", "(heron[ti] OR egret[ti])"),
        ("nest[ti] AND (heron OR egret)[ti]", "pubmed", "nest[ti] AND (heron[ti] OR egret[ti])"),
        ("heron.ti,ab. or nest[tiab]", "ovid", "heron.ti,ab. or nest.ti,ab."),
        ("(heron NEAR/3 nest).tw.", "ovid", "(heron adj4 nest).tw."),
        ("TS=(a1 AND b1 OR c1)", "wos", "TS=((a1 AND b1) OR c1)"),
        ("a[ti] OR b[ti] AND c[ti]", "pubmed", "(a[ti] OR b[ti]) AND c[ti]"),
        ("TITLE(a1 AND b1 OR c1)", "scopus", "TITLE(a1 AND (b1 OR c1))"),
        ("mental OR TI mental OR TI mental", "ebsco", "mental OR TI mental"),
    ],
)
def test_a_mend_leaves_what_was_meant(text: str, syntax: str | None, mend: str) -> None:
    """And nothing more is found of its kind."""
    changed, number = with_mends(text, syntax)

    assert (changed, number > 0) == (mend, True)


@pytest.mark.parametrize("text", ["", " \n", "\0", "(((", '"', "1.\n2.\n", "#1 #1 #1", "not"])
def test_any_text_can_be_reviewed(text: str) -> None:
    """What cannot be read is a finding, in whatever syntax."""
    for syntax in (None, "pubmed", "ovid", "cnki", "simple", "cql"):
        for one in review_text(text, syntax).findings:
            assert 0 <= one.start <= one.end


def test_of_too_many_findings_the_rest_is_counted() -> None:
    made = review_text(" OR ".join(["nest[ti]"] * 400), "pubmed")

    assert len(made.findings) == 201
    assert made.findings[-1].code == "more-findings"


def test_a_text_that_is_too_large_is_reviewed_to_there() -> None:
    """By its length, by its rows and by its lines; what stands at a place is bounded."""
    for text in (
        "a" * 600_000,
        "zz yy\n" * 7_000,
        "\n".join(f"{at}. a{at}.ti." for at in range(1, 2_200)),
    ):
        made = review_text(text)

        assert "too-large" in {one.code for one in made.findings}
        assert all(len(one["place"]["text"]) <= 2_000 for one in made.as_json()["findings"])


def test_every_code_has_a_title_and_an_element() -> None:
    assert all(code.title and code.element in ELEMENTS for code in CODES.values())
    assert all(isinstance(one.message, Message) for one in review_text("(a", "wos").findings)


def test_the_page_on_reviews_has_a_row_for_every_code() -> None:
    """With its element and severity."""
    page = (ROOT / "docs" / "strategy-review.md").read_text(encoding="utf-8")
    rows = [
        f"| {code.element} | `{name}` | {code.severity} | {code.title} |"
        for name, code in CODES.items()
    ]

    assert [row for row in rows if row not in page] == []


@pytest.mark.timeout(20)
def test_lines_that_name_one_another_in_a_circle_end() -> None:
    """By a limit, by themselves, or two by two."""
    for circle in ("3. limit 3 to yr=2020", "3. 3", "3. 4\n4. 3"):
        text = f"1. exp Asthma/\n2. asthma*.ti,ab.\n{circle}\n5. 1 and 3\n6. 2 and 5"
        assert any(one.severity == "error" for one in review_text(text, "ovid").findings)


@pytest.mark.parametrize(
    "excluded",
    [
        "(meta-analy* or metaanaly* or metanaly* or systematic review*).ti,ab.",
        "meta-analysis as topic/ or systematic review.pt.",
    ],
)
def test_kinds_of_works_are_left_out_whatever_form_they_are_written_in(excluded: str):
    text = f"1. knee.ti,ab.\n2. {excluded}\n3. 1 not 2\n"
    codes = {one.code for one in review_text(text, "ovid").findings}
    assert "exclusion-of-concept" not in codes


def test_a_cut_word_that_is_no_kind_of_works_is_a_concept():
    text = "1. knee.ti,ab.\n2. meta-phys*.ti,ab.\n3. 1 not 2\n"
    codes = {one.code for one in review_text(text, "ovid").findings}
    assert "exclusion-of-concept" in codes


def test_the_part_of_a_cut_word_behind_its_hyphen_is_no_root():
    text = "1. (breastfe* or breast-fe*).ti,ab.\n"
    assert not [one.code for one in review_text(text, "ovid").findings]


def test_a_second_s_is_no_plural():
    (finding,) = review_text("1. (matress* or pillow*).ti,ab.\n", "ovid").findings
    assert finding.code == "misspelling"
    assert "mattress" in finding.message
