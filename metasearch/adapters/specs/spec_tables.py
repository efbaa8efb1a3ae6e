"""How the tables of a spec are read: what their readers share, [auth.NAME], and [query].

The keys of a table and the kinds of their values are declared by the class that it is read into, in
`adapters/spec.py`; those of [parse] and of a rule, which become something else, are declared here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple, get_args

from metasearch.adapters.parse.parse import attempts
from metasearch.adapters.select.json import compile_json, find_json_people
from metasearch.adapters.select.marc import ByTag, compile_marc
from metasearch.adapters.select.xml import (
    compile_html,
    compile_xml,
    compile_xml_record,
    find_xml_people,
    tag_of_when,
)
from metasearch.adapters.spec import (
    Always,
    Attempt,
    Auth,
    BodyKind,
    Dialect,
    FieldRule,
    LateShape,
    People,
    Selector,
    Shape,
    whole,
)
from metasearch.adapters.specs.checks import TEXT, TEXTS, of_x, variable, web
from metasearch.bib import authors as people
from metasearch.bib import converters, identifiers, trials
from metasearch.bib import texts as markup
from metasearch.bib.authors import marc_people
from metasearch.bib.converters import Constant, Lookup, into_template
from metasearch.bib.responsibility import STATED
from metasearch.bib.texts import Converter
from metasearch.errors import SpecError
from metasearch.record import FIELDS, PEOPLE, TYPES
from metasearch.toml_tables import Table, TableReader, TomlKey

#: Compiles a selector; raises ValueError if it cannot.
Compiler = Callable[[str], Selector]

#: The fields of a record that a spec may set.
RECORD_FIELDS = frozenset(converters.DEFAULTS)


def _promises(reader: TableReader, names: tuple[str, ...], where: str) -> tuple[str, ...]:
    if not RECORD_FIELDS.issuperset(names):
        allowed = ", ".join(sorted(RECORD_FIELDS))
        reader.wrong(where, f"must be a list of record fields: {allowed}")
    return names


#: The keys of [parse]; docs/adapters.md explains every one.
PARSE: Mapping[str, TomlKey] = {
    **{
        name: TomlKey(name, str)
        for name in "name records total total_header when error warning next unescape".split()
    },
    "body": TomlKey("body", str, get_args(BodyKind)),
    "bare": TomlKey("bare", bool),
    "not_found": TomlKey("not_found", str, ("error", "empty")),
    "promises": TomlKey(
        "promises",
        list,
        check=_promises,
        schema={"type": "array", "items": {"enum": sorted(RECORD_FIELDS)}},
    ),
}
#: The keys of [[also]], beside those of [parse].
ALSO: Mapping[str, TomlKey] = {
    "same_envelope": TomlKey("same_envelope", bool),
    "like": TomlKey("like", str),
}
#: The keys of a rule of a field.
FIELD: Mapping[str, TomlKey] = {
    **{
        name: TomlKey(name, str)
        for name in ("template each name family given corporate orcid affiliation suffix".split())
    },
    "at": TomlKey("at", (str, list), schema={"anyOf": [TEXT, TEXTS]}),
    "as": TomlKey("as", str, tuple(sorted(converters.CONVERTERS))),
    "map": TomlKey("map", dict, schema={"type": "object", "additionalProperties": TEXT}),
    "value": TomlKey("value", object, schema={"type": ["string", "boolean", "integer"]}),
}


class SpecTables(TableReader):
    """Reads values from the tables of one spec. `file`: its name in messages."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file

    def table(self, parent: Table, key: str, where: str | None = None) -> Table:
        """A table inside another one; an empty one if there is none."""
        value: Table = parent.get(key, {})
        return value if self.is_kind(value, dict, where or key) else {}

    def selector(self, compiler: Compiler, value: Any, where: str) -> Selector | None:
        """Compiles a selector; None and a problem if it cannot be used."""
        if not isinstance(value, str) or not value.strip():
            self.wrong(where, "must be a selector (a string)")
            return None
        try:
            return compiler(value)
        except ValueError as exc:
            self.wrong(where, f"{value!r}: {exc}")
            return None


# [auth.NAME] of a spec: where a secret is sent, and how a token is fetched for it.

