"""The pages of reports: the list, and one report with its questions, preview and downloads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from markupsafe import Markup
from multidict import MultiDict, MultiMapping

from metasearch.errors import Conflict, UsageError
from metasearch.extras import is_installed
from metasearch.formats.text import line
from metasearch.server.pages.page import page
from metasearch.server.pages.projects.clash import clash_of, value_words
from metasearch.server.pages.projects.frame import frame
from metasearch.server.pages.projects.overview import ReportLine
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.terms import N_
from metasearch.server.visit import Visit
from metasearch.workspace.other_sources import OtherSource
from metasearch.workspace.projects import Project
from metasearch.workspace.questions.question import Choice, Question, Value
from metasearch.workspace.reports.document import Document, Figure
from metasearch.workspace.reports.finished import Report
from metasearch.workspace.reports.kinds import KINDS, ReportKind
from metasearch.workspace.reports.render import FORMATS
from metasearch.workspace.reports.render.html import body
from metasearch.workspace.reports.signatures import Signature, SignatureRole

#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "answered": N_("The answers were saved."),
    "other": N_("The other way of searching was added."),
    "forgotten": N_("The other way of searching was removed."),
    "frozen": N_("The report was frozen. It is listed with its digest."),
    "signed": N_("The report was signed."),
}
#: Role of a signature -> its name, and what the button says.
SIGNATURE_WORDS: Mapping[SignatureRole, str] = {
    "searcher": N_("Searcher"),
    "reviewer": N_("Reviewer"),
}
_SIGN_WORDS: Mapping[SignatureRole, str] = {
    "searcher": N_("Sign as the searcher"),
    "reviewer": N_("Sign as the reviewer"),
}
#: Kind of another way of searching -> its name.
OTHER_WORDS: Mapping[str, str] = {
    "website": N_("website"),
    "organisation": N_("organisation"),
    "browse": N_("tables of contents or pages"),
    "citation": N_("citation searching"),
    "contact": N_("contact"),
    "register": N_("study register, by hand"),
    "other": N_("other"),
}
#: The field that names the questions that a form answers, where it does not answer all.
ONLY = "only"
#: Reports that count other ways of searching.
_WITH_OTHERS = frozenset({"prisma-s", "prisma-flow"})
#: What fields of answers are called in a form, before the key of the question.
PREFIX = "a:"
#: Language of a report -> (its tag, its name for its readers).
_LANGUAGE_NAMES: Mapping[str, tuple[str, str]] = {
    "en": ("en", "English"),
    "zh": ("zh-Hans", "中文"),
}
#: Level of the heading that a preview begins with.
_LEVEL = 3


@dataclass(frozen=True, slots=True)
class FrozenLine:
    """A frozen report in a list; `title` is to be translated."""

    number: str
    title: str
    frozen: str
    digest: str
    address: str
    downloads: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a field.

    Attributes:
        label, help: To be translated.
        chosen: Keys of the choices of the answer.
        is_required: Whether the report is a draft without it.
        is_missing: Whether it is, and there is none.
    """

    key: str
    label: str
    help: str
    kind: str
    item: str
    text: str
    chosen: frozenset[str]
    choices: Sequence[Choice]
    several: bool
    longest: int
    is_required: bool
    is_missing: bool


@dataclass(frozen=True, slots=True)
class ReportPage:
    """What the page of a report is made from.

    Attributes:
        document: None where it cannot be made.
        frozen: The frozen one that is shown; None for the report as it would be now.
        answers: Key of a question -> its answer.
        missing: Keys of the questions that lack an answer.
        previous: Number of the report of which this one is an update; "" for none.
        earlier: Numbers of the frozen reports that it may be an update of.
        version: Of the project, with its answers.
        can_sign_as: What the reader may sign it as.
    """

    kind: ReportKind
    language: str
    document: Document | None
    unmade: UsageError | None
    frozen: Report | None
    questions: Sequence[Question]
    answers: Mapping[str, Value]
    missing: frozenset[str]
    previous: str
    other_sources: Sequence[OtherSource]
    earlier: Sequence[str]
    others: Sequence[str]
    version: int
    signatures: Sequence[Signature] = ()
    can_sign_as: Sequence[SignatureRole] = ()


def reports_page(
    visit: Visit,
    project: Project,
    lines: Sequence[ReportLine],
    frozen: Sequence[Report],
    done: str = "",
) -> str:
    """The list of reports."""
    made = frame(visit, project, "/reports")
    base = f"{made.base}/reports"
    return page(
        "projects/reports.html",
        visit,
        f"{visit.language.gettext('Reports')} · {line(project.title)}",
        current="/projects",
        frame=made,
        reports=lines,
        frozen=[
            FrozenLine(
                report.number,
                KINDS[report.kind].label if report.kind in KINDS else report.kind,
                report.frozen,
                report.digest,
                _address(base, report.kind, frozen=report.number),
                _downloads(base, report.kind, frozen=report.number),
            )
            for report in frozen
        ],
        done=DONE_WORDS.get(done, ""),
    )


