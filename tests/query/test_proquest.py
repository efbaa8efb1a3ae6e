"""ProQuest: its field codes, those of old, and what its pages print."""

from __future__ import annotations

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.query import read, to_text
from metasearch.query.detect import detect
from metasearch.query.proquest import PROQUEST
from tests.cases import each
from tests.query.codes import fate, value_for

#: Of the platform, and of ERIC, APA PsycInfo, Sociological Abstracts, MEDLINE and Dissertations.
PUBLISHED = """
AB ABSTRACT ADV AF AG ALL AN AT AU AUTHOR CA CC CF CO CONF CP DEG DG DISKW DOI DTYPE ED EMB FAV FN
FT GEO GRANT GR ID IF ISBN ISS ISSN LA LANG LOC LUD MAINSUBJECT ME MESH MJEMB MJMESH NAICS NCT NOFT
ORG PB PD PEER PER PG PMID PO PS PUB PUBID PUBTITLE RF RN RTYPE SCH SIC STYPE SU SUBT TA TAG TI
TITLE TM UD ULO VO YR
""".split()
#: Of Illumina, whose queries are still published.
OF_OLD = "AB AF AN AU DE IB IS JN KW LA PB PT PY SO TI".split()


@each("code", PUBLISHED)
def test_every_published_code_is_read_or_told(code: str) -> None:
    """None becomes a word, in capitals or small letters, with more precise forms or without."""
    value = value_for(PROQUEST, code)

    for name in (code, code.lower()):
        for written in (f"{name}({value})", f'{name}.exact("{value}")', f'{name}.X("{value}")'):
            assert fate(f"ti(asthma) AND {written}", "proquest", code)


@each("code", OF_OLD)
def test_every_code_of_old_is_read_or_told(code: str) -> None:
    """With a sign behind."""
    value = value_for(PROQUEST, code)

    for written in (f'{code}="{value}"', f"{code}=({value})", f"{code}={value}"):
        assert fate(f"TI=asthma AND {written}", "proquest", code)


@each(
    ("text", "tree"),
    [
        ("ti(x) AND PEER(yes)", "title:x"),
        ("ti(x) NOT PEER(yes)", "title:x"),
        (
            'DE="health care" AND KW=(x within 1 y)',
            'subject:"health care" AND subject:x NEAR/1 subject:y',
        ),
        ("ti(x NEAR y)", "title:x NEAR/4 title:y"),
        ("ti(x PRE/2 y)", "title:x PRE/2 title:y"),
        ("ti(x P/2 y)", "title:x PRE/2 title:y"),
        ("ti(x N/2 y)", "title:x NEAR/2 title:y"),
        ("ti(poly(lactic))", "title:poly AND title:lactic"),
        ("ti(limits of agreement)", "title:(limits of agreement)"),
        ('ti(x) AND stype.exact("Wire Feeds" OR "Letter")', "title:x"),
    ],
)
def test_fields_and_limits(text: str, tree: str) -> None:
    """A limit that cannot be asked leaves the search as wide as it is without."""
    assert to_text(read(text, "proquest").query) == tree


@each(
    ("printed", "limits"),
    [
        ("Limits applied", ""),
        ("Databases: ERIC, APA PsycInfo", ""),
        ("Additional limits - Date: From January 01 2010 to June 2020; Language: English, French",
         " AND year:2010-2020 AND (language:en OR language:fr)"),
        ("Additional limits - Source type: Wire Feeds; Document type: Letter", " AND type:letter"),
        ("Limits applied: Peer reviewed, Date: After January 01 2010", " AND year:2010-"),
        ("Date: Before December 31 2015", " AND year:-2015"),
        ("Narrowed by: Language: English", " AND language:en"),
    ],
)  # fmt: skip
def test_what_pages_print(printed: str, limits: str) -> None:
    """Limits hold for all of the query; each is told."""
    found = read(f"ti(x)\n{printed}", "proquest")

    assert to_text(found.query) == f"title:x{limits}"
    assert any(printed[:8] in note for note in found.notes)


def test_what_an_export_of_searches_prints() -> None:
    """The number of the set before the query, the databases and hits behind."""
    text = "Set#: S1\nSearched for: ti(x)\nDatabases: ERIC\nResults: 1,234"

    assert to_text(read(text, "proquest").query) == "title:x"


def test_the_mark_of_old_queries() -> None:
    """And none of plain words."""
    assert detect('DE=("health care" or "hospitals") and KW=reefs') == "proquest"
    assert detect("deaths within 5 years of treatment") == "simple"


@each(
    ("text", "code", "near"),
    [
        ("ti(x) AND titel(y)", "titel", "title"),
        ("ti(x) AND MESHE.EXACT(y)", "MESHE", "mesh"),
        ('ti(x) AND SU.FOO("y")', "SU.FOO", "su"),
        ('ti(x) AND DEE="y"', "DEE", "de"),
    ],
)
def test_an_unknown_code_is_refused_with_the_nearest(text: str, code: str, near: str) -> None:
    """With its place in the text."""
    with pytest.raises(QuerySyntaxError) as caught:
        read(text, "proquest")

    assert code in caught.value.reason
    assert near in caught.value.reason
    assert text[caught.value.position :].startswith(code)


SETS = """\
Set#: S1
Searched for: ti(x)
Databases: ERIC
Results: 123

Set#: S2
Searched for: ab(y)
Results: 45*

Set#: S3
Searched for: {}
Results: 6"""


@each("combined", ["S1 AND S2", "[S1] AND [S2]"])
def test_sets_that_it_writes_out(combined: str) -> None:
    """Each with a number, in rows of their own."""
    assert to_text(read(SETS.format(combined), "proquest").query) == "title:x AND abstract:y"


def test_a_date_of_publication_is_one() -> None:
    """There is nothing to tell; what a source is called is no type of works."""
    assert read("ti(x) AND pd(2010)", "proquest").notes == ()
    found = read('ti(x) AND stype.exact("Scholarly Journals")', "proquest")

    assert to_text(found.query) == "title:x"
    assert any("Scholarly Journals: ignored" in note for note in found.notes)
