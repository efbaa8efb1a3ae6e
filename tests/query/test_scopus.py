"""Scopus: its field codes, its lists of limits, and what its pages print."""

from __future__ import annotations

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.query import read, to_text
from metasearch.query.scopus import SCOPUS
from tests.cases import each
from tests.query.codes import fate, value_for

#: Advanced search and the search API (search tips), and the codes of the lists of limits.
PUBLISHED = """
ABS AF-ID AFFIL AFFILCITY AFFILCOUNTRY AFFILORG ALL ARTNUM AU-ID AUTH AUTHCOLLAB AUTHFIRST AUTHKEY
AUTHLASTNAME AUTHOR-NAME CASREGNUMBER CHEM CHEMNAME CITEDBY-COUNT CODEN CONF CONFLOC CONFNAME
CONFSPONSORS DOCTYPE DOI EDFIRST EDITOR EDLASTNAME EID EISSN EXACTKEYWORD EXACTSRCTITLE FIRSTAUTH
FUND-ACR FUND-ALL FUND-NO FUND-SPONSOR INDEX INDEXTERMS ISBN ISSN ISSNP ISSUE KEY LANGUAGE
LOAD-DATE MANUFACTURER OA OPENACCESS ORCID ORIG-LOAD-DATE PAGEFIRST PAGELAST PAGES PMID
PREFNAMEAUID PUBDATETXT PUBLISHER PUBSTAGE PUBYEAR REF REFARTNUM REFAUTH REFEID REFPAGE
REFPAGEFIRST REFPUBYEAR REFSRCTITLE REFTITLE SEQBANK SEQNUMBER SOURCE-ID SRCTITLE SRCTYPE SUBJAREA
SUBJMAIN SUBJTERMS TITLE TITLE-ABS TITLE-ABS-KEY TITLE-ABS-KEY-AUTH TRADENAME VOLUME WEBSITE
""".split()


@each("code", PUBLISHED)
def test_every_published_code_is_read_or_told(code: str) -> None:
    """None becomes a word, with a blank before its bracket or without."""
    value = value_for(SCOPUS, code)

    for bracket in ("({})", " ( {} )"):
        assert fate(f"TITLE(asthma) AND {code}{bracket.format(value)}", "scopus", code)


@each("code", [it for it in PUBLISHED if "YEAR" in it or "DATE" in it or "COUNT" in it])
def test_every_code_may_be_compared(code: str) -> None:
    """With signs and with words."""
    for sign in (">", "<", "=", "AFT", "BEF", "IS"):
        assert fate(f"TITLE(asthma) AND {code} {sign} 2015", "scopus", code)


@each(
    ("text", "tree"),
    [
        ("TITLE(x) AND ( LIMIT-TO ( PUBYEAR , 2020 ) )", "title:x AND year:2020"),
        ('TITLE(x) AND LIMIT-TO ( EXACTSRCTITLE , "Chest" )', "title:x AND venue:Chest"),
        ('TITLE(x) AND LIMIT-TO(AF-ID,"Univ (North)" 60012345)', "title:x"),
        ("TITLE(x) AND LIMIT-TO(ACCESSTYPE(OA))", "title:x"),
        # One alternative that cannot be asked makes all of them unknown.
        (
            'TITLE(x) AND (LIMIT-TO(DOCTYPE,"re") OR LIMIT-TO(SUBJAREA,"MEDI"))',
            "title:x",
        ),
        # Each excludes, and what cannot be excluded is not.
        (
            'TITLE(x) AND (EXCLUDE(DOCTYPE,"re") OR EXCLUDE(PUBYEAR,2020) OR EXCLUDE(OA,"all"))',
            "title:x AND NOT type:review AND NOT year:2020",
        ),
        ('TITLE(x) AND EXCLUDE(DOCTYPE,"sh")', "title:x"),
        (
            'TITLE(x) AND EXCLUDE(DOCTYPE,"le") AND EXCLUDE(DOCTYPE,"ed")',
            "title:x AND NOT type:letter AND NOT type:editorial",
        ),
        ('TITLE(x) AND NOT (EXCLUDE(DOCTYPE, "le"))', "title:x AND NOT type:letter"),
        (
            'TITLE(x) AND (LIMIT-TO(PUBYEAR, 2010) OR EXCLUDE(DOCTYPE, "le"))',
            "title:x AND year:2010 AND NOT type:letter",
        ),
        (
            'TITLE(x) AND (EXCLUDE(DOCTYPE, "le")) OR (EXCLUDE(DOCTYPE, "ed"))',
            "title:x AND NOT type:letter AND NOT type:editorial",
        ),
        (
            'TITLE(x) AND ((EXCLUDE(PUBYEAR, 2010)) OR (EXCLUDE(DOCTYPE, "le")))',
            "title:x AND NOT year:2010 AND NOT type:letter",
        ),
    ],
)
def test_lists_of_limits(text: str, tree: str) -> None:
    """As the pages write them into the query; what cannot be asked is told."""
    assert to_text(read(text, "scopus").query) == tree


