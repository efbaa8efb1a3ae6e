"""[query] of a spec: how a query is written, and the database's words for types and languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metasearch.adapters.spec import Dialect, YearsTemplate
from metasearch.adapters.specs.tables import KEYS, Table, TableReader
from metasearch.bib.languages import SCHEMES, language_table, languages
from metasearch.query.ast import CODED_FIELDS, FIELDS
from metasearch.record import TYPES

Words = Mapping[str, tuple[str, ...]]


class DialectTables:
    """Reads [query]; `reader` takes the problems."""

    def __init__(self, reader: TableReader) -> None:
        self.reader = reader

    def dialect(self, table: Table) -> Dialect:
        """Returns the dialect of a spec."""
        query = self.reader.table(table, "query")
        self.reader.known(query, "query", "query")
        fields, phrases = self.by_field(query, "fields"), self.by_field(query, "phrases")
        years = self.years(query)
        for key in ("negation", "group", "phrase", "word", "truncated"):
            self.reader.placeholders(self.text(query, key), frozenset({"x"}), f"query.{key}")
        style = self.text(query, "style", "params")
        if style == "expression" and "any" not in fields:
            self.reader.wrong("query.fields.any", 'is missing; the simplest is any = "{x}"')
        types, languages = self.types(query), self.languages(query)
        self.check_places(query, table.get("request"))
        return Dialect(
            style=style,
            unsupported=self.text(query, "unsupported", "filter"),
            words=self.text(query, "words", "each"),
            years_in=self.text(query, "years_in", "expression"),
            fields=fields,
            conjunction=self.text(query, "conjunction"),
            disjunction=self.text(query, "disjunction"),
            negation=self.text(query, "negation"),
            group=self.text(query, "group", "({x})"),
            phrase=self.text(query, "phrase"),
            phrases=phrases,
            word=self.text(query, "word", "{x}"),
            truncated=self.text(query, "truncated"),
            truncated_least=self.reader.get(query, "truncated_least", int, 1, "query"),
            types=types,
            languages=languages,
            either=self.either(query),
            wider=self.field_names(query, "wider"),
            scored=self.reader.get(query, "scored", bool, True, "query"),
            plain=self.text(query, "plain"),
            joined=self.field_names(query, "joined"),
            escape=self.text(query, "escape"),
            strip=self.text(query, "strip"),
            years=years,
        )

    def text(self, query: Table, key: str, default: str = "") -> Any:
        """Reads a string; where [query] allows only some words, it is one of them."""
        return self.reader.get(query, key, str, default, "query")

    def years(self, query: Table) -> YearsTemplate:
        """Reads [query.years]."""
        years = self.reader.table(query, "years", "query.years")
        self.reader.known(years, "query.years", "query.years")
        for key, template in years.items():
            where = f"query.years.{key}"
            self.reader.placeholders(str(template), frozenset({"first", "last"}), where)
        known = KEYS["query.years"]
        return YearsTemplate(**{key: str(text) for key, text in years.items() if key in known})

    def field_names(self, query: Table, key: str) -> tuple[str, ...]:
        """Reads an array of fields of a query."""
        names = self.reader.get(query, key, list, [], "query")
        if any(name not in FIELDS for name in names):
            self.reader.wrong(f"query.{key}", f"must be a list of fields: {', '.join(FIELDS)}")
            return ()
        return tuple(names)

    def by_field(self, query: Table, key: str) -> dict[str, str]:
        """Reads a table of templates: field of a query -> template with `{x}`."""
        templates = {}
        for field, template in self.reader.table(query, key, f"query.{key}").items():
            where = f"query.{key}.{field}"
            if field not in FIELDS:
                self.reader.wrong(where, f"unknown field; allowed are {', '.join(FIELDS)}")
            elif not isinstance(template, str):
                self.reader.wrong(where, "must be a string")
            else:
                self.reader.placeholders(template, frozenset({"x"}), where)
                templates[field] = template
        return templates

    # ---------------------------------------------------------------- types and languages

    def types(self, query: Table) -> Words:
        """Reads `types`: our word -> words of the database.

        The value is a string, an array of strings, or `true` if all works are of this type.
        """
        table = self.reader.table(query, "types", "query.types")
        for name in table:
            if name not in TYPES:
                self.reader.wrong(
                    f"query.types.{name}", f"unknown type; allowed are {', '.join(TYPES)}"
                )
        return {name: self.words(value, f"query.types.{name}") for name, value in table.items()}

    def languages(self, query: Table) -> Words:
        """Reads `languages`: a table as `types`, or the names of one or more schemes of codes."""
        value = query.get("languages", {})
        if isinstance(value, Mapping):
            for code in value:
                if code not in languages():
                    self.reader.wrong(
                        f"query.languages.{code}",
                        "unknown language; the codes are those of ISO 639-1",
                    )
            return {
                code: self.words(words, f"query.languages.{code}") for code, words in value.items()
            }
        schemes = value if isinstance(value, list) else [value]
        if not schemes or any(scheme not in SCHEMES for scheme in schemes):
            self.reader.wrong(
                "query.languages", f"must be a table, or one or more of {', '.join(SCHEMES)}"
            )
            return {}
        return language_table(tuple(schemes))

    def words(self, value: Any, where: str) -> tuple[str, ...]:
        """Reads the database's words for one type or language."""
        if value is True:
            return ()
        words = value if isinstance(value, list) else [value]
        texts = [word for word in words if isinstance(word, str) and word]
        if not texts or len(texts) < len(words):
            self.reader.wrong(where, "must be a word of the database, an array of them, or true")
            return ()
        return tuple(texts)

    def either(self, query: Table) -> Mapping[str, str]:
        """Reads `either`: type or language -> what stands between several words."""
        table = self.reader.table(query, "either", "query.either")
        for field, between in table.items():
            if field not in CODED_FIELDS or not isinstance(between, str) or not between:
                self.reader.wrong(
                    f"query.either.{field}", "must be a string; the fields are type and language"
                )
        return {str(field): str(between) for field, between in table.items()}

    def check_places(self, query: Table, request: Any) -> None:
        """Checks that `types` and `languages` have a place in the request or in a template.

        Such a place also needs words: the one has no effect without the other.
        """
        fields = query.get("fields", {})
        for field, key in (("type", "types"), ("language", "languages")):
            words = query.get(key, {})
            in_fields = isinstance(fields, Mapping) and field in fields
            placed = in_fields or f"{{{field}}}" in str(request)
            if placed and not words:
                self.reader.wrong(
                    f"query.{key}", f"is missing: the database's words for each {field}"
                )
            if words and not placed and _needs_a_place(words):
                self.reader.wrong(
                    f"query.{key}",
                    f"has no place: write query.fields.{field}, or {{{field}}} in a parameter",
                )


def _needs_a_place(words: Any) -> bool:
    """Whether a word must be sent: `true` for every type needs no word."""
    return not isinstance(words, Mapping) or any(value is not True for value in words.values())
