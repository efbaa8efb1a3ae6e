"""What the parser reads, and how it refuses."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metasearch.errors import QuerySyntaxError
from metasearch.query import And, Not, Or, Term, Years, parse, read, to_text
from metasearch.query.tree import MAX_DEPTH, MAX_LENGTH, MAX_TERMS
from tests.cases import each
from tests.examples import examples
from tests.growth import MOST, TIMES, growth


def phrase(text: str, field: str = "any") -> Term:
    return Term(text, field, phrase=True)


def refused(text: str) -> QuerySyntaxError:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    return caught.value


# --------------------------------------------------------------------------- words and phrases


@each(
    "text",
    ["gene", "COVID-19", "C++", "O'Neill", "p<0.05", "AT&T", "-", "--help", "a_b", "50%", "and"],
)
def test_a_word_is_taken_as_it_is(text: str) -> None:
    """Signs inside a word, and operators in lower case, are ordinary."""
    assert Term(text) == parse(text)


def test_words_side_by_side_are_one_term() -> None:
    """Bare words with nothing between them become one term, with single blanks."""
    assert Term("gene drive or mosquito") == parse("  gene\tdrive \u3000or\nmosquito ")


@each("text", ['"gene  drive"', "“gene drive”", "＂gene drive＂", "„gene drive“", "”gene drive”"])
def test_all_quotes_make_a_phrase(text: str) -> None:
    """ASCII, typographic and full-width quotes are alike."""
    assert phrase("gene drive") == parse(text)


def test_a_backslash_protects_a_quote_in_a_phrase() -> None:
    r"""`\"` is a quote, `\\` a backslash."""
    assert phrase('the "selfish" \\ gene') == parse(r'"the \"selfish\" \\ gene"')


def test_other_quotes_may_stand_in_a_phrase() -> None:
    """A phrase ends at the partner of the quote that opened it."""
    assert phrase("the “selfish” gene") == parse('"the “selfish” gene"')


def test_words_and_phrases_side_by_side_are_a_conjunction() -> None:
    """A phrase ends a run of bare words."""
    assert And((Term("a b"), phrase("c d"), Term("e f"))) == parse('a b "c d" e f')


def test_invisible_characters_separate_words() -> None:
    """What comes along with copied text does not get into a term."""
    assert Term("gene drive") == parse("\ufeffgene\u200b\x00drive\u202e")


@each(
    ("text", "word"),
    [
        (r"\AND", "AND"),
        (r"\year:2020", "year:2020"),
        (r"year\:2020", "year:2020"),
        (r"\10.1000/x", "10.1000/x"),
        (r"\-omics", "-omics"),
        (r"f\(x\)", "f(x)"),
        (r"\\", "\\"),
        (r"foo\:bar", "foo:bar"),
    ],
)
def test_a_backslash_makes_a_mere_word(text: str, word: str) -> None:
    """A word with a backslash is no operator, field, NOT or DOI."""
    assert Term(word) == parse(text)


# --------------------------------------------------------------------------- operators


def test_not_binds_closer_than_and_closer_than_or() -> None:
    """Precedence is NOT, AND, OR; standing side by side is AND."""
    assert Or((Term("a"), And((Term("b"), Not(Term("c")), phrase("d"))))) == parse(
        'a OR b AND NOT c "d"'
    )


def test_not_takes_one_word() -> None:
    """NOT holds for the word after it; the next one is wanted."""
    assert And((Not(Term("a")), Term("b c"))) == parse("NOT a b c")


@each("text", ["a -b", "a NOT b", "a AND NOT b", "a AND -b", "(a)-b", "a -(b)", "a（-b）"])
def test_minus_and_not_are_the_same(text: str) -> None:
    """A minus sign after a blank or bracket means NOT."""
    assert And((Term("a"), Not(Term("b")))) == parse(text)


def test_a_minus_before_a_blank_is_a_word() -> None:
    """A dash between blanks, as in a pasted title, negates nothing."""
    assert Term("gene drives - a review") == parse("gene drives - a review")


def test_an_explicit_and_keeps_terms_apart() -> None:
    """Only words with nothing between them are joined."""
    assert And((Term("a"), Term("b c"))) == parse("a AND b c")


def test_brackets_group_and_may_be_full_width() -> None:
    """A group is one operand."""
    assert And((Or((Term("a"), Term("b"))), Term("c"))) == parse("（a OR b) AND (((c)))")


def test_trees_are_normalised() -> None:
    """Conjunctions and disjunctions are flat, a double NOT vanishes."""
    assert And((Term("a"), Term("b"), Term("c"), Term("d"))) == parse(
        "(a AND b) AND (c AND NOT (NOT d))"
    )
    assert Or((Term("a"), Term("b"), Term("c"))) == parse("a OR (b OR NOT NOT c)")
    assert And((Term("a"), Term("b"), phrase("c"))) == parse('a NOT (NOT (b "c"))')


# --------------------------------------------------------------------------- fields


@each(
    ("name", "field"),
    [
        ("title", "title"),
        ("TI", "title"),
        ("Author", "author"),
        ("au", "author"),
        ("venue", "venue"),
        ("journal", "venue"),
        ("abstract", "abstract"),
        ("ab", "abstract"),
        ("subject", "subject"),
        ("isbn", "isbn"),
        ("issn", "issn"),
        ("any", "any"),
    ],
)
def test_fields_have_names_and_aliases(name: str, field: str) -> None:
    """Field names are read in any case."""
    assert And((Term("x", field), phrase("y z", field))) == parse(f'{name}:x {name}:"y z"')


def test_a_field_holds_for_one_word() -> None:
    """The word after the next blank has no field."""
    assert And((Term("gene", "title"), Term("drive"))) == parse("title:gene drive")


def test_a_field_before_a_group_holds_for_all_of_it() -> None:
    """Except where the group names another field."""
    query = parse("title:(gene drive OR author:burt)")

    assert Or((Term("gene drive", "title"), Term("burt", "author"))) == query


def test_words_of_one_field_are_joined() -> None:
    """Naming the field twice says the same as a group."""
    assert (
        parse("title:(gene drive)")
        == parse("title:gene title:drive")
        == Term("gene drive", "title")
    )


def test_a_field_may_have_a_full_width_colon() -> None:
    """Chinese keyboards type one; after other words it is punctuation."""
    assert Term("基因", "title") == parse("title：基因")
    assert Term("深度学习：综述") == parse("深度学习：综述")


@each(
    "text",
    [
        "Re: x",
        "10:30",
        "CO2:CH4",
        "std::vector",
        "http://x.org/a:b",
        "urn:nbn:de",
        "TGF: beta",
        "C:x",
        ":-D",
    ],
)
def test_a_colon_is_often_only_a_colon(text: str) -> None:
    """Times, URLs, identifiers and titles with a colon are words."""
    assert Term(text) == parse(text)


def test_the_value_of_a_field_may_hold_colons_and_operators() -> None:
    """After the colon of a field a word is a word."""
    assert And((Term("a:b", "title"), Term("OR", "venue"))) == parse("title:a:b venue:OR")


# --------------------------------------------------------------------------- DOIs


@each(
    ("text", "doi"),
    [
        ("10.1000/ABC", "10.1000/abc"),
        ("10.1000/abc:d", "10.1000/abc:d"),
        ("https://doi.org/10.1000/abc", "10.1000/abc"),
        ("http://dx.doi.org/10.1000/abc?via=x#y", "10.1000/abc"),
        ("doi.org/10.1000/abc.", "10.1000/abc"),
        ("doi:10.1000/abc", "10.1000/abc"),
        ("doi:https://doi.org/10.1000/abc", "10.1000/abc"),
        ("10.1016/S0140-6736(97)11096-0", "10.1016/s0140-6736(97)11096-0"),
        ("https://doi.org/10.1016/S0140-6736%2897%2911096-0", "10.1016/s0140-6736(97)11096-0"),
        ("(10.1016/S0140-6736(97)11096-0)", "10.1016/s0140-6736(97)11096-0"),
        ("https://doi.org/10.1000/a%20b", "10.1000/a%20b"),
    ],
)
def test_a_doi_needs_no_field(text: str, doi: str) -> None:
    """DOIs and URLs of their resolver are read as DOIs, bare and in lower case."""
    assert Term(doi, "doi") == parse(text)


def test_dois_side_by_side_are_terms_of_their_own() -> None:
    """No database knows two DOIs as one."""
    assert And((Term("10.1000/a", "doi"), Term("10.1000/b", "doi"), Term("x"))) == parse(
        "10.1000/a 10.1000/b x"
    )


@each("text", ["10.1000/", "10.1000", "10.10/x", "x10.1000/x", "10.1000/."])
def test_what_only_resembles_a_doi_is_a_word(text: str) -> None:
    """A DOI has a registrant of four digits and a suffix."""
    assert Term(text) == parse(text)


def test_a_doi_under_another_field_is_a_word() -> None:
    """Whoever names a field means it."""
    assert Term("10.1000/X", "title") == parse("title:10.1000/X")


# --------------------------------------------------------------------------- proximity


@each(
    "text, meant",
    [
        ("brain NEAR/10 injury", "brain NEAR/10 injury"),
        ("brain NEAR10 injury", "brain NEAR/10 injury"),
        ("brain near/10 injury", "brain NEAR/10 injury"),
        ("brain ONEAR/2 injury", "brain PRE/2 injury"),
        ("brain PRE/2 injury", "brain PRE/2 injury"),
        ("brain W/3 injury", "brain NEAR/3 injury"),
        ("brain W3 injury", "brain PRE/3 injury"),
        ("brain N3 injury", "brain NEAR/3 injury"),
        ("brain adj3 injury", "brain NEAR/2 injury"),
        ("brain ADJ injury", "brain PRE/0 injury"),
        ("brain NEAR injury", "brain NEAR/15 injury"),
        ("deep brain NEAR/3 injury", "deep AND brain NEAR/3 injury"),
        ("(deep brain) NEAR/3 injur*", "(deep brain) NEAR/3 injur*"),
        ('"deep brain" NEAR/3 (injury OR lesion)', '"deep brain" NEAR/3 (injury OR lesion)'),
        ("title:(brain NEAR/3 injury)", "title:brain NEAR/3 title:injury"),
        ("title:brain NEAR/3 injury", "title:brain NEAR/3 injury"),
        ("x NOT brain NEAR/3 injury", "x AND NOT (brain NEAR/3 injury)"),
        ("a NEAR/3 b NEAR/3 c", "a NEAR/3 b NEAR/3 c"),
        ("a NEAR/3 b PRE/3 c", "(a NEAR/3 b) PRE/3 c"),
        ("a NEAR/3 (b NEAR/3 c)", "a NEAR/3 (b NEAR/3 c)"),
    ],
)
def test_words_may_be_near_one_another(text: str, meant: str) -> None:
    """NEAR/N leaves N words between; it binds more closely than AND."""
    assert to_text(parse(text)) == meant
    assert parse(meant) == parse(text)


@each(
    "text",
    [
        "NEAR/3 injury",
        "brain NEAR/3",
        "H5 N1 influenza",
        "T2 N0 M0 tumours",
        "N95 masks",
        "surgical N95 masks",
        "brain n3 injury",
        "brain near injury",
        "LIFE NEAR WATER",
        r"brain \N3 injury",
    ],
)
def test_what_is_no_operator_of_proximity_is_a_word(text: str) -> None:
    assert isinstance(parse(text), Term)


@each("text", ["a NEAR/3 (b AND c)", "a NEAR/3 year:2020", "a NEAR/3 type:book", "pmid:1 W/3 a"])
def test_only_words_stand_near_others(text: str) -> None:
    assert "AND" in (refused(text).suggestion or "")


def test_a_note_says_that_sources_cannot_be_asked_and_how_signs_are_read() -> None:
    asked, sign = read("brain N3 injury", "simple").notes
    assert asked.startswith("N3: sources cannot be asked how near words stand")
    assert sign == "N3 is read as NEAR/3; in quotes, N3 is a word"
    assert len(read("brain NEAR/3 injury", "simple").notes) == 1


# --------------------------------------------------------------------------- years


@each(
    ("value", "years"),
    [
        ("2020", Years(2020, 2020)),
        ("2019-2024", Years(2019, 2024)),
        ("2019–2024", Years(2019, 2024)),
        ("2019-", Years(2019, None)),
        ("-2024", Years(None, 2024)),
        (">=2019", Years(2019, None)),
        ("(2019-2024)", Years(2019, 2024)),
        ("(-2024)", Years(None, 2024)),
        ('"2020"', Years(2020, 2020)),
    ],
)
def test_years_are_ranges(value: str, years: Years) -> None:
    """All forms of `parse_years` follow `year:`, also in brackets and quotes."""
    assert And((Term("x"), years)) == parse(f"x year:{value}")


def test_years_take_part_in_logic() -> None:
    """A range is an operand like any other."""
    query = parse("x year:(2010 OR 2020) NOT year:2015")

    assert (
        And((Term("x"), Or((Years(2010, 2010), Years(2020, 2020))), Not(Years(2015, 2015))))
        == query
    )


# --------------------------------------------------------------------------- errors


@each(
    ("text", "position", "length", "suggestion"),
    [
        ("gene (drive", 5, 1, "gene (drive)"),
        ("((gene drive)", 0, 1, "((gene drive))"),
        ("gene AND (", 9, 1, "gene"),
        ("gene) drive", 4, 1, "gene drive"),
        ("gene () drive", 5, 2, "gene drive"),
        ('gene "drive', 5, 1, 'gene "drive"'),
        ('("gene drive)', 1, 1, '("gene drive")'),
        ('gene ""', 5, 2, "gene"),
        ("gene AND", 5, 3, "gene"),
        ("OR gene", 0, 2, "gene"),
        ("gene AND OR drive", 5, 3, "gene OR drive"),
        ("gene NOT", 5, 3, "gene"),
        ("(gene OR) drive", 6, 2, "(gene ) drive"),
        ("gene title:", 5, 6, "gene"),
        ("title: gene", 0, 6, "title:gene"),
        ("a title: AND b", 2, 6, "a AND b"),
        ("title:() a", 6, 2, "a"),
        ('title:"" a', 6, 2, "a"),
        ("titel:x", 0, 5, "title:x"),
        ("a -autor:(b c)", 3, 5, "a -author:(b c)"),
        ("keyword:x", 0, 7, "subject:x"),
        ("yaer:2020 a", 0, 4, "year:2020 a"),
        ("foo:bar baz", 0, 3, '"foo:bar" baz'),
        ('foo:"bar"', 0, 3, '"bar"'),
        ("title:-gene drive", 6, 1, "NOT title:gene drive"),
        ("gene\\", 4, 1, "gene"),
        ("gene \\ drive", 5, 1, "gene drive"),
        ("a year:2024-2019", 7, 9, "a year:2019-2024"),
        ("a year:2019-24", 7, 7, "a year:2019-2024"),
        ("a year:2019-05-01", 7, 10, "a year:2019"),
        ("a year:soon", 7, 4, "a"),
        ("a year:0000", 7, 4, "a"),
        ("a year:2019 - 2024", 11, 7, "a year:2019-2024"),
        ("a\ud800b", 1, 1, "a b"),
        ("AND (titel:x", 5, 5, "(title:x)"),
    ],
)
def test_an_error_points_at_the_mistake_and_corrects_it(
    text: str, position: int, length: int, suggestion: str
) -> None:
    """Position and length mark the characters at fault; the suggestion mends all mistakes."""
    error = refused(text)

    assert (position, length) == (error.position, error.length)
    assert suggestion == error.suggestion
    assert error.text == text
    parse(suggestion)


@each("text", ["", "  ", "\u200b", "()", '""'])
def test_an_empty_query_is_refused_with_advice(text: str) -> None:
    """Where nothing can be corrected there is advice instead."""
    error = refused(text)

    assert error.suggestion is None
    assert "gene drive" in error.advice


@each("text", ["year:2020", "year:2010 OR year:2020"])
def test_years_alone_are_no_query(text: str) -> None:
    """The error says so."""
    assert "only years" in refused(text).reason


@each("text", ["NOT a", "-a -b", "NOT (a OR NOT b)", "NOT a year:2020"])
def test_not_alone_is_no_query(text: str) -> None:
    """The error says so."""
    assert "only what is excluded" in refused(text).reason


def test_length_is_capped() -> None:
    """The error points at the first character too many."""
    parse("x" * MAX_LENGTH)

    assert refused("x" * (MAX_LENGTH + 5)).position == MAX_LENGTH


def test_depth_is_capped() -> None:
    """The error points at the bracket that is too deep."""
    parse("(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH)

    assert (
        refused("b " + "(" * (MAX_DEPTH + 1) + "a" + ")" * (MAX_DEPTH + 1)).position
        == 2 + MAX_DEPTH
    )


def test_the_number_of_terms_is_capped() -> None:
    """Words, phrases and years count; the error points at the first too many."""
    parse("a " * MAX_TERMS)

    error = refused("a " * (MAX_TERMS - 1) + '"b c" title:last')

    assert ('"b c" title:last'.index("title"), len("title:last")) == (
        error.position - 2 * (MAX_TERMS - 1),
        error.length,
    )


def test_a_chain_of_not_needs_no_stack() -> None:
    """NOT after NOT is read in a loop."""
    assert parse("a " + "NOT " * 400 + "b") == And((Term("a"), Term("b")))


# --------------------------------------------------------------------------- any text

# fmt: off
PIECES = st.sampled_from([
    "AND", "OR", "NOT", "-", "(", ")", "（", "）", '"', "“", "”", "＂", "\\", ":", "：", "title:",
    "titel:",
    "year:", "2019", "doi:", "10.1000/a", "(b)", "https://doi.org/", "%28", " ", " ", " ", "\t",
    "\u200b", "\ud800",
    "gene", "C++", "基因", "é", "0",
])
# fmt: on
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(PIECES, max_size=25).map("".join),
    st.lists(PIECES, max_size=25).map(" ".join),
)


def failure(text: str) -> QuerySyntaxError | None:
    try:
        parse(text)
    except QuerySyntaxError as error:
        return error
    return None


@examples(6)
@given(TEXTS)
@example("-\\")
@example("title:year:(-")
@example("year:(-title:x)")
def test_any_text_is_parsed_or_refused_well(text: str) -> None:
    """Only QuerySyntaxError is raised; it points into the text, and its suggestion is a query."""
    error = failure(text)

    if error is not None:
        assert 0 <= error.position <= len(text)
        assert error.length >= 1
        assert error.reason
        assert error.advice
        assert error.suggestion is None or failure(error.suggestion) is None


@examples(3)
@given(TEXTS)
def test_what_was_parsed_can_be_printed(text: str) -> None:
    """Whatever tree comes out of a text is normal: it is printed and read back the same."""
    try:
        query = parse(text)
    except QuerySyntaxError:
        return

    assert query == parse(to_text(query))


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "(",
        ")",
        '"',
        "\\",
        "10.1000/(",
        "a:",
        "-",
        ".1",
        " ",
        "year:",
        "year:2019 ",
        "titel:x",
        "''",
        "NOT ",
    ],
)
def test_time_does_not_explode(piece: str) -> None:
    """Four times the text takes about four times as long, however often a piece repeats."""
    text = piece * MAX_LENGTH
    assert growth(lambda size: partial(failure, text[:size]), MAX_LENGTH // TIMES) <= MOST


# --------------------------------------------------------------------------- truncation


def test_a_star_at_the_end_of_a_word_truncates_it() -> None:
    """A truncated word is a term of its own."""
    assert Term("gene", truncated=True) == parse("gene*")
    assert And((Term("a b"), Term("gene", truncated=True), Term("c"))) == parse("a b gene* c")
    assert Not(Term("gene", "title", truncated=True)) == parse("x -title:gene*").parts[1]  # type: ignore[union-attr]
    assert And((Term("a", "title"), Term("neuro-inf", "title", truncated=True))) == parse(
        "title:(a neuro-inf*)"
    )


@each(
    "text",
    [
        "A* search",
        "C*-algebra",
        "*",
        "a ** b",
        "gene*, drive",
        "p*-value",
        "M*A*S*H",
        "a 2*3 design",
        "x*y=z",
        "5*水",
    ],
)
def test_other_stars_are_ordinary(text: str) -> None:
    """One letter before a star, or on either side, is a name; a star among signs means nothing."""
    assert Term(text) == parse(text)


@each(
    ("text", "query"),
    [
        (r"gene\*", Term("gene*")),
        (r"wom\*n", Term("wom*n")),
        (r"\A*", Term("A", truncated=True)),
        (r"a\*b*", Term("a*b", truncated=True)),
        ('"gene* drive"', phrase("gene* drive")),
        ("10.1000/ab*", Term("10.1000/ab*", "doi")),
    ],
)
def test_a_backslash_or_quotes_make_a_star_ordinary(text: str, query: Term) -> None:
    """A star inside of a phrase is no sign, nor is one in a DOI."""
    assert query == parse(text)


@each(
    ("text", "query"),
    [
        ('"slot machine*"', Term("slot machine", phrase=True, truncated=True)),
        ('title:"slot machine* "', Term("slot machine", "title", phrase=True, truncated=True)),
        ('"gene*"', Term("gene", truncated=True)),
        (r'"slot machine\*"', phrase("slot machine*")),
        ('"the A*"', phrase("the A*")),
        ('doi:"10.1*"', Term("10.1*", "doi", phrase=True)),
    ],
)
def test_a_star_at_the_end_of_a_phrase_truncates_its_last_word(text: str, query: Term) -> None:
    """The words still follow one another; where two letters or digits stand before the star."""
    assert query == parse(text)
    assert parse(to_text(query)) == query


@each(
    ("text", "at", "suggestion"),
    [
        ("x wom*n", 5, "x wom*"),
        ("*ology", 0, "ology"),
        ("title:*ology x", 6, "title:ology x"),
        ("水质*密度", 2, "水质 密度"),
        (r"ab\*bc*c d", 6, None),
    ],
)
def test_a_star_before_a_letter_is_an_error(text: str, at: int, suggestion: str | None) -> None:
    """No database has words that may begin with anything."""
    error = refused(text)

    assert at == error.position
    assert "end of a word" in error.reason
    assert suggestion is None or suggestion == error.suggestion


def test_an_identifier_is_not_truncated() -> None:
    """ISBNs and ISSNs are whole numbers."""
    assert refused("isbn:978* x").suggestion == "isbn:978 x"


# --------------------------------------------------------------------------- types and languages


@each(
    ("text", "term"),
    [
        ("type:article", Term("article", "type")),
        ("doctype:Articles", Term("article", "type")),
        ('type:"Journal Article"', Term("article", "type")),
        ("type:dissertation", Term("thesis", "type")),
        ("type:conference_paper", Term("conference-paper", "type")),
        ("type:学位论文", Term("thesis", "type")),
        ("language:zh", Term("zh", "language")),
        ("lang:Chinese", Term("zh", "language")),
        ("lang:ger", Term("de", "language")),
        ("language:zh-CN", Term("zh", "language")),
        ("language:中文", Term("zh", "language")),
        ('language:"church slavic"', Term("cu", "language")),
    ],
)
def test_types_and_languages_have_one_word_each(text: str, term: Term) -> None:
    """Whatever people call them."""
    assert And((Term("x"), term)) == parse(f"x {text}")


def test_each_word_of_a_group_is_a_type() -> None:
    """Side by side they must both hold, as everywhere."""
    assert parse("x type:(article OR thesis)") == And(
        (Term("x"), Or((Term("article", "type"), Term("thesis", "type"))))
    )
    assert parse("x type:(article thesis)") == And(
        (Term("x"), Term("article", "type"), Term("thesis", "type"))
    )


@each(
    ("text", "suggestion"),
    [
        ("x type:artcile", "x type:article"),
        ("x type:thesys", "x type:thesis"),
        ("x language:chinesse", "x language:zh"),
        ("x type:art*", "x type:article"),
        ("kind:article x", "type:article x"),
    ],
)
def test_an_unknown_type_or_language_has_near_misses(text: str, suggestion: str) -> None:
    """The nearest one is suggested."""
    assert suggestion == refused(text).suggestion


def test_where_nothing_is_near_the_choice_is_told() -> None:
    """Types are a list, languages are codes or names."""
    assert "article, preprint" in (refused("x type:qqqq").advice or "")
    assert "ISO 639-1" in (refused("x language:qqqqqq").advice or "")


@each(
    "text",
    [
        "Natural language: a survey",
        "Ionic liquids of a new type: synthesis",
        "Programming language:",
    ],
)
def test_a_title_with_a_colon_is_a_title(text: str) -> None:
    """`type:` and `language:` before a blank are words unless a type or language follows."""
    assert Term(text) == parse(text)


def test_a_type_after_a_blank_is_a_slip() -> None:
    """What was meant is plain."""
    assert refused("malaria type: article").suggestion == "malaria type:article"
    assert refused("malaria (language: english)").suggestion == "malaria (language:english)"


@each(
    "text", ["type:article", "language:zh year:2020", "type:article (language:zh OR language:en)"]
)
def test_types_and_languages_alone_are_no_query(text: str) -> None:
    """They say nothing of what is looked for."""
    assert refused(text).reason.startswith("The query has no word to look for, only ")


def test_the_caret_stands_below_the_star_that_is_wrong() -> None:
    """Behind escaped backslashes and escaped stars, too."""
    assert refused(r"x \\*01").position == 4
    assert refused(r"x ab\*bc*c").position == 8
