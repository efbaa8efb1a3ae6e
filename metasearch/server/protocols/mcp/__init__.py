"""The Model Context Protocol: the tools by which assistants search, over stdio
(`metasearch/cli/mcp.py`) and under `/mcp`. The package `mcp` is an extra; docs/mcp.md.
"""

from __future__ import annotations

from metasearch.errors import UsageError
from metasearch.extras import how_to_install, is_installed


def check_extra() -> None:
    """Whether the extra `mcp` is installed. Raises UsageError: it is not."""
    if not is_installed("mcp"):
        raise UsageError(
            "MCP needs a package that is not installed: mcp",
            advice=how_to_install("mcp"),
        )
