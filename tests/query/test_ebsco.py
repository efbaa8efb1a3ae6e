"""EBSCOhost: its field codes, its limits, and what its histories print."""

from __future__ import annotations

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.query import read, to_text
from metasearch.query.detect import detect
from metasearch.query.ebsco import EBSCO
from tests.cases import each
from tests.query.codes import fate, value_for

#: Of MEDLINE, CINAHL, APA PsycInfo, ERIC and SocINDEX.
PUBLISHED = """
AB AC AD AF AG AN AR AS AU AV BK CA CC CF CI CL CN CO CP CR CY DA DE DH DO DT ED EM EY FM FS FT FX
GC GE GI GL GN GR HU HW IB ID IM IN IP IR IS JB JC JK JN JT KP KW LA LC LG LH LO LT LV LX MA MH MJ
MM MW NM NO NT OD OG OT PA PB PE PG PL PM PN PO PR PS PT PU PY PZ RC RD RF RI RN RP RT RV SA SB SD
SE SI SO SP SU TC TE TI TM TO TP TS TX UI UP UT VI VO XB XT YR ZE ZG ZT ZU ZW
""".split()


@each("code", PUBLISHED)
def test_every_published_code_is_read_or_told(code: str) -> None:
    """None becomes a word, before a word, a phrase or a bracket."""
    value = value_for(EBSCO, code)

    for written in (f"{code} {value}", f'{code} "{value}"', f"{code} ({value})"):
        assert fate(f"TI asthma AND {written}", "ebsco", code)


@each("code", [it for it in PUBLISHED if it not in ("TI", "AB", "AU", "SU", "TX", "KW")])
def test_a_limit_that_is_on_or_off_is_told(code: str) -> None:
    """`FT Y`: whatever it is, no source can be asked."""
    found = read(f"TI asthma AND ({code} Y)", "ebsco")

    assert to_text(found.query) == "title:asthma"
    assert any(f"{code} Y" in note for note in found.notes)


@each(
    ("text", "tree"),
    [
        ("XB x", "title:x OR abstract:x"),
        ("TP x", "title:x OR abstract:x OR subject:x"),
        ("TI x AND PZ Article", "title:x AND type:article"),
        ("TI x AND PT (Tables/Charts)", "title:x"),
        ("TI x AND (RV Y OR PT review)", "title:x"),
        ("TI x AND DT 20100101-20201231", "title:x AND year:2010-2020"),
        ("TI x AND PY 2010 - 2020", "title:x AND year:2010-2020"),
        ("TI (x N3 y)", "title:x NEAR/3 title:y"),
        ("TI (x W2 y)", "title:x PRE/2 title:y"),
        ('MH "Asthma+"', "subject:Asthma"),
    ],
)
def test_fields_and_limits(text: str, tree: str) -> None:
    """N is in any order, W in that of the text."""
    assert to_text(read(text, "ebsco").query) == tree


@each(
    ("text", "tree"),
    [
        ("TI (US policy OR CT scan)", 'title:"US policy" OR title:"CT scan"'),
        (
            'TI (US "health policy" OR ED (visits))',
            'title:US AND title:"health policy" OR title:ED AND title:visits',
        ),
        ("PAIN IN CHILDREN AND TI x", '"PAIN IN CHILDREN" AND title:x'),
        ("AI ethics AND TI x", '"AI ethics" AND title:x'),
        ("TI (x OR AB y)", "title:x OR abstract:y"),
    ],
)
def test_two_capitals_may_be_a_word(text: str, tree: str) -> None:
    """Within the bracket of a field, after other words, and where no field has the name."""
    assert to_text(read(text, "ebsco").query) == tree


def test_two_capitals_that_are_no_field_are_told() -> None:
    """Where a field could stand."""
    assert any(note.startswith("AI: ") for note in read("AI ethics AND TI x", "ebsco").notes)


@each(
    ("text", "reads"),
    [
        ("ED visits AND TI x", '"ED visits" AND title:x'),
        ('(ED visits OR "emergency") AND TI x', '("ED visits" OR emergency) AND title:x'),
        ("IN vitro OR TI x", '"IN vitro" OR title:x'),
    ],
)
def test_a_code_before_what_no_name_is(text: str, reads: str) -> None:
    """Editors have a capital; a note says that these are words."""
    found = read(text, "ebsco")

    assert to_text(found.query) == reads
    assert any("read as words" in note for note in found.notes)


@each(
    ("text", "reads"),
    [
        ('mh "x+" and ti y', "subject:x AND title:y"),
        ("ti (x or y) and ab (z)", "(title:x OR title:y) AND abstract:z"),
        ("ti x and ab z", "title:x AND abstract:z"),
        ("ab initio", '"ab initio"'),
        ("TI (ti alloy)", 'title:"ti alloy"'),
        ("Boolean/Phrase: TI x near3 y", "title:x NEAR/3 y"),
        ("Search terms: TI 'x y'", 'title:"x y"'),
    ],
)
def test_codes_in_small_letters(text: str, reads: str) -> None:
    """Where a word of that name cannot stand."""
    assert to_text(read(text, "ebsco").query) == reads


HISTORY = """\
S1  TI x
S2  TI y
S3  S1 AND S2  """


@each(
    ("printed", "limits"),
    [
        ("Limiters - Published Date: 20100101-20201231; English Language",
         " AND year:2010-2020 AND language:en"),
        ("Limiters - Age Groups: Infant, Child; Language: English, French",
         " AND (language:en OR language:fr)"),
        ("Limiters - Peer Reviewed  Expanders - Apply equivalent subjects", ""),
        ("Limiters: Published Date: 20150101-20151231  Search modes: Proximity", " AND year:2015"),
        ("Expanders - Apply related words  Search modes - Boolean/Phrase", ""),
        ("Search modes - Find all my search terms  Limiters - Language: English",
         " AND language:en"),
        ("Narrow by Language: - english Narrow by Language: - french",
         " AND (language:en OR language:fr)"),
        ("Narrow by SubjectAge: - all child  Search modes - Boolean/Phrase", ""),
        ("Interface - EBSCOhost Research Databases\nDatabase - CINAHL Complete", ""),
        ("View Results (1,234)  View Details  Edit", ""),
        ("View Less", ""),
    ],
)  # fmt: skip
def test_what_a_history_prints(printed: str, limits: str) -> None:
    """Limits hold for all of the line, settings have no part in the search; each is told."""
    found = read(HISTORY + printed, "ebsco")

    assert to_text(found.query) == f"title:x AND title:y{limits}"
    first = printed.split("  ", maxsplit=1)[0]
    assert any(first[:8] in note for note in found.notes)


@each("text", ["TI reefs OR XB reefs", "TI reefs AND FT Y", "reefs\nLimiters - English Language"])
def test_its_marks(text: str) -> None:
    """Those of its limits and histories, too."""
    assert detect(text) == "ebsco"


@each(
    ("text", "code", "near"),
    [('VV "x" AND TI y', "VV", "zv"), ("TI x AND TB (y)", "TB", "xb"), ('QH "x"', "QH", "mh")],
)
def test_an_unknown_code_is_refused_with_the_nearest(text: str, code: str, near: str) -> None:
    """With its place in the text."""
    with pytest.raises(QuerySyntaxError) as caught:
        read(text, "ebsco")

    assert code in caught.value.reason
    assert near in caught.value.reason
    assert text[caught.value.position :].startswith(code)
