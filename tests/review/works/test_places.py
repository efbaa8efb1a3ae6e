"""Places and sketches are kept in files: they are the same in every process and release."""

from __future__ import annotations

import hashlib

from benchmarks.generated import Library
from metasearch.dedup import DEFAULT, Fingerprint
from metasearch.review.works import groups
from metasearch.review.works.places import PlacedRecord, place

#: `rules.SHAPE` -> the digest of the places of a library.
KNOWN = {2: "51b7df4f452cdd57d25b2841f4875f4dc164d67d9481608606bfa3b145bdfb27"}


def test_places_are_those_of_their_shape() -> None:
    """Where this fails, keys, signatures or sketches have changed: raise `rules.SHAPE`, so that
    projects make theirs anew, and write the new digest here."""
    found = hashlib.sha256()
    for number, (_, record) in enumerate(Library(7).records(200)):
        placed = PlacedRecord.of(number, Fingerprint(record), DEFAULT)
        signatures = [one.signature(placed.print) for one in DEFAULT.matchers if one.name == "text"]  # type: ignore[attr-defined]
        found.update(
            repr((sorted(placed.places), placed.title, placed.sketch, signatures)).encode()
        )
    assert found.hexdigest() == KNOWN[groups.SHAPE]


def test_a_place_is_a_number_that_sqlite_keeps() -> None:
    """Of any text; two matchers with one key have two places."""
    for value in ("", "水", "\ud800", "x" * 10_000):
        assert -(2**63) <= place("fields", value) < 2**63
    assert place("fields", "x") != place("text", "x")
