"""What all tests share: where the shared data lies, and how property tests are run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"

# A busy machine is slow at times, and that is no failure. In CI the examples are the same in every
# run.
settings.register_profile(
    "here",
    settings.get_profile("ci" if "CI" in os.environ else "default"),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
# Fresh examples, and many of them: `HYPOTHESIS_PROFILE=nightly`. What it finds is pinned with
# @example, shrunk.
settings.register_profile(
    "nightly",
    settings.get_profile("here"),
    derandomize=False,
    max_examples=2_000,
    database=None,
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "here"))


@pytest.fixture(scope="session", autouse=True)
def _nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test sees the configuration, cache, keys, proxy or terminal of whoever runs it."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith("METASEARCH_") or name in (
                "NO_COLOR",
                "FORCE_COLOR",
                "COLUMNS",
                "LINES",
            ):
                patch.delenv(name)
        patch.setenv("HOME", str(home))
        for name in ("CONFIG", "CACHE", "DATA"):
            patch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
        for name in ("no_proxy", "NO_PROXY"):
            patch.setenv(name, "127.0.0.1,localhost")
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data beside the checkout; the test skips, saying so, where it is
    absent."""
    if not SHARED.is_dir():
        pytest.skip("no shared data beside the checkout")
    return SHARED
