"""The command line. Results go to stdout, everything else to stderr; exit codes are in `exits.py`.

Importing this package costs click and little more: what a command needs beyond that is imported
when it runs, so that `metasearch --help` is there at once.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

import click

from metasearch import opening
from metasearch.cli.completion import VARIABLE
from metasearch.cli.root import root
from metasearch.cli.terminal.console import Console
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.output import forget_stdout
from metasearch.errors import MetasearchError


def main(args: Sequence[str] | None = None) -> int:
    """Run a command line.

    Args:
        args: Without the program's name, for a program that calls this one. None takes those of the
            process, which is then the command and nothing else: it may fork, and collect its
            garbage when it likes (`keeper.py`).

    Returns:
        The exit code.
    """
    console = Console(program=args is None)
    if VARIABLE in os.environ:
        root.main(prog_name="metasearch", complete_var=VARIABLE)
    try:
        try:
            return _run(list(sys.argv[1:] if args is None else args), console)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        forget_stdout()
        return Exit.READER_GONE


def _run(args: list[str], console: Console) -> int:
    try:
        with root.make_context("metasearch", args, obj=console) as ctx:
            return int(root.invoke(ctx) or 0)
    except click.exceptions.Exit as exc:
        return exc.exit_code
    except click.ClickException as exc:
        exc.show()
        return Exit.USAGE
    except (KeyboardInterrupt, click.Abort):
        console.say("interrupted")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        raise
    except (MetasearchError, OSError) as exc:
        console.error(exc)
        return Exit.USAGE
    except MemoryError as exc:
        console.say(f"error: {opening.why(exc)}", "red")
        return Exit.NO_ANSWER
    except Exception as exc:  # the last line of defence: a fault of ours is told in one line
        if console.verbose:
            traceback.print_exc()
        console.say(f"internal error: {type(exc).__name__}: {exc}", "red")
        console.say("  Please report it, with the traceback that --verbose shows.")
        return Exit.INTERNAL
