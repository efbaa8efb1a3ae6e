"""`Question`: one thing that a report needs and only a person knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

#: What is asked for: a line, several lines, "2026-11-23", one or several of given words, lines of
#: which each is an item, or yes or no.
Kind = Literal["text", "long text", "date", "choice", "list", "yes-no"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: An answer as it is kept, by the kind of the question: str, str, str, str (or a tuple of them
#: where several may be chosen), tuple of str, bool.
Value = str | bool | tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of the words that may be chosen. `label`: for people; marked by `message_template`."""

    key: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question of a table; forms, checks and `missing` are made of it.

    Attributes:
        key: Its namespace and name: "novelty.client". `metasearch/workspace/details.py` keeps the
            answer at `details["novelty"]["client"]` of the project.
        label: What is asked for, in a few words; marked by `message_template`, as are `help` and
            `group`. A question of `each` has a place {number} in it.
        help: One or two sentences for who does not know what to write.
        kind: One of `KINDS`.
        group: The heading under which forms show it.
        reports: The kinds of reports that print the answer.
        required: Those of them that are a draft without it.
        longest: Characters of the answer, or of each item of a list.
        most: Items of a list.
        choices: What may be chosen; one of them, or any number where `several`.
        several: Whether more than one may be chosen.
        each: The key of a list: the question is asked once for every item of it, as
            "novelty.comparison.1", "novelty.comparison.2".
        number: Of the item; None where the question is not of one. `item` is its text.
        item: The text of the item, for forms.
    """

    key: str
    label: str
    help: str = ""
    kind: Kind = "text"
    group: str = ""
    reports: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    longest: int = 300
    most: int = 50
    choices: tuple[Choice, ...] = ()
    several: bool = False
    each: str = ""
    number: int | None = None
    item: str = ""

    @property
    def namespace(self) -> str:
        """The part of the key before its first dot."""
        return self.key.partition(".")[0]

    @property
    def name(self) -> str:
        """The part of the key behind it, with the number of the item."""
        return self.key.partition(".")[2]
