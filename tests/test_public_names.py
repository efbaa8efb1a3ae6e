"""The public names: lazy, complete, and never shadowed by a module."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import pytest

import metasearch


def test_every_public_name_resolves() -> None:
    """What `__all__` promises is there."""
    for name in metasearch.__all__:
        assert getattr(metasearch, name) is not None


def test_dir_lists_what_is_public() -> None:
    """And nothing else but what Python itself writes with two underscores: no helper, no name that
    an import has left."""
    names = dir(metasearch)

    assert set(metasearch.__all__) <= set(names)
    assert {name for name in names if not name.startswith("__")} == {
        name for name in metasearch.__all__ if not name.startswith("__")
    }
    for name in names:
        assert hasattr(metasearch, name)


def test_no_module_bears_a_public_name() -> None:
    """A module of the same name would replace the public object when it is imported."""
    modules = {module.name for module in pkgutil.iter_modules(metasearch.__path__)}

    assert not modules & set(metasearch.__all__)


def test_search_stays_a_function() -> None:
    """Importing every part of the package leaves `metasearch.search` callable."""
    importlib.import_module("metasearch.engine.engine")
    importlib.import_module("metasearch.server.app")

    assert callable(metasearch.search)


@pytest.mark.slow
def test_importing_the_package_costs_nothing() -> None:
    """`import metasearch` loads none of the heavy libraries, and not even asyncio."""
    script = "import sys, metasearch; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()

    assert not {"aiohttp", "asyncio", "lxml", "jieba", "orjson", "rich", "click"} & set(loaded)
