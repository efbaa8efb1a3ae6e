"""The sources as a server shows them: what they are, what they need, and how they are doing."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from metasearch.errors import MetasearchError
from metasearch.formats.text import clean_or_none, web_url

if TYPE_CHECKING:
    from metasearch.adapters.fetch.health import SourceState
    from metasearch.adapters.spec import AdapterSpec, Limits
    from metasearch.engine.engine import Engine

logger = logging.getLogger("metasearch.server")


@dataclass(frozen=True, slots=True)
class Key:
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
        state: As the last searches found it.
        limits: Those of the whole server; None as `spec`.
    """

    name: str
    spec: AdapterSpec | None
    default: bool
    keys: tuple[Key, ...]
    state: SourceState
    limits: Limits | None

    @property
    def label(self) -> str:
        """For people."""
        return self.spec.label if self.spec else self.name

    @property
    def homepage(self) -> str | None:
        """Where a browser can read about it."""
        return web_url(self.spec.homepage) if self.spec else None

    @property
    def status(self) -> str:
        """One word: "misconfigured", "key missing", "disabled", or the state of `SourceState`."""
        if self.spec is None:
            return "misconfigured"
        if any(key.required and not key.set for key in self.keys):
            return "key missing"
        return self.state.state if self.spec.enabled else "disabled"

    @property
    def usable(self) -> bool:
        """Whether a search that asks it now may hope for an answer."""
        return self.status in ("ok", "half-open")


#: From the best to the worst.
_STANDING = ("ok", "half-open", "paused", "open")


def together(told: Iterable[Sequence[SourceState]]) -> list[SourceState]:
    """What holds for all workers of a server: of each source the worst state, and the sums of what
    was counted.
    """
    of_source: dict[str, list[SourceState]] = {}
    for state in (state for states in told for state in states):
        of_source.setdefault(state.source, []).append(state)
    return [_joined(states) for states in of_source.values()]


def _joined(states: Sequence[SourceState]) -> SourceState:
    worst = max(
        states, key=lambda it: (_STANDING.index(it.state), it.until, it.last_error is not None)
    )
    return replace(
        worst,
        requests=sum(it.requests for it in states),
        failures=sum(it.failures for it in states),
        fresh=sum(it.fresh for it in states),
        stale=sum(it.stale for it in states),
        spared=sum(it.spared for it in states),
        p50_ms=max((it.p50_ms for it in states if it.p50_ms is not None), default=None),
        p95_ms=max((it.p95_ms for it in states if it.p95_ms is not None), default=None),
    )


def view(engine: Engine, states: Iterable[SourceState] | None = None) -> list[SourceView]:
    """All sources, those first that are asked by default.

    Args:
        engine: Knows them.
        states: How they are doing; None asks the engine.
    """
    default = engine.registry.default()
    env = engine.settings.env
    views = []
    for state in engine.source_states() if states is None else states:
        spec = _spec(engine, state.source)
        named = [
            (name, auth.required) for auth in (spec.auth if spec else ()) for name in auth.variables
        ]
        keys = tuple(Key(name, required, bool(env.get(name))) for name, required in named)
        limits = engine.registry.limits(state.source) if spec else None
        views.append(SourceView(state.source, spec, state.source in default, keys, state, limits))
    return sorted(views, key=lambda it: (not it.default, it.name))


def labels(engine: Engine, names: Iterable[str]) -> dict[str, str]:
    """What people call the sources of those names."""
    specs = {name: _spec(engine, name) for name in names}
    return {name: spec.label if spec else name for name, spec in specs.items()}


def _spec(engine: Engine, name: str) -> AdapterSpec | None:
    try:
        return engine.registry.spec(name)
    except MetasearchError as exc:
        logger.warning("source %s cannot be used: %s", name, exc)
        return None


def source_object(it: SourceView) -> dict[str, Any]:
    """One entry of the JSON list."""
    spec = it.spec
    return {
        "name": it.name,
        "label": it.label,
        "homepage": it.homepage,
        "docs": web_url(spec.docs) if spec else None,
        "terms": clean_or_none(spec.terms) if spec else None,
        "coverage": clean_or_none(spec.coverage) if spec else None,
        "languages": list(spec.languages) if spec else [],
        "syntax": clean_or_none(spec.syntax) if spec else None,
        "default": it.default,
        "usable": it.usable,
        "status": it.status,
        "seconds_until_asked": round(it.state.until, 1),
        "last_error": clean_or_none(it.state.last_error),
        "requests": it.state.requests,
        "failures": it.state.failures,
        "cached_pages": {
            "fresh": it.state.fresh,
            "stale": it.state.stale,
            "spared": it.state.spared,
        },
        "p50_ms": it.state.p50_ms,
        "p95_ms": it.state.p95_ms,
        "keys": [{"env": key.env, "required": key.required, "set": key.set} for key in it.keys],
        "limits": {
            "requests": it.limits.requests,
            "per": it.limits.per,
            "concurrency": it.limits.concurrency,
            "timeout": it.limits.timeout,
            "ttl": it.limits.ttl,
        }
        if it.limits
        else None,
    }
