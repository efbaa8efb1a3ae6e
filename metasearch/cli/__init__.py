"""The command line. Results go to stdout, everything else to stderr.

A command is a file of its name: it declares the options, and imports inside its functions what only
a running command needs. So this package imports little more than click, and `metasearch --help` is
fast. `root.py` lists all commands.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

import click

from metasearch import garbage_collection, regular_files
from metasearch.cli.output import Console, Exit, forget_stdout
from metasearch.cli.root import VARIABLE, complete_in_bash, root
from metasearch.errors import MetasearchError


def main(args: Sequence[str] | None = None) -> int:
    """Run a command line.

    `args`: without the program's name, for a program that calls this one. None takes those of the
    process. Then the process does nothing else, so the command may fork (`watchdog.py`)
    and change the garbage collector. Returns the exit code.
    """
    console = Console(program=args is None)
    if console.program:
        garbage_collection.begin()
    if VARIABLE in os.environ:
        complete_in_bash()
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
        console.say(f"error: {regular_files.why(exc)}", "red")
        return Exit.NO_ANSWER
    except Exception as exc:  # an error in metasearch itself: one line, and no traceback
        if console.verbose:
            traceback.print_exc()
        console.say(f"internal error: {type(exc).__name__}: {exc}", "red")
        console.say("  Please report it, with the traceback that --verbose shows.")
        return Exit.INTERNAL
