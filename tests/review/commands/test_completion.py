"""The shell is offered what the commands of the workspace take."""

from __future__ import annotations

from tests.cases import each
from tests.cli.completion import offers


@each(
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
