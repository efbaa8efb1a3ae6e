"""What all addresses of the JSON interface begin with and share: the workspace, its project, the
members of bodies, parameters, and files that are sent.

GET reads, POST changes. A POST needs `Content-Type: application/json`, that of an archive
`application/zip`: a page of another site cannot send these without a preflight, and no cookie has a
part in what may be done. What is answered is `metasearch.review.objects`.

The members of a JSON body, and the parameters of a request, that the workspace takes: declared
once, checked here, and described in the OpenAPI document.
"""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import IO, Any, Literal, TypeVar

import orjson
from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.review.service import ProjectRequest, WorkspaceRequest, workspace_of
from metasearch.server.forms import whole_body
from metasearch.server.middleware import check_host_and_origin
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED

#: Bytes of a body without a file, and levels of what stands in it.
LARGEST, DEEPEST = 2_000_000, 8
JSON = "application/json"
_WHOLE = re.compile(r"-?[0-9]{1,15}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A member of a body, or a parameter.

    Attributes:
        required: Whether a request must have it.
        choices: The words that a text may be; any where there are none.
        least, most: Of a number; `most` also characters of a text, and items of a list.
        longest: Characters of an item of "texts".
    """

    help: str
    kind: Literal["text", "whole", "flag", "texts", "wholes", "object"] = "text"
    required: bool = False
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 1_000
    longest: int = 1_000
    example: Any = None


Members = Mapping[str, Member]
#: A number from 1 that names something: a line of a log, a pin, a version.
Ordinal = partial(Member, kind="whole", least=1, most=2**53)
#: Of what two people may change at once.
VERSION = Member(
    help="The `version` that the change was made with. If it was changed since, the answer is 409 "
    "with `yours` and `theirs`, and nothing is changed. Without it the change is made in any case.",
    kind="whole",
    most=2**53,
)


async def body_of(request: web.Request, members: Members, most: int = LARGEST) -> dict[str, Any]:
    """The members of a JSON body; those that are absent, or null, are left out."""
    if request.content_type != JSON:
        raise Problem(415, None, message("Changes are posted as {json}.", json=JSON))
    raw = await whole_body(request, request.app[SHARED].options, most)
    try:
        value = orjson.loads(raw or b"{}")
    except orjson.JSONDecodeError as exc:
        raise Problem(400, None, message("The body of the request is not JSON.")) from exc
    if not isinstance(value, dict) or _depth(value) > DEEPEST:
        raise Problem(
            400,
            None,
            message(
                "The body of the request is not a JSON object of at most {deepest} levels.",
                deepest=DEEPEST,
            ),
        )
    return read_members(value, members)


def read_members(value: Mapping[str, Any], members: Members) -> dict[str, Any]:
    """The members of an object, each of its kind and within its bounds."""
    errors = [
        {"parameter": line(str(name))[:40], "reason": message("is no member of this")}
        for name in list(value)[:20]
        if name not in members
    ]
    found: dict[str, Any] = {}
    for name, member in members.items():
        given = value.get(name)
        if given is None:
            if member.required:
                errors.append({"parameter": name, "reason": message("is missing")})
            continue
        wrong = next(_faults(given, member), None)
        if wrong is None:
            found[name] = tuple(given) if isinstance(given, list) else given
        else:
            errors.append({"parameter": name, "reason": wrong})
    if errors:
        raise Problem.bad_parameters(errors)
    return found


def parameters_of(given: MultiMapping[str], members: Members) -> dict[str, Any]:
    """The same of the parameters of an address: lists are repeated or have commas; those that are
    empty are left out, and those that are not declared are passed over.
    """
    value: dict[str, Any] = {}
    errors: list[dict[str, str]] = []
    for name, member in members.items():
        texts = [text.strip() for text in given.getall(name, []) if text.strip()]
        if not texts:
            continue
        if member.kind in ("texts", "wholes"):
            parts = [part.strip() for text in texts for part in text.split(",") if part.strip()]
            value[name] = [_number(part) for part in parts] if member.kind == "wholes" else parts
        elif len(texts) > 1:
            reason = message("given {number} times; name it once", number=len(texts))
            errors.append({"parameter": name, "reason": reason})
        elif member.kind == "whole":
            value[name] = _number(texts[0])
        elif member.kind == "flag":
            value[name] = {"1": True, "0": False, "true": True, "false": False}.get(
                texts[0], texts[0]
            )
        else:
            value[name] = texts[0]
    if errors:
        raise Problem.bad_parameters(errors)
    return read_members(value, members)


def _number(text: str) -> int | str:
    return int(text) if _WHOLE.fullmatch(text) else text


def _faults(given: Any, member: Member) -> Iterator[str]:
    match member.kind:
        case "text":
            if not isinstance(given, str):
                yield message("must be text")
            elif member.choices and given not in member.choices:
                yield message("must be one of {values}", values=", ".join(member.choices))
            elif len(given) > member.most:
                yield _long(member.most)
            elif not given.isprintable() and not _is_text(given):
                yield message("has characters that no text has")
        case "whole":
            if not isinstance(given, int) or isinstance(given, bool):
                yield message("must be a whole number")
            elif not member.least <= given <= member.most:
                yield message(
                    "must be a whole number from {least} to {most}",
                    least=member.least,
                    most=f"{member.most:,}",
                )
        case "flag":
            if not isinstance(given, bool):
                yield message("must be true or false")
        case "object":
            if not isinstance(given, dict):
                yield message("must be an object")
        case _:
            yield from _faults_of_list(given, member)


def _faults_of_list(given: Any, member: Member) -> Iterator[str]:
    kind = str if member.kind == "texts" else int
    if not isinstance(given, list) or not all(
        isinstance(each, kind) and not isinstance(each, bool) for each in given
    ):
        yield (
            message("must be a list of texts")
            if kind is str
            else message("must be a list of whole numbers")
        )
    elif len(given) > member.most:
        yield message("has more than {most} items", most=f"{member.most:,}")
    elif kind is str and any(len(each) > member.longest or not _is_text(each) for each in given):
        yield _long(member.longest)
    elif kind is int and any(not member.least <= each < 2**53 for each in given):
        yield message("has a number that is too small or too large")
    elif member.choices and not set(given) <= set(member.choices):
        yield message("must be one of {values}", values=", ".join(member.choices))


def _long(most: int) -> str:
    return message("has more than {most} characters", most=f"{most:,}")


def _is_text(text: str) -> bool:
    """Whether it can be stored and shown: no NUL, no half of a character."""
    try:
        text.encode()  # of a file of 40 MB in some 10 ms, where a loop over characters takes 1 s
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _depth(value: Any) -> int:
    """Levels of lists and objects."""
    level, depth = [value], 0
    while level and depth <= DEEPEST:
        depth += 1
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, dict | list)
        ]
    return depth


T = TypeVar("T")

#: Characters of a name in an address that are looked up.
_LONGEST = 200


def workspace_request(request: web.Request) -> WorkspaceRequest:
    service = workspace_of(request)
    check_host_and_origin(request)
    return WorkspaceRequest(request, service)


async def project_request(request: web.Request) -> ProjectRequest:
    """A request about the project that its address names, by its uid or name."""
    service = workspace_request(request).service
    return ProjectRequest(
        request, service, await or_not_found(service.project(part_of_path(request, "project")))
    )


def part_of_path(request: web.Request, part: str) -> str:
    return request.match_info[part][:_LONGEST]


def number_in_path(request: web.Request, part: str) -> int:
    text = part_of_path(request, part)
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise Problem(404)
    return int(text)


async def or_not_found(finding: Awaitable[T]) -> T:
    try:
        return await finding
    except UsageError as exc:
        problem = Problem.of(exc)
        raise Problem(404, None, str(exc), **problem.members) from exc


def answer(value: Any, *, status: int = 200, location: str = "") -> web.Response:
    """The JSON answer. It is never kept by a cache: it is of one moment, and of one reader."""
    headers = {"Cache-Control": "no-store"}
    if location:
        headers["Location"] = location
    return web.Response(
        body=orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE),
        status=status,
        content_type=JSON,
        headers=headers,
    )


# Files that are sent: written to a temporary file first, so that a failure is an answer, and a
# slow reader holds up nothing.

#: Bytes that are sent at a time.
_PART = 262_144


async def send_file(
    request: web.Request,
    file: IO[bytes],
    media_type: str,
    name: str = "",
    headers: Mapping[str, str] | None = None,
) -> web.StreamResponse:
    """Send a file that has just been written, from its beginning; to a HEAD only what it is.
    `name`: under which a browser saves it, in ASCII, where `headers` do not say it.
    """
    file.seek(0, os.SEEK_END)
    response = web.StreamResponse(
        headers={
            "Cache-Control": "no-store",
            "Content-Type": media_type,
            "Content-Length": str(file.tell()),
            "Content-Disposition": f'attachment; filename="{name}"',
            **(headers or {}),
        }
    )
    file.seek(0)
    await response.prepare(request)
    # What followed the head of an answer to HEAD would be read as the next answer.
    while request.method != "HEAD" and (part := file.read(_PART)):
        await response.write(part)
    await response.write_eof()
    return response
