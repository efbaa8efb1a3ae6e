"""The pages of reports: the list, and one report with its questions, preview and downloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode

from aiohttp import web
from multidict import MultiDict, MultiMapping

from metasearch.errors import Conflict, UsageError
from metasearch.extras import is_installed
from metasearch.formats.text import line
from metasearch.language import language_of
from metasearch.message import message
from metasearch.review.page import (
    FormState,
    PageRequest,
    clash_of,
    file_headers,
    frame,
    number_in,
    page_or_form,
    page_request,
    unknown_form,
    value_words,
    version_of,
    with_parameters,
)
from metasearch.review.projects import projects
from metasearch.review.projects.pages import ReportLine, names_for, report_lines
from metasearch.review.projects.projects import Project, ProjectRow
from metasearch.review.quota_checks import begin_check
from metasearch.review.reports import reports
from metasearch.review.reports.document import Document, Figure, Language, Table
from metasearch.review.reports.questions import ReportQuestion, Value
from metasearch.review.reports.render import FORMATS, ReportFormat, write
from metasearch.review.reports.render.markup import html_body
from metasearch.review.reports.reports import (
    CONTINUED,
    KINDS,
    Report,
    ReportKind,
    Signature,
    SignatureRole,
    frozen,
)
from metasearch.review.runs import other_sources
from metasearch.review.runs.other_sources import OtherSource
from metasearch.review.works import work_checks
from metasearch.review.works.work_checks import VERDICT_WORDS, CheckSummary, WorkCheck
from metasearch.server.forms import choice_of, only
from metasearch.server.pages.environment import N_
from metasearch.server.pages.page import page
from metasearch.server.problem import Problem
from metasearch.server.visit import Visit

#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "answered": N_("The answers were saved."),
    "other": N_("The other way of searching was added."),
    "forgotten": N_("The other way of searching was removed."),
    "frozen": N_("The report is final now. It is listed with its digest."),
    "signed": N_("The report was signed."),
    "check": N_("The check has begun. Load the page again to see how far it is."),
    "stopped": N_("The check was stopped. What was checked is kept."),
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
#: Checks that the page lists.
_MOST_CHECKS = 200
#: Level of the heading that a preview begins with.
_LEVEL = 3


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
    questions: Sequence[ReportQuestion]
    answers: Mapping[str, Value]
    missing: frozenset[str]
    previous: str
    other_sources: Sequence[OtherSource]
    earlier: Sequence[str]
    others: Sequence[str]
    version: int
    signatures: Sequence[Signature] = ()
    can_sign_as: Sequence[SignatureRole] = ()


@dataclass(frozen=True, slots=True)
class ChecksShown:
    """What the page shows of the checks of included works: the worst ones that are not confirmed.
    `error`: why the last check was broken off.
    """

    known: CheckSummary
    listed: Sequence[WorkCheck]
    under_way: bool
    error: str | None = None


def reports_page(
    visit: Visit,
    project: ProjectRow,
    lines: Sequence[ReportLine],
    frozen: Sequence[Report],
    checks: ChecksShown,
    said: FormState,
    done: str = "",
) -> str:
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
            (
                report,
                KINDS[report.kind].label if report.kind in KINDS else report.kind,
                _address(base, report.kind, frozen=report.number),
                _downloads(base, report.kind, frozen=report.number),
            )
            for report in frozen
        ],
        base=base,
        checks=checks,
        verdict_words=VERDICT_WORDS,
        said=said,
        done=DONE_WORDS.get(done, ""),
    )


def report_page(
    visit: Visit, project: ProjectRow, shown: ReportPage, said: FormState, done: str = ""
) -> str:
    made = frame(visit, project, "/reports")
    base = f"{made.base}/reports"
    kind, document = shown.kind, shown.document
    number = shown.frozen.number if shown.frozen else ""
    typed = said.fields if said.place == "answer" else MultiDict()
    # Beside a conflict the other fields have what stands now: it may be the answer of another.
    mine = frozenset(said.error.yours) if isinstance(said.error, Conflict) else None
    given: dict[str, str] = {"frozen": number} if number else {"language": shown.language}
    if shown.previous and not number:
        given["previous"] = shown.previous
    return page(
        "projects/report.html",
        visit,
        f"{visit.language.phrase(kind.label)} · {line(project.title)}",
        current="/projects",
        frame=made,
        shown=shown,
        base=f"{base}/{kind.name}",
        others=[(KINDS[name].label, f"{base}/{name}") for name in shown.others],
        draft=[] if document is None else document.draft,
        draft_lang=language_of(document.language if document else shown.language).tag,
        downloads=_downloads(base, kind.name, document, **given) if document else (),
        others_asked=kind.name in _WITH_OTHERS,
        other_kinds=OTHER_WORDS,
        earlier=[
            (earlier, _address(base, kind.name, language=shown.language, previous=earlier))
            for earlier in shown.earlier
            if earlier != shown.previous
        ],
        languages=[
            (
                language_of(language).tag,
                language_of(language).name,
                _address(base, kind.name, language=language),
                language == shown.language,
            )
            for language in kind.languages
            if len(kind.languages) > 1
        ],
        groups={} if shown.frozen else _groups(shown, typed, mine),
        # Made by lxml from texts alone; no part of it is taken as HTML.
        preview=html_body(document, _LEVEL) if document else "",
        signature_words=SIGNATURE_WORDS,
        sign_words=_SIGN_WORDS,
        said=said,
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
    names = {one.key: visit.language.phrase(one.label) for one in (asked.choices if asked else ())}
    if isinstance(value, tuple):
        return value_words([names.get(one, one) for one in value], visit.language)
    return names.get(value, value) if isinstance(value, str) else value_words(value, visit.language)


def _groups(
    shown: ReportPage, typed: MultiMapping[str], mine: frozenset[str] | None
) -> Mapping[str, Sequence[tuple[ReportQuestion, str, frozenset[str]]]]:
    """Heading -> its questions, each with the text of its answer, and the keys of the choices."""
    groups: dict[str, list[tuple[ReportQuestion, str, frozenset[str]]]] = {}
    for question in shown.questions:
        name, value = f"{PREFIX}{question.key}", shown.answers.get(question.key)
        text, chosen = _text(value), _choices_of(value)
        if typed and (mine is None or question.key in mine):
            text, chosen = typed.get(name, ""), frozenset(typed.getall(name, []))
        groups.setdefault(question.group, []).append((question, text, chosen))
    return groups


def _text(value: Value | None) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case tuple():
            return "\n".join(value)
    return value


def _choices_of(value: Value | None) -> frozenset[str]:
    if isinstance(value, tuple):
        return frozenset(value)
    return frozenset({value}) if isinstance(value, str) else frozenset()


def _address(base: str, name: str, **parameters: str) -> str:
    query = f"?{urlencode(parameters)}" if parameters else ""
    return f"{base}/{quote(name)}{query}"


def _downloads(
    base: str, name: str, document: Document | None = None, **parameters: str
) -> list[tuple[str, str]]:
    """(label, address) of each format: a picture of a diagram alone, rows of one table alone."""
    blocks = document.blocks if document else ()
    cannot = {
        "svg": not any(isinstance(block, Figure) for block in blocks),
        "csv": sum(isinstance(block, Table) for block in blocks) != 1,
        "docx": not is_installed("docx"),
    }
    return [
        (form.label, _address(base, f"{name}.{form.ending}", **parameters))
        for form in FORMATS.values()
        if not cannot.get(form.name)
    ]


# `/projects/UID/reports`: the reports of a project, and those that are frozen.


async def answer_list(request: web.Request) -> web.StreamResponse:
    """The page, or what its form says: begin or stop a check of the included works."""
    here = await page_request(request)

    async def render(said: FormState) -> str:
        async with here.shared.admission.brief():
            lines, finished, checks = await here.long(_lists, here.path())
        checks = replace(checks, error=here.service.check_error(here.project))
        done = only(request.query, "done")
        return reports_page(here.visit, here.project, lines, finished, checks, said, done)

    return await page_or_form(request, lambda fields: _check(here, fields), render)


async def _check(here: PageRequest, fields: MultiMapping[str]) -> str:
    here.needs("run")
    match choice_of(fields, "do", ("check", "stop"), ""):
        case "check":
            await begin_check(here)
            return with_parameters(here.path("/reports"), {"done": "check"}, "checks")
        case "stop":
            await here.write(work_checks.stop)
            return with_parameters(here.path("/reports"), {"done": "stopped"}, "checks")
    raise unknown_form()


def _lists(project: Project, base: str) -> tuple[list[ReportLine], list[Report], ChecksShown]:
    grave = [verdict for verdict in VERDICT_WORDS if verdict != "confirmed"]
    checks = ChecksShown(
        work_checks.summary(project),
        work_checks.checks_of(project, most=_MOST_CHECKS, verdicts=grave),
        work_checks.is_under_way(project),
    )
    return report_lines(project, base), frozen(project), checks


# `/projects/UID/reports/KIND`: one report: its questions, its preview, its files; freezing it.

_LONGEST_NAME = 100


async def answer_report(request: web.Request) -> web.StreamResponse:
    """The page of a report, a file of it, or what one of its forms says."""
    here = await page_request(request)
    kind, form = _parse_name(request.match_info["report"][:_LONGEST_NAME])
    language = _language(here, kind)
    number = only(request.query, "frozen")[:_LONGEST_NAME]
    previous = only(request.query, "previous")[:_LONGEST_NAME]
    if form is not None and request.method != "POST":
        return await _file(here, kind, form, language, number, previous)

    async def render(said: FormState) -> str:
        async with here.shared.admission.brief():
            signer = here.by if here.by and here.visit.can("sign") else None
            shown = await here.long(_report_page, kind, language, number, previous, signer)
        return report_page(here.visit, here.project, shown, said, only(request.query, "done"))

    return await page_or_form(request, lambda fields: _do(here, kind, language, fields), render)


def _parse_name(name: str) -> tuple[ReportKind, ReportFormat | None]:
    """Kind and format of "prisma-s" or "prisma-s.docx"."""
    stem, dot, ending = name.partition(".")
    form = next((form for form in FORMATS.values() if form.ending == ending), None)
    if stem not in KINDS or (dot and form is None):
        raise Problem(404, None, message("There is no such report."))
    return KINDS[stem], form


def _language(here: PageRequest, kind: ReportKind) -> Language:
    named = only(here.request.query, "language")
    of_page = here.visit.language.tag.partition("-")[0]
    wanted = (named, of_page, kind.language)
    return next(tag for name in wanted for tag in kind.languages if tag == name)


def _report_page(
    project: Project,
    kind: ReportKind,
    language: Language,
    number: str,
    previous: str,
    signer: str | None,
) -> ReportPage:
    """What the page shows; a report that cannot be made says why. `signer` is the uid of a user who
    may sign; None for one who may not.
    """
    project = project.fresh()
    document: Document | None = None
    unmade: UsageError | None = None
    report: reports.Report | None = None
    try:
        document, report = _document(project, kind, language, number, previous)
    except UsageError as error:
        unmade = error
    return ReportPage(
        kind=kind,
        language=language,
        document=document,
        unmade=unmade,
        frozen=report,
        questions=projects.questions(project, kind.name),
        answers=projects.answers(project),
        missing=frozenset(one.key for one in projects.open_questions(project, kind.name)),
        previous=previous,
        other_sources=other_sources.of(project),
        earlier=[report.number for report in reports.frozen(project, kind.name)]
        if kind.name in CONTINUED
        else [],
        others=[name for name in names_for(project) if name != kind.name],
        version=project.version,
        signatures=reports.signatures_of(project.db, report) if report else (),
        can_sign_as=_roles(project, report, signer) if report and signer else (),
    )


def _roles(project: Project, report: reports.Report, signer: str) -> list[reports.SignatureRole]:
    """What a user may sign the report as."""
    found: list[reports.SignatureRole] = []
    for role in reports.ROLES:
        try:
            found.append(reports.check_signer(project.as_user(signer), report, role))
        except UsageError:
            continue
    return found


def _document(
    project: Project,
    kind: ReportKind,
    language: Language,
    number: str,
    previous: str,
    form: str = "",
) -> tuple[Document, reports.Report | None]:
    """The report as it would be now, as an update of `previous`; with a number the frozen one, for
    a format or a page.
    """
    if not number:
        return kind.build(project, language=language, previous=previous or None), None
    report = reports.find(project, kind.name, number)
    return reports.with_signatures(project.db, report, form), report


async def _file(
    here: PageRequest,
    kind: ReportKind,
    form: ReportFormat,
    language: Language,
    number: str,
    previous: str,
) -> web.Response:
    try:
        document, report = await here.long(_document, kind, language, number, previous, form.name)
    except UsageError as error:
        raise Problem(404, None, error.message, advice=error.advice or None) from error
    content = await here.shared.admission.written(lambda: write(document, form.name), large=True)
    part = f"-{report.number}" if report else ""
    return file_response(content, form, f"{here.project.name}-{kind.name}{part}")


def file_response(content: bytes, form: ReportFormat, stem: str) -> web.Response:
    """A document in one of the formats of reports, to be saved under a name."""
    headers = {"Content-Type": form.media_type, **file_headers(stem, form.ending)}
    return web.Response(body=content, headers=headers)


async def _do(
    here: PageRequest, kind: ReportKind, language: Language, fields: MultiMapping[str]
) -> str:
    here_again = here.path(f"/reports/{kind.name}")
    match choice_of(fields, "do", ("answer", "freeze", "other", "forget", "sign"), ""):
        case "answer":
            await here.write(_keep_answers, kind, fields)
            return with_parameters(here_again, {"done": "answered", "language": language})
        case "other":
            await here.write(_other, fields)
            return with_parameters(here_again, {"done": "other", "language": language}, "other")
        case "forget":
            if (number := number_in(fields, "other")) is not None:
                await here.write(other_sources.remove, number)
            return with_parameters(here_again, {"done": "forgotten", "language": language}, "other")
        case "freeze":
            here.needs("report")
            if only(fields, "sure") != "yes":
                raise UsageError(
                    message("The report was not made final"),
                    advice=message("Tick the box that says that it is ready."),
                )
            made = await here.write(
                reports.freeze,
                kind.name,
                language=language,
                previous=only(fields, "previous") or None,
                draft=only(fields, "draft") == "yes",
            )
            return with_parameters(here_again, {"frozen": made.number, "done": "frozen"})
        case "sign":
            here.needs("sign")
            signed = only(fields, "number")[:_LONGEST_NAME]
            await _sign(here, kind, signed, fields)
            return with_parameters(here_again, {"frozen": signed, "done": "signed"}, "signatures")
    raise unknown_form()


async def _sign(
    here: PageRequest, kind: ReportKind, number: str, fields: MultiMapping[str]
) -> None:
    if not here.by:  # nobody signs on a server without users
        raise unknown_form()
    from metasearch.review.projects.team_api import sign

    await sign(
        here.request,
        here.workspace,
        here.project,
        kind.name,
        number,
        role=only(fields, "role"),
        digest=only(fields, "digest"),
    )


def _keep_answers(project: Project, kind: ReportKind, fields: MultiMapping[str]) -> None:
    """Keep the answers of a form. A field of several choices that is not there has none, unless the
    form says that it answers other questions alone.
    """
    values: dict[str, object] = {}
    only_these = frozenset(fields.getall(ONLY, []))
    for question in projects.questions(project, kind.name):
        if only_these and question.key not in only_these:
            continue
        name = f"{PREFIX}{question.key}"
        if question.kind == "choice" and question.several:
            values[question.key] = tuple(fields.getall(name, []))
        elif name in fields:
            values[question.key] = fields[name].replace("\r\n", "\n")
    projects.answer(project, values, version=version_of(fields))


def _other(project: Project, fields: MultiMapping[str]) -> None:
    other_sources.add(
        project,
        only(fields, "kind"),
        only(fields, "name").strip(),
        how=only(fields, "how").strip(),
        date=only(fields, "date").strip(),
        identified=number_in(fields, "identified"),
        sought=number_in(fields, "sought"),
        not_retrieved=number_in(fields, "not_retrieved"),
        excluded=_reasons(only(fields, "excluded")),
    )


def _reasons(text: str) -> dict[str, int]:
    """Reason -> reports, of lines such as "no control group: 3". Raises UsageError: a line has no
    number, or a reason is there twice.
    """
    found: dict[str, int] = {}
    for each in filter(None, (one.strip() for one in text.splitlines())):
        reason, _, count = each.replace("\uff1a", ":").rpartition(":")
        reason, count = reason.strip(), count.strip()
        is_number = count.isascii() and count.isdigit() and len(count) < 9
        if not reason or not is_number or reason in found:
            raise UsageError(
                message("{text} is no reason with a number", text=repr(each[:40])),
                advice=message("Write one reason a line, each once: no control group: 3"),
            )
        found[reason] = int(count)
    return found
