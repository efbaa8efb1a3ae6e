"""The sources as a server shows them: description, keys, limits and state."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from metasearch.errors import MetasearchError
from metasearch.formats.text import clean_or_none, web_url
from metasearch.language import DEFAULT, ReaderLanguage, language

if TYPE_CHECKING:
    from metasearch.adapters.fetch.health import SourceState
    from metasearch.adapters.spec import AdapterSpec, Limits
    from metasearch.engine.engine import Engine

logger = logging.getLogger("metasearch.server")


#: "paused" to "half-open" are of `SourceState`, after the last searches.
SourceStatus = Literal[
    "ok", "paused", "open", "half-open", "key missing", "disabled", "misconfigured"
]


@dataclass(frozen=True, slots=True)
class SourceKey:
    """A key or contact that a source takes; never its value.

    Attributes:
        env: The variable that holds it.
        required: Whether the source cannot be asked without.
        set: Whether the variable has a value.
    """

    env: str
    required: bool
    set: bool


@dataclass(frozen=True, slots=True)
class SourceView:
    """One source.

    Attributes:
        spec: None where the configuration of the source is wrong.
        default: Whether it is asked when a search names none.
        keys: In the order of the spec.
        state: After the last searches.
        limits: Those of the whole server; None if `spec` is None.
    """

    name: str
    spec: AdapterSpec | None
    default: bool
    keys: tuple[SourceKey, ...]
    state: SourceState
    limits: Limits | None

    @property
    def label(self) -> str:
        return self.spec.label if self.spec else self.name

    @property
    def homepage(self) -> str | None:
        return web_url(self.spec.homepage) if self.spec else None

    @property
    def status(self) -> SourceStatus:
        if self.spec is None:
            return "misconfigured"
        if any(key.required and not key.set for key in self.keys):
            return "key missing"
        return self.state.state if self.spec.enabled else "disabled"

    @property
    def usable(self) -> bool:
        """Whether a search would ask it now."""
        return self.status in ("ok", "half-open")


#: From the best to the worst.
_STANDING = ("ok", "half-open", "paused", "open")


def join_states(lists: Iterable[Sequence[SourceState]]) -> list[SourceState]:
    """Joins the states of all workers: the worst of each source, with the sums of its counts."""
    of_source: dict[str, list[SourceState]] = {}
    for state in (state for states in lists for state in states):
        of_source.setdefault(state.source, []).append(state)
    return [_join_states(states) for states in of_source.values()]


def _join_states(states: Sequence[SourceState]) -> SourceState:
    worst = max(
        states,
        key=lambda state: (
            _STANDING.index(state.state),
            state.until,
            state.last_error is not None,
        ),
    )
    budgets = [state.budget for state in states if state.budget is not None]
    return replace(
        worst,
        budget=min(budgets, key=lambda budget: budget.left, default=None),
        requests=sum(state.requests for state in states),
        failures=sum(state.failures for state in states),
        fresh=sum(state.fresh for state in states),
        stale=sum(state.stale for state in states),
        spared=sum(state.spared for state in states),
        p50_ms=max((state.p50_ms for state in states if state.p50_ms is not None), default=None),
        p95_ms=max((state.p95_ms for state in states if state.p95_ms is not None), default=None),
    )


def view(engine: Engine, states: Iterable[SourceState] | None = None) -> list[SourceView]:
    """All sources, default ones first. `states`: their states; None asks the engine."""
    default = engine.registry.default()
    env = engine.settings.env
    views = []
    for state in engine.source_states() if states is None else states:
        spec = _spec(engine, state.source)
        named = [
            (name, auth.required) for auth in (spec.auth if spec else ()) for name in auth.variables
        ]
        keys = tuple(SourceKey(name, required, bool(env.get(name))) for name, required in named)
        limits = engine.registry.limits(state.source) if spec else None
        views.append(SourceView(state.source, spec, state.source in default, keys, state, limits))
    return sorted(views, key=lambda source: (not source.default, source.name))


def labels(
    engine: Engine, names: Iterable[str], reader: ReaderLanguage | None = None
) -> dict[str, str]:
    """Source name -> the name for people, who read English where no `reader` is given."""
    phrase = (reader or language(DEFAULT)).phrase
    specs = {name: _spec(engine, name) for name in names}
    return {name: phrase(spec.label) if spec else name for name, spec in specs.items()}


def _spec(engine: Engine, name: str) -> AdapterSpec | None:
    try:
        return engine.registry.spec(name)
    except MetasearchError as exc:
        logger.warning("source %s cannot be used: %s", name, exc)
        return None


class SourceBudget(TypedDict):
    """What a source allows, as its last answer said."""

    left: Annotated[float, "How much of it is left."]
    of: Annotated[float | None, "How much there is in all."]
    unit: Annotated[str, "requests, credits, USD, or a word of the database."]
    seconds_until_renewed: Annotated[int | None, "Until it is whole again."]


class SourceLimits(TypedDict):
    """What this server asks of a source at most."""

    requests: Annotated[float, "At most so many requests"]
    per: Annotated[float, "in so many seconds."]
    concurrency: Annotated[int, "Requests at once."]
    timeout: Annotated[float, "Seconds for one answer."]
    ttl: Annotated[float, "Seconds that its pages are kept in the cache."]


class SourceObject(TypedDict):
    """One entry of the JSON list."""

    name: Annotated[str, "What `sources=` calls it."]
    label: Annotated[str, "Its name for people."]
    homepage: Annotated[str | None, {"format": "iri"}]
    docs: Annotated[
        str | None, {"format": "iri", "description": "The documentation of its interface."}
    ]
    terms: Annotated[str | None, "Its terms of use: an address or a sentence."]
    coverage: Annotated[str | None, "What it holds."]
    languages: Annotated[list[str], "ISO 639 codes; * stands for many."]
    syntax: Annotated[str | None, "Its own query language, in words."]
    default: Annotated[bool, "Whether it is asked by a search that names no source."]
    usable: Annotated[bool, "Whether a search would ask it now."]
    status: SourceStatus
    seconds_until_asked: Annotated[float, "0 if it may be asked now."]
    last_error: Annotated[str | None, "Kept until it answers again."]
    requests: int
    failures: int
    cached_pages: Mapping[str, int]
    p50_ms: Annotated[float | None, "Milliseconds of half of the last answers."]
    p95_ms: Annotated[float | None, "Milliseconds of 95 % of the last answers."]
    budget: SourceBudget | None
    keys: Annotated[list[SourceKey], "Keys and contacts that it takes."]
    limits: SourceLimits | None


def source_object(source: SourceView) -> SourceObject:
    """For JSON, which has its keys as objects."""
    spec = source.spec
    return {
        "name": source.name,
        "label": source.label,
        "homepage": source.homepage,
        "docs": web_url(spec.docs) if spec else None,
        "terms": clean_or_none(spec.terms) if spec else None,
        "coverage": clean_or_none(spec.coverage) if spec else None,
        "languages": list(spec.languages) if spec else [],
        "syntax": clean_or_none(spec.syntax) if spec else None,
        "default": source.default,
        "usable": source.usable,
        "status": source.status,
        "seconds_until_asked": round(source.state.until, 1),
        "last_error": clean_or_none(source.state.last_error),
        "requests": source.state.requests,
        "failures": source.state.failures,
        "cached_pages": {
            "fresh": source.state.fresh,
            "stale": source.state.stale,
            "spared": source.state.spared,
        },
        "p50_ms": source.state.p50_ms,
        "p95_ms": source.state.p95_ms,
        "budget": {
            "left": budget.left,
            "of": budget.of,
            "unit": clean_or_none(budget.unit) or "requests",
            "seconds_until_renewed": None if budget.renewed is None else round(budget.renewed),
        }
        if (budget := source.state.budget)
        else None,
        "keys": list(source.keys),
        "limits": {
            "requests": source.limits.requests,
            "per": source.limits.per,
            "concurrency": source.limits.concurrency,
            "timeout": source.limits.timeout,
            "ttl": source.limits.ttl,
        }
        if source.limits
        else None,
    }
