"""What users reported, in the shared data: each text is read as it is meant, or refused with a
reason where that is right, too; and so with requests, commands and sources."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from aiohttp import ClientSession

from metasearch.adapters.specs.registry import Registry
from metasearch.cli import main
from metasearch.settings import Settings
from tests.query.reported import outcomes
from tests.server.protocols.mcp.conftest import LocalClient, demo_engine, server

pytestmark = pytest.mark.shared

#: How many of them must be read; the others may be refused.
READ = 58


@pytest.fixture(scope="session")
def cases(shared: Path) -> Path:
    return shared / "cases" / "queries"


def test_each_text_is_read_as_it_is_meant(cases: Path) -> None:
    """None is misread, and hardly any is refused."""
    found = list(outcomes(cases))

    assert [one for one in found if one.state == "wrong"] == []
    assert sum(one.state == "read" for one in found) >= READ


async def test_questions_of_assistants_find_works_and_say_what_they_dropped(cases: Path) -> None:
    """By the tools of MCP."""
    async with demo_engine() as engine:
        for file in cases.glob("*.mcp"):
            call = json.loads(file.read_text(encoding="utf-8"))
            answer = await LocalClient(engine).call_tool(call["name"], call["arguments"])

            assert not answer.is_error, file.name
            assert answer.structured_content["results"], file.name
            assert answer.structured_content["notes"], file.name


async def test_requests_to_searxng_find_works_and_say_what_they_dropped(cases: Path) -> None:
    """Operators of web search are no words."""
    for file in cases.glob("*.curl"):
        words = shlex.split(file.read_text(encoding="utf-8"))
        sent = [word.partition("=")[::2] for word in words if "=" in word and "/" not in word[:8]]
        async with (
            server() as running,
            ClientSession() as session,
            session.get(running.make_url("/searxng/search"), params=sent) as response,
        ):
            answer = await response.json()

        assert response.status == 200, answer
        assert answer["results"], file.name
        assert any("site:" in note for note in answer["notes"]), answer["notes"]


def test_commands_and_sources_that_were_wrong(
    cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Proximity is written, plain words are no chain of ANDs, and a source's limits are its own."""
    for file in cases.glob("*.txt"):
        text = file.read_text(encoding="utf-8").strip()
        if not text.startswith("metasearch "):
            continue
        main(shlex.split(text)[1:])
        printed = capsys.readouterr().out
        if " translate " in text:
            parts = [part for part in printed.split("\n\n") if part.strip()]
            assert len(parts) == 5, printed
            assert all(re.search(r"(?i)near/3|w/3|n3|adj4", part) for part in parts), printed
        else:
            assert "%20AND%20" not in printed, printed
    specs = Registry(Settings())
    assert specs.spec("openalex").paging.size <= 100
    crossref = specs.spec("crossref").limits
    assert (crossref.requests, crossref.per) == (1, 1.0)
