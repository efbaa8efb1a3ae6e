"""COinS spans."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qsl

import pytest
from hypothesis import given

from metasearch.record import Author, Hit
from metasearch.server.pages.coins import context_object
from metasearch.server.pages.hit import hit_view
from tests.server.fake import hit, record
from tests.server.pages.test_environment import Skeleton, hostile, rendered

BASE = "https://search.example.org/meta"


def pairs(work: Hit) -> list[tuple[str, str]]:
    """What a reference manager reads out of the span."""
    span = '{% from "_hit.html" import article %}{{ article(hit) }}'
    article = Skeleton(rendered(span, hit=hit_view(work, {}, BASE)))
    (title,) = [value for name, value in article.attributes if name == "title"]
    assert title is not None
    return parse_qsl(title, keep_blank_values=True, strict_parsing=True)


def described(**fields) -> dict[str, list[str]]:
    """Key -> its values for a hit with these fields."""
    it = record(**fields)
    found: dict[str, list[str]] = {}
    for key, value in pairs(replace(hit(), record=it)):
        found.setdefault(key, []).append(value)
    return found


def test_article():
    """A journal article carries title, journal, people, numbers and identifiers."""
    found = described(ids={"pmid": "123", "arxiv": "2101.1"}, issn=("1234-5678",), date="2021-03")

    assert found == {
        "ctx_ver": ["Z39.88-2004"],
        "rft_val_fmt": ["info:ofi/fmt:kev:mtx:journal"],
        "rfr_id": ["info:sid/search.example.org:metasearch"],
        "rft.genre": ["article"],
        "rft.atitle": ["Gene drives in island mice"],
        "rft.jtitle": ["Journal of Islands"],
        "rft.aulast": ["Byron"],
        "rft.aufirst": ["Ada"],
        "rft.au": ["Ada Byron", "Bo Li"],
        "rft.date": ["2021-03"],
        "rft.volume": ["12"],
        "rft.issue": ["3"],
        "rft.spage": ["101"],
        "rft.epage": ["110"],
        "rft.issn": ["1234-5678"],
        "rft_id": ["info:doi/10.5555/islands.1", "info:pmid/123"],
    }


@pytest.mark.parametrize(
    ("type_", "fmt", "genre", "title_key"),
    [
        ("book", "book", "book", "rft.btitle"),
        ("chapter", "book", "bookitem", "rft.atitle"),
        ("thesis", "dissertation", None, "rft.title"),
        ("patent", "patent", None, "rft.title"),
        ("preprint", "journal", "preprint", "rft.atitle"),
        ("journal", "journal", "journal", "rft.jtitle"),
        ("dataset", "journal", "unknown", "rft.atitle"),
        (None, "journal", "article", "rft.atitle"),
    ],
)
def test_kinds(type_, fmt, genre, title_key):
    """Each type of work has its format, genre and key for the title."""
    found = described(type=type_)

    assert [f"info:ofi/fmt:kev:mtx:{fmt}"] == found["rft_val_fmt"]
    assert genre == (found.get("rft.genre") or [None])[0]
    assert found[title_key] == ["Gene drives in island mice"]


def test_empty_keys_are_left_out():
    """What is not known is not mentioned."""
    found = described(
        authors=(), year=None, venue=None, volume=None, issue=None, pages=None, doi=None, ids={}
    )

    assert {"ctx_ver", "rft_val_fmt", "rfr_id", "rft.genre", "rft.atitle"} == set(found)


def test_blanks_and_other_scripts_are_percent_encoded():
    """Values are UTF-8, blanks are %20."""
    written = context_object(replace(hit(), record=record(title="乳腺癌 & more")), BASE)

    assert "rft.atitle=%E4%B9%B3%E8%85%BA%E7%99%8C%20%26%20more" in written


@given(hostile)
def test_text_cannot_add_a_key(text):
    """Upstream text stays the value of its own key."""
    it = record(title=f"a{text}b", venue=f"a{text}b", authors=(Author(f"a{text}b"),), doi=None)
    keys = [key for key, _ in pairs(replace(hit(), record=it))]
    tame = [
        key
        for key, _ in pairs(
            replace(hit(), record=record(title="a", venue="b", authors=(Author("c"),), doi=None))
        )
    ]

    assert tame == keys
