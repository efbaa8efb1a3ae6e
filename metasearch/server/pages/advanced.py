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
from metasearch.language import ReaderLanguage
from metasearch.message import message
from metasearch.query import ReadQuery, Years, to_text
from metasearch.query.detect import detect
from metasearch.query.rows import (
    MOST_ROWS,
    OPERATORS,
    ROW_FIELDS,
    TAKEN,
    FormRow,
    FormRows,
    NotFlat,
    Obstacle,
    query_of_rows,
    row_query,
    rows_of_query,
)
from metasearch.query.values import BadYears, read_years
from metasearch.server.forms import only
from metasearch.server.limits import Options
from metasearch.server.pages.environment import N_, TYPE_WORDS
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
from metasearch.server.search_answers import compute_text, plan_of
from metasearch.server.site import SHARED
from metasearch.server.visit import Visit, visit_of

if TYPE_CHECKING:
    from metasearch.adapters.specs.registry import Registry
    from metasearch.engine.dry_run import QueryPlan


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
        "The query stays as text: lines have no brackets, and this part needs some of its own:"
    ),
    "years": N_(
        "The query stays as text: lines have one range of years for the whole query, and this is "
        "another one:"
    ),
    "narrowing": N_(
        "The query stays as text: lines have one type and one language for the whole query, and "
        "this is another one:"
    ),
    "exclusion": N_("The query stays as text: lines cannot say OR NOT, which this part needs:"),
    "many": N_("The query stays as text: it needs more lines than the form has:"),
}
#: Characters of the part that stands in the way.
_LONGEST_PART = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvancedForm:
    """What the address says; and what the page shows, where `state_of` has read it.

    Attributes:
        tab: "rows", "expert", or "" where the page chooses.
        rows: Those of the address; none where it has none.
        years: First and last, as typed.
        query: The text of the expert form; of rows the query that they are, or "".
        syntax: Of `query`, one of `SYNTAX_WORDS`.
        sources: Names of sources and groups; empty for the usual ones.
        action: One of `ACTIONS`, "remove-N", or "".
        read: The query; None where there is none yet, or it cannot be read.
        fault: Why the whole cannot be read.
        row_faults: Place of a row -> why it cannot be read.
        years_fault: Why the years cannot be read, or "".
        not_flat: Why there are no rows for it, where rows were wanted.
        focus: Place of the row that the cursor is put into.
    """

    tab: str
    rows: tuple[FormRow, ...]
    years: tuple[str, str]
    type: str
    language: str
    query: str
    syntax: str
    sources: tuple[str, ...]
    action: str
    read: ReadQuery | None = None
    fault: QuerySyntaxError | None = None
    row_faults: Mapping[int, QuerySyntaxError] = field(default_factory=dict)
    years_fault: str = ""
    not_flat: NotFlat | None = None
    focus: int | None = None


@dataclass(frozen=True, slots=True)
class ListOption:
    """An option of a list to choose from; `text` is shown as it is."""

    value: str
    text: str
    chosen: bool


def advanced_page(
    visit: Visit, state: AdvancedForm, registry: Registry, plan: QueryPlan | None
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
        faults={at: Fault.of(fault) for at, fault in state.row_faults.items()},
        most_rows=MOST_ROWS,
        fields=[each for each in QUERY_FIELD_WORDS.items() if each[0] in ROW_FIELDS],
        taken=TAKEN_WORDS,
        operators=OPERATOR_WORDS,
        syntaxes=SYNTAX_WORDS,
        types=[
            ListOption(name, language.gettext(text), name == state.type)
            for name, text in TYPE_WORDS.items()
        ],
        languages=_languages(state, language),
        sources=_sources(state, visit, registry),
        fault=Fault.of(state.fault) if state.fault else None,
        reading=Reading.of(state.read, language) if state.read else None,
        obstacle=_OBSTACLES[blocked.obstacle] if blocked else "",
        in_the_way=_in_the_way(blocked) if blocked else "",
        plan=plan.sources if plan else None,
        asked=sum(source.asked for source in plan.sources) if plan else 0,
    )


def _in_the_way(blocked: NotFlat) -> str:
    text = to_text(blocked.part)
    shown = text if len(text) <= _LONGEST_PART else f"{text[:_LONGEST_PART]}…"
    return f"({shown})" if blocked.obstacle == "brackets" else shown


def _languages(state: AdvancedForm, language: ReaderLanguage) -> list[ListOption]:
    codes = dict.fromkeys(filter(None, (*_COMMON_LANGUAGES, state.language)))
    return [
        ListOption(code, language.language_name(code), code == state.language) for code in codes
    ]


