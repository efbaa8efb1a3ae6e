"""`Findings`: all that a novelty report is made of, read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from metasearch.workspace import details, projects
from metasearch.workspace.projects import Project
from metasearch.workspace.questions.novelty import REPORT
from metasearch.workspace.questions.question import Value
from metasearch.workspace.reports.document import Paragraph
from metasearch.workspace.reports.novelty.related import Related, related_works
from metasearch.workspace.reports.novelty.searches import Searches, searches
from metasearch.workspace.store.database import Database

#: What stands where a field does not apply; no field of a report is empty.
NOTHING = "略"
#: What stands in a draft where an answer is required and missing.
UNFILLED = "（待填）"


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What a person said, what was searched, and what was found.

    Attributes:
        answers: Key of a question -> its answer.
        missing: Keys of the questions that the report requires and that have no answer.
        related: The related works in the order of the list.
    """

    project: Project
    answers: Mapping[str, Value]
    missing: frozenset[str]
    searches: Searches
    related: tuple[Related, ...]

    @property
    def points(self) -> tuple[str, ...]:
        """The points of novelty; the first one has number 1."""
        return self.items("points")

    def text(self, name: str) -> str:
        """The answer to a question; without one "略", or "（待填）" where one is required."""
        answer = self.answers.get(f"novelty.{name}")
        if not answer:
            return UNFILLED if f"novelty.{name}" in self.missing else NOTHING
        return "、".join(answer) if isinstance(answer, tuple) else str(answer)

    def lines(self, name: str) -> tuple[str, ...]:
        """The lines of a long answer, or "略"; empty ones are left out."""
        return tuple(line for line in self.text(name).split("\n") if line.strip())

    def items(self, name: str) -> tuple[str, ...]:
        """The answer to a question that has a list."""
        answer = self.answers.get(f"novelty.{name}")
        return answer if isinstance(answer, tuple) else ()

    def given(self, name: str) -> bool:
        """Whether a question has an answer."""
        return f"novelty.{name}" in self.answers

    def about(self, point: int) -> tuple[Related, ...]:
        """The related works of a point of novelty. Where there is only one, all are about it."""
        if len(self.points) == 1:
            return self.related
        return tuple(one for one in self.related if point in one.points)


def paragraph(text: str) -> Paragraph:
    """A paragraph of plain text."""
    return Paragraph(text=text)


def findings(db: Database, project: Project) -> Findings:
    """Read them, all of one moment."""
    with db.snapshot():
        project = projects.find(db, project.uid)
        related = related_works(db, project)
        return Findings(
            project=project,
            answers=details.answers(project),
            missing=frozenset(one.key for one in details.missing(project, REPORT)),
            searches=searches(db, project, related),
            related=related,
        )
