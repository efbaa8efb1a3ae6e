"""No two files of the package import each other, not even inside their functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
#: (file, what it imports): the one import of each known circle without which there is none. When a
#: circle is removed, `test_a_known_circle_is_still_there` fails: remove its line here. No import
#: may be added, and none of `metasearch.cli`.
KNOWN = (("metasearch.record", "metasearch.formats.mapping"),)

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


def circle_in(graph: Graph, start: str | None = None) -> list[str]:
    """A shortest circle as [module, ..., the same module]; [] if there is none.

    Args:
        graph: Module -> the modules that it imports.
        start: A module that the circle must contain; None for any.
    """
    circles = (_circle_through(name, graph) for name in ([start] if start else sorted(graph)))
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


def test_no_circle(package: Graph) -> None:
    """Without the known imports no file imports itself by way of others."""
    graph = {name: set(imports) for name, imports in package.items()}
    for name, imported in KNOWN:
        graph.get(name, set()).discard(imported)

    assert circle_in(graph) == []


@pytest.mark.parametrize(("name", "imported"), KNOWN)
def test_a_known_circle_is_still_there(package: Graph, name: str, imported: str) -> None:
    """A known import closes a circle, or its line in `KNOWN` has to go."""
    graph = {module: set(imports) for module, imports in package.items()}
    for other, target in KNOWN:
        if (other, target) != (name, imported):
            graph.get(other, set()).discard(target)

    assert name in graph, f"{name} is gone: remove its line from KNOWN"
    assert imported in graph[name], f"{name} no longer imports {imported}: remove it from KNOWN"
    assert circle_in(graph, name), f"{name} is in no circle: remove its line from KNOWN"


def test_the_command_line_has_no_known_circle() -> None:
    """No exception is made for `metasearch.cli`."""
    assert not [pair for pair in KNOWN if any(name.startswith("metasearch.cli") for name in pair)]


@pytest.mark.parametrize(
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
