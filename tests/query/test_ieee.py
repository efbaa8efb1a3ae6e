"""IEEE Xplore: the names of its command search, and what its pages print."""

from __future__ import annotations

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.query import read, to_text
from metasearch.query.ieee import IEEE
from tests.cases import each
from tests.query.codes import fate, value_for

#: Data fields of the command search.
PUBLISHED = (
    """
Abstract|Accession Number|All Metadata|Article Number|Article Page Number|Author|Author Affiliation
Author Affiliations|Author Keywords|Author ORCID|Authors|Conference Location|Content Type|DOI
Document Title|End Page|First Name|Full Text & Metadata|Full Text .AND. Metadata|Full Text Only
Funding Agency|IEEE Terms|INSPEC Controlled Terms|INSPEC Non-Controlled Terms|ISBN|ISSN|Index Terms
Issue|Last Name|Mesh_Terms|Parent Publication Number|Parent Publication Title|Publication Number
Publication Title|Publication Year|Publisher|Search_Latest_Date|Standard Number|Start Page
Standards Dictionary Terms|Standards ICS Terms|Topic|Volume
""".strip()
    .replace("\n", "|")
    .split("|")
)


@each("name", PUBLISHED)
def test_every_published_name_is_read_or_told(name: str) -> None:
    """None becomes words, before a word, a phrase or a bracket."""
    value = value_for(IEEE, name)

    for written in (f'"{name}":{value}', f'"{name}":"{value}"', f'"{name}":({value})'):
        assert fate(f'"Document Title":asthma AND {written}', "ieee", name)


@each(
    ("text", "tree"),
    [
        ('"Abstract":(x NEAR/3 y)', "abstract:x NEAR/3 abstract:y"),
        ('"Abstract":(x ONEAR/2 y)', "abstract:x PRE/2 abstract:y"),
        ('"Abstract":(x NEAR y)', "abstract:x AND abstract:y"),
        ('"Abstract":x AND "Publication Year":2015-2020', "abstract:x AND year:2015-2020"),
        ('Document Title:x AND Abstract:"y z"', 'title:x AND abstract:"y z"'),
        ('"Abstract":(topic: x)', "abstract:(topic: x)"),
        ('"Abstract":(oil refined by acid)', "abstract:(oil refined by acid)"),
        ('("Abstract":x) Filters Applied: 2015 - 2020', "abstract:x AND year:2015-2020"),
        ('"Abstract":x\nFilters Applied: Journals 2015 - 2020', "abstract:x AND year:2015-2020"),
        ('"Abstract":x You Refined by: Publisher: IEEE', "abstract:x"),
        ('Showing 1-25 of 1,234 results for "Abstract":x', "abstract:x"),
    ],
)
def test_fields_and_what_pages_print(text: str, tree: str) -> None:
    """Years are read among what the search was refined by, and the rest is told."""
    assert to_text(read(text, "ieee").query) == tree


def test_what_a_search_was_refined_by_is_told() -> None:
    """What is read of it, and what is not."""
    notes = read('"Abstract":x Filters Applied: Journals 2015 - 2020', "ieee").notes

    assert any("Filters Applied: Journals 2015 - 2020" in note for note in notes)
    assert any(note.startswith("Journals: ignored") for note in notes)


@each(
    ("text", "name", "near"),
    [
        ('"Document Titel":x', "Document Titel", "document title"),
        ('"Abstract":x AND "Author Keyworks":y', "Author Keyworks", "author keywords"),
        ('"Foo Bar":x', "Foo Bar", "IEEE Xplore"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(text: str, name: str, near: str) -> None:
    """With its place in the text."""
    with pytest.raises(QuerySyntaxError) as caught:
        read(text, "ieee")

    assert name in caught.value.reason
    assert near in caught.value.reason
    assert text[caught.value.position :].startswith(f'"{name}"')
