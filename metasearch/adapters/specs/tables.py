"""How the tables of a spec are read: what their readers share, [auth.NAME], and [query]."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any

from metasearch.adapters.spec import Auth, Dialect, Limits, Selector, Template, YearsTemplate
from metasearch.adapters.translate.plan import PAGING
from metasearch.bib.languages import SCHEMES, language_table, languages
from metasearch.errors import UsageError
from metasearch.query.tree import CODED_FIELDS, FIELDS
from metasearch.record import TYPES
from metasearch.toml_kinds import is_of, mismatch

# What the readers of a spec's tables share: kinds of values, closed lists, templates, selectors.
# Problems are gathered, not raised.

Table = Mapping[str, Any]
#: Compiles a selector; raises ValueError if it cannot.
Compiler = Callable[[str], Selector]

#: The placeholders of a request.
PLACEHOLDERS = frozenset(FIELDS) | PAGING | {"query", "years", "since", "until"}

#: The tables in [limits] of what is different where a contact address, or a key, is set.
LIMITS_WITH = ("with_contact", "with_key")
#: The keys of each table; docs/adapters.md explains every one.
KEYS: Mapping[str, frozenset[str]] = {
    "": frozenset(
        "name label homepage docs terms coverage languages syntax probe default enabled weight "
        "extends hook url "
        "request query paging auth limits enrich parse fields ids also".split()
    ),
    "request": frozenset(
        "url method params headers body json text content_type redirects longest newest".split()
    ),
    "request.newest": frozenset("params body json text".split()),
    "enrich": frozenset("by request".split()),
    "enrich.request": frozenset("url params headers".split()),
    "query": frozenset(
        "style unsupported fields conjunction disjunction negation group phrase phrases word "
        "words plain joined "
        "truncated truncated_least phrase_truncated types languages either wider scored "
        "escape strip years years_in".split()
    ),
    "query.years": frozenset("only both since until".split()),
    "paging": frozenset("kind size window next first".split()),
    "auth": frozenset("env in required prefix get kind token_url secret_env scope login".split()),
    "limits": frozenset(f.name for f in dataclasses.fields(Limits)),
    "limits.with": frozenset(
        f.name for f in dataclasses.fields(Limits) if f.name not in ("stated", *LIMITS_WITH)
    ),
    "parse": frozenset(
        "name body records total total_header when error warning next unescape bare not_found "
        "promises".split()
    ),
    "field": frozenset(
        "at as map value template each name family given corporate orcid affiliation".split()
    ),
}
#: The values of a key, where they are a closed list.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "request.method": ("GET", "POST"),
    "enrich.by": ("doi",),
    "query.style": ("params", "expression"),
    "query.unsupported": ("filter", "drop", "refuse"),
    "query.words": ("each", "joined"),
    "query.years_in": ("expression", "params"),
    "paging.kind": ("none", "page", "offset", "cursor", "link"),
    "parse.body": ("json", "xml", "html", "marcxml"),
    "parse.not_found": ("error", "empty"),
    "auth.in": ("params", "headers"),
    "auth.kind": ("key", "oauth2", "login"),
}


class TableReader:
    """Reads values from tables.

    A value that is wrong adds a problem, "table.key: what is wrong; what is allowed", and a usual
    value is returned instead. `problems`: everything that is wrong, in the order in which it was
    noticed.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[str] = []

    def wrong(self, where: str, what: str) -> None:
        """Adds a problem. `where`: the place, as "table.key"."""
        self.problems.append(f"{where}: {what}")

    def table(self, parent: Table, key: str, where: str | None = None) -> Table:
        """Returns a table inside another one; an empty one if there is none."""
        value = parent.get(key, {})
        if not isinstance(value, Mapping):
            self.wrong(where or key, "must be a table")
            return {}
        return value

    def known(self, table: Table, keys: str, where: str) -> None:
        """Checks that a table has no key but those of `KEYS[keys]`."""
        allowed = KEYS[keys]
        for key in table:
            if key not in allowed:
                self.wrong(
                    f"{where}.{key}" if where else key,
                    f"unknown key; allowed are {', '.join(sorted(allowed))}",
                )

    def get(
        self, table: Table, key: str, kind: type | tuple[type, ...], default: Any, where: str
    ) -> Any:
        """Returns the value of a key; the default if there is none, or if it is not allowed."""
        value = table.get(key, default)
        full = f"{where}.{key}" if where else key
        if value is not default and not is_of(value, kind):
            self.wrong(full, mismatch(value, kind))
            return default
        choices = CHOICES.get(full)
        if choices and value not in choices:
            self.wrong(full, f"{value!r} is not allowed; write one of {', '.join(choices)}")
            return default
        return value

    def strings(self, table: Table, key: str, where: str) -> tuple[str, ...]:
        """Returns the strings of an array; () and a problem if the value is something else."""
        strings = table.get(key, [])
        if not isinstance(strings, list) or not all(isinstance(text, str) for text in strings):
            self.wrong(where, "must be an array of strings")
            return ()
        return tuple(strings)

    def places(self, table: Table, key: str, where: str) -> tuple[str, ...]:
        """Returns the "host:port" entries of an array."""
        places = [str(place) for place in self.get(table, key, list, [], where)]
        if not places:
            return ()
        from metasearch.adapters.fetch.guard import AllowList

        try:
            AllowList.parse(places)
        except UsageError as exc:
            self.wrong(f"{where}.{key}", str(exc))
        return tuple(places)

    def templates(
        self, table: Table, key: str, where: str, allowed: frozenset[str] = PLACEHOLDERS
    ) -> dict[str, Template]:
        """Returns the templates of a table, by name."""
        templates: dict[str, Template] = {}
        for name, value in self.table(table, key, f"{where}.{key}").items():
            parts = value if isinstance(value, list) else [value]
            if not all(map(_is_template, parts)):
                self.wrong(
                    f"{where}.{key}.{name}",
                    "must be a string, or an array of strings that are joined by commas",
                )
                continue
            for part in parts:
                self.placeholders(str(part), allowed, f"{where}.{key}.{name}")
            texts = tuple(str(part) for part in parts)
            templates[name] = texts if isinstance(value, list) else str(value)
        return templates

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

    def json_template(self, value: Any, where: str) -> Any:
        """Checks that the value of `json` is JSON and that its strings are templates."""
        if isinstance(value, str):
            self.placeholders(value, PLACEHOLDERS, where)
        elif isinstance(value, Mapping):
            for name, member in value.items():
                self.json_template(member, f"{where}.{name}")
        elif isinstance(value, list):
            for number, member in enumerate(value, 1):
                self.json_template(member, f"{where}[{number}]")
        elif not isinstance(value, (int, float)) or not math.isfinite(value):
            self.wrong(where, f"JSON has no {type(value).__name__} like this; write a string")
        return value

    def placeholders(self, template: str, allowed: frozenset[str], where: str) -> None:
        """Checks that a template has only these placeholders, as `{name}`."""
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
                self.wrong(
                    where,
                    f"unknown placeholder {{{name}}}; allowed are {', '.join(sorted(allowed))}",
                )


