"""The kinds of reports: a table; the module of each is imported when it is built."""

from __future__ import annotations

from collections.abc import Mapping
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
        label: For people; marked by `message_template`.
        module: Its module in metasearch.workspace.reports, with a function `document`.
        language: Of the report where none is chosen.
        numbered: Whether its module gives the number of a finished one by `next_number`; the
            document has it on its cover, and a draft is never finished. Others count from 1.
    """

    name: str
    label: str
    module: str
    language: Language = "en"
    languages: tuple[Language, ...] = ("en", "zh")
    numbered: bool = False

    def build(
        self,
        db: Database,
        project: Project,
        *,
        language: Language | None = None,
        previous: str | None = None,
        number: str | None = None,
    ) -> Document:
        """The report as it is now.

        `language`: None for the one of its kind. `previous`: number of the finished report that it
        continues, "last" for the newest; only of reports of a flow. `number`: that it gets when it
        is finished; only of kinds that are `numbered`. Raises UsageError: it is not written in this
        language, or continues none.
        """
        chosen = language or self.language
        if chosen not in self.languages:
            raise UsageError(
                message("This report is not written in {language}", language=chosen),
                advice=message("It is in {languages}.", languages=", ".join(self.languages)),
            )
        given = {"previous": previous, "number": number}
        more: dict[str, Any] = {name: value for name, value in given.items() if value}
        if previous and self.name not in CONTINUED:
            raise UsageError(message("This report continues no earlier one"))
        made: Document = self._module.document(db, project, language=chosen, **more)
        return made

    def next_number(self, db: Database, project: Project) -> str | None:
        """The number of the report if it were finished now; None where finished ones count from 1.
        Raises UsageError: it cannot be made of what is known.
        """
        if not self.numbered:
            return None
        number: str = self._module.next_number(db, project)
        return number

    @property
    def _module(self) -> Any:
        return import_module(f"metasearch.workspace.reports.{self.module}")


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
        ReportKind(
            name="chaxin",
            label=message_template("科技查新报告: novelty search report after GB/T 32003-2015"),
            module="novelty.report",
            language="zh",
            languages=("zh",),
            numbered=True,
        ),
    )
}


def kind_of(name: str) -> ReportKind:
    """The kind with this name. Raises UsageError: there is none."""
    if name not in KINDS:
        raise UsageError(
            message("There is no report {name}", name=repr(name[:40])),
            advice=message("There are {names}.", names=", ".join(KINDS)),
        )
    return KINDS[name]
