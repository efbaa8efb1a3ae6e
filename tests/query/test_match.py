"""Filtering records by a query, in three-valued logic."""

from __future__ import annotations

from metasearch.query import And, Not, Or, Term, matches, parse
from metasearch.record import Author, Record
from tests.cases import each

RECORD = Record(
    source="x",
    title="Gène-Drive systems in C++ and Ca2+ models",
    subtitle="a review of COVID-19",
    authors=(Author("Austin Burt", "Burt", "Austin"), Author("J. A. Müller"), Author("王小明")),
    year=2020,
    venue="Nature Reviews Genetics",
    abstract="Selfish genetic elements spread. 深度学习用于医学图像分析。",
    keywords=("Mosquito control", "Ø-space"),
    doi="10.1000/abc.1",
    ids={"pmid": "12345678", "arxiv": "2104.12255"},
    isbn=("9780306406157",),
    issn=("1471-0056",),
    type="review",
    language="eng",
)
BARE = Record(source="x", title="Gene drive")


@each(
    "text",
    [
        "gene",
        "GENE drive",
        "ｇｅｎｅ",
        "title:(drive gene)",
        '"gene drive systems"',
        '"models a review"',
        "C++",
        "ca2",
        "ca2+",
        "covid-19",
        "title:c",
        "author:burt",
        'author:"austin burt"',
        'author:"burt austin"',
        'author:"burt a"',
        "author:(burt muller)",
        "author:muller",
        "author:王小明",
        "venue:nature",
        "abstract:selfish",
        "abstract:深度学习",
        '"学习 用于"',
        'subject:"mosquito control"',
        "subject:o-space",
        "doi:10.1000/ABC.1",
        "doi:10.1000",
        "https://doi.org/10.1000/abc.1",
        "12345678",
        "arXiv:2104.12255",
        "isbn:0-306-40615-2",
        "isbn:978-0-306-40615-7",
        "9780306406157",
        "978-0-306-40615-7",
        "issn:14710056",
        "gene year:2019-",
        "gene year:2015-2020",
        "gene year:2020-2024",
        "gene &",
        "mosq*",
        "gene*",
        "title:drive-sys*",
        "author:bur*",
        "深度学*",
        "10.1000*",
        "gene type:review",
        "gene type:article",
        "gene language:en",
        "gene NOT language:zh",
        "nonsense OR burt",
        "gene NOT nonsense",
    ],
)
def test_a_record_matches(text: str) -> None:
    """Case, accents, width, order of names and spelling of identifiers do not matter."""
    assert matches(parse(text), RECORD) is True


@each(
    "text",
    [
        "gen",
        "genes",
        "C#",
        '"drive gene"',
        '"genetics selfish"',
        "title:selfish",
        "author:(burt smith)",
        "author:austen",
        "author:jones",
        "abstract:学习深度",
        "doi:10.1000/abc",
        "doi:10.100",
        "isbn:9780131103627",
        "issn:0000-0000",
        "gene year:-2019",
        "gene NOT mosquito",
        "gene -title:drive",
        "subject:mosquito AND venue:science",
        "ene*",
        "title:mosq*",
        "title:system-dri*",
        "gene type:thesis",
        "gene language:zh",
        "gene NOT type:article",
    ],
)
def test_a_record_does_not_match(text: str) -> None:
    """Words are compared whole and phrases in order."""
    assert matches(parse(text), RECORD) is False


@each(
    "text",
    [
        "author:burt",
        "venue:nature",
        "abstract:x",
        "subject:x",
        "doi:10.1000/x",
        "isbn:9780306406157",
        "issn:1471-0056",
        "gene year:2020",
        "mosq*",
        "venue:nat*",
        "gene type:article",
        "gene NOT type:article",
        "gene language:en",
        "gene NOT author:burt",
        "mosquito",
        "gene NOT mosquito",
        "mosquito OR author:burt",
    ],
)
def test_nothing_can_be_said_where_the_field_is_missing(text: str) -> None:
    """An absent field, or an absent word without an abstract, leaves the question open."""
    assert matches(parse(text), BARE) is None


def test_a_present_word_decides_even_without_an_abstract() -> None:
    """What NOT excludes is excluded wherever it is seen."""
    assert matches(parse("drive"), BARE) is True
    assert matches(parse("x NOT drive"), BARE) is False
    assert matches(parse("gene NOT title:mosquito"), BARE) is True


@each("text", ['author:"john muller"', "author:(muller jane)", 'author:"müller j"'])
def test_a_name_that_agrees_but_for_initials_stays_open(text: str) -> None:
    """ "J. A. Müller" may be John or Jane."""
    assert matches(parse(text), RECORD) is None


def test_a_record_without_anything_says_nothing() -> None:
    """No title, no verdict."""
    assert matches(Term("x", "title"), Record(source="x")) is None
    assert matches(Term("x"), Record(source="x")) is None


@each(
    ("left", "right", "both", "one"),
    [
        (True, True, True, True),
        (True, False, False, True),
        (True, None, None, True),
        (False, False, False, False),
        (False, None, False, None),
        (None, None, None, None),
    ],
)
def test_connectives_follow_kleene(
    left: bool | None, right: bool | None, both: bool | None, one: bool | None
) -> None:
    """False decides AND, True decides OR, and None is contagious otherwise."""
    clause = {True: Term("gene", "title"), False: Term("x", "title"), None: Term("x", "venue")}
    a, b = clause[left], clause[right]

    assert matches(And((a, b)), BARE) is matches(And((b, a)), BARE) is both
    assert matches(Or((a, b)), BARE) is matches(Or((b, a)), BARE) is one
    assert matches(Not(a), BARE) is (None if left is None else not left)


def test_a_review_is_an_article_but_not_the_other_way_round() -> None:
    """Databases call a review an article, or tell the two apart."""
    article = Record(source="x", title="Gene drive", type="article")

    assert matches(parse("gene type:article"), article) is True
    assert matches(parse("gene type:review"), article) is False


@each("language", ["zh", "chi", "zho", "zh-CN", "Chinese", "中文"])
def test_languages_are_compared_whatever_a_database_calls_them(language: str) -> None:
    """Most records have ISO 639-1, but not all."""
    assert (
        matches(parse("x language:chinese"), Record(source="x", title="X", language=language))
        is True
    )


def test_an_unknown_language_is_another_one() -> None:
    """A code of three letters that has none of two is compared as it is."""
    assert matches(parse("x language:zh"), Record(source="x", title="X", language="yue")) is False
