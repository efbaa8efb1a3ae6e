"""What a query becomes for arXiv, for PubMed, and in the CQL of library catalogues."""

from __future__ import annotations

import pytest

from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan
from metasearch.errors import CannotAsk
from metasearch.query.simple import parse
from metasearch.settings import Settings
from tests.cases import each

REGISTRY = Registry(
    Settings(sources={"catalogue": {"extends": "sru", "url": "http://127.0.0.1:210/x"}})
)


def _sent(source: str, query: str) -> str:
    return plan(parse(query), REGISTRY.spec(source), 20, {}).sent


@each(
    ("query", "sent"),
    [
        ("gene expression", "all:gene all:expression"),
        ("gene AND expression", "all:gene AND all:expression"),
        ("title:(gene expression)", "ti:gene AND ti:expression"),
        ('"gene expression"', 'all:"gene expression"'),
        ("title:entropy author:perelman", "ti:entropy AND au:perelman"),
        ("title:entropy NOT author:perelman", "ti:entropy ANDNOT au:perelman"),
        ("self-attention", "all:self all:attention"),
        ('"self-attention"', 'all:"self attention"'),
        ("self-attention OR transformer", "(all:self all:attention) OR all:transformer"),
        ("(a OR b) title:c", "(all:a OR all:b) AND ti:c"),
        ("ricci year:2002-2003", "all:ricci AND submittedDate:[200201010000 TO 200312312359]"),
        ("ricci year:2002", "all:ricci AND submittedDate:[200201010000 TO 200212312359]"),
        ("ricci year:2002-", "all:ricci AND submittedDate:[200201010000 TO 209912312359]"),
        ("ricci year:-2002", "all:ricci AND submittedDate:[199101010000 TO 200212312359]"),
        ("venue:PRL abstract:qubit", "jr:PRL AND abs:qubit"),
        ("doi:10.1023/A:1026654312961", 'doi:"10.1023/a:1026654312961"'),
        ("doi:10.1016/S0140-6736(05)17709-5", 'doi:"10.1016/s0140-6736(05)17709-5"'),
        ("what? is [this]: C++", "all:what all:is all:this all:C"),
        ("arXiv:2104.12255v2", "arxiv: 2104.12255"),
    ],
)
def test_arxiv(query: str, sent: str) -> None:
    """Field prefixes on every word, operators written out, and no character that either of its
    servers trips over."""
    assert _sent("arxiv", query) == sent


@each(
    ("query", "sent"),
    [
        ("gene expression", "gene expression"),
        ('"gene expression"', '"gene expression"'),
        ("title:gene expression", "gene[ti] AND expression"),
        ('title:"gene expression"', '"gene expression"[ti]'),
        ('author:"smith j" abstract:crispr', '"smith j"[au] AND crispr[tiab]'),
        ("venue:nature year:2010-2015", "nature[ta] AND 2010:2015[dp]"),
        ("crispr year:2010-", "crispr AND 2010:3000[dp]"),
        ("crispr year:-2010", "crispr AND 1000:2010[dp]"),
        ("crispr NOT (mouse OR rat)", "crispr NOT (mouse OR rat)"),
        ("subject:neoplasms", "(neoplasms[mh] OR neoplasms[ot])"),
        ("doi:10.1016/S0140-6736(05)17709-5", '"10.1016/s0140-6736(05)17709-5"[aid]'),
        ("issn:0028-0836", "0028-0836[ta]"),
        ("isbn:978-0-306-40615-7", "9780306406157[isbn]"),
        ("pmid:33301246", "33301246[pmid]"),
        ("trial:NCT03456789", "(NCT03456789[si] OR NCT03456789[tiab])"),
        ("PMC7654321", "PMC7654321"),
        ("CRISPR: a review [of sorts]", "CRISPR AND a review of sorts"),
        ("salt & pepper", "salt pepper"),
        ("crisp*", "crisp*"),
    ],
)
def test_pubmed(query: str, sent: str) -> None:
    """Plain words stay together for PubMed's own term mapping; tags are those of its help page."""
    if query.startswith("CRISPR:"):
        assert _sent("pubmed", '"CRISPR: a review"') == '"CRISPR a review"'
    else:
        assert _sent("pubmed", query) == sent


