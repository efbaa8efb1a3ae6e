"""docs/server.md, docs/library.md and `--help` say what `SearchOptions` declares, and
docs/configuration.md what `Settings` does.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import click

from metasearch.cli.root import root
from metasearch.engine.options import OPTIONS
from metasearch.settings.settings import keys
from tests.cases import each

ROOT = Path(__file__).resolve().parent.parent


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "option_tables", ROOT / "tools" / "option_tables.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@each("page", ["server.md", "library.md", "configuration.md"])
def test_the_page_is_what_the_options_declare(page: str) -> None:
    """After a change of an option, run `python tools/option_tables.py`."""
    made = tool().pages()[ROOT / "docs" / page]

    assert made == (ROOT / "docs" / page).read_text(encoding="utf-8")


@each("name", [name for name, option in OPTIONS.items() if option.flags])
def test_the_command_has_the_option(name: str) -> None:
    """Under its names, with its text, and with a value of the field's name."""
    (found,) = (param for param in root.commands["search"].params if param.name == name)

    assert isinstance(found, click.Option)
    assert tuple(found.opts) == OPTIONS[name].flags
    assert found.help is not None
    assert found.help.startswith(OPTIONS[name].help)


@each("place", [f"{table}.{name}" for table, of_one in keys().items() for name in of_one])
def test_every_key_of_the_configuration_says_what_it_means(place: str) -> None:
    """Where it is declared, and so on the page."""
    table, _, name = place.partition(".")
    assert keys()[table][name].help