#: Kind of a secret -> the keys that it has beside those of every kind.
_KEYS_OF_KIND = {
    "key": frozenset[str](),
    "oauth2": frozenset({"token_url", "secret_env", "scope"}),
    "login": frozenset({"token_url", "secret_env", "login"}),
}


def auth(reader: SpecTables, table: Table) -> tuple[Auth, ...]:
    return tuple(
        _secret(reader, name, value, f"auth.{name}")
        for name, value in reader.table(table, "auth").items()
        if reader.is_kind(value, dict, f"auth.{name}")
    )


def _secret(reader: SpecTables, name: str, table: Table, where: str) -> Auth:
    secret = reader.read(Auth, {"env": "", **table}, where, name=name)
    for key in ("token_url", "secret_env", "scope", "login"):
        if key in table and key not in _KEYS_OF_KIND.get(secret.kind, table):
            reader.wrong(f"{where}.{key}", f'has no meaning with kind = "{secret.kind}"')
    if secret.kind in ("oauth2", "login"):
        web(reader, secret.token_url, f"{where}.token_url")
        if secret.secret_env or secret.kind == "oauth2":
            variable(reader, secret.secret_env, f"{where}.secret_env")
    if secret.kind == "login" and not secret.login:
        reader.wrong(
            f"{where}.login",
            'is missing: the JSON to send, as { username = "{id}", password = "{secret}" }',
        )
    return secret


# [query] of a spec: how a query is written, and the database's words for types and languages.


def dialect(reader: SpecTables, table: Table) -> Dialect:
    query = reader.table(table, "query")
    found = reader.read(Dialect, query, "query")
    if found.style == "expression" and "any" not in found.fields:
        reader.wrong("query.fields.any", 'is missing; the simplest is any = "{x}"')
    _check_places(reader, query, table.get("request"))
    return found


def _check_places(reader: SpecTables, query: Table, request: Any) -> None:
    """Checks that `types` and `languages` have a place in the request or in a template.

    Such a place also needs words: the one has no effect without the other.
    """
    fields = query.get("fields", {})
    for field, key in (("type", "types"), ("language", "languages")):
        words = query.get(key, {})
        in_fields = isinstance(fields, Mapping) and field in fields
        placed = in_fields or f"{{{field}}}" in str(request)
        if placed and not words:
            reader.wrong(f"query.{key}", f"is missing: the database's words for each {field}")
        if words and not placed and _needs_a_place(words):
            reader.wrong(
                f"query.{key}",
                f"has no place: write query.fields.{field}, or {{{field}}} in a parameter",
            )


def _needs_a_place(words: Any) -> bool:
    """Whether a word must be sent: `true` for every type needs no word."""
    return not isinstance(words, Mapping) or any(value is not True for value in words.values())


# [parse], [[also]], [fields] and [ids] of a spec: the shapes of a database's bodies, and the rules
# by which the fields of a record are read.

_SCHEME = re.compile(r"[a-z][a-z0-9_]*")
#: The parts of a person, beside `each`.
_PARTS = ("name", "family", "given", "corporate", "orcid", "affiliation", "suffix")


