"""docs/adapters.md tells the truth."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from metasearch.adapters.select.marc import compile_marc
from metasearch.adapters.select.xml import NAMESPACES
from metasearch.adapters.specs import checks, spec_tables, specfile
from metasearch.adapters.specs.registry import Registry
from metasearch.bib import converters
from metasearch.query.tree import FIELDS
from metasearch.settings import Settings
from tests.cases import each


def keys_in(schema: object) -> Iterator[str]:
    """The keys of all tables of a JSON Schema, but for fields of a query or a record."""
    if isinstance(schema, dict):
        yield from schema.get("properties", ())
    for inner in schema.values() if isinstance(schema, dict) else ():
        yield from keys_in(inner)
    for inner in schema if isinstance(schema, list) else ():
        yield from keys_in(inner)


PAGE = (Path(__file__).resolve().parents[2] / "docs" / "adapters.md").read_text(encoding="utf-8")
BLOCKS = [tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)\n```", PAGE, re.DOTALL)]
WORDS = set(
    re.findall(
        r"[\w*-]+",
        " ".join(re.findall(r"`[^`]*`|```.*?```|^### .*$|^\w+ +=", PAGE, re.DOTALL | re.MULTILINE)),
    )
)
#: What an editor may complete.
KEYS = sorted(set(keys_in(specfile.schema())))


def test_the_whole_example_can_be_built() -> None:
    """A reader who copies it has a spec without problems."""
    (example,) = [block for block in BLOCKS if "name" in block]

    assert specfile.build(example, "example.toml").name == "example"


@each("block", [block for block in BLOCKS if "sources" in block])
def test_the_catalogues_in_the_configuration_can_be_built(
    block: dict[str, dict[str, dict[str, object]]],
) -> None:
    """As they stand, with nothing but the family behind them."""
    registry = Registry(Settings(sources=block["sources"]))

    for name in block["sources"]:
        assert registry.spec(name).request.url.startswith("https://")


@each("key", KEYS)
def test_every_key_is_explained(key: str) -> None:
    """A key that a spec may have is named on the page."""
    if key in (
        "request",
        "query",
        "paging",
        "auth",
        "limits",
        "enrich",
        "parse",
        "fields",
        "ids",
        "also",
    ):
        assert f"[{key}" in PAGE
    else:
        assert key in WORDS


@each("name", sorted(converters.CONVERTERS))
def test_every_converter_is_explained(name: str) -> None:
    """The table of converters is complete."""
    assert f"`{name}`" in PAGE.partition("## Converters")[2]


def test_every_field_and_placeholder_is_named() -> None:
    """Fields of a query, fields of a record, placeholders and known prefixes."""
    names = {
        *FIELDS,
        *spec_tables.RECORD_FIELDS,
        *(checks.PLACEHOLDERS - set(FIELDS)),
        *(set(NAMESPACES) - {"xml"}),
    }

    assert names <= WORDS


def test_every_marc_selector_compiles() -> None:
    """The examples of the block are selectors."""
    block = PAGE.partition("MARC's own words:")[2].partition("```\n")[2].partition("```")[0]
    examples = re.findall(r"(?:^|\s{3,})((?:LDR|\d{3})[^\s]*)", block, re.MULTILINE)

    assert len(examples) == 11
    for example in examples:
        assert callable(compile_marc(example))
