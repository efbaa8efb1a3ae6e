"""What all tests share: where the shared data lies, and the shim that aioresponses needs."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data beside the checkout; the test skips, saying so, where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("no shared data beside the checkout")
    return SHARED
