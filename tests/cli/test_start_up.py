"""The command is there at once: nothing heavy is imported before it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cases import each
from tests.extras import optional_packages

HEAVY = (
    *(
        "aiohttp",
        "asyncio",
        "diskcache",
        "jieba",
        "jinja2",
        "lxml",
        "numpy",
        "orjson",
        "parsel",
        "platformdirs",
        "prometheus_client",
        "rapidfuzz",
        "rich",
    ),
    "mcp_types",  # of the package mcp
    *sorted(optional_packages()),
)


def modules_after(code: str) -> set[str]:
    """What is loaded then. The last line of the output has it, because a help text says "mcp"."""
    script = f"import sys\n{code}\nprint('\\n' + ' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.slow
@each("args", [[], ["--help"], ["--version"], ["search", "--help"], ["sources", "list", "-h"]])
def test_help_imports_nothing_heavy(args: list[str]) -> None:
    """Help and version import none of the libraries that only a running command needs."""
    loaded = modules_after(f"import metasearch.cli\nif {args}: metasearch.cli.main({args})")

    assert loaded.isdisjoint(HEAVY)
    assert "metasearch.cli" in loaded


@pytest.mark.slow
def test_importing_the_package_loads_no_extra() -> None:
    loaded = modules_after("import metasearch")

    assert loaded.isdisjoint(HEAVY)
    assert "metasearch" in loaded


@pytest.mark.slow
def test_module_is_the_command() -> None:
    """`python -m metasearch` is the same command, under its own name."""
    done = subprocess.run(
        [sys.executable, "-m", "metasearch", "-h"], capture_output=True, text=True, check=True
    )

    assert done.stdout.startswith("Usage: metasearch ")


@pytest.mark.slow
def test_a_command_line_loads_the_command_that_it_names() -> None:
    """Each other command stays unloaded, also where an option stands before the query."""
    loaded = modules_after(
        "import metasearch.cli\nmetasearch.cli.main(['--demo', '--explain-plan', 'gambling harms'])"
    )

    assert "metasearch.cli.search" in loaded
    assert loaded.isdisjoint(
        {"metasearch.cli.serve", "metasearch.cli.cache", "metasearch.bulk.commands"}
    )
    assert not any(name.startswith("metasearch.review") for name in loaded)


def test_every_command_has_its_name() -> None:
    """The list of commands finds each of them, under the name that it has itself."""
    from metasearch.cli.root import root

    assert {name: command.name for name, command in root.commands.items()} == {
        name: name for name in root.commands
    }


#: What a search of the demo needs none of.
NOT_FOR_THE_DEMO = frozenset(
    {
        *("aiohttp", "diskcache", "jieba", "numpy", "parsel"),
        *("email.message", "http.client", "importlib.resources", "tomllib"),
        "metasearch.adapters.fetch.cassette",
        "metasearch.adapters.fetch.transport",
        "metasearch.bib.chinese_titles",
        "metasearch.bulk.published",
    }
)


@pytest.mark.slow
def test_a_search_of_the_demo_loads_no_client_and_no_strategy_that_nobody_chose() -> None:
    """It asks databases of its own process, by the default strategy."""
    loaded = modules_after(
        "import asyncio\n"
        "from metasearch.demo import replay_settings\n"
        "from metasearch.demo.server import DemoTransport\n"
        "from metasearch.engine.engine import Engine\n"
        "async def search():\n"
        "    async with Engine(replay_settings(), transport=DemoTransport()) as engine:\n"
        "        return await engine.search('gambling harms')\n"
        "assert asyncio.run(search()).hits"
    )

    assert loaded.isdisjoint(NOT_FOR_THE_DEMO)


@pytest.mark.slow
def test_a_search_over_http_loads_no_strategy_that_nobody_chose() -> None:
    loaded = modules_after(
        "from metasearch.engine.engine import Engine, transport_of\n"
        "from metasearch.settings import Settings\n"
        "transport_of(Settings())"
    )

    assert "aiohttp" in loaded
    assert not any(name.startswith("metasearch.bulk.published") for name in loaded)
    assert loaded.isdisjoint({"numpy", "aiohttp.web", "http.server", "tomllib"})


@pytest.mark.slow
def test_a_search_of_databases_that_speak_json_loads_no_parser_of_xml() -> None:
    """Neither to read their specs nor to read their pages: it takes 4 MB of each process."""
    loaded = modules_after(
        "import asyncio, orjson\n"
        "from metasearch.adapters.request import Page\n"
        "from metasearch.engine.engine import Engine\n"
        "from metasearch.settings import Settings\n"
        "item = {'title': ['Gambling harms'], 'DOI': '10.1000/1', 'type': 'journal-article'}\n"
        "body = {'message': {'total-results': 1, 'items': [item]}}\n"
        "class Crossref:\n"
        "    async def send(self, request, *_, **__):\n"
        "        return Page(request=request, body=orjson.dumps(body))\n"
        "    async def close(self): pass\n"
        "async def search():\n"
        "    settings = Settings(default_sources=('crossref',))\n"
        "    async with Engine(settings, transport=Crossref()) as engine:\n"
        "        return await engine.search('gambling harms')\n"
        "answer = asyncio.run(search())\n"
        "assert answer.hits, answer.sources"
    )

    assert "orjson" in loaded
    assert loaded.isdisjoint({"lxml", "parsel", "difflib"})
