"""What a client sends: query strings, forms and JSON objects; and the forms of pages that change
something, with their tokens and files.
"""

from __future__ import annotations

import asyncio
import re
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import IO
from urllib.parse import parse_qsl, unquote, urlsplit

import orjson
from aiohttp import (
    BadContentDispositionHeader,
    BadContentDispositionParam,
    BodyPartReader,
    hdrs,
    web,
)
from aiohttp.http_exceptions import HttpProcessingError
from multidict import MultiDict, MultiMapping

from metasearch.message import message
from metasearch.server.limits import Options
from metasearch.server.limits.client_limits import LONGEST_LINE
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED, Site, site_of
from metasearch.server.visit import FORGED, TOKEN, visit_of

#: What was given, once the body has been read.
GIVEN: web.RequestKey[MultiMapping[str]] = web.RequestKey("given", MultiMapping)
FORM, _JSON = "application/x-www-form-urlencoded", "application/json"
#: Bytes that one character of a query takes in a form at most: each of its four bytes as %XX.
_WIDEST = 12
#: Bytes of everything else in a body.
_REST = 16_384
_MOST_FIELDS = 500
#: Bytes a second that a body has at least, on the whole, after `Options.head_timeout`.
SLOWEST = 50_000
_JSON_BODY = message("a JSON object of at most {number} members", number=_MOST_FIELDS)


async def read_parameters(request: web.Request, options: Options) -> MultiMapping[str]:
    """The parameters of a request, those of the address before those of its body. Raises Problem:
    400 where the body cannot be read, 408 where it does not come, 413 where it is too large, 415
    where it is neither form nor JSON.
    """
    parameters: MultiMapping[str] = request.query
    if request.method == "POST":
        parameters = MultiDict([*request.query.items(), *await _body(request, options)])
    request[GIVEN] = parameters
    return parameters


def parameters_so_far(request: web.Request) -> MultiMapping[str]:
    """As `given`, of a request whose body may not have been read."""
    parameters: MultiMapping[str] = request.get(GIVEN, request.query)
    return parameters


def only(parameters: MultiMapping[str], name: str) -> str:
    """The value of a parameter that may be given once; "" where it is absent or empty. Raises
    Problem: 400 where it is repeated.
    """
    values = [value for value in parameters.getall(name, []) if value]
    if len(values) > 1:
        raise Problem.bad_parameter(
            name, message("given {number} times; name it once", number=len(values))
        )
    return values[0] if values else ""


async def _body(request: web.Request, options: Options) -> list[tuple[str, str]]:
    if request.content_type not in (FORM, _JSON):
        raise Problem(
            415, None, message("A query is posted as {form} or {json}.", form=FORM, json=_JSON)
        )
    body = await whole_body(request, options, _WIDEST * options.max_query + _REST)
    return _pairs_of_json(body) if request.content_type == _JSON else pairs_of_form(body)


async def whole_body(request: web.Request, options: Options, most: int) -> bytes:
    """The body of a request, of at most so many bytes. Raises Problem: 408 where it comes more
    slowly than `SLOWEST`, 413 where it is too large.
    """
    body = bytearray()
    async with pace(options) as came:
        async for chunk in request.content.iter_chunked(65_536):
            body += chunk
            if len(body) > most:
                raise _too_large(most)
            came(len(chunk))
    return bytes(body)


@asynccontextmanager
async def pace(options: Options) -> AsyncIterator[Callable[[int], None]]:
    """A block in which a body is read; it gets a function that is called with the bytes that have
    come, which give the rest more time. Raises Problem: 408 where the body comes more slowly than
    `SLOWEST`.
    """
    latest = asyncio.get_running_loop().time() + options.head_timeout
    try:
        async with asyncio.timeout_at(latest) as limit:

            def came(bytes_: int) -> None:
                nonlocal latest
                latest += bytes_ / SLOWEST
                limit.reschedule(latest)

            yield came
    except TimeoutError:
        raise Problem(408, None, message("The body of the request did not come in time.")) from None


