"""Query + spec -> the first request, and what could not be expressed; response -> the
next request.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from string import Formatter
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus, unquote_plus, urljoin, urlsplit

from metasearch.adapters.request import JSON, LOOKUP, Grant, Pairs, Request, Secret, public
from metasearch.adapters.spec import AdapterSpec, Auth, RequestTemplate, Template
from metasearch.adapters.specs.checks import NUMBERS, PAGING
from metasearch.adapters.translate.translate import Translator
from metasearch.errors import CannotAsk, KeyMissing, SwitchedOff
from metasearch.message import message
from metasearch.query.tree import CODED_FIELDS, FIELDS, Query, conjunction, terms
from metasearch.query.word_forms import MOST

# Fills a spec's templates (parameters, headers, URLs, JSON, text) from query and paging.


def paging_values(start: int, size: int, cursor: str) -> dict[str, str]:
    """The values of `PAGING`. `start`: position of the page's first record, from 0. `cursor`: "" if
    there is none.
    """
    return {
        "size": str(size),
        "start": str(start),
        "start1": str(start + 1),
        "end": str(start + size),
        "page": str(start // size + 1),
        "page0": str(start // size),
        "cursor": cursor,
    }


@lru_cache(maxsize=2_000)
def names(template: str) -> tuple[str, ...]:
    """The placeholders of a template, in order."""
    return tuple([name for _, name, _, _ in Formatter().parse(template) if name])


def all_names(template: RequestTemplate) -> frozenset[str]:
    """The placeholders of all parts with the query: address, parameters and body."""
    pairs = (*template.params.values(), *template.body.values())
    found = _names_of((template.url, template.text, *pairs))
    return found if template.json is None else found.union(_names_within(template.json))


@lru_cache(maxsize=500)
def _names_of(templates: tuple[Template, ...]) -> frozenset[str]:
    return frozenset(
        [name for template in templates for part in _parts(template) for name in part.names]
    )


def fill(templates: Mapping[str, Template], values: Mapping[str, str]) -> Pairs:
    """The filled pairs, without those whose placeholders are all empty. An empty template removes a
    parameter of the spec that is extended.
    """
    if not templates:
        return ()
    blank = _Blank(values)
    pairs: list[tuple[str, str | Secret]] = []
    for name, template in templates.items():
        filled = [part.fill(blank) for part in _parts(template) if not part.is_empty(values)]
        if filled:
            pairs.append((name, ",".join(filled)))
    return tuple(pairs)


def refill(pairs: Pairs, templates: Mapping[str, Template], values: Mapping[str, str]) -> Pairs:
    """The pairs, of which only those that depend on the page are filled again."""
    paged = {name: template for name, template in templates.items() if _is_paged(template)}
    if not paged:
        return pairs
    fresh = dict(fill(paged, values))
    kept = tuple(
        [
            (name, value if isinstance(value, Secret) else fresh.pop(name, value))
            for name, value in pairs
            if name not in paged or name in fresh
        ]
    )
    return kept + tuple(fresh.items())


@lru_cache(maxsize=2_000)
def _is_paged(template: Template) -> bool:
    return any(not PAGING.isdisjoint(part.names) for part in _parts(template))


def fill_url(template: str, values: Mapping[str, str]) -> str:
    """The address, with percent-encoded values."""
    return _fill_text(
        template, {name: quote(values.get(name, ""), safe="") for name in names(template)}
    )


def fill_content(template: RequestTemplate, values: Mapping[str, str]) -> str:
    """Returns the JSON or plain text of a POST; "" if its body is a form, or if there is none.

    A member of JSON is left out if all of its placeholders are empty. A table is left out with its
    constants, which mean nothing without the value (`{ field = "year", value = "{years}" }`). An
    array loses only such members.
    """
    if template.json is None:
        return _fill_text(template.text, values)
    return json.dumps(_fill_json(template.json, values), ensure_ascii=False, separators=(",", ":"))


def _fill_json(value: Any, values: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        alone = value[1:-1] if value[:1] + value[-1:] == "{}" else ""
        return int(values[alone]) if alone in NUMBERS else _fill_text(value, values)
    if isinstance(value, Mapping):
        return {
            name: _fill_json(member, values)
            for name, member in value.items()
            if not _is_void(member, values)
        }
    if isinstance(value, list):
        return [_fill_json(member, values) for member in value if not _is_void(member, values)]
    return value


def _is_void(value: Any, values: Mapping[str, str]) -> bool:
    """Whether a member of a JSON body is left out."""
    if isinstance(value, str):
        used = names(value)
        return bool(used) and not any(map(values.get, used))
    if isinstance(value, list):
        return bool(value) and all(_is_void(member, values) for member in value)
    if isinstance(value, Mapping):
        worded = [member for member in value.values() if any(_names_within(member))]
        return bool(worded) and all(_is_void(member, values) for member in worded)
    return False


def _names_within(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from names(value)
    elif isinstance(value, (Mapping, list)):
        for member in value.values() if isinstance(value, Mapping) else value:
            yield from _names_within(member)


class _Part(NamedTuple):
    """One template and its placeholders. `alone`: the placeholder that is the whole template; ""
    where there is more than that.
    """

    template: str
    names: tuple[str, ...]
    alone: str

    def is_empty(self, values: Mapping[str, str]) -> bool:
        """Whether there are placeholders, and none of them has a value."""
        return bool(self.names) and not any(map(values.get, self.names))

    def fill(self, values: _Blank) -> str:
        return values[self.alone] if self.alone else self.template.format_map(values)


@lru_cache(maxsize=2_000)
def _parts(template: Template) -> tuple[_Part, ...]:
    """The templates of which one consists, without empty ones."""
    found = []
    for part in (template,) if isinstance(template, str) else template:
        if part:
            used = names(part)
            alone = used[0] if len(used) == 1 and part == f"{{{used[0]}}}" else ""
            found.append(_Part(part, used, alone))
    return tuple(found)


def _fill_text(template: str, values: Mapping[str, str]) -> str:
    return template.format_map(_Blank(values))


class _Blank(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return ""


# Links to the next page in a response, as `links.next` of JSON:API: which ones are followed.

#: The usual ports of schemes.
_PORTS = {"http": 80, "https": 443}


def follow_link(request: Request, link: str) -> Request | None:
    """Returns the request for a link; None if the link cannot be read or leads somewhere else.

    A link must have the scheme, host and port of the request. There is one exception: a link with
    http to the host that was asked with https is asked with https, because servers behind a proxy
    write such links.

    The server may have repeated our secrets in the link. They are removed by name, and the request
    keeps its own, so that secrets are neither shown nor a part of the key.
    """
    secret = {name for name, value in request.params if isinstance(value, Secret)}
    try:
        here, there = urlsplit(request.url), urlsplit(urljoin(request.url, link.strip()))
        same = here.hostname == there.hostname and "@" not in there.netloc
        ports = (here.port or _PORTS.get(here.scheme), there.port or _PORTS.get(there.scheme))
    except ValueError:
        return None
    upgraded = (here.scheme, there.scheme, ports) == ("https", "http", (443, 80))
    equal = here.scheme == there.scheme and ports[0] == ports[1]
    if not same or not (equal or upgraded):
        return None
    query = _without(there.query, secret)
    url = there._replace(scheme=here.scheme, netloc=here.netloc, query=query, fragment="").geturl()
    return replace(
        request, url=url, params=tuple(pair for pair in request.params if pair[0] in secret)
    )


def _without(query: str, names: Collection[str]) -> str:
    """A query string without the parameters of these names, otherwise unchanged."""
    return "&".join(
        part for part in query.split("&") if unquote_plus(part.partition("=")[0]) not in names
    )


# [auth] of a spec + environment -> a request's secret, or the request that fetches its token.


def secret(source: str, auth: Auth, env: Mapping[str, str]) -> Secret:
    """The secret of one [auth.NAME], whose variables are set."""
    value, password = (env.get(name, "").strip() for name in (auth.env, auth.secret_env))
    if auth.kind == "key":
        return Secret(auth.prefix + value)
    headers: Pairs = ()
    if auth.kind == "oauth2":
        headers = (("Authorization", _basic(value, password)),)
        fields: Pairs = (
            ("grant_type", "client_credentials"),
            *((("scope", auth.scope),) if auth.scope else ()),
        )
    else:
        fields = tuple(
            (name, _login_value(template, value, password)) for name, template in auth.login.items()
        )
    login = Request(
        source=source,
        url=auth.token_url,
        method="POST",
        headers=(("Accept", JSON), *headers),
        body=fields,
        content_type=JSON if auth.kind == "login" else "",
        step="token",
        private=True,
    )
    return Grant(login, auth.prefix)


def _basic(client: str, password: str) -> Secret:
    """Client id and secret in a header, as in RFC 6749, 2.3.1: form-encoded, then as RFC 7617."""
    pair = f"{quote_plus(client)}:{quote_plus(password)}"
    return Secret(f"Basic {b64encode(pair.encode()).decode()}", (client, password))


def _login_value(template: str, value: str, password: str) -> str | Secret:
    text = template.format(id=value, secret=password)
    return text if text == template else Secret(text, tuple(filter(None, (value, password))))


# Query + spec -> the first request, and what could not be expressed. No clause is lost without a
# note: if the database cannot express a clause, the records are filtered by the clause if possible,
# and `Plan.notes` has a sentence.


@dataclass(frozen=True, slots=True)
class Plan:
    """What is sent to one source.

    Attributes:
        request: The first request; `parse` returns the later ones.
        sent: The query in the syntax of the database, for users.
        notes: One sentence for each thing that could not be expressed.
        residual: The query by which the records have to be filtered; None if there is none.
    """

    request: Request
    sent: str
    notes: tuple[str, ...] = ()
    residual: Query | None = None


def plan(
    query: Query,
    spec: AdapterSpec,
    wanted: int = 20,
    env: Mapping[str, str] | None = None,
    depth: int | None = None,
) -> Plan:
    """Translates a query for one source.

    `depth`: how many records the search wants at a time; None for all of them. This sets the size
    of the pages, so that a later search for more records sends the same requests.

    Raises:
        CannotAsk: The source cannot express the query, or the spec refuses a part of it.
        KeyMissing: A required secret is not in `env`.
        SwitchedOff: The source is switched off for all searches.
    """
    _check_switch(spec)
    if spec.hook is not None:
        hook = getattr(import_module(f"metasearch.adapters.hooks.{spec.hook}"), "plan", None)
        if hook is not None:
            return hook(query, spec, wanted, env or {}, depth)  # type: ignore[no-any-return]
    return plan_request(query, spec, wanted, env or {}, depth)


def _check_switch(spec: AdapterSpec) -> None:
    if spec.barred:
        raise SwitchedOff(spec.name)


#: The note of a source that is asked by relevance where the newest records are wanted.
NOT_BY_DATE = message("cannot sort by date: its records are the most relevant ones, sorted here")
#: The same of a source whose newest records would fit hardly more than one of the words.
ANY_WORD = message("finds any of the words: its records are the most relevant ones, sorted here")


def why_not_by_date(spec: AdapterSpec, query: Query) -> str:
    """Why a source is not asked for its newest records, for its notes; "" if it is."""
    if spec.newest is None:
        return NOT_BY_DATE
    if spec.query.style != "params" or not spec.query.scored:
        return ""
    words = [
        word
        for term in terms(query)
        if term.field not in CODED_FIELDS
        for word in term.text.split()
    ]
    return ANY_WORD if len(words) > 1 else ""


def newest_first(spec: AdapterSpec) -> AdapterSpec:
    """Returns the source as it is asked for its newest records; `spec` if it cannot sort by date.

    The database does not rank by how many of the plain words it finds then, so all must occur.
    """
    if spec.newest is None:
        return spec
    return replace(spec, request=spec.newest, query=replace(spec.query, plain=""))


def plan_request(
    query: Query,
    spec: AdapterSpec,
    wanted: int,
    env: Mapping[str, str],
    depth: int | None = None,
    *,
    translator: type[Translator] = Translator,
    most: int = MOST,
) -> Plan:
    """As `plan`, without the spec's hook: for use by hooks. `translator` writes the query. `most`:
    the most words in the place of the beginning of one, of which fewer are taken where the address
    would be too long.
    """
    fields = all_names(spec.request).intersection(FIELDS)
    writer = translator(spec.name, spec.query, fields, most=most)
    values = writer.write(query)
    request = _first_request(values, spec, wanted, env, depth)
    longest = spec.request.longest
    length = _length(request, longest) if request.method == "GET" else 0
    if length > longest and writer.spelled_out and most > 1:
        return plan_request(
            query, spec, wanted, env, depth, translator=translator, most=max(1, most // 3)
        )
    if length > longest:
        raise CannotAsk(
            spec.name,
            message("all of this query"),
            message(
                "it is too long for this source: {length} of {longest} characters",
                length=f"{length:,}",
                longest=f"{longest:,}",
            ),
        )
    losses = writer.losses
    return Plan(
        request,
        _query_text(values),
        tuple(dict.fromkeys(losses.notes)),
        conjunction(*losses.clauses) if losses.clauses else None,
    )


def plan_relation(works: str, wanted: int, spec: AdapterSpec, env: Mapping[str, str]) -> Plan:
    """Returns the request for the works at the other end of citations.

    `works`: as the request names them. `spec`: that of a `Relation`. Raises KeyMissing: a required
    secret is not in `env`; SwitchedOff: the source is switched off for all searches.
    """
    _check_switch(spec)
    return Plan(_first_request({"query": works}, spec, wanted, env, None), works)


def _first_request(
    values: Mapping[str, str],
    spec: AdapterSpec,
    wanted: int,
    env: Mapping[str, str],
    depth: int | None,
) -> Request:
    """The request for the first page. `values`: placeholder -> its text."""
    wanted = max(1, min(wanted, spec.paging.window))
    size = min(depth or wanted, wanted, spec.paging.size)
    first = spec.paging.first if spec.paging.kind == "cursor" else ""
    asked = tuple(values.items())
    values = {**values, **paging_values(0, size, first)}
    template = spec.request
    params, headers, body = (
        fill(t, values) for t in (template.params, template.headers, template.body)
    )
    params, headers = _with_keys(spec, params, headers, env)
    return Request(
        source=spec.name,
        url=fill_url(template.url, values),
        method=template.method,
        params=params,
        headers=headers,
        body=body,
        content=fill_content(template, values),
        content_type=template.content_type,
        values=asked,
        total_header=spec.total_header,
        redirects=template.redirects,
        start=0,
        size=size,
        cursor=first if spec.paging.kind == "cursor" else None,
        wanted=wanted,
    )


#: Characters of an address that one character takes at most: three for each byte of UTF-8.
_ENCODED = 12


def _length(request: Request, longest: int) -> int:
    """Characters of the address; 0 where it is surely not longer than the longest."""
    written = sum([len(name) + len(value) + 2 for name, value in public(request.params)])
    return len(request.log_url) if len(request.url) + _ENCODED * written > longest else 0


def _query_text(values: Mapping[str, str]) -> str:
    """The query in the syntax of the database, for users."""
    fielded = (f"{field}: {values[field]}" for field in FIELDS if values.get(field))
    sent = "; ".join(filter(None, (values.get("query"), *fielded)))
    if not values.get("years"):
        return sent
    return f"{sent} [{values['years']}]" if sent else values["years"]


def plan_enrichment(doi: str, spec: AdapterSpec, env: Mapping[str, str]) -> Request:
    """Returns the request for what a source knows about one work.

    `spec`: the source; its `enrich` is not None. Raises KeyMissing: a required secret is not in
    `env`; SwitchedOff: the source is switched off for all searches.
    """
    assert spec.enrich is not None
    _check_switch(spec)
    template, values = spec.enrich.request, {str(spec.enrich.by): doi}
    params, headers = _with_keys(
        spec, fill(template.params, values), fill(template.headers, values), env
    )
    url = fill_url(template.url, values)
    return Request(source=spec.name, url=url, params=params, headers=headers, size=1, wanted=1)


def plan_lookup(by: str, works: Sequence[str], spec: AdapterSpec, env: Mapping[str, str]) -> Plan:
    """Returns the request for what a source knows about some works, by [lookup.request].

    `by`: an identifier that the request has a placeholder for. Raises as `plan_enrichment`.
    """
    assert spec.lookup_request is not None
    _check_switch(spec)
    template = spec.lookup_request
    values = {by: spec.query.either.get(by, "").join(works), "size": str(len(works))}
    params, headers = _with_keys(
        spec, fill(template.params, values), fill(template.headers, values), env
    )
    content = _of_each(template.json, by, works)
    request = Request(
        source=spec.name,
        url=fill_url(template.url, values),
        method=template.method,
        params=params,
        headers=headers,
        content=json.dumps(content, separators=(",", ":")) if content else "",
        content_type=template.content_type if content else "",
        step=LOOKUP,
        size=len(works),
        wanted=len(works),
    )
    return Plan(request, f"{by}: …")


def _of_each(value: Any, by: str, works: Sequence[str]) -> Any:
    """JSON, with each string of an array that names `by` once for each work."""
    if isinstance(value, Mapping):
        return {name: _of_each(member, by, works) for name, member in value.items()}
    if not isinstance(value, list):
        return value
    named = [member for member in value if isinstance(member, str) and by in names(member)]
    return [_fill_text(member, {by: work}) for member in named for work in works]


def _with_keys(
    spec: AdapterSpec, params: Pairs, headers: Pairs, env: Mapping[str, str]
) -> tuple[Pairs, Pairs]:
    """Parameters and headers, with the secrets whose variables are set."""
    for auth in spec.auth:
        missing = [name for name in auth.variables if not env.get(name, "").strip()]
        if missing and auth.required:
            raise KeyMissing(spec.name, missing[0], auth.get)
        if not missing:
            pair = (auth.name, secret(spec.name, auth, env))
            if auth.where == "headers":
                headers = (*headers, pair)
            else:
                params = (*params, pair)
    return params, headers


def next_request(
    spec: AdapterSpec, request: Request, *, got: int, total: int | None, cursor: str | None
) -> Request | None:
    """Returns the request for the next page; None if there is none, or no more is wanted.

    `got`: how many record nodes this page had, readable or not. `total`: the number of hits of the
    source; None if it is not known. `cursor`: the cursor or link in this page; None if there is
    none.
    """
    kind = spec.paging.kind
    start = request.start + got
    limit = min(request.wanted, spec.paging.window, total if total is not None else request.wanted)
    if got == 0 or start >= limit or kind == "none" or request.step == LOOKUP:
        return None
    if kind in ("cursor", "link") and (not cursor or cursor == request.cursor):
        return None
    if kind == "page" and (got < request.size or start + request.size > spec.paging.window):
        return None
    # A database refuses a page that ends outside the window, so the last page is shorter.
    size = min(request.size, spec.paging.window - start) if kind == "offset" else request.size
    cursor = cursor if kind in ("cursor", "link") else None
    values = dict(request.values) | paging_values(start, size, cursor or "")
    template = spec.request
    if kind == "link":
        headers = refill(request.headers, template.headers, values)
        turned = replace(request, start=start, size=size, cursor=cursor, headers=headers)
        return follow_link(turned, cursor or "")
    return replace(
        request,
        start=start,
        size=size,
        cursor=cursor,
        url=request.url
        if PAGING.isdisjoint(names(template.url))
        else fill_url(template.url, values),
        params=refill(request.params, template.params, values),
        headers=refill(request.headers, template.headers, values),
        body=refill(request.body, template.body, values),
        content=fill_content(template, values) if request.content else "",
    )
