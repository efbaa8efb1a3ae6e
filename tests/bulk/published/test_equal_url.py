"""The strategy `url`: one address, one work."""

from __future__ import annotations

from hypothesis import given

from metasearch.bulk.published.equality import EqualUrl
from metasearch.dedup.fingerprints import fingerprint
from metasearch.record import Record
from tests.cases import each
from tests.dedup.matchers.texts import assert_order_does_not_matter, compared
from tests.dedup.records import records

URL = EqualUrl()


@each(
    "other",
    [
        "http://example.org/a/1",
        "https://www.example.org/a/1/",
        "https://example.org/a/1?utm_source=x#top",
    ],
)
def test_spellings_of_one_address_are_one(other: str) -> None:
    """Scheme, www, tracking, fragment and final slash do not count; nor does anything else that the
    records say."""
    match = compared(
        URL, {"url": "https://example.org/a/1", "title": "One"}, {"url": other, "title": "Another"}
    )

    assert match is not None
    assert (match.verdict, match.score, match.because) == ("same", 1.0, "same URL")


@each("url", [None, "https://doi.org/10.1000/1", "https://example.org/"])
def test_no_landing_page_is_unknown(url: str | None) -> None:
    """A DOI is compared as one, and a portal's front page is nobody's; equal titles do not help."""
    assert compared(URL, {"url": url, "title": "One"}, {"url": url, "title": "One"}) is None
    assert [*URL.keys(fingerprint(Record(source="a", url=url)))] == []


@given(records())
def test_order_does_not_matter(found: list[Record]) -> None:
    """An equal key is an equivalence."""
    assert_order_does_not_matter(URL, found)
