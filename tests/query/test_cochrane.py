"""The Cochrane Library: its fields, descriptors, and what the search manager prints."""

from __future__ import annotations

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.query import read, to_text
from metasearch.query.detect import detect
from metasearch.query.tree import terms
from tests.cases import each

FIELDS = "ti ab kw au so an tb og crg st in tx ky nct".split()
VALUES = {"pt": "review", "doi": "10.1000/needle", "yr": "2015", "py": "2015", "la": "english"}


def tree(text: str) -> str:
    return to_text(read(text, "cochrane").query)


@each("code", sorted({*FIELDS, *VALUES}), ids=str)
def test_every_field_of_its_help_is_known(code: str) -> None:
    """Its words are looked for, or a note says that they are not; the code is never a word."""
    value = VALUES.get(code, "needle")
    found = read(f'hay:ti AND "{value}":{code}', "cochrane")

    assert all(term.text in ("hay", value, "en", "review") for term in terms(found.query))
    assert (to_text(found.query) == "title:hay") == any("ignored" in note for note in found.notes)


@each("text", ["asthma:kx", '"asthma":kx', "(asthma OR x):ti,kx"])
def test_a_code_that_cochrane_does_not_have_is_refused(text: str) -> None:
    """With those that are nearest."""
    with pytest.raises(QuerySyntaxError, match=r"no field .*kx in the .*; near it are .*kw"):
        read(text, "cochrane")


@each(
    ("text", "name", "heading"),
    [
        ("MeSH descriptor: [X Y] explode all trees", "X Y", "exploded"),
        ("MeSH descriptor: [X Y] this term only", "X Y", "exact"),
        ("MeSH descriptor [X Y] explode all trees", "X Y", "exploded"),
        ("MeSH descriptor X Y explode all trees", "X Y", "exploded"),
        ("MeSH descriptor X Y, this term only", "X Y", "exact"),
        ("MeSH descriptor X, Y explode tree 1", "X Y", "exploded"),
        ("MeSH descriptor: [X Y] in all MeSH products", "X Y", "exact"),
        ("MeSH descriptor X and Y explode all trees", "X and Y", "exploded"),
        ('[mh "X Y"]', "X Y", "exploded"),
        ('[mh ^"X Y"]', "X Y", "exact"),
        ("[mh X]", "X", "exploded"),
        ('[mh "X Y"/DT,TH]', "X Y", "exploded"),
        ('[mh "X Y"[mj]]', "X Y", "exploded"),
    ],
)
def test_descriptors(text: str, name: str, heading: str) -> None:
    """With and without brackets, in every form that the library has printed."""
    (term,) = terms(read(text, "cochrane").query)

    assert (term.text, term.field, term.heading) == (name, "subject", heading)


@each(
    "text",
    [
        "MeSH descriptor: [X] explode all trees and with qualifier(s): [Drug therapy - DT]",
        "MeSH descriptor X explode all trees with qualifiers: DT,TH",
        "MeSH descriptor: [X] this term only and with the qualifier(s): [Therapy - TH]",
        '[mh "X"/DT]',
    ],
)
def test_qualifiers_of_a_descriptor_are_told(text: str) -> None:
    """And exclude nothing."""
    found = read(text, "cochrane")

    assert to_text(found.query) == "subject:X"
    assert any("subheadings" in note for note in found.notes)
    assert tree(f"y:ti NOT {text}") == "title:y"


@each(
    ("text", "reads"),
    [
        ("Any MeSH descriptor with qualifier(s): [Radiotherapy - RT]", "subject:Radiotherapy"),
        ("Any MeSH descriptor with qualifier: DT", 'subject:"drug therapy"'),
        (
            "Any MeSH descriptor in all MeSH products and with qualifier(s): [A - SU, B - TH]",
            "subject:A OR subject:B",
        ),
        ("[mh /DT]", 'subject:"drug therapy"'),
    ],
)
def test_a_qualifier_of_any_descriptor_is_looked_for_by_its_name(text: str, reads: str) -> None:
    found = read(text, "cochrane")

    assert to_text(found.query) == reads
    assert any("subheading" in note for note in found.notes)


@each(
    ("printed", "limits", "told"),
    [
        ("(Word variations have been searched)", "", "Word variations"),
        (" - (Word variations have been searched)", "", "Word variations"),
        (" with Publication Year from 1990 to 2021, in Trials", " AND year:1990-2021", "in Trials"),
        (" with Publication Year from 1990 to 2021 in Trials", " AND year:1990-2021", "in Trials"),
        (" with Publication Year from 2010 to 9999", " AND year:2010-", ""),
        (
            " with Cochrane Library publication date Between Jan 2010 and Dec 2020, in Reviews",
            " AND year:2010-2020",
            "in Reviews",
        ),
        (
            " with Cochrane Library publication date from Mar 2015 to Jun 2026",
            " AND year:2015-2026",
            "only the year of a date",
        ),
        (
            " with Cochrane Library publication date Between 2018 and 2025",
            " AND year:2018-2025",
            "date is read as the date of publication",
        ),
        (
            " with Publication Year 2020, with Cochrane Library publication date from 2021 to 2022",
            " AND year:2020 AND year:2021-2022",
            "date is read as the date of publication",
        ),
        (
            " with Date added to CENTRAL trials database 01/01/2020-31/12/2021, in Trials",
            " AND year:2020-2021",
            "Date added to CENTRAL trials database is read as",
        ),
        (", from 2000 to 2012", " AND year:2000-2012", ""),
        (
            " with Cochrane Library publication date in the sixties",
            "",
            "publication date in the sixties: ignored",
        ),
        (" in Cochrane Reviews, Trials, Editorials", "", "in Cochrane Reviews, Trials, Editorials"),
        (" in Trials", "", "in Trials"),
        (" in Cochrane Reviews and Trials", "", "in Cochrane Reviews and Trials"),
        (" in Cochrane Reviews (Reviews and Protocols)", "", "in Cochrane Reviews (Reviews and"),
        (" in Trials (Word variations have been searched)", "", "in Trials"),
    ],
)
def test_what_the_search_manager_prints_behind_a_search(
    printed: str, limits: str, told: str
) -> None:
    """Limits of the whole line."""
    found = read(f"(x:ti OR y:ti){printed}", "cochrane")
    line = read(f"#1 x:ti\n#2 y:ti\n#3 #1 or #2{printed}", "cochrane")

    bracketed = "(title:x OR title:y)" if limits else "title:x OR title:y"
    assert to_text(found.query) == to_text(line.query) == f"{bracketed}{limits}"
    assert told in " ".join(found.notes)
    assert told in " ".join(line.notes)


