"""TOML -> `AdapterSpec`: reads a spec and what it extends, checks it, and reports all problems at
once.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import tomli

from metasearch import opening
from metasearch.adapters.request import JSON, SCHEMES
from metasearch.adapters.spec import (
    LONGEST_ADDRESS,
    SOURCE_NAME,
    AdapterSpec,
    Enrichment,
    Limits,
    PagingScheme,
    RequestTemplate,
)
from metasearch.adapters.specs.shape_tables import RECORD_FIELDS, ShapeTables
from metasearch.adapters.specs.tables import (
    CHOICES,
    KEYS,
    LIMITS_WITH,
    PLACEHOLDERS,
    AuthTables,
    DialectTables,
    Table,
    TableReader,
)
from metasearch.adapters.translate.plan import all_names
from metasearch.bib import converters
from metasearch.errors import QuerySyntaxError, SpecError
from metasearch.late_pattern import late_pattern
from metasearch.query.simple import parse as parse_query
from metasearch.query.tree import FIELDS

# `extends` and `like`: a spec that takes tables from another spec and changes single keys.

#: Returns the table of a spec by its name; raises KeyError if there is none.
BaseTable = Callable[[str], Table]
#: The longest chain of specs of which each extends the next one.
LONGEST_CHAIN = 20


def merge(base: Table, over: Table) -> dict[str, Any]:
    """Returns `base` with the keys of `over`: tables are merged key by key, other values replaced.

    The rule of a field is replaced as a whole: {at, as} of the base must not become a part of
    another rule.
    """
    merged = dict(base)
    for key, value in over.items():
        under: Any = merged.get(key)
        both_tables = isinstance(under, Mapping) and isinstance(value, Mapping)
        merged[key] = merge(under, value) if both_tables and not _is_rule(value) else value
    return merged


def _is_rule(table: Table) -> bool:
    return any(key in table for key in ("at", "each", "value"))


def resolved(table: Table, base: BaseTable | None, reader: TableReader) -> dict[str, Any]:
    """Returns the table, merged with the specs that it extends."""
    merged: dict[str, Any] = {}
    for layer in reversed(_chain(table, base, reader)):
        layer.pop("extends", None)
        if "url" in layer:  # the short form, for configuration files
            layer["request"] = merge(layer.get("request") or {}, {"url": layer.pop("url")})
        merged = merge(_without_limits_of(merged, layer), layer)
    also = merged.get("also")
    if isinstance(also, list):
        merged["also"] = [
            _shape_like(shape, f"also[{number}]", base, reader)
            for number, shape in enumerate(also, 1)
        ]
    return merged


def _without_limits_of(table: Table, over: Table) -> Table:
    """The table without what it says of a limit with a contact or a key, where `over` sets the
    limit itself: that holds in any case.
    """
    limits, own = table.get("limits"), over.get("limits")
    if not isinstance(limits, Mapping) or not isinstance(own, Mapping):
        return table
    left = {
        key: {name: value for name, value in limits[key].items() if name not in own}
        for key in LIMITS_WITH
        if isinstance(limits.get(key), Mapping)
    }
    return {**table, "limits": {**limits, **left}} if left else table


def _chain(table: Table, base: BaseTable | None, reader: TableReader) -> list[dict[str, Any]]:
    """The table, the table that it extends, and so on."""
    chain = [dict(table)]
    seen: set[str] = set()
    while True:
        name = chain[-1].get("extends")
        if name is None:
            return chain
        if name in seen or len(chain) > LONGEST_CHAIN:
            reader.wrong("extends", f"{name!r} extends itself, directly or through other specs")
            return chain
        try:
            if base is None or not isinstance(name, str):
                raise KeyError(name)
            seen.add(name)
            chain.append(dict(base(name)))
        except KeyError:
            reader.wrong(
                "extends",
                f"there is no spec called {name!r}; write a name, or a path with a slash or with "
                f"the ending .toml",
            )
            return chain


def _shape_like(shape: Any, where: str, base: BaseTable | None, reader: TableReader) -> Any:
    """A shape, merged with the shape of another spec that it names as `like = "SPEC.SHAPE"`."""
    if not isinstance(shape, Mapping) or "like" not in shape:
        return shape
    name, _, wanted = str(shape["like"]).partition(".")
    try:
        other = base(name) if base is not None else {}
    except KeyError:
        other = {}
    first = {
        **other.get("parse", {}),
        "fields": other.get("fields", {}),
        "ids": other.get("ids", {}),
    }
    shapes = [first, *other.get("also", ())] if wanted else []
    rules = next((each for each in shapes if each.get("name") == wanted), None)
    if rules is None:
        reader.wrong(f"{where}.like", f"there is no shape {shape['like']!r}; write SPEC.SHAPE")
        return shape
    own = {key: value for key, value in shape.items() if key != "like"}
    return merge({key: rules[key] for key in ("body", "fields", "ids") if key in rules}, own)


# TOML -> `AdapterSpec`: reads a spec and checks it, and reports all problems at once. The tables
# [query], [auth.NAME], [parse] and [fields] have files of their own beside this one. The closed
# list of keys is in `tables.py`; docs/adapters.md explains the keys to authors.

#: The largest spec file, in bytes.
MAX_BYTES = 256 * 1024
#: The URL of a collection. Anything else after the colon could lead out of the folder of
#: collections.
COLLECTION_URL = late_pattern(rf"collection:{SOURCE_NAME.pattern}")
#: What is wrong with the name of a source.
WRONG_NAME = "must be lower-case letters, digits, '-' or '_', at most 40"


def read_table(path: Path, called: str = "") -> dict[str, Any]:
    """Returns the TOML of a file.

    `called`: the name of the file in messages; its own name by default. Raises SpecError: the file
    is too large or not TOML; OSError: the file does not exist or cannot be opened.
    """
    called = called or path.name
    try:
        raw = opening.read(path, MAX_BYTES)
    except opening.TooLargeToRead as exc:
        raise SpecError(called, [f"the file {opening.why(exc)}"]) from exc
    except opening.NoRegularFile as exc:
        raise SpecError(called, [f"cannot be read: {opening.why(exc)}"]) from exc
    try:
        return tomli.loads(raw.decode())
    except (tomli.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise SpecError(called, [f"not TOML: {exc}"]) from exc


def build(
    table: Table,
    file: str,
    base: BaseTable | None = None,
    *,
    late: bool = False,
    checked: Callable[[Table], bool] | None = None,
) -> AdapterSpec:
    """Returns the spec of a table. Raises SpecError: with every problem.

    Args:
        table: As read from TOML; `extends` names a table that `base` returns.
        late: Whether shapes are compiled, and so checked, only when they are needed: for specs that
            are known to be right. See `LateShape`.
        checked: Whether the same holds for the shape of one table of [[also]]: a spec that extends
            another one has most of its shapes. None holds none for right.
    """
    reader = _SpecReader(file, late=late, checked=checked)
    spec = reader.spec(resolved(table, base, reader))
    if reader.problems or spec is None:
        raise SpecError(file, reader.problems)
    return spec


def _digest(table: Table) -> str:
    """The SHA-256 of a table, whatever the order of its keys."""
    packed = json.dumps(table, sort_keys=True, default=_plain)
    return hashlib.sha256(packed.encode(errors="surrogatepass")).hexdigest()


def _plain(value: object) -> object:
    """A value that TOML can hold and JSON cannot."""
    return dict(value) if isinstance(value, Mapping) else str(value)


class _SpecReader(TableReader):
    """Reads a whole spec. `late`: as in `build`. `checked`: as in `build`."""

    def __init__(
        self, file: str, *, late: bool = False, checked: Callable[[Table], bool] | None = None
    ) -> None:
        super().__init__(file)
        self.late = late
        self.checked = checked

    def spec(self, table: Table) -> AdapterSpec | None:
        """Returns the spec of a table that `extends` no other; None if there are problems."""
        self.known(table, "", "")
        name = self.get(table, "name", str, "", "")
        if not SOURCE_NAME.fullmatch(name):
            self.wrong("name", WRONG_NAME)
        hook = self.get(table, "hook", str, None, "")
        if hook is not None and not _is_hook(hook):
            self.wrong("hook", f"there is no metasearch/adapters/hooks/{hook}.py")
        weight = self.get(table, "weight", (int, float), 1.0, "")
        if weight < 0:
            self.wrong("weight", "must not be negative")
        request, query = self.request(table), DialectTables(self).dialect(table)
        paging, limits = self.paging(table), self.limits(table)
        auth = AuthTables(self).auth(table)
        shapes = ShapeTables(self, late=self.late, checked=self.checked).shapes(table)
        newest = self.newest(table, request)
        enrich = self.enrichment(table)
        if self.problems:
            return None
        parse = self.table(table, "parse")
        return AdapterSpec(
            name=name,
            label=self.get(table, "label", str, name, ""),
            homepage=self.get(table, "homepage", str, "", ""),
            docs=self.get(table, "docs", str, "", ""),
            terms=self.get(table, "terms", str, "", ""),
            coverage=self.get(table, "coverage", str, "", ""),
            languages=self.strings(table, "languages", "languages"),
            syntax=self.get(table, "syntax", str, "", ""),
            probe=self.probe(table),
            default=self.get(table, "default", bool, False, ""),
            enabled=self.get(table, "enabled", bool, True, ""),
            weight=float(weight),
            request=request,
            query=query,
            paging=paging,
            auth=auth,
            limits=limits,
            shapes=shapes,
            not_found=self.get(parse, "not_found", str, "error", "parse"),
            total_header=self.get(parse, "total_header", str, "", "parse"),
            hook=hook,
            enrich=enrich,
            newest=newest,
            file=self.file,
            digest=_digest(table),
        )

    def probe(self, table: Table) -> str:
        """Reads `probe`, a query in our own syntax."""
        query: str = self.get(table, "probe", str, "", "")
        if query:
            try:
                parse_query(query)
            except QuerySyntaxError as exc:
                self.wrong("probe", f"is not a query: {exc.reason}")
        return query

    def request(self, table: Table) -> RequestTemplate:
        """Reads [request]."""
        request = self.table(table, "request")
        self.known(request, "request", "request")
        url = self.get(request, "url", str, "", "request")
        if not url.startswith(SCHEMES) and not COLLECTION_URL.fullmatch(url):
            self.wrong(
                "request.url", f"must begin with {' or '.join(SCHEMES)}, or be collection:NAME"
            )
        self.placeholders(url, PLACEHOLDERS, "request.url")
        bodies = [key for key in ("body", "json", "text") if key in request]
        method = self.get(request, "method", str, "GET", "request")
        if bodies and method != "POST":
            self.wrong(f"request.{bodies[0]}", 'needs method = "POST"')
        if len(bodies) > 1:
            self.wrong(
                f"request.{bodies[1]}",
                f"a request has one body, and this one has request.{bodies[0]} already",
            )
        json = self.json_template(request["json"], "request.json") if "json" in request else None
        text = self.get(request, "text", str, "", "request")
        self.placeholders(text, PLACEHOLDERS, "request.text")
        usual = "text/plain; charset=utf-8" if text else ""
        if json is not None:
            usual = JSON
        return RequestTemplate(
            url=url,
            method=method,
            params=self.templates(request, "params", "request"),
            headers=self.templates(request, "headers", "request"),
            body=self.templates(request, "body", "request"),
            json=json,
            text=text,
            content_type=self.get(request, "content_type", str, usual, "request"),
            redirects=self.places(request, "redirects", "request"),
            longest=self.get(request, "longest", int, LONGEST_ADDRESS, "request"),
        )

    def newest(self, table: Table, request: RequestTemplate) -> RequestTemplate | None:
        """Reads [request.newest], which replaces parts of [request]. Returns the whole request for
        the newest records; None if the spec has none, or if it replaces nothing but by empty
        values, as a spec that takes it away from a spec that it extends.
        """
        where, own = "request.newest", self.table(table, "request")
        newest = self.table(own, "newest", where)
        self.known(newest, where, where)
        for key in ("body", "text"):
            if key in newest and key not in own:
                self.wrong(f"{where}.{key}", f"replaces request.{key}, which this request lacks")
        params = self.templates(newest, "params", where)
        body = self.templates(newest, "body", where)
        json = self.table(newest, "json", f"{where}.json")
        self.json_template(json, f"{where}.json")
        text = self.get(newest, "text", str, "", where)
        self.placeholders(text, PLACEHOLDERS, f"{where}.text")
        if json and not isinstance(request.json, Mapping):
            self.wrong(f"{where}.json", "replaces members of request.json, which is no table")
        if self.problems or not any((*params.values(), *body.values(), json, text)):
            return None
        return dataclasses.replace(
            request,
            params={**request.params, **params},
            body={**request.body, **body},
            json=merge(request.json, json) if json else request.json,
            text=text or request.text,
        )

    def enrichment(self, table: Table) -> Enrichment | None:
        """Reads [enrich]; None if the spec has none."""
        if "enrich" not in table:
            return None
        enrich = self.table(table, "enrich")
        self.known(enrich, "enrich", "enrich")
        by = self.get(enrich, "by", str, "doi", "enrich")
        where, request = "enrich.request", self.table(enrich, "request", "enrich.request")
        self.known(request, where, where)
        url = self.get(request, "url", str, "", where)
        if not url.startswith(("https://", "http://")):
            self.wrong(f"{where}.url", "must begin with https:// or http://")
        allowed = frozenset({by})
        before = len(self.problems)
        self.placeholders(url, allowed, f"{where}.url")
        params = self.templates(request, "params", where, allowed)
        headers = self.templates(request, "headers", where, allowed)
        template = RequestTemplate(url=url, params=params, headers=headers)
        if len(self.problems) == before and by not in all_names(template):
            self.wrong(where, f"asks for no work: url or params must contain {{{by}}}")
        return Enrichment(by=by, request=template)

    def paging(self, table: Table) -> PagingScheme:
        """Reads [paging]."""
        paging = self.table(table, "paging")
        self.known(paging, "paging", "paging")
        scheme = PagingScheme(
            kind=self.get(paging, "kind", str, "none", "paging"),
            size=self.get(paging, "size", int, 100, "paging"),
            window=self.get(paging, "window", int, 10_000, "paging"),
            next=self.get(paging, "next", str, "", "paging"),
            first=self.get(paging, "first", str, "*", "paging"),
        )
        for key in ("size", "window"):
            if getattr(scheme, key) <= 0:
                self.wrong(f"paging.{key}", "must be positive")
        if scheme.kind in ("cursor", "link") and not scheme.next:
            self.wrong("paging.next", f"a {scheme.kind} needs the selector of the next one")
        if scheme.kind == "link" and self.table(table, "request").get("method", "GET") != "GET":
            self.wrong("paging.kind", 'a link is followed with GET: needs method = "GET"')
        return scheme

    def limits(self, table: Table) -> Limits:
        """Reads [limits]."""
        limits = self.table(table, "limits")
        self.known(limits, "limits", "limits")
        values = self.numbers_of_limits(limits, "limits")
        for key in LIMITS_WITH:
            where = f"limits.{key}"
            own = self.table(limits, key, where)
            self.known(own, "limits.with", where)
            values[key] = self.numbers_of_limits(own, where)
        return Limits(**values, stated=self.get(limits, "stated", str, "", "limits"))

    def numbers_of_limits(self, table: Table, where: str) -> dict[str, Any]:
        """Reads the numbers of [limits] that the table has."""
        values: dict[str, Any] = {}
        for name in (field.name for field in dataclasses.fields(Limits)):
            if name not in KEYS["limits.with"] or name not in table:
                continue
            kind: Any = int if name in ("concurrency", "max_bytes") else (int, float)
            value = self.get(table, name, kind, None, where)
            if value is None:
                continue
            values[name] = value
            too_small = value < 0 if name in ("ttl", "grace") else value <= 0
            if too_small:
                self.wrong(f"{where}.{name}", "must be positive")
        return values


def _is_hook(name: str) -> bool:
    """Whether there is a module of this name among the hooks."""
    if not SOURCE_NAME.fullmatch(name):
        return False
    return find_spec(f"metasearch.adapters.hooks.{name}") is not None


# The JSON Schema of a spec, for editors that complete and check TOML (taplo, Even Better TOML, Zed,
# JetBrains). The schema is made from the tables of the spec reader, so both always agree. A schema
# cannot express that a selector compiles, or that a placeholder is known: `metasearch sources
# check` checks this.

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_TRUTH: Schema = {"type": "boolean"}
_NUMBER: Schema = {"type": "number", "minimum": 0}
_WHOLE: Schema = {"type": "integer", "minimum": 0}
_ANY_TABLE: Schema = {"type": "object"}
_TEMPLATE: Schema = {"anyOf": [_TEXT, _TEXTS, _WHOLE]}
_TEMPLATES: Schema = {"type": "object", "additionalProperties": _TEMPLATE}

#: Keys whose values are not strings, by table.
_KINDS: dict[str, Schema] = {
    "languages": _TEXTS,
    "default": _TRUTH,
    "enabled": _TRUTH,
    "weight": _NUMBER,
    "request.params": _TEMPLATES,
    "request.headers": _TEMPLATES,
    "request.body": _TEMPLATES,
    "request.json": _ANY_TABLE,
    "request.redirects": _TEXTS,
    "request.newest.params": _TEMPLATES,
    "request.newest.body": _TEMPLATES,
    "request.newest.json": _ANY_TABLE,
    "enrich.request.params": _TEMPLATES,
    "enrich.request.headers": _TEMPLATES,
    "query.joined": {"type": "array", "items": {"enum": list(FIELDS)}},
    "query.types": _ANY_TABLE,
    "query.languages": {"anyOf": [_TEXT, _TEXTS, _ANY_TABLE]},
    "query.either": _ANY_TABLE,
    "query.truncated_least": _WHOLE,
    "query.wider": {"type": "array", "items": {"enum": list(FIELDS)}},
    "query.scored": _TRUTH,
    "paging.size": _WHOLE,
    "paging.window": _WHOLE,
    "auth.required": _TRUTH,
    "auth.login": _ANY_TABLE,
    "parse.bare": _TRUTH,
    "parse.promises": {"type": "array", "items": {"enum": sorted(RECORD_FIELDS)}},
    "field.at": {"anyOf": [_TEXT, _TEXTS]},
    "field.as": {"enum": sorted(converters.CONVERTERS)},
    "field.map": {"type": "object", "additionalProperties": _TEXT},
    "field.value": {"type": ["string", "boolean", "integer"]},
} | {
    f"{table}.{name}": _TEXT if name == "stated" else _NUMBER
    for table in ("limits", "limits.with")
    for name in KEYS[table]
}


def schema() -> Schema:
    """Returns the schema of a spec file, JSON Schema 2020-12."""
    rule = {"anyOf": [_TEXT, {"type": "array"}, _table("field")]}
    fields = {
        "type": "object",
        "properties": dict.fromkeys(sorted(RECORD_FIELDS), rule),
        "additionalProperties": False,
    }
    ids = {"type": "object", "additionalProperties": rule}
    query = _table("query")
    templates = {
        "type": "object",
        "properties": dict.fromkeys(FIELDS, _TEXT),
        "additionalProperties": False,
    }
    query["properties"] |= {
        "fields": templates,
        "phrases": templates,
        "years": _table("query.years"),
    }
    also = _table("parse")
    also["properties"] |= {"fields": fields, "ids": ids, "same_envelope": _TRUTH, "like": _TEXT}
    enrich = _table("enrich", skip=("request",))
    enrich["properties"] |= {"request": _table("enrich.request")}
    request = _table("request", skip=("newest",))
    request["properties"] |= {"newest": _table("request.newest")}
    limits = _table("limits", skip=LIMITS_WITH)
    limits["properties"] |= dict.fromkeys(LIMITS_WITH, _table("limits.with"))
    whole = _table(
        "",
        skip=(
            "request",
            "query",
            "paging",
            "auth",
            "limits",
            "enrich",
            "parse",
            "fields",
            "ids",
            "also",
        ),
    )
    whole["properties"] |= {
        "request": request,
        "query": query,
        "paging": _table("paging"),
        "auth": {"type": "object", "additionalProperties": _table("auth")},
        "limits": limits,
        "enrich": enrich,
        "parse": _table("parse"),
        "fields": fields,
        "ids": ids,
        "also": {"type": "array", "items": also},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "metasearch source",
        "required": ["name"],
        **whole,
    }


def _table(name: str, skip: Iterable[str] = ()) -> Schema:
    prefix = f"{name}." if name else ""
    properties: dict[str, Any] = {}
    for key in sorted(KEYS[name] - set(skip)):
        choices = CHOICES.get(prefix + key)
        properties[key] = {"enum": list(choices)} if choices else _KINDS.get(prefix + key, _TEXT)
    return {"type": "object", "properties": properties, "additionalProperties": False}
