"""TOML -> `AdapterSpec`: resolves `extends`, compiles every selector, and reports all problems at
once.

The closed lists of keys, converters, placeholders and fields live here and in the modules that they
come from; docs/adapters.md explains them to authors.
"""

from __future__ import annotations

import dataclasses
import logging
import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import tomli

from metasearch import opening
from metasearch.adapters.request import SCHEMES
from metasearch.adapters.spec import (
    LONGEST_ADDRESS,
    AdapterSpec,
    Dialect,
    Enrichment,
    Limits,
    PagingScheme,
    RequestTemplate,
    YearsTemplate,
)
from metasearch.adapters.specs.auth_tables import AuthTables
from metasearch.adapters.specs.dialect_tables import DialectTables
from metasearch.adapters.specs.shape_tables import ShapeReader
from metasearch.adapters.specs.tables import KEYS, PLACEHOLDERS, Table
from metasearch.adapters.translate.templates import all_names
from metasearch.errors import QuerySyntaxError, SpecError
from metasearch.query.ast import FIELDS
from metasearch.query.simple import parse as parse_query

log = logging.getLogger(__name__)

MAX_BYTES = 256 * 1024
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
#: The URL of a collection; anything else after the colon could lead out of the folder of
#: collections.
COLLECTION_URL = re.compile(rf"collection:{NAME.pattern}")
#: Families that had another name in the last version, which is read for one more version: old name
#: -> name. The URLs of collections began with it, too.
OLD_NAMES = {"shelf": "collection"}


#: Specs that lie on top of one another.
MOST_LAYERS = 20


