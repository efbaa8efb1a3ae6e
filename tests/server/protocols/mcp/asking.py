"""Asks the thirty questions of questions.toml through a client of the package `mcp`, and says for
each whether the work that answers it was among the results.

    python -m tests.server.protocols.mcp.asking            over stdio and over HTTP, with the demo
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metasearch.server.protocols.mcp.works import tokens

QUESTIONS = Path(__file__).with_name("questions.toml")
#: What hosts allow an answer to have.
MOST_TOKENS = 25_000
#: What a server says that has no room for a search, and the seconds after which to ask again.
_BUSY = re.compile(r"searches are running, .*Try again in (\d+) second", re.DOTALL)


@dataclass(frozen=True)
class Asked:
    """A question, the place of its answer among the results (0 for nowhere), and the tokens of all
    that was returned."""

    text: str
    place: int
    tokens: int


def questions() -> list[dict[str, str]]:
    return tomllib.loads(QUESTIONS.read_text("utf-8"))["question"]


async def ask_all(client: Any) -> list[Asked]:
    """Asks ten questions at a time: a search of the demo waits for its slow database. A server
    that is busy is asked again, as assistants do."""
    together = asyncio.Semaphore(10)

    async def ask(question: dict[str, str]) -> Asked:
        async with together:
            result = await client.call_tool("search", {"query": question["text"]})
            while busy := result.is_error and _BUSY.search(result.content[0].text):
                await asyncio.sleep(int(busy[1]))
                result = await client.call_tool("search", {"query": question["text"]})
        assert not result.is_error, result.content
        works = result.structured_content["results"]
        places = [place for place, work in enumerate(works, 1) if _answers(work, question)]
        # A host may show both the text and the object.
        size = 2 * sum(tokens(block.text) for block in result.content)
        return Asked(question["text"], min(places, default=0), size)

    return await asyncio.gather(*map(ask, questions()))


def _answers(work: dict[str, Any], question: dict[str, str]) -> bool:
    if "doi" in question:
        return work.get("doi") == question["doi"]
    return _plain(work["title"]).startswith(_plain(question["title"]))


def _plain(text: str) -> str:
    return "".join(re.findall(r"\w+", text.casefold()))


@asynccontextmanager
async def over_stdio(mode: str = "auto", *arguments: str) -> AsyncIterator[Any]:
    """A client of `metasearch mcp`."""
    from mcp import Client, StdioServerParameters

    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "metasearch", "mcp", *(arguments or ("--demo",))],
        env=dict(os.environ),
    )
    async with Client(command, mode=mode) as client:
        yield client


@asynccontextmanager
async def over_http(mode: str = "auto") -> AsyncIterator[Any]:
    """A client of `/mcp` of a server in this process."""
    from mcp import Client

    from metasearch.server.app import open_server
    from metasearch.settings import Settings

    async with (
        open_server(Settings(), demo=True) as address,
        Client(f"{address.rstrip('/')}/mcp", mode=mode) as client,
    ):
        yield client


async def _main() -> int:
    missing = 0
    for name, opened in (("stdio", over_stdio), ("HTTP", over_http)):
        async with opened() as client:
            asked = await ask_all(client)
        for each in asked:
            print(f"{each.place or '-':>3} {each.tokens:>6,} tokens  {each.text}")
        answered = sum(each.place > 0 and each.tokens < MOST_TOKENS for each in asked)
        print(f"{name}: {answered} of {len(asked)} found in under {MOST_TOKENS:,} tokens each\n")
        missing += len(asked) - answered
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(_main()))
