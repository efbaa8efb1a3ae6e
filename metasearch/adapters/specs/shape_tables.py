"""[parse] and [[also]] of a spec: the shapes of a database's bodies, with compiled selectors."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from metasearch.adapters.parse.records import attempts
from metasearch.adapters.select.by_tag import ByTag
from metasearch.adapters.select.html import compile_html
from metasearch.adapters.select.json import compile_json
from metasearch.adapters.select.marc import compile_marc
from metasearch.adapters.select.outside import told_by
from metasearch.adapters.select.xml import compile_xml
from metasearch.adapters.select.xml_record import compile_xml_record
from metasearch.adapters.shapes import Attempt, FieldRule, LateShape, Selector, Shape
from metasearch.adapters.specs.field_tables import RECORD_FIELDS, FieldTables
from metasearch.adapters.specs.tables import CHOICES, Compiler, Table, TableReader
from metasearch.errors import SpecError

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
        reader: TableReader,
        *,
        late: bool = False,
        checked: Callable[[Table], bool] | None = None,
    ) -> None:
        self.reader = reader
        self.late = late
        self.checked = checked

    def shapes(self, table: Table) -> tuple[LateShape, ...]:
        """Returns the shapes of a spec, in the order in which they are tried."""
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
            if reader.get(other, "same_envelope", bool, False, where):
                own = {k: v for k, v in parse.items() if k in _ENVELOPE} | own
                alone = MappingProxyType({})
            tables.append(_ShapeTable(own, fields, ids, where, in_fields, in_ids, alone))
        return tables

    def late_shape(self, table: _ShapeTable) -> LateShape | None:
        """Returns a shape: compiled now, with its problems among all others, or compiled later."""
        if not self.late and not (self.checked is not None and self.checked(table.alone)):
            shape = self.shape(table)
            return None if shape is None else LateShape.of(shape)
        file = self.reader.file

        def compiled() -> Shape:
            reader = TableReader(file)
            shape = ShapeTables(reader).shape(table)
            if shape is None or reader.problems:
                raise SpecError(file, reader.problems)
            return shape

        return LateShape(table.parse["body"], compiled)

    def shape(self, table: _ShapeTable) -> Shape | None:
        """Returns one shape, compiled; None if its body or its records are not known."""
        content, problems = table.content, len(self.reader.problems)
        shape = _SHAPES.get(content) or self._compiled(table)
        if shape is not None and len(self.reader.problems) == problems:
            _SHAPES[content] = shape
            if len(_SHAPES) > _MOST_SHAPES:
                _SHAPES.pop(next(iter(_SHAPES)), None)
        return shape

    def _compiled(self, table: _ShapeTable) -> Shape | None:
        reader, parse, where = self.reader, table.parse, table.where
        reader.known(parse, "parse", where)
        body = parse.get("body")
        if body not in CHOICES["parse.body"]:
            reader.wrong(f"{where}.body", f"must be one of {', '.join(CHOICES['parse.body'])}")
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
        promises = self.promises(parse, where)
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
            bare=reader.get(parse, "bare", bool, False, where),
            rules=tuple(rules),
            attempts=of_fields,
            id_attempts=of_ids,
            promises=promises,
            told_by=told_by(parse) if body in ("xml", "marcxml") else None,
            by_tag=ByTag(of_fields, of_ids).of if body == "marcxml" else None,
        )

    def promises(self, parse: Table, where: str) -> tuple[str, ...]:
        """Reads `promises`, an array of fields of a record."""
        promises = parse.get("promises", ["title"])
        if isinstance(promises, list) and all(name in RECORD_FIELDS for name in promises):
            return tuple(promises)
        allowed = ", ".join(sorted(RECORD_FIELDS))
        self.reader.wrong(f"{where}.promises", f"must be a list of record fields: {allowed}")
        return ()


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
