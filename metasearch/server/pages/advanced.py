"""`/advanced`: a query in rows or as text, each made from the other, and what each source would be
asked. All that is chosen is in the address, and nothing needs a script.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from aiohttp import web
from multidict import MultiDict, MultiMapping

from metasearch.bib.languages import languages
from metasearch.errors import QuerySyntaxError
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.query import ReadQuery, Years, to_text
from metasearch.query.detect import detect
from metasearch.query.rows import (
    MOST_ROWS,
    OPERATORS,
    ROW_FIELDS,
    TAKEN,
    NotFlat,
    Obstacle,
    Row,
    Rows,
    query_of_rows,
    row_query,
    rows_of_query,
)
from metasearch.query.values import BadYears, read_years
from metasearch.server.answering import computed, plan_of
from metasearch.server.forms import only
from metasearch.server.limits import Options
from metasearch.server.pages.environment import N_, TYPE_WORDS, Language
from metasearch.server.pages.hit import (
    QUERY_FIELD_WORDS,
    SYNTAX_WORDS,
    Fault,
    Reading,
    plain_name,
    read_or_fault,
)
from metasearch.server.pages.page import page, page_response, see_other
from metasearch.server.pages.sources import HEADINGS
from metasearch.server.parameters import read as read_parameters
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED
from metasearch.server.visit import Visit, visit_of

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


#: The rows of an empty form.
EMPTY_ROWS = (Row(), Row(field="title"), Row(field="author"))
#: What the buttons of the form do; "remove-2" removes the second row.
ACTIONS = ("search", "plan", "rows", "expert", "add")
_REMOVE = re.compile(r"remove-([0-9]{1,2})")
#: Parameters that are those of a search.
_SEARCHED = ("q", "syntax", "sources")
#: Characters of a year that are read.
_YEAR = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvancedForm:
    """What the address says.

    Attributes:
        tab: "rows", "expert", or "" where the page chooses.
        rows: Those of the address; none where it has none.
        years: First and last year as typed.
        query: The text of the expert form, or the query that the page is opened with.
        syntax: One of `SYNTAX_WORDS`.
        sources: Names of sources and groups; empty for the usual ones.
        action: One of `ACTIONS`, "remove-N", or "".
    """

    tab: str
    rows: tuple[Row, ...]
    years: tuple[str, str]
    type: str
    language: str
    query: str
    syntax: str
    sources: tuple[str, ...]
    action: str


@dataclass(slots=True)
class _FormReader:
    """Reads the parameters of the form and gathers what is wrong with them."""

    given: MultiMapping[str]
    errors: list[dict[str, str]] = field(default_factory=list)

    def one_of(self, name: str, allowed: Sequence[str]) -> str:
        """A parameter that may be given once; "" where it is absent."""
        value = only(self.given, name)
        if value and value not in allowed:
            self.none_of(name, value, allowed)
        return value

    def column(self, name: str, allowed: Sequence[str], usual: str, rows: int) -> list[str]:
        """The values of a parameter that each row has, as many as there are rows."""
        values = [value or usual for value in self.given.getall(name, [])][:rows]
        if (wrong := next((value for value in values if value not in allowed), None)) is not None:
            self.none_of(name, wrong, allowed)
        return values + [usual] * (rows - len(values))

    def none_of(self, name: str, value: str, allowed: Sequence[str]) -> None:
        shown = repr(line(value)[:40])
        reason = message("{given} is none of {names}", given=shown, names=", ".join(allowed))
        self.wrong(name, reason)

    def wrong(self, name: str, reason: str) -> None:
        self.errors.append({"parameter": name, "reason": reason})


def read_form(given: MultiMapping[str], options: Options) -> AdvancedForm:
    """What an address of the page says. Raises Problem: 400, with each parameter at fault."""
    searched = read_parameters(
        MultiDict((name, value) for name, value in given.items() if name in _SEARCHED), options
    )
    reader = _FormReader(given)
    texts = given.getall("text", [])
    if len(texts) > MOST_ROWS:
        most = message(
            "has {number} rows; at most {most} are allowed", number=len(texts), most=MOST_ROWS
        )
        reader.wrong("text", most)
    texts = texts[:MOST_ROWS]
    if (length := sum(map(len, texts))) > options.max_query:
        most = message(
            "has {number} characters; at most {most} are allowed",
            number=f"{length:,}",
            most=f"{options.max_query:,}",
        )
        reader.wrong("text", most)
    columns = (
        reader.column("in", ROW_FIELDS, "any", len(texts)),
        reader.column("how", TAKEN, "all", len(texts)),
        reader.column("op", OPERATORS, "AND", len(texts)),
    )
    action = only(given, "do")
    form = AdvancedForm(
        tab=reader.one_of("tab", ("rows", "expert")),
        rows=tuple(map(Row, texts, *columns)),  # type: ignore[arg-type]
        years=(only(given, "from").strip()[:_YEAR], only(given, "to").strip()[:_YEAR]),
        type=reader.one_of("type", tuple(TYPE_WORDS)),
        language=reader.one_of("language", LANGUAGES),
        query=searched.query,
        syntax=plain_name(searched.syntax),
        sources=searched.sources or (),
        action=action if _REMOVE.fullmatch(action) else reader.one_of("do", ACTIONS),
    )
    if reader.errors:
        raise Problem.bad_parameters(reader.errors)
    return form


async def advanced(request: web.Request) -> web.Response:
    """Answers `/advanced`: the page, or the way to `/search`."""
    shared, visit = request.app[SHARED], visit_of(request)
    form = read_form(request.query, shared.options)
    typed = form.query + "".join(row.text for row in form.rows)
    state = await computed(request, typed, lambda: state_of(form))
    if state.read is None:
        plan = None
    elif form.action == "search":
        return see_other(request, visit.site.path("/search", **_search(state)))
    elif form.action == "plan":
        usual = ",".join(visit.preferences.sources)
        asked = {name: value for name, value in (("sources", usual),) if value} | _search(state)
        plan = await plan_of(request, read_parameters(MultiDict(asked), shared.options))
    else:
        plan = None
    registry = shared.engine.registry
    page = await computed(request, typed, lambda: advanced_page(visit, state, registry, plan))
    refused = state.read is None and form.action in ("search", "plan")
    return page_response(request, page, 400 if refused else 200)


def _search(state: AdvancedState) -> dict[str, str]:
    """The parameters of the search."""
    pairs = {
        "q": state.query,
        "syntax": "" if state.syntax == "auto" else state.syntax,
        "sources": ",".join(state.sources),
    }
    return {name: value for name, value in pairs.items() if value}


def state_of(form: AdvancedForm) -> AdvancedState:
    """What the page shows for a form. Takes time linear in the length of its texts."""
    shown = AdvancedState(
        tab=form.tab or "rows",
        rows=form.rows,
        years=form.years,
        type=form.type,
        language=form.language,
        query=form.query,
        syntax=form.syntax,
        sources=form.sources,
    )
    if form.tab == "expert" or (not form.tab and form.query):
        return _of_text(form, shown)
    return _of_rows(form, shown)


def _of_text(form: AdvancedForm, shown: AdvancedState) -> AdvancedState:
    """The expert form, or the rows that its query is."""
    wants_rows = form.action == "rows" or not form.tab
    asks = form.action in ("search", "plan")
    shown = replace(shown, tab="expert")
    if not form.query and not asks:
        return replace(shown, tab="rows", rows=EMPTY_ROWS) if wants_rows else shown
    found = read_or_fault(form.query, form.syntax)
    if isinstance(found, QuerySyntaxError):
        return replace(shown, fault=found)
    shown = replace(shown, read=found)
    if not wants_rows:
        return shown
    try:
        rows = rows_of_query(found.query)
    except NotFlat as why:
        return replace(shown, not_flat=why)
    return _with_rows(shown, rows, found)


def _with_rows(shown: AdvancedState, rows: Rows, read: ReadQuery) -> AdvancedState:
    years = rows.years or Years(None, None)
    first, last = ("" if year is None else f"{year:04d}" for year in (years.first, years.last))
    return replace(
        shown,
        tab="rows",
        rows=rows.rows,
        years=(first, last),
        type=rows.type,
        language=rows.language,
        read=read,
        query=to_text(read.query),
        syntax=_plain_syntax(to_text(read.query)),
    )


def _of_rows(form: AdvancedForm, shown: AdvancedState) -> AdvancedState:
    """The rows, or the text that they are."""
    rows, focus = _changed(form)
    shown = replace(shown, rows=rows, focus=focus)
    asks = form.action in ("search", "plan")
    if not any(row.text.strip() for row in rows) and not asks:
        return replace(shown, tab="expert") if form.action == "expert" else shown
    years, years_fault = _years(form.years)
    faults = _row_faults(rows)
    if faults or years_fault:
        first = min(faults, default=None)
        return replace(shown, row_faults=faults, years_fault=years_fault, focus=first)
    try:
        query = query_of_rows(Rows(rows, years, form.type, form.language))
    except QuerySyntaxError as error:
        return replace(shown, fault=error)
    text = to_text(query)
    return replace(
        shown,
        tab="expert" if form.action == "expert" else "rows",
        read=ReadQuery(query, "simple"),
        query=text,
        syntax=_plain_syntax(text),
    )


def _changed(form: AdvancedForm) -> tuple[tuple[Row, ...], int | None]:
    """The rows after a button has added or removed one, and the place of the row to go on with."""
    rows = form.rows or EMPTY_ROWS
    if form.action == "add" and len(rows) < MOST_ROWS:
        return (*rows, Row()), len(rows)
    if (removed := _REMOVE.fullmatch(form.action)) and len(rows) > 1:
        at = int(removed[1]) - 1
        if 0 <= at < len(rows):
            return (*rows[:at], *rows[at + 1 :]), max(0, at - 1)
    return rows, None


def _row_faults(rows: tuple[Row, ...]) -> Mapping[int, QuerySyntaxError]:
    """Place of a row -> why it cannot be read."""
    faults: dict[int, QuerySyntaxError] = {}
    for at, row in enumerate(rows):
        if row.text.strip():
            try:
                row_query(row)
            except QuerySyntaxError as error:
                faults[at] = error
    return faults


def _years(typed: tuple[str, str]) -> tuple[Years | None, str]:
    """The range between two fields, and why they hold none."""
    first, last = typed
    try:
        return read_years(f"{first}-{last}") if first or last else None, ""
    except BadYears as bad:
        return None, bad.reason


def _plain_syntax(text: str) -> str:
    """The syntax to be named with a text of our own syntax, so that it is read as such."""
    return "auto" if detect(text) == "simple" else "simple"
