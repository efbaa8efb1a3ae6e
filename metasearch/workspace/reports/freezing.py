"""Finishing a report: it is built, and kept as it is (finished.py), in one transaction."""

from __future__ import annotations

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.workspace.projects import Project
from metasearch.workspace.reports import finished
from metasearch.workspace.reports.document import Language
from metasearch.workspace.reports.finished import Report
from metasearch.workspace.reports.kinds import kind_of
from metasearch.workspace.runs import runs
from metasearch.workspace.store.database import Database

#: The finished reports of a project.
frozen = finished.frozen


def freeze(
    db: Database,
    project: Project,
    kind: str,
    *,
    language: Language | None = None,
    previous: str | None = None,
    draft: bool = False,
    by: str = "",
) -> Report:
    """Finish a report: it stays as it is now, with a digest.

    `language`: of the report; None for that of its kind. `previous`: number of the finished report
    that it continues; "last" for the newest. `draft`: whether a draft may be finished, with its
    warnings in it; never one of a kind whose reports are numbered. Raises UsageError: there is no
    such kind, a search is still running, or the report is a draft.
    """
    about = kind_of(kind)
    with db.transaction():
        runs.settle(db, project)
        running = db.value(
            "SELECT number FROM run WHERE project = ? AND status = 'running'", project.id
        )
        if running is not None:
            raise UsageError(
                message("Run {number} has not ended", number=running),
                advice=message("Finish the report when it has."),
            )
        document = about.build(db, project, language=language, previous=previous)
        if document.draft and not (draft and not about.numbered):
            raise UsageError(
                message("The report is a draft: {reason}", reason=document.draft[0]),
                advice=message("Mend what its first lines list.")
                if about.numbered
                else message("Mend what its first lines list, or finish it as a draft."),
            )
        number = about.next_number(db, project)
        if number is not None:
            document = about.build(db, project, language=language, number=number)
        return finished.keep(db, project, document, number=number, previous=previous, by=by)
