"""What a search would ask of each source, told without sending anything: `--explain-plan` and
`/plan`.

No transport, cache or loop is needed here, so nothing can be sent by mistake.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from metasearch.adapters.request import public
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan
from metasearch.engine.options import SearchKeywords, SearchOptions, search_options
from metasearch.engine.resolved import depth_of, query_of, reach_of, sources_of, with_files
from metasearch.errors import KeyMissing, SourceError
from metasearch.formats.text import clean, clean_or_none, line
from metasearch.query import Query, ReadQuery, to_text
from metasearch.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePlan:
    """What one source would be asked; nothing of it holds a secret.

    Attributes:
        source: Its name.
        label: What it is called.
        asked: Whether it would be asked.
        query: The query as the source would see it; also where it is not asked only because its key
            is missing.
        method: "GET" or "POST"; "" where nothing could be sent, as in the rest.
        url: Of the first request, with its parameters.
        body: What a POST would carry: form fields as pairs, or its text under the name "".
        filtered: What its records would be filtered by afterwards, in our own syntax; "" for
            nothing.
        notes: One sentence for each thing that is lost.
        reason: Why it would not be asked; "" where it would.
        advice: What can be done about that.
    """

    source: str
    label: str
    asked: bool
    query: str = ""
    method: str = ""
    url: str = ""
    body: tuple[tuple[str, str], ...] = ()
    filtered: str = ""
    notes: tuple[str, ...] = ()
    reason: str = ""
    advice: str = ""


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """A query as it was understood, and what each source would be asked.

    Attributes:
        query: In our own syntax.
        syntax: That it was read in, a key of `metasearch.query.SYNTAXES`.
        notes: One sentence for each thing that the text says and `query` does not.
        sources: Those that a search would turn to, in the order of asking; then those that are
            switched off.
    """

    query: str
    syntax: str
    notes: tuple[str, ...]
    sources: tuple[SourcePlan, ...]


class DryRun:
    """The plan of a search while it is made, one source a step.

    Args:
        read: What is searched for.
        registry: Knows the sources.
        names: Sources to ask.
        asked_for: What the user named, groups among them; None for the default set.
        env: Where secrets are looked up; none is shown.
        depth: Records that each source is asked for at a time.
        reach: Records that each may be asked for in the end.

    Attributes:
        steps: To be gone through; each computes for a millisecond or two, and raises UnknownSource
            where there is no source of a name, and SpecError where a spec is wrong.
    """

    def __init__(
        self,
        read: ReadQuery,
        registry: Registry,
        names: Sequence[str],
        asked_for: Sequence[str] | None,
        env: Mapping[str, str],
        depth: int,
        reach: int,
    ) -> None:
        self._read = read
        self._plans: list[SourcePlan] = []
        self.steps = self._steps(registry, names, asked_for, env, depth, reach)

    def _steps(
        self,
        registry: Registry,
        names: Sequence[str],
        asked_for: Sequence[str] | None,
        env: Mapping[str, str],
        depth: int,
        reach: int,
    ) -> Iterator[None]:
        for name in names:
            self._plans.append(_planned(self._read, registry.spec(name), env, depth, reach))
            yield
        for name in registry.disabled(asked_for):
            if name in names:
                continue
            advice = f"Set enabled = true under [sources.{name}], or name it in the search."
            label = registry.spec(name).label
            self._plans.append(
                SourcePlan(
                    source=name,
                    label=label,
                    asked=False,
                    reason="it is switched off",
                    advice=advice,
                )
            )
            yield

    @property
    def plan(self) -> QueryPlan:
        """What there is of it after the steps that were taken."""
        read = self._read
        return QueryPlan(to_text(read.query), read.syntax, read.notes, tuple(self._plans))


def explain_plan(
    query: str | Query | SearchOptions,
    *,
    settings: Settings | None = None,
    registry: Registry | None = None,
    **options: Unpack[SearchKeywords],
) -> QueryPlan:
    """What a search with these options would ask of each source. Nothing is sent, and no engine is
    needed.

    Args:
        query: Text, a tree, or options that hold one.
        settings: None takes the defaults.
        registry: Of an engine that is there; None makes one.
        **options: Fields of `SearchOptions`; they replace those of `query`.

    Raises:
        UsageError: The query or an option cannot be used.
        SpecError: A spec in use is wrong.
    """
    dry_run = planned(query, settings=settings, registry=registry, **options)
    for _ in dry_run.steps:
        pass
    return dry_run.plan


def planned(
    query: str | Query | SearchOptions,
    *,
    settings: Settings | None = None,
    registry: Registry | None = None,
    **options: Unpack[SearchKeywords],
) -> DryRun:
    """`explain_plan` in steps, for a caller that has other work in between; with the same arguments
    and errors.
    """
    settings = settings or Settings()
    registry = registry or Registry(settings)
    asked = search_options(query, options)
    read = query_of(asked)
    registry, named, _ = with_files(registry, asked.sources, ())
    names = sources_of(registry, named)
    depth = depth_of(asked, settings)
    return DryRun(read, registry, names, named, settings.env, depth, reach_of(depth))


def _planned(
    read: ReadQuery, spec: AdapterSpec, env: Mapping[str, str], depth: int, reach: int
) -> SourcePlan:
    lacking: KeyMissing | None = None
    try:
        try:
            found = plan(read.query, spec, reach, env, depth)
        except (
            KeyMissing
        ) as missing:  # whoever thinks of getting a key wants to see what it would be used for
            lacking = missing
            found = plan(
                read.query, spec, reach, dict.fromkeys(_variables(spec), "none") | dict(env), depth
            )
    except SourceError as error:
        return SourcePlan(
            source=spec.name,
            label=spec.label,
            asked=False,
            reason=str(error),
            advice=error.advice or "",
        )
    request = found.request
    content = request.content
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    return SourcePlan(
        source=spec.name,
        label=spec.label,
        asked=lacking is None,
        reason=str(lacking or ""),
        advice=lacking.advice or "" if lacking is not None else "",
        query=found.sent,
        method=request.method,
        url=request.shown,
        body=(*public(request.body), *((("", text),) if text else ())),
        filtered=to_text(found.residual) if found.residual is not None else "",
        notes=found.notes,
    )


def _variables(spec: AdapterSpec) -> list[str]:
    return [name for auth in spec.auth for name in auth.variables]


# --------------------------------------------------------------------------- as data, as text


def plan_object(found: QueryPlan) -> dict[str, Any]:
    """The plan as JSON has it: every key is always there."""
    return {
        "query": clean(found.query),
        "syntax": found.syntax,
        "notes": [clean(it) for it in found.notes],
        "sources": [_source_object(it) for it in found.sources],
    }


def _source_object(it: SourcePlan) -> dict[str, Any]:
    return {
        "source": it.source,
        "label": clean(it.label),
        "asked": it.asked,
        "query": clean_or_none(it.query),
        "method": it.method or None,
        "url": clean_or_none(it.url),
        "body": [[clean(name), clean(value)] for name, value in it.body],
        "filtered": clean_or_none(it.filtered),
        "notes": [clean(note) for note in it.notes],
        "reason": clean_or_none(it.reason),
        "advice": clean_or_none(it.advice),
    }


def plan_lines(found: QueryPlan) -> Iterator[str]:
    """The plan for people: a paragraph a source, without control characters."""
    yield f"query:  {line(found.query)}"
    yield f"syntax: {found.syntax}"
    for note in found.notes:
        yield f"note:   {line(note)}"
    for it in found.sources:
        yield ""
        if not it.asked:
            yield f"{it.source}: not asked: {line(it.reason)}"
            if it.advice:
                yield f"  {line(it.advice)}"
            if not it.method:
                continue
        else:
            yield f"{it.source} ({line(it.label)})"
        yield f"  query:    {line(it.query)}"
        yield f"  request:  {it.method} {line(it.url)}"
        for name, value in it.body:
            yield f"  body:     {line(f'{name}={value}' if name else value)}"
        if it.filtered:
            yield f"  filtered: {line(it.filtered)}"
        for note in it.notes:
            yield f"  note:     {line(note)}"
