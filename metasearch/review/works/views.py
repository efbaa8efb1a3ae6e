"""The page of the works of a project: the list, its filters, and the buttons of decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from metasearch.formats.text import line
from metasearch.language import ReaderLanguage
from metasearch.message import message
from metasearch.review.page import (
    ACTION_WORDS,
    STAGE_WORDS,
    Clash,
    FormState,
    clash_of,
    decision_words,
    frame,
    user_names,
    verdict_buttons,
)
from metasearch.review.projects.log import Change
from metasearch.review.projects.projects import ProjectRow
from metasearch.review.reports.questions import BY_KEY, REASONS, WORDS
from metasearch.review.works.decisions import agreed_list
from metasearch.review.works.lists import WorksPage, WorksQuery
from metasearch.review.works.pins import ProjectPin
from metasearch.review.works.works import CitationLink, Finding, Stage, Work
from metasearch.server.pages.environment import FACET_HEADINGS, N_, TYPE_WORDS
from metasearch.server.pages.hit import HitView, Marker, hit_view
from metasearch.server.pages.page import page
from metasearch.server.visit import Visit

#: Works of a page.
PAGE = 20
#: Field of `WorksQuery` -> parameter of the address.
PARAMETERS: Mapping[str, str] = {
    "tags": "tag",
    "sources": "source",
    "steps": "step",
    "runs": "run",
    "first_runs": "first",
    "types": "type",
    "languages": "language",
    "open_access": "oa",
    "verdict": "verdict",
}
#: Order -> what the page calls it.
SORT_WORDS: Mapping[str, str] = {
    "added": N_("newest in the project"),
    "relevance": N_("best rank"),
    "title": N_("title"),
    "author": N_("first author"),
    "year": N_("newest"),
    "citations": N_("most cited"),
}
_HEADINGS: Mapping[str, str] = {
    "verdict": N_("Decision"),
    "tags": N_("Tags"),
    "sources": FACET_HEADINGS["source"],
    "types": FACET_HEADINGS["type"],
    "languages": FACET_HEADINGS["language"],
    "open_access": FACET_HEADINGS["oa"],
    "first_runs": N_("First found by run"),
}
#: Access -> its name.
_ACCESS_WORDS: Mapping[str, str] = {"closed": N_("closed"), "": N_("not said")}
#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "marked": N_("The decision was kept."),
    "tagged": N_("The tags were changed."),
    "saved": N_("Note and tags were saved."),
    "undone": N_("The change was undone."),
    "same": N_("The ticked works are one work now."),
    "apart": N_("The record is a work of its own now."),
    "listed": N_("The lists were saved."),
    "unpinned": N_("What was said by hand holds no more."),
}
#: Verdict of a pin -> what was said.
_PIN_WORDS: Mapping[str, str] = {
    "same": N_("said to be one work"),
    "different": N_("said to be different works"),
}
#: Records of a work, and pins of it, that a page shows.
_MOST_SHOWN = 50
#: Characters of the title of a record.
_LONGEST_TITLE = 200
#: Names of pages around the one that is shown.
_AROUND = 2


@dataclass(frozen=True, slots=True)
class FacetChoice:
    value: str
    text: str
    count: int
    ticked: bool


@dataclass(frozen=True, slots=True)
class FacetView:
    """A facet; `heading` is to be translated."""

    heading: str
    parameter: str
    choices: Sequence[FacetChoice]
    open: bool


@dataclass(frozen=True, slots=True)
class ChoiceLink:
    """A link, or the one that is chosen; `words` are to be translated."""

    words: str
    address: str
    here: bool


@dataclass(frozen=True, slots=True)
class FilterChip:
    text: str
    address: str


@dataclass(frozen=True, slots=True)
class PageLink:
    """A page of the list; `gap` stands for several that are not named."""

    number: int
    address: str
    here: bool = False
    gap: bool = False


@dataclass(frozen=True, slots=True)
class WorksListPage:
    """What the page is made from.

    Attributes:
        found: Uid of a work -> who found it.
        links: Uid of a work -> the citations that led to it.
        decided: Those with a decision in the stage.
        reasons: For which works were excluded so far.
        undo: The newest change that can be undone; None for none.
        formats: Names of the export formats.
        votes: Whether who looks screens the stage in a team.
        marker: Marks the words of the project.
        people: Uid of a user -> name, of those who have set pins.
    """

    page: WorksPage
    found: Mapping[str, Sequence[Finding]]
    links: Mapping[str, Sequence[CitationLink]]
    pins: Sequence[ProjectPin]
    total: int
    decided: int
    labels: Mapping[str, str]
    reasons: Sequence[str]
    undo: Change | None
    formats: Sequence[tuple[str, str]] = ()
    votes: bool = False
    marker: Marker | None = None
    people: Mapping[str, str] = field(default_factory=dict)


def works_page(
    visit: Visit,
    project: ProjectRow,
    query: WorksQuery,
    shown: WorksListPage,
    said: FormState,
    *,
    reason: str = "",
    told: str = "",
) -> str:
    made = frame(visit, project, "/works")
    base = f"{made.base}/works"
    first, _, last = query.years.partition("-")

    def address(**changes: object) -> str:
        return f"{base}?{urlencode(pairs(query, **changes))}"

    facets = _facets(visit.language, query, shown, decision_words(project.kind))
    stage = {"stage": query.stage, "sort": query.sort}
    return page(
        "projects/works.html",
        visit,
        f"{visit.language.gettext('Works')} · {line(project.title)}",
        current="/projects",
        frame=made,
        base=base,
        here=f"{address(start=query.start)}#marks",
        query=query,
        first_year=first,
        last_year=last if "-" in query.years else first,
        facets=facets,
        chips=_chips(visit.language, query, facets, address),
        clear=f"{base}?{urlencode(stage)}",
        stages=[
            ChoiceLink(words, address(stage=name, verdict="", start=0), name == query.stage)
            for name, words in STAGE_WORDS.items()
        ],
        sorts=[
            ChoiceLink(words, address(sort=name, start=0), name == query.sort)
            for name, words in SORT_WORDS.items()
        ],
        whose=[
            ChoiceLink(N_("The project"), address(voter="", start=0), not query.voter),
            ChoiceLink(N_("My votes"), address(voter="mine", start=0), bool(query.voter)),
        ]
        if shown.votes
        else [],
        total=shown.page.total,
        project_total=shown.total,
        decided=shown.decided,
        start=query.start,
        following=address(start=query.start + PAGE)
        if query.start + PAGE < shown.page.total
        else "",
        votes=shown.votes,
        works=[
            _work(visit, work, place, query.stage, shown)
            for place, work in enumerate(shown.page.works, shown.page.start + 1)
        ],
        labels=shown.labels,
        people=user_names(visit.language, shown.people),
        stage_words=STAGE_WORDS,
        decision_words=decision_words(project.kind),
        pin_words=_PIN_WORDS,
        action_words=ACTION_WORDS,
        verdicts=verdict_buttons(project.kind, query.stage),
        agreed=agreed_lists(project),
        reasons=shown.reasons,
        reason=reason,
        undo=shown.undo,
        pages=_pages(query, shown.page.total, address),
        hidden=pairs(query),
        formats=shown.formats,
        said=said,
        clash=_clash(visit, project, said, base, address(start=query.start)),
        done=told,
    )


def _clash(
    visit: Visit, project: ProjectRow, said: FormState, base: str, here: str
) -> Clash | None:
    """Of a note, or of a decision; where several works were decided on, each is looked at again."""
    if said.place == "lists":
        return lists_clash(said, visit, base, here)
    if mark := said.typed("mark"):
        return decision_clash(said, visit, project, base, here, mark.partition(":")[2])
    if "all" in said.fields:
        found = decision_clash(said, visit, project, base, here, "")
        return found and replace(found, fields=[])
    uid = said.typed("save")
    fields = [f"{name}-{uid}" for name in ("note", "tags", "had")]
    return clash_of(
        said,
        visit.language,
        {"text": N_("Note")},
        base,
        leave=here,
        sent=("back", "stage", "save", *fields),
        version=f"version-{uid}",
    )


def decision_clash(
    said: FormState, visit: Visit, project: ProjectRow, base: str, here: str, uid: str
) -> Clash | None:
    """What to show where something else was decided on a work since its page was made."""
    named, language = decision_words(project.kind), visit.language
    return clash_of(
        said,
        language,
        {"verdict": N_("Decision"), "reason": N_("Reason to exclude")},
        base,
        leave=here,
        sent=("back", "stage", "mark", "reason"),
        version=f"decided-{uid}",
        words=lambda name, value: (
            language.gettext(named.get(value, value)) if name == "verdict" else value
        ),
    )


def pairs(query: WorksQuery, **changes: object) -> list[tuple[str, str]]:
    """The parameters of an address of a list; those that say nothing are left out. `changes`:
    fields of it that are otherwise; a list begins at 0 unless `start` is named.
    """

    def value(name: str) -> object:
        return changes.get(name, getattr(query, name))

    listed = [("q", value("text")), ("years", value("years"))]
    for name, parameter in PARAMETERS.items():
        values = value(name)
        several = values if isinstance(values, tuple) else (values,) if values else ()
        listed += [(parameter, "-" if one == "" else one) for one in several]
    known = value("known")
    listed += [("known", "" if known is None else "yes" if known else "no")]
    listed += [("mine", "yes" if value("voter") else "")]
    usual = {"stage": "title", "sort": "added", "start": 0}
    for name, default in usual.items():
        chosen = changes.get(name, 0 if name == "start" else getattr(query, name))
        listed.append((name, "" if chosen == default else chosen))
    return [(name, str(one)) for name, one in listed if one not in ("", None)]


def marked_hit(
    visit: Visit, work: Work, labels: Mapping[str, str], marker: Marker | None
) -> tuple[HitView, Sequence[tuple[str, bool]]]:
    """A work as its card shows it, and its abstract in parts, each with whether it is marked."""
    view = hit_view(work.hit, labels, visit.site.base, described=False, marker=marker)
    return view, marker.parts(view.abstract) if marker else [(view.abstract, False)]


@dataclass(frozen=True, slots=True)
class AgreedLists:
    """What the people of a project agree on before they screen, and the project's version."""

    reasons: Sequence[str]
    words: Sequence[str]
    version: int


