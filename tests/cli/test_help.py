"""Help, and the page that is held to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from metasearch import __version__
from metasearch.cli.output import Exit
from metasearch.cli.root import root
from metasearch.wing import HOMES, wings
from tests.cases import each
from tests.cli.completion import offers
from tests.cli.conftest import Run

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "cli.md"
#: The page of the commands about projects.
WORKSPACE_PAGE = DOCS / "workspace-cli.md"
#: The heading in it of the options that all of them have.
ALL_OF_THEM = "Options that all of them have"


def commands(
    group: click.Group = root, path: str = "metasearch"
) -> Iterator[tuple[str, click.Command]]:
    """Every command that help shows, with the words that call it."""
    for name, command in group.commands.items():
        if command.hidden:
            continue
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")


def section(path: str) -> str:
    """The part of the page under the heading of a command."""
    return sections()[f"`{path}`"]


@cache
def sections() -> dict[str, str]:
    """Heading -> what stands under it, of both pages."""
    found: dict[str, str] = {}
    for page in (PAGE, WORKSPACE_PAGE):
        headings = re.split(r"^## (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        found |= dict(zip(headings[1::2], headings[2::2], strict=True))
    return found


@each("option", ["-h", "--help"])
def test_help_opens_with_examples(run: Run, option: str) -> None:
    """Help shows how to call it, examples, commands and options, in this order, and exits 0."""
    outcome = run(option)

    places = [
        outcome.out.index(word)
        for word in ("Usage:", "Examples:", "Commands:", "Options:", "Exit codes:")
    ]
    assert places == sorted(places)
    assert outcome.code == 0
    assert outcome.err == ""


def test_help_of_the_main_command_has_all_options_of_a_search(run: Run) -> None:
    """The first help that anybody reads names every option of a search."""
    shown = run("--help").out

    assert all(
        name in shown
        for param in root.commands["search"].params
        for name in param.opts
        if name[0] == "-"
    )


@each("path", [path for path, _ in commands()])
def test_help_of_every_command(run: Run, path: str) -> None:
    """Each command has its own help, whichever side of its name `--help` stands on."""
    words = path.split()[1:]

    outcome = run(*words, "--help")

    assert outcome.code == 0
    assert outcome.out.startswith(f"Usage: {path} ")
    assert run("--help", *words) == outcome


def test_version(run: Run) -> None:
    """`--version` prints name and version."""
    assert run("--version").out == f"metasearch {__version__}\n"


def test_no_arguments_is_help_on_stderr(run: Run) -> None:
    """Without arguments there is nothing to do: help goes to stderr, so that a pipe stays empty."""
    outcome = run()

    assert outcome.code == 2
    assert outcome.out == ""
    assert "Examples:" in outcome.err


@each(
    ("words", "offered"),
    [
        ("metasearch so", "sources"),
        ("metasearch --rep", "--replay"),
        ("metasearch sources ch", "check"),
        ("metasearch gene -s crossref,cross", "crossref,crossref"),
        ("metasearch sources show cross", "crossref"),
        ("metasearch gene --format bib", "bibtex"),
        ("metasearch gene --dedup def", "default"),
        ("metasearch gene --sort da", "date"),
        ("metasearch gene --facets year,ty", "year,type"),
        ("metasearch gene --facets a", "all"),
        ("metasearch gene --filter ven", "venue:"),
        ("metasearch gene --filter oa:yes,type:art", "oa:yes,type:article"),
        ("metasearch gene --filter source:cross", "source:crossref"),
        ("metasearch gene --filter oa:yes,-retracted:", "oa:yes,-retracted:yes"),
    ],
)
def test_completion(words: str, offered: str) -> None:
    """The shell is offered commands, options, formats and names of sources."""
    assert offered in offers(words)


# --------------------------------------------------------------------------- docs/cli.md


@each("path", [path for path, command in commands() if not isinstance(command, click.Group)])
def test_page_names_every_option(path: str) -> None:
    """Each command has a heading in docs/cli.md or docs/workspace-cli.md, and each of its options
    stands under it or among the common ones."""
    command = dict(commands())[path]
    text = section(path)
    common = section("metasearch") + sections()[ALL_OF_THEM]

    for param in command.params:
        names = (
            param.opts
            if isinstance(param, click.Option)
            else [param.human_readable_name.removeprefix("[SOURCE] ").strip("[].")]
        )
        for name in names:
            assert f"`{name}" in text or f"`{name}" in common, f"{path}: {name} is not in the page"


def test_page_names_every_exit_code() -> None:
    """All exit codes are in the table of the page."""
    text = PAGE.read_text(encoding="utf-8")

    assert all(f"| {code.value} |" in text for code in Exit)


@pytest.mark.skipif(len(wings()) < len(HOMES), reason="the page describes all wings")
def test_page_names_no_option_that_is_not_there() -> None:
    """The page promises nothing that the command does not do."""
    known = {
        name
        for _, command in commands()
        for param in command.params
        for name in (*param.opts, *param.secondary_opts)
    }

    promised = set(re.findall(r"`(--[a-z-]+)", PAGE.read_text(encoding="utf-8")))

    assert promised <= known | {"--help", "--version"}
