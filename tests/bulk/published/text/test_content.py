"""What of a record is read: title with subtitle, abstract, no longer than anybody writes them."""

from __future__ import annotations

from metasearch.bulk.published.words import (
    LONGEST_BODY,
    LONGEST_TITLE,
    body,
    content_words,
    sha1,
    title,
)
from tests.dedup.records import record


def test_a_subtitle_of_its_own_belongs_to_the_title() -> None:
    """As if the source had written both into one field."""
    assert (
        title(record(title="Sorption on oxides", subtitle="A column study"))
        == "Sorption on oxides A column study"
    )
    assert title(record(title="Sorption on oxides")) == "Sorption on oxides"


def test_what_is_longer_than_any_text_is_cut() -> None:
    """A record cannot make the work long."""
    endless = record(title="a" * 1_000_000, abstract="b" * 1_000_000)

    assert (len(title(endless)), len(body(endless))) == (LONGEST_TITLE, LONGEST_BODY)
    assert body(record()) == ""


def test_stop_words_are_no_content() -> None:
    """Order and repetition are kept."""
    assert content_words("The sorption of the phosphate on the phosphate") == [
        "sorption",
        "phosphate",
        "phosphate",
    ]


def test_a_hash_knows_where_a_member_ends() -> None:
    """["ab", "c"] is not ["a", "bc"]; half a surrogate pair is hashed as anything else."""
    assert len({sha1(["ab", "c"]), sha1(["a", "bc"]), sha1(["abc"]), sha1(["\ud800"])}) == 4
    assert (
        sha1(["a", "b"]) == "687d61996b1c1278c973743efe7ee8e2fc8fb1d0"
    )  # of "a", one byte 1F, "b"
