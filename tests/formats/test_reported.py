"""What people exported and reported as misread, in the shared data: each file is read as it is
meant, and written as other programs take it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.formats.reported import CASES, outcomes

pytestmark = pytest.mark.shared


def test_each_file_is_read_as_it_is_meant(shared: Path) -> None:
    """None is misread, and none is passed over."""
    found = list(outcomes(shared / "cases" / "files"))

    assert {one.name: one.wrong for one in found if one.wrong} == {}
    assert len(found) == len(CASES)
