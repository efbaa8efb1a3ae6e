"""What can be asked of the workspace: works, decisions, files and reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from metasearch.formats import WRITABLE
from metasearch.review.openapi import body, operation, query
from metasearch.review.reports import api as reports
from metasearch.review.reports.render import FORMATS
from metasearch.review.works import api
from metasearch.review.works.export import EXPORTS, TOOLS
from metasearch.server.protocols.openapi.operation import Operation, Schema, ref, text
from metasearch.server.protocols.openapi.parameters import parameter

_EXPORTS: Mapping[str, Schema] = {
    WRITABLE[TOOLS.get(name, name)].media_type: {} for name in EXPORTS
}


def operations() -> Iterator[Operation]:
    yield from _works()
    yield from _decisions()
    yield from _reports()


def _works() -> Iterator[Operation]:
    yield operation(
        "/{project}/imports",
        "importFile",
        "Add the file of a search by hand as a step",
        "Imported",
        body=body(api.IMPORT),
        status=201,
        description="A database that forbids programs is searched by hand; reports say so.",
    )
    yield operation(
        "/{project}/works",
        "works",
        "The works of a project",
        "WorksPage",
        *query(api.LIST),
        further=(400,),
        description="A part of the list that the parameters choose, and facets of the whole.",
    )
    yield operation(
        "/{project}/works/{work}",
        "projectWork",
        "A work with its records, and who found it",
        "ProjectWork",
        parameter(
            "work", text(), "Its uid, an earlier one, a DOI, `pmid:1` or `source:id`.", place="path"
        ),
    )


def _decisions() -> Iterator[Operation]:
    yield operation(
        "/{project}/decisions",
        "decide",
        "Decide about works",
        "ChangedWorks",
        body=body(api.DECIDE),
        description="`works` names them, or `matching` chooses them as a list does.",
    )
    yield operation(
        "/{project}/decisions/import",
        "importDecisions",
        "Import decisions that were made in a screening tool",
        "ImportedDecisions",
        body=body(api.DECISIONS),
        description="A table or a file of references; each line is found again by its id, DOI or "
        "PMID, else by title, author and year. All is one change of the log.",
    )
    yield operation(
        "/{project}/exports",
        "exportWorks",
        "Works in a format of reference managers, or for a screening tool",
        "",
        *query(api.EXPORT),
        content=_EXPORTS,
        headers=("Content-Disposition",),
        further=(400, 406),
    )
    yield operation(
        "/{project}/exports",
        "exportNamedWorks",
        "The same of works that are named",
        "",
        body=body(api.EXPORT_NAMED),
        content=_EXPORTS,
        headers=("Content-Disposition",),
        further=(406,),
    )
    yield operation(
        "/{project}/tags",
        "tagWorks",
        "Give works tags, and take tags from them",
        "ChangedWorks",
        body=body(api.TAG),
    )
    yield operation(
        "/{project}/notes",
        "noteWork",
        "Write a note on a work",
        "ChangedWorks",
        body=body(api.NOTE),
        further=(409,),
        description="`change` of the answer is the new `note_version` of the work.",
    )
    yield operation(
        "/{project}/pins", "pins", "What is said to be the same work, or different ones", "Pins"
    )
    yield operation(
        "/{project}/pins",
        "pin",
        "Say that two works are the same, or different",
        "Reassigned",
        body=body(api.PIN),
    )
    yield operation(
        "/{project}/pins/remove",
        "unpin",
        "Remove a pin",
        "Reassigned",
        body=body(api.UNPIN),
    )
    yield operation(
        "/{project}/undo",
        "undo",
        "Undo a change of the log",
        "Undone",
        body=body(api.UNDO),
        description="It is a change of its own, and can be undone in its turn.",
    )


def _reports() -> Iterator[Operation]:
    yield operation(
        "/{project}/check",
        "checkWorks",
        "Check the included works against databases",
        "WorkChecks",
        body=body({}),
        status=202,
        further=(409, 422),
        description="Errors, retractions, other versions. It goes on in the background, as one "
        "search of the user; a GET has what is known by now, until `under_way` is false.",
    )
    yield operation(
        "/{project}/check",
        "workChecks",
        "What the last check of each included work said, the worst first",
        "WorkChecks",
        *query(reports.CHECKED),
        further=(400,),
    )
    yield operation(
        "/{project}/check/stop",
        "stopCheck",
        "Stop a check",
        "WorkChecks",
        body=body({}),
        further=(409,),
        description="In whichever process it is under way. What was checked stays.",
    )
    yield operation(
        "/{project}/reports", "reports", "The kinds of reports, and the finished ones", "Reports"
    )
    content = {
        each.media_type.partition(";")[0]: ref("ReportDocument") if each.name == "json" else {}
        for each in FORMATS.values()
    }
    yield operation(
        "/{project}/reports/{kind}",
        "report",
        "A report as it is now, or as it was finished",
        "",
        *query(reports.WRITE),
        content=content,
        headers=("Content-Disposition",),
        further=(400,),
        description="Every number comes from runs and decisions. `draft` of the document says what "
        "is still missing.",
    )
    yield operation(
        "/{project}/reports/{kind}",
        "finishReport",
        "Finish a report: it stays as it is, with a digest",
        "Report",
        body=body(reports.FINISH),
        status=201,
    )