def _sources(state: AdvancedForm, visit: Visit, registry: Registry) -> list[ListOption]:
    """The usual sources, each group that has any, and what the address names instead."""
    chosen, gettext, ngettext = (
        ",".join(state.sources),
        visit.language.gettext,
        visit.language.ngettext,
    )
    usual = len(visit.preferences.sources or registry.default())
    usual_text = ngettext("The usual database", "The usual %(num)s databases", usual)
    choices = [ListOption("", usual_text % {"num": usual}, not chosen)]
    headings = {name: text for name, text in HEADINGS.items() if name != "default"}
    own = [name for name in registry.groups if name not in HEADINGS and name != "all"]
    for name in (*(name for name in headings if name in registry.groups), *own, "all"):
        number = len(registry.expand([name]))
        if number:
            heading = gettext(headings.get(name, name)) if name != "all" else gettext("All")
            text = gettext("%(name)s (%(num)s)") % {"name": heading, "num": number}
            choices.append(ListOption(name, text, name == chosen))
    if not any(choice.chosen for choice in choices):
        number = len(registry.expand(state.sources))
        text = ngettext("%(num)s chosen database", "%(num)s chosen databases", number)
        choices.append(ListOption(chosen, text % {"num": number}, True))
    return choices


#: The rows of an empty form.
EMPTY_ROWS = (FormRow(), FormRow(field="title"), FormRow(field="author"))
#: What the buttons of the form do; "remove-2" removes the second row.
ACTIONS = ("search", "plan", "rows", "expert", "add")
_REMOVE = re.compile(r"remove-([0-9]{1,2})")
#: Parameters that are those of a search.
_SEARCHED = ("q", "syntax", "sources")
#: Characters of a year that are read.
_YEAR = 20


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
            "has {number} lines; at most {most} are allowed", number=len(texts), most=MOST_ROWS
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
        rows=tuple(map(FormRow, texts, *columns)),  # type: ignore[arg-type]
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


async def answer_advanced(request: web.Request) -> web.Response:
    """Answers `/advanced`: the page, or the way to `/search`."""
    shared, visit = request.app[SHARED], visit_of(request)
    form = read_form(request.query, shared.options)
    typed = form.query + "".join(row.text for row in form.rows)
    state = await compute_text(request, typed, lambda: state_of(form))
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
    page = await compute_text(request, typed, lambda: advanced_page(visit, state, registry, plan))
    refused = state.read is None and form.action in ("search", "plan")
    return page_response(request, page, 400 if refused else 200)


def _search(state: AdvancedForm) -> dict[str, str]:
    pairs = {
        "q": state.query,
        "syntax": "" if state.syntax == "auto" else state.syntax,
        "sources": ",".join(state.sources),
    }
    return {name: value for name, value in pairs.items() if value}


def state_of(form: AdvancedForm) -> AdvancedForm:
    """The form as the page shows it. Takes time linear in the length of its texts."""
    if form.tab == "expert" or (not form.tab and form.query):
        return _of_text(form)
    return _of_rows(form)


def _of_text(form: AdvancedForm) -> AdvancedForm:
    """The expert form, or the rows that its query is."""
    wants_rows = form.action == "rows" or not form.tab
    asks = form.action in ("search", "plan")
    shown = replace(form, tab="expert")
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


def _with_rows(shown: AdvancedForm, rows: FormRows, read: ReadQuery) -> AdvancedForm:
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


def _of_rows(form: AdvancedForm) -> AdvancedForm:
    """The rows, or the text that they are."""
    rows, focus = _change_rows(form)
    shown = replace(form, tab="rows", rows=rows, focus=focus)
    asks = form.action in ("search", "plan")
    if not any(row.text.strip() for row in rows) and not asks:
        return replace(shown, tab="expert") if form.action == "expert" else shown
    years, years_fault = _years(form.years)
    faults = _row_faults(rows)
    if faults or years_fault:
        first = min(faults, default=None)
        return replace(shown, row_faults=faults, years_fault=years_fault, focus=first)
    try:
        query = query_of_rows(FormRows(rows, years, form.type, form.language))
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


def _change_rows(form: AdvancedForm) -> tuple[tuple[FormRow, ...], int | None]:
    """The rows after a button has added or removed one, and the place of the row to go on with."""
    rows = form.rows or EMPTY_ROWS
    if form.action == "add" and len(rows) < MOST_ROWS:
        return (*rows, FormRow()), len(rows)
    if (removed := _REMOVE.fullmatch(form.action)) and len(rows) > 1:
        at = int(removed[1]) - 1
        if 0 <= at < len(rows):
            return (*rows[:at], *rows[at + 1 :]), max(0, at - 1)
    return rows, None


def _row_faults(rows: tuple[FormRow, ...]) -> Mapping[int, QuerySyntaxError]:
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
