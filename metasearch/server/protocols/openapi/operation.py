"""What is declared of one thing that can be asked: `Operation`, the schemas of what it takes and
answers, and the errors that it may have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from http import HTTPStatus
from inspect import cleandoc
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from metasearch.server.problem import KINDS
from metasearch.server.problem import MEDIA_TYPE as PROBLEM

# JSON Schemas (2020-12) in short words, and descriptions from the docstrings of the types.

#: A schema, or another object of OpenAPI, as JSON has it.
Schema = dict[str, Any]

_ATTRIBUTE = re.compile(r" {4}([a-z_]+(?:, [a-z_]+)*): ")


def text(**more: Any) -> Schema:
    """A text; `more` are further keywords, such as `description`."""
    return {"type": "string", **more}


def whole(**more: Any) -> Schema:
    return {"type": "integer", **more}


def number(**more: Any) -> Schema:
    return {"type": "number", **more}


def yes_or_no(**more: Any) -> Schema:
    return {"type": "boolean", **more}


def one_of(words: Iterable[str], **more: Any) -> Schema:
    return {"type": "string", "enum": list(words), **more}


def list_of(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


def by_name(values: Schema, **more: Any) -> Schema:
    """An object whose names are not known before."""
    return {"type": "object", "additionalProperties": values, **more}


def ref(name: str) -> Schema:
    """The schema of this name in the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def nullable(schema: Schema) -> Schema:
    if "$ref" in schema:
        return {"oneOf": [schema, {"type": "null"}]}
    made = {**schema, "type": [schema["type"], "null"]}
    if "enum" in made:
        made["enum"] = [*made["enum"], None]
    return made


def thing(properties: Mapping[str, Schema], *, optional: Iterable[str] = (), **more: Any) -> Schema:
    """An object that has each of its properties, but for the optional ones.

    It may have others: keys may be added to an answer.
    """
    required = [name for name in properties if name not in set(optional)]
    return {"type": "object", "required": required, "properties": dict(properties), **more}


@cache
def attributes(kind: type) -> Mapping[str, str]:
    """Attribute -> its text in the docstring of a class, on one line; nothing where Python runs
    without docstrings.
    """
    section = cleandoc(kind.__doc__ or "").partition("Attributes:\n")[2].partition("\n\n")[0]
    # A name stands four blanks from the margin; its text goes on eight blanks from it.
    entries = re.sub(r"\n {5,}", " ", section).splitlines()
    described: dict[str, str] = {}
    for entry in entries:
        names = _ATTRIBUTE.match(entry)
        if names is not None:
            sentence = entry[names.end() :].replace("`", "")
            described |= dict.fromkeys(names[1].split(", "), sentence)
    return described


def explain(properties: Mapping[str, Schema], *kinds: type) -> dict[str, Schema]:
    """The properties, each without a description with that of the attribute of the same name in the
    docstrings of the types; the first type that has it holds.
    """
    texts = {name: text for kind in reversed(kinds) for name, text in attributes(kind).items()}
    return {
        name: {"description": texts[name], **schema} if name in texts else schema
        for name, schema in properties.items()
    }


_types = cache(partial(get_type_hints, include_extras=True))
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean"}


@cache
def _property_types(kind: type) -> Mapping[str, Any]:
    found = {name: each for name, each in vars(kind).items() if isinstance(each, property)}
    return {name: _types(each.fget)["return"] for name, each in found.items()}


def members(kind: type, names: str = "", /, **others: Any) -> dict[str, Schema]:
    """The properties of an object that shows a thing: its attributes, with the types and the texts
    of their class.

    Args:
        names: Of the attributes, with blanks between; all without them.
        others: Of members that are otherwise than the class has them, or not of it: a schema, which
            gets the text of the class if it has none; or a type, which says all.
    """
    types = {**_property_types(kind), **_types(kind), **others}
    made: dict[str, Schema] = {}
    for name in names.split() or _types(kind):
        made[name] = schema_of(types[name])
        if name not in others or isinstance(others[name], dict):
            made |= explain({name: made[name]}, kind)
    return made


