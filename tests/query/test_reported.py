"""What users reported, in the shared data: each text is read as it is meant, or refused with a
reason where that is right, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.query.reported import outcomes

pytestmark = pytest.mark.shared

#: How many of them must be read; the others may be refused.
READ = 58


def test_each_text_is_read_as_it_is_meant(shared: Path) -> None:
    """None is misread, and hardly any is refused."""
    found = list(outcomes(shared / "cases" / "queries"))

    assert [one for one in found if one.state == "wrong"] == []
    assert sum(one.state == "read" for one in found) >= READ
