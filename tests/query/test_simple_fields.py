"""Numbers of works as fields, and the names that other programs have for our fields."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.query import Term, parse, read, to_text
from metasearch.query.match import matches
from metasearch.query.simple_fields import FIELD_NAMES, OTHER_NAMES
from metasearch.query.tree import MAX_LENGTH
from metasearch.record import Record
from tests.cases import each
from tests.growth import MOST, TIMES, growth


@each(
    "text, meant",
    [
        ("pmid:33301246", "pmid:33301246"),
        ("trial:nct03456789", "trial:NCT03456789"),
        ("nct:NCT03456789", "trial:NCT03456789"),
        ("trial:CTRI/2011/091/000123", "trial:CTRI/2011/091/000123"),
        ("a trial: results", r"a \trial: results"),
        ("PMID: 33301246.", "pmid:33301246"),
        ("pmid:0033301246", "pmid:33301246"),
        ("https://pubmed.ncbi.nlm.nih.gov/33301246/", "pmid:33301246"),
        ("https://europepmc.org/article/MED/33301246", "pmid:33301246"),
        ("PMC7654321", "pmcid:PMC7654321"),
        ("pmcid:7654321", "pmcid:PMC7654321"),
        ("PMCID: pmc7654321", "pmcid:PMC7654321"),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC7654321/", "pmcid:PMC7654321"),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7654321", "pmcid:PMC7654321"),
        ("arXiv:2104.12255v2", "arxiv:2104.12255"),
        ("arXiv: math.GT/0309136", "arxiv:math.gt/0309136"),
        ("https://arxiv.org/pdf/2104.12255v1.pdf", "arxiv:2104.12255"),
        ("doi: 10.1000/X. PMID: 7; PMCID: PMC8.", "doi:10.1000/x AND pmid:7 AND pmcid:PMC8"),
        ("ISBN: 978-0-306-40615-7", "isbn:978-0-306-40615-7"),
        ("PMID 33301246", "pmid:33301246"),
        ("DOI 10.1000/x", "doi:10.1000/x"),
        ("(pmid:7 OR pmid:8) -pmid:9", "(pmid:7 OR pmid:8) AND NOT pmid:9"),
    ],
)
def test_a_number_is_read_in_the_forms_in_which_references_have_it(text: str, meant: str) -> None:
    assert to_text(parse(text)) == meant
    assert parse(meant) == parse(text)


@each(
    "text",
    ["arXiv: a history", "PMID: the record", r"\PMC7654321", '"PMC7654321"', "PMC", "PMID numbers"],
)
def test_what_has_not_the_form_of_a_number_is_words(text: str) -> None:
    query = parse(text)
    assert isinstance(query, Term)
    assert query.field == "any"
    assert parse(to_text(query)) == query


def test_a_number_comes_with_a_note() -> None:
    (note,) = read("pmid:33301246", "simple").notes
    assert note.startswith("pmid: few sources can be asked for this number")
    assert '"abc" has not the form of a pmid: no work has it' in read("pmid:abc", "simple").notes


@each(
    "text, found",
    [
        ("pmid:33301246", True),
        ("pmid:33301247", False),
        ("pmcid:7654321", True),
        ("arxiv:2104.12255v3", True),
        ("pmid:(33301246 33301247)", False),
        ("trial:nct01112223", True),
        ("trial:ISRCTN24680135", False),
    ],
)
def test_a_record_has_a_number(text: str, found: bool) -> None:
    record = Record(
        source="x",
        title="Gene drive",
        doi="10.48550/arxiv.2104.12255",
        ids={
            "pmid": "33301246",
            "pmcid": "PMC7654321",
            "nct": "NCT03456789, NCT01112223",
        },
    )
    assert matches(parse(text), record) is found
    assert matches(parse(text), Record(source="x", title="Gene drive")) is None


def test_a_record_may_name_its_trial_in_its_texts_alone() -> None:
    record = Record(source="x", title="A trial", abstract="As NCT03456789 shows", ids={})

    assert matches(parse("trial:NCT03456789"), record) is True
    assert matches(parse("trial:NCT01112223"), record) is None


@each(
    "syntax, text, read_as",
    [
        ("pubmed", "NCT03456789[si]", "trial:NCT03456789"),
        ("pubmed", "clinicaltrials.gov/NCT03456789[si]", "trial:NCT03456789"),
        ("pubmed", "lungs AND clinicaltrials.gov[si]", "lungs"),
        ("pubmed", "lungs AND GENBANK/AB123456[si]", "lungs"),
        ("ovid", "NCT03456789.si.", "trial:NCT03456789"),
        ("ovid", "NCT03456789.cn.", "trial:NCT03456789"),
        ("ovid", "ab123456.si.", "ab123456"),
        ("ovid", "nct*.cn. and lungs.ti.", "title:lungs"),
        ("embase", "'NCT03456789':cn", "trial:NCT03456789"),
        ("cochrane", "NCT03456789:an", "trial:NCT03456789"),
        ("cochrane", "CN01234567:an", "CN01234567"),
        ("europepmc", "ACCESSION_ID:NCT03456789", "trial:NCT03456789"),
        ("cql", "trial = NCT03456789", "trial:NCT03456789"),
        ("ccl", "trial=NCT03456789", "trial:NCT03456789"),
    ],
)
def test_fields_of_databases_for_registration_numbers(syntax: str, text: str, read_as: str) -> None:
    assert to_text(read(text, syntax).query) == read_as


# --------------------------------------------------------------------------- names


@each(
    "text, meant",
    [
        ("title-abs:asthma AND child", "(title:asthma OR abstract:asthma) AND child"),
        (
            "TITLE_ABS:(heart failure)",
            "(title:heart OR abstract:heart) AND (title:failure OR abstract:failure)",
        ),
        ('tiab:"heart failure"', 'title:"heart failure" OR abstract:"heart failure"'),
        ("TITLE-ABS-KEY:x*", "title:x* OR abstract:x* OR subject:x*"),
        ("tak:(a OR title:b)", "title:a OR abstract:a OR subject:a OR title:b"),
        ("x NOT tak:y", "x AND NOT (title:y OR abstract:y OR subject:y)"),
        ("abs:x intitle:y inauthor:z", "abstract:x AND title:y AND author:z"),
        ("bibjson.journal.title:nature", "venue:nature"),
        ("raw_author_name.search:burt", "author:burt"),
        ("EXT_ID:33301246", "pmid:33301246"),
        ("x PUB_YEAR:[2015 TO 2020]", "x AND year:2015-2020"),
        ("x PUB_YEAR:{2015 TO 2020}", "x AND year:2016-2019"),
        ("x year:[2015 TO *]", "x AND year:2015-"),
        ("x pubdate:[* TO 2020-06]", "x AND year:-2020"),
        ("x FIRST_PDATE:[2015-03-01 TO 3000-12-31]", "x AND year:2015-"),
        ("allintitle: gambling harm", "title:(gambling harm)"),
        ("x year:(2015 TO 2020)", "x AND year:2015-2020"),
        (
            "[Title: x] AND [E-Publication Date: (01/01/2015 TO 12/31/2020)]",
            "title:x AND year:2015-2020",
        ),
        (
            'tiab:"gene drive"~5',
            "title:gene NEAR/5 title:drive OR abstract:gene NEAR/5 abstract:drive",
        ),
        ('"slot machine*"~5', "slot NEAR/5 machine*"),
        ("ti:x ANDNOT au:y", "title:x AND NOT author:y"),
        ("(allintitle: a OR b) c", "(title:a OR title:b) AND c"),
        ("[Title: deep learning] OR [All: x]", "title:(deep learning) OR x"),
        (
            '[[Title: a] OR [Abstract: "b c"]] AND [Publication Title: chi]',
            '(title:a OR abstract:"b c") AND venue:chi',
        ),
    ],
)
def test_names_of_other_programs_are_read(text: str, meant: str) -> None:
    assert to_text(parse(text)) == meant
    assert parse(meant) == parse(text)


@each("name", OTHER_NAMES)
def test_each_name_is_read_in_any_spelling_and_said(name: str) -> None:
    for written in (name, name.upper(), name.replace("-", "_")):
        value = "[2015 TO 2020]" if OTHER_NAMES[name] == "year" else "book"
        value = {"type": "book", "language": "en"}.get(OTHER_NAMES[name], value)
        reading = read(f"x {written}:{value}", "simple")
        assert any(note.startswith(f"{written}: is read as ") for note in reading.notes)
        assert f"{name}:" not in to_text(reading.query)


def test_no_name_means_two_things() -> None:
    assert not OTHER_NAMES.keys() & FIELD_NAMES.keys()


def test_dates_are_read_as_years_and_that_is_said() -> None:
    notes = read("x year:[2015-03-01 TO 2020-12-31]", "simple").notes
    assert "[2015-03-01 TO 2020-12-31]: only the years are looked for" in notes
    assert not read("x year:[2015-01-01 TO 2020-12-31]", "simple").notes


@each(
    "text, suggestion",
    [
        ("asthma AND ACCESSION_TYPE:y", "asthma"),
        ("asthma AFF_ORDER:(y)", "asthma (y)"),
        ("OPEN_ACCESS:y", None),
        ("asthma NEAR/3 OPEN_ACCESS:y", None),
        ("asthma author-kw:x", "asthma author:x"),
        ("sponsor:[1 TO 2] x", None),
        ("x year:[2020 TO 2015]", "x year:2015-2020"),
        ("x allintitle:", "x"),
        ("x affiliation:(y z)", "x (y z)"),
        ("[Title: x] OR [Sponsor: y]", None),
    ],
)
def test_an_unknown_name_is_no_word(text: str, suggestion: str | None) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    if suggestion is not None:
        assert caught.value.suggestion == suggestion


@each(
    "text, meant",
    [
        ("a AND OPEN_ACCESS:y", "a"),
        ("a AND (SRC:MED OR SRC:PPR)", "a"),
        ('HAS_ABSTRACT:"y" a b', "a b"),
        ("a AND open_access.is_oa:true", "a"),
        ("a property:[1 TO 2] b", "a AND b"),
        ("(a OR SRC:PPR) AND b", "b"),
        ("a NOT SRC:PPR", "a"),
        ("a NOT (b OR SRC:PPR)", "a"),
        ("a NOT (b AND SRC:PPR)", "a"),
        ("a NOT (b OR (c AND NOT (d SRC:PPR)))", "a"),
        ("a OR (b -c SRC:PPR)", "a OR b AND NOT c"),
    ],
)
def test_a_limit_that_no_source_knows_never_narrows(text: str, meant: str) -> None:
    """It is left out of an AND; an OR or NOT that holds it is left out with it."""
    reading = read(text, "simple")
    assert to_text(reading.query) == meant
    assert any("ignored" in note for note in reading.notes)


@each(
    "text",
    [
        "a [b c] d",
        "[1] x",
        "x[0]",
        '"[Title: x]"',
        '"a \\"[Title: x\\""',
        r"\[Title: x",
        "a-b:",
        "e.g. x",
        "10:30",
        "self-help",
    ],
)
def test_brackets_and_hyphens_of_other_texts_stay(text: str) -> None:
    assert to_text(parse(text)).replace(r"\[b", "[b") == text


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["a ", "a-", "a.b_c", "[Title: ", "PMID: ", "PMID:  ", "year:[", "allintitle: a ", "a N3 "],
)
def test_time_does_not_explode(piece: str) -> None:
    text = (piece * MAX_LENGTH)[:MAX_LENGTH]
    assert growth(lambda size: partial(failure, text[:size]), MAX_LENGTH // TIMES) <= MOST


def failure(text: str) -> None:
    with suppress(QuerySyntaxError):
        parse(text)


@each(
    ("text", "meant"),
    [
        ('"a b" | "c d"', '"a b" OR "c d"'),
        ("(a | b) c", "(a OR b) AND c"),
        ("a && b", "a AND b"),
        ("a || b", "a OR b"),
        ('+gene +"a b"', 'gene AND "a b"'),
        ("gene^2 drive~", "gene drive"),
        ('title:(a OR b)^3 AND "c d"^2', '(title:a OR title:b) AND "c d"'),
        ("gene AROUND(3) drive", "gene NEAR/3 drive"),
        ("gene WITHIN/3 drive", "gene NEAR/3 drive"),
        ("gene year>2010", "gene AND year:2011-"),
        ("gene year>=2010", "gene AND year:2010-"),
        ("gene year=2010-2012", "gene AND year:2010-2012"),
        ("arXiv 2101.00001", "arxiv:2101.00001"),
    ],
)
def test_signs_of_other_programs_are_read(text: str, meant: str) -> None:
    assert to_text(parse(text)) == meant


@each("text", ["10^6 cells", "x^2 growth", "C++ code", "+1 555", "a | b"])
def test_signs_that_belong_to_words_stay(text: str) -> None:
    assert to_text(parse(text)) == text


@each(
    ("text", "shown"),
    [
        ("gene^2 drive", "gene^2"),
        ('"wom*n health"', "wom*n"),
        ("gene[foo]", "gene[foo]"),
        ("randomi$ed", "randomi$ed"),
        ("gene.ti", "gene.ti"),
    ],
)
def test_signs_that_mean_nothing_here_are_told(text: str, shown: str) -> None:
    assert any(note.startswith(shown) for note in read(text, "simple").notes)
