"""What can be asked of the workspace: works, decisions, files and reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from metasearch.formats import WRITABLE
from metasearch.review.openapi import PROJECT, body, operation, query
from metasearch.review.reports import api as reports
from metasearch.review.reports.render import FORMATS
from metasearch.review.reports.reports import KINDS
from metasearch.review.routes import PROJECTS
from metasearch.review.works import api
from metasearch.review.works.export import EXPORTS, TOOLS
from metasearch.server.protocols.openapi.operation import (
    Example,
    Operation,
    Schema,
    one_of,
    ref,
    text,
)
from metasearch.server.protocols.openapi.parameters import parameter

_HERE = f"{PROJECTS}/{PROJECT}"
#: A file as one would bring it.
_RIS = (
    "TY  - JOUR\nTI  - Gambling and debt\nAU  - Doe, Jane\nPY  - 2020\nDO  - 10.1000/182\nER  - \n"
)
_EXPORTS: Mapping[str, Schema] = {
    WRITABLE[TOOLS.get(name, name)].media_type: {} for name in EXPORTS
}


def operations() -> Iterator[Operation]:
    """All of them. An example may need what those before it have made."""
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
        examples=(
            Example(
                name="import",
                summary="One record from CNKI",
                address=f"{_HERE}/imports",
                json={
                    "name": "cnki.ris",
                    "text": _RIS,
                    "source": "CNKI",
                    "searched": "2026-05-03",
                    "query": "SU=赌博*债务",
                },
                status=201,
            ),
        ),
    )
    yield operation(
        "/{project}/works",
        "works",
        "The works of a project",
        "WorksPage",
        *query(api.LIST),
        further=(400,),
        description="A part of the list that the parameters choose, and facets of the whole.",
        examples=(
            Example(
                name="works",
                summary="Those with a word that are undecided",
                address=f"{_HERE}/works?text=gambling&verdict=undecided&count=1",
            ),
        ),
    )
    yield operation(
        "/{project}/works/{work}",
        "projectWork",
        "A work with its records, and who found it",
        "ProjectWork",
        parameter(
            "work", text(), "Its uid, an earlier one, a DOI, `pmid:1` or `source:id`.", place="path"
        ),
        examples=(
            Example(
                name="project-work", summary="By its DOI", address=f"{_HERE}/works/10.1000/182"
            ),
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
        examples=(
            Example(
                name="decide",
                summary="One work",
                address=f"{_HERE}/decisions",
                json={
                    "works": ["10.1000/182"],
                    "verdict": "excluded",
                    "reason": "wrong population",
                },
            ),
        ),
    )
    yield operation(
        "/{project}/decisions/import",
        "importDecisions",
        "Import decisions that were made in a screening tool",
        "ImportedDecisions",
        body=body(api.DECISIONS),
        description="A table or a file of references; each line is found again by its id, DOI or "
        "PMID, else by title, author and year. All is one change of the log.",
        examples=(
            Example(
                name="decisions-import",
                summary="A table of two lines, one of which is unknown",
                address=f"{_HERE}/decisions/import",
                json={
                    "name": "screened.csv",
                    "text": "doi,included\n10.1000/182,0\n10.1000/999,0\n",
                },
            ),
        ),
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
        examples=(
            Example(
                name="export",
                summary="For ASReview",
                address=f"{_HERE}/exports?format=asreview&text=debt&tags=money&known=0",
            ),
        ),
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
        examples=(
            Example(
                name="tag",
                summary="All works with a word",
                address=f"{_HERE}/tags",
                json={"matching": {"text": "debt"}, "add": ["money"]},
            ),
        ),
    )
    yield operation(
        "/{project}/notes",
        "noteWork",
        "Write a note on a work",
        "ChangedWorks",
        body=body(api.NOTE),
        further=(409,),
        description="`change` of the answer is the new `note_version` of the work.",
        examples=(
            Example(
                name="note",
                summary="A note",
                address=f"{_HERE}/notes",
                json={"work": "10.1000/182", "text": "Ask the author."},
            ),
        ),
    )
    yield operation(
        "/{project}/pins",
        "pins",
        "What is said to be the same work, or different ones",
        "Pins",
        examples=(Example(name="pins", summary="None yet", address=f"{_HERE}/pins"),),
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
        examples=(
            Example(
                name="undo-unknown",
                summary="There is no such change",
                address=f"{_HERE}/undo",
                json={"change": 999},
                status=400,
            ),
        ),
    )


def _reports() -> Iterator[Operation]:
    kind = parameter("kind", one_of(KINDS), "Which report.", place="path")
    yield operation(
        "/{project}/reports",
        "reports",
        "The kinds of reports, and the finished ones",
        "Reports",
        examples=(Example(name="reports", summary="None is finished", address=f"{_HERE}/reports"),),
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
        kind,
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
        kind,
        body=body(reports.FINISH),
        status=201,
        examples=(
            Example(
                name="report-finish",
                summary="The flow diagram",
                address=f"{_HERE}/reports/prisma-flow",
                json={},
                status=201,
            ),
        ),
    )
