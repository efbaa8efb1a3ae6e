"""Web of Science: its field tags, and what its pages print before and after 2021."""

from __future__ import annotations

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.query import read, to_text
from metasearch.query.detect import detect
from metasearch.query.wos import WOS
from tests.cases import each
from tests.query.codes import fate, value_for

#: Of the Core Collection, then of MEDLINE and of the other databases.
PUBLISHED = """
AB AD AI AK ALL AU CF CI CU DO DOP DT EAY ED FD FG FO FPY FT GP IS KP LA LD OG OO PMID PS PUBL PY
SA SDG SG SO SU TI TMAC TMIC TMSO TS UT WC ZP
AN CH CL DE GN MA MC MH MHX MQ PN RN SS ST TA TN
""".split()
#: Of the lists beside the results, `DT==("ARTICLE")`.
REFINE_LISTS = "DT LA PY SO SJ TASCA EDN OA WC OG CU PUBL FO SDG SILOID DX2NG ENRICHED".split()

REFINED_PAGE = """\
TITLE: (x) OR TITLE: (y)
Refined by: DOCUMENT TYPES: ( REVIEW ) AND LANGUAGES: ( ENGLISH )
Timespan: 2010-2020. Indexes: SCI-EXPANDED, SSCI."""
TOPIC = "title:x OR abstract:x OR subject:x"


@each("code", PUBLISHED)
def test_every_published_tag_is_read_or_told(code: str) -> None:
    """None becomes a word, with brackets or without."""
    value = value_for(WOS, code)

    for written in (f"{code}={value}", f"{code}=({value})", f"{code} = ( {value} )"):
        assert fate(f"TI=asthma AND {written}", "wos", code)


@each("code", REFINE_LISTS)
def test_lists_beside_the_results_are_read_or_told(code: str) -> None:
    """With two signs and their values in quotes; such a list may have a code of its own."""
    value = value_for(WOS, code)

    assert fate(f'TI=(asthma) AND ({code}==("{value}"))', "wos", code)


@each(
    ("text", "tree"),
    [
        ("TOPIC: (x)", TOPIC),
        ("TITLE: (x) AND LANGUAGE: (English)", "title:x AND language:en"),
        ("Title=(x) AND Document Type=(Review)", "title:x AND type:review"),
        ("AUTHOR: (Smith) OR PUBLICATION NAME: (Chest)", "author:Smith OR venue:Chest"),
        ("YEAR PUBLISHED: (2015-2020) AND TITLE: (x)", "year:2015-2020 AND title:x"),
        ("TITLE: (x) AND ADDRESS: (Leeds)", "title:x"),
        (
            REFINED_PAGE,
            "(title:x OR title:y) AND type:review AND language:en AND year:2010-2020",
        ),
        (
            "TITLE: (x)\nRefined by: [excluding] LANGUAGES: ( FRENCH )\nTimespan: All years.",
            "title:x AND NOT language:fr",
        ),
        ("You searched for: TITLE: (x)", "title:x"),
        ("TI=(x)\nResults: 1,234 (from Web of Science Core Collection)", "title:x"),
        ("TI=(x) Search language=Auto", "title:x"),
        (
            "TITLE: (x) DOCUMENT TYPES: Article OR Review LANGUAGE: English",
            "title:x AND (type:article OR type:review) AND language:en",
        ),
        ("TI=x Refined by: [excluding]: DOCUMENT TYPES: (LETTER)", "title:x AND NOT type:letter"),
        ("TI=(x);", "title:x"),
    ],
)
def test_pages_before_2021(text: str, tree: str) -> None:
    """Fields have names with a colon, and limits stand in lines of their own."""
    assert to_text(read(text, "wos").query) == tree


@each(
    ("text", "tree"),
    [
        ("x (Topic)", TOPIC),
        ("x (Title) and reef* (Title)", "title:x AND title:reef*"),
        ("x OR y (Title)", "title:x OR title:y"),
        (
            '("a b" OR y) (Title) and 2015-2020 (Publication Years)',
            '(title:"a b" OR title:y) AND year:2015-2020',
        ),
        (
            "x (Title) and Review Article or Letter (Document Types)",
            "title:x AND (type:review OR type:letter)",
        ),
        ("TI=(x) and English (Languages)", "title:x AND language:en"),
        ("x (Title) not Letter (Document Types)", "title:x AND NOT type:letter"),
        ("x (Title) and not Letter (Document Types)", "title:x AND NOT type:letter"),
        ("x (Title) and Letter (Exclude - Document Types)", "title:x AND NOT type:letter"),
        (
            "x (Title) and Data (Exclude - Database) and English (Languages)",
            "title:x AND language:en",
        ),
        ("(x (Title)) AND (y (Title) or z (Abstract))", "title:x AND (title:y OR abstract:z)"),
        ("x (Title) and Open Access (Open Access)", "title:x"),
        # A bracket that only looks so.
        ("TI=(Title)", "title:Title"),
        ("TI=x AND LA=(English)", "title:x AND language:en"),
        ("TI=x NOT DT=(Early Access)", "title:x"),
        (
            "x (Title)\nRefined By:\nDocument Types: Article or Review Article\nLanguages: English",
            "title:x AND (type:article OR type:review) AND language:en",
        ),
        ("x (Title) Refined By: Languages: English\nClear all", "title:x AND language:en"),
        ("x (Title) | Refined By: NOT Document Types: Letter", "title:x AND NOT type:letter"),
        ("TI=x Timespan: 2010-01-01 to 2020-12-31 (Index Date)", "title:x AND year:2010-2020"),
    ],
)
def test_pages_since_2021(text: str, tree: str) -> None:
    """The name of a field stands behind what it holds for, in brackets."""
    assert to_text(read(text, "wos").query) == tree


