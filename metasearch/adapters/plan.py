"""Query + spec -> the first request, what is really asked, and what could not be expressed.

Nothing is lost in silence: a clause that the database cannot express is filtered afterwards where its records allow it, or
named in `Plan.notes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from string import Formatter
from urllib.parse import quote

from metasearch.adapters.request import Pairs, Request, Secret
from metasearch.adapters.spec import AdapterSpec, YearsTemplate
from metasearch.errors import CannotAsk, KeyMissing
from metasearch.query.ast import FIELDS, And, Not, Or, Query, Term, Years, conjunction
from metasearch.query.printer import to_text

_PAGING = frozenset({"size", "start", "start1", "page", "cursor"})
_IDENTIFIERS = frozenset({"doi", "isbn", "issn"})


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be asked of one source.

    Attributes:
        request: The first request; later ones come from `parse`.
        sent: The query as the database sees it, for people.
        notes: One sentence for each thing that could not be expressed.
        residual: What the records have to be filtered by afterwards, or None.
    """

    request: Request
    sent: str
    notes: tuple[str, ...] = ()
    residual: Query | None = None


def plan(query: Query, spec: AdapterSpec, wanted: int = 20, env: Mapping[str, str] | None = None) -> Plan:
    """Translate a query for one source.

    Args:
        query: The user's query.
        spec: The source.
        wanted: How many records the search wants from it.
        env: Where the spec's secrets are looked up.

    Raises:
        CannotAsk: The spec refuses what it cannot express.
        KeyMissing: A required secret is not in `env`.
    """
    if spec.hook is not None:
        hook = getattr(import_module(f"metasearch.adapters.hooks.{spec.hook}"), "plan", None)
        if hook is not None:
            return hook(query, spec, wanted, env or {})  # type: ignore[no-any-return]
    return plan_request(query, spec, wanted, env or {})


def plan_request(query: Query, spec: AdapterSpec, wanted: int, env: Mapping[str, str]) -> Plan:
    """`plan` without the spec's hook, for hooks to build on."""
    writer = _Writer(spec)
    values = writer.write(query)
    wanted = max(1, min(wanted, spec.paging.window))
    size = min(wanted, spec.paging.size)
    values |= _paging_values(0, size, spec.paging.first)
    template = spec.request
    params, headers, body = (_fill(t, values) for t in (template.params, template.headers, template.body))
    for auth in spec.auth:
        value = env.get(auth.env, "").strip()
        if not value and auth.required:
            raise KeyMissing(spec.name, auth.env)
        if value:
            pair = (auth.name, Secret(auth.prefix + value))
            if auth.where == "headers":
                headers = (*headers, pair)
            else:
                params = (*params, pair)
    request = Request(
        source=spec.name,
        url=_fill_url(template.url, values),
        method=template.method,
        params=params,
        headers=headers,
        body=body,
        start=0,
        size=size,
        cursor=spec.paging.first if spec.paging.kind == "cursor" else None,
        wanted=wanted,
    )
    sent = values.get("query") or "; ".join(f"{f}: {values[f]}" for f in FIELDS if values.get(f))
    if values.get("years"):
        sent = f"{sent} [{values['years']}]" if sent else values["years"]
    return Plan(request, sent, tuple(dict.fromkeys(writer.notes)), writer.residual())


def next_request(
    spec: AdapterSpec, request: Request, *, got: int, total: int | None, cursor: str | None
) -> Request | None:
    """The request for the page that follows, or None where there is none or no more is wanted.

    Args:
        got: How many record nodes the page held, readable or not.
        total: How many hits the source says it has.
        cursor: The cursor that the page gave.
    """
    kind = spec.paging.kind
    start = request.start + got
    limit = min(request.wanted, spec.paging.window, total if total is not None else request.wanted)
    if got == 0 or start >= limit or kind == "none":
        return None
    if kind == "cursor" and (not cursor or cursor == request.cursor):
        return None
    if kind == "page" and got < request.size:
        return None
    cursor = cursor if kind == "cursor" else None
    values = _paging_values(start, request.size, cursor or "")
    template = spec.request
    return replace(
        request,
        params=_refill(request.params, template.params, values),
        body=_refill(request.body, template.body, values),
        start=start,
        cursor=cursor,
    )


