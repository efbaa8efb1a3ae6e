"""The command is there at once: nothing heavy is imported before it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = (
    *(
        "aiohttp",
        "asyncio",
        "diskcache",
        "jieba",
        "jinja2",
        "lxml",
        "matplotlib",
        "mcp_types",
        "numpy",
        "orjson",
        "parsel",
        "platformdirs",
        "prometheus_client",
    ),
    *("rapidfuzz", "rich", "rjieba"),
)


def modules_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint('\\n' + '\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "args", [[], ["--help"], ["--version"], ["search", "--help"], ["sources", "list", "-h"]]
)
def test_help_imports_nothing_heavy(args: list[str]) -> None:
    """Help and version import none of the libraries that only a running command needs."""
    loaded = modules_after(f"import metasearch.cli\nif {args}: metasearch.cli.main({args})")

    assert loaded.isdisjoint(HEAVY)
    assert "metasearch.cli" in loaded


def test_module_is_the_command() -> None:
    """`python -m metasearch` is the same command, under its own name."""
    done = subprocess.run(
        [sys.executable, "-m", "metasearch", "-h"], capture_output=True, text=True, check=True
    )

    assert done.stdout.startswith("Usage: metasearch ")