def test_lines_of_a_history_may_be_limited() -> None:
    """What lists beside the results take is the last part alone."""
    text = "1: TI=(x)\n2: TI=(y)\n3: #1 AND #2 and English (Languages) and 2020 (Publication Years)"

    assert to_text(read(text, "wos").query) == "title:x AND title:y AND language:en AND year:2020"


@each(
    ("text", "tree"),
    [
        ("TI='soil x'", 'title:"soil x"'),
        ("TI=('a b' OR 'c d')", 'title:"a b" OR title:"c d"'),
        ("TI=(Alzheimer's disease)", "title:(Alzheimer's disease)"),
        ("TI=(parents' house and dogs' bed)", "title:(parents house) AND title:(dogs bed)"),
        ("TI=\n(x OR\ny)\nAND PY=(2015-2020)", "(title:x OR title:y) AND year:2015-2020"),
        ("ALL=((x OR y) AND z)", "(x OR y) AND z"),
        ("TI=x AND PY=2010 - 2020", "title:x AND year:2010-2020"),
        ("TI=x AND LD=(2020-01-01/2020-12-31)", "title:x AND year:2020"),
        ("TI=x AND DOP=2020-02-01/2021-06-30", "title:x AND year:2020-2021"),
        ("TI=x AND DT=(Book Review)", "title:x"),
        ("TI=(a NEAR/3 b)", "title:a NEAR/3 title:b"),
        ("TI=(a NEAR b)", "title:a NEAR/15 title:b"),
        ("TI=(a SAME b)", "title:a AND title:b"),
        ("TI=(city: x)", "title:(city: x)"),
        ("TI=(x AND p=0.05)", "title:x AND title:p=0.05"),
        ("TI=x NOT DT=(Note OR Letter)", "title:x AND NOT type:letter"),
        ("TI=x NOT DT=Note", "title:x"),
        ("DO=(10.1016/S0140-6736(20)30183-5)", "doi:10.1016/s0140-6736(20)30183-5"),
        ("AU=Smith,J*", "author:(Smith J)"),
        ("x (Title) and Open Access and Article (Document Types)", "title:x AND type:article"),
        ("x (Title) and Hot Papers or Open Access", "title:x"),
        ("1,234 results from Web of Science Core Collection for: x (Title)", "title:x"),
        ("TI=x\n...Less", "title:x"),
        ("TI:(x)", "title:x"),
    ],
)
def test_what_else_is_read(text: str, tree: str) -> None:
    """Single quotes, breaks of lines, dates, and words near one another."""
    assert to_text(read(text, "wos").query) == tree


@each(
    "text",
    [
        "TOPIC: (x) AND DOCUMENT TYPES: (Article)",
        "reefs (Topic) and English (Languages)",
        "TS='soil quality'",
        "TS=\n(reef* OR\ncoral)",
        'TI=(reefs) AND LA==("ENGLISH") AND TS=coral',
    ],
)
def test_its_marks(text: str) -> None:
    """Those of its pages, too."""
    assert detect(text) == "wos"


@each(
    ("text", "code", "near"),
    [
        ("TI=x AND TIT=y", "TIT", "ti"),
        ("TI=x AND PUBS=(y)", "PUBS", "pub"),
        ("TS=(x AND FPYY=2010)", "FPYY", "fpy"),
    ],
)
def test_an_unknown_tag_is_refused_with_the_nearest(text: str, code: str, near: str) -> None:
    """With its place in the text."""
    with pytest.raises(QuerySyntaxError) as caught:
        read(text, "wos")

    assert code in caught.value.reason
    assert near in caught.value.reason
    assert text[caught.value.position :].startswith(code)


def test_an_error_in_a_part_is_placed_in_the_whole() -> None:
    """What a field behind holds for is read by itself."""
    text = "x (Title) and y* (Title) and English (Languages)"

    with pytest.raises(QuerySyntaxError) as caught:
        read(text, "wos")

    assert caught.value.text == text
    assert text[caught.value.position :].startswith("y*")


FILE = """\
# Web of Science Search Strategy (v0.1)

# Database: Web of Science Core Collection

# Entitlements:

- WOS.IC: 1993 to 2023
- WOS.SCI: 1900 to 2023

# Searches:

1: TI=x    Date Run: Mon Jul 05 2021 10:00:00 GMT+0200 (Central European Time)   Results: 12345
"""


@each(
    ("text", "reads"),
    [
        (FILE, "title:x"),
        (
            FILE + "2: TI=y  Editions: WOS.SCI Results: 23\n3: #1 AND #2  Results: 3",
            "title:x AND title:y",
        ),
        (FILE + "2: TI=y    Results: 2", "title:x AND title:y"),
        (FILE + "2: (TI=x) NOT TI=y    Results: 2", "title:x AND NOT title:y"),
    ],
)
def test_its_file_of_a_history(text: str, reads: str) -> None:
    """Its headings, moments and hits are no words, and are told."""
    found = read(text, "wos")

    assert to_text(found.query) == reads
    assert any("# Entitlements" in note for note in found.notes)