# --------------------------------------------------------------------------- templates


def _paging_values(start: int, size: int, cursor: str) -> dict[str, str]:
    return {
        "size": str(size),
        "start": str(start),
        "start1": str(start + 1),
        "page": str(start // size + 1),
        "cursor": cursor,
    }


def _names(template: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(template) if name]


def _fill(templates: Mapping[str, str], values: Mapping[str, str]) -> Pairs:
    """The pairs whose placeholders are not all empty."""
    out: list[tuple[str, str | Secret]] = []
    for name, template in templates.items():
        used = _names(template)
        if not used or any(values.get(u) for u in used):
            out.append((name, template.format_map(_Blank(values))))
    return tuple(out)


def _refill(pairs: Pairs, templates: Mapping[str, str], values: Mapping[str, str]) -> Pairs:
    """The pairs with the paging written anew."""
    out: list[tuple[str, str | Secret]] = []
    for name, value in pairs:
        template = templates.get(name, "")
        used = _names(template)
        paging = bool(used) and _PAGING.issuperset(used)
        out.append((name, template.format_map(_Blank(values)) if paging else value))
    return tuple(out)


def _fill_url(template: str, values: Mapping[str, str]) -> str:
    return template.format_map(_Blank({name: quote(value, safe="") for name, value in values.items()}))


class _Blank(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return ""


# --------------------------------------------------------------------------- translation


class _Writer:
    """Writes one query in one dialect, and remembers what that dialect cannot say."""

    def __init__(self, spec: AdapterSpec) -> None:
        self.spec = spec
        self.dialect = spec.query
        self.notes: list[str] = []
        self.lost: list[Query] = []
        placeholders = {n for t in (*spec.request.params.values(), *spec.request.body.values()) for n in _names(t)}
        self.param_fields = (placeholders | set(_names(spec.request.url))) & set(FIELDS)

    def residual(self) -> Query | None:
        return conjunction(*self.lost) if self.lost else None

    def write(self, query: Query) -> dict[str, str]:
        """The values of the placeholders."""
        parts = query.parts if isinstance(query, And) else (query,)
        values: dict[str, str] = {}
        if self.dialect.years_in == "params":
            ranges = [p for p in parts if isinstance(p, Years)]
            parts = tuple(p for p in parts if not isinstance(p, Years))
            values["years"] = " ".join(filter(None, (self.years(r) for r in ranges)))
        rest = conjunction(*parts) if parts else None
        if rest is None:
            return values
        if self.dialect.style == "expression":
            values["query"] = self.expression(rest)
            if not values["query"]:
                raise CannotAsk(self.spec.name, to_text(query), "nothing of it can be expressed")
        else:
            values |= self.params(rest)
        return values

    def cannot(self, clause: Query, what: str, *, filterable: bool = True) -> None:
        """Remember that a clause is not sent, by the spec's policy."""
        policy = self.dialect.unsupported
        if policy == "refuse":
            raise CannotAsk(self.spec.name, to_text(clause), what)
        if policy == "filter" and filterable:
            self.lost.append(clause)
            self.notes.append(f"{what}: {_shown(clause)} is applied here to what its records say")
        else:
            self.notes.append(f"{what}: {_shown(clause)} is not applied")

    def years(self, years: Years) -> str:
        written = _years(self.dialect.years, years)
        if not written:
            self.cannot(years, "cannot search by year")
        return written

    # ---------------------------------------------------------------- words in parameters

    def params(self, query: Query) -> dict[str, str]:
        found: dict[str, list[str]] = {}

        def collect(part: Query) -> None:
            match part:
                case Term():
                    field = part.field
                    if field not in self.param_fields:
                        self.cannot(part, f"cannot search {_FIELD_NAMES.get(field, field)} alone, so everywhere is searched")
                        field = "any"
                    found.setdefault(field, []).append(self.term_text(part))
                case And(parts):
                    for inner in parts:
                        collect(inner)
                case Or(parts):
                    self.notes.append(f"cannot say OR: the words of {_shown(part)} are sent and the best matches come first")
                    for inner in parts:
                        collect(inner)
                case Not():
                    self.cannot(part, "cannot say NOT")
                case Years():
                    self.cannot(part, "cannot search by year in this place")

        collect(query)
        if "any" in found and "any" not in self.param_fields and found:
            self.notes.append("can only search by field")
        return {field: " ".join(texts) for field, texts in found.items()}

    # ---------------------------------------------------------------- one expression

    def expression(self, query: Query) -> str:
        match query:
            case Term():
                return self.term(query)
            case Years():
                return self.years(query)
            case Not():
                self.cannot(query, "cannot say NOT on its own")
                return ""
            case Or(parts):
                if not self.dialect.disjunction:
                    self.cannot(query, "cannot say OR")
                    return self.expression(conjunction(*parts))
                return self.dialect.disjunction.join(filter(None, (self.grouped(p) for p in parts)))
        positive = [p for p in query.parts if not isinstance(p, Not)]
        written = (self.dialect.conjunction or " ").join(filter(None, (self.grouped(p) for p in positive)))
        for part in query.parts:
            if isinstance(part, Not):
                inner = self.grouped(part.part) if self.dialect.negation and written else ""
                if inner:
                    written += self.dialect.negation.format(x=inner)
                else:
                    self.cannot(part, "cannot say NOT")
        return written

    def grouped(self, query: Query) -> str:
        written = self.expression(query)
        several = isinstance(query, And | Or) or (isinstance(query, Term) and len(self.words(query)) > 1)
        return self.dialect.group.format(x=written) if written and several else written

    def term(self, term: Term) -> str:
        fields = self.dialect.fields
        field = term.field
        if field not in fields:
            self.cannot(term, f"cannot search {_FIELD_NAMES.get(field, field)} alone, so everywhere is searched")
            field = "any"
        if term.phrase or field in _IDENTIFIERS:
            text = self.term_text(term)
            template = self.dialect.phrases.get(field) if term.phrase else None
            return (template or fields[field]).format(x=text) if text else ""
        written = [fields[field].format(x=self.dialect.word.format(x=word)) for word in self.words(term)]
        return (self.dialect.conjunction or " ").join(written)

    # ---------------------------------------------------------------- text

    def words(self, term: Term) -> list[str]:
        """What a term is written as: its cleaned words, or all of them in one."""
        text = self.clean(term.text)
        if not text:
            return []
        field = term.field if term.field in self.dialect.fields else "any"
        whole = term.phrase or field in _IDENTIFIERS or self.dialect.words == "joined" or field in self.dialect.joined
        return [text] if whole else text.split()

    def term_text(self, term: Term) -> str:
        text = self.clean(term.text, identifier=term.field in _IDENTIFIERS)
        if term.phrase:
            if self.dialect.phrase:
                return self.dialect.phrase.format(x=text)
            self.notes.append(f'cannot search for a phrase: "{term.text}" is sent as words')
        return self.dialect.word.format(x=text) if self.dialect.style == "expression" else text

    def clean(self, text: str, *, identifier: bool = False) -> str:
        """The words with what the database would take for syntax escaped or blanked.

        The brackets and hyphens of an identifier belong to it; only what would end its quotes is taken out.
        """
        dialect = self.dialect
        strip = "\"\\" if identifier and dialect.strip else dialect.strip
        if strip and any(c in strip for c in text):
            text = " ".join("".join(" " if c in strip else c for c in text).split())
        if dialect.escape and any(c in dialect.escape for c in text):
            text = "".join(f"\\{c}" if c in dialect.escape else c for c in text)
        return text


_FIELD_NAMES = {"title": "titles", "author": "authors", "venue": "journals", "abstract": "abstracts", "doi": "DOIs"}


def _shown(clause: Query) -> str:
    text = to_text(clause)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _years(template: YearsTemplate, years: Years) -> str:
    if years.first is not None and years.last is not None:
        return template.both.format(first=years.first, last=years.last)
    if years.first is not None:
        return template.since.format(first=years.first)
    return template.until.format(last=years.last)
