"""Which sources the searches of a session ask: `filter` of one search, settings of all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from metasearch.server.faces.pazpar2.errors import (
    MALFORMED,
    NO_TARGETS,
    NOT_IMPLEMENTED,
    SETTING,
    TARGET,
    CommandRefused,
)
from metasearch.server.faces.pazpar2.parameters import Given, pairs

_MOST_SETTINGS = 500


def targets(text: str, sources: Iterable[str], labels: Mapping[str, str]) -> tuple[str, ...]:
    """The sources that a `filter` leaves: `pz:id=a|b` names them, `pz:id~a` those that contain a
    text; with commas all conditions hold, with "|" before them any. Raises CommandRefused: it is
    not written so, or it leaves none.
    """
    condition_holds = all
    if text.startswith("|"):
        text, condition_holds = text[1:], any
    sources = tuple(sources)
    conditions: list[frozenset[str]] = []
    for sign in "=", "~":
        for name, values in pairs("filter", text, "=~", only=sign):
            texts = _of_setting(name, sources, labels)
            conditions.append(
                frozenset(
                    source
                    for source in sources
                    if any(_holds(sign, value, texts[source]) for value in values)
                )
            )
    if not sources:
        raise CommandRefused(NO_TARGETS, "the settings of this session allow no source")
    if not conditions:
        return sources
    left = tuple(
        source for source in sources if condition_holds(source in each for each in conditions)
    )
    if not left:
        raise CommandRefused(
            NO_TARGETS, f"filter: {text[:200]} leaves none of {', '.join(sources)}"
        )
    return left


def _of_setting(name: str, sources: Sequence[str], labels: Mapping[str, str]) -> Mapping[str, str]:
    match name:
        case "pz:id" | "id":
            return {source: source for source in sources}
        case "pz:name":
            return labels
    raise CommandRefused(MALFORMED, f"filter: {name[:40]!r} is neither pz:id nor pz:name")


def _holds(sign: str, value: str, text: str) -> bool:
    return value == text if sign == "=" else value.lower() in text.lower()


def settings_of(given: Given) -> list[tuple[str, str]]:
    """A command's ("pz:allow[SOURCE]", value). Raises CommandRefused: there are too many."""
    settings = [(name, value) for name, value in given.values.items() if "[" in name]
    if len(settings) > _MOST_SETTINGS:
        raise CommandRefused(SETTING, f"more than {_MOST_SETTINGS} settings")
    return settings


def allowed(
    settings: Iterable[tuple[str, str]], before: Iterable[str], known: Sequence[str]
) -> tuple[str, ...]:
    """The sources of a session after `pz:allow[SOURCE]=1` or `=0`; "*" stands for all sources.
    Raises CommandRefused: a setting cannot be applied.
    """
    left, there = dict.fromkeys(before), frozenset(known)
    for name, value in settings:
        setting, _, target = name.partition("[")
        if not setting or not target.endswith("]"):
            raise CommandRefused(SETTING, f"{name[:100]}: write pz:allow[SOURCE]=1 or =0")
        target = target[:-1]
        if setting != "pz:allow":
            raise CommandRefused(NOT_IMPLEMENTED, f"{setting[:60]}: only pz:allow can be set")
        if value not in ("0", "1"):
            raise CommandRefused(SETTING, f"{name[:100]}: {value[:20]!r} is neither 1 nor 0")
        if target != "*" and target not in there:
            raise CommandRefused(TARGET, f"{target[:60]}: there is no such source")
        named = known if target == "*" else (target,)
        if value == "1":
            left |= dict.fromkeys(named)
        else:
            for source in named:
                left.pop(source, None)
    return tuple(left)
