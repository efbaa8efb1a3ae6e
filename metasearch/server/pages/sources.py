"""`/sources`: all sources by group, with their states, in a form that begins a search in those that
the reader ticks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from multidict import MultiMapping

from metasearch.adapters.request import Budget
from metasearch.adapters.spec import CONTACT, AdapterSpec, Auth
from metasearch.adapters.specs.specfile import real_answers
from metasearch.engine.citations import GROUP as CITATIONS_GROUP
from metasearch.engine.lookup import GROUP, RARE_GROUP
from metasearch.formats.text import line, web_url
from metasearch.language import ReaderLanguage
from metasearch.query.syntaxes import TARGETS
from metasearch.server.pages.environment import N_
from metasearch.server.pages.page import page
from metasearch.server.sources import SourceKey, SourceView
from metasearch.server.visit import Visit

if TYPE_CHECKING:
    from metasearch.adapters.specs.registry import Registry


#: Group -> its heading, in the order of the page; a source stands in the first of its groups.
#: Groups of the configuration that are not here come second, under their own names.
HEADINGS: Mapping[str, str] = {
    "default": N_("Asked by default"),
    "general": N_("All subjects"),
    "chinese": N_("Chinese databases"),
    "japanese": N_("Japanese databases"),
    "korean": N_("Korean databases"),
    "medicine": N_("Medicine"),
    "registries": N_("Registers of trials"),
    "life-sciences": N_("Life sciences"),
    "physics": N_("Physics"),
    "mathematics": N_("Mathematics"),
    "engineering": N_("Engineering"),
    "computing": N_("Computing"),
    "economics": N_("Economics"),
    "education": N_("Education"),
    "social-sciences": N_("Social sciences"),
    "humanities": N_("Humanities"),
    "patents": N_("Patents"),
    "data": N_("Research data"),
    "preprints": N_("Preprints"),
    "books": N_("Books and library catalogues"),
    "theses": N_("Theses"),
    "open-access": N_("Open access"),
}
#: The group of the page for sources that are in no group; no group of a configuration has this
#: name, which is no name of one.
OTHERS = "-"
_OTHERS_HEADING = N_("Other databases")


@dataclass(frozen=True, slots=True)
class SourceGroup:
    """A group of the page. `name`: as searches name it; `OTHERS` for the rest. `heading`: to be
    translated.
    """

    name: str
    heading: str
    sources: Sequence[SourceView]


def group_sources(registry: Registry, sources: Iterable[SourceView]) -> list[SourceGroup]:
    """The groups that have sources, each source in one. `sources`: in the order that they keep
    within a group.
    """
    known = [*HEADINGS]
    own = sorted({*registry.groups} - {*known, "all", GROUP, RARE_GROUP, CITATIONS_GROUP})
    order = [known[0], *own, *known[1:]]
    place = {name: at for at, name in enumerate(order)}
    members: dict[str, list[SourceView]] = {}
    for source in sources:
        groups = [name for name in registry.groups_of(source.name) if name in place]
        if not source.default:
            groups = [name for name in groups if name != "default"]
        members.setdefault(min(groups, key=place.__getitem__, default=OTHERS), []).append(source)
    return [
        SourceGroup(name, HEADINGS.get(name, _OTHERS_HEADING if name == OTHERS else name), found)
        for name in (*order, OTHERS)
        if (found := members.get(name))
    ]


# What a reader has chosen on `/sources`: the ticked sources and what is shown of the list, all in
# the address. A button ends the form: it searches, ticks all or none of a group, or shows a part of
# the list.

#: Parameters of the page; `sources` is that of a search.
QUERY, SOURCES, FIND, SHOW, CHOSEN, ALL, NONE, DO = (
    "q", "sources", "find", "show", "chosen", "all", "none", "do",
)  # fmt: skip
#: The value of `do` that searches.
SEARCH = "search"
#: Part of the list -> what it is called; "" is the whole.
PARTS: Mapping[str, str] = {
    "": N_("All"),
    "ready": N_("Ready"),
    "key": N_("In need of a key"),
    "failing": N_("Paused or failing"),
    "off": N_("Not asked by programs"),
}
_OF_STATUS = {
    "ok": "ready",
    "half-open": "ready",
    "failing": "failing",
    "paused": "failing",
    "open": "failing",
    "misconfigured": "failing",
    "key missing": "key",
    "disabled": "off",
}
#: Characters that are searched for in the list, and names that the page repeats although there is
#: no such source.
_LONGEST_WORDS, _MOST_UNKNOWN = 100, 5


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """What the address of the page says.

    Attributes:
        query: For the search that follows.
        unknown: Names in the address that are no sources, the first ones.
        find: Shows the sources that have it in their name or description; "" shows all.
        show: One of `PARTS`.
        group: The group that a button has just ticked or cleared; "" for none.
        search: Whether the search shall begin.
    """

    query: str
    ticked: frozenset[str]
    unknown: Sequence[str]
    find: str
    show: str
    group: str
    search: bool

    def shows(self, source: SourceView) -> bool:
        """Whether the source is in the part of the list that is shown."""
        if self.show and _OF_STATUS.get(status_of_source(source)) != self.show:
            return False
        spec = source.spec
        texts = (source.name, source.label, spec.coverage if spec else "")
        return self.find.casefold() in "\n".join(texts).casefold()

    def changed(self, group: str, members: Iterable[SourceView], *, ticked: bool) -> SourceChoice:
        """With all or none of the shown members of a group, of those that can be ticked at once."""
        names = {
            each.name for each in members if self.shows(each) and (not ticked or askable(each))
        }
        return replace(
            self, group=group, ticked=self.ticked | names if ticked else self.ticked - names
        )


def status_of_source(source: SourceView) -> str:
    """The status of a source; one that is off is "disabled" also where its key is missing, and
    "failing" is one that may be asked and has not answered since it failed.
    """
    if source.spec is not None and not source.spec.enabled:
        return "disabled"
    if source.status == "ok" and source.state.last_error is not None:
        return "failing"
    return source.status


def askable(source: SourceView) -> bool:
    """Whether a search may ask the source, now or after a pause, without having named it alone."""
    return status_of_source(source) in ("ok", "failing", "half-open", "paused", "open")


def tickable(source: SourceView) -> bool:
    """Whether a search that names the source can ask it: one that is off can be named."""
    keyless = any(key.required and not key.set for key in source.keys)
    return source.spec is not None and not keyless and not source.spec.barred


def read_choice(
    given: MultiMapping[str],
    known: Collection[str],
    usual: Sequence[str],
    expand: Callable[[Sequence[str]], Sequence[str]],
    most: int,
) -> SourceChoice:
    """The choice in an address. `usual`: names that are ticked where the address has none."""
    texts = (name.strip() for value in given.getall(SOURCES, []) for name in value.split(","))
    named = [*dict.fromkeys(filter(None, texts))][:most]
    if not named and CHOSEN not in given:
        named = [*usual]
    sources = expand(named)
    show = given.get(SHOW, "")
    return SourceChoice(
        query=given.get(QUERY, "").strip(),
        ticked=frozenset(sources) & frozenset(known),
        unknown=[line(name)[:60] for name in sources if name not in known][:_MOST_UNKNOWN],
        find=line(given.get(FIND, ""))[:_LONGEST_WORDS],
        show=show if show in PARTS else "",
        group="",
        search=given.get(DO) == SEARCH,
    )


#: The path of the page in the navigation.
CURRENT = "/sources?format=html"
#: Status of a source -> (icon, class, words to be translated).
_LOOKS = {
    "ok": ("done", "ok", N_("ready")),
    "failing": ("warn", "slow", N_("its last request failed")),
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
_LONGEST_TEXT = 1_000


class BudgetView(NamedTuple):
    """What is left of what a source allows. `renewed`: as `SourceRow.wait`."""

    left: str
    all: str | None
    unit: str
    renewed: tuple[int, str] | None


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One source of the page, and what the page says of it beside.

    Attributes:
        icon, css, state: How its state looks, and its words, to be translated.
        forbidden: Whether its terms forbid that programs ask it.
        wait: (number, "seconds", "minutes" or "hours") until it is asked again; None where it may
            be asked.
        budget: What is left of what it allows; None where it does not say.
        terms: Parts of the text, each with the address that it is, or None.
        languages: In words; [] where the spec names none or all.
        all_languages: Whether the source is said to have works in all languages.
        keys: Each that it takes, and where it can be had; None where that is not known.
        stated: Where the source states its limits; None where they are a guess.
        median, late: Seconds in which half, and 95 %, of the last answers came; None before the
            first.
        answers: (real answers that the tests of this release read, records in them); None for a
            spec that is not of this release.
        syntax: The query in the source's own syntax is called so by `/translate`; "" for none.
    """

    view: SourceView
    coverage: str
    ticked: bool
    tickable: bool
    icon: str
    css: str
    state: str
    forbidden: bool
    wait: tuple[int, str] | None
    budget: BudgetView | None
    docs: str | None
    terms: Sequence[tuple[str, str | None]]
    languages: Sequence[str]
    all_languages: bool
    query_language: str
    keys: Sequence[tuple[SourceKey, str | None]]
    stated: str | None
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
    views = [_group(group, choice, visit.language) for group in groups]
    shown = [view for view in views if view.rows]
    names = {row.view.name for view in shown for row in view.rows}
    every = [source for group in groups for source in group.sources]
    return page(
        "sources.html",
        visit,
        visit.language.gettext("Databases"),
        current=CURRENT,
        groups=shown,
        choice=choice,
        parts=PARTS,
        contact=CONTACT,
        count=len(every),
        ready=sum(source.usable for source in every),
        shown=len(names),
        hidden=sorted(choice.ticked - names),
    )