def test_a_limit_that_cannot_be_asked_excludes_nothing() -> None:
    assert tree("#1 x:ti\n#2 #1 in Trials\n#3 #1 not #2") == "title:x"


@each(
    ("text", "reads"),
    [
        ("x in Title Abstract Keyword", "title:x OR abstract:x OR subject:x"),
        ("x in Title, Abstract or Keywords", "title:x OR abstract:x OR subject:x"),
        ('"x y" in Record Title AND z in All Text', 'title:"x y" AND z'),
        ("(x OR y) in Abstract", "abstract:x OR abstract:y"),
        (
            "x in Record Title - with Publication Year in 2010 (Word variations were searched)",
            "title:x AND year:2010",
        ),
    ],
)
def test_fields_of_the_search_builder(text: str, reads: str) -> None:
    assert tree(text) == reads


@each("text", ["MeSH descriptor: [] explode all trees", "MeSH descriptor: [ ]"])
def test_a_descriptor_without_a_name_is_refused(text: str) -> None:
    """As the library prints one that it did not find."""
    with pytest.raises(QuerySyntaxError, match="no name"):
        read(f"{text} OR x:ti", "cochrane")


def test_words_in_a_text_are_not_taken_for_what_is_printed() -> None:
    assert tree('"bias in trials":ti') == 'title:"bias in trials"'
    assert tree("(x from 2000 to 2010):ti") == "title:(x from 2000 to 2010)"
    assert tree("bias in trials of asthma:ti") == "title:(bias in trials of asthma)"


@each(
    ("text", "reads"),
    [
        ("(x NEAR/3 y):ti", "title:x NEAR/3 title:y"),
        ("(x near y):ti", "title:x NEAR/6 title:y"),
        ("(x NEXT y):ti", "title:x PRE/0 title:y"),
        ("{OR #1-#2}", "title:a OR title:b"),
    ],
)
def test_operators(text: str, reads: str) -> None:
    assert tree(f"#1 a:ti\n#2 b:ti\n#3 {text} OR {{AND #1}}").startswith(reads)


@each(
    "text",
    [
        "MeSH descriptor Asthma explode all trees",
        "asthma:ti,ab,kw (Word variations have been searched)",
        "asthma in Title Abstract Keyword",
        "asthma:ti with Publication Year from 2010 to 2020, in Trials",
    ],
)
def test_what_it_prints_says_where_it_comes_from(text: str) -> None:
    assert detect(text) == "cochrane"


@each(
    ("text", "reads"),
    [
        ("MESH DESCRIPTOR X EXPLODE ALL TREES AND CENTRAL:TARGET", "subject:X"),
        ("MeSH descriptor: [X] 2 tree(s) exploded", "subject:X"),
        ("x:TI,AB,KY AND CENTRAL:TARGET", "title:x OR abstract:x OR subject:x"),
        ("INREGISTER AND x:TI", "title:x"),
        ("x:TI AND 01/01/2015_TO_31/12/2020:CD", "title:x"),
        ("(x ADJ3 y):TI IN DARE, NHSEED, HTA", "title:x NEAR/2 title:y"),
        ("x:TI WHERE LPD FROM 01/01/2010 TO 31/12/2014", "title:x"),
        ("[mh X/drug therapy]", "subject:X"),
        ("x:ti not (pubmed or embase):an", "title:x"),
        ("x:ti in Trials with Publication Year from 2010 to 2020", "title:x AND year:2010-2020"),
    ],
)
def test_the_register_and_the_databases_of_crd(text: str, reads: str) -> None:
    """What they print behind a query is no word; what is ignored is told."""
    found = read(text, "cochrane")

    assert to_text(found.query) == reads
    assert found.notes


@each(
    "text",
    [
        "#1 x:ti\n#2 #1 not (pubmed or embase):an",
        "(clinicaltrials or who):so",
        "(x near y):ti",
        "x in All Text AND y in All Text",
        "x in Title Abstract Keyword",
        "x:TI AND CENTRAL:TARGET",
        "(x) IN DARE, HTA",
    ],
)
def test_marks_that_embase_does_not_have(text: str) -> None:
    assert read(text).syntax == "cochrane"


@each(
    ("text", "reads"),
    [
        ("x:ti Publication Year from 2010, in Trials", "title:x AND year:2010-"),
        ("x:ti with Publication Year from 2010", "title:x AND year:2010-"),
        ("x:ti AND (2015 or 2016):yr", "title:x AND (year:2015 OR year:2016)"),
        ("x:ti,emt,mc,so", "title:x OR subject:x OR venue:x"),
    ],
)
def test_years_without_an_end_and_fields_of_the_register(text: str, reads: str) -> None:
    assert tree(text) == reads