@each(
    ("query", "sent"),
    [
        ("gene expression", 'cql.anywhere all "gene expression"'),
        ('"gene expression"', 'cql.anywhere = "gene expression"'),
        (
            'title:"gene expression" author:smith',
            'dc.title = "gene expression" and dc.creator all "smith"',
        ),
        ("jazz NOT title:bass", 'cql.anywhere all "jazz" not dc.title all "bass"'),
        (
            "(jazz OR blues) title:guitar",
            '(cql.anywhere all "jazz" or cql.anywhere all "blues") and dc.title all "guitar"',
        ),
        ("jazz year:1960", 'cql.anywhere all "jazz" and dc.date = "1960"'),
        (
            "jazz year:1960-1970",
            'cql.anywhere all "jazz" and (dc.date >= "1960" and dc.date <= "1970")',
        ),
        ("jazz year:1960-", 'cql.anywhere all "jazz" and dc.date >= "1960"'),
        ("jazz year:-1960", 'cql.anywhere all "jazz" and dc.date <= "1960"'),
        (
            "jazz OR year:1960-1970",
            'cql.anywhere all "jazz" or (dc.date >= "1960" and dc.date <= "1970")',
        ),
        ("isbn:0-393-31072-8", 'bath.isbn = "0393310728"'),
        ("issn:2049-3630", 'bath.issn = "2049-3630"'),
        ("subject:guitar", 'dc.subject all "guitar"'),
        ("rock & roll", 'cql.anywhere all "rock roll"'),
        ("what? ^jazz", 'cql.anywhere all "what jazz"'),
        ("jazz* guitar", 'cql.anywhere all "jazz*" and cql.anywhere all "guitar"'),
        ('"back\\\\slash and \\"quote\\""', 'cql.anywhere = "back\\\\slash and \\"quote\\""'),
    ],
)
def test_catalogues(query: str, sent: str) -> None:
    """CQL with the indexes of the Bath profile; quotes and backslashes in a term are escaped, masks
    taken out."""
    assert _sent("catalogue", query) == sent


def test_dnb_has_indexes_of_its_own() -> None:
    """A spec that extends the family names only what differs."""
    assert _sent(
        "dnb", 'Katalog title:"neue Reihe" author:huff year:2019-2020 isbn:0-393-31072-8'
    ) == (
        'WOE all "Katalog" and TIT = "neue Reihe" and PER all "huff" and (JHR >= "2019" and JHR '
        '<= "2020") '
        'and NUM = "0393310728"'
    )


def test_what_a_catalogue_cannot_search_is_filtered_and_told() -> None:
    """The words of a journal are searched everywhere, and the records judged here."""
    planned = plan(parse("venue:nature"), REGISTRY.spec("catalogue"), 20, {})

    assert planned.sent == 'cql.anywhere all "nature"'
    assert planned.residual is not None
    assert any("journals" in note for note in planned.notes)


def test_what_arxiv_cannot_search_is_searched_everywhere_and_told() -> None:
    """arXiv has no index of subjects; its records' categories could not judge them either, so
    nothing is filtered."""
    planned = plan(parse("subject:topology"), REGISTRY.spec("arxiv"), 20, {})

    assert planned.sent == "all:topology"
    assert planned.residual is None
    assert len(planned.notes) == 1


@each("source", ["arxiv", "pubmed", "catalogue"])
def test_a_query_of_signs_alone_cannot_be_asked(source: str) -> None:
    """Nothing is left of it that an index could hold."""
    with pytest.raises(CannotAsk):
        plan(parse('"???"' if source != "catalogue" else '"***"'), REGISTRY.spec(source), 20, {})


def test_pages_of_a_catalogue_are_counted_from_one() -> None:
    """startRecord is 1 for the first record; the default page is the family's."""
    params = dict(plan(parse("jazz"), REGISTRY.spec("catalogue"), 500, {}).request.params)

    assert params == {
        "version": "1.2",
        "operation": "searchRetrieve",
        "query": 'cql.anywhere all "jazz"',
        "startRecord": "1",
        "maximumRecords": "50",
        "recordSchema": "marcxml",
    }