def read_table(path: Path, called: str = "") -> dict[str, Any]:
    """Returns the TOML of a file.

    Args:
        path: Of the file.
        called: The name of the file in messages; its own name by default.

    Raises:
        SpecError: It is too large or not TOML.
        OSError: There is none, or it cannot be opened.
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


def merge(base: Table, over: Table) -> dict[str, Any]:
    """`over` on top of `base`: tables are merged key by key, everything else is replaced."""
    out = dict(base)
    for key, value in over.items():
        under = out.get(key)
        # A field rule is one thing: {at, as} of the base must not leak into a rule written anew.
        whole = isinstance(value, Mapping) and (
            "at" in value or "each" in value or "value" in value
        )
        if isinstance(under, Mapping) and isinstance(value, Mapping) and not whole:
            out[key] = merge(under, value)
        else:
            out[key] = value
    return out


def build(
    table: Table, file: str, base: Callable[[str], Table] | None = None, *, late: bool = False
) -> AdapterSpec:
    """Returns the spec of a table.

    Args:
        table: As read from TOML; `extends` names a table that `base` returns.
        file: For messages.
        base: Returns the table of another spec by name; raises KeyError where there is none.
        late: For a spec that is known to be right: shapes are compiled when they are needed, see
            `LateShape`.

    Raises:
        SpecError: With every problem.
    """
    reader = _SpecReader(file, late=late)
    spec = reader.spec(reader.resolve(table, base))
    if reader.problems or spec is None:
        raise SpecError(file, reader.problems)
    return spec


class _SpecReader(ShapeReader):
    """Reads a whole spec."""

    def resolve(self, table: Table, base: Callable[[str], Table] | None) -> dict[str, Any]:
        """Lay the table over the spec that it extends, and that over its own base."""
        chain = [dict(table)]
        seen: set[str] = set()
        while (name := self.current(chain[-1].get("extends"))) is not None:
            if name in seen or len(chain) > MOST_LAYERS:
                self.wrong("extends", f"{name!r} extends itself, directly or through other specs")
                break
            try:
                if base is None or not isinstance(name, str):
                    raise KeyError(name)
                seen.add(name)
                chain.append(dict(base(name)))
            except KeyError:
                self.wrong(
                    "extends",
                    f"there is no spec called {name!r}; a path has a slash in it, or ends in .toml",
                )
                break
        merged: dict[str, Any] = {}
        for layer in reversed(chain):
            layer.pop("extends", None)
            if "url" in layer:  # the short form, for configuration files
                layer["request"] = merge(layer.get("request") or {}, {"url": layer.pop("url")})
            merged = merge(merged, layer)
        if isinstance(also := merged.get("also"), list):
            merged["also"] = [
                self.likened(shape, f"also[{number}]", base) for number, shape in enumerate(also, 1)
            ]
        return merged

    def likened(self, shape: Any, where: str, base: Callable[[str], Table] | None) -> Any:
        """A shape with the rules of another spec's, which it names as `like = "SPEC.SHAPE"`, under
        its own.
        """
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
            self.wrong(f"{where}.like", f"there is no shape {shape['like']!r}; write SPEC.SHAPE")
            return shape
        own = {key: value for key, value in shape.items() if key != "like"}
        return merge({key: rules[key] for key in ("body", "fields", "ids") if key in rules}, own)

    def spec(self, table: Table) -> AdapterSpec | None:
        self.known(table, "", "")
        name = self.get(table, "name", str, "", "")
        if not NAME.fullmatch(name):
            self.wrong("name", "must be lower-case letters, digits, '-' or '_', at most 40")
        hook = self.get(table, "hook", str, None, "")
        if hook is not None and (
            not NAME.fullmatch(hook) or find_spec(f"metasearch.adapters.hooks.{hook}") is None
        ):
            self.wrong("hook", f"there is no metasearch/adapters/hooks/{hook}.py")
        weight = self.get(table, "weight", (int, float), 1.0, "")
        if weight < 0:
            self.wrong("weight", "must not be negative")
        request, query = self.request(table), self.query(table)
        paging, limits = self.paging(table), self.limits(table)
        auth, shapes = AuthTables(self).auth(table), self.shapes(table)
        enrich = self.enrichment(table)
        if self.problems or request is None:
            return None
        return AdapterSpec(
            name=name,
            label=self.get(table, "label", str, name, ""),
            homepage=self.get(table, "homepage", str, "", ""),
            docs=self.get(table, "docs", str, "", ""),
            terms=self.get(table, "terms", str, "", ""),
            coverage=self.get(table, "coverage", str, "", ""),
            languages=self.words(table, "languages", "languages"),
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
            not_found=self.get(self.table(table, "parse"), "not_found", str, "error", "parse"),
            total_header=self.get(self.table(table, "parse"), "total_header", str, "", "parse"),
            hook=hook,
            enrich=enrich,
            file=self.file,
        )

    def current(self, name: Any) -> Any:
        """The name of a family, or a URL, with the old word for collections replaced."""
        word, colon, rest = name.partition(":") if isinstance(name, str) else ("", "", "")
        if word not in OLD_NAMES:
            return name
        replaced = f"{OLD_NAMES[word]}{colon}{rest}"
        log.warning("%s: %r is now called %r; please rename it", self.file, name, replaced)
        return replaced

    def probe(self, table: Table) -> str:
        query: str = self.get(table, "probe", str, "", "")
        if query:
            try:
                parse_query(query)
            except QuerySyntaxError as exc:
                self.wrong("probe", f"cannot be read as a query: {exc.reason}")
        return query

    def request(self, table: Table) -> RequestTemplate | None:
        request = self.table(table, "request")
        self.known(request, "request", "request")
        url = self.current(self.get(request, "url", str, "", "request"))
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
                f"request.{bodies[1]}", f"a request has one body, and there is {bodies[0]} already"
            )
        json = self.json_template(request["json"], "request.json") if "json" in request else None
        text = self.get(request, "text", str, "", "request")
        self.placeholders(text, PLACEHOLDERS, "request.text")
        usual = (
            "application/json" if json is not None else "text/plain; charset=utf-8" if text else ""
        )
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

    def enrichment(self, table: Table) -> Enrichment | None:
        """Returns how single works are asked for; None where the spec has no [enrich]."""
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
            self.wrong(where, f"asks for no work: url or params must hold {{{by}}}")
        return Enrichment(by=by, request=template)

    def query(self, table: Table) -> Dialect:
        query = self.table(table, "query")
        self.known(query, "query", "query")
        fields, phrases = self.by_field(query, "fields"), self.by_field(query, "phrases")
        years = self.table(query, "years", "query.years")
        self.known(years, "query.years", "query.years")
        for key, template in years.items():
            self.placeholders(str(template), frozenset({"first", "last"}), f"query.years.{key}")
        for key in ("negation", "group", "phrase", "word", "truncated"):
            self.placeholders(
                self.get(query, key, str, "", "query"), frozenset({"x"}), f"query.{key}"
            )
        style = self.get(query, "style", str, "params", "query")
        if style == "expression" and "any" not in fields:
            self.wrong("query.fields.any", 'is missing; the simplest is any = "{x}"')
        facets = DialectTables(self)
        types, languages = facets.types(query), facets.languages(query)
        facets.have_a_place(query, table.get("request"))
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
            truncated=self.get(query, "truncated", str, "", "query"),
            truncated_least=self.get(query, "truncated_least", int, 1, "query"),
            types=types,
            languages=languages,
            either=facets.either(query),
            wider=self.field_names(query, "wider"),
            scored=self.get(query, "scored", bool, True, "query"),
            words=self.get(query, "words", str, "each", "query"),
            plain=self.get(query, "plain", str, "", "query"),
            joined=self.field_names(query, "joined"),
            escape=self.get(query, "escape", str, "", "query"),
            strip=self.get(query, "strip", str, "", "query"),
            years=YearsTemplate(
                **{k: str(v) for k, v in years.items() if k in KEYS["query.years"]}
            ),
            years_in=self.get(query, "years_in", str, "expression", "query"),
        )

    def words(self, table: Table, key: str, where: str) -> tuple[str, ...]:
        """Returns the strings of an array."""
        words = table.get(key, [])
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            self.wrong(where, "must be an array of strings")
            return ()
        return tuple(words)

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

    def paging(self, table: Table) -> PagingScheme:
        paging = self.table(table, "paging")
        self.known(paging, "paging", "paging")
        out = PagingScheme(
            kind=self.get(paging, "kind", str, "none", "paging"),
            size=self.get(paging, "size", int, 100, "paging"),
            window=self.get(paging, "window", int, 10_000, "paging"),
            next=self.get(paging, "next", str, "", "paging"),
            first=self.get(paging, "first", str, "*", "paging"),
        )
        for key in ("size", "window"):
            if getattr(out, key) <= 0:
                self.wrong(f"paging.{key}", "must be positive")
        if out.kind in ("cursor", "link") and not out.next:
            self.wrong("paging.next", f"a {out.kind} needs the selector of the next one")
        if out.kind == "link" and self.table(table, "request").get("method", "GET") != "GET":
            self.wrong("paging.kind", 'a link is followed with GET: needs method = "GET"')
        return out

    def limits(self, table: Table) -> Limits:
        limits = self.table(table, "limits")
        self.known(limits, "limits", "limits")
        values: dict[str, Any] = {}
        for field in dataclasses.fields(Limits):
            if field.name == "stated":
                values["stated"] = self.get(limits, "stated", str, "", "limits")
                continue
            kind: Any = int if field.name in ("concurrency", "max_bytes") else (int, float)
            values[field.name] = value = self.get(limits, field.name, kind, field.default, "limits")
            if value is not None and (
                value < 0 or (value == 0 and field.name not in ("ttl", "grace"))
            ):
                self.wrong(f"limits.{field.name}", "must be positive")
        return Limits(**values)