class FieldTables:
    """Reads the rules of one shape. `body`: the kind of the body, as `Shape.body`."""

    def __init__(self, reader: SpecTables, body: str, compiler: Compiler) -> None:
        self.reader = reader
        self.body = body
        self.compiler = compiler

    def rules(self, field: str, value: Any, where: str) -> list[FieldRule]:
        """One rule, or several if the value is an array of tables; they are tried in order.
        `field`: a field of a record, or "ids.SCHEME".
        """
        several = isinstance(value, list) and any(isinstance(item, Mapping) for item in value)
        rules = [self.rule(field, item, where) for item in (value if several else [value])]
        return [rule for rule in rules if rule is not None]

    def rule(self, field: str, value: Any, where: str) -> FieldRule | None:
        if not self.is_field(field, where):
            return None
        table = value if isinstance(value, Mapping) else {"at": value}
        self.reader.check_keys(table, FIELD, where)
        if "each" in table:
            return self.people(field, table, where)
        if "value" in table:
            return self.constant(field, table, where)
        selectors = self.selectors(table, where)
        nodes = self.body == "xml" and table.get("as") in converters.NODE_CONVERTERS
        return FieldRule(field, selectors, self.converter(table, field, where), nodes)

    def is_field(self, field: str, where: str) -> bool:
        """Checks the name of a field or of a scheme of identifiers."""
        scheme = field.removeprefix("ids.")
        if field != scheme:
            if not _SCHEME.fullmatch(scheme):
                self.reader.wrong(
                    where, "an identifier scheme is lower-case letters, digits and '_'"
                )
                return False
            return True
        if field not in RECORD_FIELDS:
            allowed = ", ".join(sorted(RECORD_FIELDS))
            self.reader.wrong(where, f"no such field of a record; allowed are {allowed}")
            return False
        return True

    def constant(self, field: str, table: Table, where: str) -> FieldRule:
        """A rule with a constant: for all records, or for those in which `at` finds something."""
        value = table["value"]
        allowed = FIELDS[field].words if field in FIELDS else ()
        if allowed and value not in allowed:
            kind = "type" if field == "type" else "status"
            self.reader.wrong(
                f"{where}.value", f"{value!r} is no {kind}; allowed are {', '.join(allowed)}"
            )
        if "at" not in table:
            return FieldRule(field, (Selector(Always(value)),), self.converter(table, field, where))
        selectors = self.selectors(table, where)
        return FieldRule(field, selectors, Constant(value))

    def selectors(self, table: Table, where: str) -> tuple[Selector, ...]:
        at = table.get("at")
        texts = at if isinstance(at, list) else [at]
        compiled = [self.reader.selector(self.compiler, text, where) for text in texts]
        return tuple(selector for selector in compiled if selector is not None)

    def people(self, field: str, table: Table, where: str) -> FieldRule | None:
        if field not in PEOPLE:
            self.reader.wrong(where, "`each` is for authors, editors and translators only")
            return None
        each = self.reader.selector(self.compiler, table["each"], f"{where}.each")
        parts: dict[str, Selector] = {}
        for part in _PARTS:
            if part not in table:
                continue
            selector = self.reader.selector(self.compiler, table[part], f"{where}.{part}")
            if selector is not None:
                parts[part] = selector
        if each is None or not parts:
            self.reader.wrong(
                where, "needs `each` and at least one of name, family, given, corporate"
            )
            return None
        tidy = table.get("as")
        if tidy is not None and tidy not in converters.NAME_CONVERTERS:
            allowed = ", ".join(converters.NAME_CONVERTERS)
            self.reader.wrong(
                f"{where}.as", f"unknown converter {tidy!r}; beside `each`, allowed are {allowed}"
            )
            return None
        tidying = converters.NAME_CONVERTERS[tidy] if tidy is not None else None
        if self.body == "marcxml":
            finders = {part: selector.find for part, selector in parts.items()}
            convert = marc_people(each.find, finders, field=field, tidy=tidying)
        else:
            most = people.MOST[field]
            if self.body == "json":
                finders = {part: selector.find for part, selector in parts.items()}
                find = find_json_people(each.find, finders, most)
            else:
                find = find_xml_people(each.find, parts, most, is_html=self.body == "html")
            convert = people.people(find, parts, editors=field == "editors", tidy=tidying)
        who = People(each, parts, tidied=tidy is not None)
        needs = each.needs
        if self.body == "marcxml" and needs is not None:
            needs = (*needs, STATED)
        return FieldRule(field, (Selector(whole, needs=needs),), convert, people=who)

    # ---------------------------------------------------------------- converters

    def converter(self, table: Table, field: str, where: str) -> Converter:
        """The converter of a rule, with its `template` if it has one."""
        template = table.get("template")
        if template is None:
            return self.plain_converter(table, field, where)
        if not isinstance(template, str):
            self.reader.wrong(f"{where}.template", "must be a string")
            return markup.text
        of_x(self.reader, template, f"{where}.template")
        inner = self.plain_converter({"as": "identifier", **table}, field, where)
        return into_template(template, inner)

    def plain_converter(self, table: Table, field: str, where: str) -> Converter:
        """The converter that `map` or `as` names, or that of the field."""
        mapping = table.get("map")
        if mapping is not None:
            return self.word_map(mapping, field, where)
        name = table.get("as")
        if name is None:
            if field == f"ids.{trials.ANY}":
                return converters.registrations
            if field.startswith("ids."):
                return identifiers.identifier
            return converters.DEFAULTS.get(field, markup.text)
        if name not in converters.CONVERTERS:
            allowed = ", ".join(sorted(converters.CONVERTERS))
            self.reader.wrong(f"{where}.as", f"unknown converter {name!r}; allowed are {allowed}")
            return markup.text
        several = name in converters.PLURAL or name.startswith("names")
        if several and field not in converters.PLURAL_FIELDS:
            self.reader.wrong(
                f"{where}.as", f"{name!r} returns several values, and the field has one"
            )
        elif not several and field in converters.PLURAL_FIELDS:
            self.reader.wrong(
                f"{where}.as", f"{name!r} returns one value, and the field has several"
            )
        return converters.CONVERTERS[name]

    def word_map(self, mapping: Any, field: str, where: str) -> Converter:
        """The converter of a `map`: words of the database -> words of the record."""
        if not _is_strings(mapping):
            self.reader.wrong(f"{where}.map", "must be a table of strings")
            return markup.text
        if field == "type":
            for value in mapping.values():
                if value not in TYPES:
                    self.reader.wrong(
                        f"{where}.map", f"{value!r} is no type; allowed are {', '.join(TYPES)}"
                    )
        return Lookup(mapping)