def _group(group: SourceGroup, choice: SourceChoice, language: ReaderLanguage) -> GroupView:
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


def _row(source: SourceView, choice: SourceChoice, language: ReaderLanguage) -> SourceRow:
    spec, state = source.spec, source.state
    terms = line(spec.terms)[:_LONGEST_TEXT] if spec else ""
    forbidden = status_of_source(source) == "disabled" and _FORBIDS.search(terms) is not None
    icon, css, words = _FORBIDDEN if forbidden else _LOOKS[status_of_source(source)]
    limits, codes = source.limits, spec.languages if spec else ()
    everywhere = "*" in codes
    return SourceRow(
        view=source,
        coverage=line(language.phrase(spec.coverage))[:_LONGEST_TEXT] if spec else "",
        ticked=source.name in choice.ticked,
        tickable=tickable(source),
        icon=icon,
        css=css,
        state=words,
        forbidden=forbidden,
        wait=_wait(state.until),
        budget=_budget(state.budget),
        docs=web_url(spec.docs) if spec else None,
        terms=[*_link_parts(terms)],
        languages=[] if everywhere else [language.language_name(code) for code in codes],
        all_languages=everywhere,
        query_language=line(spec.syntax)[:_LONGEST_TEXT] if spec else "",
        keys=[*_keys(source)],
        stated=web_url(limits.stated) if limits else None,
        median=_seconds(state.p50_ms),
        late=_seconds(state.p95_ms),
        answers=_answers(spec),
        syntax=source.name if forbidden and choice.query and source.name in TARGETS else "",
    )


