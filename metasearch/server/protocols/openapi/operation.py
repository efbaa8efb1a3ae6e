"""What is declared of one thing that can be asked: `Operation`, and the errors that it may have.
A `Chapter` has those of a wing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from metasearch.server.faces.openapi.schema import Schema, ref
from metasearch.server.problem import MEDIA_TYPE as PROBLEM

#: Media type -> schema; an empty one where the bytes are described elsewhere.
Content = Mapping[str, Schema]

JSON, HTML, FORM = "application/json", "text/html", "application/x-www-form-urlencoded"
#: What a 304 is.
UNCHANGED: Mapping[int, str] = {304: "The answer is the one that `If-None-Match` names."}
#: What an error has, by `Accept` or `format`.
PROBLEMS: Content = {PROBLEM: ref("Problem"), HTML: {}}
#: Headers that an answer may have -> what they mean.
HEADERS: Mapping[str, str] = {
    "ETag": "Names this answer; `If-None-Match` with it gets a 304.",
    "Cache-Control": "How long the answer may be used again.",
    "Link": 'The next page: `<...>; rel="next"`. On the start page: where descriptions are.',
    "Server-Timing": "Milliseconds of each source, of merging and of the whole.",
    "Location": "The address of what was made or begun.",
    "Content-Disposition": "The name of the file, of formats that a browser saves.",
    "Lacking-Runs": "Numbers of the runs whose recorded pages the archive lacks; without it none.",
    "RateLimit": "What is left of the quota of the client: r requests, all of it in t seconds.",
    "RateLimit-Policy": "The quota: q requests in w seconds.",
    "Retry-After": "Seconds to wait before the next request.",
    "WWW-Authenticate": "The scheme of the key.",
    "Allow": "The methods that there are.",
}
#: Status of an error -> (when it comes, headers).
ERRORS: Mapping[int, tuple[str, tuple[str, ...]]] = {
    400: ("A parameter or the query cannot be used.", ()),
    401: ("The server has keys, and the request has none of them.", ("WWW-Authenticate",)),
    403: ("A page of another site asks, and may not.", ()),
    404: ("There is no such address or work.", ()),
    405: ("The address is for another method.", ("Allow",)),
    406: ("The server has none of the media types or formats that were asked for.", ()),
    408: ("The body of the request did not come in time.", ()),
    409: (
        (
            "Another request has the same under way, what is to end does not run, or what is to "
            "be changed was changed since: `yours` and `theirs` tell both."
        ),
        (),
    ),
    413: ("The body of the request is too large.", ()),
    414: ("The address is too long; send the query by POST.", ()),
    415: ("The body is of another kind than those that are named.", ()),
    417: ("The command cannot be carried out; the answer says why.", ()),
    421: ("The request is for another host.", ()),
    422: ("No source can be asked for this query.", ("Server-Timing",)),
    429: (
        (
            "The client has made too many requests, a quota of the user is used up, or as many "
            "of the user are under way as one user may have."
        ),
        ("Retry-After", "RateLimit", "RateLimit-Policy"),
    ),
    500: ("An internal error; the log has the details under `search_id`.", ()),
    501: ("What this needs is not installed on the server.", ()),
    502: ("No source answered.", ("Server-Timing",)),
    503: (
        "Too much is under way at the server, no source can be used, or its data cannot.",
        ("Retry-After",),
    ),
    504: ("All sources were too slow.", ("Server-Timing",)),
    507: ("The disk of the server is full; nothing of this was saved.", ("Retry-After",)),
}
#: Of every operation that is counted and needs a key; of every one that computes; of a search.
GUARDED = (401, 429)
BRIEF = (*GUARDED, 414, 500, 503)
SEARCHED = (*BRIEF, 400, 422, 502, 504)
#: Of a request with a body.
POSTED = (408, 413, 415)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One request whose answer stands in the document.

    Attributes:
        name: The key of the answer in `examples.json`; unique.
        form: The fields of a POST; None for a GET.
        json: The members of a POST of JSON; None for another.
    """

    name: str
    summary: str
    address: str
    form: Mapping[str, str] | None = None
    json: Mapping[str, Any] | None = None
    status: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One thing that can be asked.

    Attributes:
        path: A route of the server; the document leaves out what the server does not have.
        also: Other routes that answer in the same way.
        id: Its name in generated clients; unique.
        tag: Under which heading it stands, one of `document.TAGS`.
        answer: What a good answer has; None where there is none.
        headers: Keys of `HEADERS` that a 200 may have.
        without_content: Statuses of further answers, without a body -> when they come.
        errors: Statuses of errors, keys of `ERRORS`.
        method: "get" or "post".
        open: Whether it is answered without a key.
        examples: Those with the status of the answer are the answer's, others stand with their
            errors.
    """

    path: str
    also: tuple[str, ...] = ()
    id: str
    tag: str
    summary: str
    description: str = ""
    parameters: tuple[Schema, ...] = ()
    answer: Content | None = None
    status: int = 200
    headers: tuple[str, ...] = ()
    without_content: Mapping[int, str] = field(default_factory=dict)
    errors: tuple[int, ...] = BRIEF
    error: Content = field(default_factory=lambda: PROBLEMS)
    method: str = "get"
    body: Content | None = None
    open: bool = False
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chapter:
    """What a wing adds to the document. Each is equal to itself alone.

    Attributes:
        tags: Name -> what is described under it.
        operations: In the order of the document.
        schemas: Name -> schema of what they answer.
        examples: Name of an example -> {"media_type", "value"}, as `document.stored_answers`.
    """

    tags: Mapping[str, str] = field(default_factory=dict)
    operations: Sequence[Operation] = ()
    schemas: Mapping[str, Schema] = field(default_factory=dict)
    examples: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


#: Of a server without wings.
NO_CHAPTER = Chapter()


def reason(status: int) -> str:
    """The usual name of a status: "Not Modified"."""
    return HTTPStatus(status).phrase