def _is_template(value: Any) -> bool:
    """Whether a value can be a template: a string, or a whole number that is sent as it is."""
    return isinstance(value, (str, int)) and not isinstance(value, bool)


# [auth.NAME] of a spec: where a secret is sent, and how a token is fetched for it.

#: The name of an environment variable.
VARIABLE = r"[A-Z][A-Z0-9_]*"
_NO_VARIABLE = "must be the name of an environment variable, never the secret itself"
#: Kind of a secret -> the keys that it has beside those of every kind.
_KEYS_OF_KIND = {
    "key": frozenset[str](),
    "oauth2": frozenset({"token_url", "secret_env", "scope"}),
    "login": frozenset({"token_url", "secret_env", "login"}),
}


class AuthTables:
    """Reads [auth.NAME]; `reader` takes the problems."""

    def __init__(self, reader: TableReader) -> None:
        self.reader = reader

    def auth(self, table: Table) -> tuple[Auth, ...]:
        """Returns the secrets of a spec."""
        auths = []
        for name, value in self.reader.table(table, "auth").items():
            where = f"auth.{name}"
            if not isinstance(value, Mapping):
                self.reader.wrong(where, "must be a table")
                continue
            self.reader.known(value, "auth", where)
            env = self.reader.get(value, "env", str, "", where)
            if not re.fullmatch(VARIABLE, env):
                self.reader.wrong(f"{where}.env", _NO_VARIABLE)
            place = value.get("in", "params")
            if place not in CHOICES["auth.in"]:
                self.reader.wrong(f"{where}.in", f"must be one of {', '.join(CHOICES['auth.in'])}")
                continue
            auth = Auth(
                name,
                env,
                place,
                self.reader.get(value, "required", bool, False, where),
                self.reader.get(value, "prefix", str, "", where),
                self.reader.get(value, "get", str, "", where),
            )
            auths.append(self.login(value, auth, where))
        return tuple(auths)

    def login(self, value: Table, auth: Auth, where: str) -> Auth:
        """Returns `auth` with what is needed to fetch its token, if it is not a plain key."""
        kind = value.get("kind", "key")
        if kind not in CHOICES["auth.kind"]:
            self.reader.wrong(f"{where}.kind", f"must be one of {', '.join(CHOICES['auth.kind'])}")
            return auth
        for key in ("token_url", "secret_env", "scope", "login"):
            if key in value and key not in _KEYS_OF_KIND[kind]:
                self.reader.wrong(f"{where}.{key}", f'has no meaning with kind = "{kind}"')
        if kind == "key":
            return auth
        url = self.reader.get(value, "token_url", str, "", where)
        if not url.startswith(("https://", "http://")):
            self.reader.wrong(f"{where}.token_url", "must begin with https:// or http://")
        secret_env = self.reader.get(value, "secret_env", str, "", where)
        if not re.fullmatch(VARIABLE if secret_env or kind == "oauth2" else "", secret_env):
            self.reader.wrong(f"{where}.secret_env", _NO_VARIABLE)
        login = self.reader.table(value, "login", f"{where}.login")
        if kind == "login" and not login:
            self.reader.wrong(
                f"{where}.login",
                'is missing: the JSON to send, as { username = "{id}", password = "{secret}" }',
            )
        for name, template in login.items():
            if not isinstance(template, str):
                self.reader.wrong(f"{where}.login.{name}", "must be a string")
                continue
            self.reader.placeholders(template, frozenset({"id", "secret"}), f"{where}.login.{name}")
        return dataclasses.replace(
            auth,
            kind=kind,
            token_url=url,
            secret_env=secret_env,
            scope=self.reader.get(value, "scope", str, "", where),
            login={name: str(template) for name, template in login.items()},
        )


# [query] of a spec: how a query is written, and the database's words for types and languages.

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
        for key in ("negation", "group", "phrase", "word", "truncated", "phrase_truncated"):
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
            phrase_truncated=self.text(query, "phrase_truncated"),
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
