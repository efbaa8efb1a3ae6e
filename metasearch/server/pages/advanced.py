"""`/advanced`: the form in rows, the form for text, and the table of what sources get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metasearch.bib.languages import languages
from metasearch.errors import QuerySyntaxError
from metasearch.query import ReadQuery, to_text
from metasearch.query.rows import MOST_ROWS, ROW_FIELDS, NotFlat, Obstacle, Row
from metasearch.server.pages.language import Language
from metasearch.server.pages.page import page
from metasearch.server.pages.reading import QUERY_FIELD_WORDS, SYNTAX_WORDS, Fault, Reading
from metasearch.server.pages.source_groups import HEADINGS
from metasearch.server.pages.terms import N_, TYPE_WORDS
from metasearch.server.visit import Visit

if TYPE_CHECKING:
    from metasearch.adapters.specs.registry import Registry
    from metasearch.engine.dry_run import QueryPlan, SourcePlan

#: How the words of a row are taken -> the words of the choice.
TAKEN_WORDS: Mapping[str, str] = {
    "all": N_("all words"),
    "phrase": N_("exact phrase"),
    "any": N_("any word"),
}
#: Operator -> what stands before a row.
OPERATOR_WORDS: Mapping[str, str] = {"AND": N_("AND"), "OR": N_("OR"), "NOT": N_("NOT")}
#: Codes of languages that may be asked for.
LANGUAGES = tuple(languages())
#: Those that the form lists first; most works are in one of them.
_COMMON_LANGUAGES = ("en", "zh", "de", "fr", "es", "pt", "ru", "ja", "ko", "it", "ar", "nl", "pl")
#: Why a query is not in rows.
_OBSTACLES: Mapping[Obstacle, str] = {
    "brackets": N_(
        "The query stays as text: rows have no brackets, and this part needs some of its own:"
    ),
    "years": N_(
        "The query stays as text: rows have one range of years for the whole query, and this is "
        "another one:"
    ),
    "narrowing": N_(
        "The query stays as text: rows have one type and one language for the whole query, and "
        "this is another one:"
    ),
    "exclusion": N_("The query stays as text: rows cannot say OR NOT, which this part needs:"),
    "many": N_("The query stays as text: it needs more rows than the form has:"),
}
#: Characters of the part that stands in the way.
_LONGEST_PART = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvancedState:
    """What the page shows.

    Attributes:
        tab: "rows" or "expert".
        years: First and last, as typed.
        query: The text of the expert form; of rows the query that they are, or "".
        syntax: Of `query`, one of `SYNTAX_WORDS`.
        sources: Names of sources and groups; empty for the usual ones.
        read: The query; None where there is none yet, or it cannot be read.
        fault: Why the whole cannot be read.
        row_faults: Place of a row -> why it cannot be read.
        years_fault: Why the years cannot be read, or "".
        not_flat: Why there are no rows for it, where rows were wanted.
        focus: Place of the row that the cursor is put into.
    """

    tab: str
    rows: tuple[Row, ...]
    years: tuple[str, str]
    type: str
    language: str
    query: str
    syntax: str
    sources: tuple[str, ...]
    read: ReadQuery | None = None
    fault: QuerySyntaxError | None = None
    row_faults: Mapping[int, QuerySyntaxError] = field(default_factory=dict)
    years_fault: str = ""
    not_flat: NotFlat | None = None
    focus: int | None = None


@dataclass(frozen=True, slots=True)
class RowView:
    """One row of the form."""

    number: int
    row: Row
    fault: Fault | None
    focus: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a list to choose from; `text` is shown as it is."""

    value: str
    text: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One source of the plan.

    Attributes:
        losses: Sentences on what the source cannot be asked.
        filtered: What is checked here afterwards, or "".
        reason: Why it is not asked, or "".
        lacks_key: Whether it would be asked if it had a key.
    """

    label: str
    query: str
    losses: Sequence[str]
    filtered: str
    reason: str
    advice: str
    lacks_key: bool

    @classmethod
    def of(cls, source: SourcePlan) -> PlanRow:
        """From the plan of a source."""
        lacks_key = not source.asked and bool(source.query)
        return cls(
            source.label,
            source.query,
            source.notes,
            source.filtered,
            source.reason,
            source.advice,
            lacks_key,
        )


def advanced_page(
    visit: Visit, state: AdvancedState, registry: Registry, plan: QueryPlan | None
) -> str:
    """The whole page. `plan`: what each source would be asked, where that was wanted."""
    language, blocked = visit.language, state.not_flat
    return page(
        "advanced.html",
        visit,
        language.gettext("Advanced search"),
        current="/advanced",
        state=state,
        choosing={
            name: value
            for name, value in (("q", state.query), ("sources", ",".join(state.sources)))
            if value
        },
        rows=[
            RowView(
                at + 1,
                row,
                Fault.of(state.row_faults[at]) if at in state.row_faults else None,
                at == state.focus,
            )
            for at, row in enumerate(state.rows)
        ],
        most_rows=MOST_ROWS,
        fields=[each for each in QUERY_FIELD_WORDS.items() if each[0] in ROW_FIELDS],
        taken=TAKEN_WORDS,
        operators=OPERATOR_WORDS,
        syntaxes=SYNTAX_WORDS,
        types=[
            Choice(name, language.gettext(text), name == state.type)
            for name, text in TYPE_WORDS.items()
        ],
        languages=_languages(state, language),
        sources=_sources(state, visit, registry),
        fault=Fault.of(state.fault) if state.fault else None,
        reading=Reading.of(state.read, language) if state.read else None,
        obstacle=_OBSTACLES[blocked.obstacle] if blocked else "",
        in_the_way=_in_the_way(blocked) if blocked else "",
        plan=[PlanRow.of(source) for source in plan.sources] if plan else None,
        asked=sum(source.asked for source in plan.sources) if plan else 0,
    )


def _in_the_way(blocked: NotFlat) -> str:
    text = to_text(blocked.part)
    shown = text if len(text) <= _LONGEST_PART else f"{text[:_LONGEST_PART]}…"
    return f"({shown})" if blocked.obstacle == "brackets" else shown


def _languages(state: AdvancedState, language: Language) -> list[Choice]:
    codes = dict.fromkeys(filter(None, (*_COMMON_LANGUAGES, state.language)))
    return [Choice(code, language.language_name(code), code == state.language) for code in codes]


def _sources(state: AdvancedState, visit: Visit, registry: Registry) -> list[Choice]:
    """The usual sources, each group that has any, and what the address names instead."""
    chosen, gettext, ngettext = (
        ",".join(state.sources),
        visit.language.gettext,
        visit.language.ngettext,
    )
    usual = len(visit.preferences.sources or registry.default())
    usual_text = ngettext("The usual database", "The usual %(num)s databases", usual)
    choices = [Choice("", usual_text % {"num": usual}, not chosen)]
    headings = {name: text for name, text in HEADINGS.items() if name != "default"}
    own = [name for name in registry.groups if name not in HEADINGS and name != "all"]
    for name in (*(name for name in headings if name in registry.groups), *own, "all"):
        number = len(registry.expand([name]))
        if number:
            heading = gettext(headings.get(name, name)) if name != "all" else gettext("All")
            text = gettext("%(name)s (%(num)s)") % {"name": heading, "num": number}
            choices.append(Choice(name, text, name == chosen))
    if not any(choice.chosen for choice in choices):
        number = len(registry.expand(state.sources))
        text = ngettext("%(num)s chosen database", "%(num)s chosen databases", number)
        choices.append(Choice(chosen, text % {"num": number}, True))
    return choices