def _is_strings(table: Any) -> bool:
    return isinstance(table, Mapping) and all(isinstance(text, str) for text in table.values())


#: How many selectors of one kind are kept. Those of the shipped sources are some hundreds of each.
_KEPT = 2048
#: The keys that `same_envelope = true` takes from [parse].
_ENVELOPE = ("records", "total", "error", "warning", "next", "unescape")
# A selector depends on its text alone, and a source that extends another one has its selectors:
# each text is compiled once in a process.
_xml = lru_cache(_KEPT)(compile_xml)
#: Kind of body -> what compiles the selectors for the whole body.
_COMPILERS: Mapping[str, Compiler] = {
    "json": lru_cache(_KEPT)(compile_json),
    "xml": _xml,
    "marcxml": _xml,
    "html": lru_cache(_KEPT)(compile_html),
}
#: Kind of body -> what compiles the selectors inside a record, if that is something else.
_RECORD_COMPILERS: Mapping[str, Compiler] = {
    "marcxml": lru_cache(_KEPT)(compile_marc),
    "xml": lru_cache(_KEPT)(compile_xml_record),
}
_IDS = "ids."


class _ShapeTable(NamedTuple):
    """The tables of one shape, and the names that messages have for them. `alone`: the table of
    [[also]] if the shape is made of nothing else; an empty one if not.
    """

    parse: Table
    fields: Table
    ids: Table
    where: str
    in_fields: str
    in_ids: str
    alone: Table = MappingProxyType({})

    @property
    def content(self) -> bytes:
        """The same for all shapes with the same tables, in the same order."""
        packed = repr((self.parse, self.fields, self.ids)).encode(errors="surrogatepass")
        return hashlib.sha256(packed).digest()


#: Content of a shape -> the shape: sources that extend one another have one, and so what is made of
#: it (see `RecordReader`) is made once.
_SHAPES: dict[bytes, Shape] = {}
#: How many are kept: of all shipped sources, and of some hundred others.
_MOST_SHAPES = 512


