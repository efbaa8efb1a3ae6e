"""`/admin/audit`: the audit log, page by page, and as a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Any

import orjson
from aiohttp import web
from multidict import MultiMapping

from metasearch.formats.csv import guard_formula
from metasearch.message import message
from metasearch.review.objects import Excerpt, Moment
from metasearch.review.page import tabs
from metasearch.review.quota_checks import take
from metasearch.review.service import client_of, permit
from metasearch.review.store.database import Database
from metasearch.review.users import accounts, audit
from metasearch.review.users.account_pages import (
    AUDIT_WORDS,
    AccountRequest,
    account_request,
)
from metasearch.review.users.audit import ACTIONS, AuditAction, AuditLine
from metasearch.review.users.audit_sentences import sentence
from metasearch.server.forms import only
from metasearch.server.pages.page import page, page_response
from metasearch.server.problem import Problem

#: Lines of a page, and of a part of a file.
_LINES, _PART = 100, 500
#: Characters of what is searched for.
_LONGEST = 100
_LARGEST = 2**53
#: A line as data; `name` is that of who did it.
line_object = Excerpt(
    AuditLine,
    "id at actor name action object detail client",
    id=int,
    object=str,
    at=Moment,
    actor=Annotated[str, "A uid; empty for the command line."],
    name=str,
    action=AuditAction,
    client=Annotated[str, "A pseudonym of the address."],
)
#: Columns of a file.
COLUMNS = tuple(line_object.names.split())
#: Format -> (media type, what the page calls it).
FORMATS = {
    "csv": ("text/csv", "CSV"),
    "jsonl": ("application/jsonl", "JSON Lines"),
}


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which lines are wanted.

    Attributes:
        action: One of `ACTIONS`; None for all.
        user: Name of the user as typed; "" for all.
        actor: Uid of that user; None for all.
        object: What it was done to; None for all.
        before: Only lines with a smaller number; None for all.
        unknown: Whether there is no such user.
    """

    action: str | None
    user: str
    actor: str | None
    object: str | None
    before: int | None
    unknown: bool

    def lines(self, db: Database, most: int, before: int | None = None) -> list[AuditLine]:
        """The newest of them first."""
        if self.unknown:
            return []
        return audit.lines(
            db,
            actor=self.actor,
            action=self.action,
            object=self.object,
            before=self.before if before is None else before,
            most=most,
        )

    def parameters(self) -> dict[str, str]:
        """As an address has them, without the place in the list."""
        given = {"action": self.action, "user": self.user, "object": self.object}
        return {name: value for name, value in given.items() if value}


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A line as the page shows it.

    Attributes:
        who: Name of who did it; "" for the command line and for strangers.
        deed: A sentence, to be translated.
        about: Name of what it was done to; "" for nothing.
        only: Address of the lines about the same; "" for none.
    """

    line: AuditLine
    who: str
    deed: str
    about: str
    only: str


async def answer_audit(request: web.Request) -> web.StreamResponse:
    here = account_request(request, "administer")
    async with here.shared.admission.brief():
        shown = await here.workspace.read(_page_values, here)
    shown["tabs"], shown["actions"] = tabs(here.visit, "/admin/audit"), AUDIT_WORDS
    title = here.visit.language.gettext("Audit log")
    return page_response(
        request, page("users/admin_audit.html", here.visit, title, current="/admin", **shown)
    )


async def answer_file(request: web.Request) -> web.StreamResponse:
    """`/admin/audit/file`: the lines as CSV or JSON Lines, read and sent part by part."""
    here = account_request(request, "administer")
    return await send(here)


async def send(here: AccountRequest) -> web.StreamResponse:
    """The file, after its export is noted."""
    request = here.request
    name = only(request.query, "format") or "csv"
    if name not in FORMATS:
        offered = [(each, media_type) for each, (media_type, _) in FORMATS.items()]
        raise Problem.unacceptable(message("There is no such format."), offered)
    with permit(request, "exports"):
        await take(request, "exports")
        return await _send_file(here, name)


async def _send_file(here: AccountRequest, name: str) -> web.StreamResponse:
    request = here.request
    wanted = await here.workspace.read(read_filter, request.query)
    await here.workspace.write(_note_export, here, name)
    response = web.StreamResponse(
        headers={
            "Content-Disposition": f'attachment; filename="metasearch-audit.{name}"',
            "Cache-Control": "no-store",
        }
    )
    response.content_type = FORMATS[name][0]
    response.charset = "utf-8"
    await response.prepare(request)
    if request.method == "HEAD":
        return response
    write = _WRITERS[name]
    if name == "csv":
        await response.write(_csv_rows([COLUMNS]))
    before: int | None = None
    while part := await here.workspace.read(_part, wanted, before):
        await response.write(write(part))
        before = part[-1][0].id
    await response.write_eof()
    return response


def read_filter(db: Database, given: MultiMapping[str]) -> AuditFilter:
    """What an address asks for."""
    action, user = only(given, "action"), only(given, "user")[:_LONGEST].strip()
    if action and action not in ACTIONS:
        reason = message("must be one of {values}", values=", ".join(ACTIONS))
        raise Problem.bad_parameter("action", reason)
    before = only(given, "before")
    if before and not (before.isascii() and before.isdigit() and int(before[:20]) < _LARGEST):
        reason = message("must be a number")
        raise Problem.bad_parameter("before", reason)
    found = None
    if user:
        found = accounts.by_name(db, user) or accounts.by_uid(db, user)
    return AuditFilter(
        action=action or None,
        user=user,
        actor=None if found is None else found.uid,
        object=only(given, "object")[:_LONGEST].strip() or None,
        before=int(before) if before else None,
        unknown=bool(user) and found is None,
    )


def _page_values(db: Database, here: AccountRequest) -> dict[str, Any]:
    """What the page shows. `older`: address of the next page; "" for none."""
    wanted = read_filter(db, here.request.query)
    lines = _part(db, wanted, most=_LINES + 1)
    names = _names(db, [line for line, _ in lines])
    path, parameters = here.visit.site.path, wanted.parameters()
    older = ""
    if len(lines) > _LINES:
        lines = lines[:_LINES]
        older = path("/admin/audit", **parameters, before=lines[-1][0].id)
    return {
        "lines": [
            AuditRow(
                line=line,
                who=who,
                deed=sentence(line, names),
                about=names.get(line.object.partition(":")[2], line.object),
                only=path("/admin/audit", object=line.object) if line.object else "",
            )
            for line, who in lines
        ],
        "action": wanted.action or "",
        "user": wanted.user,
        "object": wanted.object or "",
        "unknown": wanted.unknown,
        "older": older,
        "files": [
            (words, path("/admin/audit/file", **parameters, format=name))
            for name, (_, words) in FORMATS.items()
        ],
    }


def _names(db: Database, lines: Iterable[AuditLine]) -> dict[str, str]:
    """Uid -> what people call the users and projects of some lines; those that are gone, and what
    is neither, have none.
    """
    users, named = set[str](), set[str]()
    for line in lines:
        kind, _, uid = line.object.partition(":")
        users |= {uid} if kind == "user" else set()
        users |= {str(line.detail["user"])} if "user" in line.detail else set()
        named |= {uid} if kind == "project" else set()
    titles = (
        (uid, db.value("SELECT title FROM project WHERE uid = ?", uid)) for uid in sorted(named)
    )
    return accounts.names_for_people(db, users) | {uid: title for uid, title in titles if title}


def _note_export(db: Database, here: AccountRequest, name: str) -> None:
    facts = {"what": "audit log", "format": name}
    audit.write(db, here.identity.uid, "export", "", facts, client_of(here.request))


def _part(
    db: Database, wanted: AuditFilter, before: int | None = None, most: int = _PART
) -> list[tuple[AuditLine, str]]:
    """The next lines, each with the name of who did it."""
    lines = wanted.lines(db, most, before)
    known = accounts.names_for_people(db, {line.actor for line in lines})
    return [(line, known.get(line.actor, "")) for line in lines]


def _as_csv(part: list[tuple[AuditLine, str]]) -> bytes:
    return _csv_rows(_row(line, name) for line, name in part)


def _as_jsonl(part: list[tuple[AuditLine, str]]) -> bytes:
    return b"".join(
        orjson.dumps(line_object(line, name=name), option=orjson.OPT_APPEND_NEWLINE)
        for line, name in part
    )


_WRITERS: dict[str, Callable[[list[tuple[AuditLine, str]]], bytes]] = {
    "csv": _as_csv,
    "jsonl": _as_jsonl,
}


def _row(line: AuditLine, name: str) -> tuple[str, ...]:
    found = line_object(line, name=name) | {"detail": orjson.dumps(line.detail).decode()}
    return tuple(str(guard_formula(str(found[column]))) for column in COLUMNS)


def _csv_rows(rows: Iterator[tuple[str, ...]] | list[tuple[str, ...]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(chain(rows))
    return text.getvalue().encode()
