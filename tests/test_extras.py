"""What describes an interface does not depend on what is installed; pages offer what works here;
nothing tells a user to install a package of somebody else.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer

from metasearch.extras import how_to_install, is_installed
from metasearch.formats import FORMATS
from metasearch.server.app import make_app
from metasearch.settings.alerts import MailSettings
from tests.cases import each
from tests.extras import EXTRAS, packages_of
from tests.review.pages.filled import filled
from tests.server.fake import FakeEngine

ROOT = Path(__file__).resolve().parents[1]
#: Prints what each set of packages, an argument, leaves of the descriptions: JSON of name -> text.
DESCRIBES = """
import json, sys
import click

def described():
    from metasearch.cli.root import root
    from metasearch.server.app import ROUTES
    from metasearch.server.protocols.openapi.routes import catalog
    from metasearch.server.protocols.openapi.document import Server, document_of
    from metasearch.review.server import chapter
    from metasearch.server.limits import Options
    from metasearch.server.site import Site
    from metasearch.server.wing import server_wing

    every = (*ROUTES, *server_wing().routes(users=False))
    routes = {(route.path.replace(":.+", ""), "get") for route in every}
    routes |= {(route.path.replace(":.+", ""), "post") for route in every if route.posts}
    server = Server(Options(), False, "", frozenset(routes), True, chapter(users=True))
    yield "openapi", json.dumps(document_of(server))
    todo = [(root, click.Context(root, info_name="metasearch"))]
    for command, context in todo:
        yield context.command_path, command.get_help(context)
        for name in getattr(command, "list_commands", lambda context: ())(context):
            found = command.get_command(context, name)
            todo.append((found, click.Context(found, info_name=name, parent=context)))

for missing in map(json.loads, sys.argv[1:]):
    for name in [name for name in sys.modules if name.partition(".")[0] == "metasearch"]:
        del sys.modules[name]
    sys.modules.update(dict.fromkeys(missing))
    print(json.dumps(dict(described())))
    for name in missing:
        del sys.modules[name]
"""


@pytest.fixture(scope="module")
def described() -> dict[str, dict[str, str]]:
    """Which extras are missing, "all" or "none" -> the descriptions."""
    missing = {"none": set[str](), "all": set[str]().union(*map(packages_of, EXTRAS))}
    done = subprocess.run(
        [sys.executable, "-c", DESCRIBES, *(json.dumps(sorted(one)) for one in missing.values())],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(missing, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.slow
def test_descriptions_are_the_same_without_extras(described: dict[str, dict[str, str]]) -> None:
    """`/openapi.json` and each `--help` have the same text, byte for byte."""
    assert len(described["none"]) > 50
    assert {
        name for name, text in described["all"].items() if text != described["none"][name]
    } == set()


@pytest.mark.slow
def test_descriptions_name_the_extras(described: dict[str, dict[str, str]]) -> None:
    """Of each format and part that needs one."""
    document = described["all"]["openapi"]
    for format_ in FORMATS.values():
        if format_.extra:
            assert f"`{format_.name}` needs the extra `{format_.extra}`" in document

    assert "`docx` needs the extra `docx`" in document
    assert "the extra `mcp`" in document
    assert "the extra `rerank`" in document


@pytest.fixture
async def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A server with a workspace on an installation without extras."""
    made = filled(tmp_path / "workspace.sqlite3")
    for extra in EXTRAS:
        for package in packages_of(extra):
            monkeypatch.setitem(sys.modules, package, None)
            assert not is_installed(package)
    engine = FakeEngine(settings=replace(made.settings, mail=MailSettings()))
    async with TestClient(TestServer(make_app(lambda: engine))) as client:  # type: ignore[arg-type,return-value]
        client.review = made.review.uid  # type: ignore[attr-defined]
        yield client


async def test_every_description_is_there(plain: TestClient) -> None:
    """On a server that has no extra."""
    for path in ("/openapi.json", "/docs", "/.well-known/api-catalog"):
        assert (await plain.get(path)).status == 200


async def test_pages_offer_what_works_here(plain: TestClient) -> None:
    """No page has a file that this installation cannot write, and all have the others."""
    review = f"/projects/{plain.review}"  # type: ignore[attr-defined]
    html = {"Accept": "text/html"}
    for address, there in (
        ("/search?q=mice", "ris"),
        (f"{review}/works", "ris"),
        (f"{review}/reports/prisma-s", ".md"),
    ):
        text = await (await plain.get(address, headers=html)).text()
        assert there in text, address
        assert not re.search("xlsx|parquet|docx", text), address
        hits = re.findall(r'href="(/work/[^"?]+)', text)
        for link in hits[:1]:
            page = await (await plain.get(f"{link}?q=mice", headers=html)).text()
            assert "format=ris" in page
            assert not re.search("xlsx|parquet", page)


