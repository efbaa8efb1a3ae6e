"""What a shell is offered."""

from __future__ import annotations

from click.shell_completion import BashComplete

from metasearch.cli.root import root


def offers(words: str) -> list[str]:
    """The completions of a command line, which ends in an incomplete word."""
    *typed, incomplete = words.split()[1:]
    shell = BashComplete(root, {}, "metasearch", "_METASEARCH_COMPLETE")
    return [item.value for item in shell.get_completions(typed, incomplete)]
