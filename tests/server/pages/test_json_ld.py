"""JSON-LD of schema.org."""

from __future__ import annotations

from dataclasses import replace

import orjson
from hypothesis import given

from metasearch.record import TYPES, Author
from metasearch.server.pages import metadata
from tests.cases import each
from tests.server.fake import hit, record
from tests.server.pages.test_environment import Skeleton, hostile, rendered

PAGE = "https://search.example.org/work/doi:10.5555/islands.1"


def described(**fields):
    """The object of a work with these fields."""
    return metadata.object_of(replace(hit(), record=record(**fields)), PAGE)


def test_an_article():
    """Its people, its place in issue, volume and journal, its identifiers and addresses."""
    orcid = "0000-0002-1825-0097"
    authors = (Author("Ada Byron", "Byron", "Ada", orcid, "Isle University"),)
    found = described(
        authors=authors, issn=("1234-5678",), ids={"pmid": "7"}, date="2021-03-05", language="en"
    )

    assert found == {
        "@context": "https://schema.org",
        "@type": "ScholarlyArticle",
        "@id": "https://doi.org/10.5555/islands.1",
        "name": "Gene drives in island mice",
        "headline": "Gene drives in island mice",
        "author": [
            {
                "@type": "Person",
                "@id": f"https://orcid.org/{orcid}",
                "name": "Ada Byron",
                "familyName": "Byron",
                "givenName": "Ada",
                "affiliation": {"@type": "Organization", "name": "Isle University"},
            }
        ],
        "datePublished": "2021-03-05",
        "isPartOf": {
            "@type": "PublicationIssue",
            "issueNumber": "3",
            "isPartOf": {
                "@type": "PublicationVolume",
                "volumeNumber": "12",
                "isPartOf": {
                    "@type": "Periodical",
                    "name": "Journal of Islands",
                    "issn": ["1234-5678"],
                },
            },
        },
        "pageStart": "101",
        "pageEnd": "110",
        "inLanguage": "en",
        "abstract": "Mice were counted twice.",
        "identifier": [
            {"@type": "PropertyValue", "propertyID": "doi", "value": "10.5555/islands.1"},
            {"@type": "PropertyValue", "propertyID": "pmid", "value": "7"},
        ],
        "sameAs": [
            "https://doi.org/10.5555/islands.1",
            "https://alpha.example.org/1",
            "https://beta.example.org/2",
        ],
        "url": PAGE,
    }


@each("type_", [*TYPES, None, "odd"])
def test_every_type_is_a_type_of_schema_org(type_):
    """What has none is a creative work."""
    found = described(type=type_, venue=None)

    assert found["@type"] == metadata.TYPES.get(str(type_), "CreativeWork")
    assert found["name"] == "Gene drives in island mice"


def test_a_chapter_and_a_body():
    """A chapter is part of a book; a body is an organization."""
    found = described(
        type="chapter", authors=(Author("World Health Organization", collective=True),)
    )

    assert found["isPartOf"] == {"@type": "Book", "name": "Journal of Islands"}
    assert found["author"] == [{"@type": "Organization", "name": "World Health Organization"}]


def test_what_is_not_known_is_left_out():
    """No member is null or empty."""
    found = described(
        authors=(), year=None, venue=None, pages=None, doi=None, url=None, abstract=None
    )

    assert all(value not in ("", None, []) for value in found.values())
    assert found["@id"] == PAGE
    assert "author" not in found


@given(hostile)
def test_nothing_ends_the_script(text):
    """The element holds one text, which reads back as the object."""
    described = metadata.object_of(
        replace(
            hit(), record=record(title=text, abstract=text, venue=text, doi=None, ids={text: text})
        ),
        PAGE,
    )
    page = rendered(
        '<script type="application/ld+json">{{ it }}</script>', it=metadata.script(described)
    )
    skeleton = Skeleton(page)

    assert skeleton.tags == ["script[type]", "/script"]
    assert orjson.loads(skeleton.text) == described
    assert not set("<>&") & set(skeleton.text)