def test_a_limit_that_cannot_be_asked_is_told_with_its_words() -> None:
    """So that the reader of the note finds it."""
    found = read('TITLE(x) AND (EXCLUDE(SUBJAREA,"MEDI") OR EXCLUDE(DOCTYPE,"re"))', "scopus")

    assert any('EXCLUDE(SUBJAREA,"MEDI")' in note for note in found.notes)


@each(
    ("text", "tree"),
    [
        ("TITLE(x) AND PUBDATETXT(May 2003)", "title:x AND year:2003"),
        ("TITLE(x) AND PUBDATETXT(Spring)", "title:x"),
        ("TITLE(x) AND SUBJTERMS(2202)", "title:x"),
        ('TITLE(x) AND SUBJTERMS("gene therapy")', 'title:x AND subject:"gene therapy"'),
        ("TITLE(x) AND DOCTYPE(qq)", "title:x"),
        ("TITLE(x) AND NOT (INDEX(medline) OR PMID(1* OR 2*))", "title:x"),
        ("TITLE(a W/3 b)", "title:a NEAR/3 title:b"),
        ("TITLE(a PRE/0 b)", "title:a PRE/0 title:b"),
        # A name before a bracket is a word within a field, unless only a field can look so.
        (
            "TITLE(poly(lactic) AND DNA (repair))",
            "title:poly AND title:lactic AND title:DNA AND title:repair",
        ),
        ("TITLE(x) View less", "title:x"),
        ("DOI(10.1016/S0140-6736(20)30183-5)", "doi:10.1016/s0140-6736(20)30183-5"),
        ("AUTHOR-NAME(smith,j.)", "author:(smith j.)"),
        ("TITLE(x) AND NOT DOCTYPE(no)", "title:x"),
        ("TITLE-ABS: (x)", "title:x OR abstract:x"),
        ("Your query : (TITLE(x) AND PUBYEAR > 2010)", "title:x AND year:2011-"),
        ("TITLE(x)\n1,234 document results", "title:x"),
    ],
)
def test_what_else_is_read(text: str, tree: str) -> None:
    """Fields of special values, and what pages print round a query."""
    assert to_text(read(text, "scopus").query) == tree


@each("text", ["PUBYEAR 2010 AND TITLE(x)", "TITLE(x) AND TITLE-ABS-KEY y", "TITLE(x DOCTYPE re)"])
def test_a_code_without_brackets_is_refused(text: str) -> None:
    """It would be a word that must occur."""
    with pytest.raises(QuerySyntaxError, match="needs brackets"):
        read(text, "scopus")


@each(
    ("text", "code", "near"),
    [
        ("TITLE(x) AND TITEL(y)", "TITEL", "title"),
        ("TITLE(x) AND PUBYEARS > 2010", "PUBYEARS", "pubyear"),
        ("TITLE(x) AND AFFILCOUNTRIES ( y )", "AFFILCOUNTRIES", "affilcountry"),
        ("TITLE(x OR AUTHKEYS(y))", "AUTHKEYS", "authkey"),
    ],
)
def test_an_unknown_code_is_refused_with_the_nearest(text: str, code: str, near: str) -> None:
    """With its place in the text."""
    with pytest.raises(QuerySyntaxError) as caught:
        read(text, "scopus")

    assert code in caught.value.reason
    assert near in caught.value.reason
    assert text[caught.value.position :].startswith(code)