def _keys(source: SourceView) -> Iterator[tuple[SourceKey, str | None]]:
    of_variable: dict[str, Auth] = {}
    for auth in source.spec.auth if source.spec else ():
        of_variable |= dict.fromkeys(auth.variables, auth)
    for key in source.keys:
        yield key, web_url(of_variable[key.env].get)


def _wait(seconds: float) -> tuple[int, str] | None:
    """A time in its largest unit, rounded up: nobody comes too early."""
    if seconds <= 0:
        return None
    if seconds < 90:
        return max(1, round(seconds + 0.49)), "seconds"
    if seconds < 2 * 3600:
        return max(1, round(seconds / 60 + 0.49)), "minutes"
    return round(seconds / 3600 + 0.49), "hours"


def _budget(budget: Budget | None) -> BudgetView | None:
    if budget is None:
        return None
    return BudgetView(
        f"{budget.left:,.10g}",
        None if budget.of is None else f"{budget.of:,.10g}",
        line(budget.unit),
        _wait(budget.renewed or 0.0),
    )


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else round(milliseconds / 1000, 2)


def _answers(spec: AdapterSpec | None) -> tuple[int, int] | None:
    """What this release's tests read for its spec; a user's own or changed one is another."""
    is_shipped = spec is not None and spec.file == f"{spec.name}.toml"
    return real_answers().get(spec.name, (0, 0)) if spec is not None and is_shipped else None


def _link_parts(text: str) -> Iterator[tuple[str, str | None]]:
    """The parts of a text, its addresses apart."""
    at = 0
    for match in _ADDRESS.finditer(text):
        if match.start() > at:
            yield text[at : match.start()], None
        yield match[0], web_url(match[0])
        at = match.end()
    if at < len(text):
        yield text[at:], None
