"""The shell is offered what the commands of the workspace take."""

from __future__ import annotations

import pytest

from tests.cli.completion import offers


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("metasearch strategy ru", "run"),
        ("metasearch strategy write --syntax ov", "ovid"),
        ("metasearch works mark ex", "excluded"),
        ("metasearch report prisma", "prisma-flow"),
        ("metasearch report prisma-s --format do", "docx"),
    ],
)
def test_completion(words: str, offered: str) -> None:
    """Commands, formats, statuses and kinds of reports."""
    assert offered in offers(words)
