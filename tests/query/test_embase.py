"""Embase.com: its fields, limits in square brackets, headings with subheadings."""

from __future__ import annotations

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.query import read, to_text
from metasearch.query.tree import terms
from tests.cases import each

#: The fields of its help, of text, and of values.
FIELDS = (
    "ab ad af all an au ca cd cl cn co cr ct cy dc de df dn ed em ff id ii ip jt ta kw la lc lnk "
    "ls mn ms nc oa oc ot pg pub pui rn sp src st ti tn tt ui vi"
).split()
VALUES = {
    **dict.fromkeys(("py", "pd", "sd"), "2015"),
    "la": "english",
    "is": "0028-0836",
    "ib": "9783161484100",
    "do": "10.1000/needle",
    **dict.fromkeys(("it", "pt", "dtype"), "review"),
}
#: Its quick limits, those of evidence-based medicine, of sources, ages and sexes.
LIMITS = [
    *("humans", "animals", "animal cell", "animal experiment", "animal model", "male", "female"),
    *("abstracts", "embase", "medline", "embase classic", "pubmed-not-medline", "in process"),
    *("priority journals", "with clinical trial number", "cochrane review"),
    *("randomized controlled trial", "controlled clinical trial", "clinical trial", "topic"),
    *("newborn", "infant", "preschool", "school", "child", "adolescent", "adult", "middle aged"),
    *("aged", "very elderly", "fetus", "embryo", "young adult", "molecular sequence number"),
]


def tree(text: str) -> str:
    return to_text(read(text, "embase").query)


@each("code", sorted({*FIELDS, *VALUES}), ids=str)
def test_every_field_of_its_help_is_known(code: str) -> None:
    """Its words are looked for, or a note says that they are not; the code is never a word."""
    value = VALUES.get(code, "needle")
    found = read(f"hay:ti AND '{value}':{code}", "embase")

    assert all(term.text in ("hay", value, "en", "review") for term in terms(found.query))
    assert (to_text(found.query) == "title:hay") == any("ignored" in note for note in found.notes)


@each("limit", LIMITS, ids=str)
def test_a_limit_that_no_source_has_is_told_and_finds_more(limit: str) -> None:
    found = read(f"asthma:ti AND [{limit}]/lim", "embase")

    assert to_text(found.query) == "title:asthma"
    assert any(f"[{limit}]/lim" in note and "finds more" in note for note in found.notes)


@each(
    ("text", "reads"),
    [
        ("[english]/lim", "language:en"),
        ("([english]/lim OR [french]/lim)", "(language:en OR language:fr)"),
        ("([article]/lim OR [article in press]/lim)", "type:article"),
        ("[conference abstract]/lim", "type:conference-paper"),
        ("[2010-2020]/py", "year:2010-2020"),
        ("[2011- 2017]/py", "year:2011-2017"),
        ("[<1966-2010]/py", "year:-2010"),
        ("2015:py", "year:2015"),
        ("review:pt", "type:review"),
        ("[01-01-2015]/sd", "year:2015-"),
        ("[01-04-2015]/sd", "year:2015-"),
        ("[01-01-2010 TO 31-12-2015]/sd", "year:2010-2015"),
    ],
)
def test_limits(text: str, reads: str) -> None:
    assert tree(f"asthma:ti AND {text}") == f"title:asthma AND {reads}"


@each("text", ["asthma:ti AND [01-04-2015]/sd", "asthma:ti AND 2015:sd"])
def test_the_day_of_entry_is_told(text: str) -> None:
    """It is no year of publication, and read as one."""
    assert "sd is read as the date of publication" in " ".join(read(text, "embase").notes)


def test_what_was_added_since_a_new_year_is_excluded() -> None:
    """Since another day, the years after that one are."""
    assert tree("x:ti NOT [01-01-2021]/sd") == "title:x AND NOT year:2021-"
    assert tree("x:ti NOT [01-06-2021]/sd") == "title:x AND NOT year:2022-"


def test_a_source_is_not_excluded() -> None:
    lines = "#1 asthma:ti\n#2 #1 AND [medline]/lim\n#3 #1 NOT #2"

    assert tree(lines) == "title:asthma"
    assert tree("asthma:ti AND ([embase]/lim NOT [medline]/lim)") == "title:asthma"


