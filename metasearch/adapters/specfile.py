"""TOML -> `AdapterSpec`: resolves `extends`, compiles every selector, and tells all problems at once.

The closed lists of keys, converters, placeholders and fields live here and in the modules that they come from;
docs/adapters.md explains them to authors.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from string import Formatter
from typing import Any
from urllib.parse import quote

from metasearch.adapters import convert
from metasearch.adapters.reader import reader, whole
from metasearch.adapters.select import as_strings
from metasearch.adapters.select.html import compile_html
from metasearch.adapters.select.json import compile_json
from metasearch.adapters.select.marc import compile_marc
from metasearch.adapters.select.xml import compile_xml
from metasearch.adapters.spec import (
    AdapterSpec,
    Auth,
    Converter,
    Dialect,
    FieldRule,
    Limits,
    Paging,
    RequestTemplate,
    Selector,
    Shape,
    Template,
    YearsTemplate,
)
from metasearch.errors import SpecError
from metasearch.query.ast import FIELDS
from metasearch.record import TYPES, Record

Table = Mapping[str, Any]

MAX_BYTES = 256 * 1024
RECORD_FIELDS = frozenset(convert.DEFAULTS)
PLACEHOLDERS = frozenset(FIELDS) | {"query", "years", "size", "start", "start1", "page", "cursor"}
assert RECORD_FIELDS <= {f.name for f in dataclasses.fields(Record)}

_KEYS: Mapping[str, frozenset[str]] = {
    "": frozenset(
        "name label homepage docs coverage default enabled weight extends family hook url "
        "request query paging auth limits parse fields ids also".split()
    ),
    "request": frozenset("url method params headers body".split()),
    "query": frozenset(
        "style unsupported fields conjunction disjunction negation group phrase phrases word words plain joined escape strip "
        "years years_in".split()
    ),
    "query.years": frozenset("only both since until".split()),
    "paging": frozenset("kind size window next first".split()),
    "auth": frozenset("env in required prefix".split()),
    "limits": frozenset(f.name for f in dataclasses.fields(Limits)),
    "parse": frozenset("body records total when error warning next unescape bare not_found promises".split()),
    "field": frozenset("at as map value template each name family given corporate orcid".split()),
}
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "request.method": ("GET", "POST"),
    "query.style": ("params", "expression"),
    "query.unsupported": ("filter", "drop", "refuse"),
    "query.words": ("each", "joined"),
    "query.years_in": ("expression", "params"),
    "paging.kind": ("none", "page", "offset", "cursor"),
    "parse.body": ("json", "xml", "html", "marcxml"),
    "parse.not_found": ("error", "empty"),
    "auth.in": ("params", "headers"),
}
#: What `same_envelope = true` takes over from [parse].
_ENVELOPE = ("records", "total", "error", "warning", "next", "unescape")
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


def read_table(path: Path) -> dict[str, Any]:
    """The TOML of a file.

    Raises:
        SpecError: It is too large or not TOML.
    """
    raw = path.read_bytes()
    if len(raw) > MAX_BYTES:
        raise SpecError(path.name, [f"the file is larger than {MAX_BYTES:,} bytes"])
    try:
        return tomllib.loads(raw.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise SpecError(path.name, [f"not TOML: {exc}"]) from exc


def merge(base: Table, over: Table) -> dict[str, Any]:
    """`over` on top of `base`: tables are merged key by key, everything else is replaced."""
    out = dict(base)
    for key, value in over.items():
        under = out.get(key)
        # A field rule is one thing: {at, as} of the base must not leak into a rule written anew.
        whole = isinstance(value, Mapping) and ("at" in value or "each" in value or "value" in value)
        if isinstance(under, Mapping) and isinstance(value, Mapping) and not whole:
            out[key] = merge(under, value)
        else:
            out[key] = value
    return out


def build(table: Table, file: str, base: Callable[[str], Table] | None = None) -> AdapterSpec:
    """The spec of a table.

    Args:
        table: As read from TOML; `extends` names a table that `base` gives.
        file: For messages.
        base: Gives the table of another spec by name; raises KeyError where there is none.

    Raises:
        SpecError: With every problem.
    """
    reader = _Reader(file)
    spec = reader.spec(reader.resolve(table, base))
    if reader.problems or spec is None:
        raise SpecError(file, reader.problems)
    return spec


class _Reader:
    """Reads tables and gathers problems as "table.key: what is wrong; what is allowed"."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[str] = []

    def wrong(self, where: str, what: str) -> None:
        self.problems.append(f"{where}: {what}")

    # ---------------------------------------------------------------- tables

    def resolve(self, table: Table, base: Callable[[str], Table] | None) -> dict[str, Any]:
        """Lay the table over the spec that it extends, and that over its own base."""
        chain = [dict(table)]
        seen: set[str] = set()
        while (name := chain[-1].get("extends")) is not None:
            try:
                if base is None or not isinstance(name, str) or name in seen:
                    raise KeyError(name)
                seen.add(name)
                chain.append(dict(base(name)))
            except KeyError:
                self.wrong("extends", f"there is no spec called {name!r}, or it extends itself")
                break
        merged: dict[str, Any] = {}
        for layer in reversed(chain):
            layer.pop("extends", None)
            if "url" in layer:  # the short form, for configuration files
                layer["request"] = merge(layer.get("request") or {}, {"url": layer.pop("url")})
            family = layer.pop("family", False)
            merged = merge(merged, layer)
            if family:
                merged.pop("default", None)
        return merged

    def table(self, parent: Table, key: str, where: str | None = None) -> Table:
        value = parent.get(key, {})
        if not isinstance(value, Mapping):
            self.wrong(where or key, "must be a table")
            return {}
        return value

    def known(self, table: Table, keys: str, where: str) -> None:
        allowed = _KEYS[keys]
        for key in table:
            if key not in allowed:
                self.wrong(f"{where}.{key}" if where else key, f"unknown key; allowed are {', '.join(sorted(allowed))}")

    def get(self, table: Table, key: str, kind: type | tuple[type, ...], default: Any, where: str) -> Any:
        value = table.get(key, default)
        full = f"{where}.{key}" if where else key
        if isinstance(value, bool) and kind is not bool:
            ok = False
        else:
            ok = isinstance(value, kind) or value is default
        if not ok:
            names = " or ".join(k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,)))
            self.wrong(full, f"must be {names}, is {type(value).__name__}")
            return default
        choices = _CHOICES.get(full)
        if choices and value not in choices:
            self.wrong(full, f"{value!r} is not allowed; one of {', '.join(choices)}")
            return default
        return value

    def templates(self, table: Table, key: str, where: str) -> dict[str, Template]:
        found = self.table(table, key, f"{where}.{key}")
        out: dict[str, Template] = {}
        for name, value in found.items():
            parts = value if isinstance(value, list) else [value]
            if not all(isinstance(part, (str, int)) and not isinstance(part, bool) for part in parts):
                self.wrong(
                    f"{where}.{key}.{name}", "must be a string, or an array of strings that are joined by commas"
                )
                continue
            for part in parts:
                self.placeholders(str(part), PLACEHOLDERS, f"{where}.{key}.{name}")
            out[name] = tuple(str(part) for part in parts) if isinstance(value, list) else str(value)
        return out

    def placeholders(self, template: str, allowed: frozenset[str], where: str) -> None:
        try:
            used = [
                (name, spec, conversion)
                for _, name, spec, conversion in Formatter().parse(template)
                if name is not None
            ]
        except ValueError as exc:
            self.wrong(where, f"not a template ({exc}); write {{{{ and }}}} for braces")
            return
        for name, spec, conversion in used:
            if name not in allowed or spec or conversion:
                self.wrong(where, f"unknown placeholder {{{name}}}; allowed are {', '.join(sorted(allowed))}")

    # ---------------------------------------------------------------- the spec

    def spec(self, table: Table) -> AdapterSpec | None:
        self.known(table, "", "")
        name = self.get(table, "name", str, "", "")
        if not NAME.fullmatch(name):
            self.wrong("name", "must be lower-case letters, digits, '-' or '_', at most 40")
        hook = self.get(table, "hook", str, None, "")
        if hook is not None and (not NAME.fullmatch(hook) or find_spec(f"metasearch.adapters.hooks.{hook}") is None):
            self.wrong("hook", f"there is no metasearch/adapters/hooks/{hook}.py")
        weight = self.get(table, "weight", (int, float), 1.0, "")
        if weight < 0:
            self.wrong("weight", "must not be negative")
        request, query = self.request(table), self.query(table)
        paging, limits = self.paging(table), self.limits(table)
        auth, shapes = self.auth(table), self.shapes(table)
        if self.problems or request is None:
            return None
        return AdapterSpec(
            name=name,
            label=self.get(table, "label", str, name, ""),
            homepage=self.get(table, "homepage", str, "", ""),
            docs=self.get(table, "docs", str, "", ""),
            coverage=self.get(table, "coverage", str, "", ""),
            default=self.get(table, "default", bool, False, ""),
            enabled=self.get(table, "enabled", bool, True, ""),
            weight=float(weight),
            request=request,
            query=query,
            paging=paging,
            auth=auth,
            limits=limits,
            shapes=shapes,
            not_found=self.get(self.table(table, "parse"), "not_found", str, "error", "parse"),
            hook=hook,
            file=self.file,
        )

    def request(self, table: Table) -> RequestTemplate | None:
        request = self.table(table, "request")
        self.known(request, "request", "request")
        url = self.get(request, "url", str, "", "request")
        if not url.startswith(("https://", "http://")):
            self.wrong("request.url", "must begin with https:// or http://")
        self.placeholders(url, PLACEHOLDERS, "request.url")
        return RequestTemplate(
            url=url,
            method=self.get(request, "method", str, "GET", "request"),
            params=self.templates(request, "params", "request"),
            headers=self.templates(request, "headers", "request"),
            body=self.templates(request, "body", "request"),
        )

    def query(self, table: Table) -> Dialect:
        query = self.table(table, "query")
        self.known(query, "query", "query")
        fields, phrases = self.by_field(query, "fields"), self.by_field(query, "phrases")
        years = self.table(query, "years", "query.years")
        self.known(years, "query.years", "query.years")
        for key, template in years.items():
            self.placeholders(str(template), frozenset({"first", "last"}), f"query.years.{key}")
        for key in ("negation", "group", "phrase", "word"):
            self.placeholders(self.get(query, key, str, "", "query"), frozenset({"x"}), f"query.{key}")
        style = self.get(query, "style", str, "params", "query")
        if style == "expression" and "any" not in fields:
            self.wrong("query.fields.any", 'is missing; the simplest is any = "{x}"')
        return Dialect(
            style=style,
            unsupported=self.get(query, "unsupported", str, "filter", "query"),
            fields=fields,
            conjunction=self.get(query, "conjunction", str, "", "query"),
            disjunction=self.get(query, "disjunction", str, "", "query"),
            negation=self.get(query, "negation", str, "", "query"),
            group=self.get(query, "group", str, "({x})", "query"),
            phrase=self.get(query, "phrase", str, "", "query"),
            phrases=phrases,
            word=self.get(query, "word", str, "{x}", "query"),
            words=self.get(query, "words", str, "each", "query"),
            plain=self.get(query, "plain", str, "", "query"),
            joined=self.field_names(query, "joined"),
            escape=self.get(query, "escape", str, "", "query"),
            strip=self.get(query, "strip", str, "", "query"),
            years=YearsTemplate(**{k: str(v) for k, v in years.items() if k in _KEYS["query.years"]}),
            years_in=self.get(query, "years_in", str, "expression", "query"),
        )

    def field_names(self, query: Table, key: str) -> tuple[str, ...]:
        names = self.get(query, key, list, [], "query")
        if any(name not in FIELDS for name in names):
            self.wrong(f"query.{key}", f"must be a list of fields: {', '.join(FIELDS)}")
            return ()
        return tuple(names)

    def by_field(self, query: Table, key: str) -> dict[str, str]:
        out = {}
        for field, template in self.table(query, key, f"query.{key}").items():
            where = f"query.{key}.{field}"
            if field not in FIELDS:
                self.wrong(where, f"unknown field; allowed are {', '.join(FIELDS)}")
            elif not isinstance(template, str):
                self.wrong(where, "must be a string")
            else:
                self.placeholders(template, frozenset({"x"}), where)
                out[field] = template
        return out

    def paging(self, table: Table) -> Paging:
        paging = self.table(table, "paging")
        self.known(paging, "paging", "paging")
        out = Paging(
            kind=self.get(paging, "kind", str, "none", "paging"),
            size=self.get(paging, "size", int, 100, "paging"),
            window=self.get(paging, "window", int, 10_000, "paging"),
            next=self.get(paging, "next", str, "", "paging"),
            first=self.get(paging, "first", str, "*", "paging"),
        )
        for key in ("size", "window"):
            if getattr(out, key) <= 0:
                self.wrong(f"paging.{key}", "must be positive")
        if out.kind == "cursor" and not out.next:
            self.wrong("paging.next", "a cursor needs the selector of the next one")
        return out

    def limits(self, table: Table) -> Limits:
        limits = self.table(table, "limits")
        self.known(limits, "limits", "limits")
        values: dict[str, Any] = {}
        for field in dataclasses.fields(Limits):
            kind: Any = int if field.name in ("concurrency", "max_bytes") else (int, float)
            values[field.name] = value = self.get(limits, field.name, kind, field.default, "limits")
            if value < 0 or (value == 0 and field.name != "ttl"):
                self.wrong(f"limits.{field.name}", "must be positive")
        return Limits(**values)

    def auth(self, table: Table) -> tuple[Auth, ...]:
        out = []
        for name, value in self.table(table, "auth").items():
            where = f"auth.{name}"
            if not isinstance(value, Mapping):
                self.wrong(where, "must be a table")
                continue
            self.known(value, "auth", where)
            env = self.get(value, "env", str, "", where)
            if not re.fullmatch(r"[A-Z][A-Z0-9_]*", env):
                self.wrong(f"{where}.env", "must be the name of an environment variable, never the secret itself")
            place = value.get("in", "params")
            if place not in _CHOICES["auth.in"]:
                self.wrong(f"{where}.in", "one of params, headers")
                continue
            out.append(
                Auth(
                    name,
                    env,
                    place,
                    self.get(value, "required", bool, False, where),
                    self.get(value, "prefix", str, "", where),
                )
            )
        return tuple(out)

    # ---------------------------------------------------------------- shapes and fields

    def shapes(self, table: Table) -> tuple[Shape, ...]:
        parse = dict(self.table(table, "parse"))
        paging_next = self.table(table, "paging").get("next", "")
        if paging_next:
            parse.setdefault("next", paging_next)
        shapes = [self.shape(parse, self.table(table, "fields"), self.table(table, "ids"), "parse", "fields", "ids")]
        also = table.get("also", [])
        if not isinstance(also, list):
            self.wrong("also", "must be an array of tables: [[also]]")
            also = []
        for number, other in enumerate(also, 1):
            where = f"also[{number}]"
            if not isinstance(other, Mapping):
                self.wrong(where, "must be a table")
                continue
            fields, ids = self.table(other, "fields", f"{where}.fields"), self.table(other, "ids", f"{where}.ids")
            own = {k: v for k, v in other.items() if k not in ("fields", "ids", "same_envelope")}
            if self.get(other, "same_envelope", bool, False, where):
                own = {k: v for k, v in parse.items() if k in _ENVELOPE} | own
            shapes.append(self.shape(own, fields, ids, where, f"{where}.fields", f"{where}.ids"))
        return tuple(shape for shape in shapes if shape is not None)

    def shape(self, parse: Table, fields: Table, ids: Table, where: str, in_fields: str, in_ids: str) -> Shape | None:
        self.known(parse, "parse", where)
        body = parse.get("body")
        if body not in _CHOICES["parse.body"]:
            self.wrong(f"{where}.body", f"one of {', '.join(_CHOICES['parse.body'])}")
            return None
        envelope = {"json": compile_json, "xml": compile_xml, "marcxml": compile_xml, "html": compile_html}[body]
        inner = compile_marc if body == "marcxml" else envelope

        def optional(key: str) -> Selector | None:
            return self.selector(envelope, parse[key], f"{where}.{key}") if parse.get(key) else None

        records = optional("records")
        if records is None:
            self.wrong(f"{where}.records", "is missing: the selector that finds the records")
            return None
        rules = [
            r for name, value in fields.items() for r in self.rules(inner, body, name, value, f"{in_fields}.{name}")
        ]
        for name, value in ids.items():
            rules += self.rules(inner, body, f"ids.{name}", value, f"{in_ids}.{name}")
        if "title" not in fields:
            self.wrong(in_fields, "title is missing")
        promises = parse.get("promises", ["title"])
        if not isinstance(promises, list) or any(p not in RECORD_FIELDS for p in promises):
            self.wrong(f"{where}.promises", f"must be a list of record fields: {', '.join(sorted(RECORD_FIELDS))}")
            promises = []
        return Shape(
            body=body,
            records=records,
            total=optional("total"),
            when=optional("when"),
            error=optional("error"),
            warning=optional("warning"),
            next=optional("next"),
            unescape=optional("unescape"),
            bare=self.get(parse, "bare", bool, False, where),
            rules=tuple(rules),
            readers=tuple((r.field, reader(r, body)) for r in rules if not r.field.startswith("ids.")),
            id_readers=tuple((r.field[4:], reader(r, body)) for r in rules if r.field.startswith("ids.")),
            promises=tuple(promises),
        )

    def selector(self, compiler: Callable[[str], Selector], value: Any, where: str) -> Selector | None:
        if not isinstance(value, str) or not value.strip():
            self.wrong(where, "must be a selector (a string)")
            return None
        try:
            return compiler(value)
        except ValueError as exc:
            self.wrong(where, f"{value!r}: {exc}")
            return None

    def rules(
        self, compiler: Callable[[str], Selector], body: str, field: str, value: Any, where: str
    ) -> list[FieldRule]:
        """One rule, or several that are tried in order where the value is an array of tables."""
        several = isinstance(value, list) and any(isinstance(v, Mapping) for v in value)
        found = [self.rule(compiler, body, field, v, where) for v in (value if several else [value])]
        return [rule for rule in found if rule is not None]

    def rule(
        self, compiler: Callable[[str], Selector], body: str, field: str, value: Any, where: str
    ) -> FieldRule | None:
        name = field.removeprefix("ids.")
        if field == name and field not in RECORD_FIELDS:
            self.wrong(where, f"no such field of a record; allowed are {', '.join(sorted(RECORD_FIELDS))}")
            return None
        if field != name and not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            self.wrong(where, "an identifier scheme is lower-case letters, digits and '_'")
            return None
        table = value if isinstance(value, Mapping) else {"at": value}
        self.known(table, "field", where)
        if "each" in table:
            return self.people(compiler, body, field, table, where)
        if field == "type" and "value" in table and table["value"] not in TYPES:
            self.wrong(f"{where}.value", f"{table['value']!r} is no type; allowed are {', '.join(TYPES)}")
        if "value" in table and "at" not in table:
            constant = table["value"]
            return FieldRule(field, (lambda _: constant,), self.converter(table, field, where))
        at = table.get("at")
        found = [self.selector(compiler, s, where) for s in (at if isinstance(at, list) else [at])]
        selectors = tuple(s for s in found if s)
        if "value" in table:  # a constant for the records in which something is there
            constant = table["value"]
            return FieldRule(field, selectors, lambda found: constant if convert.strings(found) else None)
        nodes = body == "xml" and table.get("as") in convert.NODE_CONVERTERS
        return FieldRule(field, selectors, self.converter(table, field, where), nodes)

    def people(
        self, compiler: Callable[[str], Selector], body: str, field: str, table: Table, where: str
    ) -> FieldRule | None:
        if field != "authors":
            self.wrong(where, "`each` is for authors only")
            return None
        each = self.selector(compiler, table["each"], f"{where}.each")
        parts = {}
        for part in ("name", "family", "given", "corporate", "orcid"):
            if part in table:
                select = self.selector(compiler, table[part], f"{where}.{part}")
                if select:
                    parts[part] = _texts(select, body)
        if each is None or not parts:
            self.wrong(where, "needs `each` and at least one of name, family, given, corporate")
            return None
        tidy = table.get("as")
        if tidy is not None and tidy not in convert.NAME_CONVERTERS:
            self.wrong(f"{where}.as", f"unknown {tidy!r}; beside `each` only {', '.join(convert.NAME_CONVERTERS)}")
            return None
        named = convert.NAME_CONVERTERS[tidy] if tidy is not None else None
        author = convert.people(each, parts, marc=body == "marcxml", tidy=named)
        return FieldRule(field, (whole,), author)

    def converter(self, table: Table, field: str, where: str) -> Converter:
        template = table.get("template")
        if template is None:
            return self.plain_converter(table, field, where)
        if not isinstance(template, str):
            self.wrong(f"{where}.template", "must be a string")
            return convert.text
        self.placeholders(template, frozenset({"x"}), f"{where}.template")
        inner = self.plain_converter({"as": "identifier", **table}, field, where)

        def fill(found: Any) -> str | None:
            value = inner(found)
            return template.format(x=quote(value, safe="/:")) if isinstance(value, str) else None

        return fill

    def plain_converter(self, table: Table, field: str, where: str) -> Converter:
        mapping = table.get("map")
        if mapping is not None:
            return self.mapped(mapping, field, where)
        name = table.get("as")
        if name is None:
            return convert.identifier if field.startswith("ids.") else convert.DEFAULTS.get(field, convert.text)
        if name not in convert.CONVERTERS:
            self.wrong(
                f"{where}.as", f"unknown converter {name!r}; allowed are {', '.join(sorted(convert.CONVERTERS))}"
            )
            return convert.text
        return convert.CONVERTERS[name]

    def mapped(self, mapping: Any, field: str, where: str) -> Converter:
        if not isinstance(mapping, Mapping) or not all(isinstance(v, str) for v in mapping.values()):
            self.wrong(f"{where}.map", "must be a table of strings")
            return convert.text
        if field == "type":
            for value in mapping.values():
                if value not in TYPES:
                    self.wrong(f"{where}.map", f"{value!r} is no type; allowed are {', '.join(TYPES)}")
        words: dict[str, str] = {key.casefold(): value for key, value in mapping.items()}

        def look_up(found: Any) -> str | None:
            if type(found) is str and found in words:
                return words[found]
            values = [part.strip().casefold() for v in convert.strings(found) for part in v.split(";")]
            known = next((words[v] for v in values if v in words), None)
            return known or (words.get("*") if values else None)

        return look_up


def _texts(select: Selector, body: str) -> Callable[[Any], Any]:
    """XPath and CSS give nodes; converters want strings."""
    if body == "json" or body == "marcxml":
        return select
    return lambda node: as_strings(select(node), body)
