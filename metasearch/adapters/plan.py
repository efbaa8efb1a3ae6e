"""Query + spec -> the first request, what is really asked, and what could not be expressed.

Nothing is lost in silence: a clause that the database cannot express is filtered afterwards where its records allow
it, or named in `Plan.notes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from string import Formatter
from urllib.parse import quote

from metasearch.adapters.request import Pairs, Request, Secret
from metasearch.adapters.spec import AdapterSpec, Template
from metasearch.adapters.translate import Writer
from metasearch.errors import KeyMissing
from metasearch.query.ast import FIELDS, Query, conjunction

_PAGING = frozenset({"size", "start", "start1", "page", "cursor"})


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


def plan(
    query: Query,
    spec: AdapterSpec,
    wanted: int = 20,
    env: Mapping[str, str] | None = None,
    depth: int | None = None,
) -> Plan:
    """Translate a query for one source.

    Args:
        query: The user's query.
        spec: The source.
        wanted: How many records the search may want from it in the end.
        env: Where the spec's secrets are looked up.
        depth: How many it wants at a time, which says how large a page is asked for, so that whoever goes deeper makes
            the same requests as whoever does not; None for all.

    Raises:
        CannotAsk: The spec refuses what it cannot express.
        KeyMissing: A required secret is not in `env`.
    """
    if spec.hook is not None:
        hook = getattr(import_module(f"metasearch.adapters.hooks.{spec.hook}"), "plan", None)
        if hook is not None:
            return hook(query, spec, wanted, env or {}, depth)  # type: ignore[no-any-return]
    return plan_request(query, spec, wanted, env or {}, depth)


def plan_request(
    query: Query, spec: AdapterSpec, wanted: int, env: Mapping[str, str], depth: int | None = None
) -> Plan:
    """`plan` without the spec's hook, for hooks to build on."""
    writer = Writer(spec.name, spec.query, _param_fields(spec))
    values = writer.write(query)
    wanted = max(1, min(wanted, spec.paging.window))
    size = min(depth or wanted, wanted, spec.paging.size)
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
    fielded = (f"{f}: {values[f]}" for f in FIELDS if values.get(f))
    sent = "; ".join(filter(None, (values.get("query"), *fielded)))
    if values.get("years"):
        sent = f"{sent} [{values['years']}]" if sent else values["years"]
    return Plan(request, sent, tuple(dict.fromkeys(writer.notes)), conjunction(*writer.lost) if writer.lost else None)


def next_request(
    spec: AdapterSpec, request: Request, *, got: int, total: int | None, cursor: str | None
) -> Request | None:
    """The request for the page that follows, or None where there is none or no more is wanted.

    Args:
        spec: The source.
        request: What was asked for this page.
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
    if kind == "page" and (got < request.size or start + request.size > spec.paging.window):
        return None
    # What reaches beyond the window is refused as a whole, so the last page is a short one.
    size = min(request.size, spec.paging.window - start) if kind == "offset" else request.size
    cursor = cursor if kind == "cursor" else None
    values = _paging_values(start, size, cursor or "")
    template = spec.request
    return replace(
        request,
        params=_refill(request.params, template.params, values),
        body=_refill(request.body, template.body, values),
        start=start,
        size=size,
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


@lru_cache(maxsize=2_000)
def _names(template: str) -> tuple[str, ...]:
    return tuple([name for _, name, _, _ in Formatter().parse(template) if name])


def _parts(template: Template) -> tuple[str, ...]:
    return (template,) if isinstance(template, str) else template


def _param_fields(spec: AdapterSpec) -> frozenset[str]:
    templates = (spec.request.url, *spec.request.params.values(), *spec.request.body.values())
    return frozenset(FIELDS) & {name for t in templates for part in _parts(t) for name in _names(part)}


def _fill(templates: Mapping[str, Template], values: Mapping[str, str]) -> Pairs:
    """The pairs whose placeholders are not all empty."""
    out: list[tuple[str, str | Secret]] = []
    for name, template in templates.items():
        filled = []
        for part in _parts(template):
            used = _names(part)
            if not used or any(values.get(u) for u in used):
                filled.append(part.format_map(_Blank(values)))
        if filled:
            out.append((name, ",".join(filled)))
    return tuple(out)


def _refill(pairs: Pairs, templates: Mapping[str, Template], values: Mapping[str, str]) -> Pairs:
    """The pairs with the paging written anew."""
    out: list[tuple[str, str | Secret]] = []
    for name, value in pairs:
        template = templates.get(name, "")
        used = _names(template) if isinstance(template, str) else []
        paging = bool(used) and _PAGING.issuperset(used)
        out.append((name, str(template).format_map(_Blank(values)) if paging else value))
    return tuple(out)


def _fill_url(template: str, values: Mapping[str, str]) -> str:
    return template.format_map(_Blank({name: quote(values.get(name, ""), safe="") for name in _names(template)}))


class _Blank(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return ""
