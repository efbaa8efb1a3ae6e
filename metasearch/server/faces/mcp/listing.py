"""The tool `list_sources`: which sources there are, what they hold, and whether they answer."""

from __future__ import annotations

from typing import Any

from metasearch.formats.text import line
from metasearch.server.faces.mcp.arguments import check_names, text
from metasearch.server.faces.mcp.budget import MOST_TOKENS, cut, size
from metasearch.server.faces.mcp.calls import Call, ToolError
from metasearch.server.sources import SourceView, view

_LONGEST_COVERAGE = 160


async def list_sources(call: Call) -> dict[str, Any]:
    """Answers `list_sources`: {"sources": [{"name", "label", ...}], "groups", "notes"}."""
    check_names(call.arguments, ("group",))
    group = text(call.arguments, "group")
    engine = call.caller.engine
    await engine.ready()
    async with call.caller.computing():
        views = view(engine)
        groups = engine.registry.groups
        if group and group not in groups:
            raise ToolError(
                f"There is no group {cut(line(group), 40)!r}. Groups: {', '.join(sorted(groups))}."
            )
        members = set(engine.registry.expand([group])) if group else None
        shown = [each for each in views if members is None or each.name in members]
        return _answer(shown, sorted(groups))


def _answer(views: list[SourceView], groups: list[str]) -> dict[str, Any]:
    listed: list[dict[str, Any]] = []
    room = MOST_TOKENS - size(groups) - 500
    for source in views:
        entry = _source(source)
        room -= size(entry)
        if room < 0:
            break
        listed.append(entry)
    notes = []
    if len(listed) < len(views):
        notes.append(
            f"Only the first {len(listed)} of {len(views)} sources fit into one answer; name a "
            "group"
        )
    return {"sources": listed, "groups": groups, "notes": notes}


def _source(source: SourceView) -> dict[str, Any]:
    spec = source.spec
    entry: dict[str, Any] = {
        "name": source.name,
        "label": cut(line(source.label), _LONGEST_COVERAGE),
        "default": source.default,
        "status": source.status,
    }
    if spec is not None and spec.coverage:
        entry["coverage"] = cut(line(spec.coverage), _LONGEST_COVERAGE)
    return entry