def agreed_lists(project: ProjectRow) -> AgreedLists:
    return AgreedLists(agreed_list(project, REASONS), agreed_list(project, WORDS), project.version)


def lists_clash(said: FormState, visit: Visit, base: str, here: str) -> Clash | None:
    """What to show where somebody else has changed the lists since the page was made."""
    return clash_of(
        said,
        visit.language,
        {REASONS: BY_KEY[REASONS].label, WORDS: BY_KEY[WORDS].label},
        base,
        leave=here,
        sent=("do", "back", "stage", "reasons", "words"),
    )


def _work(
    visit: Visit, work: Work, place: int, stage: Stage, shown: WorksListPage
) -> dict[str, Any]:
    """A work of the list. `place`: in it, from 1. `stands`: what a decision of who looks would
    replace in the stage of the page: their own vote where they screen it, else what the project has
    decided.
    """
    hit, abstract = marked_hit(visit, work, shown.labels, shown.marker)
    keys = {record.key for record in work.hit.records}
    concerned = [pin for pin in shown.pins if pin.a in keys or pin.b in keys]
    return {
        "work": work,
        "place": place,
        "hit": hit,
        "abstract": abstract,
        "stands": (work.votes if shown.votes else work.decisions).get(stage),
        "findings": shown.found.get(work.uid, ()),
        "links": [
            (one, [shown.labels.get(source, source) for source in one.indexes])
            for one in shown.links.get(work.uid, ())
        ],
        "records": [
            (one, line(one.title)[:_LONGEST_TITLE]) for one in work.hit.records[:_MOST_SHOWN]
        ],
        "pins": concerned[:_MOST_SHOWN],
    }


