"""The tools behind the package `mcp`: a server that both transports run.

The package's lower layer is used: its upper one reads the arguments with pydantic, whose messages
an assistant would have to read, and puts words before every error
(docs/decisions/0033-how-mcp-is-served.md).
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from typing import Any

from mcp.server.lowlevel import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as ToolType

from metasearch import __version__
from metasearch.errors import MetasearchError, QuerySyntaxError, WorkspaceError
from metasearch.formats.text import clean
from metasearch.server.access_log import places_of
from metasearch.server.faces.mcp.budget import MOST_TOKENS, cut, tokens, written
from metasearch.server.faces.mcp.calls import Call, Caller, ToolError
from metasearch.server.faces.mcp.tools import INSTRUCTIONS, TOOLS, Tool
from metasearch.server.problem import Problem
from metasearch.server.site import NAME
from metasearch.server.storage import storage_problem

_LONGEST_ERROR = 1_500

logger = logging.getLogger("metasearch.server")


def protocol_server(caller_of: Callable[[Any], Caller]) -> Server[Any]:
    """The server. `caller_of`: takes the context of a request, as the package makes it, and returns
    on whose behalf it runs.
    """
    listed = ListToolsResult(tools=[_declared(tool) for tool in TOOLS.values()])

    async def list_tools(_ctx: Any, _params: Any) -> ListToolsResult:
        return listed

    async def call_tool(ctx: Any, params: CallToolRequestParams) -> CallToolResult:
        call = Call(caller_of(ctx), params.arguments or {}, ctx.session.report_progress)
        return await _called(params.name, call)

    def input_schema(name: str) -> Any:
        tool = TOOLS.get(name)
        return tool.arguments if tool is not None else None

    return Server(
        NAME,
        version=__version__,
        title="metasearch: scholarly databases",
        instructions=INSTRUCTIONS,
        get_tool_input_schema=input_schema,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _declared(tool: Tool) -> ToolType:
    return ToolType(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=dict(tool.arguments),
        output_schema=dict(tool.result),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=tool.open_world,
        ),
    )


async def _called(name: str, call: Call) -> CallToolResult:
    """What a tool returns, as an object and as the same JSON in a text; or its error as text."""
    try:
        tool = TOOLS.get(name)
        if tool is None:
            raise ToolError(f"There is no tool {cut(name, 40)!r}. Tools: {', '.join(TOOLS)}.")
        answer = await tool.answer(call)
        text = written(answer)
        if tokens(text) > MOST_TOKENS:
            raise ToolError(
                "The answer would be too long. Ask for fewer works, or narrow the query."
            )
    except WorkspaceError as exc:  # whose text names the file
        return _failed(_reason(storage_problem(exc)))
    except (ToolError, MetasearchError, Problem) as exc:
        return _failed(_reason(exc))
    except Exception as exc:
        error_id, places = secrets.token_hex(6), places_of(exc)
        logger.error("tool %s failed: %s\n%s", cut(clean(name), 40), error_id, places)
        return _failed(
            f"An internal error occurred; the log of the server has it under {error_id}. "
            "Trying again with the same arguments may not help."
        )
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=answer)


def _failed(reason: str) -> CallToolResult:
    shown = cut(clean(reason), _LONGEST_ERROR)
    return CallToolResult(content=[TextContent(type="text", text=shown)], is_error=True)


def _reason(error: ToolError | MetasearchError | Problem) -> str:
    match error:
        case QuerySyntaxError():
            advice = error.advice or "Search for plain words instead."
            where = f"at character {error.position + 1}"
            return f"The query cannot be read, {where}: {error.reason}. {advice}"
        case MetasearchError():
            return f"{str(error).rstrip('.')}. {error.advice}".strip()
        case Problem():
            return error.detail or error.title
        case _:
            return str(error)
