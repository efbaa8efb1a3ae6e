"""CQL 1.2: what is read, what is told, what is refused.

The forms are those of public test sets (the regression queries of Index Data's cql-java, the tests
of its cql-go), with words and indexes of our own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.errors import QuerySyntaxError
from metasearch.query import And, Not, Or, Query, Term, Years, read, to_text
from metasearch.query.cql import parse_cql, parse_cql_with_sort
from metasearch.query.cql_grammar import INDEXES
from metasearch.query.tree import MAX_DEPTH, MAX_LENGTH, MAX_TERMS
from tests.cases import each
from tests.growth import MOST, growth


def phrase(text: str, field: str = "any") -> Term:
    return Term(text, field, phrase=True)


def error_of(text: str) -> QuerySyntaxError | None:
    """What reading it raises, if anything."""
    try:
        parse_cql(text)
    except QuerySyntaxError as error:
        return error
    return None


def refused(text: str) -> QuerySyntaxError:
    with pytest.raises(QuerySyntaxError) as caught:
        parse_cql(text)
    assert caught.value.syntax == "cql"
    return caught.value


# --------------------------------------------------------------------------- terms


@each(
    ("text", "query"),
    [
        ("reef", Term("reef")),
        ('"reef"', Term("reef")),
        ("sci.bio.ecology", Term("sci.bio.ecology")),
        ("xml:element", Term("xml:element")),
        ('"<xml.element>"', Term("<xml.element>")),
        ('"prox/word/>=/5"', Term("prox/word/>=/5")),
        ('("reef")', Term("reef")),
        ("((reef))", Term("reef")),
        ('"coral reef"', phrase("coral reef")),
        ("all", Term("all")),
        ("prox", Term("prox")),
        ('"and"', Term("and")),
        (r'"say \"reef\" twice"', phrase('say "reef" twice')),
        (r'"a \\ b"', phrase("a \\ b")),
        ("10.1000", Term("10.1000")),
        ('"10.1000/ABC"', Term("10.1000/abc", "doi")),
        ("\tcoral\n", Term("coral")),
        ("珊瑚", Term("珊瑚")),
    ],
)
def test_a_term_alone(text: str, query: Query) -> None:
    """Words of any form, quotes, escapes; in quotes a keyword is a word."""
    assert parse_cql(text).query == query


@each(
    ("text", "query"),
    [
        ("and and and", And((Term("and"), Term("and")))),
        ("or or prox", Or((Term("or"), Term("prox")))),
        ("not not prox", And((Term("not"), Not(Term("prox"))))),
        ("title = and", Term("and", "title")),
        ("reef and any", And((Term("reef"), Term("any")))),
        ("sortby", Term("sortby")),
    ],
)
def test_keywords_are_terms_where_a_term_must_stand(text: str, query: Query) -> None:
    """The grammar has them among its terms."""
    assert parse_cql(text).query == query


@each(("text", "query"), [("coral*", Term("coral", truncated=True)), (r"coral\*", Term("coral*"))])
def test_a_star_at_the_end_of_a_word(text: str, query: Query) -> None:
    """Right truncation is kept; a backslash makes a mask a letter."""
    assert parse_cql(text).query == query


def test_unmasked_terms_have_no_masks() -> None:
    """`/unmasked` says so."""
    assert parse_cql('title =/unmasked "c*t"').query == Term("c*t", "title")


@each("text", ["cor?l", "c*l", "*reef", "co^ral", "^", "*", "title = co?al"])
def test_other_masks_are_refused(text: str) -> None:
    """No source can be asked for them all, and to drop them would ask for something else."""
    error = refused(text)

    assert "is not supported" in error.reason or "only at the end of a word" in error.reason


@each(
    ("text", "query"),
    [
        ("^reef", Term("reef")),
        ('"reef ^"', Term("reef")),
        ("bath.isbn = ^9780262033848", Term("9780262033848", "isbn")),
        ('dc.title = "^coral reef^"', Term("coral reef", "title", phrase=True)),
        (r"\^reef", Term("^reef")),
    ],
)
def test_anchors_are_ignored(text: str, query: Query) -> None:
    """As library clients send them; a note says that the place in the field is not searched."""
    found = parse_cql(text)

    assert found.query == query
    assert any(note.startswith("^ is ignored") for note in found.notes) == (text[0] != "\\")


@each(
    ("text", "query"),
    [
        ("marc.245 = reef", Term("reef", "title")),
        ("marc.245$a = reef", Term("reef", "title")),
        ("marc.100$a = darwin", Term("darwin", "author")),
        ("marc.020 = 9780262033848", Term("9780262033848", "isbn")),
        ('> m="info:srw/cql-context-set/1/marc-v1.0" m.650 = reef', Term("reef", "subject")),
    ],
)
def test_indexes_of_the_marc_set(text: str, query: Query) -> None:
    """Fields of MARC, with or without a subfield."""
    assert parse_cql(text).query == query


@each(
    ("text", "kind"),
    [
        ("coral reef", "syntax"),
        ("(coral", "parentheses"),
        ("coral)", "parentheses"),
        ('"coral', "quotes"),
        ("pica.tit = reef", "context-set"),
        ("marc.999 = reef", "index"),
        ("dc.nonsuch = reef", "index"),
        ("rec.identifier = x", "index"),
        ("cql.resultSetId = 1", "result-set"),
        ("dc.title near reef", "relation"),
        ("dc.title < reef", "relation-and-index"),
        ("dc.title =/regexp reef", "relation-modifier"),
        ("cor?l", "masking"),
        ("isbn = 978*", "masking"),
        ("c*l", "masking-position"),
        ("co^ral", "anchoring"),
        ('""', "empty-term"),
        ("dc.type = nonsuch", "term"),
        ("reef and dc.date = soon", "term"),
        ("cql.allRecords = 1", "feature"),
        ("dc.date = 2020", "feature"),
        (" or ".join(["reef"] * 1001), "terms"),
        ("x" * 30_001, "length"),
    ],
)
def test_what_is_wrong_is_told_apart(text: str, kind: str) -> None:
    """By a word, so that protocols can report it by their own numbers."""
    assert refused(text).kind == kind


def test_keys_of_sortby_for_a_caller_that_sorts() -> None:
    """They come beside the query, and no note says that they are ignored."""
    read, keys = parse_cql_with_sort("reef sortBy dc.date/sort.descending dc.title")

    assert [(name, [modifier.name for modifier in mods]) for name, mods in keys] == [
        ("dc.date", ["sort.descending"]),
        ("dc.title", []),
    ]
    assert (read.query, read.notes) == (Term("reef"), ())


def test_a_phrase_may_end_in_a_truncated_word() -> None:
    """With one before the last, it is read as words, which is told."""
    stem = Term("coral ree", "title", phrase=True, truncated=True)
    assert parse_cql('title = "coral ree*"').query == stem

    found = parse_cql('title = "cor* reef"')
    assert found.query == And((Term("cor", "title", truncated=True), Term("reef", "title")))
    assert found.notes == ("a phrase with a * in it is read as all of its words, in any order",)


# --------------------------------------------------------------------------- indexes and relations


@each(
    ("text", "query"),
    [
        ('title = "coral reef"', phrase("coral reef", "title")),
        ('dc.title any "coral reef"', Or((Term("coral", "title"), Term("reef", "title")))),
        ('dc.title all "coral reef"', Term("coral reef", "title")),
        ('dc.title adj "coral reef"', phrase("coral reef", "title")),
        ("dc.title adj reef", phrase("reef", "title")),
        ("dc.creator=darwin", Term("darwin", "author")),
        ("DC.Creator ALL darwin", Term("darwin", "author")),
        ("dc.title cql.any reef", Term("reef", "title")),
        ("dc.title scr reef", Term("reef", "title")),
        ("dc.subject <> reef and x", And((Not(Term("reef", "subject")), Term("x")))),
        ("bath.isbn=0306406152", Term("0306406152", "isbn")),
        ("bath.issn = 0028-0836", Term("0028-0836", "issn")),
        ("cql.serverChoice = reef", Term("reef")),
        ("cql.anywhere any reef", Term("reef")),
        ("srw.serverChoice = reef", Term("reef")),
        ("dc.language = eng and reef", And((Term("en", "language"), Term("reef")))),
        ("dc.type = dissertation and reef", And((Term("thesis", "type"), Term("reef")))),
        ("dc.identifier = 0028-0836", Term("0028-0836", "issn")),
        ('dc.identifier = "10.1000/x"', Term("10.1000/x", "doi")),
        ("title = (coral or reef)", Or((Term("coral", "title"), Term("reef", "title")))),
        (
            "title = (coral and author = darwin)",
            And((Term("coral", "title"), Term("darwin", "author"))),
        ),
    ],
)
def test_indexes_and_relations(text: str, query: Query) -> None:
    """Each index is a field of ours; relations say how the words of a term stand to one another."""
    assert parse_cql(text).query == query


@each(
    ("text", "years"),
    [
        ("dc.date = 2015", Years(2015, 2015)),
        ("dc.date < 2015", Years(None, 2014)),
        ("dc.date <= 2015", Years(None, 2015)),
        ("year > 1990", Years(1991, None)),
        ("dc.date >= 2015", Years(2015, None)),
        ('dc.date within "2015 2020"', Years(2015, 2020)),
        ('dc.date any "2015 2017"', Or((Years(2015, 2015), Years(2017, 2017)))),
        ("dc.date <> 2015", Not(Years(2015, 2015))),
        ('bib.dateIssued = "2015-2017"', Years(2015, 2017)),
    ],
)
def test_dates_are_years(text: str, years: Query) -> None:
    """With every relation that orders."""
    assert parse_cql(f"reef and {text}").query == And((Term("reef"), years))


@each(
    ("text", "told"),
    [
        ("dc.title exact reef", "exact is read as a phrase"),
        ("dc.title == reef", "== is read as a phrase"),
        ("dc.contributor = darwin", "dc.contributor is looked for in the author"),
        ("dc.title =/stem reef", "=/stem: the modifier is ignored"),
        (
            "dc.title any/relevant/rel.algorithm=cori reef",
            "any/rel.algorithm=cori: the modifier is ignored",
        ),
        ("coral prox/unit=word/distance<=3 reef", "prox/unit=word/distance<=3: sources cannot"),
        ("coral prox/unit=sentence reef", "prox/unit=sentence: read as AND, which finds more"),
        ("coral prox/distance>3 reef", "prox/distance>3: read as AND, which finds more"),
        ("dc.title =/respectCase reef", "=/respectCase: the modifier is ignored, which finds more"),
        ("coral and/rel.combine=sum reef", "and/rel.combine=sum is read as AND"),
        (
            "reef sortBy dc.date/sort.descending dc.title",
            "sortBy dc.date, dc.title is ignored: hits are sorted by rank",
        ),
        ("reef and dc.date = 2015-06-01", "only the year of a date is searched"),
        ("reef and dc.date encloses 2015", "encloses is read as ="),
        ("dc.identifier = abc", "dc.identifier is looked for everywhere"),
    ],
)
def test_what_is_not_kept_is_told(text: str, told: str) -> None:
    """One note a thing."""
    (note,) = parse_cql(text).notes

    assert note.startswith(told)


def test_the_usual_modifiers_are_no_loss() -> None:
    """What every source does anyway needs no note."""
    assert parse_cql("dc.title =/ignoreCase/word reef").notes == ()


@each(("prefix", "name"), [(it, key.name) for it in INDEXES for key in INDEXES[it].values()])
def test_every_index_can_be_asked(prefix: str, name: str) -> None:
    """With a value of its kind."""
    field = INDEXES[prefix][name.lower()].field
    value = {"year": "2015", "language": "en", "type": "thesis"}.get(field, "x")

    assert parse_cql(f"{f'{prefix}.' if prefix else ''}{name} = {value} and reef")


#: The elements and terms of Dublin Core, and the indexes of the Bath profile and the set bib.
DUBLIN_CORE = (
    "title creator subject description publisher contributor date type format identifier source "
    "language relation coverage rights abstract accessRights accrualMethod accrualPeriodicity "
    "accrualPolicy alternative audience available bibliographicCitation conformsTo created "
    "dateAccepted dateCopyrighted dateSubmitted educationLevel extent hasFormat hasPart hasVersion "
    "instructionalMethod isFormatOf isPartOf isReferencedBy isReplacedBy isRequiredBy issued "
    "isVersionOf license mediator medium modified provenance references replaces requires "
    "rightsHolder spatial tableOfContents temporal valid"
)


@each("name", DUBLIN_CORE.split())
def test_the_terms_of_dublin_core_are_known(name: str) -> None:
    """Each is searched, or refused by its name; none is taken for a mistake in writing."""
    error = error_of(f"dc.{name} = 2015 and reef")

    assert error is None or "no field holds it" in error.reason or "is no known" in error.reason


# ------------------------------------------------------------------ booleans, prefixes, all records


@each(
    ("text", "shown"),
    [
        ("a or b and c not d", "(a OR b) AND c AND NOT d"),
        ("a and b or c", "a AND b OR c"),
        ("a or (b and c)", "a OR b AND c"),
        ("a AND b Or c", "a AND b OR c"),
        ("(a and (b or c)) and d", "a AND (b OR c) AND d"),
        ("a not (b not c)", "a AND NOT (b AND NOT c)"),
        ("year < 1990 and b", "year:-1989 AND b"),
        ('("a" not "b c")', 'a AND NOT "b c"'),
        ("a prox b", "a NEAR/0 b"),
        ("a prox/distance<=3 b", "a NEAR/2 b"),
        ("a prox/distance<4/ordered b", "a PRE/2 b"),
        ("a prox/distance<=3 b prox/distance<=3 c", "a NEAR/2 b NEAR/2 c"),
        ("title = (a prox/distance<=3 b)", "title:a NEAR/2 title:b"),
        ("(a or b) prox/distance<=3 c", "(a OR b) NEAR/2 c"),
        ("(a and b) prox/distance<=3 c", "a AND b AND c"),
        ("a prox/unit=sentence b", "a AND b"),
        ("x not (a prox/unit=sentence b)", "x"),
        ('x not title exact "a b"', "x"),
        ("x not dc.contributor = a", "x"),
        ("x not isbn == 9780262033848", "x AND NOT isbn:9780262033848"),
        ("x not dc.date = 2015-06-01", "x"),
        ("cql.allRecords = 1 not a and b", "NOT a AND b"),
        ("a and cql.allRecords=1", "a"),
    ],
)
def test_booleans_are_read_from_left_to_right(text: str, shown: str) -> None:
    """They have no precedence in CQL; brackets have."""
    assert to_text(parse_cql(text).query) == shown


@each(
    "text",
    [
        '> "info:srw/cql-context-set/1/dc-v1.1" title = reef',
        '> dc = "info:srw/cql-context-set/1/dc-v1.1" dc.title = reef',
        '> foo = "http://www.loc.gov/zing/cql/dc-indexes" foo.title = reef',
        '>a=uri1>b="info:srw/context-set/1/bib-v1.0" b.title = reef',
        '(>x="info:srw/cql-context-set/1/bath-v1.1" x.title = reef)',
        "dcterms.title = reef",
    ],
)
def test_a_prefix_stands_for_a_context_set(text: str) -> None:
    """Which one, its URI says."""
    assert parse_cql(text).query == Term("reef", "title")


@each(
    ("text", "position", "reason", "suggestion"),
    [
        ("", 0, "empty", None),
        ("(", 0, "nothing after this bracket", None),
        ("()", 0, "nothing between", None),
        ("(reef", 0, "never closed", "(reef)"),
        ("reef)", 4, "no opening bracket", "reef"),
        ('"reef', 0, "quote is never closed", '"reef"'),
        ('""', 0, "nothing between the quotes", None),
        ("dc.title =", 9, "needs something", "dc.title"),
        ("dc.title = )", 9, "needs something", "dc.title"),
        ("coral and", 6, "needs something", "coral"),
        ("coral and )", 6, "needs something", "coral"),
        ("coral and /", 10, "modifier needs its name", "coral"),
        ("title =/a=) reef", 9, "value of the modifier", "title and reef"),
        (">", 0, "prefix is assigned", None),
        (">dc=() reef", 3, "URI of the prefix", "reef"),
        ("coral reef", 6, "side by side", "coral and reef"),
        ("coral big reef", 6, 'no relation "big"', "coral and big and reef"),
        ("not reef", 0, "stands between what is wanted", "reef"),
        ("= reef", 0, "needs an index", "reef"),
        ("10.1000/x", 0, "slash", '"10.1000/x"'),
        ("dc.titel = reef", 0, 'no index "titel" in dc', "dc.title = reef"),
        ("dc.publisher = x", 0, "cannot be searched here", "cql.anywhere = x"),
        ("zeerex.index = x", 0, "context set", "cql.anywhere = x"),
        ("rec.identifier = x", 0, "record in its database", "cql.anywhere = x"),
        ("cql.resultSetId = x", 0, "result sets are not kept", "cql.anywhere = x"),
        ("title anny reef", 6, 'no relation "anny"', "title any reef"),
        ("title < reef", 6, "compares dates", "title = reef"),
        ("reef and dc.date = soon", 19, "four digits", None),
        ('reef and dc.date within "2020 2015"', 24, "ends before it begins", None),
        ("dc.language = klingonish and x", 14, "no known language", None),
        ("cql.allRecords = 1", 0, "every record", None),
        ("a or cql.allRecords = 1", 2, "every record", None),
        ("a not cql.allRecords = 1", 2, "finds nothing", None),
        ("dc.date = 2015", 0, "only years", None),
        ("cql.allRecords=1 not x", 0, "only what is excluded", None),
        ("title =/regexp reef", 6, "not supported by any source", None),
        ("reef sortby", 5, "needs an index", "reef"),
        ("title =/fuzy reef", 6, "near it is /fuzzy", None),
        ("a prox/distnce<=3 b", 2, "near it is /distance", None),
        ("a and/often b", 2, "no modifier /often", None),
        ("title:reef and b", 0, "before an equals sign", "title = reef and b"),
        ("dc.relation = x", 0, "no field holds it", "cql.anywhere = x"),
        ("a\ud800", 1, "not text", "a"),
    ],
)  # fmt: skip
def test_errors_say_where_and_why(
    text: str, position: int, reason: str, suggestion: str | None
) -> None:
    """With a corrected query where one can be guessed, which is CQL."""
    error = refused(text)

    assert (error.position, reason in error.reason) == (position, True)
    assert error.suggestion == suggestion
    if error.suggestion:
        assert parse_cql(error.suggestion)
    assert error.advice


def test_the_caps_are_those_of_our_own_syntax() -> None:
    """Length, depth of brackets, terms; and how often operators alternate."""
    deep = "(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH
    alternating = "a" + " or b and c" * (MAX_DEPTH + 1)

    assert parse_cql(deep).query == Term("a")
    assert "nested" in refused(f"({deep})").reason
    assert "nested" in refused("(" * 900).reason
    assert "alternate" in refused(alternating).reason
    assert str(MAX_TERMS) in refused(" or ".join(["a"] * (MAX_TERMS + 1))).reason
    assert "longer" in refused("a" * (MAX_LENGTH + 1)).reason


@given(
    st.lists(
        st.sampled_from([*'()"/=<>*?^\\ .', " and ", " or ", "dc.title", "dc.date", "2015", "a"])
    ).map("".join)
    | st.text()
)
def test_nothing_but_a_syntax_error_is_raised(text: str) -> None:
    """Whatever the text; and a suggestion can be read."""
    error = error_of(text)

    assert error is None or 0 <= error.position <= len(text)
    assert error is None or error.suggestion is None or read(error.suggestion, "cql")


@pytest.mark.slow
def test_a_hostile_text_is_read_at_once() -> None:
    """What could make a careless parser slow is no slower than other texts: no step looks back."""
    for start, piece in (('"', "\\"), ("", "("), ("", "a"), ("", "/"), ("", ">a=b"), ("", " ")):

        def reading(size: int, start: str = start, piece: str = piece) -> Callable[[], object]:
            text = f"{start}{piece * (size // len(piece) - 1)}a"[:size]
            return partial(error_of, text)

        assert growth(reading, 500) <= MOST, piece
