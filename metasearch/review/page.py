"""What all pages of this wing begin with and share: the project, the answer to a form, the frame,
words, and a change that clashes with another one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from aiohttp import web
from multidict import MultiDict, MultiMapping

from metasearch.errors import Conflict, UsageError
from metasearch.language import ReaderLanguage
from metasearch.message import Message, message
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project, ProjectRow
from metasearch.review.service import ProjectRequest, WorkspaceService, workspace_of
from metasearch.review.store.database import Database
from metasearch.review.store.values import now
from metasearch.review.works.works import Stage, verdicts_of
from metasearch.server.forms import read_form_fields
from metasearch.server.middleware import check_host
from metasearch.server.pages.environment import N_
from metasearch.server.pages.page import page_response, see_other
from metasearch.server.problem import Problem
from metasearch.server.visit import Visit, visit_of


@dataclass(frozen=True, slots=True)
class FormState:
    """What a page says about the form that was sent to it.

    Attributes:
        error: Why nothing was changed; None where there was no form, or it was done.
        fields: The form, whose texts the page shows again.
        place: Which form of the page it was: the value of its button.
    """

    error: UsageError | None = None
    fields: MultiMapping[str] = field(default_factory=MultiDict)
    place: str = ""

    def typed(self, name: str, usual: str = "") -> str:
        """What was typed into a field of the form that failed; else its usual contents."""
        return self.fields.get(name, usual)

    def version(self, standing: int) -> str:
        """What the form that is shown again says it was made with: what it said before, unless its
        reader is shown what stands now.
        """
        if self.error is None or isinstance(self.error, Conflict):
            return str(standing)
        return self.fields.get("version", str(standing))


#: Characters of a name of a project or strategy in an address.
_LONGEST_NAME = 100


#: Makes a page after a form: with what there is to say, and the status.
Render = Callable[[FormState], Awaitable[str]]


class PageRequest(ProjectRequest):
    @property
    def visit(self) -> Visit:
        return visit_of(self.request)

    def path(self, rest: str = "", **parameters: str | int) -> str:
        """A local address below the project: "/works"."""
        return self.visit.site.path(f"/projects/{self.project.uid}{rest}", **parameters)


def browser_service(request: web.Request) -> WorkspaceService:
    """The workspace of the server, for a browser that was sent here under a name of the server."""
    service = workspace_of(request)
    check_host(request)
    return service


async def page_request(request: web.Request) -> PageRequest:
    service = browser_service(request)
    name = request.match_info["project"][:_LONGEST_NAME]
    project = await service.workspace.read(_find_project, name)
    await service.settle(project)
    return PageRequest(request, service, project)


def _find_project(db: Database, name: str) -> Project:
    try:
        return projects.find(db, name)
    except UsageError as error:
        raise Problem(404, None, error.message) from error


def strategy_path(name: str) -> str:
    return f"/strategies/{quote(name, safe='', errors='replace')}"


def file_headers(stem: str, ending: str) -> dict[str, str]:
    """Of a file of a project that a browser saves: its name with the day, in ASCII for those that
    take no other, and that nobody else may keep it.
    """
    name = f"{stem}-{now()[:10]}.{ending}"
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    return {
        "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name)}",
        "Cache-Control": "private, no-store",
    }


async def page_or_form(
    request: web.Request, action: Callable[[MultiMapping[str]], Awaitable[str]], render: Render
) -> web.Response:
    """The page, or the answer to its form: `action` does what the fields say, and returns the
    address that shows it.
    """
    if request.method != "POST":
        return page_response(request, await render(FormState()))
    fields = await read_form_fields(request)
    return await after_form(request, fields, lambda: action(fields), render)


async def after_form(
    request: web.Request,
    fields: MultiMapping[str],
    action: Callable[[], Awaitable[str]],
    render: Render,
) -> web.Response:
    """Does what a form says and sends the browser on; where it cannot be done, the page is shown
    again with the reason and what was typed.
    """
    try:
        address = await action()
    except UsageError as error:
        page = await render(FormState(error, fields, fields.get("do", "")))
        return page_response(request, page, error.status, Problem.of(error).headers)
    return see_other(request, address)


def version_of(fields: MultiMapping[str]) -> int | None:
    """The version of a form; None where it has none. Raises UsageError: it is no number."""
    return number_in(fields, "version")


def number_in(fields: MultiMapping[str], name: str) -> int | None:
    """The number in a field; None where it is empty. Raises UsageError: it is none."""
    text = fields.get(name, "").strip()
    return number_of(text) if text else None


def number_of(text: str) -> int:
    """A whole number of a form or an address. Raises UsageError: it is none."""
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise UsageError(message("{text} is no number", text=repr(text[:40])))
    return int(text)


def with_parameters(path: str, parameters: Mapping[str, str | int], place: str = "") -> str:
    """An address that says what was done, and where on the page it is seen."""
    query = f"?{urlencode(parameters)}" if parameters else ""
    return f"{path}{query}{f'#{place}' if place else ''}"


def unknown_form() -> Problem:
    """400 for a form whose button this page does not have."""
    return Problem.bad_parameter("do", message("missing"))


# What all pages of a project share: the way back, its title, and the tabs.


@dataclass(frozen=True, slots=True)
class Tab:
    """A page of a project. `words`: to be translated. `here`: whether it is the page itself."""

    words: str
    address: str
    here: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """The head of a page of a project. `all`: address of the list of projects."""

    all: str
    title: str
    base: str
    tabs: Sequence[Tab]


_TABS = (
    ("", N_("Overview")),
    ("/strategies", N_("Strategies")),
    ("/works", N_("Works")),
    ("/reports", N_("Reports")),
    ("/log", N_("Log")),
)
#: Of a server with users, behind the works and at the end.
_SCREENING, _MEMBERS = ("/screening", N_("Screening")), ("/members", N_("Members"))


def frame(visit: Visit, project: ProjectRow, here: str) -> Frame:
    """The head of a page. `here`: the path of its tab below the project: "", "/works"."""
    base = visit.site.path(f"/projects/{project.uid}")
    listed = (*_TABS[:3], _SCREENING, *_TABS[3:], _MEMBERS) if visit.user else _TABS
    tabs = [Tab(words, base + path, path == here) for path, words in listed]
    return Frame(visit.site.path("/projects"), project.title, base, tabs)


# What the fixed words of a workspace are called on a page; templates translate them.

#: `Change.action` -> its name; another one is shown as it is.
ACTION_WORDS: Mapping[str, str] = {
    "new project": N_("project made"),
    "edit project": N_("project changed"),
    "import project": N_("project imported"),
    "new strategy": N_("strategy made"),
    "edit strategy": N_("strategy changed"),
    "copy strategy": N_("strategy copied"),
    "new step": N_("step added"),
    "add step": N_("step added"),
    "edit step": N_("step changed"),
    "remove step": N_("step removed"),
    "import file": N_("file imported"),
    "add known works": N_("known works added"),
    "remove known work": N_("known work removed"),
    "mark works": N_("works decided on"),
    "import decisions": N_("decisions imported"),
    "conflicting decisions": N_("decisions of joined works differ"),
    "tag works": N_("tags changed"),
    "note works": N_("note changed"),
    "pin works": N_("works joined or kept apart by hand"),
    "remove pin": N_("joined or kept apart by hand no more"),
    "join votes": N_("two votes on joined works made one"),
    "resolve conflicts": N_("conflicts of votes resolved"),
    "begin team screening": N_("screening in a team begun"),
    "change team screening": N_("screening in a team changed"),
    "end team screening": N_("screening in a team ended"),
    "finish report": N_("report made final"),
    "sign report": N_("report signed"),
    "check works": N_("included works checked against databases"),
    "add other source": N_("other way of searching added"),
    "edit other source": N_("other way of searching changed"),
    "remove other source": N_("other way of searching removed"),
}
#: Mode of a run -> its name.
MODE_WORDS: Mapping[str, str] = {
    "records": N_("records fetched"),
    "counts": N_("counts only"),
    "import": N_("file imported"),
    "citations": N_("citations followed"),
}
#: Status of a run -> its name.
RUN_WORDS: Mapping[str, str] = {
    "running": N_("running"),
    "done": N_("finished"),
    "stopped": N_("stopped before its end"),
    "interrupted": N_("interrupted"),
}
#: Verdict of a decision -> its name; in a novelty search what goes on is related to its points.
_DECISION_WORDS: Mapping[str, str] = {
    "undecided": N_("undecided"),
    "conflict": N_("votes differ"),
    "relevant": N_("included"),
    "maybe": N_("maybe"),
    "close": N_("closely related"),
    "excluded": N_("excluded"),
    "unavailable": N_("not retrieved"),
}
_NOVELTY_WORDS = {**_DECISION_WORDS, "relevant": N_("generally related")}
#: Verdict -> the button that decides it; "" takes a decision back.
_BUTTON_WORDS: Mapping[str, str] = {
    "relevant": N_("Include"),
    "maybe": N_("Maybe"),
    "close": N_("Closely related"),
    "excluded": N_("Exclude"),
    "unavailable": N_("Not retrieved"),
    "": N_("Undecided"),
}
_NOVELTY_BUTTONS = {**_BUTTON_WORDS, "relevant": N_("Generally related")}
#: Stage of a decision -> its name.
STAGE_WORDS: Mapping[str, str] = {
    "title": N_("Title and abstract"),
    "fulltext": N_("Full text"),
}


def decision_words(kind: str) -> Mapping[str, str]:
    """Verdict -> what it is called in a project of a kind; to be translated."""
    return _NOVELTY_WORDS if kind == "novelty" else _DECISION_WORDS


def verdict_buttons(kind: str, stage: Stage) -> list[tuple[str, str]]:
    """(verdict, words to be translated) of the buttons of a stage; that of "" takes a decision
    back.
    """
    words = _NOVELTY_BUTTONS if kind == "novelty" else _BUTTON_WORDS
    return [(verdict, words[verdict]) for verdict in (*verdicts_of(kind, stage), "")]


def user_names(language: ReaderLanguage, names: Mapping[str, str]) -> dict[str, str]:
    """Names of users as a page shows them: that of one who is gone is a word of the language, and
    all others stay as they are.
    """
    return {
        uid: language.phrase(name) if isinstance(name, Message) else name
        for uid, name in names.items()
    }


# A change that was made with what does not stand any more: both are shown; a reader chooses.

#: Characters of a text that are shown.
_LONGEST = 20_000
_YES, _NO = N_("yes"), N_("no")


@dataclass(frozen=True, slots=True)
class ClashRow:
    """One text, twice; `label` is to be translated."""

    label: str
    yours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Clash:
    """What a page shows of a conflict.

    Attributes:
        fields: The form that was sent, with the version that stands now; nothing where nothing
            stands any more.
        action: The address that it is sent to.
        leave: The address of the page as it is now.
    """

    error: Conflict
    rows: list[ClashRow]
    fields: list[tuple[str, str]]
    action: str
    leave: str


def clash_of(
    said: FormState,
    language: ReaderLanguage,
    labels: Mapping[str, str],
    action: str,
    *,
    leave: str = "",
    sent: Iterable[str] | None = None,
    version: str = "version",
    more: Iterable[tuple[str, str]] = (),
    words: Callable[[str, Any], str] | None = None,
) -> Clash | None:
    """What to show where a form could not be done because of a conflict; else None.

    Args:
        labels: Name of what was changed -> what it is called, to be translated.
        leave: The address of the page without the change; `action` where it is "".
        sent: Names of the fields that are sent again; all where None.
        words: What a value of a name is called, as `value_words`.
    """
    error = said.error
    if not isinstance(error, Conflict):
        return None
    shown = words or (lambda _, value: value_words(value, language))
    theirs = error.theirs or {}
    names = [*error.yours, *(name for name in theirs if name not in error.yours)]
    rows = [
        ClashRow(
            labels.get(name, name),
            shown(name, error.yours[name])[:_LONGEST] if name in error.yours else "",
            shown(name, theirs[name])[:_LONGEST] if name in theirs else "",
        )
        for name in names
    ]
    fields: list[tuple[str, str]] = []
    if error.version is not None:
        again = None if sent is None else frozenset(sent)
        fields = [
            (name, value)
            for name, value in said.fields.items()
            if name not in ("token", version) and (again is None or name in again)
        ]
        fields += [*more, (version, str(error.version))]
    return Clash(error, rows, fields, action, leave or action)


def value_words(value: Any, language: ReaderLanguage) -> str:
    match value:
        case None:
            return ""
        case bool():
            return language.gettext(_YES if value else _NO)
        case list() | tuple():
            return "\n".join(str(one) for one in value)
    return str(value)


# The tabs of the administration.

#: Path of each page -> its name, in the order of the tabs.
TABS: Mapping[str, str] = {
    "/admin/users": N_("Users"),
    "/admin/projects": N_("All projects"),
    "/admin/sources": N_("Databases of this server"),
    "/admin/audit": N_("Audit log"),
}


def tabs(visit: Visit, here: str) -> list[Mapping[str, object]]:
    """The tabs; `here` is the path of one of them, or "" on the page of something else."""
    return [
        {"address": visit.site.path(path), "words": words, "here": path == here}
        for path, words in TABS.items()
    ]