async def body_into(request: web.Request, options: Options, most: int, file: IO[bytes]) -> None:
    """Write the body of a request, of at most so many bytes, to a file as it comes: for bodies that
    are too large for memory. The larger it is, the longer it may take. Raises OSError: the file
    cannot be written; Problem: 408 where it comes more slowly than `SLOWEST`, 413 where it is too
    large.
    """
    if (request.content_length or 0) > most:
        raise _too_large(most)
    size = 0
    async with pace(options) as came:
        async for chunk in request.content.iter_chunked(262_144):
            size += len(chunk)
            if size > most:
                raise _too_large(most)
            await asyncio.to_thread(file.write, chunk)
            came(len(chunk))


def _too_large(most: int) -> Problem:
    return Problem(413, None, message("The body has more than {most} bytes.", most=f"{most:,}"))


def pairs_of_form(body: bytes) -> list[tuple[str, str]]:
    """The (name, value) of the fields of a form, or of the parameters of a query string. Raises
    Problem: 400 where it cannot be read, or has too many.
    """
    try:
        return parse_qsl(
            body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError as exc:
        raise _unreadable(
            message("a form of at most {number} fields in UTF-8", number=_MOST_FIELDS)
        ) from exc


def _pairs_of_json(body: bytes) -> list[tuple[str, str]]:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as exc:
        raise _unreadable(_JSON_BODY) from exc
    if not isinstance(value, dict) or len(value) > _MOST_FIELDS:
        raise _unreadable(_JSON_BODY)
    return [
        (name, _text(name, one))
        for name, values in value.items()
        if values is not None  # as a parameter that is not given; in a list it is refused
        for one in (values if isinstance(values, list) else [values])
    ]


def _text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # 10.0 is a whole number in JSON
    if isinstance(value, str | int | float):
        return str(value)
    if value is None:
        raise Problem.bad_parameter(name[:40], message("has null in its list; leave it out"))
    raise Problem.bad_parameter(name[:40], message("must be text, a number, or a list of these"))


def _unreadable(meant: str) -> Problem:
    return Problem(400, None, message("The body of the request is not {meant}.", meant=meant))


# The forms of pages that change something: how they are read, and where the browser goes after.

#: Bytes that one character of a query takes at most in a query string that is itself the value of a
#: field: each of its four bytes as %25XX.
_WIDEST_OF_PAGES = 20
#: Bytes of everything else in a form: ids, a way back, a token.
_REST_OF_PAGES = 65_536
#: Fields of a form with a file, and bytes of each.
_MOST_PARTS, _LONGEST_PART = 50, 200_000
#: Bytes of a file that are read at a time.
_CHUNK = 65_536
WITH_FILE = "multipart/form-data"
#: What aiohttp raises for parts that are none: HttpProcessingError for their heads, RuntimeError
#: for a field `_charset_`, AssertionError for the type of the whole, ValueError for all else.
_BROKEN = (AssertionError, HttpProcessingError, RuntimeError, ValueError)
_local = re.compile(r"/(?!/)[!-\[\]-~]*")


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that came with a form; without name and content where none was chosen, and without
    content where it was written to disk.
    """

    name: str = ""
    content: bytes = b""


async def read_form_fields(request: web.Request) -> MultiMapping[str]:
    """The fields of a form that a page of this server has sent. Raises Problem: 403 for a form of
    another site or visitor, 415 for anything but a form, 400 where it cannot be read, 408 where it
    does not come, 413 where it is too large.
    """
    if is_from_elsewhere(request):
        raise Problem(403, "forged-form", FORGED)
    if request.content_type != FORM:
        raise Problem(415, None, message("A form is posted as {media_type}.", media_type=FORM))
    options = request.app[SHARED].options
    body = await whole_body(request, options, _WIDEST_OF_PAGES * options.max_query + _REST_OF_PAGES)
    fields = MultiDict(pairs_of_form(body))
    _check_token(request, fields)
    return fields


@cache
def ignore_broken_parts() -> None:
    """Have nothing logged of broken heads of parts: the warnings repeat what was sent, and Python
    writes them to the log of the server.
    """
    for category in (BadContentDispositionHeader, BadContentDispositionParam):
        warnings.filterwarnings("ignore", category=category)


async def read_form_with_file(
    request: web.Request, most: int, disk: IO[bytes] | None = None
) -> tuple[MultiMapping[str], Upload]:
    """The fields of a form that may hold a file, and the file.

    `most`: bytes that the file may have. `disk`: an open file that it is written to instead of
    memory; the token must then come before it, so that nothing is kept of a form of another site.
    Raises Problem: as `read_form_fields`; 413 also where the file is too large. Raises OSError: the
    file cannot be written.
    """
    if request.content_type != WITH_FILE:
        return await read_form_fields(request), Upload()
    if is_from_elsewhere(request):
        raise Problem(403, "forged-form", FORGED)
    ignore_broken_parts()
    fields: MultiDict[str] = MultiDict()
    try:
        async with pace(request.app[SHARED].options) as came:
            upload = await _parts(request, fields, most, disk, came)
    except _BROKEN:
        raise Problem(
            400,
            None,
            message("The body of the request is not {meant}.", meant=message("a form with a file")),
        ) from None
    _check_token(request, fields)
    return fields, upload


def _check_token(request: web.Request, fields: MultiMapping[str]) -> None:
    tokens = fields.getall(TOKEN, [])
    visit_of(request).check(tokens[0] if len(tokens) == 1 else "")


async def _parts(
    request: web.Request,
    fields: MultiDict[str],
    most: int,
    disk: IO[bytes] | None,
    came: Callable[[int], None],
) -> Upload:
    upload = Upload()
    parts = 0
    async for part in await request.multipart():
        parts += 1
        if not isinstance(part, BodyPartReader) or parts > _MOST_PARTS:
            raise ValueError("too many parts, or parts of parts")
        if part.filename is None:
            content = await _read_part(part, _LONGEST_PART, came)
            fields.add(part.name or "", content.decode())
        elif disk is not None:
            _check_token(request, fields)
            if upload.name:
                raise ValueError("two files")
            upload = Upload(part.filename[:255])
            await _write_part(part, most, disk, came)
        elif part.filename or not upload.name:
            upload = Upload(part.filename[:255], await _read_part(part, most, came))
    return upload


async def _read_part(part: BodyPartReader, most: int, came: Callable[[int], None]) -> bytes:
    content = bytearray()
    while chunk := await part.read_chunk(_CHUNK):
        came(len(chunk))
        content += chunk
        if len(content) > most:
            raise _form_too_large(most)
    return bytes(content)


async def _write_part(
    part: BodyPartReader, most: int, disk: IO[bytes], came: Callable[[int], None]
) -> None:
    size = 0
    while chunk := await part.read_chunk(_CHUNK):
        came(len(chunk))
        size += len(chunk)
        if size > most:
            raise _form_too_large(most)
        await asyncio.to_thread(_keep, disk, chunk)


def _keep(disk: IO[bytes], chunk: bytes) -> None:
    disk.write(chunk)


def _form_too_large(most: int) -> Problem:
    return Problem(413, None, message("The file has more than {most} bytes.", most=f"{most:,}"))


def choice_of(fields: MultiMapping[str], name: str, allowed: tuple[str, ...], usual: str) -> str:
    """The value of a field that has one of a few values; `usual` where the form does not have it.
    Raises Problem: 400 for another value, or several.
    """
    values = fields.getall(name, [])
    if not values:
        return usual
    if len(values) > 1 or values[0] not in allowed:
        reason = message("must be one of {values}", values=", ".join(filter(None, allowed)))
        raise Problem.bad_parameter(name, reason)
    return values[0]


def local_address(text: str, site: Site) -> str | None:
    """The text if it is an address of this server, and of nothing beside it on the same host; else
    None. `text`: whatever a form says: "/search?q=mice#w-1".
    """
    if len(text) > LONGEST_LINE or not _local.fullmatch(text):
        return None
    path = re.split("[?#]", text, maxsplit=1)[0]
    if ".." in re.split(r"[/\\]", unquote(path)):
        return None
    return text if f"{path}/".startswith(f"{site.root}/") else None


def is_from_elsewhere(request: web.Request) -> bool:
    """Whether the browser says that a page of another site has sent the form.

    The token alone would do; this also holds where a page of a neighbouring host has planted its
    own cookies.
    """
    relation = request.headers.get("Sec-Fetch-Site")
    if relation is not None:
        return relation not in ("same-origin", "none")
    # Our pages have no referrer, and browsers then send "null" for our own origin, too.
    origin = request.headers.get(hdrs.ORIGIN, "null")
    hosts = (request.host, urlsplit(site_of(request).base).netloc)
    return origin != "null" and origin.partition("://")[2] not in hosts