def schema_of(kind: Any) -> Schema:
    """The schema of the values of a type, or the one that is given. A class of ours has its own
    under its name; what `Annotated` adds is the description, or more of the schema.
    """
    origin, inner = get_origin(kind), get_args(kind)
    if isinstance(kind, dict):
        return kind
    if origin is Annotated:
        more = inner[1] if isinstance(inner[1], dict) else {"description": inner[1]}
        return {**schema_of(inner[0]), **more}
    if kind is Any:
        return {}
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if origin is None:
        return ref(kind.__name__)
    if origin is Literal:
        return one_of(inner) if len(inner) > 1 else text(const=inner[0])
    if origin in (Union, UnionType):
        (one,) = (each for each in inner if each is not NoneType)
        return nullable(schema_of(one))
    if issubclass(origin, Mapping):
        return by_name(schema_of(inner[1]))
    return list_of(schema_of(inner[0]))


# The shape of a problem (RFC 9457): what `server.problem` writes.

_PROBLEM = thing(
    {
        "type": one_of(
            ["about:blank", *(f"urn:metasearch:problem:{kind}" for kind in KINDS)],
            description="Which kind of error it is.",
        ),
        "title": text(description="The kind in words."),
        "status": whole(description="The HTTP status."),
        "detail": text(description="This case."),
        "instance": text(description="The path of the request."),
        "errors": list_of(ref("ParameterError"), description="What is wrong with parameters."),
        "query": text(description="The query that cannot be read, or was asked."),
        "position": whole(description="Where in the query the error begins, in characters."),
        "length": whole(description="How many characters are wrong."),
        "suggestion": nullable(text(description="A query that was probably meant.")),
        "advice": nullable(text(description="What can be done.")),
        "syntax": nullable(text(description="The syntax in which the query was read.")),
        "near_misses": list_of(text(), description="Names of sources that may have been meant."),
        "allowed": list_of(ref("OfferedFormat"), description="The formats that there are."),
        "complete": yes_or_no(description="Always false."),
        "sources": list_of(
            {"anyOf": [ref("SourceReport"), ref("SourceStanding")]},
            description="Each source with its reason; that of /readyz has two members only.",
        ),
        "yours": by_name({}, description="What was sent, where that is otherwise than `theirs`."),
        "theirs": nullable(
            by_name({}, description="What stands now, with its `version`; null where nothing does.")
        ),
        "search_id": text(description="Under this id the log of the server has the details."),
    },
    optional=(
        *("detail", "errors", "query", "position", "length", "suggestion", "advice", "syntax"),
        *("near_misses", "allowed", "complete", "sources", "yours", "theirs", "search_id"),
    ),
    description="An error, as RFC 9457 writes it.",
)
#: Name in the document -> schema.
SCHEMAS: Mapping[str, Schema] = {
    "Problem": _PROBLEM,
    "ParameterError": thing({"parameter": text(), "reason": text()}),
    "OfferedFormat": thing({"format": text(), "media_type": text()}),
    "SourceStanding": thing({"source": text(), "status": text()}),
}


#: Name -> {"operation": its id, "summary", "request": {"method", "address", "status", and what is
#: posted as "form", "json" or "text"}, "media_type" and "value" of the answer}, in the order in
#: which they are asked: one may need what those before it have made.
Examples = Mapping[str, Mapping[str, Any]]
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chapter:
    """What a wing adds to the document. Each is equal to itself alone.

    Attributes:
        tags: Name -> what is described under it.
        operations: In the order of the document.
        schemas: Name -> schema of what they answer.
        examples: As `document.search_examples`.
    """

    tags: Mapping[str, str] = field(default_factory=dict)
    operations: Sequence[Operation] = ()
    schemas: Mapping[str, Schema] = field(default_factory=dict)
    examples: Examples = field(default_factory=dict)


#: Of a server without wings.
NO_CHAPTER = Chapter()


def reason(status: int) -> str:
    """The usual name of a status: "Not Modified"."""
    return HTTPStatus(status).phrase


# The parameters of a search as OpenAPI describes them, made from what `engine.options` and
# `server.parameters` declare and from the limits of the server.
