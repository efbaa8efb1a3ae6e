"""The kinds of reports: a table; the module of each is imported when it is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from metasearch.errors import UsageError
from metasearch.message import message, message_template
from metasearch.workspace.projects import Project
from metasearch.workspace.reports.document import Document, Language
from metasearch.workspace.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportKind:
    """A kind of report.

    Attributes:
        name: As it is asked for.
        label: For people; marked by `message_template`.
        module: Its module in metasearch.workspace.reports, with a function `document`.
        language: Of the report where none is chosen.
        languages: Those in which it can be written.
        number: Gives the number of a finished one; None counts from 1.
    """

    name: str
    label: str
    module: str
    language: Language = "en"
    languages: tuple[Language, ...] = ("en", "zh")
    number: Callable[[Database, Project], str] | None = None

    def build(
        self,
        db: Database,
        project: Project,
        *,
        language: Language | None = None,
        previous: str | None = None,
    ) -> Document:
        """The report as it is now.

        Args:
            db: The workspace.
            project: Whose report.
            language: None for the one of its kind.
            previous: Number of the finished report that it continues, "last" for the newest; only
                of reports of a flow.

        Raises:
            UsageError: It is not written in this language, or continues none.
        """
        chosen = language or self.language
        if chosen not in self.languages:
            raise UsageError(
                message("This report is not written in {language}", language=chosen),
                advice=message("It is in {languages}.", languages=", ".join(self.languages)),
            )
        more: dict[str, Any] = {"previous": previous} if previous else {}
        if previous and self.name not in CONTINUED:
            raise UsageError(message("This report continues no earlier one"))
        module = import_module(f"metasearch.workspace.reports.{self.module}")
        made: Document = module.document(db, project, language=chosen, **more)
        return made


#: Kinds whose reports may continue an earlier one.
CONTINUED = frozenset(("prisma-flow",))

KINDS: Mapping[str, ReportKind] = {
    kind.name: kind
    for kind in (
        ReportKind(
            name="prisma-s",
            label=message_template("PRISMA-S: how the literature was searched"),
            module="prisma_s",
        ),
        ReportKind(
            name="prisma-flow",
            label=message_template("PRISMA 2020 flow diagram"),
            module="prisma_flow",
        ),
        ReportKind(
            name="appendix",
            label=message_template("Search appendix: each strategy as it was sent"),
            module="appendix",
        ),
    )
}


def kind_of(name: str) -> ReportKind:
    """The kind with this name.

    Raises:
        UsageError: There is none.
    """
    if name not in KINDS:
        raise UsageError(
            message("There is no report {name}", name=repr(name[:40])),
            advice=message("There are {names}.", names=", ".join(KINDS)),
        )
    return KINDS[name]
