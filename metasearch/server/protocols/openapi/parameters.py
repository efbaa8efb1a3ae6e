"""The parameters of a search as OpenAPI describes them, made from what `engine.options` and
`server.parameters` declare and from the limits of the server.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from metasearch.dedup import STRATEGIES
from metasearch.engine.facets import FACETS, MOST_FILTERS
from metasearch.engine.options import Option, SearchOptions
from metasearch.formats import extras_note
from metasearch.query.syntaxes import TARGETS
from metasearch.server.limits import Options
from metasearch.server.parameters import ASKED, OUTPUT
from metasearch.server.protocols.openapi.operation import (
    FORM,
    JSON,
    Content,
    Schema,
    list_of,
    number,
    one_of,
    text,
    whole,
)
from metasearch.server.search import OFFERED

#: Every kind of value has one in the document, so that a reader sees how a value is written.
_EXAMPLES = {
    "query": "machine learning",
    "limit": 10,
    "sources": ["demo-crossref", "demo-openalex"],
    "years": "2019-2024",
    "filter": ["type:article", "oa:yes"],
    "facets": ["year", "type"],
    "timeout": 10,
}
#: Other ways to write years are read, too.
_YEAR = "[1-9][0-9]{3}"
_YEARS = rf"^(?:{_YEAR}|{_YEAR}-{_YEAR}|{_YEAR}-|-{_YEAR})$"
#: A source is named by its name; `/` and `\` would make it a path.
_NAME = r"^[^\s,/\\]+$"
_FILTER = rf"^-?(?:{'|'.join(FACETS)}):"
_NOT_BLANK = r"[^\s\u001c-\u001f\u0085]"
#: Nine digits before the point are read.
SECONDS_BELOW = 1_000_000_000
#: What a value of an unknown parameter may be in JSON, in a list too.
_PLAIN = ("string", "number", "boolean")


def parameter(
    name: str, schema: Schema, description: str, *, required: bool = False, place: str = "query"
) -> Schema:
    """A parameter object. `place`: "query", "path" or "header"."""
    made: Schema = {"name": name, "in": place, "description": description, "schema": schema}
    if required or place == "path":
        made["required"] = True
    elif place == "query":
        made["allowEmptyValue"] = True  # as OpenSearch templates leave them
    return made


def search_parameters(options: Options) -> list[Schema]:
    asked = list(question_parameters(options))
    asked.insert(1, _format())
    return [
        *asked,
        *(
            parameter(name, _choice_schema(option), _meaning(option))
            for name, option in OUTPUT.items()
        ),
    ]


def question_parameters(options: Options) -> Iterator[Schema]:
    """Those that say what is searched for, without those that say how the answer is written."""
    defaults = {declared.name: declared.default for declared in fields(SearchOptions)}
    for name, option in ASKED.items():
        schema = value_schema(option, options)
        if isinstance(defaults[name], str | int) and not isinstance(defaults[name], bool):
            schema["default"] = defaults[name]
        meaning = _meaning(option)
        if name == "timeout":
            meaning += f" This server allows {options.max_timeout:g} s."
        made = parameter(option.parameters[0], schema, meaning, required=name == "query")
        if option.kind in ("names", "facets"):
            made |= {"style": "form", "explode": False}
        if name in _EXAMPLES:
            made["example"] = _EXAMPLES[name]
        yield made


def _format() -> Schema:
    listing = ", ".join(f"`{name}` {media_type}" for name, media_type in OFFERED.items())
    return parameter(
        "format",
        one_of(OFFERED),
        f"How the answer is written; wins over `Accept`: {listing}. {extras_note(OFFERED)}",
    )


def to_parameter() -> Schema:
    """The parameter `to` of `/translate`."""
    schema = list_of(one_of([*TARGETS, "all"]))
    made = parameter("to", schema, "The syntaxes to write, with commas. By default: all.")
    return made | {"style": "form", "explode": False, "example": ["ovid", "cnki"]}


def value_schema(option: Option, options: Options) -> Schema:
    """The schema of the values that an option takes on this server."""
    match option.kind:
        case "number":
            return whole(minimum=int(option.least), maximum=int(option.most))
        case "records":
            most = min(option.most, options.max_records)
            return whole(minimum=int(option.least), maximum=int(most))
        case "seconds":
            # More than the server allows is cut, and is no error.
            return number(minimum=option.least, exclusiveMaximum=SECONDS_BELOW)
        case "names":
            most = min(option.most, options.max_sources)
            return list_of(text(pattern=_NAME), maxItems=int(most))
        case "facets":
            return list_of(one_of([*FACETS, "all"]))
        case "filters":
            return list_of(text(pattern=_FILTER), maxItems=MOST_FILTERS)
        case "years":
            return text(pattern=_YEARS)
        case "choice":
            return one_of(option.choices)
        case "strategy":
            return one_of(STRATEGIES)
        case "flag":
            return whole(enum=[0, 1])
        case _:
            return text(pattern=_NOT_BLANK, maxLength=options.max_query)


def _choice_schema(option: Option) -> Schema:
    return one_of(option.choices) if option.choices else whole(enum=[0, 1])


def _meaning(option: Option) -> str:
    """What it does, for a request, and what holds without it."""
    parts = [option.help, option.request]
    if option.default != "required":
        parts.append(f"By default: {option.default}.")
    return " ".join(filter(None, parts))


def _body_schema(parameters: list[Schema]) -> Schema:
    """The same parameters as one object, for a form or JSON in the body of a POST.

    Other members are ignored, as other parameters are; they must be text, numbers,
    truth values, or lists of these.
    """
    return {
        "type": "object",
        "required": [each["name"] for each in parameters if each.get("required")],
        "properties": {
            each["name"]: {**each["schema"], "description": each["description"]}
            for each in parameters
        },
        "additionalProperties": {
            "type": [*_PLAIN, "null", "array"],
            "items": {"type": list(_PLAIN)},
        },
    }


def query_body(parameters: list[Schema]) -> Content:
    """The body of a POST: the same parameters as a form or as a JSON object."""
    schema = _body_schema(parameters)
    return {JSON: schema, FORM: schema}
