"""What only some users install (the extras of pyproject.toml), and how one installs it."""

from __future__ import annotations

from importlib.util import find_spec

from metasearch.message import Message, message


def is_installed(package: str) -> bool:
    """Whether a package is there, by the name of its import; nothing is loaded."""
    return find_spec(package) is not None


def how_to_install(extra: str) -> Message:
    """What a user does whose installation lacks an extra, as the beginning of an advice.

    The release has no name of its own on the package index, where "metasearch" is a stranger's: so
    this names no package to fetch from there.
    """
    return message(
        'Install the extra {extra}: pip install ".[{extra}]" in a checkout of metasearch.',
        extra=extra,
    )
