"""The checks of single values in a spec: templates and their placeholders, fields of a query, and a
database's words for types and languages. `adapters/spec.py` names them at the fields that hold the
values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import partial
from importlib.util import find_spec
from string import Formatter
from typing import Any

from metasearch.bib.languages import SCHEMES, language_table, languages
from metasearch.errors import QuerySyntaxError, UsageError
from metasearch.query.simple import parse
from metasearch.query.tree import CODED_FIELDS, FIELDS, IDENTIFIERS
from metasearch.record import TYPES
from metasearch.toml_tables import Table, TableReader, below

Schema = dict[str, Any]
#: One template, or several for one parameter.
Template = str | tuple[str, ...]

#: Placeholders with whole numbers; a string of a JSON body that is only one of them is a number.
NUMBERS = frozenset({"size", "start", "start1", "end", "page", "page0"})
#: Placeholders that change from page to page.
PAGING = NUMBERS | {"cursor"}
#: The placeholders of a request.
PLACEHOLDERS = frozenset(FIELDS) | PAGING | {"query", "years", "since", "until"}

# What an editor is told of a value, beside its kind, as JSON Schema.
ANY_TABLE: Schema = {"type": "object"}
TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
WHOLE: Schema = {"type": "integer", "minimum": 0}
TEMPLATES: Schema = {"type": "object", "additionalProperties": {"anyOf": [TEXT, TEXTS, WHOLE]}}
QUERY_FIELDS: Schema = {"type": "array", "items": {"enum": list(FIELDS)}}
BY_FIELD: Schema = {
    "type": "object",
    "properties": dict.fromkeys(FIELDS, TEXT),
    "additionalProperties": False,
}


def placeholders(
    reader: TableReader, template: str, where: str, allowed: frozenset[str] = PLACEHOLDERS
) -> str:
    """Checks that a template has only these placeholders, as `{name}`."""
    try:
        used = [part[1:] for part in Formatter().parse(template) if part[1] is not None]
    except ValueError as exc:
        reader.wrong(where, f"not a template ({exc}); write {{{{ and }}}} for braces")
        return template
    for name, form, conversion in used:
        if name not in allowed or form or conversion:
            reader.wrong(
                where, f"unknown placeholder {{{name}}}; allowed are {', '.join(sorted(allowed))}"
            )
    return template


#: A template for a text of a query.
of_x = partial(placeholders, allowed=frozenset({"x"}))
#: A template for a range of years.
of_years = partial(placeholders, allowed=frozenset({"first", "last"}))


def templates(
    reader: TableReader, table: Table, where: str, allowed: frozenset[str] = PLACEHOLDERS
) -> dict[str, Template]:
    """Templates by name; an array is several for one parameter."""
    found: dict[str, Template] = {}
    for name, value in table.items():
        parts = value if isinstance(value, list) else [value]
        # A whole number is sent as it is.
        if any(isinstance(part, bool) or not isinstance(part, (str, int)) for part in parts):
            reader.wrong(
                below(where, name),
                "must be a string, or an array of strings that are joined by commas",
            )
            continue
        texts = [placeholders(reader, str(part), below(where, name), allowed) for part in parts]
        found[name] = tuple(texts) if isinstance(value, list) else texts[0]
    return found


def json_template(
    reader: TableReader, value: Any, where: str, allowed: frozenset[str] = PLACEHOLDERS
) -> Any:
    """Checks that a value is JSON and that its strings are templates."""
    if isinstance(value, str):
        placeholders(reader, value, where, allowed)
    elif isinstance(value, Mapping):
        for name, member in value.items():
            json_template(reader, member, f"{where}.{name}", allowed)
    elif isinstance(value, list):
        for number, member in enumerate(value, 1):
            json_template(reader, member, f"{where}[{number}]", allowed)
    elif not isinstance(value, (int, float)) or not math.isfinite(value):
        reader.wrong(where, f"JSON has no {type(value).__name__} like this; write a string")
    return value


def places(reader: TableReader, entries: tuple[str, ...], where: str) -> tuple[str, ...]:
    """Checks "host:port" entries."""
    if entries:
        from metasearch.adapters.fetch.guard import AllowList

        try:
            AllowList.parse(entries)
        except UsageError as exc:
            reader.wrong(where, str(exc))
    return entries


def positive(reader: TableReader, value: float, where: str) -> float:
    if not value > 0:
        reader.wrong(where, "must be positive")
    return value


def not_negative(reader: TableReader, value: float, where: str) -> float:
    if not value >= 0:
        reader.wrong(where, "must not be negative")
    return value


def weight(reader: TableReader, value: float, where: str) -> float:
    return float(not_negative(reader, value, where))


def web(reader: TableReader, url: str, where: str) -> str:
    if not url.startswith(("https://", "http://")):
        reader.wrong(where, "must begin with https:// or http://")
    return url


#: The name of an environment variable.
VARIABLE = r"[A-Z][A-Z0-9_]*"


def variable(reader: TableReader, name: str, where: str) -> str:
    if not re.fullmatch(VARIABLE, name):
        reader.wrong(where, "must be the name of an environment variable, never the secret itself")
    return name


def login(reader: TableReader, table: Table, where: str) -> dict[str, str]:
    allowed = frozenset({"id", "secret"})
    return {
        name: placeholders(reader, template, below(where, name), allowed)
        for name, template in table.items()
        if reader.is_kind(template, str, below(where, name))
    }


#: The name of a source, and of the module of a hook.
SOURCE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


def hook(reader: TableReader, name: str, where: str) -> str:
    if not SOURCE_NAME.fullmatch(name) or find_spec(f"metasearch.adapters.hooks.{name}") is None:
        reader.wrong(where, f"there is no metasearch/adapters/hooks/{name}.py")
    return name


def query(reader: TableReader, text: str, where: str) -> str:
    """Checks a query in our own syntax; "" is none."""
    try:
        if text:
            parse(text)
    except QuerySyntaxError as exc:
        reader.wrong(where, f"is not a query: {exc.reason}")
    return text


# [query]: templates by field, and the database's words for types and languages.


def by_field(reader: TableReader, table: Table, where: str) -> dict[str, str]:
    """Templates: field of a query -> template with `{x}`."""
    found = {}
    for field, template in table.items():
        if field not in FIELDS:
            reader.wrong(below(where, field), f"unknown field; allowed are {', '.join(FIELDS)}")
        elif reader.is_kind(template, str, below(where, field)):
            found[field] = of_x(reader, template, below(where, field))
    return found


def query_fields(reader: TableReader, names: tuple[str, ...], where: str) -> tuple[str, ...]:
    if any(name not in FIELDS for name in names):
        reader.wrong(where, f"must be a list of fields: {', '.join(FIELDS)}")
    return names


def type_words(reader: TableReader, table: Table, where: str) -> dict[str, tuple[str, ...]]:
    """Our word for a type -> words of the database: a string, several, or `true` if all its works
    are of this type.
    """
    for name in table:
        if name not in TYPES:
            reader.wrong(below(where, name), f"unknown type; allowed are {', '.join(TYPES)}")
    return {name: _words(reader, value, below(where, name)) for name, value in table.items()}


def language_words(
    reader: TableReader, value: str | list[str] | Table, where: str
) -> Mapping[str, tuple[str, ...]]:
    """A table as that of types, or the names of one or more schemes of codes."""
    if isinstance(value, Mapping):
        for code in value:
            if code not in languages():
                reader.wrong(
                    below(where, code), "unknown language; the codes are those of ISO 639-1"
                )
        return {code: _words(reader, words, below(where, code)) for code, words in value.items()}
    schemes = value if isinstance(value, list) else [value]
    if not schemes or any(scheme not in SCHEMES for scheme in schemes):
        reader.wrong(where, f"must be a table, or one or more of {', '.join(SCHEMES)}")
        return {}
    return language_table(tuple(schemes))


def _words(reader: TableReader, value: Any, where: str) -> tuple[str, ...]:
    if value is True:
        return ()
    words = value if isinstance(value, list) else [value]
    texts = [word for word in words if isinstance(word, str) and word]
    if not texts or len(texts) < len(words):
        reader.wrong(where, "must be a word of the database, an array of them, or true")
    return tuple(texts)


def between_words(reader: TableReader, table: Table, where: str) -> Mapping[str, str]:
    """Type, language or identifier -> what stands between several words."""
    for field, between in table.items():
        if (
            field not in CODED_FIELDS | IDENTIFIERS | LOOKUP_ONLY
            or not isinstance(between, str)
            or not between
        ):
            reader.wrong(
                below(where, field),
                "must be a string; the fields are type, language and identifiers",
            )
    return table


#: What a list of works can be looked up by: the surest first, the title where nothing else is left.
LOOKUP_FIELDS = (
    *("doi", "pmid", "pmcid", "arxiv", "openalex", "s2", "corpusid", "omid", "isbn", "title"),
)
#: Those that no query has.
LOOKUP_ONLY = frozenset({"openalex", "s2", "corpusid", "omid"})


def lookup_sizes(reader: TableReader, table: Table, where: str) -> Mapping[str, int]:
    """Identifier or title -> how many works one request can name."""
    table = {name: value for name, value in table.items() if name not in ("request", "nothing")}
    for field, most in table.items():
        if field not in LOOKUP_FIELDS:
            reader.wrong(below(where, field), f"is none of {', '.join(LOOKUP_FIELDS)}")
        elif not isinstance(most, int) or isinstance(most, bool) or not 0 <= most <= 500:
            reader.wrong(below(where, field), "must be a whole number from 0 to 500")
    return table


def batch(reader: TableReader, size: int, where: str) -> int:
    """How many works one request can name."""
    if not 0 <= size <= 500:
        reader.wrong(where, "must be a whole number from 0 to 500")
    return size


def names_of_works(reader: TableReader, table: Table, where: str) -> Mapping[str, str]:
    """Kind of identifier -> a template with {x}."""
    if not table:
        reader.wrong(where, 'names no identifier: write one such as doi = "{x}"')
    for kind, template in table.items():
        if "{x}" not in str(template):
            reader.wrong(below(where, kind), "names no work: it must contain {x}")
    return {
        kind: of_x(reader, str(template), below(where, kind)) for kind, template in table.items()
    }
