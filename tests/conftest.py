"""What all tests share: where the shared data lies, how property tests are run, and a home of their
own."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_timeout
from hypothesis import HealthCheck, settings

from tests import growth, processes

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
#: What is kept between runs and shared by the workers of one; git ignores it.
KEPT = ROOT / ".pytest_cache"
#: matplotlib's list of fonts, whose making takes seconds: the home of a run begins empty.
FONTS = KEPT / "fonts"
#: Tests of the whole house: they need both extra wings, and a copy without these leaves them out.
WHOLE_HOUSE = (
    "cli/terminal/test_watchdog.py",
    "cli/test_start_up.py",
    "benchmarks",
    "deploy",
    "test_benchmarks.py",
    "test_docs.py",
    "test_extras.py",
    "test_floors.py",
    "test_hit_ids.py",
    "test_linear_time.py",
    "test_regular_files.py",
    "test_reports.py",
    "test_security.py",
    "test_side_effects.py",
    "test_wings.py",
)
WINGS = ("review", "bulk")
if not all((ROOT / "metasearch" / wing).is_dir() for wing in WINGS):
    collect_ignore = [*WINGS, *WHOLE_HOUSE]

# Where bytecode is not to lie beside the code, it lies there: dozens of tests start a command, and
# compiling takes half of its time.
if sys.dont_write_bytecode:
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(KEPT / "bytecode")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# How many examples a property is tried on: few while one works, more in CI, both the same in every
# run; fewest on a Python beside the main one, where what is tried is Python; and each night many
# fresh ones, of which a failure is pinned with @example, shrunk. A busy machine is slow at times,
# and that is no failure.
for _profile, _examples in (("fewest", 5), ("dev", 6), ("ci", 100), ("nightly", 1_000)):
    settings.register_profile(
        _profile,
        settings.get_profile("default"),
        max_examples=_examples,
        derandomize=_profile != "nightly",
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if "CI" in os.environ else "dev")
)


# Collections of garbage are a tenth of the time with Python's thresholds, made for small programs.
gc.set_threshold(50_000, 20, 50)


def pytest_collection_finish() -> None:
    """What is loaded by now stays: the collector of garbage need not go through it again and
    again."""
    gc.collect()
    gc.freeze()


#: Markers of tests that start servers of others, browsers, or what only some machines have.
ALSO_SLOW = ("browser", "client", "redis", "spark", "zebra")


#: How often a slow test that failed is run anew: browsers, processes and servers of others fail at
#: times for reasons of theirs. The closing line of pytest counts these runs. No fast test has any.
AGAIN = 2


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if any(item.get_closest_marker(name) for name in ALSO_SLOW):
            item.add_marker("slow")
        if item.get_closest_marker("slow") and not config.option.usepdb:
            item.add_marker(pytest.mark.flaky(reruns=AGAIN))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Only a test that is marked `slow` may measure time, since its outcome depends on the machine,
    and only such a one may start a process."""
    growth.allowed = processes.allowed = item.get_closest_marker("slow") is not None
    if getattr(item, "execution_count", 1) > 1:
        _renew_timeout(item)


def _renew_timeout(item: pytest.Item) -> None:
    """A run anew has the whole time of a test: pytest-timeout has one timer for all of them, and
    where that was what ended the first one, none is left."""
    hook = item.config.hook
    hook.pytest_timeout_cancel_timer(item=item)
    settings = pytest_timeout._get_item_settings(item)
    if settings.timeout:
        hook.pytest_timeout_set_timer(item=item, settings=settings)


@pytest.fixture(scope="module", autouse=True)
def _collected() -> Iterator[None]:
    """What a module leaves (tables, caches, results) stays, too: otherwise each collection of a
    later test goes through all of it, and tests that collect often take ten times as long."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test sees the configuration, cache, keys, proxy or terminal of the person who runs it."""
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
        for name in ("CONFIG", "CACHE", "DATA", "STATE"):
            patch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
        patch.setenv("MPLCONFIGDIR", str(FONTS))
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
