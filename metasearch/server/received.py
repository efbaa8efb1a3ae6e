"""What a client sends: the query string of a GET, or the form or JSON object of a POST."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import IO
from urllib.parse import parse_qsl

import orjson
from aiohttp import web
from multidict import MultiDict, MultiMapping

from metasearch.message import message
from metasearch.server.options import Options
from metasearch.server.problem import Problem

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


async def given(request: web.Request, options: Options) -> MultiMapping[str]:
    """The parameters of a request, those of the address before those of its body. Raises Problem:
    400 where the body cannot be read, 408 where it does not come, 413 where it is too large, 415
    where it is neither form nor JSON.
    """
    parameters: MultiMapping[str] = request.query
    if request.method == "POST":
        parameters = MultiDict([*request.query.items(), *await _body(request, options)])
    request[GIVEN] = parameters
    return parameters


def given_so_far(request: web.Request) -> MultiMapping[str]:
    """As `given`, of a request whose body may not have been read."""
    parameters: MultiMapping[str] = request.get(GIVEN, request.query)
    return parameters


def only(parameters: MultiMapping[str], name: str) -> str:
    """The value of a parameter that may be given once; "" where it is absent or empty. Raises
    Problem: 400 where it is repeated.
    """
    values = [value for value in parameters.getall(name, []) if value]
    if len(values) > 1:
        raise Problem.bad_parameters(
            [
                {
                    "parameter": name,
                    "reason": message("given {number} times; name it once", number=len(values)),
                }
            ]
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
        raise Problem.bad_parameters(
            [{"parameter": name[:40], "reason": message("has null in its list; leave it out")}]
        )
    raise Problem.bad_parameters(
        [{"parameter": name[:40], "reason": message("must be text, a number, or a list of these")}]
    )


def _unreadable(meant: str) -> Problem:
    return Problem(400, None, message("The body of the request is not {meant}.", meant=meant))
