"""`/projects/UID/reports/KIND`: one report: its questions, its preview, its files; freezing it."""

from __future__ import annotations

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.faces.projects.opened import (
    Opened,
    after_form,
    opened,
    unknown_form,
    version_of,
    with_parameters,
)
from metasearch.server.faces.projects.report_lines import names_for
from metasearch.server.forms import chosen, posted
from metasearch.server.page_response import page_response
from metasearch.server.pages.projects.reports import ONLY, PREFIX, ReportPage, report_page
from metasearch.server.pages.projects.said import Said
from metasearch.server.problem import Problem
from metasearch.server.received import only
from metasearch.workspace import details, other_sources, projects
from metasearch.workspace.projects import Project
from metasearch.workspace.reports import finished, freezing, signatures
from metasearch.workspace.reports.document import Document, Language
from metasearch.workspace.reports.kinds import CONTINUED, KINDS, ReportKind
from metasearch.workspace.reports.render import FORMATS, ReportFormat, write
from metasearch.workspace.store.database import Database

_LONGEST_NAME = 100
#: Language of a page -> that of a report whose language nobody has chosen.
_OF_PAGE = {"en": "en", "zh-Hans": "zh"}


async def answer(request: web.Request) -> web.StreamResponse:
    """The page of a report, a file of it, or what one of its forms says."""
    here = await opened(request)
    kind, form = _named(request.match_info["report"][:_LONGEST_NAME])
    language = _language(here, kind)
    number = only(request.query, "frozen")[:_LONGEST_NAME]
    previous = only(request.query, "previous")[:_LONGEST_NAME]
    if form is not None and request.method != "POST":
        return await _file(here, kind, form, language, number, previous)

    async def render(said: Said) -> str:
        async with here.shared.admission.brief():
            shown = await here.workspace.long(
                _shown, here.project, kind, language, number, previous, _signer(here)
            )
        return report_page(here.visit, here.project, shown, said, only(request.query, "done"))

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields = await posted(request)
    return await after_form(request, fields, lambda: _done(here, kind, language, fields), render)


def _named(name: str) -> tuple[ReportKind, ReportFormat | None]:
    """Kind and format of "prisma-s" or "prisma-s.docx"."""
    stem, dot, ending = name.partition(".")
    form = next((form for form in FORMATS.values() if form.ending == ending), None)
    if stem not in KINDS or (dot and form is None):
        raise Problem(404, None, message("There is no such report."))
    return KINDS[stem], form


def _language(here: Opened, kind: ReportKind) -> Language:
    named = only(here.request.query, "language")
    of_page = _OF_PAGE.get(here.visit.language.tag, "en")
    wanted = (named, of_page, kind.language)
    return next(tag for name in wanted for tag in kind.languages if tag == name)


def _shown(
    db: Database,
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
    project = projects.find(db, project.uid)
    document: Document | None = None
    unmade: UsageError | None = None
    report: finished.Report | None = None
    try:
        document, report = _document(db, project, kind, language, number, previous)
    except UsageError as error:
        unmade = error
    return ReportPage(
        kind=kind,
        language=language,
        document=document,
        unmade=unmade,
        frozen=report,
        questions=details.questions(project, kind.name),
        answers=details.answers(project),
        missing=frozenset(one.key for one in details.missing(project, kind.name)),
        previous=previous,
        other_sources=other_sources.of(db, project),
        earlier=[report.number for report in finished.frozen(db, project, kind.name)]
        if kind.name in CONTINUED
        else [],
        others=[name for name in names_for(project) if name != kind.name],
        version=project.version,
        signatures=signatures.of(db, report) if report else (),
        can_sign_as=_roles(db, project, report, signer) if report and signer else (),
    )


def _signer(here: Opened) -> str | None:
    return here.by if here.by and here.visit.can("sign") else None


def _roles(
    db: Database, project: Project, report: finished.Report, signer: str
) -> list[signatures.SignatureRole]:
    """What a user may sign the report as."""
    found: list[signatures.SignatureRole] = []
    for role in signatures.ROLES:
        try:
            found.append(signatures.check(db, project, report, role, signer))
        except UsageError:
            continue
    return found


def _document(
    db: Database,
    project: Project,
    kind: ReportKind,
    language: Language,
    number: str,
    previous: str,
    form: str = "",
) -> tuple[Document, finished.Report | None]:
    """The report as it would be now, as an update of `previous`; with a number the frozen one, for
    a format or a page.
    """
    if not number:
        return kind.build(db, project, language=language, previous=previous or None), None
    report = finished.find(db, project, kind.name, number)
    return signatures.document(db, report, form), report


async def _file(
    here: Opened,
    kind: ReportKind,
    form: ReportFormat,
    language: Language,
    number: str,
    previous: str,
) -> web.Response:
    try:
        document, report = await here.workspace.long(
            _document, here.project, kind, language, number, previous, form.name
        )
    except UsageError as error:
        raise Problem(404, None, error.message, advice=error.advice or None) from error
    content = await here.shared.admission.written(lambda: write(document, form.name), large=True)
    part = f"-{report.number}" if report else ""
    name = f"{here.project.name}-{kind.name}{part}.{form.ending}"
    media_type, _, charset = form.media_type.partition("; charset=")
    response = web.Response(body=content, content_type=media_type, charset=charset or None)
    response.headers["Content-Disposition"] = _attachment(name)
    response.headers["Cache-Control"] = "private, no-store"
    return response


def _attachment(name: str) -> str:
    from urllib.parse import quote

    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name)}"


