"""Where spec files lie, and TOML -> `AdapterSpec`: reads a spec and what it extends, checks it, and
reports all problems at once.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urljoin

import tomli

from metasearch import regular_files
from metasearch.adapters.request import JSON, SCHEMES
from metasearch.adapters.spec import (
    DIRECTIONS,
    LIMITS_WITH,
    SOURCE_NAME,
    AdapterSpec,
    Auth,
    Direction,
    Enrichment,
    Limits,
    PagingScheme,
    Relation,
    RequestTemplate,
    keys_of_limits_with,
)
from metasearch.adapters.specs.checks import (
    ANY_TABLE,
    LOOKUP_FIELDS,
    TEXT,
    TEXTS,
    WHOLE,
    Schema,
    json_template,
    placeholders,
    templates,
    web,
)
from metasearch.adapters.specs.spec_tables import (
    ALSO,
    FIELD,
    PARSE,
    RECORD_FIELDS,
    ShapeTables,
    SpecTables,
    auth,
    dialect,
)
from metasearch.adapters.translate.plan import all_names
from metasearch.errors import SpecError, UsageError
from metasearch.late_pattern import late_pattern
from metasearch.toml_tables import Table, TableReader, TomlKey, keys_of

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


def resolve_extends(table: Table, base: BaseTable | None, reader: TableReader) -> dict[str, Any]:
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
# [query], [auth.NAME], [parse] and [fields] stand in `spec_tables.py`,
# with the closed list of keys; docs/adapters.md explains the keys to authors.

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
        raw = regular_files.read(path, MAX_BYTES)
    except regular_files.TooLargeToRead as exc:
        raise SpecError(called, [f"the file {regular_files.why(exc)}"]) from exc
    except regular_files.NoRegularFile as exc:
        raise SpecError(called, [f"cannot be read: {regular_files.why(exc)}"]) from exc
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
    reader.own_citations = "citations" in table or "extends" not in table
    spec = reader.spec(resolve_extends(table, base, reader))
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


#: What [parse] says of all shapes.
_OF_ALL_SHAPES = {name: PARSE[name] for name in ("not_found", "total_header")}
_REQUEST = keys_of(RequestTemplate)
_TABLE = TomlKey("", dict)
#: The keys of tables that have others than the class that they are read into.
KEYS: Mapping[str, Mapping[str, TomlKey]] = {
    "": {
        **keys_of(AdapterSpec),
        "extends": TomlKey("", str),
        "url": TomlKey("", str),
        **dict.fromkeys(("parse", "fields", "ids", "also", "citations"), _TABLE),
    },
    "request": {**_REQUEST, "newest": _TABLE},
    "request.newest": {
        **{name: _REQUEST[name] for name in ("params", "body", "text")},
        "json": _REQUEST["json"]._replace(kind=dict),
    },
    "citations": dict.fromkeys(DIRECTIONS, _TABLE),
    "enrich.request": {name: _REQUEST[name] for name in ("url", "params", "headers")},
    "lookup.request": {
        name: _REQUEST[name] for name in ("url", "method", "params", "headers", "json")
    },
}
#: Placeholders of [lookup.request].
_OF_WORKS = frozenset({*LOOKUP_FIELDS[:-1], "size"})


#: What a table of [citations] may change for its requests.
_CHANGED = ("request", "paging", "parse", "fields", "ids")


def _keys_of_works(where: str, allowed: frozenset[str]) -> Mapping[str, TomlKey]:
    """The keys of [enrich.request] or [lookup.request], which have placeholders of their own."""
    checks: Mapping[str, Any] = {
        "url": placeholders, "params": templates, "headers": templates, "json": json_template,
    }  # fmt: skip
    return {
        name: key._replace(check=partial(checks[name], allowed=allowed)) if name in checks else key
        for name, key in KEYS[where].items()
    }


class _SpecReader(SpecTables):
    """Reads a whole spec. `late`: as in `build`. `checked`: as in `build`."""

    def __init__(
        self, file: str, *, late: bool = False, checked: Callable[[Table], bool] | None = None
    ) -> None:
        super().__init__(file)
        self.late = late
        self.checked = checked
        self.own_citations = True  # another spec's are right

    def spec(self, table: Table) -> AdapterSpec | None:
        """Returns the spec of a table that `extends` no other; None if there are problems."""
        self.check_keys(table, KEYS[""], "")
        keys = {name: key for name, key in keys_of(AdapterSpec).items() if key.inner is None}
        values = self.values(keys, table, "")
        if not SOURCE_NAME.fullmatch(values.get("name", "")):
            self.wrong("name", WRONG_NAME)
        request = self.request(table)
        parse = table.get("parse")
        values |= {
            "label": values.get("label", values.get("name")),
            "request": request,
            "query": dialect(self, table),
            "paging": self.paging(table),
            "limits": self.read(Limits, self.table(table, "limits"), "limits"),
            "auth": auth(self, table),
            "shapes": ShapeTables(self, late=self.late, checked=self.checked).shapes(table),
            "newest": self.newest(table, request),
            "enrich": self.enrichment(table),
            "lookup_request": self.lookup_request(table, request),
            "lookup_nothing": self.table(table, "lookup").get("nothing", ""),
            # What is wrong with the table itself is known from the shapes.
            **self.values(_OF_ALL_SHAPES, parse if isinstance(parse, Mapping) else {}, "parse"),
        }
        values["citations"] = self.citations(table)  # what is wrong with the rest is told once
        if self.problems:
            return None
        return AdapterSpec(**values, file=self.file, digest=_digest(table))

    def request(self, table: Table) -> RequestTemplate:
        request = self.table(table, "request")
        self.check_keys(request, KEYS["request"], "request")
        values = self.values(keys_of(RequestTemplate), request, "request")
        url = values.get("url", "")
        if not url.startswith(SCHEMES) and not COLLECTION_URL.fullmatch(url):
            self.wrong(
                "request.url", f"must begin with {' or '.join(SCHEMES)}, or be collection:NAME"
            )
        bodies = [key for key in ("body", "json", "text") if key in request]
        if bodies and values.get("method") != "POST":
            self.wrong(f"request.{bodies[0]}", 'needs method = "POST"')
        if len(bodies) > 1:
            self.wrong(
                f"request.{bodies[1]}",
                f"a request has one body, and this one has request.{bodies[0]} already",
            )
        usual = "text/plain; charset=utf-8" if values.get("text") else ""
        values.setdefault("content_type", JSON if "json" in values else usual)
        return RequestTemplate(**values)

    def newest(self, table: Table, request: RequestTemplate) -> RequestTemplate | None:
        """Reads [request.newest], which replaces parts of [request]. Returns the whole request for
        the newest records; None if the spec has none, or if it replaces nothing but by empty
        values, as a spec that takes it away from a spec that it extends.
        """
        where, own = "request.newest", self.table(table, "request")
        newest = self.table(own, "newest", where)
        self.check_keys(newest, KEYS[where], where)
        for key in ("body", "text"):
            if key in newest and key not in own:
                self.wrong(f"{where}.{key}", f"replaces request.{key}, which this request lacks")
        values = self.values(KEYS[where], newest, where)
        if values.get("json") and not isinstance(request.json, Mapping):
            self.wrong(f"{where}.json", "replaces members of request.json, which is no table")
        written = chain(*(values.get(name, {}).values() for name in ("params", "body")))
        if self.problems or not any((*written, values.get("json"), values.get("text"))):
            return None
        changes: dict[str, Any] = {
            name: merge(getattr(request, name), value) if isinstance(value, Mapping) else value
            for name, value in values.items()
            if value
        }
        return dataclasses.replace(request, **changes)

    def enrichment(self, table: Table) -> Enrichment | None:
        if "enrich" not in table:
            return None
        enrich = self.table(table, "enrich")
        self.check_keys(enrich, keys_of(Enrichment), "enrich")
        self.values({"by": keys_of(Enrichment)["by"]}, enrich, "enrich")
        by: Literal["doi"] = "doi"  # there is no other one yet
        where, request = "enrich.request", self.table(enrich, "request", "enrich.request")
        self.check_keys(request, KEYS[where], where)
        before = len(self.problems)
        template = RequestTemplate(
            **self.values(_keys_of_works(where, frozenset({by})), request, where)
        )
        if len(self.problems) == before and by not in all_names(template):
            self.wrong(where, f"asks for no work: url or params must contain {{{by}}}")
        web(self, template.url, f"{where}.url")
        return Enrichment(by=by, request=template)

    def citations(self, table: Table) -> dict[Direction, Relation]:
        """Reads [citations.DIRECTION]: how works are named, and what of the spec is other for these
        requests. What is wrong there is found at once, unless the spec is known to be right.
        """
        own = self.table(table, "citations")
        self.check_keys(own, KEYS["citations"], "citations")
        # Works are named by identifiers, which no dialect changes. Some have no title.
        rest = merge(table, {"parse": {"promises": []}})
        rest["query"] = {"style": "params", "unsupported": "filter"}
        rest = {key: value for key, value in rest.items() if key not in ("citations", "lookup")}
        found: dict[Direction, Relation] = {}
        for direction in DIRECTIONS:
            if direction not in own:
                continue
            where = f"citations.{direction}"
            changes = self.table(own, direction, where)
            self.check_keys(changes, {**keys_of(Relation), **dict.fromkeys(_CHANGED)}, where)
            changed = {key: changes[key] for key in _CHANGED if key in changes}
            request = changed.get("request")
            if isinstance(request, Mapping) and isinstance(request.get("url"), str):
                # Beside the address of searches, which a configuration may have changed.
                base = str(self.table(table, "request").get("url", ""))
                changed["request"] = {**request, "url": urljoin(base, request["url"])}
            whole = merge(rest, changed)
            relation = Relation(
                **self.values(keys_of(Relation), {"by": {}, **changes}, where),
                make=partial(build, whole, self.file, late=True),
            )
            if relation.size == 0:  # taken away from a spec that is extended
                continue
            found[direction] = relation
            if self.own_citations and not (self.late or self.problems):
                self.check_relation(relation, whole, where, direction)
        return found

    def check_relation(
        self, relation: Relation, table: Table, where: str, direction: Direction
    ) -> None:
        reader = _SpecReader(self.file)
        spec = reader.spec(table)
        for problem in reader.problems:
            self.wrong(where, problem)
        if spec is None:
            return
        if "query" not in all_names(spec.request):
            self.wrong(f"{where}.request", "names no work: url or params must contain {query}")
        if relation.lists and direction != "references":
            self.wrong(f"{where}.lists", "only lists of references are read")
        if relation.size > 1 and direction == "references" and not relation.lists:
            self.wrong(f"{where}.size", "must be 1: nothing says which of several works cites one")
        has_references = "references" in table.get("fields", {})
        if (relation.lists or relation.size > 1) and not has_references:
            self.wrong(where, "needs the field `references`: it says which work cites which")

    def lookup_request(self, table: Table, request: RequestTemplate) -> RequestTemplate | None:
        """Reads [lookup.request], whose address begins where that of the search does."""
        where, lookup = "lookup.request", self.table(table, "lookup")
        self.is_kind(lookup.get("nothing", ""), str, "lookup.nothing")
        if "request" not in lookup:
            return None
        own = self.table(lookup, "request", where)
        self.check_keys(own, KEYS[where], where)
        values = self.values(_keys_of_works(where, _OF_WORKS), own, where)
        url = urljoin(request.url, values.get("url", ""))
        web(self, url, f"{where}.url")
        if ("json" in values) != (values.get("method") == "POST"):
            self.wrong(where, 'json and method = "POST" go together')
        template = RequestTemplate(**values | {"url": url, "content_type": JSON})
        if all_names(template).isdisjoint(LOOKUP_FIELDS):
            self.wrong(where, "names no works: url, params or json must contain an identifier")
        either = self.table(self.table(table, "query"), "either", "query.either")
        for by in all_names(dataclasses.replace(template, json=None)) - {"size"}:
            if by not in either and lookup.get(by, 1) != 1:
                self.wrong(f"lookup.{by}", f"needs query.either.{by}, which stands between several")
        return template

    def paging(self, table: Table) -> PagingScheme:
        scheme = self.read(PagingScheme, self.table(table, "paging"), "paging")
        if scheme.kind in ("cursor", "link") and not scheme.next:
            self.wrong("paging.next", f"a {scheme.kind} needs the selector of the next one")
        if scheme.kind == "link" and self.table(table, "request").get("method", "GET") != "GET":
            self.wrong("paging.kind", 'a link is followed with GET: needs method = "GET"')
        return scheme


# The JSON Schema of a spec, for editors that complete and check TOML (taplo, Even Better TOML, Zed,
# JetBrains). The schema is made from the declarations by which a spec is read, so both always
# agree. A schema cannot express that a selector compiles, or that a placeholder is known:
# `metasearch sources check` checks this.


def schema() -> Schema:
    """Returns the schema of a spec file, JSON Schema 2020-12."""
    rule = {"anyOf": [TEXT, {"type": "array"}, _table(FIELD)]}
    shape: dict[str, Schema] = {
        "fields": {
            "type": "object",
            "properties": dict.fromkeys(sorted(RECORD_FIELDS), rule),
            "additionalProperties": False,
        },
        "ids": {"type": "object", "additionalProperties": rule},
    }
    also = _table({**PARSE, **ALSO}, **shape)
    enrich = _table(keys_of(Enrichment), request=_table(KEYS["enrich.request"]))
    sizes: dict[str, Schema] = dict.fromkeys(LOOKUP_FIELDS, WHOLE)
    lookup = {
        "type": "object",
        "properties": sizes | {"nothing": TEXT, "request": _table(KEYS["lookup.request"])},
        "additionalProperties": False,
    }
    limits = _table(keys_of(Limits), **dict.fromkeys(LIMITS_WITH, _table(keys_of_limits_with())))
    whole = _table(
        KEYS[""],
        request=_table(KEYS["request"], newest=_table(KEYS["request.newest"])),
        auth={"type": "object", "additionalProperties": _table(keys_of(Auth))},
        limits=limits,
        enrich=enrich,
        lookup=lookup,
        parse=_table(PARSE),
        **shape,
        also={"type": "array", "items": also},
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "metasearch source",
        "required": ["name"],
        **whole,
    }


def _table(keys: Mapping[str, TomlKey], **others: Schema) -> Schema:
    """The schema of a table. `others`: of keys that are tables with more to say."""
    own = {name: _value(keys[name]) for name in sorted(keys) if name not in others}
    return {"type": "object", "properties": own | others, "additionalProperties": False}


def _value(key: TomlKey) -> Schema:
    if key.schema is not None:
        return dict(key.schema)
    if key.choices:
        return {"enum": list(key.choices)}
    if key.inner is not None:
        return _table(keys_of(key.inner))
    return _OF_KIND[key.kind]


_OF_KIND: Mapping[Any, Schema] = {
    str: TEXT,
    bool: {"type": "boolean"},
    int: WHOLE,
    (int, float): {"type": "number", "minimum": 0},
    list: TEXTS,
    dict: ANY_TABLE,
}


# Where spec files lie: those of the user, and those that are a part of the program.

# Spec files of the user: how they are named, found and read. A user names a source by its name or
# by the path of its spec. A text with a slash or with the ending `.toml` is a path. No name is
# looked up among the files of the current folder.

#: How a program may name sources: names, groups, and paths of spec files; one text may hold
#: several, with commas.
SourcesLike = str | Path | Sequence[str | Path]

#: The most spec files in a folder.
MOST_FILES = 1_000


def is_path(name: str | Path) -> bool:
    """Whether this is the path of a spec file, and not the name of a source."""
    return isinstance(name, Path) or "/" in name or "\\" in name or name.endswith(".toml")


def names_of(given: SourcesLike | None) -> tuple[str | Path, ...] | None:
    """Returns each name or path once; None for None.

    A single text is split at its commas, as `-s` is. A text in a list and a `Path` are not split.
    Raises UsageError: something is neither a text nor a path.
    """
    if given is None:
        return None
    if isinstance(given, str):
        return tuple(dict.fromkeys(filter(None, (name.strip() for name in given.split(",")))))
    names: tuple[Any, ...] = (given,)
    if isinstance(given, Iterable) and not isinstance(given, Path):
        names = tuple(given)
    for name in names:
        if not isinstance(name, (str, Path)):
            raise UsageError(f"sources: {repr(name)[:80]} is neither a name nor a path")
    return tuple(dict.fromkeys(names))


def table_of(path: Path) -> dict[str, Any]:
    """Returns the table of a spec file; if it extends another file, by an absolute path. Raises
    UsageError: there is no such file; SpecError: the file cannot be read, or is not TOML.
    """
    try:
        table = read_table(path, str(path))
    except FileNotFoundError as exc:
        advice = (
            "A relative path begins in the current folder; `metasearch sources new NAME` writes a "
            "spec to complete."
        )
        raise UsageError(f"there is no spec file {path}", advice=advice) from exc
    except (OSError, ValueError) as exc:
        raise SpecError(str(path), [f"cannot be read: {regular_files.why(exc)}"]) from exc
    return with_absolute_base(table, path.parent)


def with_absolute_base(table: Table, folder: Path) -> dict[str, Any]:
    """Returns the table with an absolute path in `extends`."""
    anchored = dict(table)
    base = anchored.get("extends")
    if isinstance(base, str) and is_path(base):
        # Resolved, so that one file with two paths is recognised as one.
        anchored["extends"] = str((folder.absolute() / Path(base).expanduser()).resolve())
    return anchored


def spec_files(folder: Path | None) -> dict[str, Path]:
    """Returns source -> file for every `NAME.toml` in a folder; {} if there is no folder. Raises
    SpecError: there are too many files, or the name of a file cannot be that of a source.
    """
    if folder is None or not folder.is_dir():
        return {}
    files: dict[str, Path] = {}
    for path in sorted(folder.glob("*.toml")):
        if not SOURCE_NAME.fullmatch(path.stem):
            problem = f"the file has the name of its source, which {WRONG_NAME}"
            raise SpecError(str(path), [problem])
        files[path.stem] = path
        if len(files) > MOST_FILES:
            raise SpecError(str(folder), [f"the folder holds more than {MOST_FILES:,} specs"])
    return files


def with_file_name(table: Table, path: Path) -> dict[str, Any]:
    """Returns the table of a file in the folder of specs, with the name of the file. Raises
    SpecError: the table has another name.
    """
    if table.get("name", path.stem) != path.stem:
        raise SpecError(str(path), [f"name: must be {path.stem!r}, the name of the file"])
    return {**table, "name": path.stem}


def own_name(table: Table, path: Path) -> str:
    """Returns the name of the source that a file describes: its `name`, or that of the file. Raises
    SpecError: this cannot be the name of a source.
    """
    name = table.get("name", path.stem)
    if not isinstance(name, str) or not SOURCE_NAME.fullmatch(name):
        raise SpecError(str(path), [f"name: {WRONG_NAME}"])
    return name


#: In the folder of the shipped specs: the folder of the families, and the file of the groups.
FAMILIES, GROUPS = "families", "groups"
#: The file beside this module that says what is tested; `python3 tasks.py sources` writes it.
TESTED = "tested.json"


def spec_folder() -> Path:
    """Returns the folder of the shipped specs: in the installed package, or in a checkout."""
    # Not by importlib.resources, which takes longer to load than what is read here.
    package = Path(__file__).parents[2]
    installed = package / "adapter_specs"
    return installed if installed.is_dir() else package.parent / "adapter_specs"


@cache
def shipped_table(name: str) -> Mapping[str, Any]:
    """Returns the table of a shipped spec or of a family. Raises KeyError: there is no spec or
    family of this name; SpecError: the file is not TOML.
    """
    folder = spec_folder()
    for path in (folder / f"{name}.toml", folder / FAMILIES / f"{name}.toml"):
        if "/" not in name and name != GROUPS and path.is_file():
            table = read_table(path)
            _SHAPES.update({id(shape): shape for shape in table.get("also", ())})
            return table
    raise KeyError(name)


#: The tables of [[also]] in the specs and families that were read, by identity.
_SHAPES: dict[int, Mapping[str, Any]] = {}


def is_shipped_shape(table: Mapping[str, Any]) -> bool:
    """Whether a table is an unchanged one of [[also]] in a shipped spec or family."""
    return _SHAPES.get(id(table)) is table


def base_table(name: str) -> Table:
    """Returns the table of a shipped spec or family by its name, and that of a file by its path.
    Raises KeyError: there is no shipped spec of this name; SpecError: there is no such file, or it
    cannot be read.
    """
    if not is_path(name):
        return shipped_table(name)
    try:
        return table_of(Path(name))
    except UsageError as exc:
        raise SpecError(name, ["there is no such file, and another spec extends it"]) from exc


@cache
def shipped_groups() -> Mapping[str, tuple[str, ...]]:
    """Returns the groups of `adapter_specs/groups.toml`, with "default". Raises SpecError: the file
    is not TOML, or a group is no array of names.
    """
    table = read_table(spec_folder() / f"{GROUPS}.toml")
    wrong = [
        f"{name}: must be an array of names"
        for name, members in table.items()
        if not _is_names(members)
    ]
    if wrong:
        raise SpecError(f"{GROUPS}.toml", wrong)
    return {name: tuple(members) for name, members in table.items()}


@cache
def real_answers() -> Mapping[str, tuple[int, int]]:
    """Returns what the tests of this release read, for each shipped source that has real answers:
    how many answers, and how many records in them.
    """
    text = Path(__file__).with_name(TESTED).read_text(encoding="utf-8")
    return {name: (answers, records) for name, (answers, records) in json.loads(text).items()}


def _is_names(members: object) -> bool:
    return isinstance(members, list) and all(isinstance(name, str) for name in members)
