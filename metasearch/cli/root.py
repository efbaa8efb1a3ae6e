"""The command `metasearch` with the table of all others, and `metasearch completion SHELL`: the
script with which a shell completes command lines, and what bash needs beyond click.
"""

from __future__ import annotations

import os
from typing import Any, ClassVar

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
)

from metasearch import __version__
from metasearch.cli.command_group import CommandGroup, Commands, ExampleCommand
from metasearch.cli.options import common
from metasearch.cli.output import Exit, Sink
from metasearch.cli.search import EXAMPLES
from metasearch.wing import wings

#: The script sets this variable; then `metasearch` only prints what completes the line.
VARIABLE = "_METASEARCH_COMPLETE"
#: The shells for which click has a script.
SHELLS = ("bash", "zsh", "fish")


class _Bash(BashComplete):
    """Bash divides words at colons: `type:art` is three words to it, and it replaces the last one
    only. It also writes a blank behind what it has completed, which must not follow `type:`.
    """

    source_template: ClassVar[str] = BashComplete.source_template.replace(
        "    return 0\n",
        "    [[ ${#COMPREPLY[@]} == 1 && $COMPREPLY == *: ]] && compopt -o nospace\n    return 0\n",
    )
    #: What bash does not replace: the beginning of the word, to its last colon.
    _kept = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is completed, and that word, as they were before they were
        divided at colons.
        """
        words = os.environ["COMP_WORDS"].split("\n")
        place = int(os.environ["COMP_CWORD"])
        before, last = words[1:place], words[place] if place < len(words) else ""
        if last != ":" and before[-1:] != [":"]:
            return super().get_completion_args()
        pieces = [last]
        while len(before) > 1 and (pieces[0] == ":" or before[-1] == ":"):
            pieces.insert(0, before.pop())
        word = "".join(pieces)
        self._kept = word[: word.rindex(":") + 1]
        return before, word

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """As click writes it, without what bash keeps."""
        return f"{item.type},{str(item.value).removeprefix(self._kept)}"


def complete_in_bash() -> None:
    """Have click complete command lines of bash by `_Bash`."""
    add_completion_class(_Bash)


@click.command(
    cls=ExampleCommand,
    short_help="Print a script that completes commands in a shell.",
    examples=(
        ('eval "$(metasearch completion bash)"', "in ~/.bashrc"),
        ('eval "$(metasearch completion zsh)"', "in ~/.zshrc, below compinit"),
        ("metasearch completion fish > ~/.config/fish/completions/metasearch.fish", "once"),
    ),
)
@click.argument("shell", type=click.Choice(SHELLS))
@common
@click.pass_context
def completion(ctx: click.Context, /, *, shell: str, **_: object) -> int:
    """Print the script with which SHELL (bash, zsh or fish) completes commands, options, sources
    and groups.

    Bash has to be 4.4 or newer.
    """
    completion_class = _Bash if shell == "bash" else get_completion_class(shell)
    assert completion_class is not None
    # Not `source()`: it starts the first bash in PATH, which may be another one than the user's.
    script = completion_class(ctx.find_root().command, {}, "metasearch", VARIABLE)
    with Sink() as sink:
        sink.write((script.source_template % script.source_vars()).encode())
    return Exit.OK


#: Module of `metasearch.cli` -> the commands in it; each wing has its own. A command line loads
#: those that it names.
_COMMANDS = {
    "search": ("search",),
    "translate": ("translate",),
    "sources": ("sources",),
    "cache": ("cache",),
    "serve": ("serve",),
    "mcp": ("mcp",),
    "parse": ("parse",),
    "explain": ("explain",),
    "references": ("lookup", "check", "cite"),
    "collections": ("harvest", "index", "collections"),
    "root": ("completion",),
}


def _of_wings() -> dict[str, str]:
    """Name -> place of the commands that wings add."""
    return {name: place for wing in wings() for name, place in wing.commands.items()}


def _version(ctx: click.Context, _param: click.Parameter, value: Any) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"metasearch {__version__}")
        ctx.exit()


@click.group(
    cls=CommandGroup,
    commands=Commands(
        {
            name: f"metasearch.cli.{home}:{name}"
            for home, names in _COMMANDS.items()
            for name in names
        },
        _of_wings,
    ),
    default="search",
    subcommand_metavar="COMMAND [OPTIONS] [ARGS]...",
    examples=(
        *EXAMPLES,
        ("metasearch sources list", "all sources"),
        ("metasearch serve --demo", "the same in a browser and as an HTTP API"),
    ),
    epilog="Exit codes: 0 hits, 1 no hits, 2 usage, 3 a source failed, 4 no source answered, 130 "
    "interrupted.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version.",
)
def root() -> None:
    """Search many scholarly databases at once; the answer is one ranked list, which names the
    sources of each hit.
    """
