"""Users from a file: a table with a head, as spreadsheets save it, for the people of a library."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from metasearch.errors import FileFormatError, UsageError
from metasearch.formats.reading.encodings import decode
from metasearch.message import message
from metasearch.review.store.database import Database
from metasearch.review.users import accounts, links
from metasearch.review.users.accounts import User
from metasearch.settings.users import SystemRole

#: Bytes of a file, and its lines.
MOST_BYTES, MOST_LINES = 1_000_000, 5_000
#: Columns of the head; the others of a file are told, so that no one is lost unseen.
COLUMNS = ("name", "shown", "email", "role")


@dataclass(frozen=True, slots=True)
class UserLine:
    """A line of the file. `number`: of its last line in the file, from 1."""

    number: int
    name: str
    shown: str
    email: str
    role: str


def read_users(content: bytes, file: str) -> list[UserLine]:
    """The lines behind the head. Raises FileFormatError: it is no such table, or too long."""
    if len(content) > MOST_BYTES:
        raise FileFormatError(
            file, message("it has more than {most} bytes", most=f"{MOST_BYTES:,}")
        )
    text = decode(content, file).text
    first = text.lstrip().partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True)
    try:
        head = [cell.strip().casefold() for cell in next(reader, [])]
        _check_head(head, file)
        return list(_lines(reader, head, file))
    except csv.Error as exc:
        raise FileFormatError(
            file,
            message("line {number} cannot be read: {reason}", number=reader.line_num, reason=exc),
            advice=message("Save it as CSV again."),
        ) from exc


def _check_head(head: list[str], file: str) -> None:
    known = ", ".join(COLUMNS)
    if "name" not in head:
        raise FileFormatError(
            file,
            message("its first line has no column “name”"),
            advice=message(
                "Write a head with the columns {columns}; name alone is needed.", columns=known
            ),
        )
    for cell in head:
        if cell not in COLUMNS or head.count(cell) > 1:
            raise FileFormatError(
                file,
                message("its column {name} is unknown, or is there twice", name=repr(cell[:40])),
                advice=message("There are {columns}.", columns=known),
            )


def _lines(reader: Iterator[list[str]], head: list[str], file: str) -> Iterator[UserLine]:
    for count, cells in enumerate(filter(None, reader)):
        number = cast("int", reader.line_num)  # type: ignore[attr-defined]
        if count >= MOST_LINES:
            raise FileFormatError(
                file, message("it has more than {most} lines", most=f"{MOST_LINES:,}")
            )
        if len(cells) != len(head):
            raise FileFormatError(
                file,
                message(
                    "line {number} has {count} cells, and the head has {columns}",
                    number=number,
                    count=len(cells),
                    columns=len(head),
                ),
            )
        cell = {name: text.strip() for name, text in zip(head, cells, strict=True)}
        yield UserLine(
            number,
            cell["name"],
            cell.get("shown", ""),
            cell.get("email", ""),
            cell.get("role", "") or "user",
        )


def make_users(
    db: Database, lines: list[UserLine], days: int | None, *, with_links: bool
) -> list[tuple[User, str]]:
    """Make an account of each line, all or none; each with the secret of a link to set a password,
    or "". Raises UsageError: a line cannot be used; it is named.
    """
    made = []
    with db.transaction():
        for line in lines:
            try:
                user = accounts.create(
                    db,
                    line.name,
                    role=cast("SystemRole", line.role),
                    shown=line.shown,
                    email=line.email,
                )
                secret = links.create(db, "password", user=user, days=days) if with_links else ""
            except UsageError as exc:
                raise UsageError(
                    message("line {number}: {reason}", number=line.number, reason=str(exc)),
                    advice=exc.advice,
                ) from exc
            made.append((user, secret))
    return made
