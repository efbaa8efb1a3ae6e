"""No two files of the package import each other, not even inside their functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cases import each

ROOT = Path(__file__).resolve().parent.parent

Graph = dict[str, set[str]]


def graph_of(files: Mapping[str, str]) -> Graph:
    """Module -> the modules that it imports anywhere, also inside functions and for types only.

    A name that is imported from a package is the module of that name, or else the package's own
    file. That a module needs the `__init__` of its packages does not count.

    Args:
        files: Module -> source text.
    """
    return {name: set(_imports(text, files)) - {name} for name, text in files.items()}


def _imports(text: str, known: Mapping[str, str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            package = node.module or ""
            for alias in node.names:
                module = f"{package}.{alias.name}"
                if module in known:
                    yield module
                elif package in known:
                    yield package


def circle_in(graph: Graph) -> list[str]:
    """A shortest circle as [module, ..., the same module]; [] if there is none."""
    circles = (_circle_through(name, graph) for name in sorted(graph))
    return min(filter(None, circles), key=len, default=[])


def _circle_through(name: str, graph: Graph) -> list[str]:
    paths = [[name]]
    seen: set[str] = set()
    for path in paths:  # grows while it is read: the shortest paths come first
        for imported in sorted(graph[path[-1]]):
            if imported == name:
                return [*path, name]
            if imported not in seen:
                seen.add(imported)
                paths.append([*path, imported])
    return []


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@pytest.fixture(scope="module")
def package() -> Graph:
    """The graph of all files of metasearch."""
    paths = (ROOT / "metasearch").rglob("*.py")
    return graph_of({module_of(path): path.read_text(encoding="utf-8") for path in paths})


@pytest.mark.slow
def test_no_circle(package: Graph) -> None:
    """No file imports itself by way of others."""
    assert circle_in(package) == []


@each(
    "text",
    [
        "import p.a",
        "from p import a",
        "from p.a import thing",
        "def f():\n    from p.a import thing",
        "if TYPE_CHECKING:\n    from p.a import thing",
    ],
)
def test_every_kind_of_import_closes_a_circle(text: str) -> None:
    """Imports at the top, inside functions and for types are found."""
    graph = graph_of({"p": "", "p.a": "from p.b import other", "p.b": text})

    assert circle_in(graph) == ["p.a", "p.b", "p.a"]


def test_no_circle_is_found_where_there_is_none() -> None:
    """Neither the package of a module nor a diamond of imports is a circle."""
    files = {"p": "from p import a", "p.a": "from p import b, c", "p.b": "from p.c import x"}

    assert circle_in(graph_of(files | {"p.c": ""})) == []
