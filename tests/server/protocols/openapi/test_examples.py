"""The examples are what a server in front of the demo answers to the requests beside them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from metasearch.server.protocols.openapi.document import search_examples

ROOT = Path(__file__).resolve().parents[4]


def tool() -> ModuleType:
    path = ROOT / "tools" / "openapi_examples.py"
    spec = importlib.util.spec_from_file_location("openapi_examples", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def test_examples_are_what_the_demo_answers(chapter):
    """After a change of answers, run `python tools/openapi_examples.py`."""
    assert await tool().answers() == (search_examples(), chapter.examples)
