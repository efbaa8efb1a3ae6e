"""`/sources`: all sources by group, with their states, in a form that begins a search in those that
the reader ticks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metasearch.adapters.spec import CONTACT, AdapterSpec, Auth
from metasearch.adapters.specs.shipped import real_answers
from metasearch.formats.text import line, web_url
from metasearch.query.writing import TARGETS
from metasearch.server.pages.language import Language
from metasearch.server.pages.page import page
from metasearch.server.pages.source_choice import PARTS, SourceChoice, standing, tickable
from metasearch.server.pages.source_groups import SourceGroup
from metasearch.server.pages.terms import N_
from metasearch.server.sources import SourceView
from metasearch.server.visit import Visit

#: The path of the page in the navigation.
CURRENT = "/sources?format=html"
#: Status of a source -> (icon, class, words to be translated).
_LOOKS = {
    "ok": ("done", "ok", N_("ready")),
    "half-open": ("clock", "slow", N_("to be tried again")),
    "paused": ("clock", "slow", N_("paused")),
    "open": ("warn", "failed", N_("left alone after failures")),
    "key missing": ("key", "off", N_("needs a key")),
    "disabled": ("no", "off", N_("off")),
    "misconfigured": ("warn", "failed", N_("wrongly configured")),
}
_FORBIDDEN = ("no", "off", N_("programs may not ask it"))
_FORBIDS = re.compile(r"\bforbid", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s()<>]+[^\s()<>.,;:]")
#: Characters of a text of a spec that are shown.
_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class KeyView:
    """A key or contact that a source takes. `address`: where a key can be had; None where that is
    not known. `contact`: whether it is the mail address of the operator, which is no secret.
    """

    env: str
    required: bool
    set: bool
    contact: bool
    address: str | None


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One source of the page.

    Attributes:
        icon, css, state: How its state looks, and its words, to be translated.
        forbidden: Whether its terms forbid that programs ask it.
        wait: (number, "seconds" or "minutes") until it is asked again; None where it may be asked.
        error: The last failure, a sentence of the core; "" for none.
        terms: Parts of the text, each with the address that it is, or None.
        languages: In words; [] where the spec names none or all.
        all_languages: Whether the source is said to have works in all languages.
        limits: (requests, seconds) of one server; None where they are not known.
        stated: Where the source states them; None where they are a guess.
        median, late: Seconds in which half, and 95 %, of the last answers came; None before the
            first.
        answers: (real answers that the tests of this release read, records in them); None for a
            spec that is not of this release.
        syntax: The query in the source's own syntax is called so by `/translate`; "" for none.
    """

    name: str
    label: str
    homepage: str | None
    coverage: str
    ticked: bool
    tickable: bool
    icon: str
    css: str
    state: str
    forbidden: bool
    wait: tuple[int, str] | None
    error: str
    docs: str | None
    terms: Sequence[tuple[str, str | None]]
    languages: Sequence[str]
    all_languages: bool
    query_language: str
    keys: Sequence[KeyView]
    limits: tuple[float, float] | None
    stated: str | None
    requests: int
    failures: int
    median: float | None
    late: float | None
    answers: tuple[int, int] | None
    syntax: str


@dataclass(frozen=True, slots=True)
class GroupView:
    """One group of the page. `ticked`: how many of all its sources are ticked; `rows` are those
    that are shown. `open`: whether its rows are unfolded.
    """

    name: str
    heading: str
    rows: Sequence[SourceRow]
    count: int
    ticked: int
    open: bool


def sources_page(visit: Visit, groups: Sequence[SourceGroup], choice: SourceChoice) -> str:
    """The whole page."""
    views = [_group(group, choice, visit.language) for group in groups]
    shown = [view for view in views if view.rows]
    names = {row.name for view in shown for row in view.rows}
    every = [source for group in groups for source in group.sources]
    return page(
        "sources.html",
        visit,
        visit.language.gettext("Databases"),
        current=CURRENT,
        groups=shown,
        choice=choice,
        parts=PARTS,
        count=len(every),
        ready=sum(source.usable for source in every),
        shown=len(names),
        hidden=sorted(choice.ticked - names),
    )


def _group(group: SourceGroup, choice: SourceChoice, language: Language) -> GroupView:
    rows = [_row(each, choice, language) for each in group.sources if choice.shows(each)]
    ticked = sum(each.name in choice.ticked for each in group.sources)
    return GroupView(
        group.name,
        group.heading,
        rows,
        len(group.sources),
        ticked,
        bool(ticked or choice.find or choice.show or choice.group == group.name),
    )


def _row(source: SourceView, choice: SourceChoice, language: Language) -> SourceRow:
    spec, state = source.spec, source.state
    terms = line(spec.terms)[:_LONGEST] if spec else ""
    forbidden = standing(source) == "disabled" and _FORBIDS.search(terms) is not None
    icon, css, words = _FORBIDDEN if forbidden else _LOOKS[standing(source)]
    limits, codes = source.limits, spec.languages if spec else ()
    everywhere = "*" in codes
    return SourceRow(
        name=source.name,
        label=line(source.label),
        homepage=source.homepage,
        coverage=line(spec.coverage)[:_LONGEST] if spec else "",
        ticked=source.name in choice.ticked,
        tickable=tickable(source),
        icon=icon,
        css=css,
        state=words,
        forbidden=forbidden,
        wait=_wait(state.until),
        error=line(state.last_error),
        docs=web_url(spec.docs) if spec else None,
        terms=[*_linked(terms)],
        languages=[] if everywhere else [language.language_name(code) for code in codes],
        all_languages=everywhere,
        query_language=line(spec.syntax)[:_LONGEST] if spec else "",
        keys=[*_keys(source)],
        limits=(limits.requests, limits.per) if limits else None,
        stated=web_url(limits.stated) if limits else None,
        requests=state.requests,
        failures=state.failures,
        median=_seconds(state.p50_ms),
        late=_seconds(state.p95_ms),
        answers=_answers(spec),
        syntax=source.name if forbidden and choice.query and source.name in TARGETS else "",
    )


def _keys(source: SourceView) -> Iterator[KeyView]:
    of_variable: dict[str, Auth] = {}
    for auth in source.spec.auth if source.spec else ():
        of_variable |= dict.fromkeys(auth.variables, auth)
    for key in source.keys:
        address = web_url(of_variable[key.env].get)
        yield KeyView(key.env, key.required, key.set, key.env == CONTACT, address)


def _wait(seconds: float) -> tuple[int, str] | None:
    """A time in its largest unit, rounded up: nobody comes too early."""
    if seconds <= 0:
        return None
    if seconds < 90:
        return max(1, round(seconds + 0.49)), "seconds"
    return max(1, round(seconds / 60 + 0.49)), "minutes"


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else round(milliseconds / 1000, 2)


def _answers(spec: AdapterSpec | None) -> tuple[int, int] | None:
    """What this release's tests read for its spec; a user's own or changed one is another."""
    is_shipped = spec is not None and spec.file == f"{spec.name}.toml"
    return real_answers().get(spec.name, (0, 0)) if spec is not None and is_shipped else None


def _linked(text: str) -> Iterator[tuple[str, str | None]]:
    """The parts of a text, its addresses apart."""
    at = 0
    for match in _ADDRESS.finditer(text):
        if match.start() > at:
            yield text[at : match.start()], None
        yield match[0], web_url(match[0])
        at = match.end()
    if at < len(text):
        yield text[at:], None
