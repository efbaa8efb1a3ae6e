"""The Model Context Protocol: the tools by which assistants search, over stdio and under `/mcp`.

`tools.py` lists the tools, `arguments.py` reads what an assistant sends, `searching.py`,
`fetching.py`, `listing.py` and `explaining.py` answer, `works.py` writes works, `budget.py` keeps
an answer small, `questions.py` makes queries of questions, and `protocol.py` puts the tools behind
the package `mcp`, which is the extra `mcp`.
`stdio.py` and `http.py` are the two ways to reach it. `docs/mcp.md` describes it from outside.
"""

from __future__ import annotations

from importlib.util import find_spec

from metasearch.errors import UsageError


def check_extra() -> None:
    """Whether the extra `mcp` is installed.

    Raises:
        UsageError: It is not.
    """
    if find_spec("mcp") is None:
        raise UsageError(
            "MCP needs a package that is not installed: mcp",
            advice='Install it with: pip install "metasearch[mcp]"',
        )
