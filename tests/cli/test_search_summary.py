"""What stderr says of each source when a search is over."""

from __future__ import annotations

from metasearch.cli.search_run import _counts_by_source
from metasearch.events import Answer, Counts
from tests.cli.fake import failed, ok


def test_who_gave_how_much() -> None:
    """How many of how many, whether they are old ones, and whom one had to wait for."""
    old = "from the cache, 3 h old, because the database answered 503"
    reports = (
        ok(count=20, total=1234),
        ok("gamma", count=0),
        ok("delta", count=7, total=9, spared=old),
        failed(),
    )
    answer = Answer("gene", False, Counts(), (), reports)

    assert (
        _counts_by_source(answer)
        == "alpha 20 of 1,234, gamma 0, delta 7 of 9 from the cache, beta timeout (8.0 s)"
    )