async def _done(
    here: Opened, kind: ReportKind, language: Language, fields: MultiMapping[str]
) -> str:
    """Does what a form says; the address that shows it."""
    here_again = here.path(f"/reports/{kind.name}")
    match chosen(fields, "do", ("answer", "freeze", "other", "forget", "sign"), ""):
        case "answer":
            await here.workspace.write(_answered, here.project, kind, fields, here.by)
            return with_parameters(here_again, {"done": "answered", "language": language})
        case "other":
            await here.workspace.write(_other, here.project, fields, here.by)
            return with_parameters(here_again, {"done": "other", "language": language}, "other")
        case "forget":
            number = _number(fields, "other")
            if number is not None:
                await here.workspace.write(other_sources.remove, here.project, number, by=here.by)
            return with_parameters(here_again, {"done": "forgotten", "language": language}, "other")
        case "freeze":
            here.needs("report")
            if only(fields, "sure") != "yes":
                raise UsageError(
                    message("The report was not frozen"),
                    advice=message("Tick the box that says that it is ready."),
                )
            made = await here.workspace.write(
                freezing.freeze,
                here.project,
                kind.name,
                language=language,
                previous=only(fields, "previous") or None,
                draft=only(fields, "draft") == "yes",
                by=here.by,
            )
            return with_parameters(here_again, {"frozen": made.number, "done": "frozen"})
        case "sign":
            here.needs("sign")
            signed = only(fields, "number")[:_LONGEST_NAME]
            await _signed(here, kind, signed, fields)
            return with_parameters(here_again, {"frozen": signed, "done": "signed"}, "signatures")
    raise unknown_form()


async def _signed(here: Opened, kind: ReportKind, number: str, fields: MultiMapping[str]) -> None:
    if not here.by:  # nobody signs on a server without users
        raise unknown_form()
    from metasearch.server.users.signing import sign

    await sign(
        here.request,
        here.workspace,
        here.project,
        kind.name,
        number,
        role=only(fields, "role"),
        digest=only(fields, "digest"),
    )


def _answered(
    db: Database, project: Project, kind: ReportKind, fields: MultiMapping[str], by: str
) -> None:
    """Keep the answers of a form. A field of several choices that is not there has none, unless the
    form says that it answers other questions alone.
    """
    values: dict[str, object] = {}
    only_these = frozenset(fields.getall(ONLY, []))
    for question in details.questions(project, kind.name):
        if only_these and question.key not in only_these:
            continue
        name = f"{PREFIX}{question.key}"
        if question.kind == "choice" and question.several:
            values[question.key] = tuple(fields.getall(name, []))
        elif name in fields:
            values[question.key] = fields[name].replace("\r\n", "\n")
    details.answer(db, project, values, version=version_of(fields), by=by)


def _other(db: Database, project: Project, fields: MultiMapping[str], by: str) -> None:
    """Keep another way of searching."""
    other_sources.add(
        db,
        project,
        only(fields, "kind"),
        only(fields, "name").strip(),
        how=only(fields, "how").strip(),
        date=only(fields, "date").strip(),
        identified=_number(fields, "identified"),
        sought=_number(fields, "sought"),
        not_retrieved=_number(fields, "not_retrieved"),
        excluded=_reasons(only(fields, "excluded")),
        by=by,
    )


def _reasons(text: str) -> dict[str, int]:
    """Reason -> reports, of lines such as "no control group: 3". Raises UsageError: a line has no
    number, or a reason is there twice.
    """
    found: dict[str, int] = {}
    for each in filter(None, (line.strip() for line in text.splitlines())):
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


def _number(fields: MultiMapping[str], name: str) -> int | None:
    """The number in a field; None where it is empty. Raises UsageError: it is none."""
    text = only(fields, name).strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 13):
        raise UsageError(message("{text} is no number", text=repr(text[:40])))
    return int(text)