@each(
    ("text", "kinds"),
    [
        ("'x'/exp", ["narrower headings"]),
        ("'x'/de", []),
        ("'x'/mj", ["main topic"]),
        ("'x'/exp/mj", ["narrower headings", "main topic"]),
        ("'x'/exp/dd_ae,dd_to", ["narrower headings", "subheadings"]),
        ("'x'/dm_dt", ["subheadings"]),
        ("x/exp", ["narrower headings"]),
        ("'x':de", []),
    ],
)
def test_headings(text: str, kinds: list[str]) -> None:
    """Subheadings and the main topic cannot be asked, which is told and excludes nothing."""
    found = read(text, "embase")

    assert to_text(found.query) == "subject:x"
    for kind in ("narrower headings", "main topic", "subheadings"):
        assert any(kind in note for note in found.notes) == (kind in kinds)
    narrowed = {"main topic", "subheadings"}.intersection(kinds)
    assert tree(f"hay:ti NOT {text}") == (
        "title:hay" if narrowed else "title:hay AND NOT subject:x"
    )


@each(
    ("text", "reads"),
    [
        ("(x NEAR/3 y):ti", "title:x NEAR/3 title:y"),
        ("(x NEXT/3 y):ti", "title:x PRE/3 title:y"),
        ("x:ti,ab", "title:x OR abstract:x"),
        ("x:ti, ab", "title:x OR abstract:x"),
        ("x:ti:ab", "title:x OR abstract:x"),
        ("'x y':ti,ab,kw,de", 'title:"x y" OR abstract:"x y" OR subject:"x y"'),
        ("(review OR x):ti,it", "title:review OR type:review OR title:x OR subject:x"),
        ("smith/au AND x:ti", "author:smith AND title:x"),
        ("'x'/br", "x"),
    ],
)
def test_lists_of_fields_and_nearness(text: str, reads: str) -> None:
    assert tree(text) == reads


@each("text", ["asthma:kx", "'asthma':kx", "(asthma OR x):ti,kx"])
def test_a_code_that_embase_does_not_have_is_refused(text: str) -> None:
    """With those that are nearest."""
    with pytest.raises(QuerySyntaxError, match=r"no field .*kx in Embase; near it are .*kw"):
        read(text, "embase")


@each(
    ("text", "reads"),
    [
        ("'crohn''s disease':ti", 'title:"crohn\'s disease"'),
        ("'crohn's disease':ti", 'title:"crohn\'s disease"'),
        ("('x y' OR 'z'):ti", 'title:"x y" OR title:z'),
        ("'x'OR 'y'", "x OR y"),
    ],
)
def test_apostrophes(text: str, reads: str) -> None:
    """Within single quotes they are doubled, or stand between letters."""
    assert tree(text) == reads


@each("word", ["and/or", "he/she", "his/her", "10:30", "miR-21"])
def test_a_slash_or_colon_in_a_word_is_no_field(word: str) -> None:
    assert word.lower() in tree(f"(x AND {word}):ti").lower()


@each(
    ("text", "reads"),
    [
        ("(x OR y) :ti,ab", "title:x OR abstract:x OR title:y OR abstract:y"),
        ("'x' /exp OR 'y' / de", "subject:x OR subject:y"),
        ("x:ti,ab,de,lnk", "title:x OR abstract:x OR subject:x"),
        ("x:ti AND (2015:py OR 2016:py)", "title:x AND (year:2015 OR year:2016)"),
        ("x/exp AND english:la", "subject:x AND language:en"),
        ("xyz:ti", "title:xyz"),
        ("'crohn`s disease':ti", 'title:"crohn\'s disease"'),
    ],
)
def test_fields_are_recognised_where_they_stand(text: str, reads: str) -> None:
    found = read(text)

    assert (found.syntax, to_text(found.query)) == ("embase", reads)


@each("text", ["x language:la", "title:ab", "venue:ti"])
def test_a_code_behind_a_field_of_ours_is_its_value(text: str) -> None:
    assert read(text).syntax == "simple"