async def test_accept_chooses_what_works_here(plain: TestClient) -> None:
    """A client that likes something else as well gets that; one that does not is told the extra,
    and 406 lists only what it can have.
    """
    excel = FORMATS["xlsx"].media_type
    other = await plain.get("/search?q=mice", headers={"Accept": f"{excel}, text/csv;q=0.5"})
    alone = await plain.get("/search?q=mice", headers={"Accept": excel})
    unknown = await plain.get("/search?q=mice&format=docx")

    assert (other.status, other.content_type) == (200, "text/csv")
    assert (alone.status, (await alone.json())["advice"]) == (400, how_to_install("xlsx"))
    offered = {one["format"] for one in (await unknown.json())["allowed"]}
    assert "csv" in offered
    assert not {"xlsx", "parquet"} & offered


async def test_an_unknown_export_is_told_what_there_is(plain: TestClient) -> None:
    """Also where not all of it is installed."""
    answer = await plain.get(f"/projects/{plain.review}/works/export?format=none")  # type: ignore[attr-defined]

    assert answer.status == 406


# --------------------------------------------------------------------------- whose name it is

_FETCHES = (
    r"(?:pip3?|easy_install|conda|mamba|uv|uv\s+(?:tool|pip)|poetry|pdm|pipx)\s+(?:install|add|inject)"
    r"|pipx\s+run|uvx|uv\s+tool\s+run"
)
_BY_NAME = re.compile(
    rf"""\b(?:{_FETCHES})\s+(?:-\S+\s+(?:[^\s"'-]\S*\s+)??)*["'\\]*metasearch(?![\w/-]|\.\w)"""
)
_EXTRA = re.compile(r"(?<![\w./-])metasearch(?:==[\w.]+)?\[[\w${]")


def advice_in(text: str) -> list[str]:
    """What a text says to install by our name from a package index."""
    joined = re.sub(r"\\\n\s*", " ", text)
    lines = [line for line in joined.splitlines() if "--no-index" not in line]
    return [line for line in lines if _BY_NAME.search(line) or _EXTRA.search(line)]


@pytest.mark.slow
def test_nothing_advises_a_package_of_somebody_else() -> None:
    """On the package index the name "metasearch" is a stranger's. No file of the project, whatever
    it is for, tells anybody to install it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False
    ).stdout.decode()
    names = listed.split("\0")[:-1] or [
        path.relative_to(ROOT).as_posix()
        for folder in ("deploy", "docs", "metasearch", "tests", "tools", "benchmarks")
        for path in (ROOT / folder).rglob("*.*")
    ]
    wrong = []
    for name in names:
        path = ROOT / name
        if name == Path(__file__).relative_to(ROOT).as_posix() or not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        wrong += [f"{name}: {line}" for line in advice_in(text)]

    assert len(names) > 1_000
    assert wrong == []


@each(
    "advice",
    [
        "pip install metasearch",
        "pip install 'metasearch[users,mail]'",
        'python -m pip install --upgrade "metasearch[xlsx]==0.1"',
        "pipx install metasearch",
        "pipx inject metasearch openpyxl metasearch",
        "uv tool install metasearch",
        "uv add metasearch",
        "uvx metasearch serve",
        "uvx --from metasearch metasearch",
        "with the extra `metasearch[mcp]`",
        "env/bin/pip install \\\n    metasearch",
        'pip install "metasearch[{extra}]"',
    ],
)
def test_such_advice_is_found(advice: str) -> None:
    """In the spellings of the tools that people use."""
    assert advice_in(advice)


@each(
    "advice",
    [
        'pip install ".[mcp,xlsx]"',
        "pipx install .",
        'pip install "dist/metasearch-0.1.0-py3-none-any.whl[mcp]"',
        "/opt/metasearch/bin/pip install '.[users,mail]'",
        'Install the extra xlsx: pip install ".[xlsx]" in a checkout of metasearch.',
        "uv run pytest tests/metasearch.py",
    ],
)
def test_other_advice_is_none_of_it(advice: str) -> None:
    """A checkout, the file of a wheel, and sentences that name the program."""
    assert advice_in(advice) == []