def report_page(
    visit: Visit, project: Project, shown: ReportPage, said: Said, done: str = ""
) -> str:
    """The page of one report."""
    made = frame(visit, project, "/reports")
    base = f"{made.base}/reports"
    kind, document = shown.kind, shown.document
    number = shown.frozen.number if shown.frozen else ""
    typed = said.fields if said.place == "answer" else MultiDict()
    # Beside a conflict the other fields have what stands now: it may be the answer of another.
    mine = frozenset(said.error.yours) if isinstance(said.error, Conflict) else None
    # Of a diagram alone there is a picture.
    has_figure = document is not None and any(isinstance(b, Figure) for b in document.blocks)
    given: dict[str, str] = {"frozen": number} if number else {"language": shown.language}
    if shown.previous and not number:
        given["previous"] = shown.previous
    return page(
        "projects/report.html",
        visit,
        f"{visit.language.said(kind.label)} · {line(project.title)}",
        current="/projects",
        frame=made,
        heading=kind.label,
        base=f"{base}/{kind.name}",
        others=[(KINDS[name].label, f"{base}/{name}") for name in shown.others],
        frozen=shown.frozen,
        live=f"{base}/{kind.name}",
        draft=[] if document is None else document.draft,
        draft_lang=_LANGUAGE_NAMES[document.language if document else shown.language][0],
        downloads=_downloads(base, kind.name, svg=has_figure, **given) if document else (),
        others_asked=kind.name in _WITH_OTHERS,
        other_sources=shown.other_sources,
        other_kinds=OTHER_WORDS,
        previous=shown.previous,
        earlier=[
            (earlier, _address(base, kind.name, language=shown.language, previous=earlier))
            for earlier in shown.earlier
            if earlier != shown.previous
        ],
        languages=[
            (
                *_LANGUAGE_NAMES[language],
                _address(base, kind.name, language=language),
                language == shown.language,
            )
            for language in kind.languages
            if len(kind.languages) > 1
        ],
        groups=[] if shown.frozen else _groups(shown, typed, mine),
        missing=len(shown.missing),
        # Made by lxml from texts alone; no part of it is taken as HTML.
        preview=Markup(body(document, _LEVEL)) if document else "",  # noqa: S704
        unmade=shown.unmade,
        signatures=shown.signatures,
        signature_words=SIGNATURE_WORDS,
        can_sign_as=shown.can_sign_as,
        sign_words=_SIGN_WORDS,
        said=said,
        version_now=shown.version,
        clash=clash_of(
            said,
            visit.language,
            {question.key: question.label for question in shown.questions},
            f"{base}/{kind.name}",
            sent=("do", *(f"{PREFIX}{key}" for key in mine or ())),
            more=[(ONLY, key) for key in sorted(mine or ())],
            words=lambda key, value: _clash_words(visit, shown, key, value),
        ),
        done=DONE_WORDS.get(done, ""),
    )


def _clash_words(visit: Visit, shown: ReportPage, key: str, value: object) -> str:
    """An answer as a reader sees it: choices by their names."""
    asked = next((one for one in shown.questions if one.key == key), None)
    names = {one.key: visit.language.said(one.label) for one in (asked.choices if asked else ())}
    if isinstance(value, tuple):
        return value_words([names.get(one, one) for one in value], visit.language)
    return names.get(value, value) if isinstance(value, str) else value_words(value, visit.language)


def _groups(
    shown: ReportPage, typed: MultiMapping[str], mine: frozenset[str] | None
) -> list[tuple[str, Sequence[Asked]]]:
    """(heading, questions) of each group."""
    groups: dict[str, list[Asked]] = {}
    for question in shown.questions:
        own = typed if mine is None or question.key in mine else MultiDict[str]()
        groups.setdefault(question.group, []).append(_asked(question, shown, own))
    return list(groups.items())


def _asked(question: Question, shown: ReportPage, typed: MultiMapping[str]) -> Asked:
    name = f"{PREFIX}{question.key}"
    value = shown.answers.get(question.key)
    if typed:
        texts: Iterable[str] = typed.getall(name, [])
        text, chosen = typed.get(name, ""), frozenset(texts)
    else:
        text, chosen = _text(value), _chosen(value)
    return Asked(
        key=question.key,
        label=question.label,
        help=question.help,
        kind=question.kind,
        item=question.item,
        text=text,
        chosen=chosen,
        choices=question.choices,
        several=question.several,
        longest=question.longest,
        is_required=shown.kind.name in question.required,
        is_missing=question.key in shown.missing,
    )


def _text(value: Value | None) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case tuple():
            return "\n".join(value)
    return value


def _chosen(value: Value | None) -> frozenset[str]:
    if isinstance(value, tuple):
        return frozenset(value)
    return frozenset({value}) if isinstance(value, str) else frozenset()


def _address(base: str, name: str, **parameters: str) -> str:
    query = f"?{urlencode(parameters)}" if parameters else ""
    return f"{base}/{quote(name)}{query}"


def _downloads(
    base: str, name: str, *, svg: bool = False, **parameters: str
) -> list[tuple[str, str]]:
    """(label, address) of each format."""
    return [
        (form.label, _address(base, f"{name}.{form.ending}", **parameters))
        for form in FORMATS.values()
        if (form.name != "svg" or svg) and (form.name != "docx" or is_installed("docx"))
    ]