def _facets(
    language: ReaderLanguage, query: WorksQuery, shown: WorksListPage, words: Mapping[str, str]
) -> list[FacetView]:
    """`words`: those of decisions."""
    views = []
    for facet in shown.page.facets:
        if facet.name not in _HEADINGS:
            continue
        chosen = getattr(query, facet.name)
        ticked = {chosen} if isinstance(chosen, str) else {str(one) for one in chosen}
        choices = [
            FacetChoice(
                one.value or "-",
                language.gettext(words.get(one.value, one.value))
                if facet.name == "verdict"
                else _value_words(language, facet.name, one.value, shown.labels),
                one.count,
                one.value in ticked,
            )
            for one in facet.values
        ]
        is_open = facet.name in ("verdict", "sources") or any(one.ticked for one in choices)
        views.append(FacetView(_HEADINGS[facet.name], PARAMETERS[facet.name], choices, is_open))
    return views


def _value_words(language: ReaderLanguage, name: str, value: str, labels: Mapping[str, str]) -> str:
    """What a value of a facet is called, translated."""
    match name:
        case "sources":
            return labels.get(value, value)
        case "types" if value:
            return language.gettext(TYPE_WORDS.get(value, value))
        case "languages" if value:
            return language.language_name(value)
        case "first_runs":
            return language.phrase(message("run {number}", number=value))
        case "tags":
            return value
    return language.gettext(_ACCESS_WORDS.get(value, value))


def _chips(
    language: ReaderLanguage,
    query: WorksQuery,
    facets: Sequence[FacetView],
    address: Callable[..., str],
) -> list[FilterChip]:
    chips = []
    if query.text:
        chips.append(FilterChip(f"“{query.text}”", address(text="")))
    if query.years:
        chips.append(FilterChip(query.years, address(years="")))
    names = {parameter: name for name, parameter in PARAMETERS.items()}
    for facet in facets:
        for one in facet.choices:
            if not one.ticked:
                continue
            name = names[facet.parameter]
            value = "" if one.value == "-" else one.value
            now = getattr(query, name)
            rest = "" if isinstance(now, str) else tuple(x for x in now if str(x) != value)
            chips.append(FilterChip(one.text, address(**{name: rest})))
    for number in query.steps:
        rest = tuple(one for one in query.steps if one != number)
        words = language.phrase(message("step {number}", number=number))
        chips.append(FilterChip(words, address(steps=rest)))
    return chips


def _pages(query: WorksQuery, total: int, address: Callable[..., str]) -> list[PageLink]:
    last, here = -(-total // PAGE), query.start // PAGE + 1
    wanted = {1, last, *range(here - _AROUND, here + _AROUND + 1)}
    links: list[PageLink] = []
    for number in sorted(number for number in wanted if 1 <= number <= last):
        if links and number > links[-1].number + 1:
            links.append(PageLink(number - 1, "", gap=True))
        links.append(
            PageLink(number, address(start=(number - 1) * PAGE) + "#results", number == here)
        )
    return links
