"""The Model Context Protocol: the tools by which assistants search, over stdio and under `/mcp`.

`tools.py` lists the tools, `schemas.py` declares what they return, `arguments.py` reads what an
assistant sends, `questions.py` makes queries of questions; `searching.py`, `fetching.py`,
`listing.py` and `explaining.py` answer, `works.py` writes works, and `budget.py` keeps an answer
small. `protocol.py` puts the tools behind the package `mcp`, which is the extra `mcp`; `http.py`
and `metasearch/cli/mcp_run.py` are the two ways to reach it. `docs/mcp.md` describes it from
outside.
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
