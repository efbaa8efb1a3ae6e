"""The package as others see it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from metasearch import query


def test_the_public_names_are_there() -> None:
    """Everything in `__all__` exists, and parser and printer are functions."""
    assert all(hasattr(query, name) for name in query.__all__)
    assert query.to_text(query.parse("gene drive")) == "gene drive"


@pytest.mark.slow
def test_importing_it_loads_only_the_standard_library() -> None:
    """No dependency is imported, not even wcwidth, which only an error needs."""
    code = (
        "import sys; before = set(sys.modules); import metasearch.query; "
        "print(*(set(sys.modules) - before))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()

    assert {name.partition(".")[0] for name in loaded} <= sys.stdlib_module_names | {"metasearch"}
    assert not {"asyncio", "difflib", "urllib"} & set(loaded)
