"""The page of a stage that a team screens: works to vote on, conflicts, progress, agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from metasearch.formats.text import line
from metasearch.server.pages.hit import hit_view
from metasearch.server.pages.page import page
from metasearch.server.pages.projects.frame import frame
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.projects.words import DECISION_WORDS, STAGE_WORDS, VERDICTS_OF, called
from metasearch.server.pages.projects.works import Choice, decision_clash
from metasearch.server.pages.terms import N_
from metasearch.server.visit import Visit
from metasearch.workspace.projects import Project
from metasearch.workspace.screening.agreement import Agreement
from metasearch.workspace.screening.conflicts import Conflict, Conflicts
from metasearch.workspace.screening.progress import Progress
from metasearch.workspace.screening.teams import MOST_NEEDED
from metasearch.workspace.works.works import Stage, Work

#: Conflicts of a page.
MOST_CONFLICTS = 10
#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "voted": N_("Your vote was kept."),
    "noted": N_("Your note was saved."),
    "undone": N_("The change was undone."),
    "resolved": N_("The conflict was resolved."),
    "begun": N_("The team screens this stage now."),
    "changed": N_("The team was changed."),
    "ended": N_("The team screens this stage no more."),
}
#: Why there is no kappa -> the words.
_UNDEFINED: Mapping[str, str] = {
    "no works": N_("none: no work has the votes of both"),
    "one category": N_("undefined: both have put all works into one category"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreeningShown:
    """What the page is made from.

    Attributes:
        progress: Stage -> how far it is, as far as the reader may see it.
        works: To vote on: the first one is shown, the others follow it.
        voter: Whether the reader screens the stage.
        undo: Number of the newest vote of the reader that can be undone; None for none.
        conflicts: The first ones of the stage, and how many there are.
        resolvable: Uids of those among them that the reader may resolve.
        agreement: Of the stage; None where it was not asked for: it reads all votes.
        people: (uid, name) of the members who may screen.
        reasons: For which works were excluded so far.
    """

    progress: Mapping[Stage, Progress]
    works: Sequence[Work]
    voter: bool
    undo: int | None
    conflicts: Conflicts
    resolvable: frozenset[str]
    agreement: Agreement | None
    names: Mapping[str, str]
    people: Sequence[tuple[str, str]]
    labels: Mapping[str, str]
    reasons: Sequence[str]


@dataclass(frozen=True, slots=True)
class VoteView:
    """A vote; `words` are to be translated."""

    name: str
    verdict: str
    words: str
    reason: str
    note: str


@dataclass(frozen=True, slots=True)
class KappaView:
    """A pair of screeners; `undefined` is to be translated, "" where there is a kappa."""

    first: str
    second: str
    works: int
    agreed: int
    kappa: str
    interval: str
    undefined: str


def screening_page(
    visit: Visit,
    project: Project,
    stage: Stage,
    shown: ScreeningShown,
    said: Said,
    *,
    reason: str = "",
    done: str = "",
) -> str:
    """The whole page. `reason`: to exclude; the one that was used last."""
    made = frame(visit, project, "/screening")
    base = f"{made.base}/screening"
    names = called(visit.language, shown.names)
    progress = shown.progress.get(stage)
    return page(
        "projects/screening.html",
        visit,
        f"{visit.language.gettext('Screening')} · {line(project.title)}",
        current="/projects",
        frame=made,
        base=base,
        marks=f"{made.base}/works",
        stage=stage,
        stages=[
            Choice(words, f"{base}?{urlencode({'stage': name})}", name == stage)
            for name, words in STAGE_WORDS.items()
        ],
        progress=progress,
        going=progress is not None and progress.team.ended is None,
        voter=shown.voter,
        works=[
            (work, hit_view(work.hit, shown.labels, visit.site.base), work.votes.get(stage))
            for work in shown.works
        ],
        following=f"{base}?{urlencode({'stage': stage, 'after': shown.works[-1].uid})}"
        if shown.works
        else "",
        verdicts=_buttons(stage),
        keys={"relevant": "I", "close": "C", "excluded": "E", "unavailable": "N", "": "0"},
        undo=shown.undo,
        conflicts=[
            (one.work, _votes(one, names), one.work.uid in shown.resolvable)
            for one in shown.conflicts.conflicts
        ],
        conflicts_total=shown.conflicts.total,
        conflict_list=f"{made.base}/works?{urlencode({'verdict': 'conflict', 'stage': stage})}",
        own_list=f"{made.base}/works?{urlencode({'mine': 'yes', 'stage': stage})}",
        agreement=shown.agreement,
        agreement_address=f"{base}?{urlencode({'stage': stage, 'agreement': 'yes'})}#agreement",
        kappas=[] if shown.agreement is None else _kappas(shown.agreement, names),
        names=names,
        people=shown.people,
        reasons=shown.reasons,
        reason=reason,
        most_needed=MOST_NEEDED,
        said=said,
        clash=decision_clash(
            said,
            visit.language,
            base,
            f"{base}?{urlencode({'stage': stage})}",
            said.typed("mark").partition(":")[2],
        ),
        done=DONE_WORDS.get(done, ""),
    )


def _buttons(stage: Stage) -> list[tuple[str, str]]:
    """(verdict, words to be translated); that of "" takes a vote back."""
    named = [(verdict, DECISION_WORDS[verdict]) for verdict in VERDICTS_OF[stage]]
    return [*named, ("", DECISION_WORDS["undecided"])]


def _votes(conflict: Conflict, names: Mapping[str, str]) -> list[VoteView]:
    return [
        VoteView(
            names[vote.by],
            vote.verdict,
            DECISION_WORDS[vote.verdict],
            line(vote.reason),
            line(conflict.notes.get(vote.by, "")),
        )
        for vote in conflict.votes
    ]


def _kappas(agreement: Agreement, names: Mapping[str, str]) -> list[KappaView]:
    return [
        KappaView(
            names[pair.first],
            names[pair.second],
            pair.kappa.n,
            pair.kappa.agreed,
            "" if pair.kappa.kappa is None else f"{pair.kappa.kappa:.2f}",
            "" if pair.kappa.low is None else f"{pair.kappa.low:.2f} – {pair.kappa.high:.2f}",
            _UNDEFINED.get(pair.kappa.undefined, ""),
        )
        for pair in agreement.pairs
    ]
