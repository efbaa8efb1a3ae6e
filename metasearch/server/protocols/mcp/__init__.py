"""The Model Context Protocol: the tools by which assistants search, over stdio and under `/mcp`.

`tools.py` has the tools, `arguments.py` reads what an assistant sends, and `works.py` writes works,
so that an answer stays small. `protocol.py` declares the tools and puts them behind the package
`mcp`, which is the extra `mcp`; `http.py` and `metasearch/cli/mcp.py` are the two ways to reach it.
`docs/mcp.md` describes it from outside.
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
