"""One reference of a list as somebody wrote it."""

from __future__ import annotations

from dataclasses import dataclass

from metasearch.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One reference of a list, read but not checked.

    Attributes:
        key: The entry's own key, else its number in the list from 1, as text. No two are equal.
        record: What is written; nothing is completed. A reference that is only an identifier has
            nothing else.
        text: As it stands in a list of plain text; "" of an entry of a file format.
        line: Where it begins in the file, from 1; None where lines mean nothing.
        all_authors: Whether the list of authors claims to be whole: neither "et al.", "and others"
            nor 等 stands at its end.
        problem: Why nothing, or not all, could be read of it; "" where all was.
    """

    key: str
    record: Record
    text: str = ""
    line: int | None = None
    all_authors: bool = True
    problem: str = ""
