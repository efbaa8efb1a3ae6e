"""`metasearch completion SHELL`: the script by which a shell completes commands, options and names
of sources.
"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from metasearch.cli.command_group import ExampleCommand, common
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.output import Sink

#: Set by the script; then `metasearch` says what completes a line, and does nothing else.
VARIABLE = "_METASEARCH_COMPLETE"
#: Those that click has scripts for.
SHELLS = ("bash", "zsh", "fish")


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
    """Print the script by which SHELL (bash, zsh or fish) completes commands, options, sources and
    groups.

    Bash has to be 4.4 or newer.
    """
    made = get_completion_class(shell)
    assert made is not None
    # Not `source()`: for bash it starts the one that stands first in PATH, which need not be the
    # one that asks.
    script = made(ctx.find_root().command, {}, "metasearch", VARIABLE)
    with Sink() as sink:
        sink.write((script.source_template % script.source_vars()).encode())
    return Exit.OK
