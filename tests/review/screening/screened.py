"""A project that a team screens, for tests."""

from __future__ import annotations

from typing import Any

from metasearch.review.projects.projects import Kind
from metasearch.review.screening import teams, votes
from metasearch.review.store.database import Database
from metasearch.review.works import decisions
from metasearch.review.works.decisions import ChangeResult
from metasearch.review.works.works import Stage, Verdict
from tests.review.works.held import Held, paper

TITLES = ("Harms of gambling", "Soil of the plains", "Whales of southern seas")
#: Letter -> verdict, for short tests.
VERDICTS: dict[str, Verdict | None] = {
    "r": "relevant", "m": "maybe", "c": "close", "e": "excluded", "u": "unavailable", "-": None,
}  # fmt: skip


class Screened(Held):
    """A project with works on different subjects, which a team screens.

    Args:
        db: The workspace.
        kind: Of the project.
        screeners: Who screens the titles.
        works: How many works it has.
        team: As of `teams.begin`.
    """

    def __init__(
        self,
        db: Database,
        kind: Kind = "review",
        screeners: tuple[str, ...] = ("ann", "bob"),
        works: int = 3,
        **team: Any,
    ) -> None:
        super().__init__(db, kind)
        titles = [TITLES[n] if n < 3 else f"Study {n} of subject {n}" for n in range(works)]
        self.add(*(paper("a", n, title, author=f"Name{n}") for n, title in enumerate(titles, 1)))
        self.uids = [work.uid for work in self.works()]
        if screeners:
            teams.begin(self.project, "title", screeners, **team)

    def vote(
        self, by: str, verdicts: str, stage: Stage = "title", reason: str = ""
    ) -> list[ChangeResult]:
        """Let somebody decide on the works in their order: a letter of `VERDICTS`, or "." for
        nothing.
        """
        return [
            decisions.mark(
                self.project.as_user(by),
                [uid],
                VERDICTS[letter],
                stage=stage,
                reason=reason if letter == "e" else "",
            )
            for uid, letter in zip(self.uids, verdicts, strict=False)
            if letter != "."
        ]

    def decided(self, stage: Stage = "title") -> str:
        """What the project has decided on each work, as letters; "." for nothing."""
        return "".join(
            work.decisions[stage].verdict[0] if stage in work.decisions else "."
            for work in self.works()
        )

    def votes(self, place: int, stage: Stage = "title") -> dict[str, str]:
        """Screener -> the letter of their vote on a work."""
        row = self.work(self.uids[place]).id
        found = votes.of_works(self.db, [row], stage).get(row, [])
        return {vote.by: vote.verdict[0] for vote in found}
