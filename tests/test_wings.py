"""The search knows of its wings by one small object each, and looks them up when it needs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from metasearch.wing import HOMES

ROOT = Path(__file__).resolve().parent.parent
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]["contracts"]
#: Modules and packages of each wing.
WINGS = [each["protected_modules"] for each in CONTRACTS if each["type"] == "protected"]
NAMES = sorted({name for wing in WINGS for name in wing}, key=len, reverse=True)
#: What a copy without the wings lacks.
REMOVED = ("metasearch/review/", "metasearch/bulk/", "tests/review/", "tests/bulk/")
#: What is tested of the search in it.
ALONE = ("tests/collections", "tests/engine", "tests/query", "tests/server/test_api.py")
#: The one file of the search that names them.
LOOKS_THEM_UP = Path("metasearch/wing.py")
#: Prints which wings are loaded, and whether any was looked for, after some code.
LOADED = """
import sys
{code}
found = [name for name in {homes} if name in sys.modules]
if "metasearch.wing" in sys.modules and sys.modules["metasearch.wing"].wings.cache_info().misses:
    found.append("looked-up")
print("\\n" + " ".join(found))
"""
COMMAND = "import metasearch.cli\nmetasearch.cli.main({args})"


def of_search() -> list[Path]:
    """The files of the package that belong to no wing, by their paths below the repository."""
    wings = tuple(name.replace(".", "/") for name in NAMES)
    paths = [path.relative_to(ROOT) for path in (ROOT / "metasearch").rglob("*.py")]
    return [
        path
        for path in paths
        if not any(
            path.as_posix() == f"{wing}.py" or path.as_posix().startswith(f"{wing}/")
            for wing in wings
        )
    ]


def loaded_after(code: str) -> list[str]:
    """Which wings a process has loaded then."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(code=code, homes=repr(HOMES))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()[-1].split()


def test_each_wing_is_closed_to_the_others() -> None:
    """Import-linter lets nobody but a wing itself import it; tests/test_floors.py runs it."""
    contracts = [each for each in CONTRACTS if each["type"] == "protected"]

    assert len(contracts) == len(HOMES)
    for contract in contracts:
        assert contract["allowed_importers"] == contract["protected_modules"]
        assert "ignore_imports" not in contract
        assert any(home.startswith(tuple(contract["protected_modules"])) for home in HOMES)


def test_the_search_names_no_wing() -> None:
    """In no import and no string, but for the file that looks them up."""
    named = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, NAMES))})(?![\w])")
    files = of_search()
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in files}

    assert len(files) > 100
    assert named.search(texts[LOOKS_THEM_UP])
    assert {
        str(path): found[0]
        for path, text in texts.items()
        if path != LOOKS_THEM_UP and (found := named.search(text))
    } == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "import metasearch",
        COMMAND.format(args=["--version"]),
        COMMAND.format(args=["--demo", "gambling harms"]),
        COMMAND.format(args=["search", "--demo", "gambling"]),
        COMMAND.format(args=["search", "--help"]),
        COMMAND.format(args=["sources", "list", "--help"]),
    ],
)
def test_a_plain_search_looks_up_no_wing(code: str) -> None:
    assert loaded_after(code) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        COMMAND.format(args=["--help"]),
        COMMAND.format(args=["project", "--help"]),
        COMMAND.format(args=["dedup", "--help"]),
        COMMAND.format(args=["gambling", "--demo"]),  # which may be the name of a command
        "from metasearch import dedup\ndedup.strategy('simhash')",
        "from metasearch import dedup\ndedup.STRATEGIES",
        "from metasearch.server.wing import server_wing\nserver_wing()",
    ],
)
def test_wings_are_loaded_by_what_they_may_have(code: str) -> None:
    """A command that the search does not have, the list of all, a strategy, and a server."""
    assert loaded_after(code) == [*HOMES, "looked-up"]


@pytest.mark.slow
def test_the_help_of_one_command_of_a_wing_loads_no_other() -> None:
    """Nor a server: a wing names them, and the command group loads what is asked for."""
    others = (
        "from metasearch.wing import wings\n"
        "places = {name: place for wing in wings() for name, place in wing.commands.items()}\n"
        "modules = {name: place.partition(':')[0] for name, place in places.items()}\n"
        "others = {*modules.values()} - {modules['dedup']}\n"
        "assert others and others.isdisjoint(sys.modules), others & {*sys.modules}\n"
        "assert 'metasearch.server' not in sys.modules"
    )

    assert loaded_after(f"{COMMAND.format(args=['dedup', '--help'])}\n{others}")


@pytest.mark.slow
def test_a_wing_that_is_not_there_is_passed_over() -> None:
    """A server without it has what does nothing, and the strategies are those of searches."""
    code = (
        "from metasearch import dedup, wing\n"
        "from metasearch.server.wing import ServerWing, server_wing\n"
        "wing.HOMES = ('metasearch.nowhere.wing', 'metasearch.bib.wing')\n"
        "assert wing.wings() == ()\n"
        "assert type(server_wing()) is ServerWing\n"
        "assert list(dedup.STRATEGIES) == ['default']"
    )

    assert loaded_after(code) == ["looked-up"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_search_passes_its_tests_without_the_wings(tmp_path: Path) -> None:
    """In a copy of the repository from which they are removed; here those of some rooms, and all of
    them by `tasks.py test` in such a copy.
    """
    copy = tmp_path / "metasearch"
    kept = [ROOT / name for name in _tracked() if not name.startswith(REMOVED)]
    for path in kept:
        place = copy / path.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())
    done = subprocess.run(
        # Few examples of each property: what they find is found by the tests of the whole.
        [
            *(sys.executable, "-m", "pytest", "-q", "--hypothesis-profile=fewest"),
            *("-m", "not slow and not client", *ALONE),
        ],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-10_000:]


def _tracked() -> list[str]:
    """The files of the repository, by their paths below it."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