class ShapeTables:
    """Reads [parse], [fields], [ids] and [[also]]. `checked`: whether a table of [[also]] is known
    to be right, so that its shape may be late.
    """

    def __init__(
        self,
        reader: SpecTables,
        *,
        late: bool = False,
        checked: Callable[[Table], bool] | None = None,
    ) -> None:
        self.reader = reader
        self.late = late
        self.checked = checked

    def shapes(self, table: Table) -> tuple[LateShape, ...]:
        """The shapes of a spec, in the order in which they are tried."""
        shapes = [self.late_shape(each) for each in self.tables(table)]
        return tuple(shape for shape in shapes if shape is not None)

    def tables(self, table: Table) -> list[_ShapeTable]:
        """The tables of each shape: of [parse], then of each [[also]]."""
        reader = self.reader
        parse = dict(reader.table(table, "parse"))
        paging_next = reader.table(table, "paging").get("next", "")
        if paging_next:
            parse.setdefault("next", paging_next)
        fields, ids = reader.table(table, "fields"), reader.table(table, "ids")
        tables = [_ShapeTable(parse, fields, ids, "parse", "fields", "ids")]
        also = table.get("also", [])
        if not isinstance(also, list):
            reader.wrong("also", "must be an array of tables: [[also]]")
            also = []
        for number, other in enumerate(also, 1):
            where = f"also[{number}]"
            if not isinstance(other, Mapping):
                reader.wrong(where, "must be a table")
                continue
            in_fields, in_ids = f"{where}.fields", f"{where}.ids"
            fields = reader.table(other, "fields", in_fields)
            ids = reader.table(other, "ids", in_ids)
            own = {k: v for k, v in other.items() if k not in ("fields", "ids", "same_envelope")}
            alone = other
            if reader.values(ALSO, other, where).get("same_envelope"):
                own = {k: v for k, v in parse.items() if k in _ENVELOPE} | own
                alone = MappingProxyType({})
            tables.append(_ShapeTable(own, fields, ids, where, in_fields, in_ids, alone))
        return tables

    def late_shape(self, table: _ShapeTable) -> LateShape | None:
        """A shape: compiled now, with its problems among all others, or compiled later."""
        if not self.late and not (self.checked is not None and self.checked(table.alone)):
            shape = self.shape(table)
            return None if shape is None else LateShape.of(shape)
        file = self.reader.file

        def compile_now() -> Shape:
            reader = SpecTables(file)
            shape = ShapeTables(reader).shape(table)
            if shape is None or reader.problems:
                raise SpecError(file, reader.problems)
            return shape

        return LateShape(table.parse["body"], compile_now)

    def shape(self, table: _ShapeTable) -> Shape | None:
        """One shape, compiled; None if its body or its records are not known."""
        content, problems = table.content, len(self.reader.problems)
        shape = _SHAPES.get(content) or self._compile(table)
        if shape is not None and len(self.reader.problems) == problems:
            _SHAPES[content] = shape
            if len(_SHAPES) > _MOST_SHAPES:
                _SHAPES.pop(next(iter(_SHAPES)), None)
        return shape

    def _compile(self, table: _ShapeTable) -> Shape | None:
        reader, parse, where = self.reader, table.parse, table.where
        reader.check_keys(parse, PARSE, where)
        body = parse.get("body")
        if body not in PARSE["body"].choices:
            reader.wrong(f"{where}.body", f"must be one of {', '.join(PARSE['body'].choices)}")
            return None
        fields = FieldTables(reader, body, _RECORD_COMPILERS.get(body, _COMPILERS[body]))

        def optional(key: str) -> Selector | None:
            if not parse.get(key):
                return None
            return reader.selector(_COMPILERS[body], parse[key], f"{where}.{key}")

        records = optional("records")
        if not parse.get("records"):
            reader.wrong(f"{where}.records", "is missing: the selector that finds the records")
        rules: list[FieldRule] = []
        for name, value in table.fields.items():
            rules += fields.rules(name, value, f"{table.in_fields}.{name}")
        for name, value in table.ids.items():
            rules += fields.rules(f"{_IDS}{name}", value, f"{table.in_ids}.{name}")
        if "title" not in table.fields:
            reader.wrong(table.in_fields, "title is missing")
        own = reader.values({name: PARSE[name] for name in ("bare", "promises")}, parse, where)
        if records is None:
            return None
        of_fields, of_ids = _attempts(rules, body)
        return Shape(
            body=body,
            records=records,
            total=optional("total"),
            when=optional("when"),
            error=optional("error"),
            warning=optional("warning"),
            next=optional("next"),
            unescape=optional("unescape"),
            rules=tuple(rules),
            attempts=of_fields,
            id_attempts=of_ids,
            **own,
            told_by=tag_of_when(parse) if body in ("xml", "marcxml") else None,
            by_tag=ByTag(of_fields, of_ids).of if body == "marcxml" else None,
        )


def _attempts(rules: list[FieldRule], body: str) -> tuple[tuple[Attempt, ...], tuple[Attempt, ...]]:
    """The attempts for fields and for identifiers; those of one field follow one another."""
    by_field: dict[str, list[FieldRule]] = {}
    for rule in rules:
        by_field.setdefault(rule.field, []).append(rule)
    of_fields: list[Attempt] = []
    of_ids: list[Attempt] = []
    for field, of_one in by_field.items():
        for attempt in attempts(of_one, body):
            if field.startswith(_IDS):
                of_ids.append(attempt._replace(field=field.removeprefix(_IDS)))
            else:
                of_fields.append(attempt)
    return tuple(of_fields), tuple(of_ids)
