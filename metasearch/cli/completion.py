"""`metasearch completion SHELL`: prints the script with which a shell completes command lines."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.common_options import common
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.output import Sink

#: The script sets this variable; then `metasearch` only prints what completes the line.
VARIABLE = "_METASEARCH_COMPLETE"
#: The shells for which click has a script.
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
    """Print the script with which SHELL (bash, zsh or fish) completes commands, options, sources
    and groups.

    Bash has to be 4.4 or newer.
    """
    completion_class = get_completion_class(shell)
    assert completion_class is not None
    # Not `source()`: it starts the first bash in PATH, which may be another one than the user's.
    script = completion_class(ctx.find_root().command, {}, "metasearch", VARIABLE)
    with Sink() as sink:
        sink.write((script.source_template % script.source_vars()).encode())
    return Exit.OK
